#!/usr/bin/env python3
"""Checks the tables of what is known of each operation, tests/testdata/*/known.md.

    known_test.py <project folder>

Each operation of the model has one section in one of them, "## PutItem", with a table of three columns: what is known, with the
section of api/facts that says so; what was chosen, with the README that says why; what no test pins. A text that a row names is
there and calls the operation, any other file is there. Nothing stays untested without its reason behind a colon.

It first feeds itself tables that are wrong, so that a check which sees nothing is noticed.
"""

import pathlib
import re
import sys

COLUMNS = "| known | chosen | untested |\n|---|---|---|\n"
TEXT = re.compile(r"`([\w./]+\.txt)`")
FILE = re.compile(r"(?<![\w/.])((?:tests|engine)/[\w./]*\w)")
CITATION = re.compile(r"api/facts/\w+\.md §\d")
REASON = re.compile(r": \S.{14,}")


def check_row(cells, exists, calls):
    """Findings in one row; `exists` tells whether a file is there, `calls` whether a text calls the operation."""
    known, chosen, untested = cells
    texts = TEXT.findall(known + chosen)
    for text in texts:
        if not exists(text):
            yield f"there is no {text}"
        elif not calls(text):
            yield f"{text} does not call it"
    yield from (f"there is no {file}" for file in FILE.findall(" ".join(cells)) if not exists("/" + file))
    if known and not CITATION.search(known):
        yield "a fact without its section in api/facts"
    if known and not texts and not FILE.search(known) and not untested:
        yield "a fact without the test that pins it"
    if chosen and "([" not in chosen:
        yield "a choice without the README that says why"
    if untested and not REASON.search(untested):
        yield "untested without a reason"
    if not any(cells):
        yield "an empty row"


def check_section(body, exists, calls):
    """Findings in what stands behind the heading of an operation."""
    if not body.startswith(COLUMNS):
        yield "no table of what is known, chosen and untested"
        return
    rows = [row for row in body[len(COLUMNS):].splitlines() if row.startswith("|")]
    if not rows:
        yield "nothing is known of it"
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) != 3:
            yield f"a row of {len(cells)} columns"
        else:
            yield from check_row(cells, exists, calls)


def self_test():
    there = {"a.txt", "b.txt", "/tests/cli"}
    findings = lambda body: list(check_section(body, there.__contains__, lambda text: text == "a.txt"))
    fact = "a fact (api/facts/operations.md §1)"
    for body in [
        "no table",
        COLUMNS,
        COLUMNS + f"| {fact}: `c.txt` | | |",
        COLUMNS + f"| {fact}: `b.txt` | | |",
        COLUMNS + "| a fact: `a.txt` | | |",
        COLUMNS + f"| {fact} | | |",
        COLUMNS + f"| {fact}: tests/none | | |",
        COLUMNS + f"| {fact}: `a.txt` | a choice | |",
        COLUMNS + f"| {fact}: `a.txt` | | something |",
        COLUMNS + f"| {fact}: `a.txt` | |",
        COLUMNS + "| | | |",
    ]:
        assert len(findings(body)) == 1, f"{body!r} is wrong once, but this was found: {findings(body)}"
    good = COLUMNS + f"| {fact}: `a.txt` | a choice ([api]) | |\n| {fact}: tests/cli | | x: nobody knows how it is |\n"
    assert not findings(good), findings(good)


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    model = (root / "engine/model/model.txt").read_text()
    missing = set(re.findall(r"^operation (\w+)", model, re.MULTILINE))
    findings = []
    for path in sorted(root.glob("tests/testdata/*/known.md")):
        text = path.read_text()
        links = dict(re.findall(r"^\[(\w+)\]: (\S+)$", text, re.MULTILINE))
        findings += [f"{path}: there is no {link}" for link in links.values() if not (path.parent / link).is_file()]
        findings += [f"{path}: [{name}] leads nowhere" for name in re.findall(r"\(\[(\w+)\]\)", text) if name not in links]
        for name, body in re.findall(r"^## (\w+)\n\n(.*?)(?=^## |^\[|\Z)", text, re.MULTILINE | re.DOTALL):
            file = lambda named: root / named[1:] if named.startswith("/") else path.parent / named
            calls = lambda named: re.search(rf"^{name}$", file(named).read_text(), re.MULTILINE)
            if name not in missing:
                findings.append(f"{path}: {name} is no operation, or has its table twice")
            missing.discard(name)
            findings += [f"{path}: {name}: {found}" for found in check_section(body, lambda named: file(named).exists(), calls)]
    findings += [f"{name} has no table of what is known" for name in sorted(missing)]
    print("\n".join(findings + [f"{len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
