#!/usr/bin/env python3
"""What streams call: records reach their target in order and at least once, whatever the target and the server do.

    stream_targets_test.py <dynolith binary> [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import socket
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
          "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
          "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


class Target(FakeEndpoint):
    """A function behind HTTP: keeps what it is invoked with, and answers as the test says.

    `behave(event, n)`, for the n-th invocation from 0, returns (status, headers, body), None to close the connection without an
    answer, or waits."""

    def __init__(self, behave=None):
        self.behave = behave or (lambda event, n: (200, {}, ""))
        self.events = []  # (event, whether the answer was a success)
        self.invocations = 0
        self.paths = set()
        super().__init__()
        self.url = f"http://127.0.0.1:{self.port}/"

    def answer(self, path, headers, body):
        event = json.loads(body)
        with self.changed:
            n = self.invocations
            self.invocations += 1
            self.paths.add(path)
        answer = self.behave(event, n)
        with self.changed:
            self.events.append((event, bool(answer) and answer[0] == 200 and not answer[1]))
            self.changed.notify_all()
        return answer and (answer[0], answer[1], answer[2].encode())

    def story(self):
        return f"{self.invocations} invocations, {self.events[-3:]}"

    def records(self, only_successful=True):
        with self.changed:
            return [record for event, succeeded in self.events if succeeded or not only_successful for record in event["Records"]]

    def values(self):
        """(pk, n) of each record of invocations that succeeded, in order."""
        return [(record["dynamodb"]["Keys"]["pk"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"]))
                for record in self.records()]


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dynolith-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def target(self, behave=None):
        target = Target(behave)
        self.addCleanup(target.close)
        return target

    def serve(self, target, *arguments, **members):
        """A server whose stream of orders calls the target, with the members of a mapping."""
        where = target if isinstance(target, str) else target.url
        file = self.folder / "mapping.json"
        file.write_text(json.dumps({"EventSourceArn": "orders", **members}))
        server = Server("--on-stream", f"orders={where}", "--stream-targets", str(file), "--admin", *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def put(self, server, pk, n):
        server.call("PutItem", TableName="orders", Item={"pk": {"S": pk}, "n": {"N": str(n)}})

    def admin(self, server, path, body=None, method=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request(method or ("POST" if body else "GET"), path, body and json.dumps(body))
            response = connection.getresponse()
            text = response.read()
            self.assertEqual(response.status, 200, text)
            return json.loads(text)
        finally:
            connection.close()

    def advance(self, server, seconds):
        self.admin(server, "/_dynolith/clock/advance", {"seconds": seconds})

    def state(self, server):
        [mapping] = self.admin(server, "/_dynolith/targets")["mappings"]
        return mapping

    def wait_for_state(self, server, holds):
        deadline = time.monotonic() + SECONDS
        while not holds(self.state(server)):
            self.assertLess(time.monotonic(), deadline, self.state(server))
            time.sleep(0.01)


class Records(Streams):
    def test_the_event_is_that_of_lambda(self):
        target = self.target()
        server = self.serve(target)
        arn = server.call("CreateTable", **ORDERS)["TableDescription"]["LatestStreamArn"]
        self.put(server, "a", 1)
        self.put(server, "a", 2)
        server.call("DeleteItem", TableName="orders", Key={"pk": {"S": "a"}})
        target.wait_for(lambda it: len(it.records()) == 3)
        self.assertEqual(target.paths, {"/2015-03-31/functions/function/invocations"})
        records = target.records()
        for record in records:
            self.assertEqual(set(record), {"eventID", "eventName", "eventVersion", "eventSource", "awsRegion", "dynamodb",
                                           "eventSourceARN"})
            self.assertEqual((record["eventVersion"], record["eventSource"], record["awsRegion"], record["eventSourceARN"]),
                             ("1.1", "aws:dynamodb", "us-east-1", arn))
        self.assertEqual([record["eventName"] for record in records], ["INSERT", "MODIFY", "REMOVE"])
        change = records[1]["dynamodb"]
        self.assertIsInstance(change.pop("ApproximateCreationDateTime"), int)
        self.assertRegex(change.pop("SequenceNumber"), r"^\d{21,40}$")
        self.assertEqual(change, {"Keys": {"pk": {"S": "a"}}, "NewImage": {"pk": {"S": "a"}, "n": {"N": "2"}},
                                  "OldImage": {"pk": {"S": "a"}, "n": {"N": "1"}}, "SizeBytes": 15,
                                  "StreamViewType": "NEW_AND_OLD_IMAGES"})
        self.wait_for_state(server, lambda it: it["delivered"] == 3 and it["waiting"] == 0)

    def test_expired_items_say_so(self):
        target = self.target()
        server = self.serve(target, "--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z")
        server.call("CreateTable", **ORDERS)
        server.call("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "n"})
        self.put(server, "a", 1769860801)
        self.advance(server, 10)
        self.admin(server, "/_dynolith/ttl/sweep", method="POST")
        target.wait_for(lambda it: any(record["eventName"] == "REMOVE" for record in it.records()))
        [removed] = [record for record in target.records() if record["eventName"] == "REMOVE"]
        self.assertEqual(removed["userIdentity"], {"principalId": "dynamodb.amazonaws.com", "type": "Service"})

    def test_a_command_gets_the_event(self):
        out = self.folder / "events"
        server = self.serve(f"exec:cat >> {out} && echo >> {out}")
        server.call("CreateTable", **ORDERS)
        for n in range(3):
            self.put(server, "a", n)
        self.wait_for_state(server, lambda it: it["delivered"] == 3)
        records = [record for line in out.read_text().splitlines() for record in json.loads(line)["Records"]]
        self.assertEqual([record["dynamodb"]["NewImage"]["n"]["N"] for record in records], ["0", "1", "2"])

    def test_a_command_that_fails_is_run_again(self):
        mark = self.folder / "mark"
        server = self.serve(f"exec:if [ -e {mark} ]; then exit 0; else touch {mark}; echo broken >&2; exit 3; fi")
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        self.wait_for_state(server, lambda it: it["delivered"] == 1)
        self.assertEqual((self.state(server)["failures"], self.state(server)["invocations"]), (1, 2))
        _, _, errors = server.stop()
        self.assertIn("the command ended with 3: broken", errors)

    def test_filters(self):
        target = self.target()
        pattern = {"eventName": ["INSERT"], "dynamodb": {"NewImage": {"n": {"N": ["2", "3"]}}}}
        server = self.serve(target, FilterCriteria={"Filters": [{"Pattern": json.dumps(pattern)}]})
        server.call("CreateTable", **ORDERS)
        for n in range(5):
            self.put(server, f"k{n}", n)
            self.put(server, f"k{n}", n)
        self.wait_for_state(server, lambda it: it["delivered"] == 2)
        self.assertEqual(sorted(target.values()), [("k2", 2), ("k3", 3)])

    def test_latest_and_a_table_that_is_made_again(self):
        target = self.target()
        data = ["--data", str(self.folder / "data")]
        with Server(*data) as before:
            before.call("CreateTable", **ORDERS)
            self.put(before, "a", 1)
        server = self.serve(target, *data, StartingPosition="LATEST")
        self.put(server, "a", 2)
        target.wait_for(lambda it: len(it.records()) == 1)
        server.call("DeleteTable", TableName="orders")
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 3)
        target.wait_for(lambda it: len(it.records()) == 2)
        self.assertEqual(target.values(), [("a", 2), ("a", 3)])

    def test_options_are_checked(self):
        for option, words in (("orders", "wants TABLE=TARGET"), ("orders=lambda", "lambda is no target")):
            shown = run("serve", "--port", "0", "--on-stream", option)
            self.assertNotEqual(shown.returncode, 0)
            self.assertIn(words, shown.stderr.decode())
        file = self.folder / "file"
        file.write_text('{"EventSourceArn": "orders",\n"BatchSize": 0}')
        shown = run("serve", "--port", "0", "--on-stream", "orders=exec:cat", "--stream-targets", str(file))
        self.assertNotEqual(shown.returncode, 0)
        self.assertIn(f"--stream-targets {file}: line 2: BatchSize: wants a whole number from 1 to 10000", shown.stderr.decode())


class Faults(Streams):
    def test_order_and_at_least_once(self):
        """The target answers 500, says that it failed, goes away; the server is killed; shards are several."""
        keys, count = 6, 40
        answers = [(500, {}, "out"), (200, {"X-Amz-Function-Error": "Unhandled"}, "{}"), None,
                   (200, {}, '{"errorMessage": "x", "errorType": "y"}')]

        def behave(event, n):
            return answers[n // 3 % len(answers)] if n % 3 == 0 else (200, {}, "")

        target = self.target(behave)
        arguments = ("--data", str(self.folder / "data"), "--stream-shards", "3")
        server = self.serve(target, *arguments, BatchSize=5)
        server.call("CreateTable", **ORDERS)
        for n in range(count):
            for key in range(keys):
                self.put(server, f"k{key}", n)
            if n % 15 == 14:
                # In the middle of deliveries, as often as not.
                server.process.kill()
                server.process.wait()
                server = self.serve(target, *arguments, BatchSize=5)
        # One that says an error in its body has failed.
        expected = {(f"k{key}", n) for key in range(keys) for n in range(count)}

        def delivered(it):
            return {(record["dynamodb"]["Keys"]["pk"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"]))
                    for event, succeeded in it.events if succeeded for record in event["Records"]} == expected

        target.wait_for(delivered)
        for key in range(keys):
            of_key = first_times([value for value in target.values() if value[0] == f"k{key}"])
            self.assertEqual(of_key, [(f"k{key}", n) for n in range(count)])

    def test_a_target_that_hangs_is_called_again(self):
        stays = threading.Event()
        self.addCleanup(stays.set)

        def behave(event, n):
            if n == 0:
                stays.wait()
                return None
            return 200, {}, ""

        target = self.target(behave)
        server = self.serve(target, TimeoutInSeconds=1)
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        target.wait_for(lambda it: it.records())
        self.assertEqual(target.values(), [("a", 1)])
        _, _, errors = server.stop()
        self.assertIn("no answer within 1 seconds", errors)

    def test_the_server_ends_beside_a_target_that_hangs(self):
        stays, began = threading.Event(), threading.Event()
        self.addCleanup(stays.set)

        def behave(event, n):
            began.set()
            stays.wait()

        target = self.target(behave)
        data = ("--data", str(self.folder / "data"))
        server = self.serve(target, *data, TimeoutInSeconds=900)
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        self.assertTrue(began.wait(SECONDS))
        self.assertEqual(server.stop()[0], 0)
        # What it was called with is delivered when the server is there again.
        stays.set()
        target.behave = lambda event, n: (200, {}, "")
        self.serve(target, *data)
        target.wait_for(lambda it: it.records())
        self.assertEqual(target.values(), [("a", 1)])

    def test_a_target_that_is_not_there_yet(self):
        # A port that nobody listens on, and that nobody else gets.
        reserved = socket.socket()
        self.addCleanup(reserved.close)
        reserved.bind(("127.0.0.1", 0))
        server = self.serve(f"http://127.0.0.1:{reserved.getsockname()[1]}/", MaximumRetryAttempts=0)
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        # It has not run, so this is no attempt.
        self.wait_for_state(server, lambda it: it["failures"] >= 2)
        self.assertEqual((self.state(server)["given_up"], self.state(server)["waiting"]), (0, 1))

    def test_failures_of_a_batch_are_told_apart(self):
        def behave(event, n):
            numbers = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
            bad = [number for number, record in zip(numbers, event["Records"])
                   if record["dynamodb"]["NewImage"]["n"]["N"] == "2"]
            return 200, {}, json.dumps({"batchItemFailures": [{"itemIdentifier": number} for number in bad if n < 3]})

        target = self.target(behave)
        server = self.serve(target, "--clock", "manual", FunctionResponseTypes=["ReportBatchItemFailures"],
                            MaximumBatchingWindowInSeconds=10)
        server.call("CreateTable", **ORDERS)
        for n in range(5):
            self.put(server, "a", n)
        self.wait_for_state(server, lambda it: it["waiting"] == 5)
        self.advance(server, 10)
        for done in range(1, 5):
            target.wait_for(lambda it, least=done: len(it.events) == least)
            if done < 4:
                self.wait_for_state(server, lambda it, failed=done: it["failures"] == failed)
                self.advance(server, 10)
        batches = [[record["dynamodb"]["NewImage"]["n"]["N"] for record in event["Records"]] for event, _ in target.events]
        self.assertEqual(batches, [["0", "1", "2", "3", "4"], ["2", "3", "4"], ["2", "3", "4"], ["2", "3", "4"]])
        self.wait_for_state(server, lambda it: it["delivered"] == 5)

    def test_a_poison_record_is_found_and_given_up(self):
        def behave(event, n):
            bad = any(record["dynamodb"]["NewImage"]["n"]["N"] == "3" for record in event["Records"])
            return (200, {"X-Amz-Function-Error": "Unhandled"}, '{"errorMessage": "bad"}') if bad else (200, {}, "")

        target = self.target(behave)
        lost = self.folder / "lost"
        server = self.serve(target, "--clock", "manual", BisectBatchOnFunctionError=True, MaximumRetryAttempts=1,
                            MaximumBatchingWindowInSeconds=5, DestinationConfig={"OnFailure": {"Destination": str(lost)}})
        server.call("CreateTable", **ORDERS)
        for n in range(8):
            self.put(server, "a", n)
        self.wait_for_state(server, lambda it: it["waiting"] == 8)
        self.advance(server, 5)
        self.wait_for_state(server, lambda it: it["failures"] == 4)  # of 8, 4, 2 and 1
        self.advance(server, 1)
        self.wait_for_state(server, lambda it: it["waiting"] == 0)
        self.assertEqual([n for _, n in target.values()], [0, 1, 2, 4, 5, 6, 7])
        [line] = lost.read_text().splitlines()
        told = json.loads(line)
        self.assertEqual(told["requestContext"]["condition"], "RetryAttemptsExhausted")
        self.assertEqual(told["responseContext"], {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"})
        info = told["DDBStreamBatchInfo"]
        self.assertEqual((info["batchSize"], info["startSequenceNumber"]), (1, info["endSequenceNumber"]))
        [record] = json.loads(told["payload"])["Records"]
        self.assertEqual(record["dynamodb"]["NewImage"]["n"], {"N": "3"})
        _, _, errors = server.stop()
        self.assertIn("given up (RetryAttemptsExhausted): 1 record from", errors)

    def test_records_that_are_too_old(self):
        target = self.target(lambda event, n: (500, {}, ""))
        other = self.target()
        server = self.serve(target, "--clock", "manual", MaximumRecordAgeInSeconds=60,
                            DestinationConfig={"OnFailure": {"Destination": other.url + "failed"}})
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        self.wait_for_state(server, lambda it: it["failures"] == 1)
        self.advance(server, 61)
        other.wait_for(lambda it: it.invocations == 1 and it.events)
        self.assertEqual(other.paths, {"/failed"})
        self.assertEqual(other.events[0][0]["requestContext"]["condition"], "RecordAgeExceeded")
        self.wait_for_state(server, lambda it: it["given_up"] == 1)
        self.assertEqual(target.invocations, 1)

    def test_lanes_keep_the_order_of_each_key(self):
        stays = threading.Event()
        self.addCleanup(stays.set)
        keys = [f"k{key}" for key in range(12)]

        def behave(event, n):
            if any(record["dynamodb"]["Keys"]["pk"]["S"] == "k0" for record in event["Records"]):
                stays.wait()
            return 200, {}, ""

        target = self.target(behave)
        server = self.serve(target, ParallelizationFactor=10, BatchSize=2)
        server.call("CreateTable", **ORDERS)
        for n in range(4):
            for key in keys:
                self.put(server, key, n)
        # Other lanes go on beside the one that waits; at least one key is in another lane.
        target.wait_for(lambda it: sum(1 for event, _ in it.events for record in event["Records"]) >= 4)
        self.assertNotIn("k0", [key for key, _ in target.values()])
        stays.set()
        target.wait_for(lambda it: sum(len(event["Records"]) for event, _ in it.events) == 4 * len(keys))
        for key in keys:
            self.assertEqual([n for each, n in target.values() if each == key], [0, 1, 2, 3])


class Windows(Streams):
    def test_a_batching_window_goes_by_the_servers_clock(self):
        target = self.target()
        server = self.serve(target, "--clock", "manual", BatchSize=3, MaximumBatchingWindowInSeconds=60)
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        self.wait_for_state(server, lambda it: it["waiting"] == 1)
        self.advance(server, 59)
        self.put(server, "a", 2)
        self.wait_for_state(server, lambda it: it["waiting"] == 2)
        self.assertEqual(target.invocations, 0)
        self.advance(server, 1)
        target.wait_for(lambda it: len(it.records()) == 2)
        # A batch that is full does not wait.
        for n in range(3):
            self.put(server, "a", n)
        target.wait_for(lambda it: len(it.records()) == 5)
        self.assertEqual([len(event["Records"]) for event, _ in target.events], [2, 3])

    def test_tumbling_windows(self):
        def behave(event, n):
            total = event["state"].get("sum", 0) + sum(int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in event["Records"])
            return 200, {}, json.dumps({"state": {"sum": total}})

        target = self.target(behave)
        data = ("--data", str(self.folder / "data"), "--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z")
        server = self.serve(target, *data, TumblingWindowInSeconds=60)
        server.call("CreateTable", **ORDERS)
        self.put(server, "a", 1)
        target.wait_for(lambda it: len(it.events) == 1)
        self.wait_for_state(server, lambda it: it["delivered"] == 1)
        # The state outlives the server.
        server.process.kill()
        server.process.wait()
        server = self.serve(target, *data, TumblingWindowInSeconds=60)
        self.put(server, "a", 10)
        target.wait_for(lambda it: len(it.events) == 2)
        self.advance(server, 60)
        target.wait_for(lambda it: len(it.events) == 3)
        self.put(server, "a", 100)
        target.wait_for(lambda it: len(it.events) == 4)
        first, second, final, next_window = [event for event, _ in target.events]
        self.assertEqual((first["window"], first["state"], first["isFinalInvokeForWindow"]),
                         ({"start": "2026-01-31T12:00:00Z", "end": "2026-01-31T12:01:00Z"}, {}, False))
        self.assertEqual((second["window"], second["state"]), (first["window"], {"sum": 1}))
        self.assertEqual((final["window"], final["state"], final["isFinalInvokeForWindow"], final["isWindowTerminatedEarly"],
                          final["Records"]), (first["window"], {"sum": 11}, True, False, []))
        self.assertEqual(final["shardId"], first["shardId"])
        self.assertEqual((next_window["window"]["start"], next_window["state"]), ("2026-01-31T12:01:00Z", {}))


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
