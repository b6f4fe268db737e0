"""Quick photos: one table for users, photos, reactions and friends, loaded and asked with boto3 and with the AWS CLI."""

import decimal
import json
import os
import subprocess
import time

from boto3.dynamodb.conditions import Key

from dynolith_client import client, create_table, expect, expect_error, key_schema

NAME = "quick-photos"
POPULAR_PHOTO = "PHOTO#jacksonjason#2019-03-03T18:20:10"


def load():
    with open(os.environ["DYNOLITH_PHOTOS"], encoding="utf-8") as file:
        return [json.loads(line, parse_float=decimal.Decimal) for line in file]


def aws(*arguments):
    result = subprocess.run(["aws", "dynamodb", *arguments, "--output", "json"], capture_output=True, text=True, check=False)
    expect(f"aws dynamodb {arguments[0]}: {result.stderr}", result.returncode, 0)
    return json.loads(result.stdout) if result.stdout.strip() else {}


def fill(table, items):
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


def ask_user_and_photos(table):
    response = table.query(
        KeyConditionExpression="PK = :pk AND SK BETWEEN :metadata AND :photos",
        ExpressionAttributeValues={":pk": "USER#jacksonjason", ":metadata": "#METADATA#jacksonjason", ":photos": "PHOTO$"})
    expect("one user and 15 photos", response["Count"], 16)
    user, photos = response["Items"][0], response["Items"][1:]
    expect("the user comes first", user["SK"], "#METADATA#jacksonjason")
    times = [photo["timestamp"] for photo in photos]
    expect("then the photos by time", times, sorted(times))
    expect("all of them his", {photo["username"] for photo in photos}, {"jacksonjason"})


def add_inverted_index():
    client().update_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": {"IndexName": "InvertedIndex", "KeySchema": key_schema(["SK", "PK"]),
                                                 "Projection": {"ProjectionType": "ALL"}}}])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = client().describe_table(TableName=NAME)["Table"]["GlobalSecondaryIndexes"][0]
        if found["IndexStatus"] == "ACTIVE":
            return
        time.sleep(0.05)
    expect("the index is active within a minute", found["IndexStatus"], "ACTIVE")


def ask_photo_and_reactions(table, items):
    reactions = [item for item in items if item["PK"].startswith("REACTION#") and item["SK"] == POPULAR_PHOTO]
    response = table.query(IndexName="InvertedIndex",
                           KeyConditionExpression=Key("SK").eq(POPULAR_PHOTO) & Key("PK").between("REACTION#", "USER$"),
                           ScanIndexForward=False)
    expect("the photo comes first", response["Items"][0]["PK"], "USER#jacksonjason")
    expect("then its six reactions", sorted(item["PK"] for item in response["Items"][1:]), sorted(item["PK"] for item in reactions))
    expect("seven items", response["Count"], 7)


def page_through_everything(items):
    paginator = client().get_paginator("scan")
    keys, pages = set(), 0
    for page in paginator.paginate(TableName=NAME, ProjectionExpression="PK, SK", PaginationConfig={"PageSize": 100}):
        pages += 1
        keys.update((item["PK"]["S"], item["SK"]["S"]) for item in page["Items"])
    expect("ten pages of at most 100", pages, 10)
    expect("every item once", keys, {(item["PK"], item["SK"]) for item in items})


def write_conditionally(table):
    key = {"PK": "USER#jacksonjason", "SK": "#METADATA#jacksonjason"}
    before = table.get_item(Key=key)["Item"]["followers"]
    follow = {"Key": key, "UpdateExpression": "SET followers = followers + :one", "ConditionExpression": "followers = :known",
              "ReturnValues": "UPDATED_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    response = table.update_item(**follow, ExpressionAttributeValues={":one": 1, ":known": before})
    expect("one follower more", response["Attributes"], {"followers": before + 1})
    failed = expect_error("the second time it is another number", "ConditionalCheckFailedException", table.update_item,
                          **follow, ExpressionAttributeValues={":one": 1, ":known": before})
    expect("the error brings the item", failed["Item"]["followers"], {"N": str(before + 1)})
    missing = expect_error("no such table", "ResourceNotFoundException", client().scan, TableName="absent")
    expect("its message", missing["Error"]["Message"], "Requested resource not found")


def main():
    items = load()
    expect("the data", len(items), 967)
    table = create_table(NAME, ["PK", "SK"])
    fill(table, items)
    expect("aws dynamodb scan --select COUNT", aws("scan", "--table-name", NAME, "--select", "COUNT")["Count"], 967)
    ask_user_and_photos(table)
    add_inverted_index()
    ask_photo_and_reactions(table, items)
    page_through_everything(items)
    described = aws("describe-table", "--table-name", NAME)["Table"]
    expect("items counted", described["ItemCount"], 967)
    got = aws("get-item", "--table-name", NAME, "--key", json.dumps({"PK": {"S": "USER#john42"}, "SK": {"S": "#METADATA#john42"}}))
    expect("the CLI reads an item", got["Item"]["username"], {"S": "john42"})
    write_conditionally(table)
    aws("delete-table", "--table-name", NAME)
    table.wait_until_not_exists()
    expect("the table is gone", NAME in client().list_tables()["TableNames"], False)


main()
