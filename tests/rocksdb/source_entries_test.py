#!/usr/bin/env python3
"""tools/package/rocksdb: that the machine's entries for packages become those for sources, and that tools/dev refuses a library that it
does not know. RocksDB itself is not compiled here: that takes minutes.

    source_entries_test.py <project folder>
"""

import pathlib
import subprocess
import sys
import tempfile

STANZAS = """# Types: deb
Types: deb
URIs: http://packages.invalid/debian
Suites: stable stable-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 Types: deb
 -----END PGP PUBLIC KEY BLOCK-----

types: deb
 deb-src
URIs: http://security.invalid/debian
Enabled: no
"""
SOURCE_STANZAS = STANZAS.replace("\nTypes: deb\n", "\nTypes: deb-src\n").replace("types: deb\n deb-src", "Types: deb-src")

LINES = """# deb http://old.invalid/debian stable main
deb [arch=amd64 signed-by=/key.asc] http://packages.invalid/debian stable main
deb http://other.invalid/debian stable main # kept
deb-src http://other.invalid/debian stable main # kept

debris
"""
SOURCE_LINES = """deb-src [arch=amd64 signed-by=/key.asc] http://packages.invalid/debian stable main
deb-src http://other.invalid/debian stable main # kept
"""


def entries(project: pathlib.Path, files: dict[str, str]) -> tuple[int, dict[str, str]]:
    """The exit code, and what was written, by the names' ends."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("apt/sources.list.d", "out"):
            (folder / part).mkdir(parents=True)
        for path, text in files.items():
            (folder / "apt" / path).write_text(text)
        code = subprocess.run(
            [sys.executable, project / "tools/package/rocksdb/source_entries.py", folder / "apt/sources.list",
             folder / "apt/sources.list.d", folder / "out"], check=False).returncode
        return code, {path.name.split("-", 1)[1]: path.read_text() for path in (folder / "out").iterdir()}


def expect(what: str, got, wanted) -> None:
    if got != wanted:
        sys.exit(f"{what}:\n{got}\nwas to be\n{wanted}")


def main() -> None:
    project = pathlib.Path(sys.argv[1])
    expect("stanzas", entries(project, {"sources.list.d/debian.sources": STANZAS}), (0, {"debian.sources": SOURCE_STANZAS}))
    expect("lines", entries(project, {"sources.list": LINES}), (0, {"sources.list": SOURCE_LINES}))
    expect("both", entries(project, {"sources.list": LINES, "sources.list.d/debian.sources": STANZAS}),
           (0, {"sources.list": SOURCE_LINES, "debian.sources": SOURCE_STANZAS}))
    expect("others' files", entries(project, {"sources.list.d/debian.sources.bak": STANZAS}), (1, {}))
    expect("comments only", entries(project, {"sources.list": "# deb http://old.invalid/debian stable main\n"}), (1, {}))
    for words in (["build", "--rocksdb", "other"], ["build", "--rocksdb"], ["asan", "--rocksdb", "source"]):
        refused = subprocess.run([project / "tools/dev", *words], capture_output=True, text=True, check=False)
        expect(f"tools/dev {' '.join(words)}", (refused.returncode, "--rocksdb" in refused.stderr), (2, True))


if __name__ == "__main__":
    main()
