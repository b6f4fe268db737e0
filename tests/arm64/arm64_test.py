#!/usr/bin/env python3
"""Runs what `tools/dev build arm64` has compiled, under qemu-user, and takes stores from one architecture to the other.

    arm64_test.py <project folder> [part...]

Parts: unit, datadriven, c_face, server, stores, clients; without any, all of them. `clients` needs boto3 in build/clients, and `stores` the
programs of this machine's own build in build/; `tools/dev test arm64` sees to both.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

# The programs whose tests run in the emulator, and what they leave out: tests that damage hundreds of stores take an hour there, and
# nothing in them depends on the processor; and the emulator neither lets the child of a process with threads start any, nor a test
# start its own program anew.
UNIT = {
    "base": "", "text": "", "process": "-ForkedProcess.*", "value": "", "key": "", "expr": "", "partiql": "", "catalog": "", "stream": "", "ttl": "",
    "history": "", "partition": "", "index": "", "store": "-DamageTest*:*FailingDisk*:*FullDisk*:PowerLoss*:SalvageTest*:*Fork*:*DeathTest*:*Kill*",
}
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0")
ITEMS = 500


class Failed(Exception):
    """What was expected, and what came."""


def run(*command, expected=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=3000, **options)
    if expected is not None and done.returncode != expected:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done


def wrapper(folder, name, emulator, program):
    """A program of the other architecture as one of this machine's."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {" ".join(emulator)} "{program}" "$@"\n')
    path.chmod(0o755)
    return path


class Server:
    """The program on a free port."""

    running = []

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", "--port", "0", "--data", folder], stdout=subprocess.PIPE, text=True)
        Server.running.append(self.process)
        line = self.process.stdout.readline()
        found = re.search(r"http://[^\s]+", line)
        if not found:
            raise Failed(f"the server did not say where it listens: {line!r}")
        self.endpoint = found.group(0).rstrip("/.")

    def call(self, operation, request):
        headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
                   "X-Amz-Date": "20260101T000000Z", "Authorization": AUTHORIZATION}
        with urllib.request.urlopen(urllib.request.Request(self.endpoint, json.dumps(request).encode(), headers), timeout=60) as answer:
            return json.load(answer)

    def end(self, how):
        self.process.send_signal(how)
        code = self.process.wait(timeout=120)
        if code != (0 if how == signal.SIGTERM else -how):
            raise Failed(f"the server ended with {code} after {how.name}")


def item(number):
    """Of every type, with numbers and binary keys whose order is that of their bytes."""
    return {"artist": {"S": f"artist{number % 7}"}, "song": {"N": str((number - 250) * 1.5)},
            "cover": {"B": "AP+A"}, "tags": {"SS": ["a", "b"]}, "plays": {"NS": ["-1E+100", "0.5"]},
            "more": {"M": {"list": {"L": [{"NULL": True}, {"BOOL": False}, {"N": f"{number}E-90"}]}, "text": {"S": "é" * (number % 40)}}}}


def fill(server):
    server.call("CreateTable", {
        "TableName": "music", "BillingMode": "PAY_PER_REQUEST", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}, {"AttributeName": "song", "AttributeType": "N"},
                                 {"AttributeName": "cover", "AttributeType": "B"}],
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-cover", "KeySchema": [{"AttributeName": "cover", "KeyType": "HASH"},
                                                                           {"AttributeName": "song", "KeyType": "RANGE"}],
                                    "Projection": {"ProjectionType": "ALL"}}]})
    for number in range(ITEMS):
        server.call("PutItem", {"TableName": "music", "Item": item(number)})


def contents(server):
    """All of it: tables' order by the hash of their keys, an index's by numbers."""
    found = {"table": [], "index": []}
    for name, request in (("table", {}), ("index", {"IndexName": "by-cover", "KeyConditionExpression": "cover = :c",
                                                    "ExpressionAttributeValues": {":c": {"B": "AP+A"}}})):
        start = {}
        while True:
            page = server.call("Query" if request else "Scan", {"TableName": "music", **request, **start})
            found[name] += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    return found


class Arm64Test:
    def __init__(self, project, scratch):
        self.project, self.scratch = project, scratch
        self.build = project / "build-arm64"
        self.emulator = ["qemu-aarch64", "-L", str(project / "build-arm64-sysroot")]
        self.programs = {"arm64": wrapper(scratch, "dynolith", self.emulator, self.build / "tools/dynolith"),
                         "this machine's": project / "build/tools/dynolith"}

    def unit(self):
        for room, tests in UNIT.items():
            started = time.monotonic()
            run(*self.emulator, self.build / "tests" / f"{room}_test", "--gtest_brief=1", f"--gtest_filter={tests or '*'}")
            print(f"unit_{room}: passed in {time.monotonic() - started:.0f} s", flush=True)

    def datadriven(self):
        run(*self.emulator, self.build / "tests/datadriven/datadriven_test", "--gtest_brief=1")

    def server(self):
        """What was acknowledged is there after SIGKILL, and the store is sound."""
        program, folder = self.programs["arm64"], self.scratch / "killed"
        server = Server(program, folder)
        fill(server)
        before = contents(server)
        server.end(signal.SIGKILL)
        server = Server(program, folder)
        if contents(server) != before or len(before["table"]) != ITEMS or len(before["index"]) != ITEMS:
            raise Failed("the server has not what it has acknowledged")
        server.end(signal.SIGTERM)
        run(program, "check", folder)

    def stores(self):
        """Each architecture reads, checks and continues what the other has written, and writes the same rows."""
        rows = {}
        for writer, program in self.programs.items():
            reader = next(name for name in self.programs if name != writer)
            folder = self.scratch / f"written by {writer}"
            server = Server(program, folder)
            fill(server)
            before = contents(server)
            server.end(signal.SIGTERM)
            # Each row with its bytes; both read the one store.
            shown = [run(each, "dissect", "table", folder, "--table", "music", "--rows", 2 * ITEMS).stdout for each in self.programs.values()]
            if shown[0] != shown[1] or shown[0].count("artist") < ITEMS:
                raise Failed(f"{reader} sees other rows in the store of {writer}")
            rows[writer] = shown[0]
            server = Server(self.programs[reader], folder)
            if contents(server) != before:
                raise Failed(f"{reader} reads something else out of the store of {writer}")
            server.call("PutItem", {"TableName": "music", "Item": item(ITEMS + 1)})
            server.end(signal.SIGKILL)
            # Its log now has the other's records at its end.
            server = Server(program, folder)
            if len(contents(server)["index"]) != ITEMS + 1:
                raise Failed(f"{writer} does not read what {reader} has logged")
            server.end(signal.SIGTERM)
            for each in self.programs.values():
                run(each, "check", folder)
        if len(set(rows.values())) != 1:
            raise Failed("the architectures write different rows")
        self.kept_stores()

    def kept_stores(self):
        """Stores of earlier programs, and one with a row of every kind from here, by the format's own test."""
        formats = self.project / "tests/formats"
        format_store = {"arm64": wrapper(self.scratch, "format_store", self.emulator, self.build / "tests/formats/format_store"),
                        "this machine's": self.project / "build/tests/formats/format_store"}
        run(sys.executable, formats / "formats_test.py", format_store["arm64"])
        for writer in format_store:
            reader = next(name for name in format_store if name != writer)
            folder = self.scratch / f"every row by {writer}"
            run(format_store[writer], "make", formats / "every_row.txt", folder, "closed")
            shown = [run(each, "show", folder).stdout for each in format_store.values()]
            if shown[0] != shown[1] or not shown[0]:
                raise Failed(f"{reader} sees something else than {writer} in the store of {writer}")
            run(format_store[reader], "use", folder)

    def c_face(self):
        """A stranger's program in C on the shared library."""
        program, library = self.scratch / "answer", self.build / "api/c"
        run("aarch64-linux-gnu-gcc", f"--sysroot={self.project / 'build-arm64-sysroot'}", "-std=c11", "-Wall", "-Werror",
            f"-I{self.project / 'api/include'}", self.project / "tools/package/tried/c/answer.c", "-o", program, library / "libdynolith.so.0",
            # What the library itself needs.
            "-Wl,--allow-shlib-undefined")
        answer = run(*self.emulator, "-E", f"LD_LIBRARY_PATH={library}", program).stdout.strip()
        if answer != '{"TableNames":[]}':
            raise Failed(f"the library answers {answer}")

    def clients(self):
        sys.path.insert(0, str(self.project / "tests/clients"))
        import run_clients  # pylint: disable=import-outside-toplevel
        clients = self.project / "build/clients"
        server = run_clients.Server(str(self.programs["arm64"]), "")
        Server.running.append(server.process)
        if list(run_clients.failures(server, clients, "", ["scenario.py"])):
            raise Failed("boto3's scenario failed")


PARTS = ("unit", "datadriven", "c_face", "server", "stores", "clients")


def main():
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(PARTS):
        print(__doc__)
        return 2
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"
    failed = []
    with tempfile.TemporaryDirectory(prefix="dynolith-arm64-") as scratch:
        test = Arm64Test(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(scratch))
        for part in sys.argv[2:] or PARTS:
            started = time.monotonic()
            try:
                getattr(test, part)()
                print(f"{part}: passed in {time.monotonic() - started:.0f} s", flush=True)
            except (Failed, OSError, RuntimeError, subprocess.TimeoutExpired) as failure:
                failed.append(part)
                print(f"{part}: FAILED: {failure}", flush=True)
            finally:
                for process in Server.running:
                    process.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
