"""What a client did and saw, and what that means for a table: the dull model that the checker believes.

A state is a tuple of items, one for each key; a key is a text, an item a tuple of (attribute, value) in order, and None is no
item. An operation took effect at one instant between `begin` and `end`, on all of its keys at once.
"""

import json

DONE, REFUSED, UNKNOWN = "done", "refused", "unknown"


def frozen(item):
    """An item as it stands in a state."""
    return None if item is None else tuple(sorted(item.items()))


def holds(condition, item):
    """Conditions: None, [absent], [present], [is, attribute, value], [less, attribute, value]."""
    if condition is None:
        return True
    kind, *operands = condition
    if kind in ("absent", "present"):
        return (item is None) == (kind == "absent")
    attribute, value = operands
    has = dict(item or ()).get(attribute)
    return has is not None and (has == value if kind == "is" else has < value)


def changed(change, item):
    """Changes: None, [put, item], [delete], [update, {set: {}, add: {}, remove: []}]."""
    if change is None:
        return item
    if change[0] == "delete":
        return None
    if change[0] == "put":
        return frozen(change[1])
    attributes = dict(item or ())
    for name in change[1].get("remove", ()):
        attributes.pop(name, None)
    attributes.update(change[1].get("set", {}))
    for name, amount in change[1].get("add", {}).items():
        attributes[name] = attributes.get(name, 0) + amount
    return frozen(attributes)


def shown(where, item):
    """The item, if who looks through `where` sees it: None, [has, attribute], [is, attribute, value]."""
    if where is None or item is None:
        return item
    attributes = dict(item)
    if where[1] not in attributes or (where[0] == "is" and attributes[where[1]] != where[2]):
        return None
    return item


class Operation:
    """`actions`: (key, condition, change); `failed`: of a refused one, which conditions did not hold, or None if nobody said;
    `sees`: (key, where, item), what was there before; `after`: (key, item), what was there then. Times are of one clock.

    The outcome `unknown` took effect by `end`, or never: its server died without an answer."""

    def __init__(self, client, name, begin, end, outcome=DONE, *, actions=(), failed=None, sees=(), after=(), weak=False):
        self.client, self.name, self.begin, self.end, self.outcome = client, name, begin, end, outcome
        self.actions = [tuple(action) for action in actions]
        self.failed = failed
        self.sees = [(key, where, frozen(item)) for key, where, item in sees]
        self.after = [(key, frozen(item)) for key, item in after]
        self.weak, self._keys = weak, None
        self.changes = outcome != REFUSED and any(change is not None for _, _, change in self.actions)

    def keys(self):
        if self._keys is None:
            self._keys = frozenset(key for key, *_ in [*self.actions, *self.sees, *self.after])
        return self._keys

    def step(self, state, at):
        """The state after it, or None if it could not have been answered like this here. `at`: a key's place in a state."""
        for key, where, item in self.sees:
            if shown(where, state[at[key]]) != item:
                return None
        failed = [not holds(condition, state[at[key]]) for key, condition, _ in self.actions]
        if self.outcome == REFUSED:
            return state if any(failed) and self.failed in (None, failed) else None
        if any(failed):
            return state if self.outcome == UNKNOWN else None
        if not self.changes:
            return state
        then = list(state)
        for key, _, change in self.actions:
            then[at[key]] = changed(change, then[at[key]])
        return None if any(then[at[key]] != item for key, item in self.after) else tuple(then)

    def values(self):
        """Each value of `v` that it wrote if it took effect."""
        sources = [change[1] if change[0] == "put" else change[1].get("set", {})
                   for _, _, change in self.actions if change and change[0] != "delete"]
        return [source["v"] for source in sources if "v" in source]

    def on(self, keys):
        """What it says of these keys alone, which is never more than it said of all."""
        if self.keys() <= keys:
            return self
        # Another key's condition may be the one that refused it.
        refused = self.outcome == REFUSED
        copy = Operation(self.client, self.name, self.begin, self.end, DONE if refused else self.outcome, weak=self.weak,
                         actions=[] if refused else [action for action in self.actions if action[0] in keys])
        copy.sees = [see for see in self.sees if see[0] in keys]
        copy.after = [] if refused else [see for see in self.after if see[0] in keys]
        return copy

    def to_json(self):
        return json.dumps({"client": self.client, "name": self.name, "begin": self.begin, "end": self.end, "outcome": self.outcome,
                           "actions": self.actions, "failed": self.failed, "weak": self.weak,
                           "sees": [(key, where, item and dict(item)) for key, where, item in self.sees],
                           "after": [(key, item and dict(item)) for key, item in self.after]})

    @staticmethod
    def from_json(line):
        members = json.loads(line)
        return Operation(members.pop("client"), members.pop("name"), members.pop("begin"), members.pop("end"),
                         members.pop("outcome"), **members)

    def __str__(self):
        parts = [f"{change_text(change)} {key}{condition_text(condition)}" for key, condition, change in self.actions]
        parts += [f"saw {key}{' where ' + ' '.join(map(str, where)) if where else ''}: {item_text(item)}"
                  for key, where, item in self.sees]
        parts += [f"then {key}: {item_text(item)}" for key, item in self.after]
        if self.failed:
            parts.append("conditions failed: " + ", ".join(key for (key, *_), no in zip(self.actions, self.failed) if no))
        return f"[{self.begin} .. {self.end}] client {self.client} {self.name} {self.outcome}: {'; '.join(parts)}"


def item_text(item):
    return "nothing" if item is None else "{" + ", ".join(f"{name} {value}" for name, value in item) + "}"


def change_text(change):
    if change is None:
        return "check"
    if change[0] == "put":
        return f"put {item_text(frozen(change[1]))} to"
    return change[0] if change[0] == "delete" else f"update {change[1]} of"


def condition_text(condition):
    return f" if {' '.join(map(str, condition))}" if condition else ""
