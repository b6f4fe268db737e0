#!/usr/bin/env python3
"""Member constraints (api/facts/operations.md §1.2, api/facts/wire.md §9): every required member of every operation left out,
every bound, pattern and enumeration broken, one at a time and at any depth, each with the exact message.

    constraints_test.py <dynolith binary> <model.txt> [unittest arguments]
"""

import sys
import unittest

import raw
from model import ModelTest

BINARY = MODEL = ""
NULL = "Member must not be null"
# Values that break what is no pattern of names.
BAD_TEXTS = {"[0-9]{12}": "0" * 11, "([0-9a-f]{16})+": "g" * 112, "[,;:|\\t ]": "a", r"^[^\$]+$": "a$b", r"\p{Print}+": "\u00e4",
             r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*": "\x01"}
# What an only fault of one of these members is called: the enumeration in the newer form.
ALONE_FOR = "1 validation error detected: Member must satisfy enum value set: [{}]' for {}"
ALONE_BARE = "Failed to satisfy constraint: Member must satisfy enum value set: [{}]"
ALONE = "1 validation error detected: " + ALONE_BARE


def length(at_least, bound):
    return f"Member must have length {'greater' if at_least else 'less'} than or equal to {bound}"


def value_bound(at_least, bound):
    return f"Member must have value {'greater' if at_least else 'less'} than or equal to {bound}"


class Constraints(ModelTest):
    def setUp(self):
        self.load(MODEL)

    def message(self, operation, body):
        """The error's name and message."""
        _, kind, members = self.call(operation, body)
        return kind, members.get("message")

    def check(self, operation, body, path, value, constraint, short=False):
        """`value`: as messages print it; None: whatever it is."""
        kind, message = self.message(operation, body)
        self.checked += 1
        if short:
            names = [step if step in ("member",) or step.isdigit() else step[0].upper() + step[1:] for step in path]
            # A map's key stays as it is.
            names = [given if given == "aaaa" else name for given, name in zip(path, names)]
            good = message == f"1 validation error detected: Value at '{'.'.join(names)}' failed to satisfy constraint: {constraint}"
        else:
            tail = f" at '{'.'.join(path)}' failed to satisfy constraint: {constraint}"
            good = message is not None and message.startswith("1 validation error detected: Value ") and message.endswith(tail)
            if good and value is not None:
                good = message == f"1 validation error detected: Value {value}{tail}"
        if kind != "ValidationException" or not good:
            self.differing.append((operation, path, value, constraint, kind, message))

    def check_whole(self, operation, body, expected):
        self.checked += 1
        if self.message(operation, body) != ("ValidationException", expected):
            self.differing.append((operation, expected, self.message(operation, body)))

    def break_text(self, operation, shape, wrap, path, flags):
        # Lengths that keep the pattern, so that nothing else is wrong.
        step = 16 if shape.pattern == "([0-9a-f]{16})+" else 1
        if shape.least:
            text = "a" * (shape.least - step)
            # An empty name breaks its pattern, too.
            if text or not shape.pattern or "short-min" in flags:
                # Only of an empty one the newer form speaks.
                short = not text and ("short" in flags or "short-min" in flags)
                self.check(operation, wrap(text), path, f"'{text}'", length(True, shape.least), short)
        if shape.most is not None and shape.most > 1:
            text = "a" * (shape.most + step)
            self.check(operation, wrap(text), path, f"'{text}'", length(False, shape.most), "short" in flags)
        if shape.pattern in BAD_TEXTS or (shape.pattern and "A-Z" in shape.pattern):
            text = BAD_TEXTS.get(shape.pattern, "a b!")
            self.check(operation, wrap(text), path, f"'{text}'", f"Member must satisfy regular expression pattern: {shape.pattern}")

    def break_size(self, operation, shape, wrap, path, flags, in_map):
        """Of a list or map. Those of lists in maps are reported at the map, with a dump."""
        if in_map:
            return
        empty = [] if shape.kind == "list" else {}
        if shape.least:
            self.check(operation, wrap(empty), path, "'[]'" if shape.kind == "list" else "'{}'", length(True, shape.least),
                       bool(flags & {"short", "short-min"}))
        if shape.kind == "list" and shape.most is not None:
            many = [self.sample(shape.element)] * (shape.most + 1)
            self.check(operation, wrap(many), path, None, length(False, shape.most), "short" in flags)

    def visit(self, operation, name, wrap, path, member, place):
        shape = self.shapes[name]
        flags = member.flags if member else set()
        if name == "AttributeValue" or len(path) > 10:
            return
        if shape.kind == "string" and place == "member":
            self.break_text(operation, shape, wrap, path, flags)
        elif shape.kind == "enum":
            if member and member.alone:
                alone = ALONE_BARE if self.shapes[self.operations[operation][1]].bare_words else ALONE
                self.check_whole(operation, wrap("zzz"), alone.format(member.alone.replace(",", ", ")))
            elif member and member.alone_for:
                self.check_whole(operation, wrap("zzz"), ALONE_FOR.format(member.alone_for.replace(",", ", "), member.name))
            else:
                self.check(operation, wrap("zzz"), path, "'zzz'", f"Member must satisfy enum value set: [{', '.join(shape.values)}]")
        elif shape.kind in ("integer", "long"):
            for bound, at_least, value in ((shape.least, True, -1), (shape.most, False, 1)):
                if bound is not None:
                    self.check(operation, wrap(bound + value), path, f"'{bound + value}'", value_bound(at_least, bound), "short" in flags)
        elif shape.kind in ("list", "map"):
            self.break_size(operation, shape, wrap, path, flags, place == "map")
            key = self.sample(shape.key) if shape.key else None
            inner = (lambda value: wrap({key: value})) if shape.key else (lambda value: wrap([value]))
            self.visit(operation, shape.element, inner, path + [key or "1", "member"], None, shape.kind)
        elif shape.kind == "structure":
            self.visit_members(operation, name, wrap, path)

    def visit_members(self, operation, name, wrap, path):
        base = self.sample(name)
        for member in self.shapes[name].members:
            inner_path = path + [member.name[0].lower() + member.name[1:]]
            if member.required:
                for body in ({key: base[key] for key in base if key != member.name}, {**base, member.name: None}):
                    if "named" in member.flags:
                        self.check_whole(operation, wrap(body),
                                         f"The parameter '{member.name}' is required but was not present in the request")
                    else:
                        self.check(operation, wrap(body), inner_path, "null", NULL)
            self.visit(operation, member.shape, lambda value, member=member: wrap({**base, member.name: value}), inner_path, member,
                       "member")

    def test_every_constraint(self):
        with raw.Server(BINARY, "--auth", "off") as server:
            self.connect(server)
            for operation, input_shape in self.known_operations():
                self.visit_members(operation, input_shape, lambda value: value, [])
        self.assertEqual(self.differing, [])
        self.assertGreater(self.checked, 500)


if __name__ == "__main__":
    BINARY, MODEL = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
