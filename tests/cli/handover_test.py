#!/usr/bin/env python3
"""Tables that a server hands over to another endpoint: writes are refused, then all calls forwarded, over restarts, until it ends.

    handover_test.py <dynolith binary> [unittest arguments]
"""

import http.client
import json
import os
import sys
import threading
import time
import unittest

import cli_test
from cli_test import SECONDS, run, signed_headers
from migrate_test import PLAIN, Folders

OTHER = dict(PLAIN, TableName="other")
ADMIN = "/_dynolith/handovers"


class Handovers(Folders):
    def two(self, *arguments):
        here, there = self.server(*arguments), self.server()
        for table in (PLAIN, OTHER):
            here.call("CreateTable", **table)
        there.call("CreateTable", **PLAIN)
        return here, there

    def ask(self, server, operation, **members):
        status, answer = server.request(operation, json.dumps(members).encode())
        return status, answer.get("__type", "#").split("#")[1], answer

    def admin(self, server, method, path, body=None):
        """The status and the error."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            return response.status, json.loads(response.read()).get("error", "")
        finally:
            connection.close()

    def hand_over(self, here, there, table="plain"):
        here.admin("POST", ADMIN, {"table": table, "state": "refuse"})
        here.admin("POST", ADMIN, {"table": table, "state": "forward", "to": there.url})

    def test_refused_then_forwarded(self):
        here, there = self.two()
        here.call("PutItem", TableName="plain", Item={"pk": {"S": "before"}})
        self.assertEqual(here.admin("GET", ADMIN), {"handovers": []})
        here.admin("POST", ADMIN, {"table": "plain", "state": "refuse"})
        arn = here.call("DescribeTable", TableName="plain")["Table"]["TableArn"]
        put = {"Put": {"TableName": "plain", "Item": {"pk": {"S": "x"}}}}
        writes = (("PutItem", {"TableName": "plain", "Item": {"pk": {"S": "x"}}}),
                  ("PutItem", {"TableName": arn, "Item": {"pk": {"S": "x"}}}),
                  ("DeleteItem", {"TableName": "plain", "Key": {"pk": {"S": "before"}}}),
                  ("UpdateItem", {"TableName": "plain", "Key": {"pk": {"S": "x"}}}),
                  ("BatchWriteItem", {"RequestItems": {"plain": [{"PutRequest": {"Item": {"pk": {"S": "x"}}}}]}}),
                  ("TransactWriteItems", {"TransactItems": [put]}),
                  ("ExecuteStatement", {"Statement": "INSERT INTO plain VALUE {'pk': 'x'}"}),
                  ("BatchExecuteStatement", {"Statements": [{"Statement": "INSERT INTO \"plain\" VALUE {'pk': 'x'}"}]}),
                  ("ExecuteTransaction", {"TransactStatements": [{"Statement": "INSERT INTO plain VALUE {'pk': 'x'}"}]}))
        for operation, members in writes:
            with self.subTest(operation=operation):
                status, error, answer = self.ask(here, operation, **members)
                self.assertEqual((status, error), (503, "ServiceUnavailable"))
                self.assertIn("Table plain is being handed over", answer["message"])
        reads = (("GetItem", {"TableName": "plain", "Key": {"pk": {"S": "before"}}}),
                 ("Scan", {"TableName": "plain"}),
                 ("ExecuteStatement", {"Statement": " select * from plain"}))
        for operation, members in reads:
            self.assertIn("before", json.dumps(here.call(operation, **members)))
        here.call("PutItem", TableName="other", Item={"pk": {"S": "x"}})

        here.admin("POST", ADMIN, {"table": "plain", "state": "forward", "to": there.url})
        for operation, members in writes:
            with self.subTest(forwarded=operation):
                if "TableName" in members and members["TableName"] == arn:
                    continue
                self.ask(here, "DeleteItem", TableName="plain", Key={"pk": {"S": "x"}})
                self.assertEqual(self.ask(here, operation, **members)[0], 200)
                expected = [] if operation == "DeleteItem" else [("x", None)]
                self.assertEqual(list(there.items("plain")), expected)
        self.assertEqual(list(here.items("plain")), [("x", None)])
        self.assertEqual(here.call("Query", TableName="plain", KeyConditionExpression="pk = :k",
                                   ExpressionAttributeValues={":k": {"S": "x"}})["Count"], 1)
        # Its errors are those of the other endpoint, and so are its answers.
        status, error, _ = self.ask(here, "PutItem", TableName="plain", Item={"pk": {"S": "x"}},
                                    ConditionExpression="attribute_not_exists(pk)")
        self.assertEqual((status, error), (400, "ConditionalCheckFailedException"))
        [shown] = here.admin("GET", ADMIN)["handovers"]
        self.assertEqual((shown["table"], shown["state"], shown["to"], shown["failed"]), ("plain", "forward", there.url, 0))
        self.assertGreater(shown["forwarded"], 10)
        metrics = http.client.HTTPConnection("127.0.0.1", here.port, timeout=SECONDS)
        metrics.request("GET", "/_dynolith/metrics")
        text = metrics.getresponse().read().decode()
        metrics.close()
        self.assertIn(f'dynolith_handover_calls_total{{database="",table="plain",outcome="forwarded"}} {shown["forwarded"]}\n', text)

        here.admin("DELETE", ADMIN + "/plain")
        self.assertEqual(list(here.items("plain")), [("before", None)])

    def test_calls_for_two_places(self):
        here, there = self.two()
        self.hand_over(here, there)
        item = {"pk": {"S": "x"}}
        left = here.call("BatchWriteItem", RequestItems={table: [{"PutRequest": {"Item": item}}] for table in ("other", "plain")})
        self.assertEqual(left["UnprocessedItems"], {"other": [{"PutRequest": {"Item": item}}]})
        self.assertEqual(here.call("BatchWriteItem", RequestItems=left["UnprocessedItems"])["UnprocessedItems"], {})
        self.assertEqual(list(there.items("plain")), [("x", None)])
        got = here.call("BatchGetItem", RequestItems={table: {"Keys": [item]} for table in ("other", "plain")})
        self.assertEqual((got["Responses"], got["UnprocessedKeys"]), ({"plain": [item]}, {"other": {"Keys": [item]}}))
        for operation, members in (
                ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": table, "Item": item}} for table in ("other", "plain")]}),
                ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": item}} for table in ("other", "plain")]}),
                ("BatchExecuteStatement", {"Statements": [{"Statement": f"SELECT * FROM {table} WHERE pk = 'x'"}
                                                          for table in ("other", "plain")]})):
            status, error, answer = self.ask(here, operation, **members)
            self.assertEqual((status, error), (400, "ValidationException"))
            self.assertIn(f"Table plain is handed over to {there.url}, and table other is not", answer["message"])

    def test_restarts(self):
        here, there = self.two("--data", str(self.folder / "here"))
        here.admin("POST", ADMIN, {"table": "plain", "state": "refuse"})
        here.kill_and_restart()
        self.assertEqual(self.ask(here, "PutItem", TableName="plain", Item={"pk": {"S": "x"}})[0], 503)
        here.admin("POST", ADMIN, {"table": "plain", "state": "forward", "to": there.url})
        here.kill_and_restart()
        here.call("PutItem", TableName="plain", Item={"pk": {"S": "x"}})
        self.assertEqual(list(there.items("plain")), [("x", None)])
        # Without an admin endpoint, too.
        here.stop()
        with cli_test.Server("--data", str(self.folder / "here"), "--log-level", "warning") as plain:
            plain.call("PutItem", TableName="plain", Item={"pk": {"S": "y"}})
            self.assertIn(f"table plain: calls are forwarded to {there.url}", plain.stop()[2])
        self.assertEqual(set(there.items("plain")), {("x", None), ("y", None)})
        # A damaged file is not taken for none.
        file = self.folder / "here.handovers"
        file.write_bytes(file.read_bytes().replace(b"plain", b"blain"))
        refused = run("serve", "--data", str(self.folder / "here"), "--port", "0")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("here.handovers, the tables that were handed over, cannot be read: it is damaged", refused.stderr.decode())
        file.unlink()

    def test_an_endpoint_that_is_gone(self):
        here, there = self.two()
        self.hand_over(here, there)
        there.stop()
        status, error, answer = self.ask(here, "GetItem", TableName="plain", Key={"pk": {"S": "x"}})
        self.assertEqual((status, error), (503, "ServiceUnavailable"))
        self.assertIn(f"Table plain is handed over to {there.url}: cannot ask", answer["message"])
        self.assertEqual(here.admin("GET", ADMIN)["handovers"][0]["failed"], 1)
        here.call("PutItem", TableName="other", Item={"pk": {"S": "x"}})

    def test_a_circle(self):
        here, there = self.two()
        self.hand_over(here, there)
        there.admin("POST", ADMIN, {"table": "plain", "state": "refuse"})
        there.admin("POST", ADMIN, {"table": "plain", "state": "forward", "to": here.url})
        status, error, answer = self.ask(here, "GetItem", TableName="plain", Key={"pk": {"S": "x"}})
        self.assertEqual((status, error), (400, "ValidationException"))
        self.assertIn("form a circle", answer["message"])

    def test_what_is_no_handover(self):
        here, there = self.two()
        refuse = {"table": "plain", "state": "refuse"}
        forward = {"table": "plain", "state": "forward", "to": there.url}
        for body, status, expected in (
                ({}, 400, "table is missing"),
                ({"table": "plain"}, 400, "state  is neither"),
                (dict(refuse, extra="x"), 400, "there is no member extra"),
                (dict(refuse, to="http://x"), 400, "to is for the state forward"),
                ({"table": "plain", "state": "forward"}, 400, "to is missing"),
                ({"table": 7, "state": "refuse"}, 400, "table is missing or no text"),
                ({"table": "absent", "state": "refuse"}, 404, "absent"),
                (forward, 409, "must refuse writes first")):
            with self.subTest(body=body):
                got, error = self.admin(here, "POST", ADMIN, body)
                self.assertEqual(got, status, error)
                self.assertIn(expected, error)
        self.assertEqual(self.admin(here, "DELETE", ADMIN + "/plain"), (404, "table plain is not handed over"))
        self.assertEqual(self.admin(here, "DELETE", ADMIN)[0], 405)
        self.assertEqual(here.admin("GET", ADMIN), {"handovers": []})
        here.admin("POST", ADMIN, refuse)
        there.call("DeleteTable", TableName="plain")
        got, error = self.admin(here, "POST", ADMIN, forward)
        self.assertEqual(got, 409)
        self.assertIn("does not describe table plain", error)
        # One that is away may come back: `migrate` asks again.
        got, error = self.admin(here, "POST", ADMIN, dict(forward, to="http://127.0.0.1:1"))
        self.assertEqual(got, 503)
        self.assertIn("cannot ask http://127.0.0.1:1", error)
        there.call("CreateTable", **PLAIN)
        here.admin("POST", ADMIN, forward)
        here.admin("POST", ADMIN, forward)
        self.assertEqual(self.admin(here, "POST", ADMIN, refuse)[0], 409)
        self.assertEqual(self.admin(here, "POST", ADMIN, dict(forward, to="http://127.0.0.1:1"))[0], 409)

    def test_no_write_after_the_answer(self):
        """Writes that were let in have been made when the answer comes, and none is made after it."""
        here, _ = self.two("--data", str(self.folder / "here"), "--sync")
        done, over = [], threading.Event()

        def write(number):
            for i in range(100_000):
                if over.is_set():
                    return
                body = json.dumps({"TableName": "plain", "Item": {"pk": {"S": f"{number} {i}"}}}).encode()
                if here.request("PutItem", body, signed_headers("PutItem", body))[0] != 200:
                    return
                done.append(f"{number} {i}")

        writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for writer in writers:
            writer.start()
        self.addCleanup(over.set)
        while len(done) < 100:
            time.sleep(0.001)
        here.admin("POST", ADMIN, {"table": "plain", "state": "refuse"})
        at_answer = set(here.items("plain"))
        for writer in writers:
            writer.join()
        self.assertEqual({pk for pk, _ in at_answer}, set(done))
        self.assertEqual(set(here.items("plain")), at_answer)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
