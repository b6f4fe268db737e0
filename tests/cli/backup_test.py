#!/usr/bin/env python3
"""Backups of a whole store: what is in them, what a restored store holds, and what is left of a backup that is killed, runs
out of space or loses its files.

    backup_test.py <dynolith binary> [unittest arguments]
"""

import concurrent.futures
import fcntl
import hashlib
import http.server
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import SECONDS, SONGS, Server, run, song
from clock_test import Clocked

LINE = re.compile(r"^(.*): (\d{6,}-\d{8}T\d{6}Z): (\d+) files?, (\d+) bytes?; new: (\d+) files?, (\d+) bytes?\n?$")


class Made:
    """What the first line of a backup says."""

    def __init__(self, shown):
        assert shown.returncode == 0, shown
        match = LINE.match(shown.stdout.decode().splitlines()[0])
        assert match, shown.stdout
        self.name = match.group(2)
        self.files, self.bytes, self.new_files, self.new_bytes = map(int, match.groups()[2:])


class BackupCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.data = self.folder / "data"
        self.to = self.folder / "to"

    def fill(self, first=0, count=20):
        """Songs in the data folder, by a server that ends."""
        with Server("--data", self.data) as server:
            self.put(server, first, count)

    def put(self, server, first=0, count=20):
        if not server.call("ListTables")["TableNames"]:
            server.call("CreateTable", **SONGS)
        for number in range(first, first + count):
            server.call("PutItem", TableName="songs", Item=song(number))

    def backup(self, *arguments, source=None):
        return Made(run("backup", source or self.data, self.to, *arguments))

    def fails(self, message, *arguments):
        shown = run(*arguments)
        self.assertEqual((shown.returncode, shown.stdout.decode()), (1, ""), arguments)
        self.assertIn(message, shown.stderr.decode())
        return shown.stderr.decode()

    def snapshots(self):
        return sorted(path.name for path in (self.to / "snapshots").iterdir())

    def named(self, *names):
        """Name in the store -> (checksum, bytes) of the files of snapshots; all if none is given."""
        files = []
        for name in names or self.snapshots():
            for line in (self.to / "snapshots" / name).read_text().splitlines():
                kind, *words = line.split(" ", 5)
                if kind == "file":
                    files.append((words[4], words[0], int(words[1])))
        return files

    def assert_tidy(self):
        """Every file is named and every named one is there, with what its name says; nothing else is."""
        self.assertEqual(sorted(os.listdir(self.to)), ["DYNOLITH-BACKUP", "files", "incoming", "snapshots"])
        self.assertEqual(os.listdir(self.to / "incoming"), [])
        self.assertEqual(set(os.listdir(self.to / "files")), {sha256 for _, sha256, _ in self.named()})
        for path in (self.to / "files").iterdir():
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.name)
        self.assertFalse((self.data / "checkpoint").exists())

    def restored(self, name=None):
        """How many items a restored store has, which `check` finds no fault with."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            to = pathlib.Path(folder) / "restored"
            shown = run("restore", self.to, to, *(["--snapshot", name] if name else []))
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            self.assertRegex(shown.stdout.decode(), rf"^{to}: restored {name or self.snapshots()[-1]}: \d+ files, \d+ bytes\n$")
            for path in to.iterdir():
                self.assertEqual(path.stat().st_nlink, 1, path)
                # Without it, what is there is no store.
                self.assertLessEqual(path.stat().st_mtime_ns, (to / "DYNOLITH").stat().st_mtime_ns, path)
            checked = run("check", to)
            self.assertEqual((checked.returncode, checked.stderr), (0, b""))
            with Server("--data", to) as server:
                return server.call("Scan", TableName="songs", Select="COUNT")["Count"]

    def verify(self, *arguments):
        shown = run("verify", self.to, *arguments)
        self.assertEqual(shown.stderr, b"")
        return shown.returncode, shown.stdout.decode().splitlines()

    @staticmethod
    def fewer(count):
        """Repetitions: under a sanitizer each takes ten times as long."""
        return count // 4 if cli_test.is_under_sanitizer() else count


class Backups(BackupCase):
    def test_a_stopped_folder_and_back(self):
        self.fill()
        made = self.backup()
        self.assertEqual((made.new_files, made.new_bytes), (made.files, made.bytes))
        self.assertEqual(self.snapshots(), [made.name])
        self.assertTrue(made.name.startswith("000001-"))
        self.assertEqual(sorted(name for name, _, _ in self.named()), sorted({name for name, _, _ in self.named()}))
        self.assertEqual(sum(size for _, _, size in self.named()), made.bytes)
        self.assert_tidy()
        self.assertEqual(self.restored(), 20)
        self.assertEqual(self.verify(), (0, [f"{made.name}: of {self.data}, {made.files} files, {made.bytes} bytes: whole",
                                             f"{self.to}: 1 backup, {made.files} files, {made.bytes} bytes, read; 0 damages"]))
        self.assertEqual(run("check", self.data).returncode, 0)
        self.fill(20, 5)

    def test_a_killed_server_and_back(self):
        with Server("--data", self.data) as server:
            self.put(server)
            server.process.kill()
            server.process.wait(SECONDS)
        self.backup()
        self.assertEqual(self.restored(), 20)

    def test_a_damaged_folder_is_refused(self):
        self.fill()
        manifest = next(self.data.glob("MANIFEST-*"))
        manifest.write_bytes(manifest.read_bytes()[:-1])
        self.fails(f"the store is damaged: {manifest}", "backup", self.data, self.to)
        self.assertEqual(self.snapshots(), [])
        self.fails("there is no backup in", "verify", self.to)
        self.fails("there is no backup in", "restore", self.to, self.folder / "new")

    def test_a_running_server_under_writes(self):
        with Clocked("--data", self.data, "--admin") as server:
            self.put(server, 0, 1)
            stop = threading.Event()
            pairs = []

            def write(thread):
                """Two songs at once, again and again: a backup has both or none."""
                for number in itertools.count(thread, 2):
                    if stop.is_set():
                        return
                    items = [{**song(number), "artist": {"S": artist}} for artist in ("Left", "Right")]
                    server.call("TransactWriteItems", TransactItems=[{"Put": {"TableName": "songs", "Item": i}} for i in items])
                    pairs.append(number)

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                writers = [pool.submit(write, thread) for thread in (1, 2)]
                least = {}
                try:
                    for _ in range(4):
                        acknowledged = len(pairs)
                        least[self.backup(source=f"http://127.0.0.1:{server.port}").name] = 1 + 2 * acknowledged
                        while len(pairs) < acknowledged + 5:
                            self.assertFalse(any(writer.done() for writer in writers))
                            time.sleep(0.01)
                finally:
                    stop.set()
                for writer in writers:
                    writer.result()
            self.assertEqual(self.snapshots(), list(least))
            self.assert_tidy()
            for name, count in least.items():
                got = self.restored(name)
                self.assertGreaterEqual(got, count)
                self.assertEqual(got % 2, 1)
            self.assertEqual(server.stop()[0], 0)
        self.assertEqual(run("check", self.data).returncode, 0)

    def test_only_what_is_new_is_taken(self):
        for arguments, links in (([], 2), (["--copy"], 1)):
            with self.subTest(arguments), Clocked("--data", self.data, "--admin") as server:
                url = f"http://localhost:{server.port}/"
                self.put(server, 0, 50)
                first = self.backup(*arguments, source=url)
                tables = {(name, sha256) for name, sha256, _ in self.named(first.name) if name.endswith(".sst")}
                self.assertTrue(tables)
                for name, sha256 in tables:
                    self.assertEqual((self.to / "files" / sha256).stat().st_nlink, links)
                times = {path: path.stat().st_mtime_ns for path in (self.to / "files").iterdir()}
                self.put(server, 50, 1)
                second = self.backup(*arguments, source=url)
                more = {(name, sha256) for name, sha256, _ in self.named(second.name) if name.endswith(".sst")}
                self.assertLess(tables, more)
                known = {sha256 for _, sha256, _ in self.named(first.name)}
                new = {sha256: size for _, sha256, size in self.named(second.name) if sha256 not in known}
                self.assertEqual((second.new_files, second.new_bytes), (len(new), sum(new.values())))
                self.assertLessEqual(second.new_files, second.files - len(tables))
                self.assertEqual({path: path.stat().st_mtime_ns for path in times}, times, "nothing was written again")
                self.assertEqual([self.restored(name) for name in (first.name, second.name)], [50, 51])
                server.stop()
            # By its address or by its folder, it is the same store.
            third = self.backup(*arguments)
            self.assertLess({sha256 for _, sha256 in more}, {sha256 for _, sha256, _ in self.named(third.name)})
            self.assertEqual(self.restored(), 51)
            shutil.rmtree(self.data)
            shutil.rmtree(self.to)

    def test_a_table_file_that_an_earlier_backup_has_is_not_read(self):
        self.fill()
        self.backup("--copy")
        # Who reads these takes something else into the backup.
        tables = list(self.data.glob("*.sst"))
        self.assertTrue(tables)
        for path in tables:
            facts = path.stat()
            content = path.read_bytes()
            with open(path, "r+b") as file:  # the same file still
                file.write(bytes([content[0] ^ 1]))
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.backup("--copy")
        self.assertEqual(self.restored(), 20)

    def test_oldest_ones_go(self):
        names = []
        for number in range(4):
            self.fill(number * 10, 10)
            names.append(self.backup().name)
        self.assertEqual(self.snapshots(), names)
        before = set(os.listdir(self.to / "files"))
        self.fill(40, 10)
        shown = run("backup", self.data, self.to, "--keep", "2")
        names.append(Made(shown).name)
        self.assertEqual(shown.stdout.decode().splitlines()[1:], [f"{self.to}: {name} was removed" for name in names[:3]])
        self.assertEqual(self.snapshots(), names[3:])
        self.assertTrue(before - set(os.listdir(self.to / "files")))
        self.assert_tidy()
        self.assertEqual([self.restored(name) for name in names[3:]], [40, 50])
        self.fails(f"there is no backup {names[0]} in {self.to}", "restore", self.to, self.folder / "new", "--snapshot", names[0])
        # Whatever the clock says, the last one is the newest.
        self.assertEqual([name.split("-")[0] for name in names], [f"{number:06}" for number in range(1, 6)])
        self.assertEqual(self.restored(), 50)

    def test_nothing_goes_while_a_backup_cannot_be_understood(self):
        for number in range(3):
            self.fill(number, 1)
            self.backup()
        names, files = self.snapshots(), set(os.listdir(self.to / "files"))
        damaged = self.to / "snapshots" / names[2]
        content = damaged.read_bytes()
        damaged.write_bytes(content[:-1])
        shown = run("backup", self.data, self.to, "--keep", "2")
        self.assertEqual(shown.returncode, 1)
        self.assertEqual(shown.stderr.decode(), "dynolith: the backup was made, but not all that should go was removed: "
                                                f"the backup folder is damaged: {damaged} cannot be understood\n")
        self.assertEqual(self.snapshots()[:3], names)
        self.assertLessEqual(files, set(os.listdir(self.to / "files")))
        self.assertEqual(self.restored(), 3)
        damaged.write_bytes(content)
        self.backup("--keep", "2")
        self.assertEqual(len(self.snapshots()), 2)
        self.assert_tidy()

    def test_removing_that_fails_halfway_says_what_is_left(self):
        for number in range(2):
            self.fill(number, 1)
            self.backup()
        left = self.to / "files" / "left"
        (left / "over").mkdir(parents=True)
        shown = run("backup", self.data, self.to, "--keep", "1")
        self.assertEqual((shown.returncode, shown.stderr.decode()),
                         (1, f"dynolith: the backup was made, but not all that should go was removed: cannot write {left}: "
                             "Directory not empty\n"))
        self.assertEqual([name.split("-")[0] for name in self.snapshots()], ["000003"])
        self.assertEqual(self.restored(), 2)

    def test_a_lost_store_goes_on_from_its_backup(self):
        self.fill()
        self.backup()
        shutil.rmtree(self.data)
        self.assertEqual(run("restore", self.to, self.data).returncode, 0)
        self.fill(20, 5)
        self.backup()
        self.assertEqual([self.restored(name) for name in self.snapshots()], [20, 25])

    def test_refusals(self):
        self.fill()
        other = self.folder / "other"
        self.fails(f"there is no data folder {other}", "backup", other, self.to)
        self.assertFalse(other.exists())
        other.mkdir()
        self.fails(f"{other} is no dynolith store", "backup", other, self.to)
        (other / "thesis.txt").write_text("years of work")
        self.fails(f"{other}/thesis.txt does not belong to a backup folder", "backup", self.data, other)
        self.fails("does not belong to a backup folder", "backup", self.data, self.data)
        self.fails(f"{other} is no backup folder", "verify", other)
        self.fails(f"{other} is no backup folder", "restore", other, self.folder / "new")
        self.assertEqual(os.listdir(other), ["thesis.txt"])
        self.backup()
        self.fails(f"there is something in {other}", "restore", self.to, other)
        self.fails(f"there is something in {self.data}", "restore", self.to, self.data)
        self.assertEqual(os.listdir(other), ["thesis.txt"])
        for name in ("..", "../snapshots", "", "000002-20260101T000000Z"):
            self.fails(f"there is no backup {name} in", "restore", self.to, self.folder / "new", "--snapshot", name)
        shutil.copytree(self.data, self.folder / "second")
        self.fails(f"{self.to} holds backups of {self.data}, not of {self.folder}/second", "backup", self.folder / "second", self.to)
        self.assertEqual(len(self.snapshots()), 1)
        mark = self.to / "DYNOLITH-BACKUP"
        mark.write_text("dynolith backup 3\n")
        for arguments in (["backup", self.data, self.to], ["verify", self.to], ["restore", self.to, self.folder / "new"]):
            self.fails("use a newer dynolith", *arguments)

    def test_one_at_a_time(self):
        self.fill()
        self.backup()
        holder = os.open(self.to, os.O_RDONLY)
        self.addCleanup(os.close, holder)
        fcntl.flock(holder, fcntl.LOCK_SH)
        self.fails(f"another process works with the backup folder {self.to}; try again when it has ended", "backup", self.data, self.to)
        self.assertEqual(self.verify()[0], 0)
        fcntl.flock(holder, fcntl.LOCK_EX)
        self.fails(f"another process works with the backup folder {self.to}; try again when it has ended", "verify", self.to)
        self.fails(f"another process works with the backup folder {self.to}; try again when it has ended", "restore", self.to, self.folder / "new")


class Threads(BackupCase):
    def test_a_folder_that_no_thread_is_left_for_is_not_waited_for(self):
        user = cli_test.user_without_processes(self)
        folder = cli_test.open_folder(self)
        self.data, self.to = folder / "data", folder / "to"
        self.fill()
        for path in (folder, self.data, *self.data.rglob("*")):
            os.chown(path, user, user)
        shown = cli_test.run_with_threads(self, 1, "backup", self.data, self.to)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertRegex(shown.stderr.decode(), r"^dynolith: [^\n]*cannot start a thread[^\n]*\n$")


class BackupsOfServers(BackupCase):
    def test_what_a_server_is_asked_for(self):
        with Clocked("--data", self.data, "--admin") as server:
            self.put(server)
            folder = str(self.data / "checkpoint")
            self.assertEqual(server.admin("POST", "checkpoint"), (200, {"folder": folder}))
            # One that nobody took is replaced.
            self.assertEqual(server.admin("POST", "checkpoint", {}), (200, {"folder": folder}))
            self.assertEqual(run("check", folder).returncode, 0)
            # Nobody says where it goes.
            for body in ({"folder": str(self.folder / "elsewhere")}, b"x"):
                self.assertEqual(server.admin("POST", "checkpoint", body)[0], 400)
            self.assertEqual(server.admin("GET", "checkpoint")[0], 405)
            self.assertEqual(server.admin("POST", "checkpoint", None, {"Origin": "http://example.com"})[0], 403)
            holder = os.open(folder, os.O_RDONLY)
            fcntl.flock(holder, fcntl.LOCK_SH)
            for path in ("checkpoint", "checkpoint/remove"):
                status, answer = server.admin("POST", path)
                self.assertEqual((status, answer["error"][:25]), (409, "a backup is being made of"))
            waiting = subprocess.Popen([cli_test.BINARY, "backup", f"http://127.0.0.1:{server.port}", self.to], stdout=subprocess.DEVNULL)
            with self.assertRaises(subprocess.TimeoutExpired):
                waiting.wait(timeout=1)
            os.close(holder)
            self.assertEqual(waiting.wait(timeout=100), 0)
            self.assertEqual(server.admin("POST", "checkpoint"), (200, {"folder": folder}))
            for _ in range(2):
                self.assertEqual(server.admin("POST", "checkpoint/remove"), (200, {}))
                self.assertFalse(os.path.exists(folder))
            self.assertEqual(sorted(os.listdir(self.folder)), ["data", "to"])

    def several(self, source, names):
        """Backups of one source to different folders at the same time; nothing in `source` stays."""
        made = [subprocess.Popen([cli_test.BINARY, "backup", source, self.folder / name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for name in names]
        late = []
        for name, process in zip(names, made):
            printed, failure = process.communicate(timeout=SECONDS)
            # Each waits ten seconds for the others at a folder, and they may take longer on a busy machine.
            if process.returncode == 1 and b"stop it (fuser" in failure:
                late.append(name)
            else:
                self.assertEqual(process.returncode, 0, (printed, failure))
        for name in late:
            self.assertEqual(run("backup", source, self.folder / name).returncode, 0)
        self.assertFalse((self.data / "checkpoint").exists())

    def assert_each(self, names, snapshots):
        for name in names:
            self.to = self.folder / name
            self.assertEqual(len(self.snapshots()), snapshots)
            self.assertEqual(self.verify()[0], 0)
            self.assertEqual(self.restored(), 20)

    def test_several_of_a_stopped_folder_at_the_same_time(self):
        self.fill()
        names = [f"to{number}" for number in range(4)]
        for _ in range(3):
            self.several(self.data, names)
        self.assert_each(names, 3)
        self.assertEqual(run("check", self.data).returncode, 0)

    def test_a_stopped_folder_is_awaited(self):
        """Another process that holds it for a moment, as one that checks it does."""
        self.fill()
        holder = os.open(self.data, os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_SH)
        waiting = subprocess.Popen([cli_test.BINARY, "backup", self.data, self.to], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(waiting.stderr.close)
        said = waiting.stderr.readline().decode()
        self.assertEqual(said, f"dynolith: another process holds the data folder {self.data}: waiting for it, up to 10 s\n")
        os.close(holder)
        self.assertEqual(waiting.wait(timeout=100), 0)
        self.assertEqual(self.restored(), 20)

    def test_who_only_reads_a_stopped_folder_shares_it(self):
        self.fill()
        holder = os.open(self.data, os.O_RDONLY)
        self.addCleanup(os.close, holder)
        fcntl.flock(holder, fcntl.LOCK_SH)
        for arguments in (["check", self.data], ["dissect", "table", self.data, "--table", "songs"],
                          ["dump", self.data, "--to", self.folder / "dumped"], ["repair", self.data, self.folder / "saved"]):
            shown = run(*arguments)
            self.assertEqual(shown.returncode, 0, (arguments, shown))
        # What else is wrong here is another matter.
        self.assertIn(f"{self.data} opens", run("doctor", "--data", self.data).stdout.decode())

    def test_several_at_the_same_time(self):
        names = [f"to{number}" for number in range(4)]
        with Clocked("--data", self.data, "--admin") as server:
            self.put(server)
            for _ in range(3):
                self.several(f"http://127.0.0.1:{server.port}", names)
        self.assert_each(names, 3)

    def test_refusals(self):
        with Server("--data", self.data) as server:
            other = self.folder / "other"
            served = subprocess.Popen([cli_test.BINARY, "backup", self.data, other], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.fails("was it started with --admin?", "backup", f"http://127.0.0.1:{server.port}", self.to)
            port = server.port
            with Clocked("--admin") as in_memory:
                self.fails("the server keeps its data in memory", "backup", f"http://127.0.0.1:{in_memory.port}", self.to)
                self.assertEqual(in_memory.admin("POST", "checkpoint/remove"), (200, {}))
            # It has waited in vain.
            self.assertIn(b"stop it", served.communicate(timeout=SECONDS)[1])
            self.assertEqual(served.returncode, 1)
        self.fails("cannot ask http://127.0.0.1", "backup", f"http://127.0.0.1:{port}", self.to)
        for url in ("http://", "http://:1", "http://a/b", "http://127.0.0.1:"):
            self.fails(f"{url} is no server's address", "backup", url, self.to)

    def test_a_server_that_names_another_folder(self):
        """What answers may be anything: nothing is taken but a checkpoint, and nothing removed at all."""
        self.fill()
        self.backup()
        checkpoint = self.folder / "checkpoint"
        self.assertEqual(run("restore", self.to, checkpoint).returncode, 0)
        answers = {}

        class Liar(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                status, body = answers[self.path]
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Liar)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        url, to = f"http://127.0.0.1:{server.server_port}", self.folder / "other"
        answers["/_dynolith/checkpoint/remove"] = 500, b'{"error": "no"}'
        for folder in (self.data, self.folder, self.folder / "none", "", "/etc"):
            answers["/_dynolith/checkpoint"] = 200, json.dumps({"folder": str(folder)}).encode()
            self.fails(f"the server made a checkpoint in {folder}, which is none here", "backup", url, to)
        for answer in ((200, b"{}"), (200, b""), (200, b'{"folder": 5}'), (404, b"<html>")):
            answers["/_dynolith/checkpoint"] = answer
            self.fails(f"{url} does not answer below /_dynolith/", "backup", url, to)
        self.assertEqual(os.listdir(to / "snapshots"), [])
        before = sorted(os.listdir(checkpoint))
        answers["/_dynolith/checkpoint"] = 200, json.dumps({"folder": str(checkpoint)}).encode()
        # It is there, although something was left behind.
        shown = run("backup", url, to, "--keep", "1")
        self.assertEqual((shown.returncode, shown.stderr.decode()), (1, f"dynolith: {url} answers: no\n"))
        self.assertRegex(shown.stdout.decode(), LINE)
        self.assertEqual(run("verify", to).returncode, 0)
        self.assertEqual(sorted(os.listdir(checkpoint)), before)
        (to / "files" / "left" / "over").mkdir(parents=True)
        shown = run("backup", url, to, "--keep", "1")
        self.assertEqual((shown.returncode, shown.stderr.decode()),
                         (1, "dynolith: the backup was made, but not all that should go was removed: "
                             f"cannot write {to}/files/left: Directory not empty; {url} answers: no\n"))

    def test_over_tls(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                        "-subj", "/CN=localhost"], check=True, capture_output=True)
        server = subprocess.Popen([cli_test.BINARY, "serve", "--port", "0", "--data", self.data, "--admin", "--tls-cert", certificate,
                                   "--tls-key", key], stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"https://[^ ]+", server.stdout.readline()).group()
            self.backup(source=url)
            self.assertEqual(self.verify()[0], 0)
        finally:
            server.terminate()
            server.wait(SECONDS)
            server.stdout.close()


class Damage(BackupCase):
    def setUp(self):
        super().setUp()
        self.fill()
        self.first = self.backup("--copy").name
        self.fill(20, 10)
        self.second = self.backup("--copy").name

    def test_every_damaged_file_is_named(self):
        users = {}
        for name in self.snapshots():
            for stored, sha256, _ in self.named(name):
                users.setdefault(sha256, {})[name] = stored
        # Under a sanitizer some of them.
        some = list(users.items())[::3 if cli_test.is_under_sanitizer() else 1]
        for sha256, names in some:
            path = self.to / "files" / sha256
            content = path.read_bytes()
            damages = [(content + b"x", True, f"has {len(content) + 1} bytes, but {len(content)} were written"),
                       (None, True, "is missing")]
            # RocksDB 11.8 also copies a log that nothing was written to yet.
            if content:
                flipped = bytearray(content)
                flipped[len(content) // 2] ^= 1
                damages += [(flipped, False, "does not hold what was written to it"),
                            (content[:-1], True, f"has {len(content) - 1} bytes, but {len(content)} were written")]
            for damaged, is_seen_quickly, words in damages:
                path.unlink()
                if damaged is not None:
                    path.write_bytes(damaged)
                code, lines = self.verify()
                self.assertEqual(code, 1)
                stored = next(iter(names.values()))
                self.assertEqual(lines[0], f"the backup is damaged: {path} ({stored}) {words}")
                self.assertEqual([line.endswith(": damaged") for line in lines[1:3]], [n in names for n in self.snapshots()])
                self.assertEqual(self.verify("--quick")[0], 1 if is_seen_quickly else 0)
                to = self.folder / "new"
                for name in names:
                    self.fails(f"{path} ({names[name]}) {words}", "restore", self.to, to, "--snapshot", name)
                    self.assertEqual(os.listdir(to) if to.exists() else [], [], "what was copied is no store")
                if damaged is not None:
                    path.unlink()
                path.write_bytes(content)
        self.assertEqual(self.verify()[0], 0)

    def test_a_damaged_snapshot_is_named(self):
        path = self.to / "snapshots" / self.second
        content = path.read_bytes()
        rng = random.Random(1)
        for at in [0, len(content) - 1, *(rng.randrange(len(content)) for _ in range(self.fewer(30)))]:
            for damaged in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1:]):
                path.write_bytes(damaged)
                code, lines = self.verify("--quick")
                self.assertEqual((code, lines[0]), (1, f"the backup folder is damaged: {path} cannot be understood"))
                self.assertTrue(lines[1].startswith(self.first) and lines[1].endswith(": whole"))
            self.fails(f"{path} cannot be understood", "restore", self.to, self.folder / "new")
        path.write_bytes(content)

    def test_the_text_of_another_backup_is_named(self):
        first, second = (self.to / "snapshots" / name for name in (self.first, self.second))
        for text, place in ((first, second), (second, first)):
            content = place.read_bytes()
            place.write_bytes(text.read_bytes())
            words = f"the backup folder is damaged: {place} holds the text of {text.name}"
            code, lines = self.verify("--quick")
            self.assertEqual((code, lines[0]), (1, words))
            self.fails(words, "restore", self.to, self.folder / "new", "--snapshot", place.name)
            place.write_bytes(content)
        self.assertEqual(self.verify()[0], 0)

    def test_a_missing_backup_is_named(self):
        for name in (self.first, self.second):
            path = self.to / "snapshots" / name
            content = path.read_bytes()
            path.unlink()
            words = f"the backup folder is damaged: {path}, a backup that was made, is missing"
            code, lines = self.verify()
            self.assertEqual((code, lines[0]), (1, words))
            if name == self.second:
                self.fails(words, "restore", self.to, self.folder / "new")
            else:
                self.assertEqual(self.restored(), 30)
            path.write_bytes(content)
            self.assertEqual(self.verify()[0], 0)
        (self.to / "snapshots" / self.second).unlink()
        shown = run("backup", self.data, self.to, "--keep", "1")
        self.assertEqual(shown.returncode, 1)
        self.assertIn(f"{self.second}, a backup that was made, is missing", shown.stderr.decode())
        self.assertEqual(len(self.snapshots()), 2)
        self.assertEqual(self.verify()[0], 0)

    def test_the_list_of_backups_that_is_damaged(self):
        mark = self.to / "DYNOLITH-BACKUP"
        content = mark.read_bytes()
        self.assertEqual(content.split(b"end ")[0], f"dynolith backup 2\n{self.first}\n{self.second}\n".encode())
        for at in range(0, len(content), 35 if cli_test.is_under_sanitizer() else 7):
            for damaged in (content[:at], content[:at] + bytes([content[at] ^ 1]) + content[at + 1:]):
                mark.write_bytes(damaged)
                self.assertEqual(run("verify", self.to).returncode, 1)

    def test_a_folder_of_an_earlier_program(self):
        """Which had neither a list of its backups nor their names in them."""
        mark = self.to / "DYNOLITH-BACKUP"
        mark.write_bytes(b"dynolith backup 1\n")
        for path in (self.to / "snapshots").iterdir():
            text = path.read_text().split("end ")[0].replace("dynolith snapshot 2\n", "dynolith snapshot 1\n").replace(f"name {path.name}\n", "")
            path.write_text(f"{text}end {hashlib.sha256(text.encode()).hexdigest()}\n")
        self.assertEqual(self.verify()[0], 0)
        self.assertEqual(self.restored(), 30)
        self.backup()
        self.assertTrue(mark.read_text().startswith(f"dynolith backup 2\n{self.first}\n{self.second}\n"))
        self.assertEqual(self.verify()[0], 0)

    def test_the_next_backup_mends_what_is_missing(self):
        with Server("--data", self.data):
            pass
        self.backup("--copy")
        tables = {sha256 for name, sha256, _ in self.named(self.snapshots()[-1]) if name.endswith(".sst")}
        for sha256 in tables:
            (self.to / "files" / sha256).unlink()
        self.assertEqual(self.verify()[0], 1)
        self.backup("--copy")
        self.assertEqual(self.verify()[0], 0)
        self.assert_tidy()


class Interruptions(BackupCase):
    def test_what_is_left_does_not_count_and_goes(self):
        self.fill()
        self.backup()
        for path in (self.to / "incoming" / "000009.sst", self.to / "files" / ("0" * 64), self.to / "incoming" / "000002-20260101T000000Z",
                     self.data / "checkpoint" / "000009.sst", self.data / "checkpoint.tmp" / "CURRENT"):
            path.parent.mkdir(exist_ok=True)
            path.write_text("half of it")
        self.assertEqual(self.verify()[0], 0)
        self.assertEqual(self.restored(), 20)
        with Server("--data", self.data):
            pass
        self.backup()
        self.assertEqual(len(self.snapshots()), 2)
        self.assert_tidy()
        self.assertFalse((self.data / "checkpoint.tmp").exists())

    def test_killed_at_any_moment(self):
        self.fill()
        started = time.monotonic()
        self.backup("--copy")
        seconds = time.monotonic() - started
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        attempts = self.fewer(12)
        for attempt in range(attempts):
            with self.subTest(seed=seed, attempt=attempt):
                self.fill(20 + attempt, 1)
                process = subprocess.Popen([cli_test.BINARY, "backup", self.data, self.to, "--copy", "--keep", "3"],
                                           stdout=subprocess.DEVNULL)
                time.sleep(rng.random() * seconds)
                process.kill()
                process.wait(SECONDS)
                self.assertEqual(self.verify()[0], 0)
                last = self.restored()
                self.assertLessEqual(last, 21 + attempt)
        made = self.backup("--keep", "3")
        self.assertEqual(self.restored(made.name), 20 + attempts)
        self.assertLessEqual(len(self.snapshots()), 3)
        self.assert_tidy()

    def limited(self, bytes_max, *arguments):
        """A run whose files cannot become longer than this, as if the disk were full."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))
        return subprocess.run([cli_test.BINARY, *arguments], capture_output=True, timeout=SECONDS, check=False, preexec_fn=limit,
                              restore_signals=False)

    def test_no_space(self):
        with Clocked("--data", self.data, "--admin") as server:
            url = f"http://127.0.0.1:{server.port}"
            self.put(server)
            self.backup("--copy", source=url)
            largest = max(size for _, _, size in self.named())
            # Their table file is larger than any that is in the first backup.
            self.put(server, 20, 60)
            for bytes_max in (0, 100, largest - 1):
                shown = self.limited(bytes_max, "backup", url, self.to, "--copy")
                self.assertEqual((shown.returncode, shown.stdout), (1, b""))
                self.assertRegex(shown.stderr.decode(), rf"^dynolith: cannot write {self.to}/incoming/[^:]*: File too large\n$")
                self.assertEqual(len(self.snapshots()), 1)
                self.assertFalse((self.data / "checkpoint").exists())
            self.backup("--copy", source=url)
            self.assert_tidy()
        to = self.folder / "new"
        for bytes_max in (0, 100, largest - 1):
            shown = self.limited(bytes_max, "restore", self.to, to)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""))
            self.assertRegex(shown.stderr.decode(), rf"^dynolith: cannot write {to}/[^:]*: File too large\n$")
            self.assertEqual(os.listdir(to), [])
        self.assertEqual(self.restored(), 80)

    def test_a_restore_that_was_killed_is_no_store(self):
        self.fill()
        started = time.monotonic()
        self.backup()
        seconds = time.monotonic() - started
        seed = random.randrange(1 << 30)
        rng = random.Random(seed)
        for attempt in range(12):
            with self.subTest(seed=seed, attempt=attempt), tempfile.TemporaryDirectory(dir=self.folder) as folder:
                process = subprocess.Popen([cli_test.BINARY, "restore", self.to, folder], stdout=subprocess.DEVNULL)
                time.sleep(rng.random() * seconds)
                process.kill()
                process.wait(SECONDS)
                shown = run("check", folder)
                if shown.returncode == 0:
                    self.assertIn(b" 20 items", shown.stdout)
                else:
                    self.assertRegex(shown.stderr.decode(), f"^dynolith: ({folder} is no dynolith store: there is no DYNOLITH in it|"
                                                            f"the store is damaged: {folder}/DYNOLITH .*)\n$")


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
