#!/usr/bin/env python3
"""The manual's page "Leaving for DynamoDB": its commands take tables away and back, with credentials of a profile.

    leaving_test.py <dynolith binary> <project folder> [unittest arguments]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import cli_test
from cli_test import Server

PROJECT = pathlib.Path()
TABLE = {"TableName": "music", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
PROFILE = "[shop]\naws_access_key_id = AKID\naws_secret_access_key = {secret}\naws_session_token = token\n"


def commands():
    """Those of the page, without the endpoint that is not ours to call."""
    page = (PROJECT / "tools/manual/leaving.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
    assert lines[0].startswith("export ENDPOINT=https://dynamodb."), lines
    return lines[1:]


class Leaving(unittest.TestCase):
    def setUp(self):
        self.made = tempfile.TemporaryDirectory(prefix="dynolith-test-")
        self.folder = pathlib.Path(self.made.name)
        (self.folder / ".aws").mkdir()

    def tearDown(self):
        self.made.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def sh(self, script, **variables):
        path = f"{pathlib.Path(cli_test.BINARY).parent}:{os.environ['PATH']}"
        environment = {"HOME": str(self.folder), "PATH": path, **variables}
        return subprocess.run(["sh", "-ec", script], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=cli_test.SECONDS, check=False)

    def test_the_page(self):
        self.write("music.json", json.dumps(TABLE))
        items = ({"Item": {"pk": {"S": str(i)}, "n": {"N": str(i)}}} for i in range(60))
        self.write("music.items.json", "".join(json.dumps(item) + "\n" for item in items))
        shown = self.sh("dynolith load music.json music.items.json --to ./data")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.write("keys.txt", "AKID secret token\n")
        keys = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"}
        with (Server("--memory", "--admin", "--auth", "verify", "--credentials", str(self.folder / "keys.txt")) as server,
              Server("--memory", "--admin", environment={**os.environ, **keys}) as ours):
            ours.call("CreateTable", **dict(TABLE, TableName="live"))
            ours.call("PutItem", TableName="live", Item={"pk": {"S": "x"}})
            variables = {"AWS_PROFILE": "shop", "OURS": f"http://127.0.0.1:{ours.port}"}
            url = f"http://127.0.0.1:{server.port}"
            self.write(".aws/credentials", PROFILE.format(secret="other"))
            shown = self.sh("\n".join(commands()), ENDPOINT=url, **variables)
            self.assertNotEqual(shown.returncode, 0)
            self.assertIn("InvalidSignatureException", shown.stderr)
            self.sh("rm -r shop")
            self.write(".aws/credentials", PROFILE.format(secret="secret"))
            shown = self.sh("\n".join(commands()), ENDPOINT=url, **variables)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            # The credentials for what is forwarded are those of the server.
            ours.call("PutItem", TableName="live", Item={"pk": {"S": "y"}})
            self.assertEqual(ours.call("Scan", TableName="live")["Count"], 2)
        shown = self.sh("dynolith dump ./returned --to again && diff -r shop again")
        self.assertEqual((shown.returncode, shown.stderr), (0, shown.stderr), shown.stdout)
        self.assertEqual(len((self.folder / "again/music.items.json").read_text(encoding="utf-8").splitlines()), 60)
        # What was moved is the same, but for the stream that was switched on.
        shown = self.sh("dynolith dump ./moved --to alive && diff shop/music.items.json alive/music.items.json")
        self.assertEqual(shown.returncode, 0, shown.stdout)


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    PROJECT = pathlib.Path(sys.argv.pop(1))
    unittest.main()
