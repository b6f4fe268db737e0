#!/usr/bin/env python3
"""A server that follows the one that writes to its folder: what was acknowledged there is read here, and nothing is written.

    following_test.py <dynolith binary> [unittest arguments]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import cli_test
from cli_test import SECONDS
from clock_test import ITEMS, Clocked


class Following(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name).resolve() / "data"

    def serve(self, *arguments):
        server = Clocked("--admin", "--data", self.data, *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def put(self, server, number):
        server.call("PutItem", TableName="items", Item={"pk": {"S": f"item {number}"}})

    def wait_for(self, what):
        deadline = time.monotonic() + SECONDS
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def sees(self, server, number):
        return "Item" in server.call("GetItem", TableName="items", Key={"pk": {"S": f"item {number}"}}, ConsistentRead=True)

    def test_what_is_written_is_read_and_the_writer_may_go_and_come(self):
        writer = self.serve()
        writer.call("CreateTable", **ITEMS)
        self.put(writer, 0)
        reader = self.serve("--follow")
        self.assertTrue(self.sees(reader, 0))
        for number in range(1, 5):
            self.put(writer, number)
            self.wait_for(lambda: self.sees(reader, number))
        writer.call("CreateTable", **dict(ITEMS, TableName="more"))
        self.wait_for(lambda: reader.call("ListTables")["TableNames"] == ["items", "more"])
        writer.process.kill()
        writer.process.wait()
        self.assertTrue(self.sees(reader, 4))
        writer = self.serve()
        self.put(writer, 5)
        self.wait_for(lambda: self.sees(reader, 5))
        status, report = reader.admin("GET", "following")
        self.assertEqual((status, sorted(report)), (200, ["asOf", "behindSeconds"]))
        self.assertGreaterEqual(report["behindSeconds"], 0)
        with urllib.request.urlopen(f"http://127.0.0.1:{reader.port}/_dynolith/metrics", timeout=SECONDS) as metrics:
            self.assertIn(b"dynolith_follow_lag_seconds", metrics.read())

    def test_nothing_is_written(self):
        writer = self.serve()
        writer.call("CreateTable", **ITEMS)
        reader = self.serve("--follow")
        for operation, members in (("PutItem", {"TableName": "items", "Item": {"pk": {"S": "a"}}}),
                                   ("DeleteTable", {"TableName": "items"}), ("CreateTable", dict(ITEMS, TableName="more"))):
            self.assertEqual(reader.fails(operation, **members),
                             ("AccessDeniedException", f"this database follows the process that writes to {self.data}: write there"))

    def names(self):
        """Of what is in the folder and beside it, but for the writer's logs."""
        return sorted(path for path in self.data.parent.rglob("*") if path.suffix != ".log")

    def test_admin_calls_that_change_something_are_refused(self):
        writer = self.serve()
        writer.call("CreateTable", **ITEMS, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        self.assertEqual(writer.admin("POST", "databases", {"name": "beside"}), (200, {}))
        self.assertEqual(writer.admin("POST", "checkpoint")[0], 200)
        self.assertEqual(writer.admin("POST", "handovers", {"table": "items", "state": "refuse"})[0], 200)
        # What the writer would tidy up.
        (self.data.with_name("data.databases") / ".dynolith-states" / ".removed-1").mkdir(parents=True)
        before = self.names()
        reader = self.serve("--follow")
        for method, path, body in (("POST", "ttl/sweep", None), ("POST", "snapshot", {"name": "a"}), ("POST", "restore", {"name": "a"}),
                                   ("DELETE", "snapshots/a", None), ("POST", "checkpoint", None), ("POST", "checkpoint/remove", None),
                                   ("POST", "databases", {"name": "more"}), ("DELETE", "databases/beside", None),
                                   ("POST", "handovers", {"table": "items", "state": "refuse"}), ("DELETE", "handovers/items", None),
                                   ("POST", "clock/advance", {"seconds": 1}), ("POST", "staleness/hold", {"table": "items"}),
                                   ("GET", "changes?table=items", None)):
            status, answer = reader.admin(method, path, body)
            self.assertEqual((status, list(answer)), (409, ["error"]), (path, answer))
        self.assertEqual(self.names(), before)
        # What is of one process alone.
        for method, path, body in (("POST", "faults", {"fault": "throttle"}), ("DELETE", "faults", None), ("POST", "heat", {"table": "items"}),
                                   ("GET", "handovers", None), ("GET", "databases", None), ("GET", "snapshots", None)):
            self.assertEqual(reader.admin(method, path, body)[0], 200, path)

    def test_a_folder_that_may_not_be_read(self):
        """As another user, since the superuser may read everything."""
        parent = cli_test.open_folder(self)
        data = parent / "within" / "data"
        with Clocked("--data", data) as writer:
            writer.call("CreateTable", **ITEMS)
        files = [next(data.glob(name)) for name in ("DYNOLITH", "CURRENT", "MANIFEST-*", "*.log")]
        with cli_test.program_for(user=65534) as program:
            for path in (data.parent, data, *files):
                mode = path.stat().st_mode
                path.chmod(0)
                try:
                    shown = subprocess.run([program, "serve", "--port", "0", "--data", data, "--follow"], cwd="/",
                                           capture_output=True, user=65534, timeout=SECONDS, check=False)
                except PermissionError as error:
                    self.skipTest(f"no process of another user can be made here: {error}")
                finally:
                    path.chmod(mode)
                self.assertEqual(shown.returncode, 1, (path, shown))
                self.assertRegex(shown.stderr.decode(), rf"^dynolith: [^\n]*{path}[^\n]*: Permission denied\n$")
                self.assertNotRegex(shown.stderr.decode(), "writ|created|damaged|missing|no data folder")

    def test_options_that_do_not_go_together(self):
        for arguments, why in (([], "--follow needs --data"),
                               (["--data", self.data, "--ship", self.data.parent / "target"], "--follow only reads"),
                               (["--data", self.data, "--isolate", "region"], "--follow is for one database")):
            shown = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--follow", *map(str, arguments)], capture_output=True,
                                   timeout=SECONDS, check=False)
            self.assertEqual(shown.returncode, 1)
            self.assertIn(why, shown.stderr.decode())


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
