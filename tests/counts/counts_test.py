"""Instructions of a call, by callgrind, and its calls of RocksDB: none may need 3 % more than counts.txt says.

    counts_test.py PROGRAM [--record]

Instructions do not hang on how busy a machine is; times do. Those inside of RocksDB are left out, as they hang on how its
skip list happens to lie, by up to a tenth; that it is called no more often is counted instead. What needs less than is
recorded is told, and is to be recorded. --record writes counts.txt anew.
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


def outside_rocksdb(dump):
    """(instructions outside of RocksDB, calls of it) in a dump; the format is callgrind's, its names compressed."""
    objects = {}
    here = called = None
    total = inside = calls = 0
    times = None  # of the call whose cost the next line tells
    for line in dump.splitlines():
        if match := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
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
            if times is not None:
                times = called = None
    return total - inside, calls


def dumps(program):
    """(instructions, calls of RocksDB) a call of each dump, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"the program under valgrind failed:\n{run.stderr[-3000:]}")
        counts = {}
        for file in pathlib.Path(folder).iterdir():
            text = file.read_text()
            if name := re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M):
                counts.setdefault(name[1], []).append(outside_rocksdb(text))
    return {name: tuple(round(statistics.median(each) / CALLS) for each in zip(*blocks))
            for name, blocks in sorted(counts.items())}


def recorded():
    lines = [line for line in RECORDED.read_text().splitlines() if line and not line.startswith("#")]
    rows = [line.split(maxsplit=2) for line in lines]
    return {name: (int(instructions), int(calls)) for instructions, calls, name in rows}


def main():
    counts = dumps(sys.argv[1])
    if "--record" in sys.argv:
        head = "".join(line + "\n" for line in RECORDED.read_text().splitlines() if line.startswith("#"))
        rows = (f"{instructions:7} {calls:3} {name}\n" for name, (instructions, calls) in counts.items())
        RECORDED.write_text(head + "".join(rows))
        return
    before = recorded()
    failed = sorted(before.keys() ^ counts.keys())
    if failed:
        print("not in both:", ", ".join(failed))
    for name in sorted(before.keys() & counts.keys()):
        (old, old_calls), (new, new_calls) = before[name], counts[name]
        is_more = new > old * MORE or new_calls > old_calls
        verdict = "MORE" if is_more else "less: record it" if new < old / MORE or new_calls < old_calls else ""
        print(f"{new:7} of {old:7} {new / old:6.3f}, {new_calls} of {old_calls} calls of RocksDB  {name}  {verdict}")
        if is_more:
            failed.append(name)
    sys.exit(1 if failed else 0)


main()
