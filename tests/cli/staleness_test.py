#!/usr/bin/env python3
"""Stale reads on purpose, through the program: what --staleness and the admin endpoint say is what a client sees, on a clock
that the test moves, so that nothing here waits.

    staleness_test.py <dynolith binary> [unittest arguments]
"""

import json
import sys
import unittest

import cli_test
from cli_test import run, signed_headers
from clock_test import START, Clocked

TABLE = {
    "TableName": "music",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "genre", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by-genre", "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"}}],
}


class StaleReads(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked("--clock", "manual", "--clock-start", str(START), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        server.call("CreateTable", **TABLE)
        return server

    def put(self, server, take):
        server.call("PutItem", TableName="music", Item={"pk": {"S": "a"}, "genre": {"S": "soul"}, "take": {"N": str(take)}})

    def take(self, server, consistent=False, key=None):
        """The take that GetItem shows, by the client with that access key; 0: there is none."""
        body = json.dumps({"TableName": "music", "Key": {"pk": {"S": "a"}}, "ConsistentRead": consistent}).encode()
        headers = signed_headers("GetItem", body)
        if key:
            headers["authorization"] = headers["authorization"].replace("Credential=key/", f"Credential={key}/")
        status, answer = server.request("GetItem", body, headers)
        self.assertEqual(status, 200, answer)
        return int(answer["Item"]["take"]["N"]) if "Item" in answer else 0

    def take_by_genre(self, server):
        items = server.call("Query", TableName="music", IndexName="by-genre", KeyConditionExpression="genre = :g",
                            ExpressionAttributeValues={":g": {"S": "soul"}})["Items"]
        return int(items[0]["take"]["N"]) if items else 0

    def test_a_table_and_its_index_lag(self):
        server = self.start("--staleness", "2s", "--staleness", "music/by-genre=fixed:4s")
        self.put(server, 1)
        self.assertEqual((self.take(server), self.take_by_genre(server), self.take(server, consistent=True)), (0, 0, 1))
        server.advance(2)
        self.assertEqual((self.take(server), self.take_by_genre(server)), (1, 0))
        server.advance(2)
        self.assertEqual((self.take(server), self.take_by_genre(server)), (1, 1))
        status, answer = server.admin("GET", "staleness")
        # A move of the clock is a commit, too.
        self.assertIn(answer.pop("snapshots"), range(1, 18))
        self.assertEqual((status, answer), (200, {
            "rules": [{"kind": "fixed", "seconds": 2.0, "monotonic": False},
                      {"table": "music", "index": "by-genre", "kind": "fixed", "seconds": 4.0, "monotonic": False}],
            "held": []}))

    def test_random_lags_repeat_with_their_seed_and_stay_in_their_bound(self):
        def takes(*arguments):
            server = self.start("--staleness", "music=random:16s", *arguments)
            seen = []
            for take in range(1, 101):
                self.put(server, take)
                server.advance(1)
                seen.append(self.take(server))
                self.assertGreaterEqual(seen[-1], take - 16)
            return seen
        first = takes("--staleness-seed", "7")
        self.assertEqual(takes("--staleness-seed", "7"), first)
        self.assertNotEqual(takes(), first)
        self.assertNotEqual(first, sorted(first), "they go back")

    def test_a_client_never_goes_back_when_monotonic(self):
        server = self.start("--staleness", "random:16s,monotonic")
        seen = {"AKIDFIRST": [], "AKIDSECOND": []}
        for take in range(1, 101):
            self.put(server, take)
            server.advance(1)
            for key, takes in seen.items():
                # Each on a connection of its own: the access key is the client.
                takes.append(self.take(server, key=key))
        for takes in seen.values():
            self.assertEqual(takes, sorted(takes))
        first, second = seen.values()
        self.assertNotEqual(first, second)
        self.assertEqual(self.take(server, consistent=True, key="AKIDFIRST"), 100)
        self.assertEqual(self.take(server, key="AKIDFIRST"), 100)

    def test_held_and_released(self):
        server = self.start()
        self.put(server, 1)
        status, answer = server.admin("POST", "staleness/hold", {"table": "music", "index": "by-genre"})
        hold = {"table": "music", "index": "by-genre", "since": START}
        self.assertEqual((status, answer), (200, {"rules": [], "held": [hold], "snapshots": 1}))
        self.put(server, 2)
        server.advance(86400)
        self.assertEqual((self.take(server), self.take_by_genre(server)), (2, 1))
        self.assertEqual(server.admin("POST", "staleness/release", {"table": "music"}),
                         (404, {"error": "the reads of music are not held"}))
        status, answer = server.admin("POST", "staleness/release", {"table": "music", "index": "by-genre"})
        self.assertEqual((status, answer["held"], answer["snapshots"]), (200, [], 0))
        self.assertEqual(self.take_by_genre(server), 2)
        self.assertEqual(server.admin("POST", "staleness/hold", {"table": "musik"}),
                         (404, {"error": "there is no musik whose reads could be held"}))
        self.assertEqual(server.admin("POST", "staleness/hold", {"index": "by-genre"})[0], 400)
        self.assertEqual(server.admin("GET", "staleness/hold")[0], 405)

    def test_held_from_the_start(self):
        server = self.start("--staleness", "music=held")
        self.put(server, 1)
        server.advance(86400)
        self.assertEqual((self.take(server), self.take(server, consistent=True)), (0, 1))
        self.assertEqual(server.admin("POST", "staleness/release", {"table": "music"})[0], 200)
        self.assertEqual(self.take(server), 1)

    def test_rules_that_make_no_sense(self):
        for rules, code, reason in (
                (("music:1s",), 2, '"music:1s" is not [TABLE[/INDEX|:stream]=]HOW[,monotonic]'),
                (("25h",), 1, "the staleness of everything has to be above 0 and at most 24 hours"),
                (("t=1s", "t=2s"), 1, "there are two rules of staleness for t"),
                (("held,monotonic",), 1, "only a fixed or random staleness can be monotonic")):
            arguments = [word for rule in rules for word in ("--staleness", rule)]
            done = run("serve", "--port", "0", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(reason.encode(), done.stderr)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
