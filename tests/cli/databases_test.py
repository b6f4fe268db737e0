#!/usr/bin/env python3
"""Many databases in one server, and states to go back to: by name, by what calls are signed with, with snapshots and forks.

    databases_test.py <dynolith binary> [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import re
import resource
import sys
import tempfile
import threading
import time
import unittest

import cli_test
from cli_test import run, signed_headers
from clock_test import ITEMS, START, STREAM, Clocked, key, put


class Databases(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked(*arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    @staticmethod
    def ask(server, operation, members, access_key="key", region="us-east-1", database=None):
        """(status, answer) of a call that is signed for that region by that key; signatures are not checked here."""
        body = json.dumps(members).encode()
        headers = signed_headers(operation, body)
        headers["authorization"] = headers["authorization"].replace("Credential=key/", f"Credential={access_key}/").replace(
            "/us-east-1/", f"/{region}/")
        if database is not None:
            headers["x-dynolith-database"] = database
        return server.request(operation, body, headers)

    def tables(self, server, **which):
        status, answer = self.ask(server, "ListTables", {}, **which)
        self.assertEqual(status, 200, answer)
        return answer["TableNames"]

    def create(self, server, **which):
        status, answer = self.ask(server, "CreateTable", ITEMS, **which)
        self.assertEqual(status, 200, answer)
        return answer["TableDescription"]

    def names(self, server, **which):
        status, answer = self.ask(server, "Scan", {"TableName": "items"}, **which)
        self.assertEqual(status, 200, answer)
        return sorted(item["pk"]["S"] for item in answer["Items"])

    def done(self, answer):
        self.assertEqual(answer[0], 200, answer)
        return answer[1]

    def test_regions(self):
        server = self.start("--isolate", "region")
        description = self.create(server, region="eu-west-1")
        self.assertEqual(description["TableArn"], "arn:aws:dynamodb:eu-west-1:000000000000:table/items")
        self.assertEqual(self.tables(server, region="eu-west-1", access_key="another"), ["items"])
        self.assertEqual(self.tables(server, region="us-east-1"), [])
        self.assertEqual(self.create(server)["TableArn"], "arn:aws:dynamodb:us-east-1:000000000000:table/items")

    def test_served_regions(self):
        server = self.start("--regions", "us-east-1,eu-west-1", "--clock", "manual", "--clock-start", str(START))
        self.assertEqual(self.create(server, region="eu-west-1")["TableArn"], "arn:aws:dynamodb:eu-west-1:000000000000:table/items")
        self.assertEqual(self.tables(server), [])
        self.assertEqual(self.tables(server, database="eu-west-1"), ["items"])
        status, answer = self.ask(server, "ListTables", {}, region="ap-south-1")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "InvalidSignatureException"))
        self.assertIn("'ap-south-1'", answer["message"])
        self.assertEqual(self.done(server.admin("GET", "regions")),
                         {"regions": [{"name": "us-east-1", "tables": 0, "conflicts": 0},
                                      {"name": "eu-west-1", "tables": 1, "conflicts": 0}],
                          "links": [self.link("eu-west-1", "us-east-1"), self.link("us-east-1", "eu-west-1")],
                          "tables": []})
        # One clock: whichever is moved.
        for name in ("us-east-1", "eu-west-1", ""):
            headers = {"x-dynolith-database": name} if name else {}
            now = self.done(server.admin("POST", "clock/advance", {"seconds": 100}, headers))["now"]
            for other in ("us-east-1", "eu-west-1"):
                self.assertEqual(self.done(server.admin("GET", "clock", headers={"x-dynolith-database": other}))["now"], now)
        self.assertEqual(now, START + 300)
        # They neither come nor go, and none of them goes back alone.
        self.assertEqual(server.admin("DELETE", "databases/eu-west-1")[0], 409)
        self.assertEqual(server.admin("POST", "databases", {"name": "eu-west-1"})[0], 409)
        self.done(server.admin("POST", "databases", {"name": "other"}))
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": ["other"]})
        # One with a name has one region, and says so.
        description = self.create(server, region="eu-west-1", database="other")
        self.assertEqual(description["TableArn"], "arn:aws:dynamodb:us-east-1:000000000000:table/items")
        status, answer = self.ask(server, "UpdateTable", {"TableName": "items", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]},
                                  database="other")
        self.assertEqual((status, answer["message"]), (400, "One or more parameter values were invalid: ReplicaUpdates is not supported: "
                                                            "this database has a single region"))
        self.assertEqual(server.admin("POST", "snapshots", {"name": "one"})[0], 409)

    def test_ports_of_regions(self):
        """A client that always signs for one region reaches each by its port."""
        server = self.start("--regions", "us-east-1,eu-west-1,ap-south-1", "--region-port", "ap-south-1=0", "--region-port",
                            "eu-west-1=0", "--admin")
        urls = dict(re.findall(r"; ([a-z0-9-]+) on http://127.0.0.1:([0-9]+)", server.where))
        self.assertEqual(list(urls), ["ap-south-1", "eu-west-1"])
        first = server.port
        for region, port in urls.items():
            server.port = int(port)
            for signed in ("us-east-1", "eu-west-1", "mars"):
                self.assertEqual(self.tables(server, region=signed), [])
            self.assertEqual(self.create(server)["TableArn"], f"arn:aws:dynamodb:{region}:000000000000:table/items")
        server.port = first
        self.assertEqual(self.tables(server), [])
        self.assertEqual(self.tables(server, region="eu-west-1"), ["items"])
        self.assertEqual(self.ask(server, "ListTables", {}, region="mars")[0], 400)
        for wrong, why in ((("moon=1",), "moon is none of --regions"), (("eu-west-1",), "such as eu-west-1=8001"),
                           (("eu-west-1=70000",), "such as eu-west-1=8001"),
                           (("eu-west-1=0", "eu-west-1=0"), "names eu-west-1 twice"), (("us-east-1=%d" % first,), str(first))):
            arguments = [word for text in wrong for word in ("--region-port", text)]
            done = run("serve", "--port", "0", "--regions", "us-east-1,eu-west-1", *arguments)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertIn(why, done.stderr.decode())

    @staticmethod
    def link(origin, to, **members):
        return {"from": origin, "to": to, "pending": 0, "behind_milliseconds": 0, "arrived": 0, "lost": 0, "least_milliseconds": 0, "most_milliseconds": 0,
                "paused": False, "cut": False, **members}

    def replicate(self, server):
        """The table in both regions."""
        self.done(self.ask(server, "CreateTable", {**ITEMS, "StreamSpecification": STREAM}))
        self.done(self.ask(server, "UpdateTable", {"TableName": "items",
                                                   "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]}))
        self.done(server.admin("POST", "regions/settle"))

    def test_replicas(self):
        server = self.start("--regions", "us-east-1,eu-west-1", "--clock", "manual", "--clock-start", str(START))
        self.replicate(server)
        for region, other in (("us-east-1", "eu-west-1"), ("eu-west-1", "us-east-1")):
            table = self.done(self.ask(server, "DescribeTable", {"TableName": "items"}, region=region))["Table"]
            self.assertEqual([(replica["RegionName"], replica["ReplicaStatus"]) for replica in table["Replicas"]], [(other, "ACTIVE")])
            self.assertEqual((table["GlobalTableVersion"], table["TableStatus"]), ("2019.11.21", "ACTIVE"))
        # A lag by the clock.
        self.done(server.admin("POST", "regions/lag", {"seconds": 10, "from": "us-east-1"}))
        self.done(self.ask(server, "PutItem", put("late")))
        self.done(self.ask(server, "PutItem", put("early"), region="eu-west-1"))
        self.done(server.admin("POST", "regions/settle"))
        self.assertEqual(self.names(server), ["early", "late"])
        self.assertEqual(self.names(server, region="eu-west-1"), ["early"])
        server.advance(4)
        links = {link["from"]: link for link in self.done(server.admin("GET", "regions"))["links"]}
        self.assertEqual([(links[region]["pending"], links[region]["behind_milliseconds"]) for region in ("us-east-1", "eu-west-1")],
                         [(1, 4_000), (0, 0)])
        top = run("top", f"http://127.0.0.1:{server.port}", "--once", "--interval", "0.1").stdout.decode()
        self.assertRegex(top, r"\nus-east-1 to eu-west-1 +1 +4\.0 ")
        self.assertRegex(top, r"\nREGION +tables +conflicts/s +in all\n(.*\n)*eu-west-1 +1 ")
        server.advance(6)
        self.assertEqual(self.names(server, region="eu-west-1"), ["early", "late"])
        # Apart, and together again: the last writer wins.
        self.done(server.admin("POST", "regions/cut", {"region": "eu-west-1"}))
        self.done(self.ask(server, "PutItem", put("both", n=1), region="eu-west-1"))
        server.advance(1)
        self.done(self.ask(server, "PutItem", put("both", n=2)))
        link = self.done(server.admin("GET", "regions"))["links"][0]
        self.assertEqual((link["pending"], link["oldest"], link["cut"]), (1, START + 10, True))
        self.done(server.admin("POST", "regions/release"))
        self.done(server.admin("POST", "regions/settle"))
        for region in ("us-east-1", "eu-west-1"):
            self.assertEqual(self.done(self.ask(server, "GetItem", key("both"), region=region))["Item"]["n"], {"N": "2"})
        self.assertEqual(self.done(server.admin("GET", "regions"))["links"][0]["lost"], 1)
        # A strong table beside it, with a witness that is not served.
        self.done(self.ask(server, "CreateTable", {**ITEMS, "TableName": "strong"}))
        self.done(self.ask(server, "UpdateTable", {
            "TableName": "strong", "MultiRegionConsistency": "STRONG", "ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}],
            "GlobalTableWitnessUpdates": [{"Create": {"RegionName": "us-east-2"}}]}))
        self.done(server.admin("POST", "regions/settle"))
        self.done(server.admin("POST", "regions/overlap", {"seconds": 2}))
        write = {**put("a"), "TableName": "strong"}
        self.done(self.ask(server, "PutItem", write))
        status, answer = self.ask(server, "PutItem", write, region="eu-west-1")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ReplicatedWriteConflictException"))
        server.advance(2)
        self.done(self.ask(server, "PutItem", write, region="eu-west-1"))
        shown = self.done(server.admin("GET", "regions"))
        self.assertEqual([region["conflicts"] for region in shown["regions"]], [0, 1])
        self.assertEqual(shown["tables"], [
            {"name": "items", "consistency": "EVENTUAL", "regions": ["eu-west-1", "us-east-1"]},
            {"name": "strong", "consistency": "STRONG", "regions": ["eu-west-1", "us-east-1"], "witness": "us-east-2"}])
        for region in ("us-east-2", "eu-west-1"):
            self.done(server.admin("POST", "regions/cut", {"region": region}))
        self.assertEqual(self.ask(server, "PutItem", write)[0], 503)
        # What is wrong is said.
        self.assertEqual(server.admin("POST", "regions/overlap", {"seconds": -1})[0], 400)
        self.assertEqual(server.admin("POST", "regions/lag", {"seconds": "1"})[0], 400)
        self.assertEqual(server.admin("POST", "regions/lag", {"seconds": -1})[0], 400)
        self.assertEqual(server.admin("POST", "regions/cut", {"region": "moon"})[0], 404)
        self.assertEqual(server.admin("GET", "regions/cut")[0], 405)

    def test_replicas_survive_a_kill(self):
        data = str(self.folder() / "data")
        arguments = ("--data", data, "--regions", "us-east-1,eu-west-1", "--admin")
        with Clocked(*arguments) as server:
            self.replicate(server)
            self.done(server.admin("POST", "regions/lag", {"paused": True}))
            for n in range(20):
                self.done(self.ask(server, "PutItem", put(f"east{n:02}")))
                self.done(self.ask(server, "PutItem", put(f"west{n:02}"), region="eu-west-1"))
            server.process.kill()
            server.process.wait()
        with Clocked(*arguments) as server:
            self.done(server.admin("POST", "regions/settle"))
            for region in ("us-east-1", "eu-west-1"):
                self.assertEqual(len(self.names(server, region=region)), 40)

    def test_regions_in_a_folder(self):
        data = str(self.folder() / "data")
        with Clocked("--data", data, "--regions", "us-east-1,eu-west-1", "--admin") as server:
            self.create(server, region="eu-west-1")
            self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": []})
        with Clocked("--data", data, "--regions", "us-east-1,eu-west-1") as server:
            self.assertEqual((self.tables(server), self.tables(server, region="eu-west-1")), ([], ["items"]))
            self.create(server)
        # Without the option the folder is that of the first region.
        with Clocked("--data", data) as server:
            self.assertEqual(self.tables(server, region="eu-west-1"), ["items"])
        refused = run("serve", "--data", data, "--regions", "eu-west-1,us-east-1")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"the data of eu-west-1 are in {data}.databases/eu-west-1", refused.stderr.decode())
        for regions in ("us-east-1,us-east-1", "a b"):
            self.assertNotEqual(run("serve", "--regions", regions).returncode, 0)

    def test_access_keys(self):
        server = self.start("--isolate", "access-key")
        self.create(server, access_key="ann")
        self.assertEqual(self.tables(server, access_key="ann", region="eu-west-1"), ["items"])
        self.assertEqual(self.tables(server, access_key="ben"), [])

    def test_both_as_in_dynamodb_local(self):
        server = self.start("--shared-db", "off")
        self.create(server, access_key="ann", region="eu-west-1")
        self.assertEqual(self.tables(server, access_key="ann", region="eu-west-1"), ["items"])
        self.assertEqual(self.tables(server, access_key="ann"), [])
        self.assertEqual(self.tables(server, access_key="ben", region="eu-west-1"), [])

    def test_all_share_by_default(self):
        for arguments in ((), ("--isolate", "none"), ("--shared-db", "on")):
            server = self.start(*arguments)
            self.create(server, access_key="ann", region="eu-west-1")
            # Without the admin endpoint the header is like any other.
            self.assertEqual(self.tables(server, access_key="ben", database="own"), ["items"])

    def test_who_may_not_call_makes_nothing(self):
        folder = self.folder()
        (folder / "keys").write_text("key secret\n", encoding="utf-8")
        (folder / "keys").chmod(0o600)
        server = self.start("--isolate", "access-key", "--auth", "verify", "--credentials", str(folder / "keys"), "--data",
                            str(folder / "data"))
        status, _ = self.ask(server, "ListTables", {}, access_key="stranger")
        self.assertEqual(status, 400)
        self.assertFalse((folder / "data.databases").exists())

    def test_names_that_are_none(self):
        server = self.start("--isolate", "access-key")
        status, answer = self.ask(server, "ListTables", {}, access_key="..")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ValidationException"))
        self.assertIn('".." is no name of a database', answer["message"])
        self.create(server, access_key="a")
        # It is no name, and not that of the one whose beginning it has.
        status, answer = self.ask(server, "ListTables", {}, access_key="a%2fb")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ValidationException"))

    def test_names_of_two_parts_do_not_meet(self):
        server = self.start("--shared-db", "off")
        self.create(server, access_key="ann_eu", region="west-1")
        status, answer = self.ask(server, "ListTables", {}, access_key="ann", region="eu_west-1")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ValidationException"))
        self.assertIn('"eu_west-1" is not a region', answer["message"])
        self.assertEqual(self.tables(server, access_key="ann_eu", region="west-1"), ["items"])

    def test_seeds_are_where_each_begins(self):
        folder = self.folder()
        (folder / "items.json").write_text(json.dumps(ITEMS), encoding="utf-8")
        for arguments in ((), ("--data", str(folder / "data"))):
            server = self.start("--admin", "--isolate", "access-key", "--seed", str(folder / "items.json"), *arguments)
            self.assertEqual(self.done(server.admin("GET", "snapshots")), {"snapshots": []})
            self.assertEqual(self.tables(server, access_key="ann"), ["items"])
            self.ask(server, "PutItem", put("a"), access_key="ann")
            self.assertEqual(self.names(server, access_key="ann"), ["a"])
            self.assertEqual(self.names(server, access_key="ben"), [])

    def test_by_header(self):
        server = self.start("--admin")
        self.create(server)
        self.create(server, database="one")
        self.ask(server, "PutItem", put("a"), database="one")
        self.assertEqual(self.names(server, database="one"), ["a"])
        self.assertEqual(self.names(server), [])
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": ["one"]})

    def test_made_and_deleted(self):
        server = self.start("--admin")
        self.create(server)
        server.call("PutItem", **put("a"))
        self.done(server.admin("POST", "databases", {"name": "empty"}))
        self.done(server.admin("POST", "databases", {"name": "copy", "from": ""}))
        self.done(server.admin("POST", "snapshot", {"name": "one"}))
        server.call("PutItem", **put("b"))
        self.done(server.admin("POST", "databases", {"name": "then", "snapshot": "one"}))
        self.done(server.admin("POST", "databases", {"name": "of-then", "from": "then"}))
        self.assertEqual(self.tables(server, database="empty"), [])
        self.assertEqual(self.names(server), ["a", "b"])
        for name in ("copy", "then", "of-then"):
            self.assertEqual(self.names(server, database=name), ["a"], name)
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": ["copy", "empty", "of-then", "then"]})
        self.done(server.admin("DELETE", "databases/then"))
        self.assertEqual(self.names(server, database="of-then"), ["a"])
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": ["copy", "empty", "of-then"]})
        # Whoever names it makes a new one.
        self.assertEqual(self.tables(server, database="then"), [])

    def test_what_is_wrong_is_said(self):
        server = self.start("--admin")
        self.done(server.admin("POST", "databases", {"name": "one"}))
        for status, method, path, body, words in (
            (409, "POST", "databases", {"name": "one"}, "there is a database one already"),
            (404, "POST", "databases", {"name": "two", "from": "none"}, "there is no database none"),
            (404, "POST", "databases", {"name": "two", "snapshot": "none"}, "there is no snapshot none"),
            (400, "POST", "databases", {"name": "a/b"}, '"a/b" is no name of a database'),
            (400, "POST", "databases", {"name": 1}, 'the body needs the member "name"'),
            (400, "POST", "databases", {"name": "two", "as": "one"}, 'the body needs the member "name"'),
            (400, "POST", "databases", b"", 'the body needs the member "name"'),
            (404, "DELETE", "databases/none", None, "there is no database none"),
            (404, "DELETE", "databases/../x", None, "there is no database ../x"),
            (405, "PUT", "databases", None, "/_dynolith/databases wants GET, POST"),
            (405, "GET", "databases/one", None, "/_dynolith/databases/one wants DELETE"),
            (400, "POST", "snapshot", {"name": ".x"}, '".x" is no name of a snapshot'),
            (400, "POST", "snapshot", {"name": 1}, '"name" has a wrong type'),
            (400, "POST", "snapshot", {}, 'the body needs the member "name"'),
            (404, "POST", "restore", {"name": "none"}, "there is no snapshot none"),
            (404, "DELETE", "snapshots/none", None, "there is no snapshot none"),
            (405, "POST", "snapshots", None, "/_dynolith/snapshots wants GET"),
        ):
            found = server.admin(method, path, body)
            self.assertEqual(found[0], status, (path, found))
            self.assertIn(words, found[1]["error"])
        status, answer = server.admin("GET", "clock", headers={"x-dynolith-database": "none"})
        self.assertEqual((status, answer), (404, {"error": "there is no database none"}))

    def test_each_has_its_clock_and_snapshots(self):
        server = self.start("--clock", "manual", "--clock-start", str(START))
        one = {"x-dynolith-database": "one"}
        self.done(server.admin("POST", "databases", {"name": "one"}))
        self.done(server.admin("POST", "clock/advance", {"seconds": 60}, one))
        self.assertEqual(self.done(server.admin("GET", "clock", headers=one))["now"], START + 60)
        self.assertEqual(self.done(server.admin("GET", "clock"))["now"], START)
        self.done(server.admin("POST", "snapshot", {"name": "s"}, one))
        self.assertEqual(self.done(server.admin("GET", "snapshots")), {"snapshots": []})
        self.done(server.admin("POST", "clock/advance", {"seconds": 60}, one))
        self.done(server.admin("POST", "restore", {"name": "s"}, one))
        self.assertEqual(self.done(server.admin("GET", "clock", headers=one))["now"], START + 60)

    def test_back_to_a_state(self):
        folder = self.folder()
        for arguments in ((), ("--data", str(folder / "data"))):
            server = self.start("--admin", *arguments)
            self.create(server)
            server.call("PutItem", **put("a"))
            self.assertEqual(self.done(server.admin("POST", "snapshot", {"name": "one"})), {"snapshots": ["one"]})
            for _ in range(3):
                server.call("PutItem", **put("b"))
                server.call("DeleteItem", **key("a"))
                self.assertEqual(self.names(server), ["b"])
                self.assertEqual(self.done(server.admin("POST", "restore", {"name": "one"})), {})
                self.assertEqual(self.names(server), ["a"])
            self.done(server.admin("DELETE", "snapshots/one"))
            self.assertEqual(self.done(server.admin("GET", "snapshots")), {"snapshots": []})

    def test_folders_stay(self):
        data = str(self.folder() / "data")
        server = self.start("--admin", "--data", data)
        self.done(server.admin("POST", "databases", {"name": "one"}))
        self.create(server, database="one")
        self.ask(server, "PutItem", put("a"), database="one")
        self.done(server.admin("POST", "snapshot", {"name": "s"}, {"x-dynolith-database": "one"}))
        self.assertEqual(server.stop()[0], 0)
        self.assertEqual(run("check", data + ".databases/one").returncode, 0)
        server = self.start("--admin", "--data", data)
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": ["one"]})
        self.assertEqual(self.names(server, database="one"), ["a"])
        self.assertEqual(self.done(server.admin("GET", "snapshots", headers={"x-dynolith-database": "one"})), {"snapshots": ["s"]})
        self.done(server.admin("DELETE", "databases/one"))
        self.assertEqual([path.name for path in pathlib.Path(data + ".databases").rglob("*")], [".dynolith-states"])

    def test_killed_while_it_goes_back(self):
        """What is there then is one of the two states, whole, and the snapshot stays."""
        data = str(self.folder() / "data")
        server = self.start("--admin", "--data", data)
        self.create(server)
        server.call("PutItem", **put("a"))
        self.done(server.admin("POST", "snapshot", {"name": "one"}))
        server.call("PutItem", **put("b"))
        for turn in range(12):
            asked = threading.Thread(target=self.ask_in_vain, args=(server,))
            asked.start()
            time.sleep(turn * 0.002)
            server.process.kill()
            server.process.wait()
            asked.join()
            server = self.start("--admin", "--data", data)
            self.assertIn(self.names(server), (["a"], ["a", "b"]))
            self.assertEqual(os.listdir(pathlib.Path(data).parent / ".dynolith-states" / "data"), ["snapshots"])
            self.assertEqual(self.done(server.admin("GET", "snapshots")), {"snapshots": ["one"]})
            server.call("PutItem", **put("b"))
        self.assertEqual(server.stop()[0], 0)
        self.assertEqual(run("check", data).returncode, 0)

    @staticmethod
    def ask_in_vain(server, method="POST", path="restore", body=None):
        try:
            server.admin(method, path, body or {"name": "one"})
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def test_killed_while_one_is_made_or_deleted(self):
        """A database is there, whole and with its snapshots, or it is not there at all."""
        data = str(self.folder() / "data")
        server = self.start("--admin", "--data", data)
        self.create(server)
        server.call("PutItem", **put("a"))
        for turn in range(12):
            makes = turn % 2 == 0
            if not makes:
                self.done(server.admin("POST", "databases", {"name": "copy", "from": ""}))
                self.done(server.admin("POST", "snapshot", {"name": "s"}, {"x-dynolith-database": "copy"}))
            asked = threading.Thread(target=self.ask_in_vain, args=(
                (server, "POST", "databases", {"name": "copy", "from": ""}) if makes else (server, "DELETE", "databases/copy")))
            asked.start()
            time.sleep(turn * 0.002)
            server.process.kill()
            server.process.wait()
            asked.join()
            server = self.start("--admin", "--data", data)
            names = self.done(server.admin("GET", "databases"))["databases"]
            self.assertIn(names, ([], ["copy"]))
            if names:
                self.assertEqual(self.names(server, database="copy"), ["a"])
                found = self.done(server.admin("GET", "snapshots", headers={"x-dynolith-database": "copy"}))["snapshots"]
                self.assertEqual(found, [] if makes else ["s"])
                self.done(server.admin("DELETE", "databases/copy"))
            self.assertEqual([path for path in pathlib.Path(data + ".databases").rglob("*") if path.is_file()], [])
        self.assertEqual(server.stop()[0], 0)

    def test_a_second_server_breaks_nothing(self):
        """It is refused, at whatever moment of a restore it comes, and leaves the first one's work alone."""
        data = str(self.folder() / "data")
        server = self.start("--admin", "--data", data)
        self.create(server)
        server.call("PutItem", **put("a"))
        self.done(server.admin("POST", "snapshot", {"name": "one"}))
        stop, wrong = threading.Event(), []

        def come_second():
            while not stop.is_set():
                second = run("serve", "--port", "0", "--data", data)
                if second.returncode != 1 or b"holds the data folder" not in second.stderr:
                    wrong.append(second)

        thread = threading.Thread(target=come_second)
        thread.start()
        for _ in range(40):
            self.assertEqual(server.admin("POST", "restore", {"name": "one"}), (200, {}))
            server.call("PutItem", **put("b"))
        stop.set()
        thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(self.names(server), ["a", "b"])

    def test_what_others_keep_beside_the_folder_stays(self):
        folder = self.folder()
        for suffix in (".restoring", ".snapshots", ".tmp", ".databases"):
            (folder / f"data{suffix}" / "mine").mkdir(parents=True)
        server = self.start("--admin", "--data", str(folder / "data"))
        self.done(server.admin("POST", "snapshot", {"name": "one"}))
        self.done(server.admin("POST", "restore", {"name": "one"}))
        self.assertEqual(server.stop()[0], 0)
        for suffix in (".restoring", ".snapshots", ".tmp", ".databases"):
            self.assertTrue((folder / f"data{suffix}" / "mine").is_dir(), suffix)

    def test_who_makes_databases(self):
        """In a folder a header makes none that stays, unless it is told that it may."""
        data = ("--data", str(self.folder() / "data"))
        server = self.start("--admin", *data)
        status, answer = self.ask(server, "ListTables", {}, database="typo")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "ValidationException"))
        self.assertIn("there is no database typo: POST /_dynolith/databases makes one", answer["message"])
        self.assertEqual(self.done(server.admin("GET", "databases")), {"databases": []})
        self.assertEqual(server.stop()[0], 0)
        server = self.start("--admin", "--databases-made-by", "call", "--databases-max", "2", *data)
        for name in ("one", "two"):
            self.assertEqual(self.tables(server, database=name), [])
        status, answer = self.ask(server, "ListTables", {}, database="three")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (400, "LimitExceededException"))
        status, answer = server.admin("POST", "databases", {"name": "three"})
        self.assertEqual(status, 409)
        self.assertIn("there are 2 databases with names", answer["error"])
        server = self.start("--isolate", "access-key", "--admin", "--databases-made-by", "admin")
        self.assertEqual(self.ask(server, "ListTables", {}, access_key="ann")[0], 400)
        self.done(server.admin("POST", "databases", {"name": "ann"}))
        self.assertEqual(self.tables(server, access_key="ann"), [])

    def test_more_than_the_process_has_files_for(self):
        server = self.start("--isolate", "access-key", "--data", str(self.folder() / "data"))
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        for number in range(40):
            self.create(server, access_key=f"key{number}")
            self.ask(server, "PutItem", put(f"item{number}"), access_key=f"key{number}")
            self.assertLess(len(os.listdir(f"/proc/{server.process.pid}/fd")), 256)
        self.create(server, access_key="first")
        for number in range(40):
            self.assertEqual(self.names(server, access_key=f"key{number}"), [f"item{number}"])

    def test_idle_ones_are_closed(self):
        server = self.start("--admin", "--data", str(self.folder() / "data"), "--databases-open", "2")
        for name in ("one", "two", "three", "four"):
            self.done(server.admin("POST", "databases", {"name": name}))
            self.create(server, database=name)
            self.ask(server, "PutItem", put(name), database=name)
        for name in ("one", "two", "three", "four"):
            self.assertEqual(self.names(server, database=name), [name])
        for name in ("one", "two"):
            self.done(server.admin("POST", "faults", {"fault": "throttle"}, {"x-dynolith-database": name}))
        status, answer = self.ask(server, "ListTables", {}, database="three")
        self.assertEqual((status, answer["__type"].partition("#")[2]), (503, "ServiceUnavailable"))
        self.assertIn("--databases-open", answer["message"])
        status, answer = server.admin("POST", "databases", {"name": "five"})
        self.assertEqual(status, 503, answer)
        self.done(server.admin("DELETE", "faults", headers={"x-dynolith-database": "one"}))
        self.assertEqual(self.names(server, database="three"), ["three"])

    def test_calls_go_on_while_states_come_back(self):
        folder = self.folder()
        for arguments in ((), ("--data", str(folder / "data"))):
            server = self.start("--admin", *arguments)
            self.create(server)
            self.done(server.admin("POST", "snapshot", {"name": "empty"}))
            stop, wrong = threading.Event(), []

            def call():
                while not stop.is_set():
                    status, answer = server.request("PutItem", json.dumps(put("a")).encode())
                    if status != 200:
                        wrong.append(answer)

            threads = [threading.Thread(target=call) for _ in range(3)]
            for thread in threads:
                thread.start()
            for _ in range(20):
                self.done(server.admin("POST", "restore", {"name": "empty"}))
            stop.set()
            for thread in threads:
                thread.join()
            self.assertEqual(wrong, [])
            self.done(server.admin("POST", "restore", {"name": "empty"}))
            self.assertEqual(self.names(server), [])


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
