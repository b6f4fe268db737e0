#!/usr/bin/env python3
"""What channels get of a release works as far as it can without a container engine or a registry.

    channels_test.py <project folder> <dynolith program> <libdynolith.so.0> <folder with the clients>

Packages are little ones, made here of the tree's own program and library.
"""

import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.request

PROJECT, PROGRAM, LIBRARY, CLIENTS = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
del sys.argv[1:5]
MAKE = PROJECT / "tools/package/channels/make_channels.py"
VERSION = re.search(r"project\(dynolith VERSION ([0-9.]+)", (PROJECT / "CMakeLists.txt").read_text()).group(1)
PUBLISHER = json.loads((PROJECT / "tools/package/channels/publisher.json").read_text())


def script(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120, **options)


def archive(path, files):
    """A compressed archive of {name: bytes}; all of it may be run."""
    with tarfile.open(path, "w:gz", compresslevel=1) as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755
            made.addfile(entry, io.BytesIO(content))


def answers(endpoint):
    with urllib.request.urlopen(endpoint, timeout=30) as answer:
        return answer.read().decode()


class ChannelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.packages = cls.scratch / "packages"
        cls.packages.mkdir()
        # Not the program itself, whose compression takes seconds.
        program = f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n'.encode()
        for name in ("x86_64", "aarch64"):
            top = f"dynolith-{VERSION}-linux-{name}"
            archive(cls.packages / f"{top}.tar.gz", {f"{top}/dynolith": program, f"{top}/LICENSE": b"free",
                                                     f"{top}/linked-licences.gz": b"free", f"{top}/manuals/dynolith.1.gz": b""})
        binding = PROJECT / "api/bindings/javascript"
        package = json.loads((binding / "package.json").read_text())
        for key in ("scripts", "dependencies", "files"):
            del package[key]
        for node, libc in (("x64", "glibc"), ("x64", "musl"), ("arm64", "glibc")):
            files = {f"package/{name}": (binding / name).read_bytes() for name in
                     ("index.cjs", "index.mjs", "index.d.ts", "database.cjs", "binaries.cjs", "program.cjs", "turns.cjs", "README.md",
                      "build/dynolith.node")}
            files["package/libdynolith.so.0"] = b"a library"
            files |= {"package/dynolith": program, "package/LICENSE": b"free", "package/linked-licences.gz": b"free"}
            described = {**package, "os": ["linux"], "cpu": [node], "libc": [libc]}
            files["package/package.json"] = json.dumps(described).encode()
            archive(cls.packages / f"dynolith-{VERSION}-linux-{node}-{libc}.tgz", files)
        cls.out = cls.scratch / "channels"
        done = script(sys.executable, MAKE, PROJECT, cls.packages, cls.out)
        assert done.returncode == 0, done.stderr

    def environment(self, **more):
        return {**os.environ, "no_proxy": "127.0.0.1,localhost", "DYNOLITH_RELEASES": self.packages.as_uri(), **more}

    def parsed(self, *paths):
        """YAML as Python's values, by the clients' Python."""
        code = "import json, sys, yaml; print(json.dumps([list(yaml.safe_load_all(open(path))) for path in sys.argv[1:]]))"
        done = script(CLIENTS / "venv/bin/python", "-c", code, *paths)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [documents[0] for documents in json.loads(done.stdout)]

    def test_nothing_is_left_to_be_filled_in(self):
        for path in self.out.rglob("*"):
            if path.is_file() and path.suffix not in (".node", ".0", ".gz"):
                self.assertNotRegex(path.read_text(), r"@(BEGIN|END|SHA256|VERSION|IMAGE|REPOSITORY|NPM_SCOPE|GO_MODULE|MAVEN_GROUP)\b", path)

    def test_an_architecture_without_an_archive_is_left_out(self):
        packages = self.scratch / "one"
        packages.mkdir()
        shutil.copy(self.packages / f"dynolith-{VERSION}-linux-x86_64.tar.gz", packages)
        done = script(sys.executable, MAKE, PROJECT, packages, self.scratch / "one_out")
        self.assertEqual(done.returncode, 0, done.stderr)
        formula = (self.scratch / "one_out/homebrew/dynolith.rb").read_text()
        self.assertIn("on_intel", formula)
        self.assertNotIn("on_arm", formula)
        done = script(sys.executable, MAKE, PROJECT, self.scratch / "channels", self.scratch / "none")
        self.assertEqual(done.returncode, 1)
        self.assertIn("tools/dev package archive", done.stderr)

    def test_scripts_are_shell(self):
        for path, shell in (("action/start_server", "bash"), ("action/get_program", "sh"), ("devcontainer/dynolith/install.sh", "sh")):
            done = script(shell, "-n", self.out / path)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_action_starts_a_server_and_exports_its_address(self):
        action, compose = self.parsed(self.out / "action/action.yml", self.out / "compose/docker-compose.yml")
        self.assertEqual(compose["services"]["dynolith"]["image"], f"{PUBLISHER['image']}:{VERSION}")
        steps = action["runs"]["steps"]
        runner = self.scratch / "runner"
        runner.mkdir()
        environment = self.environment(GITHUB_ACTION_PATH=str(self.out / "action"), RUNNER_TEMP=str(runner), DYNOLITH_PORT="0",
                                       GITHUB_OUTPUT=str(runner / "output"), GITHUB_ENV=str(runner / "env"),
                                       DYNOLITH_OPTIONS="--admin --clock manual", DYNOLITH_EXPORT="true")
        self.assertEqual(set(steps[1]["env"]), {name for name in environment if name.startswith("DYNOLITH_")} - {"DYNOLITH_RELEASES"})
        for step in steps:
            done = script(step["shell"], "-ec", step["run"], env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
        output = dict(line.split("=", 1) for line in (runner / "output").read_text().splitlines())
        self.addCleanup(os.kill, int(output["pid"]), signal.SIGKILL)
        exported = dict(line.split("=", 1) for line in (runner / "env").read_text().splitlines())
        self.assertEqual(exported["AWS_ENDPOINT_URL_DYNAMODB"], output["endpoint"])
        self.assertIn("healthy", answers(output["endpoint"]))
        self.assertIn("manual", answers(output["endpoint"] + "/_dynolith/clock"))
        environment["DYNOLITH_OPTIONS"] = "--no-such-option"
        done = script("bash", "-ec", steps[1]["run"], env=environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--no-such-option", done.stderr)

    def test_what_is_not_the_released_archive_is_refused(self):
        others = self.scratch / "others"
        shutil.copytree(self.packages, others)
        for path in others.glob("*.tar.gz"):
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        done = script("sh", self.out / "action/get_program", self.scratch / "refused",
                      env=self.environment(DYNOLITH_RELEASES=others.as_uri()))
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not what was released", done.stderr)
        self.assertFalse((self.scratch / "refused").exists())

    def test_the_feature_installs_the_program(self):
        feature = json.loads((self.out / "devcontainer/dynolith/devcontainer-feature.json").read_text())
        root = self.scratch / "root"
        done = script("sh", self.out / "devcontainer/dynolith/install.sh",
                      env=self.environment(DESTDIR=str(root), SERVE="false", OPTIONS=feature["options"]["options"]["default"]))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = script(str(root) + feature["entrypoint"], root / "usr/local/bin/dynolith", "--version")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, f"dynolith {VERSION}"))

    def test_the_container_has_the_programs_beside_its_recipe(self):
        recipe = (self.out / "container/Dockerfile").read_text()
        self.assertIn("--platform linux/amd64,linux/arm64 ", recipe)
        for copied in re.findall(r"^COPY (?:--\S+ )*(\S+)", recipe, re.MULTILINE):
            for architecture in ("amd64", "arm64"):
                self.assertTrue((self.out / "container" / copied.replace("${TARGETARCH}", architecture)).is_dir(), copied)
        self.assertEqual(sorted(path.name for path in (self.out / "container/arm64").iterdir()),
                         ["LICENSE", "dynolith", "linked-licences.gz"])
        self.assertTrue(os.access(self.out / "container/amd64/dynolith", os.X_OK))

    def test_npm_takes_the_package_of_the_platform(self):
        npm = self.out / "npm"
        main = json.loads((npm / "dynolith/package.json").read_text())
        names = {node: f"{PUBLISHER['npm_scope']}/dynolith-linux-{node}" for node in ("x64", "x64-musl", "arm64")}
        self.assertEqual(main["optionalDependencies"], {name: VERSION for name in names.values()})
        self.assertFalse({"os", "cpu", "libc"} & set(main))
        modules = self.scratch / "project/node_modules"
        shutil.copytree(npm / "dynolith", modules / "dynolith")
        node = script("node", "-p", "process.arch").stdout.strip()
        described = json.loads((npm / f"linux-{node}/package.json").read_text())
        self.assertEqual((described["cpu"], described["libc"]), ([node], ["glibc"]))
        self.assertEqual(json.loads((npm / "linux-x64-musl/package.json").read_text())["libc"], ["musl"])
        run = ["node", "-p", "require('dynolith').version()"]
        done = script(*run, cwd=modules.parent)
        self.assertIn(f"{names[node]} is missing", done.stderr)
        shutil.copytree(npm / f"linux-{node}", modules / names[node])
        shutil.copy(LIBRARY, modules / names[node] / "libdynolith.so.0")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DYNOLITH_")}
        self.assertEqual(script(*run, cwd=modules.parent, env=environment).stdout.strip(), VERSION)
        done = script("node", modules / "dynolith/program.cjs", "--version", env=environment)
        self.assertEqual(done.stdout.strip(), f"dynolith {VERSION}", done.stderr)

    def test_npm_takes_the_package_of_the_c_library(self):
        npm, modules = self.out / "npm", self.scratch / "libc/node_modules"
        shutil.copytree(npm / "dynolith", modules / "dynolith")
        # An npm that installs both; Node.js for musl knows no version of glibc.
        program = "Object.defineProperty(process, 'arch', {value: 'x64'}); %s require('./node_modules/dynolith/binaries.cjs').binaries()"
        musl = "process.report.getReport = () => ({header: {}});"
        for platform in ("linux-x64", "linux-x64-musl"):
            name = f"{PUBLISHER['npm_scope']}/dynolith-{platform}"
            shutil.copytree(npm / platform, modules / name)
            if platform == "linux-x64":
                # What npm has installed is what fits.
                self.assertTrue(script("node", "-p", program % musl, cwd=modules.parent).stdout.strip().endswith(name))
        for said, platform in (("", "linux-x64"), (musl, "linux-x64-musl")):
            self.assertTrue(script("node", "-p", program % said, cwd=modules.parent).stdout.strip().endswith(f"dynolith-{platform}"))

    def test_the_charts_values_fit_their_schema(self):
        chart, values = self.parsed(self.out / "helm/dynolith/Chart.yaml", self.out / "helm/dynolith/values.yaml")
        self.assertEqual((chart["version"], values["image"]["repository"]), (VERSION, PUBLISHER["image"]))
        schema = json.loads((self.out / "helm/dynolith/values.schema.json").read_text())

        def known(part, described):
            for key, value in part.items():
                self.assertIn(key, described["properties"])
                if "properties" in described["properties"][key]:
                    known(value, described["properties"][key])
        known(values, schema)
        # What templates ask for is in the values.
        for path in (self.out / "helm/dynolith/templates").iterdir():
            for asked in re.findall(r"\.Values\.([\w.]+)", path.read_text()):
                found = values
                for word in asked.split("."):
                    self.assertIn(word, found, f"{path.name}: {asked}")
                    found = found[word]

    def test_python_and_javascript_can_be_parsed(self):
        source = self.out / "testcontainers/python/dynolith_container.py"
        compile(source.read_text(), source, "exec")
        done = script("node", "--check", self.out / "testcontainers/node/index.cjs")
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads((self.out / "testcontainers/node/package.json").read_text())

    def test_the_publisher_is_named_in_one_place(self):
        copy = self.scratch / "copy"
        for folder in ("api/bindings/go", "tests/clients/go", "tools/package"):
            shutil.copytree(PROJECT / folder, copy / folder)
        (copy / "api/bindings/java").mkdir(parents=True)
        shutil.copy(PROJECT / "api/bindings/java/pom.xml", copy / "api/bindings/java")
        done = script(sys.executable, MAKE, "--publisher", copy, "go_module", "example.org/somebody/dynolith")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["go_module"], "example.org/somebody/dynolith")
        self.assertIn("module example.org/somebody/dynolith\n", (copy / "api/bindings/go/go.mod").read_text())
        self.assertIn('"example.org/somebody/dynolith/dynolithtest"', (copy / "api/bindings/go/database_test.go").read_text())
        left = [path for path in copy.rglob("*") if path.suffix in (".go", ".mod", ".py", ".md") and PUBLISHER["go_module"] in path.read_text()]
        self.assertEqual(left, [])
        done = script(sys.executable, MAKE, "--publisher", copy, "maven_group", "org.example")
        self.assertIn("<groupId>org.example</groupId>", (copy / "api/bindings/java/pom.xml").read_text())
        for key, value, words in (("nobody", "x", "no nobody"), ("repository", "ftp://example.org/x", "is no repository")):
            done = script(sys.executable, MAKE, "--publisher", copy, key, value)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
