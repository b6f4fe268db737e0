"""Instructions of a start, by callgrind: none may need 3 % more than starts.txt says.

    start_test.py PROGRAM [--record]

From exec to the first answer, and the stop behind it; all of them, RocksDB's and the dynamic linker's included. What needs less
than is recorded is told, and is to be recorded. --record writes starts.txt anew.

Threads that wait for each other look again now and then, more often on a busy machine: a start in a folder has needed from 1 to
5 % more than its least. A start that needs too much is therefore counted up to five times, and the least counts.
"""

import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

RECORDED = pathlib.Path(__file__).with_name("starts.txt")
MORE = 1.03
PATIENCE = 120  # seconds, for a start under valgrind on a busy machine


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def counted(folder, command, port=None):
    """The thousand instructions of a program that ends, or of one that is asked once on the port and then told to end."""
    wrapped = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command]
    process = subprocess.Popen(wrapped, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if port:
        ask(port, process)
        process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=PATIENCE)[1]
    collected = re.search(r"Collected : (\d+)", errors)
    if process.returncode != 0 or not collected:
        sys.exit(f"{command} under valgrind failed:\n{errors[-3000:]}")
    return round(int(collected[1]) / 1000)


def ask(port, process):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", b"{}", {
        "X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"})
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                json.load(answer)["TableNames"]
            return
        except OSError as error:
            if time.monotonic() > end or process.poll() is not None:
                sys.exit(f"no answer: {error}\n{process.communicate()[1][-3000:]}")
            time.sleep(0.05)


def least(count, enough):
    """The least of up to five counts; the first that is enough ends them."""
    counts = [count()]
    while counts[-1] > enough and len(counts) < 5:
        counts.append(count())
    return min(counts)


def counts(program, recorded):
    """By the name of a start. What has no record is counted five times."""
    with tempfile.TemporaryDirectory() as folder:
        def serve(*where):
            port = free_port()
            return counted(folder, [program, "serve", "--port", str(port), "--threads", "2", "--auth", "off", *where], port)

        def new_folder():
            return serve("--data", tempfile.mkdtemp(dir=folder) + "/data")

        serve("--data", f"{folder}/closed")
        starts = {"--version": lambda: counted(folder, [program, "--version"]),
                  "serve --memory": lambda: serve("--memory"),
                  "serve --data, a new folder": new_folder,
                  "serve --data, a closed store": lambda: serve("--data", f"{folder}/closed")}
        return {name: least(count, recorded.get(name, 0) * MORE) for name, count in starts.items()}


def main():
    text = RECORDED.read_text() if RECORDED.exists() else ""
    rows = [line.split(maxsplit=1) for line in text.splitlines() if not line.startswith("#")]
    before = {name: int(thousands) for thousands, name in rows}
    now = counts(sys.argv[1], {} if "--record" in sys.argv else before)
    if "--record" in sys.argv:
        head = "".join(line + "\n" for line in text.splitlines() if line.startswith("#"))
        RECORDED.write_text(head + "".join(f"{thousands:7} {name}\n" for name, thousands in now.items()))
        return
    failed = sorted(before.keys() ^ now.keys())
    if failed:
        print("not in both:", ", ".join(failed))
    for name in sorted(before.keys() & now.keys()):
        verdict = "MORE" if now[name] > before[name] * MORE else "less: record it" if now[name] < before[name] / MORE else ""
        print(f"{now[name]:7} of {before[name]:7} {now[name] / before[name]:6.3f}  {name}  {verdict}")
        if verdict == "MORE":
            failed.append(name)
    sys.exit(1 if failed else 0)


main()
