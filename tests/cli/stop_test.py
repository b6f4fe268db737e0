#!/usr/bin/env python3
"""SIGTERM ends the server within five seconds, whatever runs and however clients behave, and at once if nothing runs.

    stop_test.py <dynolith binary> [unittest arguments]
"""

import json
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
import raw

BINARY = ""
# Requests under way get 5 s; what must not be waited for would take minutes.
SECONDS_MAX = 30
# Less than the 2 s that what is under way is left alone. A server that waits is late each time, a busy machine now and then; one
# that is always busy takes long for the start, too.
SECONDS_IDLE_MAX = 1
ATTEMPTS = 10
TABLE = {"TableName": "heavy", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
# Each row costs some tenths of a second.
SCAN = {"TableName": "heavy", "FilterExpression": " OR ".join(["contains(#t, :b)"] * 200),
        "ExpressionAttributeNames": {"#t": "text"}, "ExpressionAttributeValues": {":b": {"S": "a" * 2000 + "b"}}}


def request(operation, body):
    text = json.dumps(body).encode()
    return (f"POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: {raw.AMAZON_JSON}\r\n"
            f"Content-Length: {len(text)}\r\n\r\n").encode() + text


class Stop(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.connections = []

    def start(self, *arguments):
        self.server = raw.Server(BINARY, "--auth", "off", "--data", self.folder.name, *arguments)
        self.addCleanup(self.server.process.stdout.close)
        self.addCleanup(self.server.process.wait)
        self.addCleanup(self.server.process.kill)

    def connect(self):
        connection = raw.Connection(self.server.port)
        self.addCleanup(connection.socket.close)
        return connection

    def good(self, operation, body):
        connection = self.connect()
        connection.send(request(operation, body))
        self.assertEqual(connection.receive().status, 200)

    def fill(self, items, size):
        self.good("CreateTable", TABLE)
        for i in range(items):
            self.good("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": str(i)}, "text": {"S": "a" * size}}})

    def seconds_to_stop(self):
        start = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.process.wait(raw.SECONDS), 0)
        return time.monotonic() - start

    def check_stops(self):
        self.assertLess(self.seconds_to_stop(), SECONDS_MAX)

    def test_an_idle_server_waits_for_nothing(self):
        seconds = []
        for _ in range(ATTEMPTS):
            started = time.monotonic()
            self.start()
            connection = self.connect()  # which stays open
            connection.send(request("ListTables", {}))
            self.assertEqual(connection.receive().status, 200)
            most = SECONDS_IDLE_MAX + time.monotonic() - started
            seconds.append((self.seconds_to_stop(), most))
            if seconds[-1][0] < most:
                return
        self.fail(seconds)

    def test_half_sent_heads_and_bodies(self):
        self.start()
        for data in (b"POST / HT", b"POST / HTTP/1.1\r\nHost: h\r\n", request("PutItem", TABLE)[:-10]):
            self.connect().send(data)
        time.sleep(0.3)
        self.check_stops()

    def test_clients_that_do_not_read(self):
        self.start()
        self.fill(3, 390_000)
        for _ in range(4):
            connection = self.connect()
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.send(request("Scan", {"TableName": "heavy"}) * 20)
        time.sleep(0.5)
        self.check_stops()

    def test_long_pages_and_backups(self):
        self.start()
        self.fill(60, 390_000)
        stopping = threading.Event()

        def ask_again(data):
            try:
                with raw.Connection(self.server.port) as connection:
                    while not stopping.is_set():
                        connection.send(data)
                        connection.receive()
            except OSError:
                pass

        backup = request("CreateBackup", {"TableName": "heavy", "BackupName": "backup"})
        threads = [threading.Thread(target=ask_again, args=(data,)) for data in [request("Scan", SCAN)] * 12 + [backup] * 6]
        for thread in threads:
            thread.start()
        time.sleep(1)
        self.check_stops()
        stopping.set()
        for thread in threads:
            thread.join()
        # Nothing is half there.
        self.start()
        self.good("Scan", {"TableName": "heavy", "Limit": 1})
        self.check_stops()

    def test_while_an_index_is_filled(self):
        self.start()
        self.fill(60, 390_000)
        self.good("UpdateTable", {
            "TableName": "heavy", "AttributeDefinitions": TABLE["AttributeDefinitions"],
            "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "index", "KeySchema": TABLE["KeySchema"],
                                                        "Projection": {"ProjectionType": "ALL"}}}]})
        self.check_stops()


if __name__ == "__main__":
    BINARY = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
