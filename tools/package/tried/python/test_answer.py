"""As a stranger would begin: the wheel's pytest plugin, its program, nothing else of Dynolith."""

import subprocess

import dynolith


def test_answers(dynolith_client):
    dynolith_client.create_table(TableName="music", BillingMode="PAY_PER_REQUEST",
                                 KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}],
                                 AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}])
    dynolith_client.put_item(TableName="music", Item={"artist": {"S": "Ray"}, "plays": {"N": "1"}})
    assert dynolith_client.get_item(TableName="music", Key={"artist": {"S": "Ray"}})["Item"]["plays"] == {"N": "1"}


def test_keeps_a_folder(tmp_path):
    with dynolith.Database(path=str(tmp_path / "data")) as database:
        assert database.client().list_tables()["TableNames"] == []


def test_has_the_program():
    assert subprocess.run(["dynolith", "--version"], capture_output=True, text=True, check=True).stdout.startswith("dynolith ")
