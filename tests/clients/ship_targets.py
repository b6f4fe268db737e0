#!/usr/bin/env python3
"""What every target that stores are shipped to does, of a bucket of moto's server: tests/unit/ship_target/contract_test.cc.

    ship_targets.py <ship_target_test binary> <folder with the clients>
"""

import contextlib
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

SECONDS = 60


@contextlib.contextmanager
def moto(clients, *arguments, scheme="http"):
    """A running server's URL, and its process."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    process = subprocess.Popen([str(clients / "venv/bin/moto_server"), "-H", "127.0.0.1", "-p", str(port), *arguments],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None and time.monotonic() < deadline, "moto's server does not start"
            time.sleep(0.05)
        yield f"{scheme}://127.0.0.1:{port}", process
    finally:
        process.kill()
        process.wait()


class Bucket:
    """A bucket `copies` of a server."""

    def __init__(self, url, certificate=None):
        self.url = url
        self.certificate = certificate
        self.trust = ssl.create_default_context(cafile=certificate) if certificate else None
        self.ask("/copies", "PUT")

    def ask(self, target, method="GET"):
        request = urllib.request.Request(self.url + target, method=method)
        with urllib.request.urlopen(request, timeout=SECONDS, context=self.trust) as answer:
            return answer.read().decode()

    def run(self, binary, tests):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment |= {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
                        "AWS_REGION": "us-east-1", "AWS_CA_BUNDLE": str(self.certificate or ""),
                        "DYNOLITH_TEST_BUCKET": "s3://copies/music"}
        done = subprocess.run([binary, f"--gtest_filter={tests}", "--gtest_brief=1"], env=environment, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(done.stdout, end="")
        # A test that was left out, or a filter that meets none, proves nothing.
        assert done.returncode == 0 and "SKIPPED" not in done.stdout and "PASSED  ] 0 tests" not in done.stdout
        assert "<Upload>" not in self.ask("/copies?uploads"), "an upload in parts was left"


def run(clients, binary):
    with moto(clients) as (url, _):
        bucket = Bucket(url)
        # Others' objects beside the prefix and below it are no objects of the store.
        bucket.ask("/copies/music2", "PUT")
        bucket.ask("/copies/music/a%20b/", "PUT")
        bucket.run(binary, "*/Bucket")
        left = bucket.ask("/copies?list-type=2")
        assert "<Key>music2</Key>" in left and "<Key>music/a b/</Key>" in left, left
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        with moto(clients, "-c", certificate, "-k", key, scheme="https") as (url, _):
            Bucket(url, certificate).run(binary, "*.FilesOfAllSizes/Bucket:*.PutNewNeverReplaces/Bucket")


if __name__ == "__main__":
    folder_of_clients = pathlib.Path(sys.argv[2]).resolve()
    if not (folder_of_clients / "venv/bin/moto_server").exists():
        sys.exit(f"{folder_of_clients}/venv/bin/moto_server is missing: tools/dev test installs it")
    run(folder_of_clients, os.path.abspath(sys.argv[1]))
