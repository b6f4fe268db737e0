#!/usr/bin/env python3
"""Runs postgres_servers on 1, 2 and 4 servers over a PostgreSQL of its own.

    postgres_servers.py <dynolith binary> <postgres_servers> [seconds of each measurement]
"""

import contextlib
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests" / "postgres"), str(ROOT / "tests" / "wire")]
from cluster import Cluster  # noqa: E402
from raw import Server  # noqa: E402


def main():
    binary, program, *seconds = sys.argv[1:]
    with Cluster() as cluster, contextlib.ExitStack() as servers:
        url = cluster.make_primary().url()
        subprocess.run([binary, "store", "init", url], check=True, stdout=subprocess.DEVNULL)
        ports = []
        for count in (1, 2, 4):
            while len(ports) < count:
                ports.append(str(servers.enter_context(Server(binary, "--auth", "off", "--store", url)).port))
            print(f"{count} servers", flush=True)
            done = subprocess.run([program, *(seconds or ["5"]), *ports], check=False)
            if done.returncode != 0:
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
