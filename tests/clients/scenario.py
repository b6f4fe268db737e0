"""The common scenario with boto3: tables, items, conditions, pages, transactions, streams, TTL, PartiQL, indexes that come and go.

The same steps run in every language (scenario.*), so that what one client hides, another shows.
"""

import datetime
import decimal
import functools
import os
import time

from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from dynolith_client import client, expect, expect_error, index, key_schema, resource, stream_records, wait_for

NAME = "scenario_python"
FAST = {"Delay": 1, "MaxAttempts": 120}
SHELF_OWNER = "cas"


def book(number):
    return {"pk": "library", "sk": number, "owner": "ann" if number % 2 else "ben", "score": 100 - number, "title": f"Book {number:02}"}


def shelf(number):
    return {"pk": f"shelf{number:02}", "sk": 0, "owner": SHELF_OWNER, "title": f"Shelf {number}"}


def create():
    answer = client().create_table(TableName=NAME,
                                   KeySchema=key_schema(["pk", "sk"]),
                                   BillingMode="PAY_PER_REQUEST",
                                   AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}
                                                         for name, kind in [("pk", "S"), ("sk", "N"), ("owner", "S"), ("score", "N")]],
                                   GlobalSecondaryIndexes=[index("ByOwner", ["owner", "sk"])],
                                   LocalSecondaryIndexes=[index("ByScore", ["pk", "score"], "KEYS_ONLY")],
                                   StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
                                   Tags=[{"Key": "team", "Value": "blue"}])
    expect("a new table", answer["TableDescription"]["TableStatus"], "CREATING")
    client().get_waiter("table_exists").wait(TableName=NAME, WaiterConfig=FAST)
    table = client().describe_table(TableName=NAME)["Table"]
    expect("its state", table["TableStatus"], "ACTIVE")
    expect("its keys", table["KeySchema"], key_schema(["pk", "sk"]))
    expect("its attributes", {entry["AttributeName"]: entry["AttributeType"]
                              for entry in table["AttributeDefinitions"]}, {"pk": "S", "sk": "N", "owner": "S", "score": "N"})
    expect("its billing", table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
    expect("its ARN", table["TableArn"].split(":")[:4] + [table["TableArn"].split(":", 5)[5]],
           ["arn", "aws", "dynamodb", "us-east-1", f"table/{NAME}"])
    expect("its stream", table["StreamSpecification"], {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    expect("its stream's ARN", table["LatestStreamArn"], f"{table['TableArn']}/stream/{table['LatestStreamLabel']}")
    for group, name, keys, projection in [("GlobalSecondaryIndexes", "ByOwner", ["owner", "sk"], "ALL"),
                                          ("LocalSecondaryIndexes", "ByScore", ["pk", "score"], "KEYS_ONLY")]:
        expect(f"the number of {group}", len(table[group]), 1)
        found = table[group][0]
        expect(name, {key: found[key]
                      for key in ["IndexName", "KeySchema", "Projection", "IndexArn"]},
               {**index(name, keys, projection), "IndexArn": f"{table['TableArn']}/index/{name}"})
    expect("the index's state", table["GlobalSecondaryIndexes"][0]["IndexStatus"], "ACTIVE")
    expect_error("a second one of this name",
                 "ResourceInUseException",
                 client().create_table,
                 TableName=NAME,
                 KeySchema=key_schema(["pk"]),
                 BillingMode="PAY_PER_REQUEST",
                 AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    return resource().Table(NAME)


def fill(table):
    for number in range(1, 31):
        table.put_item(Item=book(number))
    requests = [{"PutRequest": {"Item": shelf(number)}} for number in range(25)]
    expect("all are written", resource().batch_write_item(RequestItems={NAME: requests})["UnprocessedItems"], {})
    expect("a consistent read", table.get_item(Key={"pk": "library", "sk": 7}, ConsistentRead=True)["Item"], book(7))
    expect("nothing there", "Item" in table.get_item(Key={"pk": "library", "sk": 31}), False)
    keys = [{"pk": "library", "sk": number} for number in range(1, 11)] + [{"pk": f"shelf{number:02}", "sk": 0} for number in range(10)]
    answer = resource().batch_get_item(RequestItems={NAME: {"Keys": keys, "ConsistentRead": True}})
    expect("all are read", answer["UnprocessedKeys"], {})
    expect("a batch of 20", sorted(answer["Responses"][NAME], key=lambda item: (item["pk"], item["sk"])),
           [book(number) for number in range(1, 11)] + [shelf(number) for number in range(10)])


def values(table):
    """Every type comes back as it went in; batch_writer sends the last of several items with one key."""
    item = {
        "pk": "types",
        "sk": decimal.Decimal("-1.5"),
        "small": decimal.Decimal("-1E-130"),
        "long": decimal.Decimal("12345678901234567890123456789012345678"),
        "bytes": Binary(b"\x00\xff\x80"),
        "yes": True,
        "no": False,
        "nothing": None,
        "empty": "",
        "none": Binary(b""),
        "text": "Grüße 😀",
        "words": {"a", "b"},
        "numbers": {decimal.Decimal("1"), decimal.Decimal("0.5")},
        "blobs": {Binary(b"\x01"), Binary(b"\x02")},
        "list": [1, "two", [None, {"deep": [True]}]],
        "map": {"a": {"b.c": {"d e": "f"}}},
        "emptyList": [],
        "emptyMap": {},
    }
    table.put_item(Item=item)
    key = {"pk": "types", "sk": decimal.Decimal("-1.5")}
    expect("all types", table.get_item(Key=key)["Item"], item)
    found = table.get_item(Key={"pk": "types", "sk": decimal.Decimal("-1.50")},
                           ProjectionExpression="#list[2][1].deep, #map.a.#dotted, small",
                           ExpressionAttributeNames={"#list": "list", "#map": "map", "#dotted": "b.c"})["Item"]
    expect("paths", found, {"list": [[{"deep": [True]}]], "map": {"a": {"b.c": {"d e": "f"}}}, "small": item["small"]})
    # The resource cannot read a number of more than 38 digits, zeros counted (boto3's issue 2500).
    largest = "9" * 38 + "0" * 88
    client().put_item(TableName=NAME,
                      Item={"pk": {"S": "types"}, "sk": {"N": "0"}, "huge": {"N": "9.9999999999999999999999999999999999999E+125"}})
    expect("the largest number",
           client().get_item(TableName=NAME, Key={"pk": {"S": "types"}, "sk": {"N": "-0.0"}})["Item"]["huge"]["N"], largest)
    for value in ["1E126", "1E-131", "123456789012345678901234567890123456789"]:
        expect_error(f"the number {value}",
                     "ValidationException",
                     client().put_item,
                     TableName=NAME,
                     Item={"pk": {"S": "types"}, "sk": {"N": value}})
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for number in range(60):
            batch.put_item(Item={"pk": "written", "sk": number % 30, "round": number // 30})
        for number in range(25, 30):
            batch.delete_item(Key={"pk": "written", "sk": number})
    found = table.query(KeyConditionExpression=Key("pk").eq("written"))["Items"]
    expect("the last writes of a batch writer", [(item["sk"], item["round"]) for item in found], [(number, 1) for number in range(25)])
    with table.batch_writer() as batch:
        for number in range(25):
            batch.delete_item(Key={"pk": "written", "sk": number})
        for sort in [key["sk"], 0]:
            batch.delete_item(Key={"pk": "types", "sk": sort})


def conditions(table):
    key, item = {"pk": "conditions", "sk": 1}, {"pk": "conditions", "sk": 1, "count": 1, "list": ["a"]}
    table.put_item(Item=item, ConditionExpression=Attr("pk").not_exists())
    answer = expect_error("put if not exists",
                          "ConditionalCheckFailedException",
                          table.put_item,
                          Item=item,
                          ConditionExpression=Attr("pk").not_exists())
    expect("its message", answer["Error"]["Message"], "The conditional request failed")
    expect("no item with it", "Item" in answer, False)
    answer = expect_error("with the old item",
                          "ConditionalCheckFailedException",
                          table.put_item,
                          Item=item,
                          ConditionExpression=Attr("pk").not_exists(),
                          ReturnValuesOnConditionCheckFailure="ALL_OLD")
    expect("the old item", answer["Item"], {"pk": {"S": "conditions"}, "sk": {"N": "1"}, "count": {"N": "1"}, "list": {"L": [{"S": "a"}]}})
    update = {"Key": key, "ExpressionAttributeNames": {"#count": "count"}, "ReturnValues": "UPDATED_NEW"}
    answer = table.update_item(UpdateExpression="SET #count = #count + :one, fresh = :yes",
                               ConditionExpression="#count = :one",
                               ExpressionAttributeValues={":one": 1, ":yes": True},
                               **update)
    expect("updated values", answer["Attributes"], {"count": 2, "fresh": True})
    expect_error("the same again",
                 "ConditionalCheckFailedException",
                 table.update_item,
                 UpdateExpression="SET #count = :one",
                 ConditionExpression="#count = :one",
                 ExpressionAttributeValues={":one": 1},
                 **update)
    answer = table.update_item(UpdateExpression="ADD #count :ten, visits :one, tags :tags",
                               ExpressionAttributeValues={":ten": 10, ":one": 1, ":tags": {"x", "y"}},
                               **update)
    expect("counters", answer["Attributes"], {"count": 12, "visits": 1, "tags": {"x", "y"}})
    answer = table.update_item(
        UpdateExpression=
        "SET #list = list_append(if_not_exists(#list, :front), :back), #count = if_not_exists(nobody, :zero) REMOVE fresh DELETE tags :x",
        **{**update, "ExpressionAttributeNames": {"#count": "count", "#list": "list"}, "ReturnValues": "ALL_NEW"},
        ExpressionAttributeValues={":front": ["0"], ":back": ["b"], ":zero": 0, ":x": {"x"}})
    last = {**key, "count": 0, "list": ["a", "b"], "visits": 1, "tags": {"y"}}
    expect("the whole new item", answer["Attributes"], last)
    expect_error("a delete that does not apply",
                 "ConditionalCheckFailedException",
                 table.delete_item,
                 Key=key,
                 ConditionExpression=Attr("visits").gt(1) & Attr("tags").contains("y"))
    answer = table.delete_item(
        Key=key,
        ConditionExpression=(Attr("visits").between(0, 1) | Attr("none").exists()) & ~Attr("tags").contains("x")
        & Attr("list").size().gte(2) & Attr("count").attribute_type("N") & Attr("visits").is_in([5, 1]) & Attr("pk").begins_with("cond")
        & Attr("count").lt(1) & Attr("count").lte(0) & Attr("count").ne(1),
        ReturnValues="ALL_OLD")
    expect("the deleted item", answer["Attributes"], last)
    expect("a delete of nothing", "Attributes" in table.delete_item(Key=key, ReturnValues="ALL_OLD"), False)


def pages(table):
    ask = {"TableName": NAME, "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "library"}}}
    paginator = client().get_paginator("query")
    found = [[int(item["sk"]["N"]) for item in page["Items"]] for page in paginator.paginate(**ask, PaginationConfig={"PageSize": 7})]
    expect("the sizes of pages", [len(page) for page in found], [7, 7, 7, 7, 2])
    expect("every book once and in order", sum(found, []), list(range(1, 31)))
    found = [
        int(item["sk"]["N"]) for page in paginator.paginate(**ask, ScanIndexForward=False, PaginationConfig={"PageSize": 11})
        for item in page["Items"]
    ]
    expect("backwards", found, list(range(30, 0, -1)))
    start = paginator.paginate(**ask, PaginationConfig={"MaxItems": 8, "PageSize": 5}).build_full_result()
    rest = paginator.paginate(**ask, PaginationConfig={"StartingToken": start["NextToken"]}).build_full_result()
    expect("from a token on", [item["sk"]["N"] for item in start["Items"] + rest["Items"]], [str(number) for number in range(1, 31)])
    answer = table.query(IndexName="ByOwner", KeyConditionExpression=Key("owner").eq("ann") & Key("sk").between(5, 11))
    expect("the global index", answer["Items"], [book(number) for number in [5, 7, 9, 11]])
    answer = table.query(IndexName="ByScore",
                         KeyConditionExpression=Key("pk").eq("library") & Key("score").gte(98),
                         ProjectionExpression="sk, score")
    expect("the local index", answer["Items"], [{"sk": 2, "score": 98}, {"sk": 1, "score": 99}])
    answer = table.query(IndexName="ByScore",
                         KeyConditionExpression=Key("pk").eq("library") & Key("score").gte(98),
                         ProjectionExpression="title",
                         ConsistentRead=True)
    expect("what a local index does not project", answer["Items"], [{"title": "Book 02"}, {"title": "Book 01"}])
    answer = table.query(KeyConditionExpression=Key("pk").eq("library") & Key("sk").lte(10),
                         FilterExpression=Attr("owner").eq("ben") & Attr("title").contains("0"))
    expect("a filter", ([item["sk"] for item in answer["Items"]], answer["Count"], answer["ScannedCount"]), ([2, 4, 6, 8, 10], 5, 10))
    segments = [[
        item for page in client().get_paginator("scan").paginate(
            TableName=NAME, Segment=number, TotalSegments=4, PaginationConfig={"PageSize": 5}) for item in page["Items"]
    ] for number in range(4)]
    found = sorted((item["pk"]["S"], int(item["sk"]["N"])) for segment in segments for item in segment)
    expect("a scan in four segments", found,
           [("library", number) for number in range(1, 31)] + [(f"shelf{number:02}", 0) for number in range(25)])
    count = [
        page["Count"] for page in client().get_paginator("scan").paginate(
            TableName=NAME, IndexName="ByOwner", Select="COUNT", PaginationConfig={"PageSize": 55})
    ]
    expect("a count by index; a full page has a next one", count, [55, 0])


def other_paginators():
    arn = client().describe_table(TableName=NAME)["Table"]["TableArn"]
    client().create_table(TableName=f"{NAME}_2",
                          KeySchema=key_schema(["pk"]),
                          BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    client().get_waiter("table_exists").wait(TableName=f"{NAME}_2", WaiterConfig=FAST)
    found = [page["TableNames"] for page in client().get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})]
    expect("one table a page", all(len(page) == 1 for page in found), True)
    expect("this program's tables", [page[0] for page in found if page[0].startswith(NAME)], [NAME, f"{NAME}_2"])
    client().delete_table(TableName=f"{NAME}_2")
    client().tag_resource(ResourceArn=arn, Tags=[{"Key": f"k{number:02}", "Value": f"v{number}"} for number in range(20)])
    client().tag_resource(ResourceArn=arn, Tags=[{"Key": "k00", "Value": "new"}])
    client().untag_resource(ResourceArn=arn, TagKeys=["k01", "absent"])
    found = [tag for page in client().get_paginator("list_tags_of_resource").paginate(ResourceArn=arn) for tag in page["Tags"]]
    expect("the tags", {tag["Key"]: tag["Value"]
                        for tag in found}, {"team": "blue", "k00": "new", **{f"k{number:02}": f"v{number}"
                                                                             for number in range(2, 20)}})
    expect("no tag twice", len(found), 20)
    expect("no backups",
           [backup for page in client().get_paginator("list_backups").paginate(TableName=NAME) for backup in page["BackupSummaries"]], [])


def transactions(table):
    write = resource().meta.client.transact_write_items
    table.put_item(Item={"pk": "moves", "sk": 2, "count": 1})
    table.put_item(Item={"pk": "moves", "sk": 3})
    actions = [
        {"Put": {"TableName": NAME, "Item": {"pk": "moves", "sk": 1, "text": "new"}, "ConditionExpression": "attribute_not_exists(pk)"}},
        {
            "Update": {
                "TableName": NAME, "Key": {"pk": "moves", "sk": 2}, "UpdateExpression": "ADD #count :one",
                "ExpressionAttributeNames": {"#count": "count"}, "ExpressionAttributeValues": {":one": 1}
            }
        },
        {"Delete": {"TableName": NAME, "Key": {"pk": "moves", "sk": 3}, "ConditionExpression": "attribute_exists(pk)"}},
        {
            "ConditionCheck": {
                "TableName": NAME, "Key": {"pk": "library", "sk": 1}, "ConditionExpression": "score = :score",
                "ExpressionAttributeValues": {":score": 99}
            }
        },
    ]
    token = f"token-{time.time_ns()}"
    write(TransactItems=actions, ClientRequestToken=token)
    written = [{"pk": "moves", "sk": 1, "text": "new"}, {"pk": "moves", "sk": 2, "count": 2}]
    expect("a transaction", table.query(KeyConditionExpression=Key("pk").eq("moves"))["Items"], written)
    write(TransactItems=actions, ClientRequestToken=token)
    expect("the same token again changes nothing", table.query(KeyConditionExpression=Key("pk").eq("moves"))["Items"], written)
    expect_error("another payload with this token",
                 "IdempotentParameterMismatchException",
                 write,
                 TransactItems=actions[:1],
                 ClientRequestToken=token)
    actions[0]["Put"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    answer = expect_error("a transaction that fails",
                          "TransactionCanceledException",
                          write,
                          TransactItems=[actions[3], actions[0], actions[1], actions[2]])
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    expect(
        "its message", answer["Error"]["Message"],
        "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, None, ConditionalCheckFailed]"
    )
    expect("its reasons", answer["CancellationReasons"],
           [{"Code": "None"}, {**failed, "Item": {"pk": {"S": "moves"}, "sk": {"N": "1"}, "text": {"S": "new"}}}, {"Code": "None"}, failed])
    expect("nothing of it is done", table.query(KeyConditionExpression=Key("pk").eq("moves"))["Items"], written)
    expect_error("one item twice", "ValidationException", write, TransactItems=[actions[2], actions[2]])
    gets = [{"Get": {"TableName": NAME, "Key": {"pk": "moves", "sk": number}}} for number in [2, 3, 1]]
    gets[2]["Get"]["ProjectionExpression"] = "pk"
    answer = resource().meta.client.transact_get_items(TransactItems=gets)["Responses"]
    expect("read in one transaction", answer, [{"Item": written[1]}, {}, {"Item": {"pk": "moves"}}])


def streams_of(table):
    """One record per effective write of an item, in order; a write that changes nothing has none."""
    key = {"pk": "streamed", "sk": 1}
    table.put_item(Item={**key, "text": "a"})
    table.put_item(Item={**key, "text": "a"})
    table.update_item(Key=key,
                      UpdateExpression="SET #text = :b",
                      ExpressionAttributeNames={"#text": "text"},
                      ExpressionAttributeValues={":b": "b"})
    table.delete_item(Key=key)
    table.delete_item(Key=key)
    arn = client().describe_table(TableName=NAME)["Table"]["LatestStreamArn"]
    records = [record for record in stream_records(arn) if record["dynamodb"]["Keys"]["pk"]["S"] == "streamed"]
    image = lambda record, which: record["dynamodb"].get(which, {}).get("text", {}).get("S")
    expect("the records of one item", [(record["eventName"], image(record, "OldImage"), image(record, "NewImage")) for record in records],
           [("INSERT", None, "a"), ("MODIFY", "a", "b"), ("REMOVE", "b", None)])
    keys = {"pk": {"S": "streamed"}, "sk": {"N": "1"}}
    expect("a whole image", records[1]["dynamodb"]["NewImage"], {**keys, "text": {"S": "b"}})
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    expect("numbers that grow", numbers, sorted(set(numbers)))
    expect("no two with one id", len({record["eventID"] for record in records}), 3)
    for record in records:
        expect("its frame", [
            record["eventVersion"], record["eventSource"], record["awsRegion"], record["dynamodb"]["StreamViewType"],
            record["dynamodb"]["Keys"]
        ], ["1.1", "aws:dynamodb", "us-east-1", "NEW_AND_OLD_IMAGES", keys])
        expect("nobody but the user", "userIdentity" in record, False)
        expect("its time", abs(record["dynamodb"]["ApproximateCreationDateTime"].timestamp() - time.time()) < 60, True)
    return arn


def time_to_live(table, arn):
    expect("without TTL", client().describe_time_to_live(TableName=NAME)["TimeToLiveDescription"], {"TimeToLiveStatus": "DISABLED"})
    specification = {"Enabled": True, "AttributeName": "expires"}
    answer = client().update_time_to_live(TableName=NAME, TimeToLiveSpecification=specification)
    expect("the echo", answer["TimeToLiveSpecification"], specification)
    enabled = {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    wait_for("TTL is enabled", lambda: client().describe_time_to_live(TableName=NAME)["TimeToLiveDescription"] == enabled)
    now = int(time.time())
    kept = {1: now + 3600, 2: str(now - 60), 3: now - 6 * 365 * 86400}  # To come; not a number; older than five years.
    for number, expires in kept.items():
        table.put_item(Item={"pk": "kept", "sk": number, "expires": expires})
    old = {"pk": "expired", "sk": 1, "expires": now - 60}
    table.put_item(Item=old)
    wait_for("an expired item goes", lambda: "Item" not in table.get_item(Key={"pk": "expired", "sk": 1}, ConsistentRead=True))
    expect("the others stay", table.query(KeyConditionExpression=Key("pk").eq("kept"), Select="COUNT")["Count"], 3)
    records = [record for record in stream_records(arn) if record["dynamodb"]["Keys"]["pk"]["S"] == "expired"]
    expect("its records", [record["eventName"] for record in records], ["INSERT", "REMOVE"])
    expect("who removed it", records[1]["userIdentity"], {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"})
    expect("what was removed", records[1]["dynamodb"]["OldImage"],
           {"pk": {"S": "expired"}, "sk": {"N": "1"}, "expires": {"N": str(now - 60)}})


def partiql(table):
    run = resource().meta.client.execute_statement
    expect(
        "insert",
        run(Statement=f"INSERT INTO {NAME} VALUE {{'pk': ?, 'sk': ?, 'parts': [1, 'x'], 'name': 'it''s'}}", Parameters=["ql", 1])["Items"],
        [])
    expect_error("a duplicate", "DuplicateItemException", run, Statement=f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': 1}}")
    item = {"pk": "ql", "sk": 1, "parts": [1, "x"], "name": "it's"}
    expect("select", run(Statement=f'SELECT * FROM "{NAME}" WHERE pk = ? AND sk = ?', Parameters=["ql", 1])["Items"], [item])
    expect("nothing to select", run(Statement=f"SELECT * FROM {NAME} WHERE pk = 'ql' AND sk > 1")["Items"], [])
    answer = run(Statement=f"UPDATE {NAME} SET counter = 5 SET name = 'new' REMOVE parts[0] WHERE pk = 'ql' AND sk = 1 RETURNING ALL NEW *")
    item = {"pk": "ql", "sk": 1, "parts": ["x"], "name": "new", "counter": 5}
    expect("update", answer["Items"], [item])
    expect_error("an update of nothing",
                 "ConditionalCheckFailedException",
                 run,
                 Statement=f"UPDATE {NAME} SET counter = 5 WHERE pk = 'ql' AND sk = 2")
    answer = run(Statement=f'SELECT sk FROM "{NAME}"."ByOwner" WHERE owner = ? AND sk BETWEEN ? AND ? ORDER BY sk DESC',
                 Parameters=["ann", 1, 6])
    expect("an index", answer["Items"], [{"sk": 5}, {"sk": 3}, {"sk": 1}])
    first = run(Statement=f"SELECT sk FROM {NAME} WHERE pk = 'library'", Limit=20)
    second = run(Statement=f"SELECT sk FROM {NAME} WHERE pk = 'library'", Limit=20, NextToken=first["NextToken"])
    expect("pages of a statement", [item["sk"] for item in first["Items"] + second["Items"]], list(range(1, 31)))
    expect("the last page", "NextToken" in second, False)
    batch = resource().meta.client.batch_execute_statement(Statements=[{"Statement": f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': 2}}"}, {
        "Statement": f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': ?}}", "Parameters": [1]
    }, {"Statement": f"DELETE FROM {NAME} WHERE pk = 'ql' AND sk = 9"}])["Responses"]
    expect("a batch", [answer.get("Error", {}).get("Code") for answer in batch], [None, "DuplicateItem", None])
    transact = resource().meta.client.execute_transaction
    transact(
        TransactStatements=[{"Statement": f"EXISTS(SELECT * FROM {NAME} WHERE pk = 'ql' AND sk = 2 AND attribute_not_exists(counter))"},
                            {"Statement": f"UPDATE {NAME} SET counter = counter + 1 WHERE pk = 'ql' AND sk = 1"}])
    answer = transact(TransactStatements=[{"Statement": f"SELECT counter FROM {NAME} WHERE pk = 'ql' AND sk = ?", "Parameters": [number]}
                                          for number in [1, 2]])
    expect("read in one transaction", answer["Responses"], [{"Item": {"counter": 6}}, {"Item": {}}])
    answer = expect_error("a transaction that fails",
                          "TransactionCanceledException",
                          transact,
                          TransactStatements=[{"Statement": f"DELETE FROM {NAME} WHERE pk = 'ql' AND sk = 2"},
                                              {"Statement": f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': 1}}"}])
    expect("its reasons", [reason["Code"] for reason in answer["CancellationReasons"]], ["None", "DuplicateItem"])
    expect("delete", run(Statement=f"DELETE FROM {NAME} WHERE pk = 'ql' AND sk = 1 RETURNING ALL OLD *")["Items"], [{**item, "counter": 6}])
    expect("what is left", [item["sk"] for item in table.query(KeyConditionExpression=Key("pk").eq("ql"))["Items"]], [2])


def index_changes(table):
    """An index is added to a table with items: it has those with its keys, and goes again."""
    table.put_item(Item={"pk": "odd", "sk": 1, "title": "Untitled"})
    client().update_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "title", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{
            "Create": {**index("ByTitle", ["title"]), "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["owner"]}}
        }])
    state = lambda: {
        entry["IndexName"]: entry["IndexStatus"]
        for entry in client().describe_table(TableName=NAME)["Table"]["GlobalSecondaryIndexes"]
    }
    wait_for("the new index is ready", lambda: state() == {"ByOwner": "ACTIVE", "ByTitle": "ACTIVE"})
    answer = table.query(IndexName="ByTitle", KeyConditionExpression=Key("title").eq("Book 07"))
    expect("the new index", answer["Items"], [{"pk": "library", "sk": 7, "title": "Book 07", "owner": "ann"}])
    expect("all that have its key", table.scan(IndexName="ByTitle", Select="COUNT")["Count"], 56)
    table.put_item(Item={"pk": "odd", "sk": 1, "title": "Titled"})
    expect("it follows",
           [table.query(IndexName="ByTitle", KeyConditionExpression=Key("title").eq(title))["Count"] for title in ["Untitled", "Titled"]],
           [0, 1])
    expect_error("a key of another type", "ValidationException", table.put_item, Item={"pk": "odd", "sk": 1, "title": 5})
    client().update_table(TableName=NAME, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByTitle"}}])
    wait_for("the index is gone", lambda: state() == {"ByOwner": "ACTIVE"})
    answer = expect_error("a query of it",
                          "ValidationException",
                          table.query,
                          IndexName="ByTitle",
                          KeyConditionExpression=Key("title").eq("Titled"))
    expect("its message", answer["Error"]["Message"], "The table does not have the specified index: ByTitle")
    definitions = client().describe_table(TableName=NAME)["Table"]["AttributeDefinitions"]
    expect("its key is forgotten", {entry["AttributeName"] for entry in definitions}, {"pk", "sk", "owner", "score"})


def backups(table):
    restored = f"{NAME}_restored"
    made = client().create_backup(TableName=NAME, BackupName="kept")["BackupDetails"]
    arn = made["BackupArn"]
    expect("a new backup", [made["BackupStatus"], made["BackupType"]], ["CREATING", "USER"])
    describe = lambda: client().describe_backup(BackupArn=arn)["BackupDescription"]
    wait_for("the backup is ready", lambda: describe()["BackupDetails"]["BackupStatus"] == "AVAILABLE")
    found = describe()
    items = table.scan(ConsistentRead=True)["Items"]
    expect("its items", found["SourceTableDetails"]["ItemCount"], len(items))
    expect("its indexes", [entry["IndexName"] for entry in found["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"]], ["ByOwner"])
    pages = client().get_paginator("list_backups").paginate(TableName=NAME)
    expect("the backups", [backup["BackupArn"] for page in pages for backup in page["BackupSummaries"]], [arn])
    table.put_item(Item={"pk": "after", "sk": 1})
    answer = client().restore_table_from_backup(TargetTableName=restored, BackupArn=arn, LocalSecondaryIndexOverride=[])["TableDescription"]
    expect("a restore", [answer["TableStatus"], answer["RestoreSummary"]["RestoreInProgress"]], ["CREATING", True])
    client().get_waiter("table_exists").wait(TableName=restored, WaiterConfig=FAST)
    described = client().describe_table(TableName=restored)["Table"]
    expect("the end of the restore", described["RestoreSummary"]["RestoreInProgress"], False)
    expect("its local indexes", "LocalSecondaryIndexes" in described, False)
    order = lambda item: (item["pk"], item["sk"])
    expect("what is restored", sorted(resource().Table(restored).scan()["Items"], key=order), sorted(items, key=order))
    expect_error("a second restore", "TableAlreadyExistsException", client().restore_table_from_backup, TargetTableName=restored, BackupArn=arn)
    client().delete_table(TableName=restored)
    expect("the end of the backup", client().delete_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"], "DELETED")
    expect_error("no backup any more", "BackupNotFoundException", client().describe_backup, BackupArn=arn)


def point_in_time_recovery(table):
    restored = f"{NAME}_past"
    switch = lambda on: client().update_continuous_backups(
        TableName=NAME, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": on})["ContinuousBackupsDescription"]
    items = table.scan(ConsistentRead=True)["Items"]
    recovery = switch(True)["PointInTimeRecoveryDescription"]
    expect("its beginning", recovery["EarliestRestorableDateTime"], recovery["LatestRestorableDateTime"])
    # What happens in the millisecond of a time belongs to it.
    time.sleep(0.01)
    table.put_item(Item={"pk": "later", "sk": 1})
    table.delete_item(Key={"pk": items[0]["pk"], "sk": items[0]["sk"]})
    restore = functools.partial(client().restore_table_to_point_in_time, SourceTableName=NAME, TargetTableName=restored)
    too_early = recovery["EarliestRestorableDateTime"] - datetime.timedelta(seconds=1)
    expect_error("a time before", "InvalidRestoreTimeException", restore, RestoreDateTime=too_early)
    answer = restore(RestoreDateTime=recovery["EarliestRestorableDateTime"])["TableDescription"]
    expect("the time", answer["RestoreSummary"]["RestoreDateTime"], recovery["EarliestRestorableDateTime"])
    client().get_waiter("table_exists").wait(TableName=restored, WaiterConfig=FAST)
    order = lambda item: (item["pk"], item["sk"])
    expect("the past", sorted(resource().Table(restored).scan()["Items"], key=order), sorted(items, key=order))
    client().delete_table(TableName=restored)
    expect("no recovery", switch(False)["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "DISABLED")
    expect_error("a restore without", "PointInTimeRecoveryUnavailableException", restore, UseLatestRestorableTime=True)


def delete(table):
    expect("the answer", client().delete_table(TableName=NAME)["TableDescription"]["TableStatus"], "DELETING")
    client().get_waiter("table_not_exists").wait(TableName=NAME, WaiterConfig=FAST)
    answer = expect_error("a get", "ResourceNotFoundException", table.get_item, Key={"pk": "library", "sk": 1})
    expect("its message", answer["Error"]["Message"], "Requested resource not found")
    answer = expect_error("a description", "ResourceNotFoundException", client().describe_table, TableName=NAME)
    expect("its message", answer["Error"]["Message"], f"Requested resource not found: Table: {NAME} not found")


def main():
    table = create()
    fill(table)
    values(table)
    conditions(table)
    pages(table)
    other_paginators()
    transactions(table)
    arn = streams_of(table)
    time_to_live(table, arn)
    partiql(table)
    index_changes(table)
    backups(table)
    # A store of several processes has none (engine/store/README.md).
    if "--store" not in os.environ.get("DYNOLITH_FLAGS", ""):
        point_in_time_recovery(table)
    delete(table)


main()
