#!/usr/bin/env python3
"""Processor time of `dynolith migrate` from a folder into a folder, with sorted files and without, in turns.

    migrate_folder.py PROGRAM [items [turns]]

Items of some 200 bytes with one global index, which has all of each.
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

TABLE = {"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
         "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                                  for name, kind in (("pk", "S"), ("sk", "N"), ("genre", "S"))],
         "GlobalSecondaryIndexes": [{"IndexName": "by-genre", "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}]}


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    program = sys.argv[1]
    items = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "music.json").write_text(json.dumps(TABLE))
        with open(folder / "music.items.json", "w", encoding="utf-8") as out:
            for i in range(items):
                out.write(json.dumps({"Item": {"pk": {"S": f"user {i % 5000}"}, "sk": {"N": str(i)}, "genre": {"S": f"genre {i % 97}"},
                                               "caption": {"S": "x" * 120}}}) + "\n")
        source = folder / "source"
        subprocess.run([program, "load", folder / "music.json", folder / "music.items.json", "--to", source], check=True, capture_output=True)
        seconds = {"off": [], "on": []}
        for turn in range(turns):
            for way, each in seconds.items():
                before = spent()
                subprocess.run([program, "migrate", source, folder / f"{way} {turn}", "--bulk", way, "--verify", "none"], check=True,
                               capture_output=True)
                each.append(spent() - before)
        off, on = (statistics.median(seconds[way]) for way in ("off", "on"))
        print(f"{items:,} items: {off:.2f} s by writes, {on:.2f} s by sorted files, ratio {on / off:.2f}")


if __name__ == "__main__":
    main()
