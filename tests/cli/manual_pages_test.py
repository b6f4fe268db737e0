#!/usr/bin/env python3
"""The manual for users says what the program does: every command and option that its pages and README.md name is there.

    manual_pages_test.py <program> <project folder>
"""

import pathlib
import re
import subprocess
import sys

# What stands in backticks, and blocks of code, fenced or indented.
CODE = re.compile(r"^```\w*\n(.*?)^```|^((?:    .*\n?)+)|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"\bdynolith ((?:[a-z]+ ?)+)([^\n]*(?:\n {15,}.*)*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def shown(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands(program, *words):
    """The words of each command -> its options."""
    text = shown(program, *words)
    below = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    names = re.findall(r"^  ([a-z]+)", below.group(1), re.MULTILINE) if below else []
    found = {words: set(OPTION.findall(text))}
    for name in names:
        found.update(commands(program, *words, name))
    return found


def check_code(code, known):
    """What a piece of code names that is not there."""
    everything = set().union(*known.values()) | {"--version"}
    for match in CALL.finditer(code):
        words = tuple(match.group(1).split())
        while words and words not in known:
            words = words[:-1]
        if not words:
            if match.group(1).split()[0] not in ("help", "version"):
                yield f"no command {match.group(1)}"
            continue
        below = set().union(*(options for each, options in known.items() if each[:len(words)] == words))
        yield from (f"{' '.join(words)} has no {option}" for option in set(OPTION.findall(match.group(2).split(" #")[0])) - below)
    first = code.split()[0] if code.split() else ""
    if "\n" not in code and first.startswith("--"):
        yield from (f"no option {option}" for option in set(OPTION.findall(code)) - everything)


def check_text(text, known):
    for match in CODE.finditer(text):
        code = next(group for group in match.groups() if group is not None)
        yield from check_code(code, known)


def self_test(known):
    for broken in ("`dynolith surf`\n", "`dynolith ping --wings`\n", "`--wings`\n", "    dynolith serve\n    dynolith ping --wings\n",
                   "```\ndynolith lab simulate --wings\n```\n", "    dynolith serve [--port 1]\n                   [--wings]\n"):
        assert len(list(check_text(broken, known))) == 1, broken
    for fine in ("`dynolith ping --timeout 3`, `--port`\n", "    dynolith lab simulate celebrity --seed 1\n", "`dynolith help serve`\n"):
        assert not list(check_text(fine, known)), fine


def main():
    program, project = sys.argv[1:]
    known = commands(program)
    del known[()]
    self_test(known)
    root = pathlib.Path(project)
    pages = sorted((root / "tools/manual").glob("*.md"))
    findings = [f"{path.relative_to(root)}: {finding}" for path in [root / "README.md", *pages]
                for finding in check_text(path.read_text(encoding="utf-8"), known)]
    index = (root / "tools/manual/README.md").read_text(encoding="utf-8")
    findings += [f"tools/manual/README.md does not name {path.name}" for path in pages
                 if path.name != "README.md" and f"({path.name})" not in index]
    print("\n".join(findings))
    print(f"{len(pages)} pages, {len(known)} commands, {len(findings)} findings")
    sys.exit(1 if findings or len(pages) < 5 or len(known) < 20 else 0)


if __name__ == "__main__":
    main()
