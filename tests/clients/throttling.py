"""Capacity that is enforced, with boto3: what is tried again until there is room, and the reasons of what is given up.

The server needs --capacity enforce --capacity-scale 0.01 (run_clients.py): 10 writes a second for each partition.
"""

import boto3
from botocore.config import Config

from dynolith_client import ENDPOINT, expect, index, key_schema

NAME = "throttling_python"
ARN = f"arn:aws:dynamodb:us-east-1:000000000000:table/{NAME}"


def client(attempts):
    return boto3.client("dynamodb", endpoint_url=ENDPOINT, config=Config(retries={"mode": "standard", "total_max_attempts": attempts}))


ONCE = client(1)
PATIENT = client(15)


def create(**more):
    PATIENT.create_table(TableName=NAME, KeySchema=key_schema(["pk"]), **more)
    PATIENT.get_waiter("table_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1, "MaxAttempts": 120})


def delete():
    PATIENT.delete_table(TableName=NAME)


def put(connection, **item):
    return connection.put_item(TableName=NAME, Item={name: {"S": value} for name, value in item.items()})


def throttled(what, code, member, reason, resource, at_least, **item):
    """Puts without a second try until one is refused, for this reason."""
    for served in range(1000):
        try:
            put(ONCE, t=str(served), **item)
        except ONCE.exceptions.ClientError as error:
            expect(what, error.response["Error"]["Code"], code)
            expect(f"{what}: reasons", error.response[member], [{"reason": reason, "resource": resource}])
            expect(f"{what}: served before", served >= at_least, True)
            return
    expect(what, "1,000 puts", "an exception")


def hot_partition():
    create(BillingMode="PAY_PER_REQUEST", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    throttled("hot", "ThrottlingException", "throttlingReasons", "TableWriteKeyRangeThroughputExceeded", ARN, 10, pk="hot")
    retries = sum(put(PATIENT, pk="hot")["ResponseMetadata"]["RetryAttempts"] for _ in range(15))
    expect("some were tried again", retries > 0, True)
    writes = [{"PutRequest": {"Item": {"pk": {"S": f"b{number}"}}}} for number in range(25)]
    # Until the table's 40 a second are used up.
    while not (left := ONCE.batch_write_item(RequestItems={NAME: writes})["UnprocessedItems"]):
        pass
    while left:
        left = PATIENT.batch_write_item(RequestItems=left)["UnprocessedItems"]
    delete()


def provisioned_units():
    small = {"ReadCapacityUnits": 100, "WriteCapacityUnits": 1}
    large = {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100}
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ["pk", "g"]]
    for of_table, of_index in [(small, large), (large, small)]:
        create(ProvisionedThroughput=of_table, AttributeDefinitions=attributes,
               GlobalSecondaryIndexes=[{**index("by-g", ["g"]), "ProvisionedThroughput": of_index}])
        who, resource = ("Table", ARN) if of_table is small else ("Index", f"{ARN}/index/by-g")
        throttled(who, "ProvisionedThroughputExceededException", "ThrottlingReasons",
                  f"{who}WriteProvisionedThroughputExceeded", resource, 3, pk="a", g=who)
        delete()


if __name__ == "__main__":
    hot_partition()
    provisioned_units()
