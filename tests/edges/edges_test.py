#!/usr/bin/env python3
"""Checks the rules of the house that no compiler checks: who may include whom and that nobody includes in circles, which
library stays behind which door, names and number of files, length of functions, width of READMEs, that no text for a user
stands outside of a messages.h, that threads are started in one place, that no container is damaged by a lack of memory, and that
every reader of stored rows is given damaged ones.

    edges_test.py <project folder>

It first feeds itself files that break each rule, so that a check which sees nothing is noticed.
"""

import collections
import graphlib
import pathlib
import re
import sys

# Room -> the rooms that it may include, besides itself. Every folder of SOURCES that holds C++ is listed. A room and its
# subfolders are different rooms; a folder that is no room ("engine", "tools/lab") stands for all that are in it.
ROOMS = {
    "engine/base": [],
    "engine/base/windows": ["engine/base"],
    "engine/text": ["engine/base"],
    "engine/process": ["engine/base"],
    "engine/process/alone": ["engine/base", "engine/process"],
    "engine/process/windows": ["engine/base", "engine/process"],
    "engine/value": ["engine/base", "engine/text"],
    "engine/model": ["engine/base", "engine/value"],
    "engine/model/generator": [],
    "engine/key": ["engine/base", "engine/value", "engine/model"],
    "engine/expr": ["engine/base", "engine/value", "engine/model", "engine/key"],
    "engine/partiql": ["engine/base", "engine/value", "engine/expr"],
    "engine/store": ["engine/base", "engine/process", "engine/store/encryption", "engine/store/following", "engine/store/forks", "engine/store/room", "engine/store/rows", "engine/store/sorted"],
    "engine/store/without_folders": ["engine/base", "engine/store", "engine/store/encryption", "engine/store/rows"],
    "engine/store/encryption": ["engine/base"],
    "engine/store/room": ["engine/base", "engine/process"],
    "engine/store/rows": ["engine/base", "engine/process"],
    "engine/store/following": ["engine/base"],
    "engine/store/forks": ["engine/base", "engine/process"],
    "engine/store/sorted": ["engine/base", "engine/process"],
    "engine/store/rotation": ["engine/base", "engine/store", "engine/store/encryption"],
    "engine/store/salvage": ["engine/base", "engine/process", "engine/store", "engine/store/encryption"],
    "engine/store/transaction": ["engine/base", "engine/store", "engine/store/rows"],
    "engine/store/postgres": ["engine/base", "engine/store", "engine/store/limits", "engine/store/transaction"],
    "engine/store/limits": ["engine/base", "engine/store", "engine/store/transaction"],
    "engine/partition": ["engine/base", "engine/value", "engine/key"],
    "engine/catalog": ["engine/base", "engine/process", "engine/value", "engine/model", "engine/key", "engine/store", "engine/store/transaction", "engine/partition"],
    "engine/stream": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/store/transaction", "engine/catalog"],
    "engine/ttl": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/store/transaction", "engine/catalog"],
    "engine/history": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/store/transaction", "engine/catalog"],
    "engine/replica": ["engine/base", "engine/value", "engine/key", "engine/store", "engine/catalog"],
    "index": ["engine"],
    "index/graph": ["engine", "index"],
    "api/include/dynolith": ["engine"],
    "api/request": ["engine", "index", "api/include"],
    "api/table": ["engine", "index", "api/include", "api/request"],
    "api/staleness": ["engine", "api/include"],
    "api/control": ["engine", "index", "api/include", "api/request", "api/table"],
    "api/write": ["engine", "index", "index/graph", "api/include", "api/request", "api/table"],
    "api/read": ["engine", "index", "index/graph", "api/include", "api/request", "api/table", "api/staleness", "api/write"],
    "api/partiql": ["engine", "index", "api/include", "api/request", "api/table", "api/staleness", "api/write", "api/read"],
    "api/faults": ["engine", "index", "api/include", "api/request", "api/write"],
    "api/backup": ["engine", "index", "api/include", "api/request", "api/table", "api/control"],
    "api/transfer": ["engine", "index", "api/include", "api/request", "api/table", "api/control", "api/write", "api/read",
                     "api/backup"],
    "api/replica": ["engine", "api/include", "api/request", "api/table", "api/control", "api/write"],
    "api/stream": ["engine", "index", "api/include", "api/request", "api/table", "api/staleness"],
    "api/database": ["engine", "index", "index/graph", "api/include", "api/request", "api/table", "api/staleness", "api/control",
                     "api/write", "api/read", "api/partiql", "api/faults", "api/backup", "api/transfer", "api/replica", "api/stream"],
    "api/json": ["engine", "api/include", "api/request", "api/table", "api/control", "api/write", "api/read", "api/partiql",
                 "api/faults", "api/backup", "api/transfer", "api/stream", "api/database"],
    "api/endpoint": ["engine", "api/include", "api/request", "api/write", "api/database", "api/json", "api/remote"],
    "api/transfer/files": ["engine", "api/include", "api/json", "api/transfer"],
    "api/c/self_contained": [],
    "api/c/windows": [],
    "tools/package/tried/c": ["api/include"],
    "api/c": ["engine", "api/include", "api/json", "api/remote", "api/service", "api/transfer/files"],
    "api/service": ["engine", "api/include", "api/request", "api/json"],
    "api/coding": [],
    "api/remote": ["engine/base", "engine/text"],
    "api/without_folders": ["engine/base", "engine/store", "engine/store/without_folders", "api/include", "api/c", "api/database", "api/service"],
    "api/bindings": ["api/include"],
    "api/bindings/windows": [],
    "tools/server/http": ["engine/base", "engine/text", "engine/process", "api/coding", "api/remote"],
    "tools/server/handover": ["engine/base", "engine/text", "engine/partiql", "api/json", "api/remote", "api/service", "tools/files/table",
                              "tools/server/metrics"],
    "tools/server/metrics": ["engine/base"],
    "tools/server/iam/policy": ["engine/base", "engine/text"],
    "tools/server/wire": ["engine/base", "engine/text", "engine/process", "api/coding", "api/json", "api/remote", "api/service",
                          "tools/server/handover", "tools/server/http"],
    "tools/server/iam": ["engine", "api/include", "api/json", "api/request", "api/service", "tools/files/table", "tools/server/iam/policy",
                         "tools/server/http", "tools/server/wire"],
    "tools/server/iam/check": ["engine/base", "engine/text", "engine/value", "engine/key", "engine/partition", "tools/server/iam/policy",
                               "tools/server/trace"],
    "tools/backup": ["engine", "api/json", "api/remote", "tools/client"],
    "tools/client": ["engine", "api/include", "api/json", "api/remote"],
    "tools/files/workbench": ["engine/base", "engine/text"],
    "tools/files/toml": ["engine/base", "engine/text", "engine/partition"],
    "tools/files/table": ["engine", "api/json"],
    "tools/files/templates": ["engine", "tools/files/table"],
    "tools/files/items": ["engine", "api/json", "api/transfer/files", "tools/files/table"],
    "tools/files/design": ["engine", "api/transfer/files", "tools/files/items", "tools/files/table", "tools/files/templates",
                           "tools/files/workbench"],
    "tools/files/excerpt": ["engine", "api/json", "api/remote", "tools/files/table", "tools/files/toml"],
    "tools/files": ["engine", "api/include", "api/json", "tools/client", "tools/files/excerpt", "tools/files/design", "tools/files/items",
                    "tools/files/table"],
    "tools/ship": ["engine", "api/service", "tools/backup", "tools/ship/target"],
    "tools/ship/target": ["engine/base", "api/remote"],
    "tools/migrate": ["engine", "api/json", "api/remote", "tools/client", "tools/files", "tools/files/excerpt", "tools/files/table"],
    "tools/server/trace": ["engine/base", "engine/process", "engine/value", "engine/key", "engine/partition"],
    "tools/lab/text": ["engine/base", "engine/text", "engine/partition", "tools/files/toml"],
    "tools/lab/experiment": ["engine/base", "engine/text", "engine/value", "engine/key", "engine/partition", "tools/server/trace",
                             "tools/files/toml", "tools/files/workbench", "tools/lab/text"],
    "tools/lab/data_model": ["engine/base", "engine/text", "tools/files/toml", "tools/lab/text", "tools/lab/experiment"],
    "tools/lab/shipped": [],
    "tools/lab/load": ["engine/base", "engine/value", "engine/key", "engine/partition", "tools/lab/experiment", "tools/server/trace"],
    "tools/lab/result": ["engine/base", "engine/partition", "tools/lab/experiment", "tools/lab/load"],
    "tools/lab/model": ["engine/base", "engine/process", "engine/key", "engine/partition", "tools/lab/experiment", "tools/lab/load", "tools/lab/result"],
    "tools/lab/report": ["engine/base", "engine/text", "engine/partition", "tools/files/toml", "tools/lab/text", "tools/lab/experiment", "tools/lab/load",
                         "tools/lab/result", "tools/server/trace"],
    "tools/lab/measure": ["engine", "api/include", "api/json", "api/remote", "tools/client", "tools/lab/text", "tools/lab/experiment",
                          "tools/lab/load", "tools/lab/result", "tools/lab/model", "tools/lab/report", "tools/server/trace"],
    "tools/lab/bill": ["engine/base", "engine/text", "engine/partition", "tools/files/toml", "tools/lab/text", "tools/lab/experiment", "tools/lab/load",
                       "tools/lab/result", "tools/lab/model", "tools/lab/report", "tools/server/trace"],
    "tools/lab/advise": ["engine/base", "engine/text", "engine/partition", "tools/files/toml", "tools/lab/text", "tools/lab/experiment", "tools/lab/load",
                         "tools/lab/result", "tools/lab/model", "tools/lab/report"],
    "tools/pages/report": ["api/coding"],
    "tools/pages/live": ["tools/pages/console"],
    "tools/package/quickstart": ["engine/base"],
    "tools/package/rocksdb/newest": [],
    "tools/package/wasm": ["engine/process"],
    "tools/package/wasm/include/absl/synchronization": [],
    "tools/package/wasm/libraries": [],
    "tools/program/doctor": ["engine", "api/remote"],
    "tools/program/top": ["engine/base", "engine/text", "tools/client"],
    "tools/server/targets": ["engine", "api/include", "api/json", "api/remote", "api/request", "api/service", "api/stream",
                             "tools/files/table"],
    "tools/server/cloudwatch": ["engine", "api/include", "api/json", "api/request", "api/service", "tools/server/http", "tools/server/wire"],
    "tools/server/kinesis": ["engine", "api/include", "api/control", "api/json", "api/remote", "api/request", "api/service",
                             "tools/files/table", "tools/server/metrics", "tools/server/targets"],
    "tools/server/otlp": ["engine", "api/coding", "api/json", "api/remote", "tools/server/http", "tools/server/metrics", "tools/server/wire"],
    "tools/server": ["engine", "index", "api", "tools/ship", "tools/server/cloudwatch", "tools/server/kinesis", "tools/server/metrics", "tools/server/otlp", "tools/server/targets", "tools/server/handover", "tools/server/http", "tools/server/iam", "tools/server/wire", "tools/client", "tools/backup", "tools/files",
                     "tools/files/design", "tools/files/items", "tools/files/table", "tools/pages", "tools/server/trace"],
    "tools/proxy": ["engine", "index", "api", "tools/server/http", "tools/server", "tools/server/metrics", "tools/server/wire", "tools/server/trace"],
    "tools/mcp": ["engine", "api", "tools/client", "tools/files", "tools/files/design", "tools/files/table", "tools/lab",
                  "tools/server", "tools/server/http", "tools/server/wire"],
    "tools/portable": ["engine/base", "engine/process", "api/c", "tools/package/wasm/libraries", "tools/program"],
    "tools/portable/include/sys": [],
    "tools/program": ["engine", "index", "api", "tools/program/doctor", "tools/program/top", "tools/server", "tools/server/http", "tools/server/iam/check",
                      "tools/server/iam/policy", "tools/server/trace",
                      "tools/server/wire", "tools/mcp", "tools/proxy", "tools/client", "tools/backup", "tools/ship", "tools/ship/target", "tools/files", "tools/files/excerpt",
                      "tools/files/table", "tools/lab", "tools/migrate", "tools/pages", "tools/package/quickstart"],
}

# A library's header -> the only folders that may see it (tests and bench see everything).
DOORS = [
    (re.compile(r"^rocksdb/"), ["engine/store"], "RocksDB"),
    (re.compile(r"^(postgresql/)?libpq"), ["engine/store/postgres"], "libpq"),
    (re.compile(r"^hnswlib/"), ["index/graph"], "hnswlib"),
    (re.compile(r"^simdjson"), ["api/json"], "simdjson"),
    (re.compile(r"^(windows|psapi)\.h$"), ["engine/base/windows", "engine/process/windows", "api/bindings/windows", "api/c/windows"], "Windows"),
    (re.compile(r"^zstd"), ["api/transfer/files", "tools/package/wasm/libraries", "tools/server/trace"], "zstd"),
    (re.compile(r"^boost/(asio|beast)"), ["api/remote", "tools"], "Boost.Asio"),
    (re.compile(r"^CLI/"), ["tools"], "CLI11"),
    (re.compile(r"^toml\+\+/"), ["tools/files/toml"], "toml++"),
    (re.compile(r"^yaml-cpp/"), ["tools/files"], "yaml-cpp"),
    (re.compile(r"^pugixml"), ["tools/ship/target"], "pugixml"),
    (re.compile(r"^prometheus/"), ["tools/server/metrics"], "prometheus-cpp"),
    (re.compile(r"^(gtest|gmock|benchmark)/"), [], "test libraries"),
]

BANNED_STEMS = {"util", "utils", "utility", "utilities", "helper", "helpers", "common", "misc"}
TOP_LEVEL = {"CMakeLists.txt", "LICENSE", "CMakePresets.json", "README.md", "engine", "index", "api", "bench", "tests", "tools"}
FUNCTION_LINES_MAX = 70
README_COLUMNS_MAX = 130
FOLDER_FILES_MAX = 60
# Folders that hold more, and how many they may hold.
CROWDED = {}
SOURCES = ("engine", "index", "api", "tools")
MANUAL = "tools/manual/"  # pages for users; all other texts for readers are READMEs

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
# A literal handed to one of these reaches a user.
LITERAL_MESSAGE = re.compile(
    r'\b(ValidationError|MakeError|absl::\w+Error|SerializationError)\s*\(\s*(?:ErrorKind::\w+\s*,\s*)?(?:Concat\s*\(\s*)?"(?!")')
# What the messages.h of all rooms fill together.
MESSAGES_NAMESPACE = re.compile(r"^\s*namespace (?:dynolith::)?messages\b", re.MULTILINE)


def room_of(path):
    """The longest room that holds the path, or None."""
    found = [room for room in ROOMS if path == room or path.startswith(room + "/")]
    return max(found, key=len) if found else None


def may_include(room, target):
    of_target = room_of(target)
    return any(folder == of_target if folder in ROOMS else target.startswith(folder + "/") for folder in ROOMS[room] + [room])


def project_path(include):
    """An include as a path of this project, or None when it is somebody else's."""
    if include.startswith("dynolith/"):
        return "api/include/" + include
    return include if include.split("/")[0] in SOURCES + ("tests", "bench") else None


def includes_of(text):
    """(line number, what is included), as written."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def check_includes(path, text):
    room = room_of(path)
    if room is None:
        return
    for number, include in includes_of(text):
        target = project_path(include)
        if target:
            if not may_include(room, target):
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
    if room_of(path) is None or path.endswith("/messages.h"):
        return
    for match in LITERAL_MESSAGE.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{number}: a text that reaches a user belongs to the messages.h of a room"
    for match in MESSAGES_NAMESPACE.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{number}: namespace messages is what the messages.h of the rooms hold"


# What may hold braces, quotes or slashes that mean nothing; numbers, since they may hold quotes.
OPAQUE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<raw>[^()\\\s]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|\b\d[\w']*|'(?:\\.|[^'\\\n])+'"""
    r"""|^[ \t]*\#(?:\\\n|[^\n])*""", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r"^(?:inline\s+)?(?:namespace|class|struct|union|enum)\b|^(?:extern)?$")
ACCESS = re.compile(r"\b(?:public|private|protected)\s*$")


def without_opaque(text):
    """The text with comments, literals and directives blanked, so that lines stay where they are."""
    return OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(text, position, open="({[", close=")}]"):
    """Where the bracket at `position` is closed."""
    depth = 0
    for at in range(position, len(text)):
        depth += (text[at] in open) - (text[at] in close)
        if depth == 0:
            return at
    return len(text)


def kind_of(head):
    """What a { outside of functions begins, by what stands before it: a scope, a function's body or a value."""
    while re.match(r"template\s*<", head):
        head = head[closing(head, head.index("<"), "<", ">") + 1:].strip()
    if SCOPE.match(head):
        return "scope"
    # An = outside of brackets and of an operator's name begins a value.
    flat = re.sub(r"\boperator\s*[^\s\w(]+", "operator", head)
    while re.search(r"\([^()]*\)", flat):
        flat = re.sub(r"\([^()]*\)", "", flat)
    return "function" if "(" in head and "=" not in flat else "value"


def functions_of(text):
    """(first line of the signature, lines) of each function, also of those in classes; local ones belong to theirs."""
    text = without_opaque(text)
    at = head = 0  # the head begins behind the last thing that ended
    while at < len(text):
        if text[at] in ";}" or (text[at] == ":" and ACCESS.search(text, head, at)):
            head = at + 1
        elif text[at] in "([":
            at = closing(text, at)
        elif text[at] == "{":
            kind = kind_of(text[head:at].strip())
            end = at if kind == "scope" else closing(text, at)
            # Braces in front of the body initialize members.
            is_body = kind == "function" and text[end + 1:end + 80].lstrip()[:1] not in (",", "{")
            if is_body:
                signature = at - len(text[head:at].lstrip())
                yield text.count("\n", 0, signature) + 1, text.count("\n", signature, end) + 1
            if is_body or kind == "scope":
                head = end + 1
            at = end
        at += 1


def check_function_length(path, text):
    for number, length in functions_of(text):
        if length > FUNCTION_LINES_MAX:
            yield f"{path}:{number}: a function of {length} lines does not fit on a screen ({FUNCTION_LINES_MAX})"


def check_first_comment(path, text):
    # A .cc file's reason stands in its header.
    if path.endswith(".h") and not text.startswith("//"):
        yield f"{path}:1: the first comment says the one reason for which the file exists"


def check_width(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > README_COLUMNS_MAX:
            yield f"{path}:{number}: {len(line)} columns are wider than a page ({README_COLUMNS_MAX})"


# What starts a thread, or may throw because it cannot.
THREAD = re.compile(r"\bstd::j?thread\s*(?:\w+\s*)?[({](?!\s*[)}])|\bstd::async\b|\bpthread_create\b")
THREADS_NAME = re.compile(r"\bstd::(?:j?thread|vector<std::j?thread>)\s+(\w+)\b")


def check_threads(path, text, declared=""):
    """`declared`: the header of a .cc file. What throws in the middle of a change leaves half of it."""
    if not path.startswith(SOURCES) or path.startswith("engine/process/thread_start."):
        return
    text = without_opaque(text)
    found = [match.start() for match in THREAD.finditer(text)]
    for name in set(THREADS_NAME.findall(text) + THREADS_NAME.findall(without_opaque(declared))):
        # Given something to run, where it is made or put among others.
        found += [match.start() for match in re.finditer(
            rf"(?<![\w.>]){name}\s*[({{](?!\s*[)}}])|\b{name}\.emplace_back\(|\b{name}\s*=\s*std::j?thread\(", text)]
    for number in sorted({text.count("\n", 0, start) + 1 for start in found}):
        yield f"{path}:{number}: a thread is started by StartThread (engine/process/thread_start.h), whose error comes before a change"


# Debian's Abseil changes these before it allocates: an insertion without memory leaves one that its destructor cannot free.
SERVED = ("engine/", "index/", "api/", "tools/server/")
SWISS = re.compile(r"absl/container/(?:(?:flat|node)_hash_(?:map|set)|btree_(?:map|set))\.h")


def check_containers(path, text):
    if path.startswith(SERVED):
        for match in SWISS.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: is damaged by an insertion without memory: std's are not"


def check_file(path, text, declared=""):
    yield from check_name(path)
    if path.endswith((".cc", ".h")):
        yield from check_includes(path, text)
        yield from check_messages(path, text)
        yield from check_first_comment(path, text)
        yield from check_function_length(path, text)
        yield from check_threads(path, text, declared)
        yield from check_containers(path, text)
    if path.endswith("README.md") or path.startswith(MANUAL):
        yield from check_width(path, text)


def check_folders(texts):
    holds_sources, files = set(), collections.Counter()
    for path in texts:
        folder = path.rpartition("/")[0]
        if folder.split("/")[0] not in SOURCES:
            continue
        files[folder] += 1
        if path.endswith((".cc", ".h")):
            holds_sources.add(folder)
    for folder in sorted(holds_sources - ROOMS.keys()):
        yield f"{folder}: a folder with C++ files is listed in ROOMS with what it may include"
    for folder, count in sorted(files.items()):
        most = CROWDED.get(folder, FOLDER_FILES_MAX)
        if count > most:
            yield f"{folder}: {count} files are more than a reader can keep apart ({most})"


def stem_of(path):
    return path.rpartition(".")[0]


def quarter_of(path):
    """The room of tools/ that holds a path with all of its own rooms: "tools/server" of tools/server/http; None outside."""
    return "/".join(path.split("/")[:2]) if path.startswith("tools/") and room_of(path) else None


def check_circles(texts, thing_of):
    """Things that need each other in a circle are one thing."""
    graph, places = {}, {}
    for path, text in texts.items():
        thing = thing_of(path) if path.endswith((".cc", ".h")) else None
        for number, include in includes_of(text) if thing else ():
            target = thing_of(project_path(include) or "")
            if target and target != thing:
                graph.setdefault(thing, set()).add(target)
                places[thing, target] = f"{path}:{number}"
    while True:
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as error:
            cycle = error.args[1][::-1]  # each includes the next
            steps = list(zip(cycle, cycle[1:]))
            yield "includes in a circle: " + ", ".join(f"{places[step]} {step[1]}" for step in steps)
            graph[cycle[0]].remove(cycle[1])


# What reads a stored row or its key says so in its name.
ROW_READER = re.compile(r"^(?!//).*?\b(Decode[A-Z]\w*|Parse\w*Key)\(", re.MULTILINE)


def check_row_readers(texts):
    """A reader of stored rows meets damaged ones in a fuzz target."""
    damaged = "".join(text for path, text in texts.items() if path.startswith("tests/fuzz/") and path.endswith(".cc"))
    for path, text in sorted(texts.items()):
        if not path.endswith(".h") or not path.startswith(("engine/", "index/")):
            continue
        for name in ROW_READER.findall(text):
            if not re.search(rf"\b{name}\(", damaged):
                yield f"{path}: {name} reads stored rows, so tests/fuzz/stored_rows_fuzz.cc has a line for it"


def check_together(texts):
    """What one file does not show. `texts`: path -> text of all files."""
    yield from check_folders(texts)
    # A header and the .cc file of its name are one thing, and so is a room.
    yield from check_circles(texts, stem_of)
    yield from check_circles(texts, room_of)
    # So that one can say what stands below the server without naming half of it.
    yield from check_circles(texts, quarter_of)
    yield from check_row_readers(texts)


def project_files(root):
    for top in sorted(root.iterdir()):
        if top.name.startswith((".", "build")) or top.name in ("__pycache__", "dist"):
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
    ("index/d.cc", '// A.\n#include "absl/container/flat_hash_map.h"\n'),
    ("engine/base/a.cc", '// A.\n#include "engine/store/messages.h"\n'),
    ("index/c.cc", '// A.\n#include "index/graph/vector_graphs.h"\n'),
    ("engine/value/c.cc", '// A.\n#include "tests/model/model.h"\n'),
    ("engine/value/d.cc", "// A.\n#include <gtest/gtest.h>\n"),
    ("engine/value/string_util.cc", "// A.\n"),
    ("docs/page.md", "A page.\n"),
    ("api/read/c.cc", '// A.\nreturn ValidationError("no");\n'),
    ("api/read/d.cc", '// A.\nreturn MakeError(ErrorKind::kInternalServerError, Concat("no", name));\n'),
    ("engine/base/b.cc", '// A.\nreturn ValidationError("no");\n'),
    ("engine/key/b.h", "// A.\nnamespace dynolith::messages {\n}\n"),
    ("engine/key/e.h", "int a;\n"),
    ("engine/key/README.md", "# engine/key\n\n" + "é" * 131 + "\n"),
    ("engine/key/f.cc", "// A.\nvoid F() {\n" + "  G();\n" * 69 + "}\n"),
    ("engine/key/g.cc", "// A.\nnamespace a {\nint F(int a,\n      int b) {\n" + "  G();\n" * 68 + "}\n}\n"),
    ("engine/key/h.cc", "// A.\nC::C(int a)\n    : a_(a), b_{a} {\n" + "  G('{', \"{\", 1'000);\n" * 68 + "}\n"),
    ("engine/key/i.h", "// A.\nclass C {\n public:\n  template <typename T>\n  class D {\n    bool operator==(\n"
                       "        const D& d = D(\"{\")) const {\n" + "      G(); // {\n" * 68 + "    }\n  };\n};\n"),
    ("engine/key/j.cc", "// A.\nvoid F() {\n  thread_ = std::thread([this] { Run(); });\n}\n"),
    ("tools/lab/k.cc", "// A.\nvoid F() {\n  std::thread one(Run);\n}\n"),
    ("tools/lab/l.cc", "// A.\nvoid F() {\n  std::vector<std::thread> all;\n  all.emplace_back(Run);\n}\n"),
    ("index/m.h", "// A.\nclass C {\n  C() : thread_([this] { Run(); }) {}\n  std::thread thread_;\n};\n"),
]
FINE = [
    ("index/d.cc", '// A.\n#include "absl/container/inlined_vector.h"\n'),
    ("engine/key/messages.h", '// A.\nnamespace dynolith::messages {\nreturn MakeError(ErrorKind::kValidation, "no");\n}\n'),
    ("engine/store/a.cc", '// A.\n#include <rocksdb/db.h>\n#include "engine/base/limits.h"\n'),
    ("api/json/a.cc", '// A.\n#include "simdjson.h"\n#include "dynolith/requests.h"\n'),
    ("tools/program/a.cc", '// A.\n#include <boost/asio.hpp>\n#include "api/json/dispatch.h"\n'),
    ("api/read/b.cc", '// A.\nreturn MakeError(ErrorKind::kSerialization, "");\n'),
    ("api/read/a.cc", "// A.\nreturn ValidationError(messages::MissingKey(name));\n"),
    ("engine/key/README.md", "# engine/key\n\n" + "é" * 130 + "\n"),
    ("engine/key/f.cc", "// A.\nvoid F() {\n" + "  G();\n" * 68 + "}\n"),
    ("engine/key/g.cc", "// A.\nnamespace a {\nint F(int a,\n      int b) {\n" + "  G();\n" * 67 + "}\nint b = G(\n);\n}\n"),
    ("engine/key/h.cc", "// A.\nconst Row kRows[] = {\n" + "    {F(), 1},\n" * 100 + "};\n"),
    ("engine/key/i.h", "// A.\nclass C {\n" + "  void F(\n      int a) {\n    G();\n  }\n" * 30 + "};\n"),
    ("api/read/j.cc", "// A.\nvoid F() {\n  std::thread one;\n  Start(&one);\n  all.push_back(std::move(one));\n"
                      "  for (std::thread& thread : all) thread.join();\n  const int a = std::thread::hardware_concurrency();\n}\n"),
    ("tests/unit/read/a.cc", "// A.\nstd::thread one(Run);\n"),
]


# Projects of several files; each breaks exactly one rule.
BROKEN_TOGETHER = [
    {"engine/cellar/a.h": "// A.\n"},
    {"engine/base/deep/a.h": "// A.\n"},
    {"index/a.h": '// A.\n#include "index/b.h"\n', "index/b.h": '// B.\n#include "index/a.h"\n'},
    {"index/a.cc": '// A.\n#include "index/b.h"\n', "index/a.h": "// A.\n",
     "index/b.h": '// B.\n#include "index/c.h"\n', "index/c.h": "// C.\n", "index/c.cc": '#include "index/a.h"\n'},
    {"api/include/dynolith/a.h": '// A.\n#include "dynolith/b.h"\n',
     "api/include/dynolith/b.h": '// B.\n#include "dynolith/a.h"\n'},
    {"engine/store/a.cc": '// A.\n#include "engine/store/rows/b.h"\n',
     "engine/store/rows/b.h": '// B.\n#include "engine/store/c.h"\n', "engine/store/c.h": "// C.\n"},
    {"tools/server/a.cc": '// A.\n#include "tools/pages/live/b.h"\n', "tools/pages/live/b.h": "// B.\n",
     "tools/pages/report/c.cc": '// C.\n#include "tools/server/http/d.h"\n', "tools/server/http/d.h": "// D.\n"},
    {f"api/read/a{i}.md": "" for i in range(61)},
    {"engine/ttl/a.h": "// A.\nabsl::StatusOr<A> DecodeA(std::string_view bytes);\n", "tests/fuzz/b_fuzz.cc": "DecodeAB(bytes);\n"},
]
FINE_TOGETHER = [
    {"engine/base/a.h": "// A.\n", "engine/store/rows/a.h": "// A.\n", "api/package/CMakeLists.txt": ""},
    {"index/a.cc": '// A.\n#include "index/a.h"\n#include "index/b.h"\n', "index/a.h": "// A.\n",
     "index/b.h": '// B.\n#include "index/c.h"\n', "index/c.h": "// C.\n", "index/c.cc": '#include "index/c.h"\n'},
    {f"api/read/a{i}.md": "" for i in range(60)},
    {"engine/ttl/a.h": "// A. DecodeB(c)\nabsl::StatusOr<A> DecodeA(std::string_view bytes);\n", "tests/fuzz/b_fuzz.cc": "DecodeA(bytes);\n"},
    {f"tests/unit/read/a{i}.cc": "" for i in range(61)},
]


def self_test():
    for texts in BROKEN_TOGETHER:
        found = list(check_together(texts))
        assert len(found) == 1, f"{texts} breaks one rule, but this was found: {found}"
    for texts in FINE_TOGETHER:
        found = list(check_together(texts))
        assert not found, f"{texts} breaks no rule, but this was found: {found}"
    for path, text in BROKEN:
        found = list(check_file(path, text))
        assert len(found) == 1, f"{path} {text!r} breaks one rule, but this was found: {found}"
    for path, text in FINE:
        found = list(check_file(path, text))
        assert not found, f"{path} breaks no rule, but this was found: {found}"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    texts = {}
    for path, file in project_files(root):
        is_read = path.endswith((".cc", ".h", ".md"))
        texts[path] = file.read_text(encoding="utf-8", errors="replace") if is_read else ""
    findings = []
    for path, text in texts.items():
        header = texts.get(path[:-len(".cc")] + ".h", "") if path.endswith(".cc") else ""
        findings += check_file(path, text, header)
    findings += check_together(texts)
    print("\n".join(findings))
    print(f"{len(texts)} files, {len(findings)} findings")
    return 1 if findings or len(texts) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
