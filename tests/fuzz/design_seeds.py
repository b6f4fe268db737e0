#!/usr/bin/env python3
"""Writes what the texts of tests/templates load as inputs of designs_fuzz: one for each case, with all of its files.

    design_seeds.py <folder of texts> <folder to write into>
"""

import pathlib
import re
import sys


def main(texts, to):
    to.mkdir(parents=True, exist_ok=True)
    for old in to.iterdir():
        old.unlink()
    for path in sorted(texts.glob("*.txt")):
        for number, case in enumerate(re.split(r"^=== case .*\n", path.read_text(), flags=re.M)[1:]):
            parts = re.split(r"^(?==== )", case, flags=re.M)
            (to / f"{path.stem}_{number}").write_text("".join(part for part in parts if part.startswith("=== file ")))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
