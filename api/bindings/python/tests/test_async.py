"""Calls that are awaited: without a thread for each, in the event loop's own words."""

import asyncio
import gc
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import threading

import pytest
from conftest import IS_MODULE

import dynolith
from dynolith import database as implementation

TABLE = json.dumps({
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
})
SCAN = json.dumps({"TableName": "music"})
CALLS = 1000


def put(number):
    return json.dumps({"TableName": "music", "Item": {"artist": {"S": f"artist {number}"}, "text": {"S": "x" * 500}}})


@pytest.fixture(name="database")
def fixture_database():
    with dynolith.Database() as database:
        assert database.call("CreateTable", TABLE).status == 200
        yield database


def load(database, items=300):
    for number in range(items):
        assert database.call("PutItem", put(number)).status == 200


def test_answers_are_those_of_call(database):
    load(database, 3)

    async def ask(target, body):
        return await database.call_async(target, body)

    for target, body in [("Scan", SCAN), ("GetItem", '{"TableName": "music", "Key": {"artist": {"S": "artist 1"}}}'),
                         ("DynamoDB_20120810.Scan", b'{"TableName": "none"}'), ("Query", "{"), ("Absent", "{}"),
                         ("DescribeEndpoints", "{}")]:
        found, expected = asyncio.run(ask(target, body)), database.call(target, body)
        assert (found.status, found.body) == (expected.status, expected.body), target
        assert len(found.headers["x-amzn-RequestId"]) == 52


def threads_of_process():
    return len(os.listdir("/proc/self/task"))


def test_many_at_once_share_threads(database):
    load(database, 50)
    most = 0

    async def watch():
        nonlocal most
        while True:
            most = max(most, threads_of_process())
            await asyncio.sleep(0)

    async def ask():
        watching = asyncio.create_task(watch())
        answers = await asyncio.gather(*(database.call_async("Scan", SCAN) for _ in range(CALLS)))
        watching.cancel()
        return answers

    before, threads_before = threads_of_process(), threading.active_count()
    answers = asyncio.run(ask())
    assert {json.loads(answer.body)["Count"] for answer in answers} == {50}
    assert most - before <= 32 + 4  # and some of the database's own, which begin by and by
    if not IS_MODULE:
        assert threading.active_count() == threads_before, "none of Python's own"


def test_the_loop_goes_on(database):
    load(database, 1500)

    async def ask():
        task = asyncio.create_task(database.call_async("Scan", SCAN))
        turns = 0
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        assert (await task).status == 200
        return turns

    assert asyncio.run(ask()) > 2


def test_who_is_cancelled_leaves_and_the_call_goes_on(database):
    writes = json.dumps({"TransactItems": [{"Put": json.loads(put(number))} for number in range(20)]})

    async def ask():
        task = asyncio.create_task(database.call_async("TransactWriteItems", writes))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())  # its loop is closed when the answer comes, or not
    for _ in range(100):
        if json.loads(database.call("Scan", SCAN).body)["Count"] == 20:
            return
        threading.Event().wait(0.05)
    assert False, "the call has not gone on"


@pytest.mark.skipif(IS_MODULE, reason="a call begins when one of asyncio's threads is free")
def test_closing_waits_for_calls_and_ends_new_ones(database):
    load(database)

    async def ask():
        tasks = [asyncio.create_task(database.call_async("Scan", SCAN)) for _ in range(100)]
        await asyncio.sleep(0)
        database.close()  # on the thread of the loop
        assert {answer.status for answer in await asyncio.gather(*tasks)} == {200}
        for target in ("Scan", "GetItem"):
            with pytest.raises(dynolith.DynolithError, match="the database is closed"):
                await database.call_async(target, SCAN)

    asyncio.run(ask())


def test_a_database_that_nobody_keeps_is_not_closed_by_a_thread_that_it_waits_for(monkeypatch):
    """Such a thread may be the one that collects it."""
    add, collected = implementation._LoopAnswers.add, []

    def collecting(*arguments):
        collected.append(gc.collect())
        add(*arguments)

    async def ask():
        for _ in range(5):
            database = dynolith.Database()
            database.call("CreateTable", TABLE)
            load(database, 1000)
            task = asyncio.create_task(database.call_async("Scan", SCAN))
            await asyncio.sleep(0)
            task.cancel()
            del database
            await asyncio.wait([task])
            del task
        while not IS_MODULE and len(collected) < 5:
            await asyncio.sleep(0.001)

    monkeypatch.setattr(implementation._LoopAnswers, "add", collecting)
    gc.disable()
    try:
        asyncio.run(ask())
    finally:
        gc.enable()


@pytest.mark.parametrize("rules", ["option", "admin"])
def test_staleness_knows_who_asks(rules):
    """Its rules may be of each client."""
    options = {"staleness": ["500ms"]} if rules == "option" else {}
    with dynolith.Database(**options) as database:
        if rules == "admin":
            database.admin("GET", "staleness")
        seen = []
        call = database.call

        def watched(*arguments):
            seen.append(arguments[2])
            return call(*arguments)

        database.call = watched
        asyncio.run(database.call_async("ListTables", "{}", b"AKIA1"))
        assert seen == [b"AKIA1"]


def test_a_child_of_a_fork_is_refused_and_ends(database):
    load(database, 50)

    async def ask():
        tasks = [asyncio.create_task(database.call_async("Scan", SCAN)) for _ in range(20)]
        await asyncio.sleep(0)
        child = os.fork()
        if child == 0:
            # Without the parent's loop, and by the interpreter's own end.
            try:
                database.call_async("Scan", SCAN).send(None)
            except StopIteration as end:
                os._exit(0 if end.value.status == 400 and b"AccessDeniedException" in end.value.body else 1)
            os._exit(2)
        assert {answer.status for answer in await asyncio.gather(*tasks)} == {200}
        assert os.waitpid(child, 0)[1] == 0

    asyncio.run(ask())


def test_the_interpreter_ends_while_calls_are_under_way():
    program = textwrap.dedent(f"""
        import asyncio, json, dynolith
        database = dynolith.Database()
        database.call("CreateTable", {TABLE!r})
        async def leave():
            for _ in range(300):
                asyncio.create_task(database.call_async("Scan", {SCAN!r}))
            await asyncio.sleep(0)
        asyncio.run(leave())
        print("left")
    """)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [
        str(pathlib.Path(dynolith.__file__).parents[1]), os.environ.get("PYTHONPATH")]))}
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60,
                               check=False)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "left\n", "")
