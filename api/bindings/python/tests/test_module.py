"""The WebAssembly module where it is not as the native library: what it refuses, its end, and the code that is kept of it.

Everything else is in the other tests, which run on it with DYNOLITH_WASM.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time

import pytest
from conftest import IS_MODULE

import dynolith

pytestmark = pytest.mark.skipif(not IS_MODULE, reason="DYNOLITH_WASM says where the module is")
TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
# Two exports of a module that takes no time to compile.
SMALL = '(module (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1))) (func (export "end") unreachable))'


@pytest.fixture
def music(dynolith_database):
    dynolith_database.client().create_table(**TABLE)
    return dynolith_database


def put(database, artist, **attributes):
    body = {"TableName": "music", "Item": {"artist": {"S": artist}, **attributes}}
    assert database.call("PutItem", json.dumps(body)).status == 200


@pytest.mark.parametrize("options, what", [
    ({"path": "/data/music"}, "a database in the folder /data/music"),
    ({"endpoint": "http://localhost:1"}, "a database behind the endpoint http://localhost:1"),
    ({"buckets": "/data"}, "buckets in the folder /data"),
])
def test_what_needs_a_folder_or_a_network_says_so(options, what):
    with pytest.raises(dynolith.DynolithError) as refused:
        dynolith.Database(**options)
    assert refused.value.kind == "FailedPrecondition"
    assert refused.value.message == (f"this build of Dynolith has databases in memory only, and so cannot have {what}: leave it out, or use "
                                     "the native library")


def test_copies_in_folders_say_so(music):
    with pytest.raises(dynolith.DynolithError, match="FailedPrecondition"):
        music.checkpoint("/data/copy")
    with pytest.raises(dynolith.DynolithError, match="InvalidArgument"):
        music.fork(path="/data/copy")


def test_items_expire_while_nobody_calls():
    with dynolith.Database(ttl_sweep_seconds=0.05) as database:
        client = database.client()
        client.create_table(**TABLE)
        client.update_time_to_live(TableName="music", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        put(database, "Ray", until={"N": str(int(time.time()) - 60)})
        time.sleep(0.2)
        assert client.scan(TableName="music", Select="COUNT")["Count"] == 0
        assert database.sweep() == 0


def test_an_index_is_filled(music):
    for number in range(100):
        put(music, str(number), kind={"S": "odd" if number % 2 else "even"})
    client = music.client()
    client.update_table(
        TableName="music", AttributeDefinitions=[*TABLE["AttributeDefinitions"], {"AttributeName": "kind", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": {"IndexName": "kinds", "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
                                                 "Projection": {"ProjectionType": "KEYS_ONLY"}}}])
    for _ in range(50):
        if client.describe_table(TableName="music")["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE":
            break
        time.sleep(0.1)
    found = client.query(TableName="music", IndexName="kinds", KeyConditionExpression="kind = :k", ExpressionAttributeValues={":k": {"S": "odd"}})
    assert found["Count"] == 50


def test_a_wait_for_changes_holds_up_nobody(dynolith_database):
    dynolith_database.client().create_table(**TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    changes, found = dynolith_database.changes("music"), []
    reader = threading.Thread(target=lambda: found.append(next(changes)))
    reader.start()
    time.sleep(0.1)
    begun = time.monotonic()
    for number in range(20):
        dynolith_database.call("PutItem", json.dumps({"TableName": "music", "Item": {"artist": {"S": str(number)}}}))
    taken = time.monotonic() - begun
    reader.join(10)
    assert found and taken < 5


def test_memory_grows_and_large_bodies_pass(music):
    text = {"S": "ü" * 190_000}
    for number in range(100):
        put(music, str(number), text=text)
    assert music.client().get_item(TableName="music", Key={"artist": {"S": "99"}})["Item"]["text"] == text
    assert music.call("PutItem", b" " * ((16 << 20) + 1)).status == 413


def test_deep_nesting_is_the_engines_to_refuse(music):
    def nested(levels):
        return '{"TableName":"music","Item":{"artist":{"S":"a"},"m":' + '{"L":[' * levels + "]}" * levels + "}}"

    def ask():
        return [music.call("PutItem", nested(levels)).status for levels in (31, 40, 100_000)] + [music.call("Scan", json.dumps(
            {"TableName": "music", "FilterExpression": "(" * 2000 + "a = :a" + ")" * 2000,
             "ExpressionAttributeValues": {":a": {"S": "a"}}})).status]

    found = []
    thread = threading.Thread(target=lambda: found.append(ask()))
    thread.start()
    thread.join()
    assert found == [ask()] == [[200, 400, 400, 400]]


def test_a_module_that_has_ended_says_so_and_another_begins():
    from dynolith._library import library

    database, other = dynolith.Database(), dynolith.Database()
    ended = library()
    with pytest.raises(dynolith.DynolithError, match="Internal: the WebAssembly module has ended, with all of its databases: .*out of bounds"):
        ended.call(0xFFFFFFF0, b"ListTables", b"{}", b"", b"")
    for call in (lambda: database.call("ListTables", "{}"), other.snapshots, database.fork, lambda: other.snapshot("s")):
        with pytest.raises(dynolith.DynolithError, match="Internal: the WebAssembly module has ended, with all of its databases: .*out of bounds"):
            call()
    database.close()
    other.close()
    with dynolith.Database() as again:
        assert again.call("ListTables", "{}").status == 200
    assert library() is not ended


def test_a_module_without_memory_says_so():
    from dynolith._library import library

    database = dynolith.Database()
    database.call("CreateTable", json.dumps(TABLE))
    # Of more than it has now.
    library()._store.set_limits(memory_size=64 << 20)
    with pytest.raises(dynolith.DynolithError, match="Internal: .* its memory, of 4 GB at most, is exhausted|ResourceExhausted: the module has no"):
        for number in range(1000):
            put(database, str(number), text={"S": "x" * 300_000})
    with pytest.raises(dynolith.DynolithError, match="Internal: .* its memory, of 4 GB at most, is exhausted"):
        for number in range(1000):
            put(database, str(number), text={"S": "y" * 30_000})
    with dynolith.Database() as again:
        assert again.call("ListTables", "{}").status == 200


def test_without_wasmtime_it_says_what_to_install():
    program = "import sys; sys.modules['wasmtime'] = None; import dynolith; dynolith.Database()"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ImportError: dynolith.wasm needs the package wasmtime (pip install wasmtime)" in shown.stderr


def test_a_program_ends_without_a_word():
    program = "import dynolith; database = dynolith.Database(); fork = database.fork(); print(database.client().list_tables()['TableNames'])"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "[]\n", "")


def test_databases_that_are_collected_within_a_call():
    for _ in range(50):
        database = dynolith.Database()
        database.itself = database  # which only a collection ends
        assert dynolith.Database().call("ListTables", "{}").body == b'{"TableNames":[]}'


def test_functions_with_and_without_wasmtimes_own_conversions(monkeypatch):
    import wasmtime
    from dynolith import _module

    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module(engine, SMALL), []).exports(store)
    direct = _module._direct(store, exports["add"], 2, 1)

    def none_such(*_):
        raise AttributeError("another version")

    monkeypatch.setattr(_module, "_direct", none_such)
    for add in (direct, _module._function(store, exports["add"])):
        assert [add(1, 2), add(0xFFFFFFFF, 0), add(0x80000000, 0x7FFFFFFF), add(0xFFFFFFFF, 1)] == [3, 0xFFFFFFFF, 0xFFFFFFFF, 0]
    with pytest.raises(wasmtime.Trap, match="unreachable"):
        _module._function(store, exports["end"])()


# --- Code that is kept


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Where code is kept, what compiles, and how often that has been asked for."""
    import wasmtime
    from dynolith import _compiled

    monkeypatch.setattr(_compiled, "_folder", lambda: tmp_path / "above" / "dynolith")
    compiled = []

    class Module(wasmtime.Module):
        def __init__(self, engine, text):
            compiled.append(text)
            super().__init__(engine, text)

    monkeypatch.setattr(_compiled.wasmtime, "Module", Module)
    small = tmp_path / "small.wasm"
    small.write_bytes(wasmtime.wat2wasm(SMALL))
    engine = wasmtime.Engine()

    def load():
        module = _compiled.compiled(engine, str(small))
        assert [export.name for export in module.exports] == ["add", "end"]
        return len(compiled)

    return tmp_path / "above" / "dynolith", load


def code_in(folder):
    return next(folder.glob("*.code"))


def test_code_is_compiled_once(cache):
    folder, load = cache
    assert [load(), load()] == [1, 1]
    assert (folder.stat().st_mode & 0o777, code_in(folder).stat().st_mode & 0o777) == (0o700, 0o600)


def test_code_that_is_damaged_is_compiled_again(cache):
    folder, load = cache
    load()
    code_in(folder).write_bytes(b"no code")
    assert [load(), load()] == [2, 2]


@pytest.mark.parametrize("spoil", [
    lambda folder: folder.chmod(0o770),
    lambda folder: code_in(folder).chmod(0o602),
    lambda folder: code_in(folder).rename(folder / "elsewhere"),
    lambda folder: os.chown(folder, 12345, 12345) if os.geteuid() == 0 else folder.chmod(0o707),
])
def test_code_that_others_may_have_written_is_not_used(cache, spoil, caplog):
    folder, load = cache
    load()
    name = code_in(folder).name
    spoil(folder)
    if not (folder / name).exists():
        (folder / name).symlink_to("elsewhere")
    with caplog.at_level(logging.WARNING, "dynolith"):
        assert [load(), load()] == [2, 3]
    assert "each process compiles it" in caplog.text


def test_a_cache_that_cannot_be_made_is_none(cache, caplog):
    folder, load = cache
    folder.parent.write_text("no folder")
    assert [load(), load()] == [1, 2]
    assert "each process compiles it" in caplog.text


def test_code_that_cannot_be_written_is_used_all_the_same(cache, monkeypatch, caplog):
    folder, load = cache

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    assert load() == 1
    assert "no space left" in caplog.text
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_code_that_nobody_uses_goes(cache):
    folder, load = cache
    folder.mkdir(parents=True)
    folder.chmod(0o700)
    for name, days in (("old.code", 31), ("new.code", 1), ("old", 31)):
        (folder / name).write_text("")
        os.utime(folder / name, (time.time() - days * 86400,) * 2)
    load()
    assert sorted(path.name for path in folder.iterdir() if len(path.name) < 10) == ["lock", "new.code", "old"]
