"""A server to talk to, and a client that sends exactly what it is told: raw bytes on a socket."""

import re
import socket
import subprocess
import zlib

SECONDS = 300  # Nobody waits so long unless something hangs.

AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=key/20261001/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0")
DATE = "20261001T120000Z"
AMAZON_JSON = "application/x-amz-json-1.0"


class Server:
    """A server as a context, in memory unless told otherwise."""

    def __init__(self, binary, *arguments):
        self.process = subprocess.Popen([binary, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+) ", self.process.stdout.readline()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS)
        self.process.stdout.close()


class Answer:
    """Status line, headers by lower-case name, and the body as it came."""

    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.version, status, _ = lines[0].split(" ", 2)
        self.status = int(status)
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
        self.body = body

    @property
    def text(self):
        return self.body.decode()


class Connection:
    """One connection. `receive` reads whole answers, also such that came together."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _more(self):
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError(f"closed after {self.bytes!r}")
        self.bytes += more

    def receive(self, to_head=False):
        while b"\r\n\r\n" not in self.bytes:
            self._more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        answer = Answer(head, b"")
        if answer.headers.get("transfer-encoding") == "chunked":
            while not self.bytes.startswith(b"0\r\n\r\n"):
                self._more()
            self.bytes = self.bytes[5:]
        elif not to_head and answer.status != 100:
            length = int(answer.headers["content-length"])
            while len(self.bytes) < length:
                self._more()
            answer.body, self.bytes = self.bytes[:length], self.bytes[length:]
        return answer

    def is_closed(self):
        self.socket.settimeout(SECONDS)
        return self.bytes == b"" and self.socket.recv(1) == b""


def request(operation=None, body=b"", *, method="POST", path="/", version="1.1", signed=True, content_type=AMAZON_JSON,
            headers=(), length=True):
    """The bytes of a request. None leaves a part out."""
    body = body.encode() if isinstance(body, str) else body
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost:8000"]
    if operation is not None:
        prefix = "" if "." in operation else "DynamoDB_20120810."
        lines.append(f"X-Amz-Target: {prefix}{operation}")
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    if signed:
        lines += [f"Authorization: {AUTHORIZATION}", f"X-Amz-Date: {DATE}"]
    if body and length:
        lines.append(f"Content-Length: {len(body)}")
    lines += headers
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def call(port, *arguments, **options):
    """One request on a connection of its own, and its answer, which has what every answer must have."""
    with Connection(port) as connection:
        connection.send(request(*arguments, **options))
        answer = connection.receive(to_head=options.get("method") == "HEAD")
    if not re.fullmatch("[0-9A-Z]{52}", answer.headers["x-amzn-requestid"]):
        raise AssertionError(f"request id {answer.headers}")
    if options.get("method") != "HEAD" and answer.headers["x-amz-crc32"] != str(zlib.crc32(answer.body)):
        raise AssertionError(f"checksum {answer.headers}")
    return answer
