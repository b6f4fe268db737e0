#!/usr/bin/env python3
"""The store on PostgreSQL, on a server of its own: its contract; what clients of two databases see, for the checker of histories;
and text files, random programs and the tests of two databases, which run on other stores elsewhere.

    store_test.py <postgres_test> <hostile_history> <hostile_test> <datadriven_test> <random_test> [--all] [argument of the first]...

--all: all text files and tests, and 20 random programs. Without it those that see most for their time.
"""

import os
import pathlib
import subprocess
import sys

import cluster

PROGRAMS = 5
HISTORY = pathlib.Path(__file__).resolve().parent.parent / "hostile" / "hostile_history_test.py"
# Pages, conditions, tokens, indexes, streams, expiry and the past.
TEXTS = ("transact_write_items.tokens:query.behaviour:update_item.behaviour:get_records.behaviour:"
         "update_time_to_live.behaviour:restore_table_to_point_in_time.behaviour")
TESTS = ("TwoDatabases.*Token*:TablesOfOthers.GetIndexes*:TwoDatabases.*Sweeps:UnownedRows.OfA*:"
         "HostileStreams.EachChange*:Past.HasNoHalf*")
ALL_TESTS = "TwoDatabases.*:TablesOfOthers.*:UnownedRows.*:HostileStreams.*:Past.*:PastOfDays.*"


# Where a counter numbers the commits, as on servers that have no transaction ids.
COUNTED = "PostgresTransactions.*:PostgresSchema.*:PostgresRoundTrips.*"
COUNTED_TESTS = "HostileStreams.*"


def commands(programs, is_all, arguments):
    """Each with the name of its database."""
    tests, history, two, texts, steps = programs
    postgres = [tests, "--gtest_brief=1"]
    # Rows of no table are damage to a database.
    yield "rows", [*postgres, "--gtest_filter=-PostgresDatabases.*", *arguments]
    yield "databases", [*postgres, "--gtest_filter=PostgresDatabases.*", *arguments]
    yield "histories", [sys.executable, HISTORY, history, "--store={url}", f"--calls={600 if is_all else 60}"]
    yield "two", [two, "--gtest_brief=1", f"--gtest_filter={ALL_TESTS if is_all else TESTS}"]
    yield "rows_counted", [*postgres, f"--gtest_filter={COUNTED}", *arguments]
    yield "two_counted", [two, "--gtest_brief=1", f"--gtest_filter={ALL_TESTS if is_all else COUNTED_TESTS}"]
    yield "texts", [texts, "--gtest_brief=1", "--store={url}", f"--gtest_filter={'*' if is_all else TEXTS}"]
    size = ["--programs=20", "--steps=1500"] if is_all else ["--programs=1", "--steps=150", "--seed=20261128"]
    yield "programs", [steps, "--store={url}", *size]


def main():
    programs, arguments = sys.argv[1:PROGRAMS + 1], sys.argv[PROGRAMS + 1:]
    is_all = "--all" in arguments
    if is_all:
        arguments.remove("--all")
    with cluster.Cluster() as servers:
        primary = servers.make_primary()
        for older in ("rows_older", "rows_counted_older"):
            primary.make_database(older)
        for database, words in commands(programs, is_all, arguments):
            url = primary.make_database(database)
            done = subprocess.run([str(word).replace("{url}", url) for word in words],
                                  env={**os.environ, "DYNOLITH_STORE_URL": url,
                                       "DYNOLITH_STORE_STAMPS": "counter" if "counted" in database else ""}, check=False)
            if done.returncode != 0:
                print(primary.log())
                return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
