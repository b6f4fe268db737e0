#!/usr/bin/env python3
"""What a release has beside its packages is right, and the same sources and packages make the same bytes.

    release_test.py <project folder>

It makes releases of a little repository with the project's own files of versions.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

PROJECT = pathlib.Path(sys.argv.pop(1)).resolve()
RELEASE = PROJECT / "tools/package/release"
sys.path.insert(0, str(RELEASE))
import make_release  # noqa: E402  pylint: disable=import-error,wrong-import-position

OF_GIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.invalid", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.invalid",
          "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z", "GIT_CONFIG_GLOBAL": "/dev/null",
          "GIT_CONFIG_SYSTEM": "/dev/null"}
VERSION = "7.8.9"


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.repository = self.scratch / "repository"
        for file in [*make_release.VERSION_PLACES, "tools/package-lock.json"]:
            (self.repository / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / file, self.repository / file)
        self.git("init", "--quiet")
        self.commit("base: the beginning")
        self.git("tag", "v1.0.0")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.repository, env={**os.environ, **OF_GIT}, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)

    def script(self, *words):
        return subprocess.run([sys.executable, RELEASE / "make_release.py", *words], capture_output=True, text=True, check=False)

    def prepared(self):
        """A repository of the version, with some commits."""
        self.assertEqual(self.script("--set-version", self.repository, VERSION).returncode, 0)
        self.commit("store: rows are smaller\n\nWith a reason.")
        self.commit("store: rows are faster")
        self.commit("A sentence: it names no room")

    def made(self, name):
        out = self.scratch / name
        (out / "go").mkdir(parents=True)
        (out / "dynolith_amd64.deb").write_text("a package")
        (out / "go/list").write_text("v7.8.9\n")
        done = self.script(self.repository, out, VERSION)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def test_the_same_commit_makes_the_same_bytes(self):
        self.prepared()
        one = self.made("one")
        # Neither the time of files nor that of the making is in it.
        for path in self.repository.rglob("*.*"):
            os.utime(path, (1, 1))
        other = self.made("other")
        done = self.script("--compare", one, other)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        (other / "go/list").write_text("v7.8.8\n")
        done = self.script("--compare", one, other)
        self.assertEqual((done.returncode, done.stdout), (1, "different: go/list\n"))

    def test_sources_are_those_of_the_commit(self):
        self.prepared()
        (self.repository / "not_committed").write_text("secret")
        with tarfile.open(self.made("out") / f"dynolith-{VERSION}-source.tar.gz") as archive:
            entries = archive.getmembers()
        names = [entry.name for entry in entries if entry.isfile()]
        self.assertEqual(names, sorted(names))
        self.assertIn(f"dynolith-{VERSION}/CMakeLists.txt", names)
        self.assertNotIn(f"dynolith-{VERSION}/not_committed", names)
        self.assertEqual({(entry.uid, entry.gid, entry.mtime) for entry in entries}, {(0, 0, 1767323045)})

    def test_changes_are_those_since_the_last_release(self):
        self.prepared()
        text = (self.made("out") / "CHANGES.md").read_text()
        self.assertIn("# Dynolith 7.8.9\n\n2026-01-02, 3 changes since v1.0.0.\n", text)
        self.assertRegex(text, r"## Other\n\n\* A sentence: it names no room \([0-9a-f]+\)\n")
        self.assertRegex(text, r"## store\n\n\* rows are smaller \([0-9a-f]+\)\n\* rows are faster \([0-9a-f]+\)\n")
        self.assertNotIn("the beginning", text)

    def test_the_tag_of_the_release_itself_is_no_earlier_one(self):
        self.prepared()
        self.git("tag", f"v{VERSION}")
        self.assertIn("3 changes since v1.0.0", (self.made("out") / "CHANGES.md").read_text())

    def test_checksums_are_of_everything(self):
        self.prepared()
        out = self.made("out")
        done = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=out, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        listed = {line.split("  ", 1)[1] for line in (out / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(listed, {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} - {"SHA256SUMS"})

    def test_the_bill_names_all_that_is_linked(self):
        self.prepared()
        out = self.made("out")
        bill = json.loads((out / f"dynolith-{VERSION}.spdx.json").read_text())
        self.assertEqual((bill["spdxVersion"], bill["dataLicense"], bill["SPDXID"]), ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        identifiers = [each["SPDXID"] for each in [bill, *bill["packages"], *bill["files"]]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for identifier in identifiers:
            self.assertRegex(identifier, r"\ASPDXRef-[A-Za-z0-9.-]+\Z")
        for relation in bill["relationships"]:
            self.assertIn(relation["spdxElementId"], identifiers)
            self.assertIn(relation["relatedSpdxElement"], identifiers)
        packages = {package["name"]: package for package in bill["packages"]}
        self.assertEqual(packages["openssl"]["licenseDeclared"], "Apache-2.0")
        self.assertRegex(packages["rocksdb"]["externalRefs"][0]["referenceLocator"], r"\Apkg:deb/debian/rocksdb@7\.8")
        self.assertRegex(packages["ziglang"]["externalRefs"][0]["referenceLocator"], r"\Apkg:pypi/ziglang@0\.")
        for package in packages.values():
            self.assertTrue(package["versionInfo"] and package["licenseDeclared"], package)
        source = out / f"dynolith-{VERSION}-source.tar.gz"
        self.assertEqual(packages["dynolith"]["checksums"][0]["checksumValue"], hashlib.sha256(source.read_bytes()).hexdigest())
        self.assertEqual({file["fileName"] for file in bill["files"]}, {"./dynolith_amd64.deb", "./go/list"})

    def test_licences_are_collected_of_what_the_bill_names(self):
        script = (PROJECT / "tools/package/collect_licences").read_text()
        listed = {kind: set(script.split(f"{kind}=(")[1].split(")")[0].split()) for kind in ("packages", "modules_of_pages")}
        linked = json.loads((RELEASE / "linked_libraries.json").read_text())
        self.assertEqual({"packages": set(linked["debian"]), "modules_of_pages": set(linked["npm"])}, listed)

    def test_the_provenance_vouches_for_the_packages(self):
        self.prepared()
        out = self.made("out")
        statement = json.loads((out / f"dynolith-{VERSION}.provenance.json").read_text())
        self.assertEqual((statement["_type"], statement["predicateType"]),
                         ("https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"))
        for subject in statement["subject"]:
            self.assertEqual(subject["digest"]["sha256"], hashlib.sha256((out / subject["name"]).read_bytes()).hexdigest())
        self.assertEqual([subject["name"] for subject in statement["subject"]],
                         [f"dynolith-{VERSION}-source.tar.gz", "dynolith_amd64.deb", "go/list"])
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.repository, capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual(statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"], {"gitCommit": commit})

    def test_what_cannot_be_released_is_refused(self):
        out = self.scratch / "out"
        for version, words in (("1.2", "three numbers"), ("7.8.9", "tools/dev version 7.8.9")):
            done = self.script(self.repository, out, version)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)
        self.prepared()
        makefile = self.repository / "CMakeLists.txt"
        makefile.write_text(makefile.read_text() + "\n")
        done = self.script(self.repository, out, VERSION)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not committed", done.stderr)
        self.assertFalse(out.exists())

    def test_readmes_name_commands_of_tools_dev_that_exist(self):
        script = (PROJECT / "tools/dev").read_text()
        branches = re.findall(r"^  ([a-z |-]+)\)", script.split('case "$command" in')[-1], re.MULTILINE)
        known = {word for branch in branches for word in branch.split(" | ")}
        self.assertLess({"quickstart", "serve", "package", "release", "channels"}, known)
        for path in (PROJECT / "README.md", *(PROJECT / "tools/package").rglob("README.md"), PROJECT / "tests/README.md"):
            named = set(re.findall(r"\btools/dev ([a-z][a-z-]*)", path.read_text()))
            self.assertLessEqual(named, known, path)

    def test_the_version_is_the_same_everywhere(self):
        told = make_release.versions_of(PROJECT)
        for file, versions in told.items():
            self.assertEqual(set(versions), {told["CMakeLists.txt"][0]}, file)
        # What else a file says is left alone.
        self.assertEqual(self.script("--set-version", self.repository, "123.4.5").returncode, 0)
        for file, versions in told.items():
            self.assertEqual((self.repository / file).read_text().count("123.4.5"), len(versions), file)


if __name__ == "__main__":
    unittest.main()
