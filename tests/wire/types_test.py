#!/usr/bin/env python3
"""Deserialisation (facts/wire.md §8): every member of every operation, at any depth, given a value of every JSON type. What is
expected is computed here from the table of the facts, and from the model only what type a member has.

    types_test.py <dynolith binary> <model.txt> [unittest arguments]
"""

import http.client
import json
import sys
import unittest

import raw

BINARY = MODEL = ""
# It has a front end of its own (facts/wire.md §8).
OWN_READER = "SearchVectors"
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


def read_model(path):
    """Shapes by name, as (kind, element, members); operations as (service, input)."""
    shapes, operations, members = {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if not words or line.startswith("#"):
                continue
            if line.startswith(" "):
                if words[0] != "order":
                    members.append((words[0].rstrip("*"), words[1]))
            elif words[0] == "operation":
                operations[words[1]] = words[2:4]
            else:
                element = {"list": words[2:3], "map": words[3:4]}.get(words[0])
                members = []
                shapes[words[1]] = (words[0], element[0] if element else None, members)
    return shapes, operations


def java_class(shapes, name):
    kind, element, _ = shapes[name]
    if kind == "list":
        return f"java.util.List<{java_class(shapes, element)}>"
    if kind == "map":
        return f"java.util.Map<java.lang.String, {java_class(shapes, element)}>"
    return {"structure": PACKAGE + name, "blob": "java.nio.ByteBuffer", "timestamp": "java.util.Date"}.get(
        kind) or f"java.lang.{JAVA[kind]}"


def scalar_fault(shapes, name, token):
    kind = shapes[name][0]
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
    kind, element, _ = shapes[name]
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
    generic = kind != "structure" or place == "ListAttributeValue"
    return GENERIC if generic else "Unexpected value type in payload"


class Types(unittest.TestCase):
    """All faults at once: the list of those that differ."""

    def setUp(self):
        self.shapes, self.operations = read_model(MODEL)
        self.differing = []
        self.checked = 0

    def call(self, operation, body):
        service = "DynamoDBStreams" if self.operations[operation][0] == "streams" else "DynamoDB"
        self.client.request("POST", "/", json.dumps(body), {"X-Amz-Target": f"{service}_20120810.{operation}",
                                                            "Content-Type": raw.AMAZON_JSON})
        answer = self.client.getresponse()
        members = json.loads(answer.read() or b"{}")
        return answer.status, members.get("__type", "").split("#")[-1], members.get("Message")

    # `wrap` puts a value into the place that `path` names.
    def check(self, operation, name, wrap, path, place):
        for token, value in VALUES.items():
            expected = fault(self.shapes, name, token, place)
            status, kind, message = self.call(operation, wrap(value))
            self.checked += 1
            good = status != 500 and (kind == "SerializationException") == (expected is not None)
            if not good or (expected is not None and message != expected):
                self.differing.append((operation, ".".join(path), token, expected, status, kind, message))
        kind, element, members = self.shapes[name]
        if kind == "list":
            self.check(operation, element, lambda value: wrap([value]), path + ["0"], name)
        elif kind == "map":
            self.check(operation, element, lambda value: wrap({"a": value}), path + ["a"], name)
        # An attribute value inside an attribute value is enough.
        elif kind == "structure" and path.count("a value") < 2:
            deeper = path + ["a value"] if name == "AttributeValue" else path
            for member, shape in members:
                self.check(operation, shape, lambda value, member=member: wrap({member: value}), deeper + [member], "member")

    def test_every_member(self):
        with raw.Server(BINARY, "--auth", "off") as server:
            self.client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=raw.SECONDS)
            for operation, (_, input_shape) in self.operations.items():
                if operation == OWN_READER or self.call(operation, {})[1] == "UnknownOperationException":
                    continue
                for member, shape in self.shapes[input_shape][2]:
                    self.check(operation, shape, lambda value, member=member: {member: value}, [member], "member")
            self.client.close()
        self.assertEqual(self.differing, [])
        self.assertGreater(self.checked, 10_000)


if __name__ == "__main__":
    BINARY, MODEL = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
