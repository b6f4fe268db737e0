#!/usr/bin/env python3
"""A data folder by other names, files that may not grow, output that nobody takes, and answers that are not DynamoDB's.

    places_test.py <dynolith binary> [unittest arguments]
"""

import http.server
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import cli_test
from cli_test import SECONDS, SONGS, run, song
from clock_test import Clocked

TWO = {"x-dynolith-database": "two"}


class Here(Clocked):
    """A server whose data folder is its working folder."""

    def __init__(self, folder, *arguments):
        before = os.getcwd()
        os.chdir(folder)
        try:
            super().__init__("--admin", "--data", ".", *arguments)
        finally:
            os.chdir(before)


class Foreign(http.server.BaseHTTPRequestHandler):
    answer = b""

    def do_POST(self):  # noqa: N802 - the library's name
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


class Places(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.data = self.folder / "data"
        self.data.mkdir()

    def put(self, server, first, count):
        for number in range(first, first + count):
            server.call("PutItem", TableName="songs", Item=song(number))

    def test_a_restore_of_the_working_folder(self):
        with Here(self.data) as server:
            server.call("CreateTable", **SONGS)
            self.put(server, 0, 10)
            self.assertEqual(server.admin("POST", "snapshot", {"name": "a"})[0], 200)
            self.put(server, 10, 5)
            for _ in range(2):
                self.assertEqual(server.admin("POST", "restore", {"name": "a"}), (200, {}))
                self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 10)
            self.put(server, 100, 1)
        self.assertIn(" 11 items", run("check", self.data).stdout.decode())

    def test_a_link_has_the_databases_of_its_folder(self):
        link = self.folder / "link"
        link.symlink_to(self.data)
        with Clocked("--admin", "--data", self.data) as server:
            self.assertEqual(server.admin("POST", "databases", {"name": "two"})[0], 200)
        with Clocked("--admin", "--data", link) as server:
            self.assertEqual(server.admin("GET", "databases"), (200, {"databases": ["two"]}))
            self.assertEqual(server.admin("POST", "snapshot", {"name": "one"}, TWO)[0], 200)
        self.assertFalse((self.folder / "link.databases").exists())
        (self.folder / "link.databases").mkdir()
        shown = run("serve", "--port", "0", "--data", link)
        self.assertEqual(shown.returncode, 1)
        self.assertIn(f"{link}.databases has databases, but those of a folder are where it really is: move it to {self.data}.databases",
                      shown.stderr.decode())

    def test_a_repair_of_small_files_that_are_older(self):
        with Clocked("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            self.put(server, 0, 10)
        Clocked("--data", self.data).stop()
        before = self.folder / "before"
        shutil.copytree(self.data, before)
        with Clocked("--data", self.data) as server:
            self.put(server, 10, 5)
        Clocked("--data", self.data).stop()
        newer = [path for path in self.data.glob("*.sst") if not (before / path.name).exists()]
        self.assertTrue(newer)
        for path in newer:
            shutil.copy(path, before)
        shown = run("repair", before, self.folder / "saved")
        self.assertEqual(shown.returncode, 3, shown)
        for path in newer:
            self.assertRegex(shown.stdout.decode(), f"{path.name}: MANIFEST-[0-9]+ is older and does not name it; 5 rows")
        # As the line says.
        next(before.glob("MANIFEST-*")).unlink()
        self.assertEqual(run("repair", before, self.folder / "all").returncode, 3)
        self.assertIn(" 15 items", run("check", self.folder / "all").stdout.decode())

    def fill(self, count=5):
        with Clocked("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            self.put(server, 0, count)
        Clocked("--data", self.data).stop()  # which writes a table file

    def repaired(self, *arguments, **more):
        return subprocess.run([cli_test.BINARY, "repair", *arguments], capture_output=True, text=True, timeout=SECONDS, check=False, **more)

    def test_a_repair_takes_its_folder_as_it_is(self):
        self.fill()
        private = self.folder / "private"
        private.mkdir(mode=0o700)
        private.chmod(0o700)
        (self.folder / "real").mkdir()
        link = self.folder / "link"
        link.symlink_to("real")
        (self.folder / "volume" / "lost+found").mkdir(parents=True)
        for saved in (private, link, self.folder / "volume"):
            before = saved.stat()
            self.assertEqual(self.repaired(self.data, saved).returncode, 0, saved)
            after = saved.stat()
            self.assertEqual((after.st_mode, after.st_ino), (before.st_mode, before.st_ino))
            self.assertEqual(list(saved.glob("OPTIONS-*")), [])
            self.assertIn(" 5 items", run("check", saved).stdout.decode())
        self.assertTrue(link.is_symlink())
        self.assertEqual(private.stat().st_mode & 0o777, 0o700)

    def test_a_repair_that_fails_leaves_nothing(self):
        self.fill(400)
        made = self.folder / "made"
        made.mkdir()
        for saved in (made, self.folder / "new"):
            shown = self.repaired(self.data, saved, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
            self.assertEqual(shown.returncode, 1, shown)
            self.assertIn("File too large", shown.stderr)
        self.assertEqual(list(made.iterdir()), [])
        self.assertFalse((self.folder / "new").exists())

    def test_a_repair_says_what_is_no_damage(self):
        self.fill()
        few = self.repaired(self.data, self.folder / "new", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8)))
        self.assertEqual((few.returncode, few.stdout), (1, ""), few)
        self.assertIn("ulimit -n", few.stderr)
        without = self.folder / "without"
        shutil.copytree(self.data, without)
        (without / "CURRENT").unlink()
        shown = self.repaired(without, self.folder / "saved")
        self.assertEqual((shown.returncode, shown.stdout.splitlines()[0]), (3, "not as it was: CURRENT: missing"))

    def test_pipes_and_devices_are_no_files_of_a_store(self):
        self.fill()
        for name in ("DYNOLITH", "CURRENT", next(self.data.glob("*.sst")).name, "000999.sst"):
            path = self.data / name
            kept = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            for make in (os.mkfifo, lambda made: os.symlink("/dev/zero", made)):
                make(path)
                for command in (["check", self.data], ["repair", self.data, self.folder / "new"], ["serve", "--port", "0", "--data", self.data],
                                ["backup", self.data, self.folder / "backup"]):
                    shown = run(*command)
                    self.assertEqual((shown.returncode, shown.stdout), (1, b""), (command, name))
                    self.assertIn(f"{path} is a pipe, a socket or a device", shown.stderr.decode())
                path.unlink()
            if kept is not None:
                path.write_bytes(kept)
        self.assertIn(" 5 items", run("check", self.data).stdout.decode())

    def test_a_key_without_end(self):
        shown = run("serve", "--port", "0", "--data", self.folder / "sealed", "--encryption-key", "file:/dev/zero")
        self.assertEqual(shown.returncode, 1)
        self.assertIn("/dev/zero", shown.stderr.decode())

    def test_a_backup_holds_what_a_link_leads_to(self):
        self.fill()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for path in self.data.glob("*.sst"):
            moved = elsewhere / path.name
            shutil.move(path, moved)
            path.symlink_to(moved)
        for more in ([], ["--copy"]):
            to = self.folder / f"backup{len(more)}"
            self.assertEqual(run("backup", self.data, to, *more).returncode, 0)
        self.assertEqual(self.repaired(self.data, self.folder / "saved").returncode, 0)
        shutil.rmtree(elsewhere)
        for copy in ("backup0", "backup1"):
            self.assertEqual(run("verify", self.folder / copy).returncode, 0)
            self.assertEqual(run("restore", self.folder / copy, self.folder / f"of {copy}").returncode, 0)
            self.assertIn(" 5 items", run("check", self.folder / f"of {copy}").stdout.decode())
        self.assertEqual([path for path in self.folder.rglob("*.sst") if path.is_symlink() and path.parent != self.data], [])
        self.assertIn(" 5 items", run("check", self.folder / "saved").stdout.decode())

    def test_a_backup_is_not_where_it_begins(self):
        self.fill()
        link = self.folder / "link"
        link.symlink_to(self.data)
        for to in (self.data / "checkpoint", link / "checkpoint" / "deep", self.data / "checkpoint.tmp"):
            shown = run("backup", self.data, to)
            self.assertEqual(shown.returncode, 1)
            self.assertIn("is where each backup of this data folder begins", shown.stderr.decode())
            self.assertFalse(to.exists())
        self.assertEqual(run("backup", self.data, self.data / "checkpoints").returncode, 0)

    def test_databases_beside_a_folder_are_said_to_be_left_out(self):
        self.fill()
        self.assertEqual(run("backup", self.data, self.folder / "backup").stderr, b"")
        with Clocked("--admin", "--data", self.data) as server:
            self.assertEqual(server.admin("POST", "databases", {"name": "two"})[0], 200)
            shown = run("backup", f"http://127.0.0.1:{server.port}", self.folder / "backup")
            self.assertIn(f"note: the databases in {self.data}.databases are data folders", shown.stderr.decode())
        for command in (["backup", self.data, self.folder / "backup"], ["repair", self.data, self.folder / "saved"]):
            shown = run(*command)
            self.assertEqual(shown.returncode, 0, shown)
            self.assertIn(f"note: the databases in {self.data}.databases are data folders", shown.stderr.decode())
        self.assertIn(f"the databases in {self.data}.databases are data folders", run("doctor", "--data", self.data).stdout.decode())

    def test_a_link_that_leads_nowhere_is_no_new_folder(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        (self.folder / "c").symlink_to("none")
        for name, reason in (("a", "Too many levels of symbolic links"), ("c", "No such file or directory")):
            shown = run("doctor", "--data", self.folder / name)
            self.assertEqual(shown.returncode, 1)
            self.assertIn(f"{self.folder / name} cannot be written: {reason}", shown.stdout.decode())

    def test_a_file_that_may_not_grow_is_named(self):
        with Clocked("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            self.put(server, 0, 400)
        shown = subprocess.run([cli_test.BINARY, "dump", self.data, "--to", self.folder / "dump"], capture_output=True, timeout=SECONDS,
                               check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(shown.returncode, 1, shown)
        self.assertIn(b"dump/", shown.stderr)

    def test_output_that_cannot_be_written(self):
        with Clocked("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
        with open("/dev/full", "wb") as full:
            shown = subprocess.run([cli_test.BINARY, "check", self.data], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.assertEqual(shown.returncode, 1)
        self.assertIn(b"standard output could not be written: No space left on device", shown.stderr)

    def test_answers_of_something_else(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
        self.addCleanup(server.server_close)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        signed = {**os.environ, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
        endless = b'{"TableNames": ["a"], "LastEvaluatedTableName": "a"}'
        for number, answer in enumerate((b"{}", b"null", b"[]", b'""', b'{"hello": "world"}', b"", b'{"TableNames": "a"}', endless)):
            Foreign.answer = answer
            commands = [("dump", url, "--to", self.folder / f"dump {number}")]
            if number == 0:  # which asks again for a few seconds
                commands.append(("migrate", url, self.folder / "moved"))
            for command in commands:
                with self.subTest(answer=answer, command=command[0]):
                    shown = subprocess.run([cli_test.BINARY, *command], capture_output=True, timeout=SECONDS, check=False, env=signed)
                    self.assertEqual(shown.returncode, 1, shown)
                    self.assertIn(b"is it DynamoDB?", shown.stderr)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
