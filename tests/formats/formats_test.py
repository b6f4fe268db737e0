#!/usr/bin/env python3
"""Opens a copy of every store that was kept (README.md), compares all that can be read with the text beside it, and uses it.

    formats_test.py <format_store>                       the test
    formats_test.py <format_store> make <format version> keeps the stores that this program writes, in a new folder
"""

import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
# Where stores are made: RocksDB writes the path into its files.
MAKING = pathlib.Path("/tmp/dynolith-format")
# RocksDB's own words are of the machine and not of the store.
NOT_KEPT = {"LOG", "LOG.old", "LOCK"}
FORMAT_STORE = ""


def run(*arguments):
    return subprocess.run([FORMAT_STORE, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def shown(folder):
    result = run("show", folder)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def tell_new_place(folder):
    """Has the integrity manifest of a store that was killed (engine/store/integrity_manifest.h) know its copy as the store itself."""
    manifest = folder / "DYNOLITH"
    born = subprocess.run(["stat", "-c", "%.9W", manifest], capture_output=True, text=True, check=True).stdout.strip()
    nanoseconds = 0 if born in ("-", "0") else int(born.replace(".", ""))
    lines = manifest.read_text().splitlines(keepends=True)
    facts = "".join(f"file {manifest.stat().st_ino} {nanoseconds}\n" if line.startswith("file ") else line for line in lines[:-1])
    manifest.write_text(facts + f"end {crc32c(facts.encode())}\n")


def extract(archive, folder):
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else files.extractall(folder)
    return folder


class FormatsTest(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def use(self, folder):
        result = run("use", folder)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_there_are_stores(self):
        self.assertIn(HERE / "2", versions())

    def test_closed_stores_open_and_can_be_used(self):
        for version in versions():
            with self.subTest(version=version.name):
                folder = extract(version / "closed.tar.xz", self.scratch / f"closed-{version.name}")
                self.assertEqual(shown(folder), (version / "closed.txt").read_text())
                self.use(folder)

    def test_killed_stores_recover_in_their_place(self):
        for version in versions():
            with self.subTest(version=version.name):
                folder = extract(version / "killed.tar.xz", self.scratch / f"killed-{version.name}")
                tell_new_place(folder)
                self.assertEqual(shown(folder), (version / "killed.txt").read_text())
                self.use(folder)

    def test_copies_of_killed_stores_are_refused_and_can_be_repaired(self):
        for version in versions():
            with self.subTest(version=version.name):
                folder = extract(version / "killed.tar.xz", self.scratch / f"copied-{version.name}")
                refused = run("show", folder)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("was copied", refused.stderr)
                repaired = self.scratch / f"repaired-{version.name}"
                result = run("salvage", folder, repaired)
                self.assertEqual(result.returncode, 0, result.stderr)
                # That it is a copy is all that is said: nothing of it is lost.
                self.assertRegex(result.stderr, r"\A[^\n]*was copied while it was in use[^\n]*\n\Z")
                self.assertEqual(shown(repaired), (version / "killed.txt").read_text())
                self.use(repaired)


def versions():
    return sorted(path for path in HERE.iterdir() if path.is_dir() and path.name.isdigit())


def keep(version, name):
    folder = MAKING / name
    made = run("make", HERE / "every_row.txt", folder, name)
    if made.returncode != {"closed": 0, "killed": -9}[name]:
        sys.exit(made.stderr)
    with tarfile.open(version / f"{name}.tar.xz", "w:xz", preset=9) as archive:
        for path in sorted(folder.iterdir()):
            if path.name in NOT_KEPT:
                continue
            entry = tarfile.TarInfo(path.name)
            content = path.read_bytes()
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    (version / f"{name}.txt").write_text(shown(folder))


def make(version):
    version.mkdir()
    MAKING.mkdir()
    for name in ("closed", "killed"):
        keep(version, name)


if __name__ == "__main__":
    FORMAT_STORE = sys.argv.pop(1)
    if sys.argv[1:2] == ["make"]:
        make(HERE / sys.argv[2])
    else:
        unittest.main()
