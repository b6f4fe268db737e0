"""boto3 on a database in this process: what it does, what it keeps, and how it fails."""

import datetime
import gc
import os
import subprocess
import sys
import threading
import time

import boto3
import botocore.exceptions
import pytest
from boto3.dynamodb.conditions import Key

import dynolith

TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}, {"AttributeName": "song", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}
GEORGIA = {"artist": {"S": "Ray"}, "song": {"S": "Georgia"}}


@pytest.fixture
def music(dynolith_database):
    dynolith_database.client().create_table(**TABLE)
    return dynolith_database


def count(database):
    return database.client().scan(TableName="music", Select="COUNT")["Count"]


def test_client_and_resource_share_the_database(music):
    music.client().put_item(TableName="music", Item={**GEORGIA, "year": {"N": "1960"}})
    table = music.resource().Table("music")
    assert table.query(KeyConditionExpression=Key("artist").eq("Ray"))["Items"] == [{"artist": "Ray", "song": "Georgia", "year": 1960}]


def test_answers_are_the_wires(music):
    answer = music.client().put_item(TableName="music", Item=GEORGIA)["ResponseMetadata"]
    assert answer["HTTPStatusCode"] == 200
    assert answer["RetryAttempts"] == 0
    assert len(answer["RequestId"]) == 52
    assert answer["HTTPHeaders"]["x-amz-crc32"] == "2745614147"  # of {}


def test_errors_are_the_sdks(music):
    client = music.client()
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.get_item(TableName="none", Key=GEORGIA)
    client.put_item(TableName="music", Item=GEORGIA)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName="music", Item=GEORGIA, ConditionExpression="attribute_not_exists(artist)")


def test_waiters_and_paginators(music):
    client = music.client()
    client.get_waiter("table_exists").wait(TableName="music", WaiterConfig={"Delay": 1, "MaxAttempts": 2})
    for number in range(7):
        client.put_item(TableName="music", Item={"artist": {"S": "Ray"}, "song": {"S": str(number)}})
    pages = list(client.get_paginator("scan").paginate(TableName="music", PaginationConfig={"PageSize": 3}))
    assert [len(page["Items"]) for page in pages] == [3, 3, 1]


def test_streams(dynolith_database):
    dynolith_database.client().create_table(**TABLE, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    streams = dynolith_database.client("dynamodbstreams").list_streams()["Streams"]
    assert [stream["TableName"] for stream in streams] == ["music"]


def test_no_settings_are_needed(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment["HOME"] = str(tmp_path)
    program = "import dynolith; print(dynolith.client().list_tables()['TableNames'], dynolith.resource().meta.client.meta.region_name)"
    shown = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout) == (0, "[] us-east-1\n"), shown.stderr


def test_a_lost_answer_is_tried_again(music):
    music.admin("POST", "faults", {"fault": "dropped_connection", "operation": "PutItem", "hits_max": 1})
    answer = music.client().put_item(TableName="music", Item=GEORGIA)
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    music.admin("POST", "faults", {"fault": "dropped_connection", "operation": "PutItem"})
    once = music.client(config=boto3.session.Config(retries={"max_attempts": 0}))
    with pytest.raises(botocore.exceptions.ConnectionClosedError):
        once.put_item(TableName="music", Item=GEORGIA)


def test_a_late_answer_is_late(music):
    music.admin("POST", "faults", {"fault": "latency", "operation": "PutItem", "latency": 0.2})
    start = time.monotonic()
    music.client().put_item(TableName="music", Item=GEORGIA)
    assert time.monotonic() - start >= 0.2


def test_calls_run_beside_each_other(music):
    def put(thread):
        client = music.client()
        for number in range(50):
            client.put_item(TableName="music", Item={"artist": {"S": str(thread)}, "song": {"S": str(number)}})

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count(music) == 200


def test_the_clock(music):
    client = music.client()
    client.update_time_to_live(TableName="music", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
    now = music.clock.now()
    client.put_item(TableName="music", Item={**GEORGIA, "until": {"N": str(int(now.timestamp()) + 60)}})
    assert music.clock.advance(datetime.timedelta(hours=1)) == now + datetime.timedelta(hours=1)
    assert count(music) == 0
    assert music.sweep() == 0
    assert music.clock.set(now + datetime.timedelta(hours=2)) == now + datetime.timedelta(hours=2)
    with pytest.raises(ValueError):
        music.clock.set(datetime.datetime(2026, 1, 1))
    with pytest.raises(dynolith.DynolithError, match="InvalidArgument"):
        music.clock.set(0)


def test_snapshots_and_forks(music):
    music.snapshot("empty")
    music.client().put_item(TableName="music", Item=GEORGIA)
    with music.fork() as fork:
        music.restore("empty")
        assert (count(music), count(fork)) == (0, 1)
    assert music.snapshots() == ["empty"]
    music.remove_snapshot("empty")
    with pytest.raises(dynolith.DynolithError) as found:
        music.restore("empty")
    assert found.value.kind == "NotFound"


@pytest.mark.native
def test_a_folder(tmp_path):
    with dynolith.Database(path=str(tmp_path / "data")) as database:
        database.client().create_table(**TABLE)
        database.checkpoint(tmp_path / "copy")
        database.snapshot("base")
        with database.fork("base", tmp_path / "fork") as fork:
            assert fork.client().list_tables()["TableNames"] == ["music"]
    with dynolith.Database(path=str(tmp_path / "copy"), read_only=True) as copy:
        assert copy.client().list_tables()["TableNames"] == ["music"]


def test_what_is_wrong_is_said():
    with pytest.raises(dynolith.DynolithError, match='there is no option "pth"; did you mean "path"'):
        dynolith.Database(pth="x")
    database = dynolith.Database()
    with pytest.raises(dynolith.DynolithError, match="there is no /_dynolith/nothing"):
        database.admin("GET", "nothing")
    client = database.client()
    database.close()
    database.close()
    with pytest.raises(dynolith.DynolithError, match="closed"):
        client.list_tables()


def test_a_close_waits_for_calls(music):
    music.admin("POST", "faults", {"fault": "latency", "operation": "PutItem", "latency": 0.001})
    client, problems, stop = music.client(), [], threading.Event()

    def put():
        try:
            while not stop.is_set():
                client.put_item(TableName="music", Item=GEORGIA)
        except dynolith.DynolithError as problem:
            problems.append(problem.kind)

    threads = [threading.Thread(target=put) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    music.close()
    stop.set()
    for thread in threads:
        thread.join()
    assert set(problems) <= {"FailedPrecondition"}


@pytest.mark.native
def test_what_nobody_holds_is_closed(tmp_path):
    database = dynolith.Database(path=str(tmp_path / "data"))
    del database
    gc.collect()
    dynolith.Database(path=str(tmp_path / "data")).close()


def test_versions_agree():
    root = __file__
    for _ in range(5):
        root = os.path.dirname(root)
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as text:
        assert f"project(dynolith VERSION {dynolith.version()} " in text.read()
