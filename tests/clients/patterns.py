"""Best-practice patterns: hierarchical and versioned sort keys, sparse and overloaded indexes, adjacency lists, sharded keys,
parallel scan."""

import concurrent.futures
import random
import zlib

from boto3.dynamodb.conditions import Attr, Key

from dynolith_client import client, create_table, expect, expect_error, index, resource

SHARDS = 8


def hierarchical_sort_keys():
    table = create_table("places", ["country", "location"])
    places = ["US#WA#KING#SEATTLE#1", "US#WA#KING#SEATTLE#2", "US#WA#KING#RENTON#1", "US#WA#PIERCE#TACOMA#1", "US#OR#LANE#EUGENE#1"]
    with table.batch_writer() as batch:
        for place in places:
            batch.put_item(Item={"country": "US", "location": place[3:]})
    for prefix, wanted in [("WA", 4), ("WA#KING#", 3), ("WA#KING#SEATTLE#", 2), ("OR#", 1), ("CA#", 0)]:
        response = table.query(KeyConditionExpression=Key("country").eq("US") & Key("location").begins_with(prefix), Select="COUNT")
        expect(f"places below {prefix}", response["Count"], wanted)
    table.delete()


def versioned_sort_keys():
    """Version 0 is a copy of the newest one; a condition keeps two writers from making the same version."""
    table = create_table("documents", ["id", "version"])

    def save(number, text):
        table.put_item(Item={"id": "doc", "version": f"v{number:04}", "text": text}, ConditionExpression="attribute_not_exists(id)")
        table.update_item(Key={"id": "doc", "version": "v0000"}, UpdateExpression="SET latest = :number, #text = :text",
                          ConditionExpression="attribute_not_exists(latest) OR latest < :number",
                          ExpressionAttributeNames={"#text": "text"}, ExpressionAttributeValues={":number": number, ":text": text})

    for number, text in enumerate(["draft", "better", "final"], 1):
        save(number, text)
    expect("the newest in one read", table.get_item(Key={"id": "doc", "version": "v0000"})["Item"], {"id": "doc", "version": "v0000", "latest": 3, "text": "final"})
    expect_error("a version is written once", "ConditionalCheckFailedException", save, number=3, text="other")
    history = table.query(KeyConditionExpression=Key("id").eq("doc") & Key("version").gt("v0000"), ScanIndexForward=False, Limit=2)
    expect("the history, newest first", [item["text"] for item in history["Items"]], ["final", "better"])
    table.delete()


def sparse_index():
    table = create_table("orders", ["customer", "order"], global_indexes=[index("Open", ["open", "order"], "KEYS_ONLY")])
    with table.batch_writer() as batch:
        for number in range(50):
            item = {"customer": f"c{number % 5}", "order": f"o{number:03}"}
            if number % 10 == 0:
                item["open"] = "yes"
            batch.put_item(Item=item)
    expect("only open orders are in the index", table.scan(IndexName="Open", Select="COUNT")["Count"], 5)
    table.update_item(Key={"customer": "c0", "order": "o010"}, UpdateExpression="REMOVE #open", ExpressionAttributeNames={"#open": "open"})
    response = table.query(IndexName="Open", KeyConditionExpression=Key("open").eq("yes"))
    expect("a closed order leaves it", [item["order"] for item in response["Items"]], ["o000", "o020", "o030", "o040"])
    table.delete()


def overloaded_index():
    """One index, three questions: its sort key means something else for each kind of record."""
    table = create_table("staff", ["id", "record"], global_indexes=[index("Lookup", ["record", "data"])])
    with table.batch_writer() as batch:
        for identifier, name, city in [("e1", "Ann", "Porto"), ("e2", "Ben", "Vienna"), ("e3", "Cas", "Porto")]:
            batch.put_item(Item={"id": identifier, "record": "NAME", "data": name})
            batch.put_item(Item={"id": identifier, "record": "CITY", "data": city})
            batch.put_item(Item={"id": identifier, "record": "REVIEW#2024", "data": f"{identifier}#good"})
    ask = lambda record, condition: sorted(item["id"] for item in table.query(
        IndexName="Lookup", KeyConditionExpression=Key("record").eq(record) & condition)["Items"])
    expect("by name", ask("NAME", Key("data").eq("Ben")), ["e2"])
    expect("by city", ask("CITY", Key("data").eq("Porto")), ["e1", "e3"])
    expect("by range", ask("NAME", Key("data").between("A", "Bz")), ["e1", "e2"])
    expect("a collection", table.query(KeyConditionExpression=Key("id").eq("e1"), Select="COUNT")["Count"], 3)
    table.delete()


def adjacency_list():
    table = create_table("graph", ["node", "edge"], global_indexes=[index("Reverse", ["edge", "node"])])
    with table.batch_writer() as batch:
        for node, edge in [("BOOK#1", "BOOK#1"), ("BOOK#2", "BOOK#2"), ("AUTHOR#1", "AUTHOR#1"), ("BOOK#1", "AUTHOR#1"), ("BOOK#2", "AUTHOR#1"), ("BOOK#2", "AUTHOR#2")]:
            batch.put_item(Item={"node": node, "edge": edge})
    authors = table.query(KeyConditionExpression=Key("node").eq("BOOK#2") & Key("edge").begins_with("AUTHOR#"))["Items"]
    expect("authors of a book", [item["edge"] for item in authors], ["AUTHOR#1", "AUTHOR#2"])
    books = table.query(IndexName="Reverse", KeyConditionExpression=Key("edge").eq("AUTHOR#1") & Key("node").begins_with("BOOK#"))["Items"]
    expect("books of an author", [item["node"] for item in books], ["BOOK#1", "BOOK#2"])
    table.delete()


def sharded_keys():
    """A hot day is spread over shards: random suffixes are read back by scatter, calculated ones by one read."""
    table = create_table("events", ["shard", "event"])
    draw = random.Random(1)
    events = [f"e{number:04}" for number in range(300)]
    with table.batch_writer() as batch:
        for event in events:
            batch.put_item(Item={"shard": f"random#{draw.randrange(SHARDS)}", "event": event})
            batch.put_item(Item={"shard": f"hashed#{zlib.crc32(event.encode()) % SHARDS}", "event": event})

    def read(shard):
        # A boto3 resource belongs to one thread.
        own = resource().Table("events")
        return [item["event"] for item in own.query(KeyConditionExpression=Key("shard").eq(shard))["Items"]]

    with concurrent.futures.ThreadPoolExecutor(SHARDS) as pool:
        parts = list(pool.map(read, [f"random#{number}" for number in range(SHARDS)]))
    expect("scattered and gathered", sorted(event for part in parts for event in part), events)
    expect("each shard in order", all(part == sorted(part) for part in parts), True)
    one = table.get_item(Key={"shard": f"hashed#{zlib.crc32(b'e0123') % SHARDS}", "event": "e0123"})
    expect("the calculated shard needs one read", one["Item"]["event"], "e0123")
    table.delete()


def parallel_scan():
    table = create_table("wide", ["id"])
    with table.batch_writer() as batch:
        for number in range(500):
            batch.put_item(Item={"id": f"i{number}", "even": number % 2 == 0})

    def segment(number):
        pages = client().get_paginator("scan").paginate(TableName="wide", Segment=number, TotalSegments=6, Limit=20)
        return [item["id"]["S"] for page in pages for item in page["Items"]]

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        parts = list(pool.map(segment, range(6)))
    found = [identifier for part in parts for identifier in part]
    expect("no item twice", len(found), len(set(found)))
    expect("every item", set(found), {f"i{number}" for number in range(500)})
    expect("no segment is empty", all(parts), True)
    expect("with a filter", table.scan(FilterExpression=Attr("even").eq(True), Select="COUNT")["Count"], 250)
    table.delete()


def main():
    for pattern in [hierarchical_sort_keys, versioned_sort_keys, sparse_index, overloaded_index, adjacency_list, sharded_keys, parallel_scan]:
        pattern()


main()
