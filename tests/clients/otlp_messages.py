#!/usr/bin/env python3
"""What is sent by OpenTelemetry's protocol, read by its own messages (opentelemetry-proto): nothing in it is unknown to them, and
they read the same as tests/cli/otlp_test.py.

    otlp_messages.py <dynolith binary> [unittest arguments]
"""

import base64
import json
import os
import pathlib
import sys
import unittest

from google.protobuf import json_format
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test
import otlp_test

MESSAGES = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
BYTES = {"traceId", "spanId", "parentSpanId"}
LONG = {"startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "count", "bucketCounts", "intValue"}


def in_message(name, value):
    """What otlp_test has read, as messages print themselves as JSON: long numbers as texts, bytes as base64."""
    if isinstance(value, dict):
        return {key: in_message(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [in_message(name, each) for each in value]
    if name in BYTES:
        return base64.b64encode(bytes.fromhex(value)).decode()
    return str(value) if name in LONG else value


class Messages(otlp_test.Telemetry):
    def check_known(self, message):
        self.assertEqual(len(UnknownFieldSet(message)), 0, message)
        for field, value in message.ListFields():
            if field.message_type:
                for each in value if field.is_repeated else [value]:
                    self.check_known(each)

    def test_messages(self):
        self.test_what_a_receiver_gets()
        self.assertEqual({path for path, _, _ in self.got}, set(MESSAGES))
        for path, request, raw in self.got:
            message = MESSAGES[path].FromString(raw)
            self.check_known(message)
            printed = json_format.MessageToDict(message, use_integers_for_enums=True)
            # Once more through the text that it is for other receivers.
            json_format.Parse(json.dumps(printed), MESSAGES[path](), ignore_unknown_fields=False)
            self.assertEqual(printed, in_message("", request))


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(argv=[sys.argv[0], "Messages.test_messages", *sys.argv[1:]])
