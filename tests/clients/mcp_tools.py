#!/usr/bin/env python3
"""The MCP server with the official SDK's client: each revision of the protocol, over standard input and output and over HTTP.

    mcp_tools.py <dynolith program>

Every schema is a valid one of JSON Schema 2020-12, every result fits its tool's output schema, and the lists are those that the
inspector asks for in its command-line mode (tools/list, resources/list, resources/templates/list; there are no prompts).
"""

import asyncio
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import warnings

import httpx2
import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

PROGRAM = sys.argv[1]
TOKEN = "0123456789abcdef0123456789abcdef"
MUSIC = {
    "TableName": "music",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("artist", "song", "genre")],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by-genre", "KeySchema": [{"AttributeName": "genre", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"}}],
    "BillingMode": "PAY_PER_REQUEST",
}
SONGS = [{"artist": "Ray", "song": f"{i:03}", "genre": "soul", "plays": i, "exact": {"$number": "1234567890123456789.5"},
          "tags": {"$string_set": ["a", "b"]}, "cover": {"$binary": "AAEC"}, "nested": {"list": [1, None, True]}}
         for i in range(60)]
MODEL = {
    "tables": [{"table_name": "orders", "key_schema": {"partition_key": "customer", "sort_key": "order"}}],
    "access_patterns": [{"pattern_id": "Q1", "operation": "Query", "table": "orders", "peak_rps": 5}],
}
METRICS = {"MetricDataResults": [{"Id": "m1", "Label": "orders ConsumedWriteCapacityUnits", "Values": [600, 600],
                                  "Timestamps": ["2026-11-25T00:00:00+00:00", "2026-11-25T00:01:00+00:00"]}]}
EXPERIMENT = """
[experiment]
name = "one key"
duration = "60s"
[[table]]
name = "posts"
[[access]]
name = "likes"
table = "posts"
operation = "UpdateItem"
rate = 100
keys = { kind = "uniform", count = 10 }
"""


def check(holds, *what):
    if not holds:
        raise AssertionError(*what)


class Caller:
    """A client whose results are compared with their tools' schemas."""

    def __init__(self, client, tools):
        self.client = client
        self.schemas = {tool.name: tool.output_schema for tool in tools}
        self.called = set()

    async def __call__(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        check(not result.is_error, tool, result.content)
        jsonschema.Draft202012Validator(self.schemas[tool]).validate(result.structured_content)
        check(json.loads(result.content[-1].text) == result.structured_content, tool)
        self.called.add(tool)
        return result.structured_content

    async def error(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        check(result.is_error, tool, result.structured_content)
        return result.content[0].text


async def checked_tools(client):
    tools = (await client.list_tools()).tools
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            check(schema["type"] == "object" and schema["additionalProperties"] is False, tool.name)
        check(re.fullmatch(r"[a-z_]{1,64}", tool.name) and tool.title and tool.description, tool.name)
        check(None not in (tool.annotations.read_only_hint, tool.annotations.destructive_hint,
                           tool.annotations.idempotent_hint, tool.annotations.open_world_hint), tool.name)
    return tools


async def use_everything(client):
    """Each tool once or more."""
    tools = await checked_tools(client)
    call = Caller(client, tools)
    await call("create_table", definition=MUSIC)
    check((await call("put_items", table="music", items=SONGS))["put"] == 60)
    check((await call("list_tables"))["tables"][0]["indexes"] == ["by-genre"])
    check((await call("describe_table", table="music"))["description"]["TableName"] == "music")
    found = await call("get_item", table="music", key={"artist": "Ray", "song": "001"})
    check(found["item"] == SONGS[1], found)
    in_types = await call("get_item", table="music", key={"artist": {"S": "Ray"}, "song": {"S": "001"}}, format="dynamodb")
    check(in_types["item"]["exact"] == {"N": "1234567890123456789.5"}, in_types)
    first = await call("query", table="music", key_condition="artist = :a", values={":a": "Ray"})
    check(first["count"] == 50 and first["truncated"], first["count"])
    rest = await call("query", table="music", key_condition="artist = :a", values={":a": "Ray"}, cursor=first["next_cursor"])
    check(first["items"] + rest["items"] == SONGS and not rest["truncated"])
    check((await call("scan", table="music", filter="plays > :p", values={":p": 57}))["count"] == 2)
    check((await call("partiql_select", statement="SELECT song FROM music WHERE artist = ?", parameters=["Ray"],
                      limit=2))["items"] == [{"song": "000"}, {"song": "001"}])
    plan = await call("explain", table="music", filter="genre = :g", values={":g": "soul"})
    check(plan["operation"] == "Scan" and "by-genre" in plan["suggestions"][0], plan)
    plan = await call("explain", statement="SELECT * FROM music.\"by-genre\" WHERE genre = 'soul'")
    check(plan["operation"] == "Query" and plan["index"] == "by-genre" and plan["measured"]["items"] == 60, plan)
    hot = await call("hot_keys", table="music")
    check(hot["watched"] and hot["accessed_partition_keys"], hot)
    await call("capacity", table="music")
    check((await call("get_clock"))["mode"] == "manual")
    await call("update_item", table="music", key={"artist": "Ray", "song": "000"}, update="SET plays = :p", values={":p": 9})
    check((await call("partiql_write", statement="UPDATE music SET plays = 8 WHERE artist = 'Ray' AND song = '000'"))["kind"]
          == "UPDATE")
    check("mine" in (await call("take_snapshot", snapshot_name="mine"))["snapshots"])
    fault = await call("set_fault", rule={"fault": "throttle", "operation": "GetItem", "hits_max": 1})
    check("throttl" in (await call.error("get_item", table="music", key={"artist": "a", "song": "b"})).lower())
    check((await call("list_faults"))["faults"][0]["hits"] == 1)
    check((await call("remove_faults", id=fault["id"]))["faults"] == [])
    loaded = await call("load_design", file_name="music.items.csv", table="music", text="artist,song\nAmy,a\n")
    check(loaded["items_written"] == 1, loaded)
    deleted = await call("delete_items", table="music", keys=[{"artist": "Amy", "song": "a"}])
    check(deleted["deleted"] == 1 and deleted["snapshot"] in (await call("list_snapshots"))["snapshots"])
    await call("advance_clock", advance_seconds=60)
    await call("update_table", definition={"TableName": "music", "DeletionProtectionEnabled": False})
    await call("delete_table", table="music")
    await call("restore_snapshot", snapshot_name="mine")
    check((await call("scan", table="music", limit=1))["count"] == 1)
    check("mine" not in (await call("remove_snapshot", snapshot_name="mine"))["snapshots"])
    await use_the_lab(call)
    check(call.called == {tool.name for tool in tools}, {tool.name for tool in tools} - call.called)


async def use_the_lab(call):
    check(len((await call("lab_experiments"))["experiments"]) > 10)
    check("[experiment]" in (await call("lab_experiments", name="celebrity"))["text"])
    simulated = await call("lab_simulate", data_model=json.dumps(MODEL))
    check(simulated["complete"] and simulated["designs"][0]["totals"]["operations"] > 0, simulated)
    advised = await call("lab_advise", experiment="celebrity", seconds=1)
    check(isinstance(advised["complete"], bool))
    billed = await call("lab_bill", experiment="celebrity")
    check(billed["designs"][0]["bill"], billed)
    billed = await call("lab_bill", metrics=json.dumps(METRICS), paid_tables='[[table]]\nname = "orders"\nstorage = "100GB"\n')
    check(billed["bill"]["onDemand"] > 0, billed)
    error = await call.error("lab_simulate", experiment=EXPERIMENT.replace("rate", "rat"))
    check("rat" in error and "experiment.toml:" in error, error)


async def read_only(client):
    tools = await checked_tools(client)
    check(all(tool.annotations.read_only_hint for tool in tools))
    names = {tool.name for tool in tools}
    check("scan" in names and not names & {"put_items", "delete_table"}, names)
    call = Caller(client, tools)
    check("--allow-writes" in await call.error("put_items", table="music", items=[{}]))
    check("--allow-deletes" in await call.error("delete_table", table="music"))
    check("limit" in await call.error("scan", table="music", limit=0))
    check((await client.list_resources()).resources == [])
    templates = (await client.list_resource_templates()).resource_templates
    check([each.uri_template for each in templates] == ["dynolith://table/{name}", "dynolith://experiment/{name}"])
    text = (await client.read_resource("dynolith://experiment/celebrity")).contents[0].text
    check("[experiment]" in text)
    for ask in (client.read_resource("dynolith://table/none"), client.call_tool("no_such_tool", {}), client.list_prompts()):
        try:
            await ask
        except (MCPError, RuntimeError):
            continue
        raise AssertionError("an error was expected")


async def over_stdio():
    everything = StdioServerParameters(command=PROGRAM, args=["mcp", "--allow-deletes", "--clock", "manual", "--hot-keys"])
    async with Client(everything) as client:
        check(client.protocol_version == "2026-07-28", client.protocol_version)
        await use_everything(client)
    async with Client(StdioServerParameters(command=PROGRAM, args=["mcp"]), mode="legacy") as client:
        check(client.protocol_version == "2025-11-25", client.protocol_version)
        check(client.server_info.name == "dynolith" and "only reads" in client.instructions)
        await client.send_ping()
        await read_only(client)
        seen = []

        async def note(progress, total, message):
            seen.append((progress, total, message))

        await client.call_tool("lab_simulate", {"experiment": "celebrity"}, progress_callback=note)
        check(seen and all(total == 3 for _, total, _ in seen), seen)


async def in_a_folder(folder):
    """What one process writes the next one reads; a snapshot outlives it, too."""
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", "--data", f"{folder}/data", "--allow-deletes"])
    async with Client(parameters) as client:
        call = Caller(client, await checked_tools(client))
        await call("create_table", definition=MUSIC)
        await call("put_items", table="music", items=SONGS[:1])
        snapshot = (await call("delete_items", table="music", keys=[{"artist": "Ray", "song": "000"}]))["snapshot"]
    async with Client(parameters) as client:
        call = Caller(client, await checked_tools(client))
        check((await call("scan", table="music"))["items"] == [])
        await call("restore_snapshot", snapshot_name=snapshot)
        check((await call("scan", table="music"))["items"] == SONGS[:1])
        resources = (await client.list_resources()).resources
        check([each.uri for each in resources] == ["dynolith://table/music"], resources)


class Listening:
    """A server of the program, by the address in its first line."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"https?://[^ ,]+", self.process.stdout.readline()).group()

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(10) == 0)
        self.process.stdout.close()


async def over_http(folder):
    token_file = f"{folder}/token"
    pathlib.Path(token_file).write_text(TOKEN, encoding="utf-8")
    with Listening("mcp", "--http", "--port", "0", "--token", token_file, "--allow-deletes", "--clock", "manual",
                   "--hot-keys") as url:
        for mode in ("auto", "legacy"):
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
                async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                    if mode == "auto":
                        check(client.protocol_version == "2026-07-28", client.protocol_version)
                        await use_everything(client)
                    else:
                        check(client.protocol_version == "2025-11-25", client.protocol_version)
                        check((await client.call_tool("list_tables", {})).structured_content["tables"])
        async with httpx2.AsyncClient() as http:
            check((await http.post(url, json={})).status_code == 401)


async def at_an_endpoint():
    """A server with an admin endpoint has snapshots; one without refuses destructive calls, unless they were allowed."""
    server = ["serve", "--port", "0"]
    for with_admin in (True, False):
        with Listening(*server, *(["--admin"] if with_admin else [])) as url:
            base = ["mcp", "--endpoint", url, "--region", "us-east-1", "--allow-deletes"]
            environment = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
            async with Client(StdioServerParameters(command=PROGRAM, args=base, env=environment)) as client:
                call = Caller(client, await checked_tools(client))
                await call("create_table", definition=MUSIC)
                if with_admin:
                    check("snapshot" in await call("delete_table", table="music"))
                else:
                    error = await call.error("delete_table", table="music")
                    check("--without-snapshots" in error and "--admin" in error, error)
            if with_admin:
                continue
            base.append("--without-snapshots")
            async with Client(StdioServerParameters(command=PROGRAM, args=base, env=environment)) as client:
                call = Caller(client, await checked_tools(client))
                check("snapshot" not in await call("delete_table", table="music"))


async def main():
    with tempfile.TemporaryDirectory() as folder:
        await over_stdio()
        await in_a_folder(folder)
        await over_http(folder)
        await at_an_endpoint()


# ping is none of the newest revision.
warnings.simplefilter("ignore")
asyncio.run(main())
