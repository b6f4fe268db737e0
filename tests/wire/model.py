"""What the tests share that go through the whole service model: its shapes and operations as engine/model/model.txt gives them, and
calls of any operation."""

import http.client
import json
import unittest

import raw

# It has a front end of its own (api/facts/wire.md §8).
OWN_READER = "SearchVectors"
# Values that keep what is no pattern of names.
GOOD_TEXTS = {"[0-9]{12}": "0" * 12, "([0-9a-f]{16})+": "a" * 112, "[,;:|\\t ]": ","}


class Shape:
    def __init__(self, kind, words):
        self.kind = kind
        self.key = words[0] if kind == "map" else None
        self.element = {"list": words[:1], "map": words[1:2]}.get(kind, [None])[0]
        # What a word stands for in C++ is no business of the wire.
        words_of_enum = [word for word in words if not word.startswith(("as=", "default=")) and word != "known"]
        self.values = [word.split("=")[0] for word in words_of_enum] if kind == "enum" else []
        traits = dict(word.split("=", 1) for word in words if "=" in word and kind != "enum")
        self.least = int(traits["min"]) if "min" in traits else None
        self.most = int(traits["max"]) if "max" in traits else None
        self.pattern = traits["pattern"].replace("%20", " ") if "pattern" in traits else None
        # Whether the newer form of a wrong word has no envelope in such a request.
        self.bare_words = "bare-words" in words
        self.members = []


class Member:
    def __init__(self, words):
        self.name = words[0].rstrip("*?!~")
        self.required = "*" in words[0]
        self.shape = words[1]
        self.flags = set(words[2:])
        self.alone = next((flag[6:] for flag in self.flags if flag.startswith("alone=")), None)
        self.alone_for = next((flag[10:] for flag in self.flags if flag.startswith("alone-for=")), None)


def read_model(path):
    shapes, operations, last = {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if not words or line.startswith("#"):
                continue
            if not line.startswith(" "):
                if words[0] == "operation":
                    operations[words[1]] = words[2:4]
                else:
                    last = shapes[words[1]] = Shape(words[0], words[2:])
            elif words[0] != "order":
                last.members.append(Member(words))
    return shapes, operations


class ModelTest(unittest.TestCase):
    """All faults at once: the list of those that differ."""

    def load(self, path):
        self.shapes, self.operations = read_model(path)
        self.differing = []
        self.checked = 0

    def sample(self, name):
        """The smallest value of the shape."""
        shape = self.shapes[name]
        if name == "AttributeValue":
            return {"S": "x"}
        if shape.kind == "string":
            most = 4 if shape.most is None else min(shape.most, 4)
            return GOOD_TEXTS.get(shape.pattern) or "a" * max(shape.least or 1, most)
        if shape.kind == "list":
            return [self.sample(shape.element)] * max(1, shape.least or 0)
        if shape.kind == "map":
            return {self.sample(shape.key): self.sample(shape.element)}
        if shape.kind == "structure":
            return {member.name: self.sample(member.shape) for member in shape.members if member.required}
        return {"enum": shape.values[:1], "boolean": [True], "blob": ["YQ=="]}.get(shape.kind, [max(shape.least or 1, 0)])[0]

    def connect(self, server):
        self.client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=raw.SECONDS)
        self.addCleanup(self.client.close)

    def call(self, operation, body):
        """The HTTP status, the error's name if there is one, and all members of the answer."""
        service = "DynamoDBStreams" if self.operations[operation][0] == "streams" else "DynamoDB"
        self.client.request("POST", "/", json.dumps(body), {"X-Amz-Target": f"{service}_20120810.{operation}",
                                                            "Content-Type": raw.AMAZON_JSON})
        answer = self.client.getresponse()
        members = json.loads(answer.read() or b"{}")
        return answer.status, members.get("__type", "").split("#")[-1], members

    def known_operations(self):
        """Those that are answered by the common reader, with their input's shape."""
        for operation, (_, input_shape) in self.operations.items():
            if operation != OWN_READER and self.call(operation, {})[1] != "UnknownOperationException":
                yield operation, input_shape
