#!/usr/bin/env python3
"""Instructions of the calling thread for a call of a database behind an endpoint, and for the echo of the same bytes by the same HTTP
client, by callgrind: user space only, so that nothing hangs on how threads are woken.

    endpoint_instructions.py build/bench/endpoint_bench [--keep FOLDER]

The last column is the ratio, whose bound is 1.3. --keep leaves the profiles there, for callgrind_annotate --inclusive=yes. Needs
valgrind, which has no SHA instructions: signatures take more than on processors with them, so the ratio is an upper bound there.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

OPERATIONS = {"TwinGetItem": "Get", "TwinPutItem": "Put", "TwinQuery": "Query"}


def inclusive(profile):
    """(calls, instructions with all that they call) of each function that another one calls, by its name."""
    names, found, called, calls = {}, {}, None, None
    for line in profile.splitlines():
        if match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                names[match[2]] = match[3]
            if match[1]:
                called = names[match[2]]
        elif line.startswith("calls="):
            calls = int(line[len("calls="):].split()[0])
        elif calls is not None:
            count, cost = found.get(called, (0, 0))
            found[called] = count + calls, cost + int(line.split()[1])
            calls = None
    return found


def per_call(found, name):
    [(calls, cost)] = [each for function, each in found.items() if f"TwinBench::{name}(" in function]
    return cost / calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(options.keep or made)
        folder.mkdir(exist_ok=True)
        for benchmark, name in OPERATIONS.items():
            run = subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes",
                                  f"--callgrind-out-file={folder}/{benchmark}", options.program, f"--benchmark_filter={benchmark}/",
                                  "--benchmark_min_time=0.001"], capture_output=True, text=True, check=False)
            if run.returncode != 0:
                sys.exit(run.stderr[-3000:])
            found = inclusive((folder / f"{benchmark}-01").read_text())
            twin, echo = per_call(found, name), per_call(found, "Echo")
            print(f"{benchmark:12} {twin:9,.0f} {echo:9,.0f} {twin / echo:.2f}", flush=True)


if __name__ == "__main__":
    main()
