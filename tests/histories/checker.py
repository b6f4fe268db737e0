#!/usr/bin/env python3
"""Whether a history of concurrent operations could have been answered by a table on which they happen one after the other, each
at an instant between its begin and its end: strict serializability of transactions, linearizability of all others.

    checker.py <history: one operation per line, as the recorder saves it>

The history is read in the order of time with all configurations that explain it so far. A configuration is a state and the
operations under way that have already taken effect. They do so as late as possible (G. Lowe, Testing for linearizability, 2016):
when one ends, each configuration without it is continued by operations under way, in every order, until it has taken effect; if
none can be, the history is refused. Equal configurations are one, which is the memory of Wing and Gong's search. What changes
nothing takes effect in the first state that explains it: no order is lost by that, and only writes branch.

Keys that no operation ties together are checked apart: a history is linearizable if it is for each such group of keys.
"""

import sys

from operation import UNKNOWN, Operation, item_text

CONFIGURATIONS_MAX = 400_000
STATES_MAX = 100_000
STATES_SHOWN = 4


class Undecided(Exception):
    """So much was under way at once that deciding would take too long."""


class Violation:
    """The operation that cannot be explained, what was under way beside it, and the states that were possible when it began."""

    def __init__(self, unexplained, window, keys, states, history):
        self.unexplained, self.window, self.keys, self.states, self.history = unexplained, window, keys, states, history

    def __str__(self):
        lines = ["Not linearizable: no order of these explains the last one.", "Possible before:"]
        for state in self.states[:STATES_SHOWN]:
            lines.append("  " + ", ".join(f"{key}: {item_text(item)}" for key, item in zip(self.keys, state)))
        if len(self.states) > STATES_SHOWN:
            lines.append(f"  and {len(self.states) - STATES_SHOWN} more")
        others = [operation for operation in self.window if operation is not self.unexplained]
        lines += ["Under way:", *(f"  {operation}" for operation in others)] if others else []
        lines += ["Cannot be explained:", f"  {self.unexplained}"]
        items = [item for _, _, item in self.unexplained.sees] + [item for state in self.states[:STATES_SHOWN] for item in state]
        seen = {dict(item)["v"] for item in items if item and "v" in dict(item)}
        shown = {operation.number for operation in self.window}
        for value in sorted(seen):
            writers = [operation for operation in self.history if value in operation.values()]
            lines += [f"Nobody ever wrote v {value}."] if not writers else []
            lines += [f"v {value} was written by:\n  {writer}" for writer in writers if writer.number not in shown]
        return "\n".join(lines)


class State:
    """The items of a state. A search has one for all that are equal, so that it compares and hashes an address."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items


class Search:
    """All configurations that explain what happened so far: pairs of a state and the bits of operations that took effect."""

    def __init__(self, keys, starts):
        self.at = {key: place for place, key in enumerate(keys)}
        self.states = {}  # items -> State
        self.configurations = {(self._state(items), 0) for items in starts}
        self.under_way = {}  # bit -> operation
        self.steps = {}  # bit -> {State: State or None}, what was found out about the operation
        self.bits = {}  # number of an operation -> bit

    def _state(self, items):
        return self.states.get(items) or self.states.setdefault(items, State(items))

    def _step(self, bit, state):
        steps = self.steps[bit]
        if state not in steps:
            items = self.under_way[bit].step(state.items, self.at)
            steps[state] = None if items is None else self._state(items)
        return steps[state]

    def begin(self, operation):
        bit = 1
        while bit in self.under_way:
            bit <<= 1
        self.under_way[bit], self.steps[bit], self.bits[operation.number] = operation, {}, bit
        if not operation.changes:
            self.configurations = {(state, taken if self._step(bit, state) is None else taken | bit)
                                   for state, taken in self.configurations}

    def end(self, operation):
        """Whether anything still explains the history."""
        bit = self.bits.pop(operation.number)
        without = [each for each in self.configurations if not each[1] & bit]
        explained = {each for each in self.configurations if each[1] & bit} | self._continued(without, bit)
        if operation.outcome == UNKNOWN:
            explained.update(without)
        del self.under_way[bit], self.steps[bit]
        self.configurations = self._without_weaker({(state, taken & ~bit) for state, taken in explained})
        if len(self.states) > STATES_MAX:
            self.states = {state.items: state for state, _ in self.configurations}
        return bool(self.configurations)

    def _continued(self, configurations, target):
        """Each continuation by operations under way that ends as soon as the target took effect."""
        reached, seen, stack = set(), set(configurations), list(configurations)
        reads = [bit for bit, operation in self.under_way.items() if not operation.changes]
        tied = {}  # bits that took effect -> writes that may matter
        while stack:
            state, taken = stack.pop()
            if taken not in tied:
                tied[taken] = self._tied(taken, target)
            for bit in tied[taken]:
                then = self._step(bit, state)
                if then is None or (then is state and self.under_way[bit].outcome == UNKNOWN):
                    continue
                done = taken | bit
                for read in reads:
                    if not done & read and self._step(read, then) is not None:
                        done |= read
                if done & target:
                    reached.add((then, done))
                elif (then, done) not in seen:
                    seen.add((then, done))
                    stack.append((then, done))
            if len(seen) + len(reached) > CONFIGURATIONS_MAX:
                raise Undecided(f"{len(self.under_way)} operations under way at once: fewer clients or smaller batches")
        return reached

    def _tied(self, taken, target):
        """Writes that did not take effect yet and share keys with the target, or with others that do, and so on. The rest can
        take effect after it just as well."""
        rest = {bit: operation for bit, operation in self.under_way.items() if not taken & bit}
        keys, writes = set(), []
        while True:
            near = [bit for bit, operation in rest.items() if bit == target or not keys.isdisjoint(operation.keys())]
            if not near:
                return writes
            for bit in near:
                operation = rest.pop(bit)
                keys |= operation.keys()
                if operation.changes:
                    writes.append(bit)

    def _without_weaker(self, configurations):
        """Without those whose equals in state and writes explain more reads."""
        reads = sum(bit for bit, operation in self.under_way.items() if not operation.changes)
        if not reads or len(configurations) == 1:
            return configurations
        most = {}
        for state, taken in configurations:
            most.setdefault((state, taken & ~reads), []).append(taken & reads)
        return {(state, writes | mask) for (state, writes), masks in most.items() for mask in masks
                if not any(mask != other and mask & other == mask for other in masks)}


def events_of(operations):
    """(time, is an end, operation), in order; what begins when another ends is beside it."""
    events = [(operation.begin, 0, operation.number) for operation in operations]
    events += [(operation.end, 1, operation.number) for operation in operations]
    numbered = {operation.number: operation for operation in operations}
    return [(time, end, numbered[number]) for time, end, number in sorted(events)]


def failing_end(operations, keys, starts):
    """The first operation that nothing explains, and the configurations, with what was under way, when it began; or None."""
    search, begun = Search(keys, starts), {}
    for _, is_end, operation in events_of(operations):
        if not is_end:
            begun[operation.number] = (search.configurations, dict(search.under_way))
            search.begin(operation)
        elif search.end(operation):
            del begun[operation.number]
        else:
            return operation, *begun[operation.number]
    return None


def groups_of(operations):
    """Operations by groups of keys that no operation ties together."""
    parents = {}

    def root(key):
        while parents.setdefault(key, key) != key:
            parents[key] = key = parents[parents[key]]
        return key

    for operation in operations:
        first, *others = operation.keys()
        for key in [first, *others]:
            parents[root(key)] = root(first)
    groups = {}
    for operation in operations:
        groups.setdefault(root(next(iter(operation.keys()))), []).append(operation)
    return list(groups.values())


def explains(configurations, taken_before, window, keys, all_keys):
    """Whether the window can be explained on these keys, from the configurations before it."""
    places = [all_keys.index(key) for key in keys]
    parts = [(operation, operation.on(set(keys))) for operation in window if operation.keys() & set(keys)]
    for state, taken in configurations:
        done = {operation.number for bit, operation in taken_before.items() if taken & bit}
        rest = []
        for operation, part in parts:
            part.number = operation.number
            if operation.number not in done:
                rest.append(part)
        if failing_end(rest, keys, [tuple(state.items[place] for place in places)]) is None:
            return True
    return False


def smallest_violation(unexplained, configurations, under_way, operations, keys):
    """From the begin of what cannot be explained on, without the operations and the keys that the contradiction does not need."""
    window = [operation for operation in operations
              if operation is unexplained or operation in under_way.values() or unexplained.begin <= operation.begin <= unexplained.end]
    window.sort(key=lambda operation: (operation.begin, operation.number))
    # What is still under way when the unexplained ends may take effect later.
    cut = []
    for operation in window:
        part = operation.on(set(keys))
        if operation.end > unexplained.end:
            part = Operation.from_json(operation.to_json())
            part.end = unexplained.end
            part.outcome = UNKNOWN if operation.changes else part.outcome
        part.number = operation.number
        if operation.end <= unexplained.end or operation.changes:
            cut.append(part)
    kept_keys = list(keys)
    for key in keys:
        fewer = [other for other in kept_keys if other != key]
        if fewer and not explains(configurations, under_way, cut, fewer, keys):
            kept_keys = fewer
    kept = [operation for operation in cut if operation.keys() & set(kept_keys)]
    for operation in list(kept):
        fewer = [other for other in kept if other is not operation]
        if not operation.changes and operation.number != unexplained.number and not explains(configurations, under_way, fewer, kept_keys, keys):
            kept = fewer
    numbers = {operation.number for operation in kept}
    places = [keys.index(key) for key in kept_keys]
    states = sorted({tuple(state.items[place] for place in places) for state, _ in configurations}, key=repr)
    return Violation(unexplained, [operation for operation in window if operation.number in numbers], kept_keys, states, operations)


def weak_violation(operations):
    """Reads that promise no instant: only what somebody wrote, or may have, before the read was over."""
    writers = {value: operation for operation in operations if operation.changes for value in operation.values()}
    for read in operations:
        for _, _, item in read.sees if read.weak else ():
            value = dict(item).get("v") if item else None
            if value is not None and (value not in writers or writers[value].begin > read.end):
                return Violation(read, [read], [], [], operations)
    return None


def violation(operations, initial=None):
    """The first violation of a history as a text, or None. Every key holds nothing at first, or what `initial` says."""
    for number, operation in enumerate(operations):
        operation.number = number
    found = weak_violation(operations)
    if found:
        return str(found)
    for group in groups_of([operation for operation in operations if not operation.weak and operation.keys()]):
        keys = sorted(set().union(*(operation.keys() for operation in group)))
        start = tuple((initial or {}).get(key) for key in keys)
        failed = failing_end(group, keys, [start])
        if failed:
            return str(smallest_violation(*failed, group, keys))
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as history:
        found = violation([Operation.from_json(line) for line in history])
    print(found or "Linearizable.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
