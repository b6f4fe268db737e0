// Every view of the console, the live page and a report of the lab, in light and dark, wide and as narrow as a telephone: axe finds
// nothing, and nothing is wider than its window.
//
//   node accessible_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [program, modules, screenshots] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), "x.js")), puppeteer = load("puppeteer-core");
const AXE = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE = { timeout: 60_000 };
const WIDTHS = new Map([["wide", 1280], ["narrow", 390]]);
const KEY = "PRODUCT#a-name-that-is-longer-than-any-column-is-wide#2026-11-25T12:00:00Z#0001";

async function serve() {
  const process = spawn(program, ["quickstart", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve) => createInterface(process.stdout).on("line", (line) => {
    const found = /^ +(http:\/\/\S+:\d+)\/_dynolith\/$/.exec(line);
    if (found) resolve(found[1]);
  }));
  // It must only look signed.
  const headers = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
    Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}` };
  const call = async (operation, body) => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(body), headers: { ...headers, "X-Amz-Target": `DynamoDB_20120810.${operation}` } });
    assert.ok(response.ok, await response.text());
  };
  const post = (name, body) => fetch(`${address}/_dynolith/${name}`, { method: "POST", body: JSON.stringify(body) });
  return { process, address, call, post };
}

const find = (page, role, name) => page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`, PATIENCE);
const press = async (page, role, name) => (await find(page, role, name)).evaluate((one) => one.click());
const choose = async (page, name, value) => (await find(page, "combobox", name)).select(value);
const waitFor = (page, text, selector = "body") => page.waitForFunction((selector, text) => [...document.querySelectorAll(selector)].some((one) => one.innerText.includes(text)), PATIENCE, selector, text);
async function type(page, name, text) {
  await (await find(page, "textbox", name)).evaluate((one) => { one.focus(); one.select(); });
  await page.keyboard.type(text);
}

// Each begins at the address, and ends at what is looked at.
const views = {
  tables: ["#/tables", (page) => find(page, "button", "Settings of shop")],
  items: ["#/table/shop/items?up=pk", (page) => waitFor(page, "46 items")],
  filters: [`#/table/shop/items?operation=Query&key.pk=CUSTOMER%23ana&sort.sk=${encodeURIComponent('["between","A","Z"]')}&filter=${encodeURIComponent('["total",">","N","1",""]')}&filter=${encodeURIComponent('["status","exists","S","",""]')}`,
    (page) => find(page, "button", "Remove filter 2")],
  partiql: ["#/table/shop/items?operation=PartiQL", (page) => find(page, "textbox", "Statement")],
  collections: ["#/table/shop/items?view=collections", (page) => find(page, "region", "Item collection CUSTOMER#ana")],
  refused: ["#/table/shop/items?operation=PartiQL", async (page) => { await type(page, "Statement", "SELECT nonsense"); await press(page, "button", "Run"); await waitFor(page, "ValidationException"); }],
  editor: ["#/table/deep/items", async (page) => {
    await waitFor(page, "1 item", "main");
    await page.$$eval('[role="gridcell"]', (cells) => cells[0].dispatchEvent(new MouseEvent("dblclick", { bubbles: true })));
    await find(page, "dialog", "Edit item");
  }],
  json: ["#/table/deep/items", async (page) => { await views.editor[1](page); await press(page, "button", "DynamoDB JSON"); }],
  settings: ["#/table/shop/table", (page) => find(page, "button", "Switch on")],
  index: ["#/table/shop/table", async (page) => { await press(page, "button", "Add index"); await find(page, "dialog", "Add index"); }],
  new_table: ["#/tables", async (page) => {
    await press(page, "button", "Create table");
    await press(page, "button", "Add sort key");
    await press(page, "button", "Add index");
    await choose(page, "Capacity", "PROVISIONED");
    await find(page, "group", "Index 1");
  }],
  deletion: ["#/table/shop/table", async (page) => { await press(page, "button", "Delete table…"); await find(page, "dialog", "Delete table"); }],
  stream: ["#/table/shop/stream", (page) => waitFor(page, "INSERT")],
  server: ["#/server", (page) => waitFor(page, "loaded", ".names")],
  keyboard: ["#/tables", async (page) => { await press(page, "button", "Keyboard shortcuts"); await find(page, "dialog", "Keyboard"); }],
  no_tables: ["#/tables?database=empty", (page) => waitFor(page, "This database has no tables")]
};

async function check(page, name, faults) {
  const findings = await page.evaluate(async () => {
    // Views are told apart by their frames: the rules for whole pages hold, too.
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}: ${node.failureSummary.replace(/\s+/g, " ")}`));
  });
  faults.push(...findings.map((finding) => `${name}: ${finding}`));
  const beside = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (beside > 1) faults.push(`${name}: ${beside} pixels wider than the window`);
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
}

async function open(browser, address, theme, width) {
  const page = await browser.newPage();
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
  await page.goto(address);
  await page.evaluate(AXE);
  return page;
}

async function fill(server) {
  const key = (name, type = "S") => ({ AttributeName: name, AttributeType: type });
  await server.call("CreateTable", { TableName: "deep", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key("pk"), key("sk")],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }] });
  await server.call("PutItem", { TableName: "deep", Item: { pk: { S: "1" }, sk: { S: KEY }, text: { S: "A text of some length that goes on for more than one line of a telephone" },
    address: { M: { city: { S: "Riga" }, place: { M: { north: { N: "56.9496" }, lines: { L: [{ S: "first" }, { BOOL: true }, { NULL: true }] } } } } },
    tags: { SS: ["new", "vip"] }, photo: { B: "AAH/" }, active: { BOOL: false }, gone: { NULL: true } } });
  await server.post("snapshot", { name: "loaded" });
  await server.post("databases", { name: "empty" });
}

const temporary = mkdtempSync(path.join(tmpdir(), "dynolith-accessible-"));
const server = await serve(), browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const faults = [];
let looked = 0;
try {
  await fill(server);
  const report = path.join(temporary, "report.html");
  execFileSync(program, ["lab", "simulate", "celebrity", "--report", report], { stdio: "ignore" });
  const others = { live: [`${server.address}/_dynolith/live`, (page) => waitFor(page, "Partition")], report: [pathToFileURL(report).href, (page) => page.waitForSelector(".uplot canvas", PATIENCE)] };
  const all = [...Object.entries(views).map(([name, [hash, go]]) => [name, `${server.address}/_dynolith/${hash}`, go]), ...Object.entries(others).map(([name, [address, go]]) => [name, address, go])];
  for (const theme of ["light", "dark"]) {
    for (const [size, width] of WIDTHS) {
      for (const [name, address, go] of all) {
        const page = await open(browser, address, theme, width), title = `${name}_${size}_${theme}`;
        try {
          await go(page);
          await check(page, title, faults);
          looked += 1;
        } catch (problem) {
          faults.push(`${title}: ${problem.stack}\n${await page.evaluate(() => document.body.innerText.slice(0, 600))}`);
          if (screenshots) await page.screenshot({ path: path.join(screenshots, `${title}.png`) });
        }
        await page.close();
      }
    }
  }
} finally {
  await browser.close();
  server.process.kill();
  rmSync(temporary, { recursive: true });
}
console.log(faults.join("\n"));
console.log(`${looked} views, ${faults.length} findings`);
process.exit(faults.length === 0 && looked > 0 ? 0 : 1);
