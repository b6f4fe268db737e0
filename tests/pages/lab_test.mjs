// The lab as a page (tools/pages/lab) in headless Chromium, from a file: what a person does with it, that it says and writes what the
// program does, byte for byte, that it stays usable meanwhile, and that axe finds nothing.
//
//   node lab_test.mjs PROGRAM NODE_MODULES lab.html [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { SHOP } from "../../api/bindings/javascript/test/shop.mjs";

const [program, modules, labPage, screenshots] = process.argv.slice(2);
const load = createRequire(path.join(path.resolve(modules), "x.js")), puppeteer = load("puppeteer-core");
const AXE = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const PATIENCE = { timeout: 120_000 };
const FILE = "experiment.toml", REPORT = "report.html";

const folder = mkdtempSync(path.join(tmpdir(), "dynolith-lab-page-"));
/** What the program says of a text, and the report that it writes. */
function programs(command, text, ...options) {
  writeFileSync(path.join(folder, FILE), text);
  const { stdout, stderr } = spawnSync(path.resolve(program), ["lab", command, FILE, "--report", REPORT, ...options], { cwd: folder, encoding: "utf8" });
  return { stdout, stderr, report: readFileSync(path.join(folder, REPORT), "utf8") };
}
const shipped = (name) => spawnSync(program, ["lab", "new", "--from", name], { encoding: "utf8" }).stdout;

const textOf = (page, selector) => page.$eval(selector, (one) => one.textContent);
const done = (page) => page.waitForFunction(() => document.getElementById("state").textContent === "Done.", PATIENCE);
const savedReport = (page) => page.$eval("a[download]", async (link) => (await fetch(link.href)).text());
async function fill(page, selector, text) {
  await page.$eval(selector, (one, value) => { one.value = value; one.dispatchEvent(new Event("input", { bubbles: true })); }, text);
}
async function choose(page, name) {
  await page.select("#experiment", name);
  await page.waitForFunction((text) => document.getElementById("text").value === text, PATIENCE, shipped(name));
}
async function drawn(page) {
  const frame = await (await page.waitForSelector("iframe.report", PATIENCE)).contentFrame();
  await frame.waitForSelector(".verdict > div", PATIENCE);
  return frame;
}

const tests = {
  async "has the experiments that the program has"(page) {
    const listed = spawnSync(program, ["lab", "list"], { encoding: "utf8" }).stdout.trim().split("\n").slice(1).map((line) => line.replace(/ +/, ": "));
    assert.deepEqual(await page.$$eval("#experiment option", (all) => all.map((one) => one.textContent)), listed);
  },

  async "simulates one, and shows its report"(page) {
    await choose(page, "02-burst");
    await page.click("#simulate");
    const frame = await drawn(page);
    await done(page);
    assert.match(await textOf(frame, "h1"), /^Burst: 150 read units/);
    await frame.waitForSelector("canvas", PATIENCE);
    const { stdout, report } = programs("simulate", shipped("02-burst"));
    assert.equal(await textOf(page, "#output"), stdout);
    assert.equal(await savedReport(page), report);
    // It is shown whole.
    assert.ok(await page.waitForFunction(() => { const frame = document.querySelector("iframe.report"); return frame.clientHeight >= frame.contentDocument.body.scrollHeight; }, PATIENCE));
  },

  async "simulates what was changed, with options"(page) {
    const text = shipped("02-burst").replace(/^title = .*$/m, 'title = "Mine"');
    await fill(page, "#text", text);
    await fill(page, "#options", "--seeds 2 --seed 7");
    await page.focus("#options");
    await page.keyboard.press("Enter");
    const frame = await drawn(page);
    await done(page);
    assert.equal(await textOf(frame, "h1"), "Mine");
    assert.equal(await savedReport(page), programs("simulate", text, "--seeds", "2", "--seed", "7").report);
  },

  async "says what is wrong in a text or an option"(page) {
    const text = shipped("02-burst").replace(/^title = /m, "titel = ");
    await fill(page, "#text", text);
    await fill(page, "#options", "");
    await page.click("#simulate");
    await page.waitForSelector("#errors", PATIENCE);
    assert.equal(await textOf(page, "#errors"), programs("simulate", text).stderr);
    assert.match(await textOf(page, "#errors"), /experiment\.toml:\d+:1: .*did you mean/);
    await fill(page, "#options", "--sedes 3");
    await page.click("#simulate");
    await page.waitForFunction(() => document.getElementById("errors")?.textContent.includes("did you mean --seed"), PATIENCE);
    await fill(page, "#options", "--help");
    await page.click("#simulate");
    await page.waitForFunction(() => document.getElementById("output")?.textContent.includes("--uncertainty"), PATIENCE);
    await fill(page, "#options", "");
  },

  async "stays usable while it looks for a design, and stops"(page) {
    await choose(page, "03-date-key");
    await page.click("#advise");
    await page.waitForFunction(() => document.getElementById("state").textContent.includes("#"), PATIENCE);
    const began = Date.now();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.ok(Date.now() - began < 5_000);
    assert.equal(await page.$eval("#simulate", (one) => one.disabled), true);
    await page.click("#stop");
    await page.waitForFunction(() => document.getElementById("errors")?.textContent.startsWith("Stopped"), PATIENCE);
  },

  async "advises"(page) {
    const expected = programs("advise", SHOP);
    await fill(page, "#text", SHOP);
    await page.click("#advise");
    await drawn(page);
    await done(page);
    assert.equal(await textOf(page, "#output"), expected.stdout);
    assert.equal(await savedReport(page), expected.report);
  },
};

async function accessible(page) {
  for (const [colours, width] of [["light", 1280], ["dark", 390]]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colours }]);
    await page.setViewport({ width, height: 900 });
    await page.evaluate(AXE);
    const found = await page.evaluate(() => axe.run({ exclude: ["iframe"] }, { iframes: false }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), [], `${colours}, ${width} wide`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} is too narrow`);
    if (screenshots) await page.screenshot({ path: path.join(screenshots, `lab-${colours}.png`) });
  }
}

const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage(), faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => /^(file|data|blob|about):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(pathToFileURL(path.resolve(labPage)).href);
  await page.waitForSelector("#simulate", PATIENCE);
  for (const [name, test] of Object.entries(tests)) {
    await test(page).catch((problem) => { throw new Error(name, { cause: problem }); });
    console.log(`ok: ${name}`);
  }
  await accessible(page);
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
