#!/usr/bin/env python3
"""Checks the rules of the house that no compiler checks: who may include whom, which library stays behind which door,
names of files, length of functions, and that no text for a user stands outside engine/base/messages.

    edges_test.py <project folder>

It first feeds itself files that break each rule, so that a check which sees nothing is noticed.
"""

import pathlib
import re
import sys

# Room -> the rooms that it may include, besides itself. Anything that is not listed may include everything.
ROOMS = {
    "engine/base": [],
    "engine/value": ["engine/base"],
    "engine/key": ["engine/base", "engine/value"],
    "engine/expr": ["engine/base", "engine/value", "engine/key"],
    "engine/store": ["engine/base"],
    "engine/catalog": ["engine/base", "engine/value", "engine/key", "engine/store"],
    "engine/partition": ["engine/base", "engine/value", "engine/key"],
    "engine/stream": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/catalog"],
    "engine/ttl": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/catalog"],
    "engine/history": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/catalog"],
    "index": ["engine"],
    "api/include": ["engine"],
    "api/request": ["engine", "index", "api/include"],
    "api/table": ["engine", "index", "api/include", "api/request"],
    "api/control": ["engine", "index", "api/include", "api/request", "api/table"],
    "api/write": ["engine", "index", "api/include", "api/request", "api/table"],
    "api/read": ["engine", "index", "api/include", "api/request", "api/table", "api/write"],
    "api/partiql": ["engine", "index", "api/include", "api/request", "api/table", "api/write", "api/read"],
    "api/backup": ["engine", "index", "api/include", "api/request", "api/table", "api/control"],
    "api/transfer": ["engine", "index", "api/include", "api/request", "api/table", "api/control", "api/write", "api/backup"],
    "api/stream": ["engine", "index", "api/include", "api/request", "api/table"],
    "api/database": ["engine", "index", "api/include", "api/request", "api/table", "api/control", "api/write", "api/read",
                     "api/partiql", "api/backup", "api/transfer", "api/stream"],
    "api/json": ["engine", "api/include"],
    "api/transfer/files": ["engine", "api/include", "api/json"],
    "tools": ["engine", "index", "api"],
}

# A library's header -> the only folders that may see it (tests and bench see everything).
DOORS = [
    (re.compile(r"^rocksdb/"), ["engine/store"], "RocksDB"),
    (re.compile(r"^simdjson"), ["api/json"], "simdjson"),
    (re.compile(r"^zstd"), ["api/transfer/files"], "zstd"),
    (re.compile(r"^boost/(asio|beast)"), ["tools"], "Boost.Asio"),
    (re.compile(r"^(CLI|spdlog)/"), ["tools"], "the tools' libraries"),
    (re.compile(r"^(gtest|gmock|benchmark)/"), [], "test libraries"),
]

BANNED_STEMS = {"util", "utils", "utility", "utilities", "helper", "helpers", "common", "misc"}
TOP_LEVEL = {"CMakeLists.txt", "LICENSE", "CMakePresets.json", "README.md", "engine", "index", "api", "bench", "tests", "tools"}
FUNCTION_LINES_MAX = 70
SOURCES = ("engine", "index", "api", "tools")

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
# A literal handed to one of these reaches a user.
LITERAL_MESSAGE = re.compile(
    r'\b(ValidationError|MakeError|absl::\w+Error|SerializationError)\s*\(\s*(?:ErrorKind::\w+\s*,\s*)?(?:Concat\s*\(\s*)?"(?!")')


def room_of(path):
    """The longest room that holds the path, or None."""
    found = [room for room in ROOMS if path == room or path.startswith(room + "/")]
    return max(found, key=len) if found else None


def project_path(include):
    """An include as a path of this project, or None when it is somebody else's."""
    if include.startswith("dynolith/"):
        return "api/include/" + include
    return include if include.split("/")[0] in ("engine", "index", "api", "tools", "tests", "bench") else None


def check_includes(path, text):
    room = room_of(path)
    if room is None:
        return
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        include = match.group(1)
        target = project_path(include)
        if target:
            allowed = ROOMS[room] + [room]
            if not any(target.startswith(folder + "/") for folder in allowed):
                yield f"{path}:{number}: {room} may not include {include}"
        for pattern, folders, library in DOORS:
            if pattern.search(include) and not any(path.startswith(folder + "/") for folder in folders):
                yield f"{path}:{number}: {library} is only for {', '.join(folders) or 'tests and bench'}: {include}"


def check_name(path):
    stem = pathlib.PurePosixPath(path).name.split(".")[0].lower()
    if any(word in BANNED_STEMS for word in [stem] + stem.split("_")):
        yield f"{path}: say what the file holds; a file of this name holds anything"
    top = path.split("/")[0]
    if top not in TOP_LEVEL and not top.startswith("."):
        yield f"{path}: nothing else belongs to the top level"


def check_messages(path, text):
    if room_of(path) is None or path.startswith(("engine/base/messages/", "engine/base/")):
        return
    for match in LITERAL_MESSAGE.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{number}: a text that reaches a user belongs to engine/base/messages/"


def check_function_length(path, text):
    """Functions in clang-format's layout: a line that ends in { at some indentation, up to } at the same one."""
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        stripped = line.strip()
        if opened is None:
            is_scope = re.match(r"^(namespace|class|struct|union|enum|extern|constexpr|inline constexpr|const|static const)\b", stripped)
            starts = indent in (0, 2) and stripped.endswith("{") and (")" in stripped) and not is_scope
            if starts:
                opened = (number, indent)
        elif indent == opened[1] and stripped.startswith("}"):
            length = number - opened[0] + 1
            if length > FUNCTION_LINES_MAX:
                yield f"{path}:{opened[0]}: a function of {length} lines does not fit on a screen ({FUNCTION_LINES_MAX})"
            opened = None


def check_first_comment(path, text):
    # A .cc file's reason stands in its header.
    if path.endswith(".h") and not text.startswith("//"):
        yield f"{path}:1: the first comment says the one reason for which the file exists"


def check_file(path, text):
    yield from check_name(path)
    if path.endswith((".cc", ".h")):
        yield from check_includes(path, text)
        yield from check_messages(path, text)
        yield from check_first_comment(path, text)
        yield from check_function_length(path, text)


def project_files(root):
    for top in sorted(root.iterdir()):
        if top.name.startswith((".", "build")) or top.name == "__pycache__":
            continue
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and "node_modules" not in path.parts:
                yield path.relative_to(root).as_posix(), path


# Each entry breaks exactly one rule.
BROKEN = [
    ("engine/value/a.cc", '// A.\n#include "engine/store/store.h"\n'),
    ("engine/store/a.cc", '// A.\n#include "engine/value/item.h"\n'),
    ("engine/key/a.cc", "// A.\n#include <rocksdb/db.h>\n"),
    ("api/read/a.cc", '// A.\n#include "simdjson.h"\n'),
    ("api/json/a.cc", "// A.\n#include <boost/asio.hpp>\n"),
    ("api/json/b.cc", '// A.\n#include "index/check.h"\n'),
    ("index/a.cc", '// A.\n#include "api/read/page.h"\n'),
    ("index/b.cc", '// A.\n#include "dynolith/requests.h"\n'),
    ("engine/value/c.cc", '// A.\n#include "tests/model/model.h"\n'),
    ("engine/value/d.cc", "// A.\n#include <gtest/gtest.h>\n"),
    ("engine/value/string_util.cc", "// A.\n"),
    ("docs/page.md", "A page.\n"),
    ("api/read/c.cc", '// A.\nreturn ValidationError("no");\n'),
    ("api/read/d.cc", '// A.\nreturn MakeError(ErrorKind::kInternalServerError, Concat("no", name));\n'),
    ("engine/key/e.h", "int a;\n"),
    ("engine/key/f.cc", "// A.\nvoid F() {\n" + "  G();\n" * 69 + "}\n"),
]
FINE = [
    ("engine/store/a.cc", '// A.\n#include <rocksdb/db.h>\n#include "engine/base/limits.h"\n'),
    ("api/json/a.cc", '// A.\n#include "simdjson.h"\n#include "dynolith/requests.h"\n'),
    ("tools/http/a.cc", '// A.\n#include <boost/asio.hpp>\n#include "api/json/dispatch.h"\n'),
    ("api/read/b.cc", '// A.\nreturn MakeError(ErrorKind::kSerialization, "");\n'),
    ("api/read/a.cc", "// A.\nreturn ValidationError(messages::MissingKey(name));\n"),
    ("engine/key/f.cc", "// A.\nvoid F() {\n" + "  G();\n" * 68 + "}\n"),
]


def self_test():
    for path, text in BROKEN:
        found = list(check_file(path, text))
        assert len(found) == 1, f"{path} {text!r} breaks one rule, but this was found: {found}"
    for path, text in FINE:
        found = list(check_file(path, text))
        assert not found, f"{path} breaks no rule, but this was found: {found}"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    checked, findings = 0, []
    for path, file in project_files(root):
        text = file.read_text(encoding="utf-8", errors="replace") if path.endswith((".cc", ".h")) else ""
        checked += 1
        findings += check_file(path, text)
    print("\n".join(findings))
    print(f"{checked} files, {len(findings)} findings")
    return 1 if findings or checked < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
