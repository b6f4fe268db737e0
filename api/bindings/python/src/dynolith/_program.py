"""The program `dynolith` that the wheel carries."""

from __future__ import annotations

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).resolve().parent / "dynolith"
    if program.with_name("dynolith.wasm").exists():
        sys.exit("dynolith: the package for this machine has databases in a Python program, and no program of its own; "
                 "`npx dynolith serve` is a server on every machine with Node.js")
    try:
        os.execv(program, ["dynolith", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"dynolith: {program}: {problem.strerror}; only a wheel has it")


if __name__ == "__main__":
    main()
