#!/usr/bin/env python3
"""Tables that move while they change: `dynolith migrate` between folders and servers, with faults on the way, killed and run again,
and in the end both sides are what the writers remember.

    migrate_test.py <dynolith binary> [--rounds N] [--seed N] [unittest arguments]

--rounds N: so many rounds of writers and kills instead of two.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import SECONDS, Server, run

ROUNDS = 2
SEED = 29

MUSIC = {"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
         "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                                  for name, kind in (("pk", "S"), ("sk", "N"), ("genre", "S"))],
         "GlobalSecondaryIndexes": [{"IndexName": "by-genre", "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}]}
PLAIN = {"TableName": "plain", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}


def song(number, **more):
    return {"pk": {"S": f"artist {number % 17}"}, "sk": {"N": str(number)}, "genre": {"S": f"genre {number % 5}"},
            "deep": {"L": [{"M": {"n": {"N": "1.50"}}}, {"SS": ["b", "a"]}]}, **more}


def key_of(item):
    return item["pk"]["S"], item.get("sk", {}).get("N")


def canonical(value):
    """As it is read back, sets in order."""
    if isinstance(value, dict):
        return {name: sorted(inner) if name in ("SS", "NS") else "1.5" if inner == "1.50" else canonical(inner)
                for name, inner in value.items()}
    return [canonical(inner) for inner in value] if isinstance(value, list) else value


class Watched(Server):
    """A server whose pipes are read, whose clock is real, and which has an admin endpoint."""

    def __init__(self, *arguments, **how):
        super().__init__("--admin", "--log-level", "error", *arguments, **how)
        self.arguments = arguments
        self.url = f"http://127.0.0.1:{self.port}"

    def admin(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            answer = response.read()
            assert response.status == 200, answer
            return json.loads(answer)
        finally:
            connection.close()

    def kill_and_restart(self):
        """As after a crash: kill -9, and the same command on the same port. Needs a data folder."""
        self.process.kill()
        self.process.communicate()
        again = Server("--admin", "--log-level", "error", *self.arguments, port=self.port)
        self.process, self.line = again.process, again.line

    def fault(self, **rule):
        return self.admin("POST", "/_dynolith/faults", rule)["id"]

    def items(self, table):
        found, start = {}, {}
        while True:
            page = self.call("Scan", TableName=table, ConsistentRead=True, **start)
            found.update((key_of(item), canonical(item)) for item in page["Items"])
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def fill(self, table, items):
        items = list(items)
        for begin in range(0, len(items), 25):
            requests = [{"PutRequest": {"Item": item}} for item in items[begin:begin + 25]]
            left = self.call("BatchWriteItem", RequestItems={table: requests})["UnprocessedItems"]
            assert not left


class Folders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dynolith-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def server(self, *arguments):
        server = Watched(*arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def migrate(self, source, target, *arguments, code=0):
        state = [] if "--state" in arguments else ["--state", str(self.folder / "state")]
        shown = run("migrate", str(source), str(target), *state, *arguments)
        out, errors = shown.stdout.decode(), shown.stderr.decode()
        self.assertEqual(shown.returncode, code, (out, errors))
        return out, errors


class Copies(Folders):
    def test_a_folder_and_back(self):
        made = self.server("--data", str(self.folder / "one"))
        made.call("CreateTable", **MUSIC, Tags=[{"Key": "team", "Value": "a"}],
                  StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        made.call("UpdateTimeToLive", TableName="music", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        made.call("UpdateContinuousBackups", TableName="music",
                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        made.fill("music", map(song, range(300)))
        items, described = made.items("music"), made.call("DescribeTable", TableName="music")["Table"]
        made.stop()

        one, two = self.folder / "one", self.folder / "two"
        out, _ = self.migrate(one, two, "--dry-run")
        self.assertIn("table music: 1 index, on demand, a stream (KEYS_ONLY), 1 tag, point-in-time recovery, TTL of ends", out)
        self.assertRegex(out, r"by its description 300 items, \d+ bytes: about \d+ units to read, 600 to write")
        self.assertRegex(out, r"Cost on demand where it is paid for: 0\.00 \+ 0\.00 USD \(.* prices of us-east-1, \d{4}-\d\d\)")
        self.assertFalse(two.exists())
        out, errors = self.migrate(one, two)
        self.assertEqual(errors, "")
        self.assertIn("table music: 300 items on FROM, 300 on TO: the same", out)
        self.assertIn("The migration is over", out)
        # What is over is left alone.
        out, _ = self.migrate(one, two)
        self.assertIn("nothing was done", out)

        # To a server in memory, and back into a folder.
        memory = self.server()
        out, _ = self.migrate(two, memory.url, "--verify", "full", "--state", str(self.folder / "second"))
        self.assertEqual(memory.items("music"), items)
        after = memory.call("DescribeTable", TableName="music")["Table"]
        for member in ("KeySchema", "AttributeDefinitions", "StreamSpecification", "BillingModeSummary"):
            self.assertEqual(after[member].get("BillingMode") if member == "BillingModeSummary" else after[member],
                             described[member].get("BillingMode") if member == "BillingModeSummary" else described[member])
        self.assertEqual(memory.call("ListTagsOfResource", ResourceArn=after["TableArn"])["Tags"], [{"Key": "team", "Value": "a"}])
        ttl = memory.call("DescribeTimeToLive", TableName="music")["TimeToLiveDescription"]
        self.assertEqual((ttl["AttributeName"], ttl["TimeToLiveStatus"]), ("ends", "ENABLED"))
        backups = memory.call("DescribeContinuousBackups", TableName="music")["ContinuousBackupsDescription"]
        self.assertEqual(backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "ENABLED")
        self.migrate(memory.url, self.folder / "three", "--cut-over", "stopped", "--state", str(self.folder / "third"))
        with Watched("--data", str(self.folder / "three")) as back:
            self.assertEqual(back.items("music"), items)

    def test_tables_that_are_there(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(30)))
        other = dict(PLAIN, AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "N"}])
        target.call("CreateTable", **other)
        _, errors = self.migrate(source.url, target.url, code=1)
        self.assertIn("table plain is there with other keys: pk N instead of pk S", errors)
        target.call("DeleteTable", TableName="plain")
        target.call("CreateTable", **PLAIN)
        target.fill("plain", [{"pk": {"S": "own"}}, {"pk": {"S": "3"}, "other": {"S": "x"}}])
        _, errors = self.migrate(source.url, target.url, code=1)
        self.assertIn("table plain is there and has items; with --into-existing", errors)
        out, _ = self.migrate(source.url, target.url, "--into-existing", "--cut-over", "stopped")
        self.assertIn("30 items on FROM, 31 on TO: the same, and 1 that only TO has", out)
        self.assertEqual(len(target.items("plain")), 31)
        self.assertEqual(target.items("plain")[("3", None)], {"pk": {"S": "3"}})

    def test_states_of_others_and_damaged_ones(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        self.migrate(source.url, target.url)
        _, errors = self.migrate(source.url, self.folder / "x", code=1)
        self.assertIn('the state of another migration: "to" is not the same', errors)
        _, errors = self.migrate(source.url, target.url, "--sample", "50%", code=1)
        self.assertIn('the state of another migration: "rules" is not the same', errors)
        state = self.folder / "state"
        whole = state.read_bytes()
        for damaged in (whole[:-9], whole.replace(b'"items":0', b'"items":1'), b"", b"{}"):
            state.write_bytes(damaged)
            _, errors = self.migrate(source.url, target.url, code=1)
            self.assertIn("no state of a migration, or it is damaged", errors)
        state.write_bytes(whole)
        self.migrate(source.url, target.url, "--cut-over", "stopped")
        _, errors = self.migrate(source.url, source.url, "--state", str(self.folder / "same"), code=1)
        self.assertIn("the same place", errors)

    def test_rules(self):
        rules = self.folder / "rules.toml"
        rules.write_text('seed = "x"\n[[rule]]\nattributes = ["pk"]\nkind = "fake"\nas = "email"\n')
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": f"user {n}"}, "n": {"N": str(n)}} for n in range(60)))
        options = ("--anonymise", str(rules), "--filter", "n < 40")
        self.migrate(source.url, target.url, *options)
        names = {item["n"]["N"]: pk for (pk, _), item in target.items("plain").items()}
        self.assertEqual(set(names), set(map(str, range(40))))
        self.assertFalse([name for name in names.values() if "user" in name])
        # One leaves the filter, one comes into it, one is deleted, one changes.
        source.call("PutItem", TableName="plain", Item={"pk": {"S": "user 1"}, "n": {"N": "77"}})
        source.call("PutItem", TableName="plain", Item={"pk": {"S": "user 50"}, "n": {"N": "5"}, "x": {"S": "came"}})
        source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "user 2"}})
        source.call("PutItem", TableName="plain", Item={"pk": {"S": "user 3"}, "n": {"N": "3"}, "x": {"S": "changed"}})
        out, errors = self.migrate(source.url, target.url, *options, "--cut-over", "stopped", "--verify", "full")
        self.assertIn("39 items on FROM, 39 on TO: the same", out, errors)
        items = target.items("plain")
        self.assertNotIn((names["1"], None), items)
        self.assertNotIn((names["2"], None), items)
        self.assertEqual(items[(names["3"], None)]["x"], {"S": "changed"})
        # A rule that no item survives is named.
        rules.write_text('seed = "x"\n[[rule]]\nattributes = ["pk"]\nkind = "drop"\n')
        _, errors = self.migrate(source.url, target.url, *options, "--state", str(self.folder / "other"), code=1)
        self.assertIn("rule of line 2, drop of pk", errors)


    def test_sorted_files(self):
        """A new table of a folder is made with its items at once, unless it is not wanted or cannot be."""
        with Watched("--data", str(self.folder / "one")) as made:
            made.call("CreateTable", **MUSIC)
            made.call("CreateTable", **PLAIN, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
            made.fill("music", map(song, range(300)))
            made.fill("plain", ({"pk": {"S": str(n)}} for n in range(30)))
            items = made.items("music")
        shown = {}
        for way in ("on", "off"):
            target, state = self.folder / f"to {way}", self.folder / f"state {way}"
            out, errors = self.migrate(self.folder / "one", target, "--bulk", way, "--state", str(state))
            self.assertEqual(errors, "")
            self.assertIn("table music: 300 items on FROM, 300 on TO: the same", out)
            shown[way] = out.replace(str(target), "TO").replace(str(state), "STATE")
            with Watched("--data", str(target)) as opened:
                self.assertEqual(opened.items("music"), items)
                self.assertEqual(opened.call("Query", TableName="music", IndexName="by-genre", KeyConditionExpression="genre = :g",
                                             ExpressionAttributeValues={":g": {"S": "genre 3"}})["Count"], 60)
                described = opened.call("DescribeTable", TableName="plain")["Table"]
                self.assertEqual(described["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
                self.assertEqual(len(opened.items("plain")), 30)
        self.assertEqual(shown["on"], shown["off"])
        # A table that is there is filled as it is.
        with Watched("--data", str(self.folder / "there")) as there:
            there.call("CreateTable", **PLAIN)
            there.fill("plain", [{"pk": {"S": "own"}}])
        out, _ = self.migrate(self.folder / "one", self.folder / "there", "--into-existing", "--table", "plain")
        self.assertIn("30 items on FROM, 31 on TO: the same, and 1 that only TO has", out)


    def test_a_bucket_between_two_servers(self):
        """An export and an import instead of reads and writes; an interrupted run goes on with the same ones."""
        (self.folder / "buckets" / "moving").mkdir(parents=True)
        source, target = (self.server("--buckets", str(self.folder / "buckets")) for _ in range(2))
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        source.call("CreateTable", **MUSIC, StreamSpecification=stream, DeletionProtectionEnabled=True,
                    TableClass="STANDARD_INFREQUENT_ACCESS")
        source.fill("music", map(song, range(300)))
        options = ["--table", "music", "--bucket", "moving/now/"]
        _, errors = self.migrate(source.url, target.url, *options, code=1)
        self.assertIn("ExportTableToPointInTime: PointInTimeRecoveryUnavailableException", errors)
        source.call("UpdateContinuousBackups", TableName="music",
                    PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        shown, _ = self.migrate(source.url, target.url, *options, "--dry-run")
        self.assertIn("by an export to moving/now/ and an import, which cost by the gigabyte and no units", shown)
        fault = target.fault(fault="unavailable", operation="ImportTable")
        state = self.folder / "state"
        command = [cli_test.BINARY, "migrate", source.url, target.url, *options, "--state", str(state)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (state.exists() and '"export"' in state.read_text()):
                time.sleep(0.01)
            self.assertIsNone(process.poll())
            process.kill()
        target.admin("DELETE", f"/_dynolith/faults/{fault}")
        target.fault(fault="answer_lost", operation="ImportTable", hits_max=1)
        self.assertEqual(len(source.call("ListExports")["ExportSummaries"]), 1)
        # After the export.
        source.call("DeleteItem", TableName="music", Key={"pk": {"S": "artist 3"}, "sk": {"N": "3"}})
        source.fill("music", [song(4, changed={"BOOL": True}), song(1000)])
        out, errors = self.migrate(source.url, target.url, *options, "--cut-over", "refuse")
        self.assertEqual(errors, "")
        self.assertRegex(out, "table music: import arn:")
        self.assertIn("table music: 300 items read, ", out)
        self.assertIn("table music: 300 items on FROM, 300 on TO: the same", out)
        self.assertEqual(len(source.call("ListExports")["ExportSummaries"]), 1)
        self.assertEqual(len(target.call("ListImports")["ImportSummaryList"]), 1)
        self.assertEqual(target.items("music"), source.items("music"))
        made = target.call("DescribeTable", TableName="music")["Table"]
        self.assertEqual(made["StreamSpecification"], stream)
        self.assertTrue(made["DeletionProtectionEnabled"])
        self.assertEqual(made["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")
        # Without an import the items are read and written.
        local = {"IndexName": "local", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                                                     {"AttributeName": "genre", "KeyType": "RANGE"}],
                 "Projection": {"ProjectionType": "ALL"}}
        source.call("CreateTable", **{**MUSIC, "TableName": "local"}, LocalSecondaryIndexes=[local])
        source.fill("local", map(song, range(30)))
        _, errors = self.migrate(source.url, target.url, "--table", "local", "--bucket", "moving", "--state",
                                 str(self.folder / "other"), "--cut-over", "refuse")
        self.assertIn("table local has LocalSecondaryIndexes, which no import can make", errors)
        self.assertEqual(target.items("local"), source.items("local"))
        for wrong, why in ((("--bucket", "/now"), "--bucket is BUCKET or BUCKET/PREFIX, not \"/now\""),
                           (("--bucket", "moving", "--sample", "1%"), "no filter, sample or rule sees an export")):
            _, errors = self.migrate(source.url, target.url, *wrong, "--state", str(self.folder / "third"), code=1)
            self.assertIn(why, errors)
        _, errors = self.migrate(source.url, self.folder / "data", "--bucket", "moving", code=1)
        self.assertIn("--bucket is for two endpoints", errors)


class Changes(Folders):
    def test_each_kind_of_stream(self):
        for view in (None, "NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"):
            with self.subTest(view=view):
                source, target = self.server(), self.server()
                stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}} if view else {}
                source.call("CreateTable", **PLAIN, **stream)
                source.fill("plain", ({"pk": {"S": str(n)}} for n in range(100)))
                state = ("--state", str(self.folder / f"state {view}"))
                out, _ = self.migrate(source.url, target.url, *state)
                self.assertIn("TO has caught up", out)
                source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
                source.call("PutItem", TableName="plain", Item={"pk": {"S": "8"}, "x": {"S": "new"}})
                source.call("PutItem", TableName="plain", Item={"pk": {"S": "100"}})
                source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "100"}})
                expected = {(str(n), None): {"pk": {"S": str(n)}} for n in range(100) if n != 7}
                expected["8", None]["x"] = {"S": "new"}
                out, _ = self.migrate(source.url, target.url, *state, "--cut-over", "refuse")
                self.assertEqual(target.items("plain"), expected)
                self.assertIn("99 items on FROM, 99 on TO: the same", out)
                # Writes are refused from there on, reads are not.
                status, answer = source.request("PutItem", json.dumps({"TableName": "plain", "Item": {"pk": {"S": "x"}}}).encode())
                self.assertEqual((status, answer["__type"].split("#")[1]), (503, "ServiceUnavailable"))
                self.assertEqual(len(source.items("plain")), 99)

    def test_without_streams(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(50)))
        out, _ = self.migrate(source.url, target.url, "--no-stream")
        self.assertIn("What changes on FROM is not followed", out)
        source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
        source.call("PutItem", TableName="plain", Item={"pk": {"S": "8"}, "x": {"S": "new"}})
        out, _ = self.migrate(source.url, target.url, "--no-stream", "--cut-over", "stopped")
        self.assertIn("a second scan has found 2 items", out)
        self.assertEqual(target.items("plain"), source.items("plain"))

    def test_what_differs_is_named(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(50)))
        self.migrate(source.url, target.url)
        target.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
        target.call("PutItem", TableName="plain", Item={"pk": {"S": "8"}, "x": {"S": "new"}})
        target.call("PutItem", TableName="plain", Item={"pk": {"S": "extra"}})
        out, errors = self.migrate(source.url, target.url, "--cut-over", "stopped", code=1)
        self.assertIn("50 items on FROM, 50 on TO: 3 differ", out)
        self.assertIn('item {"pk":{"S":"7"}} is missing on TO', errors)
        self.assertIn('item {"pk":{"S":"8"}} is another on TO', errors)
        self.assertIn('item {"pk":{"S":"extra"}} is on TO only', errors)

    def test_a_stream_that_was_replaced(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(50)))
        self.migrate(source.url, target.url)
        source.call("UpdateTable", TableName="plain", StreamSpecification={"StreamEnabled": False})
        source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
        source.call("UpdateTable", TableName="plain",
                    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        _, errors = self.migrate(source.url, target.url, "--cut-over", "stopped")
        self.assertIn("has another stream than before, so it is copied anew", errors)
        self.assertEqual(target.items("plain"), source.items("plain"))


    def test_records_that_were_trimmed(self):
        """By the clock of the server, of which the tool knows nothing."""
        for has_records in (True, False):
            with self.subTest(has_records=has_records):
                source, target = self.server("--clock", "manual"), self.server()
                stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}} if has_records else {}
                source.call("CreateTable", **PLAIN, **stream)
                source.fill("plain", ({"pk": {"S": str(n)}} for n in range(50)))
                state = ("--state", str(self.folder / f"state {has_records}"))
                self.migrate(source.url, target.url, *state)
                # A pause without changes loses nothing.
                source.admin("POST", "/_dynolith/clock/advance", {"seconds": 3600})
                source.call("PutItem", TableName="plain", Item={"pk": {"S": "50"}})
                _, errors = self.migrate(source.url, target.url, *state)
                self.assertNotIn("copied anew", errors)
                self.assertEqual(target.items("plain"), source.items("plain"))
                state = ("--state", str(self.folder / f"second {has_records}"))
                target = self.server()
                self.migrate(source.url, target.url, *state)
                source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
                source.admin("POST", "/_dynolith/clock/advance", {"seconds": 25 * 3600})
                source.call("PutItem", TableName="plain", Item={"pk": {"S": "8"}, "x": {"S": "new"}})
                _, errors = self.migrate(source.url, target.url, *state)
                self.assertIn("changes of table plain are no longer in its stream, which keeps 24 hours", errors)
                out, errors = self.migrate(source.url, target.url, *state, "--cut-over", "refuse")
                self.assertNotIn("copied anew", errors)
                self.assertIn("a second scan has found 1 items", out)
                self.assertEqual(target.items("plain"), source.items("plain"))

    def test_trimmed_before_the_first_record(self):
        source, target = self.server("--clock", "manual"), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(50)))
        # The stream is new, so that no record of it was ever read.
        self.migrate(source.url, target.url)
        source.call("DeleteItem", TableName="plain", Key={"pk": {"S": "7"}})
        source.admin("POST", "/_dynolith/clock/advance", {"seconds": 25 * 3600})
        out, errors = self.migrate(source.url, target.url, "--cut-over", "refuse")
        self.assertIn("changes of table plain are no longer in its stream", errors)
        self.assertEqual(target.items("plain"), source.items("plain"))


class Callers(Folders):
    """Regions, profiles and certificates of both sides."""

    KEYS = {"one": "AKIDONE", "two": "AKIDTWO"}

    def setUp(self):
        super().setUp()
        lines = "".join(f"[{name}]\naws_access_key_id = {key}\naws_secret_access_key = secret-{name}\n"
                        for name, key in self.KEYS.items())
        (self.folder / "credentials").write_text(lines)
        self.environment = {"HOME": str(self.folder), "PATH": os.environ["PATH"],
                            "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "credentials"), "AWS_CONFIG_FILE": str(self.folder / "none")}

    def run_migration(self, *arguments, code=0, **variables):
        shown = subprocess.run([cli_test.BINARY, "migrate", *arguments], env={**self.environment, **variables}, capture_output=True,
                               text=True, timeout=SECONDS, check=False)
        self.assertEqual(shown.returncode, code, (shown.stdout, shown.stderr))
        return shown.stderr

    def test_profiles(self):
        for name, key in self.KEYS.items():
            (self.folder / f"{name}.keys").write_text(f"{key} secret-{name}\n")
            (self.folder / f"{name}.keys").chmod(0o600)
        source = self.server("--auth", "verify", "--credentials", str(self.folder / "one.keys"))
        target = self.server("--auth", "verify", "--credentials", str(self.folder / "two.keys"))
        signed = {"AWS_ACCESS_KEY_ID": "AKIDONE", "AWS_SECRET_ACCESS_KEY": "secret-one"}
        (self.folder / "plain.json").write_text(json.dumps(PLAIN))
        (self.folder / "plain.items.json").write_text("".join(json.dumps({"Item": {"pk": {"S": str(n)}}}) + "\n" for n in range(30)))
        loaded = subprocess.run([cli_test.BINARY, "load", str(self.folder / "plain.json"), str(self.folder / "plain.items.json"), "--to",
                                 source.url], env={**self.environment, **signed}, capture_output=True, text=True, check=False)
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        both = ("--from-profile", "one", "--to-profile", "two")
        state = ("--state", str(self.folder / "state"))
        for swapped in (("--from-profile", "two", "--to-profile", "two"), ("--from-profile", "one", "--to-profile", "one"), ()):
            # The keys of variables do not count against a profile that is named.
            errors = self.run_migration(source.url, target.url, *state, *swapped, code=1, **({} if not swapped else signed))
            self.assertRegex(errors, "UnrecognizedClientException")
        self.run_migration(source.url, target.url, *state, *both, "--cut-over", "stopped", **signed)
        back = self.folder / "back"
        self.run_migration(target.url, str(back), "--from-profile", "two", "--cut-over", "stopped")
        with Watched("--data", str(back)) as opened:
            self.assertEqual(len(opened.items("plain")), 30)
        for option in ("--to-profile", "--to-region", "--to-certificates"):
            self.assertIn("is a folder", self.run_migration(source.url, str(back), option, "eu-west-1", "--from-profile", "one", "--state",
                                                            str(self.folder / "other"), code=1))

    def test_regions(self):
        source, target = self.server("--isolate", "region"), self.server("--isolate", "region")
        for region in ("eu-west-1", "us-east-1"):
            name = f"migrate-{region}"
            (self.folder / f"{name}.json").write_text(json.dumps(dict(PLAIN, TableName=name)))
            loaded = subprocess.run([cli_test.BINARY, "load", str(self.folder / f"{name}.json"), "--to", source.url],
                                    env={**self.environment, "AWS_REGION": region}, capture_output=True, text=True, check=False)
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
        self.run_migration(source.url, target.url, "--state", str(self.folder / "state"), "--from-region", "eu-west-1", "--to-region",
                           "ap-south-1", "--cut-over", "stopped", AWS_REGION="us-east-1")
        self.assertEqual(target.admin("GET", "/_dynolith/databases"), {"databases": ["ap-south-1"]})
        connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=SECONDS)
        connection.request("POST", "/", b"{}", {"x-dynolith-database": "ap-south-1", **cli_test.signed_headers("ListTables", b"{}")})
        self.assertEqual(json.loads(connection.getresponse().read()), {"TableNames": ["migrate-eu-west-1"]})
        connection.close()

    def test_certificates(self):
        files = {}
        for side in ("one", "two"):
            certificate, key = str(self.folder / f"{side}.pem"), str(self.folder / f"{side}-key.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                           check=True, capture_output=True)
            files[side] = certificate, key
        ready = re.compile(r"^dynolith: serving DynamoDB on https://[^ ]+:(\d+) ")
        urls, state = [], ("--state", str(self.folder / "state"))
        for certificate, key in files.values():
            process = subprocess.Popen([cli_test.BINARY, "serve", "--port", "0", "--tls-cert", certificate, "--tls-key", key],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.addCleanup(process.__exit__, None, None, None)
            self.addCleanup(process.terminate)
            urls.append(f"https://localhost:{ready.match(process.stdout.readline())[1]}")
        (self.folder / "plain.json").write_text(json.dumps(PLAIN))
        folder = self.folder / "folder"
        shown = run("load", str(self.folder / "plain.json"), "--to", str(folder))
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("certificate verify failed", self.run_migration(str(folder), urls[0], *state, code=1))
        self.run_migration(str(folder), urls[0], *state, "--to-certificates", files["one"][0])
        both = ("--from-certificates", files["one"][0], "--to-certificates", files["two"][0])
        state = ("--state", str(self.folder / "second"))
        self.assertIn("certificate verify failed",
                      self.run_migration(*urls, *state, "--from-certificates", files["two"][0], code=1))
        self.run_migration(*urls, *state, *both, "--cut-over", "stopped")


class Obstacles(Folders):
    def test_a_bounded_rate(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **PLAIN)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(75)))
        begun = time.monotonic()
        self.migrate(source.url, target.url, "--write-rate", "50", "--segments", "1")
        # The last batch is not waited for.
        self.assertGreater(time.monotonic() - begun, 0.9)

    def test_faults_of_both_sides(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **MUSIC)
        source.fill("music", map(song, range(600)))
        for fault in ("internal_error", "unavailable", "dropped_connection", "answer_lost", "throttle"):
            target.fault(fault=fault, operation="BatchWriteItem", probability=0.1, hits_max=1 if fault == "throttle" else 4, seed=1)
            source.fault(fault=fault, operation="Scan", probability=0.1, hits_max=1 if fault == "throttle" else 4, seed=2)
            source.fault(fault=fault, operation="GetRecords", probability=0.1, hits_max=1 if fault == "throttle" else 4, seed=3)
        target.fault(fault="partial_batch", share=0.3, probability=0.5, hits_max=4, seed=4)
        target.fault(fault="answer_lost", operation="CreateTable", hits_max=1)
        self.migrate(source.url, target.url, "--segments", "2")
        for number in range(0, 600, 3):
            source.call("DeleteItem", TableName="music", Key={"pk": song(number)["pk"], "sk": song(number)["sk"]})
        out, _ = self.migrate(source.url, target.url, "--segments", "2", "--cut-over", "stopped")
        self.assertIn("400 items on FROM, 400 on TO: the same", out)
        hits = {rule["fault"] for server in (source, target) for rule in server.admin("GET", "/_dynolith/faults")["faults"] if rule["hits"]}
        self.assertGreaterEqual(hits, {"partial_batch", "answer_lost", "throttle", "internal_error"})

    def test_a_throttled_target(self):
        source, target = self.server(), self.server("--capacity", "enforce", "--capacity-burst", "1")
        table = dict(PLAIN, BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 200, "WriteCapacityUnits": 200})
        source.call("CreateTable", **table)
        source.fill("plain", ({"pk": {"S": str(n)}} for n in range(500)))
        out, _ = self.migrate(source.url, target.url, "--cut-over", "stopped")
        self.assertIn("500 items on FROM, 500 on TO: the same", out)


class Writers(threading.Thread):
    """Changes random items of a server until it is over, and remembers what must be there. A change that is refused with 503 or
    has no answer is made again."""

    def __init__(self, server, seed):
        super().__init__()
        self.server, self.random = server, random.Random(seed)
        self.items, self.is_over, self.error = {}, threading.Event(), None
        self.unsure = None  # the key and the item of a last change that may have been made

    def run(self):
        try:
            # The rate decides nothing, and without a pause this thread takes a whole core.
            while not self.is_over.wait(0.002):
                self.change()
        except Exception as error:  # shown by the test
            self.error = error

    def change(self):
        item = song(self.random.randrange(800), v={"S": str(self.random.random())})
        key = {name: item[name] for name in ("pk", "sk")}
        kind = self.random.random()
        operation, members = ("PutItem", {"Item": item}) if kind < 0.6 else ("DeleteItem", {"Key": key})
        status, answer, may_be_done = None, None, False
        while status in (None, 503):
            if self.is_over.is_set():
                if may_be_done:
                    self.unsure = key_of(item), item if operation == "PutItem" else None
                return
            try:
                status, answer = self.server.request(operation, json.dumps({"TableName": "music", **members}).encode())
            except (OSError, http.client.HTTPException):
                status, may_be_done = None, True
            if status != 200:
                time.sleep(0.005)
        assert status == 200, answer
        if operation == "PutItem":
            self.items[key_of(item)] = item
        else:
            self.items.pop(key_of(item), None)

    def end(self, read_items):
        """What must be there, after the last change. `read_items` reads what is there."""
        self.is_over.set()
        self.join()
        assert self.error is None, self.error
        expected = canonical(self.items)
        if self.unsure is not None:
            key, item = self.unsure
            found = read_items().get(key)
            assert found in (expected.pop(key, None), canonical(item)), (key, found)
            if found is not None:
                expected[key] = found
        return expected


class Killed(Folders):
    def test_killed_right_after_the_first_items(self):
        source, target = self.server(), self.server()
        source.call("CreateTable", **MUSIC)
        source.fill("music", map(song, range(300)))
        state = self.folder / "state"
        command = [cli_test.BINARY, "migrate", source.url, target.url, "--state", str(state), "--segments", "1"]
        with subprocess.Popen([*command, "--read-rate", "5"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            copied = []
            while not copied and process.poll() is None:
                status, answer = target.request("Scan", b'{"TableName": "music"}')
                copied = answer["Items"] if status == 200 else []
            process.kill()
        self.assertTrue(copied)
        # No later run can know that these were copied, but from the state.
        for item in copied:
            source.call("DeleteItem", TableName="music", Key={name: item[name] for name in ("pk", "sk")})
        shown = subprocess.run([*command, "--cut-over", "refuse"], capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(shown.returncode, 0, (shown.stdout, shown.stderr))
        self.assertEqual(target.items("music"), source.items("music"))

    def test_writers_and_kills(self):
        for number in range(ROUNDS):
            seed = SEED + number
            with self.subTest(seed=seed):
                self.one_round(seed, self.folder / f"state {seed}", into_folder=number % 3 > 0, in_bulk=number % 3 == 1)

    def writers_of(self, source, seed):
        """A table of 700 songs on the source, and who changes them from now on."""
        source.call("CreateTable", **MUSIC)
        writers = Writers(source, seed)
        for number in range(700):
            writers.items[key_of(song(number))] = song(number)
        source.fill("music", map(song, range(700)))
        self.addCleanup(writers.is_over.set)
        writers.start()
        return writers

    def one_round(self, seed, state, into_folder, in_bulk):
        chance = random.Random(seed)
        source = self.server()
        writers = self.writers_of(source, seed)
        target = self.folder / f"to {seed}" if into_folder else self.server()
        place = str(target) if into_folder else target.url
        command = [cli_test.BINARY, "migrate", source.url, place, "--state", str(state), "--segments", "3", "--write-rate", "1500",
                   "--bulk", "on" if in_bulk else "off"]
        kills = 0
        deadline = time.monotonic() + SECONDS
        while kills < 5 and time.monotonic() < deadline:
            with open(self.folder / "log", "w+", encoding="utf-8") as log:
                process = subprocess.Popen([*command, "--follow"], stdout=log, stderr=subprocess.STDOUT)
                time.sleep(chance.uniform(0.02, 0.7))
                process.send_signal(signal.SIGKILL)
                code = process.wait()
                log.seek(0)
                self.assertEqual(code, -signal.SIGKILL, log.read())
            kills += 1
        shown = subprocess.run([*command, "--cut-over", "refuse", "--verify", "full"], capture_output=True, text=True,
                               timeout=SECONDS, check=False)
        expected = writers.end(lambda: source.items("music"))
        self.assertEqual(shown.returncode, 0, (seed, shown.stdout, shown.stderr))
        self.assertEqual(source.items("music"), expected)
        if into_folder:
            with Watched("--data", place) as opened:
                self.assertEqual(opened.items("music"), expected)
        else:
            self.assertEqual(target.items("music"), expected)
        source.stop()

    def test_writers_and_killed_servers(self):
        for number in range(ROUNDS):
            with self.subTest(seed=SEED + number):
                self.one_round_of_servers(SEED + number)

    def one_round_of_servers(self, seed):
        chance = random.Random(seed)
        source, target = (self.server("--data", str(self.folder / f"{side} {seed}"), "--sync") for side in ("from", "to"))
        writers = self.writers_of(source, seed)
        command = [cli_test.BINARY, "migrate", source.url, target.url, "--state", str(self.folder / f"state {seed}"),
                   "--segments", "3", "--write-rate", "1500"]

        def run_while_killed(kills, *arguments, killed=False):
            with open(self.folder / "log", "w+", encoding="utf-8") as log:
                process = subprocess.Popen([*command, *arguments], stdout=log, stderr=subprocess.STDOUT)
                for _ in range(kills):
                    time.sleep(chance.uniform(0.02, 0.4))
                    chance.choice((source, target)).kill_and_restart()
                if killed:
                    process.kill()
                code = process.wait(SECONDS)
                log.seek(0)
                self.assertEqual(code, -signal.SIGKILL if killed else 0, (seed, log.read()))

        for _ in range(3):
            run_while_killed(chance.randrange(1, 4), "--follow", killed=True)
        run_while_killed(3)
        forwards = seed % 2 == 1
        run_while_killed(4, "--cut-over", "forward" if forwards else "refuse", "--verify", "full")
        if forwards:
            # The writers go on, and so do the crashes.
            for _ in range(3):
                time.sleep(chance.uniform(0.02, 0.3))
                chance.choice((source, target)).kill_and_restart()
        expected = writers.end(lambda: source.items("music"))
        self.assertEqual(source.items("music"), expected)
        self.assertEqual(target.items("music"), expected)

if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=SEED)
    known, rest = parser.parse_known_args()
    ROUNDS, SEED = known.rounds, known.seed
    unittest.main(argv=[sys.argv[0], *rest])
