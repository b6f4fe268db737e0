"""Clients that somebody else makes, while dynolith.mock() lasts."""

import os

import boto3
import botocore.exceptions
import pytest

import dynolith

pytest_plugins = ["pytester"]


def list_tables():
    """The code under test: it knows nothing of Dynolith."""
    return boto3.client("dynamodb").list_tables()["TableNames"]


TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


def test_all_clients_are_caught():
    early = boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
    with dynolith.mock() as database:
        assert list_tables() == []
        boto3.Session(region_name="us-east-1").resource("dynamodb").create_table(**TABLE)
        assert list_tables() == early.list_tables()["TableNames"] == ["music"]
        assert boto3.client("dynamodbstreams").list_streams()["Streams"] == []
        assert database.client().list_tables()["TableNames"] == ["music"]
    with dynolith.mock():
        assert list_tables() == []


def test_each_region_has_tables_of_its_own():
    mock = dynolith.mock()
    with mock as database:
        far = boto3.client("dynamodb", region_name="eu-west-1")
        assert far.create_table(**TABLE)["TableDescription"]["TableArn"].startswith("arn:aws:dynamodb:eu-west-1:")
        assert list_tables() == database.client().list_tables()["TableNames"] == []
        assert mock.in_region("eu-west-1").client().list_tables()["TableNames"] == ["music"]


def test_the_environment_names_the_default_region(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with dynolith.mock() as database:
        arn = boto3.client("dynamodb").create_table(**TABLE)["TableDescription"]["TableArn"]
        assert arn.startswith("arn:aws:dynamodb:eu-central-1:")
        assert database.client().list_tables()["TableNames"] == ["music"]


def default_region():
    return boto3.client("dynamodb").create_table(**TABLE)["TableDescription"]["TableArn"].split(":")[3]


@pytest.mark.parametrize("of_environment", [{}, {"AWS_DEFAULT_REGION": "us-east-1"}, {"AWS_REGION": "us-west-2"}])
def test_its_region_is_that_of_clients_that_name_none(monkeypatch, of_environment):
    for name, value in of_environment.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with dynolith.mock(region="eu-central-1") as database:
        database.client().create_table(**{**TABLE, "TableName": "given"})
        assert default_region() == "eu-central-1"
        assert list_tables() == ["given", "music"]
    with dynolith.mock() as database:
        assert default_region() == (*of_environment.values(), "us-east-1")[0]
        assert database.client().list_tables()["TableNames"] == ["music"]
    assert dict(os.environ) == before


def test_the_region_of_a_given_database_is_that_of_its_clients():
    with dynolith.Database(region="eu-west-1") as database, dynolith.mock(database):
        assert default_region() == boto3.client("dynamodb").meta.region_name == "eu-west-1"


@pytest.mark.native
def test_the_region_is_that_of_the_innermost(tmp_path):
    before = dict(os.environ)
    far = dynolith.mock(region="eu-west-1")
    folder = dynolith.mock(path=str(tmp_path / "folder"))
    near = dynolith.mock(region="eu-west-2")
    for mock in (far, folder, near):
        mock.start()
    assert default_region() == "eu-west-2"
    near.stop()
    assert default_region() == "eu-west-1"
    far.stop()
    assert list_tables() == ["music"]
    assert boto3.client("dynamodb").meta.region_name == "eu-west-1"
    folder.stop()
    assert dict(os.environ) == before


def test_a_given_database_answers_every_region():
    with dynolith.Database() as database, dynolith.mock(database):
        boto3.client("dynamodb", region_name="eu-west-1").create_table(**TABLE)
        assert list_tables() == ["music"]


def test_the_innermost_answers_in_whatever_order_they_end():
    outer, inner = dynolith.mock(), dynolith.mock()
    outer.start().client().create_table(**TABLE)
    inner.start()
    assert list_tables() == []
    outer.stop()
    assert list_tables() == []
    inner.stop()
    inner.stop()
    with pytest.raises(botocore.exceptions.NoRegionError):
        list_tables()


def test_started_twice_is_an_error():
    mock = dynolith.mock()
    mock.start()
    with pytest.raises(dynolith.DynolithError, match="started already"):
        mock.start()
    mock.stop()
    with mock:
        assert list_tables() == []


def test_clients_of_a_database_stay_on_it():
    with dynolith.Database() as other, dynolith.mock():
        other.client().create_table(**TABLE)
        assert list_tables() == []


def test_behind_it_nothing_is_caught(monkeypatch):
    with dynolith.mock():
        list_tables()
    with pytest.raises(botocore.exceptions.NoRegionError):
        list_tables()
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(botocore.exceptions.NoCredentialsError):
        list_tables()


def test_other_services_go_on():
    with dynolith.mock():
        other = boto3.client("sqs", endpoint_url="http://127.0.0.1:9", config=boto3.session.Config(retries={"max_attempts": 0}))
        with pytest.raises(botocore.exceptions.EndpointConnectionError):
            other.list_queues()


def test_lost_and_late_answers_there_too():
    with dynolith.mock() as database:
        database.admin("POST", "faults", {"fault": "dropped_connection", "operation": "ListTables", "hits_max": 1})
        database.admin("POST", "faults", {"fault": "latency", "operation": "ListTables", "latency": 0.001})
        assert boto3.client("dynamodb").list_tables()["ResponseMetadata"]["RetryAttempts"] == 1


def test_fixtures(pytester):
    pytester.makeconftest(
        """
        import dynolith
        import pytest

        @pytest.fixture(scope="session")
        def dynolith_base():
            with dynolith.Database(clock="manual") as base:
                base.client().create_table(
                    TableName="music", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
                yield base
        """)
    pytester.makepyfile(
        """
        import boto3
        import pytest

        @pytest.mark.parametrize("turn", range(3))
        def test_each_begins_as_the_base(dynolith_client, dynolith_resource, turn):
            assert dynolith_client.scan(TableName="music")["Count"] == 0
            dynolith_resource.Table("music").put_item(Item={"pk": "a"})
            assert dynolith_client.scan(TableName="music")["Count"] == 1

        def test_clients_of_others(dynolith_mock):
            assert boto3.client("dynamodb").list_tables()["TableNames"] == ["music"]
            dynolith_mock.clock.advance(60)
        """)
    pytester.runpytest_subprocess("-p", "dynolith.pytest_plugin").assert_outcomes(passed=4)
