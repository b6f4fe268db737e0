#!/usr/bin/env python3
"""Which tests `tools/dev check` chooses among a few that are made up; and what ninja says of the programs of a small build.

    choose_tests_test.py
"""

import pathlib
import subprocess
import tempfile
import unittest

import choose_tests
from choose_tests import Test, choose, left_to_releases

def unit(name, seconds, *files):
    return Test(name, "", frozenset(), frozenset(files), seconds)


def script(name, seconds, path, *files):
    return Test(name, path.split("/")[1], frozenset({path}), frozenset({path, *files}), seconds)


STORE = unit("unit_store", 80, "engine/store/store.cc", "engine/base/strings.h")
QUICK = unit("unit_key", 1, "engine/key/key.cc", "engine/base/strings.h")
SLOW = unit("unit_lab", 60, "tools/lab/lab.cc", "engine/base/strings.h")
PROGRAM = ["engine/store/store.cc", "tools/backup/backup.cc", "engine/base/strings.h"]
BACKUP = script("cli_backup", 70, "tests/cli/backup_test.py", "tests/cli/server.py", *PROGRAM)
CLOCK = script("cli_clock", 2, "tests/cli/clock_test.py", "tests/cli/server.py", *PROGRAM)
TEXTS = unit("datadriven", 3, "engine/store/store.cc")
TESTS = [STORE, QUICK, SLOW, BACKUP, CLOCK, TEXTS]


class Choose(unittest.TestCase):
    def test_a_room_gets_its_own_test_however_long_and_of_the_others_the_short_ones(self):
        self.assertEqual(choose(TESTS, ["engine/store/store.cc"], 10), (["unit_store", "cli_clock", "datadriven"], ["cli_backup"]))

    def test_a_header_that_many_include(self):
        chosen, left_out = choose(TESTS, ["engine/base/strings.h"], 10)
        self.assertEqual((chosen, left_out), (["unit_key", "cli_clock"], ["unit_lab", "cli_backup", "unit_store"]))
        self.assertEqual(choose(TESTS, ["engine/base/strings.h"], 1000)[1], [])

    def test_a_part_of_the_program_gets_the_test_of_its_name(self):
        self.assertEqual(choose(TESTS, ["tools/backup/backup.cc"], 0), (["cli_backup"], ["cli_clock"]))

    def test_a_script_is_its_own_tests_and_what_several_import_is_shared(self):
        self.assertEqual(choose(TESTS, ["tests/cli/backup_test.py"], 0), (["cli_backup"], []))
        self.assertEqual(choose(TESTS, ["tests/cli/server.py"], 10), (["cli_clock"], ["cli_backup"]))
        self.assertEqual(choose(TESTS, ["tests/cli/messages.txt"], 10), (["cli_clock"], ["cli_backup"]))

    def test_texts_that_a_test_of_another_folder_reads(self):
        self.assertEqual(choose(TESTS, ["tests/testdata/query/limits"], 10), (["datadriven"], []))

    def test_what_concerns_none(self):
        self.assertEqual(choose(TESTS, ["README.md", "bench/store_bench.cc"], 10), ([], []))


class LeftToReleases(unittest.TestCase):
    TESTS = [test._replace(labels=frozenset({"release"})) if test in (SLOW, BACKUP) else test for test in TESTS]

    def test_only_what_has_the_label_and_is_not_near(self):
        self.assertEqual(left_to_releases(self.TESTS, ["engine/base/strings.h"]), ["unit_lab", "cli_backup"])
        self.assertEqual(left_to_releases(self.TESTS, ["tools/backup/backup.cc"]), ["unit_lab"])
        self.assertEqual(left_to_releases(self.TESTS, ["tests/cli/backup_test.py", "tests/unit/lab/lab_test.cc"]), [])
        self.assertEqual(left_to_releases(self.TESTS, []), ["unit_lab", "cli_backup"])


CMAKE = """cmake_minimum_required(VERSION 3.25)
project(three LANGUAGES CXX)
add_library(room engine/room.cc)
add_executable(room_test tests/room_test.cc)
target_link_libraries(room_test room)
target_include_directories(room PUBLIC .)
enable_testing()
string(REPEAT "/Name.OfATest:" 50 long)
add_test(NAME unit_room COMMAND room_test --filter=${long})
add_test(NAME cli_clock COMMAND ${CMAKE_BINARY_DIR}/venv/python ${CMAKE_SOURCE_DIR}/tests/cli/clock_test.py $<TARGET_FILE:room_test>)
"""


class Builds(unittest.TestCase):
    def test_what_a_program_is_built_from(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name).resolve()
            for path, text in (("CMakeLists.txt", CMAKE), ("engine/room.h", "int Room();\n"),
                               ("engine/room.cc", '#include "engine/room.h"\nint Room() { return 0; }\n'),
                               ("tests/room_test.cc", '#include "engine/room.h"\nint main() { return Room(); }\n')):
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text)
            (root / "build" / "venv").mkdir(parents=True)
            (root / "build" / "venv" / "python").write_text("an interpreter that is installed, not built\n")
            (root / "tests" / "cli").mkdir()
            (root / "tests" / "cli" / "server.py").write_text("import sys\n")
            (root / "tests" / "cli" / "clock_test.py").write_text("import json\n\nimport server\n")
            for command in (["cmake", "-G", "Ninja", "-B", root / "build", root], ["cmake", "--build", root / "build"]):
                subprocess.run(command, check=True, capture_output=True)
            test, clock = choose_tests.Build(root, root / "build").tests()
            self.assertEqual((test.name, test.folder), ("unit_room", ""))
            self.assertLessEqual({"engine/room.h", "engine/room.cc", "tests/room_test.cc"}, test.files)
            self.assertEqual(clock.own, {"tests/cli/clock_test.py"})
            self.assertEqual(clock.files - test.files, {"tests/cli/clock_test.py", "tests/cli/server.py"})


if __name__ == "__main__":
    unittest.main()
