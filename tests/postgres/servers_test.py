#!/usr/bin/env python3
"""Several `dynolith serve` on one PostgreSQL: one store, whichever server or database machine ends.

    servers_test.py <dynolith binary> [--long] [unittest arguments]

--long: also what waits for long: a store that does not answer, is slow, or is cut off from one of the servers. More kills:
crash_loop.py.
"""

import concurrent.futures
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test  # noqa: E402
import crash_loop  # noqa: E402
from cli_test import run  # noqa: E402
from cluster import DATABASE, ROLE, Cluster  # noqa: E402
from link import Link  # noqa: E402

IS_LONG = False
STORE_IS_AWAY = "the store does not answer in time|cannot connect to PostgreSQL at|the connection to the store was lost"
BY_TRANSACTION_IDS = b"records of streams are ordered by the server's transaction ids\n"
BY_COUNTER = b"records of streams are ordered by a counter: commits that have some are one after the other\n"
TOWNS = {"TableName": "towns", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}]}


def count_of(server, name):
    item = server.call("GetItem", TableName="towns", Key={"name": {"S": name}}, ConsistentRead=True).get("Item", {})
    return int(item.get("n", {"N": "0"})["N"])


class Caller(threading.Thread):
    """One after the other writes and reads an item, whatever becomes of it."""

    def __init__(self, test, server):
        super().__init__(daemon=True)
        self.test, self.server = test, server
        self.is_over, self.changed = threading.Event(), threading.Condition()
        self.success = (0.0, 0.0)  # when the last one began and ended of which both succeeded
        self.start()

    def run(self):
        while not self.is_over.is_set():
            began = time.monotonic()
            statuses = [self.test.request(self.server, operation, "x")[0] for operation in ("PutItem", "GetItem")]
            if statuses == [200, 200]:
                with self.changed:
                    self.success = (began, time.monotonic())
                    self.changed.notify()
            time.sleep(0.01)

    def seconds_to_success(self):
        """From now to the end of a write and a read that begin from now on."""
        now = time.monotonic()
        with self.changed:
            self.test.assertTrue(self.changed.wait_for(lambda: self.success[0] >= now, 60))
            return self.success[1] - now

    def finish(self):
        self.is_over.set()
        self.join(60)


class Servers(unittest.TestCase):
    def cluster(self):
        cluster = Cluster()
        self.addCleanup(cluster.__exit__)
        return cluster

    def server(self, url, *arguments):
        server = cli_test.Server("--store", url, *arguments)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def init(self, primary):
        done = run("store", "init", primary.url())
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_commands_and_errors(self):
        primary = self.cluster().make_primary()
        url = primary.url()
        for words in (("store", "check", url), ("serve", "--port", "0", "--store", url), ("store", "upgrade", url), ("check", url)):
            refused = run(*words)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"127.0.0.1:{primary.port}, database {DATABASE} holds no store: dynolith store init", refused.stderr.decode())
        primary.query("CREATE ROLE server LOGIN")
        granted = run("store", "init", url, "--grant", "server")
        self.assertEqual((granted.returncode, granted.stdout), (0, b"the store is made\n" + BY_TRANSACTION_IDS))
        again = run("store", "init", url)
        self.assertEqual(again.returncode, 1)
        self.assertIn("holds a store already, of version 2", again.stderr.decode())
        checked = run("store", "check", primary.url("server"))
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn(b"store of version 2, timeline 1\n" + BY_TRANSACTION_IDS + b"fsync is off", checked.stdout)
        self.assertIn("synchronous_standby_names is empty", checked.stdout.decode())
        self.assertIn("already", run("store", "upgrade", url).stdout.decode())
        primary.query("CREATE ROLE stranger LOGIN")
        self.assertIn("needs USAGE on schema dynolith", run("store", "check", primary.url("stranger")).stderr.decode())
        for words in (("--data", "x"), ("--memory",), ("--sync",), ("--cache", "10MB"), ("--staleness", "1s"), ("--isolate", "region")):
            refused = run("serve", "--store", url, *words)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(words[0], refused.stderr.decode())
            self.assertIn("--store", refused.stderr.decode())
        away = run("serve", "--port", "0", "--store", f"postgresql://{ROLE}:secret@127.0.0.1:1/{DATABASE}")
        self.assertEqual(away.returncode, 1)
        self.assertIn(f"cannot connect to PostgreSQL at 127.0.0.1:1, database {DATABASE}", away.stderr.decode())
        self.assertNotIn("secret", away.stderr.decode())
        # What the server's role may do is enough, and the line says what was opened.
        server = self.server(primary.url("server"), "--admin")
        self.assertEqual(server.where, f"data in PostgreSQL at 127.0.0.1:{primary.port}, database {DATABASE}, "
                         "streams ordered by transaction ids")
        server.call("CreateTable", **TOWNS)
        self.assertEqual(server.call("ListTables"), {"TableNames": ["towns"]})
        # Each knows at once what tables the other has made, and dropped.
        other = self.server(url)
        server.call("CreateTable", **{**TOWNS, "TableName": "later"})
        other.call("PutItem", TableName="later", Item={"name": {"S": "x"}})
        other.call("DeleteTable", TableName="later")
        status, answer = server.request("GetItem", cli_test.json.dumps({"TableName": "later", "Key": {"name": {"S": "x"}}}).encode())
        self.assertEqual(status, 400)
        self.assertIn("ResourceNotFoundException", answer["__type"])

    def test_streams_ordered_by_a_counter(self):
        """As on servers that speak PostgreSQL's protocol and have no transaction ids; two servers write, each record is there once."""
        primary = self.cluster().make_primary()
        primary.query("CREATE ROLE server LOGIN")
        made = run("store", "init", primary.url(), "--grant", "server", "--stamps", "counter")
        self.assertEqual((made.returncode, made.stdout), (0, b"the store is made\n" + BY_COUNTER))
        self.assertIn(BY_COUNTER, run("store", "check", primary.url("server")).stdout)
        servers = [self.server(primary.url("server")) for _ in range(2)]
        self.assertIn(f"database {DATABASE}, streams ordered by a counter", servers[0].where)
        servers[0].call("CreateTable", **crash_loop.TOWNS)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: servers[i % 2].call("UpdateItem", TableName="towns", Key={"name": {"S": "x"}},
                                                        UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": {"N": "1"}}),
                          range(80)))
        arn = servers[1].call("DescribeTable", TableName="towns")["Table"]["LatestStreamArn"]

        def ask(name, **members):
            with crash_loop.raw.Connection(servers[1].port) as connection:
                connection.send(crash_loop.raw.request(f"DynamoDBStreams_20120810.{name}", cli_test.json.dumps(members)))
                return cli_test.json.loads(connection.receive().body)

        records = []
        for shard in ask("DescribeStream", StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = ask("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            records += ask("GetRecords", ShardIterator=iterator)["Records"]
        self.assertEqual([int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in records], list(range(1, 81)))
        self.assertEqual(primary.query("SELECT number FROM dynolith.commits"), "80")
        primary.query("DELETE FROM dynolith.commits")
        self.assertIn("dynolith.commits of this store has not its one row", run("store", "check", primary.url("server")).stderr.decode())
        # No write is acknowledged whose record would be missing.
        put = cli_test.json.dumps({"TableName": "towns", "Item": {"name": {"S": "y"}}}).encode()
        self.assertEqual(servers[0].request("PutItem", put)[0], 500)
        primary.query("INSERT INTO dynolith.commits VALUES (80)")
        primary.query("REVOKE UPDATE ON dynolith.commits FROM server")
        self.assertIn("UPDATE on dynolith.commits", run("store", "check", primary.url("server")).stderr.decode())

    def test_whatever_is_killed(self):
        figures = crash_loop.run_loop(cli_test.BINARY, ["server", "standby", "primary"], seed=1)
        self.assertGreater(figures["counts"], 20)

    def test_an_old_primary_is_refused(self):
        """One that was replaced and lives on shows what was long ago."""
        cluster = self.cluster()
        primary = cluster.make_primary()
        self.init(primary)
        standby = cluster.make_standby(primary)
        server = self.server(f"postgresql://{ROLE}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{DATABASE}")
        server.call("CreateTable", **TOWNS)
        primary.kill()
        standby.promote()
        server.call("PutItem", TableName="towns", Item={"name": {"S": "new"}})
        self.assertEqual(count_of(server, "new"), 0)
        primary.start()
        standby.kill()
        get = cli_test.json.dumps({"TableName": "towns", "Key": {"name": {"S": "new"}}, "ConsistentRead": True}).encode()
        status, answer = server.request("GetItem", get)
        self.assertEqual(status, 500, answer)
        _, _, errors = server.stop()
        self.assertIn("is on timeline 1, but timeline 2 has begun", errors)

    def test_it_reconnects_in_under_a_second(self):
        """Of being back: after the end of all connections, a restart of the primary, a promotion of the standby, and a long absence.

        Between two tries there is a tenth of a second, after an absence of 5 s a quarter: the rest is for the connection and the
        calls, which take some milliseconds. A program under a sanitizer is slower, and its bound still far below the patience.
        """
        cluster = self.cluster()
        primary = cluster.make_primary()
        self.init(primary)
        standby = cluster.make_standby(primary)
        server = self.server(f"postgresql://{ROLE}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{DATABASE}")
        server.call("CreateTable", **TOWNS)
        caller = Caller(self, server)
        self.addCleanup(caller.finish)
        bound = 3 if cli_test.is_under_sanitizer() else 1

        def reconnects(what):
            seconds = caller.seconds_to_success()
            print(f"calls after {what} succeeded after {seconds:.2f} s")
            self.assertLess(seconds, bound, what)

        caller.seconds_to_success()
        primary.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dynolith'")
        reconnects("the end of all connections")
        primary.kill()
        standby.promote_soon()
        reconnects("a promotion")
        for what, seconds_away in (("a restart", 0.5), ("a long absence", 7)):
            standby.kill()
            time.sleep(seconds_away)
            standby.start_again()
            reconnects(what)

    def request(self, server, operation, name):
        """A call for the town of this name: its status, and how many seconds it took."""
        part = {"Item": {"name": {"S": name}}} if operation == "PutItem" else {"Key": {"name": {"S": name}}, "ConsistentRead": True}
        began = time.monotonic()
        status, _ = server.request(operation, cli_test.json.dumps({"TableName": "towns", **part}).encode())
        return status, time.monotonic() - began

    def assert_fails_in_time(self, server, is_sent):
        """Within the time-outs of SDKs, a minute; and then at once, since few calls a second try again.

        is_sent: there is a connection, so that the commit goes out and nobody knows whether it took effect.
        """
        for operation in ("PutItem", "GetItem"):
            status, seconds = self.request(server, operation, "x")
            written = (503,) if is_sent else (500, 503)
            self.assertIn(status, written if operation == "PutItem" else (500,), operation)
            self.assertLess(seconds, 50)
            print(f"{operation} failed after {seconds:.1f} s")

    def await_success(self, server):
        deadline = time.monotonic() + 60
        while self.request(server, "PutItem", "x")[0] != 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertEqual(self.request(server, "GetItem", "x")[0], 200)

    def test_encrypted_connections_with_passwords(self):
        cluster = self.cluster()
        primary = cluster.make_primary()
        self.init(primary)
        certificate, other = primary.require_tls("server", "right secret", "localhost")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

        def url(host="localhost", mode="verify-full", root=certificate, user="server"):
            return f"postgresql://{user}@{host}:{primary.port}/{DATABASE}?sslmode={mode}&sslrootcert={root}"

        def know(password):
            # libpq reads no file that others may read.
            known = folder / "passwords"
            known.touch(0o600)
            known.write_text(f"*:*:*:server:{password}\n")
            self.enterContext(unittest.mock.patch.dict(os.environ, PGPASSFILE=str(known)))

        def refused(reason, where):
            for words in (("store", "check", where), ("serve", "--port", "0", "--store", where)):
                done = run(*words)
                self.assertEqual(done.returncode, 1, words)
                said = (done.stdout + done.stderr).decode()
                self.assertRegex(said, f"cannot connect to PostgreSQL at [^ ]*:{primary.port}, database {DATABASE}: .*{reason}")
                self.assertNotIn("secret", said)

        know("wrong secret")
        refused('password authentication failed for user "server"', url())
        refused('password authentication failed for user "server"', url(user="server:wrong%20secret"))
        know("right secret")
        refused("certificate verify failed", url(root=other))
        refused('does not match host name "127.0.0.1"', url(host="127.0.0.1"))
        refused("no encryption", url(mode="disable"))
        server = self.server(url())
        server.call("CreateTable", **TOWNS)
        server.call("PutItem", TableName="towns", Item={"name": {"S": "x"}, "n": {"N": "7"}})
        self.assertEqual(count_of(server, "x"), 7)
        connections = "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) " \
                      "WHERE usename = 'server'"
        every, encrypted = map(int, primary.query(connections).split("|"))
        self.assertGreater(every, 1)
        self.assertEqual(every, encrypted)
        _, out, errors = server.stop()
        self.assertNotIn("secret", server.line + out + errors)

    def long_test(self):
        if not IS_LONG:
            self.skipTest("waits for half a minute")
        primary = self.cluster().make_primary()
        self.init(primary)
        return primary

    def test_a_store_that_does_not_answer(self):
        primary = self.long_test()
        server = self.server(primary.url())
        server.call("CreateTable", **TOWNS)
        primary.pause()
        try:
            self.assert_fails_in_time(server, is_sent=True)
        finally:
            primary.go_on()
        self.await_success(server)
        primary.kill()
        self.assert_fails_in_time(server, is_sent=False)
        primary.start_again()
        self.await_success(server)
        _, _, errors = server.stop()
        self.assertRegex(errors, STORE_IS_AWAY)

    def linked(self, primary):
        """A server that reaches the store by a link, and that link."""
        link = Link(primary.port)
        self.addCleanup(link.__exit__)
        return self.server(f"postgresql://{ROLE}@127.0.0.1:{link.port}/{DATABASE}"), link

    def test_one_of_two_servers_is_cut_off(self):
        primary = self.long_test()
        near = self.server(primary.url())
        near.call("CreateTable", **TOWNS)
        far, link = self.linked(primary)
        self.await_success(far)
        link.cut()
        self.assert_fails_in_time(far, is_sent=True)
        self.assertEqual(self.request(near, "PutItem", "written meanwhile")[0], 200)
        link.heal()
        self.await_success(far)
        self.assertIn("Item", far.call("GetItem", TableName="towns", Key={"name": {"S": "written meanwhile"}}, ConsistentRead=True))
        _, _, errors = far.stop()
        self.assertRegex(errors, STORE_IS_AWAY)

    def test_a_slow_store(self):
        primary = self.long_test()
        self.server(primary.url()).call("CreateTable", **TOWNS)
        server, link = self.linked(primary)
        link.delay_seconds = 0.3
        status, seconds = self.request(server, "PutItem", "x")
        self.assertEqual(status, 200)
        self.assertGreater(seconds, 0.3)
        link.delay_seconds = 10
        self.assert_fails_in_time(server, is_sent=True)
        link.delay_seconds = 0
        self.await_success(server)
        _, _, errors = server.stop()
        self.assertRegex(errors, STORE_IS_AWAY)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:2] == ["--long"]:
        IS_LONG = True
        del sys.argv[1]
    unittest.main()
