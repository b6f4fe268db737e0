#!/usr/bin/env python3
"""Makes the packages of each language out of a build: what each carries and how it is installed says README.md.

    make_packages.py <project folder> <build folder> <folder for packages> [--for aarch64] [deb|archive|wheel|npm|jar|go|rust]...

--for: the build is one for another architecture (arm64/README.md), whose compiler the machine has.
"""

import functools
import gzip
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

LIBRARY = "libdynolith.so.0"
# The project's own, and those of all that is linked.
LICENCES = ("LICENSE", "linked-licences.gz")
# Of what is linked into the WebAssembly module, below build-wasm-tools but for those of the machine.
MODULE_LICENCES = ("abseil/LICENSE", "simdjson/LICENSE", "ziglang/lib/libcxx/LICENSE.TXT", "ziglang/lib/libc/musl/COPYRIGHT",
                   "ziglang/lib/libc/wasi/LICENSE", "ziglang/lib/libc/wasi/LICENSE-MIT", "ziglang/LICENSE",
                   "libdeflate/COPYING", "/usr/share/doc/libhnswlib-dev/copyright", "/usr/share/doc/libcli11-dev/copyright",
                   "/usr/share/doc/libtomlplusplus-dev/copyright", "/usr/share/doc/libzstd-dev/copyright")
# Of what its reports are drawn with, where there is npm.
REPORT_LICENCES = ("preact/LICENSE", "uplot/LICENSE")
# The oldest C libraries that load the libraries: try_packages looks at the symbols.
GLIBC = {"x86_64": (2, 28), "aarch64": (2, 34)}
MUSL = (1, 2)
# Of what zig links into the libraries of x86-64, below build-zig (tools/package/zig).
ZIG_LICENCES = ("ziglang/lib/libcxx/LICENSE.TXT", "ziglang/lib/libunwind/LICENSE.TXT", "ziglang/LICENSE")
# Everything is as old as this, so that the same sources make the same packages.
EPOCH = (1980, 1, 1, 0, 0, 0)


def say(text: str) -> None:
    print(f"make_packages: {text}", file=sys.stderr)


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


# As Node.js calls them.
NODE_ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64"}


class Maker:
    def __init__(self, project: pathlib.Path, build: pathlib.Path, out: pathlib.Path, machine: str) -> None:
        self.project, self.build, self.out, self.machine = project, build, out, machine
        # What is named like its kind only is of x86-64.
        self.suffix = "" if machine == "x86_64" else f"-linux-{machine}"
        self.tools = "" if machine == platform.machine() else f"{machine}-linux-gnu-"
        self.bindings = project / "api/bindings"
        text = (project / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(dynolith VERSION ([0-9.]+)", text).group(1)
        out.mkdir(parents=True, exist_ok=True)
        # Other libraries than the program's build, for older C libraries and for others (zig/README.md).
        self.by_zig = machine == "x86_64"

    @functools.cached_property
    def carried(self) -> pathlib.Path:
        """What packages carry where the C library is glibc."""
        return self.carry("carried", self.project / "build-manylinux" if self.by_zig else self.build)

    @functools.cached_property
    def carried_for_musl(self) -> pathlib.Path:
        return self.carry("carried-musllinux", self.project / "build-musllinux")

    def carry(self, name: str, library: pathlib.Path | None) -> pathlib.Path:
        """A folder with the self-contained program, and the library of a build, without what only debuggers read."""
        folder = self.build / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for source in filter(None, (library and library / f"self_contained/{LIBRARY}", self.build / "self_contained/dynolith")):
            run(f"{self.tools}strip", "--strip-unneeded", "-o", folder / source.name, source.resolve())
            (folder / source.name).chmod(0o755)
        shutil.copy(self.build / "tools/package/linked-licences.gz", folder)
        if library and self.by_zig:
            with open(folder / "linked-licences.gz", "ab") as file:
                file.write(gzip.compress(self.licences("build-zig", ZIG_LICENCES), mtime=0))
        shutil.copy(self.project / "LICENSE", folder)
        return folder

    def licences(self, tools: str, files: tuple[str, ...]) -> bytes:
        """One text of several, of files below a folder with tools."""
        return "\n".join(f"{'=' * 100}\n{file}\n\n{(self.project / tools / file).read_text()}" for file in files).encode()

    def compiler(self, linux: str = "manylinux") -> dict[str, str]:
        """The environment of what compiles a binding's C: for the C library that the library beside it is for."""
        compiler = self.project / "build-zig" / linux / "clang" if self.by_zig else f"{self.tools}gcc"
        return {**os.environ, "CC": str(compiler)}

    def staged(self, name: str, sources: list[str], binding: str) -> pathlib.Path:
        """A new folder with some files of a binding."""
        folder = self.build / "staged" / name
        shutil.rmtree(folder, ignore_errors=True)
        for pattern in sources:
            for path in sorted((self.bindings / binding).glob(pattern)):
                target = folder / path.relative_to(self.bindings / binding)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        return folder

    def add_face(self, folder: pathlib.Path) -> None:
        """The C face's headers, in the folder `include` of a package."""
        (folder / "include/dynolith").mkdir(parents=True)
        shutil.copy(self.project / "api/include/dynolith/dynolith.h", folder / "include/dynolith")
        shutil.copy(self.bindings / "loaded_face.h", folder / "include")

    def tar(self, name: str, folder: pathlib.Path) -> pathlib.Path:
        """A compressed archive with one folder of the same name."""
        def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            return entry
        path = self.out / f"{name}.tar.gz"
        with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped, \
                tarfile.open(fileobj=zipped, mode="w") as archive:
            archive.add(folder, name, filter=plain)
        return path

    def deb(self) -> list[pathlib.Path]:
        packages = self.build / "packages"
        shutil.rmtree(packages, ignore_errors=True)
        run("cpack", cwd=self.build)
        return [pathlib.Path(shutil.copy(path, self.out)) for path in sorted(packages.glob("*.deb"))]

    def archive(self) -> list[pathlib.Path]:
        """For any Linux: the program, its manual and completions."""
        folder = self.build / "staged/archive"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        carried = self.carry("carried-archive", None)
        for name in ("dynolith", *LICENCES):
            shutil.copy(carried / name, folder)
        for part in ("manuals", "completions"):
            shutil.copytree(self.build / "tools/package" / part, folder / part)
        return [self.tar(f"dynolith-{self.version}-linux-{self.machine}", folder)]

    def add_module(self, folder: pathlib.Path) -> None:
        """The WebAssembly module, with the licences of what is linked into it."""
        shutil.copy(self.project / "build-wasm/dynolith.wasm", folder)
        (folder / "dynolith.wasm").chmod(0o644)
        licences = self.licences("build-wasm-tools", MODULE_LICENCES)
        # Where there is no npm, reports are texts.
        drawn = tuple(file for file in REPORT_LICENCES if (self.project / "build/node/node_modules" / file).exists())
        licences += b"\n" + self.licences("build/node/node_modules", drawn)
        (folder / "dynolith.wasm.licences.gz").write_bytes(gzip.compress(licences, mtime=0))

    def pip(self) -> pathlib.Path:
        """Of an environment with the package wheel."""
        environment = self.build / "venv"
        pip = environment / "bin/pip"
        if not pip.exists():
            base = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
            run(base, "-m", "venv", environment)
        run(pip, "install", "--quiet", "--disable-pip-version-check", "wheel")
        return pip

    def wheel(self) -> list[pathlib.Path]:
        pip = self.pip()
        glibc = GLIBC[self.machine]
        wheels = [self.wheel_of(pip, self.carried, f"manylinux_{glibc[0]}_{glibc[1]}_{self.machine}")]
        if self.by_zig:
            wheels.append(self.wheel_of(pip, self.carried_for_musl, f"musllinux_{MUSL[0]}_{MUSL[1]}_{self.machine}"))
        return [*wheels, *self.portable_wheel(pip)]

    def wheel_of(self, pip: pathlib.Path, carried: pathlib.Path, tag: str) -> pathlib.Path:
        """The wheel of a library and the program, for the platforms of a tag."""
        made = self.build / "staged/wheel" / tag
        shutil.rmtree(made, ignore_errors=True)
        run(pip, "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "-w", made, self.bindings / "python",
            "--config-settings", "cmake.source-dir=carried", "--config-settings", "build.targets=all",
            "--config-settings", f"cmake.define.DYNOLITH_CARRIED={carried}")
        run(pip.parent / "python", "-m", "wheel", "tags", "--remove", "--platform-tag", tag, next(made.glob("*.whl")))
        return pathlib.Path(shutil.copy(next(made.glob("*.whl")), self.out))

    def portable_wheel(self, pip: pathlib.Path) -> list[pathlib.Path]:
        """What pip takes where the wheel of no platform fits: the WebAssembly module, and a need of wasmtime."""
        folder = self.staged("portable_wheel", ["pyproject.toml", "README.md", "src/dynolith/*.py", "src/dynolith/py.typed"],
                             "python")
        self.add_module(folder / "src/dynolith")
        shutil.copy(self.project / "LICENSE", folder / "src/dynolith")
        text = (folder / "pyproject.toml").read_text()
        for pattern, said in ((r"; sys_platform != 'linux' or [^\"]*", ""), (r'\[tool\.scikit-build\.metadata.*?\n\n', ""),
                              (r'dynamic = \["version"\]', f'version = "{self.version}"')):
            text, count = re.subn(pattern, said, text, flags=re.DOTALL)
            if count != 1:
                sys.exit(f"make_packages: {pattern} is {count} times in pyproject.toml")
        (folder / "pyproject.toml").write_text(text)
        run(pip, "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "-w", folder, folder,
            "--config-settings", "wheel.cmake=false", "--config-settings", "wheel.platlib=false")
        return [pathlib.Path(shutil.copy(path, self.out)) for path in folder.glob("*.whl")]

    def npm(self) -> list[pathlib.Path]:
        made = [self.npm_of(self.carried, "glibc", "manylinux", self.suffix)]
        if self.by_zig:
            made.append(self.npm_of(self.carried_for_musl, "musl", "musllinux", f"-linux-{self.machine}-musl"))
        return made

    def npm_of(self, carried: pathlib.Path, libc: str, linux: str, suffix: str) -> pathlib.Path:
        """The package with the binaries for one C library."""
        # The addon is compiled by the package's own script, and carried.
        modules = self.build / "node"
        if not (modules / "node_modules/node-api-headers").exists():
            modules.mkdir(exist_ok=True)
            run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", modules, "node-api-headers")
        run("node", "build.cjs", cwd=self.bindings / "javascript",
            env={**self.compiler(linux), "NODE_PATH": str(modules / "node_modules")})
        folder = self.staged("npm", ["index.*", "database.cjs", "browser.*", "binaries.cjs", "jest.*", "vitest.*", "program.cjs",
                                     "lab.cjs", "serve.cjs", "turns.cjs", "wasi.cjs", "wasm.cjs", "README.md", "build/dynolith.node"],
                             "javascript")
        # What runs where the package of no platform fits (tools/package/channels).
        self.add_module(folder)
        shutil.copy(self.project / "build-wasm/lab.html", folder)
        for name in (LIBRARY, "dynolith", *LICENCES):
            shutil.copy(carried / name, folder)
        package = json.loads((self.bindings / "javascript/package.json").read_text())
        # Nothing is left to be compiled, so nothing is needed for it.
        del package["scripts"], package["dependencies"], package["files"]
        package |= {"os": ["linux"], "cpu": [NODE_ARCHITECTURES[self.machine]], "libc": [libc]}
        (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
        name = run("npm", "pack", "--silent", "--pack-destination", self.out, cwd=folder).strip().splitlines()[-1]
        # npm gives those of all platforms one name.
        named = self.out / name.replace(".tgz", f"{suffix}.tgz")
        (self.out / name).rename(named)
        return named

    def jar(self) -> list[pathlib.Path]:
        out = self.build / "staged/jar"
        shutil.rmtree(out, ignore_errors=True)
        resources = out / "carried/dynolith"
        resources.mkdir(parents=True)
        shutil.copy(self.carried / LIBRARY, resources)
        (out / "carried/META-INF").mkdir()
        for name in LICENCES:
            shutil.copy(self.carried / name, out / "carried/META-INF")
        digest = hashlib.sha256((resources / LIBRARY).read_bytes()).hexdigest()
        (resources / f"{LIBRARY}.sha256").write_text(digest)
        run("mvn", "--quiet", "--batch-mode", "-f", self.bindings / "java/pom.xml", f"-DoutDirectory={out}",
            f"-Ddynolith.carried={out / 'carried'}", "-Dmaven.test.skip=true", "-Prelease", "package", env=self.compiler())
        # Maven Central wants the sources and the documentation, too.
        return [pathlib.Path(shutil.copy(out / f"dynolith-inprocess-{self.version}{part}.jar",
                                         self.out / f"dynolith-inprocess-{self.version}{part or self.suffix}.jar"))
                for part in ("", "-sources", "-javadoc")]

    def go(self) -> list[pathlib.Path]:
        """A folder that GOPROXY can name: one module with one version."""
        folder = self.staged("go", ["*.go", "go.mod", "go.sum", "README.md", "dynolithtest/*.go", "carried/README.md"], "go")
        for path in folder.rglob("*_test.go"):
            path.unlink()
        self.add_face(folder)
        self.add_module(folder / "carried")
        for name in (LIBRARY, *LICENCES):
            shutil.copy(self.carried / name, folder)
        module = re.search(r"^module (\S+)", (folder / "go.mod").read_text()).group(1)
        proxy = self.out / f"go{self.suffix}"
        shutil.rmtree(proxy, ignore_errors=True)
        versions = proxy / module / "@v"
        versions.mkdir(parents=True)
        (versions / "list").write_text(f"v{self.version}\n")
        (versions / f"v{self.version}.info").write_text(json.dumps({"Version": f"v{self.version}", "Time": "1980-01-01T00:00:00Z"}))
        shutil.copy(folder / "go.mod", versions / f"v{self.version}.mod")
        path = versions / f"v{self.version}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(each for each in folder.rglob("*") if each.is_file()):
                entry = zipfile.ZipInfo(f"{module}@v{self.version}/{file.relative_to(folder)}", EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())
        return [path]

    def rust(self) -> list[pathlib.Path]:
        folder = self.staged("rust", ["Cargo.toml", "README.md", "dynolith-sys/**/*.rs", "dynolith-sys/Cargo.toml",
                                      "dynolith/Cargo.toml", "dynolith/src/*.rs"], "rust")
        for name in (LIBRARY, *LICENCES):
            shutil.copy(self.carried / name, folder / "dynolith-sys")
        shutil.copy(self.carried / "LICENSE", folder)
        return [self.tar(f"dynolith-rust-{self.version}{self.suffix}", folder)]


KINDS = ("deb", "archive", "wheel", "npm", "jar", "go", "rust")


def main() -> None:
    kinds, machine = sys.argv[4:], platform.machine()
    if kinds[:1] == ["--for"] and len(kinds) > 1:
        machine, kinds = kinds[1], kinds[2:]
    if len(sys.argv) < 4 or not set(kinds) <= set(KINDS) or machine not in NODE_ARCHITECTURES:
        sys.exit(__doc__)
    project, build, out = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    maker = Maker(project, build, out, machine)
    for kind in kinds or KINDS:
        for path in getattr(maker, kind)():
            say(f"{path.relative_to(out.parent)}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
