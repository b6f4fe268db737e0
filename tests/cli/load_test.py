#!/usr/bin/env python3
"""Designs and items in files: what becomes of them in a server and in a data folder, and what is said of what is wrong in them.

    load_test.py <dynolith binary> [unittest arguments]
"""

import base64
import fcntl
import gzip
import hashlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import cli_test
from cli_test import SECONDS, SONGS, Server, is_under_sanitizer, run, song

HERE = pathlib.Path(__file__).resolve().parent
TTL = {"TableName": "songs", "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True}}


def without_progress(errors):
    """What else was said: where it is no terminal, a load that takes long says every five seconds how far it is."""
    return re.sub(r"^\d+ items, .* a second.*\n", "", errors, flags=re.M)


def lines(*items):
    return "".join(json.dumps(item) + "\n" for item in items)


def items_to_stop_in():
    """So many that a load of them is still going on when somebody stops it."""
    return 15_000 if is_under_sanitizer() else 100_000


class LoadCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.server = Server()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.url = f"http://127.0.0.1:{self.server.port}"

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def load(self, *arguments, code=0, to=None):
        """What was printed, with the folder's name taken out."""
        shown = run("load", *arguments, "--to", to or self.url)
        out, errors = (text.decode().replace(f"{self.folder}/", "") for text in (shown.stdout, shown.stderr))
        self.assertEqual(shown.returncode, code, (out, errors))
        return out, without_progress(errors)

    def items(self, table="songs"):
        return self.server.call("Scan", TableName=table)["Items"]

    def many(self, count, folder=None):
        """A table of that name, and a file of so many items for it."""
        path = (folder or self.folder) / "many.json"
        path.write_text("".join(json.dumps({**song(number), "text": {"S": "x" * 400}}) + "\n" for number in range(count)))
        self.server.call("CreateTable", **{**SONGS, "TableName": "many"})
        return path

    def titles(self):
        return sorted(item["title"]["S"] for item in self.items())


class Threads(LoadCase):
    def test_where_not_each_connection_gets_a_thread(self):
        path = self.many(500, cli_test.open_folder(self))
        for threads in (1, 2, 3, 4, 6, 40):
            shown = cli_test.run_with_threads(self, threads, "load", path, "--table", "many", "--to", self.url)
            errors = shown.stderr.decode()
            if threads == 1:
                self.assertEqual(shown.returncode, 1, errors)
                self.assertIn(f"{self.url}: error: cannot start a thread (too many: ulimit -u, pids.max of the control group; or no memory: ulimit -v)", errors)
                self.assertEqual(self.items("many"), [])
            else:
                self.assertEqual((shown.returncode, without_progress(errors)), (0, ""))
                self.assertEqual(len(self.items("many")), 500)


class Tables(LoadCase):
    def test_an_input_of_create_table_with_all_that_it_says(self):
        more = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
                "Tags": [{"Key": "team", "Value": "a"}], "DeletionProtectionEnabled": True}
        out, errors = self.load(self.file("songs.json", {**SONGS, **more}), self.file("ttl.json", TTL))
        self.assertEqual((out, errors), (f"{self.url}: 1 table made, 0 items\n", ""))
        table = self.server.call("DescribeTable", TableName="songs")["Table"]
        self.assertEqual(table["KeySchema"], SONGS["KeySchema"])
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["IndexName"], "by-year")
        self.assertEqual(table["StreamSpecification"], more["StreamSpecification"])
        self.assertTrue(table["DeletionProtectionEnabled"])
        ttl = self.server.call("DescribeTimeToLive", TableName="songs")["TimeToLiveDescription"]
        self.assertEqual(ttl, {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"})
        tags = self.server.call("ListTagsOfResource", ResourceArn=table["TableArn"])["Tags"]
        self.assertEqual(tags, more["Tags"])

    def test_an_output_of_describe_table_makes_the_same_table(self):
        self.server.call("CreateTable", **SONGS)
        described = self.server.call("DescribeTable", TableName="songs")
        self.load(self.file("songs.json", described), "--if-exists", "replace")
        again = self.server.call("DescribeTable", TableName="songs")
        for table in (described["Table"], again["Table"]):
            for changing in ("TableId", "CreationDateTime"):
                table.pop(changing)
            for summary in ("BillingModeSummary", "TableThroughputModeSummary"):
                table.get(summary, {}).pop("LastUpdateToPayPerRequestDateTime", None)
        self.assertEqual(again, described)

    def test_if_it_exists(self):
        files = [self.file("songs.json", SONGS), self.file("songs.items.json", lines(song(1), song(2)))]
        self.load(*files)
        self.server.call("PutItem", TableName="songs", Item=song(7))
        out, errors = self.load(*files, code=1)
        self.assertEqual(errors, "songs.json:2:15: error: table songs is there already; --if-exists keep leaves it as it is, "
                                 "replace deletes it\n")
        out, errors = self.load(*files, "--if-exists", "keep")
        self.assertEqual(out, f"{self.url}: 0 tables made, 0 items; 1 table kept, 2 items for it left out\n")
        self.assertEqual(self.titles(), ["Song 1", "Song 2", "Song 7"])
        for _ in range(2):
            self.load(*files, "--if-exists", "replace")
            self.assertEqual(self.titles(), ["Song 1", "Song 2"])

    def test_what_is_not_known_is_a_warning_with_its_place(self):
        out, errors = self.load(self.file("songs.json", {**SONGS, "Colour": 1, "Tag": []}))
        self.assertRegex(errors, r"^songs.json:\d+:2: warning: Colour is not known here and left out\n"
                                 r"songs.json:\d+:2: warning: Tag is not known here and left out; did you mean Tags\?\n$")

    def test_an_error_in_a_file_before_anything_is_done(self):
        out, errors = self.load(self.file("songs.json", SONGS), self.file("other.json", '{\n "TableName": ?}'), code=1)
        self.assertEqual(errors, "other.json:2:15: error: no JSON from here on\n")
        self.assertEqual(self.server.call("ListTables")["TableNames"], [])

    def test_what_the_service_refuses_has_its_place(self):
        out, errors = self.load(self.file("songs.json", {**SONGS, "KeySchema": SONGS["KeySchema"][1:]}), code=1)
        self.assertTrue(errors.startswith("songs.json:2:15: error: ValidationException: "), errors)

    def test_a_table_without_a_name(self):
        skeleton = {"AttributeDefinitions": [{"AttributeName": "", "AttributeType": "S"}], "TableName": "",
                    "KeySchema": [{"AttributeName": "", "KeyType": "HASH"}], "BillingMode": "PROVISIONED"}
        for name in (skeleton, {member: value for member, value in skeleton.items() if member != "TableName"}):
            out, errors = self.load(self.file("skeleton.json", name), code=1)
            self.assertRegex(errors, r"^skeleton.json:\d+:\d+: error: ValidationException: .*[tT]ableName")

    def test_a_workbench_model_with_its_rows(self):
        out, errors = self.load(HERE / "lab_model.json", to=str(self.folder / "data"))
        self.assertIn("made", out)
        with Server("--data", self.folder / "data") as server:
            model = json.loads((HERE / "lab_model.json").read_text())
            for table in model["DataModel"]:
                rows = table.get("TableData", [])
                self.assertEqual(server.call("Scan", TableName=table["TableName"])["Count"], len(rows))


TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Parameters:
  Stage: {Type: String}
  Reads: {Type: Number, Default: 5}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
Mappings:
  Units:
    dev: {Writes: "3"}
Resources:
  Role:
    Type: AWS::IAM::Role
  Songs:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    Properties:
      TableName: !Sub "songs-${Stage}"
      AttributeDefinitions:
        - &artist {AttributeName: artist, AttributeType: S}
        - AttributeName: year
          AttributeType: N
      KeySchema:
        - AttributeName: artist
          KeyType: HASH
      ProvisionedThroughput:
        ReadCapacityUnits: !Ref Reads
        WriteCapacityUnits: !FindInMap [Units, !Ref Stage, Writes]
      GlobalSecondaryIndexes:
        - IndexName: !Join ["-", [by, year]]
          KeySchema: [{AttributeName: year, KeyType: HASH}]
          Projection: {ProjectionType: KEYS_ONLY}
          ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 1}
      StreamSpecification:
        StreamViewType: NEW_IMAGE
      TimeToLiveSpecification: {AttributeName: until, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: !If [IsProd, true, false]}
      SSESpecification:
        SSEEnabled: true
        SSEType: KMS
        KMSMasterKeyId: !GetAtt Key.Arn
      Tags:
        - {Key: team, Value: !Ref "AWS::Region"}
  OnlyProd:
    Type: AWS::DynamoDB::Table
    Condition: IsProd
  Global:
    Type: AWS::DynamoDB::GlobalTable
    Properties:
      TableName: world
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [*artist]
      KeySchema: [{AttributeName: artist, KeyType: HASH}]
      WriteOnDemandThroughputSettings: {MaxWriteRequestUnits: 100}
      Replicas:
        - Region: eu-west-1
          TableClass: STANDARD_INFREQUENT_ACCESS
        - Region: us-east-1
          DeletionProtectionEnabled: false
          Tags: [{Key: a, Value: b}]
"""

POLICY = {"Version": "2012-10-17", "Statement": [{
    "Sid": "one", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:root"}, "Action": "dynamodb:GetRecords",
    "Resource": "arn:aws:dynamodb:us-east-1:000000000000:table/songs/stream/*"}]}

SERVERLESS = """\
service: shop
provider:
  name: aws
  stage: ${opt:stage, 'dev'}
custom:
  table: orders-${sls:stage}
resources:
  - Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: ${self:custom.table}
          BillingMode: PAY_PER_REQUEST
          AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
          KeySchema: [{AttributeName: id, KeyType: HASH}]
          Tags: [{Key: owner, Value: "${ssm:/owner}"}]
  - ${file(more.yml)}
"""
MORE = """\
Resources:
  Carts:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: carts-${opt:stage, self:provider.stage}
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
"""


class Templates(LoadCase):
    def table(self, name):
        return self.server.call("DescribeTable", TableName=name)["Table"]

    def test_a_template_in_yaml(self):
        out, errors = self.load(self.file("t.yml", TEMPLATE), "--parameter", "Stage=dev", "--parameter", "Satge=prod",
                                "--leave-out", "SSESpecification")
        self.assertEqual(out, f"{self.url}: 2 tables made, 0 items\n")
        self.assertEqual(errors.splitlines(), [
            "t.yml:11:3: warning: only tables are loaded; left out are resources of AWS::IAM::Role",
            "t.yml:37:7: warning: SSESpecification is left out, as --leave-out says",
            "--parameter: warning: none of these files asks for Satge",
            "t.yml:55:11: warning: there is one region here; the replica of eu-west-1 is left out, --region chooses another one"])
        songs = self.table("songs-dev")
        units = songs["ProvisionedThroughput"]
        self.assertEqual((units["ReadCapacityUnits"], units["WriteCapacityUnits"]), (5, 3))
        self.assertEqual(songs["GlobalSecondaryIndexes"][0]["IndexName"], "by-year")
        self.assertEqual(songs["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        tags = self.server.call("ListTagsOfResource", ResourceArn=songs["TableArn"])["Tags"]
        self.assertEqual(tags, [{"Key": "team", "Value": "us-east-1"}])
        ttl = self.server.call("DescribeTimeToLive", TableName="songs-dev")["TimeToLiveDescription"]
        self.assertEqual(ttl, {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"})
        self.assertEqual(self.table("world")["OnDemandThroughput"], {"MaxWriteRequestUnits": 100})

    def test_conditions_and_another_region(self):
        self.load(self.file("t.yml", TEMPLATE.replace("OnlyProd:", "OnlyProd: &only").replace(
            "    Condition: IsProd\n", "    Condition: IsProd\n    Properties: {TableName: prod, BillingMode: PAY_PER_REQUEST, "
            "AttributeDefinitions: [*artist], KeySchema: [{AttributeName: artist, KeyType: HASH}]}\n").replace("dev:", "prod:")),
                  "--parameter", "Stage=prod", "--parameter", "Key.Arn=alias/mine", "--region", "eu-west-1")
        self.assertEqual(sorted(self.server.call("ListTables")["TableNames"]), ["prod", "songs-prod", "world"])
        self.assertEqual(self.table("world")["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")
        backups = self.server.call("DescribeContinuousBackups", TableName="songs-prod")["ContinuousBackupsDescription"]
        self.assertEqual(backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "ENABLED")

    def test_what_has_no_value(self):
        out, errors = self.load(self.file("t.yml", TEMPLATE), code=1)
        self.assertIn("t.yml:17:18: error: Stage has no value; --parameter 'Stage=VALUE' gives it one\n", errors)
        self.assertEqual(self.server.call("ListTables")["TableNames"], [])

    def test_what_comes_when_the_table_is_there(self):
        template = {"Resources": {"Clicks": {"Type": "AWS::Kinesis::Stream"}, "Songs": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {**SONGS, "KinesisStreamSpecification": {"StreamArn": {"Fn::GetAtt": ["Clicks", "Arn"]}},
                           "ContributorInsightsSpecification": {"Enabled": True},
                           "StreamSpecification": {"StreamViewType": "NEW_IMAGE",
                                                   "ResourcePolicy": {"PolicyDocument": POLICY}}}}}}
        out, errors = self.load(self.file("t.json", template))
        self.assertEqual(errors.count("\n"), 1, errors)
        destinations = self.server.call("DescribeKinesisStreamingDestination", TableName="songs")["KinesisDataStreamDestinations"]
        self.assertEqual([destination["StreamArn"] for destination in destinations],
                         ["arn:aws:kinesis:us-east-1:000000000000:stream/Clicks"])
        insights = self.server.call("DescribeContributorInsights", TableName="songs")
        self.assertIn(insights["ContributorInsightsStatus"], ("ENABLING", "ENABLED"))
        policy = self.server.call("GetResourcePolicy", ResourceArn=self.table("songs")["LatestStreamArn"])["Policy"]
        self.assertEqual(json.loads(policy), POLICY)

    def test_a_simple_table(self):
        template = "Transform: AWS::Serverless-2016-10-31\nResources:\n  Notes: {Type: AWS::Serverless::SimpleTable}\n"
        self.load(self.file("t.yml", template))
        self.assertEqual(self.table("Notes")["KeySchema"], [{"AttributeName": "id", "KeyType": "HASH"}])

    def test_a_template_in_json(self):
        properties = {key: value for key, value in SONGS.items() if key != "TableName"}
        template = {"Resources": {"Songs": {"Type": "AWS::DynamoDB::Table",
                                            "Properties": {**properties, "TableName": {"Fn::Join": ["", ["so", "ngs"]]}}}}}
        out, errors = self.load(self.file("t.json", template))
        self.assertEqual(errors, "")
        self.assertEqual(self.table("songs")["KeySchema"], SONGS["KeySchema"])

    def test_serverless(self):
        self.file("more.yml", MORE)
        out, errors = self.load(self.file("serverless.yml", SERVERLESS), code=1)
        self.assertEqual(errors, "serverless.yml:16:31: error: ssm:/owner has no value; --parameter 'ssm:/owner=VALUE' gives it one\n")
        self.load(self.folder / "serverless.yml", "--leave-out", "Tags")
        self.load(self.folder / "serverless.yml", "--parameter", "opt:stage=qa", "--parameter", "ssm:/owner=me")
        self.assertEqual(sorted(self.server.call("ListTables")["TableNames"]),
                         ["carts-dev", "carts-qa", "orders-dev", "orders-qa"])

    def test_no_yaml(self):
        texts = [("a: [1\nb: }", "t.yml:2:2: error: no YAML: "), ("- a\n b: c: d", "t.yml:2:"),
                 ("just words", "t.yml:1:1: error: neither tables nor items")]
        if not is_under_sanitizer():
            texts.append(("a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 12)}]\n"
                                                      for n in range(9)), "this grows beyond all measure"))
        for content, message in texts:
            out, errors = self.load(self.file("t.yml", content), code=1)
            self.assertIn(message, errors)


class Dumps(LoadCase):
    def described(self):
        shown = []
        for table in self.server.call("ListTables")["TableNames"]:
            description = self.server.call("DescribeTable", TableName=table)["Table"]
            tags = self.server.call("ListTagsOfResource", ResourceArn=description["TableArn"])["Tags"]
            for changing in ("TableId", "CreationDateTime", "LatestStreamLabel", "LatestStreamArn"):
                description.pop(changing, None)
            for summary in ("BillingModeSummary", "TableThroughputModeSummary"):
                description.get(summary, {}).pop("LastUpdateToPayPerRequestDateTime", None)
            ttl = self.server.call("DescribeTimeToLive", TableName=table)
            recovery = self.server.call("DescribeContinuousBackups", TableName=table)["ContinuousBackupsDescription"]
            shown.append((description, tags, ttl, recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
                          self.items(table)))
        return shown

    def test_a_dump_that_was_killed_is_not_loaded(self):
        self.load(self.file("songs.json", {**SONGS}))
        self.load(self.many(items_to_stop_in() // 5), "--table", "many")
        to = self.folder / "dump"
        process = subprocess.Popen([cli_test.BINARY, "dump", self.url, "--to", str(to)], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + SECONDS
        items = to / "many.items.json.unfinished"
        while not (items.exists() and items.stat().st_size > 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        self.assertEqual(process.wait(SECONDS), -signal.SIGKILL)
        self.assertEqual({path.suffix for path in to.iterdir()}, {".unfinished"})
        for what in (to, items):
            _, errors = self.load(what, code=1, to=str(self.folder / "data"))
            self.assertIn("unfinished: error: this was left behind by a dump that did not reach its end", errors)
        self.assertFalse((self.folder / "data").exists())

    def test_a_dump_that_finds_no_room_says_so(self):
        self.load(self.many(1000), "--table", "many")
        shown = subprocess.run([cli_test.BINARY, "dump", self.url, "--to", self.folder / "dump"], capture_output=True, timeout=SECONDS,
                               check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(shown.returncode, 1, shown)
        self.assertIn(b"many.items.json.unfinished: File too large", shown.stderr)
        (self.folder / "file").write_text("")
        shown = run("dump", self.url, "--to", self.folder / "file")
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(b"cannot use the folder", shown.stderr)

    def test_what_is_dumped_and_loaded_is_the_same(self):
        template = TEMPLATE.replace("!If [IsProd, true, false]", "true")
        self.load(self.file("t.yml", template), "--parameter", "Stage=dev", "--leave-out", "SSESpecification")
        self.server.call("CreateTable", **SONGS)
        values = {"b": {"B": "AAH/"}, "s": {"SS": ["a", "b"]}, "m": {"M": {"S": {"S": "x"}, "l": {"L": [{"NULL": True}]}}}}
        for number in range(30):
            self.server.call("PutItem", TableName="songs", Item={**song(number), **values, "S": {"S": "x"}})
        self.server.call("UpdateTimeToLive", **TTL)
        before = self.described()
        self.assertEqual(len(before), 3)
        to = self.folder / "fixture"
        shown = run("dump", self.url, "--to", to)
        self.assertEqual((shown.returncode, shown.stderr), (0, b""))
        self.assertIn(b" tables, 30 items\n", shown.stdout)
        out, errors = self.load(to, "--if-exists", "replace")
        self.assertEqual(errors, "")
        self.assertEqual(self.described(), before)
        # Also into a folder, and from there.
        self.load(to, to=self.folder / "data")
        again = self.folder / "again"
        shown = run("dump", self.folder / "data", "--to", again)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for file in sorted(to.iterdir()):
            self.assertEqual((again / file.name).read_text(), file.read_text(), file.name)

    def test_files_of_tables_do_not_meet(self):
        names = sorted(("songs", "songs.items", "songs.ttl", "songs.items.items", "songs.json", "x" * 255, "y" * 242))
        for number, name in enumerate(names):
            self.server.call("CreateTable", **{**SONGS, "TableName": name})
            self.server.call("PutItem", TableName=name, Item=song(number))
        before = self.described()
        for to in (self.url, self.folder / "data"):
            dump = self.folder / f"dump of {to}".replace("/", " ")
            shown = run("dump", self.url, "--to", dump)
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            self.assertIn(b" 7 tables, 7 items\n", shown.stdout)
            self.assertEqual(self.load(dump, "--if-exists", "replace", to=to)[1], "")
            self.assertEqual(self.described(), before)
        shown = run("dump", self.folder / "data", "--to", self.folder / "again")
        self.assertIn(b" 7 tables, 7 items\n", shown.stdout)

    def test_a_folder_that_is_in_use(self):
        self.file("x", "y")
        shown = run("dump", self.url, "--to", self.folder)
        self.assertEqual(shown.returncode, 1)
        self.assertIn(b"new or empty", shown.stderr)


class GlobalTables(LoadCase):
    """AWS::DynamoDB::GlobalTable, which the CDK's TableV2 becomes, where there are regions."""

    REGIONS = ("us-east-1", "eu-west-1", "ap-south-1")

    def setUp(self):
        super().setUp()
        self.serve(*self.REGIONS)

    def serve(self, *regions):
        self.server = Server("--regions", ",".join(regions))
        self.addCleanup(self.server.__exit__, None, None, None)
        self.url = f"http://127.0.0.1:{self.server.port}"

    def call_in(self, region, operation, server=None, **members):
        body = json.dumps(members).encode()
        headers = cli_test.signed_headers(operation, body)
        headers["authorization"] = headers["authorization"].replace("/us-east-1/", f"/{region}/")
        status, answer = (server or self.server).request(operation, body, headers)
        self.assertEqual(status, 200, answer)
        return answer

    def table_in(self, region, name="world", **server):
        return self.call_in(region, "DescribeTable", TableName=name, **server)["Table"]

    @staticmethod
    def template(*replicas, **properties):
        """As aws-cdk-lib synthesises new dynamodb.TableV2(stack, 'World', {…})."""
        return {"Resources": {"World0A1B2C3D": {
            "Type": "AWS::DynamoDB::GlobalTable", "UpdateReplacePolicy": "Delete", "DeletionPolicy": "Delete",
            "Metadata": {"aws:cdk:path": "Stack/World/Resource"},
            "Properties": {
                "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}, {"AttributeName": "year", "AttributeType": "N"}],
                "BillingMode": "PAY_PER_REQUEST",
                "GlobalSecondaryIndexes": [{"IndexName": "by-year", "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
                                            "Projection": {"ProjectionType": "ALL"}}],
                "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
                "Replicas": list(replicas), "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"}, "TableName": "world",
                "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True}, **properties}}}}

    def world(self, **properties):
        document = {"Version": "2012-10-17", "Statement": [{
            "Sid": "one", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:root"}, "Action": "dynamodb:GetItem",
            "Resource": "arn:aws:dynamodb:eu-west-1:000000000000:table/world"}]}
        return self.template(
            {"Region": "us-east-1", "Tags": [{"Key": "here", "Value": "first"}]},
            {"Region": "eu-west-1", "TableClass": "STANDARD_INFREQUENT_ACCESS", "DeletionProtectionEnabled": True,
             "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}, "Tags": [{"Key": "there", "Value": "second"}],
             "ContributorInsightsSpecification": {"Enabled": True}, "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 90},
             "GlobalSecondaryIndexes": [{"IndexName": "by-year", "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 40}}],
             "ResourcePolicy": {"PolicyDocument": document}},
            {"Region": "sa-east-1", "TableClass": "STANDARD_INFREQUENT_ACCESS"},
            {"Region": "ap-south-1"}, **properties)

    def all_tables(self):
        return {region: self.table_in(region) for region in self.REGIONS}

    def test_each_region_has_what_the_template_says(self):
        files = [self.file("t.json", self.world()), self.file("items.json", lines(*[{"artist": {"S": f"a{i}"}, "year": {"N": "1"}} for i in range(5)]))]
        out, errors = self.load(*files)
        self.assertEqual(out, f"{self.url}: 1 table made, 5 items\n")
        self.assertRegex(errors, r"\At.json:\d+:\d+: warning: sa-east-1 is none of the regions that are served here; "
                         r"this replica is left out\n\Z")
        here, there = self.table_in("us-east-1"), self.table_in("eu-west-1")
        self.assertEqual({replica["RegionName"]: replica["ReplicaStatus"] for replica in here["Replicas"] if replica["RegionName"] != "us-east-1"},
                         {"eu-west-1": "ACTIVE", "ap-south-1": "ACTIVE"})
        self.assertEqual(there["TableArn"], "arn:aws:dynamodb:eu-west-1:000000000000:table/world")
        self.assertEqual(there["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")
        self.assertEqual([table["DeletionProtectionEnabled"] for table in (here, there)], [False, True])
        self.assertEqual(there["OnDemandThroughput"]["MaxReadRequestUnits"], 90)
        self.assertEqual(there["GlobalSecondaryIndexes"][0]["OnDemandThroughput"]["MaxReadRequestUnits"], 40)
        self.assertNotIn("OnDemandThroughput", here)
        for region, recovery, tags in (("us-east-1", "DISABLED", [("here", "first")]), ("eu-west-1", "ENABLED", [("there", "second")]),
                                       ("ap-south-1", "DISABLED", [])):
            described = self.call_in(region, "DescribeContinuousBackups", TableName="world")["ContinuousBackupsDescription"]
            self.assertEqual(described["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], recovery, region)
            ttl = self.call_in(region, "DescribeTimeToLive", TableName="world")["TimeToLiveDescription"]
            self.assertEqual(ttl["AttributeName"], "until", region)
            arn = f"arn:aws:dynamodb:{region}:000000000000:table/world"
            its = self.call_in(region, "ListTagsOfResource", ResourceArn=arn)["Tags"]
            self.assertEqual([(tag["Key"], tag["Value"]) for tag in its], tags, region)
            self.wait_for_items(region, 5)
        self.assertIn(self.call_in("eu-west-1", "DescribeContributorInsights", TableName="world")["ContributorInsightsStatus"],
                      ("ENABLING", "ENABLED"))
        self.assertIn("one", self.call_in("eu-west-1", "GetResourcePolicy", ResourceArn=there["TableArn"])["Policy"])

    def wait_for_items(self, region, count):
        deadline = time.monotonic() + SECONDS
        while self.call_in(region, "Scan", TableName="world")["Count"] != count:
            self.assertLess(time.monotonic(), deadline, region)
            time.sleep(0.02)

    def test_once_more_changes_nothing(self):
        template = self.file("t.json", self.world())
        self.load(template)
        before = self.all_tables()
        out, errors = self.load(template, "--if-exists", "keep")
        self.assertEqual(out, f"{self.url}: 0 tables made, 0 items; 1 table kept, 0 items for it left out\n")
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertEqual(self.all_tables(), before)
        out, errors = self.load(template, code=1)
        self.assertIn("table world is there already", errors)
        self.assertEqual(self.all_tables(), before)
        # It is not what the template says any more: that is said, too.
        self.call_in("us-east-1", "UpdateTable", TableName="world", ReplicaUpdates=[{"Delete": {"RegionName": "ap-south-1"}}])
        out, errors = self.load(template, "--if-exists", "keep")
        self.assertIn("table world is there already, without this replica in ap-south-1; it is left as it is\n", errors)

    def test_replaced_with_its_replicas(self):
        replicas = [{"Region": region} for region in self.REGIONS]
        template = self.file("t.json", self.template(*replicas))
        self.load(template)
        ids = {table["TableId"] for table in self.all_tables().values()}
        self.call_in("us-east-1", "PutItem", TableName="world", Item={"artist": {"S": "old"}})
        out, errors = self.load(template, self.file("items.json", lines(song(1))), "--if-exists", "replace")
        self.assertEqual((out, errors), (f"{self.url}: 1 table made, 1 item\n", ""))
        for region in self.REGIONS:
            self.wait_for_items(region, 1)
        self.assertFalse(ids & {table["TableId"] for table in self.all_tables().values()})

    def test_the_region_of_the_stack(self):
        self.load(self.file("t.json", self.world()), "--region", "eu-west-1")
        self.assertEqual({table["TableClassSummary"]["TableClass"] if "TableClassSummary" in table else "STANDARD"
                          for region, table in self.all_tables().items() if region != "eu-west-1"}, {"STANDARD"})
        self.assertEqual(self.table_in("eu-west-1")["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")

    def test_provisioned_units_whose_writes_scale(self):
        scaling = {"WriteCapacityAutoScalingSettings": {"MinCapacity": 5, "MaxCapacity": 50,
                                                        "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70}}}
        template = self.template({"Region": "us-east-1", "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 3}},
                                 {"Region": "eu-west-1", "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 8}},
                                 BillingMode="PROVISIONED", WriteProvisionedThroughputSettings=scaling)
        properties = template["Resources"]["World0A1B2C3D"]["Properties"]
        properties["GlobalSecondaryIndexes"][0]["WriteProvisionedThroughputSettings"] = scaling
        for replica, units in zip(properties["Replicas"], (1, 2)):
            replica["GlobalSecondaryIndexes"] = [{"IndexName": "by-year", "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": units}}]
        self.load(self.file("t.json", template))
        for region, of_table, of_index in (("us-east-1", 3, 1), ("eu-west-1", 8, 2)):
            table = self.table_in(region)
            for units, reads in ((table["ProvisionedThroughput"], of_table),
                                 (table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"], of_index)):
                self.assertEqual((units["ReadCapacityUnits"], units["WriteCapacityUnits"]), (reads, 5), region)

    def test_strong_consistency(self):
        strong = self.template({"Region": "us-east-1"}, {"Region": "us-east-2", "DeletionProtectionEnabled": True},
                               MultiRegionConsistency="STRONG", GlobalTableWitnesses=[{"Region": "us-west-2"}])
        del strong["Resources"]["World0A1B2C3D"]["Properties"]["TimeToLiveSpecification"]
        template = self.file("t.json", strong)
        out, errors = self.load(template, code=1)
        self.assertIn("error: multi-Region strong consistency needs all of these regions, which are not served here; "
                      "--leave-out MultiRegionConsistency loads the rest\n", errors)
        self.assertEqual(self.server.call("ListTables")["TableNames"], [])
        self.serve("us-east-1", "us-east-2")
        out, errors = self.load(template, self.file("items.json", lines(song(1))))
        self.assertEqual((out, errors), (f"{self.url}: 1 table made, 1 item\n", ""))
        table = self.table_in("us-east-2")
        self.assertEqual((table["MultiRegionConsistency"], [one["RegionName"] for one in table["GlobalTableWitnesses"]]),
                         ("STRONG", ["us-west-2"]))
        self.assertTrue(table["DeletionProtectionEnabled"])
        self.assertEqual(self.call_in("us-east-2", "Scan", TableName="world", ConsistentRead=True)["Count"], 1)

    def test_what_only_another_replica_lacks(self):
        template = self.file("t.json", self.template({"Region": "us-east-1"}, {
            "Region": "eu-west-1", "SSESpecification": {"KMSMasterKeyId": {"Ref": "Secret"}}}))
        out, errors = self.load(template, code=1)
        self.assertIn("error: Secret has no value; --parameter 'Secret=VALUE' gives it one\n", errors)
        self.assertEqual(self.server.call("ListTables")["TableNames"], [])
        self.load(template, "--parameter", "Secret=alias/mine")
        self.assertEqual(self.table_in("eu-west-1")["SSEDescription"]["SSEType"], "KMS")

    def test_as_a_seed(self):
        template = self.file("t.json", self.world())
        for delay in ((), ("--clock", "manual", "--table-delay", "5")):
            with Server("--regions", ",".join(self.REGIONS), "--seed", template, *delay) as server:
                self.assertEqual(self.table_in("ap-south-1", server=server)["TableStatus"], "ACTIVE")
                self.assertTrue(self.table_in("eu-west-1", server=server)["DeletionProtectionEnabled"])


class Seeds(LoadCase):
    def test_a_server_that_begins_with_a_fixture(self):
        self.file("songs.json", SONGS)
        self.file("songs.items.json", lines(song(1), song(2)))
        for more in ([], ["--clock", "manual", "--table-delay", "20"], ["--capacity", "enforce", "--capacity-scale", "0.01"]):
            with Server("--seed", self.folder, *more) as server:
                self.assertEqual(server.call("Scan", TableName="songs")["Count"], 2, more)

    def test_what_is_there_stays(self):
        data = self.folder / "data"
        seed = ["--data", data, "--seed", self.file("songs.json", SONGS), "--seed", self.file("songs.items.json", lines(song(1)) * 2)]
        with Server(*seed) as server:
            server.call("UpdateItem", TableName="songs", Key={key: song(1)[key] for key in ("artist", "title")},
                        AttributeUpdates={"year": {"Value": {"N": "1"}}})
        with Server(*seed) as server:
            self.assertEqual([item["year"] for item in server.call("Scan", TableName="songs")["Items"]], [{"N": "1"}])

    def test_values_that_its_files_do_not_have(self):
        template = self.file("t.yml", TEMPLATE)
        with Server("--seed", template, "--parameter", "Stage=dev", "--parameter", "Key.Arn=alias/mine", "--region", "eu-west-1") as server:
            self.assertEqual(server.call("ListTables")["TableNames"], ["songs-dev", "world"])
            self.assertIn(":eu-west-1:", server.call("DescribeTable", TableName="world")["Table"]["TableArn"])
            self.assertEqual(server.call("DescribeTable", TableName="songs-dev")["Table"]["SSEDescription"]["SSEType"], "KMS")
        with Server("--seed", template, "--parameter", "Stage=dev", "--leave-out", "SSESpecification") as server:
            self.assertNotIn("SSEDescription", server.call("DescribeTable", TableName="songs-dev")["Table"])
        shown = run("serve", "--port", "0", "--seed", template)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(b"t.yml:17:18: error: Stage has no value; --parameter 'Stage=VALUE' gives it one\n", shown.stderr)

    def test_a_seed_that_is_wrong(self):
        shown = run("serve", "--port", "0", "--seed", self.file("songs.json", {**SONGS, "BillingMode": "CHEAP"}))
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(b"songs.json:2:15: error: ValidationException", shown.stderr)


ION_SONG = '{Item: {artist: "Acme Band", title: "Song 1", year: 1991.}}\n'


class Items(LoadCase):
    def setUp(self):
        super().setUp()
        self.server.call("CreateTable", **SONGS)

    def test_forms(self):
        put = {"PutRequest": {"Item": song(1)}}
        plain = {"artist": "Acme Band", "title": "Song 1", "year": 1991}
        for name, content in (("songs.json", lines({"Item": song(1)}, {"Item": song(2)})),
                              ("songs.jsonl", lines(song(1), plain)),
                              ("songs.items.json", lines(plain)),
                              ("batch.json", {"songs": [put, {"PutRequest": {"Item": song(2)}}]}),
                              ("batch2.json", {"RequestItems": {"songs": [put]}}),
                              ("songs.json", {"Items": [song(1)], "Count": 1, "ScannedCount": 1, "ConsumedCapacity": None}),
                              ("songs.json", [plain]),
                              ("put.json", {"TableName": "songs", "Item": song(1), "ReturnConsumedCapacity": "TOTAL"}),
                              ("put.jsonl", lines(*({"TableName": "songs", "Item": song(number)} for number in (1, 2)))),
                              ("arn.json", [{"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/songs", "Item": song(1)}]),
                              ("batch3.json", {"RequestItems": {"songs": [put]}, "ReturnConsumedCapacity": "TOTAL"}),
                              ("left.json", {"UnprocessedItems": {"songs": [put]}}),
                              ("got.json", {"Responses": {"songs": [song(1)]}, "UnprocessedKeys": {}}),
                              ("songs.json", lines(*[{"artist": {"s": "Acme Band"}, "title": {"s": "Song 1"}, "year": {"n": "1991"}}] * 2)),
                              ("songs.ion", ION_SONG), ("songs.json", "$ion_1_0 " + ION_SONG * 2),
                              ("songs.csv", "title,artist,year\nSong 1,Acme Band,1991\n"),
                              ("songs", 'artist\x03{"s":"Acme Band"}\x02title\x03{"s":"Song 1"}\x02year\x03{"n":"1991"}\n')):
            self.server.call("DeleteItem", TableName="songs", Key={key: song(1)[key] for key in ("artist", "title")})
            out, errors = self.load(self.file(name, content))
            self.assertEqual(errors, "", name)
            self.assertIn(song(1), self.items(), (name, content))

    def test_plain_json_is_typed_by_what_it_looks_like_and_keys_by_the_table(self):
        self.load(self.file("songs.json", lines({"artist": 7, "title": "x", "year": "1991", "b": True, "n": None, "l": [1, "a"],
                                                 "m": {"k": -1.5e3}})))
        self.assertEqual(self.items(), [{"artist": {"S": "7"}, "title": {"S": "x"}, "year": {"N": "1991"}, "b": {"BOOL": True},
                                         "n": {"NULL": True}, "l": {"L": [{"N": "1"}, {"S": "a"}]},
                                         "m": {"M": {"k": {"N": "-1500"}}}}])

    def test_inputs_of_put_item_say_their_table_and_conditions(self):
        self.server.call("CreateTable", **{**SONGS, "TableName": "others"})
        there = {"ConditionExpression": "attribute_exists(#a)", "ExpressionAttributeNames": {"#a": "artist"}}
        absent = {"Expected": {"artist": {"Exists": False}}}
        puts = [{"TableName": "songs", "Item": song(1), **absent}, {"TableName": "others", "Item": song(2)},
                {"TableName": "songs", "Item": {**song(1), "take": {"N": "2"}}, **there},
                {"TableName": "songs", "Item": {**song(1), "take": {"N": "3"}}, **absent},
                {"TableName": "songs", "Item": song(3), **there}]
        out, errors = self.load(self.file("puts.json", puts), code=1)
        self.assertEqual(out, f"{self.url}: 0 tables made, 3 items; 2 errors\n")
        refused = "error: this item is not written: ConditionalCheckFailedException: The conditional request failed"
        self.assertEqual([line.split(": ", 1)[1] for line in errors.splitlines()], [refused] * 2)
        self.assertEqual((self.items(), self.items("others")), ([{**song(1), "take": {"N": "2"}}], [song(2)]))
        out, errors = self.load(self.file("puts.jsonl", lines(puts[1], puts[0], {"TableName": "others", "Item": song(4)})), code=1)
        self.assertEqual(errors, "puts.jsonl:2:32: error: this is an item of the table songs, the first one of the file is not\n")
        self.assertEqual(len(self.items("others")), 2)

    def test_types_in_lower_case(self):
        values = {"s": "x", "n": "-1.5", "b": "AP8=", "sS": ["x"], "nS": ["1", "2"], "bS": ["AA=="], "bOOL": False, "nULLValue": True,
                  "l": [{"s": "a"}, {"m": {"k": {"n": "2"}}}], "m": {"s": {"s": "v"}, "l": {"l": []}}}
        item = {"artist": {"s": "a", "n": None, "bOOL": None}, "title": {"s": "b"}, **{"of " + name: {name: value} for name, value in values.items()}}
        self.load(self.file("songs.json", lines(item, {**item, "title": {"s": "c"}})))
        self.assertEqual(self.items()[0]["of l"], {"L": [{"S": "a"}, {"M": {"k": {"N": "2"}}}]})
        self.assertEqual([name["title"]["S"] for name in self.items()], ["b", "c"])
        self.assertEqual({name: value for name, value in self.items()[0].items() if name != "of l"},
                         {"artist": {"S": "a"}, "title": {"S": "b"}, "of s": {"S": "x"}, "of n": {"N": "-1.5"}, "of b": {"B": "AP8="},
                          "of sS": {"SS": ["x"]}, "of nS": {"NS": ["1", "2"]}, "of bS": {"BS": ["AA=="]}, "of bOOL": {"BOOL": False},
                          "of nULLValue": {"NULL": True}, "of m": {"M": {"s": {"S": "v"}, "l": {"L": []}}}})
        # Beside what is plain they are maps like any other.
        plain = {"artist": "a", "title": "d", "size": {"n": "5"}}
        self.load(self.file("songs.json", lines(plain, plain)))
        self.assertIn({"artist": {"S": "a"}, "title": {"S": "d"}, "size": {"M": {"n": {"S": "5"}}}}, self.items())

    def test_lines_of_data_pipeline(self):
        values = {"s": "a\\n\u00fc", "n": "-1.5", "b": "AP8=", "sS": ["x"], "nS": ["1", "2"], "bS": ["AA=="], "bOOL": False, "nULLValue": True,
                  "l": [{"s": "a"}], "m": {"k": {"n": "2"}}}

        def line(number, **more):
            attributes = {"artist": {"s": "Acme Band"}, "title": {"s": f"Song {number}"}, **more}
            return "\x02".join(name + "\x03" + json.dumps(value) for name, value in attributes.items())
        wrong = [line(3) + "\x02year", "\x03{}", line(4) + '\x02year\x03{"n":"1"', line(5, year={"n": "1", "s": "1"}), line(6, year=7),
                 line(7, year={"N": "1"}), line(8) + '\x02title\x03{"s":"x"}', "just text", line(9) + "\x02\x02", line(10, year={"n": "x"})]
        text = "\n".join([wrong[0], line(1, **{"of " + name: {name: value} for name, value in values.items()}) + "\x02\r", "",
                          *wrong[1:], line(2, year={"n": "1992"})])
        (self.folder / "part-00000.gz").write_bytes(gzip.compress(text.encode()))
        out, errors = self.load(self.folder / "part-00000.gz", "--table", "songs", code=1)
        self.assertEqual(out, f"{self.url}: 0 tables made, 2 items; 10 errors\n")
        no_attribute = "error: no attribute of a line of Data Pipeline: a name, the byte 3, and a value in JSON are wanted"
        no_value = 'error: year has no value as Data Pipeline writes them: {"s": "text"}'
        at = len(line(3)) + 2  # the byte behind the first two attributes and the sign between them
        said = [(f"1:{at}", no_attribute), ("4:1", no_attribute), (f"5:{at + 13}", "error: no JSON from here on"), (f"6:{at + 5}", no_value),
                (f"7:{at + 5}", no_value), (f"8:{at + 5}", no_value), (f"9:{at}", "error: title stands twice in this map"), ("10:1", no_attribute),
                (f"11:{at}", no_attribute), ("12", "error: this item is not written: ValidationException: 1 validation error detected: The "
                                             "parameter cannot be converted to a numeric value: x")]
        self.assertEqual(sorted(errors.splitlines(), key=lambda line: int(line.split(":")[1])),
                         [f"part-00000.gz:{place}: {text}" for place, text in said])
        first, second = sorted(self.items(), key=lambda item: item["title"]["S"])
        self.assertEqual(second, {"artist": {"S": "Acme Band"}, "title": {"S": "Song 2"}, "year": {"N": "1992"}})
        self.assertEqual({name: value for name, value in first.items() if name.startswith("of ")},
                         {"of s": {"S": "a\\n\u00fc"}, "of n": {"N": "-1.5"}, "of b": {"B": "AP8="}, "of sS": {"SS": ["x"]},
                          "of nS": {"NS": ["1", "2"]}, "of bS": {"BS": ["AA=="]}, "of bOOL": {"BOOL": False}, "of nULLValue": {"NULL": True},
                          "of l": {"L": [{"S": "a"}]}, "of m": {"M": {"k": {"N": "2"}}}})
        manifest = self.file("manifest", {"name": "DynamoDB-export", "version": 3, "entries": [{"url": "s3://b/part-00000", "mandatory": True}]})
        self.assertEqual(self.load(manifest)[1], "manifest: warning: this is a manifest of Data Pipeline, and passed over: the files that it "
                         "names are loaded by their own names\n")

    def test_ion(self):
        text = ('$ion_1_0 {Item:{artist:"a",title:"b",n:2d1,s:$dynamodb_SS::["x"],b:{{AP8=}},l:[null,true]}}\n' +
                "{Item: {artist: unknown}}\n{\n  Item: {artist: \"c\",\n title: \"}\"}}")
        (self.folder / "songs.ion.gz").write_bytes(gzip.compress(text.encode()))
        out, errors = self.load(self.folder / "songs.ion.gz", code=1)
        self.assertTrue(errors.startswith("songs.ion.gz:2: error: "), errors)
        self.assertEqual(sorted(self.items(), key=str),
                         [{"artist": {"S": "a"}, "title": {"S": "b"}, "n": {"N": "20"}, "s": {"SS": ["x"]}, "b": {"B": "AP8="},
                           "l": {"L": [{"NULL": True}, {"BOOL": True}]}}, {"artist": {"S": "c"}, "title": {"S": "}"}}])

    def test_deletions_of_a_batch(self):
        key = {name: song(1)[name] for name in ("artist", "title")}
        self.load(self.file("songs.json", lines(song(1), song(2))))
        batch = {"songs": [{"PutRequest": {"Item": song(3)}}, {"DeleteRequest": {"Key": key}}]}
        self.assertEqual(self.load(self.file("batch.json", batch)), (f"{self.url}: 0 tables made, 2 items\n", ""))
        self.assertEqual(self.titles(), ["Song 2", "Song 3"])

    def test_csv(self):
        self.load(self.file("songs.csv", 'artist,title,year,note\nRay,"a, ""b""",1991,12\nBo,c,,\n'))
        self.assertEqual(sorted(self.items(), key=str),
                         [{"artist": {"S": "Bo"}, "title": {"S": "c"}, "note": {"S": ""}},
                          {"artist": {"S": "Ray"}, "title": {"S": 'a, "b"'}, "year": {"N": "1991"}, "note": {"S": "12"}}])
        out, errors = self.load(self.file("songs.csv", "artist,title\nRay,x,y\n"), code=1)
        self.assertEqual(errors, "songs.csv:2: error: 3 fields, but the first line names 2\n")
        # With line ends that are none all of it is one line.
        for text in (b"artist,title\rRay,x\rRay,y\r", b"artist,title\rRay,x\nRay,y\n"):
            (self.folder / "songs.csv").write_bytes(text)
            out, errors = self.load(self.folder / "songs.csv", code=1)
            self.assertEqual(errors, "songs.csv: error: there is a carriage return within the first line; lines have to end with LF or CRLF\n")
        (self.folder / "songs.csv").write_bytes(b"artist,title\r\nCarl,x\r\n")
        self.load(self.folder / "songs.csv")
        self.assertIn({"artist": {"S": "Carl"}, "title": {"S": "x"}}, self.items())
        # Without their names, values are not those of the next line's "names".
        for header in (b'ar"tist,title', b"artist,t\xfftle"):
            before = self.items()
            (self.folder / "songs.csv").write_bytes(header + b"\nartist,title\nRay,x\n")
            out, errors = self.load(self.folder / "songs.csv", code=1)
            self.assertRegex(errors, r"\Asongs\.csv: error: [^\n]+\n\Z")
            self.assertEqual(self.items(), before)

    def test_many_compressed_lines(self):
        items = [{"artist": f"a{number % 50}", "title": f"t{number}"} for number in range(5000)]
        path = self.folder / "export.json.gz"
        path.write_bytes(gzip.compress(lines(*items).encode()))
        out, errors = self.load(path, "--table", "songs")
        self.assertEqual((out, errors), (f"{self.url}: 0 tables made, 5000 items\n", ""))
        counted = self.server.call("Scan", TableName="songs", Select="COUNT")["Count"]
        self.assertEqual(counted, 5000)

    def test_of_one_key_the_last_line_wins(self):
        self.load(self.file("songs.json", lines(*({**song(1), "take": {"N": str(take)}} for take in range(300)))))
        self.assertEqual(self.items(), [{**song(1), "take": {"N": "299"}}])

    def test_items_that_are_none_are_named_and_the_others_are_written(self):
        content = lines(song(1), {**song(2), "title": {"S": ""}}) + "no json\n" + lines(song(3))
        out, errors = self.load(self.file("songs.json", content), code=1)
        self.assertEqual(self.titles(), ["Song 1", "Song 3"])
        self.assertEqual(len(errors.splitlines()), 2, errors)
        self.assertIn("songs.json:3:1: error: no JSON from here on\n", errors)
        self.assertIn("songs.json:2:1: error: this item is not written: ValidationException: ", errors)
        self.assertEqual(out, f"{self.url}: 0 tables made, 2 items; 2 errors\n")

    def test_throttled_and_partial_batches_are_tried_again(self):
        items = [{"artist": f"a{number % 20}", "title": f"t{number}"} for number in range(1000)]
        path = self.file("songs.json", lines(*items))
        with Server("--admin") as server:
            server.call("CreateTable", **SONGS)
            for rule in ({"fault": "throttle", "probability": 0.3, "seed": 7},
                         {"fault": "partial_batch", "share": 0.5, "probability": 0.5, "seed": 8}):
                connection = http.client.HTTPConnection("127.0.0.1", server.port)
                connection.request("POST", "/_dynolith/faults", json.dumps({**rule, "operation": "BatchWriteItem"}))
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
            out, errors = self.load(path, to=f"http://127.0.0.1:{server.port}")
            self.assertEqual((out.split(": ", 1)[1], errors), ("0 tables made, 1000 items\n", ""))
            self.assertEqual(server.call("Scan", TableName="songs", Select="COUNT")["Count"], 1000)

    def test_whose_items_nobody_knows(self):
        out, errors = self.load(self.file("what.json", lines(song(1), song(2))), code=1)
        self.assertEqual(errors, "what.json: error: whose items are these? There is no table what; --table NAME says it\n")

    def test_a_page_that_is_not_the_last_one(self):
        page = {"Items": [song(1)], "LastEvaluatedKey": {"artist": {"S": "x"}, "title": {"S": "y"}}}
        out, errors = self.load(self.file("songs.json", page))
        self.assertRegex(errors, r"^songs.json:\d+:2: warning: with LastEvaluatedKey there are more items")

    def test_ctrl_c_ends_the_wait_of_what_is_throttled(self):
        if cli_test.is_under_sanitizer():
            self.skipTest("the thread sanitizer hands a signal on only when the main thread's wait is over")
        path = self.file("songs.json", lines(*[song(number) for number in range(100)]))
        with Server("--admin") as server:
            server.call("CreateTable", **SONGS)
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("POST", "/_dynolith/faults", json.dumps({"fault": "throttle", "operation": "BatchWriteItem"}))
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
            process = subprocess.Popen([cli_test.BINARY, "load", path, "--table", "songs", "--to", f"http://127.0.0.1:{server.port}"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(3)
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=SECONDS)
            self.assertLess(time.monotonic() - begun, 10)
            self.assertEqual((process.returncode, without_progress(errors)),
                             (130, "dynolith: stopped before the end; what has been written stays\n"))

    def test_signals_end_a_seed(self):
        items = self.folder / "songs.items.json"
        # Sorted in a moment, and written in some seconds.
        with items.open("w") as out:
            for number in range(4 * items_to_stop_in()):
                out.write('{"artist": {"S": "a"}, "title": {"S": "%d"}}\n' % number)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                process = subprocess.Popen([cli_test.BINARY, "serve", "--port", "0", "--seed", self.file("songs.json", SONGS),
                                            "--seed", items], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                time.sleep(0.5)
                process.send_signal(number)
                out, errors = process.communicate(timeout=SECONDS)
                self.assertEqual((process.returncode, out), (130, ""), errors)
                self.assertIn("dynolith: stopped while the files of --seed were loaded", errors)

    def test_ctrl_c_tells_what_was_written(self):
        path = self.many(200_000)
        process = subprocess.Popen([cli_test.BINARY, "load", str(path), "--table", "many", "--to", f"http://127.0.0.1:{self.server.port}"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + SECONDS
        while self.server.call("Scan", TableName="many", Limit=1)["Count"] == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, without_progress(errors)), (130, "dynolith: stopped before the end; what has been written stays\n"))
        written = int(re.search(r"0 tables made, (\d+) item", out).group(1))
        self.assertLess(written, 200_000)
        seen, key = 0, {}
        while key is not None:
            page = self.server.call("Scan", TableName="many", Select="COUNT", **key)
            seen += page["Count"]
            key = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None
        self.assertEqual(seen, written)

    def test_a_bar_on_a_terminal(self):
        count = 15_000 if is_under_sanitizer() else 60_000
        path = self.many(count)
        master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 130, 0, 0))
        process = subprocess.Popen([cli_test.BINARY, "load", str(path), "--table", "many", "--to", self.url], stdout=subprocess.PIPE, stderr=terminal)
        os.close(terminal)
        shown = b""
        try:
            while piece := os.read(master, 1 << 16):
                shown += piece
        except OSError:
            pass  # the other end is closed
        os.close(master)
        self.assertEqual((process.wait(SECONDS), process.stdout.read()), (0, f"{self.url}: 0 tables made, {count} items\n".encode()))
        process.stdout.close()
        self.assertRegex(shown.decode(), r"\[#* *\] \d+ items, \d+\.\d MB of \d+\.\d MB; \d+ items and \d+\.\d MB a second, \d+:\d\d left")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-100:])

    def test_a_file_that_is_cut_while_it_is_read(self):
        """At the end of a line, so that what is left looks whole."""
        count = items_to_stop_in()
        path = self.many(count)
        process = subprocess.Popen([cli_test.BINARY, "load", str(path), "--to", self.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not self.server.call("Scan", TableName="many", Limit=1)["Count"]:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGSTOP)
        os.truncate(path, path.read_bytes()[:path.stat().st_size * 9 // 10].rindex(b"\n") + 1)
        process.send_signal(signal.SIGCONT)
        out, errors = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 1, (out, errors))
        self.assertIn(f"{path}: error: cannot be read: it was changed while it was being read", errors.decode())

    def test_no_server(self):
        self.server.stop()
        out, errors = self.load(self.file("songs.json", lines(song(1), song(2))), code=1)
        self.assertIn("127.0.0.1", errors)


class Folders(LoadCase):
    """A table that a load into a folder makes is made with its items, which go past all writes: a server, where they are written,
    says what has to be there."""

    LOCAL = {"IndexName": "by-year-of-artist", "Projection": {"ProjectionType": "ALL"},
             "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "year", "KeyType": "RANGE"}]}

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"

    def loads(self, *arguments, code=0):
        """What is printed for a folder, which must be the same as for a server."""
        shown = []
        for to in (self.url, str(self.data)):
            out, errors = self.load(*arguments, code=code, to=to)
            shown.append((out.split(": ", 1)[1], sorted(errors.splitlines())))
        self.assertEqual(shown[1], shown[0])
        return shown[1]

    def assert_same(self):
        """In both is the same, and the folder is whole."""
        dumps = []
        for name, what in (("of-server", self.url), ("of-folder", self.data)):
            to = self.folder / name
            shown = run("dump", what, "--to", to)
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            dumps.append({file.name: file.read_text() for file in to.iterdir()})
        self.assertEqual(dumps[1].keys(), dumps[0].keys())
        for name, text in dumps[0].items():
            self.assertEqual(dumps[1][name], text, name)
        self.assertIn(", 0 disagreements\n", self.check())
        with Server("--data", self.data) as server:
            for table in server.call("ListTables")["TableNames"]:
                description = server.call("DescribeTable", TableName=table)["Table"]
                for index in description["GlobalSecondaryIndexes"] + description.get("LocalSecondaryIndexes", []):
                    index = index["IndexName"]
                    entries = [one.call("Scan", TableName=table, IndexName=index)["Items"] for one in (self.server, server)]
                    self.assertEqual(entries[1], entries[0])

    def check(self):
        shown = run("check", self.data)
        self.assertEqual((shown.returncode, shown.stderr), (0, b""), shown.stdout)
        return shown.stdout.decode()

    def test_files_that_are_wrong_make_no_folder(self):
        new = self.folder / "new"
        shown = run("load", self.file("songs.json", "{"), self.file("ttl.json", TTL), "--to", new)
        self.assertEqual((shown.returncode, shown.stdout.decode()), (1, f"{new}: 0 tables made, 0 items; 1 error\n"))
        self.assertFalse(new.exists())

    def test_all_forms_beside_each_other(self):
        table = {**SONGS, "LocalSecondaryIndexes": [self.LOCAL], "Tags": [{"Key": "team", "Value": "a"}]}
        takes = [{**song(number % 40), "take": {"N": str(number)}} for number in range(200)]
        files = [self.file("songs.json", table), self.file("batch.json", {"songs": [{"PutRequest": {"Item": item}} for item in takes[:50]]}),
                 self.file("1.json", lines(*({"Item": item} for item in takes[50:120]))), self.file("2.json", lines(*takes[120:150])),
                 self.file("3.json", lines(*({"artist": "Acme Band", "title": f"Song {number}", "year": str(number)} for number in range(30, 50)))),
                 self.file("4.csv", "title,artist,year,note\nSong 3,Acme Band,1991,x\nSong 4,Acme Band,,\n"),
                 self.file("5.json", lines({"Item": {**song(5), "year": {"S": "2005"}}}, {"Item": {"M": {"S": "x"}, **song(6)}}))]
        (self.folder / "6.json.gz").write_bytes(gzip.compress(lines(*({"Item": item} for item in takes[150:])).encode()))
        self.assertEqual(self.loads(*files, self.folder / "6.json.gz", "--table", "songs"), ("1 table made, 224 items\n", []))
        self.assert_same()

    def test_increments(self):
        keys = [{name: song(number)[name] for name in ("artist", "title")} for number in range(6)]
        metadata = {"WriteTimestampMicros": {"N": "1700000000000000"}}
        changes = [{"Metadata": metadata, "Keys": keys[1], "OldImage": song(1), "NewImage": {**song(1), "take": {"N": "2"}}},
                   {"Metadata": metadata, "Keys": keys[2], "OldImage": song(2)}, {"Metadata": metadata, "Keys": keys[3]}]
        self.file("2.json", lines(*changes))
        self.file("1.json", lines(*({"Item": song(number)} for number in range(1, 5))))
        self.file("3.ion", '$ion_1_0 {Record:{Keys:{artist:"Acme Band",title:"Song 4"},Metadata:{WriteTimestampMicros:1.}}}\n'
                  '$ion_1_0 {Record:{Keys:{artist:"Acme Band",title:"Song 5"},Metadata:{WriteTimestampMicros:1.},NewImage:'
                  '{artist:"Acme Band",title:"Song 5",take:7.}}}\n')
        files = [self.file("songs.json", SONGS), *(self.folder / name for name in ("1.json", "2.json", "3.ion"))]
        self.assertEqual(self.loads(*files, "--table", "songs"), ("1 table made, 9 items\n", []))
        whole = [{**song(1), "take": {"N": "2"}}, {**keys[5], "take": {"N": "7"}}]
        self.assertEqual(sorted(self.items(), key=lambda item: item["title"]["S"]), whole)
        self.assert_same()

    def export(self, changes, top="bucket/2026/AWSDynamoDB", number="01604474914028-73d8d5bc", arn="table/songs", form=".json.gz"):
        """A folder as the service exports into it: with a file of data for each list of records, and one for a partition without."""
        folder, kind = self.folder / top / number, "INCREMENTAL" if changes and any("Keys" in record for record in changes[0]) else "FULL"
        data = folder / "data" if kind == "FULL" else folder.parent / "data"
        for path in (folder, data):
            path.mkdir(parents=True, exist_ok=True)
        (folder / "_started").write_bytes(b"")
        files = []
        for index, records in enumerate([*changes, []]):
            path = data / f"kjh5ut2skk{index}{form}"
            path.write_bytes(gzip.compress(lines(*records).encode() if form == ".json.gz" else "".join(records).encode()))
            checksum = base64.b64encode(hashlib.md5(path.read_bytes()).digest()).decode()
            key = "2026/AWSDynamoDB/" + str(path.relative_to(folder.parent))
            files.append({"itemCount": len(records), "md5Checksum": checksum, "etag": "8df9-1", "dataFileS3Key": key})
        self.manifest(folder, "manifest-files", lines(*files))
        self.manifest(folder, "manifest-summary", json.dumps(
            {"version": "2023-08-01", "exportArn": f"arn:aws:dynamodb:us-east-1:123456789012:{arn}/export/{number}",
             "tableArn": f"arn:aws:dynamodb:us-east-1:123456789012:{arn}", "s3Bucket": "bucket", "s3Prefix": "2026",
             "manifestFilesS3Key": f"2026/AWSDynamoDB/{number}/manifest-files.json", "itemCount": sum(map(len, changes)),
             "outputFormat": "DYNAMODB_JSON", "exportType": f"{kind}_EXPORT"}))
        return folder

    def manifest(self, folder, name, text):
        (folder / f"{name}.json").write_text(text)
        (folder / f"{name}.md5").write_bytes(base64.b64encode(hashlib.md5(text.encode()).digest()))

    def test_a_whole_export(self):
        items = [{"Item": song(number)} for number in range(7)]
        folder = self.export([items[:3], items[3:]])
        table = self.file("songs.json", SONGS)
        for named in ([folder], [folder / "manifest-summary.json"], sorted(folder.iterdir()), sorted(folder.iterdir(), reverse=True)):
            self.assertEqual(self.loads(table, *named, "--if-exists", "replace"), ("1 table made, 7 items\n", []))
        self.assert_same()
        # Its table is known by its manifest, whatever other tables are made; what is named wins.
        other = self.file("other.json", {**SONGS, "TableName": "other"})
        self.assertEqual(self.loads(table, other, folder, "--if-exists", "replace"), ("2 tables made, 7 items\n", []))
        self.assertEqual(self.loads(folder), ("0 tables made, 7 items\n", []))
        self.assertEqual((len(self.items("songs")), len(self.items("other"))), (7, 0))
        self.assertEqual(self.loads(folder, "--table", "other"), ("0 tables made, 7 items\n", []))
        self.assertEqual(len(self.items("other")), 7)

    def test_a_whole_increment(self):
        keys = [{name: song(number)[name] for name in ("artist", "title")} for number in range(3)]
        metadata = {"WriteTimestampMicros": {"N": "1700000000000000"}}
        full = self.export([[{"Item": song(number)} for number in range(3)]])
        increment = self.export([[{"Metadata": metadata, "Keys": keys[1], "NewImage": {**song(1), "take": {"N": "2"}}},
                                  {"Metadata": metadata, "Keys": keys[2]}]], number="01604474915000-00000000")
        self.assertEqual(self.loads(self.file("songs.json", SONGS), full, increment), ("1 table made, 5 items\n", []))
        self.assertEqual(sorted(self.items(), key=lambda item: item["title"]["S"]), [song(0), {**song(1), "take": {"N": "2"}}])
        self.assert_same()

    def test_an_export_in_ion_and_one_that_was_copied_flat(self):
        folder = self.export([['$ion_1_0 {Item:{artist:"Acme Band",title:"Song 1"}}\n']], form=".ion.gz")
        self.assertEqual(self.loads(self.file("songs.json", SONGS), folder), ("1 table made, 1 item\n", []))
        (folder / "manifest-files.md5").rename(folder / "manifest-files.checksum")
        for path in [*(folder / "data").iterdir()]:
            path.rename(folder / path.name)
        (folder / "data").rmdir()
        self.assertEqual(self.loads(folder), ("0 tables made, 1 item\n", []))

    def test_an_export_that_is_not_as_its_manifests_say(self):
        self.loads(self.file("songs.json", SONGS))
        items = [{"Item": song(number)} for number in range(4)]

        def rewrite(name, old, new):
            return lambda folder: self.manifest(folder, name, (folder / f"{name}.json").read_text().replace(old, new))
        data = "data/kjh5ut2skk1.json.gz"
        wrong = [
            (lambda folder: (folder / data).unlink(), "FOLDER/manifest-files.json:2: error: a file of this export is missing: "
             f"2026/AWSDynamoDB/01604474914028-73d8d5bc/{data}"),
            (lambda folder: (folder / data).write_bytes(gzip.compress(lines(*items[2:3]).encode())),
             f"FOLDER/{data}: error: this is not what was exported: its MD5 is not the one in manifest-files.json"),
            (lambda folder: (folder / "manifest-summary.json").unlink(), "FOLDER: error: this export is not whole: there is no "
             "manifest-summary.json; the folder with its data can be loaded by itself"),
            (lambda folder: [path.unlink() for path in folder.glob("manifest-*")], "FOLDER: error: this export is not whole: there is no "
             "manifest-summary.json; the folder with its data can be loaded by itself"),
            (lambda folder: (folder / "manifest-files.json").unlink(), "FOLDER: error: this export is not whole: there is no "
             "manifest-files.json; the folder with its data can be loaded by itself"),
            (lambda folder: (folder / "manifest-files.json").write_text("{}"), "FOLDER/manifest-files.json: error: this is not what was "
             "exported: its MD5 is not the one in manifest-files.md5"),
            (rewrite("manifest-summary", '"itemCount": 4', '"itemCount": 5'),
             "FOLDER/manifest-summary.json: error: this says 5 items, and manifest-files.json 4"),
            (rewrite("manifest-summary", "exportArn", "bulkOperationArn"),
             "FOLDER/manifest-summary.json: error: no summary of an export, which has an exportArn and an itemCount"),
            (rewrite("manifest-files", "md5Checksum", "sha256"), "FOLDER/manifest-files.json:1: error: no line of an export, which has a "
             "dataFileS3Key, an md5Checksum and an itemCount")]
        for number, (change, line) in enumerate(wrong):
            with self.subTest(line):
                if number == len(wrong) - 1:
                    line = "\n".join(line.replace(":1:", f":{at}:") for at in (1, 2, 3))
                folder = self.export([items[:2], items[2:]], top=f"{number}/AWSDynamoDB")
                change(folder)
                said = "\n".join(self.loads(folder, code=1)[1])
                self.assertEqual(said, line.replace("FOLDER", str(folder.relative_to(self.folder))))
                self.assertEqual(self.items(), [])

    def test_ion_beside_lines(self):
        self.file("1.json", lines({"Item": song(1)}, {"Item": song(2)}))
        self.file("2.ion", ION_SONG.replace("1991", "1992") + ION_SONG.replace("Song 1", "Song 3") + "{Item: {artist: \"no title\"}}\n")
        files = [self.file("songs.json", SONGS), self.folder / "1.json", self.folder / "2.ion"]
        out, errors = self.loads(*files, "--table", "songs", code=1)
        self.assertEqual((out, len(errors)), ("1 table made, 4 items; 1 error\n", 1))
        self.assertIn({**song(1), "year": {"N": "1992"}}, self.items())
        self.assert_same()

    def test_a_deletion_among_items_of_a_new_table(self):
        change = {"Metadata": {"WriteTimestampMicros": {"N": "1"}}, "Keys": {name: song(1)[name] for name in ("artist", "title")}}
        files = [self.file("songs.json", SONGS), self.file("1.json", lines({"Item": song(1)}, change))]
        out, errors = self.load(*files, "--table", "songs", code=1, to=str(self.data))
        self.assertEqual(errors, "1.json:2:60: error: the first record of the file is an item and nothing else, this one is a deletion or "
                         "has a condition; put such records into a file of their own\n")

    def test_items_that_are_none(self):
        wrong = [{"Item": {"artist": {"S": "a"}}}, {"Item": {**song(1), "title": {"S": ""}}}, {"Item": {**song(1), "n": {"N": "x"}}},
                 {"Item": {**song(1), "year": {"S": "old"}}}, {"Item": {**song(1), "text": {"S": "x" * 410_000}}},
                 {"Item": {**song(1), "s": {"SS": ["a", "a"]}}}, {"Item": {**song(1), "b": {"B": "A"}}}, {"Item": {**song(1), "": {"S": "a"}}},
                 {"Item": {**song(1), "deep": json.loads('{"L": [' * 40 + '{"N": "1"}' + "]}" * 40)}}, {"Item": {}}, {"Item": {"S": {"N": "1"}}},
                 [], 7, {"Item": song(1), "Other": 1}, {"artist": {"S": "a"}, "title": 3, "year": "x"}]
        content = lines(*(line for bad in wrong for line in (bad, {"Item": song(2)}))) + "{no json\n" + lines({"Item": song(3)})
        out, errors = self.loads(self.file("songs.json", SONGS), self.file("items.json", content), code=1)
        self.assertEqual(out, f"1 table made, {len(wrong) + 1} items; {len(wrong) + 1} errors\n")
        self.assertEqual(len(errors), len(wrong) + 1)
        self.assert_same()

    def test_what_follows_from_items(self):
        """Expiry, recovery and streams: those of a table with a stream tell of its items, so they are written."""
        streamed = {**SONGS, "TableName": "streamed", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
        recovery = {"TableName": "songs", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
        items = [{"Item": {**song(number), "until": {"N": str(4_000_000_000 + number)}}} for number in range(10)]
        self.loads(self.file("tables.json", [SONGS, streamed]), self.file("ttl.json", TTL), self.file("pitr.json", recovery),
                   self.file("songs.items.json", lines(*items)), self.file("streamed.items.json", lines(*items)))
        self.assertIn(" 20 items, 20 index entries, 10 stream records, ", self.check())
        self.assert_same()
        # Expiry rows of items that were there are made in the background, from a second after the opening on.
        deadline = time.monotonic() + SECONDS
        while " 10 expiry rows (0 stale)" not in self.check() and time.monotonic() < deadline:
            with Server("--data", self.data):
                time.sleep(1.5)
        self.assertIn(" 10 expiry rows (0 stale)", self.check())
        with Server("--data", self.data) as server:
            server.call("DeleteItem", TableName="songs", Key={key: song(1)[key] for key in ("artist", "title")})
        self.assertRegex(self.check(), r" 19 items, .* 9 expiry rows \(0 stale\), 1 history record .*, 0 disagreements\n")

    def test_if_it_exists(self):
        files = [self.file("songs.json", SONGS), self.file("songs.items.json", lines({"Item": song(1)}, {"Item": song(2)}))]
        self.loads(*files)
        self.loads(*files, code=1)
        other = self.file("songs.items.json", lines({"Item": song(3)}, {"Item": song(4)}))
        self.assertEqual(self.loads(*files, "--if-exists", "keep")[0], "0 tables made, 0 items; 1 table kept, 2 items for it left out\n")
        self.assert_same()
        shutil.rmtree(self.folder / "of-server")
        shutil.rmtree(self.folder / "of-folder")
        # Into a table that is there.
        self.assertEqual(self.loads(other)[0], "0 tables made, 2 items\n")
        self.assertEqual(self.loads(*files, "--if-exists", "replace")[0], "1 table made, 2 items\n")
        self.assert_same()

    def begin(self, *arguments):
        return subprocess.Popen([cli_test.BINARY, "load", *map(str, arguments), "--to", str(self.data)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def large(self):
        """Three tables, the second with many items: more bytes than are kept in memory."""
        tables = [{**SONGS, "TableName": name} for name in ("first", "second", "third")]
        # Under a sanitizer each item takes ten times as long, and as much as several are long.
        self.count, text_bytes = (60_000, 1_300) if is_under_sanitizer() else (250_000, 300)
        item = {"year": {"N": "1990"}, "text": {"S": "x" * text_bytes}}
        (self.folder / "second.json").write_text("".join(
            json.dumps({"Item": {"artist": {"S": f"a{number % 1000}"}, "title": {"S": f"Song {number}"}, **item}}) + "\n" for number in range(self.count)))
        return [self.file("tables.json", tables), self.file("first.json", lines(song(1), song(2))), self.folder / "second.json",
                self.file("third.json", lines(song(1), song(2)))]

    def stop_in_second(self, process, sent, is_in_second):
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and not is_in_second() and time.monotonic() < deadline:
            time.sleep(0.002)
        self.assertIsNone(process.poll())
        process.send_signal(sent)
        return process.communicate(timeout=SECONDS)

    def has_spilled(self):
        """Whether rows that do not fit into memory lie in files: the first table is whole then, the second one is not."""
        try:
            return any(file.stat().st_size > 1 << 20 for file in (self.data / "sorted").glob("*"))
        except FileNotFoundError:
            return False  # it has gone meanwhile

    def test_killed_and_gone_on_with(self):
        files = self.large()
        journal = self.folder / "load.journal"
        self.stop_in_second(self.begin(*files, "--resume", journal), signal.SIGKILL, self.has_spilled)
        self.assertEqual(json.loads(journal.read_text())["whole"], ["first"])
        self.assertIn("1 table, 0 backups, 2 items, 2 index entries, ", self.check())
        out, errors = self.load(*files, "--resume", journal, to=self.data)
        self.assertEqual((out, errors), (f"data: 2 tables made, {self.count + 2} items\n", ""))
        self.assertFalse(journal.exists())
        self.assertIn(f"3 tables, 0 backups, {self.count + 4} items, {self.count + 4} index entries, ", self.check())
        self.assertEqual(list((self.data / "sorted").glob("*")), [])

    def test_ctrl_c(self):
        files = self.large()
        out, errors = self.stop_in_second(self.begin(*files), signal.SIGINT, self.has_spilled)
        self.assertEqual((out, without_progress(errors)), (f"{self.data}: 1 table made, 2 items\n",
                                                           "dynolith: stopped before the end; what has been written stays\n"))
        self.assertIn("1 table, 0 backups, 2 items, 2 index entries, ", self.check())


class Resumed(LoadCase):
    """A load with a journal is killed or interrupted, and goes on where it was."""

    def setUp(self):
        super().setUp()
        self.journal = self.folder / "load.journal"

    def begin(self, *arguments, to=None):
        return subprocess.Popen([cli_test.BINARY, "load", *map(str, arguments), "--to", to or self.url, "--resume", str(self.journal)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def position(self):
        """(part, record), or (0, 0) while there is none, or when the load has ended meanwhile."""
        try:
            journal = json.loads(self.journal.read_text())
        except FileNotFoundError:
            return 0, 0
        return journal.get("part", 0), journal.get("record", 0)

    def stop_later(self, process, sent):
        """Sends the signal when the position has moved; whether the process was still there."""
        before = self.position()
        deadline = time.monotonic() + SECONDS
        while process.poll() is None and self.position() <= before and time.monotonic() < deadline:
            time.sleep(0.005)
        is_running = process.poll() is None
        process.send_signal(sent)
        self.printed = process.communicate(timeout=SECONDS)
        return is_running

    def test_killed_again_and_again(self):
        # The later half writes each key again, so that an item of an earlier position must not come behind one of a later.
        count = 24_000 if is_under_sanitizer() else 160_000
        items = [{**song(number % (count // 2)), "text": {"S": f"{number} " + "x" * 300}} for number in range(count)]
        # With a stream a folder's table is written into, too.
        table = {**SONGS, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}}
        halves = self.file("songs.json", table), self.file("1.items.json", lines(*items[:count // 2])), self.folder / "2.items.json.gz"
        halves[2].write_bytes(gzip.compress(lines(*items[count // 2:]).encode()))
        for to in (self.url, str(self.folder / "data")):
            with self.subTest(to=to):
                kills = 0
                while self.stop_later(self.begin(*halves, to=to), signal.SIGKILL):
                    kills += 1
                    if kills == 4:
                        break
                self.assertGreater(kills, 1)
                out, errors = self.load(*halves, "--resume", self.journal, to=to)
                written = int(re.search(r": 0 tables made, (\d+) item", out).group(1))
                self.assertLess(written, count)
                self.assertEqual(errors, "")
                self.assertFalse(self.journal.exists())
                dump = self.folder / f"dump{len(to)}"
                self.assertEqual(run("dump", to, "--to", str(dump)).returncode, 0)
                texts = [json.loads(line)["Item"]["text"]["S"] for file in dump.glob("*items*") for line in file.read_text().splitlines()]
                self.assertEqual(sorted(int(text.split()[0]) for text in texts), list(range(count // 2, count)))

    def test_ctrl_c(self):
        path = self.many(items_to_stop_in())
        process = self.begin(path, "--table", "many")
        self.assertTrue(self.stop_later(process, signal.SIGINT))
        out, errors = self.printed
        self.assertEqual((process.returncode, without_progress(errors)), (130, "dynolith: stopped before the end; the same command goes on from there\n"))
        written = int(re.search(r"0 tables made, (\d+) item", out).group(1))
        # All that was under way has been written before the end: nothing is written twice.
        self.assertEqual(self.position(), (0, written))
        out, errors = self.load(path, "--table", "many", "--resume", self.journal)
        self.assertEqual((out, errors), (f"{self.url}: 0 tables made, {items_to_stop_in() - written} items\n", ""))

    def test_a_server_that_goes_and_comes_back(self):
        data = str(self.folder / "data")
        path = self.many(items_to_stop_in())
        with Server("--data", data) as server:
            server.call("CreateTable", **{**SONGS, "TableName": "many"})
            process = self.begin(path, "--table", "many", to=f"http://127.0.0.1:{server.port}")
            before = time.monotonic()
            while self.position() == (0, 0) and time.monotonic() < before + SECONDS:
                time.sleep(0.005)
            server.process.kill()
            server.process.wait(SECONDS)
            out, errors = process.communicate(timeout=2 * SECONDS)
            self.assertEqual(process.returncode, 1, errors)
        self.assertGreater(self.position(), (0, 0))
        # To the same address, as another server would be another load.
        with Server("--data", data, port=server.port) as server:
            out, errors = self.load(path, "--table", "many", "--resume", self.journal, to=f"http://127.0.0.1:{server.port}")
            self.assertEqual(errors, "")
            seen, key = 0, {}
            while key is not None:
                page = server.call("Scan", TableName="many", Select="COUNT", **key)
                seen += page["Count"]
                key = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None
            self.assertEqual(seen, items_to_stop_in())

    def stopped(self):
        path = self.many(items_to_stop_in())
        table = self.file("songs.json", SONGS)
        self.assertTrue(self.stop_later(self.begin(table, path, "--table", "songs"), signal.SIGKILL))
        return table, path, "--table", "songs", "--resume", self.journal

    def test_other_files(self):
        table, path, *more = self.stopped()
        with path.open("a") as file:
            file.write(lines(song(7)))
        self.assertEqual(self.load(table, path, *more, code=1)[1],
                         "load.journal: error: this was left behind by a load of other files, of files that have changed since, with "
                         "another filter, sample or rules, or to another place; without this file it begins anew\n")
        # What a table's rule says holds again without the journal.
        self.journal.unlink()
        self.assertIn("songs", self.load(table, path, *more, code=1)[1])

    def test_a_table_that_has_gone(self):
        arguments = self.stopped()
        self.server.call("DeleteTable", TableName="songs")
        self.assertEqual(self.load(*arguments, code=1)[1],
                         "songs.json:2:15: error: the load that is to go on has made the table songs, which is not there any more; "
                         "without the file of --resume it begins anew\n")

    def test_no_journal(self):
        table = self.file("songs.json", SONGS)
        for text in ("", "{}", "[1]", '{"load": 1}', "music"):
            self.journal.write_text(text)
            self.assertEqual(self.load(table, "--resume", self.journal, code=1)[1],
                             "load.journal: error: this is not what a load has left behind to go on from\n")
        shown = self.load(table, "--resume", self.folder / "none" / "journal", code=1)[1]
        self.assertEqual(shown, "none/journal: error: cannot be written, so that this load cannot be gone on with: No such file or directory\n")
        self.assertEqual(self.server.call("ListTables"), {"TableNames": []})

    def test_wrong_records_are_passed_over_with_the_others(self):
        text = "".join(json.dumps({**song(number), "text": {"S": "x" * 400}}) + "\n" + ("{wrong\n" if number < 10 else "")
                       for number in range(items_to_stop_in()))
        path = self.file("songs.items.json", text)
        self.server.call("CreateTable", **SONGS)
        self.assertTrue(self.stop_later(self.begin(path), signal.SIGINT))
        self.assertEqual(self.printed[1].count("error: no JSON"), 10)
        written = int(re.search(r"0 tables made, (\d+) item", self.printed[0]).group(1))
        self.assertEqual(self.load(path, "--resume", self.journal), (f"{self.url}: 0 tables made, {items_to_stop_in() - written} items\n", ""))


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
