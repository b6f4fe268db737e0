#!/usr/bin/env python3
"""Two `dynolith serve` on a primary and its synchronous standby, of which some are killed in each round while clients go on.

    crash_loop.py <dynolith binary> [--rounds N] [--seed N]

Killed with SIGKILL are a server, both, the standby, the primary, whose standby is promoted, or the primary, which starts again; or a
server together with the primary. Three clients count up items, each call with a token, until it is acknowledged by whichever server
there is: so the counts are exact, and the stream has each change once. Three others do what the recorder of histories does; what they
saw of each round is linearizable. In the end `dynolith check` looks at the store. A seed repeats the calls and who is killed.
"""

import argparse
import collections
import itertools
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("histories", "wire"):
    sys.path.insert(0, str(HERE.parent / folder))
# pylint: disable=wrong-import-position
import checker  # noqa: E402
import raw  # noqa: E402
from calls import Caller, Tables, scan  # noqa: E402
from cluster import DATABASE, ROLE, Cluster  # noqa: E402

KILLS = ("server", "servers", "standby", "primary", "server and primary", "primary starts again")
COUNTERS, CALLERS, KEYS = 3, 3, 6
# What each counter is to have done before and after a kill.
COUNTS = 5
# Waits between the calls of one client, so that a history stays small.
PAUSE_SECONDS = 0.01
NOT_SENT, LOST = 0, 1  # instead of a status
# Nobody waits so long unless something hangs.
PATIENCE_SECONDS = 120
TOWNS = {"TableName": "towns", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
         "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}


class Server:
    """One life of a `dynolith serve`; its sessions in the database have its name."""

    def __init__(self, binary, url, name, log):
        self.name = name
        self.process = subprocess.Popen([binary, "serve", "--port", "0", "--store", f"{url}?application_name={name}"],
                                        stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        ready = re.search(r":(\d+) ", line)
        if not ready:
            raise AssertionError(f"{name} is not ready: {line}")
        self.port = int(ready.group(1))

    def end(self, number):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()
        return code


class Fleet:
    """The servers, and their store. Which server answers at a place changes with each kill."""

    def __init__(self, binary, cluster):
        self.binary, self.cluster, self.names = binary, cluster, itertools.count(1)
        self.log = open(cluster.folder / "servers.log", "ab")
        self.primary = cluster.make_primary()
        subprocess.run([binary, "store", "init", self.primary.url()], check=True, stdout=subprocess.DEVNULL)
        self.standby = cluster.make_standby(self.primary)
        self.url = f"postgresql://{ROLE}@127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}/{DATABASE}"
        self.servers, self.dead = [], []

    def start(self, place):
        server = Server(self.binary, self.url, f"server{next(self.names)}", self.log)
        if place == len(self.servers):
            self.servers.append(server)
        else:
            self.servers[place] = server

    def kill(self, what, rng):
        places = {"servers": (0, 1), "server": (rng.randrange(2),), "server and primary": (rng.randrange(2),)}.get(what, ())
        for place in places:
            self.servers[place].end(signal.SIGKILL)
            self.dead.append(self.servers[place].name)
        if what in ("primary", "server and primary"):
            self.replace_primary()
        elif what == "primary starts again":
            self.primary.kill()
            self.primary.start_again()
        elif what == "standby":
            self.standby.kill()
            time.sleep(rng.uniform(0, 0.5))
            self.standby.start_again()
        for place in places:
            self.start(place)

    def replace_primary(self):
        old, new = self.primary, self.standby
        old.kill()
        new.promote()
        self.primary, self.standby = new, old
        self.cluster.follow(old, new)

    def stop(self):
        """The exit codes of the servers."""
        codes = [server.end(signal.SIGTERM) for server in self.servers]
        self.log.close()
        return codes

    def settle(self):
        """Until nothing that clients have asked for can happen any more: sessions of dead servers have ended, and so has each
        transaction that was under way."""
        now = self.primary.query("SELECT clock_timestamp()")
        names = ",".join(f"'{name}'" for name in self.dead) or "''"
        left = ("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' "
                f"AND (application_name IN ({names}) OR xact_start < '{now}')")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.primary.query(left) != "0":
            if time.monotonic() > deadline:
                raise AssertionError("transactions do not end")
            time.sleep(0.02)

    def call(self, place, operation, body):
        """Status and answer; NOT_SENT: there is no server, LOST: there was no answer."""
        try:
            connection = raw.Connection(self.servers[place % 2].port)
        except OSError:
            return NOT_SENT, None
        with connection:
            try:
                connection.send(raw.request(operation, body))
                answer = connection.receive()
            except OSError:
                return LOST, None
        return answer.status, json.loads(answer.body)

    def done(self, operation, **members):
        """The answer to a call that succeeds, and may happen twice, by whichever server still or again reaches the store."""
        return self.timed(operation, json.dumps(members))[2]

    def timed(self, operation, body):
        """When the attempt that succeeded began and ended, and its answer."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        for place in itertools.count():
            begin = time.monotonic_ns()
            status, answer = self.call(place, operation, body)
            if status == 200:
                return begin, time.monotonic_ns(), answer
            if status == 400 or time.monotonic() > deadline:
                raise AssertionError(f"{operation} {body}: {status} {answer}")
            time.sleep(PAUSE_SECONDS)
        return None


class Client(threading.Thread):
    """Calls again and again until it is told to stop; `fault`: what ended it too early."""

    def __init__(self, fleet, number):
        super().__init__(daemon=True)
        self.fleet, self.number, self.place, self.fault = fleet, number, number, None
        self.over = threading.Event()

    def run(self):
        try:
            while not self.over.is_set():
                self.step()
                self.over.wait(PAUSE_SECONDS)
        except Exception as fault:  # pylint: disable=broad-except  # whoever joins the thread raises it again
            self.fault = fault

    def finish(self):
        self.over.set()
        self.join(PATIENCE_SECONDS)
        if self.fault:
            raise self.fault
        if self.is_alive():
            raise AssertionError(f"client {self.number} waits for ever")

    def until_answered(self, operation, body):
        """The first answer that says something of the call, from either server."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            status, answer = self.fleet.call(self.place, operation, body)
            if status == 200 or (status == 400 and "TransactionInProgress" not in answer["__type"] and not is_conflict(answer)):
                return status, answer
            self.place += 1
            time.sleep(PAUSE_SECONDS)
        raise AssertionError(f"{operation} {body}: no answer, the last one was {status} {answer}")


def is_conflict(answer):
    return any(reason["Code"] == "TransactionConflict" for reason in answer.get("CancellationReasons", ()))


class Counter(Client):
    """Counts up an item of its own and one of all in a transaction with a token; `known`: how often."""

    known = 0

    def step(self):
        body = json.dumps({"ClientRequestToken": f"counter-{self.number}-{self.known}",
                           "TransactItems": [self.update("all"), self.update(f"own {self.number}")]})
        status, answer = self.until_answered("TransactWriteItems", body)
        if status != 200:
            raise AssertionError(f"{body}: {status} {answer}")
        self.known += 1
        self.place += 1

    @staticmethod
    def update(name):
        return {"Update": {"TableName": "towns", "Key": {"name": {"S": name}}, "UpdateExpression": "ADD n :one",
                           "ExpressionAttributeValues": {":one": {"N": "1"}}}}


class Recorder(Client):
    """Makes a caller's calls, at the servers in turn; `operations` is what it saw, `unknown` the calls without an answer, with
    when they began."""

    def __init__(self, fleet, number, caller):
        super().__init__(fleet, number)
        self.caller, self.operations, self.unknown = caller, [], []

    def step(self):
        call = self.caller.next()
        first = time.monotonic_ns()
        if call.retried:
            status, answer = self.until_answered(call.name, call.body)
        else:
            status, answer = self.fleet.call(self.place, call.name, call.body)
        self.place += 1
        # What says that nothing has happened is held to it.
        if status == NOT_SENT or (status == 503 and "nothing is changed" in answer["message"]):
            return
        if status in (LOST, 500, 503):
            self.unknown.append((call, first))
            return
        for operation in call.operations(self.number, (first, time.monotonic_ns()), status, answer):
            self.operations.append(operation)
            self.caller.learn(operation)


class Loop:
    def __init__(self, fleet, seed):
        self.fleet, self.seed = fleet, seed
        self.rng = random.Random(f"{seed}/kills")
        self.tables, values, tokens = Tables(1, KEYS), itertools.count(1), itertools.count(1)
        self.counters = [Counter(fleet, number) for number in range(COUNTERS)]
        self.callers = [Caller(random.Random(f"{seed}/{number}"), self.tables, values, tokens) for number in range(CALLERS)]
        self.figures = collections.Counter()

    def begin(self):
        self.fleet.start(0)
        for description in [TOWNS, *self.tables.descriptions()]:
            self.fleet.done("CreateTable", **description)
        self.fleet.start(1)
        for counter in self.counters:
            counter.start()

    def await_counts(self, more):
        wanted = [counter.known + more for counter in self.counters]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(counter.known < enough for counter, enough in zip(self.counters, wanted)):
            for counter in self.counters:
                if counter.fault:
                    raise counter.fault
            if time.monotonic() > deadline:
                raise AssertionError("the clients do not get on")
            time.sleep(0.01)

    def round(self, what):
        recorders = [Recorder(self.fleet, number, caller) for number, caller in enumerate(self.callers)]
        for recorder in recorders:
            recorder.start()
        self.await_counts(COUNTS)
        time.sleep(self.rng.uniform(0, 0.1))
        begin = time.monotonic()
        self.fleet.kill(what, self.rng)
        self.await_counts(COUNTS)
        longest = time.monotonic() - begin
        for recorder in recorders:
            recorder.finish()
        self.fleet.settle()
        operations = [operation for recorder in recorders for operation in recorder.operations]
        for recorder in recorders:
            for call, first in recorder.unknown:
                operations += call.unanswered(recorder.number, (first, time.monotonic_ns()))
                self.figures["without an answer"] += 1
        operations += self.look()
        self.figures["operations"] += len(operations)
        self.figures[what] += 1
        found = checker.violation(operations)
        if found:
            raise AssertionError(found)
        self.wipe()
        return longest

    def look(self):
        """By nobody in particular: it says which writes without an answer are there."""
        operations = []
        for description in self.tables.descriptions():
            call = scan(self.tables, description["TableName"])
            begin, end, answer = self.fleet.timed(call.name, call.body)
            operations += call.operations("who looked", (begin, end), 200, answer)
        return operations

    def wipe(self):
        """The next round begins with nothing."""
        for description in self.tables.descriptions():
            name = description["TableName"]
            for item in self.fleet.done("Scan", TableName=name, ConsistentRead=True)["Items"]:
                self.fleet.done("DeleteItem", TableName=name, Key={part: item[part] for part in "ps"})
        for caller in self.callers:
            caller.seen.clear()

    def end(self):
        for counter in self.counters:
            counter.finish()
        expected = {f"own {counter.number}": counter.known for counter in self.counters}
        expected["all"] = sum(expected.values())
        found = {item["name"]["S"]: int(item["n"]["N"])
                 for item in self.fleet.done("Scan", TableName="towns", ConsistentRead=True)["Items"]}
        if found != expected:
            raise AssertionError(f"acknowledged were {expected}, and there are {found}")
        self.check_stream(expected)
        self.figures["counts"] = expected["all"]
        return self.fleet.stop()

    def check_stream(self, expected):
        seen = collections.defaultdict(list)
        for record in self.records():
            image = record["dynamodb"]["NewImage"]
            seen[image["name"]["S"]].append(int(image["n"]["N"]))
        for name, count in expected.items():
            if seen[name] != list(range(1, count + 1)):
                raise AssertionError(f"the stream has {seen[name]} of {name}, which is {count}")

    def records(self):
        def ask(name, **members):
            return self.fleet.done(f"DynamoDBStreams_20120810.{name}", **members)

        arn = self.fleet.done("DescribeTable", TableName="towns")["Table"]["LatestStreamArn"]
        # Parents come before their children.
        for shard in ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                           ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            while iterator:
                answer = ask("GetRecords", ShardIterator=iterator)
                yield from answer["Records"]
                iterator = answer.get("NextShardIterator") if answer["Records"] else None


def run_loop(binary, kills, seed, say=lambda line: None):
    """One round for each of `kills`. Raises what is wrong; the figures otherwise."""
    with Cluster() as cluster:
        fleet = Fleet(binary, cluster)
        loop = Loop(fleet, seed)
        try:
            loop.begin()
            for number, what in enumerate(kills, 1):
                seconds = loop.round(what)
                say(f"{number}: {what} killed; after {seconds:.1f} s all clients had gone on")
            codes = loop.end()
        except BaseException:
            log = (cluster.folder / "servers.log").read_text(errors="replace")
            print(f"--seed {seed}\n{log[-6000:]}", file=sys.stderr)
            raise
        finally:
            for server in fleet.servers:
                server.process.kill()
        if codes != [0, 0]:
            raise AssertionError(f"the servers ended with {codes}")
        checked = subprocess.run([binary, "check", fleet.primary.url()], capture_output=True, text=True, check=False)
        if checked.returncode != 0:
            raise AssertionError(f"dynolith check: {checked.stdout}{checked.stderr}")
        return loop.figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    figures = run_loop(options.binary, rng.choices(KILLS, k=options.rounds), options.seed, lambda line: print(line, flush=True))
    print(", ".join(f"{count} {name}" for name, count in sorted(figures.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
