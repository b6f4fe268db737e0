#!/usr/bin/env python3
"""Writes apt's entries for sources: the machine's own entries for packages, turned into deb-src, into a folder that apt is
then given as its sources.list.d. The machine's own configuration stays as it is.

    source_entries.py <sources.list> <sources.list.d> <folder>

Both forms of sources.list(5): stanzas in files *.sources, whose `Types` becomes deb-src, and lines in files *.list, of which
`deb` becomes deb-src. What is commented out stays so. The exit code is 1 if there was no entry at all.
"""

import pathlib
import re
import sys

# The field may go on in lines that begin with a space.
TYPES = re.compile(r"^Types:.*(?:\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)
LINE = re.compile(r"^[ \t]*deb(?:-src)?(?=[ \t])", re.MULTILINE)


def source_stanzas(text: str) -> tuple[str, int]:
    return TYPES.subn("Types: deb-src", text)


def source_lines(text: str) -> tuple[str, int]:
    """Each entry once: a machine that has both forms of it has one for sources already."""
    entries = [LINE.sub("deb-src", line) for line in text.splitlines() if LINE.match(line)]
    unique = list(dict.fromkeys(" ".join(entry.split()) for entry in entries))
    return "".join(entry + "\n" for entry in unique), len(unique)


def write_source_entries(sources_list: pathlib.Path, parts: pathlib.Path, out: pathlib.Path) -> int:
    written = 0
    files = [sources_list] if sources_list.is_file() else []
    if parts.is_dir():
        files += sorted(path for path in parts.iterdir() if path.suffix in (".list", ".sources"))
    for number, path in enumerate(files):
        turn = source_stanzas if path.suffix == ".sources" else source_lines
        text, entries = turn(path.read_text())
        if entries:
            (out / f"{number:02}-{path.stem}{path.suffix}").write_text(text)
        written += entries
    return written


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    sources_list, parts, out = map(pathlib.Path, sys.argv[1:])
    return 0 if write_source_entries(sources_list, parts, out) else 1


if __name__ == "__main__":
    sys.exit(main())
