// The console of a running server in headless Chromium: how tests start, find and use it. Arguments: PROGRAM NODE_MODULES
// [SCREENSHOT_FOLDER].
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const [program, modules, screenshots] = process.argv.slice(2);
const puppeteer = createRequire(path.join(path.resolve(modules), "x.js"))("puppeteer-core");
export const PATIENCE = { timeout: 120_000 };
export const folder = mkdtempSync(path.join(tmpdir(), "console-"));

export async function serve(...options) {
  const process = spawn(program, ["serve", "--port", "0", "--memory", "--admin", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve) => createInterface(process.stdout).once("line", resolve));
  const address = /http:\/\/\S+:\d+/.exec(line)[0];
  // It must only look signed.
  const headers = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
    Authorization: `AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}` };
  const call = async (operation, body) => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(body), headers: { ...headers, "X-Amz-Target": `DynamoDB_20120810.${operation}` } });
    // Operations without an output answer nothing.
    const text = await response.text(), answer = text === "" ? {} : JSON.parse(text);
    assert.ok(response.ok, `${operation}: ${JSON.stringify(answer)}`);
    return answer;
  };
  return { process, address, call };
}

export const key = (name, type = "S") => ({ AttributeName: name, AttributeType: type });
export const SHOP = { TableName: "shop", BillingMode: "PAY_PER_REQUEST", AttributeDefinitions: [key("pk"), key("sk"), key("status"), key("total", "N")],
  KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }, { AttributeName: "sk", KeyType: "RANGE" }],
  GlobalSecondaryIndexes: [{ IndexName: "by-status", KeySchema: [{ AttributeName: "status", KeyType: "HASH" }, { AttributeName: "total", KeyType: "RANGE" }], Projection: { ProjectionType: "KEYS_ONLY" } }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" } };
export const LONG = "12345678901234567890123456789012345678";  // 38 digits
export const ITEMS = [
  { pk: { S: "USER#ann" }, sk: { S: "PROFILE" }, name: { S: "Ann" }, exact: { N: LONG }, tags: { SS: ["new", "vip"] }, photo: { B: "AAH/" }, scores: { NS: ["1", "2.5"] },
    blobs: { BS: ["AQ==", "Ag=="] }, active: { BOOL: true }, gone: { NULL: true }, address: { M: { city: { S: "Riga" }, zip: { N: "1010" } } }, seen: { L: [{ N: "1" }, { S: "x" }] } },
  { pk: { S: "USER#ann" }, sk: { S: "ORDER#2026-01-03" }, status: { S: "PAID" }, total: { N: "40" } },
  { pk: { S: "USER#ann" }, sk: { S: "ORDER#2026-02-01" }, status: { S: "OPEN" }, total: { N: "12.5" } },
  { pk: { S: "USER#bob" }, sk: { S: "PROFILE" }, name: { S: "Bob" } },
  { pk: { S: "USER#bob" }, sk: { S: "ORDER#2026-01-09" }, status: { S: "PAID" }, total: { N: "7" } }];
export const ANN = { pk: ITEMS[0].pk, sk: ITEMS[0].sk };

/** The shop with its items. */
export async function fillShop(server) {
  await server.call("CreateTable", SHOP);
  for (const Item of ITEMS) await server.call("PutItem", { TableName: "shop", Item });
}

// What assistive technology finds by its role and name is what the tests use, too.
export const find = (page, role, name, options = {}) => page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`, { ...PATIENCE, ...options });
export const press = async (page, role, name) => { const element = await find(page, role, name); await element.evaluate((one) => one.scrollIntoView({ block: "nearest" })); await element.click(); };
export async function type(page, role, name, text) {
  const element = await find(page, role, name);
  await element.evaluate((one) => { one.focus(); one.select?.(); });
  await page.keyboard.press("Backspace");
  await page.keyboard.type(text);
}
export const choose = async (page, name, value) => (await find(page, "combobox", name)).select(value);
export const waitFor = (page, text, selector = "main") => page.waitForFunction((selector, text) => [...document.querySelectorAll(selector)].some((one) => one.innerText.includes(text)), PATIENCE, selector, text);
export const rowsOf = (page) => page.$$eval('[role="tabpanel"]:not([hidden]) [role="grid"] .rows [role="row"]', (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
export const alerts = (page) => page.$$eval('[role="alert"]', (all) => all.map((one) => one.innerText).filter((text) => text !== ""));
export const waitForAlert = async (page) => { await page.waitForFunction(() => [...document.querySelectorAll('[role="alert"]')].some((one) => one.innerText !== ""), PATIENCE); return (await alerts(page)).join("\n"); };
export const shoot = async (page, name) => { if (screenshots) await page.screenshot({ path: path.join(screenshots, `${name}.png`) }); };

export async function clickCell(page, text) {
  await page.$$eval('[role="tabpanel"]:not([hidden]) [role="gridcell"]', (cells, text) => cells.find((cell) => cell.textContent === text).click(), text);
  await page.waitForFunction((text) => document.activeElement.getAttribute("role") === "gridcell" && document.activeElement.textContent === text, PATIENCE, text);
}
export async function openItem(page, text) {
  await page.waitForFunction((text) => [...document.querySelectorAll('[role="tabpanel"]:not([hidden]) [role="gridcell"]')].some((cell) => cell.textContent === text), PATIENCE, text);
  await clickCell(page, text);
  await page.keyboard.press("Enter");
  await find(page, "dialog", "Edit item");
}
export const closed = (page) => page.waitForFunction(() => !document.querySelector("dialog[open]"), PATIENCE);

// A page that asks nobody else, and what is wrong with it.
export async function openConsole(browser, address, faults) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && !/status of 40[01]/.test(message.text()) && faults.push(message.text()));
  page.on("request", (request) => request.url().startsWith(address) || /^(data|blob):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await page.setViewport({ width: 1280, height: 760 });
  const response = await page.goto(`${address}/_dynolith/`);
  assert.match(response.headers()["content-security-policy"], /default-src 'none'; script-src 'self'/);
  return page;
}

/** Runs `tests`, { name: (page, server) => … }, one after the other in one page, and then `others`, [(browser, faults) => …]; ends the process. */
export async function run(tests, fill, others = []) {
  const server = await serve("--clock", "manual"), faults = [];
  const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  let failed = 0;
  try {
    await fill(server);
    const page = await openConsole(browser, server.address, faults);
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
    await page.close();
    for (const other of failed === 0 ? others : []) await other(browser, faults);
    if (faults.length > 0) { failed += 1; console.log(`the page's own faults:\n${faults.join("\n")}`); }
  } catch (problem) {
    failed += 1;
    console.log(problem.stack);
  } finally {
    await browser.close();
    server.process.kill();
  }
  process.exit(failed === 0 ? 0 : 1);
}
