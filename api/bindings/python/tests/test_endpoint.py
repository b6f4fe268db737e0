"""A database behind an endpoint: the same test runs in this process and against a service."""

import http.server
import threading

import botocore.config
import botocore.exceptions
import pytest

import dynolith

TABLE = {"TableName": "music", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.native)], ids=["here", "elsewhere"])
def options(request):
    if not request.param:
        yield {}
        return
    with dynolith.Database() as database:
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                answer = database.call(self.headers["X-Amz-Target"], self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(answer.status)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield {"endpoint": f"http://127.0.0.1:{server.server_port}"}
        server.shutdown()
        server.server_close()


def test_the_same_program(options):
    with dynolith.Database(**options) as database:
        client = database.client()
        client.create_table(**TABLE)
        client.get_waiter("table_exists").wait(TableName="music")
        for i in range(5):
            client.put_item(TableName="music", Item={"pk": {"S": str(i)}})
        pages = client.get_paginator("scan").paginate(TableName="music", PaginationConfig={"PageSize": 2})
        assert sorted(item["pk"]["S"] for page in pages for item in page["Items"]) == ["0", "1", "2", "3", "4"]
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            client.put_item(TableName="music", Item={"pk": {"S": "0"}}, ConditionExpression="attribute_not_exists(pk)")
        assert database.client("dynamodbstreams").list_streams()["Streams"] == []


@pytest.mark.native
def test_what_is_only_here():
    with dynolith.Database(endpoint="http://127.0.0.1:9") as database:
        for call in (lambda: database.snapshot("a"), database.clock.now, database.sweep):
            with pytest.raises(dynolith.DynolithError, match="only a database in this process can do this") as error:
                call()
            assert error.value.kind == "FailedPrecondition"
        with pytest.raises(botocore.exceptions.HTTPClientError):
            database.client(config=botocore.config.Config(retries={"total_max_attempts": 1})).list_tables()
    with pytest.raises(dynolith.DynolithError, match="names a service elsewhere"):
        dynolith.Database(endpoint="http://127.0.0.1:9", path="/tmp/music")
