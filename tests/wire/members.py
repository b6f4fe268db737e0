"""What members_test.py asks: requests that succeed, as far as they can, and what they need to be there. In strings, $TABLE is a new
table's name, $ARN its ARN; preparations add other $NAMES."""

import re
import time

ACCOUNT = "arn:aws:dynamodb:us-east-1:000000000000"
KEY = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
DEFINITIONS = [{"AttributeName": name, "AttributeType": kind} for name, kind in (("pk", "S"), ("sk", "N"), ("g", "S"), ("n", "N"))]
ALL = {"ProjectionType": "ALL"}
BY_G = {"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": ALL}
BY_N = {"IndexName": "by-n", "KeySchema": [KEY[0], {"AttributeName": "n", "KeyType": "RANGE"}], "Projection": ALL}
VECTORS = {"IndexName": "by-v", "VectorAttribute": {"AttributeName": "v"}, "Dimensions": 2, "Projection": ALL,
           "DistanceFunction": "COSINE", "SearchSchema": [{"AttributeName": "g", "SearchSchemaElementType": "INLINE_FILTER"}]}
NEW_TABLE = {"TableName": "$TABLE", "KeySchema": KEY, "AttributeDefinitions": DEFINITIONS, "BillingMode": "PAY_PER_REQUEST",
             "GlobalSecondaryIndexes": [BY_G], "LocalSecondaryIndexes": [BY_N]}
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
MORE = {"ReadCapacityUnits": 6, "WriteCapacityUnits": 6}
PROVISIONED = {**NEW_TABLE, "BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS,
               "GlobalSecondaryIndexes": [{**BY_G, "ProvisionedThroughput": UNITS}]}
POLICY = ('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "111122223333"}, '
          '"Action": "dynamodb:GetItem", "Resource": "*"}]}')
ITEM_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def item(number, **more):
    return {"pk": {"S": "a"}, "sk": {"N": str(number)}, "g": {"S": "x"}, "n": {"N": str(number)},
            "v": {"L": [{"N": str(number)}, {"N": "1"}]}, **more}


# --- What is there before a call ---

def make(ask, known, table=NEW_TABLE):
    stream = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}
    answer = ask("CreateTable", **{**table, "TableName": known["$TABLE"], **stream})
    known["$STREAM"] = answer["TableDescription"]["LatestStreamArn"]
    for number in range(3):
        ask("PutItem", TableName=known["$TABLE"], Item=item(number))


def make_provisioned(ask, known):
    make(ask, known, PROVISIONED)


def make_vectors(ask, known):
    make(ask, known, {**NEW_TABLE, "VectorIndexes": [VECTORS]})


def make_recoverable(ask, known):
    make_vectors(ask, known)
    ask("UpdateContinuousBackups", TableName=known["$TABLE"],
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})


def make_past(ask, known):
    known['"$EARLIER"'] = "2000000000"
    make_recoverable(ask, known)
    known['"$EARLIER"'] = str(ask("!advance", seconds=1200) - 1200)


def make_backup(ask, known):
    make_vectors(ask, known)
    for _ in range(2):
        backup = ask("CreateBackup", TableName=known["$TABLE"], BackupName="backup")
        known["$BACKUP"] = backup["BackupDetails"]["BackupArn"]


def make_tags(ask, known):
    make(ask, known)
    ask("TagResource", ResourceArn=known["$ARN"], Tags=[{"Key": "aaaa", "Value": "x"}, {"Key": "bbbb", "Value": "y"}])


def make_policy(ask, known):
    make(ask, known)
    known["$REVISION"] = ask("PutResourcePolicy", ResourceArn=known["$ARN"], Policy=POLICY)["RevisionId"]


def make_destination(ask, known):
    make(ask, known)
    ask("EnableKinesisStreamingDestination", TableName=known["$TABLE"], StreamArn=KINESIS)


def make_insights(ask, known):
    make(ask, known)
    for index in ({}, {"IndexName": "by-g"}):
        ask("UpdateContributorInsights", TableName=known["$TABLE"], ContributorInsightsAction="ENABLE", **index)


def make_shard(ask, known):
    make(ask, known)
    for shard in ask("DescribeStream", StreamArn=known["$STREAM"])["StreamDescription"]["Shards"]:
        iterator = ask("GetShardIterator", StreamArn=known["$STREAM"], ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        records = ask("GetRecords", ShardIterator=iterator["ShardIterator"])["Records"]
        if records:
            known.update({"$SHARD": shard["ShardId"], "$ITERATOR": iterator["ShardIterator"],
                          "$NUMBER": records[1]["dynamodb"]["SequenceNumber"]})


def wait(ask, kind, arn):
    """Until a transfer has ended: so many at a time and no more are allowed."""
    operation, description, member, status = {
        "Export": ("DescribeExport", "ExportDescription", "ExportArn", "ExportStatus"),
        "Import": ("DescribeImport", "ImportTableDescription", "ImportArn", "ImportStatus"),
        "BulkOperation": ("DescribeBulkOperation", "BulkOperationDescription", "BulkOperationArn", "BulkOperationStatus")}[kind]
    for _ in range(30_000):
        if ask(operation, **{member: arn})[description][status] != "IN_PROGRESS":
            return
        time.sleep(0.01)
    raise AssertionError(f"{arn} stays in progress")


def wait_for_transfer(ask, text):
    """For the one that an answer begins."""
    for kind in ("Export", "Import", "BulkOperation"):
        begun = re.search(f'"{kind}Arn": "([^"]*)", .*"{kind}Status": "IN_PROGRESS"', text)
        if begun:
            wait(ask, kind, begun.group(1))


def make_export(ask, known):
    make_recoverable(ask, known)
    for _ in range(2):
        answer = ask("ExportTableToPointInTime", TableArn=known["$ARN"], S3Bucket="none")
        known["$EXPORT"] = answer["ExportDescription"]["ExportArn"]
        wait(ask, "Export", known["$EXPORT"])


def make_import(ask, known):
    for token in ("first", "second"):
        answer = ask("ImportTable", ClientToken=token, S3BucketSource={"S3Bucket": "none"}, InputFormat="ION", TableCreationParameters={
            "TableName": known["$TABLE"], "KeySchema": KEY, "AttributeDefinitions": DEFINITIONS[:2], "BillingMode": "PAY_PER_REQUEST"})
        known["$IMPORT"] = answer["ImportTableDescription"]["ImportArn"]
        wait(ask, "Import", known["$IMPORT"])


def make_bulk_put(ask, known):
    make(ask, known)
    for _ in range(2):
        answer = ask("StartBulkPutItems", TableName=known["$TABLE"], InputS3Configuration={"S3Bucket": "none", "InputFormat": "ION"},
                     OutputS3Configuration={"S3Bucket": "none", "OutputType": ["ERROR"]})
        known["$BULK"] = answer["BulkOperationDescription"]["BulkOperationArn"]
        wait(ask, "BulkOperation", known["$BULK"])


KINESIS = "arn:aws:kinesis:us-east-1:000000000000:stream/one"
OTHER_KINESIS = "arn:aws:kinesis:us-east-1:000000000000:stream/two"

# --- What is asked: (preparation, request) ---

TOTAL = {"ReturnConsumedCapacity": "TOTAL"}
FAILS = {"ConditionExpression": "n = :nine", "ExpressionAttributeValues": {":nine": {"N": "9"}}}
LEGACY = [{"Expected": {"n": {"Value": {"N": "1"}}}},
          {"Expected": {"n": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]}}},
          {"Expected": {"n": {"Value": {"N": "1"}}, "g": {"Value": {"S": "y"}}}}]
WRITES = [{**TOTAL, **more} for more in ({}, FAILS, *LEGACY)]
ACTION_FAILS = {"TableName": "$TABLE", "ConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "9"}}}
STATEMENTS = [{"Statement": "SELECT * FROM \"$TABLE\" WHERE pk = 'a' AND sk = 1"},
              {"Statement": "SELECT * FROM \"$TABLE\" WHERE pk = 'a' AND sk = ?", "Parameters": [{"N": "1"}]},
              {"Statement": "UPDATE \"$TABLE\" SET x = 1 WHERE pk = 'a' AND sk = 1 AND n = 9"}]
POINT_POLICY = {"ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 50}}}
SCALING = {"MinimumUnits": 5, "MaximumUnits": 10, **POINT_POLICY}
EXPORT = {"TableArn": "$ARN", "S3Bucket": "bucket"}
INCREMENT = {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {"ExportFromTime": "$EARLIER"}}
IMPORT = {"ClientToken": "$TABLE", "S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "CSV",
          "TableCreationParameters": {**NEW_TABLE, "AttributeDefinitions": DEFINITIONS[:3]}}
IMPORTS = [IMPORT, {**IMPORT, "TableCreationParameters": {**PROVISIONED, "AttributeDefinitions": DEFINITIONS[:3]}},
           {**IMPORT, "TableCreationParameters": {**NEW_TABLE, "AttributeDefinitions": DEFINITIONS[:3], "VectorIndexes": [VECTORS]}}]
OVERRIDES = [{}, {"GlobalSecondaryIndexOverride": [BY_G], "LocalSecondaryIndexOverride": [BY_N]}, {"VectorIndexOverride": [VECTORS]},
             {"BillingModeOverride": "PROVISIONED", "ProvisionedThroughputOverride": UNITS, "VectorIndexOverride": [],
              "GlobalSecondaryIndexOverride": [{**BY_G, "ProvisionedThroughput": UNITS}]}]


def of_table(*requests, by=make):
    return [(by, {"TableName": "$TABLE", **request}) for request in requests or ({},)]


REQUESTS = {
    "BatchExecuteStatement": [(make, {"Statements": [statement], **TOTAL}) for statement in STATEMENTS],
    "BatchGetItem": [(make, {"RequestItems": {"$TABLE": {"Keys": [ITEM_KEY]}}, **TOTAL})],
    "BatchWriteItem": [(make, {"RequestItems": {"$TABLE": [write]}, **TOTAL})
                       for write in ({"PutRequest": {"Item": item(7)}}, {"DeleteRequest": {"Key": ITEM_KEY}})],
    "CancelBulkOperation": [(make_bulk_put, {"BulkOperationArn": "$BULK"})],
    "CreateBackup": of_table({"BackupName": "backup"}),
    "CreateTable": [(None, {**NEW_TABLE, "Tags": [{"Key": "k", "Value": "v"}]}), (None, PROVISIONED),
                    (None, {**NEW_TABLE, "VectorIndexes": [VECTORS]})],
    "DeleteBackup": [(make_backup, {"BackupArn": "$BACKUP"})],
    "DeleteItem": of_table(*({"Key": ITEM_KEY, **write} for write in WRITES)),
    "DeleteResourcePolicy": [(make_policy, {"ResourceArn": "$ARN"})],
    "DeleteTable": of_table(),
    "DescribeBackup": [(make_backup, {"BackupArn": "$BACKUP"})],
    "DescribeBulkOperation": [(make_bulk_put, {"BulkOperationArn": "$BULK"})],
    "DescribeContinuousBackups": of_table(),
    "DescribeContributorInsights": of_table(by=make_insights),
    "DescribeExport": [(make_export, {"ExportArn": "$EXPORT"})],
    "DescribeImport": [(make_import, {"ImportArn": "$IMPORT"})],
    "DescribeKinesisStreamingDestination": of_table(),
    "DescribeStream": [(make_shard, {"StreamArn": "$STREAM"}),
                       (make_shard, {"StreamArn": "$STREAM", "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "$SHARD"}})],
    "DescribeTable": of_table(),
    "DescribeTableReplicaAutoScaling": of_table(),
    "DescribeTimeToLive": of_table(),
    "DisableKinesisStreamingDestination": of_table({"StreamArn": KINESIS}, by=make_destination),
    "EnableKinesisStreamingDestination": of_table({"StreamArn": KINESIS}),
    "ExecuteStatement": [(make, {**statement, **TOTAL}) for statement in STATEMENTS],
    "ExecuteTransaction": [(make, {"TransactStatements": [statement], **TOTAL}) for statement in (
        *STATEMENTS, {"Statement": "INSERT INTO \"$TABLE\" VALUE {'pk': 'new', 'sk': 1}"})],
    "ExportTableToPointInTime": [(make_recoverable, EXPORT), (make_recoverable, {**EXPORT, "S3SseAlgorithm": "KMS"}),
                                 (make_past, {**EXPORT, **INCREMENT}),
                                 (make_recoverable, {**EXPORT, "FilterSpecification": {"FilterExpression": "n = n"}})],
    "GetItem": of_table({"Key": ITEM_KEY, **TOTAL}),
    "GetRecords": [(make_shard, {"ShardIterator": "$ITERATOR"})],
    "GetResourcePolicy": [(make_policy, {"ResourceArn": "$ARN"})],
    "GetShardIterator": [(make_shard, {"StreamArn": "$STREAM", "ShardId": "$SHARD", "ShardIteratorType": "TRIM_HORIZON"})],
    "ImportTable": [(None, request) for request in IMPORTS],
    "ListBackups": of_table({}, by=make_backup),
    "ListBulkOperations": [(make_bulk_put, {})],
    "ListContributorInsights": of_table(by=make_insights),
    "ListExports": [(make_export, {"TableArn": "$ARN"})],
    "ListImports": [(make_import, {"TableArn": "$ARN"})],
    "ListStreams": of_table() + [(make, {})],
    "ListTables": [(make, {"Limit": 1})],
    "ListTagsOfResource": [(make_tags, {"ResourceArn": "$ARN"})],
    "PutItem": of_table(*({"Item": item(1), **write} for write in WRITES)),
    "PutResourcePolicy": [(make, {"ResourceArn": "$ARN", "Policy": POLICY})],
    "Query": of_table({"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}, **TOTAL},
                      {"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}, **TOTAL},
                      {"KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]}}, **TOTAL,
                       "QueryFilter": {"n": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]},
                                       "g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "y"}]}}}),
    "RestoreTableFromBackup": [(make_backup, {"TargetTableName": "$TABLE-new", "BackupArn": "$BACKUP", **overrides})
                               for overrides in OVERRIDES],
    "RestoreTableToPointInTime": [(make_recoverable, {"SourceTableName": "$TABLE", "TargetTableName": "$TABLE-new",
                                                      "UseLatestRestorableTime": True, **overrides}) for overrides in OVERRIDES],
    "Scan": of_table(TOTAL, {"ScanFilter": {"n": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]},
                                            "g": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "y"}]}}, **TOTAL},
                     {"Segment": 0, "TotalSegments": 2}),
    "SearchVectors": of_table({"IndexName": "by-v", "SearchVector": [{"N": "1"}, {"N": "0"}], "TopK": 2, **TOTAL}, by=make_vectors),
    "StartBulkPutItems": of_table({"InputS3Configuration": {"S3Bucket": "bucket", "InputFormat": "ION"},
                                   "OutputS3Configuration": {"S3Bucket": "bucket", "OutputType": ["ERROR"],
                                                             "S3SseAlgorithm": "KMS"}}),
    "TagResource": [(make, {"ResourceArn": "$ARN", "Tags": [{"Key": "k", "Value": "v"}]})],
    "TransactGetItems": [(make, {"TransactItems": [{"Get": {"TableName": "$TABLE", "Key": ITEM_KEY}}], **TOTAL})],
    "TransactWriteItems": [(make, {"TransactItems": [{action: {**ACTION_FAILS, **more}}], **TOTAL}) for action, more in (
        ("ConditionCheck", {"Key": ITEM_KEY}), ("Put", {"Item": item(1)}), ("Delete", {"Key": ITEM_KEY}),
        ("Update", {"Key": ITEM_KEY, "UpdateExpression": "SET x = :n"}))] + [
            (make, {"TransactItems": [{"Put": {"TableName": "$TABLE", "Item": item(8)}}], **TOTAL})],
    "UntagResource": [(make_tags, {"ResourceArn": "$ARN", "TagKeys": ["aaaa"]})],
    "UpdateContinuousBackups": of_table({"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}),
    "UpdateContributorInsights": of_table({"ContributorInsightsAction": "ENABLE"}),
    "UpdateItem": of_table(*({"Key": ITEM_KEY, **write} for write in WRITES), {
        "Key": ITEM_KEY, "UpdateExpression": "SET x = n", "ConditionExpression": "n = :nine",
        "ExpressionAttributeValues": {":nine": {"N": "9"}}}),
    "UpdateKinesisStreamingDestination": of_table({
        "StreamArn": KINESIS, "UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": "MICROSECOND"}},
        by=make_destination),
    "UpdateTable": of_table(
        {}, {"StreamSpecification": {"StreamEnabled": False}}, {"SSESpecification": {"Enabled": True, "SSEType": "KMS"}},
        {"AttributeDefinitions": DEFINITIONS, "GlobalSecondaryIndexUpdates": [{"Create": {**BY_G, "IndexName": "new"}}]},
        # Definitions that no key needs make none.
        {"AttributeDefinitions": [{"AttributeName": "new", "AttributeType": "S"}], "GlobalSecondaryIndexUpdates": [
            {"Create": {**BY_G, "IndexName": "new", "KeySchema": [{"AttributeName": "new", "KeyType": "HASH"}]}}]},
        {"VectorIndexUpdates": [{"Create": VECTORS}]}, {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "by-g"}}]},
        {"ReplicaUpdates": [{"Disassociate": {"RegionName": "us-east-1", "DisassociationMode": "WAIT_FOR_REPLICATION"}}]}) + of_table(
            {"ProvisionedThroughput": MORE},
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "by-g", "ProvisionedThroughput": MORE}}]},
            {"AttributeDefinitions": DEFINITIONS, "GlobalSecondaryIndexUpdates": [
                {"Create": {**BY_G, "IndexName": "new", "ProvisionedThroughput": UNITS}}]}, by=make_provisioned),
    "UpdateTableReplicaAutoScaling": of_table(
        {"ProvisionedWriteCapacityAutoScalingUpdate": SCALING},
        {"GlobalSecondaryIndexUpdates": [{"IndexName": "by-g", "ProvisionedWriteCapacityAutoScalingUpdate": SCALING}]},
        {"ReplicaUpdates": [{"RegionName": "us-east-1", "ReplicaProvisionedReadCapacityAutoScalingUpdate": SCALING,
                             "ReplicaGlobalSecondaryIndexUpdates": [{"IndexName": "by-g",
                                                                     "ProvisionedReadCapacityAutoScalingUpdate": SCALING}]}]},
        by=make_provisioned),
    "UpdateTimeToLive": of_table({"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}),
}

# --- What members may be, where the model does not say enough; the first pattern counts ---

VALUES = {
    "*TargetTableName": ["$TABLE-new", "$TABLE"],
    "CreateTable.TableName": ["$TABLE", "$TABLE-new"],
    "ImportTable.*.TableName": ["$TABLE", "$TABLE-new"],
    "*TableName": ["$TABLE", "absent"],
    "*IndexName": ["by-g", "none"],
    "*Kinesis*.StreamArn": [KINESIS, OTHER_KINESIS],
    "*StreamArn": ["$STREAM", "$STREAM1"],
    "*ResourceArn": ["$ARN", "$ARN-absent"],
    "*TableArn": ["$ARN", "$ARN-absent"],
    "*BackupArn": ["$BACKUP", "$BACKUP0"],
    "*ShardId": ["$SHARD", "$SHARD0"],
    "ListBackups.TimeRange*": [1600000000, 4000000000],
}

# --- What else shows what a call has done: (operation, member, $NAME) ---

TABLE_STATE = (("Scan", "TableName", "$TABLE"), ("DescribeTable", "TableName", "$TABLE"))
PROBES = {
    **{operation: TABLE_STATE for operation in (
        "BatchExecuteStatement", "BatchWriteItem", "CreateTable", "DeleteItem", "ExecuteStatement", "ExecuteTransaction", "PutItem",
        "TransactWriteItems", "UpdateItem")},
    **{operation: (("ListTagsOfResource", "ResourceArn", "$ARN"),) for operation in ("TagResource", "UntagResource")},
    "CreateTable": (*TABLE_STATE, ("ListTagsOfResource", "ResourceArn", "$ARN")),
    "PutResourcePolicy": (("GetResourcePolicy", "ResourceArn", "$ARN"),),
}

# --- Members that make no difference, and why ---

EXEMPT = {
    "CreateGlobalTable.*": "refused, whatever it says",
    "UpdateGlobalTable.*": "refused, whatever it says",
    "UpdateGlobalTableSettings.*": "there is no global table of 2017, whatever is asked of it",
    "ListGlobalTables.*": "there is none to be listed",
    "PutResourcePolicy.ConfirmRemoveSelfResourceAccess": "no policy is enforced, so none removes access",
    "UpdateTable.ReplicaUpdates.*.Disassociate.DisassociationMode": "has one value only",
}
