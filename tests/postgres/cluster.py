"""PostgreSQL servers of one's own for tests: a primary, its synchronous standbys, on sockets and ports that nobody else has.

    with Cluster() as cluster:
        primary = cluster.make_primary()
        primary.url()

They run as an ordinary user, since PostgreSQL refuses the superuser. What they write is not synced, unless a test asks for it, and
is gone at the end.
"""

import contextlib
import glob
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

DATABASE = "music"
ROLE = "tester"
# Whoever of them there is; "postgres" comes with the package.
UNPRIVILEGED = ("postgres", "nobody")


def _programs():
    """The folder of initdb and its kin, the newest version that is installed."""
    folders = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if not folders:
        raise RuntimeError("PostgreSQL's programs are missing: tools/dev installs postgresql-15")
    return pathlib.Path(max(folders, key=lambda path: int(path.split("/")[4]))).parent


def _user():
    if os.geteuid() != 0:
        return None
    for name in UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("there is no ordinary user")


def _free_port():
    """One that no connection of anybody gets by chance, so that a server that was killed finds it free again."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, max(first, 11_000))
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return port


class Node:
    """One server: its folder, its port, its process."""

    def __init__(self, cluster, name, is_synced):
        self.cluster = cluster
        self.name = name
        self.folder = cluster.folder / name
        self.port = _free_port()
        self.is_synced = is_synced
        self.process = None

    def start(self, *settings):
        while not self._start(*settings):
            # Somebody has taken it meanwhile.
            self.port = _free_port()

    def start_again(self):
        """Where it was, so that its URL still holds."""
        if not self._start():
            raise RuntimeError(f"port {self.port} has been taken")

    def _start(self, *settings):
        """Until it answers; false: its port is taken."""
        options = [f"port={self.port}", f"unix_socket_directories={self.cluster.folder}", "listen_addresses=127.0.0.1",
                   f"fsync={'on' if self.is_synced else 'off'}", "max_connections=60", "shared_buffers=16MB",
                   "max_wal_senders=4", "wal_keep_size=64MB", "wal_retrieve_retry_interval=100ms", *settings]
        arguments = [argument for option in options for argument in ("-c", option)]
        log = self.cluster.folder / f"{self.name}.log"
        with open(log, "wb") as output:
            self.process = self.cluster.begin("postgres", "-D", self.folder, *arguments, stdout=output, stderr=output)
        while self.cluster.run("pg_isready", "-q", "-h", self.cluster.folder, "-p", self.port, check=False) != 0:
            if self.process.poll() is not None:
                if "could not bind" in self.log():
                    return False
                # Children of one that was killed end a moment later than it.
                if "pre-existing shared memory block" in self.log():
                    time.sleep(0.1)
                    return self._start(*settings)
                raise RuntimeError(f"{self.name} has ended: {self.log()}")
            time.sleep(0.05)
        return True

    def log(self):
        return (self.cluster.folder / f"{self.name}.log").read_text(errors="replace")[-4000:]

    def url(self, role=ROLE, database=DATABASE):
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def make_database(self, name):
        self.query(f"CREATE DATABASE {name} OWNER {ROLE}", "postgres")
        return self.url(database=name)

    def query(self, sql, database=DATABASE):
        """The first column of the first row, as text, for the superuser."""
        done = subprocess.run([self.cluster.programs / "psql", "-X", "-h", str(self.cluster.folder), "-p", str(self.port), "-U",
                               "owner", "-d", database, "-Atc", sql], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def _signal(self, number):
        """To all its processes, none of which begins meanwhile: each has a group of its own."""
        os.kill(self.process.pid, signal.SIGSTOP)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in (*map(int, children), self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self):
        """As kill -9 of the whole machine: none of its processes lives on."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self._signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def pause(self):
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def promote(self):
        self.cluster.run("pg_ctl", "-D", self.folder, "-w", "promote")


    def promote_soon(self):
        """The same; returns as soon as it takes writes, where pg_ctl looks ten times a second."""
        self.cluster.run("pg_ctl", "-D", self.folder, "-W", "promote")
        while self.query("SELECT pg_is_in_recovery()") != "f":
            time.sleep(0.01)

    def require_tls(self, role, password, host):
        """From now on a role of that name needs TLS and this password, by SCRAM, and "tester" a socket. Returns the certificate,
        for that host, and another one for it."""
        certificates = []
        for name in ("server", "other"):
            key, certificate = (self.cluster.folder / f"{name}.{kind}" for kind in ("key", "crt"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2",
                            "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", key, "-out", certificate],
                           check=True, stderr=subprocess.DEVNULL)
            certificates.append(certificate)
        for kind in ("key", "crt"):
            placed = self.folder / f"server.{kind}"
            shutil.copy(self.cluster.folder / f"server.{kind}", placed)
            placed.chmod(0o600)
            if self.cluster.user:
                os.chown(placed, self.cluster.user.pw_uid, self.cluster.user.pw_gid)
        for sql in ("SET password_encryption = 'scram-sha-256'; "
                    f"CREATE ROLE {role} LOGIN PASSWORD '{password}'; GRANT {ROLE} TO {role}", "ALTER SYSTEM SET ssl = on"):
            self.query(sql)
        (self.folder / "pg_hba.conf").write_text(f"local all all trust\nhostssl all {role} 127.0.0.1/32 scram-sha-256\n")
        self.query("SELECT pg_reload_conf()")
        while self.query("SHOW ssl") != "on":
            time.sleep(0.01)
        return certificates


class Cluster:
    def __init__(self, is_synced=False):
        self.programs = _programs()
        self.user = _user()
        self.is_synced = is_synced
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dynolith_pg_", dir="/tmp"))
        self.nodes = []
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            with contextlib.suppress(ProcessLookupError):
                node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self, program, *arguments, **options):
        """Starts one of PostgreSQL's programs, in a group of its own."""
        who = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        return subprocess.Popen([self.programs / program, *map(str, arguments)], cwd=self.folder, start_new_session=True,
                                stdin=subprocess.DEVNULL, **who, **options)

    def run(self, program, *arguments, check=True):
        done = self.begin(program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.communicate()[0].decode(errors="replace")
        if check and done.returncode != 0:
            raise RuntimeError(f"{program}: {output}")
        return done.returncode

    def make_primary(self, *settings):
        """A server with the database "music", which the role "tester" owns."""
        node = Node(self, "primary", self.is_synced)
        self.nodes.append(node)
        self.run("initdb", "-D", node.folder, "-U", "owner", "-A", "trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        node.start(*settings)
        node.query(f"CREATE ROLE {ROLE} LOGIN", "postgres")
        node.make_database(DATABASE)
        return node

    def make_standby(self, primary, name="standby"):
        """A copy of the primary, which follows it; from then on commits there wait for it."""
        node = Node(self, name, self.is_synced)
        self.nodes.append(node)
        self._copy(primary, node)
        node.start()
        self._await_standby(primary, node)
        return node

    def follow(self, node, primary):
        """One that was killed becomes a standby of what has taken its place, from then on as make_standby's."""
        shutil.rmtree(node.folder)
        self._copy(primary, node)
        node.start_again()
        self._await_standby(primary, node)

    def _copy(self, primary, node):
        self.run("pg_basebackup", "-D", node.folder, "-R", "--no-sync", "--checkpoint=fast", "-d",
                 f"host=127.0.0.1 port={primary.port} user=owner application_name={node.name}")

    def _await_standby(self, primary, node):
        primary.query(f"ALTER SYSTEM SET synchronous_standby_names = '{node.name}'", "postgres")
        primary.query("SELECT pg_reload_conf()", "postgres")
        while primary.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "postgres") != "1":
            time.sleep(0.05)
