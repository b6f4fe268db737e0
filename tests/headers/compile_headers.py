#!/usr/bin/env python3
"""Compiles each header by itself: it includes what it needs, whoever includes it.

    compile_headers.py <project folder> <build folder> [changed file]...

With files only the headers that are among them or include one of them, themselves or through others.

Most of the work would be the same few dozen headers again and again. Two things spare it, and neither lets a header see for
good what it does not include, as long as nobody includes in circles (tests/edges):
- What many headers include anyway, through others, is precompiled; a header begins with the richest of these prefixes that it
  includes itself.
- Headers that reach the same foreign headers are compiled together, in one order and in the reverse: what a header lacks comes
  behind it in one of the two.
The compiler is $CXX, or c++; folders of generated files are those that the build knows. Headers that include another system's are
left out.

It first feeds itself a header that lacks something, so that a check which sees nothing is noticed.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

FOLDERS = ("engine", "index", "api", "tools")
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-Winvalid-pch"]
# What is precompiled together, the richest first.
PREFIXES = [
    ("api/request/operation_context.h",),
    ("dynolith/requests.h",),
    ("engine/key/schema.h", "engine/store/store.h"),
    ("engine/value/value.h",),
    ("absl/status/statusor.h",),
]
# What no compiler of this system has.
OTHER_SYSTEMS = {"windows.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)


class Headers:
    """The headers of a project, by path, with all that they include."""

    def __init__(self, root):
        files = [file for folder in FOLDERS for file in sorted((root / folder).rglob("*.h"))]
        self.includes = {file.relative_to(root).as_posix(): list(map(self.path_of, INCLUDE.findall(file.read_text())))
                         for file in files}
        self.reached = {header: self.reach(header) for header in self.includes}

    @staticmethod
    def path_of(include):
        return "api/include/" + include if include.startswith("dynolith/") else include

    def reach(self, header):
        """What a header includes, itself or through others of the project; foreign headers as they are written."""
        found, pending = set(), [header]
        while pending:
            for include in self.includes.get(pending.pop(), []):
                if include not in found:
                    found.add(include)
                    pending.append(include)
        return found

    def prefix_of(self, header):
        """The richest prefix that the header includes, or an empty one."""
        return next((prefix for prefix in PREFIXES if self.reached[header].issuperset(map(self.path_of, prefix))), ())

    def show_what_is_lacking(self, group):
        """Whether nothing that one of the group does not include stands before it both in this order and in the reverse."""
        whole = [self.reached[header] | {header} for header in group]
        for i, header in enumerate(group):
            before, behind = set().union(*whole[:i]), set().union(*whole[i + 1:])
            if not (before & behind) - {header} <= self.reached[header]:
                return False
        return True

    def groups(self):
        """All headers, in lists that are compiled together."""
        found = collections.defaultdict(list)
        here = [header for header in self.includes if self.reached[header].isdisjoint(OTHER_SYSTEMS)]
        for header in sorted(here, key=lambda header: len(self.reached[header])):
            foreign = frozenset(self.reached[header] - self.includes.keys())
            alike = found[self.prefix_of(header), foreign]
            group = next((group for group in alike if self.show_what_is_lacking(group + [header])), None)
            if group is None:
                alike.append([header])
            else:
                group.append(header)
        return [group for alike in found.values() for group in alike]


def text_of(includes):
    return "".join(f'#include "{include}"\n' for include in includes)


def include_folders(build):
    """The -I options of all that is compiled."""
    commands = json.loads((build / "compile_commands.json").read_text())
    return sorted({option for command in commands for option in command["command"].split() if option.startswith("-I")})


def compile_headers(root, options, folder, changed=()):
    """How many headers were compiled, and what the compiler says of those that cannot stand alone: header -> messages."""
    headers = Headers(root)
    groups = headers.groups()
    if changed:
        groups = [group for group in groups if any(headers.reached[header] & {*changed} or header in changed for header in group)]
    compiler = [os.environ.get("CXX", "c++"), *options, *FLAGS]
    names = {prefix: folder / f"prefix_{i}.h" for i, prefix in enumerate(PREFIXES)}

    def precompile(prefix):
        names[prefix].write_text(text_of(prefix))
        subprocess.run([*compiler, "-x", "c++-header", names[prefix], "-o", f"{names[prefix]}.gch"],
                       check=True, stdin=subprocess.DEVNULL)

    def fault_of(group):
        prefix = headers.prefix_of(group[0])
        begin = ["-include", names[prefix]] if prefix else []
        done = subprocess.run([*compiler, "-fsyntax-only", *begin, "-x", "c++", "-"], input=text_of(group),
                              capture_output=True, text=True, check=False)
        return done.stderr if done.returncode != 0 else None

    def faults_of(group):
        together = fault_of(group) or (len(group) > 1 and fault_of(group[::-1]))
        if not together:
            return {}
        alone = {header: fault_of([header]) for header in group}
        return {header: fault for header, fault in alone.items() if fault} or {" with ".join(group): together}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(precompile, {prefix for prefix in (headers.prefix_of(group[0]) for group in groups) if prefix}))
        results = list(pool.map(faults_of, groups))
    return sum(map(len, groups)), {header: fault for faults in results for header, fault in faults.items()}


COMPLETE = {
    "engine/fine.h": "#include <string>\nstd::string Fine();\n",
    "engine/left.h": "struct Left {};\n",
    "engine/right.h": "struct Right {};\n",
}
LEFT_OUT = {"engine/other_system.h": "#include <windows.h>\n"}
# Each lacks something: a foreign header, what comes before it in its group, what comes behind.
LACKING = {
    "engine/foreign.h": "std::string Broken();\n",
    "engine/middle.h": "Left Broken();\n",
    "engine/begin.h": "Right Broken();\n",
}


def self_test():
    for lacking, broken in LACKING.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "engine").mkdir()
            for path, text in (COMPLETE | LEFT_OUT | {lacking: broken}).items():
                (folder / path).write_text(text)
            count, failed = compile_headers(folder, [f"-I{folder}"], folder)
            assert count == 4 and list(failed) == [lacking], f"{lacking} lacks something, but this was found: {failed}"
            for changed, expected in ((lacking, [lacking]), ("engine/fine.h", [])):
                _, failed = compile_headers(folder, [f"-I{folder}"], folder, [changed])
                assert list(failed) == expected, f"of {changed} alone this was found: {failed}"


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    self_test()
    with tempfile.TemporaryDirectory() as folder:
        count, failed = compile_headers(root, include_folders(build), pathlib.Path(folder), sys.argv[3:])
    print("".join(f"{header} does not stand alone:\n{messages}" for header, messages in failed.items()), end="")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{count} headers, {len(failed)} of them incomplete, {usage.ru_utime + usage.ru_stime:.0f} s of CPU")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
