#!/usr/bin/env python3
"""`dynolith migrate` to and from endpoints that are not ours: moto's server and dynalite, which know other parts of the protocol.

    foreign_endpoints.py <dynolith binary> <folder with the clients> [unittest arguments]
"""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test
import migrate_test

CLIENTS = pathlib.Path()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Endpoint(cli_test.Server):
    """Somebody else's server, with the calls of ours."""

    def __init__(self, *command):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([part.format(port=self.port) for part in command], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + cli_test.SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            assert self.process.poll() is None and time.monotonic() < deadline, command
            time.sleep(0.05)

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.wait()

    def items(self, table):
        return migrate_test.Watched.items(self, table)


def moto():
    return Endpoint(str(CLIENTS / "venv/bin/moto_server"), "-H", "127.0.0.1", "-p", "{port}")


def dynalite():
    return Endpoint("node", str(CLIENTS / "node/node_modules/dynalite/cli.js"), "--host", "127.0.0.1", "--port", "{port}",
                    "--createTableMs", "0")


class Foreign(migrate_test.Folders):
    def source(self):
        server = self.server()
        server.call("CreateTable", **migrate_test.MUSIC, Tags=[{"Key": "a", "Value": "b"}],
                    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        server.call("UpdateTimeToLive", TableName="music", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        server.fill("music", map(migrate_test.song, range(120)))
        return server

    def change(self, server):
        for number in range(0, 120, 4):
            item = migrate_test.song(number)
            server.call("DeleteItem", TableName="music", Key={name: item[name] for name in ("pk", "sk")})
        server.call("PutItem", TableName="music", Item=migrate_test.song(3, new={"S": "x"}))
        server.call("PutItem", TableName="music", Item=migrate_test.song(1000))

    def there_and_back(self, foreign):
        """What is said on the way there and on the way back."""
        source = self.source()
        there = ("--state", str(self.folder / "there"))
        back = ("--state", str(self.folder / "back"))
        self.migrate(source.url, foreign.url, *there)
        self.change(source)
        out, errors = self.migrate(source.url, foreign.url, *there, "--cut-over", "refuse", "--verify", "full")
        self.assertIn("91 items on FROM, 91 on TO: the same", out)
        self.assertEqual(foreign.items("music"), source.items("music"))
        target = self.server()
        self.migrate(foreign.url, target.url, *back)
        item = migrate_test.song(1001)
        foreign.call("PutItem", TableName="music", Item=item)
        foreign.call("DeleteItem", TableName="music", Key={name: migrate_test.song(1)[name] for name in ("pk", "sk")})
        out, errors_back = self.migrate(foreign.url, target.url, *back, "--cut-over", "stopped", "--verify", "full")
        self.assertIn("91 items on FROM, 91 on TO: the same", out)
        self.assertEqual(target.items("music"), foreign.items("music"))
        self.assertIn(migrate_test.key_of(item), target.items("music"))
        self.assertEqual(target.call("ListTagsOfResource", ResourceArn=target.call(
            "DescribeTable", TableName="music")["Table"]["TableArn"])["Tags"], [{"Key": "a", "Value": "b"}])
        return errors, out, errors_back

    def test_moto(self):
        with moto() as foreign:
            errors, out, errors_back = self.there_and_back(foreign)
            # It has streams.
            self.assertEqual((errors, errors_back), ("", ""))
            self.assertNotIn("second scan", out)

    def test_dynalite(self):
        with dynalite() as foreign:
            errors, out, errors_back = self.there_and_back(foreign)
            # It has neither TTL nor streams.
            self.assertIn("table music is without TTL of ends: UnknownOperationException", errors)
            self.assertIn("table music has no stream", errors_back)
            self.assertIn("a second scan has found 2 items", out)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    CLIENTS = pathlib.Path(sys.argv.pop(1)).resolve()
    for need in ("venv/bin/moto_server", "node/node_modules/dynalite/cli.js"):
        if not (CLIENTS / need).exists():
            sys.exit(f"{CLIENTS / need} is missing: tools/dev test installs it")
    unittest.main()
