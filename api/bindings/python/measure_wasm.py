#!/usr/bin/env python3
"""The WebAssembly module beside the native library, in turns: calls as the wire has them and by boto3, and the time to a first answer.

    measure_wasm.py MODULE            the native library as the package finds it

Times are the processor's, all threads, which other programs do not lengthen much; medians.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIDES = ("native", "module")
ROUNDS, CALLS, CALLS_BY_BOTO, STARTS, COLD_STARTS = 9, 3000, 200, 20, 3
TABLE = {"TableName": "music", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
KEY, ITEM = {"pk": {"S": "a"}}, {"pk": {"S": "a"}, "text": {"S": "x" * 180}}

# From nothing; boto3 is there already, as it is in a program that uses it.
FIRST = """
import time, boto3
clock, used = time.perf_counter(), time.process_time()
import dynolith
dynolith.Database().call("ListTables", "{}")
print((time.perf_counter() - clock) * 1e3, (time.process_time() - used) * 1e3)
"""
# Two rounds, of which the first warms up.
CALL = """
import json, sys, time, dynolith
table, key, item, calls, calls_by_boto = json.loads(sys.argv[1])
database = dynolith.Database()
client = database.client()
client.create_table(**table)
bodies = {"PutItem": json.dumps({"TableName": "music", "Item": item}).encode(), "GetItem": json.dumps({"TableName": "music", "Key": key}).encode()}
works = {name: lambda name=name: database.call(name, bodies[name]) for name in bodies}
works |= {"PutItem by boto3": lambda: client.put_item(TableName="music", Item=item),
          "GetItem by boto3": lambda: client.get_item(TableName="music", Key=key)}
times = {}
for name, work in works.items():
    for count in [calls_by_boto if "boto3" in name else calls] * 2:
        began = time.process_time()
        for _ in range(count):
            work()
        times[name] = (time.process_time() - began) / count * 1e6
print(json.dumps(times))
"""


def run(side: str, module: str, program: str, *arguments: str, **environment: str) -> str:
    own = {name: value for name, value in os.environ.items() if name != "DYNOLITH_WASM"} | {"PYTHONPATH": str(HERE / "src")} | environment
    if side == "module":
        own["DYNOLITH_WASM"] = module
    return subprocess.run([sys.executable, "-c", program, *arguments], env=own, stdout=subprocess.PIPE, text=True, check=True).stdout


def say(what: str, native: float, module: float, unit: str) -> None:
    print(f"{what}: native {native:.1f} {unit}, module {module:.1f}, {module / native:.1f} times as long")


def main(module: str) -> None:
    first: dict[str, list[list[float]]] = {side: [] for side in SIDES}
    for _ in range(STARTS + 1):
        for side in SIDES:
            first[side].append([float(word) for word in run(side, module, FIRST).split()])
    native, kept = ([statistics.median(column) for column in zip(*first[side][1:])] for side in SIDES)
    cold = []
    for _ in range(COLD_STARTS):
        with tempfile.TemporaryDirectory() as folder:
            cold.append([float(word) for word in run("module", module, FIRST, XDG_CACHE_HOME=folder, HOME=folder).split()])
    for i, what in enumerate(("by the clock", "of the processor")):
        say(f"import and first answer, {what}", native[i], kept[i], "ms")
        print(f"the first time, {what}: {statistics.median(each[i] for each in cold) / 1000:.1f} s")
    arguments = json.dumps([TABLE, KEY, ITEM, CALLS, CALLS_BY_BOTO])
    rounds = [{side: json.loads(run(side, module, CALL, arguments)) for side in SIDES} for _ in range(ROUNDS)]
    for name in rounds[0]["native"]:
        say(name, *(statistics.median(each[side][name] for each in rounds) for side in SIDES), "µs")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]))
