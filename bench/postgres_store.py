#!/usr/bin/env python3
"""Runs postgres_store on a PostgreSQL of its own.

    postgres_store.py <postgres_store> [calls]
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "postgres"))
from cluster import Cluster  # noqa: E402

with Cluster() as cluster:
    sys.exit(subprocess.run([sys.argv[1], cluster.make_primary().url(), *sys.argv[2:]], check=False).returncode)
