// The console of a running server: items are read, edited with their types, refused in the service's words, drawn as collections;
// 100,000 rows are quick; streams, time and snapshots are seen to move.
//
//   node console_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ANN, ITEMS, LONG, PATIENCE, alerts, choose, clickCell, closed, fillShop, find, folder, key, openConsole, openItem, press, rowsOf,
         run, serve, shoot, type, waitFor, waitForAlert } from "./console_page.mjs";

const ROWS = 100_000;

async function fill(server) {
  await fillShop(server);
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
    await page.evaluate(() => { window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }; });
    await openItem(page, "Anna");
    const copy = async () => (await page.$('dialog select[aria-label="Copy as"]')).select("AWS CLI");
    await copy();
    await type(page, "textbox", "Value of name", "Hannah");
    await copy();
    const [whole, changed] = await page.evaluate(() => window.copied);
    assert.match(whole, /^aws dynamodb put-item .*attribute_not_exists\(#key\)/s);
    assert.match(changed, /^aws dynamodb update-item .*"#key".*"name".*"Hannah".*"Anna"/s);
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

  async "saves what was changed, of many attributes and beside what others add"(page, server) {
    const Key = { pk: { S: "WIDE" }, sk: { S: "1" } }, many = (count, text) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${String(i).padStart(3, "0")}`, { S: text }]));
    await server.call("PutItem", { TableName: "shop", Item: { ...Key, ...many(200, "before") } });
    const item = async () => (await server.call("GetItem", { TableName: "shop", Key, ConsistentRead: true })).Item;
    const write = (item) => page.$eval("dialog textarea", (area, text) => { area.value = text; area.dispatchEvent(new Event("input", { bubbles: true })); }, JSON.stringify(item));
    await press(page, "button", "Run");
    await openItem(page, "WIDE");
    await server.call("UpdateItem", { TableName: "shop", Key, UpdateExpression: "SET note = :n, a000 = :n", ExpressionAttributeValues: { ":n": { S: "of others" } } });
    await type(page, "textbox", "Value of a007", "after");
    await press(page, "button", "Remove a199");
    await press(page, "button", "Save");
    await closed(page);
    const { a199, ...rest } = many(200, "before");
    const saved = { ...Key, ...rest, a000: { S: "of others" }, a007: { S: "after" }, note: { S: "of others" } };
    assert.deepEqual(await item(), saved);
    // More than one call takes; as many as it takes; what others have changed meanwhile, on demand and nothing else; what they have deleted.
    await openItem(page, "WIDE");
    await press(page, "button", "DynamoDB JSON");
    await write({ ...saved, ...many(102, "again") });
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /102 attributes were changed, and one save takes at most 100/);
    await write({ ...saved, ...many(100, "again") });
    await server.call("UpdateItem", { TableName: "shop", Key, UpdateExpression: "SET note = :n, a001 = :n", ExpressionAttributeValues: { ":n": { S: "newer" } } });
    await press(page, "button", "Save");
    await page.waitForFunction(() => [...document.querySelectorAll("dialog button")].some((one) => one.textContent === "Overwrite"), PATIENCE);
    await press(page, "button", "Overwrite");
    await closed(page);
    assert.deepEqual(await item(), { ...saved, ...many(100, "again"), note: { S: "newer" } });
    await openItem(page, "WIDE");
    await server.call("DeleteItem", { TableName: "shop", Key });
    await press(page, "button", "Add attribute");
    await type(page, "textbox", "Attribute name", "b");
    await press(page, "button", "Save");
    await waitFor(page, "This item has been deleted since it was read.", "dialog");
    assert.equal(await item(), undefined);
    await press(page, "button", "Overwrite");
    await closed(page);
    assert.deepEqual(await item(), { ...saved, ...many(100, "again"), note: { S: "newer" }, b: { S: "" } });
    // Another key is another item, unless there is one.
    await openItem(page, "WIDE");
    await press(page, "button", "DynamoDB JSON");
    await write(ITEMS[3]);
    await press(page, "button", "Save");
    assert.match(await waitForAlert(page), /ConditionalCheckFailedException/);
    await write({ ...Key, sk: { S: "2" } });
    await press(page, "button", "Save");
    await closed(page);
    assert.deepEqual((await server.call("GetItem", { TableName: "shop", Key: { ...Key, sk: { S: "2" } } })).Item, { ...Key, sk: { S: "2" } });
    for (const sk of ["1", "2"]) await server.call("DeleteItem", { TableName: "shop", Key: { ...Key, sk: { S: sk } } });
    await press(page, "button", "Run");
    await waitFor(page, "5 items");
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
    await page.waitForFunction(() => [...document.querySelectorAll("nav li")].some((one) => one.textContent === "large"), PATIENCE);
    assert.deepEqual((await server.call("ListTables", {})).TableNames, ["large", "shop"]);
    await type(page, "textbox", "Name of the snapshot", "");
    await type(page, "textbox", "Name of the database", "other");
    await press(page, "button", "Create database");
    await press(page, "button", "Show");
    await waitFor(page, "There are no tables yet", "nav");
    await waitFor(page, "database other", "nav");
    // The live page is of the same database, and leads back to it.
    assert.equal(await page.$eval("footer a", (one) => one.getAttribute("href")), "/_dynolith/live?database=other");
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

// The regions of a server: how far they lag behind each other, and the tables of each.
async function regions(browser, faults) {
  const server = await serve("--regions", "us-east-1,eu-west-1", "--clock", "manual");
  try {
    await server.call("CreateTable", { TableName: "music", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key("pk")],
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }], StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } });
    await server.call("UpdateTable", { TableName: "music", ReplicaUpdates: [{ Create: { RegionName: "eu-west-1" } }] });
    const dial = (name, body) => fetch(`${server.address}/_dynolith/regions/${name}`, { method: "POST", body: JSON.stringify(body) });
    await dial("settle");
    await dial("lag", { seconds: 3600 });
    await server.call("PutItem", { TableName: "music", Item: { pk: { S: "a" } } });
    await dial("cut", { region: "eu-west-1" });
    await fetch(`${server.address}/_dynolith/clock/advance`, { method: "POST", body: '{"seconds": 90}' });
    const page = await openConsole(browser, server.address, faults);
    await press(page, "tab", "Server");
    await find(page, "region", "Changes on their way to other regions");
    const rows = () => page.$$eval('section[aria-label="Regions"] tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.innerText).join(" ").trim()));
    assert.deepEqual(await rows(), ["us-east-1 1 0 shown here", "eu-west-1 1 0 Show", "eu-west-1 us-east-1 0 0.0 0 0 cut off", "us-east-1 eu-west-1 1 90.0 0 0 cut off"]);
    await shoot(page, "console_regions");
    await press(page, "button", "Show eu-west-1");
    await waitFor(page, "database eu-west-1", "nav");
    await waitFor(page, "music", "nav");
    await page.close();
    console.log("passed: shows how far regions lag behind each other");
  } finally {
    server.process.kill();
  }
}

await run(tests, fill, [regions]);
