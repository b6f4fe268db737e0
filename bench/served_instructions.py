#!/usr/bin/env python3
"""Instructions that a server takes for a request, by callgrind: user space only, RocksDB's among them.

    served_instructions.py PROGRAM [--items N] [--operations NAME;...] [--in-folder] [--warm] [--keep FOLDER] [--verify] [--tls]

One thread, in memory or, --in-folder, in a new folder, where reads at random mostly meet blocks that are not in the block cache,
unless --warm reads all items before. Items of some 200 bytes under uniform keys, a client with boto3's head on one connection.
--keep leaves the profiles there, one for each operation, for callgrind_annotate. --verify: requests are signed, and the server
checks that (serve --auth verify); valgrind has no SHA instructions, so that a processor with them needs less. --tls: over TLS 1.3
with a P-256 certificate; then also what a connection takes with one hot GetItem, new and resumed. Needs valgrind, and --tls
openssl.
"""

import argparse
import hashlib
import hmac
import json
import pathlib
import random
import re
import socket
import ssl
import subprocess
import tempfile
import time
import uuid

REQUESTS = 200
WARM_UP = 20
TABLE = "bench"
HEAD = """POST / HTTP/1.1\r
Host: 127.0.0.1:{port}\r
Accept-Encoding: identity\r
X-Amz-Target: DynamoDB_20120810.{operation}\r
Content-Type: application/x-amz-json-1.0\r
User-Agent: Boto3/1.44.5 md/Botocore#1.44.5 ua/2.1 os/linux#6.1 md/arch#x86_64 lang/python#3.11.2 md/pyimpl#CPython m/Z,b,D \
cfg/retry-mode#standard Botocore/1.44.5\r
X-Amz-Date: {date}\r
Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/{scope}, \
SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
Signature={signature}\r
amz-sdk-invocation-id: {invocation}\r
amz-sdk-request: attempt=1\r
Content-Length: {length}\r
\r
"""
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
DATE = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
SCOPE = f"{DATE[:8]}/us-east-1/dynamodb/aws4_request"


def signature(port, operation, body):
    """SigV4's, of what HEAD says is signed."""
    canonical = "\n".join(["POST", "/", "", "content-type:application/x-amz-json-1.0", f"host:127.0.0.1:{port}",
                           f"x-amz-date:{DATE}", f"x-amz-target:DynamoDB_20120810.{operation}", "",
                           "content-type;host;x-amz-date;x-amz-target", hashlib.sha256(body.encode()).hexdigest()])
    signing_key = ("AWS4" + SECRET).encode()
    for part in SCOPE.split("/"):
        signing_key = hmac.digest(signing_key, part.encode(), "sha256")
    to_sign = "\n".join(["AWS4-HMAC-SHA256", DATE, SCOPE, hashlib.sha256(canonical.encode()).hexdigest()])
    return hmac.digest(signing_key, to_sign.encode(), "sha256").hex()


def key(number):
    return {"pk": {"S": f"user#{number // 100:06}"}, "sk": {"S": f"photo#{number % 100:04}"}}


def item(number, version=0):
    return {**key(number), "likes": {"N": str(version)}, "city": {"S": "Vienna"}, "when": {"S": "2026-11-23T14:00:00Z"},
            "caption": {"S": chr(97 + number % 26) * 90}}


def operations(items, rng):
    """By name: the operation and what gives the input of its n-th request."""
    def any_of():
        return rng.randrange(items)

    hot = [any_of() for _ in range(10)]
    hot_for_batches = range(0, items, max(1, items // 50))
    return {
        "GetItem, hot": ("GetItem", lambda n: {"TableName": TABLE, "Key": key(hot[n % 10])}),
        "GetItem": ("GetItem", lambda n: {"TableName": TABLE, "Key": key(any_of())}),
        "PutItem": ("PutItem", lambda n: {"TableName": TABLE, "Item": item(any_of(), n)}),
        "UpdateItem with a condition": ("UpdateItem", lambda n: {
            "TableName": TABLE, "Key": key(any_of()), "UpdateExpression": "SET city = :c ADD likes :n",
            "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeValues": {":n": {"N": "1"}, ":c": {"S": "Graz"}}}),
        "Query, 10 items": ("Query", lambda n: {
            "TableName": TABLE, "KeyConditionExpression": "pk = :p", "Limit": 10,
            "ExpressionAttributeValues": {":p": {"S": f"user#{any_of() // 100:06}"}}}),
        "Query, 10 items, hot": ("Query", lambda n: {
            "TableName": TABLE, "KeyConditionExpression": "pk = :p", "Limit": 10,
            "ExpressionAttributeValues": {":p": {"S": f"user#{hot[n % 10] // 100:06}"}}}),
        "BatchGetItem, 25 items, hot": ("BatchGetItem", lambda n: {
            "RequestItems": {TABLE: {"Keys": [key(each) for each in rng.sample(hot_for_batches, 25)]}}}),
        "BatchGetItem, 25 items": ("BatchGetItem", lambda n: {
            "RequestItems": {TABLE: {"Keys": [key(each) for each in rng.sample(range(items), 25)]}}}),
        "TransactWriteItems, 5 items": ("TransactWriteItems", lambda n: {
            "TransactItems": [{"Put": {"TableName": TABLE, "Item": item(each, n)}} for each in rng.sample(range(items), 5)]}),
    }


def make_certificate(folder):
    """The files of a certificate for this machine, and of its key."""
    certificate, private_key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", private_key,
                    "-out", certificate], check=True, capture_output=True)
    return certificate, private_key


class Server:
    def __init__(self, program, folder, verifies, over_tls, data):
        self.folder = folder
        self.tls = None
        arguments = ["serve", *(["--data", data] if data else ["--memory"]), "--port", "0", "--threads", "1"]
        if verifies:
            credentials = pathlib.Path(folder) / "credentials"
            credentials.write_text(f"AKIDEXAMPLE {SECRET}\n")
            arguments += ["--auth", "verify", "--credentials", str(credentials)]
        if over_tls:
            certificate, private_key = make_certificate(folder)
            arguments += ["--tls-cert", certificate, "--tls-key", private_key]
            self.tls = ssl.create_default_context(cafile=certificate)
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/profile", program,
             *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r"https?://[\d.]+:(\d+)", self.process.stdout.readline())[1])
        self.socket = self.answers = None
        self.connect()

    def connect(self, session=None):
        """A new connection; the one before is closed."""
        self.disconnect()
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls:
            self.socket = self.tls.wrap_socket(self.socket, server_hostname="127.0.0.1", session=session)
        self.answers = self.socket.makefile("rb")

    def disconnect(self):
        if self.socket:
            self.answers.close()
            self.socket.close()

    def stop(self):
        self.disconnect()
        self.process.terminate()
        self.process.wait()

    def request(self, operation, members):
        body = json.dumps(members)
        head = HEAD.format(port=self.port, operation=operation, date=DATE, scope=SCOPE, invocation=uuid.uuid4(),
                           signature=signature(self.port, operation, body), length=len(body))
        return (head + body).encode()

    def call(self, request):
        self.socket.sendall(request)
        status, length = self.answers.readline(), 0
        while (line := self.answers.readline()) != b"\r\n":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        body = self.answers.read(length)
        assert b" 200 " in status, (status, body)
        return body

    def control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.process.pid)], capture_output=True, check=True)

    def call_on_new_connection(self, request):
        self.connect()
        self.call(request)

    def call_on_resumed_connection(self, request):
        session = self.socket.session
        self.connect(session)
        self.call(request)
        assert self.socket.session_reused

    def instructions(self, requests, call):
        """A request that `call` sends, and the profile's file."""
        self.control("--instr=on")
        for request in requests[:WARM_UP]:
            call(request)
        self.control("--zero")
        for request in requests[WARM_UP:]:
            call(request)
        self.control("--dump")
        self.control("--instr=off")
        profile = max(pathlib.Path(self.folder).glob("profile.*"), key=lambda file: int(file.suffix[1:]))
        total = re.search(r"^(?:summary|totals): (\d+)", profile.read_text(), re.M)
        return int(total[1]) // (len(requests) - WARM_UP), profile


def read_all(server):
    start = {}
    while start is not None:
        page = json.loads(server.call(server.request("Scan", {"TableName": TABLE, **start})))
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]} if "LastEvaluatedKey" in page else None


def measure(program, items, names, folder, verifies, over_tls, data, is_warm):
    server = Server(program, folder, verifies, over_tls, data)
    of_name = operations(items, random.Random(1))

    def show(name, title, call):
        operation, members = of_name[name]
        requests = [server.request(operation, members(n)) for n in range(WARM_UP + REQUESTS)]
        count, profile = server.instructions(requests, call)
        profile.rename(profile.with_name(re.sub(r"\W+", "-", title)))
        print(f"{count:9,} {title}", flush=True)

    try:
        server.call(server.request("CreateTable", {
            "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}))
        for first in range(0, items, 25):
            puts = [{"PutRequest": {"Item": item(number)}} for number in range(first, min(first + 25, items))]
            server.call(server.request("BatchWriteItem", {"RequestItems": {TABLE: puts}}))
        if is_warm:
            read_all(server)
        for name in of_name:
            if not names or name in names:
                show(name, name, server.call)
        if over_tls:
            show("GetItem, hot", "GetItem, hot, on a new connection", server.call_on_new_connection)
            show("GetItem, hot", "GetItem, hot, on a resumed connection", server.call_on_resumed_connection)
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--operations", type=lambda text: text.split(";"), help="names as they are printed, separated by ;")
    parser.add_argument("--in-folder", action="store_true", help="of a store on the disk instead of one in memory")
    parser.add_argument("--warm", action="store_true", help="all items are read once before")
    parser.add_argument("--keep", help="a folder for the profiles")
    parser.add_argument("--verify", action="store_true", help="signatures are right, and are checked")
    parser.add_argument("--tls", action="store_true", help="over TLS, and what a connection takes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
        data = f"{folder}/data" if options.in_folder else None
        measure(options.program, options.items, options.operations, options.keep or folder, options.verify, options.tls, data,
                options.warm)


if __name__ == "__main__":
    main()
