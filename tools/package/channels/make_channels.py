#!/usr/bin/env python3
"""Makes what each channel wants of a release, out of the packages (README.md).

    make_channels.py <project folder> <folder of packages> <folder for channels>
    make_channels.py --publisher <project folder>                  who publishes
    make_channels.py --publisher <project folder> <key> <value>    changes that
"""

import hashlib
import itertools
import json
import pathlib
import re
import shutil
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
# As the kernel names them, as containers and Go do, and as Node.js does.
ARCHITECTURES = {"x86_64": ("amd64", "x64"), "aarch64": ("arm64", "arm64")}
# Written as they are, with what stands between @ and @ replaced.
TEMPLATES = ("homebrew", "action", "devcontainer", "compose", "helm", "container", "testcontainers")
BLOCK = re.compile(r"^@BEGIN (\w+)@\n(.*?)^@END@\n", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"@([A-Z][A-Z0-9_]*(?: \w+)?)@")
# What a publisher may be called, by key.
PUBLISHER = {
    "go_module": r"[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._-]+)+",
    "image": r"[a-z0-9.-]+(/[a-z0-9._-]+)*",
    "maven_group": r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*",
    "npm_scope": r"@[a-z0-9][a-z0-9._-]*",
    "repository": r"https://[A-Za-z0-9.-]+(/[A-Za-z0-9._-]+)+",
}
# What belongs to the platform in a package of npm.
OF_THE_PLATFORM = ("libdynolith.so.0", "dynolith", "build/dynolith.node", "linked-licences.gz")


class Refused(Exception):
    """Why a channel cannot be made."""


def publisher_of(project):
    return json.loads((project / "tools/package/channels/publisher.json").read_text())


def set_publisher(project, key, value):
    """In the one file that says it; Go's sources name their module themselves, and so does the pom its group."""
    if key not in PUBLISHER:
        raise Refused(f"a publisher has no {key}, but {', '.join(PUBLISHER)}")
    if not re.fullmatch(PUBLISHER[key], value):
        raise Refused(f"{value} is no {key}")
    publisher = publisher_of(project)
    before, publisher[key] = publisher[key], value
    if key == "go_module":
        for folder in ("api/bindings/go", "tests/clients/go", "tools/package"):
            for path in sorted((project / folder).rglob("*")):
                if path.suffix in (".go", ".mod", ".md", ".py") and not {"build", "node_modules"} & set(path.parts):
                    replace(path, re.escape(before) + r"(?![\w.-])", value)
    if key == "maven_group":
        replace(project / "api/bindings/java/pom.xml", f"<groupId>{re.escape(before)}</groupId>", f"<groupId>{value}</groupId>")
    (project / "tools/package/channels/publisher.json").write_text(json.dumps(publisher, indent=2, sort_keys=True) + "\n")


def replace(path, pattern, value):
    text = path.read_text()
    changed = re.sub(pattern, lambda match: value, text)
    if changed != text:
        path.write_text(changed)


class Channels:
    def __init__(self, project, packages, out):
        self.project, self.packages, self.out = project, packages, out
        self.version = re.search(r"project\(dynolith VERSION ([0-9.]+)", (project / "CMakeLists.txt").read_text()).group(1)
        self.archives = {name: packages / f"dynolith-{self.version}-linux-{name}.tar.gz" for name in ARCHITECTURES}
        self.archives = {name: path for name, path in self.archives.items() if path.exists()}
        if not self.archives:
            raise Refused(f"{packages} has no dynolith-{self.version}-linux-*.tar.gz: run `tools/dev package archive`")
        self.publisher = publisher_of(project)
        self.fields = {"VERSION": self.version, **{key.upper(): value for key, value in self.publisher.items()},
                       "PLATFORMS": ",".join(f"linux/{ARCHITECTURES[name][0]}" for name in self.archives)}
        for name, path in self.archives.items():
            self.fields[f"SHA256 {name}"] = hashlib.sha256(path.read_bytes()).hexdigest()

    def rendered(self, text, where):
        """Without the parts of architectures that have no archive; a field that nothing has is an error."""
        text = BLOCK.sub(lambda match: match.group(2) if match.group(1) in self.archives else "", text)

        def value(match):
            if match.group(1) not in self.fields:
                raise Refused(f"{where}: nothing is known of {match.group()}")
            return self.fields[match.group(1)]
        return FIELD.sub(value, text)

    def render(self, source, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.rendered(source.read_text(), source.relative_to(HERE)))
        shutil.copymode(source, target)

    def templates(self):
        for channel in TEMPLATES:
            for source in sorted(path for path in (HERE / channel).rglob("*") if path.is_file()):
                self.render(source, self.out / source.relative_to(HERE))
        for folder in ("action", "devcontainer/dynolith"):
            self.render(HERE / "get_program", self.out / folder / "get_program")

    def container(self):
        """The programs beside their recipe, and an empty folder."""
        (self.out / "container/empty").mkdir()
        for name, path in self.archives.items():
            folder = self.out / "container" / ARCHITECTURES[name][0]
            folder.mkdir()
            with tarfile.open(path) as archive:
                for entry in archive.getmembers():
                    file = pathlib.PurePosixPath(entry.name).name
                    if file in ("dynolith", "LICENSE", "linked-licences.gz") and entry.isfile():
                        (folder / file).write_bytes(archive.extractfile(entry).read())
                        (folder / file).chmod(0o755 if file == "dynolith" else 0o644)

    def npm(self):
        """One name, which has all that is JavaScript, and a package with the binaries for each platform."""
        platforms, main = {}, self.out / "npm/dynolith"
        for (name, (_, node)), libc in itertools.product(ARCHITECTURES.items(), ("glibc", "musl")):
            path = self.npm_package(node, libc)
            if path is None:
                continue
            platform = f"linux-{node}" if libc == "glibc" else f"linux-{node}-{libc}"
            unpacked = self.out / "npm" / platform
            with tarfile.open(path) as archive:
                for entry in archive.getmembers():
                    file = unpacked / pathlib.PurePosixPath(entry.name).relative_to("package")
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(archive.extractfile(entry).read())
                    file.chmod(entry.mode & 0o777)
            package = json.loads((unpacked / "package.json").read_text())
            if not main.exists():
                shutil.copytree(unpacked, main)
            own = {key: package[key] for key in ("version", "license", "os", "cpu", "libc", "engines")}
            own |= {"name": f"{self.publisher['npm_scope']}/dynolith-{platform}", "repository": self.publisher["repository"],
                    "description": f"Dynolith's library and program for Linux with {libc} on {name}", "files": ["*", "build"]}
            for file in sorted(each for each in unpacked.rglob("*") if each.is_file()):
                if str(file.relative_to(unpacked)) not in (*OF_THE_PLATFORM, "LICENSE"):
                    file.unlink()
            (unpacked / "package.json").write_text(json.dumps(own, indent=2) + "\n")
            platforms[own["name"]] = self.version
        if not platforms:
            return
        for file in OF_THE_PLATFORM:
            (main / file).unlink()
        package = json.loads((main / "package.json").read_text())
        for key in ("os", "cpu", "libc"):
            del package[key]
        package |= {"optionalDependencies": platforms, "repository": self.publisher["repository"]}
        (main / "package.json").write_text(json.dumps(package, indent=2) + "\n")

    def npm_package(self, node, libc):
        """Of the packages that `tools/dev package npm` has made, the one for a platform."""
        for path in sorted(self.packages.glob(f"dynolith-{self.version}*.tgz")):
            with tarfile.open(path) as archive:
                package = json.load(archive.extractfile("package/package.json"))
                if (package.get("cpu"), package.get("libc")) == ([node], [libc]):
                    return path
        return None

    def make(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.templates()
        self.container()
        self.npm()


def main(words):
    try:
        if words[:1] == ["--publisher"] and len(words) in (2, 4):
            project = pathlib.Path(words[1])
            if len(words) == 4:
                set_publisher(project, words[2], words[3])
            print(json.dumps(publisher_of(project), indent=2, sort_keys=True))
            return 0
        if len(words) != 3 or words[0].startswith("--"):
            print(__doc__, file=sys.stderr)
            return 2
        Channels(*(pathlib.Path(word).resolve() for word in words)).make()
        return 0
    except Refused as refused:
        print(f"make_channels: {refused}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
