#!/usr/bin/env python3
"""Copies of a part of tables and without secrets: the commands and the rules of the manual's page, from a server into files, into
a folder and into another server.

    copies_test.py <dynolith binary> <project folder> [unittest arguments]
"""

import json
import os
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

import cli_test
from cli_test import Server, run

KEY = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
APP = {"TableName": "app", "BillingMode": "PAY_PER_REQUEST", "KeySchema": KEY,
       "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK")],
       "GlobalSecondaryIndexes": [{"IndexName": "GSI1", "KeySchema": [{"AttributeName": "GSI1PK", "KeyType": "HASH"}],
                                   "Projection": {"ProjectionType": "ALL"}}]}
TICKETS = {"TableName": "tickets", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "number", "KeyType": "HASH"}],
           "AttributeDefinitions": [{"AttributeName": "number", "AttributeType": "N"}]}
USERS = [f"user{number}@x.org" for number in range(40)]


def item(**texts):
    return {name: value if isinstance(value, dict) else {"S": value} for name, value in texts.items()}


def items_of_app():
    for number, user in enumerate(USERS):
        friend = USERS[(number + 1) % len(USERS)]
        yield item(PK=f"USER#{user}", SK="PROFILE", GSI1PK=user, email=user, name=f"Name {number}", card="4711 0815 1234",
                   country="DE" if number % 2 else "FR", total={"N": str(10 * number)})
        yield item(PK=f"USER#{user}", SK=f"FRIEND#{friend}", orders={"L": [{"M": {"contact": {"S": friend}}}]})


def items_of_tickets():
    for number, user in enumerate(USERS):
        yield item(number={"N": str(number)}, email=user)


class Copies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.server = Server()
        self.addCleanup(self.server.__exit__, None, None, None)
        self.url = f"http://127.0.0.1:{self.server.port}"
        for table, items in ((APP, items_of_app()), (TICKETS, items_of_tickets())):
            self.server.call("CreateTable", **table)
            for each in items:
                self.server.call("PutItem", TableName=table["TableName"], Item=each)
        self.page = (PROJECT / "tools/manual/copies.md").read_text()
        rules = re.search(r"^    # rules\.toml\n((?:    .*\n|\n)+)", self.page, re.M).group(1)
        # Of tickets the page has nothing to say.
        self.rules = self.file("rules.toml", re.sub(r"^    ", "", rules, flags=re.M) +
                               '[[rule]]\ntables = ["tickets"]\nattributes = ["email"]\nkind = "fake"\nas = "email"\n')
        os.environ["COPY_KEY"] = "a key of the tests, which is long"

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def done(self, *arguments, code=0):
        shown = run(*map(str, arguments))
        out, errors = (text.decode().replace(f"{self.folder}/", "") for text in (shown.stdout, shown.stderr))
        self.assertEqual(shown.returncode, code, (out, errors))
        return out, errors

    def items(self, folder, table):
        path = self.folder / folder / f"{table}.items.json"
        return [json.loads(line)["Item"] for line in path.read_text().splitlines()] if path.exists() else []

    def assert_joins(self, app, tickets):
        """Each fake user has one profile, by all of its keys, one friend who is one, too, and one ticket."""
        profiles = {each["email"]["S"]: each for each in app if each["SK"]["S"] == "PROFILE"}
        self.assertEqual(len(profiles), len(USERS))
        for email, profile in profiles.items():
            self.assertRegex(email, r"^[a-z]+\.[a-z]+\.[a-z2-9]{10}@example\.com$")
            self.assertEqual((profile["PK"]["S"], profile["GSI1PK"]["S"]), (f"USER#{email}", email))
            self.assertEqual(profile["card"]["S"], "**********1234")
        friends = [each for each in app if each["SK"]["S"].startswith("FRIEND#")]
        self.assertEqual({each["SK"]["S"] for each in friends}, {f"FRIEND#{email}" for email in profiles})
        for each in friends:
            self.assertEqual(each["SK"]["S"], f"FRIEND#{each['orders']['L'][0]['M']['contact']['S']}")
            self.assertIn(each["PK"]["S"][len("USER#"):], profiles)
        self.assertEqual({each["email"]["S"] for each in tickets}, set(profiles))
        self.assertEqual(len(tickets), len(USERS))
        for text in map(json.dumps, app + tickets):
            self.assertNotIn("x.org", text)
            self.assertNotRegex(text, r"Name \d")

    def test_a_dump_that_is_loaded(self):
        out, errors = self.done("dump", self.url, "--to", self.folder / "copy", "--anonymise", self.rules, "--strict")
        self.assertEqual((out, errors), ("copy: 2 tables, 120 items\n", ""))
        app = self.items("copy", "app")
        self.assert_joins(app, self.items("copy", "tickets"))
        with Server() as other:
            self.done("load", self.folder / "copy", "--to", f"http://127.0.0.1:{other.port}")
            for each in app:
                if each["SK"]["S"] != "PROFILE":
                    continue
                found = other.call("Query", TableName="app", IndexName="GSI1", KeyConditionExpression="GSI1PK = :e",
                                   ExpressionAttributeValues={":e": each["email"]})["Items"]
                self.assertEqual(found, [each])

    def test_load_makes_the_same(self):
        self.done("dump", self.url, "--to", self.folder / "plain")
        self.done("dump", self.url, "--to", self.folder / "copy", "--anonymise", self.rules)
        self.done("load", self.folder / "copy", "--to", self.folder / "data")
        self.done("dump", self.folder / "data", "--to", self.folder / "expected")
        # Into a folder's new tables, into a server, and once more.
        for number in range(3):
            with Server() as other:
                to = f"http://127.0.0.1:{other.port}" if number else self.folder / "data0"
                out, errors = self.done("load", self.folder / "plain", "--to", to, "--anonymise", self.rules, "--strict")
                self.assertIn(": 2 tables made, 120 items\n", out)
                self.assertEqual(errors, "")
                self.done("dump", to, "--to", self.folder / f"copy{number}")
            for file in sorted((self.folder / "expected").iterdir()):
                self.assertEqual((self.folder / f"copy{number}" / file.name).read_text(), file.read_text(), (number, file.name))
        # Another key makes others.
        os.environ["COPY_KEY"] = "another key, as long as it has to be"
        self.done("dump", self.url, "--to", self.folder / "other", "--anonymise", self.rules)
        self.assertEqual({each["email"]["S"] for each in self.items("other", "tickets")} &
                         {each["email"]["S"] for each in self.items("copy", "tickets")}, set())

    def test_a_part(self):
        out, _ = self.done("dump", self.url, "--to", self.folder / "part", "--sample", "30%", "--table", "app")
        app = self.items("part", "app")
        keys = {each["PK"]["S"] for each in app}
        self.assertEqual(out, f"part: 1 table, {len(app)} items; {80 - len(app)} items left out by --filter or --sample\n")
        self.assertTrue(3 <= len(keys) <= 25, keys)
        self.assertEqual(len(app), 2 * len(keys))
        out, _ = self.done("dump", self.url, "--to", self.folder / "filtered", "--filter", "country = 'DE' AND total > 100",
                           "--table", "app")
        app = self.items("filtered", "app")
        self.assertEqual(sorted(int(each["total"]["N"]) for each in app), list(range(110, 400, 20)))
        self.assertEqual(out, f"filtered: 1 table, {len(app)} items; {80 - len(app)} items left out by --filter or --sample\n")
        # load takes the same part of a whole.
        self.done("dump", self.url, "--to", self.folder / "plain", "--table", "app")
        for to in (self.folder / "data", None):
            with Server() as other:
                to = to or f"http://127.0.0.1:{other.port}"
                out, _ = self.done("load", self.folder / "plain", "--to", to, "--sample", "30%")
                self.assertIn(f": 1 table made, {2 * len(keys)} items; {80 - 2 * len(keys)} items left out by --filter or --sample\n", out)
                self.done("dump", to, "--to", self.folder / f"again{other.port}")
                self.assertEqual({each["PK"]["S"] for each in self.items(f"again{other.port}", "app")}, keys)

    def test_items_that_become_one(self):
        rules = self.file("mask.toml", '[[rule]]\ntables = ["tickets"]\nattributes = ["email"]\nkind = "mask"\n'
                                       '[[rule]]\ntables = ["app"]\nattributes = ["PK"]\npatterns = ["USER#{}"]\nkind = "mask"\nkeep = 6\n')
        out, errors = self.done("dump", self.url, "--to", self.folder / "copy", "--anonymise", rules, code=1)
        written = len(self.items("copy", "app"))
        self.assertEqual(out, f"copy: 2 tables, {written + 40} items; {80 - written} errors\n")
        self.assertRegex(errors, r'app: error: item \{"PK":\{"S":"USER#user\d+@x.org"\},"SK":\{"S":"PROFILE"\}\}: rule of line 5, mask of PK: '
                                 r'another item has become \{"PK":\{"S":"USER#\*+@x.org"\},"SK":\{"S":"PROFILE"\}\}, too, and one of them '
                                 r'would be lost\n')
        self.assertIn("mask.toml:5: warning: rule of line 5, mask of PK: what it has changed still stands in email, first in item", errors)
        self.done("dump", self.url, "--to", self.folder / "plain")
        for to in ("data", None):
            with Server() as other:
                out, errors = self.done("load", self.folder / "plain", "--anonymise", rules, "--to",
                                        self.folder / to if to else f"http://127.0.0.1:{other.port}", code=1)
                self.assertIn(f": 2 tables made, {written + 40} items; {80 - written} errors\n", out)
                self.assertRegex(errors, r"plain/app.items.json:\d+:9: error: item .*: rule of line 5, mask of PK: another item has become")

    def test_rules_that_cannot_be(self):
        gone = self.file("gone.toml", '[[rule]]\nattributes = ["GSI1PK"]\nkind = "drop"\n')
        self.done("dump", self.url, "--to", self.folder / "plain")
        reason = "table app: rule of line 1, drop of GSI1PK: GSI1PK is a key of the table or of an index, and would be gone\n"
        self.assertIn(reason, self.done("dump", self.url, "--to", self.folder / "copy", "--anonymise", gone, code=1)[1])
        self.assertEqual(list((self.folder / "copy").glob("*")), [])
        self.assertIn(reason, self.done("load", self.folder / "plain", "--to", self.folder / "data", "--anonymise", gone, code=1)[1])
        self.assertFalse((self.folder / "data").exists())
        # Into tables that are there already.
        path = self.folder / "plain" / "app.items.json"
        self.assertIn(reason, self.done("load", path, "--to", self.url, "--anonymise", gone, code=1)[1])
        unknown = self.file("unknown.toml", '[[rule]]\nattributes = ["mail"]\nkind = "null"\n')
        reason = "unknown.toml:1: {}: rule of line 1, null of mail: there was no such value\n"
        self.assertEqual(self.done("load", path, "--to", self.url, "--anonymise", unknown)[1], reason.format("warning"))
        self.assertEqual(self.done("load", path, "--to", self.url, "--anonymise", unknown, "--strict", code=1)[1], reason.format("error"))
        for arguments, said in ((["--anonymise", self.folder / "none.toml"], "none.toml cannot be read: No such file or directory"),
                                (["--sample", "1"], "--sample: a share from above 0% to 100%, such as 1%, not 1"),
                                (["--filter", "a ="], "--filter: "), (["--strict"], "--strict requires --anonymise")):
            for command in (["dump", self.url, "--to", self.folder / "none"], ["load", path, "--to", self.url]):
                shown = run(*map(str, command + arguments))
                self.assertIn(shown.returncode, (1, 2))
                self.assertIn(said, shown.stderr.decode())

    def test_records_with_conditions(self):
        path = self.file("put.json", json.dumps({"TableName": "tickets", "Item": item(number={"N": "7"}, email="user7@x.org"),
                                                 "ConditionExpression": "email = :e",
                                                 "ExpressionAttributeValues": {":e": {"S": "user7@x.org"}}}) + "\n")
        self.assertIn("put.json:1:34: error: this record has conditions, whose values --anonymise does not change; it is not written\n",
                      self.done("load", path, "--to", self.url, "--anonymise", self.rules, code=1)[1])
        # The key of one that goes is that of the copy.
        copy = self.file("delete.json", json.dumps({"app": [{"DeleteRequest": {"Key": item(PK=f"USER#{USERS[3]}", SK="PROFILE")}}]}))
        self.done("dump", self.url, "--to", self.folder / "copy", "--anonymise", self.rules)
        self.done("load", self.folder / "copy", "--to", self.folder / "data")
        self.done("load", copy, "--to", self.folder / "data", "--anonymise", self.rules, "--filter", "country = 'IT'")
        self.done("dump", self.folder / "data", "--to", self.folder / "after")
        gone = [each for each in self.items("copy", "app") if each not in self.items("after", "app")]
        self.assertEqual([each["card"]["S"] for each in gone], ["**********1234"])

    def test_the_commands_of_the_page(self):
        self.done("dump", self.url, "--to", self.folder / "export")
        commands = re.findall(r"^    dynolith (.+)$", self.page, re.M)
        self.assertEqual(len(commands), 4)
        for number, command in enumerate(commands):
            words = shlex.split(command.replace("http://127.0.0.1:8000", self.url))
            words[words.index("--to") + 1] = str(self.folder / f"to{number}")
            words = [str(self.folder / word) if word in ("export", "rules.toml") else word for word in words]
            self.assertIn("item", self.done(*words)[0])


if __name__ == "__main__":
    cli_test.BINARY = sys.argv[1]
    PROJECT = pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
