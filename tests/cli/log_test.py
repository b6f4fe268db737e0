#!/usr/bin/env python3
"""What a server leaves in its log: every failure of its own with what is needed to find it, in text and in JSON, and that neither
a reader who goes nor a terminal that closes takes the data along.

    log_test.py <dynolith binary> [unittest arguments]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, SONGS, Server, signed_headers, song


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "data")

    def damaged(self, *options):
        """A server whose rows cannot be read, some of which have expired."""
        common = ("--data", self.folder, "--ttl-sweep", "off")
        with Server(*common) as server:
            server.call("CreateTable", **SONGS)
            server.call("UpdateTimeToLive", TableName="songs", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
            for number in range(3):
                server.call("PutItem", TableName="songs", Item={**song(number), "until": {"N": str(int(time.time()) - 9)}})
        # Opening moves the rows from the log into table files.
        with Server(*common):
            pass
        server = Server(*common, *options)
        self.addCleanup(server.__exit__, None, None, None)
        for table in pathlib.Path(self.folder).glob("*.sst"):
            content = bytearray(table.read_bytes())
            content[:64] = bytes(byte ^ 1 for byte in content[:64])
            table.write_bytes(content)
        return server

    def fail(self, server):
        body = json.dumps({"TableName": "songs", "Key": {name: song(1)[name] for name in ("artist", "title")}}).encode()
        connection = cli_test.http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        connection.request("POST", "/", body, signed_headers("GetItem", body))
        response = connection.getresponse()
        self.assertEqual(response.status, 500, response.read())
        connection.close()
        return response.getheader("x-amzn-RequestId")

    def test_text(self):
        server = self.damaged()
        request_id = self.fail(server)
        log = server.stop()[2]
        self.assertRegex(log, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z error a call failed by the server's own fault status=500 "
                         rf'kind=InternalServerError operation=GetItem table=songs request_id={request_id} cause=".*orrupt.*"\n$')

    def test_json(self):
        server = self.damaged("--log-format", "json", "--log-level", "error")
        request_id = self.fail(server)
        lines = server.stop()[2].splitlines()
        self.assertEqual(len(lines), 1)
        event = json.loads(lines[0])
        self.assertRegex(event.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertIn("orrupt", event.pop("cause"))
        self.assertEqual(event, {"level": "error", "message": "a call failed by the server's own fault", "status": 500,
                                 "kind": "InternalServerError", "operation": "GetItem", "table": "songs",
                                 "request_id": request_id})

    def test_json_of_requests(self):
        """Each part of a request is a member; no text has to be taken apart."""
        with Server("--log-format", "json", "--log-level", "info", "--admin") as server:
            server.call("ListTables")
            connection = cli_test.http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("GET", "/_dynolith/clock", headers={"Origin": "http://example.com"})
            connection.getresponse().read()
            connection.close()
            events = [json.loads(line) for line in server.stop()[2].splitlines()]
        listed = next(event for event in events if event.get("operation") == "ListTables")
        self.assertEqual({name: listed[name] for name in ("level", "message", "method", "path", "status", "in", "out")},
                         {"level": "info", "message": "a request was answered", "method": "POST", "path": "/", "status": 200,
                          "in": 2, "out": len('{"TableNames":[]}')})
        self.assertEqual(len(listed["request_id"]), 52)
        self.assertIn(("GET", "/_dynolith/clock", 403), [(event.get("method"), event.get("path"), event.get("status")) for event in events])
        for event in events:
            self.assertNotRegex(event["message"], "=|/")

    def test_the_admin_endpoint(self):
        server = self.damaged("--admin")
        connection = cli_test.http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        connection.request("POST", "/_dynolith/ttl/sweep")
        response = connection.getresponse()
        self.assertEqual(response.status, 500, response.read())
        connection.close()
        self.assertRegex(server.stop()[2], r" error a call failed by the server's own fault status=500 kind=InternalServerError "
                         r'operation=/_dynolith/ttl/sweep cause="[^"{]*orrupt[^"}]*"\n$')

    def test_levels(self):
        for options, lines in (((), 1), (("--log-level", "error"), 0), (("--log-level", "warning"), 1),
                               (("--log-level", "info"), 2), (("--verbose",), 2)):
            with Server("--host", "0.0.0.0", *options) as server:
                server.call("ListTables")
                self.assertEqual(len(server.stop()[2].splitlines()), lines, options)


class Signals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "data")

    def test_a_reader_that_goes_takes_nothing_along(self):
        with Server("--data", self.folder, "--verbose") as server:
            server.process.stderr.close()
            server.process.stdout.close()
            for _ in range(3):
                self.assertEqual(server.call("ListTables"), {"TableNames": []})
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(SECONDS), 0)

    def test_nobody_waits_for_a_reader_that_does_not_read(self):
        with Server("--data", self.folder, "--verbose") as server:
            calls = 1000  # a pipe holds some 64 KB
            for _ in range(calls):
                server.call("ListTables")
            # With that, there is room for the line that says it.
            early = os.read(server.process.stderr.fileno(), 1 << 20).decode()
            server.call("ListTables")
            code, _, late = server.stop()
            self.assertEqual(code, 0)
            errors = early + late
            lost = re.search(r" warning lines of the log are lost, as nobody read them count=(\d+)\n", errors)
            self.assertEqual(errors.count(" info POST "), calls + 1 - int(lost.group(1)), errors[-1000:])

    def test_a_terminal_that_closes_ends_it_cleanly(self):
        with Server("--data", self.folder) as server:
            server.call("CreateTable", **SONGS)
            self.assertEqual(server.stop(signal.SIGHUP), (0, "", ""))
        with Server("--data", self.folder) as server:
            self.assertEqual(server.call("ListTables"), {"TableNames": ["songs"]})

    def test_nohup(self):
        process = subprocess.Popen(["nohup", cli_test.BINARY, "serve", "--port", "0"], stdout=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        port = int(cli_test.READY.match(process.stdout.readline()).group(3))
        process.send_signal(signal.SIGHUP)
        # A server that ends takes no new connections.
        for _ in range(20):
            connection = cli_test.http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            connection.request("GET", "/")
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        process.terminate()
        self.assertEqual(process.wait(SECONDS), 0)
        process.stdout.close()


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
