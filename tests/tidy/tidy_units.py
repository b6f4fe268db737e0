#!/usr/bin/env python3
"""clang-tidy on source files, several of a folder at once: what they include is then read, and looked through, once for all.

    tidy_units.py <build folder> <file>...

A unit includes its files. clang's analyzer goes through the functions of included sources only in units whose name begins with
UnifiedSource. What looks at the main file alone sees nothing here: unused using-declarations are found by their names. The flags
are those of the build folder's compile_commands.json.

The analyzer gives a function up after 60,000 states instead of 225,000: a file takes 2.0 s instead of 3.3 s.

It first feeds itself files with faults, so that a check which sees nothing is noticed.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FILES_PER_UNIT = 16
CLANG_OPTIONS = ["-Wno-unknown-warning-option", "-Xclang", "-analyzer-config", "-Xclang", "max-nodes=60000"]
USING = re.compile(r"^\s*using\s+(?:\w*::)+(\w+);", re.MULTILINE)
FINDING = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): .* \[([\w.,-]+)\]$", re.MULTILINE)


def units_of(files):
    """Lists of files, each of one folder."""
    folders = collections.defaultdict(list)
    for file in files:
        folders[file.parent].append(file)
    return [group[i:i + FILES_PER_UNIT] for group in folders.values() for i in range(0, len(group), FILES_PER_UNIT)]


def unused_names(file):
    """Using-declarations whose name stands nowhere else, as clang-tidy words them."""
    text = file.read_text()
    return [f"{file}:{text.count(chr(10), 0, using.start(1)) + 1}:1: error: using decl '{using[1]}' is unused "
            "[misc-unused-using-decls]\n"
            for using in USING.finditer(text) if len(re.findall(rf"\b{using[1]}\b", text)) == 1]


def tidy(units, clang_tidy, flags_of, config, folder):
    """What clang-tidy says of units: of each as it is done, its words if it has any."""
    # The longest first, so that none of them runs alone in the end.
    units = sorted(units, key=lambda unit: -sum(file.stat().st_size for file in unit))

    def words_of(unit):
        own = pathlib.Path(tempfile.mkdtemp(dir=folder))
        source = own / "UnifiedSource.cpp"
        # NOLINT: sources are included on purpose.
        source.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in unit))
        command = {"directory": str(own), "file": str(source), "arguments": [*flags_of(unit[0]), str(source)]}
        (own / "compile_commands.json").write_text(json.dumps([command]))
        done = subprocess.run([clang_tidy, "-p", own, "--quiet", f"--config-file={config}", "--warnings-as-errors=*",
                               r"--header-filter=/(engine|index|api|tools)/.*\.(cc|h)$",
                               *(f"--extra-arg={option}" for option in CLANG_OPTIONS), source],
                              capture_output=True, text=True, check=False)
        if len(unit) > 1 and "[clang-diagnostic-error]" in done.stdout:
            # Two of them may call different things by one name, each for itself.
            return "".join(map(words_of, ([file] for file in unit)))
        return done.stdout if done.returncode != 0 else ""

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in concurrent.futures.as_completed([pool.submit(words_of, unit) for unit in units]):
            yield done.result()
    for unit in units:
        for file in unit:
            yield from unused_names(file)


# What each line has to be found for.
FAULTS = {
    "using std::exchange;": "misc-unused-using-decls",
    "int Null(bool a) { int* p = nullptr; int b = 1; if (a) p = &b; return *p; }": "clang-analyzer-core.NullDereference",
    "inline int Dead() { int x = 3; x = 4; return 1; }": "clang-analyzer-deadcode.DeadStores",
    "std::string Moved(std::string s) { std::string t = std::move(s); return t + s; }": "bugprone-use-after-move",
    "void Copy(const std::vector<std::string>& v) { for (const std::string s : v) (void)s; }": "performance-for-range-copy",
    "bool Empty(const std::string& s) { return s.size() == 0; }": "readability-container-size-empty",
    "bool Same(int a) { return a == a; }": "misc-redundant-expression",
    "struct Implicit { Implicit(int) {} };": "google-explicit-constructor",
}
HEADERS = "#include <string>\n#include <utility>\n#include <vector>\n"


def self_test(clang_tidy, config):
    for name_of_fine in ("Fine", "Copy"):
        find_faults(clang_tidy, config, name_of_fine)


def find_faults(clang_tidy, config, name_of_fine):
    """In a file beside one without any, which may call something else as this one does."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        (folder / "engine").mkdir()
        fine, faulty = folder / "engine" / "fine.cc", folder / "engine" / "faulty.cc"
        fine.write_text(HEADERS + f"using {name_of_fine} = int;\n")
        faulty.write_text(HEADERS + "".join(line + "\n" for line in FAULTS))
        words = "".join(tidy([[fine, faulty]], clang_tidy, lambda file: ["clang++", "-std=c++20"], config, folder))
        found = {(pathlib.Path(file).name, int(line), check.split(",")[0]) for file, line, check in FINDING.findall(words)}
        first = HEADERS.count("\n") + 1
        wanted = {("faulty.cc", first + i, check) for i, check in enumerate(FAULTS.values())}
        assert found == wanted, f"not found: {wanted - found}, found besides: {found - wanted}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    files = [pathlib.Path(file).resolve() for file in sys.argv[2:]]
    clang_tidy = build / "venv/bin/clang-tidy"
    config = pathlib.Path(__file__).resolve().parents[2] / ".clang-tidy"
    commands = {command["file"]: command for command in json.loads((build / "compile_commands.json").read_text())}

    def flags_of(file):
        # Without what is written where, and without the compiler's own launcher.
        words = shlex.split(commands[str(file)]["command"])
        words = words[next(i for i, word in enumerate(words) if "ccache" not in word):]
        return [word for i, word in enumerate(words) if word not in ("-o", "-c", str(file)) and words[i - 1] != "-o"]

    # What another system or another way of building takes has no flags here.
    others = [file for file in files if str(file) not in commands]
    for file in others:
        print(f"not compiled by this build: {file}")
    files = [file for file in files if file not in others]
    self_test(clang_tidy, config)
    found = False
    with tempfile.TemporaryDirectory() as folder:
        for words in tidy(units_of(files), clang_tidy, flags_of, config, pathlib.Path(folder)):
            print(words, end="", flush=True)
            found = found or bool(words)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
