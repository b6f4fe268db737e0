#!/usr/bin/env python3
"""A trace from end to end: a server writes it while calls are made, `dynolith lab trace` shows it, and an experiment replays it
for 10,000 users.

    trace_test.py <dynolith binary> [unittest arguments]
"""

import base64
import concurrent.futures
import csv
import json
import pathlib
import signal
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, SONGS, Server, run, song

EXPERIMENT = """
[experiment]
title = "My tests, times 10,000"
[replay]
file = "songs.trace"
shared_keys = true
[[table]]
name = "songs"
warm = { read = 100_000, write = 100_000 }
[[table.index]]
name = "by-year"
warm = { read = 100_000, write = 100_000 }
[[design]]
name = "one"
[[design]]
name = "many"
set.replay.users = 10_000
"""


class Trace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.trace = self.folder / "songs.trace"

    def lab(self, *arguments, code=0):
        shown = run("lab", *arguments)
        self.assertEqual(shown.returncode, code, shown)
        return shown.stdout.decode() if code == 0 else shown.stderr.decode()

    def rows(self):
        self.lab("trace", str(self.trace), "--csv", str(self.folder / "t.csv"))
        with (self.folder / "t.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def serve(self, *arguments):
        return Server("--trace", str(self.trace), *arguments)

    def make_calls(self, server):
        server.call("CreateTable", **SONGS)
        for number in range(5):
            server.call("PutItem", TableName="songs", Item=song(number))
        server.call("GetItem", TableName="songs", Key={name: song(1)[name] for name in ("artist", "title")})
        server.call("Query", TableName="songs", KeyConditionExpression="artist = :a",
                    ExpressionAttributeValues={":a": {"S": "Acme Band"}}, ConsistentRead=True)
        server.call("Query", TableName="songs", IndexName="by-year", KeyConditionExpression="#y = :y",
                    ExpressionAttributeNames={"#y": "year"}, ExpressionAttributeValues={":y": {"N": "1992"}})
        server.call("Scan", TableName="songs")
        server.call("TransactWriteItems", TransactItems=[{"Put": {"TableName": "songs", "Item": song(number)}} for number in (7, 8)])

    def test_what_calls_used(self):
        with self.serve("--trace-keys", "plain") as server:
            self.make_calls(server)
        rows = self.rows()
        shown = [(row["operation"], row["index"], row["kind"], float(row["units"]), row["partition_key"]) for row in rows]
        self.assertEqual(shown[:4], [("PutItem", "", "write", 1, "Acme Band"), ("PutItem", "by-year", "write", 1, "1990"),
                                     ("PutItem", "", "write", 1, "Acme Band"), ("PutItem", "by-year", "write", 1, "1991")])
        # A new table on demand has four partitions, which a scan reads one after the other.
        self.assertEqual(shown[10:], [
            ("GetItem", "", "read", 0.5, "Acme Band"), ("Query", "", "read", 1, "Acme Band"),
            ("Query", "by-year", "read", 0.5, "1992"), *[("Scan", "", "read", 0.5, "")] * 4,
            ("TransactWriteItems", "", "write", 2, "Acme Band"), ("TransactWriteItems", "by-year", "write", 1, "1997"),
            ("TransactWriteItems", "", "write", 2, "Acme Band"), ("TransactWriteItems", "by-year", "write", 1, "1998")])
        self.assertEqual([row["request"] for row in rows], [*"1122334455678", *["9"] * 4, *["10"] * 4])
        # As the service measures an item, without the overhead of storage.
        self.assertEqual(int(rows[0]["bytes"]), len("artist" "Acme Band" "title" "Song 0" "year") + 3)
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertLess(abs(times[0] - time.time()), 3600)

    def test_summary(self):
        with self.serve() as server:
            self.make_calls(server)
        text = self.lab("trace", str(self.trace))
        self.assertRegex(text, r"songs\.trace: 10 requests, keys hashed, 1 file, ")
        self.assertRegex(text, r"PutItem +songs +5 ")
        self.assertRegex(text, r"Query +songs/by-year +1 ")
        self.assertRegex(text, r"songs/by-year +on demand +7 .*#[0-9a-f]{16} [\d.<]+ (read|write)")
        self.assertNotIn("Acme", text)
        self.assertNotIn(b"Acme", self.trace.read_bytes())
        self.assertNotIn("dropped", text)

    def test_replay_times_10_000(self):
        with self.serve() as server:
            self.make_calls(server)
        experiment = self.folder / "replay.toml"
        experiment.write_text(EXPERIMENT)
        self.assertRegex(self.lab("check", str(experiment)), r": 1 table, 6 accesses, 2 designs, ")
        text = self.lab("simulate", str(experiment))
        self.assertEqual(text, self.lab("simulate", str(experiment)))
        one, many = text.index("\n  one\n"), text.index("\n  many\n")
        self.assertNotIn("throttled by the", text[one:many])
        self.assertRegex(text[many:], r"songs: [\d,.]+ writes/s \([\d.]+ %\) throttled by the partition limit")
        # Names in an error are where they stand in the file.
        experiment.write_text(EXPERIMENT.replace("songs.trace", "sogns.trace"))
        self.assertIn("replay.toml:5:8: cannot read ", self.lab("check", str(experiment), code=1))

    def test_what_is_replayed_leaves_the_same_trace(self):
        """Real requests that are made of a trace are traced by the server that answers them."""
        for keys in ("plain", "hash"):
            with self.subTest(keys):
                with self.serve("--trace-keys", keys) as server:
                    self.make_calls(server)
                rows = [row for row in self.rows() if row["operation"] != "Scan"]
                first = self.folder / f"{keys}.trace"
                self.trace.rename(first)
                experiment = self.folder / "replay.toml"
                # Slower, where a busy machine has left something over at the end.
                for speed in (1, 0.1, 0.01):
                    experiment.write_text(f'[experiment]\n[replay]\nfile = "{first.name}"\nspeed = {speed}\n')
                    with self.serve("--trace-keys", keys) as server:
                        shown = self.lab("measure", str(experiment), "--warmup", "0", "--endpoint", f"http://127.0.0.1:{server.port}")
                    if "errors" not in shown:
                        break
                self.assertNotIn("errors", shown)
                again = [row for row in self.rows() if row["operation"] != "Scan"]
                seen = [[(row["operation"], row["index"], row["kind"], row["units"]) for row in each] for each in (rows, again)]
                # Of a batch, and of calls in the same millisecond, any may be the first.
                self.assertEqual(sorted(seen[0]), sorted(seen[1]))
                if keys == "plain":
                    self.assertEqual({row["partition_key"] for row in rows}, {row["partition_key"] for row in again})
                self.trace.unlink()

    def test_replays_of_numbers_and_bytes(self):
        """Keys of all types, an index whose key is the table's turned around, and a local one: for several users, measured as simulated."""
        def attribute(name, kind):
            return {"AttributeName": name, "AttributeType": kind}

        def schema(partition, sort):
            return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]

        def octets(number):
            return {"B": base64.b64encode(bytes([number, 255, 0])).decode()}

        def visit(number):
            return {"person": {"N": str(number % 3 - 1)}, "at": octets(number)}

        everything = {"ProjectionType": "ALL"}
        with self.serve() as server:
            server.call("CreateTable", TableName="visits", BillingMode="PAY_PER_REQUEST", KeySchema=schema("person", "at"),
                        AttributeDefinitions=[attribute("person", "N"), attribute("at", "B"), attribute("kind", "S")],
                        LocalSecondaryIndexes=[{"IndexName": "by-kind", "KeySchema": schema("person", "kind"), "Projection": everything}],
                        GlobalSecondaryIndexes=[{"IndexName": "by-time", "KeySchema": schema("at", "person"), "Projection": everything}])
            for number in range(20):
                server.call("PutItem", TableName="visits", Item={**visit(number), "kind": {"S": "x"}, "text": {"S": "x" * 900}})
            for number in range(20):
                server.call("GetItem", TableName="visits", Key=visit(number), ConsistentRead=True)
                server.call("Query", TableName="visits", IndexName="by-time", KeyConditionExpression="#at = :at",
                            ExpressionAttributeNames={"#at": "at"}, ExpressionAttributeValues={":at": octets(number)})
            server.call("Query", TableName="visits", KeyConditionExpression="person = :p", ExpressionAttributeValues={":p": {"N": "1"}})
            server.call("DeleteItem", TableName="visits", Key=visit(3))
        experiment = self.folder / "replay.toml"
        # Slower, where a busy machine has left something over at the end.
        for speed in (1, 0.1, 0.01):
            experiment.write_text(f'[experiment]\n[replay]\nfile = "songs.trace"\nusers = 3\nspread = 0\nspeed = {speed}\n')
            seen = []
            for arguments in (("simulate",), ("measure", "--warmup", "0")):
                self.lab(*arguments, str(experiment), "--json", str(self.folder / "result.json"))
                design = json.loads((self.folder / "result.json").read_text())["designs"][0]
                seen.append({resource["name"]: [sum(resource[kind]["units"]) for kind in ("read", "write")] + [resource["bytes"][-1]]
                             for resource in design["resources"]})
            if not any("before the end" in kind for access in design["accesses"] for kind in access["errors_by"]):
                break
        for name, figures in seen[0].items():
            for expected, measured in zip(figures, seen[1][name]):
                # Keys that are made are a little longer.
                self.assertAlmostEqual(measured, expected, delta=0.03 * expected + 0.5, msg=name)

    def test_example(self):
        with self.serve() as server:
            self.make_calls(server)
        self.trace.rename(self.folder / "my.trace")
        path = self.folder / "replay.toml"
        self.assertIn("is written", self.lab("new", str(path), "--from", "replay"))
        self.assertIn("3 designs", self.lab("check", str(path)))

    def test_throttled_calls_are_told(self):
        with self.serve("--capacity", "enforce", "--capacity-scale", "0.001") as server:
            server.call("CreateTable", **SONGS)
            statuses = [server.request("PutItem", b'{"TableName": "songs", "Item": {"artist": {"S": "a"}, "title": {"S": "b"}}}')[0]
                        for _ in range(20)]
        self.assertIn(400, statuses)
        rows = self.rows()
        self.assertEqual(sum(row["throttled"] == "key_range" for row in rows), statuses.count(400))
        self.assertEqual(sum(float(row["units"]) == 1 for row in rows), statuses.count(200))
        self.assertIn("throttled", self.lab("trace", str(self.trace)))

    def test_killed_servers_lose_a_moment(self):
        with self.serve() as server:
            self.make_calls(server)
            end = time.monotonic() + SECONDS
            while "10 requests" not in self.lab("trace", str(self.trace)):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            server.stop(signal.SIGKILL)
        self.assertEqual(len(self.rows()), 21)
        torn = self.trace.read_bytes()[:-3]
        self.trace.write_bytes(torn)
        shown = run("lab", "trace", str(self.trace))
        self.assertEqual(shown.returncode, 0)
        self.assertRegex(shown.stderr.decode(), r"^dynolith: warning: .*songs\.trace is cut off or damaged: only \d+ of its \d+ ")

    def test_a_second_server_keeps_the_first_ones_trace(self):
        for _ in range(2):
            with self.serve() as server:
                self.make_calls(server)
        self.assertRegex(self.lab("trace", str(self.trace)), "10 requests, .* 1 file,")
        self.assertRegex(self.lab("trace", f"{self.trace}.1"), "10 requests, .* 1 file,")

    def test_threads_and_many_calls(self):
        with self.serve("--trace-size", "1", "--trace-files", "2") as server:
            server.call("CreateTable", **SONGS)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda number: server.call("PutItem", TableName="songs", Item=song(number)), range(200)))
        self.assertEqual(len(self.rows()), 400)

    def test_refusals(self):
        letter = self.folder / "letter.txt"
        letter.write_text("Dear friend")
        for arguments, code, words in ((["--trace", str(letter)], 1, "is there and is no trace, so --trace does not replace it"),
                                       (["--trace", str(self.folder / "no" / "t")], 1, "cannot be written: No such file"),
                                       (["--trace-size", "3"], 2, "--trace"),
                                       (["--trace", "t", "--trace-keys", "none"], 2, "hash|plain")):
            shown = run("serve", "--port", "0", *arguments)
            self.assertEqual(shown.returncode, code, arguments)
            self.assertIn(words, shown.stderr.decode())
        self.assertEqual(letter.read_text(), "Dear friend")
        self.assertIn("is no trace: dynolith serve --trace FILE writes one", self.lab("trace", str(letter), code=1))
        self.assertIn("cannot read ", self.lab("trace", str(self.trace), code=1))


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
