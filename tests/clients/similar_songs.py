"""Songs like this one, with boto3: a vector index made with its table and one that is added later, searched by SearchVectors."""

from dynolith_client import client, expect, expect_error, key_schema, wait_for

NAME = "similar_songs"
FAST = {"Delay": 1, "MaxAttempts": 120}
# Genre, title, year, and how loud, fast and sad it is.
SONGS = [("rock", "Anthem", 1977, (1, 0.9, 0)), ("rock", "Ballad", 1979, (0.4, 0.2, 0.9)), ("rock", "Charge", 1981, (0.9, 1, 0)),
         ("folk", "Dirge", 1969, (0.1, 0.1, 1)), ("folk", "Early Morning", 1971, (0.3, 0.4, 0.2))]


def numbers(vector):
    return [{"N": str(value)} for value in vector]


def vector_index(name, distance, **more):
    return {"IndexName": name, "VectorAttribute": {"AttributeName": "mood"}, "Dimensions": 3, "DistanceFunction": distance,
            "Projection": {"ProjectionType": "ALL"}, **more}


def create():
    answer = client().create_table(TableName=NAME, KeySchema=key_schema(["genre", "title"]), BillingMode="PAY_PER_REQUEST",
                                   AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}
                                                         for name, kind in [("genre", "S"), ("title", "S"), ("year", "N")]],
                                   VectorIndexes=[vector_index("InGenre", "COSINE", SearchSchema=[
                                       {"AttributeName": "genre", "SearchSchemaElementType": "HASH"},
                                       {"AttributeName": "year", "SearchSchemaElementType": "INLINE_FILTER"}])])
    expect("a new table", answer["TableDescription"]["TableStatus"], "CREATING")
    client().get_waiter("table_exists").wait(TableName=NAME, WaiterConfig=FAST)
    for genre, title, year, mood in SONGS:
        client().put_item(TableName=NAME, Item={"genre": {"S": genre}, "title": {"S": title}, "year": {"N": str(year)}, "mood": {"L": numbers(mood)}})


def search(index, vector, count, **more):
    answer = client().search_vectors(TableName=NAME, IndexName=index, SearchVector=numbers(vector), TopK=count, **more)
    return [(found["Item"]["title"]["S"], round(found["Score"], 4)) for found in answer["SearchResults"]]


def search_in_genre():
    rock = {"ExpressionAttributeValues": {":g": {"S": "rock"}}, "SearchConditionExpression": "genre = :g"}
    expect("the two nearest rock songs", search("InGenre", (1, 0.9, 0), 2, **rock), [("Anthem", 0.0), ("Charge", 0.0055)])
    of_1981 = {"ExpressionAttributeNames": {"#y": "year"}, "ExpressionAttributeValues": {":g": {"S": "rock"}, ":y": {"N": "1981"}},
            "SearchConditionExpression": "genre = :g AND #y = :y"}
    expect("that of 1981", [title for title, _ in search("InGenre", (1, 0.9, 0), 5, **of_1981)], ["Charge"])
    answer = expect_error("a search in every genre", "ValidationException", client().search_vectors, TableName=NAME, IndexName="InGenre",
                          SearchVector=numbers((1, 1, 1)), TopK=1)
    expect("its message", answer["Error"]["Message"], "SearchConditionExpression must be provided when SearchSchema has a HASH key")
    answer = expect_error("a vector of two", "ValidationException", client().search_vectors, TableName=NAME, IndexName="InGenre",
                          SearchVector=numbers((1, 1)), TopK=1, **rock)
    expect("its message", answer["Error"]["Message"], "Input search vector dimension 2 does not match vector index dimension 3")


def search_everywhere():
    """An index that is added to a table with items is filled; it follows what is written."""
    client().update_table(TableName=NAME, VectorIndexUpdates=[{"Create": vector_index("Everywhere", "EUCLIDEAN")}])
    wait_for("the new index is ready", lambda: {
        index["IndexName"]: index["IndexStatus"] for index in client().describe_table(TableName=NAME)["Table"]["VectorIndexes"]
    } == {"InGenre": "ACTIVE", "Everywhere": "ACTIVE"})
    expect("the saddest", search("Everywhere", (0.1, 0.1, 1), 2), [("Dirge", 0.0), ("Ballad", 0.3317)])
    client().delete_item(TableName=NAME, Key={"genre": {"S": "folk"}, "title": {"S": "Dirge"}})
    expect("the saddest that is left", search("Everywhere", (0.1, 0.1, 1), 1), [("Ballad", 0.3317)])


def main():
    create()
    search_in_genre()
    search_everywhere()
    client().delete_table(TableName=NAME)


main()
