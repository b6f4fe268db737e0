#!/usr/bin/env python3
"""Installs packages on bare machines, and asks what they have installed: each in a debootstrap root of its own, as a stranger who
has nothing else of Dynolith. It must be root, and reach the distribution's packages and those of each language.

    try_packages.py <folder of packages> <folder for roots> [deb|archive|wheel|npm|jar|go|rust|container]...

`container` does what Dockerfile says, without a container engine; it compiles everything, and is tried only when it is named.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import time

from make_packages import GLIBC

HERE = pathlib.Path(__file__).resolve().parent
# What belongs to the C library, of glibc and of musl, under the names that programs ask for.
OF_GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
            "ld-linux-aarch64.so.1"}
OF_MUSL = {"libc.so"}


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"try_packages: {' '.join(map(str, command))[:300]}:\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
    return done.stdout


def check_needs(library: pathlib.Path, glibc: tuple[int, int] | None) -> None:
    """A wheel's name promises which C library is enough: a version of glibc, or musl."""
    found = {(int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", library))}
    if bool(found) != bool(glibc) or found and max(found) > glibc:
        sys.exit(f"try_packages: {library} needs glibc {max(found, default='not at all')}, and was to need no more than {glibc}")
    needed = set(re.findall(r"NEEDED +(\S+)", run("objdump", "-p", library)))
    if not needed <= (OF_GLIBC if glibc else OF_MUSL):
        sys.exit(f"try_packages: {library} needs {sorted(needed)}")


def mirror() -> str:
    """From where this machine has its own packages."""
    lines = run("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages").splitlines()
    return next(line.split()[1] for line in lines if line.startswith("bookworm "))


class Root:
    """A bare machine."""

    def __init__(self, base: pathlib.Path, folder: pathlib.Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        run("cp", "-a", "--reflink=auto", base, folder)
        (folder / "packages").mkdir()

    def run(self, script: str) -> str:
        """What bash prints, inside, with the machine's network."""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                       "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                       "PIP_ROOT_USER_ACTION": "ignore"}
        mounted = ("mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmp tmp && "
                   "exec chroot . bash -euo pipefail -c \"$0\"")
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", mounted, script, cwd=self.folder,
                   env=environment)

    def apt(self, *packages: str) -> None:
        self.run(f"apt-get install -y -qq --no-install-recommends {' '.join(packages)} 2>&1")


class Trier:
    def __init__(self, packages: pathlib.Path, roots: pathlib.Path) -> None:
        self.packages, self.roots = packages, roots
        self.base = roots / "base"
        roots.mkdir(parents=True, exist_ok=True)
        if not (self.base / "made").exists():
            shutil.rmtree(self.base, ignore_errors=True)
            run("debootstrap", "--variant=minbase", "bookworm", self.base, mirror())
            # What lies between this machine and the network is no part of what is tried.
            shutil.copy("/etc/resolv.conf", self.base / "etc/resolv.conf")
            (self.base / "etc/apt/apt.conf.d/99try").write_text('Acquire::Retries "5";\n')
            root = Root(self.base, roots / "new")
            root.run("apt-get update -qq && apt-get install -y -qq --no-install-recommends ca-certificates 2>&1")
            shutil.copy("/etc/ssl/certs/ca-certificates.crt", root.folder / "etc/ssl/certs/ca-certificates.crt")
            shutil.rmtree(self.base)
            root.folder.rename(self.base)
            (self.base / "packages").rmdir()
            (self.base / "made").touch()

    def root(self, name: str, *patterns: str, tried: str = "") -> Root:
        """A machine with these packages in /packages, and with a stranger's project in /tried."""
        root = Root(self.base, self.roots / name)
        for pattern in patterns:
            found = sorted(self.packages.glob(pattern))
            if not found:
                sys.exit(f"try_packages: {self.packages} has no {pattern}: tools/dev package makes it")
            for path in found:
                if path.is_dir():
                    shutil.copytree(path, root.folder / "packages" / path.name)
                else:
                    shutil.copy(path, root.folder / "packages")
        if tried:
            shutil.copytree(HERE / "tried" / tried, root.folder / "tried")
        return root

    def deb(self) -> None:
        root = self.root("deb", "dynolith_*.deb", "libdynolith0_*.deb", "libdynolith-dev_*.deb", tried="c")
        root.apt("/packages/dynolith_*.deb", "curl")
        root.run("""
            # A container wants the program, and nothing that starts services.
            ! dpkg-query -W -f='${db:Status-Abbrev}' systemd 2>/dev/null | grep -q ^ii
            unit=/usr/lib/systemd/system/dynolith.service
            command="$(sed -n 's/^ExecStart=//p' $unit | sed 's/ \\$DYNOLITH_OPTIONS//')"
            su -s /bin/bash dynolith -c "exec $command --port 8077 --admin" >/tmp/said 2>&1 &
            for try in $(seq 100); do grep -q serving /tmp/said && break; sleep 0.1; done
            curl -sf http://127.0.0.1:8077/ | grep healthy >/dev/null
            curl -sf http://127.0.0.1:8077/ -H 'X-Amz-Target: DynamoDB_20120810.ListTables' -d '{}' \\
              -H 'Content-Type: application/x-amz-json-1.0' \\
              -H 'Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0' \\
              -H 'X-Amz-Date: 20260101T000000Z' | grep TableNames >/dev/null
            for what in snapshot restore databases; do curl -sf -d '{"name": "tried"}' http://127.0.0.1:8077/_dynolith/$what >/dev/null; done
            kill %1 && wait %1 || [ $? = 143 ] || [ $? = 0 ]
            [ "$(stat -c %U:%a /var/lib/dynolith)" = dynolith:750 ]
            gzip -dc /usr/share/man/man1/dynolith-serve.1.gz | grep 'memory..budget' >/dev/null
            bash -n /usr/share/bash-completion/completions/dynolith
            dynolith lab simulate burst >/dev/null
        """)
        # systemd reads the unit; what it thinks of its walls is 10 for none.
        root.apt("systemd")
        root.run("systemd-analyze verify --man=no /usr/lib/systemd/system/dynolith.service")
        root.run("systemd-analyze security --no-pager --offline=true --threshold=20 dynolith.service")
        root.apt("/packages/libdynolith0_*.deb", "/packages/libdynolith-dev_*.deb", "g++", "cmake", "make", "pkg-config")
        root.run("""
            cd /tried
            gcc -std=c11 -Wall -Werror answer.c -o answer_c $(pkg-config --cflags --libs dynolith-c)
            [ "$(./answer_c)" = '{"TableNames":[]}' ]
            cmake -S . -B built -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build built >/dev/null
            [ "$(./built/answer)" = 0 ]
            g++ answer.cc -o answer_pc $(pkg-config --cflags --libs dynolith)
            [ "$(./answer_pc)" = 0 ]
        """)
        root.run("""
            apt-get purge -y -qq dynolith libdynolith0 libdynolith-dev >/tmp/purged 2>&1
            grep -q 'remove it by hand' /tmp/purged
            [ -z "$(find /usr /etc -name '*dynolith*' -not -path '/usr/share/doc/*')" ]
            [ -f /var/lib/dynolith/main/CURRENT ]
        """)

    def archive(self) -> None:
        """On a machine that has nothing at all."""
        folder = self.roots / "archive"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        run("tar", "xzf", next(self.packages.glob("dynolith-*-linux-*.tar.gz")), "--strip-components=1", "-C", folder)
        (folder / "tmp").mkdir()
        print(run("chroot", folder, "/dynolith", "--version"), end="")
        with subprocess.Popen(["chroot", folder, "/dynolith", "serve", "--host", "127.0.0.1", "--port", "0", "--data", "/data/main"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
            address = re.search(r"http://\S+", server.stdout.readline()).group()
            answered = run("curl", "-sf", address)
            server.terminate()
            if server.wait() != 0 or "healthy" not in answered:
                sys.exit(f"try_packages: archive: {answered} {server.returncode}")

    def wheel(self) -> None:
        root = self.root("wheel", "dynolith-*.whl", tried="python")
        root.apt("python3-venv")
        root.run("""
            python3 -m venv /venv
            # Of both wheels, the one with the library.
            /venv/bin/pip install -q --no-index --no-deps --find-links /packages dynolith
            /venv/bin/pip install -q boto3 pytest
            (PATH=/venv/bin:$PATH; cd /tried && pytest -q)
            python3 -m venv /portable
            /portable/bin/pip install -q /packages/dynolith-*-none-any.whl pytest
            (PATH=/portable/bin:$PATH; cd /tried && pytest -q -k answers)
            gzip -t /portable/lib/python3.11/site-packages/dynolith/dynolith.wasm.licences.gz
            cd /venv/lib/python3.11/site-packages/dynolith && grep -q 'Apache License' LICENSE && gzip -t linked-licences.gz
        """)
        installed = root.folder / "venv/lib/python3.11/site-packages/dynolith/libdynolith.so.0"
        check_needs(installed, GLIBC[platform.machine()])

    def npm(self) -> None:
        root = self.root("npm", "dynolith-*.tgz", tried="javascript")
        root.apt("nodejs", "npm")
        root.run("""
            cd /tried && echo '{"private": true, "type": "module"}' >package.json
            npm config set cafile /etc/ssl/certs/ca-certificates.crt
            # The last SDK for the Node of Debian 12.
            npm install --no-audit --no-fund /packages/*.tgz @aws-sdk/client-dynamodb@3.967.0
            node answer.mjs
            cd node_modules/dynolith && grep -q 'Apache License' LICENSE && gzip -t linked-licences.gz
        """)

    def jar(self) -> None:
        root = self.root("jar", "dynolith-inprocess-*[0-9].jar", tried="java")
        root.apt("maven", "openjdk-17-jdk-headless", "ca-certificates-java")
        trusted = pathlib.Path("/etc/ssl/certs/java/cacerts")
        if trusted.exists():
            shutil.copy(trusted, root.folder / "etc/ssl/certs/java")
        root.run("""
            jar="$(ls /packages/*.jar)" && version="${jar##*-}" && version="${version%.jar}"
            mvn -q -B org.apache.maven.plugins:maven-install-plugin:3.1.3:install-file -Dfile="$jar"
            cd /tried && mvn -q -B test -Ddynolith.version="$version"
            ls /root/.cache/dynolith/libdynolith-*.so
            jar tf "$jar" | grep -x -e META-INF/LICENSE -e META-INF/linked-licences.gz | wc -l | grep -qx 2
        """)

    def go(self) -> None:
        root = self.root("go", "go", tried="go")
        root.apt("golang-go", "gcc", "libc6-dev")
        root.run("""
            cd /tried
            export GOPROXY=file:///packages/go,https://proxy.golang.org GONOSUMDB=dynolith.test/dynolith GOFLAGS=-mod=mod
            go mod init answer 2>/dev/null
            go get dynolith.test/dynolith 2>/dev/null
            go test ./...
        """)

    def rust(self) -> None:
        root = self.root("rust", "dynolith-rust-*.tar.gz", tried="rust")
        root.apt("cargo-web", "gcc", "libc6-dev")
        root.run("""
            mkdir /package && tar xzf /packages/*.tar.gz --strip-components=1 -C /package
            cd /tried && cargo test --quiet
        """)


    def container(self) -> None:
        stages = []
        for line in re.sub(r"\\\n", " ", (HERE / "Dockerfile").read_text()).splitlines():
            word, _, rest = line.partition(" ")
            if word == "FROM":
                stages.append([])
            elif word and not word.startswith("#"):
                stages[-1].append((word, rest.strip()))
        made, last = self.compiled(stages[0]), self.roots / "container"
        shutil.rmtree(last, ignore_errors=True)
        last.mkdir()
        given = {}
        for word, rest in stages[1]:
            if word == "COPY":
                *sources, target = [each for each in rest.split() if not each.startswith("--")]
                owner = re.search(r"--chown=(\S+)", rest)
                for source in sources:
                    run("cp", "-r", f"{made.folder}{source}", f"{last}{target}")
                    run("chown", "-R", owner.group(1) if owner else "0:0", f"{last}{target}")
            elif word == "HEALTHCHECK":
                given["HEALTHCHECK"] = json.loads(rest[rest.index("["):])
            else:
                given[word] = json.loads(rest) if rest.startswith("[") else rest
        inside = ["chroot", f"--userspec={given['USER']}", last]
        with subprocess.Popen([*inside, *given["ENTRYPOINT"], *given["CMD"]], stdout=subprocess.PIPE, text=True) as server:
            if given["EXPOSE"] not in server.stdout.readline():
                sys.exit("try_packages: container: it does not serve on the port that it exposes")
            answered = run(*inside, *given["HEALTHCHECK"])
            server.terminate()
            if server.wait() != 0 or "healthy" not in answered or not (last / "data/CURRENT").exists():
                sys.exit(f"try_packages: container: {answered} {server.returncode}")

    def compiled(self, stage: list[tuple[str, str]]) -> Root:
        """A machine on which a stage's commands were run, with a copy of what is in the tree."""
        root = Root(self.base, self.roots / "container-made")
        project = HERE.parent.parent
        copied = root.folder / "dynolith"
        copied.mkdir()
        files = run("git", "ls-files", "-z", cwd=project)
        run("cpio", "-0pdm", "--quiet", copied, cwd=project, input=files)
        folder = "/"
        for word, rest in stage:
            if word == "WORKDIR":
                folder = rest
            elif word == "RUN":
                root.run(f"cd {folder} && {rest}")
        return root


KINDS = ("deb", "archive", "wheel", "npm", "jar", "go", "rust")


def main() -> None:
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= {*KINDS, "container"}:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        sys.exit("try_packages: only root may install packages in roots of their own")
    trier = Trier(*(pathlib.Path(word).resolve() for word in sys.argv[1:3]))
    for kind in sys.argv[3:] or KINDS:
        begun = time.monotonic()
        getattr(trier, kind)()
        print(f"{kind}: installed and answered in {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
