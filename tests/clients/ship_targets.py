#!/usr/bin/env python3
"""What every target that stores are shipped to does, of a bucket of moto's server: tests/unit/ship_target/contract_test.cc.

    ship_targets.py <ship_target_test binary> <folder with the clients>
"""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

SECONDS = 60


@contextlib.contextmanager
def moto(clients):
    """The URL of a running server."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    process = subprocess.Popen([str(clients / "venv/bin/moto_server"), "-H", "127.0.0.1", "-p", str(port)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None and time.monotonic() < deadline, "moto's server does not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def ask(url, method="GET"):
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=SECONDS) as answer:
        return answer.read().decode()


def run(binary, url):
    ask(url + "/copies", "PUT")
    # Others' objects beside the prefix and below it are no objects of the store.
    ask(url + "/copies/music2", "PUT")
    ask(url + "/copies/music/a%20b/", "PUT")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "us-east-1",
                    "DYNOLITH_TEST_BUCKET": "s3://copies/music"}
    test = subprocess.run([binary, "--gtest_filter=*/Bucket", "--gtest_brief=1"], env=environment, text=True, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(test.stdout, end="")
    # A test that was left out, or a filter that meets none, proves nothing.
    assert test.returncode == 0 and "SKIPPED" not in test.stdout and "0 tests" not in test.stdout
    assert "<Upload>" not in ask(url + "/copies?uploads"), "an upload in parts was left"
    left = ask(url + "/copies?list-type=2")
    assert "<Key>music2</Key>" in left and "<Key>music/a b/</Key>" in left, left


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2]).resolve()
    if not (folder / "venv/bin/moto_server").exists():
        sys.exit(f"{folder}/venv/bin/moto_server is missing: tools/dev test installs it")
    with moto(folder) as server:
        run(os.path.abspath(sys.argv[1]), server)
