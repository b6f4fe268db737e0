#!/usr/bin/env python3
"""`dynolith quickstart`: the example is there, and every command that it prints works.

    quickstart_test.py <dynolith binary> <clients' folder> [unittest arguments]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import cli_test
from cli_test import run

CLIENTS = pathlib.Path()
LAST_LINE = "Ctrl-C ends it"


class Quickstart:
    """As a context: what it printed, and where it answers."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([cli_test.BINARY, "quickstart", "--port", "0", *arguments], stdout=subprocess.PIPE,
                                        text=True)
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith(LAST_LINE):
                break
        else:
            raise AssertionError(f"it ended with {self.lines}")
        self.url = re.search(r"http://127\.0\.0\.1:\d+", self.lines[0])[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)
        self.process.stdout.close()

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.process.wait(timeout=cli_test.SECONDS)

    def commands(self):
        return [line.strip() for line in self.lines if re.match(r"  (aws|curl|export|dynolith) ", line)]

    def answers_of(self, commands):
        """What each prints; the first that fails fails the test."""
        with tempfile.TemporaryDirectory(prefix="dynolith-test-") as folder:
            environment = {"HOME": folder, "AWS_PAGER": "", "LANG": "C.UTF-8", "PATH": ":".join(
                (str(pathlib.Path(cli_test.BINARY).parent), str(CLIENTS / "venv/bin"), os.environ["PATH"]))}
            script = "set -e\n" + "\n".join(f"{command}\necho; echo ---- {number}" for number, command in enumerate(commands))
            shown = subprocess.run(["sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                                   timeout=3 * cli_test.SECONDS, check=False)
            assert shown.returncode == 0, (shown.stdout[-2000:], shown.stderr)
            left = sorted(each.name for each in pathlib.Path(folder).iterdir() if not each.name.startswith("."))
            return re.split(r"\n---- \d+\n", shown.stdout)[:-1], left


class QuickstartTest(unittest.TestCase):
    def test_each_printed_command_works(self):
        with Quickstart() as quickstart:
            commands = quickstart.commands()
            # With what is checked below, so that no command is forgotten.
            self.assertEqual([command.split()[0] for command in commands],
                             ["export", "aws", "aws", "aws", "curl", "aws", "curl", "curl", "curl", "curl", "curl", "dynolith"])
            answers, left = quickstart.answers_of(commands)
            keys = [item["sk"]["S"] for item in json.loads(answers[1])["Items"]]
            self.assertEqual(keys, ["ORDER#2026-03-02#1001", "ORDER#2026-05-14#1003", "ORDER#2026-10-17#1008", "PROFILE"])
            self.assertEqual({item["status"]["S"] for item in json.loads(answers[2])["Items"]}, {"open"})
            self.assertEqual(json.loads(answers[3])["Attributes"], {"stock": {"N": "30"}})
            self.assertEqual(json.loads(answers[4]), {"snapshots": ["fresh"]})
            self.assertEqual(json.loads(answers[5])["TableDescription"]["TableStatus"], "DELETING")
            self.assertEqual(json.loads(answers[6]), {})
            self.assertEqual([json.loads(answer)["tables"][0]["mode"] for answer in answers[7:9]], ["enforce", "account"])
            self.assertEqual(json.loads(answers[9]), {"id": 1})
            self.assertEqual(json.loads(answers[10]), {})
            self.assertEqual(left, ["celebrity.html"])
            # It came back.
            self.assertEqual(self.items(quickstart), 46)
            self.assertEqual(quickstart.stop(), 0)

    def items(self, quickstart):
        with tempfile.TemporaryDirectory(prefix="dynolith-test-") as folder:
            dumped = run("dump", quickstart.url, "--to", f"{folder}/dump")
            self.assertEqual(dumped.returncode, 0, dumped.stderr)
            return len((pathlib.Path(folder) / "dump/shop.items.json").read_text(encoding="utf8").splitlines())

    def test_the_query_is_soon_refused_where_it_says_so(self):
        with Quickstart() as quickstart:
            commands = quickstart.commands()
            query = next(command for command in commands if command.startswith("aws dynamodb query"))
            enforce = next(command for command in commands if "enforce" in command)
            loop = (f"export AWS_MAX_ATTEMPTS=1; refused=; for n in $(seq 40); do {query} > out 2>&1 || refused=$n; "
                    "test -z $refused || break; done; cat out")
            with self.assertRaisesRegex(AssertionError, "ThrottlingException|ProvisionedThroughputExceeded"):
                quickstart.answers_of([commands[0], enforce, loop, "false"])

    def test_each_command_of_the_comparison_works(self):
        text = (pathlib.Path(__file__).parents[2] / "tools/package/quickstart/COMPARISON.md").read_text(encoding="utf8")
        exports = re.findall(r"^export .*$", text, re.MULTILINE)
        commands = re.findall(r"^\| [^|]* \| `(.*)` \|$", text, re.MULTILINE)
        self.assertGreater(len(commands), 25)
        with Quickstart() as quickstart:
            exports = [line.replace("http://127.0.0.1:8000", quickstart.url) for line in exports]
            self.assertIn(f"export URL={quickstart.url}", exports)
            # What serves goes on until it is ended.
            quickstart.answers_of(exports + ["echo local local > keys.txt"] + [f"timeout 60 {command} --port 0 & sleep 0.5; kill $!; wait $! || true" if "dynolith serve" in command
                                             else f"{command} > out" for command in commands])

    def test_files_stay_where_they_are_asked_for(self):
        with tempfile.TemporaryDirectory(prefix="dynolith-test-") as folder:
            with Quickstart("--files", f"{folder}/files") as quickstart:
                self.assertIn(f"Its files are in {folder}/files; dynolith load takes them, too.", quickstart.lines)
            loaded = run("load", f"{folder}/files", "--to", f"{folder}/data")
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
            self.assertIn(b"46 items", loaded.stdout)
            again = run("quickstart", "--port", "0", "--files", f"{folder}/files")
            self.assertEqual(again.returncode, 1)
            self.assertIn(b"is not a folder that is new or empty: give another --files", again.stderr)

    def test_a_data_folder_keeps_what_was_changed(self):
        with tempfile.TemporaryDirectory(prefix="dynolith-test-") as folder:
            with Quickstart("--data", f"{folder}/data") as quickstart:
                sell = next(command for command in quickstart.commands() if "update-item" in command)
                quickstart.answers_of([quickstart.commands()[0], sell])
                self.assertEqual(quickstart.stop(), 0)
            with Quickstart("--data", f"{folder}/data") as quickstart:
                sell = next(command for command in quickstart.commands() if "update-item" in command)
                answers, _ = quickstart.answers_of([quickstart.commands()[0], sell])
                self.assertEqual(json.loads(answers[1])["Attributes"], {"stock": {"N": "29"}})
                self.assertIn(f"What you change stays in {folder}/data.", quickstart.lines[-1])

    def test_nothing_is_left_of_the_passing_files(self):
        with tempfile.TemporaryDirectory(prefix="dynolith-test-") as folder:
            os.environ["TMPDIR"] = folder
            try:
                with Quickstart():
                    self.assertEqual(os.listdir(folder), [])
                os.environ["TMPDIR"] = f"{folder}/missing"
                shown = run("quickstart", "--port", "0")
            finally:
                del os.environ["TMPDIR"]
            self.assertEqual(shown.returncode, 1)
            self.assertIn(b"set TMPDIR, or give --files DIR", shown.stderr)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    CLIENTS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
