#!/usr/bin/env python3
"""Bulk puts through the program, with folders as buckets: what becomes of items and conditions, what the report says, how
fast they write, how they are cancelled, and what a server leaves that is killed in the middle.

    bulk_put_test.py <dynolith binary> [unittest arguments]
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, run
from clock_test import Clocked

SONGS = {"TableName": "songs", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "GlobalSecondaryIndexes": [{"IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "KEYS_ONLY"}}]}
KINDS = ["ERROR", "CONDITION_CHECK_FAILURE"]
ABSENT = {"ConditionExpression": "attribute_not_exists(#k)", "ExpressionAttributeNames": {"#k": "pk"}}


def item(pk, **more):
    return {"pk": {"S": pk}, **more}


def record(pk, condition=None, **more):
    return json.dumps({"Item": item(pk, **more), **(condition or {})}) + "\n"


class BulkPuts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bucket = self.folder / "buckets" / "music"
        self.reports = self.folder / "buckets" / "reports"
        self.bucket.mkdir(parents=True)
        self.reports.mkdir()

    def start(self, *arguments, table=True):
        server = Clocked("--buckets", str(self.bucket.parent), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        if table:
            server.call("CreateTable", **SONGS)
        return server

    def write(self, name, content):
        path = self.bucket / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path.stat().st_size

    def request(self, prefix="", form="DYNAMODB_JSON", compression=None, kinds=None, **more):
        source = {"S3Bucket": "music", "S3KeyPrefix": prefix, "InputFormat": form}
        if compression:
            source["InputCompressionType"] = compression
        return {"TableName": "songs", "InputS3Configuration": source,
                "OutputS3Configuration": {"S3Bucket": "reports", "S3KeyPrefix": "r/", "OutputType": kinds or KINDS}, **more}

    def begin(self, server, *arguments, **members):
        answer = server.call("StartBulkPutItems", **self.request(*arguments, **members))["BulkOperationDescription"]
        self.assertEqual((answer["BulkOperationStatus"], answer["ProcessedItemCount"]), ("IN_PROGRESS", 0))
        return answer["BulkOperationArn"]

    def describe(self, server, arn):
        return server.call("DescribeBulkOperation", BulkOperationArn=arn)["BulkOperationDescription"]

    def wait(self, server, arn, until=lambda answer: answer["BulkOperationStatus"] not in ("IN_PROGRESS", "CANCELLING")):
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            answer = self.describe(server, arn)
            if until(answer):
                return answer
            time.sleep(0.02)
        raise AssertionError(f"still waiting: {answer}")

    def put(self, server, *arguments, **members):
        return self.wait(server, self.begin(server, *arguments, **members))

    def items(self, server, **more):
        return sorted(server.call("Scan", TableName="songs", **more)["Items"], key=lambda i: i["pk"]["S"])

    def count(self, server):
        total, more = 0, {}
        while True:
            page = server.call("Scan", TableName="songs", Select="COUNT", **more)
            total += page["Count"]
            if "LastEvaluatedKey" not in page:
                return total
            more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def report(self, answer):
        """The lines of each kind, once manifests and checksums agree with them."""
        folder = f"r/AWSDynamoDB/{answer['BulkOperationArn'].rpartition('/')[2]}"
        self.assertTrue((self.reports / folder / "_started").exists())
        manifest = self.reports / folder / "manifest-summary.json"
        summary = json.loads(manifest.read_text())
        self.assertEqual((summary["bulkOperationStatus"], summary["processedItemCount"], summary["failedItemCount"]),
                         (answer["BulkOperationStatus"], answer["ProcessedItemCount"], answer["FailedItemCount"]))
        files = self.reports / summary["manifestFilesS3Key"]
        for path in (manifest, files):
            digest = base64.b64encode(hashlib.md5(path.read_bytes()).digest()).decode()
            self.assertEqual(path.with_suffix(".md5").read_text(), digest)
        found = {}
        for entry in map(json.loads, files.read_text().splitlines()):
            content = (self.reports / entry["dataFileS3Key"]).read_bytes()
            self.assertEqual(entry["md5Checksum"], base64.b64encode(hashlib.md5(content).digest()).decode())
            lines = gzip.decompress(content).decode().splitlines()
            self.assertEqual(entry["itemCount"], len(lines))
            found[entry["dataFileS3Key"].split("/")[-2]] = [json.loads(text) for text in lines]
        return found

    def test_items_go_into_a_table_that_is_there(self):
        server = self.start()
        server.call("PutItem", TableName="songs", Item=item("a", old={"S": "x"}))
        server.call("PutItem", TableName="songs", Item=item("z"))
        size = self.write("in/a.json", record("a", n={"N": "1"}) + record("b") + "\n")
        size += self.write("in/b/c.json", record("c", n={"N": "3"}) + record("b", x={"S": "later"}))
        answer = self.put(server, "in/")
        self.assertEqual(answer["BulkOperationStatus"], "COMPLETED")
        self.assertEqual((answer["ProcessedItemCount"], answer["FailedItemCount"]), (4, 0))
        self.assertEqual((answer["TotalInputBytes"], answer["ProcessedInputBytes"]), (size, size))
        self.assertNotIn("FailureCode", answer)
        # A whole item takes the place of the old one.
        self.assertEqual(self.items(server), [item("a", n={"N": "1"}), item("b", x={"S": "later"}),
                                              item("c", n={"N": "3"}), item("z")])
        self.assertEqual(self.items(server, IndexName="by-n"), [item("a", n={"N": "1"}), item("c", n={"N": "3"})])
        usage = answer["BulkOperationUsage"][0]
        index = usage["GlobalSecondaryIndexes"]["by-n"]["BulkPutBytes"]
        self.assertGreater(index, 0)
        self.assertEqual(usage["BulkPutBytes"], usage["Table"]["BulkPutBytes"] + index)
        self.assertEqual(self.report(answer), {})

    def test_vectors_are_billed_apart(self):
        server = self.start()
        server.call("CreateTable", TableName="pictures", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    VectorIndexes=[{"IndexName": "near", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 300,
                                    "DistanceFunction": "COSINE", "Projection": {"ProjectionType": "KEYS_ONLY"}}])
        vector = {"L": [{"N": str(number)} for number in range(300)]}
        self.write("in/a.json", record("a", v=vector) + record("b"))
        usage = self.put(server, "in/", TableName="pictures")["BulkOperationUsage"][0]
        # pk is 3 bytes; v is 1 byte and 4 a dimension, in the table and in its entry.
        self.assertEqual(usage, {"TableName": "pictures", "BulkPutBytes": 1207, "Table": {"BulkPutBytes": 1207},
                                 "VectorIndexes": {"near": {"BulkPutVectorBytes": 1204}}})

    def test_formats_and_compressions(self):
        server = self.start()
        text = record("a", n={"N": "1"})
        self.write("gzip", gzip.compress(text.encode()))
        self.write("ion", '$ion_1_0 {Item:{pk:"b",n:2.},ConditionExpression:"#k <> :v",ExpressionAttributeNames:{\'#k\':"n"},'
                          'ExpressionAttributeValues:{\':v\':2}}\n{Item:\n{pk:"c"}}{Item:{pk:"d"},ConditionExpression:1}')
        size = (self.bucket / "gzip").stat().st_size
        answer = self.put(server, "gzip", compression="GZIP")
        self.assertEqual((answer["BulkOperationStatus"], answer["TotalInputBytes"], answer["ProcessedInputBytes"]),
                         ("COMPLETED", size, size))
        answer = self.put(server, "ion", form="ION")
        self.assertEqual((answer["ProcessedItemCount"], answer["FailedItemCount"]), (3, 1))
        self.assertIn("ConditionExpression is no string", self.report(answer)["ERROR"][0]["ErrorMessage"])
        # Its condition is false the second time.
        self.assertEqual(len(self.report(self.put(server, "ion", form="ION"))["CONDITION_CHECK_FAILURE"]), 1)
        self.assertEqual(self.items(server), [item("a", n={"N": "1"}), item("b", n={"N": "2"}), item("c")])
        if subprocess.run(["sh", "-c", "command -v zstd"], capture_output=True).returncode == 0:
            packed = subprocess.run(["zstd", "-c"], input=record("z").encode(), capture_output=True, check=True).stdout
            self.write("zstd", packed)
            self.assertEqual(self.put(server, "zstd", compression="ZSTD")["BulkOperationStatus"], "COMPLETED")
            self.assertEqual(self.items(server)[-1], item("z"))

    def test_each_record_has_its_condition(self):
        server = self.start()
        server.call("PutItem", TableName="songs", Item=item("a", old={"S": "x"}))
        self.write("a", record("a", ABSENT) + record("b", ABSENT) + record("b", ABSENT, x={"S": "second"}) + record("c"))
        answer = self.put(server)
        # Failed conditions are no errors.
        self.assertEqual((answer["BulkOperationStatus"], answer["ProcessedItemCount"], answer["FailedItemCount"]),
                         ("COMPLETED", 4, 0))
        self.assertEqual(self.items(server), [item("a", old={"S": "x"}), item("b"), item("c")])
        self.assertEqual(self.report(answer), {"CONDITION_CHECK_FAILURE": [
            {"S3Object": "a", "Line": 1, "Item": item("a"), "ExistingItem": item("a", old={"S": "x"})},
            {"S3Object": "a", "Line": 3, "Item": item("b", x={"S": "second"}), "ExistingItem": item("b")}]})
        self.assertEqual(self.report(self.put(server, kinds=["ERROR"])), {})
        # An attempt on an item that is not there has none to show.
        self.write("new/a", record("n", {"ConditionExpression": "attribute_exists(pk)"}))
        self.assertEqual(self.report(self.put(server, "new/")),
                         {"CONDITION_CHECK_FAILURE": [{"S3Object": "new/a", "Line": 1, "Item": item("n")}]})

    def test_wrong_records_are_reported(self):
        server = self.start()
        wrong = ["no JSON\n", "[]\n", "{}\n", json.dumps({"Item": {"n": {"N": "1"}}}) + "\n", record("", n={"N": "1"}),
                 record("b", x={"S": "x" * 409600}), record("b", n={"S": "x"}), record("b", {"ConditionExpression": "x ="}),
                 record("b", {"ConditionExpression": "attribute_exists(:v)"}),
                 record("b", {"ExpressionAttributeNames": {"#k": "pk"}}), record("b", x={"N": "x"}),
                 record("b", {"ConditionExpression": 1})]
        self.write("a", record("a") + "".join(wrong) + record("c"))
        self.write("b.gz", "no gzip")
        answer = self.put(server, "a")
        self.assertEqual((answer["BulkOperationStatus"], answer["ProcessedItemCount"], answer["FailedItemCount"]),
                         ("COMPLETED_WITH_ERRORS", len(wrong) + 2, len(wrong)))
        self.assertNotIn("FailureCode", answer)
        lines = sorted(self.report(answer)["ERROR"], key=lambda line: line["Line"])
        self.assertEqual([(line["S3Object"], line["Line"]) for line in lines], [("a", n + 2) for n in range(len(wrong))])
        self.assertEqual([line["Record"] for line in lines], [text.rstrip("\n") for text in wrong])
        self.assertEqual(lines[0]["ErrorMessage"], "not JSON")
        self.assertIn("Item size has exceeded", lines[5]["ErrorMessage"])
        self.assertTrue(all(line["ErrorCode"] in ("ValidationException", "SerializationException") for line in lines))
        self.assertEqual(self.items(server), [item("a"), item("c")])
        # Damage ends its object.
        answer = self.put(server, "b.gz", compression="GZIP")
        self.assertEqual((answer["BulkOperationStatus"], answer["FailedItemCount"]), ("COMPLETED_WITH_ERRORS", 1))
        self.assertEqual(self.report(answer)["ERROR"][0]["ErrorMessage"], "the object is not GZIP")
        self.assertEqual(self.report(self.put(server, "a", kinds=KINDS[1:])), {})

    def test_what_cannot_be_read_fails(self):
        server = self.start()
        self.write("a", record("a"))
        for prefix, bucket, output, code in (("none", "music", "reports", "S3NoSuchKey"), ("", "absent", "reports", "S3NoSuchBucket"),
                                             ("", "music", "absent", "S3NoSuchBucket")):
            request = self.request(prefix)
            request["InputS3Configuration"]["S3Bucket"] = bucket
            request["OutputS3Configuration"]["S3Bucket"] = output
            asked = server.call("StartBulkPutItems", **request)["BulkOperationDescription"]
            answer = self.wait(server, asked["BulkOperationArn"])
            self.assertEqual((answer["BulkOperationStatus"], answer["FailureCode"]), ("FAILED", code))
        self.assertEqual(self.items(server), [])

    def test_the_table_goes_meanwhile(self):
        server = self.start("--clock", "manual")
        self.write("a", "".join(record(str(n)) for n in range(1000)))
        arn = self.begin(server, MaxWriteRequestUnits=1024)
        self.wait(server, arn, lambda answer: answer["ProcessedItemCount"] > 0)
        server.call("DeleteTable", TableName="songs")
        server.call("CreateTable", **SONGS)
        server.advance(10)
        answer = self.wait(server, arn)
        self.assertEqual((answer["BulkOperationStatus"], answer["FailureCode"]), ("FAILED", "ResourceNotFoundException"))
        self.assertEqual(self.count(server), 0)

    def test_the_rate_is_that_of_the_clock(self):
        server = self.start("--clock", "manual")
        # Items of four units each.
        self.write("a", "".join(record(f"{n:04}", x={"S": "x" * 3500}) for n in range(2048)))
        arn = self.begin(server, MaxWriteRequestUnits=1024)
        for second in range(9):
            # One commit more than the time allows, which is at most 256 items.
            answer = self.wait(server, arn, lambda answer: answer["ProcessedItemCount"] >= max(1, min(2048, 256 * second)))
            self.assertLessEqual(answer["ProcessedItemCount"], 256 * second + 256)
            server.advance(1)
        server.advance(10)
        self.assertEqual(self.wait(server, arn)["ProcessedItemCount"], 2048)
        # Others do not wait for it.
        self.assertEqual(self.count(server), 2048)

    def test_cancelled(self):
        server = self.start("--clock", "manual")
        self.write("a", "not JSON\n" + "".join(record(str(n)) for n in range(5000)))
        arn = self.begin(server, MaxWriteRequestUnits=1024)
        self.wait(server, arn, lambda answer: answer["ProcessedItemCount"] > 0)
        written = self.describe(server, arn)["ProcessedItemCount"] - 1
        answer = server.call("CancelBulkOperation", BulkOperationArn=arn)
        self.assertEqual(answer, {"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"})
        answer = self.wait(server, arn)
        self.assertEqual((answer["BulkOperationStatus"], answer["FailureCode"], answer["FailureMessage"]),
                         ("CANCELLED", "Cancelled", "The bulk operation was cancelled"))
        self.assertIn("EndTime", answer)
        self.assertEqual(self.count(server), written)
        self.assertEqual(len(self.report(answer)["ERROR"]), 1)
        # One that has ended stays as it is.
        self.assertEqual(server.call("CancelBulkOperation", BulkOperationArn=arn)["BulkOperationStatus"], "CANCELLED")

    def test_several_and_their_list(self):
        server = self.start("--clock", "manual")
        self.write("a", "".join(record(str(n)) for n in range(1000)))
        slow = self.begin(server, MaxWriteRequestUnits=1024)
        server.advance(0.001)
        second = self.begin(server)
        # An import does not wait for a bulk put.
        asked = server.call("ImportTable", ClientToken="token", S3BucketSource={"S3Bucket": "music"}, InputFormat="DYNAMODB_JSON",
                            TableCreationParameters={**SONGS, "TableName": "other"})["ImportTableDescription"]
        deadline = time.monotonic() + SECONDS
        while server.call("DescribeTable", TableName="other")["Table"]["TableStatus"] != "ACTIVE":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        self.assertTrue(asked["ImportArn"])
        server.advance(10)
        for arn in (slow, second):
            self.assertEqual(self.wait(server, arn)["BulkOperationStatus"], "COMPLETED")
        listed = server.call("ListBulkOperations")["BulkOperationsSummaryList"]
        self.assertEqual([entry["BulkOperationArn"] for entry in listed], [second, slow])

    def test_nothing_of_the_tables_capacity_is_taken(self):
        server = self.start("--capacity", "enforce", table=False)
        plain = {key: value for key, value in SONGS.items() if key != "GlobalSecondaryIndexes"}
        server.call("CreateTable", **{**plain, "AttributeDefinitions": SONGS["AttributeDefinitions"][:1],
                                      "BillingMode": "PROVISIONED",
                                      "ProvisionedThroughput": {"ReadCapacityUnits": 1000, "WriteCapacityUnits": 1}})
        self.write("a", "".join(record(str(n)) for n in range(3000)))
        self.assertEqual(self.put(server)["BulkOperationStatus"], "COMPLETED")
        server.call("PutItem", TableName="songs", Item=item("one more"))

    def test_killed_in_the_middle(self):
        for number in range(10):
            self.write(f"{number}", "".join(record(f"{number}-{n}", ABSENT) for n in range(3000)))
        data = str(self.folder / "data")
        # On a clock that stands it never comes to the last third, so it cannot end before it is killed.
        server = self.start("--data", data, "--clock", "manual")
        request = self.request(ClientToken="token", MaxWriteRequestUnits=20_000)
        arn = server.call("StartBulkPutItems", **request)["BulkOperationDescription"]["BulkOperationArn"]
        seen = self.wait(server, arn, lambda answer: answer["ProcessedItemCount"] > 0)["ProcessedItemCount"]
        server.process.kill()
        server.process.wait(SECONDS)
        server = self.start("--data", data, "--clock", "manual", table=False)
        answer = self.describe(server, arn)
        self.assertEqual((answer["BulkOperationStatus"], answer["FailureCode"], answer["FailureMessage"]),
                         ("FAILED", "InternalServerError", "The transfer was interrupted"))
        # What it says that it has written is what is there, no more and no less.
        written = answer["ProcessedItemCount"]
        self.assertGreaterEqual(written, seen)
        self.assertLess(written, 30000)
        self.assertEqual(self.count(server), written)
        usage = answer["BulkOperationUsage"][0]["Table"]["BulkPutBytes"]
        sizes = server.call("DescribeTable", TableName="songs")["Table"]["TableSizeBytes"]
        self.assertEqual(usage, sizes)
        # The token still stands for it: nothing is written twice.
        again = server.call("StartBulkPutItems", **request)["BulkOperationDescription"]
        self.assertEqual(again, answer)
        self.assertEqual(self.count(server), written)
        # Whoever begins anew with conditions writes the rest only.
        answer = self.put(server)
        self.assertEqual((answer["BulkOperationStatus"], answer["ProcessedItemCount"]), ("COMPLETED", 30000))
        self.assertEqual(len(self.report(answer)["CONDITION_CHECK_FAILURE"]), written)
        self.assertEqual(self.count(server), 30000)
        server.stop()
        self.assertEqual(run("check", data).returncode, 0)

    def test_killed_while_it_is_cancelled(self):
        self.write("a", "".join(record(str(n)) for n in range(5000)))
        data = str(self.folder / "data")
        server = self.start("--data", data, "--clock", "manual")
        first = self.begin(server, MaxWriteRequestUnits=1024)
        server.advance(0.001)
        # Behind the first, so that its job cannot see it.
        second = self.begin(server)
        self.assertEqual(server.call("CancelBulkOperation", BulkOperationArn=second)["BulkOperationStatus"], "CANCELLING")
        server.process.kill()
        server.process.wait(SECONDS)
        server = self.start("--data", data, "--clock", "manual", table=False)
        self.assertEqual(self.describe(server, first)["BulkOperationStatus"], "FAILED")
        self.assertEqual(self.describe(server, second)["BulkOperationStatus"], "CANCELLED")
        self.assertEqual(self.describe(server, second)["ProcessedItemCount"], 0)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
