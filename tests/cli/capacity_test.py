#!/usr/bin/env python3
"""What tables can take, through the program: the admin endpoint says what a client has just seen, and changes it for one table,
on a clock that the test moves, so that nothing here waits.

    capacity_test.py <dynolith binary> [unittest arguments]
"""

import json
import sys
import unittest

import cli_test
from clock_test import START, Clocked

MUSIC = {
    "TableName": "music",
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100},
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "genre")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by-genre", "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"},
                                "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100}}],
}
NOTHING = {"provisioned": 0, "key_range": 0, "max_on_demand": 0, "account": 0}


class Capacity(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked("--clock", "manual", "--clock-start", str(START), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        server.call("CreateTable", **MUSIC)
        return server

    def put(self, server, pk="a", sk="1", **more):
        item = {"pk": {"S": pk}, "sk": {"S": sk}, **{name: {"S": text} for name, text in more.items()}}
        return server.request("PutItem", json.dumps({"TableName": "music", "Item": item}).encode())

    def table(self, server):
        status, answer = server.admin("GET", "capacity?table=music")
        self.assertEqual((status, len(answer["tables"])), (200, 1), answer)
        return answer["tables"][0]

    def test_a_table_is_told_and_says_what_it_did(self):
        server = self.start()
        unused = {"table": "music", "mode": "account", "scale": 1.0, "throughputs": []}
        self.assertEqual(server.admin("GET", "capacity"), (200, {"tables": [unused]}))
        status, answer = server.admin("POST", "capacity", {"table": "music", "mode": "static", "scale": 0.03})
        self.assertEqual((status, answer["tables"]), (200, [{**unused, "mode": "static", "scale": 0.03}]))
        # Three units, saved for one second.
        answers = [self.put(server, genre="soul")[0] for _ in range(5)]
        self.assertEqual(answers, [200, 200, 200, 400, 400])
        table, index = self.table(server)["throughputs"]
        self.assertEqual((table["billing"], table["read_units"], table["write_units"]), ("provisioned", 100, 100))
        self.assertNotIn("index", table)
        self.assertEqual(index["index"], "by-genre")
        [partition] = table["partitions"]
        self.assertEqual((partition["id"], partition["begin"]), (1, ""))
        self.assertEqual(partition["writes"], {"consumed": 3.0, "level": 27.0, "share_level": 0.0,
                                               "refused": {**NOTHING, "provisioned": 2}})
        self.assertEqual(partition["reads"], {"consumed": 0.0, "level": 90.0, "share_level": 3.0, "refused": NOTHING})
        self.assertEqual((table["write_level"], table["splits"]), (900 - 3, []))
        self.assertEqual(index["partitions"][0]["writes"]["consumed"], 1.0)
        status, answer = server.admin("POST", "capacity", {"table": "music", "mode": "account"})
        self.assertEqual((status, answer["tables"]), (200, [unused]))
        self.assertEqual(self.put(server)[0], 200)

    def heat(self, server, key, **more):
        """70 seconds of more than 80 % of what a hundredth of a partition takes; a split is due five minutes later."""
        server.admin("POST", "capacity", {"table": "music", "mode": "enforce", "scale": 0.01, **more})
        server.call("UpdateTable", TableName="music", ProvisionedThroughput={"ReadCapacityUnits": 100, "WriteCapacityUnits": 900})
        for second in range(70):
            for i in range(10):
                self.put(server, *key(second, i))
            server.advance(1)

    def test_a_split_is_announced_and_remembered(self):
        server = self.start()
        self.heat(server, lambda second, i: (f"k{(second * 7 + i) % 40}",))
        [partition] = self.table(server)["throughputs"][0]["partitions"]
        self.assertAlmostEqual(partition["split_at"], START + 360, delta=15)
        server.advance(300)
        throughput = self.table(server)["throughputs"][0]
        low, high = throughput["partitions"]
        [split] = throughput["splits"]
        self.assertEqual((low["id"], low["parent"], high["id"], high["parent"]), (2, 1, 3, 1))
        self.assertEqual((low["begin"], low["end"], "end" in high), ("", high["begin"], False))
        self.assertRegex(high["begin"], "^[0-9a-f]{16}")
        # Between two collections: the key is that of one, and readable.
        self.assertEqual(list(high["begin_key"]), ["pk"])
        self.assertRegex(high["begin_key"]["pk"]["S"], "^k[0-9]+$")
        self.assertEqual(split, {"at": START + 370, "parent": 1, "low": 2, "high": 3, "boundary": high["begin"],
                                 "boundary_key": high["begin_key"]})

    def test_a_split_comes_when_it_is_told_to(self):
        server = self.start()
        self.heat(server, lambda second, i: (f"k{(second * 7 + i) % 40}",), split_delay_seconds=30.5)
        [partition] = self.table(server)["throughputs"][0]["partitions"]
        self.assertAlmostEqual(partition["split_at"], START + 60 + 30.5, delta=15)

    def test_a_split_within_a_collection_has_the_whole_key(self):
        server = self.start()
        self.heat(server, lambda second, i: ("hot", f"{(second * 17 + i * 23) % 100:02}"))
        server.advance(300)
        low, high = self.table(server)["throughputs"][0]["partitions"]
        self.assertEqual(high["begin_key"]["pk"], {"S": "hot"})
        self.assertRegex(high["begin_key"]["sk"]["S"], "^[0-9]{2}$")
        self.assertEqual(low["end_key"], high["begin_key"])

    def test_what_makes_no_sense(self):
        server = self.start()
        for body, words in ((b"[]", "no JSON object"), ({}, 'needs the member "table"'), ({"table": "music"}, 'needs the member "mode"'),
                            ({"table": 1, "mode": "enforce"}, '"table" is not the name of a table'),
                            ({"table": "music", "mode": "Enforce"}, '"mode" is not account, enforce, static, burst or adaptive'),
                            ({"table": "music", "mode": "enforce", "scale": 0}, '"scale" is not a number above 0'),
                            ({"table": "music", "mode": "enforce", "seed": -1}, '"seed" is not a whole number'),
                            ({"table": "music", "mode": "enforce", "Scale": 1}, 'no member "Scale"; there are table, mode, scale, seed, burst_seconds'),
                            ({"table": "music", "mode": "enforce", "burst_seconds": 0}, '"burst_seconds" is not a number of seconds from 1 on'),
                            ({"table": "music", "mode": "enforce", "split_delay_seconds": "1"},
                             '"split_delay_seconds" is not a number of seconds from 0 on'),
                            ({"table": "music", "mode": "enforce", "partition_reads": 0.5}, '"partition_reads" is not a whole number'),
                            (b'{"table": "a", "table": "b"}', '"table" is there twice')):
            status, answer = server.admin("POST", "capacity", body)
            self.assertEqual((status, words in answer["error"], "an example: " in answer["error"]), (400, True, True), answer)
        self.assertEqual(server.admin("POST", "capacity", {"table": "albums", "mode": "enforce"})[0], 404)
        self.assertEqual(server.admin("GET", "capacity?table=albums"),
                         (404, {"error": "Requested resource not found"}))
        self.assertEqual(server.admin("GET", "capacity?tables=music"), (400, {"error": "/_dynolith/capacity has no parameter tables"}))
        self.assertEqual(server.admin("PUT", "capacity")[0], 405)
        self.assertEqual(self.table(server)["mode"], "account")


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
