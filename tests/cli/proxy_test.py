#!/usr/bin/env python3
"""A proxy between a client and an endpoint: what passes unchanged, who signs, and what a client sees when the endpoint is away.

    proxy_test.py <dynolith binary> [unittest arguments]
"""

import concurrent.futures
import gzip
import http.client
import http.server
import json
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading
import unittest
import zlib

import cli_test
from cli_test import SECONDS, run, signed_headers
from clock_test import ITEMS, Clocked, key, put


class Proxied(Clocked):
    """A proxy to an endpoint."""

    def __init__(self, target, *arguments, environment=None):
        url = target if isinstance(target, str) else f"http://127.0.0.1:{target.port}"
        super().__init__("--to", url, *arguments, command="proxy",
                         environment={**os.environ, "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", **(environment or {})})


class Echo(http.server.BaseHTTPRequestHandler):
    """An endpoint that remembers what it was sent, and answers with what it is told to."""

    protocol_version = "HTTP/1.1"
    seen = []
    status, answer, headers_sent = 200, b"{}", {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.seen.append((self.path, self.headers, body))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.answer)))
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *arguments):
        pass


class Passing(unittest.TestCase):
    def start(self, *arguments, target=()):
        server = Clocked("--memory", "--admin", *target)
        self.addCleanup(server.__exit__, None, None, None)
        proxy = Proxied(server, *arguments)
        self.addCleanup(proxy.__exit__, None, None, None)
        return server, proxy

    def echo(self, *arguments, **how):
        handler = type("OneEcho", (Echo,), {"seen": [], "headers_sent": how.get("headers", {}), "answer": how.get("answer", b"{}"),
                                            "status": how.get("status", 200)})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        proxy = Proxied(f"http://127.0.0.1:{server.server_address[1]}", *arguments)

        def stop():
            proxy.__exit__(None, None, None)
            server.shutdown()
            thread.join()
            server.server_close()

        self.addCleanup(stop)
        return handler, proxy

    def raw(self, proxy, body, headers, method="POST", path="/"):
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response, response.read()

    def test_calls_go_there_and_answers_come_back(self):
        server, proxy = self.start()
        self.assertEqual(proxy.where, f"calls go to http://127.0.0.1:{server.port}")
        proxy.call("CreateTable", **ITEMS)
        proxy.call("PutItem", **put("a", n=1))
        self.assertEqual(server.call("GetItem", **key("a")), proxy.call("GetItem", **key("a")))
        self.assertEqual(proxy.fails("GetItem", TableName="other", Key={"pk": {"S": "a"}}),
                         server.fails("GetItem", TableName="other", Key={"pk": {"S": "a"}}))
        self.assertEqual(proxy.fails("Dance"), server.fails("Dance"))
        response, body = self.raw(proxy, None, {}, "GET", "/")
        self.assertEqual((response.status, body), (200, b"healthy: dynamodb.us-east-1.amazonaws.com "))

    def test_calls_are_signed_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys.txt"
            keys.write_text("AKID secret token\n")
            keys.chmod(0o600)
            server = Clocked("--memory", "--auth", "verify", "--credentials", str(keys))
            self.addCleanup(server.__exit__, None, None, None)
            proxy = Proxied(server, environment={"AWS_SESSION_TOKEN": "token", "AWS_REGION": "eu-central-1"})
            self.addCleanup(proxy.__exit__, None, None, None)
            # The client's own signature is of another key, or there is none.
            self.assertEqual(proxy.call("ListTables"), {"TableNames": []})
            headers = {"x-amz-target": "DynamoDB_20120810.ListTables", "X-Amz-User-Agent": "aws-sdk-js/3", "content-type": "application/json"}
            response, body = self.raw(proxy, b"{}", headers, path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=x")
            self.assertEqual((response.status, json.loads(body)), (200, {"TableNames": []}))
            wrong = Proxied(server, environment={"AWS_SECRET_ACCESS_KEY": "other", "AWS_SESSION_TOKEN": "token"})
            self.addCleanup(wrong.__exit__, None, None, None)
            self.assertEqual(wrong.fails("ListTables")[0], "InvalidSignatureException")

    def test_the_clients_of_the_proxy_can_be_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys.txt"
            keys.write_text("other word\n")
            keys.chmod(0o600)
            server, proxy = self.start("--auth", "verify", "--credentials", str(keys))
            self.assertEqual(proxy.fails("ListTables")[0], "InvalidSignatureException")
            self.assertEqual(server.call("ListTables"), {"TableNames": []})

    def test_pages_of_others_do_not_get_our_signature(self):
        handler, proxy = self.echo()
        headers = {**signed_headers("ListTables", b"{}"), "origin": "https://elsewhere.example"}
        response, body = self.raw(proxy, b"{}", headers)
        self.assertEqual(response.status, 403)
        self.assertIn(b"--allow-origin", body)
        self.assertEqual(handler.seen, [])

    def test_what_is_passed_on(self):
        handler, proxy = self.echo("--region", "eu-west-3", answer=b'{"unknown": 1}', status=418,
                                   headers={"x-amzn-RequestId": "ID", "x-amz-crc32": "7", "Content-Type": "application/x-amz-json-1.1"})
        body = b'{ "whatever": [1,2,  3] }'
        headers = {"x-amz-target": "Elsewhere_20990101.Dance", "x-amz-one": "1", "User-Agent": "test/1", "content-type": "text/x",
                   "Authorization": "AWS4-HMAC-SHA256 Credential=client/x", "x-amz-date": "20200101T000000Z",
                   "amz-sdk-invocation-id": "abc", "Accept-Encoding": "gzip"}
        response, answer = self.raw(proxy, body, headers)
        self.assertEqual((response.status, answer), (418, b'{"unknown": 1}'))
        self.assertEqual([response.getheader(name) for name in ("x-amzn-RequestId", "x-amz-crc32", "Content-Type")],
                         ["ID", "7", "application/x-amz-json-1.1"])
        [(path, sent, got)] = handler.seen
        self.assertEqual((path, got), ("/", body))
        for name in ("x-amz-target", "x-amz-one", "User-Agent", "content-type", "amz-sdk-invocation-id", "Accept-Encoding"):
            self.assertEqual(sent.get_all(name), [headers[name]])
        self.assertNotEqual(sent["x-amz-date"], headers["x-amz-date"])
        self.assertRegex(sent["Authorization"], "^AWS4-HMAC-SHA256 Credential=AKID/[0-9]{8}/eu-west-3/dynamodb/aws4_request, "
                         "SignedHeaders=content-type;host;x-amz-date;x-amz-one;x-amz-target, Signature=[0-9a-f]{64}$")

    def test_compressed_bodies_pass(self):
        server, proxy = self.start()
        proxy.call("CreateTable", **ITEMS)
        body = gzip.compress(json.dumps(put("a" * 1000)).encode())
        headers = {**signed_headers("PutItem", body), "content-encoding": "gzip"}
        self.assertEqual(self.raw(proxy, body, headers)[0].status, 200)
        body = b'{"TableName": "items"}'
        for i in range(10):
            server.call("PutItem", **put(str(i) * 1000))
        response, answer = self.raw(proxy, body, {**signed_headers("Scan", body), "accept-encoding": "gzip"})
        self.assertEqual((response.status, response.getheader("content-encoding")), (200, "gzip"))
        self.assertEqual(int(response.getheader("x-amz-crc32")), zlib.crc32(answer))
        self.assertEqual(json.loads(gzip.decompress(answer))["Count"], 11)

    def test_large_bodies(self):
        server, proxy = self.start()
        proxy.call("CreateTable", **ITEMS)
        item = lambda i: {"pk": {"S": str(i)}, "text": {"S": "x" * 390_000}}
        writes = [{"PutRequest": {"Item": item(i)}} for i in range(25)]
        # As large as a request may be: white space is a part of the body.
        body = json.dumps({"RequestItems": {"items": writes}}).encode()
        body += b" " * ((16 << 20) - len(body))
        self.assertEqual(proxy.request("BatchWriteItem", body), (200, {"UnprocessedItems": {}}))
        page = proxy.call("Scan", TableName="items")
        self.assertEqual(page, server.call("Scan", TableName="items"))
        self.assertGreater(len(json.dumps(page)), 1_000_000)
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.putrequest("POST", "/")
        connection.putheader("Content-Length", str((16 << 20) + 1))
        connection.endheaders()
        self.assertEqual(connection.getresponse().status, 413)

    def test_one_connection_for_many_calls(self):
        _, proxy = self.start()
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        sockets = set()
        for _ in range(5):
            connection.request("POST", "/", b"{}", signed_headers("ListTables", b"{}"))
            sockets.add(connection.sock)
            response = connection.getresponse()
            self.assertEqual(json.loads(response.read()), {"TableNames": []})
        self.assertEqual(len(sockets), 1)

    def test_clients_that_ask_before_they_send(self):
        _, proxy = self.start()
        head = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("ListTables", b"{}").items())
        with socket.create_connection(("127.0.0.1", proxy.port), SECONDS) as client:
            client.sendall(f"POST / HTTP/1.1\r\n{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n".encode())
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 100 "))
            client.sendall(b"{}")
            self.assertTrue(client.recv(1000).startswith(b"HTTP/1.1 200 "))

    def test_an_endpoint_that_goes_and_comes_back(self):
        server, proxy = self.start()
        self.assertEqual(proxy.call("ListTables"), {"TableNames": []})
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(SECONDS)
        status, answer = proxy.request("ListTables", b"{}")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (503, "ServiceUnavailable"))
        self.assertIn(f"cannot ask http://127.0.0.1:{server.port}: ", answer["message"])
        with Clocked("--memory", port=server.port):
            self.assertEqual(proxy.call("ListTables"), {"TableNames": []})
        _, _, errors = proxy.stop()
        self.assertIn("a call failed by the server's own fault status=503", errors)

    def test_a_silent_endpoint_keeps_nobody_else_waiting(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            proxy = Proxied(f"http://127.0.0.1:{silent.getsockname()[1]}", "--admin", "--threads", "1", "--connections", "2",
                            "--answer-timeout", "2")
            self.addCleanup(proxy.__exit__, None, None, None)
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                waiting = [pool.submit(proxy.request, "ListTables", b"{}") for _ in range(3)]
                with silent.accept()[0], silent.accept()[0]:
                    # Two calls are on their way, and the third waits for its turn.
                    self.assertEqual(proxy.admin("GET", "faults"), (200, {"faults": []}))
                    self.assertFalse(any(call.done() for call in waiting))
                    for call in waiting:
                        self.assertEqual(call.result()[0], 503)

    def test_many_clients(self):
        _, proxy = self.start("--connections", "8")
        proxy.call("CreateTable", **ITEMS)

        def work(client):
            for i in range(50):
                name = f"{client}-{i}"
                proxy.call("PutItem", **put(name, n=i))
                self.assertEqual(proxy.call("GetItem", **key(name))["Item"]["n"]["N"], str(i))

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(work, range(16)))
        self.assertEqual(proxy.call("Scan", TableName="items", Select="COUNT")["Count"], 800)

    def test_one_line_for_each_call(self):
        _, proxy = self.start("--log-level", "info")
        proxy.call("ListTables")
        _, _, errors = proxy.stop()
        self.assertRegex(errors, r"info POST / DynamoDB_20120810.ListTables 200 in=2 out=17 us=\d+ request_id=\w+\n")

    def test_targets_that_are_none(self):
        for url, why in (("localhost:8000", "localhost:8000 is no server's address such as http://127.0.0.1:8000"),
                         ("http://localhost:8000/x", "http://localhost:8000/x is no server's address such as http://127.0.0.1:8000")):
            shown = run("proxy", "--port", "0", "--to", url)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""))
            self.assertIn(why, shown.stderr.decode())


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
