"""The common scenario with the AWS CLI: every call is a process, its output JSON, its errors a text and an exit code."""

import json
import subprocess
import tempfile
import time

from dynolith_client import expect, index, key_schema, wait_for

NAME = "scenario_cli"
ERROR_CODE = 255  # What version 1 of the command line ends with when the service answers with an error.


def run(service, operation, *arguments, **parameters):
    """The process's end. Parameters become options: structures as JSON, True as a flag."""
    command = ["aws", service, operation, *arguments]
    for name, value in parameters.items():
        command.append("--" + name.replace("_", "-"))
        if value is not True:
            command.append(value if isinstance(value, str) else json.dumps(value))
    return subprocess.run(command, capture_output=True, text=True, check=False)


def aws(operation, *arguments, service="dynamodb", **parameters):
    """The answer of a call that must succeed; None when it prints nothing."""
    result = run(service, operation, *arguments, **parameters)
    expect(f"{operation} {parameters}", (result.returncode, result.stderr), (0, ""))
    return json.loads(result.stdout) if result.stdout.strip() else None


def aws_error(operation, camel, code, message, **parameters):
    """The call must fail with exactly this on standard error."""
    result = run("dynamodb", operation, **parameters)
    expect(f"{operation}: exit code and output", (result.returncode, result.stdout), (ERROR_CODE, ""))
    error = result.stderr.strip().removeprefix("aws: [ERROR]: ")
    expect(f"{operation}: error", error, f"An error occurred ({code}) when calling the {camel} operation: {message}")


def book(number):
    return {
        "pk": {"S": "library"}, "sk": {"N": str(number)}, "owner": {"S": "ann" if number % 2 else "ben"}, "score": {"N": str(100 - number)}
    }


def shelf(number):
    return {"pk": {"S": f"shelf{number:02}"}, "sk": {"N": "0"}, "owner": {"S": "cas"}}


def key(pk, sk):
    return {"pk": {"S": pk}, "sk": {"N": str(sk)}}


def create():
    answer = aws("create-table",
                 table_name=NAME,
                 key_schema=key_schema(["pk", "sk"]),
                 billing_mode="PAY_PER_REQUEST",
                 attribute_definitions=[{"AttributeName": name, "AttributeType": kind}
                                        for name, kind in [("pk", "S"), ("sk", "N"), ("owner", "S"), ("score", "N")]],
                 global_secondary_indexes=[index("ByOwner", ["owner", "sk"])],
                 local_secondary_indexes=[index("ByScore", ["pk", "score"], "KEYS_ONLY")],
                 stream_specification="StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES")
    expect("a new table", answer["TableDescription"]["TableStatus"], "CREATING")
    expect("it exists", aws("wait", "table-exists", table_name=NAME), None)
    table = aws("describe-table", table_name=NAME)["Table"]
    expect("its keys", (table["TableStatus"], table["KeySchema"]), ("ACTIVE", key_schema(["pk", "sk"])))
    for group, wanted in [("GlobalSecondaryIndexes", index("ByOwner", ["owner", "sk"])),
                          ("LocalSecondaryIndexes", index("ByScore", ["pk", "score"], "KEYS_ONLY"))]:
        expect(group, [{name: entry[name] for name in wanted} for entry in table[group]], [wanted])
    return table


def fill():
    """Books come in batches of at most 25; one comes alone."""
    items = [book(number) for number in range(1, 30)] + [shelf(number) for number in range(25)]
    for start in range(0, len(items), 25):
        answer = aws("batch-write-item", request_items={NAME: [{"PutRequest": {"Item": item}} for item in items[start:start + 25]]})
        expect("all are written", answer, {"UnprocessedItems": {}})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(book(30), file)
        file.flush()
        answer = aws("put-item", table_name=NAME, item=f"file://{file.name}", return_consumed_capacity="INDEXES")
    expect(
        "a put and its cost", answer, {
            "ConsumedCapacity": {
                "TableName": NAME, "CapacityUnits": 3.0, "Table": {"CapacityUnits": 1.0},
                "LocalSecondaryIndexes": {"ByScore": {"CapacityUnits": 1.0}}, "GlobalSecondaryIndexes": {"ByOwner": {"CapacityUnits": 1.0}}
            }
        })
    expect("a consistent read", aws("get-item", "--consistent-read", table_name=NAME, key=key("library", 30)), {"Item": book(30)})
    expect("nothing there prints nothing", aws("get-item", table_name=NAME, key=key("library", 31)), None)
    keys = [key("library", number) for number in range(1, 11)] + [key(f"shelf{number:02}", 0) for number in range(10)]
    answer = aws("batch-get-item", request_items={NAME: {"Keys": keys, "ProjectionExpression": "sk"}})
    expect("a batch of 20", sorted(int(item["sk"]["N"]) for item in answer["Responses"][NAME]), [0] * 10 + list(range(1, 11)))


def conditions():
    # This version takes bytes as they are and prints them as base64.
    item = {**key("conditions", 1), "count": {"N": "1"}, "bytes": {"B": "\x00\x7f"}, "list": {"L": [{"S": "a"}]}}
    put = {"table_name": NAME, "item": item, "condition_expression": "attribute_not_exists(pk)"}
    expect("put if not exists", aws("put-item", **put), None)
    failed = ("ConditionalCheckFailedException", "The conditional request failed")
    aws_error("put-item", "PutItem", *failed, **put)
    aws_error("put-item", "PutItem", *failed, **put, return_values_on_condition_check_failure="ALL_OLD")
    answer = aws(
        "update-item",
        table_name=NAME,
        key=key("conditions", 1),
        return_values="UPDATED_NEW",
        condition_expression="#count = :one",
        update_expression="SET #list = list_append(#list, :more), fresh = :yes ADD #count :ten",
        expression_attribute_names={"#count": "count", "#list": "list"},
        expression_attribute_values={":one": {"N": "1"}, ":ten": {"N": "10"}, ":more": {"L": [{"S": "b"}]}, ":yes": {"BOOL": True}})
    updated = {"count": {"N": "11"}, "list": {"L": [{"S": "a"}, {"S": "b"}]}, "fresh": {"BOOL": True}}
    expect("updated values", answer, {"Attributes": updated})
    answer = aws("delete-item",
                 table_name=NAME,
                 key=key("conditions", 1),
                 return_values="ALL_OLD",
                 condition_expression="fresh = :yes",
                 expression_attribute_values={":yes": {"BOOL": True}})
    expect("the deleted item", answer, {"Attributes": {**item, **updated, "bytes": {"B": "AH8="}}})
    aws_error("put-item",
              "PutItem",
              "ValidationException",
              "One or more parameter values were invalid: Missing the key sk in the item",
              table_name=NAME,
              item={"pk": {"S": "a"}})


def pages():
    ask = {"table_name": NAME, "key_condition_expression": "pk = :pk", "expression_attribute_values": {":pk": {"S": "library"}}}
    found, token, sizes = [], {}, []
    while len(sizes) < 6:
        answer = aws("query", **ask, max_items="7", **token)
        numbers = [int(item["sk"]["N"]) for item in answer["Items"]]
        found, sizes = found + numbers, sizes + [len(numbers)]
        if "NextToken" not in answer:
            break
        token = {"starting_token": answer["NextToken"]}
    expect("the sizes of pages", sizes, [7, 7, 7, 7, 2])
    expect("every book once and in order", found, list(range(1, 31)))
    answer = aws("query", "--no-scan-index-forward", **ask, page_size="4")
    expect("small pages put together, backwards", [int(item["sk"]["N"]) for item in answer["Items"]], list(range(30, 0, -1)))
    expect("what they add up to", (answer["Count"], answer["ScannedCount"]), (30, 30))
    answer = aws("query",
                 table_name=NAME,
                 index_name="ByOwner",
                 key_condition_expression="#owner = :ann AND sk BETWEEN :low AND :high",
                 expression_attribute_names={"#owner": "owner"},
                 expression_attribute_values={":ann": {"S": "ann"}, ":low": {"N": "5"}, ":high": {"N": "9"}})
    expect("the global index", answer["Items"], [book(5), book(7), book(9)])
    result = run("dynamodb",
                 "query",
                 table_name=NAME,
                 index_name="ByScore",
                 key_condition_expression="pk = :pk AND score >= :least",
                 projection_expression="sk, score",
                 expression_attribute_values={":pk": {"S": "library"}, ":least": {"N": "98"}},
                 query="Items[].[sk.N, score.N]",
                 output="text")
    expect("the local index, as a text", (result.returncode, result.stdout), (0, "2\t98\n1\t99\n"))
    segments = [aws("scan", table_name=NAME, segment=str(number), total_segments="4", page_size="10")["Items"] for number in range(4)]
    found = sorted((item["pk"]["S"], int(item["sk"]["N"])) for segment in segments for item in segment)
    expect("a scan in four segments", found,
           [("library", number) for number in range(1, 31)] + [(f"shelf{number:02}", 0) for number in range(25)])
    answer = aws("scan",
                 table_name=NAME,
                 filter_expression="begins_with(pk, :shelf)",
                 expression_attribute_values={":shelf": {"S": "shelf"}},
                 select="COUNT")
    expect("a filter", answer, {"Count": 25, "ScannedCount": 55, "ConsumedCapacity": None})


def transactions():
    put = {"Put": {"TableName": NAME, "Item": {**key("moves", 1), "text": {"S": "new"}}, "ConditionExpression": "attribute_not_exists(pk)"}}
    update = {
        "Update": {
            "TableName": NAME, "Key": key("moves", 2), "UpdateExpression": "ADD #count :one",
            "ExpressionAttributeNames": {"#count": "count"}, "ExpressionAttributeValues": {":one": {"N": "1"}}
        }
    }
    delete = {"Delete": {"TableName": NAME, "Key": key("moves", 3)}}
    check = {
        "ConditionCheck": {
            "TableName": NAME, "Key": key("library", 1), "ConditionExpression": "score = :score",
            "ExpressionAttributeValues": {":score": {"N": "99"}}
        }
    }
    token = f"token-{time.time_ns()}"
    for _ in range(2):
        expect("a transaction, and the same token again",
               aws("transact-write-items", transact_items=[put, update, delete, check], client_request_token=token), None)
    result = run("dynamodb", "transact-write-items", transact_items=[put], client_request_token=token)
    expect("another payload with this token", (result.returncode, "(IdempotentParameterMismatchException)" in result.stderr),
           (ERROR_CODE, True))
    aws_error("transact-write-items",
              "TransactWriteItems",
              "TransactionCanceledException",
              "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]",
              transact_items=[check, put])
    answer = aws("transact-get-items", transact_items=[{"Get": {"TableName": NAME, "Key": key("moves", number)}} for number in [2, 3, 1]])
    expect("read in one transaction", answer,
           {"Responses": [{"Item": {**key("moves", 2), "count": {"N": "1"}}}, {}, {"Item": put["Put"]["Item"]}]})


def streams(table):
    """The items of the transaction, each with one record."""
    arn = table["LatestStreamArn"]
    expect("list", aws("list-streams", service="dynamodbstreams", table_name=NAME),
           {"Streams": [{"StreamArn": arn, "TableName": NAME, "StreamLabel": table["LatestStreamLabel"]}]})
    description = aws("describe-stream", service="dynamodbstreams", stream_arn=arn)["StreamDescription"]
    expect("describe", [description[name] for name in ["StreamArn", "StreamStatus", "StreamViewType", "TableName", "KeySchema"]],
           [arn, "ENABLED", "NEW_AND_OLD_IMAGES", NAME, key_schema(["pk", "sk"])])
    records = []
    for shard in description["Shards"]:
        iterator = aws("get-shard-iterator",
                       service="dynamodbstreams",
                       stream_arn=arn,
                       shard_id=shard["ShardId"],
                       shard_iterator_type="TRIM_HORIZON")["ShardIterator"]
        records += aws("get-records", service="dynamodbstreams", shard_iterator=iterator)["Records"]
    of = lambda pk: sorted((
        (record["eventName"], "OldImage" in record["dynamodb"], "NewImage" in record["dynamodb"], int(record["dynamodb"]["SequenceNumber"]))
        for record in records if record["dynamodb"]["Keys"]["pk"]["S"] == pk),
                           key=lambda entry: entry[3])
    expect("one record per write", [entry[:3] for entry in of("conditions")], [("INSERT", False, True), ("MODIFY", True, True),
                                                                               ("REMOVE", True, False)])
    expect("the transaction's records", [entry[:3] for entry in of("moves")], [("INSERT", False, True), ("INSERT", False, True)])


def time_to_live():
    expect("without TTL", aws("describe-time-to-live", table_name=NAME), {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}})
    answer = aws("update-time-to-live", table_name=NAME, time_to_live_specification="Enabled=true,AttributeName=expires")
    expect("the echo", answer, {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}})
    expect("with TTL", aws("describe-time-to-live", table_name=NAME),
           {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}})
    aws("put-item", table_name=NAME, item={**key("expired", 1), "expires": {"N": str(int(time.time()) - 60)}})
    wait_for("an expired item goes", lambda: aws("get-item", table_name=NAME, key=key("expired", 1)) is None)


def partiql():
    expect("insert", aws("execute-statement", statement=f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': 1, 'name': 'it''s'}}"),
           {"Items": []})
    aws_error("execute-statement",
              "ExecuteStatement",
              "DuplicateItemException",
              "Duplicate primary key exists in table",
              statement=f"INSERT INTO {NAME} VALUE {{'pk': 'ql', 'sk': 1}}")
    answer = aws("execute-statement",
                 statement=f"UPDATE {NAME} SET counter = ? WHERE pk = ? AND sk = ? RETURNING ALL NEW *",
                 parameters=[{"N": "5"}, {"S": "ql"}, {"N": "1"}])
    item = {**key("ql", 1), "name": {"S": "it's"}, "counter": {"N": "5"}}
    expect("update", answer, {"Items": [item]})
    answer = aws("batch-execute-statement",
                 statements=[{"Statement": f"SELECT * FROM {NAME} WHERE pk = 'ql' AND sk = {number}"} for number in [1, 2]])
    expect("a batch", answer, {"Responses": [{"TableName": NAME, "Item": item}, {"TableName": NAME}]})
    answer = aws("execute-transaction", transact_statements=[{"Statement": f"SELECT counter FROM {NAME} WHERE pk = 'ql' AND sk = 1"}])
    expect("a transaction", answer, {"Responses": [{"Item": {"counter": {"N": "5"}}}]})
    expect("delete", aws("execute-statement", statement=f"DELETE FROM {NAME} WHERE pk = 'ql' AND sk = 1"), {"Items": []})


def other_features(table):
    arn = table["TableArn"]
    expect("a tag prints nothing", aws("tag-resource", resource_arn=arn, tags="Key=team,Value=blue"), None)
    expect("the tags", aws("list-tags-of-resource", resource_arn=arn), {"Tags": [{"Key": "team", "Value": "blue"}]})
    answer = aws("describe-continuous-backups", table_name=NAME)["ContinuousBackupsDescription"]
    expect("backups", (answer["ContinuousBackupsStatus"], answer["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]),
           ("ENABLED", "DISABLED"))
    expect("the tables", NAME in aws("list-tables")["TableNames"], True)


def index_changes():
    aws("update-table",
        table_name=NAME,
        attribute_definitions="AttributeName=score,AttributeType=N",
        global_secondary_index_updates=[{"Create": index("ByScoreOnly", ["score"])}])
    states = lambda: {
        entry["IndexName"]: entry["IndexStatus"]
        for entry in aws("describe-table", table_name=NAME)["Table"]["GlobalSecondaryIndexes"]
    }
    wait_for("the new index is ready", lambda: states() == {"ByOwner": "ACTIVE", "ByScoreOnly": "ACTIVE"})
    answer = aws("query",
                 table_name=NAME,
                 index_name="ByScoreOnly",
                 key_condition_expression="score = :score",
                 expression_attribute_values={":score": {"N": "93"}})
    expect("it has what was there", answer["Items"], [book(7)])
    aws("update-table", table_name=NAME, global_secondary_index_updates=[{"Delete": {"IndexName": "ByScoreOnly"}}])
    wait_for("it is gone", lambda: states() == {"ByOwner": "ACTIVE"})


def delete():
    expect("the answer", aws("delete-table", table_name=NAME)["TableDescription"]["TableStatus"], "DELETING")
    expect("it is gone", aws("wait", "table-not-exists", table_name=NAME), None)
    aws_error("get-item", "GetItem", "ResourceNotFoundException", "Requested resource not found", table_name=NAME, key=key("library", 1))
    aws_error("describe-table",
              "DescribeTable",
              "ResourceNotFoundException",
              f"Requested resource not found: Table: {NAME} not found",
              table_name=NAME)


def main():
    table = create()
    fill()
    conditions()
    pages()
    transactions()
    streams(table)
    time_to_live()
    partiql()
    other_features(table)
    index_changes()
    delete()


main()
