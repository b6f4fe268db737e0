#!/usr/bin/env python3
"""Takes stores from one version of RocksDB to another and back: each program opens, shows, uses and repairs what the other has
written, since a program with the newest has to read the stores of one with Debian's, and may be exchanged for it again.

    versions_test.py <format_store with one version> <format_store with the other>

Of tests/formats.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest

CALLS = pathlib.Path(__file__).resolve().parent.parent / "formats/every_row.txt"
PROGRAMS: list[str] = []


def run(program, *arguments, expected=0):
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != expected:
        raise AssertionError(f"{program} {arguments} ended with {result.returncode}:\n{result.stderr}")
    return result


def shown(program, folder):
    return run(program, "show", folder).stdout


class VersionsTest(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def each(self, state, code):
        """A writer, a reader, and a store that the writer has left in the state."""
        for writer, reader in itertools.permutations(PROGRAMS):
            with self.subTest(writer=writer, state=state):
                folder = self.scratch / f"by-{PROGRAMS.index(writer)}-{state}"
                run(writer, "make", CALLS, folder, state, expected=code)
                yield writer, reader, folder

    def test_closed_stores_go_there_and_back(self):
        for writer, reader, folder in self.each("closed", 0):
            written = shown(writer, folder)
            self.assertIn("ListTagsOfResource", written)
            self.assertEqual(shown(reader, folder), written)
            # Rows, backups that are restored, a trimmed log; compacted, closed and opened again.
            run(reader, "use", folder)
            used = shown(writer, folder)
            self.assertNotEqual(used, written)
            self.assertEqual(shown(reader, folder), used)

    def test_killed_stores_are_recovered_by_the_other(self):
        for writer, reader, folder in self.each("killed", -9):
            recovered = shown(reader, folder)
            self.assertIn('"last"', recovered)
            self.assertEqual(shown(writer, folder), recovered)
            run(writer, "use", folder)
            self.assertEqual(shown(reader, folder), shown(writer, folder))

    def test_what_one_has_repaired_the_other_reads(self):
        for writer, reader, folder in self.each("closed", 0):
            written = shown(writer, folder)
            repaired = folder.with_name(folder.name + "-repaired")
            run(reader, "salvage", folder, repaired)
            self.assertEqual(shown(writer, repaired), written)
            run(writer, "use", repaired)


if __name__ == "__main__":
    PROGRAMS[:] = [sys.argv.pop(1), sys.argv.pop(1)]
    unittest.main()
