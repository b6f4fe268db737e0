"""A stream is consumed as the Kinesis Client Library does it: leases on shards, in a table with conditional writes; several workers,
one of which dies; checkpoints; parents before their children. Everything is handled at least once, and each item's changes in order.

It runs against a server whose streams have four shards at first.
"""

import collections
import math
import random
import threading
import time

from boto3.dynamodb.conditions import Attr

from dynolith_client import client, create_table, expect, resource, stream_records, streams, wait_for

NAME, LEASES = "changes", "leases"
ITEMS = [f"item{number:02}" for number in range(48)]
VERSIONS = 24
LEASE_SECONDS = 4.0  # A worker that gets no processor for so long loses its leases; the one that dies has to live until then.
LEASES_MAX = 2  # Of one worker: two workers are enough for four shards.
SHARD_END = "SHARD_END"


def all_shards(reader, arn):
    """Page after page, one shard each."""
    start = {}
    while True:
        description = reader.describe_stream(StreamArn=arn, Limit=1, **start)["StreamDescription"]
        expect("one shard a page", len(description["Shards"]) <= 1, True)
        yield from description["Shards"]
        if "LastEvaluatedShardId" not in description:
            return
        start = {"ExclusiveStartShardId": description["LastEvaluatedShardId"]}


class Handled:
    """What the workers have handled, in the order in which they did."""

    def __init__(self):
        self.lock = threading.Lock()
        self.by_item = collections.defaultdict(list)
        self.shards = []

    def add(self, worker, shard, record):
        change = record["dynamodb"]
        image = change.get("NewImage") or change["OldImage"]
        with self.lock:
            self.by_item[change["Keys"]["id"]["S"]].append(
                (int(change["SequenceNumber"]), record["eventName"], int(image["version"]["N"]), worker))
            self.shards.append(shard)

    def complete(self):
        with self.lock:
            return all(len({entry[0] for entry in self.by_item[item]}) == VERSIONS + 1 for item in ITEMS)


class Worker(threading.Thread):
    """Takes leases, renews them, handles their records, checkpoints. `dies_after`: so many records, without any goodbye."""

    def __init__(self, name, arn, handled, dies_after=math.inf):
        super().__init__(name=name)
        self.arn, self.handled, self.left = arn, handled, dies_after
        self.leases, self.reader = resource().Table(LEASES), streams()
        self.stopping, self.failure = threading.Event(), None
        self.mine, self.seen = {}, {}

    def run(self):
        try:
            while self.left > 0 and not self.stopping.is_set():
                self.make_leases(all_shards(self.reader, self.arn))
                self.take_leases()
                for shard in list(self.mine):
                    if self.left > 0 and self.change_lease(shard, "ADD renewals :one", {":one": 1}):
                        self.work_on(shard)
                time.sleep(0.02)
        except BaseException as error:  # The main thread tells.
            self.failure = error

    def make_leases(self, shards):
        for shard in shards:
            lease = {"shard": shard["ShardId"], "renewals": 0, "checkpoint": "TRIM_HORIZON"}
            if "ParentShardId" in shard:
                lease["parent"] = shard["ParentShardId"]
            try:
                self.leases.put_item(Item=lease, ConditionExpression=Attr("shard").not_exists())
            except self.leases.meta.client.exceptions.ConditionalCheckFailedException:
                pass

    def take_leases(self):
        """Those of nobody, and those that nobody has renewed for a while."""
        leases = {lease["shard"]: lease for lease in self.leases.scan(ConsistentRead=True)["Items"]}
        ready = [
            lease for lease in leases.values() if lease["checkpoint"] != SHARD_END and (
                "parent" not in lease or leases.get(lease["parent"], {}).get("checkpoint", SHARD_END) == SHARD_END)
        ]
        free, now = [], time.monotonic()
        for lease in ready:
            state = (lease["renewals"], lease.get("owner"))
            if self.seen.get(lease["shard"], (None, ))[0] != state:
                self.seen[lease["shard"]] = (state, now)
            if "owner" not in lease or (lease["owner"] != self.name and now - self.seen[lease["shard"]][1] > LEASE_SECONDS):
                free.append(lease)
        random.shuffle(free)
        for lease in free[:LEASES_MAX - len(self.mine)]:
            try:
                self.leases.update_item(Key={"shard": lease["shard"]},
                                        UpdateExpression="SET #owner = :me ADD renewals :one",
                                        ConditionExpression="renewals = :seen",
                                        ExpressionAttributeNames={"#owner": "owner"},
                                        ExpressionAttributeValues={":me": self.name, ":one": 1, ":seen": lease["renewals"]})
                self.mine[lease["shard"]] = self.iterator(lease)
            except self.leases.meta.client.exceptions.ConditionalCheckFailedException:
                pass

    def iterator(self, lease):
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if lease["checkpoint"] != "TRIM_HORIZON":
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": lease["checkpoint"]}
        return self.reader.get_shard_iterator(StreamArn=self.arn, ShardId=lease["shard"], **where)["ShardIterator"]

    def change_lease(self, shard, expression, values):
        """False, and no longer ours, if somebody else has it now."""
        try:
            self.leases.update_item(Key={"shard": shard},
                                    UpdateExpression=expression,
                                    ConditionExpression="#owner = :me",
                                    ExpressionAttributeNames={"#owner": "owner"},
                                    ExpressionAttributeValues={":me": self.name, **values})
            return True
        except self.leases.meta.client.exceptions.ConditionalCheckFailedException:
            del self.mine[shard]
            return False

    def work_on(self, shard):
        answer = self.reader.get_records(ShardIterator=self.mine[shard], Limit=20)
        for record in answer["Records"]:
            self.handled.add(self.name, shard, record)
            self.left -= 1
            if self.left <= 0:
                return  # Before the checkpoint: another worker handles these again.
        if "NextShardIterator" not in answer:
            children = self.reader.describe_stream(StreamArn=self.arn, ShardFilter={"Type": "CHILD_SHARDS",
                                                                                    "ShardId": shard})["StreamDescription"]["Shards"]
            expect("children name their parent", {child["ParentShardId"] for child in children} <= {shard}, True)
            self.make_leases(children)
            self.change_lease(shard, "SET checkpoint = :end", {":end": SHARD_END})
            self.mine.pop(shard, None)
        else:
            self.mine[shard] = answer["NextShardIterator"]
            if answer["Records"]:
                self.change_lease(shard, "SET checkpoint = :number", {":number": answer["Records"][-1]["dynamodb"]["SequenceNumber"]})


def write(part):
    """Each item of this part is made, changed and deleted."""
    own = resource().Table(NAME)
    for version in range(1, VERSIONS + 1):
        for item in ITEMS[part::3]:
            own.update_item(Key={"id": item}, UpdateExpression="ADD version :one", ExpressionAttributeValues={":one": 1})
    for item in ITEMS[part::3]:
        own.delete_item(Key={"id": item})


def check_order(handled):
    """All is handled, each item's changes in order; what the dead worker had not checkpointed, once more."""
    wanted = [("INSERT", 1)] + [("MODIFY", version) for version in range(2, VERSIONS + 1)] + [("REMOVE", VERSIONS)]
    again = 0
    for item in ITEMS:
        first, seen = [], {}
        for number, name, version, worker in handled.by_item[item]:
            if number in seen:
                again += seen[number] == "worker 0" != worker
            else:
                seen[number] = worker
                first.append((number, name, version))
        expect(f"the changes of {item}", [entry[1:] for entry in first], wanted)
        expect("its numbers grow", [entry[0] for entry in first], sorted(seen))
    expect("the dead worker's last records are handled again", again > 0, True)


def consume(table, arn):
    """Three workers, one of which dies, while three writers go on; in the end the stream is closed and all shards come to their end."""
    handled = Handled()
    workers = [Worker(f"worker {number}", arn, handled, 60 if number == 0 else math.inf) for number in range(3)]
    writers = [threading.Thread(target=write, args=(part, )) for part in range(3)]
    workers[0].start()
    wait_for("the first worker has leases", lambda: workers[0].mine)
    for thread in writers + workers[1:]:
        thread.start()
    for writer in writers:
        writer.join()
    failed = lambda: [worker.failure for worker in workers if worker.failure]
    wait_for("all is handled", lambda: handled.complete() or failed())
    expect("no worker failed", failed(), [])
    expect("one is dead", [worker.is_alive() for worker in workers], [False, True, True])
    check_order(handled)
    client().update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
    leases = resource().Table(LEASES)
    wait_for("every shard comes to its end",
             lambda: failed() or all(lease["checkpoint"] == SHARD_END for lease in leases.scan(ConsistentRead=True)["Items"]))
    for worker in workers:
        worker.stopping.set()
        worker.join()
    expect("no worker failed in the end", failed(), [])
    check_lineage(list(all_shards(streams(), arn)), leases.scan()["Items"], handled)
    expect("the table is empty", table.scan()["Items"], [])


def check_lineage(shards, leases, handled):
    expect("a lease for each shard", sorted(lease["shard"] for lease in leases), sorted(shard["ShardId"] for shard in shards))
    expect("all are closed", all("EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in shards), True)
    known = {shard["ShardId"]: shard for shard in shards}
    roots = [shard for shard in shards if "ParentShardId" not in shard]
    expect("four shards at first", len(roots), 4)
    for shard in shards:
        numbers = shard["SequenceNumberRange"]
        expect("a range", int(numbers["StartingSequenceNumber"]) <= int(numbers["EndingSequenceNumber"]), True)
        if "ParentShardId" in shard:
            parent = known[shard["ParentShardId"]]["SequenceNumberRange"]
            expect("it begins after its parent", int(parent["EndingSequenceNumber"]) < int(numbers["StartingSequenceNumber"]), True)
    expect("each first shard has a part of the items", {shard["ShardId"] for shard in roots} <= set(handled.shards), True)


def iterators(arn):
    """The four kinds of iterators at one closed shard."""
    reader, records = streams(), list(stream_records(arn))
    shard = next(shard for shard in all_shards(reader, arn) if int(shard["SequenceNumberRange"]["StartingSequenceNumber"]) <= int(
        records[0]["dynamodb"]["SequenceNumber"]) <= int(shard["SequenceNumberRange"]["EndingSequenceNumber"]))

    def read(kind, **where):
        iterator = reader.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **where)["ShardIterator"]
        return [record["dynamodb"]["SequenceNumber"] for record in reader.get_records(ShardIterator=iterator, Limit=5)["Records"]]

    numbers = read("TRIM_HORIZON")
    expect("from the beginning", len(numbers), 5)
    expect("at a number", read("AT_SEQUENCE_NUMBER", SequenceNumber=numbers[2])[:3], numbers[2:])
    expect("after a number", read("AFTER_SEQUENCE_NUMBER", SequenceNumber=numbers[2])[:2], numbers[3:])
    expect("behind all", read("LATEST"), [])


def another_stream(table, old):
    """A stream that is enabled again is a new one; the old one can still be read."""
    client().update_table(TableName=NAME, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    new = client().describe_table(TableName=NAME)["Table"]["LatestStreamArn"]
    expect("another ARN", new != old, True)
    table.put_item(Item={"id": "late", "version": 1})
    found = list(stream_records(new))
    expect("its only record", [(record["eventName"], record["dynamodb"]["Keys"], "NewImage" in record["dynamodb"]) for record in found],
           [("INSERT", {"id": {"S": "late"}}, False)])
    expect("the old one is whole", len(list(stream_records(old))), len(ITEMS) * (VERSIONS + 1))
    reader = streams()
    states = [reader.describe_stream(StreamArn=arn)["StreamDescription"]["StreamStatus"] for arn in [old, new]]
    expect("their states", states, ["DISABLED", "ENABLED"])
    first = reader.list_streams(TableName=NAME, Limit=1)
    second = reader.list_streams(TableName=NAME, Limit=1, ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])
    expect("both are listed", {entry["StreamArn"] for answer in [first, second] for entry in answer["Streams"]}, {old, new})
    third = reader.list_streams(TableName=NAME, ExclusiveStartStreamArn=second["Streams"][0]["StreamArn"])
    expect("no third one", third["Streams"], [])


def main():
    table = create_table(NAME, ["id"])
    client().update_table(TableName=NAME, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
    leases = create_table(LEASES, ["shard"])
    arn = client().describe_table(TableName=NAME)["Table"]["LatestStreamArn"]
    consume(table, arn)
    iterators(arn)
    another_stream(table, arn)
    leases.delete()
    table.delete()


main()
