#!/usr/bin/env python3
"""Kinesis destinations that send to an endpoint that is not ours: moto's server.

    kinesis_endpoint.py <dynolith binary> <folder with the clients> [unittest arguments]
"""

import base64
import json
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import cli_test
import foreign_endpoints
import kinesis_test


def kinesis_call(endpoint, operation, **members):
    body = json.dumps(members).encode()
    headers = {name: value.replace("/dynamodb/", "/kinesis/") for name, value in cli_test.signed_headers(operation, body).items()}
    headers["x-amz-target"] = f"Kinesis_20131202.{operation}"
    headers["content-type"] = "application/x-amz-json-1.1"
    status, answer = endpoint.request(operation, body, headers)
    assert status == 200, (operation, status, answer)
    return answer


def records(endpoint, stream):
    """All of each shard, in order."""
    found = []
    for shard in kinesis_call(endpoint, "DescribeStream", StreamName=stream)["StreamDescription"]["Shards"]:
        iterator = kinesis_call(endpoint, "GetShardIterator", StreamName=stream, ShardId=shard["ShardId"],
                                ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        while True:
            answer = kinesis_call(endpoint, "GetRecords", ShardIterator=iterator)
            if not answer["Records"]:
                break
            found += [json.loads(base64.b64decode(record["Data"])) for record in answer["Records"]]
            iterator = answer["NextShardIterator"]
    return found


class Moto(kinesis_test.Destinations):
    def test_moto(self):
        keys, count = 40, 10
        with foreign_endpoints.moto() as foreign:
            kinesis_call(foreign, "CreateStream", StreamName="changes", ShardCount=3)
            server = self.serve(foreign.url)
            server.call("CreateTable", **kinesis_test.ORDERS)
            self.enable(server, "missing", wait="ENABLE_FAILED")
            self.enable(server, "changes", ApproximateCreationDateTimePrecision="MICROSECOND")
            before = time.time()
            for n in range(count):
                for key in range(keys):
                    self.put(server, f"k{key}", n)
            after = time.time()
            state = self.wait_for_state(server, "changes", lambda it: it["sent"] == keys * count and it["waiting"] == 0)
            self.assertEqual(state["given_up"], 0)
            found = records(foreign, "changes")
            self.assertEqual(len(found), keys * count)
            for key in range(keys):
                of_key = [record["dynamodb"]["NewImage"]["n"]["N"] for record in found
                          if record["dynamodb"]["Keys"] == {"pk": {"S": f"k{key}"}}]
                self.assertEqual(of_key, [str(n) for n in range(count)])
            for record in found:
                self.assertEqual((record["tableName"], record["recordFormat"], record["dynamodb"]["ApproximateCreationDateTimePrecision"]),
                                 ("orders", "application/json", "MICROSECOND"))
                created = record["dynamodb"]["ApproximateCreationDateTime"] / 1e6
                self.assertTrue(before - 1 <= created <= after + 1, created)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    foreign_endpoints.CLIENTS = pathlib.Path(sys.argv.pop(1)).resolve()
    need = foreign_endpoints.CLIENTS / "venv/bin/moto_server"
    if not need.exists():
        sys.exit(f"{need} is missing: tools/dev test installs it")
    unittest.main()
