#!/usr/bin/env python3
"""A data folder that is shipped to a bucket of moto's server: what tests/cli/ship_test.py and receiving_test.py ask of every
target, and a server of the bucket that answers nobody for a while.

    ship_to_bucket.py <dynolith binary> <folder with the clients> [unittest arguments]
"""

import os
import pathlib
import re
import signal
import sys
import time
import unittest

import ship_targets

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

import cli_test  # noqa: E402 - found by that path
import receiving_test  # noqa: E402
import ship_test  # noqa: E402
from clock_test import ITEMS  # noqa: E402


class InBucket:
    """Of tests of Shipped."""

    bucket = None
    moto = None  # its process

    def setUp(self):
        super().setUp()
        self.prefix = self.id().rpartition(".")[2]
        self.target = f"s3://copies/{self.prefix}"

    def bases(self):
        listed = self.bucket.ask(f"/copies?list-type=2&prefix={self.prefix}/bases/")
        return sorted(re.findall(r"<Key>[^<]*/([^</]+)</Key>", listed))


class ToBucket(ship_test.ToAnyTarget, InBucket, ship_test.Shipped):
    def test_a_bucket_that_answers_nobody(self):
        with self.serve() as server:
            server.call("CreateTable", **ITEMS)
            self.wait_until_shipped(server)
            self.moto.send_signal(signal.SIGSTOP)
            try:
                time.sleep(1)
                begin = time.monotonic()
                self.put(server, 0, 100)
                self.assertLess(time.monotonic() - begin, 20)
                # What is left is shipped by the next start.
                self.assertEqual(server.stop()[0], 0)
                self.assertLess(time.monotonic() - begin, 60)
            finally:
                self.moto.send_signal(signal.SIGCONT)
        with self.serve() as server:
            self.put(server, 100, 100)
            self.wait_until_shipped(server)
        self.assertEqual(len(self.restore()), 200)

    def test_a_bucket_that_is_not_there(self):
        self.target = "s3://nothing/music"
        self.assertRegex(self.refused(), r"s3://nothing/music.*NoSuchBucket")
        self.assertRegex(self.restore_fails(), r"s3://nothing/music.*NoSuchBucket")


class FromBucket(receiving_test.FromAnyTarget, InBucket, receiving_test.Receives):
    pass


if __name__ == "__main__":
    cli_test.BINARY, clients = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    if not (clients / "venv/bin/moto_server").exists():
        sys.exit(f"{clients}/venv/bin/moto_server is missing: tools/dev test installs it")
    with ship_targets.moto(clients) as (url, InBucket.moto):
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            del os.environ[name]
        os.environ |= {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1"}
        InBucket.bucket = ship_targets.Bucket(url)
        tested = unittest.main(argv=[sys.argv[0], *sys.argv[3:]], exit=False)
    sys.exit(not tested.result.wasSuccessful())
