#!/usr/bin/env python3
"""Checks what pins the packages of tests and pages: package-lock.json and requirements.txt.

    locks_test.py <project folder>

Each package has a version and a hash, and runs on the oldest Node.js that is promised, Debian 12's. CI's own may be newer, so that a
package which needs that one would fail only on a stranger's machine.

It first feeds itself locks that are wrong, so that a check which sees nothing is noticed.
"""

import json
import pathlib
import re
import sys

NODE = (18, 20, 4)
COMPARISON = re.compile(r"(\^|~|>=|<=|>|<|=)?\s*v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?")


def holds(relation, wanted, node):
    """`wanted` has as many numbers as are written."""
    low = tuple(wanted) + (0,) * (3 - len(wanted))
    if relation in ("", "="):
        return node[:len(wanted)] == tuple(wanted)
    if relation == "^":
        return low <= node and node[0] == low[0]
    if relation == "~":
        return low <= node and node[:min(len(wanted), 2)] == low[:min(len(wanted), 2)]
    if relation == ">":
        return node[:len(wanted)] > tuple(wanted)
    if relation == "<=":
        return node[:len(wanted)] <= tuple(wanted)
    return node >= low if relation == ">=" else node < low


def runs_on(engines, node):
    """Whether npm's range, such as "^18.0.0 || >=20", holds this version."""
    for part in engines.split("||"):
        found = [(relation or "", [int(each) for each in numbers if each.isdigit()])
                 for relation, *numbers in COMPARISON.findall(re.sub(r"(\S+) - (\S+)", r">=\1 <=\2", part))]
        if all(holds(relation, wanted, node) for relation, wanted in found):
            return True
    return False


def check_node(lock):
    """Findings in the text of a package-lock.json."""
    for name, package in json.loads(lock)["packages"].items():
        if not name or package.get("link"):
            continue
        if "integrity" not in package:
            yield f"{name} has no hash"
        engines = package.get("engines", {})
        wanted = engines.get("node", "*") if isinstance(engines, dict) else "*"
        if not runs_on(wanted, NODE):
            yield f"{name} {package.get('version')} wants Node.js {wanted}"


def check_python(requirements):
    """Findings in the text of a requirements.txt."""
    for line in re.sub(r"\\\n", " ", requirements).splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if not re.match(r"[\w.\[\],-]+==[\w.!+-]+( |$)", line):
            yield f"no version: {line[:60]}"
        elif "--hash=sha256:" not in line:
            yield f"no hash: {line[:60]}"


def self_test():
    for engines, expected in ((">=18", True), ("^18.0.0 || >=20", True), ("^20.19.0 || >=22.12.0", False), (">=18.21", False), ("*", True),
                              ("18.x", True), (">= 0.8", True), (">=16 <18", False), ("~18.20.0", True), (">18", False), ("<=18", True),
                              ("14 || 16", False), ("^12.20.0 || ^14.13.1 || >=16.0.0", True), ("16 - 20", True)):
        assert runs_on(engines, NODE) == expected, engines
    for package in ({"version": "1.0.0"}, {"version": "1.0.0", "integrity": "sha512-x", "engines": {"node": ">=20"}}):
        assert len(list(check_node(json.dumps({"packages": {"": {}, "node_modules/a": package}})))) == 1, package
    for broken in ("boto3\n", "boto3>=1 --hash=sha256:0\n", "boto3==1.44.8\n", "boto3==1.44.8 \\\n    --other\n"):
        assert len(list(check_python(broken))) == 1, broken
    assert not list(check_python("# all\nboto3==1.44.8 ; python_version > '3' \\\n    --hash=sha256:0\n"))


def main():
    root = pathlib.Path(sys.argv[1])
    self_test()
    node = [root / folder / "package-lock.json" for folder in ("tools", "tests/clients/javascript")]
    python = sorted([*(root / "tests").glob("*/**/requirements*.txt"), *(root / "tools/package").rglob("requirements*.txt")])
    findings = [f"{path.relative_to(root)}: {finding}" for path in node for finding in check_node(path.read_text())]
    findings += [f"{path.relative_to(root)}: {finding}" for path in python for finding in check_python(path.read_text())]
    print("\n".join(findings))
    print(f"{len(node)} locks of npm, {len(python)} of pip, {len(findings)} findings")
    sys.exit(1 if findings or len(python) < 4 else 0)


if __name__ == "__main__":
    main()
