#!/usr/bin/env python3
"""Who may do what: a server with users, a role's session and tables' policies, as the manual's page iam.md says; what is refused
in which words, what an audit notes, and why.

    iam_test.py <dynolith binary> <project folder> [unittest arguments]
"""

import http.client
import json
import pathlib
import re
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, Server, run, signed_headers

PROJECT = pathlib.Path()
TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table/songs"
ANN = "arn:aws:iam::000000000000:user/ann"
SONGS = {"TableName": "songs", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}


def key(text):
    return {"TableName": "songs", "Key": {"pk": {"S": text}}}


def manual_examples():
    """The user and the session of the manual's page."""
    blocks = re.findall(r"(?:^    .*\n)+", (PROJECT / "tools/manual/iam.md").read_text(), re.MULTILINE)
    user, session = (json.loads(block) for block in blocks if block.lstrip().startswith("{"))
    session["Credentials"]["Expiration"] = "2099-12-01T00:00:00Z"
    return user, session


class Iam(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        user, session = manual_examples()
        self.write("users/ann.json", user)
        self.write("sessions/today.json", session)
        self.write("roles/ops.json", {"RolePolicyList": [{"PolicyName": "reads", "PolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:PartiQLSelect"],
                           "Resource": "arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/table, 'songs'}"},
                          {"Effect": "Deny", "Action": "dynamodb:PartiQLSelect", "Resource": "*",
                           "Condition": {"Bool": {"dynamodb:FullTableScan": "true"}}}]}}]})
        self.write("root.json", {"AccessKeyMetadata": [{"AccessKeyId": "AKIDROOT"}]})

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))

    def start(self, mode="enforce", *more):
        server = self.enterContext(Server("--iam", mode, "--iam-folder", str(self.folder), "--admin", *more))
        self.ask(server, "AKIDROOT", "CreateTable", SONGS)
        return server

    def ask(self, server, access_key, operation, members):
        """"" or the name of the exception and its message."""
        body = json.dumps(members).encode()
        headers = signed_headers(operation, body, access_key=access_key)
        status, answer = server.request(operation, body, headers)
        if status == 200:
            return ""
        self.assertEqual(status, 400, answer)
        return f'{answer["__type"].split("#")[1]}: {answer.get("Message", answer.get("message"))}'

    def refusal(self, action, why, user=ANN, resource=TABLE):
        return f"AccessDeniedException: User: {user} is not authorized to perform: dynamodb:{action} on resource: {resource} {why}"

    def lacks(self, action, kind="identity-based policy", **more):
        return self.refusal(action, f"because no {kind} allows the dynamodb:{action} action", **more)

    def test_identity_policies(self):
        server = self.start()
        self.assertEqual(self.ask(server, "AKIDANN", "GetItem", key("ann")), "")
        self.assertEqual(self.ask(server, "AKIDANN", "GetItem", key("bob")), self.lacks("GetItem"))
        self.assertEqual(self.ask(server, "AKIDANN", "PutItem", {"TableName": TABLE, "Item": {"pk": {"S": "ann"}}}),
                         self.lacks("PutItem"))
        self.assertEqual(self.ask(server, "AKIDANN", "ListTables", {}), self.lacks("ListTables", resource="*"))
        query = {"TableName": "songs", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "ann"}}}
        self.assertEqual(self.ask(server, "AKIDANN", "Query", query), "")
        # Whether there is such a table is not said to who may not ask.
        self.assertEqual(self.ask(server, "AKIDANN", "DescribeTable", {"TableName": "none"}),
                         self.lacks("DescribeTable", resource=TABLE.replace("songs", "none")))
        transaction = {"TransactItems": [{"Get": key("ann")}, {"Get": key("bob")}]}
        self.assertEqual(self.ask(server, "AKIDANN", "TransactGetItems", transaction), self.lacks("GetItem"))
        self.assertEqual(self.ask(server, "AKIDBOB", "ListTables", {}),
                         "UnrecognizedClientException: The security token included in the request is invalid.")

    def test_sessions(self):
        server = self.start()
        session = {"user": "arn:aws:sts::000000000000:assumed-role/ops/today"}
        self.assertEqual(self.ask(server, "ASIAOPS", "GetItem", key("bob")), "")
        self.assertEqual(self.ask(server, "ASIAOPS", "DeleteItem", key("bob")), self.lacks("DeleteItem", **session))
        self.assertEqual(self.ask(server, "ASIAOPS", "ExecuteStatement", {"Statement": "SELECT * FROM songs WHERE pk = 'a'"}), "")
        self.assertEqual(self.ask(server, "ASIAOPS", "ExecuteStatement", {"Statement": "SELECT * FROM songs"}),
                         self.refusal("PartiQLSelect", "with an explicit deny in an identity-based policy", **session))

    def test_an_expired_session_on_the_clock_of_the_test(self):
        server = self.start("enforce", "--clock", "manual")
        self.assertEqual(self.ask(server, "ASIAOPS", "GetItem", key("a")), "")
        self.admin(server, "/_dynolith/clock/set", {"now": "2099-12-01T00:00:00Z"})
        self.assertEqual(self.ask(server, "ASIAOPS", "GetItem", key("a")),
                         "UnrecognizedClientException: The security token included in the request is expired")

    def test_policies_of_tables(self):
        server = self.start()
        policy = {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": ANN}, "Action": "dynamodb:Scan", "Resource": TABLE},
            {"Effect": "Deny", "Principal": {"AWS": ANN}, "Action": "dynamodb:GetItem", "Resource": TABLE}]}
        put = {"ResourceArn": TABLE, "Policy": json.dumps(policy)}
        self.assertEqual(self.ask(server, "AKIDANN", "PutResourcePolicy", put), self.lacks("PutResourcePolicy"))
        self.assertEqual(self.ask(server, "AKIDANN", "Scan", {"TableName": "songs"}), self.lacks("Scan"))
        self.assertEqual(self.ask(server, "AKIDROOT", "PutResourcePolicy", put), "")
        self.assertEqual(self.ask(server, "AKIDANN", "Scan", {"TableName": "songs"}), "")
        self.assertEqual(self.ask(server, "AKIDANN", "GetItem", key("ann")),
                         self.refusal("GetItem", "with an explicit deny in a resource-based policy"))

    def test_other_accounts_need_both(self):
        arn = "arn:aws:iam::111122223333:user/eve"
        allow = {"Statement": {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}}
        self.write("users/eve.json", {"Arn": arn, "AccessKeyMetadata": [{"AccessKeyId": "AKIDEVE"}],
                                      "UserPolicyList": [{"PolicyName": "all", "PolicyDocument": allow}]})
        server = self.start()
        self.assertEqual(self.ask(server, "AKIDEVE", "GetItem", key("a")), self.lacks("GetItem", "resource-based policy", user=arn))
        policy = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": "111122223333"}, "Action": "dynamodb:GetItem",
                                 "Resource": TABLE}]}
        self.assertEqual(self.ask(server, "AKIDROOT", "PutResourcePolicy", {"ResourceArn": TABLE, "Policy": json.dumps(policy)}), "")
        self.assertEqual(self.ask(server, "AKIDEVE", "GetItem", key("a")), "")

    def test_bodies_that_readers_understand_differently(self):
        server = self.start()
        body = b'{"TableName":"songs","Key":{"pk":{"S":"ann"}},"Key":{"pk":{"S":"bob"}}}'
        headers = signed_headers("GetItem", body, access_key="AKIDANN")
        status, answer = server.request("GetItem", body, headers)
        self.assertEqual((status, answer["Message"]), (400, 'the body has the member "Key" twice, so that it is not certain what '
                                                            'it wants to do'))

    def test_audit(self):
        server = self.start("audit")
        self.assertEqual(self.ask(server, "AKIDANN", "Scan", {"TableName": "songs"}), "")
        self.assertEqual(self.ask(server, "AKIDANN", "GetItem", key("ann")), "")
        code, _, errors = server.stop()
        self.assertEqual((code, errors.count("\n")), (0, 1))
        self.assertIn(" warning --iam enforce would refuse a call: " + self.lacks("Scan").split(": ", 1)[1], errors)

    def test_signatures_of_sessions(self):
        session = json.loads((self.folder / "sessions/today.json").read_text())
        del session["Credentials"]["SessionToken"]
        self.write("sessions/today.json", session)
        credentials = self.folder.parent / f"{self.folder.name}.keys"
        credentials.write_text("AKIDROOT other\n")
        self.addCleanup(credentials.unlink)
        server = self.enterContext(Server("--iam", "enforce", "--iam-folder", str(self.folder), "--auth", "verify",
                                          "--credentials", str(credentials)))
        now = time.gmtime()
        for secret, name in (("secret", "AccessDeniedException"), ("other", "InvalidSignatureException")):
            headers = signed_headers("ListTables", b"{}", secret, time.strftime("%Y%m%d", now), time.strftime("%Y%m%dT%H%M%SZ", now),
                                     access_key="ASIAOPS")
            status, answer = server.request("ListTables", b"{}", headers)
            # Its role may not list tables, which is said to who has signed.
            self.assertEqual((status, answer["__type"].split("#")[1]), (400, name))

    def admin(self, server, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request("POST", path, json.dumps(body))
            response = connection.getresponse()
            return json.loads(response.read())
        finally:
            connection.close()

    def test_explanations(self):
        server = self.start()
        asked = {"access_key": "AKIDANN", "operation": "GetItem", "body": key("bob")}
        answer = self.admin(server, "/_dynolith/iam/explain", asked)
        self.assertEqual((answer["principal"], answer["allowed"]), (ANN, False))
        need, = answer["needs"]
        self.assertEqual((need["action"], need["resource"], need["allowed"]), ("dynamodb:GetItem", TABLE, False))
        self.assertEqual("AccessDeniedException: " + need["reason"], self.lacks("GetItem"))
        statement, = need["statements"]
        self.assertEqual(statement["why"], "ForAllValues:StringEquals of dynamodb:LeadingKeys wants ${aws:username}; "
                                           "the request has bob")
        self.assertEqual((statement["kind"], statement["policy"], statement["effect"], statement["applies"]),
                         ("identity-based policy", "own", "Allow", False))
        self.assertEqual(need["context"]["aws:principaltag/team"], ["music"])
        asked["body"] = key("ann")
        answer = self.admin(server, "/_dynolith/iam/explain", asked)
        self.assertTrue(answer["allowed"] and answer["needs"][0]["statements"][0]["applies"])
        for broken, words in (({}, 'the body needs "access_key"'), (dict(asked, access_key="x"), "nobody in --iam-folder has"),
                              (dict(asked, more=1), 'the body may not have "more"')):
            self.assertIn(words, self.admin(server, "/_dynolith/iam/explain", broken)["error"])

    def test_recorded_calls(self):
        trace, policy, least = (str(self.folder.parent / f"{self.folder.name}.{name}") for name in ("trace", "policy", "least"))
        self.addCleanup(lambda: [path.unlink() for path in self.folder.parent.glob(f"{self.folder.name}.*")])
        with Server("--trace", trace, "--trace-keys", "plain") as server:
            server.call("CreateTable", **SONGS)
            for name in ("ann", "bob"):
                server.call("PutItem", TableName="songs", Item={"pk": {"S": name}})
                server.call("GetItem", **key(name))
        pathlib.Path(policy).write_text(json.dumps({"Version": "2012-10-17", "Statement": {
            "Effect": "Allow", "Action": ["dynamodb:GetItem"], "Resource": TABLE,
            "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "ann"}}}}))
        shown = run("iam", "check", policy, "--trace", trace, "--least", least)
        self.assertEqual((shown.returncode, shown.stderr), (3, b""))
        self.assertEqual(shown.stdout.decode(), f"REFUSED    1 of 2, as for the key bob  GetItem: dynamodb:GetItem on {TABLE}\n"
                                                f"REFUSED    2 of 2, as for the key ann  PutItem: dynamodb:PutItem on {TABLE}\n")
        self.assertEqual(json.loads(pathlib.Path(least).read_text()), {"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:PutItem"], "Resource": [TABLE]}]})
        shown = run("iam", "check", least, "--trace", trace)
        self.assertEqual((shown.returncode, shown.stdout.decode().count("allowed    2  ")), (0, 2), shown)
        shown = run("iam", "check", "--trace", trace)
        self.assertEqual((shown.returncode, shown.stderr), (1, b"dynolith: iam check wants a POLICY, or --least FILE, or both\n"))

    def test_what_does_not_start(self):
        for arguments, words in ((["--iam", "enforce"], "need --iam-folder DIR"), (["--iam-folder", str(self.folder)], "need --iam"),
                                 (["--iam", "audit", "--iam-folder", str(self.folder / "none")], "cannot read")):
            shown = run("serve", "--port", "0", *arguments)
            self.assertEqual((shown.returncode, shown.stdout), (1, b""), arguments)
            self.assertIn(words, shown.stderr.decode())
        (self.folder / "users/ann.json").write_text('{"Tags": 1}')
        shown = run("serve", "--port", "0", "--iam", "audit", "--iam-folder", str(self.folder))
        self.assertEqual((shown.returncode, shown.stderr.decode()),
                         (1, f"dynolith: {self.folder}/users/ann.json:1:10: Tags: must be a list\n"))


if __name__ == "__main__":
    cli_test.BINARY = sys.argv[1]
    PROJECT = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
