// The lab's report in headless Chromium: what a person sees, hears from a screen reader, reaches by keyboard and prints.
//
//   node report_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [program, modules, screenshots] = process.argv.slice(2);
const puppeteer = createRequire(path.join(path.resolve(modules), "x.js"))("puppeteer-core");
const folder = mkdtempSync(path.join(tmpdir(), "dynolith-report-"));

async function withPage(browser, file, work) {
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("data:") ||
    faults.push(`asks for ${request.url()}`));
  await page.setViewport({ width: 1120, height: 1400 });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("h2");
  await work(page);
  assert.deepEqual(faults, []);
  await page.close();
}

const texts = (page, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

// Different colours of a canvas: a blank one has one.
const colours = (page, selector) => page.$eval(selector, (canvas) => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return seen.size;
});

const PICTURE = '.heat [role="application"]';
const legend = (page) => page.$eval("figure .u-legend", (one) => [...one.querySelectorAll(".u-label")].map((label) => label.textContent.trim()));
// Tables that have more columns than room.
const cut = (page) => page.$$eval(".scroll", (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.checkVisibility()).map((one) => one.ariaLabel));

const tests = {
  async "begins with the verdict"(page) {
    const first = await page.$eval("h1 ~ .verdict > div", (one) => [one.className, one.querySelector("button").textContent, one.querySelector("p").textContent]);
    assert.deepEqual(first.slice(0, 2), ["throttled", "one counter"]);
    assert.match(first[2], /^79\.8 % of the writes of posts .* were throttled from 00:00:00 on: key post#1 /);
    assert.equal((await page.$$(".verdict > div.served")).length, 2);
    await page.$$eval(".verdict button", (all) => all[1].click());
    assert.ok((await texts(page, "h2")).includes("10 shards"));
    await page.select("nav select", "0");
  },

  async "shows what came of each design"(page) {
    assert.match(await page.title(), /Celebrity.* – Dynolith lab/);
    const rows = await page.$$eval("table:first-of-type tbody tr", (found) => found.slice(0, 3).map(
      (row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows.map((row) => row[0]), ["one counter", "10 shards", "queue of 1 s"]);
    assert.ok(Math.abs(parseFloat(rows[0][2]) - 20) < 1, rows[0][2]);
    assert.equal(rows[1][2], "100 %");
    assert.equal(rows[0][4], "partition limit of posts (writes)");
    assert.match(rows[0][6], /^post#1: 1,0/);
  },

  async "shows a bill with a line for each position"(page) {
    const rows = await page.$$eval("table", (all) => [...all].find((one) => /^A month, by the prices of us-east-1, /.test(one.caption?.textContent)).innerText);
    assert.match(rows, /posts\s+writes on demand\s+[\d,.]+ million\s+0\.625\s+[\d,.]+/);
    assert.match(rows, /in all/);
  },

  async "says what reserved capacity would cost"(page) {
    const heads = await texts(page, "table:first-of-type th[scope=col]");
    assert.equal(heads[9], "Reserved, USD/month");
    const cells = await page.$$eval("table:first-of-type tbody tr", (rows) => rows.slice(0, 3).map((row) => row.children[9].textContent));
    // 1,000 write units are ten blocks, which cost 10.91 each for three years; one write a second is no block.
    assert.match(cells[0], /^1[01]\d(\.\d+)?, three years$/);
    assert.equal(cells[2], "–");
    const rows = await page.$$eval("table", (all) => [...all].find((one) => /^Provisioned units of a month with reserved/.test(one.caption?.textContent)).innerText);
    // What else its busiest minute needs is less than pays for a block.
    assert.match(rows, /one year, if all is provisioned\s+1,000\s+9\d\.\d %\s+100 %/);
    assert.match(rows, /three years, if all is provisioned\s+1,000\s+9\d\.\d %\s+100 %/);
  },

  async "draws plots and heat"(page) {
    assert.ok((await page.$$(".uplot canvas")).length >= 2);
    assert.ok(await colours(page, ".uplot canvas") > 3);
    assert.ok(await colours(page, ".heat canvas") >= 2);
    assert.equal((await page.$$(".heat p:not([hidden])")).length, 0);
    assert.equal((await texts(page, ".warning")).length, 0);
  },

  async "stacks what attempts come to, and shows all designs in one plot"(page) {
    assert.deepEqual(await legend(page), ["Time", "Throttled, given up", "Served", "Offered"]);
    await page.select("nav label:nth-of-type(4) select", "1");
    assert.ok((await texts(page, "h3")).includes("Served by each design"));
    assert.deepEqual(await legend(page), ["Time", "one counter", "10 shards", "queue of 1 s"]);
    await page.select("nav label:nth-of-type(4) select", "2");
    assert.deepEqual(await legend(page), ["Time", "one counter"]);
    await page.select("nav label:nth-of-type(4) select", "0");
  },

  async "has times above each other, with room for their names"(page) {
    const boxes = await page.$$eval(".u-over", (all) => all.map((one) => [one.getBoundingClientRect(), one.closest("figure").getBoundingClientRect()]).map(
      ([plot, figure]) => [plot.left - figure.left, figure.right - plot.right]));
    assert.ok(boxes.length >= 4);
    for (const box of boxes) assert.deepEqual(box, [64, 30]);
  },

  async "shows all columns of its tables"(page) {
    for (const width of [1280, 390]) {
      await page.setViewport({ width, height: 800 });
      assert.deepEqual(await cut(page), [], `${width} pixels`);
    }
    await page.emulateMediaType("print");
    await page.setViewport({ width: 720, height: 1000 });
    assert.deepEqual(await page.$$eval("table", (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.caption.textContent)), []);
    await page.emulateMediaType(null);
    await page.setViewport({ width: 1120, height: 1400 });
  },

  async "is read by a screen reader"(page) {
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    const all = [];
    (function walk(node) { all.push(node); (node.children ?? []).forEach(walk); })(tree);
    const named = (role, name) => all.some((node) => node.role === role && name.test(node.name ?? ""));
    assert.ok(named("heading", /^Celebrity/));
    assert.ok(named("columnheader", /Served/));
    assert.ok(named("rowheader", /10 shards/));
    assert.ok(named("application", /^Heat map of operations/));
    assert.ok(all.some((node) => /^(img|image)$/.test(node.role) && /Offered, served and throttled/.test(node.name ?? "")));
    for (const control of ["Design", "Table or index", "Heat map of"]) assert.ok(named("combobox", new RegExp(`^${control}`)), control);
  },

  async "is used by keyboard"(page) {
    await page.focus(PICTURE);
    const first = await page.$eval(".heat output", (output) => output.textContent);
    assert.match(first, /operations a second/);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.$eval(".heat output", (output) => output.textContent), first);
    await page.keyboard.press("Enter");
    assert.ok((await texts(page, "section p")).some((text) => /^Keys in part \d+ of 200/.test(text)));
    assert.ok((await texts(page, "section th")).includes("post#1"));
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.up("Shift");
    await page.keyboard.press("Enter");
    assert.ok((await texts(page, "section p")).includes("None of the hottest keys."));
  },

  async "shows another design, table and measure"(page) {
    await page.select("nav select", "1");
    assert.ok((await texts(page, "h2")).includes("10 shards"));
    assert.equal(await page.$eval("tr[aria-current] th", (cell) => cell.textContent), "10 shards");
    await page.select("nav label:nth-of-type(3) select", "1");
    assert.ok((await texts(page, "h3")).includes("Heat map of posts: bytes"));
    assert.match((await texts(page, ".heat .scale"))[0], /^0[0-9.,]+ [KM]B a second$/);
    await page.focus(PICTURE);
    assert.match((await texts(page, ".heat output"))[0], /: [0-9.,]+ ([KM]B|bytes) a second$/);
    await page.select("nav label:nth-of-type(3) select", "3");
    assert.ok((await texts(page, "h3")).includes("Heat map of posts: throttled attempts"));
    assert.ok((await texts(page, ".heat p:not([hidden])")).includes("No throttled attempts in this time."));
    assert.equal((await page.$$(".heat canvas")).length, 0);
    await page.select("nav select", "0");
    await page.select("nav label:nth-of-type(3) select", "0");
  },

  async "is dark where that is wanted, and printed light"(page) {
    const light = await background(page);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    assert.notEqual(await background(page), light);
    if (screenshots) await page.screenshot({ path: path.join(screenshots, "report_dark.png"), fullPage: true });
    await page.emulateMediaType("print");
    assert.equal(await background(page), "rgb(255, 255, 255)");
    assert.equal(await page.$eval("nav", (nav) => getComputedStyle(nav).display), "none");
    assert.ok((await page.pdf()).length > 20_000);
    await page.emulateMediaType(null);
    await page.emulateMediaFeatures([]);
  },

  async "fits a telephone"(page) {
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth + 1, { timeout: 10_000 });
    if (screenshots) await page.screenshot({ path: path.join(screenshots, "report_narrow.png") });
  }
};

// What a measured run has besides.
const measuredTests = {
  async "shows latencies"(page) {
    assert.ok((await texts(page, "h2")).includes("Latency"));
    assert.ok((await texts(page, "p")).some((text) => /^Measured on the library in this process/.test(text)));
    assert.ok((await texts(page, "p")).some((text) => /^The load generator /.test(text)));
    const heads = await texts(page, "th[scope=col]");
    for (const head of ["Median", "99.99 %", "Longest"]) assert.ok(heads.includes(head), head);
    const cells = await page.$$eval("table", (tables) => [...tables.find(
      (table) => /^Milliseconds/.test(table.caption?.textContent ?? "")).querySelectorAll("tbody tr")].map(
        (row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(cells.map((row) => row[0]), ["read", "update"]);
    for (const row of cells) {
      const figures = row.slice(1, 7).map((cell) => parseFloat(cell.replaceAll(",", "")));
      assert.deepEqual(figures, [...figures].sort((a, b) => a - b));
      assert.ok(figures[0] > 0);
    }
  },

  async "draws percentiles and latencies over time"(page) {
    assert.ok(await colours(page, ".percentiles .uplot canvas") > 3);
    const titles = await texts(page, "h3");
    for (const title of ["Which part took how long", "Latency of read", "Latency of update"]) assert.ok(titles.includes(title), title);
    assert.ok(!titles.includes("Partitions"));
  },

  async "says latencies to a screen reader"(page) {
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    const all = [];
    (function walk(node) { all.push(node); (node.children ?? []).forEach(walk); })(tree);
    const image = (name) => all.some((node) => /^(img|image)$/.test(node.role) && name.test(node.name ?? ""));
    assert.ok(image(/^Percentiles of latency/));
    assert.ok(image(/^Latency of read/));
  },

  async "is as readable in the dark"(page) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    assert.ok(await colours(page, ".percentiles .uplot canvas") > 3);
    if (screenshots) await page.screenshot({ path: path.join(screenshots, "measured_dark.png"), fullPage: true });
  }
};

// Of three designs, each with a day of 360 steps and all keys busy: the most that a table or index can have.
const largestTests = {
  async "is small however much there is"(page) {
    assert.ok(statSync(largest).size < 1_000_000, `${statSync(largest).size} bytes`);
    assert.ok(await colours(page, ".heat canvas") > 100);
    await page.focus(PICTURE);
    assert.match(await page.$eval(".heat output", (output) => output.textContent), /of the hashes: [0-9.]+ operations a second$/);
  }
};

const indexTests = {
  async "opens where the verdict leads"(page) {
    assert.match(await page.$eval(".verdict p", (one) => one.textContent), /of the writes of orders\/by-status /);
    assert.ok((await texts(page, "h2")).includes("orders/by-status"));
    assert.deepEqual(await page.$$eval("nav select", (all) => all.slice(0, 2).map((one) => one.selectedOptions[0].textContent)), ["plain index", "orders/by-status"]);
    assert.ok((await texts(page, "h3")).includes("Throttled attempts on orders/by-status"));
    assert.deepEqual(await cut(page), []);
  },

  async "lists no keys of an even load"(page) {
    await page.select("nav label:nth-of-type(2) select", "0");
    assert.ok((await texts(page, "h2")).includes("orders"));
    assert.ok((await texts(page, "section p")).includes("No key stands out: the load is even over all keys."));
    assert.equal((await page.$$("section[aria-live] table")).length, 0);
  }
};

const laterTests = {
  async "opens on the design that was throttled"(page) {
    assert.deepEqual(await page.$$eval("nav select", (all) => all.slice(0, 2).map((one) => one.selectedOptions[0].textContent)), ["less", "t"]);
    assert.ok((await texts(page, "h3")).includes("Throttled attempts on t"));
    assert.equal(await page.$eval('tr[aria-current="true"] th', (one) => one.textContent), "less");
  }
};

const refusedTests = {
  async "lists what failed but for throttles, simulated, too"(page) {
    const rows = await page.$$eval("table", (tables) => [...tables.find((table) => /^What failed/.test(table.caption?.textContent ?? ""))
      .querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(rows, [["add", "ItemCollectionSizeLimitExceededException", "10"]]);
  },

  async "shows between which figures seeds, and what is uncertain, lie"(page) {
    const rowsOf = (caption) => page.$$eval("table", (tables, start) => [...tables.find((table) => table.caption?.textContent.startsWith(start))
      .querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)), caption);
    for (const caption of ["By chance, with 3 seeds from 1 on", "By what is uncertain in the service"]) {
      const [[name, served, throttled, p99, month, expected]] = await rowsOf(caption);
      assert.deepEqual([name, served, throttled, p99, expected], ["this design", "50 %", "0", "–", caption.startsWith("By chance") ? "0 of 3" : "0 of 5"]);
      assert.match(month, /^[0-9,.]+$/);
    }
    assert.deepEqual(await cut(page), []);
  }
};

// Ten items fit into the 10 GB of an item collection; twenty come.
const REFUSED = `[experiment]
expect = { served = 0.9 }
duration = "20s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = "100KB"
local_indexes = 1
storage = 10_735_369_240
[[access]]
name = "add"
operation = "PutItem"
key = { pk = { distribution = "list", values = ["one"] }, sk = { distribution = "ascending" } }
load = { rate = 1 }
`;

const LATER = `[experiment]
duration = "20s"
arrivals = "even"
[[table]]
name = "t"
partition_key = "pk"
item_size = 100
billing = "provisioned"
units = { read = 20, write = 1 }
[[access]]
name = "get"
operation = "GetItem"
consistency = "strong"
key.pk = { distribution = "list", values = ["one"] }
load = { rate = 10 }
[[design]]
name = "enough"
[[design]]
name = "less"
set.table.t.units.read = 2
set.experiment.admission = "static"
`;

const report = path.join(folder, "report.html");
execFileSync(program, ["lab", "simulate", "celebrity", "--report", report], { stdio: "ignore" });
const measured = path.join(folder, "measured.html");
execFileSync(program, ["lab", "measure", "ycsb-a", "--design", "2,000/s", "--duration", "4", "--warmup", "1", "--load", "0.1", "--report",
  measured], { stdio: "ignore" });
const largest = path.join(folder, "largest.html");
execFileSync(program, ["lab", "simulate", "auto-scaling", "--report", largest], { stdio: "ignore" });
const index = path.join(folder, "index.html");
execFileSync(program, ["lab", "simulate", "hot-index", "--report", index], { stdio: "ignore" });
const refused = path.join(folder, "refused.html");
writeFileSync(path.join(folder, "refused.toml"), REFUSED);
// 3: it is not as expected.
assert.equal(spawnSync(program, ["lab", "simulate", path.join(folder, "refused.toml"), "--seeds", "3", "--uncertainty", "--report", refused],
  { stdio: "ignore" }).status, 3);
const later = path.join(folder, "later.html");
writeFileSync(path.join(folder, "later.toml"), LATER);
execFileSync(program, ["lab", "simulate", path.join(folder, "later.toml"), "--report", later], { stdio: "ignore" });
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let failed = 0;
async function run(file, picture, all) {
  await withPage(browser, file, async (page) => {
    if (screenshots) await page.screenshot({ path: path.join(screenshots, picture), fullPage: true });
    for (const [name, test] of Object.entries(all)) {
      try {
        await test(page);
        console.log(`ok: ${name}`);
      } catch (problem) {
        ++failed;
        console.log(`FAILED: ${name}\n${problem.stack}`);
      }
    }
  });
}
try {
  await run(report, "report.png", tests);
  await run(measured, "measured.png", measuredTests);
  await run(largest, "largest.png", largestTests);
  await run(index, "index.png", indexTests);
  await run(refused, "refused.png", refusedTests);
  await run(later, "later.png", laterTests);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(`${Object.keys({ ...tests, ...measuredTests, ...largestTests, ...indexTests, ...refusedTests, ...laterTests }).length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
