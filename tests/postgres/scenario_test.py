#!/usr/bin/env python3
"""boto3's scenario (tests/clients/scenario.py) on two servers over one PostgreSQL, which get its calls in turn; then `dynolith check`.

    scenario_test.py <dynolith binary> [python with boto3]
"""

import contextlib
import http.client
import http.server
import itertools
import os
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "wire"))
from cluster import Cluster  # noqa: E402
from raw import SECONDS, Server  # noqa: E402


class Turns(http.server.BaseHTTPRequestHandler):
    """Passes each request on to the next of `ports`; counts what each has got."""

    protocol_version = "HTTP/1.1"
    ports, counts, number = [], {}, itertools.count()

    def do_POST(self):  # pylint: disable=invalid-name
        port = self.ports[next(self.number) % len(self.ports)]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", self.path, body, dict(self.headers))
            answer = connection.getresponse()
            data = answer.read()
        self.counts[port] = self.counts.get(port, 0) + 1
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Nothing."""


def run_scenario(python, port):
    settings = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    settings.update(DYNOLITH_ENDPOINT=f"http://127.0.0.1:{port}", DYNOLITH_FLAGS="--store", AWS_ACCESS_KEY_ID="local",
                    AWS_SECRET_ACCESS_KEY="local", AWS_DEFAULT_REGION="us-east-1", AWS_EC2_METADATA_DISABLED="true",
                    AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull, no_proxy="127.0.0.1")
    return subprocess.run([python, HERE.parent / "clients" / "scenario.py"], env=settings, check=False).returncode


def main():
    binary, python = sys.argv[1], (sys.argv[2:] or [sys.executable])[0]
    with Cluster() as cluster:
        url = cluster.make_primary().url()
        subprocess.run([binary, "store", "init", url], check=True)
        with Server(binary, "--store", url) as first, Server(binary, "--store", url) as second:
            Turns.ports = [first.port, second.port]
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Turns) as front:
                threading.Thread(target=front.serve_forever, daemon=True).start()
                code = run_scenario(python, front.server_address[1])
                front.shutdown()
        print(f"the servers got {Turns.counts} calls")
        if code != 0:
            return code
        return subprocess.run([binary, "check", url], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
