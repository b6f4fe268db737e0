#!/usr/bin/env python3
"""Figures for Prometheus and `dynolith top`, through the program: every line is one that Prometheus reads, figures are those of
what a client has done, and a terminal is left as it was.

    metrics_test.py <dynolith binary> [unittest arguments]
"""

import fcntl
import http.client
import json
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import cli_test
from capacity_test import MUSIC
from cli_test import SECONDS, run
from clock_test import START, Clocked

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
LINE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")


def parse(text):
    """{(metric, sorted labels): value}, by the grammar of the text format 0.0.4, in which every family is announced once."""
    assert text.endswith("\n")
    values, types = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, family, kind = line.split(" ")
            assert family not in types, line
            types[family] = kind
        elif line.startswith("# HELP "):
            continue
        else:
            match = LINE.fullmatch(line)
            assert match, line
            name, labels, value = match.groups()
            family = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
            assert family in types, line
            pairs = re.findall(rf'({NAME})="((?:[^"\\]|\\.)*)"', labels or "")
            key = (name, tuple(sorted(pairs)))
            assert key not in values, line
            values[key] = float(value)
    return values, types


class Watched(unittest.TestCase):
    def start(self, *arguments):
        # The clock stands still, so that buckets do not fill up meanwhile.
        server = Clocked("--clock", "manual", "--clock-start", str(START), *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def put(self, server, pk, sk="1"):
        item = {"pk": {"S": pk}, "sk": {"S": sk}, "genre": {"S": "soul"}}
        return server.request("PutItem", json.dumps({"TableName": "music", "Item": item}).encode())[0]

    def work(self, server):
        """Three puts and two that are throttled."""
        server.call("CreateTable", **MUSIC)
        server.admin("POST", "capacity", {"table": "music", "mode": "static", "scale": 0.03})
        self.assertEqual([self.put(server, "a") for _ in range(5)], [200, 200, 200, 400, 400])


class Metrics(Watched):
    def scrape(self, server, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.request("GET", "/_dynolith/metrics", headers=headers)
        response = connection.getresponse()
        self.assertEqual((response.status, response.getheader("content-type")), (200, "text/plain; version=0.0.4; charset=utf-8"))
        values, self.types = parse(response.read().decode())

        def value(metric, **labels):
            return values.get((f"dynolith_{metric}", tuple(sorted(labels.items()))))
        self.values = values
        return value

    def test_what_a_client_has_done(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = self.start("--data", f"{folder.name}/data")
        self.work(server)
        server.call("GetItem", TableName="music", Key={"pk": {"S": "a"}, "sk": {"S": "1"}})
        self.assertEqual(server.request("PutItem", b"{")[0], 400)
        self.assertEqual(server.request("NoSuchThing", b"{}")[0], 400)
        server.admin("POST", "faults", {"fault": "unavailable", "operation": "ListTables"})
        self.assertEqual(server.request("ListTables", b"{}")[0], 503)
        server.admin("POST", "faults", {"fault": "dropped_connection", "operation": "DescribeLimits"})
        with self.assertRaises(http.client.RemoteDisconnected):
            server.call("DescribeLimits")
        value = self.scrape(server)
        self.assertEqual(value("requests_total", operation="PutItem", outcome="success"), 3)
        self.assertEqual(value("requests_total", operation="PutItem", outcome="ProvisionedThroughputExceededException"), 2)
        self.assertEqual(value("requests_total", operation="PutItem", outcome="SerializationException"), 1)
        self.assertEqual(value("requests_total", operation="none", outcome="UnknownOperationException"), 1)
        self.assertEqual(value("requests_total", operation="ListTables", outcome="ServiceUnavailable"), 1)
        self.assertEqual(value("requests_total", operation="DescribeLimits", outcome="dropped"), 1)
        self.assertEqual(value("faults_injected_total", rule="1", fault="unavailable"), 1)
        self.assertEqual(value("request_duration_seconds_count", operation="PutItem"), 6)
        self.assertEqual(value("request_duration_seconds_bucket", operation="PutItem", le="+Inf"), 6)
        music = {"table": "music", "index": ""}
        self.assertEqual(value("consumed_capacity_units_total", kind="write", **music), 3)
        self.assertEqual(value("consumed_capacity_units_total", kind="read", **music), 0.5)
        self.assertEqual(value("consumed_capacity_units_total", kind="write", table="music", index="by-genre"), 1)
        self.assertEqual(value("throttled_accesses_total", kind="write", reason="provisioned", **music), 2)
        self.assertEqual(value("throttled_accesses_total", kind="write", reason="key_range", **music), 0)
        self.assertEqual((value("tables"), value("indexes"), value("store_writes_stopped")), (1, 1, 0))
        self.assertGreaterEqual(value("open_connections"), 1)
        self.assertGreater(value("store_memtable_bytes"), 0)
        self.assertGreater(value("store_log_bytes"), 0)

    def test_a_database_by_its_name(self):
        server = self.start()
        self.work(server)
        self.assertEqual(server.admin("POST", "databases", {"name": "copy", "from": ""})[0], 200)
        named = {"x-dynolith-database": "copy"}
        self.assertEqual(self.scrape(server, **named)("consumed_capacity_units_total", kind="write", table="music", index=""), 0)
        self.assertEqual(server.request("DeleteTable", b'{"TableName": "music"}')[0], 200)
        self.assertEqual([self.scrape(server)("tables"), self.scrape(server, **named)("tables")], [0, 1])
        # Calls are counted together.
        self.assertEqual(self.scrape(server, **named)("requests_total", operation="PutItem", outcome="success"), 3)
        named["x-dynolith-database"] = "none"
        self.assertEqual(server.admin("GET", "metrics", headers=named), (404, {"error": "there is no database none"}))

    def test_the_shape_of_it(self):
        server = self.start("--memory")
        self.work(server)
        first = self.scrape(server)
        sums = {}
        for (name, labels), number in sorted(self.values.items()):
            self.assertFalse(math.isnan(number), name)
            family = re.sub("_(bucket|sum|count)$", "", name)
            kind = self.types.get(name) or self.types[family]
            self.assertEqual(name.endswith("_total"), kind == "counter", name)
            if name.endswith("_bucket"):
                of = dict(labels)["operation"]
                sums.setdefault(of, []).append((float(dict(labels)["le"].replace("+Inf", "inf")), number))
        for of, buckets in sums.items():
            counts = [count for _, count in sorted(buckets)]
            self.assertEqual(counts, sorted(counts), of)
        self.put(server, "b")
        again = self.scrape(server)
        calls = {"operation": "PutItem"}
        self.assertEqual(again("request_duration_seconds_count", **calls), first("request_duration_seconds_count", **calls) + 1)

    def test_not_without_admin(self):
        with cli_test.Server("--memory") as server:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("GET", "/_dynolith/metrics")
            self.assertNotIn(b"dynolith_", connection.getresponse().read())
            connection.close()


class Top(Watched):
    def frame_beside_puts(self, server, url, interval):
        with subprocess.Popen([cli_test.BINARY, "top", url, "--once", "--interval", interval], stdout=subprocess.PIPE, text=True) as top:
            # All the time, whenever its two looks are.
            while top.poll() is None:
                server.advance(1)
                self.assertEqual([self.put(server, "hot", "x") for _ in range(4)], [200, 200, 200, 400])
            text = top.communicate(timeout=SECONDS)[0]
        self.assertEqual(top.returncode, 0)
        return text

    def test_one_frame(self):
        server = self.start("--memory", "--hot-keys")
        self.work(server)
        url = f"http://127.0.0.1:{server.port}"
        some = r"(?!0\.0\b)\d[\d.]*"
        of_table = rf"(?m)^music +0\.0 +{some} +{some}  write provisioned {some}$"
        # On a busy machine there may be no put of a kind between the two looks, but in a longer time.
        for interval in ("1", "5", "25"):
            text = self.frame_beside_puts(server, url, interval)
            if re.search(of_table, text):
                break
        self.assertTrue(text.startswith(f"dynolith top  {url}  "), text)
        head, calls, tables, partitions, accessed, items, throttled, throttled_items = text.split("\n\n")
        self.assertRegex(head, rf" {some} calls/s  {some} throttled/s$")
        self.assertRegex(calls, rf"(?m)^PutItem +{some} +{some} +\d+\.\d\d ms +\d+\.\d\d ms$")
        self.assertRegex(tables, of_table)
        self.assertRegex(partitions, rf"(?m)^music #1 +0\.0 +{some} ")
        partition = r'0\.0  \{"pk":\{"S":"hot"\}\}$'
        item = r'0\.0  \{"pk":\{"S":"hot"\},"sk":\{"S":"x"\}\}$'
        for section, head, key in ((accessed, "HOT PARTITION KEYS", partition), (items, "HOT ITEMS", item),
                                   (throttled, "THROTTLED PARTITION KEYS", partition), (throttled_items, "THROTTLED ITEMS", item)):
            self.assertRegex(section, rf"(?m)\A{head} .*\nmusic +[\d.]+ +[\d.]+ +{key}")
        self.assertNotIn("\x1b", text)

    def test_an_idle_server(self):
        server = self.start("--memory")
        shown = run("top", f"http://127.0.0.1:{server.port}", "--once", "--interval", "0.1")
        self.assertEqual((shown.returncode, shown.stderr), (0, b""))
        for words in ("no calls", "nothing used", "nobody watches: serve --hot-keys, or UpdateContributorInsights"):
            self.assertIn(words, shown.stdout.decode())

    def test_no_server(self):
        for url, words in (("http://127.0.0.1:1", b"cannot ask http://127.0.0.1:1: Connection refused"),
                           ("127.0.0.1:8000", b"127.0.0.1:8000 is no server's address such as http://127.0.0.1:8000")):
            shown = run("top", url, "--once")
            self.assertEqual((shown.returncode, shown.stdout), (1, b""), shown)
            self.assertIn(words, shown.stderr)
        with cli_test.Server("--memory") as server:
            self.assertIn(b"was it started with --admin?", run("top", f"http://127.0.0.1:{server.port}", "--once").stderr)

    def live(self, server):
        """(process, master) of a terminal of 90 by 40."""
        master, terminal = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
        self.before = termios.tcgetattr(terminal)
        self.terminal = terminal
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen([cli_test.BINARY, "top", f"http://127.0.0.1:{server.port}", "--interval", "0.2"],
                                   stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
        self.addCleanup(process.kill)
        return process, master

    def read_until(self, master, words):
        text = ""
        end = time.monotonic() + SECONDS
        while words not in text:
            self.assertLess(time.monotonic(), end, text)
            if select.select([master], [], [], 0.1)[0]:
                text += os.read(master, 65536).decode()
        return text

    def test_live_until_q_or_a_signal(self):
        server = self.start("--memory")
        for leave in (lambda process, master: os.write(master, b"q"), lambda process, master: process.send_signal(signal.SIGINT),
                      lambda process, master: process.send_signal(signal.SIGTERM)):
            process, master = self.live(server)
            text = self.read_until(master, "THROTTLED PARTITION KEYS")
            self.assertIn("\x1b[?1049h", text)
            # Another size is another frame, at once.
            fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 30, 0, 0))
            process.send_signal(signal.SIGWINCH)
            self.read_until(master, "\x1b[H")
            leave(process, master)
            text = self.read_until(master, "\x1b[?1049l")
            self.assertIn("\x1b[?25h", text)
            self.assertEqual(process.wait(SECONDS), 0)
            self.assertEqual(termios.tcgetattr(self.terminal), self.before)

    def test_a_server_that_goes_away_is_waited_for(self):
        server = self.start("--memory")
        process, master = self.live(server)
        self.read_until(master, "THROTTLED PARTITION KEYS")
        server.stop()
        self.read_until(master, "trying again")
        os.write(master, b"q")
        self.assertEqual(process.wait(SECONDS), 0)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
