#!/usr/bin/env python3
"""Checks that every citation of a fact leads somewhere: a name like wire.md below api/facts, and a section that is there; and
that every file which a README or the manual names is there.

    citations_test.py <project folder>

It first feeds itself citations that lead nowhere, so that a check which sees nothing is noticed.
"""

import pathlib
import re
import sys

FACTS = "api/facts/"
SUFFIXES = {".cc", ".h", ".inc", ".py", ".md", ".txt", ".cmake"}
THIS = "tests/edges/citations_test.py"  # its examples lead nowhere on purpose

HEADING = re.compile(r"^#{2,4} (\d+(?:\.\d+)*)[. ]", re.MULTILINE)
SECTION = re.compile(r"§(\d+(?:\.\d+)*)")
# What follows a name: §9, §2-§9, §5.1, §5.3, §2 to §8 and §10.
SECTIONS = r"(?:\s*(?:,|-|to|and|or)?\s*§\d+(?:\.\d+)*)"
# A comment that goes on in the next line is one text.
CONTINUATION = re.compile(r"\n[ \t]*(?://+|#|\*)?[ \t]*")


# `index/check.h`, `serve.cc`; not `*_bench.cc`.
CODE = re.compile(r"`([^`\n]+)`")
FILE_NAME = re.compile(r"(?<![\w*./<>{}-])[\w./-]*\w\.(?:h|cc|inc|py|mjs|sh|cmake|supp)(?![\w.])")
# The first column of a table of files may leave the endings out: `put_item` is put_item.h, put_item.cc or both.
FILE_TABLE = re.compile(r"^\| (?:file|header) .*\n\|[-|]+\|\n((?:\|.*\n?)+)", re.MULTILINE | re.IGNORECASE)
STEM = re.compile(r"[\w/]+")


def check_names(path, text, files, made):
    """Findings in one README; `files` are all files' paths, `made` the names of those that the build makes."""
    folder = path.rpartition("/")[0]
    ends = {file[at + 1:] for file in files for at in [-1] + [i for i, c in enumerate(file) if c == "/"]}
    for code in CODE.findall(text):
        for name in FILE_NAME.findall(code):
            if name not in ends and name not in made:
                yield f"{path}: there is no {name}"
    here = {re.sub(r"\.\w+$", "", file[len(folder) + 1:]) for file in files if file.startswith(f"{folder}/")}
    for row in "".join(FILE_TABLE.findall(text)).splitlines():
        for code in CODE.findall(row.split(" | ")[0]):
            if STEM.fullmatch(code) and code.rstrip("/") not in here and not any(name.startswith(code) for name in here
                                                                                 if code.endswith("/")):
                yield f"{path}: there is no {folder}/{code}"


def sections_of(text):
    return set(HEADING.findall(text))


def check_text(path, text, facts):
    """Findings in one file; `facts` is {file name: its sections}."""
    text = CONTINUATION.sub(" ", text)
    names = "|".join(re.escape(name) for name in facts)
    at_home = path.startswith(FACTS)
    for match in re.finditer(rf"([\w./-]*/)?\b({names}|(?<=facts/)(?!README)[\w-]+\.md)({SECTIONS}*)", text):
        folder, name, cited = match.group(1) or "", match.group(2), SECTION.findall(match.group(3))
        # A name alone is a file's name; only what cites a section, or a folder of facts, is a citation.
        if not cited and (at_home or not folder.endswith("facts/")):
            continue
        if name not in facts:
            yield f"{path}: there is no {FACTS}{name}"
        elif folder != FACTS and not (at_home and not folder):
            yield f"{path}: {folder}{name} is {FACTS}{name}"
        elif not cited:
            yield f"{path}: {FACTS}{name} without a section"
        else:
            yield from (f"{path}: {FACTS}{name} has no §{section}" for section in cited if section not in facts[name])
    if at_home and path[len(FACTS):] in facts:
        own = re.sub(rf"({names}){SECTIONS}+", "", text)
        yield from (f"{path}: no §{section} here" for section in SECTION.findall(own) if section not in facts[path[len(FACTS):]])


def self_test():
    facts = {"wire.md": {"1", "9", "9.1"}, "values.md": {"2"}}
    for path, text in [
        ("engine/a.h", "// api/facts/wire.md §8"),
        ("engine/a.h", "// api/facts/wire.md §9, §8."),
        ("engine/a.h", "// api/facts/wire.md §1-§8"),
        ("engine/a.h", "// (api/facts/wire.md\n// §8)"),
        ("engine/a.h", "// facts/wire.md §9"),
        ("engine/a.h", "// wire.md §9"),
        ("engine/a.h", "// api/facts/wires.md §9"),
        ("engine/a.h", "// api/facts/wire.md, the table"),
        ("api/facts/values.md", "See wire.md §8."),
        ("api/facts/values.md", "See §3."),
    ]:
        found = list(check_text(path, text, facts))
        assert len(found) == 1, f"{text!r} leads nowhere once, but this was found: {found}"
    for path, text in [
        ("engine/a.h", "// api/facts/wire.md §9, §9.1; api/facts/values.md §2"),
        ("engine/a.h", "// (api/facts/wire.md\n// §1 to §9)"),
        ("api/facts/values.md", "§2 and wire.md §9, §1; `wire.md` is another file."),
        ("tools/README.md", "wire.md is a file's name, and so is api/facts/README.md."),
    ]:
        found = list(check_text(path, text, facts))
        assert not found, f"{text!r} is fine, but this was found: {found}"
    files = {"engine/README.md", "engine/base/clock.h", "engine/base/clock.cc", "engine/base/README.md"}
    for path, text in [
        ("README.md", "`engine/clock.h`"),
        ("README.md", "a `clocks.h`"),
        ("README.md", "`ManualClock` of `base/clock.py`"),
        ("engine/base/README.md", "| file | holds |\n|---|---|\n| `clock`, `watch` | `time` |\n"),
        ("engine/README.md", "| File | Holds |\n|---|---|\n| `value/` | values |\n"),
    ]:
        found = list(check_names(path, text, files, {"made.inc"}))
        assert len(found) == 1, f"{text!r} names one file that is not there, but this was found: {found}"
    for path, text in [
        ("README.md", "`clock.h`, `base/clock.h`, `engine/base/clock.cc`, `made.inc`, clocks.h, `*_clock.cc`"),
        ("engine/base/README.md", "| file | holds |\n|---|---|\n| `clock` | `time` |\n\n| what | is |\n|---|---|\n| `watch` | no file |\n"),
        ("engine/README.md", "| File | Holds |\n|---|---|\n| `base/`, `base/clock` | time |\n"),
    ]:
        found = list(check_names(path, text, files, {"made.inc"}))
        assert not found, f"{text!r} is fine, but this was found: {found}"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    facts = {path.name: sections_of(path.read_text(encoding="utf-8"))
             for path in (root / FACTS).glob("*.md") if path.name != "README.md"}
    files = {}
    for top in ("engine", "index", "api", "bench", "tests", "tools", "README.md", "CMakeLists.txt"):
        place = root / top
        for path in sorted([place] if place.is_file() else place.rglob("*")):
            if path.is_file() and "node_modules" not in path.parts:
                files[path.relative_to(root).as_posix()] = path
    made = set()
    for name, path in files.items():
        if name.endswith("CMakeLists.txt"):
            made.update(re.findall(r"[\w-]+\.(?:h|inc|cmake)\b", path.read_text(encoding="utf-8")))
    checked, findings = 0, []
    for name, path in files.items():
        if path.suffix not in SUFFIXES or name == THIS:
            continue
        checked += 1
        text = path.read_text(encoding="utf-8", errors="replace")
        findings += check_text(name, text, facts)
        if path.name == "README.md" or name.startswith("tools/manual/"):
            findings += check_names(name, text, files, made)
    print("\n".join(findings))
    print(f"{checked} files, {len(findings)} findings")
    return 1 if findings or checked < 20 or len(facts) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
