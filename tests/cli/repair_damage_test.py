#!/usr/bin/env python3
"""What `repair` saves of damaged stores: whatever file is flipped, cut, exchanged or gone, the result opens, `check` agrees with
it, nothing is in it that never was, and no item is missing unless it is said. Stores with indexes, a stream, expiry rows, the
history and a backup, closed and killed.

    repair_damage_test.py <dynolith binary> [--rounds N] [--seed N] [--selected N]

A round damages each file of each store in each way at a place that is drawn; without --rounds one file of each kind, or --selected
damages of each store. Each damage is printed when it fails, and the seed always.
"""

import argparse
import collections
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import cli_test
from cli_test import SECONDS, Server

WAYS = ("flip", "cut", "swap", "remove")
# Of one kind of file and one way.
SELECTED_EACH = 1
FAMILY = re.compile(rb"rocksdb\.column\.family\.id.{0,40}?name(default|tables|gsi|lsi|log|expiry)", re.DOTALL)

HASH_AND_RANGE = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
TABLES = (
    {"TableName": "plain", "BillingMode": "PAY_PER_REQUEST",
     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
     "KeySchema": HASH_AND_RANGE[:1]},
    {"TableName": "rich", "BillingMode": "PAY_PER_REQUEST",
     "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"), ("n", "N"))],
     "KeySchema": HASH_AND_RANGE,
     "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
     "GlobalSecondaryIndexes": [{"IndexName": "by-n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}}],
     "LocalSecondaryIndexes": [{"IndexName": "by-n-there", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                "KeySchema": [HASH_AND_RANGE[0], {"AttributeName": "n", "KeyType": "RANGE"}]}]},
)


class Maker:
    """Fills a store in several sessions, each of which leaves files of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.ever = collections.defaultdict(set)  # number -> values of the item
        self.now = {}

    def put(self, server, number, session):
        value = f"{number} of session {session}"
        for table in ("plain", "rich"):
            item = {"pk": {"S": f"{table}{number % 7 if table == 'rich' else number}"}, "n": {"N": str(number)}, "value": {"S": value},
                    "expires": {"N": "4000000000"}}
            if table == "rich":
                item["sk"] = {"N": str(number)}
            server.call("PutItem", TableName=table, Item=item)
            self.ever[table, number].add(value)
            self.now[table, number] = value

    def session(self, number, is_killed=False):
        with Server("--data", str(self.folder)) as server:
            if number == 0:
                for table in TABLES:
                    server.call("CreateTable", **table)
                server.call("UpdateTimeToLive", TableName="rich", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
                server.call("UpdateContinuousBackups", TableName="plain",
                            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            for item in range(40 * number, 40 * number + 60):
                self.put(server, item, number)
            if number == 1:
                server.call("CreateBackup", TableName="plain", BackupName="once")
            server.stop(signal.SIGKILL if is_killed else signal.SIGTERM)


def files_of(folder):
    """By kind. Nobody reads what is left out."""
    kinds = collections.defaultdict(list)
    for path in sorted(folder.iterdir()):
        name = path.name
        if name.endswith(".sst"):
            found = FAMILY.search(path.read_bytes())
            kinds["table file of " + (found.group(1).decode() if found else "?")].append(name)
        elif name.endswith(".log"):
            kinds["log"].append(name)
        elif name in ("CURRENT", "DYNOLITH") or name.startswith("MANIFEST-"):
            kinds[name.split("-")[0]].append(name)
    return kinds


def damage(path, way, draw, others):
    """Whether the file is another one then."""
    data = path.read_bytes()
    if way == "remove":
        path.unlink()
    elif way == "swap":
        if not others:
            return False
        other = path.parent / draw.choice(others)
        if other.read_bytes() == data:
            return False
        path.write_bytes(other.read_bytes())
        other.write_bytes(data)
    elif not data:
        return False
    elif way == "cut":
        path.write_bytes(data[:draw.randrange(len(data))])
    else:
        at = draw.randrange(len(data))
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:])
    return True


def items_of(server):
    """(table or None, number) -> value, of all tables but backups."""
    found = {}
    for table in server.call("ListTables")["TableNames"]:
        start = {}
        while True:
            page = server.call("Scan", TableName=table, **start)
            for item in page["Items"]:
                own = "rich" if "sk" in item else "plain"
                found[own, int(item["n"]["N"])] = item["value"]["S"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return found


class Trial:
    def __init__(self, maker, scratch, draw):
        self.maker = maker
        self.folder = scratch / "damaged"
        self.saved = scratch / "saved"
        self.draw = draw

    def run(self, kind, name, way):
        """What is wrong; None: nothing, or nothing was damaged."""
        for folder in (self.folder, self.saved):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.maker.folder, self.folder)
        same_kind = [other for files in files_of(self.folder).values() for other in files
                     if other != name and other.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]]
        if not damage(self.folder / name, way, self.draw, same_kind):
            return None
        repaired = subprocess.run([cli_test.BINARY, "repair", str(self.folder), str(self.saved)], capture_output=True, check=False,
                                  text=True, timeout=SECONDS)
        problem = self.judge(kind, way, repaired)
        return problem and f"{self.maker.folder.name}: {name} ({kind}), {way}: {problem}\n{repaired.stdout}{repaired.stderr}"

    def judge(self, kind, way, repaired):
        if repaired.returncode not in (0, 3):
            return f"repair ended with {repaired.returncode}"
        checked = subprocess.run([cli_test.BINARY, "check", str(self.saved)], capture_output=True, check=False, text=True,
                                 timeout=SECONDS)
        if checked.returncode != 0:
            return f"check: {checked.stdout[:300]}{checked.stderr}"
        try:
            with Server("--data", str(self.saved)) as server:
                found = items_of(server)
        except AssertionError as failure:
            return f"serve: {failure}"
        never = [key for key, value in found.items() if value not in self.maker.ever[key]]
        if never:
            return f"never written: {never[:5]}"
        wrong = [key for key, value in self.maker.now.items() if found.get(key) != value]
        if repaired.returncode == 0 and wrong:
            return f"not said to be missing: {wrong[:5]} of {len(wrong)}"
        is_of_others = kind.startswith("table file of") and not kind.endswith(("tables", "?"))
        if is_of_others and way != "swap" and wrong:
            return f"sound, and missing: {wrong[:5]} of {len(wrong)}"
        return None


def make_stores(scratch):
    makers = []
    for name in ("closed", "killed"):
        maker = Maker(scratch / name)
        for session in range(3):
            maker.session(session, is_killed=name == "killed" and session == 2)
        makers.append(maker)
    return makers


def damages_of(maker, draw, is_whole):
    for kind, names in sorted(files_of(maker.folder).items()):
        for way in WAYS:
            chosen = names if is_whole else draw.sample(names, min(SELECTED_EACH, len(names)))
            for name in chosen:
                yield kind, name, way


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--selected", type=int, default=0, help="damages of each store; 0: all")
    arguments = parser.parse_args()
    cli_test.BINARY = arguments.binary
    draw = random.Random(arguments.seed)
    failures = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        for _ in range(max(1, arguments.rounds)):
            shutil.rmtree(scratch)
            scratch.mkdir()
            for maker in make_stores(scratch):
                trial = Trial(maker, scratch, draw)
                damages = list(damages_of(maker, draw, arguments.rounds > 0))
                if arguments.selected:
                    damages = draw.sample(damages, min(arguments.selected, len(damages)))
                for kind, name, way in damages:
                    problem = trial.run(kind, name, way)
                    tried += 1
                    if problem:
                        failures += 1
                        print(problem, file=sys.stderr)
    print(f"seed {arguments.seed}: {tried} damages, {failures} failures")
    return 1 if failures or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
