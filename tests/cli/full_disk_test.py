#!/usr/bin/env python3
"""A server whose disk is full: it stays, says so, reads, and writes again when there is room. On a real file system of a few
megabytes, which takes a mount namespace; where there is none this is skipped (exit code 77), and says why.

    full_disk_test.py <dynolith binary> [unittest arguments]
"""

import contextlib
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import cli_test
import own_mounts
from cli_test import SECONDS, SONGS, Server, is_under_sanitizer, run, song

DISK_MEGABYTES = 80
# Several write buffers, and files that compactions need as much room for.
LARGER_DISK_MEGABYTES = 160
# Where write buffers are small, too.
SMALLER_DISK_MEGABYTES = 40


class FullDisk(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.disk = pathlib.Path(scratch.name, "disk")
        self.disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "none", self.disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=True)
        self.ballast = self.disk / "ballast"
        self.data = str(self.disk / "data")
        self.acknowledged = []
        self.next = 0

    def fill(self, left=0):
        """Takes all that is left, to the last page, or all but that many megabytes."""
        with self.ballast.open("ab", buffering=0) as file:
            # In steps, as a compaction takes and gives back room meanwhile.
            while left > 0:
                disk = os.statvfs(self.disk)
                more = disk.f_bavail * disk.f_frsize - (left << 20)
                if more <= 0:
                    return
                with contextlib.suppress(OSError):
                    file.write(bytes(min(more, 1 << 18)))
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while file.write(b"x" * size) == size:
                        pass
                except OSError:
                    pass

    def put(self, server, kilobytes=100):
        """The status and the answer."""
        item = song(self.next) | {"words": {"S": os.urandom(kilobytes << 9).hex()}}
        self.next += 1
        body = json.dumps({"TableName": "songs", "Item": item}).encode()
        status, answer = server.request("PutItem", body)
        if status == 200:
            self.acknowledged.append(item)
        return status, answer

    def assert_all_there(self, server):
        for item in self.acknowledged:
            key = {name: item[name] for name in ("artist", "title")}
            self.assertEqual(server.call("GetItem", TableName="songs", Key=key)["Item"], item)

    def assert_refused(self, status, answer):
        self.assertEqual(status, 500, answer)
        self.assertEqual(answer["__type"], "com.amazonaws.dynamodb.v20120810#InternalServerError")
        self.assertIn(f"no space is left for the store in {self.data}", answer["message"])

    def fill_by_puts(self, server, before_each=lambda: None):
        """Puts until only refusals come, as a compaction or flush may give room back after some. The last refusal's message."""
        refused = 0
        while refused < 20:
            before_each()
            status, answer = self.put(server)
            if status == 200:
                refused = 0
            else:
                self.assert_refused(status, answer)
                refused += 1
        return answer["message"]

    def wait_until_written(self, server, refused=lambda message: None):
        end = time.monotonic() + (5 if is_under_sanitizer() else 1) * SECONDS
        status, answer = self.put(server)
        while status != 200:
            self.assertLess(time.monotonic(), end, answer)
            refused(answer["message"])
            time.sleep(0.1)
            status, answer = self.put(server)

    def session(self, *arguments):
        with Server("--data", self.data, *arguments) as server:
            server.call("CreateTable", **SONGS)
            for _ in range(20):
                self.assertEqual(self.put(server)[0], 200)
            for _ in range(3):
                self.fill_by_puts(server, self.fill)
                self.assert_all_there(server)
                self.ballast.unlink()
                self.wait_until_written(server)
            self.fill_by_puts(server)
            self.assert_all_there(server)
            code, _, errors = server.stop()
            self.assertEqual(code, 0)
            self.assertIn("no space is left for the store", errors)

    def reopened(self, *arguments):
        """What was written is there for readers while the disk is full, and for all when it is not."""
        self.fill()
        checked = run("check", self.data)
        self.assertEqual((checked.returncode, checked.stderr), (0, b""), checked)
        began = subprocess.run([cli_test.BINARY, "serve", "--port", "0", "--data", self.data], capture_output=True, check=False,
                               text=True, timeout=SECONDS)
        self.assertEqual(began.returncode, 1)
        self.assertRegex(began.stderr, "(?i)no space.* left")
        self.resize(4 * DISK_MEGABYTES)
        with Server("--data", self.data, *arguments) as server:
            self.assert_all_there(server)
            self.assertEqual(self.put(server)[0], 200)

    def test_full_and_with_room_again(self):
        self.session()
        self.reopened()

    def test_synchronous_commits(self):
        self.session("--sync")
        self.reopened("--sync")

    def resize(self, megabytes):
        # With the source, or else `mount` repeats the options that are in effect: one is the user's id outside of the namespace,
        # which is none in it.
        subprocess.run(["mount", "-o", f"remount,size={megabytes}m", "none", self.disk], check=True)

    def delete(self, server, item):
        key = {name: item[name] for name in ("artist", "title")}
        return server.request("DeleteItem", json.dumps({"TableName": "songs", "Key": key}).encode())

    def make_room_as_asked(self, server, size, more_max):
        """Until puts are taken, with what the refusals say is missing: less than the reserve may be free, as flushes use it."""
        end = size + more_max

        def refused(message):
            nonlocal size
            found = re.search(r"([0-9.]+) ([MK]B) of its disk are free, where puts need ([0-9.]+) MB", message)
            free = float(found[1]) if found[2] == "MB" else 0
            self.assertLess(free, float(found[3]), message)
            missing = math.ceil(float(found[3]) - free)
            if missing > 0 and size < end:
                size = min(size + missing, end)
                self.resize(size)

        self.wait_until_written(server, refused)
        return size

    def test_a_disk_that_the_store_filled(self):
        self.resize(LARGER_DISK_MEGABYTES)
        with Server("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            refusal = self.fill_by_puts(server)
            self.assertRegex(refusal, r"[0-9.]+ [MK]B of its disk are free, where puts need [0-9.]+ MB; make room, or delete")
            for item in self.acknowledged[:20]:
                status, answer = self.delete(server, item)
                self.assertEqual(status, 200, answer)
            self.acknowledged = self.acknowledged[20:]
            size = LARGER_DISK_MEGABYTES
            for room in (48,) if is_under_sanitizer() else (1, 8, 48):
                size += room
                self.resize(size)
                size = self.make_room_as_asked(server, size, 0 if room == 48 else 24)
                self.fill_by_puts(server)
            self.assert_all_there(server)
            # Everything goes, and with it the need of room.
            server.call("DeleteTable", TableName="songs")
            server.call("CreateTable", **SONGS)
            self.acknowledged = []
            self.wait_until_written(server)
            self.assert_all_there(server)

    def status_of_index(self, server, name):
        indexes = server.call("DescribeTable", TableName="songs")["Table"]["GlobalSecondaryIndexes"]
        return next(index["IndexStatus"] for index in indexes if index["IndexName"] == name)

    def test_an_index_is_filled_when_there_is_room(self):
        with Server("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            while len(self.acknowledged) < 250:
                self.assertEqual(self.put(server)[0], 200)
        # Nothing waits for a flush, which would stop the catalog's commits too if it found no room.
        with Server("--data", self.data) as server:
            # Room for the catalog, and less than puts leave.
            self.fill(left=6)
            self.add_index(server)
            for _ in range(10):
                time.sleep(0.1)
                # What a compaction gave back.
                self.fill(left=6)
                self.assertEqual(self.status_of_index(server, "by-title"), "CREATING")
            self.ballast.unlink()
            self.resize(2 * DISK_MEGABYTES)
            end = time.monotonic() + SECONDS
            while self.status_of_index(server, "by-title") != "ACTIVE":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)
            self.assert_all_there(server)
        self.assertEqual(run("check", self.data).returncode, 0)

    def assert_deleted(self, server, item):
        status, answer = self.delete(server, item)
        self.assertEqual(status, 200, answer)
        self.acknowledged.remove(item)

    def empty_tables(self):
        """Those of flushes and compactions that found no room, and one that a running one has just begun."""
        with os.scandir(self.data) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".sst")]
        empty = []
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                empty += [name] if os.stat(os.path.join(self.data, name)).st_size == 0 else []
        return empty

    def wait_until_no_table_is_empty(self):
        end = time.monotonic() + SECONDS
        while empty := self.empty_tables():
            self.assertLess(time.monotonic(), end, empty)
            time.sleep(0.1)

    def test_an_index_that_does_not_fit_leaves_room_for_deletions(self):
        self.resize(SMALLER_DISK_MEGABYTES)
        with Server("--data", self.data) as server:
            server.call("CreateTable", **SONGS)
            for _ in range(350):
                self.assertEqual(self.put(server, 50)[0], 200)
            self.fill(left=6)
            self.add_index(server)
            time.sleep(2)
            self.assertEqual(self.status_of_index(server, "by-title"), "CREATING")
            self.fill_by_puts(server)
            for item in self.acknowledged[:5]:
                self.assert_deleted(server, item)
            self.ballast.unlink()
            for item in self.acknowledged[:5]:
                self.assert_deleted(server, item)
            server.call("UpdateTable", TableName="songs", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-title"}}])
            self.wait_until_written(server)
            self.assert_all_there(server)
            server.call("DeleteTable", TableName="songs")
            self.wait_until_no_table_is_empty()
        self.assertEqual(run("check", self.data).returncode, 0)

    def call_until_taken(self, server, operation, body):
        """The answer, once no flush waits any more for the room that a compaction gives back."""
        end = time.monotonic() + SECONDS
        status, answer = server.request(operation, json.dumps(body).encode())
        while status == 500:
            self.assertLess(time.monotonic(), end, answer)
            time.sleep(0.1)
            status, answer = server.request(operation, json.dumps(body).encode())
        self.assertEqual(status, 200, answer)
        return answer

    def add_index(self, server):
        self.call_until_taken(server, "UpdateTable", {
            "TableName": "songs", "AttributeDefinitions": SONGS["AttributeDefinitions"], "GlobalSecondaryIndexUpdates": [
                {"Create": {"IndexName": "by-title", "KeySchema": [{"AttributeName": "title", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "ALL"}}}]})

    def import_songs(self, server, name):
        table = {member: SONGS[member] for member in ("BillingMode", "KeySchema")}
        body = {"ClientToken": name, "S3BucketSource": {"S3Bucket": "music"}, "InputFormat": "DYNAMODB_JSON",
                "TableCreationParameters": table | {"TableName": name, "AttributeDefinitions": SONGS["AttributeDefinitions"][:2]}}
        end = time.monotonic() + SECONDS
        started = self.call_until_taken(server, "ImportTable", body)["ImportTableDescription"]
        while True:
            described = server.call("DescribeImport", ImportArn=started["ImportArn"])["ImportTableDescription"]
            if described["ImportStatus"] != "IN_PROGRESS":
                return described
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_an_import_is_refused_and_later_taken(self):
        bucket = self.disk.parent / "buckets" / "music"
        bucket.mkdir(parents=True)
        with Server("--data", self.data, "--buckets", str(bucket.parent)) as server:
            server.call("CreateTable", **SONGS)
            self.fill_by_puts(server)
            # Together more than the disk, whatever a compaction gives back.
            items = (DISK_MEGABYTES << 20) // (100 << 10) - len(self.acknowledged)
            with (bucket / "songs.json").open("w") as lines:
                for number in range(items):
                    lines.write(json.dumps({"Item": song(10_000 + number) | {"words": {"S": os.urandom(100 << 9).hex()}}}) + "\n")
            refused = self.import_songs(server, "refused")
            self.assertEqual(refused["ImportStatus"], "FAILED")
            self.assertIn("no space is left for the store", refused["FailureMessage"])
            self.assertEqual(server.call("ListTables")["TableNames"], ["songs"])
            self.resize(3 * DISK_MEGABYTES)
            self.wait_until_written(server)
            taken = self.import_songs(server, "taken")
            self.assertEqual((taken["ImportStatus"], taken["ImportedItemCount"]), ("COMPLETED", items), taken)
            self.assert_all_there(server)
        self.assertEqual(run("check", self.data).returncode, 0)

    def test_a_trace_ends_and_calls_go_on(self):
        trace = str(self.disk / "songs.trace")
        with Server("--trace", trace) as server:
            server.call("CreateTable", **SONGS)
            self.assertEqual(self.put(server, 1)[0], 200)
            self.fill()
            # More than the page of the trace that is there already.
            for _ in range(1_500):
                self.assertEqual(self.put(server, 1)[0], 200)
            self.assert_all_there(server)
            code, _, errors = server.stop()
        self.assertEqual((code, errors.count("requests are traced no longer")), (0, 1), errors)
        self.assertIn("No space left on device", errors)
        self.assertEqual(run("lab", "trace", trace).returncode, 0)


if __name__ == "__main__":
    own_mounts.main("no disk was full")
