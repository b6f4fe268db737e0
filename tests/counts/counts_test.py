"""Instructions of a call, by callgrind: none may need 3 % more than counts.txt says.

    counts_test.py PROGRAM [--record]

Instructions do not hang on how busy a machine is; times do. What needs less than is recorded is told, and is to be
recorded. --record writes counts.txt anew.
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


def dumps(program):
    """The instructions a call of each dump, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"the program under valgrind failed:\n{run.stderr[-3000:]}")
        counts = {}
        for file in pathlib.Path(folder).iterdir():
            text = file.read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)$", text, re.M)
            if name and total:
                counts.setdefault(name[1], []).append(int(total[1]) / CALLS)
    return {name: round(statistics.median(blocks)) for name, blocks in sorted(counts.items())}


def recorded():
    lines = [line for line in RECORDED.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(count) for count, name in (line.split(maxsplit=1) for line in lines)}


def main():
    counts = dumps(sys.argv[1])
    if "--record" in sys.argv:
        head = "".join(line + "\n" for line in RECORDED.read_text().splitlines() if line.startswith("#"))
        RECORDED.write_text(head + "".join(f"{count:7} {name}\n" for name, count in counts.items()))
        return
    before = recorded()
    failed = sorted(before.keys() ^ counts.keys())
    if failed:
        print("not in both:", ", ".join(failed))
    for name in before.keys() & counts.keys():
        ratio = counts[name] / before[name]
        verdict = "MORE" if ratio > MORE else "less: record it" if ratio < 1 / MORE else ""
        print(f"{counts[name]:7} of {before[name]:7} {ratio:6.3f}  {name}  {verdict}")
        if ratio > MORE:
            failed.append(name)
    sys.exit(1 if failed else 0)


main()
