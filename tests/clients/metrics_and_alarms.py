"""A program under test and its dashboard: tables by boto3, then the metrics and alarms of them by boto3's CloudWatch client, in
each protocol that CloudWatch's model knows, on a manual clock. Needs --admin --cloudwatch --clock manual."""

import contextlib
import datetime
import json
import unittest.mock
import urllib.request

import boto3
import botocore.model
from dynolith_client import ENDPOINT, client, expect, expect_error

TABLE = "measured"
DIMENSIONS = [{"Name": "TableName", "Value": TABLE}]
# With the type of their requests.
PROTOCOLS = {"smithy-rpc-v2-cbor": "application/cbor", "json": "application/x-amz-json-1.0",
             "query": "application/x-www-form-urlencoded; charset=utf-8"}


def admin(path, body):
    request = urllib.request.Request(f"{ENDPOINT}/_dynolith/{path}", json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def advance(seconds):
    return datetime.datetime.fromtimestamp(admin("clock/advance", {"seconds": seconds})["now"], datetime.timezone.utc)


@contextlib.contextmanager
def cloudwatch(protocol):
    """A client that speaks the protocol, which SDKs of another age choose by themselves."""
    with unittest.mock.patch.object(botocore.model.ServiceModel, "resolved_protocol", protocol):
        watch = boto3.client("cloudwatch", endpoint_url=ENDPOINT)
        said = []
        watch.meta.events.register("before-send.cloudwatch.*", lambda request, **_: said.append(request.headers["Content-Type"]))
        watch.list_metrics()
        expect(protocol, [kind.decode() if isinstance(kind, bytes) else kind for kind in said], [PROTOCOLS[protocol]])
        yield watch


def check_metrics(watch, minute):
    """Of a minute in which two items were put and one condition was false."""
    span = {"StartTime": minute, "EndTime": minute + datetime.timedelta(minutes=1)}
    names = {metric["MetricName"] for page in watch.get_paginator("list_metrics").paginate(
        Namespace="AWS/DynamoDB", Dimensions=[{"Name": "TableName", "Value": TABLE}]) for metric in page["Metrics"]}
    expect("missing metrics",
           {"ConsumedWriteCapacityUnits", "ConditionalCheckFailedRequests", "SuccessfulRequestLatency"} - names, set())
    points = watch.get_metric_statistics(Namespace="AWS/DynamoDB", MetricName="ConsumedWriteCapacityUnits", Dimensions=DIMENSIONS,
                                         Period=60, Statistics=["Sum", "SampleCount", "Maximum"], ExtendedStatistics=["p100"],
                                         **span)["Datapoints"]
    expect("statistics", points, [{"Timestamp": minute, "Sum": 3.0, "SampleCount": 3.0, "Maximum": 1.0, "Unit": "Count",
                                   "ExtendedStatistics": {"p100": 1.0}}])
    metric = {"Namespace": "AWS/DynamoDB", "MetricName": "ConditionalCheckFailedRequests", "Dimensions": DIMENSIONS}
    result = watch.get_metric_data(MetricDataQueries=[
        {"Id": "failed", "Label": "false conditions", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}}], **span)
    expect("data", result["MetricDataResults"], [{"Id": "failed", "Label": "false conditions", "Timestamps": [minute],
                                                  "Values": [1.0], "StatusCode": "Complete"}])
    result = watch.get_metric_data(MetricDataQueries=[
        {"Id": "none", "MetricStat": {"Metric": {**metric, "Dimensions": []}, "Period": 60, "Stat": "Sum"}}], **span)
    expect("data of nothing", result["MetricDataResults"][0]["Values"], [])


def check_alarms(watch, tables):
    name = f"writes <{type(watch).__name__}> & more"
    watch.put_metric_alarm(AlarmName=name, AlarmDescription="zu viel: ü", Namespace="AWS/DynamoDB", Period=60, Threshold=2,
                           MetricName="ConsumedWriteCapacityUnits", Dimensions=DIMENSIONS, Statistic="Sum", EvaluationPeriods=2,
                           DatapointsToAlarm=1, ComparisonOperator="GreaterThanOrEqualToThreshold", TreatMissingData="notBreaching",
                           AlarmActions=["arn:aws:sns:us-east-1:000000000000:pager"])

    def described():
        alarm, = watch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
        return alarm
    made = described()
    expect("an alarm", [made["StateValue"], made["AlarmDescription"], made["Threshold"], made["AlarmActions"], made["Dimensions"]],
           ["INSUFFICIENT_DATA", "zu viel: ü", 2.0, ["arn:aws:sns:us-east-1:000000000000:pager"], DIMENSIONS])
    for _ in range(2):
        tables.put_item(TableName=TABLE, Item={"pk": {"S": "a"}})
    now = advance(120)
    expect("it goes on", [described()["StateValue"], described()["StateTransitionedTimestamp"] <= now], ["ALARM", True])
    expect("those that are on", [alarm["AlarmName"] for alarm in watch.describe_alarms(StateValue="ALARM")["MetricAlarms"]], [name])
    advance(600)
    expect("it goes off", described()["StateValue"], "OK")
    watch.set_alarm_state(AlarmName=name, StateValue="ALARM", StateReason="a test")
    expect("it is set", [described()["StateValue"], described()["StateReason"]], ["ALARM", "a test"])
    expect_error("no such alarm", "ResourceNotFound", watch.delete_alarms, AlarmNames=["another"])
    expect_error("metric math", "ValidationError", watch.put_metric_alarm, AlarmName="x", EvaluationPeriods=1, Threshold=1.0,
                 ComparisonOperator="GreaterThanThreshold",
                 Metrics=[{"Id": "m", "Expression": "SELECT SUM(UserErrors) FROM \"AWS/DynamoDB\"", "Period": 60}])
    watch.delete_alarms(AlarmNames=[name])
    expect("none is left", watch.describe_alarms()["MetricAlarms"], [])


def main():
    tables = client()
    tables.create_table(TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
    now = advance(60).timestamp()
    advance(60 - now % 60)
    minute = advance(0)
    for key in "ab":
        tables.put_item(TableName=TABLE, Item={"pk": {"S": key}})
    with contextlib.suppress(tables.exceptions.ConditionalCheckFailedException):
        tables.put_item(TableName=TABLE, Item={"pk": {"S": "a"}}, ConditionExpression="attribute_not_exists(pk)")
    advance(120)
    for protocol in PROTOCOLS:
        with cloudwatch(protocol) as watch:
            check_metrics(watch, minute)
            check_alarms(watch, tables)
    tables.delete_table(TableName=TABLE)


main()
