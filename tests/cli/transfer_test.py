#!/usr/bin/env python3
"""Imports and exports through the program, with folders as buckets: what is in the files, what becomes of tables, and what
a server leaves that is killed in the middle.

    transfer_test.py <dynolith binary> [unittest arguments]
"""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, run
from clock_test import Clocked

DEFINITIONS = [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}]
KEY = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]
INDEX = {"IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}


def parameters(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": DEFINITIONS, "KeySchema": KEY,
            "GlobalSecondaryIndexes": [INDEX]}


def item(pk, n, **more):
    return {"pk": {"S": pk}, "n": {"N": str(n)}, **more}


def line(*arguments, **more):
    return json.dumps({"Item": item(*arguments, **more)}) + "\n"


# Of each of the twenty objects of a large import.
LINES = 20000


class Transfers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bucket = self.folder / "buckets" / "music"
        self.bucket.mkdir(parents=True)

    def start(self, *arguments):
        server = Clocked("--buckets", str(self.bucket.parent), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def write(self, name, content):
        path = self.bucket / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def ask(self, server, name="songs", prefix="", form="DYNAMODB_JSON", **more):
        answer = server.call("ImportTable", ClientToken=name, S3BucketSource={"S3Bucket": "music", "S3KeyPrefix": prefix},
                             InputFormat=form, TableCreationParameters=parameters(name), **more)["ImportTableDescription"]
        self.assertEqual((answer["ImportStatus"], *self.counts(answer)), ("IN_PROGRESS", 0, 0, 0))
        return answer["ImportArn"]

    def wait(self, server, operation, key, description, **arn):
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            answer = server.call(operation, **arn)[description]
            if answer[key] != "IN_PROGRESS":
                return answer
            time.sleep(0.02)
        raise AssertionError(f"still in progress: {answer}")

    def wait_import(self, server, arn):
        return self.wait(server, "DescribeImport", "ImportStatus", "ImportTableDescription", ImportArn=arn)

    def items(self, server, name="songs", **more):
        got = server.call("Scan", TableName=name, **more)["Items"]
        return sorted(got, key=lambda i: (i["pk"]["S"], int(i["n"]["N"])))

    def counts(self, answer):
        return tuple(answer[name] for name in ("ProcessedItemCount", "ImportedItemCount", "ErrorCount"))

    def test_import_makes_a_whole_table(self):
        server = self.start()
        self.write("in/a.json", line("a", 1, x={"SS": ["y", "z"]}) + line("b", 2) + "\n")
        self.write("in/deep/b.json", line("c", 3) + line("a", 1, x={"S": "later"}))
        answer = self.wait_import(server, self.ask(server, prefix="in/"))
        self.assertEqual(answer["ImportStatus"], "COMPLETED")
        self.assertEqual(self.counts(answer), (4, 4, 0))
        self.assertEqual(answer["ProcessedSizeBytes"], sum(f.stat().st_size for f in self.bucket.rglob("*.json")))
        table = server.call("DescribeTable", TableName="songs")["Table"]
        self.assertEqual((table["TableStatus"], table["TableId"]), ("ACTIVE", answer["TableId"]))
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["IndexStatus"], "ACTIVE")
        whole = [item("a", 1, x={"S": "later"}), item("b", 2), item("c", 3)]
        self.assertEqual(self.items(server), whole)
        self.assertEqual(self.items(server, IndexName="by-n"), whole)
        # The table is like any other one.
        server.call("PutItem", TableName="songs", Item=item("d", 4))
        server.call("DeleteTable", TableName="songs")

    def test_formats_and_compressions(self):
        server = self.start()
        self.write("csv", 'pk;n;x\na;1;"one ""1"";"\nb;2;\n')
        arn = self.ask(server, "csv", "csv", "CSV", InputFormatOptions={"Csv": {"Delimiter": ";"}})
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")
        self.assertEqual(self.items(server, "csv"),
                         [item("a", 1, x={"S": 'one "1";'}), item("b", 2, x={"S": ""})])
        self.write("ion", gzip.compress(b'$ion_1_0 {Item:{pk:"a",n:1.,x:$dynamodb_NS::[1.5,2d1]}}\n{Item:{pk:"b",n:2}}\n'))
        arn = self.ask(server, "ion", "ion", "ION", InputCompressionType="GZIP")
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")
        self.assertEqual(self.items(server, "ion"), [item("a", 1, x={"NS": ["1.5", "20"]}), item("b", 2)])

    def test_wrong_items_are_counted_and_left_out(self):
        server = self.start()
        self.write("a", line("a", 1) + json.dumps({"Item": {"pk": {"S": "x"}}}) + "\n" + line("", 1) +
                   line("b", 1, x={"S": "x" * 409600}) + json.dumps({"Item": {"pk": {"S": "x"}, "n": {"S": "x"}}}) + "\n" +
                   line("c", 2))
        answer = self.wait_import(server, self.ask(server))
        self.assertEqual((answer["ImportStatus"], answer["FailureCode"]), ("FAILED", "ItemValidationError"))
        self.assertEqual(self.counts(answer), (6, 2, 4))
        self.assertEqual(self.items(server), [item("a", 1), item("c", 2)])

    def test_a_line_that_forms_no_item_ends_its_object(self):
        server = self.start()
        self.write("a", line("a", 1) + "no JSON\n" + line("b", 2) + "no JSON\n" + line("c", 3))
        self.write("b", line("d", 4))
        answer = self.wait_import(server, self.ask(server))
        self.assertEqual(self.counts(answer), (3, 2, 1))
        self.assertEqual(self.items(server), [item("a", 1), item("d", 4)])

    # The line of a record that is wrong is where whoever made the file has to look.
    def test_the_log_says_which_record_and_why(self):
        server = self.start("--log-format", "json")
        self.write("a", line("a", 1) + "\n" + json.dumps({"Item": {"pk": {"S": "x"}}}) + "\nno JSON\n" + line("c", 2))
        self.write("b.gz/c", line("d", 3) + "[]")
        self.wait_import(server, self.ask(server))
        self.write("csv/x", 'pk,n\na,"1\n"\nb,2\nc\nd,4\n')
        self.wait_import(server, self.ask(server, "csv", "csv", "CSV"))
        events = [json.loads(text) for text in server.stop()[2].splitlines()]
        left_out = [(event["level"], event["table"], event["object"], event["line"], event["cause"])
                    for event in events if event["message"] == "an import left out a record"]
        self.assertEqual(left_out[0][:4], ("warning", "songs", "a", 3))
        self.assertIn("n", left_out[0][4])
        self.assertEqual(left_out[1], ("warning", "songs", "a", 4, "not JSON"))
        self.assertEqual(left_out[2], ("warning", "songs", "b.gz/c", 2, "no Item"))
        self.assertEqual(left_out[3][:4], ("warning", "csv", "csv/x", 2))
        self.assertEqual(len(left_out), 4)
        self.assertEqual([(event["table"], event["cause"]) for event in events if event["message"] == "an import FAILED"],
                         [("songs", "3 of 5 records were left out, and what follows them in 2 objects; all others are in the table"),
                          ("csv", "1 of 1 records were left out, and what follows them in 1 object; all others are in the table")])

    def test_the_log_of_a_wrong_file_ends(self):
        server = self.start()
        self.write("a", '{"Item": {"other": {"S": "key"}}}\n' * 1000)
        self.wait_import(server, self.ask(server))
        log = server.stop()[2].splitlines()
        self.assertEqual(len(log), 101)
        self.assertIn(" warning an import left out a record table=songs object=a line=100 cause=", log[99])
        self.assertIn(' warning an import FAILED table=songs cause="1000 of 1000 records were left out; all others', log[100])

    def test_a_prefix_without_objects_is_an_empty_table(self):
        server = self.start()
        for name, prefix in (("none", "nothing/here"), ("outside", "../")):
            answer = self.wait_import(server, self.ask(server, name, prefix))
            self.assertEqual((answer["ImportStatus"], *self.counts(answer)), ("COMPLETED", 0, 0, 0))
            self.assertEqual(self.items(server, name), [])
        self.assertEqual(server.call("ListTables"), {"TableNames": ["none", "outside"]})

    def test_nothing_stays_of_a_failed_import(self):
        server = self.start()
        outside = self.folder / "secret"
        outside.write_text(line("a", 1))
        (self.bucket / "link").symlink_to(outside)
        for source, code in (({"S3Bucket": "absent"}, "S3NoSuchBucket"), ({"S3Bucket": "music"}, "S3AccessDenied")):
            asked = server.call("ImportTable", ClientToken="token", S3BucketSource=source, InputFormat="CSV",
                                TableCreationParameters=parameters("songs"))["ImportTableDescription"]
            answer = self.wait_import(server, asked["ImportArn"])
            self.assertEqual((answer["ImportStatus"], answer["FailureCode"]), ("FAILED", code))
            self.assertEqual(server.call("ListTables"), {"TableNames": []})

    def test_killed_in_the_middle(self):
        data = str(self.folder / "data")
        server, arn = self.begin_large_import(data)
        status, answer = server.request("GetItem", json.dumps({"TableName": "songs", "Key": item("0-1", 1)}).encode())
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ResourceNotFoundException"))
        self.assertEqual(server.call("DescribeTable", TableName="songs")["Table"]["TableStatus"], "CREATING")
        status, answer = server.request("DeleteTable", b'{"TableName": "songs"}')
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ResourceInUseException"))
        self.kill(server)
        server = self.start("--data", data)
        # It begins anew, and is whole at the end.
        self.assertEqual(server.call("DescribeTable", TableName="songs")["Table"]["TableStatus"], "CREATING")
        answer = self.wait_import(server, arn)
        self.assertEqual((answer["ImportStatus"], answer["ImportedItemCount"]), ("COMPLETED", 20 * LINES))
        self.assertEqual(server.call("DescribeTable", TableName="songs")["Table"]["ItemCount"], 20 * LINES)
        server.call("DeleteTable", TableName="songs")
        # What was finished stays finished; an end by a signal is as good as a kill.
        self.write("small/1", line("a", 1))
        arn = self.ask(server, "small", "small/")
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")
        other = self.ask(server)
        server.stop()
        server = self.start("--data", data)
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")
        self.assertEqual(self.wait_import(server, other)["ImportStatus"], "COMPLETED")
        self.assertEqual(server.call("ListTables"), {"TableNames": ["small", "songs"]})
        server.stop()
        self.assertEqual(run("check", data).returncode, 0)

    def begin_large_import(self, data):
        """The server, in the middle of it: objects enough that it takes longer than the way to a signal."""
        text = "".join(line(str(n), n) for n in range(LINES))
        for number in range(20):
            self.write(f"{number}", text.replace('"pk": {"S": "', f'"pk": {{"S": "{number}-'))
        server = self.start("--data", data)
        return server, self.ask(server)

    def kill(self, server):
        server.process.kill()
        server.process.wait(SECONDS)

    def test_an_import_is_given_up_that_no_process_survives(self):
        data = str(self.folder / "data")
        server, arn = self.begin_large_import(data)
        for _ in range(3):
            self.kill(server)
            server = self.start("--data", data)
            self.assertEqual(server.call("DescribeImport", ImportArn=arn)["ImportTableDescription"]["ImportStatus"], "IN_PROGRESS")
        self.kill(server)
        server = self.start("--data", data)
        answer = server.call("DescribeImport", ImportArn=arn)["ImportTableDescription"]
        self.assertEqual((answer["ImportStatus"], answer["FailureMessage"]), ("FAILED", "The transfer was interrupted"))
        self.assertEqual(server.call("ListTables"), {"TableNames": []})

    def test_ends_in_order_do_not_count(self):
        data = str(self.folder / "data")
        server, arn = self.begin_large_import(data)
        for _ in range(5):
            self.assertEqual(server.stop()[0], 0)
            server = self.start("--data", data)
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")

    def test_an_import_ends_without_its_bucket(self):
        data = str(self.folder / "data")
        server, arn = self.begin_large_import(data)
        self.kill(server)
        server = Clocked("--data", data)
        self.addCleanup(server.__exit__, None, None, None)
        self.assertEqual(server.call("DescribeImport", ImportArn=arn)["ImportTableDescription"]["ImportStatus"], "FAILED")
        self.assertEqual(server.call("ListTables"), {"TableNames": []})

    def test_a_source_that_has_changed_leaves_nothing_of_before(self):
        data = str(self.folder / "data")
        server, arn = self.begin_large_import(data)
        self.kill(server)
        for number in range(20):
            self.write(f"{number}", line(f"new-{number}", 1))
        server = self.start("--data", data)
        self.assertEqual(self.wait_import(server, arn)["ImportedItemCount"], 20)
        self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 20)
        self.assertEqual(server.call("Scan", TableName="songs", IndexName="by-n", Select="COUNT")["Count"], 20)
        server.stop()
        self.assertEqual(run("check", data).returncode, 0)

    def test_a_table_delay_is_an_imports_delay(self):
        server = self.start("--clock", "manual", "--table-delay", "20")
        self.write("a", line("a", 1))
        arn = self.ask(server)
        server.advance(1)
        answer = server.call("DescribeImport", ImportArn=arn)["ImportTableDescription"]
        self.assertEqual(answer["ImportStatus"], "IN_PROGRESS")
        self.assertNotIn("EndTime", answer)
        self.assertEqual(server.call("DescribeTable", TableName="songs")["Table"]["TableStatus"], "CREATING")
        server.advance(19)
        self.assertEqual(self.wait_import(server, arn)["ImportStatus"], "COMPLETED")
        self.assertEqual(server.call("DescribeTable", TableName="songs")["Table"]["TableStatus"], "ACTIVE")
        self.assertEqual(self.items(server), [item("a", 1)])

    def export(self, server, **members):
        """The export once it has ended, and the lines of its files."""
        members = {"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/songs", "S3Bucket": "music", **members}
        asked = server.call("ExportTableToPointInTime", **members)["ExportDescription"]
        self.assertEqual(asked["ExportStatus"], "IN_PROGRESS")
        answer = self.wait(server, "DescribeExport", "ExportStatus", "ExportDescription", ExportArn=asked["ExportArn"])
        if answer["ExportStatus"] != "COMPLETED":
            return answer, None
        summary = json.loads((self.bucket / answer["ExportManifest"]).read_text())
        self.assertEqual((summary["itemCount"], summary["billedSizeBytes"]), (answer["ItemCount"], answer["BilledSizeBytes"]))
        lines, files = [], (self.bucket / summary["manifestFilesS3Key"])
        self.assert_checksums(files, self.bucket / answer["ExportManifest"])
        for entry in map(json.loads, files.read_text().splitlines()):
            content = (self.bucket / entry["dataFileS3Key"]).read_bytes()
            digest = hashlib.md5(content).digest()
            self.assertEqual(entry["md5Checksum"], base64.b64encode(digest).decode())
            self.assertEqual(entry["etag"], hashlib.md5(digest).hexdigest() + "-1")
            found = gzip.decompress(content).decode().splitlines()
            self.assertEqual(entry["itemCount"], len(found))
            lines += found
        return answer, lines

    def assert_checksums(self, *manifests):
        for manifest in manifests:
            digest = base64.b64encode(hashlib.md5(manifest.read_bytes()).digest()).decode()
            self.assertEqual(manifest.with_suffix(".md5").read_text(), digest)

    def table(self, server):
        server.call("CreateTable", **parameters("songs"))
        server.call("UpdateContinuousBackups", TableName="songs",
                    PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        return server

    def put(self, server, *items):
        for one in items:
            server.call("PutItem", TableName="songs", Item=one)

    def test_what_is_exported_is_what_is_imported(self):
        server = self.table(self.start())
        values = {"s": {"S": 'a "b" \\ \n \u00e4'}, "n2": {"N": "-0.00000012345678901234567890123456789012345678"},
                  "big": {"N": "1" + "0" * 125}, "b": {"B": "AP8="}, "yes": {"BOOL": True}, "none": {"NULL": True},
                  "ss": {"SS": ["x", "y"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["eg=="]},
                  "l": {"L": [{"S": ""}, {"M": {"it's": {"N": "0"}}}]}, "m": {"M": {}}}
        whole = [item("a", 1, **values), *(item("b", number) for number in range(500))]
        self.put(server, *whole)
        for form in ("DYNAMODB_JSON", "ION"):
            answer, lines = self.export(server, ExportFormat=form, S3Prefix=f"exports/{form}")
            self.assertEqual((answer["ExportStatus"], answer["ItemCount"], len(lines)), ("COMPLETED", 501, 501))
            folder = answer["ExportManifest"].rpartition("/")[0]
            self.assertEqual(folder, f"exports/{form}/AWSDynamoDB/{answer['ExportArn'].rpartition('/')[2]}")
            self.assertTrue((self.bucket / folder / "_started").exists())
            arn = self.ask(server, form, f"{folder}/data/", form, InputCompressionType="GZIP")
            imported = self.wait_import(server, arn)
            self.assertEqual((imported["ImportStatus"], *self.counts(imported)), ("COMPLETED", 501, 501, 0))
            self.assertEqual(self.items(server, form), whole)

    def test_what_is_exported_is_loaded(self):
        server = self.table(self.start("--clock", "manual", "--clock-start", "1700000000"))
        self.put(server, *(item(f"a{n}", n, x={"SS": ["y"]}, m={"M": {"k": {"B": "AP8="}}}) for n in range(5)))
        server.advance(1000)
        full = {form: self.export(server, ExportFormat=form, S3Prefix=f"full/{form}")[0] for form in ("DYNAMODB_JSON", "ION")}
        self.put(server, item("a1", 1, x={"N": "2"}), item("b", 6), item("gone", 7))
        for pk, n in (("a2", 2), ("gone", 7)):
            server.call("DeleteItem", TableName="songs", Key=item(pk, n))
        server.advance(1000)
        for form in ("DYNAMODB_JSON", "ION"):
            self.export(server, ExportFormat=form, S3Prefix=f"increment/{form}", ExportType="INCREMENTAL_EXPORT",
                        IncrementalExportSpecification={"ExportFromTime": 1700001000, "ExportToTime": 1700001999})
            other = self.start()
            other.call("CreateTable", **parameters("songs"))
            folders = [self.bucket / full[form]["ExportManifest"].rpartition("/")[0] / "data",
                       self.bucket / "increment" / form / "AWSDynamoDB/data"]
            loaded = run("load", *folders, "--table", "songs", "--to", f"http://127.0.0.1:{other.port}")
            self.assertEqual((loaded.returncode, loaded.stderr), (0, b""))
            self.assertEqual(self.items(other), self.items(server))

    def test_exports_see_the_past(self):
        server = self.table(self.start("--clock", "manual", "--clock-start", "1700000000"))
        self.put(server, item("a", 1, x={"N": "1"}), item("b", 2))
        server.advance(1000)
        self.put(server, item("a", 1, x={"N": "2"}), item("c", 3), item("d", 4))
        server.call("DeleteItem", TableName="songs", Key=item("b", 2))
        server.call("DeleteItem", TableName="songs", Key=item("d", 4))
        server.advance(1000)
        items = lambda lines: sorted((json.loads(line)["Item"] for line in lines), key=lambda i: i["pk"]["S"])
        before, after = [item("a", 1, x={"N": "1"}), item("b", 2)], [item("a", 1, x={"N": "2"}), item("c", 3)]
        self.assertEqual(items(self.export(server, ExportTime=1700000999)[1]), before)
        self.assertEqual(items(self.export(server, ExportTime=1700001000)[1]), after)
        self.assertEqual(items(self.export(server)[1]), after)

        def changes(first, last, view=None):
            period = {"ExportFromTime": first, "ExportToTime": last, **({"ExportViewType": view} if view else {})}
            answer, lines = self.export(server, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
            self.assertEqual(answer["ItemCount"], len(lines))
            return sorted(map(json.loads, lines), key=lambda change: change["Keys"]["pk"]["S"])

        written = {"Metadata": {"WriteTimestampMicros": {"N": "1700001000000000"}}}
        deltas = [{**written, "Keys": item("a", 1), "OldImage": before[0], "NewImage": after[0]},
                  {**written, "Keys": item("b", 2), "OldImage": before[1]},
                  {**written, "Keys": item("c", 3), "NewImage": after[1]},
                  {**written, "Keys": item("d", 4)}]
        self.assertEqual(changes(1700000100, 1700001100), deltas)
        # From the first moment on, without the last one.
        self.assertEqual(changes(1700001000, 1700002000), deltas)
        self.assertEqual(changes(1700000100, 1700001000), [])
        self.assertEqual(changes(1700001001, 1700002000), [])
        for delta in deltas:
            delta.pop("OldImage", None)
        self.assertEqual(changes(1700000100, 1700001100, "NEW_IMAGE"), deltas)
        data = sorted(path.name for path in (self.bucket / "AWSDynamoDB" / "data").iterdir())
        self.assertEqual(len(data), 5)
        self.assertTrue(all(name.endswith(".json.gz") for name in data), data)

    def test_a_filter_chooses_items_and_attributes(self):
        server = self.table(self.start())
        self.put(server, *(item("a", number, x={"N": str(number % 3)}, y={"S": "y"}) for number in range(30)))
        self.put(server, item("b", 1, x={"N": "0"}), item("b", 2))
        names = {"ExpressionAttributeNames": {"#n": "n"}}

        def exported(values=None, form="DYNAMODB_JSON", **expressions):
            more = {"ExpressionAttributeValues": {name: {"N": str(value)} if isinstance(value, int) else {"S": value}
                                                  for name, value in values.items()}} if values else {}
            answer, lines = self.export(server, ExportFormat=form, FilterSpecification={**expressions, **more})
            self.assertEqual(answer["ItemCount"], len(lines))
            return answer, lines

        items = lambda lines: sorted((json.loads(line)["Item"] for line in lines), key=lambda i: json.dumps(i))
        # By the key: nothing else is read, so nothing else is billed.
        one, lines = exported({":p": "b"}, KeyConditionExpression="pk = :p")
        self.assertEqual(items(lines), [item("b", 1, x={"N": "0"}), item("b", 2)])
        self.assertEqual(one["BilledSizeBytes"], 2 * (2 + 1 + 1 + 2) + 1 + 1)
        _, lines = exported({":p": "a", ":l": 7, ":h": 9}, KeyConditionExpression="pk = :p AND #n BETWEEN :l AND :h", **names)
        self.assertEqual([i["n"]["N"] for i in items(lines)], ["7", "8", "9"])
        self.assertEqual(exported({":p": "absent"}, KeyConditionExpression="pk = :p")[1], [])
        # By what is read: the whole table, and billed so.
        whole = self.export(server)[0]["BilledSizeBytes"]
        answer, lines = exported({":x": 0}, FilterExpression="x = :x AND #n > :x", **names)
        self.assertEqual((len(lines), answer["BilledSizeBytes"]), (10, whole))
        _, lines = exported({":p": "a", ":x": 1}, KeyConditionExpression="pk = :p", FilterExpression="x = :x",
                            ProjectionExpression="y, #n", **names)
        self.assertEqual(items(lines), [{"n": {"N": str(n)}, "y": {"S": "y"}} for n in (1, 10, 13, 16, 19, 22, 25, 28, 4, 7)])
        _, lines = exported({":p": "b"}, "ION", KeyConditionExpression="pk = :p", ProjectionExpression="pk")
        self.assertEqual(lines, ['$ion_1_0 {Item:{pk:"b"}}'] * 2)

    def test_a_filter_of_an_increment_sees_the_newest_image(self):
        server = self.table(self.start("--clock", "manual", "--clock-start", "1700000000"))
        self.put(server, item("a", 1, x={"N": "1"}, y={"S": "y"}), item("b", 2, x={"N": "2"}), item("c", 3, x={"N": "2"}))
        server.advance(1000)
        self.put(server, item("a", 1, x={"N": "2"}, y={"S": "z"}), item("c", 3, x={"N": "1"}), item("d", 4))
        for key in (item("b", 2), item("d", 4)):
            server.call("DeleteItem", TableName="songs", Key=key)
        server.advance(1000)

        def changes(view="NEW_AND_OLD_IMAGES", **expressions):
            period = {"ExportFromTime": 1700000100, "ExportToTime": 1700001100, "ExportViewType": view}
            _, lines = self.export(server, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period,
                                   FilterSpecification=expressions)
            found = sorted(map(json.loads, lines), key=lambda change: change["Keys"]["pk"]["S"])
            return [{name: image for name, image in change.items() if name != "Metadata"} for change in found]

        two = {"FilterExpression": "x = :x", "ExpressionAttributeValues": {":x": {"N": "2"}}}
        # c had it, but has it no more; of b, which is deleted, the old image counts, also where it is not shown.
        self.assertEqual(changes(**two, ProjectionExpression="y"),
                         [{"Keys": item("a", 1), "OldImage": {"y": {"S": "y"}}, "NewImage": {"y": {"S": "z"}}},
                          {"Keys": item("b", 2), "OldImage": {}}])
        self.assertEqual(changes("NEW_IMAGE", **two),
                         [{"Keys": item("a", 1), "NewImage": item("a", 1, x={"N": "2"}, y={"S": "z"})}, {"Keys": item("b", 2)}])
        # Of what came and went only the key is known.
        key = {"ExpressionAttributeValues": {":p": {"S": "d"}}}
        self.assertEqual(changes(**key, KeyConditionExpression="pk = :p"), [{"Keys": item("d", 4)}])
        self.assertEqual(changes(**key, FilterExpression="pk >= :p"), [{"Keys": item("d", 4)}])

    def test_exports_stay_in_their_bucket(self):
        server = self.table(self.start())
        (self.bucket / "link").symlink_to(self.folder)
        for prefix in ("../up", "/", "a/../../up", "link/up", "a//b"):
            answer, lines = self.export(server, S3Prefix=prefix)
            expected = ("COMPLETED", None) if prefix == "/" else ("FAILED", "S3AccessDenied")
            self.assertEqual((answer["ExportStatus"], answer.get("FailureCode")), expected, prefix)
        self.assertEqual(self.export(server, S3Bucket="absent")[0]["FailureCode"], "S3NoSuchBucket")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["buckets"])

    def test_exports_are_kept(self):
        data = str(self.folder / "data")
        server = self.table(self.start("--data", data))
        self.put(server, item("a", 1))
        named = {"ProjectionExpression": "#p", "ExpressionAttributeNames": {"#p": "pk"}, "FilterExpression": "#p > :p",
                 "ExpressionAttributeValues": {":p": {"S": ""}}}
        answer, _ = self.export(server, ClientToken="token", FilterSpecification=named)
        self.assertEqual(answer["FilterSpecification"], named)
        server.stop()
        server = self.start("--data", data)
        self.assertEqual(server.call("DescribeExport", ExportArn=answer["ExportArn"])["ExportDescription"], answer)
        again = server.call("ExportTableToPointInTime", TableArn=answer["TableArn"], S3Bucket="music", ClientToken="token",
                            FilterSpecification=named)
        self.assertEqual(again["ExportDescription"], answer)

    def test_the_folder_must_be_there(self):
        shown = run("serve", "--port", "0", "--buckets", str(self.folder / "absent"))
        self.assertNotEqual(shown.returncode, 0)
        self.assertIn("--buckets", shown.stderr.decode())


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        LINES = int(sys.argv.pop(1))
    unittest.main()
