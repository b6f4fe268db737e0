#!/usr/bin/env python3
"""`dynolith doctor`: each thing that can be wrong is set wrong, and has to be named with its remedy.

    doctor_test.py <dynolith binary> [unittest arguments]
"""

import http.server
import os
import pathlib
import re
import resource
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import Server

GOOD = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1"}
LINE = re.compile(r"^(ok|note|wrong) +(\w+) +(.*)$")


def free_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


class Stranger:
    """Somebody else at a port, as a context."""

    def __init__(self, handler):
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind, value, trace):
        self.server.shutdown()
        self.server.server_close()


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>")

    def log_message(self, format, *arguments):
        pass


class Late(Web):
    """As a server would answer, by a clock that is an hour behind."""

    def do_GET(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nDate: "
                         + time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() - 3600)).encode()
                         + b"\r\nContent-Length: 44\r\n\r\nhealthy: dynamodb.us-east-1.amazonaws.com   ")


class Silent(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(1)
        time.sleep(30)


class DoctorTest(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="dynolith-test-")
        self.addCleanup(self.home.cleanup)
        self.folder = pathlib.Path(self.home.name)

    def ask(self, *arguments, limits=(), user=None, **variables):
        """The exit code, and by subject (level, text, remedy)."""

        def prepare():
            for which, value in limits:
                resource.setrlimit(which, (value, value))

        environment = {"HOME": self.home.name, **{name: value for name, value in variables.items() if value is not None}}
        with cli_test.program_for(user) as program:
            shown = subprocess.run([program, "doctor", *arguments], env=environment, capture_output=True, text=True, cwd="/",
                                   preexec_fn=prepare, user=user, timeout=cli_test.SECONDS, check=False)
        self.assertEqual(shown.stderr, "")
        findings = {}
        lines = shown.stdout.splitlines()
        for number, line in enumerate(lines):
            match = LINE.match(line)
            if match:
                remedy = lines[number + 1].split(None, 1)[1] if lines[number + 1].startswith("       do ") else ""
                findings.setdefault(match[2], []).append((match[1], match[3], remedy))
        self.assertEqual(shown.returncode, 1 if any(each[0] == "wrong" for all in findings.values() for each in all) else 0)
        return findings

    def one(self, subject, *arguments, **options):
        found = self.ask(*arguments, **options)[subject]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_all_is_well(self):
        with Server() as server:
            url = f"http://127.0.0.1:{server.port}"
            found = self.ask(url, "--data", str(self.folder / "data"), **GOOD, AWS_ENDPOINT_URL=f"http://localhost:{server.port}/")
            levels = {subject: [each[0] for each in all] for subject, all in found.items() if subject != "disk"}
            self.assertEqual(levels, {subject: ["ok"] for subject in (
                "server", "clock", "endpoint", "credentials", "region", "proxy", "files", "memory", "processors", "data")})
            self.assertRegex(found["server"][0][1], rf"^{url} answers: dynolith \(process {server.process.pid}\)$")
            self.assertEqual(os.listdir(self.folder), [])

    def test_nobody_answers(self):
        port = free_port()
        found = self.ask(f"http://127.0.0.1:{port}", **GOOD)
        self.assertEqual(found["port"], [("ok", f"127.0.0.1:{port} is free", "")])
        self.assertEqual(found["server"], [("note", f"nobody answers at http://127.0.0.1:{port}", f"dynolith serve --port {port}")])

    def test_a_stranger_has_the_port(self):
        for handler in (Web, Silent):
            with self.subTest(handler.__name__), Stranger(handler) as stranger:
                level, text, remedy = self.one("server", f"http://127.0.0.1:{stranger.port}", **GOOD)
                self.assertEqual(level, "wrong")
                self.assertIn("does not answer as a server of DynamoDB does", text)
                self.assertIn(f"(process {os.getpid()})", text)
                self.assertIn("--port", remedy)

    def test_clocks_apart(self):
        with Stranger(Late) as stranger:
            level, text, remedy = self.one("clock", f"http://127.0.0.1:{stranger.port}", **GOOD)
            self.assertEqual(level, "wrong")
            self.assertRegex(text, r"the server's clock is 36\d\d s behind this machine's")
            self.assertIn("timedatectl", remedy)

    @unittest.skipUnless(os.geteuid() == 0, "needs another user's process")
    def test_a_port_of_the_superuser(self):
        if int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text(encoding="ascii")) <= 77:
            self.skipTest("this machine keeps no ports for the superuser")
        os.chmod(self.folder, 0o755)
        level, text, remedy = self.one("port", "http://127.0.0.1:77", user=65534, **GOOD)
        self.assertEqual((level, text), ("wrong", "port 77 is kept for the superuser"))
        self.assertIn("1024 to 65535", remedy)

    def test_hosts(self):
        level, text, _ = self.one("host", "http://no-such-host.invalid:8000", **GOOD)
        self.assertEqual(level, "wrong")
        self.assertIn("cannot find the address of no-such-host.invalid, nor can clients: ", text)
        for nonsense in ("8000", "http://", "http://x/y"):
            shown = cli_test.run("doctor", nonsense)
            self.assertEqual(shown.returncode, 1)
            self.assertIn(b"is no address of a server", shown.stderr)

    def test_endpoints(self):
        url = f"http://127.0.0.1:{free_port()}"
        level, _, remedy = self.one("endpoint", url, **GOOD)
        self.assertEqual(level, "note")
        self.assertIn(f"export AWS_ENDPOINT_URL_DYNAMODB={url}", remedy)
        self.assertEqual(self.one("endpoint", url, **GOOD, AWS_ENDPOINT_URL_DYNAMODB=url)[0], "ok")
        for value, words in (("http://127.0.0.1:1", "sends clients to http://127.0.0.1:1, and not to"),
                             (url.replace("http", "https"), "and not to"), ("127.0.0.1:8000", "no address that begins with http"),
                             ("http://x:1/y", "no address")):
            level, text, _ = self.one("endpoint", url, **GOOD, AWS_ENDPOINT_URL=value)
            self.assertEqual(level, "wrong", value)
            self.assertIn(words, text)
        level, text, remedy = self.one("endpoint", url, **GOOD, AWS_ENDPOINT_URL=url, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="true")
        self.assertEqual((level, remedy), ("wrong", "unset AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"))
        config = self.folder / "config"
        config.write_text("[default]\nendpoint_url = http://127.0.0.1:2\nregion = us-east-1\n", encoding="ascii")
        level, text, _ = self.one("endpoint", url, **GOOD, AWS_CONFIG_FILE=str(config))
        self.assertEqual(level, "wrong")
        self.assertIn(f"profile default of {config} sends clients to http://127.0.0.1:2", text)

    def test_credentials(self):
        url = f"http://127.0.0.1:{free_port()}"
        for variables, level, words in (
                ({}, "wrong", "there are none"),
                ({"AWS_ACCESS_KEY_ID": "x"}, "wrong", "AWS_ACCESS_KEY_ID is set, and the secret key is not"),
                ({"AWS_SECRET_ACCESS_KEY": "x"}, "wrong", "AWS_SECRET_ACCESS_KEY is set, and the access key is not"),
                ({"AWS_PROFILE": "work"}, "wrong", "AWS_PROFILE names work, which is neither in"),
                ({"AWS_WEB_IDENTITY_TOKEN_FILE": "x"}, "note", "by way of AWS_WEB_IDENTITY_TOKEN_FILE"),
                (GOOD, "ok", "from AWS_ACCESS_KEY_ID")):
            found = self.one("credentials", url, **variables)
            self.assertEqual(found[0], level, variables)
            self.assertIn(words, found[1])
            self.assertEqual(found[2] == "", level == "ok")

    def test_regions(self):
        url = f"http://127.0.0.1:{free_port()}"
        for variables, level, words in (
                ({}, "wrong", "there is none"),
                ({"AWS_REGION": "eu-west-1"}, "note", "boto3 and older AWS CLIs do not read"),
                ({"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-1"}, "note", "some clients read the one"),
                ({"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-1"}, "ok", "eu-west-1, from AWS_REGION"),
                (GOOD, "ok", "us-east-1, from AWS_DEFAULT_REGION")):
            level_found, text, _ = self.one("region", url, **variables)
            self.assertEqual(level_found, level, variables)
            self.assertIn(words, text)

    def test_proxies(self):
        url = f"http://127.0.0.1:{free_port()}"
        level, text, remedy = self.one("proxy", url, **GOOD, http_proxy="http://proxy:3128", no_proxy="example.com")
        self.assertEqual((level, text), ("wrong", "http_proxy sends what clients ask 127.0.0.1 to http://proxy:3128"))
        self.assertEqual(remedy, "export NO_PROXY=127.0.0.1,example.com no_proxy=127.0.0.1,example.com")
        for without, level in (("127.0.0.1", "ok"), ("x, 127.0.0.1 ,y", "ok"), ("*", "ok"), ("27.0.0.1", "wrong"), ("", "wrong")):
            self.assertEqual(self.one("proxy", url, **GOOD, HTTP_PROXY="http://proxy:3128", NO_PROXY=without)[0], level, without)
        # Of the other scheme.
        self.assertEqual(self.one("proxy", url, **GOOD, https_proxy="http://proxy:3128")[0], "ok")
        self.assertEqual(self.one("proxy", url, **GOOD, ALL_PROXY="http://proxy:3128")[0], "wrong")

    def test_limits(self):
        url = f"http://127.0.0.1:{free_port()}"
        for files, level in ((128, "wrong"), (512, "note"), (1024, "ok")):
            found = self.one("files", url, limits=[(resource.RLIMIT_NOFILE, files)], **GOOD)
            self.assertEqual(found[0], level)
            self.assertIn(f"may open {files} files", found[1])
        found = self.ask(url, limits=[(resource.RLIMIT_FSIZE, 64 << 20)], **GOOD)["files"]
        self.assertEqual(found[1], ("wrong", "files may not be larger than 64 MB: writes will fail there", "ulimit -f unlimited"))
        if cli_test.is_under_sanitizer():
            self.skipTest("a sanitizer takes more address space than that")
        level, text, _ = self.one("memory", url, limits=[(resource.RLIMIT_AS, 4 << 30)], **GOOD)
        self.assertEqual(level, "wrong")
        self.assertIn("the address space ends at 4096 MB", text)

    def test_data_folders(self):
        url = f"http://127.0.0.1:{free_port()}"
        file = self.folder / "file"
        file.touch()
        self.assertEqual(self.one("data", url, "--data", str(file), **GOOD)[:2], ("wrong", f"{file} is no folder"))
        self.assertEqual(self.one("data", url, "--data", str(file / "x"), **GOOD)[:2], ("wrong", f"{file} is no folder"))
        new = self.folder / "a" / "b"
        self.assertEqual(self.one("data", url, "--data", str(new), **GOOD)[0], "ok")
        self.assertFalse(new.exists())
        data = self.folder / "data"
        with Server("--data", str(data)):
            level, text, remedy = self.one("data", url, "--data", str(data), **GOOD)
            self.assertEqual(level, "note")
            self.assertTrue(text.startswith(f"another process holds the data folder {data}: stop it (fuser {data} "), text)
            self.assertIn("ask the server", remedy)
        self.assertEqual(self.one("data", url, "--data", str(data), **GOOD)[:2],
                         ("ok", f"{data} opens; dynolith check looks at all that is in it"))
        (data / "CURRENT").write_bytes(b"rubbish")
        level, text, remedy = self.one("data", url, "--data", str(data), **GOOD)
        self.assertEqual(level, "wrong")
        self.assertIn(str(data), text)
        self.assertIn(f"dynolith repair {data} NEW", remedy)

    @unittest.skipUnless(os.geteuid() == 0, "needs another user's process")
    def test_a_folder_of_somebody_else(self):
        url = f"http://127.0.0.1:{free_port()}"
        # Not where TMPDIR is: that may be closed to others.
        with tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/tmp") as folder:
            os.chmod(folder, 0o755)
            level, text, _ = self.one("data", url, "--data", folder + "/data", user=65534, **GOOD)
            self.assertEqual((level, text), ("wrong", f"{folder} cannot be written: Permission denied"))
            data = pathlib.Path(folder, "data")
            with Server("--data", str(data)):
                pass
            for path in (data, *data.iterdir()):
                os.chown(path, 65534, 65534)
            (data / "CURRENT").chmod(0)
            level, text, remedy = self.one("data", url, "--data", str(data), user=65534, **GOOD)
            self.assertEqual((level, text), ("wrong", f"cannot read {data}/CURRENT: Permission denied"))
            self.assertEqual(remedy, "let this user read and write all files of the folder")

    def test_a_folder_that_no_thread_is_left_for(self):
        user = cli_test.user_without_processes(self)
        folder = cli_test.open_folder(self)
        data = folder / "data"
        with Server("--data", str(data)):
            pass
        for path in (folder, data, *data.rglob("*")):
            os.chown(path, user, user)
        shown = cli_test.run_with_threads(self, 1, "doctor", f"http://127.0.0.1:{free_port()}", "--data", data)
        self.assertRegex(shown.stdout.decode(), r"\nwrong +data +cannot start a thread[^\n]*\n +do +raise that limit, or stop other programs of this user\n")

    def test_disks(self):
        url = f"http://127.0.0.1:{free_port()}"
        with tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/dev/shm") as folder:
            found = self.ask(url, "--data", folder, **GOOD)["disk"]
        self.assertIn("the folder is on a file system in memory", [each[1] for each in found])


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
