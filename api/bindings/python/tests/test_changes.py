"""The changes of a table, as an iterator and for ``async for``."""

import asyncio
import threading

import pytest

import dynolith

TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
WITH_STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}}


def put(database, begin, end):
    client = database.client()
    for n in range(begin, end):
        client.put_item(TableName="music", Item={"artist": {"S": f"artist {n % 3}"}, "n": {"N": str(n)}})


def number(change):
    return int(change.record["dynamodb"]["NewImage"]["n"]["N"])


@pytest.fixture
def music(dynolith_database):
    dynolith_database.client().create_table(**TABLE, **WITH_STREAM)
    return dynolith_database


def test_changes_come_in_order_and_go_on(music):
    put(music, 0, 10)
    first = music.changes("music", oldest=True)
    changes = [next(first) for _ in range(10)]
    assert [number(change) for change in changes] == list(range(10))
    assert [number(change) for change in music.changes("music", oldest=True, idle=0.1)] == list(range(10))
    later = music.changes("music")
    behind = music.changes("music", after=changes[6].place)
    put(music, 10, 13)
    assert [number(next(behind)) for _ in range(6)] == list(range(7, 13))
    assert [number(next(later)) for _ in range(3)] == [10, 11, 12]


def test_a_waiting_iterator_sees_what_is_written_then_and_ends_with_the_stream(music):
    changes = music.changes("music")
    writer = threading.Thread(target=put, args=(music, 0, 50))
    writer.start()
    assert [number(next(changes)) for _ in range(50)] == list(range(50))
    writer.join()
    music.client().update_table(TableName="music", StreamSpecification={"StreamEnabled": False})
    assert not list(changes)
    with pytest.raises(dynolith.DynolithError, match="has no stream"):
        music.changes("music")


def test_for_async(music):
    async def read():
        changes = music.aio_changes("music")
        await asyncio.to_thread(put, music, 0, 20)
        seen = []
        async for change in changes:
            seen.append(number(change))
            if len(seen) == 20:
                return seen

    assert asyncio.run(read()) == list(range(20))


def test_after_a_restore_it_goes_on_with_what_is_written_then(music):
    music.snapshot("empty")
    changes = music.changes("music", oldest=True)
    for n in range(3):
        put(music, n, n + 1)
        assert number(next(changes)) == n
        music.restore("empty")


def test_errors(dynolith_database):
    with pytest.raises(dynolith.DynolithError) as error:
        dynolith_database.changes("music")
    assert error.value.kind == "NotFound"
    dynolith_database.client().create_table(**TABLE)
    with pytest.raises(dynolith.DynolithError, match="has no stream") as error:
        dynolith_database.changes("music")
    assert error.value.kind == "InvalidArgument"
