"""Random calls of a client, and what an answer to one says about the tables: the operations of a history.

An island is a pair of tables: `i`, which has a global and a local index, and `p`, which has none and so takes the shortest way
through the engine, or in every second island a stream. Transactions cross both tables of an island, nothing crosses islands. A key is written island/table/p/s.
"""

import itertools
import json

from operation import DONE, REFUSED, UNKNOWN, Operation

GROUPS = ("g0", "g1")
LEVELS = (0, 1, 2)
SORT_KEYS_MAX = 3
TEXTS = ("p", "s", "g")
CONFLICT = "TransactionConflict"
WEIGHTS = {"put": 12, "update": 18, "delete": 6, "get": 14, "transact_write": 14, "transact_get": 10, "batch_get": 5,
           "batch_write": 5, "statements": 8, "select": 3, "query": 4, "query_local": 6, "query_global": 6, "scan": 3}


class Refusal(Exception):
    """An answer that no call of these should get."""


class Tables:
    """Which tables and keys there are."""

    def __init__(self, islands, keys, weak_indexes=False):
        self.islands, self.weak_indexes = islands, weak_indexes
        self.keys = {island: [self.key(island, "ip"[place % 2], place // 2) for place in range(keys)] for island in range(islands)}

    @staticmethod
    def key(island, table, place):
        return f"{island}/{table}/p{place // SORT_KEYS_MAX}/s{place % SORT_KEYS_MAX}"

    def of_table(self, table):
        return [key for keys in self.keys.values() for key in keys if table_of(key) == table]

    def descriptions(self):
        """CreateTable's members for each."""
        def keys(*names):
            return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]

        for island, kind in itertools.product(range(self.islands), "ip"):
            description = {"TableName": f"{island}-{kind}-table", "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("p", "s"),
                           "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in "ps"]}
            if kind == "p" and island % 2 == 1:
                description["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
            if kind == "i":
                description["AttributeDefinitions"] += [{"AttributeName": "g", "AttributeType": "S"},
                                                        {"AttributeName": "l", "AttributeType": "N"}]
                description["GlobalSecondaryIndexes"] = [{"IndexName": "by-g", "KeySchema": keys("g", "s"),
                                                          "Projection": {"ProjectionType": "ALL"}}]
                # It holds keys only, so that its readers fetch the rest from the table.
                description["LocalSecondaryIndexes"] = [{"IndexName": "by-l", "KeySchema": keys("p", "l"),
                                                         "Projection": {"ProjectionType": "KEYS_ONLY"}}]
            yield description


def table_of(key):
    island, kind, *_ = key.split("/")
    return f"{island}-{kind}-table"


def wire_value(name, value):
    return {"S": value} if name in TEXTS else {"N": str(value)}


def wire_key(key):
    return {name: {"S": value} for name, value in zip("ps", key.split("/")[2:])}


def wire_item(key, item):
    return {**wire_key(key), **{name: wire_value(name, value) for name, value in item.items()}}


def read_item(wire):
    """Without its key; None stays None."""
    if wire is None:
        return None
    return {name: value["S"] if "S" in value else int(value["N"]) for name, value in wire.items() if name not in "ps"}


def key_of(table, wire):
    island, kind, _ = table.split("-")
    return f"{island}/{kind}/{wire['p']['S']}/{wire['s']['S']}"


def wire_condition(condition, values):
    """ConditionExpression, or nothing; adds to the values."""
    if condition is None:
        return {}
    if condition[0] in ("absent", "present"):
        return {"ConditionExpression": f"attribute_{'not_' if condition[0] == 'absent' else ''}exists(p)"}
    kind, name, value = condition
    values[":c"] = wire_value(name, value)
    return {"ConditionExpression": f"{name} {'=' if kind == 'is' else '<'} :c"}


def wire_update(change, values):
    parts = []
    for word, sign in (("set", " = "), ("add", " ")):
        clauses = []
        for name, value in change.get(word, {}).items():
            values[f":{name}"] = wire_value(name, value)
            clauses.append(f"{name}{sign}:{name}")
        parts += [f"{word.upper()} {', '.join(clauses)}"] if clauses else []
    parts += [f"REMOVE {', '.join(change['remove'])}"] if change.get("remove") else []
    return {"UpdateExpression": " ".join(parts)}


def wire_action(action):
    """The name and members of one write, as single calls and transactions have it."""
    key, condition, change = action
    values, members, name = {}, {"TableName": table_of(key)}, "ConditionCheck"
    if change and change[0] == "put":
        name, members["Item"] = "Put", wire_item(key, change[1])
    else:
        members["Key"] = wire_key(key)
    if change and change[0] == "update":
        name = "Update"
        members.update(wire_update(change[1], values))
    elif change and change[0] == "delete":
        name = "Delete"
    members.update(wire_condition(condition, values))
    if values:
        members["ExpressionAttributeValues"] = values
    return name, members


class Call:
    """One request: its name and members, and what the answer or its absence says."""

    retried = False  # whether it is sent again, with its token, when no answer came

    def __init__(self, name, members):
        self.name, self.body = name, json.dumps(members)

    def operations(self, client, times, status, answer):
        if status == 200:
            return self.answered(client, times, answer)
        kind = answer.get("__type", "").rpartition("#")[2]
        found = self.refused(client, times, kind, answer)
        if status != 400 or found is None:
            raise Refusal(f"{self.name} {self.body}: {status} {answer}")
        return found

    def refused(self, _client, _times, kind, _answer):
        return [] if kind.startswith(CONFLICT) else None

    def unanswered(self, _client, _times):
        return []


class SingleWrite(Call):
    def __init__(self, action, shows, shows_failure):
        name, members = wire_action(action)
        if shows:
            members["ReturnValues"] = shows
        if shows_failure:
            members["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        super().__init__(f"{name}Item", members)
        self.action, self.shows, self.shows_failure = action, shows, shows_failure

    def answered(self, client, times, answer):
        item = read_item(answer.get("Attributes"))
        sees = [(self.action[0], None, item)] if self.shows == "ALL_OLD" else []
        after = [(self.action[0], item)] if self.shows == "ALL_NEW" else []
        return [Operation(client, self.name, *times, DONE, actions=[self.action], sees=sees, after=after)]

    def refused(self, client, times, kind, answer):
        if kind != "ConditionalCheckFailedException":
            return super().refused(client, times, kind, answer)
        sees = [(self.action[0], None, read_item(answer.get("Item")))] if self.shows_failure else []
        return [Operation(client, self.name, *times, REFUSED, actions=[self.action], failed=[True], sees=sees)]

    def unanswered(self, client, times):
        return [Operation(client, self.name, *times, UNKNOWN, actions=[self.action])]


class TransactWrite(Call):
    def __init__(self, actions, token, shows_failure):
        elements = []
        for action in actions:
            name, members = wire_action(action)
            if shows_failure:
                members["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
            elements.append({name: members})
        super().__init__("TransactWriteItems", {"TransactItems": elements, **({"ClientRequestToken": token} if token else {})})
        self.actions, self.retried, self.shows_failure = actions, token is not None, shows_failure

    def answered(self, client, times, _answer):
        return [Operation(client, self.name, *times, DONE, actions=self.actions)]

    def refused(self, client, times, kind, answer):
        if kind != "TransactionCanceledException":
            return super().refused(client, times, kind, answer)
        codes = [reason["Code"] for reason in answer["CancellationReasons"]]
        if CONFLICT in codes:
            return []
        if set(codes) - {"None", "ConditionalCheckFailed", "DuplicateItem"}:
            return None
        failed = [code != "None" for code in codes]
        sees = [(action[0], None, read_item(reason.get("Item")))
                for action, reason, no in zip(self.actions, answer["CancellationReasons"], failed) if no and self.shows_failure]
        return [Operation(client, self.name, *times, REFUSED, actions=self.actions, failed=failed, sees=sees)]

    def unanswered(self, client, times):
        return [Operation(client, self.name, *times, UNKNOWN, actions=self.actions)]


class Statements(TransactWrite):
    """The same in PartiQL: INSERT where nothing is, UPDATE where something is, DELETE; one alone is no transaction."""

    def __init__(self, actions, token):
        statements = [self.statement(action) for action in actions]
        if len(actions) == 1:
            Call.__init__(self, "ExecuteStatement", statements[0])
        else:
            Call.__init__(self, "ExecuteTransaction", {"TransactStatements": statements, "ClientRequestToken": token})
        self.actions, self.retried, self.shows_failure = actions, len(actions) > 1, False

    @staticmethod
    def statement(action):
        key, condition, change = action
        table, parameters = f'"{table_of(key)}"', []

        def parameter(name, value):
            parameters.append(wire_value(name, value))
            return f"{name} = ?"

        if change[0] == "put":
            return {"Statement": f"INSERT INTO {table} VALUE ?", "Parameters": [{"M": wire_item(key, change[1])}]}
        text = f"DELETE FROM {table}"
        if change[0] == "update":
            clauses = [f" SET {parameter(*member)}" for member in change[1]["set"].items()]
            text = f"UPDATE {table}{''.join(clauses)}{''.join(f' REMOVE {name}' for name in change[1]['remove'])}"
        terms = [parameter(name, value["S"]) for name, value in wire_key(key).items()]
        terms += [parameter(*condition[1:])] if condition and condition[0] == "is" else []
        return {"Statement": f"{text} WHERE {' AND '.join(terms)}", "Parameters": parameters}

    def refused(self, client, times, kind, answer):
        if kind in ("ConditionalCheckFailedException", "DuplicateItemException"):
            return [Operation(client, self.name, *times, REFUSED, actions=self.actions, failed=[True])]
        return super().refused(client, times, kind, answer)


class BatchWrite(Call):
    """Each element is an operation of its own."""

    def __init__(self, actions):
        requests = {}
        for action in actions:
            name, members = wire_action(action)
            requests.setdefault(members.pop("TableName"), []).append({f"{name}Request": members})
        super().__init__("BatchWriteItem", {"RequestItems": requests})
        self.actions = actions

    def answered(self, client, times, answer):
        if answer["UnprocessedItems"]:
            raise Refusal(f"{self.body}: {answer}")
        return [Operation(client, self.name, *times, DONE, actions=[action]) for action in self.actions]

    def unanswered(self, client, times):
        return [Operation(client, self.name, *times, UNKNOWN, actions=[action]) for action in self.actions]


class Reads(Call):
    """GetItem, TransactGetItems, ExecuteTransaction and BatchGetItem; only the elements of the last are operations of their own."""

    def __init__(self, name, keys):
        if name == "GetItem":
            members = {"TableName": table_of(keys[0]), "Key": wire_key(keys[0]), "ConsistentRead": True}
        elif name == "TransactGetItems":
            members = {"TransactItems": [{"Get": {"TableName": table_of(key), "Key": wire_key(key)}} for key in keys]}
        elif name == "ExecuteTransaction":
            members = {"TransactStatements": [
                {"Statement": f'SELECT * FROM "{table_of(key)}" WHERE p = ? AND s = ?', "Parameters": list(wire_key(key).values())}
                for key in keys]}
        else:
            tables = {table_of(key): {"Keys": [], "ConsistentRead": True} for key in keys}
            for key in keys:
                tables[table_of(key)]["Keys"].append(wire_key(key))
            members = {"RequestItems": tables}
        super().__init__(name, members)
        self.keys = keys

    def answered(self, client, times, answer):
        if self.name == "BatchGetItem":
            if answer["UnprocessedKeys"]:
                raise Refusal(f"{self.body}: {answer}")
            items = {key_of(table, item): item for table, rows in answer["Responses"].items() for item in rows}
            if set(items) - set(self.keys):
                raise Refusal(f"{self.body}: {answer}")
            return [Operation(client, self.name, *times, sees=[(key, None, read_item(items.get(key)))]) for key in self.keys]
        found = [answer.get("Item")] if self.name == "GetItem" else [response.get("Item") for response in answer["Responses"]]
        for key, item in zip(self.keys, found, strict=True):
            if item and {name: item[name] for name in "ps"} != wire_key(key):
                raise Refusal(f"{self.body}: {answer}")
        return [Operation(client, self.name, *times, sees=[(key, None, read_item(item)) for key, item in zip(self.keys, found)])]

    def refused(self, client, times, kind, answer):
        conflicts = kind == "TransactionCanceledException" and CONFLICT in [
            reason["Code"] for reason in answer["CancellationReasons"]]
        return [] if conflicts else super().refused(client, times, kind, answer)


class Page(Call):
    """Query or Scan: one page is one instant, in which each of `keys` was shown or was not there."""

    def __init__(self, name, members, keys, where=None, weak=False):
        super().__init__(name, members)
        self.table, self.keys, self.where, self.weak = members["TableName"], keys, where, weak

    def answered(self, client, times, answer):
        found = [key_of(self.table, item) for item in answer["Items"]]
        if "LastEvaluatedKey" in answer or len(set(found)) != len(found) or set(found) - set(self.keys):
            raise Refusal(f"{self.name} {self.body}: {answer}")
        items = dict(zip(found, map(read_item, answer["Items"])))
        levels = [item["l"] for item in items.values()] if self.where == ["has", "l"] else []
        if levels != sorted(levels):
            raise Refusal(f"{self.name} {self.body}: {answer}")
        return [Operation(client, self.name, *times, sees=[(key, self.where, items.get(key)) for key in self.keys], weak=self.weak)]


class Caller:
    """What one client does next, from its seed alone but for the values that it saw."""

    def __init__(self, rng, tables, values, tokens):
        self.rng, self.tables, self.values, self.tokens, self.seen = rng, tables, values, tokens, {}

    def next(self):
        keys = self.tables.keys[self.rng.randrange(self.tables.islands)]
        name = self.rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
        return getattr(self, name)(keys)

    def learn(self, operation):
        for key, item in [*((key, item) for key, _, item in operation.sees), *operation.after]:
            self.seen[key] = dict(item) if item else {}

    def condition(self, key, often=0.5):
        if self.rng.random() > often:
            return None
        seen = self.seen.get(key, {})
        conditions = [["absent"], ["present"], ["less", "n", self.rng.randrange(1, 30)]]
        conditions += [["is", "v", seen["v"]]] * 3 if "v" in seen else []
        conditions += [["is", "n", seen["n"]]] if "n" in seen else []
        return self.rng.choice(conditions)

    def item(self):
        item = {"v": next(self.values)}
        if self.rng.random() < 0.7:
            item["g"] = self.rng.choice(GROUPS)
        if self.rng.random() < 0.7:
            item["l"] = self.rng.choice(LEVELS)
        return item

    def update_of(self):
        if self.rng.random() < 0.3:
            return ["update", {"add": {"n": 1}}]
        change = {"set": self.item()}
        if self.rng.random() < 0.5:
            change["add"] = {"n": 1}
        change["remove"] = [name for name in "gl" if name not in change["set"] and self.rng.random() < 0.5]
        return ["update", change]

    def single(self, key, change, shows):
        return SingleWrite((key, self.condition(key), change), self.rng.choice(shows), self.rng.random() < 0.5)

    def put(self, keys):
        return self.single(self.rng.choice(keys), ["put", self.item()], [None, "ALL_OLD"])

    def update(self, keys):
        return self.single(self.rng.choice(keys), self.update_of(), [None, "ALL_OLD", "ALL_NEW"])

    def delete(self, keys):
        return self.single(self.rng.choice(keys), ["delete"], [None, "ALL_OLD"])

    def some(self, keys):
        return self.rng.sample(keys, min(len(keys), self.rng.choice([2, 2, 3])))

    def transact_write(self, keys):
        actions = []
        for key in self.some(keys):
            change = self.rng.choice([["put", self.item()], self.update_of(), self.update_of(), ["delete"], None])
            actions.append((key, self.condition(key, 0.3) or (["absent"] if change is None else None), change))
        token = f"token-{next(self.tokens)}" if self.rng.random() < 0.5 else None
        return TransactWrite(actions, token, self.rng.random() < 0.5)

    def batch_write(self, keys):
        return BatchWrite([(key, None, self.rng.choice([["put", self.item()], ["delete"]])) for key in self.some(keys)])

    def statements(self, keys):
        actions = []
        for key in self.rng.choice([self.some(keys), [self.rng.choice(keys)]]):
            seen = self.seen.get(key, {}).get("v")
            change = self.rng.choice([["put", self.item()], ["update"], ["update"], ["delete"]])
            condition = {"put": ["absent"], "delete": None, "update": ["present"]}[change[0]]
            if change[0] == "update":
                item = self.item()
                change = ["update", {"set": item, "remove": [name for name in "gl" if name not in item]}]
                condition = ["is", "v", seen] if seen and self.rng.random() < 0.5 else condition
            actions.append((key, condition, change))
        return Statements(actions, f"token-{next(self.tokens)}")

    def select(self, keys):
        return Reads("ExecuteTransaction", self.some(keys))

    def get(self, keys):
        return Reads("GetItem", [self.rng.choice(keys)])

    def transact_get(self, keys):
        return Reads("TransactGetItems", self.some(keys))

    def batch_get(self, keys):
        return Reads("BatchGetItem", self.some(keys))

    def query(self, keys, kind=None):
        """All items of one partition key, through the table or its local index."""
        key = self.rng.choice([key for key in keys if kind in (None, key.split("/")[1])])
        prefix, partition = key.rpartition("/")[0], key.split("/")[2]
        members = {"TableName": table_of(key), "ConsistentRead": True, "KeyConditionExpression": "p = :p",
                   "ExpressionAttributeValues": {":p": {"S": partition}}}
        where = None
        if kind == "i":
            members.update({"IndexName": "by-l", "Select": "ALL_ATTRIBUTES"})
            where = ["has", "l"]
        return Page("Query", members, [key for key in keys if key.rpartition("/")[0] == prefix], where)

    def query_local(self, keys):
        return self.query(keys, "i")

    def query_global(self, keys):
        indexed = [key for key in keys if key.split("/")[1] == "i"]
        group = self.rng.choice(GROUPS)
        return Page("Query", {"TableName": table_of(indexed[0]), "IndexName": "by-g", "KeyConditionExpression": "g = :g",
                              "ExpressionAttributeValues": {":g": {"S": group}}}, indexed, ["is", "g", group],
                    self.tables.weak_indexes)

    def scan(self, keys):
        return scan(self.tables, table_of(self.rng.choice(keys)))


def scan(tables, table):
    return Page("Scan", {"TableName": table, "ConsistentRead": True}, tables.of_table(table))
