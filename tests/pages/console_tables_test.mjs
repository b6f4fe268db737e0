// The console of a running server: tables are made, changed and deleted, items filtered, sorted and edited as trees, the address
// says where one is; and who may not call is asked for what opens the door.
//
//   node console_tables_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { LONG, PATIENCE, SHOP, choose, closed, fillShop, find, folder, key, openConsole, openItem, press, rowsOf, run, serve, shoot, type, waitFor,
         waitForAlert } from "./console_page.mjs";

const tests = {
  async "creates, changes and deletes a table"(page, server) {
    await find(page, "button", "Settings of shop");
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
    assert.deepEqual((await server.call("ListTables", {})).TableNames, ["shop"]);
  },

  async "shows the shards of indexes, how far a move is, and tags without an index"(page, server) {
    const { Table: table } = await server.call("DescribeTable", { TableName: "shop" });
    await server.call("TagResource", { ResourceArn: table.TableArn, Tags: [{ Key: "dynolith:shards:by-status", Value: "4" }, { Key: "dynolith:shards:by-statsu", Value: "2" }] });
    await press(page, "button", "shop");
    await press(page, "button", "Settings");
    const shown = (text) => page.waitForFunction((text) => [...document.querySelectorAll('[role="tabpanel"]:not([hidden]) .indexes tbody tr')].find((row) => row.cells[0].innerText.startsWith("by-status"))?.cells[4].innerText.trim() === text, PATIENCE, text);
    await shown("4");
    await waitFor(page, "dynolith:shards:by-statsu", ".warning");
    // A move of five items is over before anybody sees it.
    const answer = { tables: [{ table: "shop", indexes: [{ index: "by-status", shards: 4, moving_to: 8, filling: "rows", filled: 0.256 }], waiting_tags: [] }] };
    const instead = (request) => request.url().includes("/_dynolith/indexes") ? request.respond({ status: 200, contentType: "application/json", body: JSON.stringify(answer) }) : request.continue();
    page.on("request", instead);
    await page.setRequestInterception(true);
    await shown("4 → 8 25 % filled");
    page.off("request", instead);
    await page.setRequestInterception(false);
    await shown("4");
    await server.call("UntagResource", { ResourceArn: table.TableArn, TagKeys: ["dynolith:shards:by-statsu"] });
    await page.waitForFunction(() => !document.querySelector(".warning"), PATIENCE);
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
  }
};

// A server that checks signatures gets right ones, made by the page itself.
async function testSigned(browser, faults) {
  const file = path.join(folder, "credentials");
  writeFileSync(file, "AKIDTEST secretsecret\n", { mode: 0o600 });
  const server = await serve("--auth", "verify", "--credentials", file);
  try {
    const page = await openConsole(browser, server.address, faults);
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

const TOKEN = "0123456789+/abcdefgh==";
async function serveWithToken(...options) {
  const file = path.join(folder, "token");
  writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
  return serve("--admin-token", file, ...options);
}
async function giveToken(page, word) {
  await find(page, "dialog", "Admin token");
  await page.$eval('dialog input[type="password"]', (one) => one.focus());
  await page.keyboard.type(word);
  await press(page, "button", "Use token");
}

// A request that a proxy has forwarded is refused without the word of --admin-token. It is asked for once, and again if it is wrong.
async function testToken(browser, faults) {
  const server = await serveWithToken();
  try {
    const page = await openConsole(browser, server.address, faults);
    await page.setExtraHTTPHeaders({ "X-Forwarded-For": "192.0.2.1" });
    await press(page, "tab", "Server");
    await giveToken(page, "not the right one");
    await page.waitForFunction(() => document.querySelector('dialog input[type="password"]')?.value === "" || document.querySelector("time"), PATIENCE);
    await giveToken(page, TOKEN);
    await page.waitForSelector("time", PATIENCE);
    await closed(page);
    assert.equal(await page.evaluate(() => sessionStorage.getItem("adminToken")), TOKEN);
    await page.goto(`${server.address}/_dynolith/live`);
    await waitFor(page, "There are no tables yet");
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.waitForFunction(() => document.querySelector('[role="alert"] a')?.textContent === "Enter the token in the console", PATIENCE);
    await page.goto(`${server.address}/_dynolith/live?token=${TOKEN}`);
    await waitFor(page, "There are no tables yet");
    assert.equal(await page.evaluate(() => location.search), "");
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(`${server.address}/_dynolith/?token=${TOKEN}#/server`);
    await page.waitForSelector("time", PATIENCE);
    assert.equal(await page.evaluate(() => location.search + sessionStorage.getItem("adminToken")), TOKEN);
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(`${server.address}/_dynolith/live?token=${encodeURIComponent(TOKEN)}#shop`);
    await waitFor(page, "There are no tables yet");
    assert.equal(await page.evaluate(() => location.search + location.hash), "#shop");
    await page.close();
  } finally {
    server.process.kill();
  }
}

// A server elsewhere: the browser does not come from the loopback address, and what it keeps for pages of this machine is not there.
async function testTokenElsewhere(browser, faults) {
  const elsewhere = Object.values(networkInterfaces()).flat().find((one) => !one.internal && one.family === "IPv4")?.address;
  if (elsewhere === undefined) {
    console.log("left out: this machine has no address but the loopback ones");
    return;
  }
  const server = await serveWithToken("--host", elsewhere);
  try {
    await server.call("CreateTable", { ...SHOP, TableName: "far" });
    const page = await openConsole(browser, server.address, faults);
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await waitFor(page, "far", "nav");
    await press(page, "tab", "Server");
    await giveToken(page, TOKEN);
    await page.waitForSelector("time", PATIENCE);
    await closed(page);
    await page.goto(`${server.address}/_dynolith/live`);
    await waitFor(page, "far");
    await page.close();
  } finally {
    server.process.kill();
  }
}

await run(tests, fillShop, [testSigned, testToken, testTokenElsewhere]);
