"""What tests of libraries for other machines share: commands that must succeed, the functions of the header, and parts of a test."""

import pathlib
import re
import subprocess
import time


class Failed(Exception):
    """What was expected, and what came."""


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def check_exports(given: set[str], face: pathlib.Path) -> None:
    """The functions of the header, and nothing else."""
    declared = set(re.findall(r"^DYNOLITH_API.*?[ *](dynolith_\w+)\(", face.read_text(), re.MULTILINE))
    if given != declared:
        raise Failed(f"too many: {sorted(given - declared)}; missing: {sorted(declared - given)}")


def all_pass(machine: object, parts: list[str], before: str = "") -> bool:
    """Calls the methods of these names, each of which says by an exception that it has failed, and prints what has become of them."""
    passed = True
    for part in parts:
        started = time.monotonic()
        try:
            getattr(machine, part)()
            print(f"{before}{part}: passed in {time.monotonic() - started:.0f} s", flush=True)
        except (Failed, OSError, SystemExit, subprocess.TimeoutExpired) as failure:
            passed = False
            print(f"{before}{part}: FAILED: {failure}", flush=True)
    return passed
