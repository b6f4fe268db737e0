#!/usr/bin/env python3
"""Awaited calls a second without an SDK, in turns: on the loop's thread, by asyncio's threads, and by the database's."""

import asyncio
import json
import statistics
import time

import dynolith
from dynolith import database as implementation

ROUNDS, CALLS, MANY = 9, 1280, 64
TABLE = json.dumps({"TableName": "music", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"})
CALLED = {"GetItem": '{"TableName": "music", "Key": {"pk": {"S": "1"}}}', "Scan": '{"TableName": "music"}'}


def ways(database):
    async def here(*call):
        return database.call(*call)

    async def by_asyncio(*call):
        return await asyncio.to_thread(database.call, *call)

    return {"here": here, "by its own threads": database.call_async, "by asyncio's": by_asyncio}


async def rate(way, call, under_way):
    async def work():
        for _ in range(CALLS // under_way):
            await way(*call)

    start = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(under_way)))
    return CALLS / (time.perf_counter() - start)


async def measure(database):
    for call in CALLED.items():
        found = {}
        for _ in range(ROUNDS):
            for under_way in (1, MANY):
                for name, way in ways(database).items():
                    found.setdefault((name, under_way), []).append(await rate(way, call, under_way))
        for (name, under_way), rates in found.items():
            print(f"{call[0]:8} {name:20} {under_way:3} under way {statistics.median(rates):10,.0f} calls/s")


def main():
    implementation._OF_ONE_ITEM = frozenset()  # so that all of them cross
    with dynolith.Database() as database:
        database.call("CreateTable", TABLE)
        for number in range(50):
            item = {"pk": {"S": str(number)}, "text": {"S": "x" * 180}}
            database.call("PutItem", json.dumps({"TableName": "music", "Item": item}))
        asyncio.run(measure(database))


main()
