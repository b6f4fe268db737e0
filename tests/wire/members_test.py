#!/usr/bin/env python3
"""No member is ignored in silence: of every member of every operation's input, at any depth, two values that the model allows, or
one and none, must make a difference: in the answer, in an error, or in what is there afterwards. The members are those of
engine/model/model.txt. EXEMPT says of those that make none why the service is told the same.

    members_test.py <dynolith binary> <model.txt> [unittest arguments]
"""

import copy
import fnmatch
import itertools
import json
import pathlib
import re
import sys
import tempfile
import unittest

import raw
from members import EXEMPT, PROBES, REQUESTS, VALUES, wait_for_transfer
from model import ModelTest

BINARY = MODEL = ""

# Random, or counted over all tables.
VOLATILE = re.compile(r'"(eventID|SequenceNumber|StartingSequenceNumber|ShardId|ShardIterator|NextShardIterator|NextToken|RevisionId|'
                      r'LastEvaluatedBackupArn|LastEvaluatedShardId)": "[^"]*"')
TABLES = re.compile(r"\bt[0-9]{6}\b")
# The clock of the server begins in 2033.
TIMES = re.compile(r"\b20[0-9]{8}(\.[0-9]+)?\b|2033-[-0-9T:.]+")
IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9]{14}-[0-9a-f]{8}\b")


class Members(ModelTest):
    maxDiff = None

    def setUp(self):
        self.load(MODEL)
        self.numbers = itertools.count(1)
        self.exempt = set()

    def ask(self, operation, **members):
        """The answer of a call; of "!advance" the new time."""
        if operation == "!advance":
            self.client.request("POST", "/_dynolith/clock/advance", json.dumps(members))
            return json.loads(self.client.getresponse().read())["now"]
        status, kind, answer = self.call(operation, members)
        self.assertEqual(status, 200, (operation, members, kind, answer))
        return answer

    def respond(self, operation, prepare, request):
        """All that can be seen of a call. $NAMES stand for what was made before it."""
        name = f"t{next(self.numbers):06}"
        known = {"$TABLE": name, "$ARN": f"arn:aws:dynamodb:us-east-1:000000000000:table/{name}"}
        if prepare:
            prepare(self.ask, known)
        body = json.dumps(request)
        for stand_in in sorted(known, key=len, reverse=True):
            body = body.replace(stand_in, known[stand_in])
        seen = [self.call(operation, json.loads(body))]
        for probe, member, value in PROBES.get(operation, ()):
            seen.append(self.call(probe, {member: known[value]}))
        self.checked += 1
        text = json.dumps(seen, sort_keys=True)
        wait_for_transfer(self.ask, text)
        for left in {word for word in re.findall(r"[-\w]+", body) if word.startswith(name)}:
            self.call("DeleteTable", {"TableName": left})
        for pattern in (VOLATILE, IDS, TIMES, TABLES):
            text = pattern.sub("…", text)
        return text

    def values(self, operation, path, name):
        """What the member may be, as the model says."""
        shape = self.shapes[name]
        for pattern, values in VALUES.items():
            if fnmatch.fnmatchcase(f"{operation}.{path}", pattern):
                return values
        least = shape.least or 0
        if shape.kind == "enum":
            return shape.values
        if shape.kind == "string" and shape.pattern is None:
            return [letter * max(least, 4) for letter in "ab"]
        if shape.kind == "list" and self.shapes[shape.element].kind not in ("list", "map", "structure"):
            return [[value] * max(least, 1) for value in self.values(operation, path, shape.element)]
        return {"boolean": [True, False], "integer": [least or 1, least + 2], "long": [least or 1, least + 2], "double": [1.5, 2.5],
                "timestamp": [1600000000, 1699999999]}.get(shape.kind) or [self.sample(name)]

    def place_of(self, request, steps):
        """The structure in which the last step is a member; what is not there on the way is made."""
        at = request
        for step, name in steps[:-1]:
            if isinstance(at, list):
                at[:] = at or [self.sample(name)]
                at = at[0]
            elif step == "*":
                at = at.setdefault(next(iter(at), "aaaa"), self.sample(name))
            else:
                at = at.setdefault(step, self.sample(name))
        return at

    def cases(self, operation, steps, member, request):
        """The request with each value of the member, with its own if it has one, and without it if it need not be there."""
        path = ".".join(step for step, _ in steps)
        own = self.place_of(copy.deepcopy(request), steps).get(member.name)
        values = self.values(operation, path, member.shape) + ([] if own is None else [own])
        for value in values + ([] if member.required else [None]):
            case = copy.deepcopy(request)
            place = self.place_of(case, steps)
            place.pop(member.name, None)
            if value is not None:
                place[member.name] = value
            yield case

    def check_member(self, operation, steps, member, requests):
        """Whether it, or anything in it, makes a difference."""
        path = ".".join(step for step, _ in steps)
        exempt = next((pattern for pattern in EXEMPT if fnmatch.fnmatchcase(f"{operation}.{path}", pattern)), None)
        answers = set()
        for prepare, request in requests:
            cases = list(self.cases(operation, steps, member, request))
            # A token makes its first call another one than the second.
            twice = cases[:1] if member.name.endswith("Token") else []
            answers = set()
            for case in cases + twice:
                answers.add(self.respond(operation, prepare, case))
                if len(answers) > 1:
                    break
            if len(answers) > 1:
                break
        differs = len(answers) > 1
        if exempt:
            self.exempt.add(exempt)
        elif not any("is not supported" in answer for answer in answers):
            differs |= self.descend(operation, member.shape, steps, requests)
        if differs == bool(exempt) and not (exempt and exempt.endswith("*")):
            self.differing.append((operation, path, "makes a difference" if differs else "makes none"))
        return differs

    def descend(self, operation, name, steps, requests):
        """The same of all members of the shape; a list's and a map's stand for all of theirs."""
        shape = self.shapes[name]
        if shape.kind == "structure" and name != "AttributeValue":
            return any([self.check_member(operation, steps + [(member.name, member.shape)], member, requests)
                        for member in shape.members])
        if shape.kind in ("list", "map"):
            return self.descend(operation, shape.element, steps + [("*", shape.element)], requests)
        return False

    def check_steady(self, operation, requests):
        """What is not the same twice would make a difference of everything."""
        for prepare, request in requests:
            first, second = (self.respond(operation, prepare, request) for _ in range(2))
            if first != second:
                self.differing.append((operation, "is not the same twice", first, second))

    def test_every_member_makes_a_difference(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "bucket").mkdir()
            options = {"auth": "off", "clock": "manual", "clock-start": "2000000000", "buckets": folder, "log-level": "error"}
            with raw.Server(BINARY, *itertools.chain(*((f"--{name}", value) for name, value in options.items()))) as server:
                self.connect(server)
                for operation, (_, input_shape) in self.operations.items():
                    if input_shape != "-":
                        requests = REQUESTS.get(operation) or [(None, self.sample(input_shape))]
                        self.check_steady(operation, requests)
                        self.descend(operation, input_shape, [], requests)
        self.assertEqual(self.differing, [])
        self.assertEqual(sorted(set(EXEMPT) - self.exempt), [], "exempt, but no such member")
        self.assertGreater(self.checked, 1000)


if __name__ == "__main__":
    BINARY, MODEL = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
