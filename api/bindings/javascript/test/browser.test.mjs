// Databases in a page (browser.mjs): kept as bytes, and opened again, in Node.js; and the example's page in Chromium, as a person
// comes back to it. DYNOLITH_WASM says where the module is, DYNOLITH_PAGE_MODULES where esbuild and puppeteer-core are.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {openDatabase} from '../browser.mjs';
import {TABLE, modules, put} from './music.mjs';

const {CreateTableCommand, DynamoDBClient, ScanCommand, UpdateTimeToLiveCommand} = modules('@aws-sdk/client-dynamodb');

const MODULE = process.env.DYNOLITH_WASM;
const SKIP = {skip: MODULE ? false : 'DYNOLITH_WASM says where the module is'};
const PAGE_MODULES = process.env.DYNOLITH_PAGE_MODULES;
const IN_CHROMIUM = {skip: MODULE && PAGE_MODULES ? false : 'DYNOLITH_PAGE_MODULES says where esbuild and puppeteer-core are'};
const PATIENCE = {timeout: 30_000};
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const bytes = MODULE && fs.readFileSync(MODULE);

function scratch(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-browser-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  return folder;
}

async function opened(t, options) {
  const database = await openDatabase(bytes, options);
  t.after(() => database.close());
  return {database, client: new DynamoDBClient(database.clientConfig())};
}

async function music(t, options) {
  const {database, client} = await opened(t, options);
  await client.send(new CreateTableCommand({...TABLE, StreamSpecification: {StreamEnabled: true, StreamViewType: 'KEYS_ONLY'}}));
  return {database, client};
}

const count = async (client) => (await client.send(new ScanCommand({TableName: 'music', Select: 'COUNT'}))).Count;

test('a saved database goes on as another one', SKIP, async (t) => {
  const {database, client} = await music(t, {region: 'eu-west-1'});
  for (let n = 0; n < 300; ++n) await client.send(put(String(n), {text: {S: 'x'.repeat(1000)}}));
  await database.snapshot('full');
  await client.send(put('behind the snapshot'));
  const saved = await database.save();
  await client.send(put('not saved'));

  const again = await opened(t, {saved});
  assert.equal(await count(again.client), 301);
  assert.equal(await count(client), 302);
  assert.equal(again.database.clientConfig().region, 'eu-west-1');
  assert.deepEqual(await again.database.snapshots(), ['full']);
  await again.client.send(put('again'));
  assert.equal(await count(again.client), 302);
  let changes = 0;
  for await (const {record} of await again.database.changes('music', {oldest: true, idleSeconds: 0.3})) {
    changes += record.eventName === 'INSERT';
  }
  assert.equal(changes, 302);
  await again.database.restore('full');
  assert.equal(await count(again.client), 300);
  // As often as one likes; files give buffers.
  const third = await opened(t, {saved: (await again.database.save()).buffer});
  assert.equal(await count(third.client), 300);
});

test('the module may come by fetch', SKIP, async (t) => {
  const {database} = await music(t);
  const saved = await database.save();
  const again = await openDatabase(Promise.resolve(new Response(bytes)), {saved});
  assert.equal(await count(new DynamoDBClient(again.clientConfig())), 0);
  await again.close();
  await assert.rejects(openDatabase(Promise.resolve(new Response('no', {status: 404}))), {kind: 'NotFound', message: /404/});
});

test('forks have to be closed before', SKIP, async (t) => {
  const {database} = await music(t);
  const fork = await database.fork();
  await assert.rejects(database.save(), {kind: 'FailedPrecondition', message: /forks/});
  await fork.close();
  assert.ok((await database.save()).length > 0);
});

test('a closed one is not saved', SKIP, async () => {
  const database = await openDatabase(bytes);
  await database.close();
  await assert.rejects(database.save(), {kind: 'FailedPrecondition'});
});

test('what is not whole, or another module\'s, is refused', SKIP, async (t) => {
  const {database} = await music(t);
  const saved = await database.save();
  const refused = (changed, kind) => assert.rejects(openDatabase(bytes, {saved: changed}), {kind});
  const flipped = (at) => Object.assign(saved.slice(), {[at]: saved[at] ^ 1});
  for (const size of [0, 10, 60, 100, saved.length >> 1, saved.length - 1]) await refused(saved.subarray(0, size), 'DataLoss');
  await refused(flipped(0), 'DataLoss');
  await refused(flipped(20), 'FailedPrecondition');
  await refused(flipped(saved.length >> 1), 'DataLoss');
  const another = Buffer.concat([bytes, Buffer.from([0, 2, 1, 0x78])]);
  await assert.rejects(openDatabase(another, {saved}), {kind: 'FailedPrecondition', message: /another version/});
});

// Where the steady clock, by which work in the background is due, is seconds behind.
test('items expire in another process', SKIP, async (t) => {
  await sleep(7000 - performance.now());
  const {database, client} = await music(t, {ttl_sweep_seconds: 1});
  await client.send(new UpdateTimeToLiveCommand({TableName: 'music',
    TimeToLiveSpecification: {Enabled: true, AttributeName: 'until'}}));
  await client.send(put('a', {until: {N: String(Math.floor(Date.now() / 1000) + 1)}}));
  const file = path.join(scratch(t), 'saved');
  fs.writeFileSync(file, await database.save());
  const script = `
    import fs from 'node:fs';
    import {openDatabase} from ${JSON.stringify(path.resolve(fileURLToPath(import.meta.url), '../../browser.mjs'))};
    const saved = fs.readFileSync(${JSON.stringify(file)});
    const database = await openDatabase(fs.readFileSync(${JSON.stringify(MODULE)}), {saved});
    const count = async () => JSON.parse((await database.call('Scan', '{"TableName": "music"}')).body.toString()).Count;
    const end = performance.now() + 4000;
    while (await count() > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(await count());
    await database.close();`;
  assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], {encoding: 'utf8'}), '0\n');
});

/** A web server of a folder. */
async function served(t, folder) {
  const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm'};
  const server = http.createServer((request, response) => {
    const file = path.join(folder, path.basename(request.url) || 'index.html');
    if (!fs.existsSync(file)) return response.writeHead(404).end();
    return response.writeHead(200, {'content-type': types[path.extname(file)]}).end(fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test('the example keeps its songs in the browser', IN_CHROMIUM, async (t) => {
  const folder = scratch(t);
  const make = path.resolve(fileURLToPath(import.meta.url), '../../example/make_page.mjs');
  execFileSync(process.execPath, [make, PAGE_MODULES, process.env.DYNOLITH_NODE_MODULES, MODULE, folder]);
  const address = await served(t, folder);
  const load = createRequire(path.join(path.resolve(PAGE_MODULES), 'x.js'));
  const puppeteer = load('puppeteer-core');
  const browser = await puppeteer.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu']});
  t.after(() => browser.close());
  const page = await browser.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) faults.push(request.url());
  });

  const state = (text) => page.waitForFunction((part) => document.getElementById('state').textContent.includes(part),
    PATIENCE, text);
  // A row's first three cells; buttons are in the fourth.
  const rows = () => page.$$eval('#songs tr', (all) =>
    all.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent).join()).sort());
  const until = async (expected) => {
    const end = Date.now() + PATIENCE.timeout;
    while ((await rows()).join(';') !== expected.join(';') && Date.now() < end) await sleep(50);
    assert.deepEqual(await rows(), expected);
  };
  const press = (artist, text) => page.evaluate((name, label) => {
    const row = [...document.querySelectorAll('#songs tr')].find((one) => one.cells[0].textContent === name);
    [...row.querySelectorAll('button')].find((one) => one.textContent === label).click();
  }, artist, text);
  const add = async (artist, song) => {
    await page.type('[name=artist]', artist);
    await page.type('[name=song]', song);
    await page.click('#add button');
  };

  await page.goto(address);
  await state('is open');
  assert.deepEqual(await rows(), []);
  await add('Ray', 'Hi');
  await until(['Ray,Hi,0']);
  await add('Ella', 'Bye');
  await until(['Ella,Bye,0', 'Ray,Hi,0']);
  await press('Ray', 'Play');
  await until(['Ella,Bye,0', 'Ray,Hi,1']);
  await state('Kept in this browser');

  // Another visit.
  await page.goto('about:blank');
  await page.goto(address);
  await state('is open');
  assert.deepEqual(await rows(), ['Ella,Bye,0', 'Ray,Hi,1']);
  await press('Ella', 'Delete');
  await until(['Ray,Hi,1']);
  if (process.env.DYNOLITH_SCREENSHOT) await page.screenshot({path: process.env.DYNOLITH_SCREENSHOT});
  await page.reload();
  await state('is open');
  assert.deepEqual(await rows(), ['Ray,Hi,1']);

  await page.evaluate(fs.readFileSync(load.resolve('axe-core/axe.min.js'), 'utf8'));
  assert.deepEqual((await page.evaluate(() => axe.run())).violations.map(({id}) => id), []);

  // What another version of the module has saved stays until a person says otherwise.
  fs.appendFileSync(path.join(folder, 'dynolith.wasm'), Buffer.from([0, 2, 1, 0x78]));
  await page.reload();
  await state('another version');
  await page.click('#forget');
  await state('is open');
  assert.deepEqual(await rows(), []);
  assert.deepEqual(faults, []);
});
