"""Component tree: components of a graph, found by parent (GSI1) and by path (GSI2)."""

from boto3.dynamodb.conditions import Key

from dynolith_client import create_table, expect, index

NAME = "components"
PARENTS = {"CM1": None, "CM2": "CM1", "CM3": "CM1", "CM4": "CM2", "CM5": "CM2", "CM6": "CM4", "CM7": "CM3", "CM20": "CM1"}


def path_of(component):
    parent = PARENTS[component]
    return (path_of(parent) if parent else "") + component + "|"


def fill(table):
    with table.batch_writer() as batch:
        for component, parent in PARENTS.items():
            item = {"ComponentId": component, "GraphId": "GR1", "Path": path_of(component)}
            if parent:
                item["ParentId"] = parent
            batch.put_item(Item=item)


def ancestors(table, component):
    """The path names them; one batch brings them."""
    path = table.get_item(Key={"ComponentId": component})["Item"]["Path"]
    names = path.rstrip("|").split("|")[:-1]
    response = table.meta.client.batch_get_item(RequestItems={NAME: {"Keys": [{"ComponentId": name} for name in names]}})
    return sorted(item["ComponentId"] for item in response["Responses"][NAME])


def children(table, component):
    response = table.query(IndexName="GSI1", KeyConditionExpression=Key("ParentId").eq(component))
    return [item["ComponentId"] for item in response["Items"]]


def descendants(table, component):
    path = table.get_item(Key={"ComponentId": component})["Item"]["Path"]
    response = table.query(IndexName="GSI2", KeyConditionExpression=Key("GraphId").eq("GR1") & Key("Path").begins_with(path))
    return [item["ComponentId"] for item in response["Items"] if item["ComponentId"] != component]


def by_levels(table, component):
    levels, current = [], children(table, component)
    while current:
        levels.append(current)
        current = [name for parent in current for name in children(table, parent)]
    return levels


def main():
    table = create_table(NAME, ["ComponentId"], global_indexes=[index("GSI1", ["ParentId", "ComponentId"]), index("GSI2", ["GraphId", "Path"])])
    fill(table)
    expect("ancestors of CM6", ancestors(table, "CM6"), ["CM1", "CM2", "CM4"])
    expect("children of CM1, by id", children(table, "CM1"), ["CM2", "CM20", "CM3"])
    expect("children of a leaf", children(table, "CM6"), [])
    expect("descendants of CM2 in one query: begins_with(Path, 'CM1|CM2|')", descendants(table, "CM2"), ["CM4", "CM6", "CM5"])
    expect("CM20 is not among them, CM2 not among its", descendants(table, "CM20"), [])
    expect("level by level", by_levels(table, "CM1"), [["CM2", "CM20", "CM3"], ["CM4", "CM5", "CM7"], ["CM6"]])
    expect("the same in one query", sorted(descendants(table, "CM1")), sorted(name for level in by_levels(table, "CM1") for name in level))
    expect("roots are in no parent's list: the index is sparse", table.scan(IndexName="GSI1", Select="COUNT")["Count"], 7)

    # A subtree moves: paths and parent change, both indexes follow.
    for component, parent, path in [("CM4", "CM3", "CM1|CM3|CM4|"), ("CM6", "CM4", "CM1|CM3|CM4|CM6|")]:
        table.update_item(Key={"ComponentId": component}, UpdateExpression="SET ParentId = :parent, #path = :path",
                          ExpressionAttributeNames={"#path": "Path"}, ExpressionAttributeValues={":parent": parent, ":path": path})
    expect("after the move, below CM2", descendants(table, "CM2"), ["CM5"])
    expect("after the move, below CM3", descendants(table, "CM3"), ["CM4", "CM6", "CM7"])
    expect("after the move, children of CM3", children(table, "CM3"), ["CM4", "CM7"])
    table.delete()


main()
