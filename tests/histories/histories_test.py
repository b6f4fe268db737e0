#!/usr/bin/env python3
"""Clients that talk to one server at the same time while it is killed with SIGKILL and started again on its folder: what they
did and saw is recorded and given to the checker (checker.py), and `dynolith check` looks at the folder.

    histories_test.py <dynolith binary> [--seconds N] [--clients N] [--connections N] [--keys N] [--islands N]
                      [--kills N] [--seed N] [--conflicts wait|fail] [--weak-indexes] [--save FILE] [--server-argument ARGUMENT]...

A seed repeats the calls and the moments of the kills, not how they interleave: a history that is refused is saved, and
`checker.py FILE` says again what is wrong with it.
"""

import argparse
import collections
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import checker
from calls import Caller, Tables, scan
from operation import Operation

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))
import raw  # noqa: E402

SECONDS = 300
LOSING_RUNS = 4
RECOVERY_SECONDS = 0.08


class Town:
    """The server, its lives and deaths. A life has a number, a port, and the moment at which it was dead for certain."""

    def __init__(self, binary, folder, arguments):
        self.binary, self.folder, self.arguments = binary, folder, arguments
        self.copy = None  # of the folder, which every kill puts back in its place
        self.changed = threading.Condition()
        self.life, self.deaths, self.over, self.fault = 0, {}, False, None
        self.server = self.started()

    def started(self):
        return raw.Server(self.binary, "--data", self.folder, *self.arguments)

    def kill(self, rng):
        """Kills and starts again, while the clients wait. By chance the folder is checked between, which recovers it, or a
        server that is just recovering it is killed as well, or the next server finds it as it was left."""
        self.server.process.kill()
        self.server.process.wait(SECONDS)
        with self.changed:
            self.deaths[self.life] = time.monotonic_ns()
            self.changed.notify_all()
        self.server.process.stdout.close()
        if self.copy:
            # A copy of a store that was in use is not served; what repair saves of it is.
            shutil.rmtree(self.folder)
            subprocess.run([self.binary, "repair", self.copy, self.folder], capture_output=True, timeout=SECONDS, check=False)
        between = rng.choice(["nothing", "check", "recovery"])
        if between == "check":
            self.check()
        elif between == "recovery":
            with subprocess.Popen([self.binary, "serve", "--port", "0", "--data", self.folder], stdout=subprocess.DEVNULL) as recovering:
                time.sleep(rng.uniform(0, RECOVERY_SECONDS))
                recovering.kill()
        self.server = self.started()

    def open_again(self):
        with self.changed:
            self.life += 1
            self.changed.notify_all()

    def check(self):
        checked = subprocess.run([self.binary, "check", self.folder], capture_output=True, text=True, timeout=SECONDS, check=False)
        if checked.returncode != 0:
            raise AssertionError(f"dynolith check: {checked.stdout}{checked.stderr}")

    def death_of(self, life):
        with self.changed:
            if not self.changed.wait_for(lambda: life in self.deaths or self.fault, SECONDS) or self.fault:
                raise AssertionError("a connection ended, and nobody had killed the server")
            return self.deaths[life]

    def next_life(self, life):
        """The number of the first life that is not over."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.life not in self.deaths or self.fault, SECONDS) or self.fault:
                raise AssertionError(f"no server after life {life}")
            return self.life

    def stop(self, fault=None):
        with self.changed:
            self.over, self.fault = True, self.fault or fault
            self.changed.notify_all()


class Client(threading.Thread):
    """Calls until the town says stop, on several connections at once: all are sent before the first answer is read, so that the
    server has them together however slow this side is. `operations` is what it recorded; `fault`, what ended it too early."""

    def __init__(self, town, number, caller, connections):
        super().__init__(daemon=True)
        self.town, self.number, self.caller, self.connections = town, number, caller, connections
        self.operations, self.counts, self.fault = [], collections.Counter(), None

    def run(self):
        try:
            life, again = -1, []
            while not self.town.over or again:
                life = self.town.next_life(life)
                again = self.live(life, again)
        except Exception as fault:  # the thread's answer: whoever joins it raises it again
            self.fault = fault
            self.town.stop(fault)

    def live(self, life, again):
        """Until this server dies or the town stops. Which calls must be sent again, with when they were sent first."""
        with contextlib.ExitStack() as stack:
            try:
                connections = [stack.enter_context(raw.Connection(self.town.server.port)) for _ in range(self.connections)]
            except OSError:
                self.town.death_of(life)
                return again
            while again or not self.town.over:
                calls, again = again[:self.connections], again[self.connections:]
                if not self.town.over:
                    calls += [(None, self.caller.next()) for _ in range(self.connections - len(calls))]
                lost = self.volley(list(zip(connections, calls)))
                if lost:
                    return self.unanswered(lost, self.town.death_of(life)) + again
        return []

    def volley(self, asked):
        """Sends all, then reads all. Which calls got no answer, with when they were sent first."""
        requests = [raw.request(call.name, call.body) for _, (_, call) in asked]
        begins, lost = [], []
        for (connection, _), data in zip(asked, requests):
            begins.append(time.monotonic_ns())
            with contextlib.suppress(OSError):  # there will be no answer either
                connection.send(data)
        for (connection, (first, call)), begin in zip(asked, begins):
            try:
                answer = connection.receive()
            except OSError:
                lost.append((first or begin, call))
                continue
            self.note(call, (begin, time.monotonic_ns()), answer.status, json.loads(answer.body), first)
        return lost

    def unanswered(self, lost, death):
        """Records what may have happened, and gives what is sent again."""
        for first, call in lost:
            # What was sent to a dead server never happened.
            if not call.retried and first < death:
                self.operations += call.unanswered(self.number, (first, death))
                self.counts["unknown"] += 1
        return [(first, call) for first, call in lost if call.retried]

    def note(self, call, times, status, answer, first):
        # Sent again and done, it happened once since it was first sent; refused, it was refused now.
        if first and status == 200:
            times = (first, times[1])
        self.counts[call.name] += 1
        if first:
            self.counts["sent again"] += 1
        if status != 200:
            self.counts["refused"] += 1
        operations = call.operations(self.number, times, status, answer)
        if status != 200 and not operations:
            self.counts["conflicts"] += 1
        for operation in operations:
            self.caller.learn(operation)
        self.operations += operations


def look(town, tables):
    """A look at every table, by nobody in particular: after a kill it says which writes without an answer are there."""
    operations = []
    with raw.Connection(town.server.port) as connection:
        for description in tables.descriptions():
            call = scan(tables, description["TableName"])
            begin = time.monotonic_ns()
            connection.send(raw.request(call.name, call.body))
            answer = connection.receive()
            operations += call.operations("who looked", (begin, time.monotonic_ns()), answer.status, json.loads(answer.body))
    return operations


def record(options, folder, loses=False):
    """The history of one town, in nanoseconds since its first call, and what was counted. One that `loses` forgets all with each kill."""
    arguments = ["--conflicts", options.conflicts, *options.server_argument]
    tables, values, tokens = Tables(options.islands, options.keys, options.weak_indexes), itertools.count(1), itertools.count(1)
    town = Town(options.binary, folder, arguments)
    try:
        for description in tables.descriptions():
            answer = raw.call(town.server.port, "CreateTable", json.dumps(description))
            assert answer.status == 200, answer.body
        if loses:
            town.copy = shutil.copytree(folder, folder + ".copy")
        clients = [Client(town, number, Caller(random.Random(f"{options.seed}/{number}"), tables, values, tokens),
                          options.connections)
                   for number in range(options.clients)]
        for client in clients:
            client.start()
        operations, rng = [], random.Random(f"{options.seed}/kills")
        end = time.monotonic() + options.seconds
        moments = sorted(time.monotonic() + rng.uniform(0.15, 0.95) * options.seconds for _ in range(options.kills))
        for moment in [*moments, end]:
            with town.changed:
                town.changed.wait_for(lambda: town.fault, max(0, moment - time.monotonic()))
            if town.fault:
                break
            if moment != end:
                town.kill(rng)
                operations += look(town, tables)
                town.open_again()
        town.stop()
        for client in clients:
            client.join(SECONDS)
            if client.fault:
                raise client.fault
            assert not client.is_alive()
            operations += client.operations
        operations += look(town, tables)
    finally:
        town.stop(AssertionError("the recorder stopped"))
        town.server.process.kill()
        town.server.process.wait(SECONDS)
        town.server.process.stdout.close()
    town.check()
    origin = min(operation.begin for operation in operations)
    for operation in operations:
        operation.begin, operation.end = operation.begin - origin, operation.end - origin
    return operations, sum((client.counts for client in clients), collections.Counter())


def with_a_stale_answer(operations):
    """The history with one answer changed: somebody sees a value again after somebody has seen another in its place."""
    seen = {}  # key -> the looks at it of which each began after the one before had ended
    for read in sorted(operations, key=lambda operation: operation.begin):
        if read.changes or len(read.sees) != 1 or read.sees[0][1] is not None or "v" not in dict(read.sees[0][2] or ()):
            continue
        key, _, item = read.sees[0]
        looks = seen.setdefault(key, [])
        if len(looks) == 2 and looks[1].end < read.begin:
            changed = Operation(read.client, read.name, read.begin, read.end, sees=[(key, None, dict(looks[0].sees[0][2]))])
            return [changed if operation is read else operation for operation in operations]
        if not looks or (looks[-1].end < read.begin and dict(looks[-1].sees[0][2])["v"] != dict(item)["v"]):
            looks.append(read)
    raise AssertionError("too little happened to change anything")


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    for name, value in (("seconds", 15), ("clients", 2), ("connections", 3), ("keys", 6), ("islands", 1), ("kills", 4)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--conflicts", choices=("wait", "fail"), default="wait")
    parser.add_argument("--weak-indexes", action="store_true", help="ask of global indexes only what the service promises")
    parser.add_argument("--save", help="where to save the history")
    parser.add_argument("--server-argument", action="append", default=[])
    return parser.parse_args(arguments)


def main():
    options = options_of(sys.argv[1:])
    print(f"--seed {options.seed}", flush=True)
    if options.seed % 2:  # a cache of a few items, which go and come
        options.server_argument += ["--item-cache", "4KB"]
    # Clients that wait for each other's five milliseconds would call one after the other.
    sys.setswitchinterval(0.0002)
    with tempfile.TemporaryDirectory() as folder:
        operations, counts = record(options, os.path.join(folder, "data"))
    print(", ".join(f"{count} {name}" for name, count in sorted(counts.items())), flush=True)
    begin = time.monotonic()
    found = checker.violation(operations)
    print(f"{len(operations)} operations checked in {time.monotonic() - begin:.1f} s")
    if found or options.save:
        path = options.save or os.path.join(tempfile.gettempdir(), f"history-{options.seed}.jsonl")
        with open(path, "w", encoding="utf-8") as history:
            history.writelines(operation.to_json() + "\n" for operation in operations)
        print(f"saved: {path}")
    if found:
        print(found)
        return 1
    assert checker.violation(with_a_stale_answer(operations)), "a stale answer in it would not have been noticed"
    options.seconds, options.kills = 2, 1
    # On a slow machine a run may have nothing to lose yet.
    for _ in range(LOSING_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            operations, _ = record(options, os.path.join(folder, "data"), loses=True)
        if checker.violation(operations):
            break
        options.seconds *= 2
    else:
        raise AssertionError("a server that loses its data would not have been noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
