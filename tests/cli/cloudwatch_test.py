#!/usr/bin/env python3
"""What is measured, through the program: calls become the service's metrics and alarms on the clock of the test, for signed and
unsigned callers, in each protocol, and apart for each database and region.

    cloudwatch_test.py <dynolith binary> [unittest arguments]
"""

import datetime
import hashlib
import hmac
import http.client
import json
import pathlib
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

import cli_test
from cli_test import SECONDS, Server, run

START = 1_700_000_040  # a minute begins
TARGET = "GraniteServiceVersion20100801."
JSON = "application/x-amz-json-1.0"
ITEMS = {"TableName": "items", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
TABLE = [{"Name": "TableName", "Value": "items"}]
ALARM = {"AlarmName": "busy", "Namespace": "AWS/DynamoDB", "MetricName": "ConsumedWriteCapacityUnits", "Dimensions": TABLE,
         "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1, "Threshold": 2, "ComparisonOperator": "GreaterThanThreshold"}


def signed_headers(target, body, host, *, service="monitoring", secret="local"):
    """Headers of a call, signed with Signature Version 4 for the service."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {"content-type": JSON, "host": host, "x-amz-date": date, "x-amz-target": target}
    names = ";".join(headers)
    canonical = "\n".join(["POST", "/", "", *(f"{name}:{value}" for name, value in headers.items()), "", names,
                           hashlib.sha256(body).hexdigest()])
    scope = f"{date[:8]}/us-east-1/{service}/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in [*scope.split("/"), to_sign]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 Credential=local/{scope}, SignedHeaders={names}, Signature={key.hex()}"}


class Measured(Server):
    """A server with both faces, and what tests ask of it."""

    def post(self, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        finally:
            connection.close()

    def ask(self, operation, members=None, database=None, path="/_dynolith/cloudwatch"):
        headers = {"x-amz-target": TARGET + operation, "content-type": JSON}
        if database is not None:
            headers["x-dynolith-database"] = database
        status, body, _ = self.post(path, json.dumps(members or {}).encode(), headers)
        return status, json.loads(body) if body else {}

    def tell(self, operation, members=None, **more):
        status, answer = self.ask(operation, members, **more)
        assert status == 200, answer
        return answer

    def admin(self, path, body=None):
        status, answer, _ = self.post(f"/_dynolith/{path}", json.dumps(body or {}).encode(), {})
        assert status == 200, answer
        return json.loads(answer)

    def advance(self, seconds):
        self.admin("clock/advance", {"seconds": seconds})

    def call(self, operation, members, headers=None):
        status, body, _ = self.post("/", json.dumps(members).encode(), {
            "x-amz-target": f"DynamoDB_20120810.{operation}", "content-type": JSON,
            "Authorization": "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
            "x-amz-date": "20260101T000000Z", **(headers or {})})
        return status, json.loads(body)

    def put(self, key="a", headers=None):
        status, answer = self.call("PutItem", {"TableName": "items", "Item": {"pk": {"S": key}}}, headers)
        assert status == 200, answer

    def sum_of(self, metric, dimensions, **more):
        """By the minute since START."""
        answer = self.tell("GetMetricStatistics", {
            "Namespace": "AWS/DynamoDB", "MetricName": metric, "Dimensions": dimensions, "StartTime": START,
            "EndTime": START + 86_400, "Period": 60, "Statistics": ["Sum"]}, **more)
        return {int(point["Timestamp"] - START) // 60: point["Sum"] for point in answer["Datapoints"]}

    def metrics(self, **more):
        return {" ".join([metric["MetricName"], *(dimension["Value"] for dimension in metric["Dimensions"])])
                for metric in self.tell("ListMetrics", **more)["Metrics"]}

    def state(self, **more):
        return [(alarm["AlarmName"], alarm["StateValue"]) for alarm in self.tell("DescribeAlarms", **more)["MetricAlarms"]]


def serve(*flags):
    return Measured("--admin", "--cloudwatch", "--clock", "manual", "--clock-start", str(START), *flags)


class Metrics(unittest.TestCase):
    """What calls become."""

    def test_every_kind_of_event(self):
        with serve("--capacity", "enforce", "--ttl-sweep", "0") as server:
            self.assertEqual(server.call("CreateTable", {
                **ITEMS, "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 1},
                "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}})[0], 200)
            server.call("UpdateTimeToLive", {"TableName": "items",
                                             "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}})
            server.advance(5 * 60)
            server.call("PutItem", {"TableName": "items", "Item": {"pk": {"S": "old"}, "until": {"N": str(START - 1000)}}})
            server.put()
            server.call("PutItem", {"TableName": "items", "Item": {"pk": {"S": "a"}},
                                    "ConditionExpression": "attribute_not_exists(pk)"})
            server.call("Scan", {"TableName": "items"})
            server.call("GetItem", {"TableName": "nothing", "Key": {"pk": {"S": "a"}}})
            throttled = 0
            while not throttled:
                status, answer = server.call("PutItem", {"TableName": "items", "Item": {"pk": {"S": "x" * 1000}, "v": {"S": "x" * 300_000}}})
                if status == 400:
                    self.assertIn("ProvisionedThroughputExceeded", answer["__type"])
                    throttled += 1
            self.assertEqual(server.admin("ttl/sweep"), {"deleted": 1})
            arn = server.call("DescribeTable", {"TableName": "items"})[1]["Table"]["LatestStreamArn"]
            self.read_stream(server, arn)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {}, "nothing has appeared yet")
            server.advance(120)
            label = arn.rpartition("/")[2]
            self.assertEqual(server.metrics(), {
                "ConditionalCheckFailedRequests items", "ConsumedReadCapacityUnits items", "ConsumedWriteCapacityUnits items",
                "ProvisionedReadCapacityUnits items", "ProvisionedWriteCapacityUnits items", "ReturnedItemCount items Scan",
                f"ReturnedBytes items GetRecords {label}", f"ReturnedRecordsCount items GetRecords {label}",
                f"SuccessfulRequestLatency items GetRecords {label}", "SuccessfulRequestLatency items PutItem",
                "SuccessfulRequestLatency items Scan", "ThrottledRequests items PutItem", "TimeToLiveDeletedItemCount items",
                "UserErrors", "WriteThrottleEvents items", "WriteProvisionedThroughputThrottleEvents items"})
            self.assertEqual(server.sum_of("ThrottledRequests", [*TABLE, {"Name": "Operation", "Value": "PutItem"}]), {5: throttled})
            self.assertEqual(server.sum_of("ConditionalCheckFailedRequests", TABLE), {5: 1})
            self.assertEqual(server.sum_of("TimeToLiveDeletedItemCount", TABLE), {5: 1})
            self.assertEqual(server.sum_of("UserErrors", []), {5: 1}, "the table that is not there")
            self.assertEqual(server.sum_of("ReturnedItemCount", [*TABLE, {"Name": "Operation", "Value": "Scan"}]), {5: 2})
            provisioned = server.sum_of("ProvisionedWriteCapacityUnits", TABLE)
            self.assertEqual(set(provisioned.values()), {1})

    @staticmethod
    def read_stream(server, arn):
        def ask(operation, **members):
            status, body, _ = server.post("/", json.dumps(members).encode(), {
                "x-amz-target": f"DynamoDBStreams_20120810.{operation}", "content-type": JSON,
                "x-amz-date": "20260101T000000Z", "Authorization": "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/dynamodb/"
                                                                   "aws4_request, SignedHeaders=host, Signature=0"})
            assert status == 200, body
            return json.loads(body)
        shard = ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        assert ask("GetRecords", ShardIterator=iterator)["Records"]

    def test_a_delay_of_its_own(self):
        with serve("--cloudwatch-delay", "0") as server:
            server.call("CreateTable", ITEMS)
            server.put()
            server.advance(59)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {})
            server.advance(1)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {0: 1})

    def test_a_return_to_a_snapshot(self):
        with serve() as server:
            server.call("CreateTable", ITEMS)
            server.put()
            server.advance(300)
            server.admin("snapshot", {"name": "s"})
            server.put()
            server.advance(300)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {0: 1, 5: 1})
            server.admin("restore", {"name": "s"})
            server.advance(300)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {0: 1})
            server.put()
            server.advance(300)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {0: 1, 10: 1})

    def test_without_the_option(self):
        with Measured("--admin") as server:
            status, answer = server.ask("ListMetrics", path="/")
            self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "UnknownOperationException"))
            self.assertEqual(server.ask("ListMetrics")[0], 404)


class Alarms(unittest.TestCase):
    """On the clock of the test."""

    def test_on_and_off(self):
        with serve() as server:
            server.call("CreateTable", ITEMS)
            self.assertEqual(server.tell("PutMetricAlarm", ALARM), {})
            self.assertEqual(server.state(), [("busy", "INSUFFICIENT_DATA")])
            for _ in range(3):
                server.put()
            server.advance(120)
            self.assertEqual(server.state(), [("busy", "ALARM")])
            server.put()
            server.advance(120)
            self.assertEqual(server.state(), [("busy", "OK")])
            alarm = server.tell("DescribeAlarms")["MetricAlarms"][0]
            self.assertEqual(alarm["AlarmArn"], "arn:aws:cloudwatch:us-east-1:000000000000:alarm:busy")
            self.assertEqual(alarm["StateTransitionedTimestamp"], START + 240)
            server.tell("SetAlarmState", {"AlarmName": "busy", "StateValue": "ALARM", "StateReason": "a test"})
            self.assertEqual(server.state(), [("busy", "ALARM")])
            self.assertEqual(server.ask("DeleteAlarms", {"AlarmNames": ["busy", "other"]})[0], 404)
            server.tell("DeleteAlarms", {"AlarmNames": ["busy"]})
            self.assertEqual(server.state(), [])

    def test_pages_and_filters(self):
        with serve() as server:
            for name in ["a1", "a2", "b1"]:
                server.tell("PutMetricAlarm", {**ALARM, "AlarmName": name})
            first = server.tell("DescribeAlarms", {"MaxRecords": 2})
            self.assertEqual([alarm["AlarmName"] for alarm in first["MetricAlarms"]], ["a1", "a2"])
            rest = server.tell("DescribeAlarms", {"MaxRecords": 2, "NextToken": first["NextToken"]})
            self.assertEqual([alarm["AlarmName"] for alarm in rest["MetricAlarms"]], ["b1"])
            self.assertNotIn("NextToken", rest)
            for filters, names in [({"AlarmNamePrefix": "a"}, ["a1", "a2"]), ({"AlarmNames": ["b1", "c"]}, ["b1"]),
                                   ({"StateValue": "OK"}, []), ({"AlarmTypes": ["CompositeAlarm"]}, [])]:
                found = server.tell("DescribeAlarms", filters)["MetricAlarms"]
                self.assertEqual([alarm["AlarmName"] for alarm in found], names, filters)


class Callers(unittest.TestCase):
    """Who asks, in which protocol, about which database."""

    def test_signatures_are_for_monitoring(self):
        with tempfile.TemporaryDirectory() as folder:
            credentials = pathlib.Path(folder) / "credentials"
            credentials.write_text("local local\n", encoding="utf-8")
            with serve("--auth", "verify", "--credentials", str(credentials)) as server:
                body = b"{}"
                host = f"127.0.0.1:{server.port}"
                target = TARGET + "ListMetrics"
                status, answer, _ = server.post("/", body, signed_headers(target, body, host))
                self.assertEqual(status, 200, answer)
                for headers, code in [({"x-amz-target": target}, "MissingAuthenticationToken"),
                                      (signed_headers(target, body, host, service="dynamodb"), "InvalidSignature"),
                                      (signed_headers(target, body, host, secret="other"), "InvalidSignature")]:
                    status, answer, _ = server.post("/", body, headers)
                    self.assertEqual(status, 403, answer)
                    self.assertIn(code, json.loads(answer)["__type"])
                # And the other way round: what is let in here is no signature for tables.
                tables = signed_headers("DynamoDB_20120810.ListTables", body, host)
                self.assertEqual(server.post("/", body, tables)[0], 400)

    def test_shapes_of_the_other_service_are_not_remembered(self):
        with serve("--threads", "1") as server:
            scope = "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/{}/aws4_request, SignedHeaders=host, Signature=0"
            for _ in range(2):
                for target, service, status in [("DynamoDB_20120810.ListTables", "dynamodb", 200),
                                                (TARGET + "ListMetrics", "dynamodb", 403),
                                                (TARGET + "ListMetrics", "monitoring", 200),
                                                ("DynamoDB_20120810.ListTables", "monitoring", 400)]:
                    headers = {"x-amz-target": target, "content-type": JSON, "x-amz-date": "20260101T000000Z", "Authorization": scope.format(service)}
                    self.assertEqual(server.post("/", b"{}", headers)[0], status, (target, service))

    def test_the_query_protocol(self):
        with serve() as server:
            server.call("CreateTable", ITEMS)
            server.put()
            server.advance(120)
            form = urllib.parse.urlencode({
                "Action": "GetMetricStatistics", "Version": "2010-08-01", "Namespace": "AWS/DynamoDB",
                "MetricName": "ConsumedWriteCapacityUnits", "Dimensions.member.1.Name": "TableName",
                "Dimensions.member.1.Value": "items", "StartTime": "2023-11-14T22:14:00Z", "EndTime": "2023-11-14T23:14:00Z",
                "Period": "60", "Statistics.member.1": "Sum"}).encode()
            status, body, headers = server.post("/_dynolith/cloudwatch", form, {"content-type": "application/x-www-form-urlencoded"})
            self.assertEqual((status, headers["content-type"]), (200, "text/xml"), body)
            root = xml.etree.ElementTree.fromstring(body)
            space = "{http://monitoring.amazonaws.com/doc/2010-08-01/}"
            self.assertEqual(root.tag, f"{space}GetMetricStatisticsResponse")
            self.assertEqual([sums.text for sums in root.iter(f"{space}Sum")], ["1.0"])
            status, body, _ = server.post("/_dynolith/cloudwatch", b"Action=PutDashboard",
                                          {"content-type": "application/x-www-form-urlencoded"})
            self.assertEqual(status, 400)
            self.assertIn(b"<Code>InvalidAction</Code>", body)

    def test_large_requests(self):
        with serve() as server:
            status, answer = server.ask("ListMetrics", {"Namespace": "x" * (1 << 20)})
            self.assertEqual((status, answer["message"]), (413, "The request has more than 1048576 bytes."))

    def test_databases_are_apart(self):
        with serve() as server:
            one = {"x-dynolith-database": "one"}
            server.call("CreateTable", ITEMS)
            server.call("CreateTable", ITEMS, one)
            server.put(headers=one)
            server.tell("PutMetricAlarm", ALARM, database="one")
            status, answer, _ = server.post("/_dynolith/clock/advance", b'{"seconds": 120}', one)
            self.assertEqual(status, 200, answer)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE), {})
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE, database="one"), {0: 1})
            self.assertEqual(server.state(), [])
            self.assertEqual(server.state(database="one"), [("busy", "OK")])
            # What was removed is forgotten, also if the name is used again.
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("DELETE", "/_dynolith/databases/one")
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
            self.assertEqual(server.state(database="one"), [])
            server.call("CreateTable", ITEMS, one)
            server.put(headers=one)
            server.post("/_dynolith/clock/advance", b'{"seconds": 120}', one)
            self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE, database="one"), {0: 1})

    def test_a_database_that_was_closed_keeps_its_metrics(self):
        with tempfile.TemporaryDirectory() as folder, \
                serve("--data", f"{folder}/data", "--databases-open", "1", "--isolate", "access-key") as server:
            for name in ["one", "two"]:
                server.call("CreateTable", ITEMS, {"x-dynolith-database": name})
                server.put(headers={"x-dynolith-database": name})
            for name in ["one", "two", "one"]:
                server.post("/_dynolith/clock/advance", b'{"seconds": 120}', {"x-dynolith-database": name})
                self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE, database=name), {0: 1}, name)

    def test_regions_are_apart(self):
        with serve("--regions", "us-east-1,eu-west-1") as server:
            europe = {"Authorization": "AWS4-HMAC-SHA256 Credential=k/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, "
                                       "Signature=0"}
            server.call("CreateTable", ITEMS, europe)
            server.put(headers=europe)
            server.advance(120)
            for database, sums in [(None, {}), ("us-east-1", {}), ("eu-west-1", {0: 1})]:
                self.assertEqual(server.sum_of("ConsumedWriteCapacityUnits", TABLE, database=database), sums, database)
            server.tell("PutMetricAlarm", ALARM, database="us-east-1")
            self.assertEqual(server.state(), [("busy", "INSUFFICIENT_DATA")], "the first region is the first database")
            headers = {"x-amz-target": TARGET + "ListMetrics", "x-amz-date": "20260101T000000Z",
                       "Authorization": europe["Authorization"].replace("/dynamodb/", "/monitoring/").replace("eu-west-1", "mars-1")}
            self.assertEqual(server.post("/", b"{}", headers)[0], 403)

    def test_policies_are_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "users").mkdir()
            for user, action in [("reader", "cloudwatch:ListMetrics"), ("nobody", "dynamodb:*")]:
                (pathlib.Path(folder) / "users" / f"{user}.json").write_text(json.dumps({
                    "UserPolicyList": [{"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
                        {"Effect": "Allow", "Action": action, "Resource": "*"}]}}],
                    "AccessKeyMetadata": [{"AccessKeyId": user.upper()}]}), encoding="utf-8")
            with serve("--iam", "enforce", "--iam-folder", folder) as server:
                def ask(key, operation):
                    return server.post("/", b"{}", {
                        "x-amz-target": TARGET + operation, "x-amz-date": "20260101T000000Z",
                        "Authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/monitoring/aws4_request, "
                                         "SignedHeaders=host, Signature=0"})[:2]
                self.assertEqual(ask("READER", "ListMetrics")[0], 200)
                status, body = ask("READER", "DescribeAlarms")
                self.assertEqual(status, 403, body)
                self.assertIn(b"cloudwatch:DescribeAlarms", body)
                self.assertEqual(ask("NOBODY", "ListMetrics")[0], 403)


class Options(unittest.TestCase):
    """Before it serves."""

    def test_wrong_ones(self):
        for flags in [["--cloudwatch-delay", "5"], ["--cloudwatch", "--cloudwatch-delay", "3601"]]:
            answer = run("serve", *flags)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(b"--cloudwatch", answer.stderr)


if __name__ == "__main__":
    cli_test.BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
