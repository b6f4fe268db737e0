"""An online game with 50 seats: 60 players join at once over 8 connections and exactly 50 get in, with transactions and with
optimistic locking; some leave and others come; open games are found by a sparse index, the best players by a numeric one.

It runs against servers that let overlapping writes wait and against servers that fail them with a conflict.
"""

import collections
import concurrent.futures
import os
import random
import threading
import time

from boto3.dynamodb.conditions import Key

from dynolith_client import create_table, expect, index, thread_resource, transact

NAME = "game"
SEATS = 50
PLAYERS = [f"p{number:02}" for number in range(60)]
CONNECTIONS = 8
MAP_KEY = {"PK": "MAP#ice", "SK": "STATISTICS"}
pool = concurrent.futures.ThreadPoolExecutor(CONNECTIONS)  # One connection for each thread.


def connection():
    """This thread's table, and the errors that its calls may end with."""
    own = thread_resource()
    return own.Table(NAME), own.meta.client.exceptions


def game_key(game):
    return {"PK": f"GAME#{game}", "SK": "METADATA"}


def seat_key(game, player):
    return {"PK": f"GAME#{game}", "SK": f"PLAYER#{player}"}


def add_people(key, amount, condition):
    return {
        "Update": {
            "TableName": NAME, "Key": key, "UpdateExpression": "ADD people :amount", "ConditionExpression": condition,
            "ExpressionAttributeValues": {":amount": amount, **({":seats": SEATS} if ":seats" in condition else {})}
        }
    }


def join(game, player):
    """True if the player sits down now. A seat, the game's counter and the map's counter change together."""
    seat = {
        "Put": {"TableName": NAME, "Item": {**seat_key(game, player), "player": player}, "ConditionExpression": "attribute_not_exists(PK)"}
    }
    reasons = transact([seat, add_people(game_key(game), 1, "people < :seats"), add_people(MAP_KEY, 1, "attribute_exists(PK)")])
    if reasons:
        expect("why a player stays outside", "ConditionalCheckFailed" in reasons[:2] and reasons[2] == "None", True)
    return reasons is None


def leave(game, player):
    seat = {"Delete": {"TableName": NAME, "Key": seat_key(game, player), "ConditionExpression": "attribute_exists(PK)"}}
    return transact([seat, add_people(game_key(game), -1, "attribute_exists(PK)"), add_people(MAP_KEY, -1, "attribute_exists(PK)")]) is None


def at_once(jobs):
    """Runs the jobs (function, arguments...) over the connections, all starting together; the results by arguments."""
    start = threading.Barrier(CONNECTIONS, timeout=120)

    def work(number):
        connection()
        start.wait()
        return {tuple(arguments): function(*arguments) for function, *arguments in jobs[number::CONNECTIONS]}

    return {arguments: result for part in pool.map(work, range(CONNECTIONS)) for arguments, result in part.items()}


def seated(table, game):
    """The players with a seat; the counters must say the same."""
    found = table.query(KeyConditionExpression=Key("PK").eq(f"GAME#{game}") & Key("SK").begins_with("PLAYER#"),
                        ConsistentRead=True)["Items"]
    people = [table.get_item(Key=key, ConsistentRead=True)["Item"]["people"] for key in [game_key(game), MAP_KEY]]
    expect("the counters", people, [len(found)] * 2)
    return {item["player"] for item in found}


class Watcher(threading.Thread):
    """Reads both counters in transactions until told to stop: they are always equal and never above the seats."""

    def __init__(self, game):
        super().__init__()
        self.game, self.stopping, self.reads, self.wrong = game, threading.Event(), 0, []

    def run(self):
        own = thread_resource().meta.client
        gets = [{"Get": {"TableName": NAME, "Key": key}} for key in [game_key(self.game), MAP_KEY]]
        while not self.stopping.is_set():
            try:
                people = [answer["Item"]["people"] for answer in own.transact_get_items(TransactItems=gets)["Responses"]]
            except own.exceptions.TransactionCanceledException as error:
                codes = {reason["Code"] for reason in error.response["CancellationReasons"]}
                people = [0, 0] if "TransactionConflict" in codes else [codes]
            self.reads += 1
            if len(set(people)) != 1 or people[0] > SEATS:
                self.wrong.append(people)

    def finish(self):
        self.stopping.set()
        self.join()
        expect("what a transaction reads is of one moment", self.wrong, [])
        expect("it was read", self.reads > 0, True)


def tick(game, _):
    """A plain write to the game's item, which a transaction may be using."""
    table, errors = connection()
    while True:
        try:
            table.update_item(Key=game_key(game), UpdateExpression="ADD ticks :one", ExpressionAttributeValues={":one": 1})
            return True
        except errors.TransactionConflictException as error:
            expect("a conflict's message", error.response["Error"]["Message"], "Transaction is ongoing for the item")


def race(table):
    """60 players at 50 seats, with plain writes in between; then 20 leave while the 10 that are left and 5 others come."""
    for key in [game_key("one"), MAP_KEY]:
        table.put_item(Item={**key, "people": 0})
    watcher = Watcher("one")
    watcher.start()
    jobs = [(join, "one", player) for player in PLAYERS] + [(tick, "one", number) for number in range(40)]
    random.Random(3).shuffle(jobs)
    results = at_once(jobs)
    winners = {player for player in PLAYERS if results["one", player]}
    expect("exactly so many get in", len(winners), SEATS)
    expect("they are those with a seat", seated(table, "one"), winners)
    expect("no tick is lost", table.get_item(Key=game_key("one"))["Item"]["ticks"], 40)
    expect("nobody sits twice", join("one", min(winners)), False)
    losers, goers = sorted(set(PLAYERS) - winners), sorted(winners)[:20]
    newcomers = losers + [f"n{number}" for number in range(5)]
    jobs = [(leave, "one", player) for player in goers] + [(join, "one", player) for player in newcomers]
    random.Random(4).shuffle(jobs)
    results = at_once(jobs)
    expect("all that go, go", all(results["one", player] for player in goers), True)
    came = {player for player in newcomers if results["one", player]}
    expect("who is there now", seated(table, "one"), (winners - set(goers)) | came)
    again = at_once([(join, "one", player) for player in goers])
    expect("the table fills up again", sum(again.values()), 20 - len(came))
    expect("one who left twice", [leave("one", "n-never"), len(seated(table, "one"))], [False, SEATS])
    watcher.finish()


def join_with_version(game, player):
    """Reads the whole game, sits down in the copy, and writes it back if nobody else did meanwhile."""
    table, errors = connection()
    while True:
        item = table.get_item(Key=game_key(game), ConsistentRead=True)["Item"]
        if len(item["players"]) == SEATS:
            return False
        try:
            table.put_item(Item={**item, "players": item["players"] + [player], "version": item["version"] + 1},
                           ConditionExpression="version = :read",
                           ExpressionAttributeValues={":read": item["version"]})
            return True
        except errors.ConditionalCheckFailedException:
            continue


def optimistic_race(table):
    table.put_item(Item={**game_key("two"), "players": [], "version": 0})
    results = at_once([(join_with_version, "two", player) for player in PLAYERS])
    winners = {player for player in PLAYERS if results["two", player]}
    item = table.get_item(Key=game_key("two"), ConsistentRead=True)["Item"]
    expect("exactly so many get in with versions", len(winners), SEATS)
    expect("each once", sorted(item["players"]), sorted(winners))
    expect("one version each", item["version"], SEATS)


def save_all(round_number, saver):
    """All 80 players' states in one transaction, and how often somebody else was at it."""
    own = thread_resource().meta.client
    states = [{"PK": "SAVED", "SK": f"p{number:02}", "by": f"{round_number} {saver}", "state": "x" * 10_000} for number in range(80)]
    conflicts = 0
    while True:
        try:
            own.transact_write_items(TransactItems=[{"Put": {"TableName": NAME, "Item": state}} for state in states])
            return conflicts
        except own.exceptions.TransactionCanceledException as error:
            expect("why", {reason["Code"] for reason in error.response["CancellationReasons"]} <= {"None", "TransactionConflict"}, True)
            conflicts += 1


def overlapping_transactions(table):
    """Big transactions over the same items: each is whole, and the server's way with conflicts is the one that was asked for."""
    fails, conflicts, rounds, end = "--conflicts fail" in os.environ["DYNOLITH_FLAGS"], 0, 0, time.monotonic() + 15
    while rounds < 2 or (fails and conflicts == 0 and time.monotonic() < end):
        conflicts += sum(at_once([(save_all, rounds, saver) for saver in range(CONNECTIONS)]).values())
        rounds += 1
        saved = table.query(KeyConditionExpression=Key("PK").eq("SAVED"),
                            ProjectionExpression="#by",
                            ExpressionAttributeNames={"#by": "by"},
                            ConsistentRead=True)["Items"]
        expect("all states are of one transaction", (len(saved), len({item["by"] for item in saved})), (80, 1))
    expect("conflicts are seen", conflicts > 0, fails)


def matchmaking(table):
    """Open games are in the index, full ones are not. A player takes the game that has waited longest."""
    with table.batch_writer() as batch:
        for number in range(30):
            game = {"PK": f"GAME#m{number:02}", "SK": "METADATA", "seats": 2, "taken": 0, "created": f"2024-01-{number + 1:02}"}
            batch.put_item(Item={**game, "openMap": "ice" if number % 3 == 0 else "sand"})

    def find_and_join(map_name, _):
        own, errors = connection()
        while True:
            found = own.query(IndexName="OpenGames", KeyConditionExpression=Key("openMap").eq(map_name), Limit=1)["Items"]
            if not found:
                return None
            key = {"PK": found[0]["PK"], "SK": "METADATA"}
            try:
                game = own.update_item(Key=key,
                                       UpdateExpression="ADD taken :one",
                                       ConditionExpression="taken < seats AND attribute_exists(openMap)",
                                       ExpressionAttributeValues={":one": 1},
                                       ReturnValues="ALL_NEW")["Attributes"]
            except errors.ConditionalCheckFailedException:
                continue
            if game["taken"] == game["seats"]:
                own.update_item(Key=key, UpdateExpression="REMOVE openMap")
            return key["PK"]

    results = at_once([(find_and_join, "ice", number) for number in range(24)])
    taken = collections.Counter(results.values())
    expect("two players in each game, none left for four", taken, {None: 4, **{f"GAME#m{number:02}": 2 for number in range(0, 30, 3)}})
    expect("no open game on ice", table.query(IndexName="OpenGames", KeyConditionExpression=Key("openMap").eq("ice"))["Items"], [])
    waiting = table.query(IndexName="OpenGames", KeyConditionExpression=Key("openMap").eq("sand"))["Items"]
    expect("those on sand wait, oldest first", [game["created"] for game in waiting],
           [f"2024-01-{number + 1:02}" for number in range(30) if number % 3])


def leaderboards(table):
    """Scores change by counters from all connections; the index has the best first, by day and of all time."""
    draw = random.Random(5)
    totals, jobs = collections.Counter(), []
    for number in range(300):
        player, points = draw.choice(PLAYERS), draw.randrange(-20, 1000)
        totals[player] += points
        jobs.append((points, player, number))

    def score(points, player, _):
        own, _ = connection()
        own.update_item(Key={"PK": f"SCORE#{player}", "SK": "ALL"},
                        UpdateExpression="ADD score :points SET board = :board, player = :player",
                        ExpressionAttributeValues={":points": points, ":board": "all", ":player": player})

    at_once([(score, *job) for job in jobs])
    found = table.query(IndexName="Leaderboard", KeyConditionExpression=Key("board").eq("all"), ScanIndexForward=False, Limit=10)["Items"]
    expect("the ten best", [int(item["score"]) for item in found], sorted(totals.values(), reverse=True)[:10])
    expect("each with the right score", all(totals[item["player"]] == item["score"] for item in found), True)
    middle = sorted(totals.values())[len(totals) // 2]
    answer = table.query(IndexName="Leaderboard", KeyConditionExpression=Key("board").eq("all") & Key("score").gt(middle), Select="COUNT")
    expect("a rank", answer["Count"], sum(total > middle for total in totals.values()))
    best = found[0]["player"]
    table.update_item(Key={"PK": f"SCORE#{best}", "SK": "ALL"}, UpdateExpression="REMOVE board")
    answer = table.query(IndexName="Leaderboard", KeyConditionExpression=Key("board").eq("all"), ScanIndexForward=False, Limit=1)["Items"]
    expect("who leaves the board makes room", answer[0]["score"],
           sorted((total for player, total in totals.items() if player != best), reverse=True)[0])


def main():
    table = create_table(NAME, ["PK", "SK"],
                         numbers=["score"],
                         global_indexes=[index("OpenGames", ["openMap", "created"]),
                                         index("Leaderboard", ["board", "score"])])
    race(table)
    optimistic_race(table)
    overlapping_transactions(table)
    matchmaking(table)
    leaderboards(table)
    table.delete()


main()
