"""aiobotocore on a database in this process."""

import asyncio
import time

import pytest

import dynolith

aiobotocore = pytest.importorskip("aiobotocore.session", reason="run by a Python that has aiobotocore")

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
        # One behind the other it would be 3 s, each time; a busy machine takes as long now and then.
        for _ in range(10):
            start = time.monotonic()
            await asyncio.gather(*(client.scan(TableName="music") for _ in range(10)))
            seconds = time.monotonic() - start
            assert seconds >= 0.3
            if seconds < 2.8:
                break
        assert seconds < 2.8, "they wait beside each other"

    run(test)


def test_clients_that_others_make():
    async def code_under_test():
        async with aiobotocore.get_session().create_client("dynamodb", region_name="eu-west-1") as client:
            created = await client.create_table(**TABLE)
            return created["TableDescription"]["TableArn"], (await client.list_tables())["TableNames"]

    mock = dynolith.mock()
    with mock:
        arn, tables = asyncio.run(code_under_test())
        assert arn.startswith("arn:aws:dynamodb:eu-west-1:") and tables == ["music"]
        assert mock.in_region("eu-west-1").client().list_tables()["TableNames"] == ["music"]

    @dynolith.mock
    async def decorated():
        return await code_under_test()

    assert asyncio.run(decorated())[1] == ["music"]
