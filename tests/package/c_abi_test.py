#!/usr/bin/env python3
"""Checks that libdynolith.so exports what dynolith/dynolith.h declares and nothing else, that c_face/face.c uses all of it, and
that programs which were built with the recorded header run with this one.

    c_abi_test.py <project folder> <library> <work folder> [--record]

Types are compared by libabigail, on a library of empty functions that is made from the header: what is recorded in c_face/abi.xml
is compared with what there is. What is new has to be recorded, so that it is compared from then on; --record does so, unless
something that was recorded has changed. Without libabigail only names are checked.
"""

import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "DYNOLITH_0"
FACE = pathlib.Path(__file__).parent / "c_face"
RECORDED = FACE / "abi.xml"
FUNCTION = re.compile(r"DYNOLITH_API\s+([\w\s*]+?)(\w+)\(([^;{]*)\);")


def functions_of(header):
    """(what it returns, name, parameters) of each function."""
    text = re.sub(r"//[^\n]*", "", header.read_text())
    text = re.sub(r"^\s*#(?:\\\n|[^\n])*", "", text, flags=re.MULTILINE)
    return [(returned.strip(), name, " ".join(parameters.split())) for returned, name, parameters in FUNCTION.findall(text)]


def exported_by(library):
    """Names with their versions; the version itself is one of them."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def compare_names(declared, library):
    wanted = {f"{name}@@{VERSION}" for _, name, _ in declared} | {VERSION}
    found = exported_by(library)
    for name in sorted(found - wanted):
        yield f"{library} exports {name}, which the header does not declare"
    for name in sorted(wanted - found):
        yield f"{library} does not export {name}"


def find_unused(declared):
    program = (FACE / "face.c").read_text()
    for _, name, _ in declared:
        if not re.search(rf"\b{name}\(", program):
            yield f"face.c does not use {name}"


def write_description(project, declared, work):
    """The ABI of the header, as libabigail describes it."""
    stubs, library, description = work / "stubs.c", work / "libstubs.so", work / "abi.xml"
    lines = ['#include "dynolith/dynolith.h"\n#include <stdlib.h>\n']
    lines += [f"{returned} {name}({parameters}) {{ abort(); }}\n" for returned, name, parameters in declared]
    stubs.write_text("".join(lines))
    subprocess.run(["gcc", "-std=c11", "-g", "-fPIC", "-shared", "-Wno-unused-parameter", f"-I{project}/api/include", stubs,
                    "-o", library, f"-Wl,--version-script={project}/api/c/symbols.map", "-Wl,-soname,libdynolith.so.0"],
                   check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", library, "--out-file", description],
                   check=True)
    return description


def difference(before, after, *options):
    """What libabigail says; empty if nothing."""
    done = subprocess.run(["abidiff", *options, before, after], capture_output=True, text=True)
    if done.returncode & 3:
        raise RuntimeError(done.stderr)
    return done.stdout if done.returncode else ""


def compare_types(description, is_to_record):
    if RECORDED.exists():
        if broken := difference(RECORDED, description, "--no-added-syms"):
            yield f"programs that were built before do not run any more:\n{broken}"
            return
        if not difference(RECORDED, description):
            return
    if is_to_record:
        shutil.copy(description, RECORDED)
    else:
        yield f"something is new that {RECORDED.name} does not have: see --record"


def main():
    project, library, work = (pathlib.Path(word) for word in sys.argv[1:4])
    work.mkdir(parents=True, exist_ok=True)
    declared = functions_of(project / "api/include/dynolith/dynolith.h")
    findings = list(compare_names(declared, library)) + list(find_unused(declared))
    if shutil.which("abidw"):
        findings += compare_types(write_description(project, declared, work), "--record" in sys.argv[4:])
    else:
        print("without abigail-tools only names are checked")
    for finding in findings:
        print(finding)
    print(f"{len(declared)} functions, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
