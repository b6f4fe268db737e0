#!/usr/bin/env python3
"""Faults on purpose, through the program: what a client sees on its socket, what a call leaves behind, and what the admin
endpoint says to whoever makes rules.

    faults_test.py <dynolith binary> [unittest arguments]
"""

import concurrent.futures
import http.client
import json
import signal
import sys
import time
import unittest

import cli_test
from clock_test import ITEMS, START, Clocked, key, put


class Faults(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked("--admin", "--memory", *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        server.call("CreateTable", **ITEMS)
        return server

    def add(self, server, fault, **members):
        status, answer = server.admin("POST", "faults", {"fault": fault, **members})
        self.assertEqual(status, 200, answer)
        return answer["id"]

    def put(self, server, pk):
        """(status, what the error is called)"""
        status, answer = server.request("PutItem", json.dumps(put(pk)).encode())
        return status, answer.get("__type", "").partition("#")[2]

    def names(self, server):
        self.assertEqual(server.admin("DELETE", "faults"), (200, {}))
        return sorted(item["pk"]["S"] for item in server.call("Scan", TableName="items")["Items"])

    def test_errors(self):
        server = self.start()
        self.add(server, "throttle", operation="PutItem", nth=1)
        status, answer = server.request("PutItem", json.dumps(put("a")).encode())
        self.assertEqual((status, answer["__type"]), (400, "com.amazon.coral.availability#ThrottlingException"))
        self.assertEqual(answer["throttlingReasons"],
                         [{"reason": "TableWriteKeyRangeThroughputExceeded",
                           "resource": "arn:aws:dynamodb:us-east-1:000000000000:table/items"}])
        self.add(server, "internal_error", table="items", hits_max=1)
        self.assertEqual(self.put(server, "b"), (500, "InternalServerError"))
        self.add(server, "unavailable", key={"pk": {"S": "c"}})
        self.assertEqual(self.put(server, "c"), (503, "ServiceUnavailable"))
        self.assertEqual(self.put(server, "d"), (200, ""))
        self.add(server, "transaction_conflict", key={"pk": {"S": "e"}})
        self.assertEqual(self.put(server, "e"), (400, "TransactionConflictException"))
        status, answer = server.request("TransactWriteItems", json.dumps({"TransactItems": [{"Put": put("f")}, {"Put": put("e")}]}).encode())
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "TransactionCanceledException"))
        self.assertEqual([reason["Code"] for reason in answer["CancellationReasons"]], ["None", "TransactionConflict"])
        self.assertEqual(self.names(server), ["d"])

    def test_what_is_no_operation_of_a_program_fails_too(self):
        server = self.start()
        self.add(server, "unavailable")
        for operation in ("DescribeEndpoints", "ListGlobalTables", "ListTables"):
            self.assertEqual(server.request(operation, b"{}")[0], 503, operation)

    def test_connections_that_are_closed(self):
        server = self.start()
        for fault, there in (("dropped_connection", False), ("answer_lost", True)):
            self.add(server, fault, operation="PutItem", hits_max=1)
            with self.assertRaises(http.client.RemoteDisconnected):
                self.put(server, fault)
            self.assertEqual("Item" in server.call("GetItem", **key(fault)), there, fault)
        self.assertEqual(self.put(server, "again"), (200, ""))
        _, _, errors = server.stop()
        self.assertIn('cause="fault rule 1"', errors)

    def test_partial_batches(self):
        server = self.start()
        self.add(server, "partial_batch", key={"pk": {"S": "b"}}, hits_max=2)
        writes = {"items": [{"PutRequest": {"Item": put(pk)["Item"]}} for pk in "abc"]}
        answer = server.call("BatchWriteItem", RequestItems=writes)
        self.assertEqual(answer["UnprocessedItems"], {"items": [writes["items"][1]]})
        keys = {"items": {"Keys": [key(pk)["Key"] for pk in "abc"]}}
        answer = server.call("BatchGetItem", RequestItems=keys)
        self.assertEqual(answer["UnprocessedKeys"], {"items": {"Keys": [key("b")["Key"]]}})
        self.assertEqual(len(answer["Responses"]["items"]), 2)
        self.assertEqual(self.names(server), ["a", "c"])

    def test_latency_keeps_nobody_else_waiting(self):
        server = self.start("--threads", "1")
        self.add(server, "latency", operation="PutItem", latency=900)
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            slow = [pool.submit(self.put, server, f"slow{i}") for i in range(20)]
            while server.admin("GET", "faults")[1]["faults"][0]["hits"] < 20:
                time.sleep(0.01)
            for _ in range(10):
                server.call("GetItem", **key("x"))
            self.assertFalse(any(answer.done() for answer in slow))
            self.assertEqual(len(self.names(server)), 20)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual({answer.result() for answer in slow}, {(200, "")})

    def test_latency_lasts(self):
        server = self.start()
        self.add(server, "latency", operation="PutItem", latency=1)
        start = time.monotonic()
        self.assertEqual(self.put(server, "slow"), (200, ""))
        self.assertGreaterEqual(time.monotonic() - start, 1)

    def test_a_server_that_ends_does_not_wait(self):
        server = self.start()
        self.add(server, "latency", latency=900)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            slow = pool.submit(self.put, server, "slow")
            while not server.admin("GET", "faults")[1]["faults"][0]["hits"]:
                time.sleep(0.01)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(cli_test.SECONDS), 0)
            self.assertEqual(slow.result(), (200, ""), "what was done is answered")

    def test_the_list_and_the_end_of_rules(self):
        server = self.start("--clock", "manual", "--clock-start", str(START))
        first = self.add(server, "throttle", table="items", key={"pk": {"S": "a"}}, probability=0.5, seed=7, lifetime=60, hits_max=1000)
        seen = [self.put(server, "a")[0] for _ in range(40)]
        self.assertEqual(self.put(server, "b")[0], 200)
        rule = {"id": first, "fault": "throttle", "table": "items", "key": {"pk": {"S": "a"}}, "probability": 0.5, "seed": 7,
                "hits_max": 1000, "lifetime": 60, "matches": 40, "hits": seen.count(400), "expires": START + 60, "expired": False}
        self.assertEqual(server.admin("GET", "faults"), (200, {"faults": [rule]}))
        server.advance(60)
        self.assertEqual(self.put(server, "a")[0], 200)
        self.assertEqual(server.admin("GET", "faults"), (200, {"faults": [{**rule, "expired": True}]}))
        second = self.add(server, "throttle", key={"pk": {"S": "a"}}, probability=0.5, seed=7)
        self.assertEqual([self.put(server, "a")[0] for _ in range(40)], seen, "the same seed")
        self.assertIn(200, seen)
        self.assertIn(400, seen)
        self.assertEqual(server.admin("DELETE", f"faults/{first}"), (200, {}))
        self.assertEqual([rule["id"] for rule in server.admin("GET", "faults")[1]["faults"]], [second])
        self.assertEqual(server.admin("DELETE", f"faults/{first}"), (404, {"error": f"there is no fault rule {first}"}))
        self.assertEqual(server.admin("DELETE", "faults"), (200, {}))
        self.assertEqual(self.put(server, "a")[0], 200)

    def test_when_to_try_again(self):
        server = self.start()

        def told():
            body = json.dumps(put("a")).encode()
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=cli_test.SECONDS)
            connection.request("POST", "/", body, cli_test.signed_headers("PutItem", body))
            response = connection.getresponse()
            response.read()
            connection.close()
            return response.status, response.getheader("x-amz-retry-after")

        for fault, status in (("throttle", 400), ("internal_error", 500), ("unavailable", 503)):
            self.add(server, fault, retry_after=1500, hits_max=1)
            self.assertEqual(server.admin("GET", "faults")[1]["faults"][-1]["retry_after"], 1500)
            self.assertEqual(told(), (status, "1500"))
            self.add(server, fault, hits_max=1)
            self.assertEqual(told(), (status, None))
            self.assertEqual(told(), (200, None))

    def test_rules_that_are_none(self):
        server = self.start()
        for body, words in ((b"[]", "no JSON object"), ({}, '"fault"'), ({"fault": "x"}, "throttle, internal_error"),
                            ({"fault": "throttle", "tables": "x"}, 'no member "tables"'),
                            (b'{"fault": "throttle", "fault": "throttle"}', '"fault" is there twice'),
                            ({"fault": "throttle", "nth": 0}, '"nth" is not a whole number from 1 on'),
                            ({"fault": "throttle", "nth": "1"}, '"nth"'), ({"fault": "throttle", "probability": 1.5}, '"probability"'),
                            ({"fault": "throttle", "key": {"pk": "a"}}, '"key"'), ({"fault": "throttle", "key": 1}, '"key"'),
                            ({"fault": "throttle", "share": 0.5}, "partial_batch only"), ({"fault": "latency"}, '"latency"'),
                            ({"fault": "latency", "latency": 1, "retry_after": 5}, '"retry_after" is for the fault throttle, internal_error or unavailable only'),
                            ({"fault": "throttle", "retry_after": 0}, '"retry_after"'), ({"fault": "throttle", "retry_after": 3600001}, '"retry_after"'),
                            ({"fault": "throttle", "retry_after": 0.5}, '"retry_after" is not a whole number of milliseconds'),
                            ({"fault": "latency", "latency": 901}, '"latency"'), ({"fault": "throttle", "table": 1}, '"table"'),
                            ({"fault": "throttle", "operation": "DropItem"}, "no operation DropItem")):
            status, answer = server.admin("POST", "faults", body)
            self.assertEqual((status, words in answer["error"], "an example: " in answer["error"]), (400, True, True), answer)
        self.assertEqual(server.admin("PUT", "faults")[0], 405)
        self.assertEqual(server.admin("GET", "faults/1")[0], 405)
        self.assertEqual(server.admin("DELETE", "faults", {"id": 1})[0], 400)
        self.assertEqual(server.admin("GET", "faults"), (200, {"faults": []}))


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
