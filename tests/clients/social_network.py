"""A social network in one table: following and liking as transactions with exact counters, timelines by fan-out and batch get,
stories and sessions that expire, a hot post whose likes are counted in shards."""

import concurrent.futures
import itertools
import random
import time
import zlib

from boto3.dynamodb.conditions import Attr, Key

from dynolith_client import client, create_table, expect, expect_error, index, thread_resource, transact, wait_for

NAME = "social"
USERS = ["ann", "ben", "cas", "dee", "eve", "fay", "gus", "hal"]
SHARDS = 10
pool = concurrent.futures.ThreadPoolExecutor(6)


def profile_key(user):
    return {"PK": f"USER#{user}", "SK": "PROFILE"}


def post_key(user, number):
    return {"PK": f"USER#{user}", "SK": f"POST#{number:04}"}


def put_new(item):
    return {"Put": {"TableName": NAME, "Item": item, "ConditionExpression": "attribute_not_exists(PK)"}}


def delete_existing(key):
    return {"Delete": {"TableName": NAME, "Key": key, "ConditionExpression": "attribute_exists(PK)"}}


def count(key, attribute, amount):
    """A counter of an item that must be there; it never falls below zero."""
    return {
        "Update": {
            "TableName": NAME, "Key": key, "UpdateExpression": "ADD #counter :amount",
            "ConditionExpression": "attribute_exists(PK) AND (:amount > :zero OR #counter > :zero)",
            "ExpressionAttributeNames": {"#counter": attribute}, "ExpressionAttributeValues": {":amount": amount, ":zero": 0}
        }
    }


def follow(follower, followed):
    """None, or the codes of the reasons why not: already following, no such user."""
    return transact([
        put_new({"PK": f"USER#{follower}", "SK": f"FOLLOWS#{followed}"}),
        count(profile_key(follower), "following", 1),
        count(profile_key(followed), "followers", 1)
    ])


def unfollow(follower, followed):
    return transact([
        delete_existing({"PK": f"USER#{follower}", "SK": f"FOLLOWS#{followed}"}),
        count(profile_key(follower), "following", -1),
        count(profile_key(followed), "followers", -1)
    ])


def like(user, author, number):
    return transact([put_new({"PK": f"LIKES#{author}#{number:04}", "SK": f"USER#{user}"}), count(post_key(author, number), "likes", 1)])


def from_threads(function, arguments):
    """The results of all calls, made from several threads in any order."""
    return list(pool.map(lambda each: function(*each), arguments))


def profile(table, user):
    item = table.get_item(Key=profile_key(user), ConsistentRead=True)["Item"]
    return {name: int(value) for name, value in item.items() if name in ("following", "followers", "posts")}


def follows(table):
    """Everybody follows everybody, each twice at once: one of the two succeeds, and the counters are exact."""
    pairs = list(itertools.permutations(USERS, 2)) * 2
    random.Random(7).shuffle(pairs)
    results = from_threads(follow, pairs)
    won = [pair for pair, reasons in zip(pairs, results) if reasons is None]
    expect("each follow succeeds once", sorted(won), sorted(itertools.permutations(USERS, 2)))
    expect("the other one says why", {tuple(reasons) for reasons in results if reasons}, {("ConditionalCheckFailed", "None", "None")})
    others = len(USERS) - 1
    for user in USERS:
        expect(f"the counters of {user}", profile(table, user), {"following": others, "followers": others, "posts": 0})
    expect("nobody follows a stranger", follow("ann", "nobody"), ["None", "None", "ConditionalCheckFailed"])
    left = [pair for pair in itertools.permutations(USERS, 2) if pair[0] > pair[1]] * 2
    results = from_threads(unfollow, left)
    expect("each unfollow succeeds once", sum(reasons is None for reasons in results), len(left) // 2)
    for position, user in enumerate(USERS):
        expect(f"the counters of {user} after it", profile(table, user),
               {"following": others - position, "followers": position, "posts": 0})
        found = table.query(IndexName="Reverse", KeyConditionExpression=Key("SK").eq(f"FOLLOWS#{user}"))["Items"]
        expect(f"the followers of {user}", [item["PK"] for item in found], [f"USER#{other}" for other in USERS[:position]])


def publish(table, user, number, text):
    """The post and its author's counter in one transaction; then one timeline entry for each follower."""
    expect("a post", transact([put_new({**post_key(user, number), "text": text, "likes": 0}), count(profile_key(user), "posts", 1)]), None)
    followers = table.query(IndexName="Reverse", KeyConditionExpression=Key("SK").eq(f"FOLLOWS#{user}"))["Items"]
    with table.batch_writer() as batch:
        for follower in followers:
            batch.put_item(Item={"PK": follower["PK"].replace("USER#", "TIMELINE#"), "SK": f"{number:04}#{user}"})


def read_timeline(table, user, limit, start=None):
    """A page of the newest posts, in order, and where to go on."""
    arguments = {"ExclusiveStartKey": start} if start else {}
    page = table.query(KeyConditionExpression=Key("PK").eq(f"TIMELINE#{user}"), ScanIndexForward=False, Limit=limit, **arguments)
    wanted = [post_key(author, int(number)) for number, author in (entry["SK"].split("#") for entry in page["Items"])]
    posts, pending = {}, wanted
    while pending:
        answer = thread_resource().batch_get_item(
            RequestItems={NAME: {"Keys": pending, "ProjectionExpression": "PK, SK, #text", "ExpressionAttributeNames": {"#text": "text"}}})
        posts.update(((post["PK"], post["SK"]), post["text"]) for post in answer["Responses"][NAME])
        pending = answer["UnprocessedKeys"].get(NAME, {}).get("Keys", [])
    keys = [(key["PK"], key["SK"]) for key in wanted]
    return [posts[key] for key in keys if key in posts], page.get("LastEvaluatedKey")


def timelines(table):
    for number in range(1, 41):
        author = USERS[number % len(USERS)]
        publish(table, author, number, f"{author} {number}")
    text = lambda number: f"{USERS[number % len(USERS)]} {number}"
    # After the unfollows, a user follows those who come later in the list.
    wanted = [text(number) for number in range(40, 0, -1) if USERS[number % len(USERS)] > "cas"]
    found, start, pages = [], None, []
    while True:
        posts, start = read_timeline(table, "cas", 10, start)
        found, pages = found + posts, pages + [len(posts)]
        if not start:
            break
    expect("the timeline, newest first", found, wanted)
    expect("its pages", pages, [10, 10, 5])
    expect("who follows nobody has no timeline", read_timeline(table, USERS[-1], 10), ([], None))
    expect("a post goes", transact([delete_existing(post_key("eve", 36)), count(profile_key("eve"), "posts", -1)]), None)
    posts, _ = read_timeline(table, "cas", 10)
    expect("and is no longer shown", posts, [each for each in wanted[:10] if each != "eve 36"])
    expect("the author's counter", profile(table, "eve")["posts"], 4)


def likes(table):
    """Every user likes every post of ann twice: one like counts."""
    numbers = [number for number in range(1, 41) if USERS[number % len(USERS)] == "ann"]
    attempts = [(user, "ann", number) for user in USERS for number in numbers] * 2
    random.Random(8).shuffle(attempts)
    results = from_threads(like, attempts)
    expect("each like counts once", sum(reasons is None for reasons in results), len(attempts) // 2)
    for number in numbers:
        expect(f"the likes of post {number}", table.get_item(Key=post_key("ann", number), ConsistentRead=True)["Item"]["likes"], len(USERS))
        found = table.query(KeyConditionExpression=Key("PK").eq(f"LIKES#ann#{number:04}"))["Items"]
        expect("who likes it", [item["SK"] for item in found], [f"USER#{user}" for user in USERS])
    expect("a like of a post that is gone", like("ann", "eve", 36), ["None", "ConditionalCheckFailed"])


def hot_post(table):
    """So many likes that one item would be the bottleneck: plain ADDs onto shards, summed when read; each like is an item of its own."""
    fans = [f"fan{number}" for number in range(400)]

    def cheer(fan):
        shard = zlib.crc32(fan.encode()) % SHARDS
        own = thread_resource().Table(NAME)
        own.put_item(Item={"PK": "HOT#1", "SK": f"USER#{fan}"}, ConditionExpression="attribute_not_exists(PK)")
        own.update_item(Key={"PK": "HOT#1", "SK": f"SHARD#{shard}"},
                        UpdateExpression="ADD likes :one",
                        ExpressionAttributeValues={":one": 1})

    from_threads(cheer, [(fan, ) for fan in fans])
    shards = table.query(KeyConditionExpression=Key("PK").eq("HOT#1") & Key("SK").begins_with("SHARD#"), ConsistentRead=True)["Items"]
    expect("all shards are used", len(shards), SHARDS)
    expect("no like is lost", sum(shard["likes"] for shard in shards), len(fans))
    answer = table.query(KeyConditionExpression=Key("PK").eq("HOT#1") & Key("SK").begins_with("USER#"), Select="COUNT")
    expect("each fan once", answer["Count"], len(fans))
    expect_error("a second cheer", "ConditionalCheckFailedException", cheer, fan="fan7")


def expiring(table):
    """Stories and sessions have an end. Readers do not rely on the sweep: they filter. In the end only what is alive is there."""
    client().update_time_to_live(TableName=NAME, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    now = int(time.time())
    with table.batch_writer() as batch:
        for number in range(10):
            batch.put_item(Item={"PK": "USER#ann", "SK": f"STORY#{number}", "expires": now - 100 if number % 2 else now + 3600})
            batch.put_item(Item={"PK": f"SESSION#{number}", "SK": "SESSION", "user": "ann", "expires": now - 1 if number < 7 else now + 1800})
    ask = {"KeyConditionExpression": Key("PK").eq("USER#ann") & Key("SK").begins_with("STORY#")}
    alive = [f"STORY#{number}" for number in range(0, 10, 2)]
    expect("only living stories", [item["SK"] for item in table.query(**ask, FilterExpression=Attr("expires").gt(now))["Items"]], alive)
    wait_for("the other stories go", lambda: [item["SK"] for item in table.query(**ask)["Items"]] == alive)
    sessions = lambda: sorted(item["PK"]
                              for item in table.query(IndexName="Reverse", KeyConditionExpression=Key("SK").eq("SESSION"))["Items"])
    wait_for("old sessions leave the table and its index", lambda: sessions() == ["SESSION#7", "SESSION#8", "SESSION#9"])
    key = {"PK": "SESSION#7", "SK": "SESSION"}
    table.update_item(Key=key,
                      UpdateExpression="SET expires = :later",
                      ConditionExpression="expires > :now",
                      ExpressionAttributeValues={":later": now + 3600, ":now": now})
    expect("a session is extended", table.get_item(Key=key)["Item"]["expires"], now + 3600)
    expect("nobody lost a profile", [profile(table, user)["following"] for user in USERS], list(range(len(USERS) - 1, -1, -1)))


def main():
    table = create_table(NAME, ["PK", "SK"], global_indexes=[index("Reverse", ["SK", "PK"])])
    with table.batch_writer() as batch:
        for user in USERS:
            batch.put_item(Item={**profile_key(user), "following": 0, "followers": 0, "posts": 0})
    follows(table)
    timelines(table)
    likes(table)
    hot_post(table)
    expiring(table)
    table.delete()


main()
