#!/usr/bin/env python3
"""How much work a call is in one library and in another: instructions, as valgrind counts them, and the processor's time, in turns.

    compare_libraries.py <project folder> <libdynolith.so.0> <libdynolith.so.0>

The second is compared with the first. Needs valgrind and a C compiler.
"""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

# Of which the first run is subtracted: what is left are calls only.
COUNTED = (1000, 3000)
TIMED, TURNS = 30_000, 9


def run(*command) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)


class Calls:
    def __init__(self, project: pathlib.Path, scratch: pathlib.Path) -> None:
        self.scratch, self.program, self.stores = scratch, scratch / "calls", 0
        run("cc", "-O2", "-std=gnu11", f"-I{project}", f"-I{project / 'api/include'}", project / "tests/zig/calls.c", "-ldl", "-o", self.program)

    def folder(self, where: str) -> str:
        self.stores += 1
        return "" if where == "memory" else str(self.scratch / f"store{self.stores}")

    def instructions(self, library: pathlib.Path, where: str, operation: str) -> float:
        """Thousands, of one call."""
        counted = []
        for calls in COUNTED:
            done = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.program, library,
                       self.folder(where), operation, calls)
            counted.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
        return (counted[1] - counted[0]) / (COUNTED[1] - COUNTED[0]) / 1000

    def microseconds(self, library: pathlib.Path, where: str, operation: str) -> float:
        return int(run(self.program, library, self.folder(where), operation, TIMED).stdout) / TIMED / 1000


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    project, *libraries = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    print("| | thousand instructions | | | microseconds | | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="dynolith-compare-") as scratch:
        calls = Calls(project, pathlib.Path(scratch))
        for where in ("memory", "a folder"):
            for operation in ("GetItem", "PutItem"):
                counted = [calls.instructions(library, where, operation) for library in libraries]
                turns = [[calls.microseconds(library, where, operation) for library in libraries] for _ in range(TURNS)]
                timed = [statistics.median(column) for column in zip(*turns)]
                ratio = statistics.median(second / first for first, second in turns)
                print(f"| {operation} in {where} | {counted[0]:.2f} | {counted[1]:.2f} | {counted[1] / counted[0]:.2f} | "
                      f"{timed[0]:.2f} | {timed[1]:.2f} | {ratio:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
