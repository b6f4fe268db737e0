#!/usr/bin/env python3
"""Many clients and few resources: one client's heavy requests do not make the others wait, and where memory, threads or files run out
the server says so with a 503, or closes who is idle, and lives.

    crowd_test.py <dynolith binary> [unittest arguments]
"""

import json
import math
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire"))
import cli_test
import raw

BINARY = ""
MB = 1 << 20
TABLE = {"TableName": "heavy", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
# Each row costs some tenths of a second.
SCAN = {"TableName": "heavy", "FilterExpression": " OR ".join(["contains(#t, :b)"] * 200),
        "ExpressionAttributeNames": {"#t": "text"}, "ExpressionAttributeValues": {":b": {"S": "a" * 2000 + "b"}}}


def request(operation, body):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return (f"POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\nContent-Type: {raw.AMAZON_JSON}\r\n"
            f"Content-Length: {len(text)}\r\n\r\n").encode() + text


def put_of(size, values=b""):
    """A PutItem of that size, in which a list holds `values` again and again."""
    head, tail = b'{"TableName":"heavy","Item":{"pk":{"S":"a"},"l":{"L":[', b']}}}'
    times = (size - len(head) - len(tail) - 1) // (len(values) + 1) if values else 0
    filled = head + b",".join([values] * times) + tail
    return filled + b" " * (size - len(filled))


class Group:
    """A control group with a limit, of whichever version there is."""

    def __init__(self, controller, limits):
        name = f"dynolith-test-{os.getpid()}"
        first, second = f"/sys/fs/cgroup/{controller}", "/sys/fs/cgroup"
        self.folder = os.path.join(first if os.path.isdir(first) else second, name)
        self.made = False
        try:
            os.mkdir(self.folder)
            self.made = True
            for file, value in limits[1 if os.path.isdir(first) else 2].items():
                with open(os.path.join(self.folder, file), "w", encoding="ascii") as out:
                    out.write(str(value))
        except OSError as error:
            self.remove()
            raise unittest.SkipTest(f"no control group can be made: {error}") from error

    def enter(self):
        with open(os.path.join(self.folder, "cgroup.procs"), "w", encoding="ascii") as out:
            out.write(str(os.getpid()))

    def remove(self):
        for _ in range(100):
            try:
                if self.made:
                    os.rmdir(self.folder)
                return
            except OSError:
                time.sleep(0.05)  # its last process is just ending


class Crowd(unittest.TestCase):
    def start(self, *arguments, before=None):
        self.log = tempfile.TemporaryFile()
        self.addCleanup(self.log.close)
        process = subprocess.Popen([BINARY, "serve", "--port", "0", "--auth", "off", *arguments], stdout=subprocess.PIPE, stderr=self.log,
                                   preexec_fn=before)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.process = process
        line = process.stdout.readline().decode()
        self.assertIn("serving DynamoDB on", line, self.written())
        self.port = int(line.split(" (")[0].rsplit(":", 1)[1])

    def written(self):
        self.log.seek(0)
        return self.log.read().decode()

    def connect(self):
        connection = raw.Connection(self.port)
        self.addCleanup(connection.socket.close)
        return connection

    def call(self, operation, body, connection=None):
        connection = connection or self.connect()
        connection.send(request(operation, body))
        return connection.receive()

    def scans_during(self, answered, operation, body):
        before = len(answered)
        self.assertEqual(self.call(operation, body).status, 200)
        return len(answered) - before

    def lives(self):
        self.assertIsNone(self.process.poll(), self.written())
        self.assertEqual(self.call("ListTables", {}).status, 200)

    def test_one_clients_scans_leave_the_others_their_turn(self):
        self.start()
        self.assertEqual(self.call("CreateTable", TABLE).status, 200)
        for i in range(4):
            self.assertEqual(self.call("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": str(i)}, "text": {"S": "a" * 390_000}}}).status, 200)
        stopping = threading.Event()
        answered = []

        def scan():
            try:
                with raw.Connection(self.port) as connection:
                    while not stopping.is_set():
                        connection.send(request("Scan", SCAN))
                        connection.receive()
                        answered.append(connection)
            except OSError:
                pass

        threads = [threading.Thread(target=scan) for _ in range(40)]
        for thread in threads:
            thread.start()
        # Then all of them have been asked for, and the server knows what one takes.
        self.wait_until(lambda: len(answered) >= 4)
        others = (("BatchWriteItem", {"RequestItems": {"heavy": [{"PutRequest": {"Item": {"pk": {"S": f"b{i}"}}}} for i in range(25)]}}),
                                ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "heavy", "Item": {"pk": {"S": f"t{i}"}}}} for i in range(25)]}),
                                ("BatchGetItem", {"RequestItems": {"heavy": {"Keys": [{"pk": {"S": f"b{i}"}} for i in range(25)]}}}))
        # Behind all forty, each time, as many would be answered first; a client that gets no processor sees its answer late now and then.
        most = 12
        slowest = math.inf
        for _ in range(10):
            if slowest < most:
                break
            slowest = max(self.scans_during(answered, operation, body) for operation, body in others)
        self.process.kill()
        stopping.set()
        for thread in threads:
            thread.join()
        self.assertLess(slowest, most)

    def test_long_polls_keep_no_call_waiting(self):
        """Neither calls of a table that may wait for other regions, nor, once there was one, batches and long calls of all others."""
        self.start("--admin", "--regions", "us-east-1,us-east-2,us-west-2")
        for name in ("heavy", "strong", "followed"):
            stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}} if name == "followed" else {}
            self.assertEqual(self.call("CreateTable", {**TABLE, "TableName": name, **stream}).status, 200)
        replicas = [{"Create": {"RegionName": region}} for region in ("us-east-2", "us-west-2")]
        changed = self.call("UpdateTable", {"TableName": "strong", "MultiRegionConsistency": "STRONG", "ReplicaUpdates": replicas})
        self.assertEqual(changed.status, 200, changed.text)
        self.wait_until(lambda: json.loads(self.call("DescribeTable", {"TableName": "strong"}).body)["Table"]["TableStatus"] == "ACTIVE")
        put = {"TableName": "strong", "Item": {"pk": {"S": "a"}}}
        self.assertEqual(self.call("PutItem", put).status, 200)

        polls = [self.connect() for _ in range(160)]
        ask = b"GET /_dynolith/changes?table=followed&wait=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        start = time.monotonic()
        for poll in polls:
            poll.send(ask)
        rows = [{"PutRequest": {"Item": {"pk": {"S": f"b{i}"}}}} for i in range(25)]
        for operation, body in (("PutItem", put), ("BatchWriteItem", {"RequestItems": {"strong": rows}}),
                                ("BatchWriteItem", {"RequestItems": {"heavy": rows}}),
                                ("GetItem", {"TableName": "strong", "Key": {"pk": {"S": "a"}}, "ConsistentRead": True}),
                                ("TransactWriteItems", {"TransactItems": [{"Put": {**put, "TableName": "heavy"}}]}),
                                ("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": "large"}, "text": {"S": "a" * 100_000}}}),
                                ("Scan", {"TableName": "heavy"})):
            answer = self.call(operation, body)
            self.assertEqual(answer.status, 200, answer.text)
        calls = time.monotonic() - start
        self.assertEqual(polls[-1].receive().status, 200)
        # However fast or slow this machine is: the last poll has stood behind the others, and waits for real time.
        self.assertLess(calls, (time.monotonic() - start) / 3)

    def test_idle_connections_make_room(self):
        few = 200
        start = time.monotonic()
        self.start(before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, few)))
        first = self.connect()
        self.assertEqual(self.call("ListTables", {}, first).status, 200)
        idle = []
        for _ in range(2 * few):
            connection = self.connect()
            self.assertEqual(self.call("ListTables", {}, connection).status, 200)
            idle.append(connection)
            if len(idle) % 5 == 0:
                # Whoever is used stays.
                self.assertEqual(self.call("ListTables", {}, first).status, 200)
        self.assertEqual(self.call("ListTables", {}, idle[-1]).status, 200)
        self.lives()
        self.assertRegex(self.written(), r"\A(\S+ warning there is no room for further connections: \d+ are open, and this process may "
                         rf"open {few} files \(ulimit -n\); closed \d+ idle ones, the least recently used\n)+\Z")
        self.assert_seldom_written(start)

    def assert_seldom_written(self, start):
        """However often there is no room: one line every ten seconds."""
        lines = self.written().count("there is no room for further connections")
        self.assertLessEqual(lines, 1 + (time.monotonic() - start) // 10, self.written())

    def wait_until(self, is_so):
        deadline = time.monotonic() + raw.SECONDS
        while not is_so():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            user, system = stat.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def test_no_file_for_the_next_connection(self):
        """Those that are there are busy, so that none can be closed: the next ones wait, and cost nothing."""
        start = time.monotonic()
        self.start()
        self.lives()
        files = f"/proc/{self.process.pid}/fd"
        few = len(os.listdir(files)) + 5
        half = request("ListTables", {})[:-1]
        connections = []
        for _ in range(20):
            connections.append(self.connect())
            connections[-1].send(half)
            if len(connections) == 5:
                self.wait_until(lambda: len(os.listdir(files)) >= few)
                resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (few, few))
        self.wait_until(lambda: "there is no room for further connections" in self.written())
        before = self.processor_seconds()
        time.sleep(1)
        self.assertLess(self.processor_seconds() - before, 0.5)
        for connection in connections[:5]:
            connection.send(b"}")
            self.assertEqual(connection.receive().status, 200)
            connection.socket.close()
        # Those that have waited come in.
        for connection in connections[5:]:
            connection.send(b"}")
            self.assertEqual(connection.receive().status, 200)
        self.lives()
        self.assert_seldom_written(start)

    def test_bodies_that_do_not_fit_into_the_containers_memory(self):
        if cli_test.is_under_sanitizer():
            self.skipTest("a sanitizer has memory of its own")
        limit = 400 * MB
        group = Group("memory", {1: {"memory.limit_in_bytes": limit}, 2: {"memory.max": limit, "memory.swap.max": 0}})
        self.addCleanup(group.remove)
        self.start(before=group.enter)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)
        self.assertEqual(self.call("CreateTable", TABLE).status, 200)
        statuses = []

        def put(body):
            try:
                with raw.Connection(self.port) as connection:
                    connection.send(body)
                    statuses.append(connection.receive().status)
            except OSError:
                # Refused while the body was still on its way.
                statuses.append(503)

        for values in (b"", b'{"M":{}}', b'{"S":"abcdefghijklmnop"}'):
            body = request("PutItem", put_of(15 * MB, values))
            threads = [threading.Thread(target=put, args=(body,)) for _ in range(30)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.lives()
        # Some fit; the values of the others are too many for one item.
        self.assertEqual(set(statuses) - {200, 400, 503}, set())
        self.assertIn(200, statuses)
        self.assertEqual(self.call("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": "after"}}}).status, 200)

    def test_a_limit_of_threads(self):
        if cli_test.is_under_sanitizer():
            self.skipTest("a sanitizer looks for leaks by a thread of its own")
        most = 40
        group = Group("pids", {1: {"pids.max": most}, 2: {"pids.max": most}})
        self.addCleanup(group.remove)
        with tempfile.TemporaryDirectory() as folder:
            self.start("--sync", "--data", os.path.join(folder, "data"), before=group.enter)
            self.assertEqual(self.call("CreateTable", TABLE).status, 200)
            # Whatever needs a thread of its own now gets none.
            with open(os.path.join(group.folder, "pids.max"), "w", encoding="ascii") as out:
                out.write("1")
            for operation, body in (("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": "a"}}}),
                                    ("CreateBackup", {"TableName": "heavy", "BackupName": "backup"}),
                                    ("DeleteTable", {"TableName": "heavy"})):
                self.assertIn(self.call(operation, body).status, (200, 503), operation)
            self.lives()
            self.process.terminate()
            self.assertEqual(self.process.wait(raw.SECONDS), 0, self.written())

    def test_idle_databases_give_their_threads(self):
        if cli_test.is_under_sanitizer():
            self.skipTest("a sanitizer looks for leaks by a thread of its own")
        group = Group("pids", {1: {"pids.max": 40}, 2: {"pids.max": 40}})
        self.addCleanup(group.remove)
        with tempfile.TemporaryDirectory() as folder:
            self.start("--admin", "--databases-made-by", "call", "--data", os.path.join(folder, "data"), before=group.enter)
            for operation, body in (("CreateTable", TABLE), ("PutItem", {"TableName": "heavy", "Item": {"pk": {"S": "a"}}})):
                for number in range(8):
                    named = request(operation, body).replace(b"Host: h", b"Host: localhost\r\nx-dynolith-database: own%d" % number)
                    connection = self.connect()
                    connection.send(named)
                    self.assertEqual(connection.receive().status, 200, number)
            self.process.kill()
            self.process.wait()

    def test_not_one_thread(self):
        group = Group("pids", {1: {"pids.max": 1}, 2: {"pids.max": 1}})
        self.addCleanup(group.remove)
        shown = subprocess.run([BINARY, "serve", "--port", "0"], preexec_fn=group.enter, capture_output=True, timeout=raw.SECONDS, check=False)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""), shown.stderr)
        self.assertIn(b"Resource temporarily unavailable", shown.stderr)

    def test_no_more_address_space(self):
        self.start()
        self.assertEqual(self.call("CreateTable", TABLE).status, 200)
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        if now > 64 << 30:
            self.skipTest("a sanitizer takes all address space there is")
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, (now + 24 * MB, resource.RLIM_INFINITY))
        for values in (b"", b'{"M":{}}'):
            for _ in range(3):
                try:
                    answer = self.call("PutItem", put_of(15 * MB, values))
                    # Blanks are no part of the item; so many values are too many for one.
                    self.assertIn(answer.status, (400, 503) if values else (200, 503))
                    self.assertNotIn(b"SerializationException", answer.body)
                except (ConnectionError, socket.timeout):
                    pass
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.lives()

    def test_the_smallest_budget_takes_the_largest_body(self):
        with tempfile.TemporaryDirectory() as folder:
            self.start("--memory-budget", "16MB", "--data", os.path.join(folder, "data"))
            self.assertEqual(self.call("CreateTable", TABLE).status, 200)
            idle = self.connect()
            self.assertEqual(self.call("ListTables", {}, idle).status, 200)
            for size in (8 * MB + 1, 12 * MB, 16 * MB):
                self.assertEqual(self.call("PutItem", put_of(size)).status, 200, size)


if __name__ == "__main__":
    BINARY = cli_test.BINARY = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
