#!/usr/bin/env python3
"""Asks the libraries for other C libraries than the machine's what they need, and uses them: those of `tools/dev build manylinux` and
`tools/dev build musllinux`, the latter with Debian's package musl in a folder, from where nothing is installed. Those for arm64 run
under qemu-user, with the C libraries in build-arm64-sysroot.

    zig_test.py <project folder> [manylinux|musllinux|manylinux-arm64|musllinux-arm64]... [part...]

Without a library, both of this machine's architecture. Parts: needs, exports, face, killed, forked; without any, all of them.
`killed` wants the program in build/tools or build-package/self_contained, for `dynolith check`.
"""

import pathlib
import signal
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(PROJECT / "tools/package"))
sys.dont_write_bytecode = True
from make_packages import GLIBC, LIBRARY  # noqa: E402
from parts import Failed, all_pass, check_exports, run  # noqa: E402
from try_packages import check_needs  # noqa: E402

SYSROOT = PROJECT / "build-arm64-sysroot"
FACE = PROJECT / "api/include/dynolith/dynolith.h"
ITEMS = 2000
# Printed by a shell that sees none of the files that the program has open.
KEY = "command:test ! -e /proc/self/fd/57 && printf %064d 7"


class Linux:
    """Machines of one C library: how a program in C is compiled for them, and run."""

    def __init__(self, name: str, scratch: pathlib.Path) -> None:
        self.name, self.scratch = name, scratch
        self.library = PROJECT / f"build-{name}/self_contained/{LIBRARY}"
        # What zig is told, whatever the packages of an architecture carry.
        self.glibc = GLIBC["x86_64"] if name.startswith("manylinux") else None
        self.emulator = ["qemu-aarch64", "-L", SYSROOT] if name.endswith("-arm64") else []
        self.loader: list = [] if self.glibc else self.musl()

    def musl(self) -> list:
        """The loader of Debian's package, which is its C library, too."""
        if self.emulator:
            return [next(SYSROOT.glob("usr/lib/*-linux-musl/libc.so"))]
        run("apt-get", "download", "-qq", "musl", cwd=self.scratch)
        run("dpkg-deb", "-x", next(self.scratch.glob("musl_*.deb")), self.scratch / "musl")
        return [next((self.scratch / "musl").glob("*/*/libc.so"))]

    def compiled(self, source: pathlib.Path) -> list:
        """The words that run a program."""
        program = self.scratch / f"{source.stem}-{self.name}.program"
        # zig links programs for musl statically unless it is told.
        run(PROJECT / "build-zig" / self.name / "clang", "-std=gnu11", "-dynamic", f"-I{FACE.parent.parent}", source, self.library, "-o", program)
        if self.emulator and self.glibc:
            return [*self.emulator, "-E", f"LD_LIBRARY_PATH={self.library.parent}", program]
        if self.glibc:
            return ["env", f"LD_LIBRARY_PATH={self.library.parent}", program]
        return [*self.emulator, *self.loader, "--library-path", self.library.parent, program]

    def needs(self) -> None:
        check_needs(self.library, self.glibc)
        if self.loader:
            # Its functions have no versions as glibc's; Debian 12 has 1.2.3.
            wanted = {line.split()[-1] for line in run("nm", "-D", "--undefined-only", self.library).splitlines() if line.split()[-2] == "U"}
            missing = wanted - {line.split()[-1] for line in run("nm", "-D", "--defined-only", *self.loader).splitlines()}
            if missing:
                raise Failed(f"musl lacks {sorted(missing)}")

    def exports(self) -> None:
        given = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", self.library).splitlines() if " A " not in line}
        check_exports(given, FACE)

    def face(self) -> None:
        """Every function, in memory and in a folder."""
        folder = self.scratch / f"face-{self.name}"
        folder.mkdir()
        if run(*self.compiled(PROJECT / "tests/package/c_face/face.c"), folder / "store") != "ok\n":
            raise Failed("the program did not say ok")

    def killed(self) -> None:
        """What was acknowledged is there after SIGKILL, and the store is sound; the program reads it, too."""
        folder, acknowledged = str(self.scratch / f"killed-{self.name}"), -1
        command = self.compiled(PROJECT / "tests/zig/killed.c")
        for upto in (ITEMS // 4, ITEMS // 2):
            with subprocess.Popen([*map(str, command), folder, str(ITEMS), KEY], stdout=subprocess.PIPE, text=True) as process:
                found, before = -1, acknowledged
                for line in process.stdout:
                    word, number = line.split()
                    if word == "found":
                        found = int(number)
                    elif found < before:
                        raise Failed(f"{before + 1} items were acknowledged, and {found + 1} are there")
                    if int(number) >= upto and word == "wrote":
                        acknowledged = int(number)
                        process.send_signal(signal.SIGKILL)
            if process.returncode != -signal.SIGKILL:
                raise Failed(f"the program ended with {process.returncode}")
        said = run(*command, folder, ITEMS, KEY).splitlines()
        if said.count("found 0") != 1 or len(said) != ITEMS or f"found {acknowledged}" not in said or said[-1] != f"wrote {ITEMS - 1}":
            raise Failed(f"after {acknowledged + 1} items it said {len(said)} lines, at last {said[-1:]}")
        program = next(path for path in (PROJECT / "build/tools/dynolith", PROJECT / "build-package/self_contained/dynolith") if path.exists())
        run(program, "check", folder, "--encryption-key", KEY)

    def forked(self) -> None:
        run(*self.compiled(PROJECT / "tests/zig/forked.c"), self.scratch / f"forked-{self.name}")


LINUXES = ("manylinux", "musllinux")
PARTS = ("needs", "exports", "face", "killed", "forked")


def main() -> int:
    words = sys.argv[2:]
    linuxes = [word for word in words if word.removesuffix("-arm64") in LINUXES]
    parts = [word for word in words if word not in linuxes] or PARTS
    if not set(parts) <= set(PARTS):
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory(prefix="dynolith-zig-") as scratch:
        passed = [all_pass(Linux(name, pathlib.Path(scratch)), parts, f"{name}: ") for name in linuxes or LINUXES]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
