#!/usr/bin/env python3
"""The tests of a build that a change can have broken, for `tools/dev check`.

    choose_tests.py <project folder> <build folder> <seconds> <changed file>...
    choose_tests.py <project folder> <build folder> --left-to-releases <changed file>...

Prints the names, one a line. A test is concerned if it runs a program that is built from a changed file, as ninja knows it from
the compiler, if its script has changed or what that imports, or a file of its folder below tests that no test names. Of those it
chooses all that are near: their own script has changed, or their name is, behind its first word, also a folder or the name of a
changed file (unit_store: engine/store; cli_backup: tools/backup). The others follow, the shortest first by ctest's record, until
they have taken so many seconds, one after the other; what is left out is written to standard error.

The second form is CI's, for a sanitizer: it prints those of the tests with the label `release` that are not near the change; all of
them if no file is given.

The build folder has to be built: what a program is made of is only known then.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

# Folders below tests that tests of another one read.
READERS = {
    "tests/testdata/": {"datadriven", "datadriven_approximate"},
    "tests/templates/": {"unit_designs", "fuzz_designs"},
}
IMPORT = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
# What nobody has measured yet.
UNKNOWN_SECONDS = 10.0


class Test(NamedTuple):
    name: str
    folder: str        # below tests: "cli"; "" for what tests/CMakeLists.txt says itself
    own: frozenset     # scripts that its command names
    files: frozenset   # these, what they import, and what its programs are built from
    seconds: float
    labels: frozenset = frozenset()


def words_of(path):
    """engine/store/row_cache.cc: engine, store, row_cache."""
    return {part.split(".")[0].removesuffix("_test") for part in pathlib.PurePath(path).parts}


def is_concerned(test, changed, scripts):
    """`scripts`: those of all tests, with what they import."""
    if test.files & changed:
        return True
    read = {folder for folder, readers in READERS.items() if test.name in readers}
    own = f"tests/{test.folder}/"
    return any(file.startswith(folder) for file in changed for folder in read) or (
        bool(test.folder) and any(file.startswith(own) and file not in scripts for file in changed))


def is_near(test, changed):
    words = set().union(*map(words_of, changed))
    return bool(test.own & changed or {test.name, test.name.split("_", 1)[-1]} & words)


def choose(tests, changed, seconds):
    """(chosen names, names of the concerned ones that are left out)"""
    changed = set(changed)
    scripts = {file for test in tests for file in test.files if file.endswith((".py", ".mjs", ".sh"))}
    concerned = [test for test in tests if is_concerned(test, changed, scripts)]
    chosen = [test for test in concerned if is_near(test, changed)]
    left_out = []
    for test in sorted((test for test in concerned if test not in chosen), key=lambda test: test.seconds):
        seconds -= test.seconds
        (chosen if seconds >= 0 else left_out).append(test)
    return [test.name for test in chosen], [test.name for test in left_out]


def left_to_releases(tests, changed):
    return [test.name for test in tests if "release" in test.labels and not is_near(test, set(changed))]


class Build:
    """What ninja and ctest know of a build folder."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.modules = {path.stem: path.relative_to(root).as_posix() for path in root.glob("tests/*/*.py")}
        self.targets = {line.rpartition(": ")[0] for line in self.ninja("-t", "targets", "all").splitlines()}
        self.included = {}  # object file -> what it was compiled from
        for block in self.ninja("-t", "deps").split("\n\n"):
            target, *files = block.strip().split("\n")
            self.included[target.split(": #deps")[0]] = [file.strip() for file in files]

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-C", self.folder, "--quiet", *arguments], capture_output=True, text=True, check=True).stdout

    def in_project(self, path):
        """Relative to the project, or None."""
        whole = pathlib.Path(self.folder, path).resolve()
        return whole.relative_to(self.root).as_posix() if whole.is_relative_to(self.root) else None

    def sources_of(self, program):
        files = self.ninja("-t", "inputs", program).split("\n")
        files += [file for target in files for file in self.included.get(target, ())]
        return frozenset(filter(None, map(self.in_project, set(files))))

    def imported_by(self, scripts):
        """Scripts, and those of the project that they import; a module's name is that of one file below tests."""
        found, pending = set(), list(scripts)
        while pending:
            script = pending.pop()
            if script not in found:
                found.add(script)
                text = (self.root / script).read_text() if script.endswith(".py") else ""
                pending += [self.modules[name] for name in IMPORT.findall(text) if name in self.modules]
        return found

    def tests(self):
        shown = subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"], capture_output=True, text=True, check=True)
        record = self.folder / "Testing/Temporary/CTestCostData.txt"
        seconds = {line.split()[0]: float(line.split()[2]) for line in (record.read_text().splitlines() if record.exists() else [])
                   if len(line.split()) == 3}
        known, tests = {}, []
        for test in json.loads(shown.stdout)["tests"]:
            # Without a command if its program is not built. A library that a binding loads stands in the environment.
            properties = {given["name"]: given["value"] for given in test.get("properties", [])}
            words = [*test.get("command", ()), *(entry.partition("=")[2] for entry in properties.get("ENVIRONMENT", []))]
            files, own = set(), set()
            for word in words:
                path = pathlib.Path(word)
                # A list of tests for a filter is longer than a name may be, which os.path takes for no file.
                if not path.is_absolute() or not os.path.isfile(word):
                    continue
                if path.is_relative_to(self.folder):
                    target = path.relative_to(self.folder).as_posix()
                    if target not in self.targets:
                        continue  # installed, as clients' interpreters are
                    known[target] = known.get(target) or self.sources_of(target)
                    files |= known[target]
                elif path.is_relative_to(self.root):
                    own.add(path.relative_to(self.root).as_posix())
            here = pathlib.Path(properties["WORKING_DIRECTORY"])
            below = here.relative_to(self.folder / "tests") if here.is_relative_to(self.folder / "tests") else pathlib.PurePath()
            files |= self.imported_by(own)
            tests.append(Test(test["name"], "" if below == pathlib.PurePath() else below.as_posix(), frozenset(own), frozenset(files),
                              seconds.get(test["name"]) or UNKNOWN_SECONDS, frozenset(properties.get("LABELS", ()))))
        return tests


def main():
    root, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    changed = sys.argv[4:]
    tests = Build(root, folder).tests()
    if sys.argv[3] == "--left-to-releases":
        print("".join(f"{name}\n" for name in left_to_releases(tests, changed)), end="")
        return
    chosen, left_out = choose(tests, changed, float(sys.argv[3]))
    print("".join(f"{name}\n" for name in chosen), end="")
    if left_out:
        print(f"left to CI, as they take long: {' '.join(sorted(left_out))}", file=sys.stderr)


if __name__ == "__main__":
    main()
