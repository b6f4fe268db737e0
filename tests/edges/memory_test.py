#!/usr/bin/env python3
"""What a library without folders is compiled of (-DDYNOLITH_FOLDERS=OFF, also for WebAssembly) includes nothing that it is to do without.

    memory_test.py <project folder>

That build takes minutes and is not in CI; a header of RocksDB or OpenSSL that it comes to include would go unnoticed on a machine
that has them all. So this follows the includes of its sources. It reads from CMakeLists.txt which sources these are.
"""
import pathlib
import re
import sys

# None of these libraries is there.
ABSENT = re.compile(r"^(rocksdb|openssl|boost|postgresql)/|^(zlib|zstd|libdeflate|libpq-fe)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
CONDITION = re.compile(r"^\s*#\s*(ifndef|ifdef|if|else|elif|endif)\b\s*(.*)")
MACRO = "DYNOLITH_WITHOUT_FOLDERS"
# Where OFF has to leave out a source: one that it does not leave out is found here, whatever the pattern becomes.
MUST_HAVE = ("engine/store/memory_store.cc", "engine/store/without_folders/local_store.cc", "api/without_folders/outside.cc",
             "api/c/call.cc", "api/json/dispatch.cc")
MUST_NOT_HAVE = ("engine/store/rocks_store.cc", "engine/base/sha256.cc", "api/c/outside.cc", "api/remote/remote_service.cc")


def rooms(project):
    """The folders of the rooms that the library consists of, by CMakeLists.txt."""
    text = (project / "CMakeLists.txt").read_text() + (project / "api/c/CMakeLists.txt").read_text()
    folders = {name: folder for name, folder in re.findall(r"dynolith_room\((\w+) (\S+)", text)}
    folders["json"] = "api/json"
    names = re.search(r"set\(dynolith_public_rooms ([^)]*)\)", text).group(1).split()
    names += ["store_without_folders"] + re.search(r"set\(dynolith_face_rooms ([^)]*)\)", text).group(1).split()
    names += re.search(r"else\(\)\s+list\(APPEND dynolith_face_rooms ([^)]*)\)", text).group(1).split()
    return [folders[name] for name in names]


def sources(project):
    """The sources of these rooms that dynolith_without_folders leaves, as paths in the project."""
    body = re.search(r"function\(dynolith_without_folders.*?endfunction", (project / "CMakeLists.txt").read_text(), re.DOTALL).group()
    quoted = [text.replace("\\\\", "\\") for text in re.findall(r'"([^"]*)"', body)]
    whole_rooms, store, *others = [pattern for pattern in quoted if "|" in pattern]
    for folder in rooms(project):
        if re.search(whole_rooms, folder):
            continue
        for file in sorted((project / folder).glob("*.cc")):
            path = f"{folder}/{file.name}"
            left_out = any(re.search(pattern, "/" + path) for pattern in others)
            if not left_out and (folder != "engine/store" or re.search(store, path)):
                yield path


def includes(text):
    """(line number, what is included) where the macro is defined."""
    hidden = []
    for number, line in enumerate(text.splitlines(), 1):
        condition = CONDITION.match(line)
        if condition:
            word, of = condition.groups()
            if word in ("if", "ifdef", "ifndef"):
                hidden.append(word == "ifndef" and of.strip() == MACRO)
            elif word in ("else", "elif"):
                hidden[-1] = False
            else:
                hidden.pop()
        elif not any(hidden):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1)


def findings(read, start):
    """What cannot be there, each once. `read(path)`: the text of a file of the project, or None."""
    seen, pending = set(start), list(start)
    for path in pending:
        for number, included in includes(read(path) or ""):
            if ABSENT.match(included):
                yield f"{path}:{number}: {included} is not there in a library without folders"
            target = "api/include/" + included if included.startswith("dynolith/") else included
            if target not in seen and read(target) is not None:
                seen.add(target)
                pending.append(target)


def check_itself():
    """It finds what it is for."""
    texts = {"a.cc": '#include "b.h"\n#ifndef DYNOLITH_WITHOUT_FOLDERS\n#include <rocksdb/db.h>\n#endif\n', "b.h": "#include <openssl/evp.h>\n"}
    found = list(findings(texts.get, ["a.cc"]))
    assert found == ["b.h:1: openssl/evp.h is not there in a library without folders"], found
    texts["a.cc"] = "#if 1\n#ifndef NDEBUG\n#include <zstd.h>\n#endif\n#endif\n"
    assert len(list(findings(texts.get, ["a.cc"]))) == 1


def main():
    project = pathlib.Path(sys.argv[1])

    def read(path):
        file = project / path
        return file.read_text() if file.is_file() else None

    check_itself()
    compiled = list(sources(project))
    wrong = [f"{path} is not compiled" for path in MUST_HAVE if path not in compiled]
    wrong += [f"{path} is compiled" for path in MUST_NOT_HAVE if path in compiled]
    wrong += findings(read, compiled)
    print(*wrong, sep="\n")
    print(f"{len(compiled)} sources, {len(wrong)} findings")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
