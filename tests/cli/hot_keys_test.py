#!/usr/bin/env python3
"""Hot keys through the program: who asks by UpdateContributorInsights, or starts the server with --hot-keys, is shown which keys
were accessed and throttled most, as keys that people read.

    hot_keys_test.py <dynolith binary> [unittest arguments]
"""

import json
import sys
import unittest

import cli_test
from capacity_test import MUSIC
from clock_test import START, Clocked

# A whole minute, so that it is known what the last one is.
NOON = START // 60 * 60
LISTS = ("accessed_partition_keys", "accessed_items", "throttled_partition_keys", "throttled_items")


def key(**names):
    return {name: {"S": text} for name, text in names.items()}


class HotKeys(unittest.TestCase):
    def start(self, *arguments):
        server = Clocked("--clock", "manual", "--clock-start", str(NOON), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        server.call("CreateTable", **MUSIC)
        return server

    def put(self, server, pk, sk, **more):
        return server.request("PutItem", json.dumps({"TableName": "music", "Item": key(pk=pk, sk=sk, **more)}).encode())[0]

    def hot(self, server, query="table=music"):
        status, answer = server.admin("GET", f"hot-keys?{query}")
        self.assertEqual(status, 200, answer)
        # Items of one partition key have its hash.
        for lists in (answer.get("all", {}), answer.get("recent", {})):
            hashes = {}
            for hot in (hot for name in LISTS for hot in lists.get(name, [])):
                first = hot["key"].get("pk") or hot["key"]["genre"]
                self.assertRegex(hot["hash"], "^[0-9a-f]{16}$")
                self.assertEqual(hashes.setdefault(first["S"], hot["hash"]), hot.pop("hash"))
            self.assertEqual(len(set(hashes.values())), len(hashes))
        return answer

    def test_off_by_default(self):
        server = self.start()
        self.put(server, "a", "1")
        self.assertEqual(self.hot(server), {"table": "music", "watched": False})

    def test_all_tables_and_indexes(self):
        server = self.start("--hot-keys")
        self.assertEqual(self.hot(server), {"table": "music", "watched": True})
        for pk, sk, times in (("a", "1", 3), ("a", "2", 2), ("b", "1", 4)):
            for _ in range(times):
                self.put(server, pk, sk, genre="soul" if pk == "a" else "jazz")
        server.call("GetItem", TableName="music", Key=key(pk="b", sk="1"))
        server.call("Query", TableName="music", KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}})
        server.call("Scan", TableName="music")
        hot = self.hot(server)
        self.assertEqual((hot["since"], hot["recent_since"]), (NOON, NOON - 60))
        self.assertEqual(hot["all"], hot["recent"])
        self.assertEqual(hot["all"]["accessed_partition_keys"], [{"key": key(pk="a"), "units": 5.5, "error": 0.0},
                                                                 {"key": key(pk="b"), "units": 4.5, "error": 0.0}])
        self.assertEqual(hot["all"]["accessed_items"], [{"key": key(pk="b", sk="1"), "units": 4.5, "error": 0.0},
                                                        {"key": key(pk="a", sk="1"), "units": 3.0, "error": 0.0},
                                                        {"key": key(pk="a", sk="2"), "units": 2.0, "error": 0.0}])
        self.assertEqual((hot["all"]["throttled_partition_keys"], hot["all"]["throttled_items"]), ([], []))
        # Only the first put of each item changes its entry.
        index = self.hot(server, "table=music&index=by-genre")
        self.assertEqual(index["all"]["accessed_partition_keys"], [{"key": key(genre="soul"), "units": 2.0, "error": 0.0},
                                                                   {"key": key(genre="jazz"), "units": 1.0, "error": 0.0}])
        self.assertEqual(index["all"]["accessed_items"], [], "it has no sort key")
        server.advance(120)
        hot = self.hot(server)
        self.assertEqual(hot["recent"], {name: [] for name in LISTS})
        self.assertEqual(len(hot["all"]["accessed_items"]), 3)

    def test_insights_of_a_table_and_of_an_index(self):
        server = self.start("--table-delay", "20")
        server.advance(20)
        server.call("UpdateContributorInsights", TableName="music", ContributorInsightsAction="ENABLE")
        server.call("UpdateContributorInsights", TableName="music", IndexName="by-genre", ContributorInsightsAction="ENABLE",
                    ContributorInsightsMode="THROTTLED_KEYS")
        self.put(server, "early", "1", genre="soul")
        self.assertFalse(self.hot(server)["watched"], "ENABLING")
        server.advance(20)
        server.admin("POST", "capacity", {"table": "music", "mode": "static", "scale": 0.02})
        answers = [self.put(server, "a", str(i), genre="soul") for i in range(4)]
        self.assertEqual(answers, [200, 200, 400, 400])
        self.assertEqual(self.hot(server)["all"]["accessed_partition_keys"], [{"key": key(pk="a"), "units": 2.0, "error": 0.0}])
        self.assertEqual(self.hot(server)["all"]["throttled_items"], [{"key": key(pk="a", sk="2"), "count": 1, "error": 0},
                                                                      {"key": key(pk="a", sk="3"), "count": 1, "error": 0}])
        self.assertEqual(self.hot(server, "table=music&index=by-genre"),
                         {"table": "music", "index": "by-genre", "watched": True})
        server.call("UpdateContributorInsights", TableName="music", ContributorInsightsAction="DISABLE")
        server.advance(20)
        self.put(server, "a", "1")
        self.assertFalse(self.hot(server)["watched"])

    def test_what_makes_no_sense(self):
        server = self.start()
        for query, status, error in (("", 400, "/_dynolith/hot-keys wants the parameter table"),
                                     ("?table=albums", 404, "Requested resource not found"),
                                     ("?table=music&index=none", 404,
                                      "Requested resource not found: Index: none not found for table: music"),
                                     ("?table=music&limit=3", 400, "/_dynolith/hot-keys has no parameter limit")):
            self.assertEqual(server.admin("GET", f"hot-keys{query}"), (status, {"error": error}))
        self.assertEqual(server.admin("POST", "hot-keys?table=music")[0], 405)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
