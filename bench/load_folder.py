#!/usr/bin/env python3
"""How fast `dynolith load` makes a table of a folder with its items, by sorted files, beside the same load into a table that is
there already, by puts.

    load_folder.py BINARY [--items N] [--indexes N] [--turns N] [--form typed|plain|csv] [--test]

Items of 200 bytes in no order, one on a line. Both ways in turns; medians of items a second, and of the processor's time.
"""

import argparse
import json
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time


def table_of(indexes):
    keys = [("pk", "S"), ("sk", "N"), *((f"g{n}", "S") for n in range(indexes))]
    table = {"TableName": "items", "BillingMode": "PAY_PER_REQUEST",
             "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in keys],
             "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}
    if indexes:
        table["GlobalSecondaryIndexes"] = [{"IndexName": f"by-g{n}", "KeySchema": [{"AttributeName": f"g{n}", "KeyType": "HASH"}],
                                            "Projection": {"ProjectionType": "KEYS_ONLY"}} for n in range(indexes)]
    return table


def write_items(path, count, form):
    """Each key once."""
    numbers = random.Random(7)
    captions = ["".join(str(numbers.getrandbits(60)) for _ in range(7))[:100] for _ in range(1000)]
    with path.open("w") as file:
        if form == "csv":
            file.write("pk,sk,caption,g0,g1\n")
        for i in range(count):
            i = i * 7_919_777 % count
            texts = {"pk": f"user#{1_000_000 + i // 10}", "caption": captions[i % 1000],
                     "g0": f"place#{i * 104_729 % 100_000}", "g1": f"place#{(i * 104_729 + 1) % 100_000}"}
            if form == "csv":
                file.write(f'{texts["pk"]},{i % 10},{texts["caption"]},{texts["g0"]},{texts["g1"]}\n')
            elif form == "plain":
                file.write(json.dumps({**texts, "sk": i % 10}) + "\n")
            else:
                item = {name: {"S": text} for name, text in texts.items()}
                file.write(json.dumps({"Item": {**item, "sk": {"N": str(i % 10)}}}, separators=(",", ":")) + "\n")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load(binary, files, to):
    """The last of the loads by the clock, and by the processor."""
    for arguments in files:
        wall, processor = time.monotonic(), processor_seconds()
        shown = subprocess.run([binary, "load", *arguments, "--to", to], capture_output=True, text=True, check=False)
        wall, processor = time.monotonic() - wall, processor_seconds() - processor
        if shown.returncode != 0:
            raise SystemExit(f"{shown.stdout}{shown.stderr}")
    return wall, processor, shown.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--items", type=int, default=300_000)
    parser.add_argument("--indexes", type=int, default=0, choices=(0, 1, 2))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--form", default="typed", choices=("typed", "plain", "csv"))
    parser.add_argument("--test", action="store_true", help="a few items, once")
    options = parser.parse_args()
    if options.test:
        options.items, options.turns = 3000, 1
    seconds = {"puts": [], "sorted files": []}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        table, items = folder / "table.json", folder / ("items.csv" if options.form == "csv" else "items.json")
        table.write_text(json.dumps(table_of(options.indexes)))
        write_items(items, options.items, options.form)
        for turn in range(options.turns):
            ways = {"puts": [[table], [items]], "sorted files": [[table, items]]}
            for way, files in ways.items():
                with tempfile.TemporaryDirectory(dir=folder) as to:
                    wall, processor, shown = load(options.binary, files, f"{to}/data")
                    assert f" {options.items} items\n" in shown, shown
                    seconds[way].append((wall, processor))
    print(f"{options.items} items, {options.indexes} indexes, {options.form}")
    for way, found in seconds.items():
        walls, processors = zip(*found)
        ratios = [[one / other for one, other in zip(column, mine)] for column, mine in
                  zip(zip(*seconds["puts"]), (walls, processors))]
        print(f"{way:12} {options.items / statistics.median(walls):9.0f} items a second, {statistics.median(ratios[0]):5.2f} of the puts "
              f"({min(ratios[0]):.2f} to {max(ratios[0]):.2f}); of the processor {statistics.median(processors):6.2f} s, "
              f"{statistics.median(ratios[1]):5.2f} ({min(ratios[1]):.2f} to {max(ratios[1]):.2f})")


if __name__ == "__main__":
    main()
