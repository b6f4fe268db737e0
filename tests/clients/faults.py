"""Faults on purpose with boto3: what the SDK tries again by itself, what it leaves to the program, and what tokens are for.

The server needs --admin (run_clients.py).
"""

import json
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError

from dynolith_client import ENDPOINT, expect, expect_error, key_schema, resource

NAME = "faults_python"
ATTEMPTS = 4


def admin(method, path, rule=None):
    body = None if rule is None else json.dumps(rule).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{ENDPOINT}/_dynolith/{path}", body, method=method)) as answer:
        return json.loads(answer.read())


def add(fault, **members):
    return admin("POST", "faults", {"fault": fault, **members})["id"]


def hits(rule):
    return next(report["hits"] for report in admin("GET", "faults")["faults"] if report["id"] == rule)


def client(attempts=ATTEMPTS):
    return boto3.client("dynamodb", endpoint_url=ENDPOINT, config=Config(retries={"mode": "standard", "total_max_attempts": attempts}))


def put(pk):
    return {"TableName": NAME, "Item": {"pk": {"S": pk}}}


def plays(pk):
    return int(client().get_item(TableName=NAME, Key={"pk": {"S": pk}}, ConsistentRead=True).get("Item", {}).get("plays", {"N": "0"})["N"])


def play(pk):
    return {"Update": {"TableName": NAME, "Key": {"pk": {"S": pk}}, "UpdateExpression": "ADD plays :one",
                       "ExpressionAttributeValues": {":one": {"N": "1"}}}}


def what_is_tried_again():
    for fault in ["throttle", "internal_error", "unavailable", "dropped_connection", "answer_lost"]:
        rule = add(fault, operation="PutItem", hits_max=ATTEMPTS - 1)
        answer = client().put_item(**put(fault))
        expect(f"{fault}: tried again", answer["ResponseMetadata"]["RetryAttempts"], ATTEMPTS - 1)
        expect(f"{fault}: hits", hits(rule), ATTEMPTS - 1)
        expect(f"{fault}: done", "Item" in client().get_item(TableName=NAME, Key={"pk": {"S": fault}}), True)
    add("throttle", operation="PutItem", hits_max=ATTEMPTS)
    error = expect_error("no more attempts", "ThrottlingException", client().put_item, **put("never"))
    expect("reasons", [reason["reason"] for reason in error["throttlingReasons"]], ["TableWriteKeyRangeThroughputExceeded"])
    add("dropped_connection", operation="PutItem", hits_max=1)
    try:
        client(1).put_item(**put("never"))
        expect("a dropped connection", "success", "ConnectionClosedError")
    except ConnectionClosedError:
        pass
    expect("nothing of it is there", "Item" in client().get_item(TableName=NAME, Key={"pk": {"S": "never"}}), False)


def what_is_not():
    rule = add("transaction_conflict", table=NAME, key={"pk": {"S": "b"}}, hits_max=1)
    error = expect_error("a conflict", "TransactionCanceledException", client().transact_write_items, TransactItems=[play("a"), play("b")])
    expect("its reasons", [reason["Code"] for reason in error["CancellationReasons"]], ["None", "TransactionConflict"])
    expect("once", hits(rule), 1)
    expect("nothing of it is done", (plays("a"), plays("b")), (0, 0))


def tokens():
    """An answer that is lost: the SDK sends the same again. With a token (boto3 makes one) that is done once."""
    rule = add("answer_lost", operation="TransactWriteItems", hits_max=2)
    client().transact_write_items(TransactItems=[play("a"), play("b")])
    expect("lost twice", hits(rule), 2)
    expect("done once", (plays("a"), plays("b")), (1, 1))
    rule = add("answer_lost", operation="UpdateItem", hits_max=2)
    client().update_item(TableName=NAME, **{name: value for name, value in play("a")["Update"].items() if name != "TableName"})
    expect("an update has no token", (hits(rule), plays("a")), (2, 4))


def batches():
    """The resource's batch writer sends what was not processed again."""
    rule = add("partial_batch", operation="BatchWriteItem", share=0.5, seed=1)
    table = resource().Table(NAME)
    with table.batch_writer() as batch:
        for number in range(100):
            batch.put_item(Item={"pk": f"batch{number}"})
    expect("some were left", hits(rule) > 4, True)
    admin("DELETE", f"faults/{rule}")
    found = table.scan(FilterExpression="begins_with(pk, :b)", ExpressionAttributeValues={":b": "batch"})["Items"]
    expect("all are written", len(found), 100)


def main():
    client().create_table(TableName=NAME, KeySchema=key_schema(["pk"]), BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    client().get_waiter("table_exists").wait(TableName=NAME, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    what_is_tried_again()
    what_is_not()
    tokens()
    batches()
    admin("DELETE", "faults")
    client().delete_table(TableName=NAME)


if __name__ == "__main__":
    main()
