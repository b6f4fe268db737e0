#!/usr/bin/env python3
"""What clients of two databases over one hostile store saw is given to the checker of histories.

    hostile_history_test.py <hostile_history> [--seed=N] [--calls=N]
"""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "histories"))
import checker  # noqa: E402
from operation import Operation  # noqa: E402

# Less than that proves nothing.
CHANGES_MIN = 100


def main():
    program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="dynolith_hostile_") as folder:
        file = pathlib.Path(folder) / "history"
        subprocess.run([program, file, *arguments], check=True)
        lines = file.read_text(encoding="utf-8").splitlines()
    operations = [Operation.from_json(line) for line in lines]
    if sum(operation.changes for operation in operations) < CHANGES_MIN:
        return "too few changes"
    found = checker.violation(operations)
    if found:
        print("\n".join(lines))
    return found


if __name__ == "__main__":
    sys.exit(main())
