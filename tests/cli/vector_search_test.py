#!/usr/bin/env python3
"""Approximate searches of vectors through the program: what they find of large indexes, and that nothing is wrong with it when
the server was killed in the middle of writing.

    vector_search_test.py <dynolith binary> [unittest arguments]
"""

import json
import math
import os
import pathlib
import random
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import run, Server

DIMENSIONS = 4
ITEMS = 11_000  # a graph is for 10,000
SECONDS = 600  # Nobody waits so long unless something hangs; under the thread sanitizer a graph takes minutes.


def vector_of(numbers):
    return {"L": [{"N": repr(number)} for number in numbers]}


class VectorSearches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = str(pathlib.Path(folder.name) / "data")
        self.random = random.Random(3)
        self.vectors = {}

    def start(self, *arguments):
        server = Server("--data", self.data, "--vector-search", "approximate", *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def numbers(self):
        # Whole quarters are floats that no one rounds.
        return [self.random.randrange(-4000, 4000) / 4 for _ in range(DIMENSIONS)]

    def put(self, server, first, count):
        """Puts of 25 items; self.vectors has those that were answered."""
        for begin in range(first, first + count, 25):
            batch = {str(n): self.numbers() for n in range(begin, begin + 25)}
            server.call("BatchWriteItem", RequestItems={"pictures": [
                {"PutRequest": {"Item": {"pk": {"S": name}, "v": vector_of(numbers)}}} for name, numbers in batch.items()]})
            self.vectors.update(batch)

    def create(self, server):
        server.call("CreateTable", TableName="pictures", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    VectorIndexes=[{"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": DIMENSIONS,
                                    "DistanceFunction": "EUCLIDEAN", "Projection": {"ProjectionType": "KEYS_ONLY"}}])

    def search(self, server, numbers):
        answer = server.call("SearchVectors", TableName="pictures", IndexName="near", TopK=10,
                             SearchVector=vector_of(numbers)["L"], ReturnConsumedCapacity="TOTAL")
        found = [(result["Item"]["pk"]["S"], result["Score"]) for result in answer["SearchResults"]]
        self.assertEqual([score for _, score in found], sorted(score for _, score in found))
        for name, score in found:
            if name in self.vectors:
                self.assertAlmostEqual(score, math.dist(numbers, self.vectors[name]), places=6)
        return [name for name, _ in found], answer["ConsumedCapacity"]["VectorSearchRequestBytes"]

    def wait_for_graph(self, server):
        deadline = time.monotonic() + SECONDS
        # Of all vectors a search through a graph compares few.
        while self.search(server, self.numbers())[1] > ITEMS * DIMENSIONS * 4 / 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def recall(self, server):
        hits = 0
        for _ in range(20):
            numbers = self.numbers()
            nearest = sorted(self.vectors, key=lambda name: math.dist(numbers, self.vectors[name]))[:10]
            hits += len(set(nearest) & set(self.search(server, numbers)[0]))
        return hits / 200

    def test_killed_while_writing(self):
        server = self.start()
        self.create(server)
        self.put(server, 0, ITEMS)
        self.assertEqual(self.recall(server), 1)
        self.wait_for_graph(server)
        self.assertGreater(self.recall(server), 0.9)
        # What was answered is found at once.
        self.put(server, 0, 100)
        self.assertEqual(self.search(server, self.vectors["7"])[0][0], "7")

        killer = threading.Timer(0.5, server.process.kill)
        killer.start()
        try:
            while True:
                self.put(server, 1_000_000 + len(self.vectors), 25)
        except (OSError, cli_test.http.client.HTTPException, json.JSONDecodeError):
            pass
        killer.join()
        server.process.wait(SECONDS)
        server = self.start()
        for _ in range(2):
            newest = next(reversed(self.vectors))
            self.assertEqual(self.search(server, self.vectors[newest])[0][0], newest)
            self.assertGreater(self.recall(server), 0.9)
            self.wait_for_graph(server)
        server.stop()
        self.assertEqual(run("check", self.data).returncode, 0)

    def test_graphs_that_do_not_fit(self):
        server = self.start("--vector-memory", "1MB")
        self.create(server)
        self.put(server, 0, ITEMS)
        self.assertEqual(self.recall(server), 1)
        self.assertGreater(self.search(server, self.numbers())[1], ITEMS * DIMENSIONS * 4 / 2)

    def test_words(self):
        refused = run("serve", "--vector-search", "fast")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(b"exact|approximate", refused.stderr)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
