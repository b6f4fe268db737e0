#!/usr/bin/env python3
"""A data folder that is a mount point, as volumes of containers are: it cannot change places with a snapshot, which is said before
anything is done, with what helps; and that does help. It takes a mount namespace; where there is none this is skipped (exit
code 77), and says why.

    mount_point_test.py <dynolith binary> [unittest arguments]
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

import own_mounts
from clock_test import ITEMS, Clocked, put


class MountPoint(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.volume = pathlib.Path(scratch.name, "volume")
        self.volume.mkdir()

    def mount(self, *arguments):
        subprocess.run(["mount", *arguments, self.volume], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.volume], check=True)

    def start(self, folder):
        server = Clocked("--data", str(folder), "--admin")
        self.addCleanup(server.__exit__, None, None, None)
        server.call("CreateTable", **ITEMS)
        server.call("PutItem", **put("kept"))
        self.assertEqual(server.admin("POST", "snapshot", {"name": "loaded"})[0], 200)
        server.call("PutItem", **put("later"))
        return server

    def names(self, server):
        return sorted(item["pk"]["S"] for item in server.call("Scan", TableName="items")["Items"])

    def assert_refused(self, server):
        status, answer = server.admin("POST", "restore", {"name": "loaded"})
        self.assertEqual((status, answer), (409, {"error": f"{self.volume} is a mount point, which cannot change places with another "
                                                  f"folder: give a data folder within it, such as {self.volume}/main"}))
        self.assertEqual(self.names(server), ["kept", "later"])
        states = self.volume.parent / ".dynolith-states" / "volume"
        self.assertFalse((states / "work").exists() and os.listdir(states / "work"), "nothing was copied")

    def test_a_file_system_of_its_own(self):
        self.mount("-t", "tmpfs", "none")
        self.assert_refused(self.start(self.volume))

    def test_a_part_of_the_same_file_system(self):
        other = self.volume.parent / "other"
        other.mkdir()
        self.mount("--bind", str(other))
        self.assert_refused(self.start(self.volume))

    def test_a_folder_in_it(self):
        self.mount("-t", "tmpfs", "none")
        server = self.start(self.volume / "main")
        self.assertEqual(server.admin("POST", "restore", {"name": "loaded"}), (200, {}))
        self.assertEqual(self.names(server), ["kept"])
        self.assertEqual(server.admin("POST", "databases", {"name": "test1", "from": "", "snapshot": "loaded"}), (200, {}))

    def test_the_folder_of_a_fork(self):
        data = self.volume.parent / "data"
        self.volume = self.volume.parent / "data.databases" / "test1"
        self.volume.mkdir(parents=True)
        self.mount("-t", "tmpfs", "none")
        server = self.start(data)
        status, answer = server.admin("POST", "databases", {"name": "test1", "from": "", "snapshot": "loaded"})
        self.assertEqual(status, 409, answer)
        self.assertIn(f"{self.volume} is a mount point", answer["error"])
        self.assertEqual(self.names(server), ["kept", "later"])


if __name__ == "__main__":
    own_mounts.main("no folder was a mount point")
