#!/usr/bin/env python3
"""The wire protocol through the whole program, on raw sockets: whatever an SDK never sends, or hides from who uses it
(api/facts/wire.md §2 to §8, §10). The answers' request id and checksum are looked at by every call (raw.py).

    wire_test.py <dynolith binary> [unittest arguments]
"""

import gzip
import hashlib
import hmac
import json
import os
import sys
import tempfile
import time
import unittest
import urllib.parse
import zlib

import raw
from raw import call, request

BINARY = ""
BODY_MAX = 16 << 20
CORAL = "com.amazon.coral.service#"
NOT_A_CALL = b"<UnknownOperationException/>\n"
SERIALIZATION = {"__type": CORAL + "SerializationException"}
UNKNOWN = {"__type": CORAL + "UnknownOperationException"}
NO_TABLES = b'{"TableNames":[]}'
DYNAMO = "com.amazonaws.dynamodb.v20120810#"

TABLE = json.dumps({"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
                    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]})
KEY = {"a": {"S": "k"}}


def item(length):
    return {**KEY, "v": {"S": "x" * length}}


class Case(unittest.TestCase):
    """One server for the tests of a class; it must outlive them all."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.server = raw.Server(BINARY, *cls.arguments)

    @classmethod
    def tearDownClass(cls):
        alive = cls.server.process.poll() is None
        cls.server.__exit__()
        if not alive:
            raise AssertionError("the server has died")

    def call(self, *arguments, **options):
        return call(self.server.port, *arguments, **options)

    def assert_error(self, answer, expected, status=400):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(json.loads(answer.body), expected)


class Envelope(Case):
    def test_headers_of_an_answer(self):
        answer = self.call("ListTables", "{}")
        self.assertEqual((answer.version, answer.status, answer.body), ("HTTP/1.1", 200, NO_TABLES))
        self.assertEqual(answer.headers["content-type"], "application/x-amz-json-1.0")
        self.assertEqual(answer.headers["content-length"], "17")
        self.assertEqual(answer.headers["server"], "Server")
        self.assertEqual(answer.headers["connection"], "keep-alive")
        self.assertNotIn("content-encoding", answer.headers)

    def test_request_ids_differ(self):
        ids = {self.call("ListTables", "{}").headers["x-amzn-requestid"] for _ in range(20)}
        self.assertEqual(len(ids), 20)

    def test_content_types(self):
        for given, answered in (("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
                                ("application/json", "application/json"),
                                ("  application/json  ;   asfd", "application/json"),
                                ("application/x-amz-json-1.0; charset=utf-8", "application/x-amz-json-1.0"),
                                ("\tapplication/x-amz-json-1.0\t", "application/x-amz-json-1.0")):
            answer = self.call("ListTables", "{}", content_type=given)
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, answered), given)
        for given in (None, "", "application/jsonasdf", "application/x-amz-json-1.1", "text/plain", "; application/json"):
            answer = self.call("ListTables", "{}", content_type=given)
            self.assertEqual((answer.status, answer.body), (404, NOT_A_CALL), given)
        # Without a body there is nothing whose type would matter.
        self.assert_error(self.call("ListTables", content_type=None), SERIALIZATION)

    def test_operations_without_output_have_no_body(self):
        self.call("CreateTable", TABLE.replace("music", "tagged"))
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/tagged"
        for operation, members in (("TagResource", {"Tags": [{"Key": "k", "Value": "v"}]}), ("UntagResource", {"TagKeys": ["k"]})):
            answer = self.call(operation, json.dumps({"ResourceArn": arn, **members}))
            self.assertEqual((answer.status, answer.body), (200, b""))
            self.assertEqual((answer.headers["content-length"], answer.headers["x-amz-crc32"]), ("0", "0"))
        self.call("DeleteTable", '{"TableName": "tagged"}')

    def test_errors(self):
        prefixes = {"ValidationException": "com.amazon.coral.validate#", "ResourceNotFoundException": DYNAMO}
        for body, name, message in (
                ('{"TableName": "absent", "Key": {}}', "ResourceNotFoundException", "Requested resource not found"),
                ('{"TableName": "absent"}', "ValidationException",
                 "1 validation error detected: Value null at 'key' failed to satisfy constraint: Member must not be null")):
            self.assert_error(self.call("GetItem", body), {"__type": prefixes[name] + name, "message": message})
        self.assert_error(self.call("GetItem", '{"TableName": 1}'),
                          {"__type": CORAL + "SerializationException", "Message": "NUMBER_VALUE cannot be converted to String"})

    def test_targets(self):
        for target in ("ListTables", "DynamoDB_20120810", "DynamoDB_20120810.", "DynamoDB_20120810.Nothing", ".ListTables",
                       "DynamoDB_20120810.ListTables.x", "DynamoDB_20111205.ListTables", "dynamodb_20120810.ListTables",
                       "DynamoDBStreams_20120810.ListTables", "DynamoDB_20120810.ListStreams"):
            options = {"headers": [f"X-Amz-Target: {target}"]}
            self.assert_error(self.call(None, "{}", **options), UNKNOWN)
        self.assertEqual(self.call("DynamoDBStreams_20120810.ListStreams", "{}").body, b'{"Streams":[]}')

    # Each request has every later fault, too.
    def test_order_of_checks(self):
        wrong_type, no_json = {"content_type": "text/plain"}, "no JSON"
        self.assertEqual(self.call(None, no_json, signed=False, **wrong_type).body, NOT_A_CALL)
        answer = self.call(None, no_json, signed=False)
        self.assert_error(answer, SERIALIZATION)
        self.assertEqual(answer.headers["x-amz-crc32"], "3948637019")
        answer = self.call(None, '{"Limit": "x"}', signed=False)
        self.assert_error(answer, UNKNOWN)
        self.assertEqual(answer.headers["x-amz-crc32"], "1368724161")
        missing = {"__type": CORAL + "MissingAuthenticationTokenException", "message": "Request is missing Authentication Token"}
        for body in ("", '{"Limit": "x"}'):
            self.assert_error(self.call("ListTables", body, signed=False), missing)
        self.assert_error(self.call("ListTables"), SERIALIZATION)
        body = '{"Limit": 0, "ExclusiveStartTableName": 1}'
        self.assert_error(self.call("ListTables", body), {"__type": CORAL + "SerializationException",
                                                          "Message": "NUMBER_VALUE cannot be converted to String"})


class NoCalls(Case):
    def test_health(self):
        for path in ("/", "/?x=1", "/health", "/healthcheck?x=1"):
            answer = self.call(method="GET", path=path, signed=False, content_type=None)
            self.assertEqual((answer.status, answer.body), (200, b"healthy: dynamodb.us-east-1.amazonaws.com "))
            self.assertEqual(answer.headers["x-amz-crc32"], "3128867991")
        for path in ("/any/path?x=1", "/Health", "/shell/"):
            answer = self.call(method="GET", path=path, signed=False, content_type=None)
            self.assertEqual((answer.status, answer.body), (404, NOT_A_CALL), path)

    def test_other_methods(self):
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "post"):
            answer = self.call("ListTables", "{}", method=method)
            self.assertEqual((answer.status, answer.body, answer.headers["x-amz-crc32"]), (404, NOT_A_CALL, "3552371480"), method)
        answer = self.call(method="HEAD")
        self.assertEqual((answer.status, answer.headers["content-length"], answer.body), (404, "29", b""))

    def test_cross_origin(self):
        asked = ["Origin: http://localhost:3000", "Access-Control-Request-Headers: a, b", "Access-Control-Request-Method: POST"]
        answer = self.call(method="OPTIONS", headers=asked, signed=False)
        self.assertEqual((answer.status, answer.body), (200, b""))
        allowed = {name: value for name, value in answer.headers.items() if name.startswith("access-control")}
        self.assertEqual(allowed, {"access-control-allow-origin": "*", "access-control-allow-headers": "a, b",
                                   "access-control-allow-methods": "POST", "access-control-max-age": "172800",
                                   "access-control-expose-headers": "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"})
        bare = self.call(method="OPTIONS", headers=asked[:1], signed=False).headers
        self.assertNotIn("access-control-allow-headers", bare)
        self.assertNotIn("access-control-allow-methods", bare)
        for options in ({"method": "GET"}, {"method": "PUT"}, {}):
            headers = self.call("ListTables", "{}", headers=asked[:1], **options).headers
            self.assertEqual(headers["access-control-allow-origin"], "*")
            self.assertIn("x-amzn-RequestId", headers["access-control-expose-headers"])
        self.assertNotIn("access-control-allow-origin", self.call("ListTables", "{}").headers)


class Bodies(Case):
    def test_what_is_no_object(self):
        for body in ("null", "[]", '"x"', "1", "true", " ", "{", "}", "{}{}", "{} x", "{'a':1}", '{"a":1,}', '{"a"}', '{"Limit":01}',
                     '{"Limit":NaN}', '{"Limit":+1}', '{"Limit":1.}', "\0", '{"a":"\0"}', b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}',
                     '{"a":"\\ud800"}', '{"a":"\\x"}', '{"a":"\n"}', "[" * 100_000, '{"a":' * 100_000,
                     '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"):
            self.assert_error(self.call("ListTables", body), SERIALIZATION)

    def test_json_that_is_unusual(self):
        for body in ("\n{}\t", "\ufeff{}", '{"Limit":1,"Limit":2}', '{"Limit":null}', '{"limit":"x"}', '{"Unknown":[{}]}',
                     '{"a":1e400,"b":-1e400,"c":1e-400}', '{"a":123456789012345678901234567890}', '{"Limit":1.9}', '{"Limit":1e1}',
                     '{"a":"\\u0000\\ud83d\\ude00/\\/"}', '{"a":"\\"1e999"}'):
            answer = self.call("ListTables", body)
            self.assertEqual((answer.status, answer.body), (200, NO_TABLES), body)

    def test_numbers_beyond_every_machine(self):
        prefix = "1 validation error detected: Value '{}' at 'limit' failed to satisfy constraint: Member must have value "
        most, least = prefix + "less than or equal to 100", prefix + "greater than or equal to 1"
        for number, message in (("123456789012345678901", most.format(2**31 - 1)), ("1e999", most.format(2**31 - 1)),
                                ("-123456789012345678901", least.format(-2**31)), ("1e-999", least.format(0))):
            answer = self.call("ListTables", f'{{"Limit":{number}}}')
            self.assert_error(answer, {"__type": "com.amazon.coral.validate#ValidationException", "message": message})
        for number, token in (("123456789012345678901", "NUMBER_VALUE"), ("1.5e999", "DECIMAL_VALUE")):
            answer = self.call("ListTables", f'{{"ExclusiveStartTableName":{number}}}')
            self.assert_error(answer, {"__type": CORAL + "SerializationException",
                                       "Message": f"{token} cannot be converted to String"})

    def test_sizes(self):
        answer = self.call("ListTables", b"{" + b" " * (BODY_MAX - 2) + b"}")
        self.assertEqual((answer.status, answer.body), (200, NO_TABLES))
        chunk = b"%x\r\n" % (BODY_MAX + 1)
        for data in (request("ListTables", b" " * (BODY_MAX + 1)),
                     request("ListTables", chunk, length=False, headers=["Transfer-Encoding: chunked"])):
            with raw.Connection(self.server.port) as connection:
                connection.send(data)
                answer = connection.receive()
                self.assertEqual((answer.status, answer.body), (413, b""))
                self.assertEqual(answer.headers["transfer-encoding"], "chunked")
                self.assertNotIn("x-amzn-requestid", answer.headers)

    def test_a_condition_of_nothing_but_parentheses(self):
        self.call("CreateTable", TABLE)
        for expression in ("(" * 4096, "(" * 2000 + "a=:a" + ")" * 2000):
            answer = self.call("PutItem", json.dumps({"TableName": "music", "Item": KEY, "ConditionExpression": expression,
                                                      "ExpressionAttributeValues": {":a": {"S": "k"}}}))
            self.assertEqual(json.loads(answer.body)["__type"], "com.amazon.coral.validate#ValidationException")
        self.call("DeleteTable", '{"TableName": "music"}')

    def test_nested_values_at_any_depth(self):
        for depth in (100, 10_000):
            nested = '{"L":[' * depth + '{"S":""}' + "]}" * depth
            answer = self.call("PutItem", f'{{"TableName":"music","Item":{{"a":{nested}}}}}')
            self.assertEqual(answer.status, 400)


class Compression(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        call(cls.server.port, "CreateTable", TABLE)

    def get(self, length, accept=None):
        self.call("PutItem", json.dumps({"TableName": "music", "Item": item(length)}))
        headers = [f"Accept-Encoding: {accept}"] if accept is not None else []
        return self.call("GetItem", json.dumps({"TableName": "music", "Key": KEY}), headers=headers)

    def test_requests(self):
        body = b'{"Limit": 5}'
        raw_deflate = zlib.compressobj(wbits=-15)
        for coding, data in (("gzip", gzip.compress(body)), ("GZIP", gzip.compress(body)), ("deflate", zlib.compress(body)),
                             ("deflate", raw_deflate.compress(body) + raw_deflate.flush()), ("identity", body)):
            answer = self.call("ListTables", data, headers=[f"Content-Encoding: {coding}"])
            self.assertEqual((answer.status, answer.body), (200, b'{"TableNames":["music"]}'), coding)

    def test_requests_that_cannot_be_read(self):
        whole = gzip.compress(b"{}")
        damaged = whole[:-5] + bytes([whole[-5] ^ 1]) + whole[-4:]
        for coding, data in (("gzip", b"{}"), ("gzip", b""), ("deflate", b""), ("gzip", whole[:-1]), ("gzip", damaged), ("deflate", b"{}"), ("br", b"{}"),
                             ("gzip", gzip.compress(b"{" + b" " * BODY_MAX, 1))):
            answer = self.call("ListTables", data, headers=[f"Content-Encoding: {coding}"])
            self.assert_error(answer, {"__type": DYNAMO + "InternalServerError"}, 500)
        # Exactly the limit passes.
        answer = self.call("ListTables", gzip.compress(b"{" + b" " * (BODY_MAX - 2) + b"}", 1), headers=["Content-Encoding: gzip"])
        self.assertEqual(answer.status, 200)

    def test_answers_begin_to_be_compressed_behind_4096_bytes(self):
        around = len(self.get(1).body) - 1
        self.assertEqual(len(self.get(4096 - around, "gzip").body), 4096)
        answer = self.get(4097 - around, "gzip")
        self.assertEqual(answer.headers["content-encoding"], "gzip")
        self.assertEqual(len(gzip.decompress(answer.body)), 4097)

    def test_what_the_client_accepts(self):
        plain = self.get(5000).body
        for accept, coding in (("gzip", "gzip"), ("deflate", "deflate"), ("gzip, deflate", "gzip"), ("deflate;q=0.9, gzip;q=0.8", "deflate"),
                               ("gzip;q=0, deflate", "deflate"), ("*", "gzip"), ("br, *;q=0.1", "gzip"), ("GZip", "gzip"),
                               ("identity;q=0.5, gzip", "gzip"), ("identity;q=0, gzip;q=0.1", "gzip"), ("gzip ; q=1.0", "gzip"),
                               ("", None), ("identity", None), ("br", None), ("gzip;q=0", None), ("*;q=0", None), ("gzip;q=nan", "gzip"),
                               ("identity, gzip;q=0.5", "gzip"), ("br, identity, deflate, gzip", "deflate"), ("gzip;nq=0;q=1", None),
                               ("gzip;q=0, *", "deflate"), (None, None)):
            answer = self.get(5000, accept)
            self.assertEqual(answer.headers.get("content-encoding"), coding, accept)
            readable = {None: bytes, "gzip": gzip.decompress, "deflate": zlib.decompress}[coding](answer.body)
            self.assertEqual(readable, plain, accept)

    def test_errors_are_compressed_like_everything_else(self):
        body = json.dumps({"TableName": "x" * 5000, "Key": KEY})
        answer = self.call("GetItem", body, headers=["Accept-Encoding: gzip"])
        self.assertEqual((answer.status, answer.headers["content-encoding"]), (400, "gzip"))
        self.assertIn(b"Member must have length less than or equal to 255", gzip.decompress(answer.body))


class Http(Case):
    def test_old_clients(self):
        with raw.Connection(self.server.port) as connection:
            connection.send(request("ListTables", "{}", version="1.0"))
            answer = connection.receive()
            self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
            self.assertTrue(connection.is_closed())
        with raw.Connection(self.server.port) as connection:
            for _ in range(2):
                connection.send(request("ListTables", "{}", version="1.0", headers=["Connection: Keep-Alive"]))
                self.assertEqual(connection.receive().headers["connection"], "keep-alive")
        with raw.Connection(self.server.port) as connection:
            connection.send(request("ListTables", "{}", headers=["Connection: close"]))
            self.assertEqual(connection.receive().headers["connection"], "close")
            self.assertTrue(connection.is_closed())

    def test_pipelined_requests_are_answered_in_order(self):
        bodies = [b"{}", b"null", b'{"Limit":0}', b"{}"] * 50
        with raw.Connection(self.server.port) as connection:
            connection.send(b"".join(request("ListTables", body) for body in bodies) + request(method="GET", path="/"))
            answers = [connection.receive() for _ in bodies]
            self.assertEqual([answer.status for answer in answers], [200, 400, 400, 200] * 50)
            self.assertEqual(json.loads(answers[-3].body), SERIALIZATION)
            self.assertIn(b"greater than or equal to 1", answers[-2].body)
            self.assertTrue(connection.receive().body.startswith(b"healthy"))

    def test_chunked_bodies(self):
        chunks = b"1;name=value\r\n{\r\n" + b'0009\r\n"Limit":5\r\n' + b"01\r\n}\r\n" + b"0;last\r\nTrailer: x\r\nOther: y\r\n\r\n"
        data = request("ListTables", chunks, length=False, headers=["Transfer-Encoding: Chunked"])
        with raw.Connection(self.server.port) as connection:
            connection.send(data + data)
            self.assertEqual([connection.receive().body for _ in range(2)], [NO_TABLES] * 2)
            # In pieces, cut at every byte.
            for at in range(len(data) - len(chunks), len(data)):
                connection.send(data[:at])
                connection.send(data[at:])
                self.assertEqual(connection.receive().body, NO_TABLES)
        for bad in (b"x\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n"):
            with raw.Connection(self.server.port) as connection:
                connection.send(request("ListTables", bad, length=False, headers=["Transfer-Encoding: chunked"]))
                self.assertEqual(connection.receive().status, 400)

    def test_compressed_and_chunked(self):
        data = gzip.compress(b'{"Limit": 5}')
        chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data)
        answer = self.call("ListTables", chunks, length=False, headers=["Transfer-Encoding: chunked", "Content-Encoding: gzip"])
        self.assertEqual((answer.status, answer.body), (200, NO_TABLES))

    def test_expectations(self):
        with raw.Connection(self.server.port) as connection:
            head = request("ListTables", headers=["Expect: 100-continue", "Content-Length: 2"])
            connection.send(head)
            self.assertEqual(connection.receive().status, 100)
            connection.send(b"{}")
            self.assertEqual(connection.receive().body, NO_TABLES)
        with raw.Connection(self.server.port) as connection:
            connection.send(request("ListTables", headers=["Expect: 100-continue", f"Content-Length: {BODY_MAX + 1}"]))
            self.assertEqual(connection.receive().status, 413)

    def test_forms_of_a_target(self):
        for path in ("/", "http://localhost:8000/", "http://localhost:8000", "/any/path", "/?x=y"):
            self.assertEqual(self.call("ListTables", "{}", path=path).body, NO_TABLES, path)

    def test_header_names_in_any_case_and_empty_lines_in_front(self):
        data = request("ListTables", "{}")
        head, body = data.split(b"\r\n\r\n")
        line, *headers = head.split(b"\r\n")
        shouting = [name.upper() + b":" + value for name, value in (header.split(b":", 1) for header in headers)]
        with raw.Connection(self.server.port) as connection:
            connection.send(b"\r\n\r\n" + b"\r\n".join([line, *shouting]) + b"\r\n\r\n" + body)
            self.assertEqual(connection.receive().body, NO_TABLES)

    def test_malformed_requests(self):
        for data in (b"nonsense\r\n\r\n", b"POST /\r\n\r\n", b"POST / HTTP/1.1\r\nno colon\r\n\r\n", b"\x16\x03\x01\x02\x00",
                     b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                     b"POST / HTTP/1.1\r\nA: " + b"x" * (17 << 10) + b"\r\n\r\n",
                     b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"):
            with raw.Connection(self.server.port) as connection:
                connection.send(data)
                self.assertEqual(connection.receive().status, 400, data[:50])


class SigningShapes(Case):
    """What is wrong with how a request is signed, in the order of api/facts/wire.md §6; the default checks no more than that."""

    SCOPE = "key/20261001/us-east-1/dynamodb/aws4_request"

    def refusal(self, header, *, date=raw.DATE, path="/", headers=()):
        lines = [f"Authorization: {header}"] if header is not None else []
        lines += [f"X-Amz-Date: {date}"] if date is not None else []
        answer = self.call("ListTables", "{}", signed=False, path=path, headers=lines + list(headers))
        self.assertEqual(answer.status, 400, answer.body)
        body = json.loads(answer.body)
        self.assertEqual(set(body), {"__type", "message"})
        return body["__type"].removeprefix(CORAL), body["message"]

    def header(self, credential=SCOPE, signed="host", algorithm="AWS4-HMAC-SHA256"):
        return f"{algorithm} Credential={credential}, SignedHeaders={signed}, Signature=0"

    def test_both_kinds(self):
        message = "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
        self.assertEqual(self.refusal("x", path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256"), ("InvalidSignatureException", message))

    def test_none(self):
        for header in (None, "", "Basic abc", "AWS3-HMAC", "aws4-hmac"):
            self.assertEqual(self.refusal(header), ("MissingAuthenticationTokenException", "Request is missing Authentication Token"))

    def test_pieces_without_equal_sign(self):
        for header, piece in (("AWS4-HMAC-SHA256 Credential", "Credential"), ("AWS4- a=b,c d", "c"),
                              ("AWS4-HMAC-SHA256 Credential=x SignedHeaders,Signature", "SignedHeaders")):
            self.assertEqual(self.refusal(header), ("IncompleteSignatureException",
                             f"'{piece}' not a valid key=value pair (missing equal-sign) in Authorization header: '{header}'."))

    def test_incomplete_headers(self):
        def require(name):
            return f"Authorization header requires '{name}' parameter. "
        date = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        for header, given, missing in (
                ("AWS4-", None, require("Credential") + require("Signature") + require("SignedHeaders") + date),
                ("AWS4-HMAC-SHA256 Credential=a", raw.DATE, require("Signature") + require("SignedHeaders")),
                ("AWS4-HMAC-SHA256 Signature=a,SignedHeaders=b", raw.DATE, require("Credential")),
                ("AWS4-HMAC-SHA256 Credential=,Signature=a,SignedHeaders=b", None, require("Credential") + date)):
            self.assertEqual(self.refusal(header, date=given), ("IncompleteSignatureException", f"{missing}Authorization={header}"))

    def test_incomplete_queries(self):
        names = ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"]
        for given in range(len(names)):
            query = "&".join(f"{name}=x" for name in names[:given]) or names[0]
            message = "".join(f"AWS query-string parameters must include '{name}'. " for name in names[given:])
            self.assertEqual(self.refusal(None, path="/?" + query, date=None),
                             ("IncompleteSignatureException", message + "Re-examine the query-string parameters."))

    def test_dates(self):
        for date in ("201", "20261001T120000", "2026-10-01T12:00:00Z", "20261301T120000Z", "20261001T250000Z"):
            self.assertEqual(self.refusal(self.header(), date=date), ("IncompleteSignatureException",
                             f"Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"))
        # A Date header does as well, in HTTP's format or in that of the signature.
        for date in ("Thu, 01 Oct 2026 12:00:00 GMT", raw.DATE):
            lines = [f"Authorization: {self.header()}", f"Date: {date}"]
            self.assertEqual(self.call("ListTables", "{}", signed=False, headers=lines).status, 200)

    def test_signed_headers_algorithm_and_credential(self):
        self.assertEqual(self.refusal(self.header("a/b", signed="date;hosts", algorithm="AWS4-x")),
                         ("InvalidSignatureException", "'Host' must be a 'SignedHeader' in the AWS Authorization."))
        self.assertEqual(self.refusal(self.header("a/b", algorithm="AWS4-HMAC-SHA25")), ("IncompleteSignatureException",
                         "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). "))
        for credential in ("a", "a/b/c/d", "a/b/c/d/e/f"):
            self.assertEqual(self.refusal(self.header(credential)), ("IncompleteSignatureException",
                             "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
                             f"got '{credential}'"))

    def test_scope(self):
        region = "Credential should be scoped to a valid region, not 'c'. "
        service = "Credential should be scoped to correct service: 'dynamodb'. "
        term = "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        date = ("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
                f"'b' != '20261001', from '{raw.DATE}'.")
        for credential, message in (("a/b/c/d/e", region + service + term + date), ("a/20261001/us-east-1/d/aws4_request", service),
                                    ("a/20261001/us-east-1//aws4_reques", term.replace("'e'", "'aws4_reques'")),
                                    ("a/20261001/c/dynamodb/aws4_request", region), ("a/20261001/eu-west-2/dynamodb/e", term),
                                    ("a/b/us-east-1/dynamodb/aws4_request", date)):
            self.assertEqual(self.refusal(self.header(credential)), ("InvalidSignatureException", message))

    def test_what_looks_signed_passes(self):
        query = urllib.parse.urlencode({"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": self.SCOPE, "X-Amz-Signature": "0",
                                        "X-Amz-SignedHeaders": "host", "X-Amz-Date": raw.DATE, "X-Amz-Expires": "60"})
        self.assertEqual(self.call("ListTables", "{}", signed=False, path="/?" + query).status, 200)
        for header in (self.header(), self.header(self.SCOPE + "//"), self.header().replace(", ", ","), "  " + self.header()):
            lines = [f"Authorization: {header}", f"X-Amz-Date: {raw.DATE}"]
            self.assertEqual(self.call("ListTables", "{}", signed=False, headers=lines).status, 200, header)


class Signatures(Case):
    """Verified signatures, made here with nothing but hashes."""

    SECRETS = {"AKID": ("secret", None), "TEMPORARY": ("other", "token")}

    @classmethod
    def setUpClass(cls):
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write("AKID secret\nTEMPORARY other token\n")
        cls.arguments = ("--auth", "verify", "--credentials", file.name)
        try:
            super().setUpClass()
        finally:
            os.unlink(file.name)

    @staticmethod
    def sign(secret, date, canonical):
        scope = f"{date[:8]}/us-east-1/dynamodb/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = f"AWS4{secret}".encode()
        for part in [*scope.split("/"), text]:
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return scope, key.hex(), text

    @staticmethod
    def now(seconds=0):
        return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + seconds))

    def by_header(self, body=b"{}", *, key="AKID", date=None, sent=None, token=None, change=lambda headers: headers, secret=None):
        date = date or self.now()
        headers = {"content-type": raw.AMAZON_JSON, "host": "localhost:8000", "x-amz-date": date,
                   "x-amz-target": "DynamoDB_20120810.ListTables"}
        if token or self.SECRETS.get(key, ("", None))[1]:
            headers["x-amz-security-token"] = token or self.SECRETS[key][1]
        names = ";".join(sorted(headers))
        canonical = "\n".join(["POST", "/", "", *(f"{name}:{headers[name]}" for name in sorted(headers)), "", names,
                               hashlib.sha256(body).hexdigest()])
        scope, signature, self.text = self.sign(secret or self.SECRETS.get(key, ("x",))[0], date, canonical)
        self.canonical = canonical
        headers = change(headers)
        authorization = f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, Signature={signature}"
        lines = [f"{name}: {value}" for name, value in headers.items() if name not in ("host", "content-type", "x-amz-target")]
        return self.call(headers["x-amz-target"], sent or body, signed=False, headers=[*lines, f"Authorization: {authorization}"])

    def by_query(self, *, expires=60, date=None, path="/", change=str):
        date = date or self.now()
        query = {"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"AKID/{date[:8]}/us-east-1/dynamodb/aws4_request",
                 "X-Amz-Date": date, "X-Amz-Expires": str(expires), "X-Amz-SignedHeaders": "host;x-amz-target"}
        text = urllib.parse.urlencode(sorted(query.items()), quote_via=urllib.parse.quote, safe="")
        canonical = "\n".join(["POST", "/", text, "host:localhost:8000", "x-amz-target:DynamoDB_20120810.ListTables", "",
                               "host;x-amz-target", hashlib.sha256(b"{}").hexdigest()])
        signature = self.sign("secret", date, canonical)[1]
        return self.call("ListTables", b"{}", signed=False, path=change(f"{path}?{text}&X-Amz-Signature={signature}"))

    def assert_refused(self, answer, name, message):
        self.assert_error(answer, {"__type": CORAL + name, "message": message})

    def test_good_ones(self):
        for answer in (self.by_header(), self.by_header(key="TEMPORARY"), self.by_header(date=self.now(-14 * 60)), self.by_query(),
                       self.by_query(path="http://localhost:8000/"), self.by_query(date=self.now(-3000), expires=3600),
                       self.by_header(b'{"Limit": 5}')):
            self.assertEqual((answer.status, answer.body), (200, NO_TABLES))

    def test_expiry(self):
        for expires, message in (("soon", "X-Amz-Expires should be a number"), (-1, "X-Amz-Expires must be non-negative"),
                                 (0, "X-Amz-Expires must be at least 1 second"),
                                 (604801, "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must "
                                          "be less than 604800 seconds")):
            self.assert_refused(self.by_query(expires=expires), "IncompleteSignatureException", message)
        self.assertEqual(self.by_query(expires=604800).status, 200)

    def test_mismatch(self):
        for answer in (self.by_header(secret="wrong"), self.by_header(sent=b"{ }"),
                       self.by_header(change=lambda headers: {**headers, "x-amz-target": "DynamoDB_20120810.DescribeLimits"}),
                       self.by_query(change=lambda path: path[:-1] + ("0" if path[-1] != "0" else "1"))):
            self.assertIn(b"The request signature we calculated does not match the signature you provided.", answer.body)
            self.assertEqual(json.loads(answer.body)["__type"], CORAL + "InvalidSignatureException")
        answer = self.by_header(secret="wrong")
        self.assert_refused(answer, "InvalidSignatureException", (
            "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and "
            "signing method. Consult the service documentation for details.\n\nThe Canonical String for this request should have "
            f"been\n'{self.canonical}'\n\nThe String-to-Sign should have been\n'{self.text}'\n"))

    def test_who_is_unknown(self):
        self.assert_refused(self.by_header(key="NOBODY"), "UnrecognizedClientException",
                            "The security token included in the request is invalid.")
        self.assert_refused(self.by_header(key="TEMPORARY", token="wrong"), "UnrecognizedClientException",
                            "The security token included in the request is invalid")
        self.assert_refused(self.by_header(token="needless"), "UnrecognizedClientException",
                            "The security token included in the request is invalid")

    def test_age(self):
        for answer, text in ((self.by_header(date=self.now(-1000)), "Signature expired: "), (self.by_query(date=self.now(-1000)),
                             "Signature expired: "), (self.by_header(date=self.now(1000)), "Signature not yet current: ")):
            body = json.loads(answer.body)
            self.assertEqual(body["__type"], CORAL + "InvalidSignatureException")
            self.assertTrue(body["message"].startswith(text), body)

    def test_the_hash_is_of_the_bytes_that_are_sent(self):
        compressed = gzip.compress(b"{}")
        date, names = self.now(), "content-encoding;host;x-amz-date;x-amz-target"
        canonical = "\n".join(["POST", "/", "", "content-encoding:gzip", "host:localhost:8000", f"x-amz-date:{date}",
                               "x-amz-target:DynamoDB_20120810.ListTables", "", names, hashlib.sha256(compressed).hexdigest()])
        scope, signature, _ = self.sign("secret", date, canonical)
        lines = ["Content-Encoding: gzip", f"X-Amz-Date: {date}",
                 f"Authorization: AWS4-HMAC-SHA256 Credential=AKID/{scope}, SignedHeaders={names}, Signature={signature}"]
        self.assertEqual(self.call("ListTables", compressed, signed=False, headers=lines).body, NO_TABLES)


if __name__ == "__main__":
    BINARY = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
