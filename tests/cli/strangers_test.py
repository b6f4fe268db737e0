#!/usr/bin/env python3
"""Who may call the program, and what it says of those who may not: web pages of other origins and names that were made to lead
here get nothing, programs notice nothing, open doors are warned of, and no secret reaches the log.

    strangers_test.py <dynolith binary> [unittest arguments]
"""

import http.client
import json
import os
import pathlib
import re
import socket
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS, Server, signed_headers

NOBODY = 65534
EVIL = "http://evil.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-amz-target"}


def refusal(message):
    return {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": message}


class Asked(Server):
    """A server, and what a browser or a program with other headers than an SDK's asks of it."""

    def ask(self, method, headers, body=b"{}", operation="ListTables"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            signed = signed_headers(operation, body) if method == "POST" else {}
            signed.pop("host", None)
            connection.putrequest(method, "/", skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": f"localhost:{self.port}", **signed, "Content-Length": str(len(body)), **headers}.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            text = response.read()
            return response.status, text, {name.lower(): value for name, value in response.getheaders()}
        finally:
            connection.close()


class WebPages(unittest.TestCase):
    def test_pages_of_other_origins_get_nothing(self):
        with Asked() as server:
            server.call("CreateTable", **cli_test.SONGS)
            body = b'{"TableName":"songs"}'
            reason = f"web pages of {EVIL} may not use this server; --allow-origin {EVIL} lets them"
            for method, more in (("OPTIONS", PREFLIGHT), ("POST", {}), ("GET", {})):
                status, text, headers = server.ask(method, {"Origin": EVIL, **more}, body, "DeleteTable")
                self.assertEqual((status, json.loads(text)), (403, refusal(reason)), method)
                self.assertFalse([name for name in headers if name.startswith("access-control")], headers)
            self.assertEqual(server.call("ListTables"), {"TableNames": ["songs"]})
            code, _, errors = server.stop()
            self.assertEqual(code, 0)
            # Once, however often the page asks.
            self.assertEqual(errors.count("\n"), 1)
            self.assertIn(f" warning refused a web page: {reason}\n", errors)

    def test_names_that_were_made_to_lead_here(self):
        with Asked() as server:
            host = f"evil.example:{server.port}"
            for headers in ({"Origin": f"http://{host}"}, {"Sec-Fetch-Site": "same-origin"}, {"Referer": f"http://{host}/"}):
                self.assertEqual(server.ask("POST", {"Host": host, **headers})[0], 403, headers)
            status, text, _ = server.ask("POST", {"Host": host, "Origin": "http://localhost:3000"})
            self.assertEqual((status, json.loads(text)), (403, refusal(
                "web pages may not call this server evil.example; --allow-host evil.example lets them")))

    def test_pages_of_this_machine(self):
        with Asked() as server:
            for origin in ("http://localhost:3000", "http://127.0.0.1:8080", "https://[::1]", "http://app.localhost", "file://"):
                status, text, headers = server.ask("OPTIONS", {"Origin": origin, **PREFLIGHT})
                self.assertEqual((status, text), (200, b""), origin)
                self.assertEqual({name: value for name, value in headers.items() if name.startswith("access-control")},
                                 {"access-control-allow-origin": "*", "access-control-allow-headers": "x-amz-target",
                                  "access-control-allow-methods": "POST", "access-control-max-age": "172800",
                                  "access-control-expose-headers": "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date"})
                status, text, headers = server.ask("POST", {"Origin": origin, "Sec-Fetch-Site": "same-site"})
                self.assertEqual((status, text, headers["access-control-allow-origin"]), (200, b'{"TableNames":[]}', "*"))

    def test_programs_notice_nothing(self):
        with Asked() as server:
            for host in ("dynamodb:8000", "host.docker.internal:8000", "dynamodb.default.svc.cluster.local", "10.0.0.7:8000"):
                for headers in ({}, {"User-Agent": "Boto3/1.34"}, {"User-Agent": "node", "Sec-Fetch-Mode": "cors"}):
                    self.assertEqual(server.ask("POST", {"Host": host, **headers})[0], 200, (host, headers))
            self.assertEqual(server.stop()[2], "")

    def test_what_is_allowed(self):
        page = {"Origin": "https://app.example", "Host": "db.example:8000"}
        for options, status in (((), 403), (("--allow-origin", "https://app.example"), 403), (("--allow-host", "db.example"), 403),
                                (("--allow-origin", "https://app.example", "--allow-host", "db.example"), 200),
                                (("--allow-origin=null", "--allow-origin=https://app.example", "--allow-host=*"), 200),
                                (("--allow-origin", "*", "--allow-host", "*"), 200)):
            with Asked(*options) as server:
                self.assertEqual(server.ask("POST", page)[0], status, options)
                self.assertEqual(server.ask("OPTIONS", {**page, **PREFLIGHT})[0], status, options)

    def test_values_that_cannot_be(self):
        for option, value in (("--allow-host", "http://db.example"), ("--allow-host", "db.example:8000"), ("--allow-host", ""),
                              ("--allow-origin", "app.example"), ("--allow-origin", "https://app.example/"), ("--allow-origin", "")):
            shown = cli_test.run("serve", "--port", "0", option, value)
            self.assertEqual((shown.returncode, shown.stdout), (2, b""), (option, value))
            self.assertTrue(shown.stderr.decode().startswith(f'{option}: "{value}" is no '), shown.stderr)

    def test_the_admin_endpoint_stays_stricter(self):
        options = ("--admin", "--allow-origin", "*", "--allow-host", "*")
        with Asked(*options) as server:
            own = f"http://127.0.0.1:{server.port}"
            for status, headers in ((403, {"Origin": "http://localhost:3000"}), (403, {"Host": "evil.example"}),
                                    (403, {"Sec-Fetch-Site": "same-site"}), (403, {"Sec-Fetch-Site": "cross-site"}),
                                    (403, {"Sec-Fetch-Site": "same-origin", "Host": "evil.example"}),
                                    (403, {"Sec-Fetch-Site": "cross-site", "Origin": own}),
                                    (403, {"Origin": f"http://localhost:{server.port}"}), (403, {"Origin": "null"}),
                                    # Its own page.
                                    (200, {"Sec-Fetch-Site": "same-origin"}), (200, {"Origin": own}),
                                    (200, {"Sec-Fetch-Site": "same-origin", "Origin": own})):
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
                connection.request("GET", "/_dynolith/clock", headers=headers)
                self.assertEqual(connection.getresponse().status, status, headers)
                connection.close()


class WhateverIsSent(unittest.TestCase):
    """Bytes that are no text come back as none in JSON, and not at all in headers."""

    def exchange(self, server, head, body=b"{}"):
        with socket.create_connection(("127.0.0.1", server.port), SECONDS) as connection:
            connection.sendall(head + b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
            answer = b""
            while more := connection.recv(1 << 16):
                answer += more
        return answer.partition(b"\r\n\r\n")

    def test_answers_are_utf8(self):
        bad = b"\xff\xc0\x80\xed\xa0\x80"
        signed = b"\r\nX-Amz-Date: 20261001T120000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=key/20261001/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0"
        call = b"POST / HTTP/1.1\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810."
        with Server("--admin") as server:
            for head in (call + b"ListTables\r\nHost: h\r\nAuthorization: AWS4-HMAC-SHA256 Credential=" + bad,
                         call + b"ListTables\r\nHost: h\r\nX-Amz-Date: " + bad + b"\r\nAuthorization: AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0",
                         call + bad + b"\r\nHost: h" + signed,
                         call + b"DescribeEndpoints\r\nHost: " + bad + signed,
                         call + b"ListTables\r\nHost: h\r\nx-dynolith-database: " + bad + signed,
                         call + b"ListTables\r\nHost: h\r\nOrigin: http://" + bad,
                         call + b"ListTables\r\nHost: " + bad + b"\r\nOrigin: http://localhost",
                         b"GET /_dynolith/" + bad + b" HTTP/1.1\r\nHost: localhost",
                         b"GET /_dynolith/clock HTTP/1.1\r\nHost: " + bad,
                         b"GET /_dynolith/clock HTTP/1.1\r\nHost: localhost\r\nx-dynolith-database: " + bad,
                         b"GET /_dynolith/capacity?table=" + bad + b" HTTP/1.1\r\nHost: localhost",
                         b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nAccess-Control-Request-Headers: " + bad):
                top, _, text = self.exchange(server, head)
                top.decode("ascii")
                if text:
                    json.loads(text.decode())
            for body in (b'{"TableName":"' + bad + b'"}', b'{"' + bad + b'":1}', bad):
                for operation in (b"DescribeTable", b"PutItem", b"ExecuteStatement"):
                    _, _, text = self.exchange(server, call + operation + b"\r\nHost: h" + signed, body)
                    json.loads(text.decode())

    def test_the_search_endpoint(self):
        body = json.dumps({"TableName": "songs", "IndexName": "ix", "SearchVector": [1], "Limit": 1}).encode()
        for option, host, kind in ((("--search-endpoint", "own"), "localhost:8000", "UnknownOperationException"),
                                   (("--search-endpoint", "own"), "dynamodb.eu-west-1.amazonaws.com", "UnknownOperationException"),
                                   (("--search-endpoint", "own"), "search-dynamodb.localhost:8000", None),
                                   (("--search-endpoint", "own"), "123456789012.search-ddb.eu-west-1.amazonaws.com", None),
                                   ((), "localhost:8000", None)):
            with Asked("--auth", "shape", *option) as server:
                status, text, _ = server.ask("POST", {"Host": host}, body, "SearchVectors")
                answer = json.loads(text)
                self.assertEqual(status, 400)
                if kind:
                    self.assertEqual((answer["__type"].rpartition("#")[2], answer.get("message", answer.get("Message"))),
                                     (kind, "This operation is not supported by this endpoint"))
                else:
                    self.assertNotIn("UnknownOperation", answer["__type"])
                self.assertEqual(server.ask("POST", {"Host": host})[0], 200)


class AdminDoor(unittest.TestCase):
    """The admin endpoint, opened to a token and to networks. Another address of this machine stands for another machine's."""

    TOKEN = "0123456789abcdef0123456789abcdef"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "token")
        self.file.write_text(self.TOKEN + "\n")
        self.file.chmod(0o600)

    def own_address(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing
            except OSError:
                self.skipTest("this machine has no other address")
            return probe.getsockname()[0]

    def ask(self, server, address, path="clock", **headers):
        connection = http.client.HTTPConnection(address, server.port, timeout=SECONDS)
        try:
            connection.request("GET", f"/_dynolith/{path}", headers={name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def test_others_need_the_token(self):
        address = self.own_address()
        bearer = {"Authorization": f"Bearer {self.TOKEN}"}
        with Asked("--host", "0.0.0.0", "--auth", "shape", "--admin-token", str(self.file)) as server:
            self.assertEqual(self.ask(server, "127.0.0.1")[0], 200)
            self.assertEqual(self.ask(server, address)[0], 401)
            self.assertEqual(self.ask(server, address, **bearer)[0], 200)
            self.assertEqual(self.ask(server, address, "metrics", **bearer)[0], 200)
            self.assertEqual(self.ask(server, address, **bearer, Origin="http://evil.example")[0], 403)
            self.assertEqual(self.ask(server, address, **{"Authorization": "Bearer wrong"})[0], 401)
            # The page may be read, so that it can ask for the token.
            self.assertEqual(self.ask(server, address, "")[0], 200)
            url = f"http://{address}:{server.port}"
            shown = cli_test.run("top", url, "--once", "--interval", "0.1")
            self.assertEqual(shown.returncode, 1)
            self.assertIn(b"--admin-token", shown.stderr)
            shown = cli_test.run("top", url, "--once", "--interval", "0.1", "--admin-token", str(self.file))
            self.assertEqual((shown.returncode, shown.stderr), (0, b""))
            self.assertNotIn(self.TOKEN, server.stop()[2])

    def test_networks(self):
        address = self.own_address()
        for networks, status in (((), 403), (("203.0.113.0/24",), 403), (("203.0.113.0/24", f"{address}/32"), 200)):
            with Asked("--host", "0.0.0.0", "--admin", *(word for network in networks for word in ("--admin-from", network))) as server:
                self.assertEqual(self.ask(server, address)[0], status, networks)
                self.assertEqual(self.ask(server, address, Host="evil.example")[0], 403)
                self.assertNotIn("whoever can reach this server", server.stop()[2])
        with Asked("--host", "0.0.0.0", "--admin-from", "0.0.0.0/0") as server:
            self.assertIn(" warning whoever can reach this server may use its admin endpoint: ", server.stop()[2])

    def test_a_path_that_is_none_is_told_of_all(self):
        manual = pathlib.Path(__file__).resolve().parents[2] / "tools" / "manual" / "admin.md"
        rows = [line for line in manual.read_text().splitlines() if line.startswith("| `")]
        paths = {path for row in rows for path in re.findall(r"/_dynolith/[a-z/-]*", row.split(" | ")[0])}
        self.assertGreater(len(paths), 15)
        with Asked("--admin") as server:
            status, text = self.ask(server, "127.0.0.1", "nothing")
            self.assertEqual((status, [path for path in paths if path not in text]), (404, []))

    def test_a_backup_with_the_token(self):
        address = self.own_address()
        folder = pathlib.Path(self.file.parent)
        with Asked("--host", "0.0.0.0", "--admin-token", str(self.file), "--data", str(folder / "data")) as server:
            url = f"http://{address}:{server.port}"
            self.assertEqual(cli_test.run("backup", url, str(folder / "backup")).returncode, 1)
            self.assertEqual(cli_test.run("backup", url, str(folder / "backup"), "--admin-token", str(self.file)).returncode, 0)

    def test_what_is_no_token_and_no_network(self):
        for text in ("", "short", "two words that are long enough", "\n" + self.TOKEN, "ü" * 20):
            self.file.write_text(text)
            shown = cli_test.run("serve", "--port", "0", "--admin-token", str(self.file))
            self.assertEqual((shown.returncode, shown.stdout), (1, b""), text)
            self.assertIn(b" holds no token: one word of 16 or more ", shown.stderr)
        for file, reason in (("/none/token", "No such file or directory"), (str(self.file.parent), "Is a directory")):
            shown = cli_test.run("serve", "--port", "0", "--admin-token", file)
            self.assertEqual(shown.returncode, 1)
            self.assertEqual(shown.stderr.decode(), f"dynolith: cannot read the token of the admin endpoint in {file}: {reason}\n")
        shown = cli_test.run("serve", "--port", "0", "--admin-from", "localhost")
        self.assertEqual(shown.returncode, 2)
        self.assertTrue(shown.stderr.decode().startswith('--admin-from: "localhost" is no network such as '), shown.stderr)

    def volume(self):
        """A folder as a container has it: its owner runs the program, and may write nothing beside it."""
        folder = tempfile.TemporaryDirectory(prefix="dynolith-test-", dir="/tmp")  # TMPDIR may be closed to others
        self.addCleanup(folder.cleanup)
        outside = pathlib.Path(folder.name)
        (outside / "token").write_text(self.TOKEN + "\n")
        (outside / "data").mkdir()
        if os.geteuid() == 0:
            os.chown(outside / "data", NOBODY, NOBODY)
        outside.chmod(0o555)
        self.addCleanup(outside.chmod, 0o755)
        return outside

    def assert_keeps_states(self, server, name):
        """Snapshots, going back to them, and databases by name: each needs room beside the data folder."""
        server.call("CreateTable", **cli_test.SONGS)
        for path, body in (("snapshot", {"name": "loaded"}), ("restore", {"name": "loaded"}),
                           ("databases", {"name": "test1", "from": "", "snapshot": "loaded"})):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("POST", f"/_dynolith/{path}", json.dumps(body))
            response = connection.getresponse()
            self.assertEqual(response.status, 200, f"{name} {path} {response.read()}")
            connection.close()

    def test_the_examples_for_containers(self):
        """What they run, and the unit, on this machine: with files of its own and a free port, as nobody where a test may be that."""
        address = self.own_address()
        package = pathlib.Path(__file__).resolve().parents[2] / "tools" / "package"
        user = NOBODY if os.geteuid() == 0 else None
        unit = "debian/dynolith.service"
        for name, words in (("examples/docker-compose.yml", r"command: (\[.*?\])"), ("examples/kubernetes.yml", r"args: (\[.*?\])"),
                            ("Dockerfile", r"CMD (\[.*?\])"), (unit, r"ExecStart=/usr/bin/dynolith (.*?) \$DYNOLITH_OPTIONS")):
            found = re.findall(rf"^ *{words}$", (package / name).read_text(), re.MULTILINE | re.DOTALL)
            self.assertEqual(len(found), 1, name)
            words = found[0].split() if name == unit else json.loads(found[0])
            self.assertEqual(words[0], "serve")
            outside = self.volume()
            token, data = str(outside / "token"), str(outside / "data")
            own = {"/data": data, "/var/lib/dynolith": data, "/run/secrets/dynolith-admin": token, "/etc/dynolith/token": token}
            words = [next((own[path] + word[len(path):] for path in own if word.startswith(path)), word) for word in words[1:]]
            has_admin = "--admin-token" in words
            with Asked(*words, *(() if has_admin else ("--admin",)), user=user) as server:
                if has_admin:
                    self.assertEqual(self.ask(server, address)[0], 401, name)
                    self.assertEqual(self.ask(server, address, "metrics", Authorization=f"Bearer {self.TOKEN}")[0], 200, name)
                self.assert_keeps_states(server, name)

    def test_a_token_that_others_may_read(self):
        self.file.chmod(0o644)
        with Asked("--admin-token", str(self.file)) as server:
            self.assertRegex(server.stop()[2], rf"^\S+ warning other users of this machine may read or change the token in {self.file} ")


class OpenDoors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "keys")
        self.file.write_text("key topsecret\n")
        self.file.chmod(0o600)

    def verified(self, *options):
        return Server("--auth", "verify", "--credentials", str(self.file), *options)

    def test_listening_for_others(self):
        for mode in ("shape", "off"):
            with Server("--host", "0.0.0.0", "--auth", mode) as server:
                self.assertRegex(server.stop()[2], r"^\S+ warning whoever can reach 0\.0\.0\.0 can read, change and delete every "
                                 rf"table: --auth {mode} does not check signatures; listen on 127\.0\.0\.1, or start with "
                                 r"--auth verify --credentials FILE\n$")
        for server in (self.verified("--host", "0.0.0.0"), Server("--host", "localhost"), Server("--host", "127.0.0.2")):
            with server:
                self.assertEqual(server.stop()[2], "")

    def test_credentials_that_others_may_read(self):
        for mode in (0o644, 0o640, 0o604, 0o602):
            self.file.chmod(mode)
            with self.verified() as server:
                self.assertRegex(server.stop()[2], rf"^\S+ warning other users of this machine may read or change the secret keys "
                                 rf"in {self.file} \(mode 0{mode:o}\); chmod 600 {self.file} keeps them out\n$")
        for mode in (0o600, 0o400):
            self.file.chmod(mode)
            with self.verified() as server:
                self.assertEqual(server.stop()[2], "")

    def test_what_names_a_database_is_signed(self):
        now = time.gmtime()
        right = {"secret": "topsecret", "day": time.strftime("%Y%m%d", now), "date": time.strftime("%Y%m%dT%H%M%SZ", now)}
        with self.verified("--admin") as server:
            headers = signed_headers("ListTables", b"{}", **right)
            self.assertEqual(server.request("ListTables", b"{}", headers), (200, {"TableNames": []}))
            status, answer = server.request("ListTables", b"{}", {**headers, "x-dynolith-database": "elsewhere"})
            self.assertEqual((status, answer["__type"].rpartition("#")[2]), (400, "InvalidSignatureException"))
            self.assertIn("'x-dynolith-database'", answer["message"])
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("GET", "/_dynolith/databases")
            self.assertEqual(json.loads(connection.getresponse().read()), {"databases": []})
            connection.close()

    def test_whose_key_it_is_whose_database_it_is(self):
        """What else a header claims, which no signature covers, leads to nobody else's tables."""
        self.file.write_text("key topsecret\nother othersecret\n")
        now = time.gmtime()
        right = {"day": time.strftime("%Y%m%d", now), "date": time.strftime("%Y%m%dT%H%M%SZ", now)}
        table = {"TableName": "mine", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                 "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
        with self.verified("--isolate", "access-key") as server:
            body = json.dumps(table).encode()
            self.assertEqual(server.request("CreateTable", body, signed_headers("CreateTable", body, secret="topsecret", **right))[0], 200)
            headers = signed_headers("ListTables", b"{}", secret="othersecret", **right)
            others = headers["authorization"].replace("Credential=key/", "Credential=other/")
            for claim in ("", "Credential=key/1/2/3/4, ", "XCredential=key, ", "X=Credential=key/1, "):
                headers["authorization"] = others.replace("Credential=", f"{claim}Credential=")
                self.assertEqual(server.request("ListTables", b"{}", headers), (200, {"TableNames": []}), claim)
            headers["authorization"] = others.replace("Credential=other/", "Credential=other/1, Credential=key/")
            self.assertEqual(server.request("ListTables", b"{}", headers)[0], 400)

    def test_no_secret_reaches_the_log(self):
        self.file.write_text("key topsecret\nkey2 topsecret2 sessiontoken\n")
        now = time.gmtime()
        right = {"day": time.strftime("%Y%m%d", now), "date": time.strftime("%Y%m%dT%H%M%SZ", now)}
        with self.verified("--log-level", "info", "--log-format", "json") as server:
            signatures = []
            for secret in ("topsecret", "wrong"):
                headers = signed_headers("PutItem", b"{}", secret=secret, **right)
                headers["x-amz-security-token"] = "sessiontoken"
                signatures.append(headers["authorization"].rpartition("=")[2])
                server.request("PutItem", b"{}", headers)
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
            connection.request("POST", "/?X-Amz-Signature=abcdef&X-Amz-Security-Token=sessiontoken", b"{}",
                               {"Content-Type": "application/json", "X-Amz-Target": "DynamoDB_20120810.ListTables"})
            connection.getresponse().read()
            connection.request("POST", "/", b"x", {**signed_headers("PutItem", b"x", **right), "Content-Encoding": "gzip"})
            self.assertEqual(connection.getresponse().status, 500)
            connection.close()
            log = server.stop()[2]
            self.assertEqual(len(log.splitlines()), 5, log)
            for secret in ("topsecret", "sessiontoken", "abcdef", "Credential=", *signatures):
                self.assertNotIn(secret, log)


if __name__ == "__main__":
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
