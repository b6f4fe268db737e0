#!/usr/bin/env python3
"""Deserialisation (api/facts/wire.md §8): every member of every operation, at any depth, given a value of every JSON type. What
is expected is computed here from the table of the facts, and from the model only what type a member has.

    types_test.py <dynolith binary> <model.txt> [unittest arguments]
"""

import sys
import unittest

import raw
from model import ModelTest

BINARY = MODEL = ""
PACKAGE = "com.amazonaws.dynamodb.v20120810."
STRUCTURE_UNEXPECTED = "Start of structure or map found where not expected"
GENERIC = ("class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
           "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of "
           "loader 'bootstrap')")
JAVA = {"string": "String", "enum": "String", "boolean": "Boolean", "integer": "Integer", "long": "Long", "double": "Double",
        "timestamp": "Date"}
# Values by what Java's parser calls them.
VALUES = {"TRUE_VALUE": True, "FALSE_VALUE": False, "NUMBER_VALUE": 23, "DECIMAL_VALUE": 1.5, "STRING_VALUE": "abcd",
          "list": [], "structure": {}}
NUMBERS = ("NUMBER_VALUE", "DECIMAL_VALUE")


def java_class(shapes, name):
    kind, element = shapes[name].kind, shapes[name].element
    if kind == "list":
        return f"java.util.List<{java_class(shapes, element)}>"
    if kind == "map":
        return f"java.util.Map<java.lang.String, {java_class(shapes, element)}>"
    return {"structure": PACKAGE + name, "blob": "java.nio.ByteBuffer", "timestamp": "java.util.Date"}.get(
        kind) or f"java.lang.{JAVA[kind]}"


def scalar_fault(shapes, name, token):
    kind = shapes[name].kind
    if token == "list":
        return f"Unrecognized collection type class {java_class(shapes, name)}"
    if token == "structure":
        return STRUCTURE_UNEXPECTED
    if kind == "blob":
        return None if token == "STRING_VALUE" else "only base-64-encoded strings are convertible to bytes"
    if kind == "boolean" and token == "STRING_VALUE":
        return "Unexpected token received from parser"
    accepted = {"boolean": ("TRUE_VALUE", "FALSE_VALUE"), "string": ("STRING_VALUE",), "enum": ("STRING_VALUE",)}
    if token in accepted.get(kind, NUMBERS):
        return None
    return f"{token} cannot be converted to {JAVA[kind]}"


def fault(shapes, name, token, place):
    """The message for a value of that type; `place` is "member" or the shape of the list or map around it."""
    kind, element = shapes[name].kind, shapes[name].element
    if kind not in ("list", "map", "structure"):
        return scalar_fault(shapes, name, token)
    if token == "structure":
        return STRUCTURE_UNEXPECTED if kind == "list" else None
    if token == "list":
        if kind == "map":
            return f"Unrecognized collection type java.util.Map<java.lang.String, {java_class(shapes, element)}>"
        return None if kind == "list" else f"Unrecognized collection type class {java_class(shapes, name)}"
    if place == "member":
        return "Unexpected field type"
    generic = kind != "structure"
    return GENERIC if generic else "Unexpected value type in payload"


class Types(ModelTest):
    def setUp(self):
        self.load(MODEL)

    # `wrap` puts a value into the place that `path` names.
    def check(self, operation, name, wrap, path, place):
        for token, value in VALUES.items():
            expected = fault(self.shapes, name, token, place)
            status, kind, answer = self.call(operation, wrap(value))
            message = answer.get("Message")
            self.checked += 1
            good = status != 500 and (kind == "SerializationException") == (expected is not None)
            if not good or (expected is not None and message != expected):
                self.differing.append((operation, ".".join(path), token, expected, status, kind, message))
        kind, element = self.shapes[name].kind, self.shapes[name].element
        if kind == "list":
            self.check(operation, element, lambda value: wrap([value]), path + ["0"], name)
        elif kind == "map":
            self.check(operation, element, lambda value: wrap({"a": value}), path + ["a"], name)
        # An attribute value inside an attribute value is enough.
        elif kind == "structure" and path.count("a value") < 2:
            deeper = path + ["a value"] if name == "AttributeValue" else path
            for member in self.shapes[name].members:
                self.check(operation, member.shape, lambda value, key=member.name: wrap({key: value}), deeper + [member.name], "member")

    def test_every_member(self):
        with raw.Server(BINARY, "--auth", "off") as server:
            self.connect(server)
            for operation, input_shape in self.known_operations():
                for member in self.shapes[input_shape].members:
                    self.check(operation, member.shape, lambda value, key=member.name: {key: value}, [member.name], "member")
        self.assertEqual(self.differing, [])
        self.assertGreater(self.checked, 10_000)


if __name__ == "__main__":
    BINARY, MODEL = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
