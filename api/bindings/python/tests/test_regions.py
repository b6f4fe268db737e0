"""Several regions in this process: a database for each, whose tables have replicas in each other."""

import botocore.exceptions
import pytest

import dynolith

TABLE = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
RAY = {"artist": {"S": "Ray"}}


def test_calls_may_wait_for_another_region():
    with dynolith.Database(regions=["us-east-1", "us-west-2"]) as east, east.in_region("us-west-2") as west, dynolith.Database() as alone:
        assert [database._is_in_memory for database in (east, west, alone)] == [False, False, True]


def test_strong_tables_in_three_regions():
    with dynolith.Database(regions=["us-east-1", "us-east-2", "us-west-2"]) as east, east.in_region("us-west-2") as west:
        assert (east.region, west.region) == ("us-east-1", "us-west-2")
        arn = east.client().create_table(**TABLE)["TableDescription"]["TableArn"]
        assert ":us-east-1:" in arn
        east.client().update_table(TableName="music", MultiRegionConsistency="STRONG",
                                   ReplicaUpdates=[{"Create": {"RegionName": name}} for name in ("us-east-2", "us-west-2")])
        east.admin("POST", "regions/settle")
        west.client().put_item(TableName="music", Item=RAY)
        assert east.client().get_item(TableName="music", Key=RAY, ConsistentRead=True)["Item"] == RAY
        west.admin("POST", "regions/cut", {"region": "us-west-2"})
        east.client().delete_item(TableName="music", Key=RAY)
        with pytest.raises(botocore.exceptions.ClientError, match="ServiceUnavailable"):
            west.session().client("dynamodb", endpoint_url="http://localhost", config=botocore.config.Config(
                retries={"total_max_attempts": 1})).get_item(TableName="music", Key=RAY, ConsistentRead=True)
        east.admin("POST", "regions/release")
        assert "Item" not in west.client().get_item(TableName="music", Key=RAY, ConsistentRead=True)


def test_a_table_with_a_replica_in_another_region():
    with dynolith.Database(regions=["us-east-1", "eu-west-1"], clock="manual") as east, east.in_region("eu-west-1") as west:
        images = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        east.client().create_table(**TABLE, StreamSpecification=images)
        east.client().update_table(TableName="music", ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}])
        east.admin("POST", "regions/lag", {"seconds": 5})
        east.client().put_item(TableName="music", Item=RAY)
        east.admin("POST", "regions/settle")
        assert "Item" not in west.client().get_item(TableName="music", Key=RAY)
        assert sum(link["pending"] for link in east.admin("GET", "regions")["links"]) == 1
        west.clock.advance(5)
        west.admin("POST", "regions/settle")
        assert west.client().get_item(TableName="music", Key=RAY)["Item"]["artist"] == RAY["artist"]
        assert west.client().meta.region_name == "eu-west-1"


def test_regions_outlive_the_first_database():
    east = dynolith.Database(regions=["us-east-1", "us-west-2"])
    west = east.in_region("us-west-2")
    east.close()
    assert west.client().list_tables()["TableNames"] == []
    with pytest.raises(dynolith.DynolithError) as wrong:
        west.in_region("moon")
    assert wrong.value.kind == "NotFound"
    west.close()
