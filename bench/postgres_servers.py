#!/usr/bin/env python3
"""Runs postgres_servers on 1, 2 and 4 servers over a PostgreSQL of its own.

    postgres_servers.py <dynolith binary> <postgres_servers> [seconds of each measurement]
    postgres_servers.py <dynolith binary> <postgres_servers> --tails [seconds]
    postgres_servers.py <dynolith binary> <postgres_servers> --drop [items]

--tails: what rows cost that all writers put at the end of one range: two servers, 16 writers, calls a second, and how many
transactions PostgreSQL has aborted for each thousand calls; with streams in one shard, in four, and ordered by a counter.
--drop: how long the rows of a dropped table take to go, and what other calls wait meanwhile.
"""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests" / "postgres"), str(ROOT / "tests" / "wire")]
from cluster import Cluster  # noqa: E402
import raw  # noqa: E402

# What is measured, by postgres_servers; the stamps of the store; more options of the servers.
TAILS = (("plain", "transaction-ids", ()), ("expiry", "transaction-ids", ()), ("expiry-spread", "transaction-ids", ()),
         ("stream", "transaction-ids", ("--stream-shards", "1")), ("stream", "transaction-ids", ("--stream-shards", "4")),
         ("stream", "counter", ("--stream-shards", "1")), ("transaction", "transaction-ids", ()), ("token", "transaction-ids", ()))
ABORTED = re.compile(r"ERROR:  (?:could not serialize|deadlock)")
BATCH = 25


class Servers(contextlib.ExitStack):
    """Servers over a store of its own; each has its port."""

    def __init__(self, binary, count, *options, stamps="transaction-ids"):
        super().__init__()
        cluster = self.enter_context(Cluster())
        self.primary = cluster.make_primary("synchronous_commit=on")
        self.log = cluster.folder / "primary.log"
        self.binary, self.options = binary, options
        subprocess.run([binary, "store", "init", self.primary.url(), "--stamps", stamps], check=True, stdout=subprocess.DEVNULL)
        self.ports = []
        self.add(count)

    def add(self, count):
        while len(self.ports) < count:
            words = (self.binary, "--auth", "off", "--store", self.primary.url(), *self.options)
            self.ports.append(str(self.enter_context(raw.Server(*words)).port))

    def aborts(self):
        return len(ABORTED.findall(self.log.read_text(errors="replace")))

    def call(self, operation, **members):
        with raw.Connection(int(self.ports[0])) as connection:
            connection.send(raw.request(operation, json.dumps(members)))
            answer = connection.receive()
        assert answer.status == 200, answer.body
        return json.loads(answer.body)


def servers(binary, program, seconds):
    with Servers(binary, 0) as fleet:
        for count in (1, 2, 4):
            fleet.add(count)
            print(f"{count} servers", flush=True)
            subprocess.run([program, seconds, *fleet.ports], check=True)


def tails(binary, program, seconds):
    for kind, stamps, options in TAILS:
        with Servers(binary, 2, *options, stamps=stamps) as fleet:
            before = fleet.aborts()
            line = subprocess.run([program, kind, seconds, *fleet.ports], check=True, capture_output=True, text=True).stdout.strip()
            calls = float(line.split()[1]) * max(float(seconds), 1e-9)
            aborts = (fleet.aborts() - before) / max(calls, 1) * 1000
            print(f"{line}, {aborts:.1f} aborts in 1,000 calls  {stamps} {' '.join(options)}", flush=True)


class Caller(threading.Thread):
    """Reads and writes an item of another table all the time; `seconds` is what each call took, since the last look."""

    def __init__(self, fleet):
        super().__init__(daemon=True)
        self.fleet, self.seconds, self.is_over = fleet, [], False
        fleet.call("CreateTable", **table("other"))
        self.start()

    def run(self):
        while not self.is_over:
            for operation, member in (("PutItem", "Item"), ("GetItem", "Key")):
                began = time.monotonic()
                self.fleet.call(operation, TableName="other", **{member: {"h": {"S": "x"}}})
                self.seconds.append(time.monotonic() - began)

    def look(self):
        seconds, self.seconds = sorted(self.seconds), []
        return ", ".join(f"{name} {1000 * seconds[int(len(seconds) * part)]:.1f} ms"
                         for name, part in (("median", 0.5), ("p99", 0.99), ("longest", 1 - 1 / len(seconds))))


def table(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "h", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}]}


def drop(binary, items):
    with Servers(binary, 1) as fleet:
        fleet.call("CreateTable", **table("dropped"))
        for first in range(0, items, BATCH):
            puts = [{"PutRequest": {"Item": {"h": {"S": f"{i}"}, "s": {"S": "x" * 200}}}} for i in range(first, first + BATCH)]
            fleet.call("BatchWriteItem", RequestItems={"dropped": puts})
        caller = Caller(fleet)
        time.sleep(5)
        print(f"other calls before: {caller.look()}", flush=True)
        rows = "SELECT count(*) FROM dynolith.tables"
        began = time.monotonic()
        fleet.call("DeleteTable", TableName="dropped")
        print(f"DeleteTable was answered after {time.monotonic() - began:.2f} s", flush=True)
        while int(fleet.primary.query(rows)) > 1:
            time.sleep(0.5)
        print(f"the rows of {items} items were gone after {time.monotonic() - began:.1f} s")
        print(f"other calls meanwhile: {caller.look()}")
        caller.is_over = True
        caller.join()


def main():
    binary, program, *words = sys.argv[1:]
    if words[:1] == ["--tails"]:
        tails(binary, program, (words[1:] or ["5"])[0])
    elif words[:1] == ["--drop"]:
        drop(binary, int((words[1:] or ["200000"])[0]))
    else:
        servers(binary, program, (words or ["5"])[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
