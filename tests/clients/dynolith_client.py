"""What the Python client programs share: a connection, tables, and exact expectations."""

import os
import random
import sys
import threading
import time

import boto3

# In process there is none: DYNOLITH_IN_PROCESS says so, and the binding has the database.
IN_PROCESS = os.environ.get("DYNOLITH_IN_PROCESS") == "1"
ENDPOINT = None if IN_PROCESS else os.environ["DYNOLITH_ENDPOINT"]
# Nobody waits so long unless something hangs.
PATIENCE_SECONDS = 120
_thread = threading.local()


if IN_PROCESS:
    import dynolith  # pylint: disable=import-error


def resource():
    if IN_PROCESS:
        return dynolith.resource()
    return boto3.resource("dynamodb", endpoint_url=ENDPOINT)


def thread_resource():
    """This thread's own resource: resources do not belong to several threads, and making one costs many requests' time."""
    if not hasattr(_thread, "resource"):
        _thread.resource = resource()
    return _thread.resource


def client():
    if IN_PROCESS:
        return dynolith.client()
    return boto3.client("dynamodb", endpoint_url=ENDPOINT)


def streams():
    if IN_PROCESS:
        return dynolith.client("dynamodbstreams")
    return boto3.client("dynamodbstreams", endpoint_url=ENDPOINT)


def stream_records(arn):
    """All records of a stream from its beginning: shard after shard, parents first, open shards up to their newest record."""
    reader = streams()
    for shard in reader.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = reader.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        while iterator:
            answer = reader.get_records(ShardIterator=iterator)
            yield from answer["Records"]
            iterator = answer.get("NextShardIterator") if answer["Records"] else None


def wait_for(what, condition):
    """Ends the program unless the condition comes true in time; its value otherwise."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (value := condition()):
        if time.monotonic() > end:
            expect(what, f"not within {PATIENCE_SECONDS} s", f"within {PATIENCE_SECONDS} s")
        time.sleep(0.1)
    return value


def expect(what, actual, wanted):
    """Ends the program unless the answer is exactly the one that is wanted."""
    if actual != wanted:
        print(f"{what}:\n  expected {wanted!r}\n  got      {actual!r}")
        sys.exit(1)


def expect_error(what, code, call, **arguments):
    """The answer of the error with this code that the call must end with."""
    try:
        call(**arguments)
    except client().exceptions.ClientError as error:
        expect(what, error.response["Error"]["Code"], code)
        return error.response
    expect(what, "success", code)
    return None


def transact(actions, attempts=200):
    """Runs a transaction of plain values: None, or the codes of the reasons why it was cancelled. Conflicts with others are tried again."""
    connection = thread_resource().meta.client
    for attempt in range(attempts):
        try:
            connection.transact_write_items(TransactItems=actions)
            return None
        except connection.exceptions.TransactionCanceledException as error:
            codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
        if "TransactionConflict" not in codes:
            return codes
        time.sleep(random.uniform(0, 0.002 * min(attempt + 1, 20)))
    expect("a transaction", f"{attempts} conflicts", "less")
    return None


def key_schema(names):
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ["HASH", "RANGE"])]


def index(name, keys, projection="ALL"):
    return {"IndexName": name, "KeySchema": key_schema(keys), "Projection": {"ProjectionType": projection}}


def create_table(name, keys, numbers=(), global_indexes=(), local_indexes=()):
    """A table on demand, ready for use. `numbers` are the key attributes of type N; the others are strings."""
    used = list(dict.fromkeys(keys + [element["AttributeName"] for entry in [*global_indexes, *local_indexes]
                                      for element in entry["KeySchema"]]))
    arguments = {"TableName": name, "KeySchema": key_schema(keys), "BillingMode": "PAY_PER_REQUEST",
                 "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "N" if key in numbers else "S"} for key in used]}
    if global_indexes:
        arguments["GlobalSecondaryIndexes"] = list(global_indexes)
    if local_indexes:
        arguments["LocalSecondaryIndexes"] = list(local_indexes)
    table = resource().create_table(**arguments)
    table.wait_until_exists()
    return table
