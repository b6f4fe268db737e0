#!/usr/bin/env python3
"""A server whose folder receives what another one ships: it reads what was shipped, through kills, new bases and bulk loads, and
goes on in the other one's place with all that was shipped, while that one ships no more.

    receiving_test.py <dynolith binary> [unittest arguments]
"""

import contextlib
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

import cli_test
from cli_test import SECONDS, run
from clock_test import ITEMS, Clocked
from ship_test import KEY, SEED, Clocks, Shipped


class Receives(Shipped):
    """`data` ships to `target`, from which `second` receives."""

    def setUp(self):
        super().setUp()
        self.second = self.folder / "second"

    def receive(self, *arguments, environment=None):
        server = Clocked("--admin", "--data", self.second, "--receive", self.target, "--receive-interval", "100ms", *arguments,
                         environment=environment)
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def wait_until(self, what):
        deadline = time.monotonic() + SECONDS
        while not what():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def wait_for_items(self, server, count, tables=None):
        """Until the receiver shows as many; it never shows fewer than before."""
        seen = 0
        deadline = time.monotonic() + SECONDS
        while seen < count:
            now = len(self.items(server) or {})
            self.assertGreaterEqual(now, seen)
            self.assertLess(time.monotonic(), deadline, (now, count, self.receiving(server)))
            seen = now
            time.sleep(0.02)
        self.assertEqual(seen, count)

    def receiving(self, server):
        status, report = server.admin("GET", "receiving")
        self.assertEqual(status, 200)
        return report

    def start(self, *arguments, environment=None):
        primary = self.serve(*arguments, environment=environment)
        primary.call("CreateTable", **ITEMS)
        self.put(primary, 0, 100)
        self.wait_until_shipped(primary)
        return primary

    def receiving_fails(self, *arguments):
        shown = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--data", self.second, *map(str, arguments)],
                               capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        return shown.stderr.decode()


class FromAnyTarget:
    """Tests of Receives."""

    def test_what_is_shipped_is_read(self):
        primary = self.start()
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 100)
        for n in range(1, 5):
            self.put(primary, 100 * n, 100)
            self.wait_for_items(receiver, 100 * (n + 1))
        primary.call("CreateTable", **dict(ITEMS, TableName="more"))
        self.wait_until(lambda: receiver.call("ListTables")["TableNames"] == ["items", "more"])
        self.assertEqual(receiver.fails("PutItem", TableName="items", Item={"pk": {"S": "a"}})[0], "AccessDeniedException")
        report = self.receiving(receiver)
        self.assertEqual(sorted(report), ["base", "bases", "bytes", "failures", "received", "segments", "target"])
        self.assertEqual((report["bases"], report["failures"]), (1, 0))
        with urllib.request.urlopen(f"http://127.0.0.1:{receiver.port}/_dynolith/metrics", timeout=SECONDS) as metrics:
            self.assertIn(b"dynolith_receive_lag_seconds", metrics.read())
        # Another process may read the folder, too.
        with Clocked("--data", self.second, "--follow") as reader:
            self.assertEqual(len(self.items(reader)), 500)
            self.put(primary, 500, 100)
            self.wait_for_items(receiver, 600)
            self.wait_until(lambda: len(self.items(reader)) == 600)
        # A receiver that was killed goes on where it was.
        receiver.process.kill()
        receiver.process.wait()
        self.put(primary, 600, 100)
        self.wait_until_shipped(primary)
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 700)
        self.assertEqual(self.receiving(receiver)["bases"], 0)

    def test_the_receiver_goes_on_in_the_place_of_the_first(self):
        primary = self.start()
        receiver = self.receive()
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        receiver.__exit__(None, None, None)
        self.put(primary, 200, 100)
        self.wait_until_shipped(primary)
        note = self.second.with_name("second.receiving")
        noted = note.read_bytes()
        # Not by mistake.
        for arguments, why in (((), f"--ship {self.target} --ship-take-over"), (("--ship", self.target), "--ship-take-over"),
                               (("--ship", self.folder / "elsewhere", "--ship-take-over"), "holds what was received from")):
            self.assertIn(why, self.receiving_fails(*arguments))
        with self.serve("--ship-take-over", data=self.second) as second:
            self.assertEqual(len(self.items(second)), 300)
            # What it still accepts is lost, so it ends.
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.put(primary, 1_000, 1)
            self.assertEqual(primary.process.wait(SECONDS), 1)
            self.put(second, 300, 100)
            self.wait_until_shipped(second)
        self.assertEqual(len(self.restore()), 400)
        # It is a store of its own, and ships by itself from now on.
        note.write_bytes(noted)
        self.assertIn("was opened for writing", self.receiving_fails("--receive", self.target))
        note.unlink()
        with self.serve(data=self.second) as second:
            self.assertEqual(len(self.items(second)), 400)


class FromFolder(FromAnyTarget, Receives):
    def test_bases_take_the_place_of_others(self):
        primary = self.start("--ship-base-interval", "1s")
        receiver = self.receive()
        count = 100
        while self.receiving(receiver)["bases"] < 4:
            self.put(primary, count, 100, size=1_000)
            count += 100
            self.wait_for_items(receiver, count)
        # Kills of the one that ships, each of which begins another log.
        for _ in range(3):
            primary.process.kill()
            primary.process.wait()
            primary = self.serve("--ship-base-interval", "1s")
            self.put(primary, count, 100)
            count += 100
            self.wait_for_items(receiver, count)
        # Rows that are in a base alone.
        self.add_index(primary)
        self.put(primary, count, 100)
        count += 100
        self.wait_for_items(receiver, count)
        query = {"TableName": "items", "IndexName": "all", "Select": "COUNT"}
        self.assertEqual(receiver.call("Scan", **query), primary.call("Scan", **query))
        receiver.__exit__(None, None, None)
        # What an older base had is gone.
        names = set(os.listdir(self.second))
        self.assertEqual(sum(name.startswith("MANIFEST") for name in names), 1, names)
        self.assertNotIn("receiving", names)
        checked = run("check", self.second)
        self.assertEqual(checked.returncode, 0, checked)
        self.assertIn(b" 0 disagreements", checked.stdout)

    def test_kills(self):
        primary = self.start("--ship-base-interval", "1s")
        source = random.Random(SEED)
        count = 100
        for _ in range(8):
            receiver = self.receive()
            for _ in range(source.randrange(1, 5)):
                self.put(primary, count, 25, size=1_000)
                count += 25
                time.sleep(source.random() / 5)
            receiver.process.kill()
            receiver.process.wait()
        receiver = self.receive()
        self.wait_for_items(receiver, count)
        receiver.__exit__(None, None, None)
        self.assertIn(b" 0 disagreements", run("check", self.second).stdout)

    def test_what_was_removed_while_it_was_away(self):
        primary = self.start("--ship-keep", "1s", "--ship-base-interval", "1s")
        self.receive().__exit__(None, None, None)
        first = self.bases()
        count = 100
        while set(self.bases()) & set(first):
            self.put(primary, count, 25)
            count += 25
            time.sleep(0.1)
        receiver = self.receive()
        self.wait_for_items(receiver, count)

    def test_a_target_that_is_away(self):
        primary = self.start()
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 100)
        receiver.__exit__(None, None, None)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        primary.__exit__(None, None, None)
        away = self.folder / "away"
        self.target.rename(away)
        self.target.write_text("a file")
        failed = self.receiving_fails("--receive", self.target)
        self.assertIn(str(self.target), failed)
        self.target.unlink()
        away.rename(self.target)
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 200)

    def test_a_folder_that_somebody_has_emptied(self):
        primary = self.start()
        self.receive().__exit__(None, None, None)
        shutil.rmtree(self.second)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        self.assertEqual(len(self.items(self.receive())), 200)

    def segments(self):
        return sorted((self.target / "log").iterdir())

    def test_a_segment_that_is_missing(self):
        primary = self.start()
        self.receive().__exit__(None, None, None)
        for n in range(1, 4):
            self.put(primary, 100 * n, 100)
            self.wait_until_shipped(primary)
        missing = self.segments()[-2]
        missing.rename(self.folder / "elsewhere")
        for arguments in (("--receive", self.target), ("--ship", self.target, "--ship-take-over")):
            self.assertIn(f"{missing} is missing", self.receiving_fails(*arguments))
        self.assertIsNone(primary.process.poll())
        # By a folder that is new, too.
        kept, self.second = self.second, self.folder / "third"
        self.assertIn(f"{missing} is missing", self.receiving_fails("--receive", self.target))
        self.second = kept
        (self.folder / "elsewhere").rename(missing)
        self.assertEqual(len(self.items(self.receive())), 400)

    def test_a_clock_that_was_set_back(self):
        clocks = Clocks(self)
        primary = self.start()
        receiver = self.receive(environment=clocks.environment)
        clocks.set(-3600, 61)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        self.wait_for_items(receiver, 200)
        primary.process.kill()
        primary.process.wait()
        self.segments()[-1].rename(self.target / "log" / f"{int(self.segments()[-1].name) + 2:020}")
        # It looks for later ones each minute.
        clocks.set(-7200, 122)
        self.wait_until(lambda: "is missing" in self.receiving(receiver).get("why", ""))

    def test_a_take_over_that_cannot_start_leaves_the_first(self):
        os.environ["DYNOLITH_TEST_KEY"] = "ab" * 32
        self.addCleanup(os.environ.pop, "DYNOLITH_TEST_KEY")
        primary = self.start("--encryption-key", KEY)
        self.receive("--encryption-key", KEY).__exit__(None, None, None)
        before = self.segments()
        for key in ((), ("--encryption-key", "env:HOME")):
            self.receiving_fails("--ship", self.target, "--ship-take-over", *key)
        self.assertEqual(self.segments(), before)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)

    def test_a_take_over_that_would_fail_later_leaves_the_first(self):
        primary = self.start()
        self.receive().__exit__(None, None, None)
        before = self.segments()
        nothing, damaged = self.folder / "nothing", self.folder / "damaged.json"
        damaged.write_text("{")
        handovers = self.second.with_name("second.handovers")
        handovers.write_text("damaged")
        takes_over = ("--ship", self.target, "--ship-take-over")
        self.assertIn(str(handovers), self.receiving_fails(*takes_over))
        handovers.unlink()
        for file, beside in (("targets", ("--on-stream", "items=exec:cat")), ("kinesis", ("--kinesis", "http://127.0.0.1:1"))):
            places = self.second.with_name(f"second.{file}")
            places.write_text("damaged")
            self.assertIn(str(places), self.receiving_fails(*takes_over, *beside))
            places.unlink()
        for arguments, why in ((("--tls-cert", nothing, "--tls-key", nothing), str(nothing)),
                               (("--tls-cert", damaged, "--tls-key", damaged), str(damaged)),
                               (("--seed", nothing), str(nothing)), (("--seed", damaged), str(damaged)),
                               (("--auth", "verify", "--credentials", nothing), str(nothing)),
                               (("--iam", "enforce", "--iam-folder", nothing), str(nothing)),
                               (("--admin-token", nothing), str(nothing)), (("--trace", nothing / "trace"), str(nothing)),
                               (("--stream-targets", damaged), str(damaged)), (("--kinesis", "http:/"), "http:/"),
                               (("--otlp", "http:/"), "http:/"), (("--clock-start", "2026-01-31T12:00:00Z"), "--clock manual"),
                               (("--memory-budget", "1MB"), "memory"), (("--cache", "1GB", "--memory-budget", "512MB"), "memory"),
                               (("--host", "192.0.2.1"), "192.0.2.1"), (("--encryption-key", "env:HOME"), "HOME")):
            self.assertIn(why, self.receiving_fails(*takes_over, *arguments), arguments)
        shown = subprocess.run([cli_test.BINARY, "serve", "--port", str(primary.port), "--data", self.second, *map(str, takes_over)],
                               capture_output=True, timeout=SECONDS, check=False)
        self.assertEqual((shown.returncode, shown.stdout), (1, b""))
        self.assertIn(str(primary.port), shown.stderr.decode())
        self.assertEqual(self.segments(), before)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        with self.serve("--ship-take-over", data=self.second) as second:
            self.assertEqual(len(self.items(second)), 200)
        self.assertEqual(primary.process.wait(SECONDS), 1)

    def test_a_log_that_was_cut(self):
        primary = self.start()
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        self.receive().__exit__(None, None, None)
        for log in self.second.glob("*.log"):
            os.truncate(log, log.stat().st_size // 2)
        self.assertEqual(len(self.items(self.receive())), 200)

    def test_a_folder_that_was_moved(self):
        self.start()
        self.receive().__exit__(None, None, None)
        first = self.second
        self.second = self.folder / "third"
        shutil.copytree(first, self.second)
        shutil.copy(f"{first}.receiving", f"{self.second}.receiving")
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 100)

    def test_a_first_fetch_that_is_killed(self):
        with self.start("--ship-base-interval", "1s") as primary:
            self.put(primary, 100, 100)
            self.wait_until_shipped(primary)
        # As such a kill leaves them.
        (self.second / "receiving").mkdir(parents=True)
        (self.second / "receiving" / "000009.sst").write_text("begun")
        self.assertIn("is not empty", self.receiving_fails("--receive", self.target))
        shutil.rmtree(self.second)
        for wait in (0.02, 0.04, 0.06, 0.08, 0.1):
            begun = subprocess.Popen([cli_test.BINARY, "serve", "--port", "0", "--data", self.second, "--receive", f"{self.target}/"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            begun.kill()
            begun.wait()
        self.assertEqual(len(self.items(self.receive())), 200)

    def test_a_first_fetch_that_is_ended(self):
        primary = self.start()

        def end():
            # It comes once the program waits for it.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
            os.kill(os.getpid(), signal.SIGTERM)

        ended = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--data", self.second, "--receive", self.target],
                               capture_output=True, timeout=SECONDS, check=False, preexec_fn=end)
        self.assertEqual((ended.returncode, ended.stdout), (130, b""), ended)
        self.assertIn(b"interrupted before all was received", ended.stderr)
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 100)
        receiver.__exit__(None, None, None)
        # Nor does a take-over that is ended change anything.
        ended = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--data", self.second, "--ship", self.target, "--ship-take-over"],
                               capture_output=True, timeout=SECONDS, check=False, preexec_fn=end)
        self.assertEqual((ended.returncode, ended.stdout), (130, b""), ended)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)

    def test_a_base_that_cannot_take_its_place(self):
        primary = self.start("--ship-base-interval", "1s")
        receiver = self.receive()
        # In the way of the manifest that the next start of the first server makes.
        in_the_way = [self.second / f"MANIFEST-{number:06}" for number in range(1, 100)]
        in_the_way = [path for path in in_the_way if not path.exists()]
        for path in in_the_way:
            path.mkdir()
        primary.process.kill()
        primary.process.wait()
        primary = self.serve("--ship-base-interval", "1s")
        self.put(primary, 100, 100)
        self.wait_until(lambda: "why" in self.receiving(receiver))
        self.assertRegex(self.receiving(receiver)["why"], "cannot write .*second/MANIFEST-")
        for path in in_the_way:
            path.rmdir()
        self.wait_until(lambda: "why" not in self.receiving(receiver))
        self.wait_for_items(receiver, 200)
        self.put(primary, 200, 100)
        self.wait_for_items(receiver, 300)
        receiver.__exit__(None, None, None)
        self.assertIn(b" 0 disagreements", run("check", self.second).stdout)

    def test_segments_without_a_base(self):
        """As a store leaves them that is killed between a bulk load and its base."""
        primary = self.start()
        self.receive().__exit__(None, None, None)
        self.put(primary, 100, 300, size=10_000)
        self.wait_until_shipped(primary)
        bases = self.target / "bases"
        known = set(self.bases())
        self.add_index(primary)
        self.wait_for(primary, lambda report: report["bases"] == 2)
        self.put(primary, 400, 100)
        self.wait_until_shipped(primary)
        primary.process.kill()
        primary.process.wait()
        for name in set(self.bases()) - known:
            (bases / name).rename(self.folder / name)
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 400)
        report = self.receiving(receiver)
        self.assertIn("for which there is no base yet: what is here is as of 20", report["waits"])
        self.assertEqual(report["failures"], 0)
        receiver.__exit__(None, None, None)
        refused = self.receiving_fails("--ship", self.target, "--ship-take-over")
        self.assertRegex(refused, "no base yet.*to go on without what these segments have, remove .*second.receiving")
        for path in self.folder.glob("0*"):
            path.rename(bases / path.name)
        receiver = self.receive()
        self.wait_for_items(receiver, 500)

    def test_folders_that_are_not_its_own(self):
        with self.start():
            pass
        self.second.mkdir()
        (self.second / "a").write_text("a")
        self.assertIn("is not empty, and not what was received", self.receiving_fails("--receive", self.target))
        (self.second / "a").unlink()
        self.assertIn("there is no folder", self.receiving_fails("--receive", self.folder / "nothing"))
        with self.receive():
            self.assertIn("another process holds the data folder", self.receiving_fails("--receive", self.target))
        self.assertIn("holds what was received from", self.receiving_fails("--receive", self.folder / "nothing"))
        for arguments, why in ((("--receive", self.target, "--ship", self.target), "--receive only reads"),
                               (("--receive", self.target, "--isolate", "region"), "--receive is for one database")):
            self.assertIn(why, self.receiving_fails(*arguments))

    def test_a_target_that_was_mistyped(self):
        with self.start():
            pass
        before = sorted(self.folder.iterdir())
        for nothing in (self.folder / "nothing", self.folder / "no" / "thing"):
            self.assertIn(f"there is no folder {nothing}\n", self.receiving_fails("--receive", nothing))
            for command in (("restore", f"file://{nothing}", self.second), ("verify", f"file://{nothing}")):
                shown = run(*command)
                self.assertEqual((shown.returncode, shown.stdout), (1, b""))
                self.assertIn(f"there is no folder {nothing}\n".encode(), shown.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        # Another folder that is there.
        other = self.folder / "other"
        other.mkdir()
        self.assertIn("nothing that a store could be made of", self.receiving_fails("--receive", other))
        self.assertEqual(list(other.iterdir()), [])
        self.assertFalse(self.second.exists())
        # What is here is read while the target is not there.
        self.receive().__exit__(None, None, None)
        away = self.folder / "away"
        self.target.rename(away)
        receiver = self.receive()
        self.assertEqual(len(self.items(receiver)), 100)
        self.assertIn("there is no folder", self.receiving(receiver)["why"])
        self.assertFalse(self.target.exists())
        away.rename(self.target)
        self.wait_until(lambda: "awaySince" not in self.receiving(receiver))

    def fill_by_another(self, count):
        """Empties the target, and ships another store with as many tables there, until so many segments are there."""
        shutil.rmtree(self.target)
        other = self.serve(data=self.folder / "other")
        self.wait_until_shipped(other)
        for n in range(count):
            other.call("CreateTable", **dict(ITEMS, TableName=f"other{n}"))
            self.wait_until_shipped(other)
        return other

    def check_a_target_of_another_store(self, rows, tables):
        primary = self.start()
        for n in range(rows):
            self.put(primary, 0, n)
            self.wait_until_shipped(primary)
        self.receive().__exit__(None, None, None)
        primary.__exit__(None, None, None)
        right, wrong = self.folder / "right", self.folder / "wrong"
        shutil.copytree(self.target, right)
        other = self.fill_by_another(tables)
        receiver = self.receive()
        for part in (f"{self.target} holds another store than {self.second}, with a base of ", "nothing of it is received",
                     f"remove {self.second} and {self.second}.receiving, and start it again"):
            self.assertIn(part, self.receiving(receiver)["why"])
        self.assertEqual(len(self.items(receiver)), 100)
        receiver.__exit__(None, None, None)
        # Nor does it become the one that ships there.
        self.assertIn("holds another store", self.receiving_fails("--ship", self.target, "--ship-take-over"))
        other.call("CreateTable", **dict(ITEMS, TableName="more"))
        self.wait_until_shipped(other)
        other.__exit__(None, None, None)
        # What was there before is received where it ended.
        receiver = self.receive()
        self.target.rename(wrong)
        right.rename(self.target)
        primary = self.serve()
        self.put(primary, 100, 100)
        self.wait_for_items(receiver, 200)
        receiver.__exit__(None, None, None)
        primary.__exit__(None, None, None)
        # Whoever wants the other one gets it.
        shutil.rmtree(self.target)
        wrong.rename(self.target)
        shutil.rmtree(self.second)
        self.second.with_name("second.receiving").unlink()
        self.assertIn("more", self.receive().call("ListTables")["TableNames"])

    def test_a_target_of_another_store(self):
        self.check_a_target_of_another_store(rows=4, tables=0)

    def test_a_target_of_another_store_with_more_segments(self):
        self.check_a_target_of_another_store(rows=0, tables=8)

    def test_a_target_that_is_filled_anew_meanwhile(self):
        primary = self.start()
        receiver = self.receive()
        primary.__exit__(None, None, None)
        self.fill_by_another(8)
        self.wait_until(lambda: "holds another store" in self.receiving(receiver).get("why", ""))
        self.assertEqual(len(self.items(receiver)), 100)

    def test_another_store_takes_over(self):
        primary = self.start()
        receiver = self.receive()
        with self.serve("--ship-take-over", data=self.folder / "other") as other:
            self.assertEqual(primary.process.wait(SECONDS), 1)
            self.wait_until_shipped(other)
            self.wait_until(lambda: "holds another store" in self.receiving(receiver).get("why", ""))
            self.assertEqual(len(self.items(receiver)), 100)

    def take_over(self, *arguments, data, first=None):
        """Serves a copy of the store in the first one's place, until nothing that was there before is."""
        server = self.serve("--ship-take-over", "--ship-keep", "1s", "--ship-base-interval", "1s", *arguments, data=data)
        before = set(self.bases())
        count = len(self.items(server))
        while before & set(self.bases()):
            self.put(server, count, 25)
            count += 25
            self.wait_until_shipped(server)
        return server, count

    def test_a_receiver_that_was_away_during_take_overs(self):
        """By each kind of copy: one that receives, one that was restored, from a backup, too, and one that was repaired."""
        primary = self.start()
        self.receive().__exit__(None, None, None)
        away, self.second = self.second, self.folder / "copy"
        self.receive().__exit__(None, None, None)
        primary.__exit__(None, None, None)
        server, count = self.take_over(data=self.second)
        server.__exit__(None, None, None)
        restored, repaired, backup, last = (self.folder / name for name in ("restored", "repaired", "backup", "last"))
        self.assertEqual(run("restore", self.target, restored).returncode, 0)
        server, count = self.take_over(data=restored)
        server.__exit__(None, None, None)
        self.assertEqual(run("repair", restored, repaired).returncode, 0)
        server, count = self.take_over(data=repaired)
        server.__exit__(None, None, None)
        self.assertEqual(run("backup", repaired, backup).returncode, 0)
        self.assertEqual(run("restore", backup, last).returncode, 0)
        server, count = self.take_over(data=last)
        self.second = away
        receiver = self.receive()
        self.wait_for_items(receiver, count)
        self.assertNotIn("why", self.receiving(receiver))

    def test_an_encrypted_store_with_new_keys(self):
        os.environ["DYNOLITH_TEST_KEY"] = "ab" * 32
        self.addCleanup(os.environ.pop, "DYNOLITH_TEST_KEY")
        key = ("--encryption-key", KEY)
        primary = self.start(*key)
        self.receive(*key).__exit__(None, None, None)
        primary.__exit__(None, None, None)
        rotated = run("key", "renew", self.data, *key)
        self.assertEqual(rotated.returncode, 0, rotated)
        primary = self.serve(*key)
        self.put(primary, 100, 100)
        self.wait_until_shipped(primary)
        receiver = self.receive(*key)
        self.assertEqual(len(self.items(receiver)), 200)
        # Another one with the same key.
        primary.__exit__(None, None, None)
        shutil.rmtree(self.target)
        with self.serve(*key, data=self.folder / "other") as other:
            self.wait_until_shipped(other)
            self.wait_until(lambda: "holds another store" in self.receiving(receiver).get("why", ""))
        self.assertEqual(len(self.items(receiver)), 200)

    def test_a_folder_and_a_target_within_each_other(self):
        with self.start():
            pass
        link = self.folder / "link"
        link.symlink_to(self.target)
        before = sorted(self.folder.rglob("*"))
        for target, second in ((self.target, self.target / "second"), (link, self.target / "log" / "second"),
                               (self.target, link / "second"), (f"file://{link}", self.target / "a" / "second"),
                               (self.target, self.target)):
            self.second = second
            for arguments in (("--receive", target), ("--ship", target), ("--ship", target, "--ship-take-over")):
                self.assertRegex(self.receiving_fails(*arguments), "lies in the (target|data folder)")
            shown = run("restore", str(target), self.second)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""))
            self.assertRegex(shown.stderr.decode(), "lies in the (target|data folder)")
        # The target in the folder, too.
        self.second = self.folder / "data"
        inside = self.folder / "inside"
        inside.symlink_to(self.second / "copies")
        for target in (self.second, self.second / "copies"):
            for arguments in (("--receive", target), ("--ship", target), ("--ship", target, "--ship-take-over")):
                self.assertIn("lies in the data folder", self.receiving_fails(*arguments))
        inside.unlink()
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_an_encrypted_store(self):
        environment = {**os.environ, "DYNOLITH_TEST_KEY": "ab" * 32}
        primary = self.start("--encryption-key", KEY, environment=environment)
        self.assertIn("holds an encrypted store: give --encryption-key", self.receiving_fails("--receive", self.target))
        receiver = self.receive("--encryption-key", KEY, environment=environment)
        self.assertEqual(len(self.items(receiver)), 100)
        for n in range(1, 4):
            self.put(primary, 100 * n, 100)
            self.wait_for_items(receiver, 100 * (n + 1))
        for path in self.second.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"item 10", path.read_bytes(), path)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
