"""Every command that takes a file or a folder, given what is none: an error line and an exit code, never an abort or a hang.

Usage: bad_files_test.py PROGRAM [unittest arguments]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cli_test
from cli_test import SECONDS, run

TOO_LONG = "x" * 300
# BAD stands for what is bad; OUT for something that could be written; DESIGN for a file that is fine.
COMMANDS = """
    dissect item BAD
    dissect table BAD --table x
    load BAD --to http://127.0.0.1:1
    load DESIGN --to http://127.0.0.1:1 --resume BAD
    load DESIGN --to BAD
    dump http://127.0.0.1:1 --to BAD
    lab check BAD
    lab simulate BAD
    lab advise BAD
    lab measure BAD
    lab trace BAD
    lab bill BAD
    lab compare BAD BAD
    lab new --model BAD
    lab simulate celebrity --json BAD/x
    lab simulate celebrity --csv DESIGN/BAD
    lab simulate celebrity --report BAD/x
    lab simulate celebrity --prices BAD
    serve --port 0 --auth verify --credentials BAD
    serve --port 0 --admin-token BAD
    serve --port 0 --seed BAD
    serve --port 0 --tls-cert BAD --tls-key BAD
    serve --port 0 --trace BAD/x
    serve --port 0 --data DESIGN/BAD
    check BAD
    repair BAD OUT
    backup BAD OUT
    backup DESIGN BAD
    restore BAD OUT
    verify BAD
    doctor --data DESIGN/BAD
"""

ALLOWED = {("nonsense", "dissect item BAD"), ("folder", "serve --port 0 --trace BAD/x"),
           *(("folder", f"lab simulate celebrity --{kind} BAD/x") for kind in ("json", "report"))}


class BadFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bad_ones(self, folder):
        (folder / "design.json").write_text("{}")
        (folder / "folder").mkdir()
        (folder / "loop").symlink_to(folder / "loop")
        (folder / "nonsense").write_bytes(bytes(range(256)))
        return {"folder": folder / "folder", "absent": folder / "none" / "x", "long": folder / TOO_LONG, "loop": folder / "loop",
                "below a file": folder / "design.json" / "x", "nonsense": folder / "nonsense", "unreadable": "/proc/self/mem"}

    def test_every_command(self):
        for number, line in enumerate(COMMANDS.strip().splitlines()):
            folder = self.folder / str(number)
            folder.mkdir()
            for kind, bad in self.bad_ones(folder).items():
                # What a command makes, or shows byte by byte.
                if (kind, line.strip()) in ALLOWED:
                    continue
                words = [word.replace("BAD", str(bad)).replace("OUT", str(folder / "out")).replace("DESIGN", str(folder / "design.json"))
                         for word in line.split()]
                with self.subTest(line=line, kind=kind):
                    shown = subprocess.run([cli_test.BINARY, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                                           check=False)
                    self.assertIn(shown.returncode, (1, 2), shown)
                    self.assertTrue(shown.stderr or words[0] == "doctor", shown)
                    self.assertNotIn(b"a bug in Dynolith", shown.stderr)

    def test_what_opens_and_is_never_read(self):
        """A name that is no file: what cannot be said of it is said, and nothing is thrown."""
        current = self.folder / "data"
        with cli_test.Server("--data", current):
            pass
        (current / "CURRENT").unlink()
        (current / "CURRENT").mkdir()
        for words in (["check", current], ["serve", "--port", "0", "--data", current], ["backup", current, self.folder / "out"]):
            shown = run(*words)
            self.assertEqual(shown.returncode, 1, shown)
            self.assertIn(f"cannot read {current}/CURRENT: Is a directory", shown.stderr.decode())


class Words(unittest.TestCase):
    def test_help_and_version(self):
        for word, option in ((["version"], ["--version"]), (["help"], ["--help"]), (["help", "serve"], ["serve", "--help"]),
                             (["help", "lab", "simulate"], ["lab", "simulate", "--help"])):
            by_word, by_option = run(*word), run(*option)
            self.assertEqual((by_word.returncode, by_word.stdout, by_word.stderr), (0, by_option.stdout, b""), word)
            self.assertTrue(by_word.stdout)
        shown = run("help", "serfe")
        self.assertEqual((shown.returncode, shown.stdout), (2, b""))
        self.assertIn("serfe is no command; did you mean serve?", shown.stderr.decode())


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
