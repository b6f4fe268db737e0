"""Tests that mount file systems, in a mount namespace of their own. Where there is none they are skipped (exit code 77)."""

import os
import subprocess
import sys
import unittest

import cli_test

SKIPPED = 77


def why_none():
    """Why no file system can be mounted; None if one can."""
    probe = subprocess.run(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False, text=True)
    return None if probe.returncode == 0 else probe.stderr.strip()


def main(lack):
    """Runs the tests of the program; `lack`: what there was none of if they are skipped."""
    binary, *arguments = sys.argv[1:]
    cli_test.BINARY = binary
    if os.environ.get("DYNOLITH_OWN_MOUNTS") != "1":
        reason = why_none()
        if reason is not None:
            print(f"SKIPPED: no file system can be mounted here, so {lack}: {reason}", file=sys.stderr)
            sys.exit(SKIPPED)
        environment = os.environ | {"DYNOLITH_OWN_MOUNTS": "1"}
        sys.exit(subprocess.run(["unshare", "-Urm", sys.executable, *sys.argv], env=environment, check=False).returncode)
    unittest.main(argv=[sys.argv[0], *arguments])
