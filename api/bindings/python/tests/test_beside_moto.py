"""Beside moto DynamoDB is answered here and all else by moto, whichever is outside."""

import contextlib

import boto3
import pytest

import dynolith

moto = pytest.importorskip("moto", reason="run by a Python that has moto")


def check():
    client = boto3.client("dynamodb", region_name="us-east-1")
    client.create_table(TableName="music", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
    boto3.client("sqs", region_name="us-east-1").create_queue(QueueName="music")
    assert len(boto3.client("sqs", region_name="us-east-1").list_queues()["QueueUrls"]) == 1
    # The service's words, which moto has not.
    with pytest.raises(client.exceptions.ClientError, match="Type mismatch for key pk expected: S actual: N"):
        client.put_item(TableName="music", Item={"pk": {"N": "1"}})


@pytest.mark.parametrize("makers", [(moto.mock_aws, dynolith.mock), (dynolith.mock, moto.mock_aws)], ids=["inside", "outside"])
def test_with(makers):
    with contextlib.ExitStack() as stack:
        for make in makers:
            stack.enter_context(make())
        check()


@moto.mock_aws
@dynolith.mock
def test_decorated_outside():
    check()


@dynolith.mock
@moto.mock_aws
def test_decorated_inside():
    check()


@dynolith.mock
@moto.mock_aws
class TestClass:
    def test_one(self):
        check()

    def test_two(self):
        check()


def test_a_database_of_ones_own_beside_moto():
    with moto.mock_aws(), dynolith.Database() as database:
        assert database.client().list_tables()["TableNames"] == []
        database.client().create_table(TableName="music", BillingMode="PAY_PER_REQUEST",
                                       KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                       AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
        assert boto3.client("dynamodb", region_name="us-east-1").list_tables()["TableNames"] == []
