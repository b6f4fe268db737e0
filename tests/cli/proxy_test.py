#!/usr/bin/env python3
"""A proxy between a client and an endpoint: what passes unchanged, who signs, and what a client sees when the endpoint is away.

    proxy_test.py <dynolith binary> [unittest arguments]
"""

import concurrent.futures
import csv
import gzip
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import zlib

import cli_test
from cli_test import SECONDS, SONGS, run, signed_headers, song
from clock_test import ITEMS, Clocked, key, put
from trace_test import EXPERIMENT


class Proxied(Clocked):
    """A proxy to an endpoint."""

    def __init__(self, target, *arguments, environment=None):
        url = target if isinstance(target, str) else f"http://127.0.0.1:{target.port}"
        super().__init__("--to", url, *arguments, command="proxy",
                         environment={**os.environ, "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", **(environment or {})})


class Echo(http.server.BaseHTTPRequestHandler):
    """An endpoint that remembers what it was sent, and answers with what it is told to."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
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


class Started(unittest.TestCase):
    def start(self, *arguments, target=()):
        server = Clocked("--memory", "--admin", *target)
        self.addCleanup(server.__exit__, None, None, None)
        proxy = Proxied(server, *arguments)
        self.addCleanup(self.end, proxy)
        return server, proxy

    def end(self, proxy):
        """It ends well, whatever it has done."""
        if proxy.process.poll() is None:
            proxy.process.send_signal(signal.SIGTERM)
        self.assertEqual(proxy.process.wait(SECONDS), 0)
        proxy.__exit__(None, None, None)

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


class Passing(Started):
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


class Odd(Started):
    """Endpoints that do not behave, and a proxy whose calls stay on loops or go to workers: the latter where units are measured."""

    WAYS = ((), ("--hot-keys",))

    def scripted(self, script):
        """script(connection, number): what the endpoint does with each connection."""
        listener = socket.create_server(("127.0.0.1", 0))
        threads = []

        def serve():
            number = 0
            while True:
                try:
                    connection = listener.accept()[0]
                except OSError:
                    return
                threads.append(threading.Thread(target=self.play, args=(script, connection, number)))
                threads[-1].start()
                number += 1

        server = threading.Thread(target=serve)
        server.start()

        def stop():
            listener.shutdown(socket.SHUT_RDWR)
            server.join()
            listener.close()
            for thread in threads:
                thread.join()

        self.addCleanup(stop)
        return listener.getsockname()[1]

    @staticmethod
    def play(script, connection, number):
        with connection:
            try:
                script(connection, number)
            except ConnectionError:
                pass

    @staticmethod
    def request_from(connection):
        """The next request; empty: the connection has ended."""
        seen = b""
        while b"\r\n\r\n" not in seen:
            part = connection.recv(65536)
            if not part:
                return b""
            seen += part
        head, _, body = seen.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body

    def proxied(self, port, *arguments):
        proxy = Proxied(f"http://127.0.0.1:{port}", "--threads", "1", *arguments)
        self.addCleanup(self.end, proxy)
        return proxy

    def ask(self, proxy):
        status, answer = proxy.request("ListTables", b"{}")
        return status, answer.get("message", "").partition(": ")[2] if status == 503 else answer

    OK = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + b'{"names":[]}'

    def test_it_closes_idle_connections(self):
        """Each is closed behind its first answer, without a word; the call after that is on a new one."""
        closed = threading.Semaphore(0)

        def script(connection, _):
            if self.request_from(connection):
                connection.sendall(self.OK)
                connection.shutdown(socket.SHUT_WR)
                # Until the proxy has closed it, too, or is about to ask on it.
                closed.release()
                connection.recv(1)

        port = self.scripted(script)
        for way in self.WAYS:
            proxy = self.proxied(port, *way)
            for _ in range(20):
                self.assertEqual(self.ask(proxy), (200, {"names": []}))
                closed.acquire()

    def test_a_call_is_sent_once(self):
        seen = []

        def script(connection, number):
            if number % 2 == 0:
                self.request_from(connection)
                connection.sendall(self.OK)
            if self.request_from(connection):
                seen.append(number)

        port = self.scripted(script)
        for way in self.WAYS:
            seen.clear()
            proxy = self.proxied(port, *way)
            self.assertEqual(self.ask(proxy)[0], 200)
            # On the connection that is open, and then on a new one.
            self.assertEqual([self.ask(proxy)[0] for _ in range(2)], [503, 503])
            self.assertEqual(len(seen), 2)

    def test_answers_that_are_none(self):
        answers = ((b"SSH-2.0-OpenSSH_9.2\r\n", "its answer is not HTTP/1.1"),
                   (self.OK[:-5], "it has closed the connection within its answer"), (b"", "it has closed the connection without an answer"),
                   (b"HTTP/1.1 200 OK\r\nA: b\r", "it has closed the connection within its answer"),
                   (b"HTTP/1.1 400 Bad\r\nContent-Length: 99999999999\r\n\r\n", "its answer has more than 64 MB"),
                   (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "it has closed the connection within its answer"))

        def script(connection, number):
            if self.request_from(connection):
                connection.sendall(answers[number % len(answers)][0])

        port = self.scripted(script)
        for way in self.WAYS:
            proxy = self.proxied(port, *way)
            for _, why in answers:
                status, said = self.ask(proxy)
                self.assertEqual(status, 503)
                if not way:
                    self.assertEqual(said, why)
            _, _, errors = proxy.stop()
            self.assertEqual(errors.count("a call failed by the server's own fault status=503"), len(answers))

    def test_answers_of_all_kinds(self):
        answers = (self.OK, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"nam\r\n7\r\nes\":[]}\r\n0\r\n\r\n",
                   b"HTTP/1.1 100 Continue\r\n\r\n" + self.OK, b"HTTP/1.0 200 OK\r\n\r\n{\"names\":[]}")

        def script(connection, _):
            for answer in answers:
                if not self.request_from(connection):
                    return
                for i in range(0, len(answer), 7):
                    connection.sendall(answer[i:i + 7])

        for way in self.WAYS:
            proxy = self.proxied(self.scripted(script), *way)
            for _ in range(2 * len(answers)):
                self.assertEqual(self.ask(proxy), (200, {"names": []}))

    def test_long_answers_pass_as_they_come(self):
        """Whatever their length: what is held has 64 MB at most."""
        size, piece = 100 << 20, b" " * (1 << 20)
        gone = threading.Event()

        def script(connection, number):
            for _ in range(2):
                if not self.request_from(connection):
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
                for _ in range(size // len(piece) if number != 1 else 5):
                    try:
                        connection.sendall(piece)
                    except ConnectionError:
                        gone.set()
                        raise
                if number == 1:
                    return

        proxy = self.proxied(self.scripted(script))
        request = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("Scan", b"{}").items())
        request = f"POST / HTTP/1.1\r\n{request}Content-Length: 2\r\n\r\n{{}}".encode()

        def body_of(client):
            client.sendall(request)
            head = b""
            while b"\r\n\r\n" not in head:
                part = client.recv(1 << 20)
                self.assertTrue(part, head)
                head += part
            seen = len(head.partition(b"\r\n\r\n")[2])
            while seen < size and (part := client.recv(1 << 20)):
                seen += len(part)
            return seen

        with socket.create_connection(("127.0.0.1", proxy.port), SECONDS) as client:
            self.assertEqual([body_of(client) for _ in range(2)], [size, size])
            # The endpoint ends within its answer, and so does ours.
            self.assertLess(body_of(client), 6 << 20)
        # A client that goes away ends the answer.
        with socket.create_connection(("127.0.0.1", proxy.port), SECONDS) as client:
            client.sendall(request)
            client.recv(1000)
        self.assertTrue(gone.wait(SECONDS))

    def test_it_says_nothing(self):
        port = self.scripted(lambda connection, _: connection.recv(1 << 20) and connection.recv(1))
        for way in self.WAYS:
            proxy = self.proxied(port, "--answer-timeout", "1", *way)
            status, why = self.ask(proxy)
            self.assertEqual(status, 503)
            if not way:
                self.assertEqual(why, "there was no answer within 1 s")

    def test_it_does_not_read(self):
        """Of a request larger than the buffers of sockets, part of which is then on its way."""
        port = self.scripted(lambda connection, _: done.wait(SECONDS))
        done = threading.Event()
        self.addCleanup(done.set)
        for way in self.WAYS:
            proxy = self.proxied(port, "--answer-timeout", "1", *way)
            self.assertEqual(proxy.request("ListTables", b" " * (16 << 20))[0], 503)
            self.assertEqual(proxy.request("ListTables", b" " * (200 << 10))[0], 503)

    def test_calls_beyond_the_connections_wait_for_their_turn(self):
        most, open_now, lock = [0], [0], threading.Lock()

        def script(connection, _):
            while self.request_from(connection):
                with lock:
                    open_now[0] += 1
                    most[0] = max(most[0], open_now[0])
                time.sleep(0.001)
                with lock:
                    open_now[0] -= 1
                connection.sendall(self.OK)

        port = self.scripted(script)
        for way in self.WAYS:
            proxy = self.proxied(port, "--connections", "2", *way)
            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                self.assertEqual(set(pool.map(lambda _: self.ask(proxy)[0], range(64))), {200})
        self.assertEqual(most, [2])

    def test_pipelined_calls(self):
        server, proxy = self.start("--threads", "1")
        request = "".join(f"{name}: {value}\r\n" for name, value in signed_headers("ListTables", b"{}").items())
        with socket.create_connection(("127.0.0.1", proxy.port), SECONDS) as client:
            client.sendall(f"POST / HTTP/1.1\r\n{request}Content-Length: 2\r\n\r\n{{}}".encode() * 50)
            answers = b""
            while answers.count(b'{"TableNames":[]}') < 50:
                answers += client.recv(65536)
        self.assertEqual(answers.count(b"HTTP/1.1 200 OK"), 50)

    def test_over_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            key_file, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key_file, "-out", certificate],
                           check=True, capture_output=True)
            server = subprocess.Popen([cli_test.BINARY, "serve", "--port", "0", "--memory", "--tls-cert", certificate, "--tls-key", key_file],
                                      stdout=subprocess.PIPE, text=True)
            self.addCleanup(server.stdout.close)
            self.addCleanup(server.wait, SECONDS)
            self.addCleanup(server.terminate)
            port = server.stdout.readline().split("https://127.0.0.1:")[1].split()[0]
            for way in self.WAYS:
                proxy = Proxied(f"https://localhost:{port}", "--ca", certificate, *way)
                self.addCleanup(self.end, proxy)
                if not way:
                    proxy.call("CreateTable", **ITEMS)
                for i in range(5):
                    proxy.call("PutItem", TableName="items", Item={"pk": {"S": str(i)}, "text": {"S": "x" * 200_000}})
                self.assertEqual(proxy.call("Scan", TableName="items")["Count"], 5)
                # Not trusted, or another's name.
                for url, arguments in ((f"https://localhost:{port}", ()), (f"https://127.0.0.1:{port}", ("--ca", certificate))):
                    other = Proxied(url, *arguments, *way)
                    self.addCleanup(self.end, other)
                    status, why = self.ask(other)
                    self.assertEqual(status, 503)
                    self.assertIn("certificate verify failed", why)

    def test_a_name_that_does_not_exist(self):
        for way in self.WAYS:
            proxy = Proxied("http://no-such-host.invalid:1", *way, environment={"AWS_REGION": "eu-west-1"})
            self.addCleanup(self.end, proxy)
            self.assertEqual(self.ask(proxy)[0], 503)


class Faults(Started):
    """On purpose, by the server's rules, in front of an endpoint that has none."""

    def start(self, *arguments, **how):
        server, proxy = super().start("--admin", *arguments, **how)
        proxy.call("CreateTable", **ITEMS)
        return server, proxy

    def add(self, proxy, fault, **members):
        status, answer = proxy.admin("POST", "faults", {"fault": fault, **members})
        self.assertEqual(status, 200, answer)

    def put(self, proxy, pk):
        status, answer = proxy.request("PutItem", json.dumps(put(pk)).encode())
        return status, (answer or {}).get("__type", "").partition("#")[2]

    def names(self, server):
        return sorted(item["pk"]["S"] for item in server.call("Scan", TableName="items")["Items"])

    def test_errors(self):
        server, proxy = self.start()
        self.add(proxy, "throttle", operation="PutItem", nth=1, retry_after=250)
        body = json.dumps(put("a")).encode()
        response, answer = self.raw(proxy, body, signed_headers("PutItem", body))
        self.assertEqual((response.status, response.getheader("x-amz-retry-after")), (400, "250"))
        self.assertEqual(int(response.getheader("x-amz-crc32")), zlib.crc32(answer))
        # The table is the endpoint's, and so is its way of throttling.
        self.assertEqual(json.loads(answer)["throttlingReasons"],
                         [{"reason": "TableWriteKeyRangeThroughputExceeded", "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/items"}])
        self.add(proxy, "internal_error", table="items", hits_max=1)
        self.assertEqual(self.put(proxy, "b"), (500, "InternalServerError"))
        self.add(proxy, "unavailable", key={"pk": {"S": "c"}})
        self.assertEqual(self.put(proxy, "c"), (503, "ServiceUnavailable"))
        self.assertEqual(self.put(proxy, "d"), (200, ""))
        self.add(proxy, "transaction_conflict", key={"pk": {"S": "e"}})
        self.assertEqual(self.put(proxy, "e"), (400, "TransactionConflictException"))
        status, answer = proxy.request("TransactWriteItems", json.dumps({"TransactItems": [{"Put": put("f")}, {"Put": put("e")}]}).encode())
        self.assertEqual((status, [reason["Code"] for reason in answer["CancellationReasons"]]), (400, ["None", "TransactionConflict"]))
        self.assertEqual(self.names(server), ["d"])
        self.assertEqual(server.admin("GET", "faults"), (200, {"faults": []}))

    def test_other_calls_and_tables_by_arn(self):
        _, proxy = self.start()
        arn = proxy.call("DescribeTable", TableName="items")["Table"]["TableArn"]
        self.add(proxy, "unavailable", table="items")
        for operation, members in (("DescribeTable", {"TableName": arn}), ("ListTagsOfResource", {"ResourceArn": arn}),
                                   ("GetItem", {**key("a"), "TableName": arn})):
            self.assertEqual(proxy.request(operation, json.dumps(members).encode())[0], 503, operation)
        self.assertEqual(proxy.call("ListTables"), {"TableNames": ["items"]})

    def test_connections_that_are_closed(self):
        server, proxy = self.start()
        for fault, there in (("dropped_connection", False), ("answer_lost", True)):
            self.add(proxy, fault, operation="PutItem", hits_max=1)
            with self.assertRaises(http.client.RemoteDisconnected):
                self.put(proxy, fault)
            self.assertEqual("Item" in server.call("GetItem", **key(fault)), there, fault)
        self.assertEqual(self.put(proxy, "again"), (200, ""))

    def test_partial_batches(self):
        server, proxy = self.start()
        self.add(proxy, "partial_batch", key={"pk": {"S": "b"}}, hits_max=3)
        writes = {"items": [{"PutRequest": {"Item": put(pk, n=1)["Item"]}} for pk in "abc"]}
        answer = proxy.call("BatchWriteItem", RequestItems=writes, ReturnConsumedCapacity="TOTAL")
        self.assertEqual(answer["UnprocessedItems"], {"items": [writes["items"][1]]})
        self.assertEqual(answer["ConsumedCapacity"], [{"TableName": "items", "CapacityUnits": 2}])
        keys = {"items": {"Keys": [key(pk)["Key"] for pk in "abc"], "ProjectionExpression": "pk"}}
        answer = proxy.call("BatchGetItem", RequestItems=keys)
        self.assertEqual(answer["UnprocessedKeys"], {"items": {"Keys": [key("b")["Key"]], "ProjectionExpression": "pk"}})
        self.assertEqual(len(answer["Responses"]["items"]), 2)
        # Nothing is left to ask for.
        answer = proxy.call("BatchGetItem", RequestItems={"items": {"Keys": [key("b")["Key"]]}})
        self.assertEqual(answer, {"Responses": {}, "UnprocessedKeys": {"items": {"Keys": [key("b")["Key"]]}}})
        self.assertEqual(self.names(server), ["a", "c"])

    def test_a_batch_of_statements_fails_as_a_whole(self):
        server, proxy = self.start()
        status, answer = proxy.admin("POST", "faults", {"fault": "transaction_conflict", "operation": "BatchExecuteStatement"})
        self.assertEqual((status, answer["error"]), (400, "a proxy cannot inject transaction_conflict into BatchExecuteStatement, whose "
                                                     "statements have answers of their own"))
        self.add(proxy, "throttle", key={"pk": {"S": "b"}})
        statements = [{"Statement": f"INSERT INTO items VALUE {{'pk': '{pk}'}}"} for pk in "ab"]
        self.assertEqual(proxy.fails("BatchExecuteStatement", Statements=statements)[0], "ThrottlingException")
        self.assertEqual(self.names(server), [])

    def test_latency_keeps_nobody_else_waiting(self):
        _, proxy = self.start("--threads", "1", "--connections", "2")
        self.add(proxy, "latency", operation="PutItem", latency=900)
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            slow = [pool.submit(self.put, proxy, f"slow{i}") for i in range(10)]
            while proxy.admin("GET", "faults")[1]["faults"][0]["hits"] < 10:
                time.sleep(0.01)
            proxy.call("GetItem", **key("x"))
            self.assertFalse(any(call.done() for call in slow))
            proxy.process.send_signal(signal.SIGTERM)
            self.assertEqual({call.result() for call in slow}, {(200, "")})
            proxy.process.wait(SECONDS)

    def test_paths_that_mean_nothing_here(self):
        _, proxy = self.start()
        for path in ("clock", "databases", "staleness", "snapshots", "checkpoint"):
            status, answer = proxy.admin("GET", path)
            self.assertEqual(status, 404, path)
            self.assertIn("a proxy has no /_dynolith/", answer["error"])


class Measured(Started):
    """What calls use: the proxy says the same as the endpoint would itself."""

    def rows(self, trace):
        shown = run("lab", "trace", str(trace), "--csv", f"{trace}.csv")
        self.assertEqual(shown.returncode, 0, shown)
        with open(f"{trace}.csv", newline="", encoding="utf-8") as file:
            return [(row["operation"], row["table"], row["index"], row["kind"], float(row["units"]), row["partition_key"])
                    for row in csv.DictReader(file)]

    def make_calls(self, proxy):
        keyed = {name: song(1)[name] for name in ("artist", "title")}
        proxy.call("CreateTable", **SONGS)
        for number in range(5):
            proxy.call("PutItem", TableName="songs", Item=song(number))
        proxy.call("GetItem", TableName="songs", Key=keyed)
        proxy.call("GetItem", TableName="songs", Key=keyed, ConsistentRead=True, ReturnConsumedCapacity="NONE")
        proxy.call("Query", TableName="songs", KeyConditionExpression="artist = :a",
                   ExpressionAttributeValues={":a": {"S": "Acme Band"}}, ConsistentRead=True)
        proxy.call("Query", TableName="songs", IndexName="by-year", KeyConditionExpression="#y = :y",
                   ExpressionAttributeNames={"#y": "year"}, ExpressionAttributeValues={":y": {"N": "1992"}})
        proxy.call("Query", TableName="songs", KeyConditions={"artist": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "Nobody"}]}})
        proxy.call("Scan", TableName="songs")
        proxy.call("BatchGetItem", RequestItems={"songs": {"Keys": [keyed, {"artist": {"S": "x"}, "title": {"S": "y"}}]}})
        proxy.call("BatchWriteItem", RequestItems={"songs": [{"PutRequest": {"Item": song(number)}} for number in (5, 6)]})
        proxy.call("TransactWriteItems", TransactItems=[{"Put": {"TableName": "songs", "Item": song(number)}} for number in (7, 8)])
        proxy.call("TransactGetItems", TransactItems=[{"Get": {"TableName": "songs", "Key": keyed}}])
        proxy.call("UpdateItem", TableName="songs", Key=keyed, UpdateExpression="SET rating = :r", ExpressionAttributeValues={":r": {"N": "5"}})
        proxy.call("ExecuteStatement", Statement="SELECT * FROM songs WHERE artist = 'Acme Band' AND title = 'Song 1'")
        proxy.call("DeleteItem", TableName="songs", Key={"artist": {"S": "nobody"}, "title": {"S": "nothing"}})

    def test_the_trace_is_that_of_the_endpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = (pathlib.Path(folder) / name for name in ("theirs.trace", "ours.trace"))
            plain = ("--trace-keys", "plain")
            server, proxy = self.start("--trace", str(ours), *plain, target=("--trace", str(theirs), *plain))
            self.make_calls(proxy)
            proxy.stop()
            server.stop()
            expected, rows = self.rows(theirs), self.rows(ours)
            # Only the endpoint knows which partitions a page of a scan goes through.
            self.assertEqual([row for row in rows if row[0] != "Scan"], [row for row in expected if row[0] != "Scan"])
            scanned = lambda of: sum(row[4] for row in of if row[0] == "Scan")
            self.assertEqual((scanned(rows), sum(row[0] == "Scan" for row in rows)), (scanned(expected), 1))
            self.assertGreater(len(rows), 20)
            experiment = pathlib.Path(folder) / "e.toml"
            experiment.write_text(EXPERIMENT.replace("songs.trace", "ours.trace"), encoding="utf-8")
            shown = run("lab", "simulate", str(experiment))
            self.assertEqual(shown.returncode, 0, shown)

    def test_answers_are_those_that_were_asked_for(self):
        server, proxy = self.start("--hot-keys", "--admin")
        proxy.call("CreateTable", **ITEMS)
        for pk in "abc":
            body = json.dumps(put(pk, n=1)).encode()
            response, answer = self.raw(proxy, body, signed_headers("PutItem", body))
            self.assertEqual((answer, int(response.getheader("x-amz-crc32"))), (b"{}", zlib.crc32(b"{}")))
        for members in ({}, {"ReturnConsumedCapacity": "NONE"}, {"ReturnConsumedCapacity": "TOTAL"}, {"ReturnConsumedCapacity": "INDEXES"}):
            for operation in ("Scan", "Query"):
                keyed = {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}} if operation == "Query" else {}
                body = json.dumps({"TableName": "items", **keyed, **members}).encode()
                headers = signed_headers(operation, body)
                self.assertEqual(self.raw(proxy, body, headers)[1], self.raw(server, body, headers)[1])
        for i in range(10):
            server.call("PutItem", **put(str(i) * 1000))
        body = b'{"TableName": "items"}'
        response, answer = self.raw(proxy, body, {**signed_headers("Scan", body), "accept-encoding": "gzip"})
        self.assertEqual((response.getheader("content-encoding"), int(response.getheader("x-amz-crc32"))), ("gzip", zlib.crc32(answer)))
        self.assertEqual(json.loads(gzip.decompress(answer)), server.call("Scan", TableName="items"))
        self.assertEqual(proxy.fails("Query", TableName="items"), server.fails("Query", TableName="items"))

    def test_hot_keys(self):
        _, proxy = self.start("--hot-keys", "--admin")
        proxy.call("CreateTable", **ITEMS)
        for pk in "aaab":
            proxy.call("PutItem", **put(pk))
        status, answer = proxy.admin("GET", "hot-keys?table=items")
        self.assertEqual((status, answer["watched"]), (200, True))
        hot = answer["all"]["partition_keys"] if "partition_keys" in answer["all"] else next(iter(answer["all"].values()))
        self.assertEqual([each["key"] for each in hot], [{"pk": {"S": "a"}}, {"pk": {"S": "b"}}])

    def test_the_live_page_and_top(self):
        """They show what calls through the proxy use: the tables are the endpoint's."""
        _, proxy = self.start("--hot-keys", "--admin")
        proxy.call("CreateTable", **ITEMS)
        for pk in "aaab":
            proxy.call("PutItem", **put(pk))
        response, page = self.raw(proxy, None, {}, "GET", "/_dynolith/live")
        self.assertEqual((response.status, response.getheader("Content-Type")), (200, "text/html; charset=utf-8"))
        files = re.findall(rb'(?:src|href)="([^"]+)"', page)
        # A build without npm has one that says so.
        self.assertGreaterEqual(len(files), 1 if b"there was no npm" in page else 2)
        for name in files:
            if name not in (b"/_dynolith/", b"data:,"):
                self.assertEqual(self.raw(proxy, None, {}, "GET", urllib.parse.urljoin("/_dynolith/live", name.decode()))[0].status, 200, name)
        self.assertEqual(proxy.admin("POST", "heat", {"table": "items"})[0], 200)
        for pk in "aaab":
            proxy.call("PutItem", **put(pk))
        status, heat = proxy.admin("GET", "heat?table=items")
        self.assertEqual(status, 200, heat)
        self.assertIn('"write', json.dumps(heat))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            top = pool.submit(run, "top", f"http://127.0.0.1:{proxy.port}", "--once", "--interval", "0.3")
            while not top.done():
                proxy.call("PutItem", **put("a"))
        self.assertEqual(top.result().returncode, 0, top.result())
        text = top.result().stdout.decode()
        self.assertRegex(text, r"(?m)^PutItem +[1-9]")
        self.assertRegex(text, r"(?m)^items +0.0 +[1-9]")
        self.assertRegex(text, r'(?m)^items +[1-9].*\{"pk":\{"S":"a"\}\}$')
        status, answer = proxy.admin("GET", "tables")
        self.assertEqual((status, "/_dynolith/live" in json.dumps(answer)), (404, True))

    def metrics(self, proxy):
        response, text = self.raw(proxy, None, {}, "GET", "/_dynolith/metrics")
        self.assertEqual(response.status, 200)
        return dict(line.rsplit(" ", 1) for line in text.decode().splitlines() if not line.startswith("#"))

    def test_what_would_be_throttled_beside_what_was(self):
        table = {**ITEMS, "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}
        # An hour of unused capacity is never saved: of 300 s that the model saves nothing is left after as many writes.
        server, proxy = self.start("--capacity", "enforce", "--admin")
        server.call("CreateTable", **table)
        text = "x" * 100_000
        for i in range(10):
            proxy.call("PutItem", TableName="items", Item={"pk": {"S": str(i)}, "text": {"S": text}})
        status, report = proxy.admin("GET", "proxy")
        [counts] = report["tables"]
        self.assertEqual((status, counts["table"], counts["calls"], counts["throttled"], counts["unmeasured"]), (200, "items", 10, 0, 0))
        self.assertGreater(counts["would_throttle"], 0)
        self.assertLess(counts["would_throttle"], 10)
        metrics = self.metrics(proxy)
        self.assertEqual(float(metrics['dynolith_proxy_would_throttle_calls_total{table="items"}']), counts["would_throttle"])
        self.assertEqual(metrics['dynolith_requests_total{operation="PutItem",outcome="success"}'], "10")
        self.assertGreater(float(metrics['dynolith_throttled_accesses_total{table="items",index="",kind="write",reason="provisioned"}']), 0)

    def test_what_the_endpoint_throttles(self):
        server, proxy = self.start("--capacity", "account", "--hot-keys", "--admin", target=("--capacity", "enforce", "--capacity-scale", "0.001"))
        server.call("CreateTable", **ITEMS)
        item = {"pk": {"S": "a"}, "text": {"S": "x" * 100_000}}
        seen = [proxy.request("PutItem", json.dumps({"TableName": "items", "Item": item}).encode())[0] for _ in range(20)]
        self.assertIn(400, seen)
        [counts] = proxy.admin("GET", "proxy")[1]["tables"]
        self.assertEqual((counts["calls"], counts["throttled"], counts["would_throttle"]), (20, seen.count(400), 0))

    def test_a_table_that_changes(self):
        _, proxy = self.start("--hot-keys", "--admin")
        for attribute in ("pk", "id"):
            proxy.call("CreateTable", **{**ITEMS, "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
                                         "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"}]})
            proxy.call("PutItem", TableName="items", Item={attribute: {"S": "x"}})
            self.assertIn(json.dumps({attribute: {"S": "x"}}), json.dumps(proxy.admin("GET", "hot-keys?table=items")[1]))
            proxy.call("DeleteTable", TableName="items")


class Shadows(Started):
    """Two endpoints: both get the writes, and what they answer to reads is compared."""

    def start_both(self, *arguments, **how):
        shadow = Clocked("--memory", "--admin")
        self.addCleanup(shadow.__exit__, None, None, None)
        target, proxy = self.start("--admin", "--shadow", f"http://127.0.0.1:{shadow.port}", *arguments, **how)
        for server in (target, shadow):
            server.call("CreateTable", **ITEMS)
        return target, shadow, proxy

    def counts(self, proxy):
        status, answer = proxy.admin("GET", "proxy")
        self.assertEqual(status, 200, answer)
        return {name: count for name, count in answer["shadow"].items() if name != "endpoint" and count}

    def await_counts(self, proxy, **expected):
        deadline = time.monotonic() + SECONDS
        while self.counts(proxy) != expected:
            self.assertLess(time.monotonic(), deadline, self.counts(proxy))
            time.sleep(0.01)

    def test_writes_go_to_both_and_reads_are_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "differences"
            target, shadow, proxy = self.start_both("--differences", str(file))
            self.assertEqual(proxy.where, f"calls go to http://127.0.0.1:{target.port}, and for comparison to http://127.0.0.1:{shadow.port}")
            proxy.call("PutItem", **put("a", n=1))
            proxy.call("BatchWriteItem", RequestItems={"items": [{"PutRequest": {"Item": put("b", n=2)["Item"]}}]})
            proxy.call("ExecuteStatement", Statement="INSERT INTO items VALUE {'pk': 'c'}")
            self.assertEqual(shadow.call("Scan", TableName="items"), target.call("Scan", TableName="items"))
            self.assertEqual(proxy.fails("PutItem", **put("a"), ConditionExpression="attribute_not_exists(pk)")[0], "ConditionalCheckFailedException")
            for pk in "abc":
                proxy.call("GetItem", **key(pk))
            proxy.call("Scan", TableName="items")
            proxy.fails("GetItem", TableName="items", Key={})
            self.await_counts(proxy, writes=3, equal_reads=5)
            # A difference that somebody has made behind our back.
            shadow.call("PutItem", **put("a", n=7))
            self.assertEqual(proxy.call("GetItem", **key("a"))["Item"]["n"], {"N": "1"})
            self.await_counts(proxy, writes=3, equal_reads=5, different_reads=1)
            # So is one that a write meets.
            shadow.call("DeleteItem", **key("b"))
            proxy.call("UpdateItem", **key("b"), UpdateExpression="SET m = :m", ConditionExpression="attribute_exists(pk)",
                       ExpressionAttributeValues={":m": {"S": "x"}})
            self.await_counts(proxy, writes=3, failed_writes=1, equal_reads=5, different_reads=1)
            first, second = [json.loads(line) for line in file.read_text().splitlines()]
            self.assertEqual((first["operation"], json.loads(first["request"]), first["differences"]),
                             ("GetItem", key("a"), [{"path": "Item.n", "target": '{"N":"1"}', "shadow": '{"N":"7"}'}]))
            self.assertEqual((second["operation"], second["target_status"], second["shadow_status"]), ("UpdateItem", 200, 400))
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            _, text = self.raw(proxy, None, {}, "GET", "/_dynolith/metrics")
            self.assertIn(b'dynolith_proxy_shadow_calls_total{outcome="different_reads"} 1\n', text)

    def test_a_shadow_that_is_away_changes_nothing(self):
        target, shadow, proxy = self.start_both()
        shadow.process.send_signal(signal.SIGKILL)
        shadow.process.wait(SECONDS)
        proxy.call("PutItem", **put("a"))
        self.assertEqual(proxy.call("GetItem", **key("a")), target.call("GetItem", **key("a")))
        self.await_counts(proxy, failed_writes=1, failed_reads=1)
        _, _, errors = proxy.stop()
        self.assertIn("the shadow has not made a write operation=PutItem", errors)

    def test_a_target_that_is_away_leaves_the_shadow_alone(self):
        target, shadow, proxy = self.start_both()
        proxy.call("PutItem", **put("a"))
        target.process.send_signal(signal.SIGKILL)
        target.process.wait(SECONDS)
        self.assertEqual(proxy.request("PutItem", json.dumps(put("b")).encode())[0], 503)
        self.assertEqual(shadow.call("Scan", TableName="items", Select="COUNT")["Count"], 1)
        self.await_counts(proxy, writes=1, unclear_writes=1)

    def test_the_shadow_gets_of_a_batch_what_the_target_has_executed(self):
        target, shadow, proxy = self.start_both("--compare", "0")
        target.admin("POST", "faults", {"fault": "partial_batch", "key": {"pk": {"S": "b"}}, "hits_max": 1})
        writes = {"items": [{"PutRequest": {"Item": put(pk, n=1)["Item"]}} for pk in "abc"]}
        left = proxy.call("BatchWriteItem", RequestItems=writes)["UnprocessedItems"]
        self.assertEqual(left, {"items": [writes["items"][1]]})
        self.assertEqual(sorted(item["pk"]["S"] for item in shadow.call("Scan", TableName="items")["Items"]), ["a", "c"])
        self.await_counts(proxy, writes=1)
        proxy.call("BatchWriteItem", RequestItems=left)
        self.await_counts(proxy, writes=2)
        # Statements of a batch fail one by one. Would the shadow get the first, it would execute it.
        shadow.call("DeleteItem", **key("c"))
        statements = [{"Statement": f"INSERT INTO items VALUE {{'pk': '{pk}'}}"} for pk in "cd"]
        first, second = proxy.call("BatchExecuteStatement", Statements=statements)["Responses"]
        self.assertEqual((first["Error"]["Code"], "Error" in second), ("DuplicateItem", False))
        self.assertEqual(sorted(item["pk"]["S"] for item in shadow.call("Scan", TableName="items")["Items"]), ["a", "b", "d"])
        self.await_counts(proxy, writes=3)
        # If nothing is executed, there is nothing to send.
        proxy.call("BatchExecuteStatement", Statements=statements)
        self.await_counts(proxy, writes=3)

    def test_writes_that_the_proxy_cannot_read_are_counted(self):
        shadow = Clocked("--memory", "--admin")
        self.addCleanup(shadow.__exit__, None, None, None)
        shadow.call("CreateTable", **ITEMS)
        target, proxy = self.echo("--admin", "--read-from", "shadow", "--shadow", f"http://127.0.0.1:{shadow.port}")
        for operation, request in (("PutItem", {"TableName": "items", "Item": 5}), ("ExecuteStatement", {"Statement": "MERGE INTO items"})):
            self.assertEqual(proxy.request(operation, json.dumps(request).encode())[0], 200)
            self.assertEqual(json.loads(target.seen[-1][2]), request)
        self.await_counts(proxy, unclear_writes=2)

    def hanging(self, answer=b"{}"):
        """An endpoint whose answers wait for an event: (its address, the requests that it has got, the event)."""
        release, got = threading.Event(), threading.Semaphore(0)
        handler = type("Hanging", (Echo,), {"seen": [], "answer": answer})

        def do_POST(endpoint):
            endpoint.seen.append(endpoint.rfile.read(int(endpoint.headers["Content-Length"])))
            got.release()
            release.wait(SECONDS)
            try:
                endpoint.send_response(200)
                endpoint.send_header("Content-Length", str(len(answer)))
                endpoint.end_headers()
                endpoint.wfile.write(answer)
            except ConnectionError:
                endpoint.close_connection = True

        handler.do_POST = do_POST
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def stop():
            release.set()
            server.shutdown()
            thread.join()
            server.server_close()

        self.addCleanup(stop)
        return f"http://127.0.0.1:{server.server_address[1]}", got, release

    def read_many(self, proxy, times):
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        body = json.dumps(key("a")).encode()
        headers = signed_headers("GetItem", body)
        for _ in range(times):
            connection.request("POST", "/", body, headers)
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, 200)

    def test_reads_beyond_the_queue_are_counted_and_not_compared(self):
        shadow, got, release = self.hanging()
        _, proxy = self.echo("--admin", "--shadow", shadow)
        # Four are asked about at once, and a thousand wait.
        self.read_many(proxy, 4)
        for _ in range(4):
            self.assertTrue(got.acquire(timeout=SECONDS))
        self.read_many(proxy, 1007)
        self.await_counts(proxy, uncompared_reads=7)
        release.set()
        self.await_counts(proxy, equal_reads=1004, uncompared_reads=7)

    def test_answers_beyond_the_queues_bytes_are_not_kept(self):
        shadow, got, release = self.hanging()
        _, proxy = self.echo("--admin", "--shadow", shadow, answer=b"{}" + b" " * (8 << 20))
        self.read_many(proxy, 4)
        for _ in range(4):
            self.assertTrue(got.acquire(timeout=SECONDS))
        # Seven fit into 64 MB.
        self.read_many(proxy, 9)
        self.await_counts(proxy, uncompared_reads=2)
        release.set()
        self.await_counts(proxy, equal_reads=11, uncompared_reads=2)

    def test_a_shadow_that_hangs(self):
        """It delays writes, but not longer than --answer-timeout, and neither reads nor the end."""
        shadow, got, _ = self.hanging()
        _, proxy = self.echo("--admin", "--shadow", shadow, "--answer-timeout", "1")
        self.assertEqual(proxy.request("PutItem", json.dumps(put("a")).encode()), (200, {}))
        self.assertTrue(got.acquire(timeout=SECONDS))
        self.await_counts(proxy, failed_writes=1)
        self.read_many(proxy, 20)
        self.assertTrue(got.acquire(timeout=SECONDS))
        _, _, errors = proxy.stop()
        self.assertIn("the shadow has not made a write operation=PutItem", errors)
        self.assertIn("reads that waited for their comparison at the end are not compared", errors)

    def test_a_shadow_that_refuses(self):
        target, shadow, proxy = self.start_both()
        shadow.call("DeleteTable", TableName="items")
        proxy.call("PutItem", **put("a"))
        self.assertEqual(proxy.call("GetItem", **key("a"))["Item"], {"pk": {"S": "a"}})
        self.await_counts(proxy, failed_writes=1, different_reads=1)
        self.assertEqual(target.call("Scan", TableName="items", Select="COUNT")["Count"], 1)

    def test_a_share_of_reads(self):
        _, _, proxy = self.start_both("--compare", "0.25")
        for _ in range(8):
            proxy.call("GetItem", **key("a"))
        self.await_counts(proxy, equal_reads=2)

    def test_reads_from_the_shadow(self):
        target, shadow, proxy = self.start_both("--read-from", "shadow")
        shadow.call("PutItem", **put("a", n=2))
        self.assertEqual(proxy.call("GetItem", **key("a"))["Item"]["n"], {"N": "2"})
        self.await_counts(proxy, different_reads=1)
        proxy.call("PutItem", **put("a", n=3))
        self.assertEqual(target.call("GetItem", **key("a")), shadow.call("GetItem", **key("a")))

    def test_writers_of_one_item_leave_both_alike(self):
        target, shadow, proxy = self.start_both("--compare", "0")

        def work(client):
            for i in range(30):
                proxy.call("UpdateItem", **key("a"), UpdateExpression="SET who = :l", ExpressionAttributeValues={":l": {"S": f"{client}-{i}"}})

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        self.assertEqual(target.call("GetItem", **key("a")), shadow.call("GetItem", **key("a")))
        self.await_counts(proxy, writes=240)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
