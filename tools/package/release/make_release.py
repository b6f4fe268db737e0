#!/usr/bin/env python3
"""Makes what a release has beside its packages (README.md): sources, change log, bill of materials, provenance, checksums.

    make_release.py <project folder> <folder of packages> <version>
    make_release.py --check <project folder> <version>    whether it could be made
    make_release.py --compare <folder of packages> <folder of packages>
    make_release.py --set-version <project folder> <version>

All of it is made of the commit and the packages, so the same commit and packages make the same bytes.
"""

import datetime
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
VERSION = re.compile(r"\d+\.\d+\.\d+")
# File -> what stands in it around the version: the first is the one that CMake reads, and the others have copies.
VERSION_PLACES = {
    "CMakeLists.txt": r"(project\(dynolith VERSION )([0-9.]+)",
    "api/bindings/javascript/package.json": r'("version": ")([0-9.]+)',
    "api/bindings/java/pom.xml": r"(<artifactId>dynolith-inprocess</artifactId>\s*<version>)([0-9.]+)",
    "api/bindings/rust/Cargo.toml": r'(\[workspace\.package\][^\[]*?\nversion = ")([0-9.]+)',
    "api/bindings/rust/dynolith/Cargo.toml": r'(dynolith-sys = \{ path = "\.\./dynolith-sys", version = ")([0-9.]+)',
    "tests/package/c_face/face.c": r'(dynolith_version\(\), ")([0-9.]+)',
    "api/bindings/rust/Cargo.lock": r'(name = "dynolith(?:-sys)?"\nversion = ")([0-9.]+)',
}
# What a subject may begin with: rooms, files or their tests, and no sentence.
ROOM = re.compile(r"(README|[a-z0-9_][\w/.-]*)((,? | and )(README|[a-z0-9_][\w/.-]*)){0,4}")
CHANGES, SUMS = "CHANGES.md", "SHA256SUMS"


class Refused(Exception):
    """Why no release can be made."""


def run(*command, cwd=None, binary=False):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout if binary else done.stdout.decode()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Release:
    def __init__(self, project, out, version):
        self.project, self.out, self.version = project, out, version
        if not VERSION.fullmatch(version):
            raise Refused(f"a version has three numbers, as 1.2.3: {version}")
        told = versions_of(project)
        wrong = sorted(file for file, versions in told.items() if set(versions) != {version})
        if wrong:
            raise Refused(f"{wrong[0]} says {', '.join(told[wrong[0]])} and not {version}: `tools/dev version {version}` writes it "
                          "everywhere; then commit")
        if run("git", "status", "--porcelain", "--untracked-files=no", cwd=project).strip():
            raise Refused("there are changes that are not committed, and a release is of a commit")
        self.commit = run("git", "rev-parse", "HEAD", cwd=project).strip()
        self.epoch = int(run("git", "log", "-1", "--format=%ct", cwd=project))
        self.time = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.name = f"dynolith-{version}"

    def sources(self):
        """All that is committed, in git's order, by nobody, at the commit's time."""
        tar = run("git", "-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix={self.name}/", "HEAD", cwd=self.project, binary=True)
        path = self.out / f"{self.name}-source.tar.gz"
        with open(path, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped:
            zipped.write(tar)
        return path

    def last_tag(self):
        """The newest tag of an older version that this commit has, or nothing."""
        tags = run("git", "tag", "--merged", "HEAD", "--sort=-creatordate", cwd=self.project).split()
        return next((tag for tag in tags if tag != f"v{self.version}"), None)

    def changes(self):
        """The first lines of the commits since the last release, by what they are about."""
        last = self.last_tag()
        lines = run("git", "log", "--no-merges", "--reverse", "--format=%h %s", f"{last}..HEAD" if last else "HEAD",
                    cwd=self.project).splitlines()
        rooms = {}
        for line in lines:
            commit, _, subject = line.partition(" ")
            room, colon, rest = subject.partition(": ")
            room, rest = (room, rest) if colon and ROOM.fullmatch(room) else ("Other", subject)
            rooms.setdefault(room, []).append(f"* {rest} ({commit})")
        since = f"{len(lines)} changes since {last}" if last else f"{len(lines)} changes since the beginning"
        text = f"# Dynolith {self.version}\n\n{self.time[:10]}, {since}.\n"
        for room in sorted(rooms):
            text += f"\n## {room}\n\n" + "\n".join(rooms[room]) + "\n"
        path = self.out / CHANGES
        path.write_text(text)
        return path

    def linked(self):
        """SPDX's packages of what is linked: Debian's sources by the machine's versions, and others by what pins them."""
        libraries = json.loads((HERE / "linked_libraries.json").read_text())
        for name, licence in libraries["debian"].items():
            source, version = run("dpkg-query", "-W", "-f=${source:Package} ${source:Version}", name).split()
            yield {"name": source, "versionInfo": version, "licenseDeclared": licence, "licenseConcluded": licence,
                   "supplier": "Organization: Debian", "comment": f"headers and archives of {name}",
                   "purl": f"pkg:deb/debian/{source.replace('+', '%2B')}@{version.replace('+', '%2B')}?arch=source"}
        locked = json.loads((self.project / "tools/package-lock.json").read_text())["packages"]
        for name, licence in libraries["npm"].items():
            version = locked[f"node_modules/{name}"]["version"]
            yield {"name": name, "versionInfo": version, "licenseDeclared": licence, "licenseConcluded": licence,
                   "supplier": "NOASSERTION", "comment": "in pages for browsers", "purl": f"pkg:npm/{name}@{version}"}
        pinned = dict(re.findall(r"^([\w-]+)==(\S+)", (HERE.parent / "zig/requirements.txt").read_text(), re.MULTILINE))
        for name, licence in libraries["pypi"].items():
            yield {"name": name, "versionInfo": pinned[name], "licenseDeclared": licence, "licenseConcluded": licence,
                   "supplier": "NOASSERTION", "comment": "the library of C++ in libraries for x86-64 and in the WebAssembly module",
                   "purl": f"pkg:pypi/{name}@{pinned[name]}"}

    def bill_of_materials(self, sources):
        """SPDX 2.3: the sources, what is linked with them, and the packages made of both."""
        own = {"name": "dynolith", "SPDXID": "SPDXRef-dynolith", "versionInfo": self.version, "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "licenseDeclared": "Apache-2.0", "licenseConcluded": "Apache-2.0", "supplier": "NOASSERTION",
               "copyrightText": "NOASSERTION", "packageFileName": sources.name, "primaryPackagePurpose": "SOURCE",
               "checksums": [{"algorithm": "SHA256", "checksumValue": digest(sources)}]}
        packages, relationships = [own], [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-dynolith"}]
        for fields in self.linked():
            purl = fields.pop("purl")
            identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", fields["comment"].split()[-1] if "headers" in fields["comment"]
                                             else f"{re.match('pkg:([a-z]+)', purl).group(1)}-{fields['name']}")
            packages.append({"SPDXID": identifier, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                             "copyrightText": "NOASSERTION", **fields,
                             "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]})
            relationships.append({"spdxElementId": "SPDXRef-dynolith", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": identifier})
        files = []
        for number, path in enumerate(self.packages()):
            if path == sources:
                continue
            identifier = f"SPDXRef-file-{number}"
            files.append({"SPDXID": identifier, "fileName": f"./{path.relative_to(self.out)}", "copyrightText": "NOASSERTION",
                          "licenseConcluded": "Apache-2.0",
                          "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(path.read_bytes()).hexdigest()},
                                        {"algorithm": "SHA256", "checksumValue": digest(path)}]})
            relationships.append({"spdxElementId": identifier, "relationshipType": "GENERATED_FROM",
                                  "relatedSpdxElement": "SPDXRef-dynolith"})
        document = {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": self.name,
            "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, self.name + self.commit)}",
            "creationInfo": {"created": self.time, "creators": ["Tool: dynolith-make_release"]},
            "packages": packages, "relationships": relationships}
        if files:
            document["files"] = files
        return self.write_json(f"{self.name}.spdx.json", document)

    def packages(self):
        """What the packages' command has made, without what is made here."""
        own = {CHANGES, SUMS, f"{self.name}.spdx.json", f"{self.name}.provenance.json"}
        return sorted(path for path in self.out.rglob("*") if path.is_file() and path.name not in own)

    def provenance(self):
        """An in-toto statement, with SLSA's predicate: of which commit, by which command, with which packages of the machine."""
        subjects = [{"name": str(path.relative_to(self.out)), "digest": {"sha256": digest(path)}} for path in self.packages()]
        materials = [{"uri": fields["purl"]} for fields in self.linked()]
        return self.write_json(f"{self.name}.provenance.json", {
            "_type": "https://in-toto.io/Statement/v1", "subject": subjects, "predicateType": "https://slsa.dev/provenance/v1",
            "predicate": {
                "buildDefinition": {
                    "buildType": "urn:dynolith:tools-dev-release:1", "externalParameters": {"version": self.version},
                    "internalParameters": {"SOURCE_DATE_EPOCH": str(self.epoch)},
                    "resolvedDependencies": [{"uri": "git+file:.", "digest": {"gitCommit": self.commit}}, *materials]},
                # Nobody vouches for the machine: whoever signs this statement says who they are.
                "runDetails": {"builder": {"id": "urn:dynolith:own-machine"}, "metadata": {"invocationId": self.commit}}}})

    def write_json(self, name, value):
        path = self.out / name
        path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")
        return path

    def sums(self):
        """For `sha256sum -c SHA256SUMS`."""
        files = sorted(path for path in self.out.rglob("*") if path.is_file() and path.name != SUMS)
        path = self.out / SUMS
        path.write_text("".join(f"{digest(file)}  {file.relative_to(self.out)}\n" for file in files))
        return path

    def make(self):
        self.out.mkdir(parents=True, exist_ok=True)
        sources = self.sources()
        return [sources, self.changes(), self.bill_of_materials(sources), self.provenance(), self.sums()]


def versions_of(project):
    """File -> the versions that it names."""
    return {file: [match[1] for match in re.findall(pattern, (project / file).read_text())] for file, pattern in VERSION_PLACES.items()}


def set_version(project, version):
    if not VERSION.fullmatch(version):
        raise Refused(f"a version has three numbers, as 1.2.3: {version}")
    for file, pattern in VERSION_PLACES.items():
        text, count = re.subn(pattern, lambda match: match.group(1) + version, (project / file).read_text())
        if not count:
            raise Refused(f"{file} has no version where one was expected")
        (project / file).write_text(text)


def compare(one, other):
    """The files that differ, or are in one of the folders only."""
    sums = [{str(path.relative_to(folder)): digest(path) for path in folder.rglob("*") if path.is_file()} for folder in (one, other)]
    return sorted(name for name in sums[0].keys() | sums[1].keys() if sums[0].get(name) != sums[1].get(name))


def main(words):
    try:
        if len(words) == 3 and words[0] == "--compare":
            different = compare(pathlib.Path(words[1]), pathlib.Path(words[2]))
            for name in different:
                print(f"different: {name}")
            return 1 if different else 0
        if len(words) == 3 and words[0] == "--check":
            Release(pathlib.Path(words[1]).resolve(), None, words[2])
            return 0
        if len(words) == 3 and words[0] == "--set-version":
            set_version(pathlib.Path(words[1]), words[2])
            return 0
        if len(words) != 3 or words[0].startswith("--"):
            print(__doc__, file=sys.stderr)
            return 2
        for path in Release(pathlib.Path(words[0]).resolve(), pathlib.Path(words[1]).resolve(), words[2]).make():
            print(f"make_release: {path.name}: {path.stat().st_size} bytes", file=sys.stderr)
        return 0
    except Refused as refused:
        print(f"make_release: {refused}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
