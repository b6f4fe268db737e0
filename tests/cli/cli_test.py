#!/usr/bin/env python3
"""What a person meets who starts the program by hand: the ready line, signals, clear errors and exit codes, data that stays,
check and dissect. Needs nothing but Python; the calls are raw HTTP, so that no SDK hides anything.

    cli_test.py <dynolith binary> [unittest arguments]
"""

import concurrent.futures
import contextlib
import functools
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
SECONDS = 300  # Nobody waits so long unless something hangs.

READY = re.compile(r"^dynolith: serving DynamoDB on (http)://([^ ]+):(\d+) \((.*)\)\n$")

SONGS = {
    "TableName": "songs",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                             for name, kind in (("artist", "S"), ("title", "S"), ("year", "N"))],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "title", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by-year",
                                "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "KEYS_ONLY"}}],
}


def song(number):
    return {"artist": {"S": "Acme Band"}, "title": {"S": f"Song {number}"}, "year": {"N": str(1990 + number)}}


@functools.cache
def is_under_sanitizer():
    """Whether the program takes the address space that only one with a sanitizer does, which makes it ten times as slow."""
    limit = (4 << 30, 4 << 30)
    return subprocess.run([BINARY, "--version"], capture_output=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit)).returncode != 0


@contextlib.contextmanager
def program_for(user):
    """The program, or a copy that another user may run: the tree may lie below a home that is closed to others, and so may TMPDIR."""
    if user is None:
        yield BINARY
        return
    with tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(BINARY, folder)


def run(*arguments, stdin=None):
    return subprocess.run([BINARY, *arguments], input=stdin, capture_output=True, timeout=SECONDS, check=False)


def wait_until_read(client):
    """Until the server of this machine has taken all that the client has sent it out of its socket."""
    port, server_port = (address[1] for address in (client.getsockname(), client.getpeername()))
    deadline = time.monotonic() + SECONDS
    while True:
        # local address, remote address, state, bytes to send:bytes to read (proc(5), /proc/net/tcp)
        rows = [line.split()[1:5] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        if [queues.split(":")[1] for local, remote, _, queues in rows
                if local.endswith(f":{server_port:04X}") and remote.endswith(f":{port:04X}")] == ["00000000"]:
            return
        assert time.monotonic() < deadline, rows
        time.sleep(0.01)


def wait_until_caught(process, sent):
    """Until the process has said what it does when this signal comes."""
    deadline = time.monotonic() + SECONDS
    while True:
        caught = re.search(r"^SigCgt:\s*(\w+)$", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
        if caught and int(caught[1], 16) >> (sent - 1) & 1:
            return
        assert process.poll() is None and time.monotonic() < deadline, process.args
        time.sleep(0.01)


def open_folder(test):
    """A folder until the end of the test that other users may look into, too: TMPDIR may be closed to them."""
    folder = tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/tmp")
    test.addCleanup(folder.cleanup)
    os.chmod(folder.name, 0o755)
    return pathlib.Path(folder.name)


def user_without_processes(test):
    """One whose threads are only those of the program that the test runs."""
    if os.geteuid() != 0 or is_under_sanitizer():
        test.skipTest("needs to run as root, and no sanitizer, which starts threads")
    return 100_000 + os.getpid()


def run_with_threads(test, threads, *arguments):
    """As a user who may have at most `threads` threads, the main one included."""
    user = user_without_processes(test)

    def become_that_user():
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
        os.setuid(user)

    with program_for(user) as program:
        return subprocess.run([program, *arguments], capture_output=True, timeout=SECONDS, cwd="/", check=False, preexec_fn=become_that_user)


def signed_headers(operation, body, secret="secret", day="20261001", date="20261001T120000Z", access_key="key"):
    """Headers of Signature Version 4, written out here so that the program is not its own judge."""
    headers = {"content-type": "application/x-amz-json-1.0", "host": "local", "x-amz-date": date,
               "x-amz-target": f"DynamoDB_20120810.{operation}"}
    names = ";".join(sorted(headers))
    canonical = "\n".join(["POST", "/", "", *(f"{name}:{headers[name]}" for name in sorted(headers)), "", names,
                           hashlib.sha256(body).hexdigest()])
    scope = f"{day}/us-east-1/dynamodb/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in [*scope.split("/"), to_sign]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={access_key}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
    return headers


class Server:
    """A server as a context: started, ready, and stopped by SIGTERM at the end."""

    def __init__(self, *arguments, port=0, user=None, command="serve", environment=None):
        with program_for(user) as program:
            self.process = subprocess.Popen([program, command, "--port", str(port), *arguments], stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True, user=user, env=environment)
            self.line = self.process.stdout.readline()
        match = READY.match(self.line)
        if not match:
            self.process.kill()
            raise AssertionError(f"not ready: {self.line!r} {self.process.stderr.read()!r}")
        self.port = int(match.group(3))
        self.where = match.group(4)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.stop()
        self.process.stdout.close()
        self.process.stderr.close()

    def stop(self, number=signal.SIGTERM):
        """The exit code and all that was still printed."""
        self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out, errors

    def request(self, operation, body, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("POST", "/", body, headers or signed_headers(operation, body))
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"null")
        finally:
            connection.close()

    def call(self, operation, **members):
        status, answer = self.request(operation, json.dumps(members).encode())
        assert status == 200, answer
        return answer


class CommandLine(unittest.TestCase):
    def test_help_and_version(self):
        for arguments in (["--help"], ["serve", "--help"], ["dissect", "--help"], ["backup", "--help"], ["restore", "--help"],
                          ["verify", "--help"], ["load", "--help"], ["dump", "--help"], ["top", "--help"], ["ping", "--help"],
                          ["migrate", "--help"],
                          ["quickstart", "--help"], ["doctor", "--help"], ["iam", "--help"], ["iam", "check", "--help"], ["proxy", "--help"], ["mcp", "--help"],
                          ["completion", "--help"]):
            shown = run(*arguments)
            self.assertEqual(shown.returncode, 0)
            self.assertIn(b"Examples:", shown.stdout)
        self.assertRegex(run("--version").stdout, rb"^dynolith \d+\.\d+\.\d+\n$")

    def test_nonsense(self):
        for arguments in ([], ["dance"], ["serve", "--port", "65536"], ["serve", "--data", "x", "--memory"],
                          ["serve", "--auth", "maybe"], ["serve", "--tls-cert", "x"], ["check"],
                          ["dissect"], ["dissect", "table", "x"], ["backup"], ["backup", "x"], ["backup", "x", "y", "--keep", "0"],
                          ["backup", "x", "y", "--keep", "x"], ["restore", "x"], ["restore", "x", "y", "--snapshot"], ["verify"],
                          ["load"], ["load", "x"], ["load", "x", "--to", "y", "--if-exists", "z"],
                          ["load", "x", "--to", "y", "--parameter", "z"], ["serve", "--seed", "x", "--parameter", "z"],
                          ["serve", "--parameter", "Stage=dev"], ["serve", "--leave-out", "Tags"], ["proxy"],
                          ["proxy", "--to", "http://localhost:1", "--connections", "0"],
                          ["mcp", "--token", "file"], ["mcp", "--http", "--token", "file", "--without-token"],
                          ["mcp", "--data", "data", "--endpoint", "http://localhost:1"]):
            shown = run(*arguments)
            self.assertEqual(shown.returncode, 2, arguments)
            self.assertTrue(shown.stderr, arguments)
            self.assertEqual(shown.stdout, b"", arguments)

    def test_words_that_are_none_are_named_with_what_is_near(self):
        for arguments, words in ((["nonsense"], "nonsense is no command; there are quickstart, serve, proxy, store, key, check, repair, backup, restore, verify, load, dump, migrate, mcp, top, ping, doctor, iam, dissect, lab, completion"),
                                 (["serv", "--port", "1"], "serv is no command; did you mean serve?"),
                                 (["dissect", "tabel", "x"], "tabel is no command; did you mean table?"),
                                 ([], "a command is missing; there are quickstart, serve, proxy, store, key, check, repair, backup, restore, verify, load, dump, migrate, mcp, top, ping, doctor, iam, dissect, lab, completion"),
                                 (["serve", "--prot", "1"], "--prot is no option of dynolith serve; did you mean --port?"),
                                 (["serve", "--prot=1"], "--prot is no option of dynolith serve; did you mean --port?"),
                                 (["serve", "--zzz"], "--zzz is no option of dynolith serve"),
                                 (["serve", "--port"], "--port wants a value"),
                                 (["serve", "8000"], "dynolith serve does not know what to do with 8000")):
            shown = run(*arguments)
            self.assertEqual((shown.returncode, shown.stdout), (2, b""), arguments)
            self.assertEqual(shown.stderr.decode(), f"{words}\nRun with --help for more information.\n")

    def test_paths_that_are_none_lose_nothing(self):
        empty = "an empty path; leave the option out if there is none"
        with tempfile.TemporaryDirectory() as folder:
            for arguments, words in ((["--data", ""], f"--data: {empty}"), (["--data="], "--data wants a value"),
                                     (["--data", "--memory"], "--data: wants a path, and --memory looks like an option; "
                                      "./--memory if it is meant"),
                                     (["--auth", "verify", "--credentials", ""], f"--credentials: {empty}")):
                shown = subprocess.run([os.path.abspath(BINARY), "serve", "--port", "0", *arguments], cwd=folder, check=False,
                                       capture_output=True, timeout=SECONDS)
                self.assertEqual((shown.returncode, shown.stdout), (2, b""), arguments)
                self.assertEqual(shown.stderr.decode(), f"{words}\nRun with --help for more information.\n")
            self.assertEqual(os.listdir(folder), [])

    def test_values_that_make_no_sense_are_refused_in_words(self):
        for option, value, words in (
                ("--auth", "maybe", "maybe is not one of off|shape|verify"),
                ("--auth", "off|shape", "off|shape is not one of off|shape|verify"),
                ("--conflicts", "maybe", "maybe is not one of wait|fail"),
                ("--update-size", "flat", "flat is not one of charge|item"),
                ("--clock", "1", "1 is not one of system|manual"),
                ("--ttl-sweep", "never", "never is not a number of seconds, 0 or more"),
                ("--ttl-sweep", "-1", "-1 is not a number of seconds, 0 or more"),
                ("--table-delay", "inf", "inf is not a number of seconds, 0 or more"),
                ("--capacity", "nonsense", "nonsense is not one of account|enforce|static|burst|adaptive"),
                ("--capacity-scale", "0", "0 is not a number above 0"),
                ("--capacity-burst", "0.5", "0.5 is not a number of seconds, 1 or more"),
                ("--split-delay", "soon", "soon is not a number of seconds, 0 or more"),
                ("--partition-reads", "0", "0 is not a whole number of units, 1 or more"),
                ("--account-limit", "none", "none is not one of request-limit|throttling"),
                ("--control-changes", "-1", "-1 is not a number of calls, 0 or more"),
                ("--region", "", '"" is not a region such as us-east-1: letters, digits and hyphens'),
                ("--region", "a:b", '"a:b" is not a region such as us-east-1: letters, digits and hyphens')):
            shown = run("serve", "--port", "0", f"{option}={value}" if value else option, *([] if value else [""]))
            self.assertNotEqual(shown.returncode, 0, (option, value))
            self.assertEqual(shown.stderr.decode(), f"{option}: {words}\nRun with --help for more information.\n")

    def test_numbers_out_of_bounds(self):
        for arguments, words in ((["serve", "--port", "70000"], "--port: 70000 is not a whole number from 0 to 65535"),
                                 (["serve", "--port", "1.5"], "--port: 1.5 is not a whole number from 0 to 65535"),
                                 (["lab", "measure", "x", "--duration", "0"], "--duration: 0 is not a number from 1 to 10000000"),
                                 (["top", "--interval", "x"], "--interval: x is not a number from 0.1 to 3600")):
            shown = run(*arguments)
            self.assertEqual((shown.returncode, shown.stdout), (2, b""), arguments)
            self.assertEqual(shown.stderr.decode(), f"{words}\nRun with --help for more information.\n")

    def test_ping(self):
        with Server() as server:
            url = f"http://127.0.0.1:{server.port}"
            shown = run("ping", url)
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            self.assertTrue(shown.stdout.startswith(b"healthy: dynamodb"))
        # Bound, so that no other server gets this port; but nobody listens.
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            shown = run("ping", f"http://127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(b"Connection refused", shown.stderr)
        shown = run("ping", "8000")
        self.assertEqual((shown.returncode, shown.stderr),
                         (1, b"dynolith: 8000 is no server's address such as http://127.0.0.1:8000\n"))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            shown = run("ping", url, "--timeout", "1")
            self.assertEqual((shown.returncode, shown.stderr), (1, f"dynolith: {url} has not answered in 1 s\n".encode()))

    def test_help_is_no_wider_than_a_terminal(self):
        for command in (["serve"], ["load"], ["migrate"], ["top"], ["backup"], ["lab"], ["lab", "simulate"], ["lab", "measure"], ["lab", "advise"],
                        ["iam", "check"]):
            for line in run(*command, "--help").stdout.decode().splitlines():
                # Examples are for copying, and names of options stand whole.
                if not line.startswith(("  dynolith ", "  --", "Usage: ")):
                    self.assertLessEqual(len(line), 80, (command, line))

    def test_options_that_belong_together(self):
        shown = run("serve", "--port", "0", "--auth", "verify")
        self.assertEqual((shown.returncode, shown.stderr), (1, b"dynolith: --auth verify needs --credentials FILE, of lines \"access_key secret_key\"\n"))
        shown = run("serve", "--port", "0", "--credentials", "x")
        self.assertEqual((shown.returncode, shown.stderr), (1, b"dynolith: --credentials is for --auth verify only\n"))


class Serve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "data")

    def test_memory_is_the_default_and_says_so(self):
        for arguments in ([], ["--memory"]):
            with Server(*arguments) as server:
                self.assertEqual(server.where, "data in memory, gone at the end")
                self.assertEqual(server.call("ListTables"), {"TableNames": []})
                code, out, errors = server.stop()
                # The ready line was the only one.
                self.assertEqual((code, out, errors), (0, "", ""))

    def test_data_stays(self):
        with Server("--data", self.folder) as server:
            self.assertEqual(server.where, f"data in {self.folder}")
            server.call("CreateTable", **SONGS)
            for number in range(5):
                server.call("PutItem", TableName="songs", Item=song(number))
            self.assertEqual(server.stop(signal.SIGINT)[0], 0)
        with Server("--data", self.folder) as server:
            self.assertEqual(server.call("Scan", TableName="songs")["Count"], 5)
            key = {name: song(3)[name] for name in ("artist", "title")}
            self.assertEqual(server.call("GetItem", TableName="songs", Key=key)["Item"], song(3))

    def test_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            shown = run("serve", "--port", str(port))
            self.assertEqual(shown.returncode, 1)
            self.assertRegex(shown.stderr.decode(), rf"^dynolith: cannot listen on 127\.0\.0\.1:{port}: .*in use\n$")
            self.assertIn("another --port", shown.stderr.decode())
            self.assertEqual(shown.stdout, b"")

    @unittest.skipUnless(os.geteuid() == 0, "needs another user's process")
    def test_port_of_the_superuser(self):
        if int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text(encoding="ascii")) <= 77:
            self.skipTest("this machine keeps no ports for the superuser")
        with program_for(user=65534) as program:
            shown = subprocess.run([program, "serve", "--port", "77"], cwd="/", capture_output=True, user=65534, timeout=SECONDS,
                                   check=False)
        self.assertEqual(shown.returncode, 1)
        self.assertIn(b"ports below 1024 are kept for the superuser; give another --port", shown.stderr)

    def test_host_of_another_machine(self):
        shown = run("serve", "--port", "0", "--host", "192.0.2.1")
        self.assertEqual(shown.returncode, 1)
        self.assertIn(b"this machine has no such address; --host 127.0.0.1", shown.stderr)

    def test_credentials_that_cannot_be_read(self):
        os.mkdir(self.folder)
        for file, reason in ((self.folder, "Is a directory"), (self.folder + "/none", "No such file or directory")):
            shown = run("serve", "--port", "0", "--auth", "verify", "--credentials", file)
            self.assertEqual((shown.returncode, shown.stderr.decode()),
                             (1, f"dynolith: cannot read the credentials in {file}: {reason}\n"))

    def test_few_files(self):
        def prepare(soft, hard):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

        # The server raises what it may.
        for soft, hard, words in ((10, 10, b"may open no more files; ulimit -n raises that"), (10, 1024, None)):
            process = subprocess.Popen([BINARY, "serve", "--port", "0", "--data", self.folder], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=lambda: prepare(soft, hard))
            if words is None:
                self.assertIn(b"serving", process.stdout.readline())
                process.terminate()
            _, errors = process.communicate(timeout=SECONDS)
            self.assertEqual(process.returncode, 0 if words is None else 1)
            self.assertIn(words or b"", errors)

    def test_who_is_ready_has_files_for_somebody(self):
        with Server("--data", self.folder) as server:
            server.call("CreateTable", **SONGS)
            most = len(os.listdir(f"/proc/{server.process.pid}/fd")) + 8
        for where in (["--data", self.folder], ["--memory"]):
            refused = answered = 0
            for files in range(most, 8, -1):
                process = subprocess.Popen([BINARY, "serve", "--port", "0", *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                           preexec_fn=lambda files=files: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
                ready = READY.match(process.stdout.readline())
                if ready:
                    pinged = run("ping", f"http://127.0.0.1:{ready.group(3)}", "--timeout", "10")
                    process.terminate()
                    self.assertEqual(pinged.returncode, 0, (files, pinged))
                    answered += 1
                _, errors = process.communicate(timeout=SECONDS)
                if not ready:
                    self.assertEqual(process.returncode, 1, (files, errors))
                    refused += f"this process may open {files} files (ulimit -n), which leaves" in errors
            self.assertGreater(answered, 0)
            self.assertGreater(refused, 1)

    def test_files_that_may_not_be_opened(self):
        """Nobody holds the folder, and nothing in it is damaged."""
        user = 65534 if os.geteuid() == 0 else None
        with program_for(user) as program, tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/tmp") as parent:
            os.chmod(parent, 0o755)
            folder = pathlib.Path(parent, "data")
            with Server("--data", folder) as server:
                server.call("CreateTable", **SONGS)
            made = pathlib.Path(parent, "made")
            made.mkdir()
            for path in (made, folder, *folder.iterdir()):
                if user is not None:
                    os.chown(path, user, user)
            for path in (folder, *(next(folder.glob(name)) for name in ("LOCK", "CURRENT", "DYNOLITH", "MANIFEST-*"))):
                mode = path.stat().st_mode
                path.chmod(0)
                try:
                    tries = [subprocess.run([program, *command], cwd="/", capture_output=True, user=user, timeout=SECONDS, check=False)
                             for command in (["serve", "--port", "0", "--data", folder], ["backup", folder, made / "backup"])]
                    repair = subprocess.run([program, "repair", folder, made / path.name], cwd="/", capture_output=True,
                                            user=user, timeout=SECONDS, check=False)
                except OSError as error:
                    self.skipTest(f"no process of another user can be made here: {error}")
                finally:
                    path.chmod(mode)
                for shown in tries:
                    self.assertEqual(shown.returncode, 1, (path, shown))
                    self.assertRegex(shown.stderr.decode(), rf"^dynolith: [^\n]*{path}[^\n]*: Permission denied[^\n]*\n$")
                    self.assertNotRegex(shown.stderr.decode(), "damaged|another process|no dynolith store")
                self.assertNotRegex((repair.stdout + repair.stderr).decode(), "damaged|cannot be understood")

    def test_folder_in_use(self):
        with Server("--data", self.folder):
            for command in (["serve", "--port", "0", "--data", self.folder], ["check", self.folder]):
                shown = run(*command)
                self.assertEqual(shown.returncode, 1, command)
                self.assertEqual(shown.stderr.decode(), f"dynolith: another process holds the data folder {self.folder}: stop it (fuser {self.folder} "
                                 "names it), wait for its end if it is a backup, or take another folder\n")

    def test_folder_that_cannot_be(self):
        pathlib.Path(self.folder).write_text("a file")
        for folder in (self.folder, "/proc/none/data"):
            shown = run("serve", "--port", "0", "--data", folder)
            self.assertEqual(shown.returncode, 1)
            self.assertIn(folder, shown.stderr.decode())
            self.assertEqual(shown.stdout, b"")

    def test_a_folder_within_a_data_folder_never_starts_empty(self):
        with Server("--data", self.folder):
            pass
        for within in (f"{self.folder}/main", f"{self.folder}/./main/", "./main", "main"):
            shown = subprocess.run([os.path.abspath(BINARY), "serve", "--port", "0", "--data", within], cwd=self.folder, check=False,
                                   capture_output=True, timeout=SECONDS)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""))
            self.assertEqual(shown.stderr.decode(), f"dynolith: there is no data folder {within}, but {os.path.realpath(self.folder)}, in which it would be "
                             f"made, is one itself: give --data {os.path.realpath(self.folder)}, or move what is in it to {within}\n")
            self.assertFalse(pathlib.Path(self.folder, "main").exists())

    def test_damaged_or_newer_folder_never_starts_empty(self):
        with Server("--data", self.folder) as server:
            server.call("CreateTable", **SONGS)
        folder = pathlib.Path(self.folder)
        current = (folder / "CURRENT").read_bytes()
        for name, content in (("DYNOLITH", b"dynolith store 999\n"), ("DYNOLITH", b""), ("CURRENT", b"")):
            kept = (folder / name).read_bytes()
            (folder / name).write_bytes(content)
            shown = run("serve", "--port", "0", "--data", self.folder)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""), name)
            self.assertIn(self.folder, shown.stderr.decode())
            (folder / name).write_bytes(kept)
        self.assertEqual((folder / "CURRENT").read_bytes(), current)
        with Server("--data", self.folder) as server:
            self.assertEqual(server.call("ListTables"), {"TableNames": ["songs"]})

    def test_ready_in_a_moment(self):
        # The point is not to wait for seconds, which it would do each time; a busy machine does it now and then. One that is always
        # busy takes long for a server without a folder, too.
        def seconds_to_start(*arguments):
            started = time.monotonic()
            with Server(*arguments):
                return time.monotonic() - started

        seconds = []
        for _ in range(10):
            most = 5 + 4 * seconds_to_start()
            seconds.append((seconds_to_start("--data", self.folder), most))
            if seconds[-1][0] < most:
                return
        self.fail(seconds)

    def test_requests_under_way_are_finished(self):
        with Server("--data", self.folder) as server:
            server.call("CreateTable", **SONGS)
            body = json.dumps({"TableName": "songs", "Item": song(1)}).encode()
            head = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("PutItem", body).items())
            with socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS) as client:
                client.sendall(f"POST / HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:10])
                wait_until_read(client)
                server.process.send_signal(signal.SIGTERM)
                # It is stopping when it takes nobody in any more, also not who was in the queue.
                with self.assertRaises((ConnectionRefusedError, ConnectionResetError)):
                    while True:
                        socket.create_connection(("127.0.0.1", server.port), timeout=SECONDS).close()
                        time.sleep(0.001)  # or a server that comes late to its signal would leave no port
                client.sendall(body[10:])
                self.assertTrue(client.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n"))
            self.assertEqual(server.process.wait(SECONDS), 0)

    def test_synchronous_writes_from_many_clients(self):
        with Server("--data", self.folder, "--sync") as server:
            server.call("CreateTable", **SONGS)
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                list(pool.map(lambda n: server.call("PutItem", TableName="songs", Item=song(n)), range(64)))
            server.process.kill()
            server.process.wait(SECONDS)
        with Server("--data", self.folder) as server:
            self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 64)

    def test_verified_signatures(self):
        file = self.folder + ".credentials"
        pathlib.Path(file).write_text("# who may\nkey secret\n")
        now = time.gmtime()
        right = {"day": time.strftime("%Y%m%d", now), "date": time.strftime("%Y%m%dT%H%M%SZ", now)}
        with Server("--auth", "verify", "--credentials", file) as server:
            ask = lambda **how: server.request("ListTables", b"{}", signed_headers("ListTables", b"{}", **how))
            self.assertEqual(ask(**right), (200, {"TableNames": []}))
            status, answer = ask(**right, secret="wrong")
            self.assertEqual((status, answer["__type"]), (400, "com.amazon.coral.service#InvalidSignatureException"))
            status, answer = ask()
            self.assertTrue(answer["message"].startswith("Signature expired: ") or
                            answer["message"].startswith("Signature not yet current: "), answer)
            status, answer = server.request("ListTables", b'{"Limit":5}', signed_headers("ListTables", b"{}", **right))
            self.assertTrue(answer["message"].startswith("The request signature we calculated"), answer)

    def test_no_authentication(self):
        plain = {"Content-Type": "application/json", "X-Amz-Target": "DynamoDB_20120810.ListTables"}
        with Server() as server:
            self.assertEqual(server.request("", b"{}", plain)[1]["message"], "Request is missing Authentication Token")
        with Server("--auth", "off") as server:
            self.assertEqual(server.request("", b"{}", plain), (200, {"TableNames": []}))

    def test_hostile_bodies_do_not_kill(self):
        with Server() as server:
            server.call("CreateTable", **SONGS)
            key = {"artist": {"S": "a"}, "title": {"S": "b"}}
            parentheses = {"TableName": "songs", "Key": key, "ConditionExpression": "(" * 4096}
            for operation, body in (("PutItem", b"null"), ("PutItem", b"[]"), ("PutItem", b"1"), ("PutItem", b'"x"'),
                                    ("PutItem", b'{"TableName":null,"Item":null}'),
                                    ("PutItem", b'{"TableName":"songs","Item":{"a":null}}'),
                                    ("PutItem", b'{"a":' * 5000), ("PutItem", b"[" * 100000),
                                    ("PutItem", b'{"TableName":"songs","Item":{"a":' + b'{"M":{"a":' * 2000 + b"1"
                                     + b"}}" * 2000 + b"}}"),
                                    ("DeleteItem", json.dumps(parentheses).encode()),
                                    ("GetItem", b"{}"), ("Query", b"{}"), ("BatchWriteItem", b'{"RequestItems":{"t":null}}')):
                status, answer = server.request(operation, body)
                self.assertEqual(status, 400, (operation, body[:60], answer))
            self.assertEqual(server.call("ListTables"), {"TableNames": ["songs"]})

    def test_verbose_logs_each_request(self):
        with Server("--verbose") as server:
            server.call("ListTables")
            errors = server.stop()[2]
            self.assertEqual(len(errors.splitlines()), 1)
            self.assertIn("POST / DynamoDB_20120810.ListTables 200", errors)


class CheckAndDissect(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "data")
        with Server("--data", self.folder) as server:
            server.call("CreateTable", **SONGS)
            for number in range(3):
                server.call("PutItem", TableName="songs", Item=song(number))

    def test_check(self):
        shown = run("check", self.folder)
        self.assertEqual(shown.stderr, b"")
        self.assertEqual(shown.stdout.decode(),
                         f"{self.folder}: 1 table, 0 backups, 3 items, 3 index entries, 0 stream records, "
                         "0 expiry rows (0 stale), 0 history records (0 stale), 0 disagreements\n")
        self.assertEqual(shown.returncode, 0)
        missing = run("check", self.folder + ".none")
        self.assertEqual((missing.returncode, missing.stdout), (1, b""))
        self.assertIn(b"there is no data folder", missing.stderr)

    # Neither an empty folder nor one with files of somebody else, log files too, is called a damaged store.
    def test_check_of_what_is_no_store(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (None, "thesis.txt", "server.log", "000012.log"):
                if name:
                    pathlib.Path(folder, name).write_text("years of work")
                for arguments in (["check", folder], ["dissect", "table", folder, "--table", "songs"]):
                    shown = run(*arguments)
                    self.assertEqual((shown.returncode, shown.stdout.decode(), shown.stderr.decode()),
                                     (1, "", f"dynolith: {folder} is no dynolith store: there is no DYNOLITH in it\n"), arguments)

    def test_check_of_a_store_without_its_format_file(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(self.folder, pathlib.Path(folder, "copy"))
            (copy / "DYNOLITH").unlink()
            shown = run("check", copy)
            self.assertEqual((shown.returncode, shown.stdout.decode(), shown.stderr.decode()),
                             (1, "", f"dynolith: the store is damaged: {copy}/DYNOLITH is missing\n"))

    def test_check_notices_damage(self):
        # Reopening moves the rows from the log into table files; one byte in the middle of one is then changed.
        with Server("--data", self.folder):
            pass
        tables = sorted(pathlib.Path(self.folder).glob("*.sst"), key=lambda path: path.stat().st_size)
        self.assertTrue(tables)
        for table in tables:
            content = bytearray(table.read_bytes())
            content[10] ^= 1
            table.write_bytes(content)
        shown = run("check", self.folder)
        self.assertEqual(shown.returncode, 1)
        self.assertTrue(shown.stdout + shown.stderr)

    # A manifest that lost its end names fewer table files; RocksDB alone would delete the others.
    def test_cut_manifest_is_named_and_nothing_is_deleted(self):
        with Server("--data", self.folder):
            pass
        before = sorted(os.listdir(self.folder))
        manifest = sorted(pathlib.Path(self.folder).glob("MANIFEST-*"))[-1]
        content = manifest.read_bytes()
        for size in (0, 3, len(content) // 2, len(content) - 1):
            manifest.write_bytes(content[:size])
            for arguments in (["check", self.folder], ["serve", "--port", "0", "--data", self.folder]):
                shown = run(*arguments)
                self.assertEqual((shown.returncode, shown.stdout, shown.stderr.decode()),
                                 (1, b"", f"dynolith: the store is damaged: {manifest} has {size} bytes, "
                                          f"but {len(content)} were written\n"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_copy_of_a_running_store_is_refused_and_saved(self):
        with tempfile.TemporaryDirectory() as folder, Server("--data", self.folder) as server:
            server.call("PutItem", TableName="songs", Item=song(7))
            copy = shutil.copytree(self.folder, pathlib.Path(folder, "copy"))
            for arguments in (["check", copy], ["serve", "--port", "0", "--data", copy]):
                shown = run(*arguments)
                self.assertEqual((shown.returncode, shown.stdout), (1, b""), arguments)
                self.assertIn(f"{copy}/DYNOLITH was copied", shown.stderr.decode())
            saved = pathlib.Path(folder, "saved")
            shown = run("repair", copy, saved)
            self.assertEqual((shown.returncode, shown.stderr), (3, b""))
            self.assertIn("not as it was: the store was copied while it was in use", shown.stdout.decode())
            self.assertIn("4 items", run("check", saved).stdout.decode())

    def test_repair(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = pathlib.Path(folder, "saved")
            shown = run("repair", self.folder, saved)
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            self.assertRegex(shown.stdout.decode(), rf"^{saved}: saved \d+ table files?, \d+ changes? of \d+ logs?; "
                                                    r"all of it is as it was\n$")
            self.assertEqual(run("check", saved).stdout.decode().split(": ")[1],
                             run("check", self.folder).stdout.decode().split(": ")[1])
            again = run("repair", self.folder, saved)
            self.assertEqual((again.returncode, again.stdout), (1, b""))
            self.assertIn(f"there is something in {saved}", again.stderr.decode())
            nothing = run("repair", pathlib.Path(folder, "none"), pathlib.Path(folder, "new"))
            self.assertEqual((nothing.returncode, nothing.stdout), (1, b""))
            # Reopening moves the rows from the log into table files.
            with Server("--data", self.folder):
                pass
            for log in pathlib.Path(self.folder).glob("*.log"):
                log.unlink()
            shown = run("repair", self.folder, pathlib.Path(folder, "rest"))
            self.assertEqual((shown.returncode, shown.stderr), (3, b""))
            self.assertRegex(shown.stdout.decode(), r"not as it was: \d+\.log: missing\n")
            self.assertIn("3 items", run("check", pathlib.Path(folder, "rest")).stdout.decode())

    def test_dissect_table(self):
        shown = run("dissect", "table", self.folder, "--table", "songs").stdout.decode()
        self.assertTrue(shown.endswith("\n3 rows\n"), shown)
        one = run("dissect", "table", self.folder, "--table", "songs", "--partition-key", "Acme Band",
                  "--sort-key", "Song 1").stdout.decode()
        self.assertIn('row {artist: S "Acme Band", title: S "Song 1"}', one)
        self.assertTrue(one.endswith("\n1 row\n"), one)
        entry = run("dissect", "table", self.folder, "--table", "songs", "--index", "by-year",
                    "--partition-key", "1992").stdout.decode()
        self.assertIn("Song 2", entry)
        self.assertTrue(entry.endswith("\n1 row\n"), entry)
        for arguments in (["--table", "none"], ["--table", "songs", "--index", "none"],
                          ["--table", "songs", "--partition-key", "a", "--partition-key", "b"],
                          ["--table", "songs", "--index", "by-year", "--partition-key", "x"]):
            shown = run("dissect", "table", self.folder, *arguments)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""), arguments)
            self.assertTrue(shown.stderr.startswith(b"dynolith: "), shown.stderr)

    def test_dissect_bytes(self):
        by_hex = run("dissect", "value", "--hex", "00ff")
        self.assertEqual(by_hex.returncode, 0)
        self.assertTrue(by_hex.stdout)
        self.assertEqual(run("dissect", "value", stdin=b"\x00\xff").stdout, by_hex.stdout)
        for kind in ("item", "key", "value"):
            for stdin in (b"", b"\xff" * 100):
                self.assertEqual(run("dissect", kind, stdin=stdin).returncode, 0, (kind, stdin))
        for bad in ("0", "0g"):
            self.assertEqual(run("dissect", "key", "--hex", bad).returncode, 1)
        self.assertEqual(run("dissect", "key", "/no/such/file").returncode, 1)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
