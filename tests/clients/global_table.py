"""Tables with replicas as infrastructure tools make, read, change and delete them: the calls of Terraform's aws_dynamodb_table with
`replica` blocks, in its order. After each of them a plan has to be empty: what is read is what was asked for.

The server needs --regions us-east-1,us-east-2,us-west-2 (run_clients.py).
"""

import boto3
from botocore.exceptions import ClientError

from dynolith_client import ENDPOINT, expect, expect_error, wait_for

HOME, EAST, WEST = REGIONS = ("us-east-1", "us-east-2", "us-west-2")
CLIENTS = {region: boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name=region) for region in REGIONS}
IMAGES = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def block(region, recovers=False, tags=None, protected=False):
    """A replica block: what Terraform compares of it."""
    return {"region_name": region, "point_in_time_recovery": recovers, "tags": tags or {}, "deletion_protection_enabled": protected}


def describe(name, region=HOME):
    return CLIENTS[region].describe_table(TableName=name)["Table"]


def recovers(name, region):
    backups = CLIENTS[region].describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    return backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"


def tags_of(arn, region):
    return {tag["Key"]: tag["Value"] for tag in CLIENTS[region].list_tags_of_resource(ResourceArn=arn).get("Tags", [])}


def read(name):
    """What a refresh reads: the table, and each replica by calls in its own region."""
    table = describe(name)
    seen = {"status": table["TableStatus"], "billing": table["BillingModeSummary"]["BillingMode"],
            "keys": [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]],
            "indexes": sorted(index["IndexName"] for index in table.get("GlobalSecondaryIndexes", [])),
            "recovers": recovers(name, HOME), "tags": tags_of(table["TableArn"], HOME),
            "ttl": CLIENTS[HOME].describe_time_to_live(TableName=name)["TimeToLiveDescription"].get("AttributeName"),
            "consistency": table.get("MultiRegionConsistency", "EVENTUAL"),
            "witness": [witness["RegionName"] for witness in table.get("GlobalTableWitnesses", [])], "replicas": []}
    for replica in sorted(table.get("Replicas", []), key=lambda replica: replica["RegionName"]):
        region = replica["RegionName"]
        there = describe(name, region)
        expect("its ARN", there["TableArn"].split(":")[3], region)
        expect("its status", (there["TableStatus"], replica["ReplicaStatus"]), ("ACTIVE", "ACTIVE"))
        expect("its indexes", sorted(index["IndexName"] for index in there.get("GlobalSecondaryIndexes", [])), seen["indexes"])
        if seen["consistency"] == "EVENTUAL":
            expect("its stream", there["StreamSpecification"], IMAGES)
        seen["replicas"].append(block(region, recovers(name, region), tags_of(there["TableArn"], region),
                                      there["DeletionProtectionEnabled"]))
    return seen


def expect_empty_plan(what, name, wanted):
    expect(what, read(name), wanted)
    expect(f"{what}, once more", read(name), wanted)


def retried(change):
    """As the provider does where the table is busy."""
    def done():
        try:
            change()
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("ResourceInUseException", "LimitExceededException", "ThrottlingException"):
                raise
            return False
        return True
    wait_for("the change", done)


def update_replicas(name, *updates, **more):
    retried(lambda: CLIENTS[HOME].update_table(TableName=name, ReplicaUpdates=list(updates), **more))


def statuses(name):
    return {replica["RegionName"]: replica["ReplicaStatus"] for replica in describe(name).get("Replicas", [])}


def add_replica(name, wanted):
    region = wanted["region_name"]
    update_replicas(name, {"Create": {"RegionName": region}})
    wait_for("the replica", lambda: statuses(name).get(region) == "ACTIVE")
    set_replica(name, wanted)


def set_replica(name, wanted):
    """What is set by calls in the replica's own region."""
    region = wanted["region_name"]
    there = CLIENTS[region]
    if recovers(name, region) != wanted["point_in_time_recovery"]:
        there.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={
            "PointInTimeRecoveryEnabled": wanted["point_in_time_recovery"]})
    table = describe(name, region)
    if table["DeletionProtectionEnabled"] != wanted["deletion_protection_enabled"]:
        retried(lambda: there.update_table(TableName=name, DeletionProtectionEnabled=wanted["deletion_protection_enabled"]))
    arn, old = table["TableArn"], tags_of(table["TableArn"], region)
    gone = [key for key in old if key not in wanted["tags"]]
    if gone:
        there.untag_resource(ResourceArn=arn, TagKeys=gone)
    if wanted["tags"] != old and wanted["tags"]:
        there.tag_resource(ResourceArn=arn, Tags=[{"Key": key, "Value": value} for key, value in wanted["tags"].items()])


def remove_replica(name, region):
    update_replicas(name, {"Delete": {"RegionName": region}})
    wait_for("its end", lambda: region not in statuses(name))


def delete(name):
    retried(lambda: CLIENTS[HOME].delete_table(TableName=name))

    def is_gone():
        try:
            describe(name)
        except CLIENTS[HOME].exceptions.ResourceNotFoundException:
            return True
        return False
    wait_for("the table's end", is_gone)


def create(name, **more):
    CLIENTS[HOME].create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": attribute, "AttributeType": "S"} for attribute in ("pk", "sk", *more.pop("attributes", ()))],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], **more)
    wait_for("the table", lambda: describe(name)["TableStatus"] == "ACTIVE")


def eventual():
    name = "terraform_eventual"
    tags = {"stage": "test"}
    create(name, StreamSpecification=IMAGES, Tags=[{"Key": "stage", "Value": "test"}], attributes=["gk"],
           GlobalSecondaryIndexes=[{"IndexName": "by-gk", "KeySchema": [{"AttributeName": "gk", "KeyType": "HASH"}],
                                    "Projection": {"ProjectionType": "ALL"}}])
    CLIENTS[HOME].update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": "until", "Enabled": True})
    wanted = {"status": "ACTIVE", "billing": "PAY_PER_REQUEST", "keys": [("pk", "HASH"), ("sk", "RANGE")], "indexes": ["by-gk"],
              "recovers": False, "tags": tags, "ttl": "until", "consistency": "EVENTUAL", "witness": [], "replicas": []}
    expect_empty_plan("without replicas", name, wanted)
    # With propagate_tags and without, with point_in_time_recovery and without.
    wanted["replicas"] = [block(EAST, recovers=True, tags=tags), block(WEST)]
    for replica in wanted["replicas"]:
        add_replica(name, replica)
    expect_empty_plan("two replicas", name, wanted)
    for region in (EAST, WEST):
        expect("time to live there", CLIENTS[region].describe_time_to_live(TableName=name)["TimeToLiveDescription"],
               {"TimeToLiveStatus": "ENABLED", "AttributeName": "until"})
    wanted["replicas"] = [block(EAST, tags={"stage": "changed"}), block(WEST, recovers=True, protected=True)]
    for replica in wanted["replicas"]:
        set_replica(name, replica)
    expect_empty_plan("changed replicas", name, wanted)
    # A change of the table is one of its replicas, too.
    CLIENTS[HOME].update_table(TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-gk"}}])
    wait_for("the index's end", lambda: not describe(name).get("GlobalSecondaryIndexes"))
    for region in (EAST, WEST):
        wait_for("its end there", lambda region=region: not describe(name, region).get("GlobalSecondaryIndexes"))
    wanted["indexes"] = []
    expect_empty_plan("without the index", name, wanted)
    remove_replica(name, EAST)
    wanted["replicas"] = [wanted["replicas"][1]]
    expect_empty_plan("one replica", name, wanted)
    expect_error("it is gone there", "ResourceNotFoundException", describe, name=name, region=EAST)
    expect_error("it is protected", "ValidationException", CLIENTS[WEST].delete_table, TableName=name)
    set_replica(name, block(WEST))
    remove_replica(name, WEST)
    delete(name)


def strong(witness):
    name = "terraform_strong"
    create(name)
    wanted = {"status": "ACTIVE", "billing": "PAY_PER_REQUEST", "keys": [("pk", "HASH"), ("sk", "RANGE")], "indexes": [],
              "recovers": False, "tags": {}, "ttl": None, "consistency": "STRONG", "witness": [WEST] if witness else [],
              "replicas": [block(region) for region in ((EAST,) if witness else (EAST, WEST))]}
    # All of them in one call: consistency_mode and global_table_witness.
    more = {"GlobalTableWitnessUpdates": [{"Create": {"RegionName": WEST}}]} if witness else {}
    update_replicas(name, *({"Create": {"RegionName": replica["region_name"]}} for replica in wanted["replicas"]),
                    MultiRegionConsistency="STRONG", **more)
    wait_for("the replicas", lambda: set(statuses(name).values()) == {"ACTIVE"} and len(statuses(name)) == len(wanted["replicas"]))
    wait_for("all of it", lambda: describe(name)["TableStatus"] == "ACTIVE" and all(
        seen["WitnessStatus"] == "ACTIVE" for seen in describe(name).get("GlobalTableWitnesses", [])))
    expect_empty_plan("strong", name, wanted)
    more = {"GlobalTableWitnessUpdates": [{"Delete": {"RegionName": WEST}}]} if witness else {}
    update_replicas(name, *({"Delete": {"RegionName": replica["region_name"]}} for replica in wanted["replicas"]), **more)
    wait_for("their end", lambda: not statuses(name))
    delete(name)


eventual()
strong(witness=False)
strong(witness=True)
