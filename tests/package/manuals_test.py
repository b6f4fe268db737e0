#!/usr/bin/env python3
"""What packages have beside program and libraries: a manual page for each command, with all of its options.

    manuals_test.py <project folder> <program> <work folder>
"""

import gzip
import pathlib
import re
import shutil
import subprocess
import sys


def run(*command) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def commands(program: str, *words: str) -> list[list[str]]:
    """A command, and those below it, by their words."""
    shown = run(program, *words, "--help")
    below = re.search(r"^Subcommands:\n((?:  .*\n)+)", shown, re.MULTILINE)
    names = re.findall(r"^  ([a-z]+)", below.group(1), re.MULTILINE) if below else []
    return [list(words)] + [each for name in names for each in commands(program, *words, name)]


def main() -> None:
    project, program, work = sys.argv[1:]
    if not shutil.which("help2man"):
        sys.exit("help2man is not installed: tools/dev test installs it")
    pages = pathlib.Path(work) / "manuals"
    run(pathlib.Path(project) / "tools/package/make_manuals", program, "1.2.3", pages)
    known = commands(program)
    if len(known) < 10:
        sys.exit(f"only {known}")
    wanted = {"-".join(["dynolith", *words]) + ".1.gz" for words in known}
    made = {path.name for path in pages.iterdir()}
    if made != wanted:
        sys.exit(f"pages that lack or are too many: {made ^ wanted}")
    for words in known:
        name = "-".join(["dynolith", *words])
        text = gzip.decompress((pages / f"{name}.1.gz").read_bytes()).decode().replace("\\-", "-")
        options = set(re.findall(r"^  (--[a-z-]+)", run(program, *words, "--help"), re.MULTILINE))
        missing = {option for option in options if option not in text}
        if missing or not text.splitlines()[1].startswith(f".TH {name.upper()} ") or f"\n{name} - " not in text or "1.2.3" not in text:
            sys.exit(f"{name}: {missing} {text[:400]}")
        # What users type is the program's name, wherever it was when the page was made.
        if str(pathlib.Path(program).resolve().parent) in text:
            sys.exit(f"{name} names a folder of this machine")


if __name__ == "__main__":
    main()
