"""Processes that fork: a child cannot use its parent's database, opens its own, and ends; the parent goes on."""

import importlib.util
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading

import botocore.exceptions
import pytest

import dynolith

TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
FORKS = 6


def call(database, operation, **members):
    """Without a client of the SDK, whose making takes longer than all else here."""
    answer = database.call(operation, json.dumps(members))
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def put(database, artist="Ray"):
    call(database, "PutItem", TableName="music", Item={"artist": {"S": artist}})


def count(database):
    return call(database, "Scan", TableName="music", Select="COUNT")["Count"]


def use_own(options):
    with dynolith.Database(**options) as own:
        call(own, "CreateTable", **TABLE)
        put(own)
        return count(own)


def in_child(work):
    """What `work` returns in a fork, or the name of what it raised. Fails if the child hangs or is killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            answer = repr(work())
        except BaseException as error:  # pylint: disable=broad-exception-caught
            answer = f"{type(error).__name__}: {error}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as answers:
        answer = answers.read()
    assert os.waitpid(child, 0)[1] == 0, answer
    return answer


@pytest.fixture(name="parent", params=["memory", pytest.param("folder", marks=pytest.mark.native)])
def fixture_parent(request, tmp_path):
    with dynolith.Database(**({} if request.param == "memory" else {"path": str(tmp_path / "parent")})) as database:
        call(database, "CreateTable", **TABLE)
        put(database)
        yield database


def test_a_childs_own_database(parent, kept):
    for number in range(FORKS):
        assert in_child(lambda: use_own({})) == "1"
        assert in_child(lambda options=kept(f"own{number}"): use_own(options)) == "1"
    put(parent, "Aretha")
    assert count(parent) == 2


def test_a_child_of_threads_that_are_busy(parent, kept):
    """Whatever other threads hold at the moment of a fork."""
    stopping = threading.Event()

    def work(name):
        step = 0
        while not stopping.is_set():
            step += 1
            put(parent, f"{name}{step % 100}")
            if step % 10 == 0:
                with dynolith.Database(**kept(f"{name}{step}") if name == "opener" else {}):
                    pass

    threads = [threading.Thread(target=work, args=(name,)) for name in ("writer", "opener")]
    for thread in threads:
        thread.start()
    try:
        for number in range(FORKS):
            assert in_child(lambda: use_own({})) == "1"
            assert in_child(lambda options=kept(f"child{number}"): use_own(options)) == "1"
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def test_the_parents_database_is_refused(parent, tmp_path):
    client = parent.client()
    refused = f"process {os.getpid()} opened this database"

    def put_in_child():
        with pytest.raises(botocore.exceptions.ClientError, match=refused) as error:
            client.put_item(TableName="music", Item={"artist": {"S": "child"}})
        return error.value.response["Error"]["Code"], error.value.response["ResponseMetadata"]["RetryAttempts"]

    assert in_child(put_in_child) == "('AccessDeniedException', 0)"
    for call in (lambda: parent.snapshot("s"), lambda: parent.restore("s"), parent.snapshots, parent.fork, parent.clock.now,
                 lambda: parent.checkpoint(tmp_path / "copy"), parent.sweep):
        assert in_child(call).startswith(f"DynolithError: AccessDeniedException: {refused}")
    assert in_child(parent.close) == "None"
    assert count(parent) == 1


def test_the_default_database_is_the_processs():
    dynolith.client().create_table(**TABLE)
    assert in_child(lambda: dynolith.client().list_tables()["TableNames"]) == "[]"
    dynolith.client().delete_table(TableName="music")


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(parent, kept, method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        answers = [pool.apply_async(use_own, (kept(f"{method}{number}"),)) for number in range(4)]
        assert [answer.get(timeout=120) for answer in answers] == [1] * 4
    assert count(parent) == 1


def run(text, *arguments):
    """A program of its own; what it prints."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text), *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


ENDS = """
    import json, os, sys, dynolith
    table = {table}
    database = dynolith.Database(**json.loads(sys.argv[1]))
    database.client().create_table(**table)
    if sys.argv[2] == "closed":
        database.close()
    print("begun")
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print("child")
        sys.exit(7)  # through all that is done at exit
    print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if sys.argv[2] == "open":
        print(database.client().list_tables()["TableNames"])
"""


@pytest.mark.parametrize("state", ["open", "closed"])
def test_a_child_that_exits(kept, state):
    printed = run(ENDS.format(table=TABLE), json.dumps(kept("store")), state)
    assert printed == "begun\nchild\nstatus 7\n" + ("['music']\n" if state == "open" else "")


PREFORK = """
    import os, sys, dynolith
    table = {table}
    folder = sys.argv[1]
    database = dynolith.Database(path=folder + "/master")
    database.client().create_table(**table)

    def worker(number):
        try:
            database.client().list_tables()
        except Exception as error:
            assert "AccessDeniedException" in str(error), error
        own = dynolith.Database(path=f"{{folder}}/worker{{number}}")
        client = own.client()
        client.create_table(**table)
        for step in range(60):  # several flushes, which need threads
            client.put_item(TableName="music", Item={{"artist": {{"S": str(step)}}, "x": {{"B": os.urandom(300_000)}}}})
        assert client.scan(TableName="music", Select="COUNT")["Count"] >= 3
        sys.exit(0)

    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            worker(number)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    database.client().put_item(TableName="music", Item={{"artist": {{"S": "master"}}}})
    database.close()
    for name in ("master", "worker0", "worker1", "worker2"):
        with dynolith.Database(path=f"{{folder}}/{{name}}") as again:
            pages = again.client().get_paginator("scan").paginate(TableName="music", Select="COUNT")
            print(name, sum(page["Count"] for page in pages))
"""


@pytest.mark.native
def test_a_prefork_server(tmp_path):
    """As gunicorn does it: a master that has a database, and workers that open their own, also large ones."""
    assert run(PREFORK.format(table=TABLE), str(tmp_path)) == "master 1\nworker0 60\nworker1 60\nworker2 60\n"


@pytest.mark.native
def test_a_child_does_not_hold_its_parents_folder(tmp_path):
    """Who was forked while a folder was open lives longer than the parent's use of it."""
    path = str(tmp_path / "store")
    database = dynolith.Database(path=path)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writer)
        os.read(reader, 1)  # until the parent closes it
        os._exit(0)
    os.close(reader)
    try:
        database.close()
        with dynolith.Database(path=path):
            pass
    finally:
        os.close(writer)
        os.waitpid(child, 0)


@pytest.mark.native
def test_a_child_takes_over_its_parents_folder(tmp_path):
    path = str(tmp_path / "store")
    database = dynolith.Database(path=path)
    reader, writer = os.pipe()

    def take_over():
        os.close(writer)
        os.read(reader, 1)
        with dynolith.Database(path=path) as own:
            return own.client().list_tables()["TableNames"]

    answers, answer_writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            answer = repr(take_over())
        except BaseException as error:  # pylint: disable=broad-exception-caught
            answer = str(error)
        os.write(answer_writer, answer.encode())
        os._exit(0)
    database.close()
    os.close(writer)
    os.close(reader)
    os.close(answer_writer)
    with open(answers, encoding="utf-8") as answered:
        assert answered.read() == "[]"
    os.waitpid(child, 0)


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not there")
def test_xdist(tmp_path):
    (tmp_path / "test_own.py").write_text(textwrap.dedent("""
        import pytest

        @pytest.mark.parametrize("number", range(8))
        def test_own(dynolith_database, number):
            assert dynolith_database.client().list_tables()["TableNames"] == []
    """))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "dynolith.pytest_plugin", "-p", "no:cacheprovider", "."],
                          cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    assert "8 passed" in done.stdout
