#!/usr/bin/env python3
"""Calls a second of boto3 in process and over loopback, in turns, and the time from nothing to the first answered call.

    measure.py PROGRAM            the program `dynolith`; the library as the package finds it
"""

import pathlib
import re
import statistics
import subprocess
import sys
import time

ROUNDS, CALLS = 9, 300
HERE = pathlib.Path(__file__).resolve().parent
TABLE = {"TableName": "music", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}
ITEM = {"pk": {"S": "a"}, "text": {"S": "x" * 180}}


def rate(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return CALLS / (time.perf_counter() - start)


def compare(program):
    import boto3  # pylint: disable=import-outside-toplevel

    import dynolith  # pylint: disable=import-outside-toplevel
    server = subprocess.Popen([program, "serve", "--memory", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        endpoint = re.search(r"http://\S+", server.stdout.readline())[0]
        with dynolith.Database() as database:
            sides = [database.client(), boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1",
                                                     aws_access_key_id="a", aws_secret_access_key="b")]
            for client in sides:
                client.create_table(**TABLE)
            for name, call in (("PutItem", lambda client: client.put_item(TableName="music", Item=ITEM)),
                               ("GetItem", lambda client: client.get_item(TableName="music", Key={"pk": ITEM["pk"]}))):
                rates = [[], []]
                for _ in range(ROUNDS):
                    for client, found in zip(sides, rates):
                        found.append(rate(lambda client=client: call(client)))
                inside, loopback = map(statistics.median, rates)
                print(f"{name}: {inside:.0f} calls a second in process, {loopback:.0f} over loopback, {inside / loopback:.2f}")
    finally:
        server.terminate()


FIRST = """
import time
began = time.perf_counter()
import boto3
imported = time.perf_counter()
import dynolith
database = dynolith.Database()
opened = time.perf_counter()
client = database.client()
made = time.perf_counter()
client.list_tables()
first = time.perf_counter()
dynolith.Database().call("ListTables", "{}")
print(imported - began, opened - imported, made - opened, first - made, time.perf_counter() - first)
"""


def first_call():
    runs = [[float(word) * 1000 for word in subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True,
                                                         check=True).stdout.split()] for _ in range(ROUNDS)]
    imported, opened, made, first, another = (statistics.median(column) for column in zip(*runs))
    print(f"from nothing: {imported:.1f} ms import boto3, {opened:.1f} load the library and open, {made:.1f} boto3 makes a client, "
          f"{first:.1f} the first call; another database with a call of its own: {another:.2f} ms")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE / "src"))
    compare(sys.argv[1])
    first_call()
