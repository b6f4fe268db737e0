"""Favourites: users, tags and favourites in one table, with two global and three local indexes and keys joined by #."""

from boto3.dynamodb.conditions import Attr, Key

from dynolith_client import create_table, expect, index

NAME = "favourites"
TAGS = [  # name, created, last used
    ("travel", "2024-01-05", "2024-03-01"), ("food", "2024-02-01", "2024-02-20"), ("music", "2024-01-20", "2024-03-05"),
]
FAVOURITES = [  # id, kind, tags, created, text
    ("f1", "place", ["travel"], "2024-01-06", "Lisbon by the river"),
    ("f2", "recipe", ["food"], "2024-02-02", "Bread with olives"),
    ("f3", "place", ["travel", "food"], "2024-02-20", "Bakery in Porto"),
    ("f4", "song", ["music"], "2024-03-05", "River song"),
    ("f5", "place", ["travel", "music"], "2024-03-01", "Opera in Vienna"),
]


def tag_item(name, created, used):
    return {"PK": "USER#ann", "SK": f"TAG#{name}", "kind": "tag", "name": name, "byName": f"TAG#{name}", "byCreation": f"TAG#{created}",
            "byUse": f"TAG#{used}"}


def favourite_items(identifier, kind, tags, created, text):
    """The favourite itself, and one entry per tag."""
    yield {"PK": "USER#ann", "SK": f"FAV#{identifier}", "kind": kind, "text": text, "byName": f"FAV#{text}",
           "byCreation": f"FAV#{created}", "GSI1PK": f"USER#ann#TYPE#{kind}", "GSI1SK": created}
    for tag in tags:
        yield {"PK": "USER#ann", "SK": f"TAGGED#{tag}#{identifier}", "kind": "tagging", "favourite": identifier, "type": kind,
               "GSI1PK": f"USER#ann#TAG#{tag}", "GSI1SK": created, "GSI2PK": f"USER#ann#TAG#{tag}#TYPE#{kind}", "GSI2SK": created}


def fill(table):
    with table.batch_writer() as batch:
        batch.put_item(Item={"PK": "USER#ann", "SK": "#PROFILE", "kind": "user", "name": "Ann"})
        for tag in TAGS:
            batch.put_item(Item=tag_item(*tag))
        for favourite in FAVOURITES:
            for item in favourite_items(*favourite):
                batch.put_item(Item=item)


def tags_by(table, index_name, attribute, forward=True):
    response = table.query(IndexName=index_name, ScanIndexForward=forward,
                           KeyConditionExpression=Key("PK").eq("USER#ann") & Key(attribute).begins_with("TAG#"))
    return [item["name"] for item in response["Items"]]


def newest_first(table, number, value, field):
    response = table.query(IndexName=f"GSI{number}", KeyConditionExpression=Key(f"GSI{number}PK").eq(value), ScanIndexForward=False)
    return [item[field] for item in response["Items"]]


def rename_tag(table, old, new):
    """A tag's name is in its key, so renaming is a delete and a put; the taggings move likewise."""
    tag = table.get_item(Key={"PK": "USER#ann", "SK": f"TAG#{old}"})["Item"]
    taggings = table.query(KeyConditionExpression=Key("PK").eq("USER#ann") & Key("SK").begins_with(f"TAGGED#{old}#"))["Items"]
    with table.batch_writer() as batch:
        batch.delete_item(Key={"PK": tag["PK"], "SK": tag["SK"]})
        batch.put_item(Item={**tag, "SK": f"TAG#{new}", "name": new, "byName": f"TAG#{new}"})
        for tagging in taggings:
            batch.delete_item(Key={"PK": tagging["PK"], "SK": tagging["SK"]})
            moved = {key: value.replace(f"#TAG#{old}", f"#TAG#{new}") if isinstance(value, str) else value for key, value in tagging.items()}
            batch.put_item(Item={**moved, "SK": f"TAGGED#{new}#{tagging['favourite']}"})


def main():
    table = create_table(
        NAME, ["PK", "SK"], global_indexes=[index("GSI1", ["GSI1PK", "GSI1SK"]), index("GSI2", ["GSI2PK", "GSI2SK"])],
        local_indexes=[index("ByName", ["PK", "byName"]), index("ByCreation", ["PK", "byCreation"]), index("ByUse", ["PK", "byUse"])])
    fill(table)
    expect("tags by name", tags_by(table, "ByName", "byName"), ["food", "music", "travel"])
    expect("tags by creation", tags_by(table, "ByCreation", "byCreation"), ["travel", "music", "food"])
    expect("tags by last use, newest first", tags_by(table, "ByUse", "byUse", forward=False), ["music", "travel", "food"])
    expect("places, newest first", newest_first(table, 1, "USER#ann#TYPE#place", "SK"), ["FAV#f5", "FAV#f3", "FAV#f1"])
    expect("by tag, newest first", newest_first(table, 1, "USER#ann#TAG#travel", "favourite"), ["f5", "f3", "f1"])
    expect("by tag and type", newest_first(table, 2, "USER#ann#TAG#food#TYPE#place", "favourite"), ["f3"])
    found = table.query(KeyConditionExpression=Key("PK").eq("USER#ann") & Key("SK").begins_with("FAV#"),
                        FilterExpression=Attr("text").contains("River") | Attr("text").contains("river"))
    expect("word search", [item["SK"] for item in found["Items"]], ["FAV#f1", "FAV#f4"])
    expect("all favourites were looked at", found["ScannedCount"], 5)

    table.update_item(Key={"PK": "USER#ann", "SK": "TAG#food"}, UpdateExpression="SET byUse = :used",
                      ExpressionAttributeValues={":used": "TAG#2024-04-01"})
    expect("a used tag moves to the front", tags_by(table, "ByUse", "byUse", forward=False), ["food", "music", "travel"])

    rename_tag(table, "travel", "away")
    expect("the renamed tag moves in the index", tags_by(table, "ByName", "byName"), ["away", "food", "music"])
    expect("its age stays", tags_by(table, "ByCreation", "byCreation"), ["away", "music", "food"])
    expect("its favourites follow", newest_first(table, 1, "USER#ann#TAG#away", "favourite"), ["f5", "f3", "f1"])
    expect("nothing is left of the old one", newest_first(table, 1, "USER#ann#TAG#travel", "favourite"), [])
    expect("nor by type", newest_first(table, 2, "USER#ann#TAG#away#TYPE#place", "favourite"), ["f5", "f3", "f1"])
    table.delete()


main()
