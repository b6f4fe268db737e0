#!/usr/bin/env python3
"""Encrypted data folders from outside: nothing can be read in them, each command opens them or says what is missing, damage is
named, a process that is killed loses nothing, and their keys can be changed.

    encryption_test.py <dynolith binary> [unittest arguments]
"""

import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SONGS, run, song
from clock_test import Clocked

SECRET = "a title that nobody may read"
TWO = {"x-dynolith-database": "two"}


class Encrypted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.data = self.folder / "data"
        (self.folder / "key").write_text("0123456789abcdef" * 4 + "\n")
        (self.folder / "other").write_text("fedcba9876543210" * 4)
        self.key = f"file:{self.folder}/key"
        self.other = f"command:cat {self.folder}/other"

    def serve(self, *arguments, key=None, data=None):
        return Clocked("--admin", "--data", data or self.data, "--encryption-key", key or self.key, *arguments)

    def put(self, server, first=0, count=20):
        if not server.call("ListTables")["TableNames"]:
            server.call("CreateTable", **SONGS)
        for number in range(first, first + count):
            server.call("PutItem", TableName="songs", Item={**song(number), "secret": {"S": SECRET}})

    def fill(self, **where):
        with self.serve(**where) as server:
            self.put(server)

    def ok(self, *arguments):
        shown = run(*arguments)
        self.assertEqual(shown.returncode, 0, shown)
        return shown.stdout.decode()

    def refused(self, reason, *arguments):
        shown = run(*arguments)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""), shown)
        self.assertRegex(shown.stderr.decode(), reason)

    def items(self, folder, key=None):
        return self.ok("check", folder, "--encryption-key", key or self.key)

    def assert_hidden(self, folder):
        files = [file for file in pathlib.Path(folder).rglob("*") if file.is_file()]
        self.assertGreater(len(files), 4)
        for file in files:
            held = file.read_bytes()
            for word in (SECRET.encode(), b"Acme Band", b"songs", b"by-year"):
                self.assertNotIn(word, held, file)

    def test_nothing_can_be_read(self):
        with self.serve() as server:
            self.put(server)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "one"})[0], 200)
            self.put(server, 20)
            self.assertNotIn("SSEDescription", server.call("DescribeTable", TableName="songs")["Table"])
        self.assertIn(" 40 items", self.items(self.data))
        self.assert_hidden(self.data)
        self.assert_hidden(self.folder / ".dynolith-states")
        with self.serve() as server:
            self.assertEqual(server.admin("POST", "restore", {"name": "one"})[0], 200)
            self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 20)

    def test_the_key_comes_from_each_source(self):
        self.fill()
        os.environ["DYNOLITH_TEST_KEY"] = (self.folder / "key").read_text()
        for key in (self.key, "env:DYNOLITH_TEST_KEY", f"command:cat {self.folder}/key"):
            self.assertIn(" 20 items", self.items(self.data, key))
        check = ("check", self.data, "--encryption-key")
        self.refused(r"the environment variable DYNOLITH_TEST_NONE: it is not set", *check, "env:DYNOLITH_TEST_NONE")
        self.refused(r"the command exit: it ended with status 7", *check, "command:exit 7")
        self.refused(r"has 3 bytes: it is 32 bytes, or 64 hexadecimal digits", *check, "command:printf abc")
        self.refused(r"No such file", *check, f"file:{self.folder}/none")
        self.assertEqual(run(*check, "0123").returncode, 2)

    def test_each_command_opens_it_or_says_what_is_missing(self):
        self.fill()
        plain = self.folder / "plain"
        with Clocked("--data", plain) as server:
            self.put(server)
        key = ("--encryption-key", self.key)
        commands = [("check", self.data), ("repair", self.data, self.folder / "saved"), ("backup", self.data, self.folder / "to"),
                    ("dump", self.data, "--to", self.folder / "dump"), ("dissect", "table", self.data, "--table", "songs"),
                    ("serve", "--port", "0", "--data", self.data), ("key", "renew", self.data)]
        for command in commands:
            with self.subTest(command=command):
                before = sorted(os.listdir(self.data))
                if command[0] != "key":
                    self.refused(rf"{self.data} is encrypted: give the key with --encryption-key", *command)
                self.refused(rf"the key is not the one that {self.data}/DYNOLITH.keys was written with",
                             *command, "--encryption-key", self.other)
                self.assertEqual(sorted(os.listdir(self.data)), before)
                for file in ("saved", "to", "dump"):
                    shutil.rmtree(self.folder / file, ignore_errors=True)
                if command[0] != "serve":
                    self.ok(*command, *key)
                on_plain = [plain if part == self.data else part for part in command]
                for file in ("saved", "dump"):
                    shutil.rmtree(self.folder / file, ignore_errors=True)
                self.refused(rf"{plain} is not encrypted, but a key was given", *on_plain, *key)
        self.assertIn(" 20 items", self.items(self.data))
        self.assertIn(" 20 items", self.ok("check", plain))
        self.refused("without a data folder", "serve", "--port", "0", *key)

    def test_backups_and_what_is_made_of_them(self):
        self.fill()
        key = ("--encryption-key", self.key)
        with self.serve() as server:
            self.ok("backup", f"http://127.0.0.1:{server.port}", self.folder / "to")
        self.ok("backup", self.data, self.folder / "to", *key)
        self.assert_hidden(self.folder / "to" / "files")
        self.ok("verify", self.folder / "to")
        self.ok("restore", self.folder / "to", self.folder / "restored", *key)
        self.assertIn(" 20 items", self.items(self.folder / "restored"))
        self.assert_hidden(self.folder / "restored")
        self.refused("is encrypted", "restore", self.folder / "to", self.folder / "again")
        self.refused("the key is not the one", "restore", self.folder / "to", self.folder / "again", "--encryption-key", self.other)
        self.assertFalse((self.folder / "again").exists())

    def test_a_plain_folder_becomes_one_by_a_copy(self):
        plain, encrypted = self.folder / "plain", self.folder / "encrypted"
        with Clocked("--data", plain) as server:
            self.put(server)
        self.ok("migrate", plain, encrypted, "--to-encryption-key", self.key, "--cut-over", "stopped")
        self.assertIn(" 20 items", self.items(encrypted))
        self.assert_hidden(encrypted)
        self.ok("migrate", encrypted, self.folder / "back", "--from-encryption-key", self.key, "--cut-over", "stopped")
        self.assertIn(" 20 items", self.ok("check", self.folder / "back"))

    def test_another_key_and_other_data_keys(self):
        with self.serve() as server:
            self.put(server)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "one"})[0], 200)
            self.refused("another process", "key", "rotate", self.data, "--encryption-key", self.key, "--to", self.other)
            # The snapshots are as they were, too.
            self.assertEqual(server.admin("POST", "restore", {"name": "one"})[0], 200)
        for _ in range(2):  # The second time all is done.
            self.assertIn("1 snapshot open with the new key",
                          self.ok("key", "rotate", self.data, "--encryption-key", self.key, "--to", self.other))
        self.refused("the key is not the one", "check", self.data, "--encryption-key", self.key)
        before = {file.name: file.read_bytes() for file in self.data.glob("*.sst")}
        self.assertIn("data key 2; 1 earlier one is forgotten",
                      self.ok("key", "renew", self.data, "--encryption-key", self.other))
        after = {file.name: file.read_bytes() for file in self.data.glob("*.sst")}
        self.assertFalse(before.keys() & after.keys())
        with self.serve(key=self.other) as server:
            self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 20)
            self.assertEqual(server.admin("POST", "restore", {"name": "one"})[0], 200)
        self.assertIn(" 20 items", self.items(self.data, self.other))

    def test_databases_with_names_get_the_other_key_too(self):
        with self.serve() as server:
            self.put(server)
            self.assertEqual(server.admin("POST", "databases", {"name": "two", "from": ""})[0], 200)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "one"}, TWO)[0], 200)
        named = self.folder / "data.databases" / "two"
        rotate = ("key", "rotate", self.data, "--encryption-key", self.key, "--to", self.other)
        with self.serve(data=named):
            self.refused(f"another process holds the data folder {named}:", *rotate)
            self.assertIn(" 20 items", self.items(self.data))
        self.assertIn(f"{self.data}, 1 named database and 1 snapshot open with the new key", self.ok(*rotate))
        for folder in (self.data, named):
            self.refused("the key is not the one", "check", folder, "--encryption-key", self.key)
            self.assertIn(" 20 items", self.items(folder, self.other))
        self.assertRegex(self.ok("key", "renew", self.data, "--encryption-key", self.other),
                         f"(?s){named} is written with data key 2; .*{self.data} is written with data key 2; ")
        with self.serve(key=self.other) as server:
            self.assertEqual(server.admin("POST", "restore", {"name": "one"}, TWO)[0], 200)

    def test_keys_that_change_are_killed(self):
        """At any moment each item is there, and the command can be run again."""
        with self.serve() as server:
            self.put(server)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "one"})[0], 200)
        chance, keys = random.Random(11), [self.key, self.other]
        killed = 0
        for number in range(24):
            renews = number % 2
            command = ("renew", self.data) if renews else ("rotate", self.data, "--to", keys[1])
            with subprocess.Popen([cli_test.BINARY, "key", *command, "--encryption-key", keys[0]], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                time.sleep(chance.uniform(0, 0.15 if renews else 0.03))
                process.kill()
            # The shell of a key's command has the folder open until it is the shell, which takes a moment on a busy machine.
            folder = os.open(self.data, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)
            os.close(folder)
            killed += process.returncode == -signal.SIGKILL
            if not renews:
                self.ok("key", "rotate", self.data, "--encryption-key", keys[0], "--to", keys[1])
                keys.reverse()
            self.assertIn(" 20 items", self.items(self.data, keys[0]), number)
        self.assertGreater(killed, 6)
        self.ok("key", "renew", self.data, "--encryption-key", keys[0])
        self.assert_hidden(self.data)
        with self.serve(key=keys[0]) as server:
            self.assertEqual(server.admin("POST", "restore", {"name": "one"})[0], 200)
            self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 20)

    def test_a_key_is_not_ignored_where_it_is_of_no_use(self):
        self.fill()
        url = "http://127.0.0.1:9"
        for arguments in (["dump", url, "--to", self.folder / "dumped"], ["load", self.folder / "x", "--to", url],
                          ["backup", url, self.folder / "to"], ["check", "postgresql://127.0.0.1:9/x"]):
            self.refused("key", *arguments, "--encryption-key", self.key)
        self.refused("is for a folder", "migrate", url, self.folder / "moved", "--from-encryption-key", self.key)
        shown = run("migrate", self.data, url, "--from-encryption-key", self.key, "--to-encryption-key", self.key)
        self.assertEqual(shown.returncode, 1, shown)
        self.assertIn(b"is for a folder", shown.stderr)
        self.ok("backup", self.data, self.folder / "to", "--encryption-key", self.key)
        self.refused("is encrypted", "restore", self.folder / "to", self.folder / "new")
        self.assertFalse((self.folder / "new").exists())

    def test_damage_is_named(self):
        self.fill()
        self.ok("backup", self.data, self.folder / "to", "--encryption-key", self.key)  # Now there are table files.
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        files = [file for file in sorted(self.data.iterdir())
                 if file.is_file() and file.stat().st_size > 0 and not file.name.startswith("LOG")
                 and file.name not in ("IDENTITY", "DYNOLITH.new")]
        names = {file.name.rstrip("0123456789") if file.name.startswith("MANIFEST") else file.suffix or file.name for file in files}
        self.assertLessEqual({".sst", "MANIFEST-", "CURRENT", "DYNOLITH", ".keys"}, names)
        for file in files:
            good = file.read_bytes()
            at = rng.randrange(len(good))
            for what, bad in (("flipped", good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1:]),
                              ("cut", good[:at]), ("cut at a page", good[:(len(good) - 1) // 4096 * 4096]), ("longer", good + b"x")):
                with self.subTest(seed=seed, file=file.name, what=what, at=at):
                    file.write_bytes(bad)
                    shown = run("check", self.data, "--encryption-key", self.key)
                    said = (shown.stdout + shown.stderr).decode()
                    if what == "longer" and file.name.startswith("MANIFEST"):
                        # As after a write that did not come to its end: nothing is lost.
                        self.assertEqual(shown.returncode, 0, said)
                        self.assertIn(" 20 items", said)
                        continue
                    self.assertEqual(shown.returncode, 1, said)
                    self.assertIn(file.name, said)
            file.write_bytes(good)
        self.assertIn(" 20 items", self.items(self.data))

    def test_repair_saves_the_rest(self):
        self.fill()
        log = max((file for file in self.data.glob("*.log")), key=lambda file: file.stat().st_size)
        held = bytearray(log.read_bytes())
        held[-100] ^= 1
        log.write_bytes(held)
        shown = run("repair", self.data, self.folder / "saved", "--encryption-key", self.key)
        self.assertEqual(shown.returncode, 3, shown)
        self.assertIn(log.name, shown.stdout.decode())
        self.assertRegex(self.items(self.folder / "saved"), " (1[0-9]|20) items")
        self.assert_hidden(self.folder / "saved")

    def test_a_killed_server_loses_nothing(self):
        acknowledged = 0
        for life in range(8):
            with self.serve(*(["--sync"] if life % 2 else [])) as server:
                self.put(server, acknowledged, 15)
                acknowledged += 15
                if life == 5:
                    self.assertEqual(server.admin("POST", "snapshot", {"name": "one"})[0], 200)
                self.assertEqual(server.stop(signal.SIGKILL)[0], -signal.SIGKILL)
            with self.serve() as server:
                found = server.call("Scan", TableName="songs", Select="COUNT")["Count"]
                self.assertEqual(found, acknowledged, json.dumps({"life": life}))
                server.stop(signal.SIGKILL)
        self.assertIn(f" {acknowledged} items", self.items(self.data))
        self.assert_hidden(self.data)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
