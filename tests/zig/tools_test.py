#!/usr/bin/env python3
"""tools/package/zig, as far as it takes moments: compilers of one word say what they should, sources that a mirror lacks are looked for in
older versions, and the names of wheels promise what the compilers are told. Nothing is downloaded or compiled here: that takes minutes.

    tools_test.py <project folder>
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
ZIG = PROJECT / "tools/package/zig"
sys.path.insert(0, str(PROJECT / "tools/package"))
sys.dont_write_bytecode = True
import make_packages  # noqa: E402

# Print their words instead of doing anything.
COMPILER = """#!/bin/bash
mkdir -p "$1/ziglang"
printf '#!/bin/sh\\necho "$*"\\n' >"$1/ziglang/zig"
chmod +x "$1/ziglang/zig"
"""
# A mirror that knows of three versions, and has the sources of the oldest two.
APT_CACHE = "#!/bin/sh\nprintf 'Version: %s\\n' 1.2-1 1.10-1 1.9-1\n"
APT_GET = """#!/bin/bash
case "${!#}" in
  update | z=1.10-1) exit 1 ;;
  z=*) mkdir "z-${!##z=}" ;;
esac
"""


def script(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class ToolsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def made(self) -> pathlib.Path:
        """What make_tools makes, around a compiler that prints."""
        shutil.copytree(ZIG, self.scratch / "zig")
        script(self.scratch / "zig/get_compiler", COMPILER)
        subprocess.run([self.scratch / "zig/make_tools", self.scratch / "tools"], check=True, capture_output=True)
        return self.scratch / "tools"

    def test_clang_compiles_and_zig_links(self) -> None:
        tools = self.made()
        for linux, target, triple in (("manylinux", "x86_64-linux-gnu.2.28", "x86_64-unknown-linux-gnu"),
                                      ("musllinux", "x86_64-linux-musl", "x86_64-unknown-linux-musl"),
                                      ("manylinux-arm64", "aarch64-linux-gnu.2.28", "aarch64-unknown-linux-gnu"),
                                      ("musllinux-arm64", "aarch64-linux-musl", "aarch64-unknown-linux-musl"),
                                      ("windows", "x86_64-windows-gnu", "x86_64-unknown-windows-gnu")):
            for compiler, driver in (("clang", "cc"), ("clang++", "c++")):
                compiled = subprocess.check_output([tools / linux / compiler, "-c", "a.c"], text=True).split()
                self.assertEqual(compiled[0], "clang")
                self.assertEqual(compiled[compiled.index("-target") + 1], triple)
                self.assertEqual(compiled[-2:], ["-c", "a.c"])
                self.assertEqual("-nostdinc++" in compiled, compiler == "clang++")
                # No header of the machine is seen.
                for folder in compiled[1:]:
                    if folder.startswith("/"):
                        self.assertIn(str(tools / "ziglang/lib"), folder)
                # Which instructions a file is compiled for is no word for the driver, and a path may have a space.
                linked = subprocess.check_output([tools / linux / compiler, "-march=armv8-a+crc", "a b.o", "c.o"], text=True)
                self.assertEqual(linked.split()[:3], [driver, "-target", target])
                self.assertTrue(linked.endswith(" -O2 a b.o c.o\n"), linked)

    def test_what_is_made_already_is_left_alone(self) -> None:
        tools = self.made()
        (tools / "manylinux/clang").unlink()
        subprocess.run([self.scratch / "zig/make_tools", tools], check=True)
        self.assertFalse((tools / "manylinux/clang").exists())

    def test_wheels_promise_what_the_compiler_is_told(self) -> None:
        (major, minor), text = make_packages.GLIBC["x86_64"], (ZIG / "make_tools").read_text()
        self.assertIn(f"-linux-gnu.{major}.{minor}\"", text)
        self.assertIn(f"-D__GLIBC_MINOR__={minor} ", text)
        self.assertIn(f"glibc {major}.{minor}", (PROJECT / "tools/package/README.md").read_text())

    def test_each_library_has_a_build(self) -> None:
        presets = {preset["name"]: preset for preset in json.loads((PROJECT / "CMakePresets.json").read_text())["configurePresets"]}
        # They are alike but for the name, by which toolchain and folders are found.
        self.assertIn("tools/package/zig/${presetName}.cmake", presets["zig"]["toolchainFile"])
        self.assertIn("build-${presetName}-libraries", presets["zig"]["cacheVariables"]["DYNOLITH_ARCHIVES"])
        for linux in ("manylinux", "musllinux", "manylinux-arm64", "musllinux-arm64"):
            self.assertEqual(presets[linux], {"name": linux, "inherits": "zig"})
            self.assertIn(f"set(DYNOLITH_LINUX {linux})", (ZIG / f"{linux}.cmake").read_text())

    def test_windows_has_a_build_of_its_own_files(self) -> None:
        presets = {preset["name"]: preset for preset in json.loads((PROJECT / "CMakePresets.json").read_text())["configurePresets"]}
        toolchain = (PROJECT / presets["windows"]["toolchainFile"].replace("${sourceDir}/", "")).read_text()
        self.assertIn("set(DYNOLITH_SYSTEM windows)", toolchain)
        self.assertIn("build-zig/windows", toolchain)
        # What is to take another file's place has its name; a name that only Windows has is one that its own files include.
        for source in [*PROJECT.glob("engine/**/windows/*.cc"), *PROJECT.glob("api/**/windows/*.cc")]:
            with self.subTest(source=source):
                header = source.with_suffix(".h")
                self.assertTrue((source.parent.parent / source.name).exists() or header.exists() or header.name == "stay_loaded.h" or
                                (source.parent.parent / header.name).exists())

    def test_a_version_that_a_mirror_lacks_is_replaced_by_an_older_one(self) -> None:
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("apt-config", "#!/bin/sh\necho list=l parts=p\n")):
            script(self.scratch / "bin" / name, text)
        shutil.copytree(PROJECT / "tools/package/rocksdb", self.scratch / "rocksdb")
        script(self.scratch / "rocksdb/source_entries.py", "")
        environment = {**os.environ, "PATH": f"{self.scratch}/bin:{os.environ['PATH']}"}

        def get(source: str) -> tuple[int, str, list[str]]:
            done = subprocess.run([self.scratch / "rocksdb/get_source", source, self.scratch / source], env=environment, text=True,
                                  capture_output=True, check=False)
            return done.returncode, done.stderr, sorted(path.name for path in (self.scratch / source).iterdir())
        self.assertEqual(get("z"), (0, "get_source: the mirror lacks the source of z 1.10-1; took 1.9-1\n", ["z-1.9-1"]))
        self.assertEqual(get("z=1.2-1"), (0, "", ["z-1.2-1"]))
        # A version that is named is that one or none.
        code, said, left = get("z=1.10-1")
        self.assertEqual((code, left), (1, []))
        self.assertIn("could not get z 1.10-1", said)

    def test_licences_are_of_what_is_linked(self) -> None:
        linked = set(re.search(r"^packages=\((.*)\)$", (ZIG / "build_libraries").read_text(), re.MULTILINE).group(1).split())
        listed = set((PROJECT / "tools/package/collect_licences").read_text().split("packages=(")[1].split(")")[0].split())
        self.assertLessEqual(linked, listed)


if __name__ == "__main__":
    unittest.main()
