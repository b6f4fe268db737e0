#!/usr/bin/env python3
"""Checks that every citation of a fact leads somewhere: a name like wire.md below api/facts, and a section that is there.

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


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    facts = {path.name: sections_of(path.read_text(encoding="utf-8"))
             for path in (root / FACTS).glob("*.md") if path.name != "README.md"}
    checked, findings = 0, []
    for top in ("engine", "index", "api", "bench", "tests", "tools", "README.md", "CMakeLists.txt"):
        place = root / top
        for path in sorted([place] if place.is_file() else place.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and "node_modules" not in path.parts and name != THIS:
                checked += 1
                findings += check_text(name, path.read_text(encoding="utf-8", errors="replace"), facts)
    print("\n".join(findings))
    print(f"{checked} files, {len(findings)} findings")
    return 1 if findings or checked < 20 or len(facts) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
