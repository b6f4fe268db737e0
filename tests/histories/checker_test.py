#!/usr/bin/env python3
"""The checker on histories that are broken in every way that it is there to find, each beside a sound one that differs little;
on random histories beside a look at every order; and on histories of a made-up table with and without a fault.

    checker_test.py [unittest arguments]
"""

import itertools
import os
import random
import unittest

import checker
from operation import DONE, REFUSED, UNKNOWN, Operation, shown

A, B, C = "a", "b", "c"
RANDOM_HISTORIES = 1500
SEED = int(os.environ.get("HISTORIES_SEED", random.SystemRandom().randrange(1 << 32)))


def item(value, **others):
    return {"v": value, **others}


def put(begin, end, key, value, condition=None, outcome=DONE, **options):
    return Operation(0, "PutItem", begin, end, outcome, actions=[(key, condition, ["put", item(value)])], **options)


def get(begin, end, **items):
    """Each key's value of v, or None."""
    return Operation(1, "GetItem", begin, end,
                     sees=[(key, None, None if value is None else item(value)) for key, value in items.items()])


def both(begin, end, value_a, value_b, outcome=DONE):
    return Operation(2, "TransactWriteItems", begin, end, outcome,
                     actions=[(A, None, ["put", item(value_a)]), (B, None, ["put", item(value_b)])])


def guarded(begin, end, guard, key, value, outcome=DONE, failed=None):
    """Writes one key if the other is absent."""
    return Operation(3, "TransactWriteItems", begin, end, outcome, failed=failed,
                     actions=[(guard, ["absent"], None), (key, None, ["put", item(value)])])


def add(begin, end, key, before, after):
    before = [(key, None, before)] if before != () else []
    return Operation(4, "UpdateItem", begin, end, actions=[(key, None, ["update", {"add": {"n": 1}}])], sees=before,
                     after=[(key, after)] if after else [])


class HandMade(unittest.TestCase):
    def assert_sound(self, *operations):
        self.assertIsNone(checker.violation(list(operations)))

    def assert_broken(self, unexplained, *operations):
        """Refused, and the one that is blamed is the one at this place."""
        found = checker.violation(list(operations))
        self.assertIsNotNone(found)
        self.assertIn(f"Cannot be explained:\n  {operations[unexplained]}", found)
        return found

    def test_stale_read(self):
        self.assert_sound(put(1, 2, A, 1), put(3, 6, A, 2), get(4, 5, a=1), get(7, 8, a=2))
        self.assert_sound(put(1, 2, A, 1), put(3, 6, A, 2), get(4, 5, a=2), get(7, 8, a=2))
        self.assert_broken(2, put(1, 2, A, 1), put(3, 4, A, 2), get(5, 6, a=1))
        # Once one has seen the new value, nobody sees the old one, although the write is still under way.
        self.assert_broken(3, put(1, 2, A, 1), put(3, 9, A, 2), get(4, 5, a=2), get(6, 7, a=1))

    def test_lost_update(self):
        self.assert_sound(add(1, 4, A, (), {"n": 1}), add(2, 3, A, (), {"n": 2}), get_n(5, 6, 2))
        self.assert_broken(1, add(1, 4, A, (), {"n": 1}), add(2, 5, A, (), {"n": 1}))
        self.assert_broken(2, add(1, 4, A, (), None), add(2, 5, A, (), None), get_n(6, 7, 1))
        # Two conditional writes cannot both have replaced the same value.
        first, swaps = put(1, 2, A, 1), [put(3, 6, A, value, ["is", "v", 1]) for value in (2, 3)]
        self.assertIsNotNone(checker.violation([first, *swaps]))
        self.assert_sound(first, swaps[0], put(3, 6, A, 3, ["is", "v", 1], REFUSED))

    def test_refused_write(self):
        refused = put(3, 4, A, 2, ["absent"], REFUSED)
        self.assert_sound(put(1, 2, A, 1), refused, get(5, 6, a=1))
        self.assert_broken(2, put(1, 2, A, 1), refused, get(5, 6, a=2))
        self.assert_broken(0, put(3, 4, A, 2, ["absent"], REFUSED))
        # Not even while it is under way.
        self.assert_broken(2, put(1, 2, A, 1), put(3, 9, A, 2, ["absent"], REFUSED), get(4, 5, a=2))
        # A refused transaction leaves nothing, also where its other conditions held.
        cancelled = guarded(3, 4, A, B, 2, REFUSED, [True, False])
        self.assert_sound(put(1, 2, A, 1), cancelled, get(5, 6, b=None))
        self.assert_broken(2, put(1, 2, A, 1), cancelled, get(5, 6, b=2))
        self.assert_broken(1, put(1, 2, A, 1), guarded(3, 4, A, B, 2, REFUSED, [True, True]))

    def test_torn_transaction(self):
        self.assert_sound(both(1, 2, 1, 2), both(3, 6, 3, 4), get(4, 5, a=1, b=2), get(7, 8, a=3, b=4))
        self.assert_broken(2, both(1, 2, 1, 2), both(3, 6, 3, 4), get(4, 5, a=3, b=2))
        # One by one the same reads tell the order, but not when it was.
        self.assert_sound(both(1, 2, 1, 2), both(3, 8, 3, 4), get(4, 5, b=2), get(6, 7, a=3))
        self.assert_broken(3, both(1, 2, 1, 2), both(3, 8, 3, 4), get(4, 5, a=3), get(6, 7, b=2))

    def test_lost_by_a_kill(self):
        unanswered = put(3, 5, A, 2, outcome=UNKNOWN)
        for value in (1, 2):
            self.assert_sound(put(1, 2, A, 1), unanswered, get(6, 7, a=value), get(8, 9, a=value))
        self.assert_broken(3, put(1, 2, A, 1), unanswered, get(6, 7, a=1), get(8, 9, a=2))
        self.assert_broken(2, put(1, 2, A, 1), put(3, 4, A, 2), get(6, 7, a=1))
        self.assert_broken(1, put(1, 2, A, 1), get(6, 7, a=None))
        # Of a transaction without an answer all is there or nothing.
        for there in ((1, 2), (3, 4)):
            self.assert_sound(both(1, 2, 1, 2), both(3, 5, 3, 4, UNKNOWN), get(6, 7, a=there[0]), get(8, 9, b=there[1]))
        self.assert_broken(3, both(1, 2, 1, 2), both(3, 5, 3, 4, UNKNOWN), get(6, 7, a=3), get(8, 9, b=2))
        # Unknown ones took effect in any order, but before their server was dead.
        others = [put(3, 8, A, value, outcome=UNKNOWN) for value in (2, 3)]
        for value in (1, 2, 3):
            self.assert_sound(put(1, 2, A, 1), *others, get(9, 10, a=value))
        self.assert_broken(4, put(1, 2, A, 1), *others, get(9, 10, a=3), get(11, 12, a=2))

    def test_write_skew(self):
        self.assert_sound(guarded(1, 4, A, B, 1), guarded(2, 5, B, A, 2, REFUSED, [True, False]))
        self.assert_broken(1, guarded(1, 4, A, B, 1), guarded(2, 5, B, A, 2))

    def test_value_from_nowhere(self):
        found = self.assert_broken(1, put(1, 2, A, 1), get(3, 4, a=7))
        self.assertIn("Nobody ever wrote v 7.", found)
        self.assert_broken(1, put(1, 2, A, 1), get(3, 4, b=1))
        self.assert_broken(0, get(1, 2, a=1), put(3, 4, A, 1))

    def test_reads_through_indexes(self):
        put_g = Operation(0, "PutItem", 1, 2, actions=[(A, None, ["put", item(1, g="x")])])
        there = [(A, ["is", "g", "x"], item(1, g="x")), (B, ["is", "g", "x"], None)]
        gone = [(A, ["is", "g", "x"], None)]
        move = Operation(0, "UpdateItem", 3, 4, actions=[(A, None, ["update", {"set": {"g": "y"}}])])
        self.assert_sound(put_g, Operation(1, "Query", 3, 4, sees=there), move, Operation(1, "Query", 5, 6, sees=gone))
        self.assert_broken(1, put_g, Operation(1, "Query", 3, 4, sees=gone))
        self.assert_broken(2, put_g, move, Operation(1, "Query", 5, 6, sees=there))
        # Where no instant is promised, the old is no fault, but the future is.
        self.assert_sound(put_g, move, Operation(1, "Query", 5, 6, sees=there, weak=True))
        self.assert_broken(1, put_g, Operation(1, "Query", 0, 0, sees=there, weak=True))
        self.assert_broken(0, Operation(1, "Query", 5, 6, sees=there, weak=True))

    def test_exactly_once(self):
        # A transaction that was sent again with its token, over a kill, is one.
        transaction = Operation(0, "TransactWriteItems", 1, 9, actions=[(A, None, ["update", {"add": {"n": 1}}])])
        self.assert_sound(transaction, get_n(2, 3, None), get_n(4, 5, 1), get_n(10, 11, 1))
        self.assert_broken(1, transaction, get_n(10, 11, 2))

    def test_the_window_is_small(self):
        noise = [put(2 * i, 2 * i + 1, A, i) for i in range(1, 50)] + [get(200, 300, b=None), get(205, 206, a=49)]
        found = self.assert_broken(51, *noise, get(210, 211, a=3))
        self.assertEqual(found.count("\n"), 8, found)
        self.assertIn("v 3 was written by:", found)

    def test_saved_and_read_again(self):
        for operation in (put(1, 2, A, 1, ["is", "v", 3], REFUSED, failed=[True]), add(1, 2, A, {"n": 1}, {"n": 2})):
            self.assertEqual(str(Operation.from_json(operation.to_json())), str(operation))


def get_n(begin, end, value):
    return Operation(5, "GetItem", begin, end, sees=[(A, None, None if value is None else {"n": value})])


def any_order(operations, keys):
    """The dull answer: every order that time allows, with and without each unknown operation."""
    unknown = [operation for operation in operations if operation.outcome == UNKNOWN]
    at = {key: place for place, key in enumerate(keys)}
    for count in range(len(unknown) + 1):
        for left_out in itertools.combinations(unknown, count):
            for order in itertools.permutations([operation for operation in operations if operation not in left_out]):
                if any(later.end < earlier.begin for earlier, later in itertools.combinations(order, 2)):
                    continue
                state = (None,) * len(keys)
                for operation in order:
                    state = operation.step(state, at)
                    if state is None:
                        break
                else:
                    return True
    return False


def random_operation(rng, values):
    """Any answer to any question: most such histories are broken, many are not."""
    begin, name = rng.randrange(10), rng.choice(["put", "add", "get", "get both", "both", "guarded", "swap", "delete"])
    end, key = begin + rng.randrange(1, 6), rng.choice([A, A, B, B, C])
    other, fresh, old = {A: B, B: A, C: A}[key], next(values), rng.choice([None, 1, 2, 3])
    outcome = rng.choice([DONE, DONE, DONE, REFUSED, UNKNOWN])
    if name == "put":
        return put(begin, end, key, fresh, rng.choice([None, None, ["absent"]]), rng.choice([DONE, UNKNOWN]))
    if name == "add":
        return add(begin, end, key, (), None)
    if name == "get":
        return get(begin, end, **{key: old})
    if name == "get both":
        return get(begin, end, a=old, b=rng.choice([None, 1, 2, 3]))
    if name == "both":
        return both(begin, end, fresh, fresh, rng.choice([DONE, UNKNOWN]))
    if name == "guarded":
        return guarded(begin, end, key, other, fresh, outcome, [True, False] if outcome == REFUSED else None)
    condition = rng.choice([["is", "v", old], ["present"]])
    change = ["delete"] if name == "delete" else ["put", item(fresh)]
    return Operation(6, name, begin, end, outcome, actions=[(key, condition, change)])


class BesideEveryOrder(unittest.TestCase):
    def test_random_histories(self):
        rng, answers = random.Random(SEED), []
        for _ in range(RANDOM_HISTORIES):
            values = itertools.count(1)
            operations = [random_operation(rng, values) for _ in range(rng.randrange(2, 7))]
            answers.append(any_order(operations, [A, B, C]))
            with self.subTest(seed=SEED, history=[str(operation) for operation in operations]):
                self.assertEqual(checker.violation(operations) is None, answers[-1])
        self.assertGreater(min(answers.count(True), answers.count(False)), RANDOM_HISTORIES // 10)


class MadeUpTable:
    """Clients of a table that has one fault, or none: what they would record. The clock is the number of steps."""

    def __init__(self, seed, fault=None, clients=4, steps=400):
        self.rng, self.fault, self.time = random.Random(seed), fault, 0
        self.keys, self.values, self.operations = ["a", "b", "c"], itertools.count(1), []
        self.state, self.before, self.at = (None,) * 3, (None,) * 3, {"a": 0, "b": 1, "c": 2}
        waiting = []
        for _ in range(steps):
            self.time += 1
            if len(waiting) < clients and self.rng.random() < 0.6:
                waiting.append(self.question())
            elif waiting:
                question = waiting.pop(self.rng.randrange(len(waiting)))
                self.answer(question)

    def question(self):
        keys = self.rng.sample(self.keys, self.rng.choice([1, 1, 2, 3]))
        kind = self.rng.choice(["read", "read", "put", "add", "swap"])
        actions = []
        for key in keys if kind != "read" else ():
            condition = self.rng.choice([["present"], ["absent"]]) if kind == "swap" else None
            change = ["update", {"add": {"n": 1}, "set": {"v": next(self.values)}}] if kind == "add" else ["put", item(next(self.values))]
            actions.append((key, condition, change))
        return Operation(0, kind, self.time, None, actions=actions), keys

    def answer(self, question):
        operation, keys = question
        faulty = self.fault if self.rng.random() < 0.3 else None
        state = self.before if faulty in ("stale", "skew") else self.state
        if operation.name == "read":
            for key in keys:
                torn = faulty == "torn" and key == keys[-1]
                operation.sees.append((key, None, shown(None, (self.before if torn else state)[self.at[key]])))
        elif operation.step(state, self.at) is None:
            operation.outcome, operation.changes = REFUSED, False
        if operation.changes:
            operation.outcome = DONE if self.rng.random() < 0.9 else UNKNOWN
            self.before = self.state
            if faulty != "lost" and (operation.outcome == DONE or self.rng.random() < 0.5):
                unconditional = Operation(0, "", 0, 0, actions=[(key, None, change) for key, _, change in operation.actions])
                self.state = unconditional.step(self.state, self.at)
        elif operation.outcome == REFUSED and faulty == "dirty":
            self.state = Operation(0, "", 0, 0, actions=[(key, None, change) for key, _, change in operation.actions]).step(
                self.state, self.at)
        self.time += 1
        operation.end = self.time
        self.operations.append(operation)


class BesideAMadeUpTable(unittest.TestCase):
    def test_without_a_fault(self):
        for seed in range(SEED, SEED + 30):
            self.assertIsNone(checker.violation(MadeUpTable(seed).operations), seed)

    def test_with_a_fault(self):
        for fault in ("stale", "torn", "lost", "dirty", "skew"):
            found = [checker.violation(MadeUpTable(seed, fault).operations) is not None for seed in range(SEED, SEED + 10)]
            self.assertGreaterEqual(found.count(True), 8, f"{fault}, seed {SEED}")


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
