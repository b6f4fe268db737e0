#!/usr/bin/env python3
"""The lab from the command line: what is said of experiments that make no sense, what a person sees of a run, what programs get,
and how a run is stopped.

    lab_test.py <dynolith binary> [--rewrite] [unittest arguments]
"""

import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import cli_test
from cli_test import SECONDS, run

HERE = pathlib.Path(__file__).parent
SMALL = """
[experiment]
title = "Small"
duration = "90s"
[[table]]
name = "posts"
partition_key = "post"
item_size = 200
[[access]]
name = "like"
operation = "UpdateItem"
key.post = { distribution = "celebrity", count = 100, hot_share = 0.5 }
load = { rate = 100 }
[[design]]
name = "one"
[[design]]
name = "two, \\"shards\\""
set.access.like.load.rate = 200
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="experiment.toml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def lab(self, *arguments, code=0):
        shown = run("lab", *arguments)
        self.assertEqual(shown.returncode, code, shown)
        if code == 0:
            self.assertEqual(shown.stderr, b"")
        return shown.stdout.decode() if code == 0 else shown.stderr.decode()


    def rows(self, name):
        with (self.folder / "csv" / f"{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))


class Errors(Folder):
    def test_errors(self):
        path = HERE / "lab_errors.txt"
        text = path.read_text()
        rewritten = []
        for case in text.split("====\n")[:-1]:
            experiment, expected = case.split("----\n")
            body = re.sub(r"\A(\s|#.*\n)*", "", experiment)
            file = self.file(body)
            got = self.lab("check", file, code=1).removeprefix("dynolith: ").replace(file, "FILE")
            got = got.replace(str(self.folder), "FOLDER")
            rewritten.append(f"{experiment}----\n{got}====\n")
            if not REWRITE:
                self.assertEqual(got, expected, body)
        self.assertGreater(len(rewritten), 5)
        if REWRITE:
            path.write_text("".join(rewritten))

    def test_files_that_are_not_there(self):
        self.assertIn("cannot read ", self.lab("simulate", str(self.folder), code=1))
        self.assertIn("did you mean 05-celebrity?", self.lab("simulate", "05-celebrty", code=1))
        self.assertIn("did you mean celebrity?", self.lab("simulate", "celebritty", code=1))
        self.assertIn("did you mean burst?", self.lab("measure", "brust", code=1))
        self.assertIn("there is neither a file nor an experiment", self.lab("check", "nothing.toml", code=1))
        self.assertIn("there is no design three", self.lab("simulate", self.file(SMALL), "--design", "three", code=1))
        self.assertIn("cannot write", self.lab("simulate", self.file(SMALL), "--json", str(self.folder), code=1))

    def test_prices_that_make_no_sense(self):
        file = self.file('[prices]\nregion = "here"\nwrite_milion = 1\n', "prices.toml")
        shown = self.lab("simulate", self.file(SMALL), "--prices", file, code=1)
        self.assertIn(f"{file}:3:1: prices.write_milion is not known here; did you mean write_million?", shown)
        self.assertIn("prices.date is missing", shown)


class Warnings(Folder):
    """What is simulated, but may not be meant."""
    CLEANED = SMALL.replace("item_size = 200", """item_size = 200
[[table.index]]
name = "by-day"
partition_key = "day"
[[table.index]]
name = "by-author"
partition_key = "author"
""") + """
[[access]]
name = "remove"
operation = "DeleteItem"
key.post = { distribution = "uniform", count = 100 }
key.author = { distribution = "uniform", count = 10 }
load = { rate = 10 }
"""
    LIKE = "access.like does not give {0}, the key of the index by-{0}, so its UpdateItem writes no entry there, which costs " \
           "nothing: add key.{0} if its items have one, or say index_change = {{ by-{0} = \"none\" }}"
    REMOVE = LIKE.replace("access.like", "access.remove").replace("UpdateItem", "DeleteItem")

    def test_writes_that_leave_an_index_alone(self):
        file = self.file(self.CLEANED)
        expected = [self.LIKE.format("day"), self.LIKE.format("author"), self.REMOVE.format("day")]
        checked = run("lab", "check", file)
        self.assertEqual((checked.returncode, checked.stderr.decode().splitlines()),
                         (0, [f"dynolith: warning: {warning}" for warning in expected]))
        shown = self.lab("simulate", file, "--json", str(self.folder / "all.json"))
        self.assertEqual(re.findall(r"^  Warning: (.*)\.$", shown, re.M), expected)
        designs = json.loads((self.folder / "all.json").read_text())["designs"]
        self.assertEqual([design["warnings"] for design in designs], [expected, expected])

    def test_reads_of_one_shard(self):
        text = self.CLEANED.replace('operation = "UpdateItem"', 'operation = "UpdateItem"\nindex_change = "none"')
        text = text.replace('operation = "DeleteItem"', 'operation = "DeleteItem"\nindex_change = "none"')
        text = text.replace("[[access]]", '[keys.topic]\ndistribution = "list"\nvalues = ["a"]\nshards = 8\n[[access]]\n'
                            'name = "read"\noperation = "GetItem"\nkey.post = "topic"\nload = { rate = 1 }\n[[access]]', 1)
        checked = run("lab", "check", self.file(text))
        self.assertEqual((checked.returncode, checked.stderr.decode().splitlines()), (0, [
            "dynolith: warning: read asks one of the 8 shards of key topic each time, drawn at random, and misses what the "
            "others have: a Query with gather = true asks all of them"]))

    def test_what_a_load_does_later(self):
        text = self.CLEANED.replace('operation = "UpdateItem"', 'operation = "UpdateItem"\nindex_change = "none"')
        text = text.replace('operation = "DeleteItem"', 'operation = "DeleteItem"\nindex_change = "none"')
        text = text.replace("set.access.like.load.rate", "set.table.posts.item_size")
        loads = {
            'shape = "wave", low = 1, high = 9, period = "24h"': "a wave comes back every 24 h, but the experiment lasts 90 s: "
                                                                 "what it says of a month repeats that part",
            'shape = "steps", steps = [{ at = 0, rate = 20 }, { at = "2m", rate = 2000 }]':
                "a load reaches 2,000 a second after the experiment's 90 s, in which it has at most 20.0: nothing says what "
                "happens then",
            'shape = "ramp", from = 10, to = 100, over = "180s"':
                "a load reaches 100 a second after the experiment's 90 s, in which it has at most 55.0: nothing says what "
                "happens then",
            'shape = "spikes", base = 1, peak = 9, every = "30s", lasting = "1s"': None,
            'shape = "steps", steps = [{ at = 0, rate = 20 }, { at = "2m", rate = 2 }]': None}
        for load, expected in loads.items():
            checked = run("lab", "check", self.file(text.replace("rate = 100", load)))
            self.assertEqual((checked.returncode, checked.stderr.decode()),
                             (0, f"dynolith: warning: {expected}\n" if expected else ""))

    def test_none_is_said(self):
        text = self.CLEANED.replace('operation = "UpdateItem"', 'operation = "UpdateItem"\nindex_change = "none"')
        text = text.replace('operation = "DeleteItem"', 'operation = "DeleteItem"\nindex_change = { by-day = "none" }')
        self.assertNotIn("Warning", self.lab("simulate", self.file(text)))


class ValuesInFiles(Folder):
    """Rates and weights from CSV beside the experiment."""
    TEXT = """[experiment]
duration = "8s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
item_size = 100
[load]
rate = { file = "traffic.csv", column = "requests", time = "at" }
[[access]]
name = "a"
operation = "PutItem"
key.pk = { distribution = "list", weights = { file = "keys.csv", key = "customer", weight = "orders" } }
[[design]]
name = "as it was"
[[design]]
name = "by the minute, later"
set.load.rate = { per = "1m", begin = "2026-11-26T10:00:01Z" }
"""
    TRAFFIC = "at,errors,requests\n2026-11-26T10:00:00Z,,60\n2026-11-26 10:00:02,,120\n2026-11-26T11:00:04+01:00,1,0.5e2\n"
    KEYS = '\ufefforders,customer\r\n3,"ann, ""A"""\r\n\r\n1,bob\r\n'

    def requests(self, text, **files):
        for name, content in files.items():
            self.file(content, f"{name}.csv")
        self.lab("simulate", self.file(text), "--json", str(self.folder / "all.json"))
        designs = json.loads((self.folder / "all.json").read_text())["designs"]
        return designs, [design["accesses"][0]["requests"] for design in designs]

    def test_each_row_until_the_next(self):
        designs, requests = self.requests(self.TEXT, traffic=self.TRAFFIC, keys=self.KEYS)
        self.assertEqual(requests, [[60, 60, 120, 120, 50, 50, 0, 0], [1, 2, 2, 1, 1, 0, 0, 0]])
        self.assertEqual({key["key"] for key in designs[0]["resources"][0]["hottest"]}, {'ann, "A"', "bob"})
        ends = "the load of traffic.csv ends after {} s, before the experiment: nothing is asked for from then on"
        self.assertEqual([design["warnings"] for design in designs], [[ends.format(6)], [ends.format(5)]])

    def test_seconds(self):
        _, requests = self.requests(self.TEXT, traffic="at,requests\n1764150000,10\n1764150003.5,20\n", keys=self.KEYS)
        self.assertEqual(requests[0], [10, 10, 10, 10, 20, 20, 20, 0])

    METRIC = """[experiment]
duration = "5m"
arrivals = "even"
[[table]]
name = "orders"
partition_key = "pk"
item_size = 4000
[[access]]
name = "read"
operation = "GetItem"
consistency = "strong"
key.pk = { distribution = "uniform", count = 1000 }
load = { unit = "read units", rate = { file = "week.json", column = "orders ConsumedReadCapacityUnits" } }
"""

    # The newest first, as CloudWatch answers, in two pages, and without the minute in which nothing was consumed.
    def test_metrics_of_cloudwatch(self):
        def result(label, points):
            return {"Id": "m1", "Label": label, "Values": [value for _, value in points],
                    "Timestamps": [f"2026-11-25T00:{minute:02}:00+00:00" for minute, _ in points]}
        reads = "orders ConsumedReadCapacityUnits"
        self.file(json.dumps({"MetricDataResults": [result(reads, [(4, 600), (3, 1200)]), result(reads, [(1, 1200), (0, 600)]),
                                                    result("orders ConsumedWriteCapacityUnits", [(0, 60)])]}), "week.json")
        self.lab("simulate", self.file(self.METRIC), "--json", str(self.folder / "all.json"))
        requests = json.loads((self.folder / "all.json").read_text())["designs"][0]["accesses"][0]["requests"]
        minutes = [sum(requests[at:at + 60]) for at in range(0, 300, 60)]
        # Feedback takes some seconds from one rate to the next.
        for minute, units in zip(minutes, (600, 1200, 0, 1200, 600)):
            self.assertAlmostEqual(minute, units, delta=30)
        self.file(json.dumps({"Label": "ConsumedReadCapacityUnits", "Datapoints": [
            {"Timestamp": f"2026-11-25T00:0{minute}:00Z", "Sum": 600, "Unit": "Count"} for minute in (2, 0, 1)]}), "week.json")
        self.lab("simulate", self.file(self.METRIC.replace("orders Consumed", "Consumed")), "--json", str(self.folder / "all.json"))
        requests = json.loads((self.folder / "all.json").read_text())["designs"][0]["accesses"][0]["requests"]
        self.assertAlmostEqual(sum(requests), 1800, delta=30)

    def test_metrics_that_make_no_sense(self):
        for metrics, problem in (({}, "access.read.load.rate.column: week.json has neither MetricDataResults nor Datapoints"),
                                 ({"MetricDataResults": [{"Label": "orders ConsumedWriteCapacityUnits", "Values": [], "Timestamps": []}]},
                                  "did you mean orders ConsumedWriteCapacityUnits?"),
                                 ({"MetricDataResults": [{"Label": "orders ConsumedReadCapacityUnits", "Values": [1], "Timestamps": []}]},
                                  "Timestamps must have as many elements as Values"),
                                 ({"MetricDataResults": [{"Label": "orders ConsumedReadCapacityUnits", "Values": [1, 2],
                                                          "Timestamps": ["noon", "2026-11-25T00:00:00Z"]}]}, "must be a date and time"),
                                 ({"MetricDataResults": [{"Label": "orders ConsumedReadCapacityUnits", "Values": [-1],
                                                          "Timestamps": ["2026-11-25T00:00:00Z"]}]}, "a count must be 0 or more"),
                                 ({"MetricDataResults": [{"Label": "orders ConsumedReadCapacityUnits", "Values": [1],
                                                          "Timestamps": ["2026-11-25T00:00:00Z"]}]}, "fewer than two rows"),
                                 ({"Label": "orders ConsumedReadCapacityUnits", "Datapoints": [{"Timestamp": "2026-11-25T00:00:00Z"}]},
                                  "Sum is missing")):
            self.file(json.dumps(metrics), "week.json")
            self.assertIn(problem, self.lab("check", self.file(self.METRIC), code=1))

    def check(self, text, expected):
        file = self.file(text)
        shown = self.lab("check", file, code=1).removeprefix("dynolith: ").replace(str(self.folder), "FOLDER")
        self.assertEqual(shown.replace("FOLDER/experiment.toml", "FILE").splitlines(), expected)

    def test_errors_name_the_line(self):
        text = self.TEXT[:self.TEXT.index("[[design]]")]
        self.file("at,requests\n1,many\n2,-1\n\n2,1\nnoon,1\n4\n1,3\n", "traffic.csv")
        self.file("orders,customer\n1,ann\n0,bob\n2,ann\n2,\n", "keys.csv")
        self.check(text, [
            "FILE:9:8: traffic.csv:2: requests is many, but must be a number from 0 to 1e+08",
            "FILE:9:8: traffic.csv:3: requests is -1, but must be a number from 0 to 1e+08",
            "FILE:9:8: traffic.csv:6: at is noon, but must be a date and time such as 2026-11-26T10:00:00Z, or seconds",
            "FILE:9:8: traffic.csv:7: requests is empty, but must be a number from 0 to 1e+08",
            "FILE:9:8: traffic.csv:8: at is 1, but must be later than in the row before",
            "FILE:13:45: keys.csv:3: orders is 0, but must be a number above 0",
            "FILE:13:45: keys.csv:4: customer is ann, but it is in line 2, too",
            "FILE:13:45: keys.csv:5: customer is empty, but must be the name of a key"])

    def test_errors_of_members(self):
        text = self.TEXT.replace('"at"', '"time", per = "no", begin = "soon", until = 5').replace('"orders"', '"order"')
        text = text[:text.index("[[design]]")].replace('"list",', '"list", values = ["a"],')
        self.file(self.TRAFFIC, "traffic.csv")
        self.check(text, [
            'FILE:9:60: load.rate.time: traffic.csv has no column time; they are at, errors and requests',
            'FILE:9:74: load.rate.per must be a time such as "90s", "1h30m" or "7d", or seconds, above 0',
            'FILE:9:88: load.rate.begin must be a date and time such as "2026-11-26T10:00:00Z", or seconds',
            'FILE:9:96: load.rate.until is not known here; known are file, column, time, per and begin',
            'FILE:13:44: access.a.key.pk.values does not go together with weights of a file',
            'FILE:13:70: cannot read FOLDER/keys.csv: No such file or directory'])
        for content, reason in {"": " has no rows; its first line has the names of the columns",
                                "at,requests\n1,1\n": " has fewer than two rows, so that nothing says how long they last"}.items():
            self.file(content, "traffic.csv")
            self.file(self.KEYS, "keys.csv")
            self.check(self.TEXT[:self.TEXT.index("[[design]]")], [f"FILE:9:17: traffic.csv{reason}"])


class ContributorInsights(Folder):
    """Reports of `aws cloudwatch get-insight-rule-report` as the distribution of keys."""
    TEXT = """[experiment]
duration = "100s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
item_size = 100
[keys.customer]
distribution = "list"
weights = { file = "report.json" }
[[access]]
name = "a"
operation = "PutItem"
key.pk = "customer"
load = { rate = 200 }
"""
    # The form of the AWS CLI's own example. Of 1,000 units ann has 400, and 58 others share 500.
    REPORT = {"KeyLabels": ["PartitionKey"], "AggregationStatistic": "Sum", "AggregateValue": 1000.0, "ApproximateUniqueCount": 60,
              "Contributors": [
                  {"Keys": ["ann"], "ApproximateAggregateValue": 400.0,
                   "Datapoints": [{"Timestamp": "2026-11-25T10:00:00+00:00", "ApproximateValue": 400.0}]},
                  {"Keys": ["customer#7"], "ApproximateAggregateValue": 100.0, "Datapoints": []}],
              "RuleAttributes": []}

    def write(self, changes):
        self.file(json.dumps({**self.REPORT, **changes}, indent=1), "report.json")

    def hottest(self, changes, text=TEXT):
        self.write(changes)
        self.lab("simulate", self.file(text), "--json", str(self.folder / "all.json"))
        design = json.loads((self.folder / "all.json").read_text())["designs"][0]
        return {key["key"]: key["operations"] / design["totals"]["operations"] for key in design["resources"][0]["hottest"]}

    def test_contributors_and_the_rest(self):
        shares = self.hottest({})
        self.assertAlmostEqual(shares.pop("ann"), 0.4, delta=0.02)
        self.assertAlmostEqual(shares.pop("customer#7"), 0.1, delta=0.01)
        # None of the others is a contributor.
        for key, share in shares.items():
            self.assertIn(int(key.removeprefix("customer#")), range(8, 66))
            self.assertAlmostEqual(share, 0.5 / 58, delta=0.004)

    def test_numbers(self):
        text = self.TEXT.replace('"pk"', '{ name = "pk", type = "N" }', 1)
        contributors = [{"Keys": ["41"], "ApproximateAggregateValue": 900, "Datapoints": []}]
        shares = self.hottest({"ApproximateUniqueCount": 3, "Contributors": contributors}, text)
        self.assertEqual(set(shares), {"41", "42", "43"})

    def test_approximations_that_leave_nothing(self):
        self.assertEqual(set(self.hottest({"AggregateValue": 499.5})), {"ann", "customer#7"})
        self.assertEqual(set(self.hottest({"ApproximateUniqueCount": 1})), {"ann", "customer#7"})
        self.assertEqual(len(self.hottest({"Contributors": [], "ApproximateUniqueCount": 12})), 12)

    def test_errors_name_file_and_place(self):
        def check(changes, *expected):
            self.write(changes)
            shown = self.lab("check", self.file(self.TEXT), code=1).removeprefix("dynolith: ").rstrip("\n")
            place = str(self.folder / "experiment.toml") + ":10:20: "
            self.assertEqual(shown, place + "\n".join(expected))
        broken = [{"Keys": ["ann"], "ApproximateAggregateValue": "many"}, {"Keys": ["ann"]}, {"Keys": [], "ApproximateAggregateValue": 1}]
        check({"Contributors": broken},
              "report.json:13:33: Contributors[0].ApproximateAggregateValue must be a number, 0 or more",
              "report.json:15:3: Contributors[1].ApproximateAggregateValue is missing",
              "report.json:16:12: there are two contributors ann",
              "report.json:21:12: Contributors[2].Keys is missing")
        check({"AggregateValue": None}, "report.json:1:1: AggregateValue is missing")
        check({"Contributors": [], "ApproximateUniqueCount": 0}, "report.json:1:1: it has no contributors, and counts none")
        one = "must be one, the partition key: the report of the rule DynamoDBContributorInsights-PKC-…"
        check({"KeyLabels": ["PartitionKey", "SortKey"]}, f"report.json:2:15: KeyLabels {one}")
        check({"KeyLabels": None, "Contributors": [{"Keys": ["a", "b"], "ApproximateAggregateValue": 1}]},
              f"report.json:8:12: Contributors[0].Keys {one}")
        self.file('{"Contributors": [', "report.json")
        shown = self.lab("check", self.file(self.TEXT.replace('"report.json"', '"report.json", key = "a"')), code=1)
        self.assertIn(":10:35: keys.customer.weights.key is not known here; known are file", shown)
        self.assertIn(":10:20: report.json:1:19: it is no JSON from here on", shown)


class AccessLogs(Folder):
    """Logs of AWS CloudTrail as replays."""
    def log(self, events):
        lines = [json.dumps({"eventTime": f"2026-11-26T10:00:{second:02}Z", "eventSource": "dynamodb.amazonaws.com", "eventName": name,
                             "requestParameters": parameters}) for second, name, parameters in events]
        self.file("\n".join(lines), "log.json")

    def replay(self, more=""):
        return self.file(f"""[experiment]
arrivals = "even"
[replay]
file = "log.json"
{more}
""")

    def test_a_load_with_its_keys(self):
        key = {"Artist": "Ray", "SongTitle": "Blue"}
        self.log([(second, "PutItem", {"tableName": "Music", "key": key}) for second in range(10) for _ in range(4)]
                 + [(9, "Query", {"tableName": "Music", "indexName": "by-year"})])
        file = self.replay("""item_size = "3KB"
partition_keys = { Music = "SongTitle" }
[[table]]
name = "Music"
billing = "provisioned"
units = { read = 10, write = 20 }
""")
        result = str(self.folder / "all.json")
        warned = run("lab", "simulate", file, "--json", result).stderr.decode().splitlines()
        self.assertEqual(warned, ["dynolith: warning: " + line for line in (
            "log.json has no sizes: an item counts as 3072 bytes (replay.item_size), what a Query or a Scan evaluates as 3072 "
            "(replay.page_size); nor does it say what indexes a write changes, so that costs nothing here",
            "log.json has no key of 1 Query: each is taken to be on a key of its own")])
        design = json.loads(pathlib.Path(result).read_text())["designs"][0]
        self.assertEqual([(access["name"], access["requests"]) for access in design["accesses"]],
                         [("PutItem Music", [4] * 10), ("Query Music/by-year", [0] * 9 + [1])])
        music = design["resources"][0]
        self.assertEqual((music["hottest"][0]["key"], music["write"]["units"]), ("Blue", [12] * 10))

    def test_what_a_log_holds(self):
        self.log([(second, "PutItem", {"tableName": "Music", "key": {"Artist": "Ray"}}) for second in range(4)])
        log = str(self.folder / "log.json")
        shown = run("lab", "trace", log)
        self.assertIn(b"has no sizes", shown.stderr)
        self.assertRegex(shown.stdout.decode(), r"PutItem +Music +4 ")
        self.assertIn(b"Ray", shown.stdout)
        self.assertEqual(run("lab", "trace", log, "--csv", str(self.folder / "log.csv")).returncode, 0)
        rows = list(csv.DictReader((self.folder / "log.csv").read_text().splitlines()))
        self.assertEqual([(row["operation"], row["units"], row["partition_key"]) for row in rows], [("PutItem", "1", "Ray")] * 4)

    def test_members_that_make_no_sense(self):
        self.log([(0, "GetItem", {"tableName": "Music", "key": {"Artist": "Ray"}})])
        shown = self.lab("check", self.replay('item_size = "500KB"\npage_size = "2MB"\npartition_keys = { Musik = "Artist" }'), code=1)
        self.assertEqual([line.split(".toml:")[1] for line in shown.splitlines()], [
            "5:13: replay.item_size must be at most 400 KB, the limit of an item",
            "6:13: replay.page_size must be at most 1 MB, the limit of a page",
            "7:28: replay.partition_keys: there is no table in the log named Musik; did you mean Music?"])
        self.file('{"Records": [{"eventName": "GetItem"}]}', "log.json")
        shown = self.lab("check", self.replay(), code=1)
        self.assertIn("experiment.toml:4:8: log.json:1:14: eventTime is missing", shown)


class DesignFindings(Folder):
    """design_findings.json, as the description of the skill's performance report has it."""
    TEXT = """[experiment]
duration = "60s"
[[table]]
name = "posts"
partition_key = "post"
item_size = 1000
[[table.index]]
name = "by-day"
partition_key = "day"
entry_size = 100
[[access]]
name = "W1"
operation = "UpdateItem"
key.post = { distribution = "celebrity", count = 1000, hot_share = 0.9 }
key.day = { distribution = "uniform", count = 1000 }
index_change = "move"
load = { rate = 2000 }
[[access]]
name = "R1"
operation = "GetItem"
key.post = { distribution = "uniform", count = 1000 }
load = { rate = 10 }
"""

    def findings(self, text, *more):
        path = self.folder / "design_findings.json"
        self.lab("simulate", self.file(text), "--findings", str(path), *more)
        return json.loads(path.read_text())

    def test_a_hot_key_and_an_index_that_takes_more(self):
        shown = self.findings(self.TEXT)
        findings = shown.pop("classified_findings")
        self.assertEqual([(each["id"], each["category"], each["signal"], each["pattern_ids"], each["axioms"], each["severity"])
                          for each in findings], [
            ("finding-1", "design", "persistent_throttles", ["W1"], ["Mechanics #3"], "high"),
            ("finding-2", "design", "key_skew_patterns", ["W1"], ["Mechanics #3"], "high"),
            ("finding-3", "design", "high_gsi_amplification", ["W1"], ["Mechanics #7", "Mechanics #8"], "high"),
            ("finding-4", "design", "dominant_cost_patterns", ["W1"], [], "low")])
        throttles, skew, amplification, _ = [each["evidence"] for each in findings]
        self.assertEqual(list(throttles["throttled_by"].values()), [throttles["throttles"]])
        self.assertEqual((skew["evidence_kind"], skew["resource"], skew["top_key"]), ("throttles", "posts", "post#0"))
        self.assertGreater(skew["top_key_share"], 0.75)
        self.assertEqual((amplification["index"], amplification["observed_amp"]), ("posts/by-day", 2))
        self.assertEqual([driver["pattern_id"] for driver in shown["top_cost_drivers"]], ["W1", "R1"])
        self.assertAlmostEqual(sum(driver["share"] for driver in shown["top_cost_drivers"]), 1)
        self.assertEqual((shown["no_significant_findings"], shown["coverage_incomplete"]), (False, False))

    def test_costs_are_those_of_requests_on_demand(self):
        shown = self.findings(self.TEXT.replace("rate = 2000", "rate = 0"))
        self.assertTrue(shown["coverage_incomplete"])
        # 10 reads a second of half a unit, for 730 hours.
        prices = self.lab("prices")
        million = float(re.search(r"^read_million = ([\d.]+)", prices, re.M)[1])
        self.assertAlmostEqual(shown["top_cost_drivers"][0]["monthly"], 5 * 3600 * 730 / 1e6 * million, delta=0.5)

    def test_of_the_advised_design(self):
        path = self.folder / "design_findings.json"
        text = self.TEXT.replace("rate = 2000", "rate = 20").replace("60s", "10s") + '[advise]\nplacements = 1\nopen = ["table.posts.billing"]\n'
        self.lab("advise", self.file(text), "--findings", str(path))
        found = json.loads(path.read_text())
        self.assertEqual([each["signal"] for each in found["classified_findings"]], ["high_gsi_amplification", "dominant_cost_patterns"])

    def test_one_design(self):
        two = self.TEXT + '[[design]]\nname = "a"\n[[design]]\nname = "b"\nset.access.W1.load.rate = 1\n'
        path = str(self.folder / "x")
        self.assertIn("--findings is of one design: choose it with --design",
                      self.lab("simulate", self.file(two), "--findings", path, code=1))
        found = self.findings(two, "--design", "b")
        self.assertEqual([each["signal"] for each in found["classified_findings"]], ["high_gsi_amplification", "dominant_cost_patterns"])


class Files(Folder):
    def test_the_example_makes_sense(self):
        path = self.folder / "shop.toml"
        self.assertIn("is written", self.lab("new", str(path)))
        self.assertEqual(path.read_text(), self.lab("new"))
        self.assertRegex(self.lab("check", str(path)), r": 1 table, 3 accesses, 3 designs, 10 min\n$")
        self.assertIn("is there already", self.lab("new", str(path), code=1))
        # Its ten minutes of three designs are a minute's work for a program under a sanitizer.
        path.write_text(path.read_text().replace('duration = "10m"', 'duration = "30s"'))
        shown = self.lab("simulate", str(path))
        self.assertIn("index of 4 shards", shown)
        self.assertIn("30 s simulated", shown)

    def test_the_shipped_ones(self):
        names = [line.split()[0] for line in self.lab("list").splitlines()[1:]]
        self.assertEqual([name[:2] for name in names[:14]], [f"{number:02}" for number in range(1, 15)])
        self.assertEqual(names[14:], [f"ycsb-{workload}" for workload in "abcdef"])
        for name in names:
            self.lab("check", self.file(self.lab("new", "--from", name)))
        self.assertEqual(self.lab("simulate", "2"), self.lab("simulate", "burst"))

    def test_what_the_readme_shows(self):
        readme = (HERE.parent.parent / "README.md").read_text()
        shown = readme.split("```\none counter: ")[1].split("```\n")[0]
        verdict, table = ("one counter: " + shown).split("\n\n")
        printed = self.lab("simulate", "celebrity")
        words = " ".join(printed.split())
        for sentence in " ".join(verdict.split()).removesuffix(" …").split(" 10 shards: "):
            self.assertIn(sentence, words)
        for row in table.splitlines():
            cells = re.split(r"  +", row)
            self.assertTrue(any(re.search(r"\A  " + ".*  ".join(map(re.escape, cells)) + r"\Z", line) for line in printed.splitlines()), row)

    def test_a_workbench_model(self):
        self.file((HERE / "lab_model.json").read_text(), "model.json")
        file = self.file("""
            [experiment]
            duration = "10s"
            [workbench]
            file = "model.json"
            [[table]]
            name = "shop"
            units = { read = 50, write = 10 }
            [[access]]
            name = "put"
            operation = "PutItem"
            key.PK = { distribution = "uniform", count = 100 }
            key.SK = { distribution = "ascending" }
            key.mail = { distribution = "uniform", count = 100 }
            load = { rate = 2 }
        """)
        self.lab("simulate", file, "--csv", str(self.folder / "csv"))
        rows = self.rows("resources")
        self.assertEqual({row["resource"] for row in rows}, {"shop", "shop/by-mail"})
        capacity = {(row["resource"], row["kind"]): row["capacity"] for row in rows}
        self.assertEqual(capacity["shop", "write"], "10")
        # PK 2+3, SK 2+2, mail 4+11, tags 4 + 3+(1+1)+(1+1)
        stored = int([row for row in rows if row["resource"] == "shop"][-1]["bytes"])
        self.assertEqual(stored % 35, 0)
        self.assertGreater(stored, 0)
        self.file("{}", "model.json")
        self.assertIn("model.json is no model of NoSQL Workbench", self.lab("check", file, code=1))

    def test_a_data_model(self):
        model = self.file(json.dumps({
            "tables": [{"table_name": "orders", "key_schema": {"partition_key": "customer", "sort_key": "order"}}],
            "access_patterns": [{"pattern_id": "Q1", "operation": "Query", "table": "orders", "peak_rps": 5}]}), "model.json")
        benchmark = self.file('{"duration_seconds": 30}', "benchmark.json")
        path = self.folder / "orders.toml"
        self.assertIn("is written", self.lab("new", str(path), "--model", model, "--benchmark", benchmark))
        self.assertRegex(self.lab("check", str(path)), r": 1 table, 1 access, 2 designs, 15 min\n$")
        self.assertIn("as benchmarked", self.lab("simulate", str(path)))
        self.assertIn("benchmark.json:1:22: duration_seconds must be",
                      self.lab("new", "--model", model, "--benchmark", self.file('{"duration_seconds": -1}', "benchmark.json"), code=1))
        self.assertIn("cannot read", self.lab("new", "--model", str(self.folder / "none.json"), code=1))
        # Nothing to write to the experiment's file, so there is none.
        broken = self.folder / "broken.toml"
        self.lab("new", str(broken), "--model", benchmark, code=1)
        self.assertFalse(broken.exists())

    def test_a_bill(self):
        metrics = self.file(json.dumps({"MetricDataResults": [{
            "Id": "m1", "Label": "orders ConsumedWriteCapacityUnits", "Values": [600, 600],
            "Timestamps": ["2026-11-25T00:00:00+00:00", "2026-11-25T00:01:00+00:00"]}]}), "week.json")
        bill = self.folder / "bill.json"
        shown = self.lab("bill", metrics, "--json", str(bill))
        # 10 units of 0.00065 and one of 0.00013 for 730 hours
        self.assertIn("Cheapest: provisioned for the busiest period, 4.84 USD a month", shown)
        self.assertAlmostEqual(json.loads(bill.read_text())["onDemand"], 10 * 3600 * 730 / 1e6 * 0.625)
        # 100 GB at 0.25 and as many at 0.2
        tables = self.file('[[table]]\nname = "orders"\nstorage = "100GB"\npitr = true\n', "paid.toml")
        shown = self.lab("bill", metrics, "--tables", tables, "--json", str(bill))
        self.assertIn("4.84 USD a month, and 45.00 USD for storage and more, whichever way", " ".join(shown.split()))
        self.assertEqual([line["position"] for line in json.loads(bill.read_text())["beside"]], ["storage", "point-in-time recovery"])
        # A put of three units each ten seconds: 0.3 a second.
        log = self.file("".join(json.dumps({"eventTime": f"2026-11-25T10:{second // 60:02}:{second % 60:02}Z", "eventSource": "dynamodb.amazonaws.com",
                                            "eventName": "PutItem", "requestParameters": {"tableName": "Music", "key": {"Artist": "Ray"}}}) + "\n"
                                for second in range(0, 130, 10)), "log.json")
        self.assertIn(b"an item counts as 2500 bytes", run("lab", "bill", log, "--item-size", "2500", "--json", str(bill)).stderr)
        self.assertAlmostEqual(json.loads(bill.read_text())["onDemand"], 0.3 * 3600 * 730 / 1e6 * 0.625)
        queries = json.loads(self.lab("bill", "--queries", "orders", "orders/by-status"))
        self.assertEqual(len(queries), 12)
        self.assertIn("give files of metrics, or --queries", self.lab("bill", code=1))
        self.assertIn("week.json:1:1: there are neither", self.lab("bill", self.file("{}", "week.json"), code=1))


class Results(Folder):
    def test_a_seed_repeats_every_byte(self):
        file = self.file(SMALL)
        texts = []
        for number, seed in enumerate(("1", "1", "2")):
            path = self.folder / f"{number}.json"
            shown = self.lab("simulate", file, "--seed", seed, "--json", str(path))
            texts.append((shown, path.read_bytes()))
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0][1], texts[2][1])

    def test_summary(self):
        shown = self.lab("simulate", self.file(SMALL))
        # The verdict comes first.
        self.assertRegex(shown, r"\ASmall\n\n  one: Nothing was throttled, and 100 % of [\d,]+ operations were served; the least that was left in "
                                r"reserve is 9\d\.\d %: key post#0 of posts took [\d.]+ of its partition's 1,000 write units a second on average\.\n  two, ")
        self.assertRegex(shown, r"\n  design +operations/s +served +throttled/s +USD/month +partitions +hottest key")
        self.assertRegex(shown, r"\n  one +\d+ +100 % +– ")
        self.assertIn("post#0", shown)
        self.assertIn("prices of us-east-1, 2026-07", shown)
        only = self.lab("simulate", self.file(SMALL), "--design", "one")
        self.assertNotIn("two", only)

    def test_csv_and_json_say_the_same(self):
        path = self.folder / "result.json"
        self.lab("simulate", self.file(SMALL), "--csv", str(self.folder / "csv"), "--json", str(path))
        result = json.loads(path.read_text())
        names = {"accesses", "accesses_by_minute", "resources", "resources_by_minute", "heat", "splits", "scalings", "keys", "costs", "bill",
                 "reserved"}
        self.assertEqual({file.stem for file in (self.folder / "csv").iterdir()}, names)
        tables = {name: self.rows(name) for name in names}
        self.assertEqual(len(tables["accesses"]), 2 * 90)
        self.assertEqual(len(tables["accesses_by_minute"]), 2 * 2)
        for design in result["designs"]:
            operations = sum(design["accesses"][0]["operations"])
            self.assertGreater(operations, 8_000)
            for name in ("accesses", "accesses_by_minute", "heat", "keys"):
                rows = [row for row in tables[name] if row["design"] == design["name"]]
                if name == "keys":
                    self.assertEqual(rows[0]["key"], "post#0")
                    self.assertAlmostEqual(int(rows[0]["operations"]) / operations, 0.5, delta=0.03)
                else:
                    self.assertEqual(sum(float(row["operations"]) for row in rows), operations, name)
            units = sum(design["resources"][0]["write"]["units"])
            self.assertEqual(units, operations)
        self.assertEqual(result["designs"][1]["name"], 'two, "shards"')

    def test_the_verdict_is_the_same_everywhere(self):
        path = self.folder / "result.json"
        hot = self.file(SMALL.split("[[design]]")[0].replace("rate = 100", "rate = 4000").replace('"90s"', '"10s"'))
        shown = self.lab("simulate", hot, "--json", str(path))
        finding, = json.loads(path.read_text())["designs"][0]["verdict"]
        self.assertEqual({name: finding[name] for name in ("kind", "resource", "access", "limit", "key", "from_second", "to_second")},
                         {"kind": "throttled", "resource": "posts", "access": "write", "limit": "partition limit", "key": "post#0",
                          "from_second": 0, "to_second": 10})
        self.assertAlmostEqual(finding["throttled"] / finding["attempts"], finding["share"])
        self.assertIn(f"\n\n  {finding['sentence']}\n  dynolith lab advise finds the cheapest design that serves.\n\n", shown)
        self.assertRegex(shown, r"throttled by\n  as it is .* post#0 \d+ write +partition limit of posts \(writes\)\n")
        self.assertRegex(shown, r"\n    posts: [\d,]+ writes/s \([\d.]+ %\) throttled by the partition limit, most of key post#0\n")

    def test_expectations_set_the_exit_code(self):
        path = self.folder / "result.json"
        expecting = lambda expect: self.file(SMALL.replace('title = "Small"', f'title = "Small"\nexpect = {expect}'))
        shown = self.lab("simulate", expecting("{ served = 0.999, cost = { most = 900 } }"))
        self.assertRegex(shown, r"\n  one: As expected: served of each access at least 99\.9 %, found 100 % of like\.\n"
                                r"  one: As expected: a month at most 900\.00 USD, found [\d.]+ USD\.\n  two, ")
        failed = run("lab", "simulate", expecting("{ served = 0.999, cost = { most = 240 } }"), "--json", str(path))
        self.assertEqual((failed.returncode, failed.stderr), (3, b""))
        self.assertRegex(failed.stdout.decode(), r'\n  two, "shards": NOT as expected: a month at most 240\.00 USD, found 3\d\d\.\d\d USD\.\n')
        met = [[expectation["met"] for expectation in design["expectations"]] for design in json.loads(path.read_text())["designs"]]
        self.assertEqual(met, [[True, True], [True, False]])
        # Of a design alone only what it is like itself counts.
        self.lab("simulate", expecting("{ cost = { most = 240 } }"), "--design", "one")
        self.assertIn("experiment.expect.p99 of design one: a simulation has no latencies",
                      self.lab("simulate", expecting('{ p99 = "20ms" }'), code=1))

    def test_seeds_are_a_spread(self):
        file = self.file(SMALL.replace('"90s"', '"20s"').replace("rate = 100", "rate = 3000"))
        path = self.folder / "seeds.json"
        # The same bytes on one core and on all.
        texts = []
        for cores in ({min(os.sched_getaffinity(0))}, os.sched_getaffinity(0)):
            shown = subprocess.run([cli_test.BINARY, "lab", "simulate", file, "--seed", "5", "--seeds", "4", "--json", str(path)], check=True,
                                   stdout=subprocess.PIPE, preexec_fn=lambda cores=cores: os.sched_setaffinity(0, cores)).stdout.decode()
            texts.append((shown, path.read_bytes()))
        self.assertEqual(*texts)
        self.assertRegex(shown, r"\n  By chance, with 4 seeds from 5 on[^:]*:\n  design +served +throttled/s +USD/month\n  one +[\d.]+ % to ")
        for design in json.loads(path.read_text())["designs"]:
            seeds = design["seeds"]
            self.assertEqual([run["seed"] for run in seeds["runs"]], [5, 6, 7, 8])
            for name in ("served", "throttled", "month"):
                figures = sorted(run[name] for run in seeds["runs"])
                self.assertEqual(list(seeds[name].values()), [figures[0], (figures[1] + figures[2]) / 2, figures[3]])
            self.assertEqual(seeds["runs"][0]["throttled"], design["totals"]["throttled"])
        alone = self.folder / "alone.json"
        self.lab("simulate", file, "--seed", "7", "--json", str(alone))
        for design, itself in zip(json.loads(path.read_text())["designs"], json.loads(alone.read_text())["designs"]):
            self.assertEqual(design["seeds"]["runs"][2]["month"], itself["totals"]["month"])
        # All have to be as expected.
        worst = min(run["served"] for run in json.loads(path.read_text())["designs"][0]["seeds"]["runs"])
        expects = self.file(pathlib.Path(file).read_text().replace("[experiment]", f"[experiment]\nexpect.served = {worst + 1e-9}"), "expects.toml")
        shown = run("lab", "simulate", expects, "--design", "one", "--seed", "5", "--seeds", "4")
        self.assertEqual(shown.returncode, 3, shown)
        self.assertRegex(shown.stdout.decode(), r"\n  one .* 3 of 4\n")

    def test_what_is_uncertain_is_a_band(self):
        texts = []
        hot = SMALL.replace("rate = 100", "rate = 3500").replace('"90s"', '"40s"').replace("UpdateItem", "GetItem").replace("rate = 200", "rate = 10")
        for name in ("first.json", "second.json"):
            path = self.folder / name
            shown = self.lab("simulate", self.file(hot.replace("item_size = 200", 'item_size = "16KB"')), "--uncertainty", "--json", str(path))
            texts.append((shown, path.read_bytes()))
        self.assertEqual(*texts)
        # The hot key asks for 3,500 units a second, and its partition gives 3,000 or 4,500.
        self.assertRegex(shown, r"\n  By what is uncertain in the service, [^:]*:\n  design +served +throttled/s +USD/month\n"
                                r"  one +7\d\.\d % to 9\d\.\d %, 7\d\.\d % .*\n  two, .* +100 % +–")
        one, two = (design["uncertainty"] for design in json.loads(path.read_text())["designs"])
        self.assertEqual([(run["split_delay_seconds"], run["eventual_read_units"]) for run in one["runs"]],
                         [(300, 3000), (180, 3000), (180, 4500), (900, 3000), (900, 4500)])
        self.assertEqual({run["seed"] for run in one["runs"]}, {1})
        self.assertEqual(one["served"]["least"], one["runs"][0]["served"])
        self.assertEqual(one["served"]["most"], one["runs"][2]["served"])
        self.assertEqual(set(two["served"].values()), {1})
        # All have to be as expected, the corners, too.
        expects = self.file(pathlib.Path(self.folder / "experiment.toml").read_text().replace("[experiment]", "[experiment]\nexpect.served = 0.5"))
        self.assertRegex(self.lab("simulate", expects, "--uncertainty"), r"\n  one .* 5 of 5\n")
        self.assertNotIn("By what is uncertain", self.lab("simulate", self.file(SMALL)))

    def test_profile_of_a_service(self):
        """A hot key asks for 3,500 units a second, and its partition gives what the profile says."""
        hot = self.file(SMALL.replace("rate = 100", "rate = 3500").replace('"90s"', '"40s"').replace("UpdateItem", "GetItem")
                        .replace("rate = 200", "rate = 10").replace("item_size = 200", 'item_size = "16KB"'))
        profile = self.file("# Found.\neventual_reads = 4500\n", "profile.toml")
        part = re.compile(r"\n  one +[\d,.]+ +([\d.]+) %")
        assumed, found = (float(part.search(self.lab("simulate", hot, *more)).group(1)) for more in ([], ["--profile", profile]))
        self.assertLess(assumed, 80)
        self.assertGreater(found, 90)
        broken = self.file('eventual_reads = 0\nsplit = "1m"\n', "broken.toml")
        self.assertEqual(self.lab("simulate", hot, "--profile", broken, code=1),
                         f"dynolith: {broken}:1:18: eventual_reads must be a whole number, 1 or more\n"
                         f"{broken}:2:1: split is not known here; did you mean split_delay?\n")
        broken = self.file('burst = "5 minutes"\nburst = "5m"\n', "broken.toml")
        self.assertIn(f"dynolith: {broken}:2:", self.lab("simulate", hot, "--profile", broken, code=1))
        broken = self.file('burst = "0s"\nsplit_delay = "soon"\neventual_reads = "many"\n[profile]\n', "broken.toml")
        self.assertEqual(self.lab("simulate", hot, "--profile", broken, code=1),
                         f"""dynolith: {broken}:1:9: burst must be a time such as "90s", "1h30m" or "7d", or seconds, above 0
{broken}:2:15: split_delay must be a time such as "90s", "1h30m" or "7d", or seconds
{broken}:3:18: eventual_reads must be a whole number, 1 or more
{broken}:4:2: profile is not known here; known are burst, split_delay and eventual_reads
""")
        self.assertEqual(run("lab", "simulate", hot, "--profile", profile, "--uncertainty").returncode, 2)
        self.assertIn("cannot read", self.lab("simulate", hot, "--profile", str(self.folder / "none.toml"), code=1))

    def result(self, text, name):
        path = str(self.folder / name)
        self.lab("simulate", self.file(text), "--json", path)
        return path

    def test_compare(self):
        provisioned = SMALL.replace("item_size = 200", 'item_size = 200\nbilling = "provisioned"\nunits = { read = 1, write = 300 }')
        before = self.result(provisioned, "before.json")
        self.assertEqual(self.lab("compare", before, before, "--fail-if-worse"),
                         f"From {before} to {before}\n\n  one: nothing is different\n\n  two, \"shards\": nothing is different\n")
        # Less for it serves less, and costs less; one design is new.
        after = self.result(provisioned.replace("write = 300", "write = 40").replace('"celebrity"', '"uniform"').replace(", hot_share = 0.5", "") +
                            '[[design]]\nname = "three"\n', "after.json")
        path = self.folder / "differences.json"
        shown = run("lab", "compare", before, after, "--json", str(path), "--fail-if-worse")
        self.assertEqual((shown.returncode, shown.stderr), (3, b""))
        self.assertRegex(shown.stdout.decode(), r"\n  two, \"shards\"\n    different +before +after\n"
                                                r"    served +100 % +[\d.]+ % +worse\n    USD/month +142\.\d\d +19\.\d\d\n"
                                                r"    throttled by the provisioned units of posts \(writes\) +0 +[\d,]+\n"
                                                r"    hottest key of posts +post#0 +none\n\n  three: only in .*after\.json\n\Z")
        differences = json.loads(path.read_text())
        self.assertEqual((differences["worse"], differences["added"]), (True, ["three"]))
        self.assertEqual(differences["designs"][1]["changes"][1]["worse"], False)
        # Without the flag it only says so; what has become better is no failure.
        self.lab("compare", before, after)
        dearer = self.lab("compare", after, before, "--design", "one")
        self.assertRegex(dearer, r"    USD/month +19\.\d\d +142\.\d\d +worse\n")
        self.assertNotIn("two", dearer)
        for tolerated in ("1000%", "month=1000%", "served=0%,month=1000%"):
            self.assertRegex(self.lab("compare", "--tolerance", tolerated, after, before, "--design", "one", "--fail-if-worse"),
                             r"    USD/month +19\.\d\d +142\.\d\d +worse, within 1000 %\n")
        shown = run("lab", "compare", after, before, "--tolerance", "5%,cost=5%")
        self.assertEqual((shown.returncode, shown.stderr.decode().splitlines()[0]), (
            2, "--tolerance: cost=5% is neither a percentage, such as 5%, nor one of a figure: served=1%, month=5%, p99=20%"))

    def test_what_cannot_be_compared(self):
        before = self.result(SMALL, "before.json")
        errors = lambda first, second, *more: self.lab("compare", first, second, *more, code=1).replace(str(self.folder), "DIR")
        other = self.result(SMALL.replace('name = "one"', 'name = "1"'), "other.json")
        self.assertEqual(errors(before, other), 'dynolith: DIR/other.json has no design one; it has 1, two, "shards"\n')
        self.assertEqual(errors(before, other, "--design", "2"), 'dynolith: DIR/before.json has no design 2; it has one, two, "shards"\n')
        self.assertIn("DIR/experiment.toml:2:", errors(before, self.file(SMALL)))
        self.assertEqual(errors(self.file("{}", "x.json"), before),
                         "dynolith: DIR/x.json is no result: it wants what --json of lab simulate or lab measure writes\n")
        result = json.loads(pathlib.Path(before).read_text())
        for version, name in ((None, "an older version"), (7, "version 7")):
            result["version"] = version
            self.assertEqual(errors(before, self.file(json.dumps(result), "x.json")),
                             f"dynolith: DIR/x.json is a result of {name}; compared are those of version 1: write it anew with --json\n")
        result["version"] = 1
        del result["designs"][0]["totals"]["served"]
        self.assertRegex(errors(before, self.file(json.dumps(result), "x.json")), r"\Adynolith: DIR/x\.json:1:\d+: .*served is missing\n\Z")
        result["prices"]["currency"] = "EUR"
        result["designs"][0]["totals"]["served"] = 1
        self.assertIn("are in USD, those of DIR/x.json in EUR", errors(before, self.file(json.dumps(result), "x.json")))
        self.assertIn("cannot read DIR/gone.json", errors(before, str(self.folder / "gone.json")))

    def test_prices(self):
        prices = self.lab("prices").replace("write_million = 0.625", "write_million = 6.25").replace('"USD"', '"EUR"')
        file = self.file(prices, "prices.toml")
        figures = []
        for more in ((), ("--prices", file)):
            shown = self.lab("simulate", self.file(SMALL), "--design", "one", *more)
            figures.append(float(re.search(r"a month: ([\d,.]+) (?:USD|EUR) on demand", shown).group(1).replace(",", "")))
        self.assertAlmostEqual(figures[1] / figures[0], 10, delta=0.01)

    def test_vectors_bulk_puts_and_streams(self):
        """What an experiment does with them is in the summary, the JSON and the bill."""
        more = SMALL.split("[[design]]")[0].replace("item_size = 200", """item_size = 2000
stream = { readers = 2, functions = 1, interval = "1s" }
[[table.vector_index]]
name = "near"
dimensions = 256
projection = "KEYS_ONLY"
""") + """
[[access]]
name = "find"
operation = "SearchVectors"
index = "near"
searched = "41KB"
load = { rate = 50 }
[[access]]
name = "fill"
operation = "BulkPutItems"
key.post = { distribution = "random" }
items = 10_000
units = 2000
monthly = 30
"""
        json_file = self.folder / "run.json"
        text = self.lab("simulate", self.file(more), "--json", str(json_file))
        self.assertRegex(text, r"    find: searches were charged for 2.0 MB/s of vectors\n")
        self.assertRegex(text, r"    fill: a bulk put wrote 10,000 items and was charged for [\d.]+ MB; it was done after 10.\d* s\n")
        self.assertRegex(text, r"    posts: its vector indexes hold 10.\d MB, and writes were charged for 1\d\d KB/s of them\n")
        for line in (r"posts +reads of streams +10\.5 million +0\.2 +2\.1", r"vectors stored .*GB +0\.25 ",
                     r"vectors written .*GB +0\.52 ", r"vectors searched .*GB +0\.002 ", r"bulk put +0\.56 GB"):
            self.assertRegex(text, line)
        self.assertIn("no price known for bulk put in us-east-1", text)
        run = json.loads(json_file.read_text())["designs"][0]
        self.assertEqual(run["accesses"][2]["bulk_put"]["items"], 10_000)
        self.assertGreater(run["accesses"][1]["searched_bytes"], 80e6)
        self.assertGreater(run["resources"][0]["vector_written_bytes"], 0)
        priced = self.lab("prices").replace("vector_search_gb = 0.002", "vector_search_gb = 0.002\nbulk_put_gb = 2\nbulk_put_vector_gb = 2")
        self.assertNotIn("no price known", self.lab("simulate", self.file(more), "--prices", self.file(priced, "prices.toml")))
        self.assertIn("cannot be measured: it has no bucket", self.lab("measure", self.file(more), code=1))
        adaptive = 'client = "adaptive boto3 1.44"\n' + SMALL
        self.assertIn("client.adaptive cannot be measured", self.lab("measure", self.file(adaptive), code=1))

    def test_months(self):
        path = self.folder / "month.json"
        self.lab("simulate", self.file(SMALL.replace("[experiment]\n", "[experiment]\nmonth = { weekends = 0 }\n", 1)), "--design", "one",
                 "--json", str(path))
        composed = json.loads(path.read_text())["designs"][0]["bill"][0]
        self.lab("simulate", self.file(SMALL), "--design", "one", "--json", str(path))
        self.assertAlmostEqual(composed["quantity"] / json.loads(path.read_text())["designs"][0]["bill"][0]["quantity"], 5 / 7)

    def test_regions(self):
        file = self.file(SMALL)
        self.assertIn("prices of eu-central-1, 2026-09", self.lab("simulate", file, "--design", "one", "--region", "eu-central-1"))
        there = self.file(SMALL.replace("[experiment]\n", '[experiment]\nregion = "eu-west-1"\n', 1), "there.toml")
        self.assertIn("Warning: no price known for writes on demand in eu-west-1, so it is in no sum",
                      self.lab("simulate", there, "--design", "one"))
        self.assertIn("no price known for writes on demand in eu-west-1, so ways to pay cannot be compared",
                      self.lab("advise", there, code=1))
        self.assertIn("no prices known of eu-wets-1; did you mean eu-west-1?", self.lab("simulate", file, "--region", "eu-wets-1", code=1))


class Advice(Folder):
    def test_what_a_person_reads(self):
        shown = self.lab("advise", self.file(SMALL), "--throttled", "0.01")
        self.assertIn("At most 1.0 % of any access may be throttled or refused, in 95.0 % of 20 placements of the keys", shown)
        self.assertIn("Open, since there is no [advise]:", shown)
        self.assertRegex(shown, r"\n  serves +placements +USD/month +not served +design\n  yes +\d\d of 20 +[\d.]+ +\S+( %)? +provisioned \d+ write units\n")
        self.assertRegex(shown, r"\n  Take: provisioned \d+ write units\n +[\d.]+ USD a month, if the month is as these 90 s\n +It serves in [\d.]+ % of placements")
        self.assertIn("\n[[design]]\nname = \"provisioned ", shown)
        self.assertRegex(shown, r"\n  \d+ simulations of at most 90 s, seed 1; prices of us-east-1, 2026-07")
        self.assertLessEqual(max(map(len, shown.splitlines())), 130)

    def test_nothing_serves(self):
        file = self.file(SMALL.replace("rate = 100", "rate = 6000").replace("90s", "5s") + "[advise]\nopen = []\nplacements = 2\n")
        path = self.folder / "design_findings.json"
        shown = run("lab", "advise", file, "--findings", str(path))
        self.assertEqual((shown.returncode, shown.stderr.decode(), path.exists()),
                         (3, f"dynolith: warning: no design is advised, so {path} is not written\n", False))
        self.assertIn("No design within what is open serves this load", shown.stdout.decode())

    def test_what_programs_read(self):
        path, page = self.folder / "advice.json", self.folder / "advice.html"
        file = self.file(SMALL + '[advise]\nopen = ["table.posts.billing"]\n')
        self.lab("advise", file, "--json", str(path), "--report", str(page))
        advice = json.loads(path.read_text())
        self.assertEqual(advice["open"], ["table.posts.billing"])
        self.assertEqual([advice[name] for name in ("utilization", "burst", "placements", "serves")], [0.7, False, 20, 0.95])
        for design in advice["designs"]:
            self.assertGreaterEqual(design["placements"]["served"], 19)
            self.assertEqual((design["placements"]["tried"], design["once"], design["helps"]), (20, 0, []))
        self.assertEqual([design["serves"] for design in advice["designs"]], [True, True])
        costs = [design["month"] for design in advice["designs"]]
        self.assertEqual(costs, sorted(costs))
        pasted = self.file(SMALL + "".join("\n" + design["toml"] for design in advice["designs"] if design["toml"]), "pasted.toml")
        self.assertRegex(self.lab("check", pasted), r"4 designs")
        self.assertIn("<html", page.read_text()[:1000])

    def test_ctrl_c_shows_what_there_is(self):
        process = subprocess.Popen([cli_test.BINARY, "lab", "advise", self.file(Running.LONG)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        cli_test.wait_until_caught(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertIn("Stopped before its end: there may be cheaper designs.", shown)

    def test_what_makes_no_sense(self):
        self.assertIn("there is no design three", self.lab("advise", self.file(SMALL), "--design", "three", code=1))
        self.lab("advise", self.file(SMALL), "--throttled", "2", code=2)


class Running(Folder):
    LONG = SMALL.replace('"90s"', '"24h"').replace("rate = 100", "rate = 5000")

    def test_ctrl_c_shows_what_there_is(self):
        process = subprocess.Popen([cli_test.BINARY, "lab", "simulate", self.file(self.LONG), "--csv", str(self.folder / "csv")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cli_test.wait_until_caught(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertIn("Stopped before its end: it would have lasted 24 h.", shown)
        self.assertTrue((self.folder / "csv" / "accesses.csv").exists())

    def test_cores_change_only_the_time(self):
        results = []
        cores = os.sched_getaffinity(0)
        for used in (cores, {min(cores)}):
            path = self.folder / f"{len(used)} of {len(results)}.json"
            subprocess.run([cli_test.BINARY, "lab", "simulate", self.file(SMALL), "--json", str(path)], check=True, timeout=SECONDS,
                           stdout=subprocess.DEVNULL, preexec_fn=lambda used=used: os.sched_setaffinity(0, used))
            results.append(path.read_bytes())
        self.assertEqual(results[0], results[1])

    def test_a_bar_stays_in_one_line(self):
        leader, follower = pty.openpty()
        fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 44, 0, 0))
        process = subprocess.Popen([cli_test.BINARY, "lab", "simulate", self.file(self.LONG)], stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        seen = b""
        deadline = time.monotonic() + SECONDS
        while seen.count(b"\r") < 3 and time.monotonic() < deadline:
            seen += os.read(leader, 4096)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)
        os.close(leader)
        lines = seen.decode().replace("\033[K", "").split("\r")
        self.assertTrue(any("simulated" in line for line in lines), lines)
        self.assertLessEqual(max(len(line) for line in lines), 43)

    def test_tables_keep_to_the_window(self):
        leader, follower = pty.openpty()
        fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        shown = b""
        with subprocess.Popen([cli_test.BINARY, "lab", "list"], stdout=follower, stderr=subprocess.PIPE) as process:
            os.close(follower)
            try:
                while piece := os.read(leader, 4096):
                    shown += piece
            except OSError:
                pass  # the end of a terminal that nobody has any more
        os.close(leader)
        lines = shown.decode().replace("\r", "").splitlines()
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(max(len(line) for line in lines), 60)
        # Nothing is lost, and who reads a pipe gets a line for each row.
        piped = self.lab("list")
        self.assertEqual(" ".join(lines).split(), piped.split())
        self.assertGreater(max(len(line) for line in piped.splitlines()), 60)

    def test_a_terminal_has_a_bar(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([cli_test.BINARY, "lab", "simulate", self.file(self.LONG)], stdout=subprocess.PIPE,
                                   stderr=follower)
        os.close(follower)
        seen = b""
        deadline = time.monotonic() + SECONDS
        while b"decisions/s" not in seen and time.monotonic() < deadline:
            seen += os.read(leader, 4096)
        self.assertRegex(seen.decode(), r"Small \[#*\.+\] [\d.]+ %, .* simulated, [\d,.]+ decisions/s")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)
        os.close(leader)


REWRITE = "--rewrite" in sys.argv

if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    if REWRITE:
        sys.argv.remove("--rewrite")
    unittest.main()
