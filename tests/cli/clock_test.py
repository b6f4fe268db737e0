#!/usr/bin/env python3
"""The clock that users move, through the program: whoever tests with `--clock manual` sees time pass exactly as far as told,
and what the service does in minutes and hours happens by the next call. Also who may use the admin endpoint.

    clock_test.py <dynolith binary> [unittest arguments]
"""

import email.utils
import http.client
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, Server, run, signed_headers

START = 1_700_000_000

ITEMS = {
    "TableName": "items",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
TIME_TO_LIVE = {"Enabled": True, "AttributeName": "until"}


class Clocked(Server):
    """A server with the admin endpoint, and what tests ask of it."""

    def admin(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            text = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
            connection.request(method, f"/_dynolith/{path}", text, headers or {})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def advance(self, seconds):
        status, answer = self.admin("POST", "clock/advance", {"seconds": seconds})
        assert status == 200, answer
        return answer["now"]

    def sweep(self):
        status, answer = self.admin("POST", "ttl/sweep")
        assert status == 200, answer
        return answer["deleted"]

    def fails(self, operation, **members):
        status, answer = self.request(operation, json.dumps(members).encode())
        assert status == 400, answer
        return answer["__type"].partition("#")[2], answer.get("message", answer.get("Message"))

    def streams_call(self, operation, **members):
        """The Streams operations have a prefix of their own, so they are signed here once more."""
        body = json.dumps(members).encode()
        headers = signed_headers(operation, body)
        headers["x-amz-target"] = f"DynamoDBStreams_20120810.{operation}"
        return self.request(operation, body, headers)


def put(pk, **numbers):
    return {"TableName": "items", "Item": {"pk": {"S": pk}, **{name: {"N": str(n)} for name, n in numbers.items()}}}


def key(pk):
    return {"TableName": "items", "Key": {"pk": {"S": pk}}}


class ManualClock(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked("--clock", "manual", *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def shards(self, server, arn):
        return [shard["ShardId"] for shard in
                server.streams_call("DescribeStream", StreamArn=arn)[1]["StreamDescription"]["Shards"]]

    def iterator(self, server, arn, shard=None, **where):
        status, answer = server.streams_call("GetShardIterator", StreamArn=arn, ShardId=shard or self.shards(server, arn)[0],
                                             **(where or {"ShardIteratorType": "TRIM_HORIZON"}))
        self.assertEqual(status, 200, answer)
        return answer["ShardIterator"]

    def records_from(self, server, iterator):
        """(error, records)"""
        status, answer = server.streams_call("GetRecords", ShardIterator=iterator)
        return (None, answer["Records"]) if status == 200 else (answer["__type"].partition("#")[2], [])

    def records(self, server, arn):
        """All that there are, shard by shard."""
        found = []
        for shard in self.shards(server, arn):
            error, records = self.records_from(server, self.iterator(server, arn, shard))
            self.assertIsNone(error)
            found += records
        return found

    def test_the_clock_stands_and_moves(self):
        server = self.start("--clock-start", str(START))
        self.assertEqual(server.where, "data in memory, gone at the end; the clock stands at 2023-11-14T22:13:20.000Z")
        for _ in range(2):
            self.assertEqual(server.admin("GET", "clock"), (200, {"now": START, "mode": "manual"}))
            time.sleep(0.05)
        created = server.call("CreateTable", **ITEMS)["TableDescription"]["CreationDateTime"]
        self.assertEqual(created, START)
        self.assertEqual(server.advance(0.25), START + 0.25)
        self.assertEqual(server.advance(0), START + 0.25)
        self.assertEqual(server.advance(86400), START + 86400.25)
        self.assertEqual(server.admin("POST", "clock/set", {"now": "2024-02-29T12:00:00.5Z"}),
                         (200, {"now": 1709208000.5, "mode": "manual"}))
        self.assertEqual(server.admin("POST", "clock/set", {"now": 1709208001})[1]["now"], 1709208001)

    def test_without_a_start_it_is_the_machines_time(self):
        server = self.start()
        now = server.admin("GET", "clock")[1]["now"]
        self.assertLess(abs(now - time.time()), SECONDS)

    def test_time_to_live(self):
        server = self.start("--clock-start", str(START), "--ttl-sweep", "off", "--stream-shards", "1")
        arn = server.call("CreateTable", StreamSpecification=STREAM, **ITEMS)["TableDescription"]["LatestStreamArn"]
        server.call("UpdateTimeToLive", TableName="items", TimeToLiveSpecification=TIME_TO_LIVE)
        server.call("PutItem", **put("soon", until=START + 3600))
        server.call("PutItem", **put("late", until=START + 7200))
        # Not switched again for half an hour.
        self.assertEqual(server.fails("UpdateTimeToLive", TableName="items",
                                      TimeToLiveSpecification={**TIME_TO_LIVE, "Enabled": False})[0], "ValidationException")
        server.advance(3599)
        self.assertEqual(server.sweep(), 0)
        server.advance(1)
        self.assertIn("Item", server.call("GetItem", **key("soon")), "expired, but not swept")
        self.assertEqual(server.sweep(), 1)
        self.assertEqual(server.call("GetItem", **key("soon")), {})
        self.assertIn("Item", server.call("GetItem", **key("late")))
        records = self.records(server, arn)
        self.assertEqual([record["eventName"] for record in records], ["INSERT", "INSERT", "REMOVE"])
        self.assertEqual(records[2]["userIdentity"], {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"})
        self.assertEqual(records[2]["dynamodb"]["ApproximateCreationDateTime"], START + 3600)
        self.assertNotIn("userIdentity", records[1])
        server.advance(3600)
        server.call("UpdateTimeToLive", TableName="items", TimeToLiveSpecification={**TIME_TO_LIVE, "Enabled": False})
        self.assertEqual(server.sweep(), 0, "time to live is off")

    def test_sweeps_follow_the_clock(self):
        server = self.start("--clock-start", str(START), "--ttl-sweep", "100")
        server.call("CreateTable", **ITEMS)
        server.call("UpdateTimeToLive", TableName="items", TimeToLiveSpecification=TIME_TO_LIVE)
        server.call("PutItem", **put("a", until=START + 10))
        server.advance(99)
        self.assertIn("Item", server.call("GetItem", **key("a")), "no sweep is due yet")
        server.advance(1)
        self.assertEqual(server.call("GetItem", **key("a")), {})

    def test_tokens_live_for_ten_minutes(self):
        server = self.start()
        server.call("CreateTable", **ITEMS)
        server.call("PutItem", **put("a", n=0))
        add = {"Update": {**key("a"), "UpdateExpression": "SET n = n + :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}
        count = lambda: server.call("GetItem", **key("a"))["Item"]["n"]["N"]
        for seconds, expected in ((0, "1"), (600, "1"), (1, "2")):
            server.advance(seconds)
            server.call("TransactWriteItems", TransactItems=[add], ClientRequestToken="token")
            self.assertEqual(count(), expected, seconds)

    def test_iterators_expire_and_records_are_trimmed(self):
        server = self.start("--stream-shards", "1")
        arn = server.call("CreateTable", StreamSpecification=STREAM, **ITEMS)["TableDescription"]["LatestStreamArn"]
        server.call("PutItem", **put("a"))
        iterator = self.iterator(server, arn)
        server.advance(900)
        self.assertEqual(len(self.records_from(server, iterator)[1]), 1)
        server.advance(1)
        self.assertEqual(self.records_from(server, iterator), ("ExpiredIteratorException", []))

        first = self.records(server, arn)[0]["dynamodb"]["SequenceNumber"]
        at_first = {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": first}
        server.advance(24 * 3600 - 901)
        server.call("PutItem", **put("b"))
        self.assertEqual(len(self.records(server, arn)), 2, "24 hours to the second")
        old = self.iterator(server, arn, **at_first)
        server.advance(1)
        self.assertEqual(self.records_from(server, old), ("TrimmedDataAccessException", []))
        self.assertEqual([record["dynamodb"]["Keys"]["pk"]["S"] for record in self.records(server, arn)], ["b"])

    def test_states_of_tables_and_indexes(self):
        server = self.start("--table-delay", "20")
        status = lambda: server.call("DescribeTable", TableName="items")["Table"]
        server.call("CreateTable", **ITEMS)
        self.assertEqual(status()["TableStatus"], "CREATING")
        self.assertEqual(server.fails("PutItem", **put("a"))[0], "ResourceNotFoundException")
        server.advance(19.999)
        self.assertEqual(status()["TableStatus"], "CREATING")
        server.advance(0.001)
        self.assertEqual(status()["TableStatus"], "ACTIVE")
        for number in range(1000):
            if number % 25 == 0:
                server.call("BatchWriteItem", RequestItems={"items": [
                    {"PutRequest": {"Item": put(str(n), n=n)["Item"]}} for n in range(number, number + 25)]})
        index = {"IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                 "Projection": {"ProjectionType": "KEYS_ONLY"}}
        server.call("UpdateTable", TableName="items", GlobalSecondaryIndexUpdates=[{"Create": index}],
                    AttributeDefinitions=[*ITEMS["AttributeDefinitions"], {"AttributeName": "n", "AttributeType": "N"}])
        shown = lambda: (lambda i: (i["IndexStatus"], i.get("Backfilling")))(status()["GlobalSecondaryIndexes"][0])
        self.assertEqual(shown(), ("CREATING", False))
        server.advance(10)
        self.assertEqual(shown(), ("CREATING", True))
        # Filled as well, however long that takes.
        server.advance(10)
        self.assertEqual(shown(), ("ACTIVE", None))
        self.assertEqual(server.call("Scan", TableName="items", IndexName="by-n", Select="COUNT")["Count"], 1000)
        server.call("DeleteTable", TableName="items")
        self.assertEqual(status()["TableStatus"], "DELETING")
        server.advance(20)
        self.assertEqual(server.fails("DescribeTable", TableName="items")[0], "ResourceNotFoundException")

    def test_cooldowns_and_recovery_times(self):
        server = self.start("--clock-start", str(START))
        server.call("CreateTable", **ITEMS)
        protect = lambda on: server.request("UpdateTable", json.dumps(
            {"TableName": "items", "DeletionProtectionEnabled": on}).encode())[0]
        self.assertEqual(protect(True), 200)
        self.assertEqual(protect(False), 400, "changed a moment ago")
        server.advance(15)
        self.assertEqual(protect(False), 200)
        recovery = {"TableName": "items", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        server.call("UpdateContinuousBackups", **recovery)
        server.advance(1000)
        shown = server.call("DescribeContinuousBackups", TableName="items")["ContinuousBackupsDescription"]
        times = shown["PointInTimeRecoveryDescription"]
        self.assertEqual((times["EarliestRestorableDateTime"], times["LatestRestorableDateTime"]),
                         (START + 15, START + 1015 - 300))

    def test_a_new_table_of_an_old_name_has_a_stream_of_its_own(self):
        # Within a moment in which no time passes at all.
        server = self.start("--stream-shards", "1")
        arns = []
        for pk in ("a", "b"):
            arns.append(server.call("CreateTable", StreamSpecification=STREAM, **ITEMS)["TableDescription"]["LatestStreamArn"])
            server.call("PutItem", **put(pk))
            server.call("DeleteTable", TableName="items")
        self.assertNotEqual(*arns)
        for arn, pk in zip(arns, ("a", "b")):
            self.assertEqual([record["dynamodb"]["Keys"]["pk"]["S"] for record in self.records(server, arn)], [pk])

    def test_transport_keeps_the_machines_time(self):
        # SDKs sign with real time, and some of them correct theirs by the Date header.
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "credentials")
            pathlib.Path(file).write_text("key secret\n")
            server = self.start("--clock-start", str(START), "--auth", "verify", "--credentials", file)
            now = time.gmtime()
            headers = signed_headers("ListTables", b"{}", day=time.strftime("%Y%m%d", now),
                                     date=time.strftime("%Y%m%dT%H%M%SZ", now))
            self.assertEqual(server.request("ListTables", b"{}", headers), (200, {"TableNames": []}))
            then = signed_headers("ListTables", b"{}", day="20231114", date="20231114T221320Z")
            self.assertTrue(server.request("ListTables", b"{}", then)[1]["message"].startswith("Signature expired"))
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("GET", "/")
            date = email.utils.parsedate_to_datetime(connection.getresponse().headers["Date"])
            connection.close()
            self.assertLess(abs(date.timestamp() - time.time()), SECONDS)
            # No signature is asked for.
            self.assertEqual(server.advance(1), START + 1)


class ClockOfAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = ["--data", os.path.join(folder.name, "data")]

    def now(self, server):
        return server.admin("GET", "clock")[1]["now"]

    def test_it_goes_on_where_it_stood(self):
        far = int(time.time()) + 10**8
        with Clocked(*self.data, "--clock", "manual") as server:
            self.assertEqual(server.admin("POST", "clock/set", {"now": far})[0], 200)
            server.process.kill()
            server.process.wait(SECONDS)
        with Clocked(*self.data, "--clock", "manual") as server:
            self.assertEqual(self.now(server), far)
        with Clocked(*self.data, "--clock", "manual", "--clock-start", str(far + 5)) as server:
            self.assertEqual(self.now(server), far + 5)
        shown = run("serve", "--port", "0", *self.data, "--clock", "manual", "--clock-start", "2020-01-01T00:00:00Z")
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(b"dynolith: --clock-start 2020-01-01T00:00:00.000Z is earlier than ", shown.stderr)

    def test_it_never_starts_before_what_is_there(self):
        # Nobody has moved a clock here; what has happened counts: a record that is younger than its table.
        with Clocked(*self.data, "--clock", "manual", "--clock-start", str(START), "--stream-shards", "1") as server:
            server.call("CreateTable", StreamSpecification=STREAM, **ITEMS)
        early = ("--clock", "manual", "--clock-start", str(START - 1))
        self.assertEqual(run("serve", "--port", "0", *self.data, *early).returncode, 1)
        with Clocked(*self.data) as server:
            day_before = time.gmtime()
            server.call("PutItem", **put("a"))
            days = {time.strftime("%Y-%m-%d", day) for day in (day_before, time.gmtime())}
        later = ("--clock", "manual", "--clock-start", str(START + 1))
        shown = run("serve", "--port", "0", *self.data, *later)
        self.assertEqual(shown.returncode, 1)
        self.assertTrue(any(day in shown.stderr.decode() for day in days), shown.stderr)


class AdminEndpoint(unittest.TestCase):
    def test_off_unless_asked_for(self):
        with Clocked() as server:
            for method, path in (("GET", "clock"), ("POST", "clock/advance"), ("POST", "ttl/sweep")):
                answers = []
                for target in (f"/_dynolith/{path}", "/any/path"):
                    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
                    connection.request(method, target, b"x" if method == "POST" else None)
                    response = connection.getresponse()
                    answers.append((response.status, response.read()))
                    connection.close()
                self.assertEqual(answers[0], answers[1], path)

    def test_the_machines_clock(self):
        with Clocked("--admin", "--ttl-sweep", "0") as server:
            status, answer = server.admin("GET", "clock")
            self.assertEqual((status, answer["mode"]), (200, "system"))
            self.assertLess(abs(answer["now"] - time.time()), SECONDS)
            for path, body in (("clock/advance", {"seconds": 1}), ("clock/set", {"now": 4_000_000_000})):
                self.assertEqual(server.admin("POST", path, body), (409, {
                    "error": "the clock is the machine's and cannot be moved; --clock manual, or \"clock\": \"manual\" in process, makes one that can"}))
            server.call("CreateTable", **ITEMS)
            server.call("UpdateTimeToLive", TableName="items", TimeToLiveSpecification=TIME_TO_LIVE)
            server.call("PutItem", **put("a", until=int(time.time()) - 5))
            self.assertEqual(server.sweep(), 1)

    def test_no_web_pages(self):
        with Clocked("--clock", "manual", "--clock-start", str(START)) as server:
            for headers in ({"Origin": "http://example.com"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                            {"Sec-Fetch-Site": "same-site"}, {"Host": "example.com"}, {"Host": "127.0.0.1.example.com"},
                            {"Host": f"localhost.example.com:{server.port}"}, {"X-Forwarded-For": "10.1.2.3"}, {"Via": "1.1 x"}):
                status, answer = server.admin("POST", "clock/advance", {"seconds": 5}, headers)
                self.assertEqual((status, list(answer)), (403, ["error"]), headers)
            for host in ("localhost", f"LOCALHOST:{server.port}", "127.0.0.1", "127.3.2.1:80", "[::1]:8000"):
                self.assertEqual(server.admin("GET", "clock", None, {"Host": host})[1], {"now": START, "mode": "manual"})

    def test_malformed_requests(self):
        with Clocked("--clock", "manual", "--clock-start", str(START)) as server:
            for path, body in (("clock/advance", None), ("clock/advance", b"{"), ("clock/advance", b"5"), ("clock/advance", {}),
                               ("clock/advance", {"seconds": "5"}), ("clock/advance", {"seconds": -1}),
                               ("clock/advance", {"seconds": 1e300}), ("clock/advance", {"seconds": 1, "minutes": 1}),
                               ("clock/advance", {"seconds": None}), ("clock/advance", b'{"seconds":1,"seconds":2}'),
                               ("clock/advance", b"[" * 100000), ("clock/advance", {"seconds": 7_000_000_000}),
                               ("clock/set", {"now": "yesterday"}), ("clock/set", {"now": START - 1}),
                               ("clock/set", {"now": "2023-11-14T22:13:19Z"}), ("clock/set", {"now": 1e11}),
                               ("clock/set", {"seconds": 1}), ("ttl/sweep", b"x"), ("ttl/sweep", {"now": 1})):
                status, answer = server.admin("POST", path, body)
                self.assertEqual((status, list(answer)), (400, ["error"]), (path, body))
            for method, path, expected in (("POST", "", 405), ("GET", "nothing", 404), ("GET", "clocks", 404), ("POST", "clock", 405),
                                           ("GET", "clock/advance", 405), ("PUT", "clock/set", 405)):
                status, answer = server.admin(method, path, b"")
                self.assertEqual((status, list(answer)), (expected, ["error"]), (method, path))
            self.assertEqual(server.admin("GET", "clock")[1]["now"], START, "nothing of all that moved it")

    def test_options(self):
        for arguments, text in ((["--clock-start", "5"], b"--clock-start is for --clock manual only"),
                                (["--clock", "manual", "--clock-start", "noon"], b"noon")):
            shown = run("serve", "--port", "0", *arguments)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""))
            self.assertIn(text, shown.stderr)
        self.assertNotEqual(run("serve", "--port", "0", "--clock", "sundial").returncode, 0)
        self.assertIn(b"/_dynolith/clock/advance", run("serve", "--help").stdout)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
