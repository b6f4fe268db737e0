#!/usr/bin/env python3
"""A data folder that is shipped while it is served: made again as of any second, after kills, bulk loads, a target that was away,
by another server that takes over, and never with less than was shipped without a word.

    ship_test.py <dynolith binary> [--rounds N] [--seed N] [unittest arguments]

--rounds N: so many rounds of writers and kills instead of three.
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, run
from clock_test import ITEMS, Clocked

ROUNDS = 3
SEED = 33
KEY = "env:DYNOLITH_TEST_KEY"


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def text_of(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Shipped(unittest.TestCase):
    """A data folder, and a target of it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.data = self.folder / "data"
        self.target = self.folder / "target"
        self.restored = 0

    def serve(self, *arguments, data=None, target=None, interval="200ms", environment=None):
        server = Clocked("--admin", "--data", data or self.data, "--ship", target or self.target, "--ship-interval", interval,
                         *arguments, environment=environment)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def refused(self, *arguments, data=None):
        shown = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--data", data or self.data, "--ship", self.target, *arguments],
                               capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        return shown.stderr.decode()

    def put(self, server, first, count, size=10):
        for begin in range(first, first + count, 25):
            puts = [{"PutRequest": {"Item": {"pk": {"S": f"item {n}"}, "text": {"S": f"{n:06}" * (size // 6 + 1)}}}}
                    for n in range(begin, min(begin + 25, first + count))]
            self.assertEqual(server.call("BatchWriteItem", RequestItems={"items": puts})["UnprocessedItems"], {})

    def report(self, server):
        status, report = server.admin("GET", "shipping")
        self.assertEqual(status, 200)
        return report

    def wait_for(self, server, what):
        deadline = time.monotonic() + SECONDS
        while not what(report := self.report(server)):
            self.assertLess(time.monotonic(), deadline, report)
            time.sleep(0.05)
        return report

    def wait_until_shipped(self, server):
        """Until all that was acknowledged is at the target; returns a time from which on that holds."""
        written = text_of(now())
        self.wait_for(server, lambda report: report.get("shipped", "") > written)
        return now()

    def restore(self, *arguments, target=None, key=None):
        """The items of a store that is made of what was shipped, by their keys."""
        self.restored += 1
        folder = self.folder / f"restored {self.restored}"
        keyed = ("--encryption-key", key) if key else ()
        made = run("restore", target or self.target, folder, *keyed, *arguments)
        self.assertEqual(made.returncode, 0, made)
        checked = run("check", folder, *keyed)
        self.assertEqual(checked.returncode, 0, checked)
        self.assertIn(b" 0 disagreements", checked.stdout)
        with Clocked("--data", folder, *keyed) as server:
            return self.items(server)

    def items(self, server):
        if "items" not in server.call("ListTables")["TableNames"]:
            return None
        items = {}
        start = {}
        while True:
            page = server.call("Scan", TableName="items", **start)
            items |= {item["pk"]["S"]: item["text"]["S"] for item in page["Items"]}
            if "LastEvaluatedKey" not in page:
                return items
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def restore_fails(self, *arguments, target=None):
        folder = self.folder / "refused"
        shown = run("restore", target or self.target, folder, *arguments)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""), shown)
        self.assertEqual(os.listdir(folder) if folder.exists() else [], [])
        return shown.stderr.decode()

    def add_index(self, server):
        """Over some megabytes it is filled by table files, beside the logs."""
        server.call("UpdateTable", TableName="items", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                    GlobalSecondaryIndexUpdates=[{"Create": {
                        "IndexName": "all", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"}}}])
        deadline = time.monotonic() + SECONDS
        while server.call("DescribeTable", TableName="items")["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] != "ACTIVE":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def bases(self):
        return sorted(path.name for path in (self.target / "bases").iterdir())


class ToAnyTarget:
    """Tests of Shipped."""

    def test_every_moment_can_be_made_again(self):
        with self.serve() as server:
            empty = self.wait_until_shipped(server)
            time.sleep(0.01)
            server.call("CreateTable", **ITEMS)
            moments = []
            for n in range(4):
                self.put(server, 100 * n, 100)
                moments.append(self.wait_until_shipped(server))
                time.sleep(0.01)
            self.assertEqual(len(self.items(server)), 400)
            # From what lies there while the server goes on.
            self.assertEqual(len(self.restore()), 400)
            self.assertEqual(self.report(server)["bases"], 1)
        self.assertIsNone(self.restore("--at", text_of(empty)))
        for n, moment in enumerate(moments):
            self.assertEqual(set(self.restore("--at", text_of(moment))), {f"item {i}" for i in range(100 * (n + 1))})
        self.assertEqual(len(self.restore("--at", "2100-01-01T00:00:00Z")), 400)
        early = self.restore_fails("--at", "2020-01-31T12:00:00Z")
        self.assertIn("holds nothing from before 2020-01-31T12:00:00.000Z: its first base is of ", early)
        verified = run("verify", self.target)
        self.assertEqual(verified.returncode, 0, verified)
        self.assertRegex(verified.stdout.decode(), r": 1 bases, \d+ segments, the last of \S+; 0 damages\n$")

    def test_a_server_that_ends_ships_the_rest(self):
        with self.serve(interval="1h") as server:
            self.wait_for(server, lambda report: report["bases"] == 1)
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 50)
            self.assertEqual(server.stop()[0], 0)
        self.assertEqual(len(self.restore()), 50)

    def test_kills_lose_nothing_that_stays_in_the_folder(self):
        source = random.Random(SEED)
        written = 0
        bases = None
        for _ in range(ROUNDS):
            # Small buffers, so that logs come and go.
            with self.serve("--memory-budget", "16MB", "--ship-base-interval", "1h") as server:
                if written == 0:
                    server.call("CreateTable", **ITEMS)
                    self.wait_until_shipped(server)
                    # Behind the base, so that a start finds where it was.
                    self.put(server, 0, 25)
                    written += 25
                    self.wait_until_shipped(server)
                    bases = self.bases()
                for _ in range(source.randrange(2, 6)):
                    self.put(server, written, 200, size=10_000)
                    written += 200
                if source.random() < 0.5:
                    self.wait_until_shipped(server)
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
        with self.serve("--memory-budget", "16MB") as server:
            self.wait_until_shipped(server)
            expected = self.items(server)
        self.assertEqual(len(expected), written)
        self.assertEqual(self.restore(), expected)
        self.assertEqual(run("verify", self.target).returncode, 0)
        # The logs led on each time.
        self.assertEqual(self.bases(), bases)

    def test_rows_beside_the_logs_come_with_a_base(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 300, size=10_000)
            self.wait_until_shipped(server)
            bases = self.bases()
            self.add_index(server)
            self.put(server, 300, 25)
            self.wait_until_shipped(server)
            self.assertGreater(self.bases(), bases)
        self.assertEqual(len(self.restore()), 325)

    def test_what_other_commands_did_to_the_folder_is_not_missed(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 100)
            self.wait_until_shipped(server)
        with Clocked("--data", self.data) as server:  # without --ship
            self.put(server, 100, 300, size=10_000)
            self.add_index(server)
        # A backup has the logs go into table files.
        self.assertEqual(run("backup", self.data, self.folder / "backup").returncode, 0)
        with self.serve() as server:
            self.put(server, 400, 100)
            self.wait_until_shipped(server)
        self.assertEqual(len(self.restore()), 500)

    def test_a_start_without_shipping_is_not_missed(self):
        """Not even if all that it did is in table files, and its logs are gone by the next start."""
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 300, size=10_000)
            self.wait_until_shipped(server)
        with Clocked("--data", self.data) as server:
            self.add_index(server)
        for _ in range(2):
            with self.serve() as server:
                self.wait_until_shipped(server)
        self.assertEqual(len(self.restore()), 300)

    def test_a_snapshot_that_is_restored_is_shipped(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 100)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "a"})[0], 200)
            self.put(server, 100, 100)
            before = self.wait_until_shipped(server)
            self.assertEqual(server.admin("POST", "restore", {"name": "a"})[0], 200)
            self.put(server, 500, 10)
            self.wait_until_shipped(server)
        self.assertEqual(set(self.restore()), {f"item {n}" for n in (*range(100), *range(500, 510))})
        self.assertEqual(len(self.restore("--at", text_of(before))), 200)

    def test_another_server_takes_over(self):
        with self.serve() as first:
            first.call("CreateTable", **ITEMS)
            self.put(first, 0, 100)
            self.wait_until_shipped(first)
            copy = self.folder / "copy"
            self.assertEqual(run("restore", self.target, copy).returncode, 0)
            self.assertRegex(self.refused(data=copy), r"holds what the store [0-9a-f]{32} has shipped, last at \S+\. To go on .* "
                             "give --ship-take-over once")
            with self.serve("--ship-take-over", data=copy) as second:
                self.put(second, 100, 10)
                self.wait_until_shipped(second)
                # What the first one still accepts is lost to all others; so it ends at its next segment, or has noticed by itself.
                with contextlib.suppress(ConnectionError):
                    self.put(first, 200, 1)
                self.assertEqual(first.process.wait(timeout=SECONDS), 1)
                self.assertRegex(first.process.stderr.read(), r"error the store [0-9a-f]{32} has taken over .*: writes that this server accepts "
                                 "from now on would be lost, so it ends")
                self.assertIn("holds what the store", self.refused())
                self.put(second, 110, 10)
                self.wait_until_shipped(second)
            # A start of its own, no flag.
            with self.serve(data=copy) as second:
                self.put(second, 120, 10)
                self.wait_until_shipped(second)
        self.assertEqual(set(self.restore()), {f"item {n}" for n in range(130)})

    def test_another_store_in_the_folder_is_not_shipped(self):
        """As where the folder's disk is not mounted: what is beside it is there."""
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 100)
            self.wait_until_shipped(server)
        self.data.rename(self.folder / "elsewhere")
        self.assertIn(f"{self.data} holds another store than the one that it has shipped to ", self.refused())
        self.assertEqual(len(self.restore()), 100)
        with self.serve("--ship-take-over") as server:
            self.wait_until_shipped(server)
        self.assertIsNone(self.restore())

    def test_an_idle_server_notices_it_too(self):
        with self.serve() as first:
            self.wait_until_shipped(first)
            copy = self.folder / "copy"
            self.assertEqual(run("restore", self.target, copy).returncode, 0)
            with self.serve("--ship-take-over", data=copy):
                self.assertEqual(first.process.wait(timeout=SECONDS), 1)


class Clocks:
    """The clocks of a program that is started with `environment` (set_clock.c)."""

    def __init__(self, test):
        if cli_test.is_under_sanitizer() or not shutil.which("cc"):
            test.skipTest("needs a compiler, and a program that nothing else is loaded before")
        source = pathlib.Path(__file__).with_name("set_clock.c")
        library, self.file = test.folder / "set_clock.so", test.folder / "clocks"
        self.set(0, 0)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True, timeout=SECONDS)
        self.environment = {**os.environ, "LD_PRELOAD": str(library), "CLOCKS": str(self.file)}

    def set(self, machine, steady):
        """Seconds by which they are ahead."""
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("qq", machine, steady))


class ToFolder(ToAnyTarget, Shipped):
    def test_where_nothing_was_shipped_nothing_is_taken_over(self):
        self.assertIn(f"there is no folder {self.target}\n", self.refused("--ship-take-over"))
        self.assertFalse(self.target.exists())
        self.target.mkdir()
        self.assertIn(f"{self.target} is empty: is its disk mounted?\n", self.refused("--ship-take-over"))
        (self.target / "a").touch()
        self.assertIn(f"no store has shipped to {self.target} yet: is its disk mounted? To begin there, leave out --ship-take-over\n",
                      self.refused("--ship-take-over"))
        with self.serve() as server:
            self.wait_until_shipped(server)

    def test_a_clock_that_is_set_back_while_it_waits(self):
        clocks = Clocks(self)
        clocks.set(3600, 0)
        with self.serve(environment=clocks.environment) as server:
            server.call("CreateTable", **ITEMS)
            for n in range(1, 4):
                known = self.report(server)["segments"]
                self.put(server, 100 * n, 100)
                self.wait_for(server, lambda report: report["segments"] > known)

    def test_a_clock_that_was_set_back(self):
        clocks = Clocks(self)
        with self.serve(environment=clocks.environment) as first:
            self.wait_until_shipped(first)
            copy = self.folder / "copy"
            self.assertEqual(run("restore", self.target, copy).returncode, 0)
            clocks.set(-3600, 0)
            with self.serve("--ship-take-over", data=copy):
                self.assertEqual(first.process.wait(timeout=SECONDS), 1)

    def test_bases_go_on_when_the_clock_was_set_back(self):
        clocks = Clocks(self)
        with self.serve("--ship-base-interval", "1h", environment=clocks.environment) as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 100)
            self.wait_for(server, lambda report: report["segments"] > 2)
            self.assertEqual(self.report(server)["bases"], 1)
            clocks.set(-7200, 3600)
            self.wait_for(server, lambda report: report["bases"] > 1)

    def away(self):
        self.target.rename(self.folder / "elsewhere")
        self.target.write_text("a file")

    def back(self):
        self.target.unlink()
        (self.folder / "elsewhere").rename(self.target)

    def test_a_target_that_is_away(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.wait_until_shipped(server)
            bases = self.bases()
            self.away()
            self.put(server, 0, 100)
            report = self.wait_for(server, lambda report: "awaySince" in report)
            self.assertIn(str(self.target), report["why"])
            self.put(server, 100, 100)
            self.back()
            self.wait_until_shipped(server)
            self.assertEqual(self.bases(), bases)
            self.away()
            self.put(server, 200, 100)
            self.wait_for(server, lambda report: "awaySince" in report)
            self.assertEqual(server.stop()[0], 0)
        # This store has shipped there before, so it starts without the target.
        with self.serve() as server:
            self.put(server, 300, 100)
            self.back()
            self.wait_until_shipped(server)
        self.assertEqual(len(self.restore()), 400)
        self.assertEqual(self.bases(), bases)

    def test_a_backlog_has_a_bound(self):
        with self.serve("--ship-backlog", "1") as server:
            server.call("CreateTable", **ITEMS)
            self.wait_until_shipped(server)
            self.away()
            self.put(server, 0, 300, size=10_000)
            deadline = time.monotonic() + SECONDS
            while self.report(server)["backlog"] > 0:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.put(server, 300, 100)
            self.back()
            self.wait_until_shipped(server)
            self.assertEqual(len(self.bases()), 2)
            self.assertEqual(list((self.data / "shipping").glob("*.log")), [])
        self.assertEqual(len(self.restore()), 400)

    def test_what_is_older_is_removed(self):
        with self.serve("--ship-keep", "2s", "--ship-base-interval", "1s") as server:
            server.call("CreateTable", **ITEMS)
            first = self.wait_until_shipped(server)
            begin = time.monotonic()
            n = 0
            while time.monotonic() < begin + 8:
                self.put(server, n, 5)
                n += 5
                time.sleep(0.1)
            self.wait_until_shipped(server)
            self.assertGreater(self.report(server)["bases"], 2)
        self.assertLess(len(self.bases()), 6)
        segments = sorted(int(path.name) for path in (self.target / "log").iterdir())
        # The first one says who began to ship, and is of no base.
        self.assertEqual(segments[0], 1)
        self.assertGreater(segments[1], 5)
        self.assertEqual(segments[1:], list(range(segments[1], segments[-1] + 1)))
        named = {sha for base in (self.target / "bases").iterdir() for sha in re.findall(r"^file (\w{64})", base.read_text(), re.MULTILINE)}
        self.assertEqual({path.name for path in (self.target / "files").iterdir()}, named)
        self.assertEqual(len(self.restore()), n)
        self.assertIn("holds nothing from before", self.restore_fails("--at", text_of(first)))
        self.assertEqual(run("verify", self.target).returncode, 0)

    def test_an_encrypted_folder_under_writes(self):
        """Its logs are shipped as they are encrypted, from wherever a base finds them."""
        os.environ["DYNOLITH_TEST_KEY"] = "ab" * 32
        self.addCleanup(os.environ.pop, "DYNOLITH_TEST_KEY")
        written = 0
        for first in (True, False, False):
            with self.serve("--encryption-key", KEY, "--ship-base-interval", "1s") as server:
                if first:
                    server.call("CreateTable", **ITEMS)
                begin = time.monotonic()
                while time.monotonic() < begin + 2.5:
                    self.put(server, written, 25)
                    written += 25
                if first:
                    self.add_index(server)
                # What is left, and the base that is needed for it, are shipped at the end.
                self.assertEqual(server.stop()[0], 0)
            self.assertEqual(len(self.restore(key=KEY)), written)

    def test_a_stop_makes_the_base_that_is_needed(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 300, size=10_000)
            self.wait_until_shipped(server)
            self.add_index(server)
            self.put(server, 300, 25)
            self.assertEqual(server.stop()[0], 0)
        self.assertEqual(len(self.restore()), 325)

    def test_a_damaged_base_hides_none_before_it(self):
        with self.serve("--ship-base-interval", "1s") as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 25)
            before = self.wait_until_shipped(server)
            while len(self.bases()) < 4:
                self.put(server, 25, 25)
                time.sleep(0.2)
            self.wait_until_shipped(server)
        newest = self.target / "bases" / self.bases()[-1]
        newest.write_bytes(self.flipped(newest.read_bytes(), 100))
        self.assertIn(newest.name, self.restore_fails())
        self.assertEqual(len(self.restore("--at", text_of(before))), 25)

    def test_the_time_of_a_restore_is_that_of_all_writes(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.wait_until_shipped(server)
            self.away()
            # More than one segment.
            self.put(server, 0, 600, size=10_000)
            written = text_of(now())
            self.back()
            deadline = time.monotonic() + SECONDS
            while len(list((self.target / "log").iterdir())) < 4 and time.monotonic() < deadline:
                time.sleep(0.01)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
        for number in sorted(int(path.name) for path in (self.target / "log").iterdir())[3:]:
            (self.target / "log" / f"{number:020}").unlink()
        shown = run("restore", self.target, self.folder / "part")
        self.assertEqual(shown.returncode, 0, shown)
        self.assertLess(re.search(r"as of (\S+)", shown.stdout.decode())[1], written)

    def test_an_encrypted_folder(self):
        environment = {**os.environ, "DYNOLITH_TEST_KEY": "ab" * 32}
        os.environ["DYNOLITH_TEST_KEY"] = environment["DYNOLITH_TEST_KEY"]
        self.addCleanup(os.environ.pop, "DYNOLITH_TEST_KEY")
        for first in (0, 50):
            with self.serve("--encryption-key", KEY) as server:
                if first == 0:
                    server.call("CreateTable", **ITEMS)
                self.put(server, first, 50)
                self.wait_until_shipped(server)
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
        self.assertIn("holds an encrypted store: give --encryption-key", self.restore_fails())
        self.assertEqual(len(self.restore(key=KEY)), 100)
        for path in self.target.rglob("*"):
            self.assertFalse(path.is_file() and b"item 1" in path.read_bytes(), path)
        os.environ["DYNOLITH_TEST_KEY"] = "cd" * 32
        self.assertIn("key", self.restore_fails("--encryption-key", KEY))

    def test_damage_is_named(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            for n in range(3):
                self.put(server, 10 * n, 10)
                self.wait_until_shipped(server)
        objects = sorted(path for path in self.target.rglob("*") if path.is_file())
        source = random.Random(SEED)
        first = self.target / "log" / f"{1:020}"
        last = max((self.target / "log").iterdir())
        for path in objects:
            whole = path.read_bytes()
            for damaged in (None, whole[:-1], self.flipped(whole, source.randrange(len(whole)))):
                if damaged is None:
                    path.unlink()
                else:
                    path.write_bytes(damaged)
                # A base that is missing says nothing of itself, nor does the last segment; the first is before the only base.
                if path.parent.name == "bases" and damaged is None:
                    self.assertIn("there is no base in", self.restore_fails())
                elif path != first and (path, damaged) != (last, None):
                    self.assertIn(str(path), self.restore_fails().replace(path.parent.name + "/" + path.name, str(path)), path)
                    verified = run("verify", self.target)
                    self.assertEqual(verified.returncode, 1, (path, verified))
                    self.assertIn(path.name, verified.stdout.decode())
                path.write_bytes(whole)
        self.assertEqual(len(self.restore()), 30)

    @staticmethod
    def flipped(whole, at):
        return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]

    def test_segments_without_a_base_are_no_silent_loss(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.put(server, 0, 10)
            before = self.wait_until_shipped(server)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "a"})[0], 200)
            self.assertEqual(server.admin("POST", "restore", {"name": "a"})[0], 200)
            self.put(server, 10, 10)
            self.wait_until_shipped(server)
            self.put(server, 20, 10)
            self.wait_until_shipped(server)
        (self.target / "bases" / self.bases()[-1]).unlink()
        refused = self.restore_fails()
        self.assertRegex(refused, r"has segments from \S+ on for which there is no base yet\. Restore the state before them by --at (\S+),")
        at = re.search(r"--at (\S+),", refused)[1]
        self.assertEqual(len(self.restore("--at", at)), 10)
        self.assertEqual(len(self.restore("--at", text_of(before))), 10)

    def test_what_does_not_go_together(self):
        for arguments, words in ((("--data", "x", "--regions", "us-east-1,eu-west-1"), "--ship does not go with --regions"),
                                 ((), "--ship needs --data")):
            shown = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--ship", self.target, *arguments], cwd=self.folder,
                                   capture_output=True, timeout=SECONDS, check=False)
            self.assertEqual(shown.returncode, 1)
            self.assertIn(words, shown.stderr.decode())
        self.assertEqual(os.listdir(self.folder), [])
        shown = run("serve", "--data", self.data, "--ship", self.target, "--ship-interval", "often")
        self.assertEqual(shown.returncode, 2)
        self.assertIn("often is no duration like 1s, 500ms or 24h of at least 100ms", shown.stderr.decode())
        self.target.mkdir()
        self.assertIn("is no backup folder", self.restore_fails())
        shutil.rmtree(self.target)

    def test_places_that_are_no_targets(self):
        with Clocked("--data", self.data) as server:
            server.call("CreateTable", **ITEMS)
        self.target = self.data / "copies"
        self.assertIn("lies in the data folder", self.refused())
        # What is old is removed at a target: in a folder of backups that would be backups.
        self.target = self.folder / "backup"
        self.assertEqual(run("backup", self.data, self.target).returncode, 0)
        self.assertIn("holds what no store has shipped", self.refused())
        self.assertEqual(run("verify", self.target).returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=SEED)
    options, rest = parser.parse_known_args()
    ROUNDS, SEED, cli_test.BINARY = options.rounds, options.seed, os.path.abspath(options.binary)
    unittest.main(argv=[sys.argv[0], *rest])
