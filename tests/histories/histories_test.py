#!/usr/bin/env python3
"""Clients that talk to one server at the same time while it is killed with SIGKILL and started again on its folder: what they
did and saw is recorded and given to the checker (checker.py), and after each kill `dynolith check` looks at the folder.

    histories_test.py <dynolith binary> [--seconds N] [--clients N] [--keys N] [--islands N] [--kills N] [--seed N]
                      [--conflicts wait|fail] [--weak-indexes] [--save FILE] [--server-argument ARGUMENT]...

A seed repeats the calls and the moments of the kills, not how they interleave: a history that is refused is saved, and
`checker.py FILE` says again what is wrong with it.
"""

import argparse
import collections
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

import checker
from calls import Caller, Tables, scan

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))
import raw  # noqa: E402

SECONDS = 60


class Town:
    """The server, its lives and deaths. A life has a number, a port, and the moment at which it was dead for certain."""

    def __init__(self, binary, folder, arguments):
        self.binary, self.folder, self.arguments = binary, folder, arguments
        self.changed = threading.Condition()
        self.life, self.deaths, self.over, self.fault = 0, {}, False, None
        self.server = self.started()

    def started(self):
        return raw.Server(self.binary, "--data", self.folder, *self.arguments)

    def kill(self):
        """Kills, checks the folder, and starts again; the callers wait. What the first look at the tables shows is the caller's."""
        self.server.process.kill()
        self.server.process.wait(SECONDS)
        with self.changed:
            self.deaths[self.life] = time.monotonic_ns()
            self.changed.notify_all()
        self.server.process.stdout.close()
        self.check()
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


def ask(connection, call):
    connection.send(raw.request(call.name, call.body))
    answer = connection.receive()
    return answer.status, json.loads(answer.body)


class Client(threading.Thread):
    """Calls until the town says stop. `operations` is what it recorded; `fault`, what ended it before its time."""

    def __init__(self, town, number, caller):
        super().__init__(daemon=True)
        self.town, self.number, self.caller = town, number, caller
        self.operations, self.counts, self.fault = [], collections.Counter(), None

    def run(self):
        try:
            life, again = -1, None
            while not self.town.over or again:
                life = self.town.next_life(life)
                again = self.live(life, again)
        except Exception as fault:  # the thread's answer: whoever joins it raises it again
            self.fault = fault
            self.town.stop(fault)

    def live(self, life, again):
        """Until this server dies or the town stops. What must be sent again, with when it was sent first; or None."""
        try:
            connection = raw.Connection(self.town.server.port)
        except OSError:
            self.town.death_of(life)
            return again
        with connection:
            while again or not self.town.over:
                call = again[1] if again else self.caller.next()
                begin = time.monotonic_ns()
                try:
                    status, answer = ask(connection, call)
                except OSError:
                    first = again[0] if again else begin
                    death = self.town.death_of(life)
                    if call.retried:
                        return first, call
                    # What was sent to a dead server never happened.
                    if first < death:
                        self.operations += call.unanswered(self.number, (first, death))
                        self.counts["unknown"] += 1
                    return None
                end = time.monotonic_ns()
                self.note(call, (begin, end), status, answer, again)
                again = None
        return None

    def note(self, call, times, status, answer, again):
        # Sent again and done, it happened once since it was first sent; refused, it was refused now.
        if again and status == 200:
            times = (again[0], times[1])
        self.counts[call.name] += 1
        if again:
            self.counts["sent again"] += 1
        if status != 200:
            self.counts["refused"] += 1
        operations = call.operations(self.number, times, status, answer)
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
            status, answer = ask(connection, call)
            operations += call.operations("who looked", (begin, time.monotonic_ns()), status, answer)
    return operations


def record(options, folder):
    """The history of one town, and what was counted."""
    arguments = ["--conflicts", options.conflicts, *options.server_argument]
    tables, values, tokens = Tables(options.islands, options.keys, options.weak_indexes), itertools.count(1), itertools.count(1)
    town = Town(options.binary, folder, arguments)
    try:
        for description in tables.descriptions():
            answer = raw.call(town.server.port, "CreateTable", json.dumps(description))
            assert answer.status == 200, answer.body
        clients = [Client(town, number, Caller(random.Random(f"{options.seed}/{number}"), tables, values, tokens))
                   for number in range(options.clients)]
        for client in clients:
            client.start()
        operations, rng = [], random.Random(f"{options.seed}/kills")
        end = time.monotonic() + options.seconds
        moments = sorted(time.monotonic() + rng.uniform(0.05, 0.95) * options.seconds for _ in range(options.kills))
        for moment in [*moments, end]:
            with town.changed:
                town.changed.wait_for(lambda: town.fault, max(0, moment - time.monotonic()))
            if town.fault:
                break
            if moment != end:
                town.kill()
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
    return operations, sum((client.counts for client in clients), collections.Counter())


def options_of(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    for name, value in (("seconds", 15), ("clients", 5), ("keys", 6), ("islands", 1), ("kills", 4)):
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
