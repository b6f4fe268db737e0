"""aiobotocore on a database in this process."""

import asyncio
import time

import pytest

import dynolith

pytest.importorskip("aiobotocore", reason="run by a Python that has aiobotocore")

TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def run(test):
    async def with_client():
        with dynolith.Database() as database:
            async with database.aio_client() as client:
                await client.create_table(**TABLE)
                await test(database, client)

    asyncio.run(with_client())


def test_items_errors_and_pages():
    async def test(_, client):
        await asyncio.gather(*(client.put_item(TableName="music", Item={"pk": {"S": str(number)}}) for number in range(20)))
        pages = [page["Count"] async for page in client.get_paginator("scan").paginate(TableName="music", Limit=8)]
        assert sum(pages) == 20
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            await client.scan(TableName="none")

    run(test)


def test_lost_and_late_answers():
    async def test(database, client):
        database.admin("POST", "faults", {"fault": "dropped_connection", "operation": "PutItem", "hits_max": 1})
        answer = await client.put_item(TableName="music", Item={"pk": {"S": "a"}})
        assert answer["ResponseMetadata"]["RetryAttempts"] == 1
        database.admin("POST", "faults", {"fault": "latency", "operation": "Scan", "latency": 0.3})
        start = time.monotonic()
        await asyncio.gather(*(client.scan(TableName="music") for _ in range(10)))
        assert 0.3 <= time.monotonic() - start < 2.8, "they wait beside each other"

    run(test)
