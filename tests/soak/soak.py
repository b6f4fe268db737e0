#!/usr/bin/env python3
"""Hours of everything at once: ordinary calls, and beside them what takes long, is large or is half sent. Memory, descriptors and
the latency of GetItem must stay where they are after the first tenth of the time.

    soak.py <dynolith binary> <seconds>
"""

import json
import os
import random
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
import raw

WINDOWS = 20
# How much later windows may be above the first that count: noise of the machine, not growth.
RSS_RATIO, RSS_SLACK_KB = 1.25, 65536
DESCRIPTORS_SLACK = 64
LATENCY_RATIO, LATENCY_SLACK = 3.0, 0.01

KEY = [{"AttributeName": "pk", "KeyType": "HASH"}]
DEFINITIONS = [{"AttributeName": "pk", "AttributeType": "S"}]


def table(name, **more):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": KEY, "AttributeDefinitions": DEFINITIONS, **more}


class Client:
    """Calls on one connection, opened again when the server or the test has closed it."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def call(self, operation, body):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = (f"POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
                f"Content-Type: {raw.AMAZON_JSON}\r\nContent-Length: {len(text)}\r\n\r\n").encode()
        if self.connection is None:
            self.connection = raw.Connection(self.port)
        self.connection.send(head + text)
        return self.connection.receive()

    def leave(self):
        if self.connection is not None:
            self.connection.socket.close()
        self.connection = None


class Soak:
    def __init__(self, server, seconds):
        self.server = server
        self.end = time.monotonic() + seconds
        self.faults = []
        self.latencies = []
        self.lock = threading.Lock()

    def running(self):
        return time.monotonic() < self.end and not self.faults

    def expect(self, answer, status, what):
        if answer.status != status:
            self.faults.append(f"{what}: {answer.status} {answer.text[:300]}")

    # --- What runs, each on a thread of its own ---

    def read(self):
        client = Client(self.server.port)
        while self.running():
            start = time.monotonic()
            self.expect(client.call("GetItem", {"TableName": "soak", "Key": {"pk": {"S": str(random.randrange(100))}}}), 200, "GetItem")
            with self.lock:
                self.latencies.append(time.monotonic() - start)
            time.sleep(0.002)

    def write(self):
        client = Client(self.server.port)
        while self.running():
            item = {"pk": {"S": str(random.randrange(100))}, "text": {"S": "a" * random.randrange(2000)}}
            self.expect(client.call("PutItem", {"TableName": "soak", "Item": item}), 200, "PutItem")
            time.sleep(0.002)

    def page(self):
        client = Client(self.server.port)
        searches = {"TableName": "soak", "FilterExpression": " OR ".join(["contains(#t, :b)"] * 200),
                    "ExpressionAttributeNames": {"#t": "text"}, "ExpressionAttributeValues": {":b": {"S": "a" * 2000 + "b"}}}
        while self.running():
            self.expect(client.call("Scan", {"TableName": "soak"}), 200, "Scan")
            self.expect(client.call("Scan", searches), 200, "Scan with a filter")
            client.leave()
            time.sleep(0.05)

    def refuse(self):
        client = Client(self.server.port)
        definition = b'{"AttributeName":"a","AttributeType":"S"}'
        bodies = [("CreateTable", b'{"TableName":"many","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],'
                   b'"AttributeDefinitions":[' + b",".join([definition] * 100_000) + b"]}"),
                  ("PutItem", b'{"TableName":"soak","Item":{"pk":{"S":"x"},"l":{"L":[' + b",".join([b"{}"] * 2_000_000) + b"]}}}"),
                  ("PutItem", b'{"TableName":"soak","Item":{"pk":{"S":"x"},"l":{"S":"' + b"x" * 8_000_000 + b'"}}}')]
        while self.running():
            for operation, body in bodies:
                self.expect(client.call(operation, body), 400, operation)
            time.sleep(0.5)

    def control(self):
        client = Client(self.server.port)
        while self.running():
            self.expect(client.call("CreateTable", table("brief")), 200, "CreateTable")
            answer = client.call("CreateBackup", {"TableName": "soak", "BackupName": "backup"})
            self.expect(answer, 200, "CreateBackup")
            if answer.status == 200:
                arn = json.loads(answer.text)["BackupDetails"]["BackupArn"]
                self.expect(client.call("DeleteBackup", {"BackupArn": arn}), 200, "DeleteBackup")
            self.expect(client.call("DeleteTable", {"TableName": "brief"}), 200, "DeleteTable")
            time.sleep(0.2)

    def annoy(self):
        while self.running():
            with socket.create_connection(("127.0.0.1", self.server.port)) as half:
                half.sendall(b"POST / HTTP/1.1\r\nHost:")
                time.sleep(0.05)

    def work(self, target):
        """A worker that dies is a fault, too."""
        try:
            target()
        except Exception as fault:  # whatever it is
            self.faults.append(f"{target.__name__}: {fault!r}")

    # --- What is measured ---

    def sample(self):
        pid = self.server.process.pid
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        return rss, len(os.listdir(f"/proc/{pid}/fd"))

    def run(self, seconds):
        threads = [threading.Thread(target=self.work, args=(target,), daemon=True)
                   for target in (self.read, self.read, self.write, self.page, self.refuse, self.control, self.annoy)]
        for thread in threads:
            thread.start()
        windows = []
        while self.running():
            samples = []
            window_end = time.monotonic() + seconds / WINDOWS
            while time.monotonic() < min(window_end, self.end) and not self.faults:
                time.sleep(0.2)
                samples.append(self.sample())
            with self.lock:
                latencies, self.latencies = sorted(self.latencies), []
            if samples and latencies:
                windows.append((sorted(rss for rss, _ in samples)[len(samples) // 2], max(files for _, files in samples),
                                latencies[len(latencies) * 99 // 100]))
                print("window %2d: rss %7d kB, %3d descriptors, p99 of GetItem %.1f ms" %
                      (len(windows), windows[-1][0], windows[-1][1], windows[-1][2] * 1000), flush=True)
        for thread in threads:
            thread.join(raw.SECONDS)
        return windows


def check(windows):
    """What has grown from the second and third tenths to the last two."""
    if len(windows) < WINDOWS // 2:
        return ["too few windows"]
    early, late = windows[2:6], windows[-4:]
    rss, files, latency = ([min(window[i] for window in early) for i in range(3)])
    late_rss, late_files, late_latency = ([min(window[i] for window in late) for i in range(3)])
    grown = []
    if late_rss > rss * RSS_RATIO + RSS_SLACK_KB:
        grown.append(f"memory: {rss} kB, then {late_rss} kB")
    if late_files > files + DESCRIPTORS_SLACK:
        grown.append(f"descriptors: {files}, then {late_files}")
    if late_latency > latency * LATENCY_RATIO + LATENCY_SLACK:
        grown.append(f"p99 of GetItem: {latency * 1000:.1f} ms, then {late_latency * 1000:.1f} ms")
    return grown


def main():
    binary, seconds = sys.argv[1], float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, raw.Server(binary, "--auth", "off", "--threads", "2", "--data", folder) as server:
        client = Client(server.port)
        client.call("CreateTable", table("soak"))
        for i in range(20):
            client.call("PutItem", {"TableName": "soak", "Item": {"pk": {"S": f"large {i}"}, "text": {"S": "a" * 390_000}}})
        soak = Soak(server, seconds)
        faults = soak.run(seconds)
        faults = soak.faults or check(faults)
    for fault in faults:
        print(fault)
    print("flat" if not faults else "not flat")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
