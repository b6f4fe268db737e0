// The live page of a running server in headless Chromium: a hot key and what throttles it are seen while a program makes them,
// by eyes, keyboard and screen reader; nobody else is asked anything; a clock that stands still is said to.
//
//   node live_test.mjs PROGRAM NODE_MODULES [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";

const [program, modules, screenshots] = process.argv.slice(2);
const puppeteer = createRequire(path.join(path.resolve(modules), "x.js"))("puppeteer-core");
const PATIENCE = { timeout: 60_000 };

async function serve(...options) {
  const process = spawn(program, ["serve", "--port", "0", "--memory", "--auth", "off", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((resolve) => createInterface(process.stdout).once("line", resolve));
  const address = /http:\/\/\S+:\d+/.exec(line)[0];
  const call = async (operation, body, more = {}) => {
    const response = await fetch(address, { method: "POST", body: JSON.stringify(body),
      headers: { "X-Amz-Target": `DynamoDB_20120810.${operation}`, "Content-Type": "application/x-amz-json-1.0", ...more } });
    return response.status;
  };
  const admin = async (name, body) => (await fetch(`${address}/_dynolith/${name}`,
    body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })).json();
  return { process, address, call, admin };
}

const MUSIC = {
  TableName: "music", AttributeDefinitions: [{ AttributeName: "artist", AttributeType: "S" }, { AttributeName: "genre", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "artist", KeyType: "HASH" }], BillingMode: "PROVISIONED",
  ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 20 },
  GlobalSecondaryIndexes: [{ IndexName: "by-genre", KeySchema: [{ AttributeName: "genre", KeyType: "HASH" }],
    Projection: { ProjectionType: "KEYS_ONLY" }, ProvisionedThroughput: { ReadCapacityUnits: 100, WriteCapacityUnits: 500 } }]
};
const put = (server, artist, genre = "soul") =>
  server.call("PutItem", { TableName: "music", Item: { artist: { S: artist }, genre: { S: genre } } });

const get = (server, artist) => server.call("GetItem", { TableName: "music", Key: { artist: { S: artist } }, ConsistentRead: true });

// A program that goes on: most of its accesses are of one key.
function load(server) {
  let stopped = false, i = 0;
  const running = (async () => {
    while (!stopped) {
      await Promise.all([put(server, "Ray"), put(server, "Ray"), put(server, `artist#${++i % 300}`, i % 2 ? "soul" : "jazz"),
        get(server, "Ray"), get(server, "Ray"), get(server, `artist#${i % 300}`)]);
    }
  })();
  return () => { stopped = true; return running; };
}

async function openPage(browser, server) {
  const page = await browser.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => request.url().startsWith(`${server.address}/_dynolith`) || request.url().startsWith("data:") ||
    page.faults.push(`asks for ${request.url()}`));
  await page.setViewport({ width: 1120, height: 1400 });
  const response = await page.goto(`${server.address}/_dynolith/live`);
  assert.match(response.headers()["content-security-policy"], /default-src 'none'; script-src 'self'/);
  return page;
}

const texts = (page, selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent.trim()));
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const waitForText = (page, selector, pattern) => page.waitForFunction((selector, source) =>
  [...document.querySelectorAll(selector)].some((one) => new RegExp(source).test(one.textContent)), PATIENCE, selector, pattern.source);
const shoot = async (page, name) => {
  if (screenshots) await page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true });
};

const tests = {
  async "shows tables with what they give and refuse"(page) {
    await waitForText(page, "tbody th", /^music$/);
    await page.waitForFunction(() => [...document.querySelectorAll("tbody tr")].some((row) =>
      row.querySelector("th")?.textContent === "music" && parseFloat(row.children[6].textContent) > 0 &&
      /provisioned throughput/.test(row.children[7].textContent) && parseFloat(row.children[2].textContent) > 0), PATIENCE);
    assert.ok((await texts(page, "tbody th button")).includes("music/by-genre"));
    assert.equal(await page.$eval("tr[aria-current] th", (cell) => cell.textContent), "music");
    await waitForText(page, "h2 ~ div tbody th", /^PutItem$/);
  },

  async "shows the hot key with its bounds, and that it is throttled"(page) {
    await waitForText(page, "section caption", /^Partition keys by units/);
    await waitForText(page, "section caption", /^Partition keys by throttled accesses$/);
    // The first accesses that are throttled may be others'.
    const hottest = await (await page.waitForFunction(() => {
      const first = [...document.querySelectorAll("section table")].map((table) =>
        [table.caption.textContent, ...[...(table.tBodies[0].rows[0]?.cells ?? [])].map((cell) => cell.textContent)]);
      return first.every(([, key]) => key === "artist = Ray") && first;
    }, PATIENCE)).jsonValue();
    assert.equal(hottest.length, 2);
    for (const [caption, , most, least] of hottest) {
      assert.ok(parseFloat(least.replace(",", "")) <= parseFloat(most.replace(",", "")), caption);
    }
    assert.match(hottest[0][0], /^Partition keys by units/);
  },

  async "uses the width of its window"(page) {
    await page.setViewport({ width: 1280, height: 800 });
    await page.waitForFunction(() => document.documentElement.scrollHeight <= 2000, PATIENCE);
    const columns = await page.$$eval(".columns", (all) => all.map((one) => [...one.children].map((column) => column.getBoundingClientRect().top)));
    assert.equal(columns.length, 2);
    for (const [left, right] of columns) assert.equal(left, right);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.setViewport({ width: 1120, height: 1400 });
  },

  async "draws heat and plots"(page) {
    await page.waitForFunction(() => document.querySelectorAll(".uplot canvas").length >= 3, PATIENCE);
    const colours = await page.$eval(".heat canvas", (canvas) => {
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
      return seen.size;
    });
    assert.ok(colours >= 3, `${colours} colours`);
    assert.ok((await texts(page, "h3")).includes("Heat map of music: operations"));
    await page.select("nav label:nth-of-type(2) select", "1");
    await waitForText(page, "h3", /^Heat map of music: bytes$/);
    await waitForText(page, ".heat .scale", /^0[0-9.,]+ ([KM]B|bytes) a second$/);
    await page.select("nav label:nth-of-type(2) select", "3");
    await waitForText(page, "h3", /^Heat map of music: throttled attempts$/);
    await page.select("nav label:nth-of-type(2) select", "0");
  },

  async "shows buckets and partitions"(page) {
    await waitForText(page, "caption", /^Partitions in the order of their keys/);
    const cells = await page.$$eval("table", (tables) => [...tables.find((table) => /^Partitions in/.test(table.caption?.textContent))
      .tBodies[0].rows[0].cells].map((cell) => cell.textContent));
    assert.equal(cells[1], "0 % of the hashes");
    assert.ok(parseFloat(cells[4]) > 0, cells);
    assert.ok(parseFloat(cells[7].replace(",", "")) > 0, cells);
  },

  async "goes on by itself until it is paused"(page) {
    const consumed = () => page.$$eval("tbody tr", (rows) => rows.find(
      (row) => row.querySelector("th")?.textContent === "music").children[5].textContent);
    const first = await consumed();
    await page.waitForFunction((first) => [...document.querySelectorAll("tbody tr")].find(
      (row) => row.querySelector("th")?.textContent === "music").children[5].textContent !== first, PATIENCE, first);
    const pause = "nav button:last-of-type";
    // Also while the server is slow, and the page waits for it.
    await page.evaluate(() => {
      const own = window.fetch;
      window.fetch = async (...request) => {
        const answer = await own(...request);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return answer;
      };
      window.hasten = () => { window.fetch = own; };
    });
    await page.waitForRequest((request) => request.url().endsWith("/clock"), PATIENCE);
    await page.click(pause);
    assert.equal(await page.$eval(pause, (button) => button.getAttribute("aria-pressed")), "true");
    await page.evaluate(() => window.hasten());
    await waitForText(page, "#state", /^Paused/);
    await page.click(pause);
    await waitForText(page, "#state", /^127\.0\.0\.1:\d+, 20/);
  },

  async "is used by keyboard"(page) {
    await page.focus('.heat [role="application"]');
    const first = await page.$eval(".heat output", (output) => output.textContent);
    assert.match(first, /operations a second/);
    // It begins at the hottest place, where the hot key is.
    await page.keyboard.press("Enter");
    await waitForText(page, "p", /^Keys in part \d+ of 1000 of the hashes/);
    assert.deepEqual([...new Set(await texts(page, "section tbody th"))], ["artist = Ray"]);
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await page.$eval(".heat output", (output) => output.textContent), first);
    await page.$$eval("p button", (buttons) => buttons.find((one) => one.textContent === "Show all").click());
    assert.ok((await texts(page, "section tbody th")).length > 2);
    await page.$$eval("tbody th button", (buttons) => buttons.find((one) => one.textContent === "music/by-genre").focus());
    await page.keyboard.press("Enter");
    await waitForText(page, "h3", /^Heat map of music\/by-genre: operations$/);
    await waitForText(page, "section th", /^genre = soul$/);
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "music/by-genre");
    await page.select("nav label:nth-of-type(1) select", "music");
    await waitForText(page, "h3", /^Heat map of music: operations$/);
  },

  async "keeps what was chosen, in its address too, and leads to the console"(page) {
    assert.equal(await page.evaluate(() => location.hash), "#music");
    assert.equal(await page.$eval("nav button", (button) => `${button.textContent} ${button.getAttribute("aria-pressed")}`), "Follow the busiest false");
    assert.deepEqual(await page.$$eval("header a, h2 a", (all) => all.map((one) => one.getAttribute("href"))), ["/_dynolith/", "/_dynolith/#/table/music/items"]);
    await page.evaluate(() => { location.hash = "#music/by-genre"; });
    await waitForText(page, "h3", /^Heat map of music\/by-genre: operations$/);
    await waitForText(page, "h2", /^music\/by-genre Items$/);
    assert.equal(await page.$eval("h2 a", (one) => one.getAttribute("href")), "/_dynolith/#/table/music/items?index=by-genre");
    await page.click("nav button");
    await waitForText(page, "h3", /^Heat map of music: operations$/);
    assert.equal(await page.evaluate(() => location.hash), "");
  },

  async "is read by a screen reader"(page) {
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    const all = [];
    (function walk(node) { all.push(node); (node.children ?? []).forEach(walk); })(tree);
    const named = (role, name) => all.some((node) => node.role === role && name.test(node.name ?? ""));
    assert.ok(named("heading", /^Dynolith, live/));
    assert.ok(named("columnheader", /Throttled by/));
    assert.ok(named("rowheader", /^music$/));
    assert.ok(named("application", /^Heat map of operations/));
    assert.ok(named("button", /^Pause/));
    assert.ok(all.some((node) => /^(img|image)$/.test(node.role) && /^Accesses/.test(node.name ?? "")));
    for (const control of ["Table or index", "Heat map of"]) assert.ok(named("combobox", new RegExp(`^${control}`)), control);
  },

  async "is dark where that is wanted, and fits a telephone"(page) {
    const light = await background(page);
    await shoot(page, "live");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    assert.notEqual(await background(page), light);
    await shoot(page, "live_dark");
    await page.emulateMediaFeatures([]);
    await page.setViewport({ width: 390, height: 800 });
    await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth + 1, PATIENCE);
    assert.deepEqual(await page.$$eval(".scroll", (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.checkVisibility()).map((one) => one.ariaLabel)), []);
    await shoot(page, "live_narrow");
  }
};

// What the server knows only bounds of is drawn as that.
async function testUncertainKeys(browser, server) {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(() => {
    const ask = window.fetch, key = (name, units, error) => ({ key: { artist: { S: name } }, hash: "00", units, error });
    const none = { accessed_items: [], throttled_partition_keys: [], throttled_items: [] };
    window.fetch = (address, ...rest) => !address.includes("hot-keys") ? ask(address, ...rest) : Promise.resolve(Response.json(
      { since: 1, recent_since: 1, recent: { ...none, accessed_partition_keys: [key("sure", 100, 0), key("unsure", 80, 79)] } }));
  });
  await page.goto(`${server.address}/_dynolith/live#music`);
  await waitForText(page, "section tbody th", /^artist = unsure$/);
  const bars = await page.$$eval("section .strip", (all) => all.map((one) => [...one.children].map((bar) => bar.style.width)));
  assert.deepEqual(bars, [["100%", "100%"], ["80%", "1%"]]);
  assert.match(await page.$eval("section .strip .likely", (bar) => getComputedStyle(bar).backgroundImage), /^repeating-linear-gradient/);
  await shoot(page, "live_uncertain");
  await page.close();
}

// The clock stands still until it is moved: the page says so, and follows.
async function testManualClock(browser) {
  const server = await serve("--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z", "--capacity", "account");
  try {
    await server.call("CreateTable", MUSIC);
    const page = await openPage(browser, server);
    await waitForText(page, "#state", /2026-01-31 12:00:00 by the server's clock, which is moved by hand$/);
    await waitForText(page, "p", /^Capacity is counted here, not enforced/);
    await put(server, "Ray");
    await waitForText(page, "section th", /^artist = Ray$/);
    await server.admin("clock/advance", { seconds: 30 });
    await put(server, "Ella");
    await waitForText(page, "section th", /^artist = Ella$/);
    await waitForText(page, "details table tbody th", /^12:00:00$/);
    await waitForText(page, "details table tbody th", /^12:00:30$/);
    await shoot(page, "live_manual");
    assert.deepEqual(page.faults, []);
    await page.close();
  } finally {
    server.process.kill();
  }
}

// What was busy once is left for what is busy now.
async function testFollowing(browser) {
  const server = await serve("--admin");
  try {
    for (const TableName of ["before", "now"]) await server.call("CreateTable", { ...MUSIC, TableName, GlobalSecondaryIndexes: undefined, AttributeDefinitions: MUSIC.AttributeDefinitions.slice(0, 1) });
    const putInto = (TableName) => server.call("PutItem", { TableName, Item: { artist: { S: "Ray" } } });
    await Promise.all(Array.from({ length: 300 }, () => putInto("before")));
    const page = await openPage(browser, server);
    await waitForText(page, "h2", /^before Items$/);
    let isOver = false;
    const writing = (async () => { while (!isOver) { await putInto("now"); await new Promise((resolve) => setTimeout(resolve, 50)); } })();
    await waitForText(page, "h2", /^now Items$/);
    isOver = true;
    await writing;
    await page.$$eval("tbody th button", (buttons) => buttons.find((one) => one.textContent === "before").click());
    await waitForText(page, "h2", /^before Items$/);
    for (let i = 0; i < 50; ++i) { await putInto("now"); await new Promise((resolve) => setTimeout(resolve, 200)); }
    assert.match(await page.$eval("h2 span", (one) => one.textContent), /^before$/);
    assert.deepEqual(page.faults, []);
    await page.close();
  } finally {
    server.process.kill();
  }
}

// A partition that has been hot for minutes is split, and the page shows where.
async function testSplit(browser) {
  const server = await serve("--clock", "manual", "--clock-start", "2026-01-31T12:00:00Z", "--capacity", "enforce",
    "--capacity-scale", "0.01");
  try {
    await server.call("CreateTable", { ...MUSIC, GlobalSecondaryIndexes: undefined, BillingMode: "PAY_PER_REQUEST",
      ProvisionedThroughput: undefined, AttributeDefinitions: MUSIC.AttributeDefinitions.slice(0, 1) });
    const page = await openPage(browser, server);
    await waitForText(page, "h2", /^music Items$/);
    // Keys of the first of four partitions, which takes 10 writes a second.
    const hashOf = (key) => createHash("md5").update(`Outliers${key}`).digest()[0];
    const keys = Array.from({ length: 200 }, (_, i) => `artist#${i}`).filter((key) => hashOf(key) < 0x40);
    const splits = async () => (await server.admin("capacity?table=music")).tables[0].throughputs[0]?.splits.length ?? 0;
    for (let second = 0; second < 500 && await splits() === 0; ++second) {
      await Promise.all(Array.from({ length: 9 }, (_, i) => put(server, keys[(second * 9 + i) % keys.length])));
      await server.admin("clock/advance", { seconds: 1 });
    }
    assert.equal(await splits(), 1);
    await server.admin("clock/advance", { seconds: 60 });
    await put(server, keys[0]);
    // Two halves of the first, and the three others.
    await page.waitForFunction(() => [...document.querySelectorAll("table")].some((table) =>
      /^Partitions in/.test(table.caption?.textContent) && table.tBodies[0].rows.length === 5), PATIENCE);
    const halves = await page.$$eval("table", (tables) => [...tables.find((table) => /^Partitions in/.test(table.caption?.textContent))
      .tBodies[0].rows].map((row) => row.cells[2].textContent));
    assert.deepEqual(halves, ["1", "1", "–", "–", "–"]);
    await waitForText(page, ".heat figcaption", /Thin lines are between partitions/);
    await shoot(page, "live_split");
    assert.deepEqual(page.faults, []);
    await page.close();
  } finally {
    server.process.kill();
  }
}

// A database of the same server by its name: its own tables and figures, and back to its items.
async function testNamedDatabase(browser, server) {
  await server.admin("databases", { name: "other" });
  const ofOther = { "x-dynolith-database": "other" };
  assert.equal(await server.call("CreateTable", { ...MUSIC, TableName: "concerts" }, ofOther), 200);
  assert.equal(await server.call("PutItem", { TableName: "concerts", Item: { artist: { S: "Nina" }, genre: { S: "jazz" } } }, ofOther), 200);
  const page = await browser.newPage();
  await page.goto(`${server.address}/_dynolith/live?database=other#concerts`);
  await waitForText(page, "h3", /^Heat map of concerts: operations$/);
  assert.deepEqual((await texts(page, "nav option")).slice(0, 2), ["concerts", "concerts/by-genre"]);
  assert.ok((await texts(page, "header p")).includes("database other"));
  assert.deepEqual(await page.$$eval("header a, h2 a", (all) => all.map((one) => one.getAttribute("href"))),
    ["/_dynolith/#/tables?database=other", "/_dynolith/#/table/concerts/items?database=other"]);
  await page.click("nav button");
  assert.equal(await page.evaluate(() => location.search + location.hash), "?database=other");
  await page.goto(`${server.address}/_dynolith/live?database=none&token=needless#concerts`);
  await waitForText(page, '[role="alert"]:not([hidden])', /^there is no database none$/);
  assert.equal(await page.evaluate(() => location.search + location.hash), "?database=none#concerts");
  await page.close();
}

// A page of another server on this machine gets nothing.
async function testOtherPages(browser, server) {
  const other = await serve("--admin");
  try {
    const page = await browser.newPage();
    await page.goto(`${other.address}/_dynolith/live`);
    const answer = await page.evaluate((address) => fetch(`${address}/_dynolith/clock`).then(() => "answered", () => "refused"), server.address);
    assert.equal(answer, "refused");
    await page.close();
  } finally {
    other.process.kill();
  }
}

const server = await serve("--admin", "--capacity", "static");
const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let failed = 0, passed = 0;
async function run(name, test) {
  try {
    await test();
    ++passed;
    console.log(`ok: ${name}`);
  } catch (problem) {
    ++failed;
    console.log(`FAILED: ${name}\n${problem.stack}`);
  }
}
try {
  await server.call("CreateTable", MUSIC);
  const stop = load(server);
  const page = await openPage(browser, server);
  for (const [name, test] of Object.entries(tests)) await run(name, () => test(page));
  await run("asks nobody else, and breaks no policy", () => assert.deepEqual(page.faults, []));
  await page.close();
  await stop();
  await run("draws what is certain of a key apart from what is not", () => testUncertainKeys(browser, server));
  await run("follows a clock that is moved by hand", () => testManualClock(browser));
  await run("follows what is busy now, until a person chooses", () => testFollowing(browser));
  await run("shows a split", () => testSplit(browser));
  await run("shows a database by its name", () => testNamedDatabase(browser, server));
  await run("pages of others get nothing", () => testOtherPages(browser, server));
} finally {
  await browser.close();
  server.process.kill();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
