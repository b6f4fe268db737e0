#!/usr/bin/env python3
"""Spans of calls and metrics by OpenTelemetry's protocol: what the receiver gets, and what the server does when it gets nothing.

    otlp_test.py <dynolith binary> [unittest arguments]
"""

import gzip
import json
import os
import pathlib
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import cli_test
from cli_test import SECONDS, SONGS, Server, song
from fake_endpoint import FakeEndpoint

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

# The fields of OTLP's messages, written out here so that the program is not its own judge: number -> (name, type), with a
# message's own fields for its type, and a list of one type for what may be repeated.
ANY = {1: ("stringValue", str), 3: ("intValue", int)}
ANY[5] = ("arrayValue", {1: ("values", [ANY])})
ATTRIBUTES = [{1: ("key", str), 2: ("value", ANY)}]
NUMBER = {2: ("startTimeUnixNano", "fixed64"), 3: ("timeUnixNano", "fixed64"), 4: ("asDouble", float), 7: ("attributes", ATTRIBUTES)}
BUCKETS = {2: ("startTimeUnixNano", "fixed64"), 3: ("timeUnixNano", "fixed64"), 4: ("count", "fixed64"), 5: ("sum", float),
           6: ("bucketCounts", ["fixed64"]), 7: ("explicitBounds", [float]), 9: ("attributes", ATTRIBUTES)}
METRIC = {1: ("name", str), 2: ("description", str), 3: ("unit", str), 5: ("gauge", {1: ("dataPoints", [NUMBER])}),
          7: ("sum", {1: ("dataPoints", [NUMBER]), 2: ("aggregationTemporality", int), 3: ("isMonotonic", bool)}),
          9: ("histogram", {1: ("dataPoints", [BUCKETS]), 2: ("aggregationTemporality", int)})}
SPAN = {1: ("traceId", bytes), 2: ("spanId", bytes), 3: ("traceState", str), 4: ("parentSpanId", bytes), 5: ("name", str),
        6: ("kind", int), 7: ("startTimeUnixNano", "fixed64"), 8: ("endTimeUnixNano", "fixed64"), 9: ("attributes", ATTRIBUTES),
        15: ("status", {3: ("code", int)}), 16: ("flags", "fixed32")}
RESOURCE, SCOPE = {1: ("attributes", ATTRIBUTES)}, {1: ("name", str)}


def request_of(name, scopes, spans, fields):
    return {1: (name, [{1: ("resource", RESOURCE), 2: (scopes, [{1: ("scope", SCOPE), 2: (spans, [fields])}])}])}


REQUESTS = {"/v1/traces": request_of("resourceSpans", "scopeSpans", "spans", SPAN),
            "/v1/metrics": request_of("resourceMetrics", "scopeMetrics", "metrics", METRIC)}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def scalar(kind, data):
    return {str: bytes.decode, bytes: bytes.hex, float: lambda it: struct.unpack("<d", it)[0],
            "fixed64": lambda it: struct.unpack("<Q", it)[0], "fixed32": lambda it: struct.unpack("<I", it)[0]}[kind](data)


def decode(data, fields):
    """A message by its fields; any other field, or one of another type, is an error."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = fields[tag >> 3]
        repeated, kind = isinstance(kind, list), kind[0] if isinstance(kind, list) else kind
        wire, expected = tag & 7, {int: 0, bool: 0, "fixed64": 1, float: 1, "fixed32": 5}.get(kind if not isinstance(kind, dict) else "", 2)
        packed = repeated and wire == 2 and expected in (0, 1)
        assert wire == expected or packed, (name, wire)
        if wire == 0:
            value, at = varint(data, at)
            value = kind(value)
        else:
            size, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            assert at + size <= len(data), name
            part, at = data[at:at + size], at + size
            if packed:
                found.setdefault(name, []).extend(scalar(kind, part[i:i + 8]) for i in range(0, size, 8))
                continue
            value = decode(part, kind) if isinstance(kind, dict) else scalar(kind, part)
        if repeated:
            found.setdefault(name, []).append(value)
        else:
            assert name not in found, name
            found[name] = value
    return found


def plain(value):
    """Attributes as a dict."""
    [(kind, held)] = value.items()
    return [plain(each) for each in held["values"]] if kind == "arrayValue" else held


def attributes(holder):
    found = {each["key"]: plain(each["value"]) for each in holder.get("attributes", [])}
    assert len(found) == len(holder.get("attributes", []))
    return found


class Receiver(FakeEndpoint):
    """Keeps what it gets. `behave(path, n)`, for the n-th request to this path from 0, returns None: it is taken; or an answer
    (status, headers, bytes); or "lost": no answer. It may wait."""

    def __init__(self, behave=None, tls=None, prefix=""):
        self.behave = behave or (lambda path, n: None)
        self.prefix = prefix
        self.requests = []  # (path, headers, decoded, raw), in order
        self.taken = []  # those of them that were
        super().__init__(tls)
        self.url = f"{'https://localhost' if tls else 'http://127.0.0.1'}:{self.port}{prefix}"

    def answer(self, path, headers, body):
        assert path.startswith(self.prefix), path
        path = path.removeprefix(self.prefix)
        raw = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        request = (path, headers, decode(raw, REQUESTS[path]), raw)
        with self.changed:
            n = sum(each[0] == path for each in self.requests)
            self.requests.append(request)
            self.changed.notify_all()
        answer = self.behave(path, n)
        with self.changed:
            if answer is None:
                self.taken.append(request)
            self.changed.notify_all()
        if answer == "lost":
            return None
        return answer or (200, {"Content-Type": "application/x-protobuf"}, b"")

    def story(self):
        return [(path, len(raw)) for path, _, _, raw in self.requests[-5:]]

    def spans(self):
        with self.changed:
            return [span for path, _, request, _ in self.taken if path == "/v1/traces" for resource in request["resourceSpans"]
                    for scope in resource["scopeSpans"] for span in scope["spans"]]

    def metrics(self, n=-1):
        """By name, of the n-th request."""
        with self.changed:
            [resource] = [request for path, _, request, _ in self.taken if path == "/v1/metrics"][n]["resourceMetrics"]
        [scope] = resource["scopeMetrics"]
        metrics = {metric["name"]: metric for metric in scope["metrics"]}
        assert len(metrics) == len(scope["metrics"])
        return metrics


class Telemetry(unittest.TestCase):
    maxDiff = None

    def receiver(self, *arguments, **how):
        receiver = Receiver(*arguments, **how)
        self.addCleanup(receiver.close)
        return receiver

    def serve(self, url, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
        server = Server("--otlp", *([url] if url else []), *arguments,
                        environment={**environment, "OTEL_EXPORTER_OTLP_TIMEOUT": str(SECONDS * 2000), **variables})
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def call(self, server, operation, members, service="DynamoDB_20120810", **headers):
        body = json.dumps(members).encode()
        all_headers = {**cli_test.signed_headers(operation, body), "x-amz-target": f"{service}.{operation}"}
        return server.request(operation, body, {**all_headers, **{name.replace("_", "-"): value for name, value in headers.items()}})

    def calls(self, server):
        """One call after the other."""
        self.call(server, "CreateTable", SONGS)
        self.call(server, "PutItem", {"TableName": "songs", "Item": song(1)}, traceparent=f"00-{TRACE}-{PARENT}-01", tracestate="a=b")
        self.call(server, "PutItem", {"TableName": "songs", "Item": song(1), "ConditionExpression": "attribute_not_exists(artist)"},
                  x_amzn_trace_id=f"Root=1-{TRACE[:8]}-{TRACE[8:]};Parent={PARENT};Sampled=1")
        self.call(server, "GetItem", {"TableName": "songs", "Key": {"artist": {"S": "a"}, "title": {"S": "b"}}},
                  traceparent=f"00-{TRACE}-{PARENT}-00")
        self.call(server, "DescribeTable", {"TableName": "none"})
        self.call(server, "ListStreams", {}, service="DynamoDBStreams_20120810")
        self.call(server, "Wh\xe4t\xff", {})
        # What names no operation has no span.
        server.request("", b"", {"x": "y"})

    def test_what_a_receiver_gets(self):
        receiver = self.receiver()
        server = self.serve(None, "--admin", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_SERVICE_NAME="music",
                            OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=a%20test,service.name=other")
        self.calls(server)
        shown = self.prometheus(server)
        code, _, errors = server.stop()
        self.assertEqual((code, errors), (0, ""))
        self.check_resources(receiver)
        self.check_spans(receiver.spans())
        self.check_metrics(receiver.metrics(), shown)
        self.got = [(path, request, raw) for path, _, request, raw in receiver.requests]

    def prometheus(self, server):
        """The metrics' types by their names."""
        connection = cli_test.http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        try:
            connection.request("GET", "/_dynolith/metrics")
            text = connection.getresponse().read().decode()
        finally:
            connection.close()
        types = dict(line.split()[2:] for line in text.splitlines() if line.startswith("# TYPE"))
        # A family without series is only shown there.
        series = {line.split("{")[0].split()[0] for line in text.splitlines() if not line.startswith("#")}
        return {name: kind for name, kind in types.items() if name in series or f"{name}_count" in series}

    def check_resources(self, receiver):
        for path, headers, request, _ in receiver.requests:
            self.assertEqual(headers["content-type"], "application/x-protobuf")
            [resource] = request["resourceSpans" if path == "/v1/traces" else "resourceMetrics"]
            found = attributes(resource["resource"])
            self.assertRegex(found.pop("service.instance.id"), "^[0-9a-f]{32}$")
            self.assertRegex(found.pop("service.version"), r"^\d+\.\d+\.\d+$")
            self.assertEqual(found, {"service.name": "music", "deployment.environment.name": "a test"})

    def check_spans(self, spans):
        self.assertEqual([span["name"] for span in spans],
                         ["DynamoDB.CreateTable", "DynamoDB.PutItem", "DynamoDB.PutItem", "DynamoDB.DescribeTable",
                          "DynamoDBStreams.ListStreams", "DynamoDB"])
        for span in spans:
            self.assertEqual(span["kind"], 2)
            self.assertLessEqual(span["startTimeUnixNano"], span["endTimeUnixNano"])
            self.assertNotIn("status", span)
        self.assertEqual(len({span["spanId"] for span in spans}), len(spans))
        create, put, failed, describe, streams, unknown = spans
        self.assertEqual((put["traceId"], put["parentSpanId"], put["traceState"], put["flags"]), (TRACE, PARENT, "a=b", 0x301))
        self.assertEqual((failed["traceId"], failed["parentSpanId"], failed["flags"]), (TRACE, PARENT, 0x301))
        self.assertNotIn("traceState", failed)
        for span in (create, describe, streams, unknown):
            self.assertNotIn("parentSpanId", span)
            self.assertEqual(span["flags"], 1)
        self.assertEqual(len({span["traceId"] for span in (create, describe, streams, unknown)}), 4)
        found = attributes(put)
        self.assertRegex(found.pop("aws.request_id"), "^[0-9A-V]{52}$")
        self.assertGreater(found.pop("http.request.body.size"), 50)
        self.assertEqual(found, {
            "rpc.system": "aws-api", "rpc.service": "DynamoDB", "rpc.method": "PutItem", "db.system.name": "aws.dynamodb",
            "aws.dynamodb.table_names": ["songs"], "http.response.status_code": 200, "http.response.body.size": 2,
            "aws.dynamodb.consumed_capacity": [
                '{"TableName":"songs","CapacityUnits":2.0,"Table":{"CapacityUnits":1.0},'
                '"GlobalSecondaryIndexes":{"by-year":{"CapacityUnits":1.0}}}']})
        for span, service, method, tables, status, error in (
                (create, "DynamoDB", "CreateTable", ["songs"], 200, None),
                (failed, "DynamoDB", "PutItem", ["songs"], 400, "ConditionalCheckFailedException"),
                (describe, "DynamoDB", "DescribeTable", ["none"], 400, "ResourceNotFoundException"),
                (streams, "DynamoDBStreams", "ListStreams", None, 200, None),
                (unknown, "DynamoDB", None, None, 400, "UnknownOperationException")):
            found = attributes(span)
            self.assertEqual([found.get(name) for name in ("rpc.service", "rpc.method", "aws.dynamodb.table_names",
                                                           "http.response.status_code", "error.type")],
                             [service, method, tables, status, error])

    def check_metrics(self, metrics, shown):
        kinds = {"counter": "sum", "gauge": "gauge", "histogram": "histogram"}
        for name, kind in shown.items():
            self.assertIn(kinds[kind], metrics[name], name)
        # Exactly those, but for what began after they were shown.
        self.assertEqual(set(metrics) - set(shown), set())
        requests = metrics["dynolith_requests_total"]["sum"]
        self.assertEqual((requests["aggregationTemporality"], requests["isMonotonic"]), (2, True))
        counts = {(found["operation"], found["outcome"]): point["asDouble"] for point in requests["dataPoints"]
                  for found in [attributes(point)]}
        self.assertEqual((counts["PutItem", "success"], counts["PutItem", "ConditionalCheckFailedException"]), (1, 1))
        durations = metrics["dynolith_request_duration_seconds"]
        self.assertEqual((durations["unit"], durations["histogram"]["aggregationTemporality"]), ("s", 2))
        [puts] = [point for point in durations["histogram"]["dataPoints"] if attributes(point) == {"operation": "PutItem"}]
        self.assertEqual((puts["count"], sum(puts["bucketCounts"])), (2, 2))
        self.assertEqual(len(puts["bucketCounts"]), len(puts["explicitBounds"]) + 1)
        self.assertEqual(sorted(puts["explicitBounds"]), puts["explicitBounds"])
        self.assertGreater(puts["sum"], 0)
        [tables] = metrics["dynolith_tables"]["gauge"]["dataPoints"]
        self.assertEqual((tables["asDouble"], "startTimeUnixNano" in tables), (1, False))
        starts = {point["startTimeUnixNano"] for metric in metrics.values() for kind in ("sum", "histogram") if kind in metric
                  for point in metric[kind]["dataPoints"]}
        times = {point["timeUnixNano"] for metric in metrics.values() for kind in kinds.values() if kind in metric
                 for point in metric[kind]["dataPoints"]}
        self.assertEqual((len(starts), len(times)), (1, 1))
        self.assertLess(starts.pop(), times.pop())

    def test_a_receiver_that_is_away_for_a_while(self):
        """Spans come once it is back, by TLS, compressed and with the headers that it wants; a server's own failure is an error; and a
        caller's decision counts more than the ratio."""
        def behave(path, n):
            if path == "/v1/metrics":
                return (400, {}, b"no metrics here") if n == 0 else None
            return [(503, {"Retry-After": "0"}, b""), "lost", (429, {"Retry-After": "0"}, b"")][n] if n < 3 else None

        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="dynolith-test-")))
        certificate, key = str(folder / "certificate.pem"), str(folder / "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        receiver = self.receiver(behave, tls=tls, prefix="/tenant")
        server = self.serve(f"{receiver.url}/", "--otlp-sample", "0", "--otlp-interval", "1", "--admin",
                            OTEL_EXPORTER_OTLP_CERTIFICATE=certificate, OTEL_EXPORTER_OTLP_COMPRESSION="gzip",
                            OTEL_EXPORTER_OTLP_HEADERS="api-key=se%63ret")
        asked = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        self.call(server, "ListTables", {})
        self.call(server, "ListTables", {}, **asked)
        receiver.wait_for(lambda it: [path for path, *_ in it.taken].count("/v1/metrics") >= 2 and len(it.spans()) == 1)
        [first, second] = [receiver.metrics(n)["dynolith_requests_total"]["sum"]["dataPoints"][0] for n in (0, 1)]
        self.assertEqual(first["startTimeUnixNano"], second["startTimeUnixNano"])
        self.assertLess(first["timeUnixNano"], second["timeUnixNano"])
        connection = cli_test.http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        self.addCleanup(connection.close)
        connection.request("POST", "/_dynolith/faults", json.dumps({"operation": "ListTables", "fault": "internal_error"}))
        self.assertEqual(connection.getresponse().status, 200)
        self.call(server, "ListTables", {}, **asked)
        code, _, errors = server.stop()
        self.assertEqual(code, 0, errors)
        listed, broken = receiver.spans()
        self.assertEqual((attributes(listed)["http.response.status_code"], listed.get("status")), (200, None))
        self.assertEqual((attributes(broken)["http.response.status_code"], broken["status"]["code"]), (500, 2))
        self.assertEqual(attributes(broken)["error.type"], "InternalServerError")
        for _, headers, _, _ in receiver.requests:
            self.assertEqual((headers["api-key"], headers["content-encoding"]), ("secret", "gzip"))
        self.assertIn(f"OTLP: traces cannot be sent to {receiver.url}/ and will be tried again: status 503", errors)
        self.assertIn("OTLP: traces can be sent to", errors)
        self.assertIn("refuses metrics, which are given up: status 400: no metrics here", errors)

    def test_a_receiver_that_does_not_answer(self):
        """Calls do not wait for it, and neither does the end."""
        release = threading.Event()
        self.addCleanup(release.set)
        receiver = self.receiver(lambda path, n: release.wait() and None)
        server = self.serve(receiver.url, OTEL_EXPORTER_OTLP_TIMEOUT="100")
        for _ in range(100):
            self.call(server, "ListTables", {})
        receiver.wait_for(lambda it: it.requests)
        code, _, errors = server.stop()
        self.assertEqual(code, 0, errors)
        self.assertEqual(receiver.taken, [])

    def test_what_makes_no_sense(self):
        for arguments, variables, words in (
                (["--otlp", "collector"], {}, "--otlp: collector is no address such as http://localhost:4318"),
                (["--otlp"], {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "only http/protobuf is spoken"),
                (["--otlp-sample", "0.5"], {}, "--otlp-sample requires --otlp"),
                (["--otlp", "--otlp-sample", "2"], {}, "2 is not a number from 0 to 1")):
            shown = subprocess.run([cli_test.BINARY, "serve", "--port", "0", *arguments], env={**os.environ, **variables},
                                   capture_output=True, text=True, timeout=SECONDS, check=False)
            self.assertNotEqual(shown.returncode, 0)
            self.assertIn(words, shown.stderr)
        # Without the option nobody asks the variables.
        with Server(environment={**os.environ, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}) as server:
            self.assertEqual(server.stop()[0], 0)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
