// What a person sees in the first minute, as the pictures of README.md: the console with the example of `dynolith quickstart`, and
// a report of the lab.
//
//   node first_minute.mjs PROGRAM NODE_MODULES FOLDER                 writes console.png and report.png
//   node first_minute.mjs PROGRAM NODE_MODULES FOLDER --test README   they are there, shown, and can be made again in that size
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [program, modules, folder, mode, readme] = process.argv.slice(2);
const puppeteer = createRequire(path.join(path.resolve(modules), "x.js"))("puppeteer-core");
const PATIENCE = { timeout: 30_000 };
const SIZES = { "console.png": { width: 1280, height: 760 }, "report.png": { width: 1280, height: 1000 } };
// A page with nothing on it is a few thousand bytes.
const BYTES_MIN = 20_000;

const find = (page, role, name) => page.waitForSelector(`::-p-aria([name="${name}"][role="${role}"])`, PATIENCE);
const openPage = async (browser, url, picture) => {
  const page = await browser.newPage();
  await page.setViewport(SIZES[picture]);
  await page.goto(url);
  return page;
};

async function drawConsole(browser, file) {
  const server = spawn(program, ["quickstart", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const lines = createInterface(server.stdout);
    const address = await new Promise((resolve) => lines.on("line", (line) => {
      const found = /^ +(http:\/\/\S+\/_dynolith\/)$/.exec(line);
      if (found) resolve(found[1]);
    }));
    const page = await openPage(browser, address, "console.png");
    await (await find(page, "button", "shop")).click();
    await (await find(page, "combobox", "Show as")).select("collections");
    await find(page, "region", "Item collection CUSTOMER#ana");
    // The first that is drawn is not what a page looks like at last.
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: file });
    await page.close();
  } finally {
    server.kill("SIGKILL");
  }
}

async function drawReport(browser, file, temporary) {
  const report = path.join(temporary, "celebrity.html");
  execFileSync(program, ["lab", "simulate", "celebrity", "--report", report], { stdio: "ignore" });
  const page = await openPage(browser, pathToFileURL(report).href, "report.png");
  await page.waitForSelector(".uplot canvas", PATIENCE);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: file });
  await page.close();
}

// Of a PNG: width and height stand behind the first chunk's name (its specification, 11.2.1).
function sizeOf(file) {
  const bytes = readFileSync(file);
  assert.equal(bytes.toString("latin1", 1, 4), "PNG", file);
  assert.ok(bytes.length > BYTES_MIN, `${file} is ${bytes.length} bytes`);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

const temporary = mkdtempSync(path.join(tmpdir(), "dynolith-pictures-"));
const out = mode === "--test" ? temporary : folder;
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  await drawConsole(browser, path.join(out, "console.png"));
  await drawReport(browser, path.join(out, "report.png"), temporary);
  for (const [picture, size] of Object.entries(SIZES)) {
    assert.deepEqual(sizeOf(path.join(out, picture)), size);
    if (mode !== "--test") continue;
    assert.deepEqual(sizeOf(path.join(folder, picture)), size);
    assert.ok(readFileSync(readme, "utf8").includes(`(tools/package/quickstart/pictures/${picture})`), `${readme} does not show ${picture}`);
  }
} finally {
  await browser.close();
  rmSync(temporary, { recursive: true });
}
