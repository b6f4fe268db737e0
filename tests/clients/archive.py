"""A table's archive with boto3: exported to a bucket, read back there, imported as another table, put into that again; Kinesis destinations and scaling.

The server needs a folder of buckets with one that is called "archive" (run_clients.py).
"""

from dynolith_client import client, expect, expect_error, index, key_schema, resource

NAME = "archive_letters"
COPY = "archive_copy"
FAST = {"Delay": 1, "MaxAttempts": 120}
DEFINITIONS = [{"AttributeName": name, "AttributeType": kind} for name, kind in [("writer", "S"), ("number", "N"), ("year", "N")]]
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/letters"


def create():
    client().create_table(TableName=NAME, KeySchema=key_schema(["writer", "number"]), BillingMode="PAY_PER_REQUEST",
                          AttributeDefinitions=DEFINITIONS, GlobalSecondaryIndexes=[index("ByYear", ["year"])])
    client().get_waiter("table_exists").wait(TableName=NAME, WaiterConfig=FAST)
    table = resource().Table(NAME)
    with table.batch_writer() as batch:
        for number in range(100):
            batch.put_item(Item={"writer": "anna" if number % 3 else "béla", "number": number, "year": 1900 + number // 10,
                                 "pages": ["first", {"ink": b"\x00\xff", "stains": {1, 2, 3}}], "lost": number == 99, "seal": None})
    return table.meta.client.describe_table(TableName=NAME)["Table"]["TableArn"]


def export(arn):
    ask = {"TableArn": arn, "S3Bucket": "archive", "S3Prefix": "letters", "ClientToken": "one"}
    expect_error("without point-in-time recovery", "PointInTimeRecoveryUnavailableException", client().export_table_to_point_in_time, **ask)
    client().update_continuous_backups(TableName=NAME, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    description = client().export_table_to_point_in_time(**ask)["ExportDescription"]
    expect("an export", description["ExportStatus"], "IN_PROGRESS")
    expect("the same again", client().export_table_to_point_in_time(**ask)["ExportDescription"]["ExportArn"], description["ExportArn"])
    expect_error("another with its token", "ExportConflictException", client().export_table_to_point_in_time, **{**ask, "S3Prefix": "others"})
    client().get_waiter("export_completed").wait(ExportArn=description["ExportArn"], WaiterConfig=FAST)
    done = client().describe_export(ExportArn=description["ExportArn"])["ExportDescription"]
    expect("what is exported", [done["ExportStatus"], done["ItemCount"], done["ExportFormat"]], ["COMPLETED", 100, "DYNAMODB_JSON"])
    expect("the exports", [entry["ExportArn"] for entry in client().list_exports(TableArn=arn)["ExportSummaries"]], [description["ExportArn"]])
    return done["ExportManifest"].rsplit("/", 1)[0] + "/data/"


def copy(prefix):
    description = client().import_table(S3BucketSource={"S3Bucket": "archive", "S3KeyPrefix": prefix}, InputFormat="DYNAMODB_JSON",
                                        InputCompressionType="GZIP", TableCreationParameters={
                                            "TableName": COPY, "KeySchema": key_schema(["writer", "number"]), "BillingMode": "PAY_PER_REQUEST",
                                            "AttributeDefinitions": DEFINITIONS, "GlobalSecondaryIndexes": [index("ByYear", ["year"])]
                                        })["ImportTableDescription"]
    expect("an import", description["ImportStatus"], "IN_PROGRESS")
    client().get_waiter("import_completed").wait(ImportArn=description["ImportArn"], WaiterConfig=FAST)
    done = client().describe_import(ImportArn=description["ImportArn"])["ImportTableDescription"]
    expect("what is imported", [done["ProcessedItemCount"], done["ImportedItemCount"], done["ErrorCount"]], [100, 100, 0])
    items = lambda name, **more: sorted(resource().Table(name).scan(**more)["Items"], key=lambda item: (item["writer"], item["number"]))
    expect("the copy", items(COPY), items(NAME))
    expect("its index", items(COPY, IndexName="ByYear"), items(NAME, IndexName="ByYear"))


def put_back(prefix):
    """What was exported, once more into the copy: the waiter and the paginator. boto3 has them from November 2026 on."""
    if not hasattr(client(), "start_bulk_put_items"):
        return
    resource().Table(COPY).delete_item(Key={"writer": "anna", "number": 1})
    started = client().start_bulk_put_items(
        TableName=COPY, InputS3Configuration={"S3Bucket": "archive", "S3KeyPrefix": prefix, "InputFormat": "DYNAMODB_JSON",
                                              "InputCompressionType": "GZIP"},
        OutputS3Configuration={"S3Bucket": "archive", "S3KeyPrefix": "reports", "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"]})
    arn = started["BulkOperationDescription"]["BulkOperationArn"]
    client().get_waiter("bulk_operation_completed").wait(BulkOperationArn=arn, WaiterConfig=FAST)
    done = client().describe_bulk_operation(BulkOperationArn=arn)["BulkOperationDescription"]
    expect("what is put back", [done["BulkOperationStatus"], done["ProcessedItemCount"], done["FailedItemCount"]], ["COMPLETED", 100, 0])
    expect("all of it", resource().Table(COPY).scan(Select="COUNT")["Count"], 100)
    pages = client().get_paginator("list_bulk_operations").paginate()
    expect("the bulk operations", [entry["BulkOperationArn"] for page in pages for entry in page["BulkOperationsSummaryList"]], [arn])
    expect("one that has ended", client().cancel_bulk_operation(BulkOperationArn=arn)["BulkOperationStatus"], "COMPLETED")


def destinations():
    ask = {"TableName": NAME, "StreamArn": STREAM}
    expect("a destination", client().enable_kinesis_streaming_destination(**ask)["DestinationStatus"], "ENABLING")
    state = lambda: [(entry["StreamArn"], entry["DestinationStatus"])
                     for entry in client().describe_kinesis_streaming_destination(TableName=NAME)["KinesisDataStreamDestinations"]]
    expect("it is there", state(), [(STREAM, "ACTIVE")])
    client().update_kinesis_streaming_destination(
        **ask, UpdateKinesisStreamingConfiguration={"ApproximateCreationDateTimePrecision": "MICROSECOND"})
    expect("its end", client().disable_kinesis_streaming_destination(**ask)["DestinationStatus"], "DISABLING")
    expect("it is remembered", state(), [(STREAM, "DISABLED")])


def scaling():
    target = {"ScalingPolicyUpdate": {"TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70.0}}, "MinimumUnits": 5, "MaximumUnits": 50}
    changed = client().update_table_replica_auto_scaling(TableName=NAME, ProvisionedWriteCapacityAutoScalingUpdate=target)
    settings = changed["TableAutoScalingDescription"]["Replicas"][0]["ReplicaProvisionedWriteCapacityAutoScalingSettings"]
    expect("the scaling", [settings["MinimumUnits"], settings["MaximumUnits"]], [5, 50])
    shown = client().describe_table_replica_auto_scaling(TableName=NAME)["TableAutoScalingDescription"]
    expect("it stays", shown["Replicas"][0]["RegionName"], "us-east-1")


def main():
    arn = create()
    exported = export(arn)
    copy(exported)
    put_back(exported)
    destinations()
    scaling()
    for name in [NAME, COPY]:
        client().delete_table(TableName=name)


main()
