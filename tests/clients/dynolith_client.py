"""What the Python client programs share: a connection, tables, and exact expectations."""

import os
import sys

import boto3

ENDPOINT = os.environ["DYNOLITH_ENDPOINT"]


def resource():
    return boto3.resource("dynamodb", endpoint_url=ENDPOINT)


def client():
    return boto3.client("dynamodb", endpoint_url=ENDPOINT)


def expect(what, actual, wanted):
    """Ends the program unless the answer is exactly the one that is wanted."""
    if actual != wanted:
        print(f"{what}:\n  expected {wanted!r}\n  got      {actual!r}")
        sys.exit(1)


def expect_error(what, code, call, **arguments):
    """The message of the error with this code that the call must end with."""
    try:
        call(**arguments)
    except client().exceptions.ClientError as error:
        expect(what, error.response["Error"]["Code"], code)
        return error.response
    expect(what, "success", code)
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
