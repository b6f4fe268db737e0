#!/usr/bin/env python3
"""Kinesis destinations: changes reach their stream in order for each item and at least once, whatever the endpoint and the server do.

    kinesis_test.py <dynolith binary> [unittest arguments]
"""

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import os
import pathlib
import random
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import SECONDS, Server, run
from fake_endpoint import FakeEndpoint, first_times

ORDERS = {"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
          "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
          "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
ACCESS_KEY, SECRET = "AKIDEXAMPLE", "not-a-secret"


def arn(stream):
    return f"arn:aws:kinesis:us-east-1:000000000000:stream/{stream}"


def signature_of(headers, body):
    """That of Signature Version 4 for the header that says how the call is signed, written out here."""
    fields = dict(part.split("=", 1) for part in headers["authorization"].split(" ", 1)[1].split(", "))
    names = fields["SignedHeaders"]
    access_key, scope = fields["Credential"].split("/", 1)
    canonical = "\n".join(["POST", "/", "", *(f"{name}:{headers[name]}" for name in names.split(";")), "", names,
                           hashlib.sha256(body).hexdigest()])
    to_sign = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{SECRET}".encode()
    for part in [*scope.split("/"), to_sign]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return access_key, scope, names, key.hex() == fields["Signature"]


class Kinesis(FakeEndpoint):
    """An endpoint that keeps records, and fails as the test says.

    `behave(n, records)`, for the n-th PutRecords from 0, returns None: all is well; "lost": the connection is closed before
    anything is taken; "answer lost": after; (status, error name): an error; a set: the places of the records that are left out. It
    may wait."""

    def __init__(self, *streams, behave=None, tls=None):
        self.behave = behave or (lambda n, records: None)
        self.streams = {stream: [] for stream in streams}  # the records that were taken, in order
        self.calls = []  # (stream, how many records, bytes)
        self.bad_calls = []
        self.calls_of_missing = []  # (operation, stream that is not there)
        self.status = "ACTIVE"  # of the streams
        self.describes = True  # whether it knows DescribeStream
        super().__init__(tls)
        self.url = f"https://localhost:{self.port}" if tls else f"http://127.0.0.1:{self.port}"

    def answer(self, path, headers, body):
        answer = self.answer_call(headers, body)
        return answer and (answer[0], {"Content-Type": "application/x-amz-json-1.1"}, json.dumps(answer[1]).encode())

    def story(self):
        return f"{len(self.calls)} calls, last {self.calls[-3:]}"

    def answer_call(self, headers, body):
        access_key, scope, names, is_right = signature_of(headers, body)
        signed = is_right and access_key == ACCESS_KEY and scope.endswith("/us-east-1/kinesis/aws4_request")
        target = headers.get("x-amz-target", "")
        if not signed or headers.get("content-type") != "application/x-amz-json-1.1" or "x-amz-target" not in names:
            self.bad_calls.append(headers)
            return 400, {"__type": "IncompleteSignatureException", "message": "bad"}
        call = json.loads(body)
        with self.changed:
            is_there = call["StreamName"] in self.streams
            if not is_there:
                self.calls_of_missing.append((target.split(".")[-1], call["StreamName"]))
                self.changed.notify_all()
        if not is_there:
            return 400, {"__type": "ResourceNotFoundException", "message": f"Stream {call['StreamName']} not found."}
        if target == "Kinesis_20131202.DescribeStream":
            if not self.describes:
                return 400, {"__type": "UnknownOperationException"}
            return 200, {"StreamDescription": {"StreamName": call["StreamName"], "StreamStatus": self.status, "Shards": []}}
        if target != "Kinesis_20131202.PutRecords":
            self.bad_calls.append(headers)
            return 400, {"__type": "UnknownOperationException"}
        return self.put(call["StreamName"], call["Records"])

    def put(self, stream, records):
        for record in records:
            record["Data"] = base64.b64decode(record["Data"], validate=True)
        sizes = [len(record["Data"]) + len(record["PartitionKey"]) for record in records]
        with self.changed:
            n = len(self.calls)
            self.calls.append((stream, len(records), sum(sizes)))
        fault = self.behave(n, records)
        if fault == "lost":
            return None
        if isinstance(fault, tuple):
            return fault[0], {"__type": f"com.amazonaws.kinesis#{fault[1]}", "message": "out"}
        if max(sizes) > 1 << 20 or len(records) > 500 or sum(sizes) > 5 << 20:
            return 400, {"__type": "InvalidArgumentException", "message": "too large"}
        left_out = fault if isinstance(fault, set) else set()
        outcomes = []
        with self.changed:
            for place, record in enumerate(records):
                if place in left_out:
                    outcomes.append({"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "Rate exceeded"})
                else:
                    outcomes.append({"SequenceNumber": str(len(self.streams[stream])), "ShardId": "shardId-000000000000"})
                    self.streams[stream].append(record)
            self.changed.notify_all()
        if fault == "answer lost":
            return None
        return 200, {"FailedRecordCount": len(left_out), "Records": outcomes}

    def records(self, stream):
        with self.changed:
            return [json.loads(record["Data"]) for record in self.streams[stream]]

    def values(self, stream):
        """(pk, n) of each record, in order; n is None for a removal."""
        return [(record["dynamodb"]["Keys"]["pk"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"])
                 if "NewImage" in record["dynamodb"] else None) for record in self.records(stream)]


class Destinations(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dynolith-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = ("--data", str(self.folder / "data"))

    def kinesis(self, *streams, **how):
        kinesis = Kinesis(*streams, **how)
        self.addCleanup(kinesis.close)
        # Every call was signed as it should be.
        self.addCleanup(lambda: self.assertEqual(kinesis.bad_calls, []))
        return kinesis

    def serve(self, kinesis, *arguments, **variables):
        url = () if kinesis is None else ("--kinesis", kinesis if isinstance(kinesis, str) else kinesis.url)
        environment = {**os.environ, "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET, **variables}
        environment.pop("AWS_SESSION_TOKEN", None)
        server = Server(*url, "--admin", *arguments, environment=environment)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def enable(self, server, stream, table="orders", wait="ACTIVE", **configuration):
        members = {"EnableKinesisStreamingConfiguration": configuration} if configuration else {}
        answer = server.call("EnableKinesisStreamingDestination", TableName=table, StreamArn=arn(stream), **members)
        self.assertEqual(answer["DestinationStatus"], "ENABLING")
        if wait:
            self.wait_for_status(server, stream, wait, table)

    def disable(self, server, stream):
        server.call("DisableKinesisStreamingDestination", TableName="orders", StreamArn=arn(stream))

    def status(self, server, stream, table="orders"):
        [found] = [each for each in server.call("DescribeKinesisStreamingDestination", TableName=table)
                   ["KinesisDataStreamDestinations"] if each["StreamArn"] == arn(stream)]
        return found

    def wait_for_status(self, server, stream, status, table="orders"):
        deadline = time.monotonic() + SECONDS
        while self.status(server, stream, table)["DestinationStatus"] != status:
            self.assertLess(time.monotonic(), deadline, self.status(server, stream, table))
            time.sleep(0.01)

    def put(self, server, pk, n):
        server.call("PutItem", TableName="orders", Item={"pk": {"S": pk}, "n": {"N": str(n)}})

    def admin(self, server, path, body=None, method=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request(method or ("POST" if body else "GET"), path, body and json.dumps(body))
            response = connection.getresponse()
            text = response.read().decode()
            self.assertEqual(response.status, 200, text)
            return text
        finally:
            connection.close()

    def state(self, server, stream):
        shown = json.loads(self.admin(server, "/_dynolith/kinesis"))["destinations"]
        return next((each for each in shown if each["stream"] == stream), None)

    def wait_for_state(self, server, stream, holds):
        deadline = time.monotonic() + SECONDS
        while not (state := self.state(server, stream)) or not holds(state):
            self.assertLess(time.monotonic(), deadline, state)
            time.sleep(0.01)
        return state

    def check(self):
        """The store agrees with itself. Requires: its server has ended."""
        checked = run("check", str(self.folder / "data"))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class Records(Destinations):
    def test_the_form_of_records(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, "--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z")
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 0.001})
        self.put(server, "a", 2)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 2)
        server.call("UpdateKinesisStreamingDestination", TableName="orders", StreamArn=arn("changes"),
                    UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"})
        # The lane knows by its next look.
        self.wait_for_status(server, "changes", "ACTIVE")
        for n in itertools.count(3):
            self.put(server, "b", n)
            kinesis.wait_for(lambda it: len(it.streams["changes"]) == n)
            if "ApproximateCreationDateTimePrecision" in kinesis.records("changes")[-1]["dynamodb"]:
                break
        server.call("DeleteItem", TableName="orders", Key={"pk": {"S": "a"}})
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == n + 1)
        records = kinesis.records("changes")
        for record in records:
            self.assertRegex(record.pop("eventID"), r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        start = 1769860800
        around = {"awsRegion": "us-east-1", "userIdentity": None, "recordFormat": "application/json", "tableName": "orders",
                  "eventSource": "aws:dynamodb"}
        self.assertEqual(records[0], {**around, "eventName": "INSERT", "dynamodb": {
            "ApproximateCreationDateTime": start * 1000, "Keys": {"pk": {"S": "a"}},
            "NewImage": {"pk": {"S": "a"}, "n": {"N": "1"}}, "SizeBytes": 9}})
        self.assertEqual(records[1], {**around, "eventName": "MODIFY", "dynamodb": {
            "ApproximateCreationDateTime": start * 1000 + 1, "Keys": {"pk": {"S": "a"}},
            "NewImage": {"pk": {"S": "a"}, "n": {"N": "2"}}, "OldImage": {"pk": {"S": "a"}, "n": {"N": "1"}}, "SizeBytes": 15}})
        self.assertEqual(records[-1], {**around, "eventName": "REMOVE", "dynamodb": {
            "ApproximateCreationDateTime": start * 1000000 + 1000, "Keys": {"pk": {"S": "a"}},
            "OldImage": {"pk": {"S": "a"}, "n": {"N": "2"}}, "SizeBytes": 9,
            "ApproximateCreationDateTimePrecision": "MICROSECOND"}})
        keys = [record["PartitionKey"] for record in kinesis.streams["changes"]]
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])

    def test_expired_items_say_so(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, "--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z")
        server.call("CreateTable", **ORDERS)
        server.call("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "n"})
        self.enable(server, "changes")
        self.put(server, "a", 1769860801)
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 10})
        self.admin(server, "/_dynolith/ttl/sweep", method="POST")
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 2)
        self.assertEqual(kinesis.records("changes")[1]["userIdentity"],
                         {"type": "Service", "principalId": "dynamodb.amazonaws.com"})

    def test_streams_of_the_table_are_its_own_affair(self):
        """Two destinations and a stream that shows keys only: each has its records, and clients see only the stream."""
        kinesis = self.kinesis("one", "two")
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        self.enable(server, "one")
        self.put(server, "a", 1)
        self.enable(server, "two")
        self.put(server, "a", 2)
        kinesis.wait_for(lambda it: len(it.streams["one"]) == 2 and len(it.streams["two"]) == 1)
        self.assertEqual(kinesis.values("one"), [("a", 1), ("a", 2)])
        self.assertEqual(kinesis.values("two"), [("a", 2)])
        status, answer = self.streams_request(server, "ListStreams")
        self.assertEqual(status, 200, answer)
        [stream] = answer["Streams"]
        table = server.call("DescribeTable", TableName="orders")["Table"]
        self.assertEqual(stream["StreamArn"], table["LatestStreamArn"])
        for table_id in range(20):
            hidden = f"{table['TableArn']}/stream/kinesis:{table_id}:one"
            status, answer = self.streams_request(server, "DescribeStream", StreamArn=hidden)
            self.assertEqual(status, 400, answer)

    def streams_request(self, server, operation, **members):
        body = json.dumps(members).encode()
        headers = cli_test.signed_headers(operation, body)
        headers["x-amz-target"] = f"DynamoDBStreams_20120810.{operation}"
        return server.request(operation, body, headers)

    def test_large_records(self):
        """Those that Kinesis can never take are given up, and said; the rest goes on, in calls of at most 5 MB."""
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        # The text of one has six bytes in JSON for each of its own.
        for n, text in enumerate(["x" * 350_000] * 20 + ["\x01" * 350_000] + ["x"] * 3):
            server.call("PutItem", TableName="orders", Item={"pk": {"S": f"k{n}"}, "n": {"N": str(n)}, "t": {"S": text}})
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 23)
        state = self.wait_for_state(server, "changes", lambda it: it["sent"] == 23 and it["waiting"] == 0)
        self.assertEqual(state["given_up"], 1)
        self.assertEqual({n for _, n in kinesis.values("changes")}, set(range(24)) - {20})
        self.assertTrue(all(size <= 5 << 20 for _, count, size in kinesis.calls if count > 1))
        _, _, errors = server.stop()
        self.assertIn("given up: record 1", errors)


class States(Destinations):
    def test_without_an_endpoint_there_are_states_only(self):
        server = self.serve(None)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)

    def test_a_stream_that_is_missing(self):
        kinesis = self.kinesis()
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes", wait=None)
        self.put(server, "a", 1)
        self.wait_for_status(server, "changes", "ENABLE_FAILED")
        self.assertIn("Stream changes not found", self.status(server, "changes")["DestinationStatusDescription"])
        self.put(server, "a", 2)
        with kinesis.changed:
            kinesis.streams["changes"] = []
        self.enable(server, "changes")
        self.assertNotIn("DestinationStatusDescription", self.status(server, "changes"))
        self.put(server, "a", 3)
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 3)])
        code, _, errors = server.stop()
        self.assertEqual(code, 0)
        self.assertIn("Kinesis destination changes of table orders is ENABLE_FAILED: ", errors)
        self.check()

    def test_attempts_that_fail_are_not_sent_by_later_ones(self):
        """However soon the next one comes: all of it is sent, and nothing of those before."""
        kinesis = self.kinesis()
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        for n in range(0, 60, 3):
            with kinesis.changed:
                kinesis.streams.pop("changes", None)
            self.enable(server, "changes", wait=None)
            self.put(server, "a", n)
            self.wait_for_status(server, "changes", "ENABLE_FAILED")
            self.put(server, "a", n + 1)
            with kinesis.changed:
                kinesis.streams["changes"] = []
            self.enable(server, "changes", wait=None)
            self.put(server, "a", n + 2)
            kinesis.wait_for(lambda it: it.streams["changes"])
            # More than once if the endpoint hung for longer than the server waits for an answer.
            self.assertEqual(set(kinesis.values("changes")), {("a", n + 2)})
            self.wait_for_status(server, "changes", "ACTIVE")
            self.wait_for_state(server, "changes", lambda it: it["sent"] > n // 3 and it["waiting"] == 0)
            self.disable(server, "changes")
        self.assertNotIn(("PutRecords", "changes"), kinesis.calls_of_missing)
        server.stop()
        self.check()

    def test_a_table_that_is_deleted_before_its_stream_is_there(self):
        """Nothing is sent to a stream that is not there, whether that is known when the table goes or only then."""
        for is_known in [True, False]:
            with self.subTest(is_known=is_known):
                kinesis = self.kinesis("changes")
                kinesis.status = "CREATING"
                server = self.serve(kinesis)
                server.call("CreateTable", **ORDERS)
                self.enable(server, "changes", wait=None)
                self.put(server, "a", 1)
                self.wait_for_state(server, "changes", lambda it: it.get("last_error"))
                if not is_known:
                    server.call("DeleteTable", TableName="orders")
                    self.wait_for_state(server, "changes", lambda it: it["status"] == "GONE")
                with kinesis.changed:
                    del kinesis.streams["changes"]
                if is_known:
                    self.wait_for_status(server, "changes", "ENABLE_FAILED")
                    server.call("DeleteTable", TableName="orders")
                    self.wait_for_state(server, "changes", lambda it: it["status"] == "GONE")
                self.wait_for_state(server, "changes", lambda it: not it.get("last_error"))
                with kinesis.changed:
                    kinesis.status = "ACTIVE"
                    kinesis.streams.update({"changes": [], "others": []})
                server.call("CreateTable", **{**ORDERS, "TableName": "others"})
                self.enable(server, "others", table="others")
                for n in range(5):
                    server.call("PutItem", TableName="others", Item={"pk": {"S": "a"}, "n": {"N": str(n)}})
                    kinesis.wait_for(lambda it: len(it.streams["others"]) == n + 1)
                self.assertEqual(kinesis.values("changes"), [])
                self.assertNotIn(("PutRecords", "changes"), kinesis.calls_of_missing)
                _, _, errors = server.stop()
                self.assertIn("ENABLE_FAILED" if is_known else "which is gone: its changes are not sent", errors)

    def test_an_endpoint_that_is_not_there_yet(self):
        """A destination waits ENABLING, and what is written meanwhile is not lost."""
        kinesis = Kinesis("changes")
        kinesis.close()
        server = self.serve(kinesis.url, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes", wait=None)
        self.put(server, "a", 1)
        self.wait_for_state(server, "changes", lambda it: it.get("last_error"))
        self.assertEqual(self.status(server, "changes")["DestinationStatus"], "ENABLING")
        # A restart changes nothing, also one without the option.
        server.stop()
        server = self.serve(None, *self.data)
        self.put(server, "a", 2)
        self.assertEqual(self.status(server, "changes")["DestinationStatus"], "ENABLING")
        server.stop()
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, *self.data)
        self.wait_for_status(server, "changes", "ACTIVE")
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 2)
        self.assertEqual(kinesis.values("changes"), [("a", 1), ("a", 2)])

    def test_a_stream_that_is_being_created(self):
        kinesis = self.kinesis("changes")
        kinesis.status = "CREATING"
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes", wait=None)
        self.put(server, "a", 1)
        state = self.wait_for_state(server, "changes", lambda it: it.get("last_error"))
        self.assertEqual((state["status"], state["last_error"]), ("ENABLING", "stream changes is CREATING"))
        kinesis.status = "ACTIVE"
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 1)])

    def test_an_endpoint_that_only_takes_records(self):
        kinesis = self.kinesis("changes")
        kinesis.describes = False
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        kinesis.wait_for(lambda it: it.streams["changes"])

    def test_destinations_of_before(self):
        """What was enabled while nobody sent begins with the first server that sends."""
        server = self.serve(None, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        server.stop()
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, *self.data)
        self.wait_for_state(server, "changes", lambda it: it["status"] == "ACTIVE")
        self.put(server, "a", 2)
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 2)])

    def test_disabled_and_enabled_again(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "b", 0)
        for n in range(10):
            self.put(server, "a", n)
        self.disable(server, "changes")
        for key in "ab":
            self.put(server, key, 10)
        # What was changed before it was disabled is still sent.
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 11)
        self.enable(server, "changes")
        self.put(server, "a", 11)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 12)
        self.assertEqual([value for value in kinesis.values("changes") if value[0] == "a"], [("a", n) for n in [*range(10), 11]])
        server.stop()
        self.check()

    def test_a_table_that_is_deleted(self):
        gate = threading.Event()
        kinesis = self.kinesis("changes", behave=lambda n, records: None if gate.wait(SECONDS) else "lost")
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        self.put(server, "b", 2)
        server.call("DeleteTable", TableName="orders")
        self.wait_for_state(server, "changes", lambda it: it["status"] == "GONE")
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 3)
        gate.set()
        self.wait_for_state(server, "changes", lambda it: it["sent"] == 2 and it["waiting"] == 0)
        # More than once if the endpoint hung for longer than the server waits for an answer.
        self.assertEqual(set(kinesis.values("changes")), {("a", 1), ("b", 2)})

    def test_delays(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, "--clock", "manual", "--table-delay", "20")
        server.call("CreateTable", **ORDERS)
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 20})
        self.enable(server, "changes", wait=None)
        self.wait_for_state(server, "changes", lambda it: it["status"] == "ENABLING")
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 20})
        self.wait_for_status(server, "changes", "ACTIVE")
        self.disable(server, "changes")
        self.assertEqual(self.status(server, "changes")["DestinationStatus"], "DISABLING")
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 20})
        self.assertEqual(self.status(server, "changes")["DestinationStatus"], "DISABLED")

    def test_changes_are_kept_for_a_day(self):
        """What an endpoint that is away for longer does not get is said."""
        down = threading.Event()
        down.set()
        kinesis = self.kinesis("changes", behave=lambda n, records: (500, "InternalFailure") if down.is_set() else None)
        manual = ("--clock", "manual", *self.data)
        server = self.serve(kinesis, *manual)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        self.wait_for_state(server, "changes", lambda it: it["waiting"] == 1 and it["failures"] > 0)
        server.stop()
        server = self.serve(None, *manual)
        self.admin(server, "/_dynolith/clock/advance", {"seconds": 25 * 3600})
        self.put(server, "a", 2)
        server.stop()
        down.clear()
        server = self.serve(kinesis, *manual)
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 2)])
        _, _, errors = server.stop()
        self.assertIn("changes were dropped before they were sent", errors)

    def test_over_tls(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        kinesis = self.kinesis("changes", tls=tls)
        # Nobody vouches for the endpoint: it is told nothing.
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes", wait=None)
        self.put(server, "a", 1)
        self.wait_for_state(server, "changes", lambda it: it.get("last_error"))
        self.assertEqual(self.status(server, "changes")["DestinationStatus"], "ENABLING")
        server.stop()
        self.serve(kinesis, *self.data, SSL_CERT_FILE=str(certificate))
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 1)])

    def test_options_are_checked(self):
        shown = run("serve", "--port", "0", "--kinesis", "ftp://here")
        self.assertNotEqual(shown.returncode, 0)
        self.assertIn("ftp://here is no server's address", shown.stderr.decode())


class Faults(Destinations):
    def test_records_that_are_left_out(self):
        """Calls that take only some of their records, or are refused: each record once, and an item's in order."""
        chance = random.Random(7)
        keys, count = 20, 30

        def behave(n, records):
            if n % 5 == 1:
                return 400, "ProvisionedThroughputExceededException"
            if n % 5 == 3:
                return 500, "InternalFailure"
            return {place for place in range(len(records)) if chance.random() < 0.3}

        kinesis = self.kinesis("changes", behave=behave)
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        for n in range(count):
            for key in range(keys):
                self.put(server, f"k{key}", n)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == keys * count)
        values = kinesis.values("changes")
        for key in range(keys):
            self.assertEqual([value for value in values if value[0] == f"k{key}"], [(f"k{key}", n) for n in range(count)])
        state = self.wait_for_state(server, "changes", lambda it: it["sent"] == keys * count and it["waiting"] == 0)
        self.assertGreater(state["failures"], 0)
        metrics = self.admin(server, "/_dynolith/metrics")
        self.assertIn('dynolith_kinesis_records_total{table="orders",stream="changes",outcome="sent"} %d' % (keys * count), metrics)
        self.assertIn('dynolith_kinesis_waiting_records{table="orders",stream="changes"} 0', metrics)
        _, _, errors = server.stop()
        self.assertIn("Kinesis destination changes of table orders fails: ", errors)
        self.assertIn("works again", errors)

    def test_order_and_at_least_once(self):
        """Connections are lost before and behind a call, and the server is killed."""
        keys, count = 6, 40
        faults = ["lost", "answer lost", (500, "InternalFailure"), {0}]
        kinesis = self.kinesis("changes", behave=lambda n, records: faults[n // 3 % len(faults)] if n % 3 == 0 else None)
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        for n in range(count):
            for key in range(keys):
                self.put(server, f"k{key}", n)
            if n % 15 == 14:
                # In the middle of calls, as often as not.
                server.process.kill()
                server.process.wait()
                server = self.serve(kinesis, *self.data)
        expected = {(f"k{key}", n) for key in range(keys) for n in range(count)}
        kinesis.wait_for(lambda it: set(it.values("changes")) == expected)
        for key in range(keys):
            of_key = first_times([value for value in kinesis.values("changes") if value[0] == f"k{key}"])
            self.assertEqual(of_key, [(f"k{key}", n) for n in range(count)])
        server.stop()
        self.check()

    def test_what_was_sent_is_not_sent_again(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        self.wait_for_state(server, "changes", lambda it: it["sent"] == 1 and it["waiting"] == 0)
        server.process.kill()
        server.process.wait()
        server = self.serve(kinesis, *self.data)
        self.put(server, "a", 2)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) >= 2)
        self.assertEqual(kinesis.values("changes"), [("a", 1), ("a", 2)])

    def test_the_server_ends_beside_an_endpoint_that_hangs(self):
        stays, began = threading.Event(), threading.Event()
        self.addCleanup(stays.set)

        def behave(n, records):
            began.set()
            stays.wait()
            return "lost"

        kinesis = self.kinesis("changes", behave=behave)
        server = self.serve(kinesis, *self.data)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        self.assertTrue(began.wait(SECONDS))
        self.assertEqual(server.stop()[0], 0)
        # What it was called with is sent when the server is there again.
        kinesis.behave = lambda n, records: None
        stays.set()
        self.serve(kinesis, *self.data)
        kinesis.wait_for(lambda it: it.streams["changes"])
        self.assertEqual(kinesis.values("changes"), [("a", 1)])

    def test_a_return_to_a_snapshot(self):
        kinesis = self.kinesis("changes")
        server = self.serve(kinesis)
        server.call("CreateTable", **ORDERS)
        self.enable(server, "changes")
        self.put(server, "a", 1)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 1)
        self.admin(server, "/_dynolith/snapshot", {"name": "one"})
        self.put(server, "a", 2)
        kinesis.wait_for(lambda it: len(it.streams["changes"]) == 2)
        # Numbers of records are not used again: nothing is passed over, however often it comes back.
        for n in range(3, 7):
            self.admin(server, "/_dynolith/restore", {"name": "one"})
            self.put(server, "a", n)
            kinesis.wait_for(lambda it, n=n: it.values("changes")[-1] == ("a", n))
        self.assertEqual(kinesis.values("changes"), [("a", n) for n in range(1, 7)])


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
