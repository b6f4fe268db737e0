"""Instructions of a call, by callgrind, its allocations and its calls of RocksDB: none may need 3 % more instructions than
counts.txt says, nor one allocation or one call more.

    counts_test.py PROGRAM [--record]

Instructions do not hang on how busy a machine is; times do. Those inside of RocksDB are left out, as they hang on how its
skip list happens to lie, by up to a tenth, and so are its allocations; that it is called no more often is counted instead. So are
those of the C library's functions for bytes, which take other ways where bytes cross a page: a memcmp of keys was a sixth dearer
with a variable more elsewhere; and what other threads do: a flush of memtables comes when it comes. What needs less than is recorded is told, and is to be recorded. --record writes counts.txt anew.
"""

import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("counts.txt")
CALLS = 200  # operation_counts.cc
MORE = 1.03
OF_BYTES = re.compile(r"_*(mem(cmp|cpy|move|set|r?chr)|strn?(len|cmp))(_|$)")
ALLOCATES = re.compile(r"operator new|(malloc|calloc|realloc|aligned_alloc|posix_memalign)$")


def outside_rocksdb(dump):
    """(instructions outside of RocksDB, allocations there, calls of it) in a dump; the format is callgrind's, its names
    compressed."""
    objects, functions = {}, {}
    here = called = function = None
    total = inside = calls = allocations = 0
    times = None  # of the call whose cost the next line tells
    for line in dump.splitlines():
        if match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                functions[match[2]] = match[3]
            if match[1]:
                function = functions[match[2]]
        elif match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
            if match[3]:
                objects[match[2]] = match[3]
            if match[1]:
                called = objects[match[2]]
            else:
                here = objects[match[2]]
        elif line.startswith("calls="):
            times = int(line[len("calls="):].split()[0])
        elif match := re.match(r"[-+*]?\d* (\d+)$", line):
            if times is None:
                total += int(match[1])
            elif "librocksdb" in (called or here) and "librocksdb" not in here:
                inside += int(match[1])
                calls += times
            elif OF_BYTES.match(function) and "libc.so" in (called or here) and "librocksdb" not in here:
                inside += int(match[1])
            # The C++ library allocates for whoever calls it, who is counted.
            elif times is not None and ALLOCATES.match(function) and not re.search(r"librocksdb|libstdc\+\+", here):
                allocations += times
            if times is not None:
                times = called = None
    return total - inside, allocations, calls


def dumps(program):
    """(instructions, allocations, calls of RocksDB) a call of each dump, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={folder}/out", program]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"the program under valgrind failed:\n{run.stderr[-3000:]}")
        counts = {}
        for file in pathlib.Path(folder).glob("*-01"):  # of the first thread, which calls
            text = file.read_text()
            if name := re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M):
                counts.setdefault(name[1], []).append(outside_rocksdb(text))
    return {name: tuple(round(statistics.median(each) / CALLS) for each in zip(*blocks))
            for name, blocks in sorted(counts.items())}


def recorded():
    lines = [line for line in RECORDED.read_text().splitlines() if line and not line.startswith("#")]
    rows = [line.split(maxsplit=3) for line in lines]
    return {name: tuple(map(int, counts)) for *counts, name in rows}


def main():
    counts = dumps(sys.argv[1])
    if "--record" in sys.argv:
        head = "".join(line + "\n" for line in RECORDED.read_text().splitlines() if line.startswith("#"))
        rows = ("{:7} {:4} {:3} {}\n".format(*each, name) for name, each in counts.items())
        RECORDED.write_text(head + "".join(rows))
        return
    before = recorded()
    failed = sorted(before.keys() ^ counts.keys())
    if failed:
        print("not in both:", ", ".join(failed))
    for name in sorted(before.keys() & counts.keys()):
        (old, *old_calls), (new, *new_calls) = before[name], counts[name]
        is_more = new > old * MORE or any(many > few for many, few in zip(new_calls, old_calls))
        verdict = "MORE" if is_more else "less: record it" if new < old / MORE or new_calls != old_calls else ""
        allocations, calls = (f"{after} of {before}" for after, before in zip(new_calls, old_calls))
        print(f"{new:7} of {old:7} {new / old:6.3f}, {allocations} allocations, {calls} calls of RocksDB  {name}  {verdict}")
        if is_more:
            failed.append(name)
    sys.exit(1 if failed else 0)


main()
