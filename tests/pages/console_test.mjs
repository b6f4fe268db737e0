// The console of a running server in headless Chromium, through its accessibility tree: items are read, edited with their types,
// refused in the service's words, drawn as collections; 100,000 rows are quick; streams, time and snapshots are seen to move.
//
//   node console_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const [program, modules, screenshots] = process.argv.slice(2);
const puppeteer = createRequire(path.join(path.resolve(modules), "x.js"))("puppeteer-core");
const PATIENCE = { timeout: 30_000 };
const ROWS = 100_000;
const folder = mkdtempSync(path.join(tmpdir(), "console-"));

async function serve(...options) {
  const process = spawn(program, ["serve", "--port", "0", "--memory", "--admin", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve) => createInterface(process.stdout).once("line", resolve));
  const address = /http:\/\/\S+:\d+/.exec(line)[0];
  // It must only look signed.
  const headers = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
    Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}` };
  const call = async (operation, body) => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(body), headers: { ...headers, "X-Amz-Target": `DynamoDB_20120810.${operation}` } });
    const answer = await response.json();
    assert.ok(response.ok, `${operation}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return { process, address, call };
}

const key = (name, type = "S") => ({ AttributeName: name, AttributeType: type });
const SHOP = { TableName: "shop", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key("pk"), key("sk"), key("status"), key("total", "N")],
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }],
  GlobalSecondaryIndexes: [{ IndexName: "by-status", KeySchema: [{ AttributeName: "status", KeyType: "HASH" }, { AttributeName: "total", KeyType: "RANGE" }], Projection: { ProjectionType: "KEYS_ONLY" } }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } };
const LONG = "12345678901234567890123456789012345678";  // 38 digits
const ITEMS = [
  { pk: { S: "USER#ann" }, sk: { S: "PROFILE" }, name: { S: "Ann" }, exact: { N: LONG }, tags: { SS: ["new", "vip"] }, photo: { B: "AAH/" }, scores: { NS: ["1", "2.5"] },
    blobs: { BS: ["AQ==", "Ag=="] }, active: { BOOL: true }, gone: { NULL: true }, address: { M: { city: { S: "Riga" }, zip: { N: "1010" } } }, seen: { L: [{ N: "1" }, { S: "x" }] } },
  { pk: { S: "USER#ann" }, sk: { S: "ORDER#2026-01-03" }, status: { S: "PAID" }, total: { N: "40" } },
  { pk: { S: "USER#ann" }, sk: { S: "ORDER#2026-02-01" }, status: { S: "OPEN" }, total: { N: "12.5" } },
  { pk: { S: "USER#bob" }, sk: { S: "PROFILE" }, name: { S: "Bob" } },
  { pk: { S: "USER#bob" }, sk: { S: "ORDER#2026-01-09" }, status: { S: "PAID" }, total: { N: "7" } }];
const ANN = { pk: ITEMS[0].pk, sk: ITEMS[0].sk };

async function fill(server) {
  await server.call("CreateTable", SHOP);
  for (const Item of ITEMS) await server.call("PutItem", { TableName: "shop", Item });
  await server.call("CreateTable", { TableName: "large", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key("id")], KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] });
  let at = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (at < ROWS) {
      const begin = at;
      at += 25;
      const all = Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: { id: { S: `row#${begin + i}` }, number: { N: String(begin + i) } } } }));
      await server.call("BatchWriteItem", { RequestItems: { large: all } });
    }
  }));
}

// What assistive technology finds by its role and name is what the tests use, too.
const find = (page, role, name, options = {}) => page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`, { ...PATIENCE, ...options });
const press = async (page, role, name) => { const element = await find(page, role, name); await element.evaluate((one) => one.scrollIntoView({ block: "nearest" })); await element.click(); };
async function type(page, role, name, text) {
  const element = await find(page, role, name);
  await element.evaluate((one) => { one.focus(); one.select?.(); });
  await page.keyboard.press("Backspace");
  await page.keyboard.type(text);
}
const choose = async (page, name, value) => (await find(page, "combobox", name)).select(value);
const waitFor = (page, text, selector = "main") => page.waitForFunction((selector, text) => [...document.querySelectorAll(selector)].some((one) => one.innerText.includes(text)), PATIENCE, selector, text);
const rowsOf = (page) => page.$$eval('[role="tabpanel"]:not([hidden]) [role="grid"] .rows [role="row"]', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
const alerts = (page) => page.$$eval('[role="alert"]', (all) => all.map((one) => one.innerText).filter((text) => text !== ""));
const waitForAlert = async (page) => { await page.waitForFunction(() => [...document.querySelectorAll('[role="alert"]')].some((one) => one.innerText !== ""), PATIENCE); return (await alerts(page)).join("\n"); };
const shoot = async (page, name) => { if (screenshots) await page.screenshot({ path: path.join(screenshots, `${name}.png`) }); };

async function clickCell(page, text) {
  await page.$$eval('[role="tabpanel"]:not([hidden]) [role="gridcell"]', (cells, text) => cells.find((cell) => cell.textContent === text).click(), text);
  await page.waitForFunction((text) => document.activeElement.getAttribute("role") === "gridcell" && document.activeElement.textContent === text, PATIENCE, text);
}
async function openItem(page, text) {
  await page.waitForFunction((text) => [...document.querySelectorAll('[role="tabpanel"]:not([hidden]) [role="gridcell"]')].some((cell) => cell.textContent === text), PATIENCE, text);
  await clickCell(page, text);
  await page.keyboard.press("Enter");
  await find(page, "dialog", "Edit item");
}
const closed = (page) => page.waitForFunction(() => !document.querySelector("dialog[open]"), PATIENCE);

const tests = {
  async "begins with the tables, and shows their keys and indexes"(page) {
    await find(page, "button", "Settings of shop");
    const row = await page.$$eval(".overview tbody tr", (rows) => rows.map((each) => [...each.children].map((cell) => cell.innerText)).find(([name]) => name === "shop"));
    assert.deepEqual(row.slice(0, 7).map((cell, i) => i === 3 ? /^\d+ bytes$/.test(cell) : cell), ["shop", "pk, sk", "5", true, "by-status", "Items before and after", "ACTIVE"]);
    await press(page, "button", "shop");
    await find(page, "tab", "shop");
    await press(page, "button", "Settings");
    await waitFor(page, "by-status");
    const keys = await page.$$eval(".indexes tbody tr", (rows) => rows.map((row) => row.innerText.replace(/\s+/g, " ").trim()));
    assert.match(keys[0], /^shop table partition pk S sort sk S all attributes/);
    assert.match(keys[1], /^by-status global partition status S sort total N keys/);
    await shoot(page, "console_table");
    await press(page, "button", "Items");
  },

  async "reads by Scan, Query and PartiQL"(page) {
    await waitFor(page, "5 items");
    assert.equal((await rowsOf(page)).length, 5);
    await shoot(page, "console");
    await choose(page, "Operation", "Query");
    await type(page, "textbox", "pk", "USER#ann");
    await choose(page, "Condition of sk", "begins_with");
    await type(page, "textbox", "sk", "ORDER#");
    await press(page, "checkbox", "Descending");
    await press(page, "button", "Run");
    await waitFor(page, "2 items");
    assert.deepEqual((await rowsOf(page)).map((row) => row[1]), ["ORDER#2026-02-01", "ORDER#2026-01-03"]);
    await choose(page, "Table or index", "by-status");
    await type(page, "textbox", "status", "PAID");
    await type(page, "textbox", "total", "");
    await press(page, "button", "Run");
    await page.waitForFunction(() => document.querySelector('[role="columnheader"]').textContent === "status", PATIENCE);
    await waitFor(page, "2 items");
    await choose(page, "Operation", "PartiQL");
    await type(page, "textbox", "Statement", `SELECT * FROM "shop" WHERE pk = 'USER#bob'`);
    await page.keyboard.down("Control"); await page.keyboard.press("Enter"); await page.keyboard.up("Control");
    await page.waitForFunction(() => [...document.querySelectorAll('[role="gridcell"]')].some((cell) => cell.textContent === "Bob"), PATIENCE);
    await type(page, "textbox", "Statement", "SELECT nonsense");
    await press(page, "button", "Run");
    assert.match(await waitForAlert(page), /^ValidationException: Statement wasn't well formed/);
  },

  async "edits with types kept, and refuses in the service's words"(page, server) {
    await choose(page, "Operation", "Scan");
    await choose(page, "Table or index", "");
    await waitFor(page, "5 items");
    await openItem(page, "Ann");
    await shoot(page, "console_editor");
    await type(page, "textbox", "Value of name", "Anna");
    await press(page, "button", "Save");
    await closed(page);
    const { Item } = await server.call("GetItem", { TableName: "shop", Key: ANN, ConsistentRead: true });
    assert.deepEqual({ ...Item, name: ITEMS[0].name }, ITEMS[0]);
    assert.equal(Item.name.S, "Anna");
    await openItem(page, "Anna");
    await type(page, "textbox", "Value of exact", `${LONG}9`);
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /ValidationException: .*Attempting to store more than 38 significant digits in a Number/);
    await press(page, "button", "Cancel");
    await closed(page);
  },

  async "does not overwrite what somebody else has changed"(page, server) {
    await openItem(page, "Anna");
    await server.call("UpdateItem", { TableName: "shop", Key: ANN, UpdateExpression: "SET #n = :n", ExpressionAttributeNames: { "#n": "name" }, ExpressionAttributeValues: { ":n": { S: "Annie" } } });
    await type(page, "textbox", "Value of name", "Hanna");
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /ConditionalCheckFailedException/);
    await press(page, "button", "Show the current item");
    await page.waitForFunction(() => [...document.querySelectorAll("dialog input")].some((input) => input.value === "Annie"), PATIENCE);
    await type(page, "textbox", "Value of name", "Hanna");
    await press(page, "button", "Save");
    await closed(page);
    assert.equal((await server.call("GetItem", { TableName: "shop", Key: ANN, ConsistentRead: true })).Item.name.S, "Hanna");
  },

  async "duplicates, adds and deletes"(page, server) {
    await openItem(page, "Hanna");
    await press(page, "button", "Duplicate");
    await find(page, "dialog", "New item");
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /ConditionalCheckFailedException/);
    await type(page, "textbox", "Value of sk", "PROFILE#copy");
    await press(page, "button", "Add attribute");
    await type(page, "textbox", "Attribute name", "note");
    await type(page, "textbox", "Value of note", "made here");
    await press(page, "button", "Save");
    await closed(page);
    const Key = { pk: ANN.pk, sk: { S: "PROFILE#copy" } };
    const { Item } = await server.call("GetItem", { TableName: "shop", Key, ConsistentRead: true });
    assert.deepEqual([Item.exact.N, Item.note.S, Item.blobs.BS.length], [LONG, "made here", 2]);
    await clickCell(page, "PROFILE#copy");
    await page.keyboard.press("Delete");
    await find(page, "dialog", "Delete");
    await press(page, "button", "Delete");
    await closed(page);
    await waitFor(page, "5 items");
    assert.equal((await server.call("GetItem", { TableName: "shop", Key, ConsistentRead: true })).Item, undefined);
  },

  async "draws item collections with kinds in colours"(page) {
    await choose(page, "Show as", "collections");
    await find(page, "region", "Item collection USER#ann");
    const kinds = await page.$$eval(".facet", (all) => all.map((one) => one.innerText.replace(/\s+/g, " ").trim()));
    assert.deepEqual(kinds, ["ORDER# 3", "PROFILE 2"]);
    await shoot(page, "console_collections");
    await page.$$eval(".facet", (all) => all[0].click());
    await page.waitForFunction(() => document.querySelectorAll(".collection li").length === 3, PATIENCE);
    await choose(page, "Show as", "grid");
  },

  async "copies calls for programs"(page) {
    await page.evaluate(() => { window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }; });
    for (const language of ["AWS CLI", "boto3", "SDK for JavaScript v3"]) await choose(page, "Copy as", language);
    const [cli, boto, js] = await page.evaluate(() => window.copied);
    assert.match(cli, /^aws dynamodb scan --endpoint-url http:\/\/127\.0\.0\.1:\d+ \\\n {2}--cli-input-json '\{"TableName":"shop"\}'$/);
    assert.match(boto, /client\.scan\(\n {4}TableName="shop",\n\)/);
    assert.match(js, /new ScanCommand\(\{\n {2}"TableName": "shop"\n\}\)/);
  },

  async "imports a file and says which items were refused"(page, server) {
    const file = path.join(folder, "more.jsonl");
    writeFileSync(file, [{ Item: { pk: { S: "USER#cy" }, sk: { S: "PROFILE" }, exact: { N: LONG } } }, { pk: "USER#dee", sk: "PROFILE", age: 4 }, { pk: "USER#eve" }].map((each) => JSON.stringify(each)).join("\n"));
    await (await page.$('[role="tabpanel"]:not([hidden]) input[type="file"]')).uploadFile(file);
    assert.match(await waitForAlert(page), /1 refused: item 3: .*Missing the key sk in the item/);
    await waitFor(page, "7 items");
    const { Item } = await server.call("GetItem", { TableName: "shop", Key: { pk: { S: "USER#cy" }, sk: { S: "PROFILE" } } });
    assert.equal(Item.exact.N, LONG);
    await server.call("DeleteItem", { TableName: "shop", Key: { pk: { S: "USER#cy" }, sk: { S: "PROFILE" } } });
    await server.call("DeleteItem", { TableName: "shop", Key: { pk: { S: "USER#dee" }, sk: { S: "PROFILE" } } });
  },

  async "exports what is shown"(page) {
    await press(page, "button", "Run");
    await waitFor(page, "5 items");
    const session = await page.createCDPSession();
    await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
    for (const [format, end] of [["DynamoDB JSON", "jsonl"], ["plain JSON", "json"], ["CSV", "csv"]]) {
      await choose(page, "Export what is shown", format);
      const name = path.join(folder, `shop.${end}`);
      let text = "";
      for (let i = 0; i < 100 && text === ""; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        try { text = readFileSync(name, "utf8"); } catch { /* not yet */ }
      }
      assert.ok(text.includes(LONG), `${format}: ${text.slice(0, 200)}`);
      if (end === "jsonl") assert.deepEqual(text.trim().split("\n").map((line) => JSON.parse(line).Item).find((item) => item.exact).blobs, ITEMS[0].blobs);
    }
  },

  async "shows a stream as it comes"(page, server) {
    await press(page, "button", "Stream");
    await waitFor(page, "INSERT");
    await server.call("UpdateItem", { TableName: "shop", Key: ANN, UpdateExpression: "SET #n = :n", ExpressionAttributeNames: { "#n": "name" }, ExpressionAttributeValues: { ":n": { S: "Live" } } });
    await page.waitForFunction(() => { const first = document.querySelector(".records li"); return first?.innerText.startsWith("MODIFY") && first.querySelector("ins")?.textContent === "Live" && first.querySelector("del")?.textContent === "Hanna"; }, PATIENCE);
    await shoot(page, "console_stream");
    await press(page, "button", "Items");
  },

  async "creates, changes and deletes a table"(page, server) {
    const described = async () => (await server.call("DescribeTable", { TableName: "made" })).Table;
    const until = async (holds) => { for (let i = 0; !holds(await described()); i += 1) { assert.ok(i < 300, JSON.stringify(await described())); await new Promise((resolve) => setTimeout(resolve, 100)); } };
    await press(page, "tab", "Tables");
    await press(page, "button", "Create table");
    await type(page, "textbox", "Table name", "shop");
    await type(page, "textbox", "Partition key", "id");
    await choose(page, "Type of partition key", "N");
    await press(page, "button", "Add sort key");
    await type(page, "textbox", "Sort key", "at");
    await choose(page, "Stream", "NEW_IMAGE");
    await press(page, "button", "Add index");
    await type(page, "textbox", "Index name", "by-place");
    await type(page, "textbox", "Index partition key", "country");
    await press(page, "button", "Add attribute");
    await type(page, "textbox", "Index partition key 2", "city");
    await choose(page, "Contains", "INCLUDE");
    await type(page, "textbox", "Attributes", "name, age");
    await type(page, "textbox", "Time to live attribute", "expires");
    const create = async () => (await page.$$("dialog button.main")).at(-1).click();
    await create();
    assert.match(await waitForAlert(page), /^ResourceInUseException: /);
    await type(page, "textbox", "Table name", "made");
    await create();
    await find(page, "tab", "made");
    const table = await described();
    assert.deepEqual(table.KeySchema, [{ AttributeName: "id", KeyType: "HASH" }, { AttributeName: "at", KeyType: "RANGE" }]);
    assert.equal(table.AttributeDefinitions.find((each) => each.AttributeName === "id").AttributeType, "N");
    assert.equal(table.StreamSpecification.StreamViewType, "NEW_IMAGE");
    assert.equal(table.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
    assert.deepEqual([table.GlobalSecondaryIndexes[0].KeySchema.map((each) => each.AttributeName), table.GlobalSecondaryIndexes[0].Projection], [["country", "city"], { ProjectionType: "INCLUDE", NonKeyAttributes: ["name", "age"] }]);
    const ttl = async () => (await server.call("DescribeTimeToLive", { TableName: "made" })).TimeToLiveDescription;
    assert.equal((await ttl()).AttributeName, "expires");

    await press(page, "button", "Settings");
    await press(page, "button", "Switch off");
    assert.match(await waitForAlert(page), /Time to live has been modified multiple times within a fixed interval/);
    const advance = (seconds) => fetch(`${server.address}/_dynolith/clock/advance`, { method: "POST", body: JSON.stringify({ seconds }) });
    await advance(7200);
    await press(page, "button", "Switch off");
    await find(page, "button", "Switch on");
    assert.equal((await ttl()).TimeToLiveStatus, "DISABLED");
    await choose(page, "Records contain", "");
    await press(page, "button", "Change stream");
    await until((now) => !now.StreamSpecification?.StreamEnabled);
    await choose(page, "Capacity mode", "PROVISIONED");
    await type(page, "textbox", "Write units, by-place", "7");
    await press(page, "button", "Change capacity");
    await until((now) => now.GlobalSecondaryIndexes[0].ProvisionedThroughput.WriteCapacityUnits === 7 && now.ProvisionedThroughput.ReadCapacityUnits === 5);
    await press(page, "button", "Delete index by-place");
    await press(page, "button", "Delete index");
    await until((now) => now.GlobalSecondaryIndexes === undefined);
    await page.waitForFunction(() => !document.querySelector(".indexes").innerText.includes("by-place"), PATIENCE);
    await press(page, "button", "Add index");
    await type(page, "textbox", "Index name", "by-age");
    await type(page, "textbox", "Index partition key", "age");
    await choose(page, "Type of index partition key", "N");
    await create();
    await closed(page);
    await until((now) => now.GlobalSecondaryIndexes?.[0].IndexName === "by-age");
    await waitFor(page, "by-age", ".indexes");
    await press(page, "button", "Protect from deletion");
    await find(page, "button", "Allow deletion");
    await press(page, "button", "Delete table…");
    await press(page, "button", "Delete table");
    assert.match(await waitForAlert(page), /protected against deletion/);
    await advance(60);
    await press(page, "button", "Allow deletion");
    await find(page, "button", "Protect from deletion");
    await press(page, "button", "Delete table…");
    await press(page, "button", "Delete table");
    await waitFor(page, "There is no table made.");
    await press(page, "button", "Close made");
    assert.deepEqual((await server.call("ListTables", {})).TableNames, ["large", "shop"]);
  },

  async "builds filters, and keeps what is asked for in the address"(page) {
    await press(page, "button", "shop");
    await press(page, "button", "Items");
    await choose(page, "Operation", "Scan");
    await press(page, "button", "Add filter");
    await type(page, "combobox", "Attribute", "total");
    await choose(page, "Condition", "between");
    await choose(page, "Type of the value", "N");
    await type(page, "textbox", "Value", "7");
    await type(page, "textbox", "Upper end", "39");
    await press(page, "button", "Run");
    await waitFor(page, "2 items of 5 read");
    await press(page, "button", "Add filter");
    const second = async (role, name, how) => { const all = await page.$$(`[aria-label="Filter 2"] [aria-label="${name}"]`); await how(all[0]); };
    await second("combobox", "Attribute", (one) => one.type("address.city"));
    await second("combobox", "Condition", (one) => one.select("begins with"));
    await second("textbox", "Value", (one) => one.type("Ri"));
    await press(page, "button", "Run");
    await waitFor(page, "0 items of 5 read");
    await choose(page, "Items match", "any");
    await press(page, "button", "Run");
    await waitFor(page, "3 items of 5 read");
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('filters=any'), PATIENCE);
    assert.equal(decodeURIComponent(await page.evaluate(() => location.hash)), '#/table/shop/items?filter=["total","between","N","7","39"]&filter=["address.city","begins+with","S","Ri",""]&filters=any');
    await page.reload();
    await waitFor(page, "3 items of 5 read");
    await press(page, "button", "Settings");
    await page.waitForFunction(() => location.hash === "#/table/shop/table", PATIENCE);
    await press(page, "tab", "Server");
    await page.waitForFunction(() => location.hash === "#/server", PATIENCE);
    await page.goBack();
    await find(page, "button", "Delete table…");
    await page.goBack();
    await find(page, "button", "Remove filter 2");
    await page.goForward();
    await find(page, "button", "Delete table…");
    await press(page, "button", "Items");
    await press(page, "button", "Remove filter 2");
    await press(page, "button", "Remove filter 1");
    await press(page, "button", "Run");
    await waitFor(page, "5 items");
    // An address can be anybody's: what it says is read, but no statement is run.
    await page.evaluate((hash) => { location.hash = hash; }, `#/table/shop/items?operation=Query&key.pk=USER%23bob&sort.sk=${encodeURIComponent('["begins_with","ORD",""]')}`);
    await waitFor(page, "1 item");
    await page.evaluate((hash) => { location.hash = hash; }, `#/table/shop/items?operation=PartiQL&statement=${encodeURIComponent("DELETE FROM shop WHERE pk = 'USER#bob' AND sk = 'PROFILE'")}`);
    await page.waitForFunction(() => document.querySelector("textarea")?.value.startsWith("DELETE"), PATIENCE);
    await page.evaluate(() => { location.hash = "#/table/shop/items"; });
    await waitFor(page, "5 items");
  },

  async "sorts by columns and changes their widths"(page, server) {
    const large = `${LONG.slice(0, -1)}9`;
    await server.call("PutItem", { TableName: "shop", Item: { pk: { S: "USER#eve" }, sk: { S: "PROFILE" }, exact: { N: large } } });
    await press(page, "button", "Run");
    await waitFor(page, "6 items");
    const column = async (name) => { const names = await page.$$eval('[role="columnheader"] .title', (all) => all.map((one) => one.textContent)); return (await rowsOf(page)).map((row) => row[names.indexOf(name)]); };
    const head = async (name) => { for (const one of await page.$$('[role="columnheader"]')) if (await one.$eval(".title", (title, name) => title.textContent === name, name)) return one; return assert.fail(name); };
    await (await head("total")).click();
    await page.waitForFunction(() => location.hash === "#/table/shop/items?up=total", PATIENCE);
    assert.deepEqual((await column("total")).slice(0, 3), ["7", "12.5", "40"]);
    await (await head("total")).click();
    await page.waitForFunction(() => location.hash === "#/table/shop/items?down=total", PATIENCE);
    assert.deepEqual(await column("total"), ["40", "12.5", "7", "", "", ""]);
    // No double holds the difference.
    await (await head("exact")).focus();
    await (await head("exact")).click();
    assert.deepEqual((await column("exact")).slice(0, 2), [LONG, large]);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector('[aria-sort="descending"]'), PATIENCE);
    assert.deepEqual((await column("exact")).slice(0, 2), [large, LONG]);
    const width = async (name) => (await (await head(name)).boundingBox()).width;
    const before = await width("exact");
    await page.keyboard.down("Shift"); await page.keyboard.press("ArrowRight"); await page.keyboard.up("Shift");
    await page.waitForFunction((wanted) => location.hash.includes(wanted), PATIENCE, `width.exact=${before + 20}`);
    assert.equal(await width("exact"), before + 20);
    const edge = await (await (await head("sk")).$(".edge")).boundingBox();
    await page.mouse.move(edge.x + 4, edge.y + 8); await page.mouse.down(); await page.mouse.move(edge.x - 76, edge.y + 8); await page.mouse.up();
    assert.equal(await width("sk"), 110);
    // The end of a sort key tells it from the others, and is seen.
    const cell = await page.evaluateHandle(() => [...document.querySelectorAll('[role="gridcell"]')].find((one) => one.textContent === "ORDER#2026-01-03"));
    const [inside, end] = await cell.evaluate((one) => { const [all, part] = [one, one.querySelector(".end")].map((each) => each.getBoundingClientRect()); return [part.right <= all.right && part.left > all.left, one.querySelector(".end").textContent]; });
    assert.deepEqual([inside, end], [true, "2026-01-03"]);
    await server.call("DeleteItem", { TableName: "shop", Key: { pk: { S: "USER#eve" }, sk: { S: "PROFILE" } } });
    await page.evaluate(() => { location.hash = "#/table/shop/items"; });
    await waitFor(page, "5 items");
  },

  async "edits maps, lists and sets as a tree, on a telephone, too"(page, server) {
    const Key = { pk: { S: "TREE" }, sk: { S: "1" } }, lines = "one\ntwo";
    await server.call("PutItem", { TableName: "shop", Item: { ...Key, deep: { M: { list: { L: [{ M: { sku: { S: "a" } } }] }, gone: { S: "x" } } }, texts: { SS: [lines, "three"] } } });
    await press(page, "button", "Run");
    await page.setViewport({ width: 390, height: 800 });
    await openItem(page, "TREE");
    await type(page, "textbox", "Value of deep.list[0].sku", "b");
    await press(page, "button", "Remove deep.gone");
    await press(page, "button", "Add element to deep.list");
    await choose(page, "Type of deep.list[1]", "M");
    await press(page, "button", "Add attribute to deep.list[1]");
    await type(page, "textbox", "Attribute name", "amount");
    await choose(page, "Type of deep.list[1].amount", "N");
    await type(page, "textbox", "Value of deep.list[1].amount", "12");
    await press(page, "button", "Add element to texts");
    await type(page, "textbox", "Value of texts[2]", "four");
    // Everything is within the window, and wide enough to be read.
    const boxes = await page.$$eval("dialog input, dialog select, dialog textarea, dialog button", (all) => all.map((one) => { const { left, right, width } = one.getBoundingClientRect(); return { left, right, width, of: one.getAttribute("aria-label") ?? one.textContent }; }));
    for (const box of boxes) assert.ok(box.left >= 0 && box.right <= 390 && (!box.of.startsWith("Value") || box.width > 200), JSON.stringify(box));
    await shoot(page, "console_tree_narrow");
    await press(page, "button", "Save");
    await closed(page);
    const { Item } = await server.call("GetItem", { TableName: "shop", Key, ConsistentRead: true });
    assert.deepEqual(Item.deep, { M: { list: { L: [{ M: { sku: { S: "b" } } }, { M: { amount: { N: "12" } } }] } } });
    assert.deepEqual([...Item.texts.SS].sort(), ["four", lines, "three"].sort());
    await openItem(page, "TREE");
    await press(page, "button", "Add attribute");
    await type(page, "textbox", "Attribute name", "deep");
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /Two attributes are called deep/);
    await press(page, "button", "Cancel");
    await closed(page);
    await page.setViewport({ width: 1280, height: 760 });
    await server.call("DeleteItem", { TableName: "shop", Key });
    await press(page, "button", "Run");
    await waitFor(page, "5 items");
  },

  // Every object of JavaScript has a "constructor" and a "__proto__" by itself.
  async "opens tables and attributes whatever they are called"(page, server) {
    const names = ["constructor", "__proto__"];
    for (const name of names) {
      await server.call("CreateTable", { TableName: name, BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key(name)], KeySchema: [{ AttributeName: name, KeyType: "HASH" }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } });
      await server.call("PutItem", { TableName: name, Item: { [name]: { S: "1" }, toString: { S: "first" } } });
      await server.call("PutItem", { TableName: name, Item: { [name]: { S: "2" }, valueOf: { S: "second" }, other: { M: { ["__proto__"]: { S: "deep" }, BS: { S: "no set" } } } } });
    }
    for (const name of names) {
      await press(page, "button", name);
      await find(page, "grid", `Items of ${name}`);
      await waitFor(page, "2 items", '[role="tabpanel"]:not([hidden])');
      const texts = (await rowsOf(page)).map((row) => row.join("|")).sort();
      assert.equal(texts.length, 2);
      assert.match(texts[0], /^1\|.*first/);
      assert.match(texts[1], /^2\|.*second/);
      await page.evaluate(() => { window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }; });
      await openItem(page, "second");
      for (const language of ["AWS CLI", "boto3", "SDK for JavaScript v3"]) await (await page.$('dialog select[aria-label="Copy as"]')).select(language);
      const [cli, boto, js] = await page.evaluate(() => window.copied);
      assert.ok(cli.includes('"__proto__":{"S":"deep"}'), cli);
      assert.match(boto, /"BS": \{"S": "no set"\}/);
      assert.match(js, /\["__proto__"\]: \{/);
      await press(page, "button", "Cancel");
      await closed(page);
      await choose(page, "Show as", "collections");
      await find(page, "region", "Item collection 2");
      await press(page, "button", "Stream");
      await waitFor(page, "valueOf", '[role="tabpanel"]:not([hidden]) .records');
      await press(page, "button", "Items");
      const file = path.join(folder, `${name}.csv`);
      writeFileSync(file, `${name},valueOf\n3,third\n`);
      await (await page.$('[role="tabpanel"]:not([hidden]) input[type="file"]')).uploadFile(file);
      await waitFor(page, "1 items imported", '[role="tabpanel"]:not([hidden])');
      await press(page, "button", `Close ${name}`);
      await server.call("DeleteTable", { TableName: name });
    }
  },

  async "stays quick at 100,000 rows"(page) {
    await press(page, "button", "large");
    await press(page, "button", "Read all");
    await waitFor(page, "100,000 items");
    const grid = await find(page, "grid", "Items of large");
    assert.equal(await grid.evaluate((one) => one.getAttribute("aria-rowcount")), String(ROWS + 1));
    const nodes = () => grid.evaluate((one) => one.querySelectorAll("*").length);
    assert.ok(await nodes() < 600, `${await nodes()} nodes`);
    // From one end to the other, as a scroll bar does it; each step is drawn before the next one.
    const slowest = await grid.evaluate(async (one) => {
      let slowest = 0;
      for (let i = 0; i <= 50; i += 1) {
        const begun = performance.now();
        one.scrollTop = one.scrollHeight * i / 50;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        slowest = Math.max(slowest, performance.now() - begun);
      }
      return slowest;
    });
    assert.ok(slowest < 1000, `${slowest} ms`);
    await page.waitForFunction((rows) => document.querySelector(`[role="tabpanel"]:not([hidden]) [aria-rowindex="${rows + 1}"]`), PATIENCE, ROWS);
    assert.ok(await nodes() < 600);
    await clickCell(page, await grid.evaluate((one) => one.querySelector('[role="gridcell"]').textContent));
    await page.keyboard.down("Control"); await page.keyboard.press("Home"); await page.keyboard.up("Control");
    await page.waitForFunction(() => document.activeElement.getAttribute("role") === "gridcell" && document.activeElement.parentElement.getAttribute("aria-rowindex") === "2", PATIENCE);
    await page.keyboard.press("PageDown"); await page.keyboard.press("ArrowDown"); await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => Number(document.activeElement.parentElement.getAttribute("aria-rowindex")) > 5 && document.activeElement.getAttribute("aria-colindex") === "2", PATIENCE);
    await shoot(page, "console_large");
  },

  async "has tabs, and shortcuts for them"(page) {
    const selected = () => page.$eval('[role="tab"][aria-selected="true"]', (tab) => tab.textContent);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("t");
    await find(page, "tab", "large (2)");
    assert.equal(await selected(), "large (2)");
    await page.keyboard.press("[");
    await page.waitForFunction(() => document.querySelector('[role="tab"][aria-selected="true"]').textContent === "large (1)", PATIENCE);
    await page.keyboard.press("w");
    await find(page, "tab", "large");
    await page.keyboard.press("?");
    await find(page, "dialog", "Keyboard");
    await page.keyboard.press("Escape");
    await closed(page);
    await page.keyboard.press("/");
    await page.keyboard.type("SHO");
    assert.deepEqual(await page.$$eval("nav li", (all) => all.map((one) => one.textContent)), ["shop"]);
    await page.keyboard.press("Escape");
    await page.$eval('nav input[type="search"]', (one) => one.blur());
  },

  async "moves time, sweeps, and goes back to a snapshot"(page, server) {
    await press(page, "tab", "Server");
    await waitFor(page, "stands still until it is moved");
    const before = await page.$eval("time", (one) => one.textContent);
    await press(page, "button", "+ 1 day");
    await page.waitForFunction((before) => document.querySelector("time").textContent !== before, PATIENCE, before);
    await press(page, "button", "Delete expired items now");
    await waitFor(page, "0 expired items deleted");
    await type(page, "textbox", "Name of the snapshot", "five");
    await press(page, "button", "Take snapshot");
    await waitFor(page, "five");
    await shoot(page, "console_server");
    await server.call("DeleteTable", { TableName: "large" });
    await page.waitForFunction(() => ![...document.querySelectorAll("nav li")].some((one) => one.textContent === "large"), PATIENCE);
    await press(page, "button", "Restore…");
    await find(page, "dialog", "Restore");
    await page.$$eval("dialog button.main", (all) => all.at(-1).click());
    await closed(page);
    await page.waitForFunction(() => document.querySelectorAll("nav li").length >= 1, PATIENCE);
    assert.deepEqual((await server.call("ListTables", {})).TableNames, ["large", "shop"]);
    await type(page, "textbox", "Name of the snapshot", "");
    await type(page, "textbox", "Name of the database", "other");
    await press(page, "button", "Create database");
    await press(page, "button", "Show");
    await waitFor(page, "There are no tables yet", "nav");
    await waitFor(page, "database other", "nav");
  },

  async "is dark where that is wanted, by the system or its switch, and fits a telephone"(page) {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    const dark = await background();
    assert.notEqual(dark, light);
    const waitForBackground = (wanted) => page.waitForFunction((wanted) => getComputedStyle(document.body).backgroundColor === wanted, PATIENCE, wanted);
    await choose(page, "Theme", "light");
    await waitForBackground(light);
    await page.emulateMediaFeatures([]);
    await choose(page, "Theme", "dark");
    await waitForBackground(dark);
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth + 1, PATIENCE);
    await shoot(page, "console_narrow");
  }
};

// In the dark theme, for eyes.
async function shootDark(browser, server) {
  if (!screenshots) return;
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 760 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await page.goto(`${server.address}/_dynolith/`);
  await page.evaluate(() => { localStorage.setItem("dynolith-theme", "auto"); });
  await page.reload();
  await press(page, "button", "shop");
  await waitFor(page, "5 items");
  await shoot(page, "console_dark");
  await choose(page, "Show as", "collections");
  await shoot(page, "console_collections_dark");
  await openFirst(page);
  await shoot(page, "console_editor_dark");
  await page.close();
}
async function openFirst(page) {
  await page.$$eval(".collection .sort", (all) => all[0].click());
  await find(page, "dialog", "Edit item");
}

// A server that checks signatures gets right ones, made by the page itself.
async function testSigned(browser) {
  const file = path.join(folder, "credentials");
  writeFileSync(file, "AKIDTEST secretsecret\n");
  const server = await serve("--auth", "verify", "--credentials", file);
  try {
    const page = await browser.newPage();
    await page.goto(`${server.address}/_dynolith/`);
    assert.match(await waitForAlert(page), /^UnrecognizedClientException/);
    await press(page, "link", "Enter credentials");
    await type(page, "textbox", "Access key", "AKIDTEST");
    await page.$eval('input[type="password"]', (one) => { one.focus(); one.select(); });
    await page.keyboard.type("secretsecret");
    await press(page, "button", "Use");
    await waitFor(page, "There are no tables yet", "nav");
    await page.close();
  } finally {
    server.process.kill();
  }
}

const server = await serve("--clock", "manual");
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let failed = 0;
try {
  await fill(server);
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && !/status of 400/.test(message.text()) && faults.push(message.text()));
  page.on("request", (request) => request.url().startsWith(server.address) || /^(data|blob):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await page.setViewport({ width: 1280, height: 760 });
  const response = await page.goto(`${server.address}/_dynolith/`);
  assert.match(response.headers()["content-security-policy"], /default-src 'none'; script-src 'self'/);
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page, server);
      console.log(`passed: ${name}`);
    } catch (problem) {
      failed += 1;
      console.log(`FAILED: ${name}\n${problem.stack}\n${(await alerts(page)).join("\n")}`);
      await shoot(page, `failed_${failed}`);
      break;
    }
  }
  if (faults.length > 0) { failed += 1; console.log(`the page's own faults:\n${faults.join("\n")}`); }
  await page.close();
  if (failed === 0) await shootDark(browser, server);
  if (failed === 0) await testSigned(browser);
} catch (problem) {
  failed += 1;
  console.log(problem.stack);
} finally {
  await browser.close();
  server.process.kill();
}
process.exit(failed === 0 ? 0 : 1);
