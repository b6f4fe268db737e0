"""What a checker of types knows of clients: the service's own types, where boto3-stubs is installed."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="run by a Python that has mypy and boto3-stubs")

PROGRAM = """
import dynolith

def table() -> str:
    return "music"

with dynolith.Database() as database, dynolith.mock() as mocked:
    reveal_type(dynolith.client())
    reveal_type(database.client("dynamodbstreams"))
    reveal_type(mocked.resource())
    database.client().put_item(TableName=1, Item={})
reveal_type(dynolith.mock(table))
"""


def test_clients_have_types(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}/cache", program], cwd=tmp_path,
                             capture_output=True, text=True, check=False)
    said = [line.split(": ", 2)[2] for line in checked.stdout.splitlines() if ": " in line and line.startswith("program.py")]
    assert [line.split("client.")[-1] for line in said if "Revealed" in line] == [
        'DynamoDBClient"', 'DynamoDBStreamsClient"', 'Revealed type is "mypy_boto3_dynamodb.service_resource.DynamoDBServiceResource"',
        'Revealed type is "def () -> str"'], checked.stdout
    assert any("TableName" in line and "int" in line for line in said if "Revealed" not in line), checked.stdout
