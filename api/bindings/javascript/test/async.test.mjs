// Calls under way: they hold up neither the event loop nor the run-time's pool of threads, are answered once, and end with whoever
// asked: a database, a Worker, or the program.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {setImmediate as turn, setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';

import {Database} from '../index.mjs';
import {TABLE} from './music.mjs';

const THREADS_MAX = 32;  // of a database's, for calls
const OTHERS_MAX = 8;    // that the library starts by and by, once for all databases
const TEXT = 'x'.repeat(500);
const SCAN = JSON.stringify({TableName: 'music'});
const GET = JSON.stringify({TableName: 'music', Key: {pk: {S: '7'}}});

const putOf = (n) => JSON.stringify({TableName: 'music', Item: {pk: {S: String(n)}, text: {S: TEXT}}});
const queryOf = (n) => JSON.stringify({TableName: 'music', KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: {':pk': {S: String(n)}}});
const threads = () => fs.readdirSync('/proc/self/task').length;

/** A database with so many items, until the test ends. */
async function loaded(t, items, options) {
  const database = await Database.open(options);
  t.after(() => database.close());
  assert.equal((await database.call('CreateTable', JSON.stringify(TABLE))).status, 200);
  for (let n = 0; n < items; ++n) assert.equal((await database.call('PutItem', putOf(n))).status, 200);
  return database;
}

function folderOf(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  return folder;
}

test('each call has its own answer, in whichever order they come', async (t) => {
  const database = await loaded(t, 20);
  const answers = await Promise.all([...Array(1000).keys()].map((n) => database.call('Query', queryOf(n % 30))));
  for (const [n, answer] of answers.entries()) {
    const {Items} = JSON.parse(answer.body.toString());
    assert.deepEqual(Items.map((item) => item.pk.S), n % 30 < 20 ? [String(n % 30)] : []);
    assert.equal(answer.requestId.length, 52);
  }
  assert.equal(new Set(answers.map((answer) => answer.requestId)).size, 1000);
});

test('errors are answers', async (t) => {
  const database = await loaded(t, 0);
  for (const [target, body, problem] of [['Scan', '{"TableName": "none"}', /ResourceNotFoundException/], ['Query', '{', /SerializationException/],
    ['DynamoDB_20120810.Absent', '{}', /UnknownOperationException/], ['Scan', Buffer.from('[]'), /SerializationException/]]) {
    const {status, body: answer, contentType} = await database.call(target, body);
    assert.equal(status, 400);
    assert.match(answer.toString(), problem);
    assert.equal(contentType, 'application/x-amz-json-1.0');
  }
  await assert.rejects(database.call('Scan', 5), /neither a text nor bytes/);
});

test('1,000 calls at once share threads', async (t) => {
  const database = await loaded(t, 50);
  const before = threads();
  let [most, isDone] = [0, false];
  const answers = Promise.all([...Array(1000)].map(() => database.call('Scan', SCAN))).finally(() => isDone = true);
  for (; !isDone; most = Math.max(most, threads())) await turn();
  for (const {body} of await answers) assert.equal(JSON.parse(body.toString()).Count, 50);
  assert.ok(most - before <= THREADS_MAX + OTHERS_MAX, `${before} threads, then ${most}`);
});

test('calls need none of the run-time\u2019s pool of threads', async (t) => {
  const database = await loaded(t, 10);
  const fifo = path.join(folderOf(t), 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Each takes a thread of the pool's until somebody writes.
  const readers = [...Array(Number(process.env.UV_THREADPOOL_SIZE ?? 4))].map(() => fs.promises.readFile(fifo));
  for (const [target, body] of [['Scan', SCAN], ['GetItem', GET]]) assert.equal((await database.call(target, body)).status, 200);
  // For reading as well, so that this waits for nobody.
  const writer = fs.openSync(fifo, 'r+');
  await sleep(50);
  fs.closeSync(writer);
  execFileSync('sh', ['-c', ': > "$0"', fifo]);
  await Promise.all(readers);
});

/** Whether a call is answered before the event loop turns. */
async function staysOnTheLoop(database, target, body) {
  let isDone = false;
  const answered = database.call(target, body).then(() => isDone = true);
  for (let n = 0; n < 20; ++n) await null;
  const [stays] = [isDone, await answered];
  return stays;
}

test('calls of one item in memory stay on the loop\u2019s thread, and nothing else does', async (t) => {
  const memory = await loaded(t, 10);
  // Others may be due just then.
  let stayed = 0;
  for (let n = 0; n < 50; ++n) stayed += await staysOnTheLoop(memory, 'DynamoDB_20120810.GetItem', GET);
  assert.ok(stayed > 0);
  const folder = await loaded(t, 10, {path: path.join(folderOf(t), 'data')});
  const regions = await loaded(t, 10, {regions: ['us-east-1', 'eu-west-1']});
  for (const [database, target, body] of [[memory, 'Scan', SCAN], [memory, 'Query', queryOf(7)], [folder, 'GetItem', GET],
    [folder, 'PutItem', putOf(7)], [regions, 'PutItem', putOf(7)]]) {
    for (let n = 0; n < 20; ++n) assert.equal(await staysOnTheLoop(database, target, body), false, target);
  }
});

test('timers have their turn while calls of one item follow each other', async (t) => {
  const database = await loaded(t, 10);
  let [ticks, isOver] = [0, false];
  const timer = setInterval(() => isOver = ++ticks === 5, 1);
  for (let n = 0; !isOver; ++n) {
    assert.ok(n < 10_000_000, 'no timer in ten million calls');
    await database.call('GetItem', GET);
  }
  clearInterval(timer);
});

test('an endpoint in this very process is answered', async (t) => {
  const server = http.createServer((request, response) => response.end('{"Item": {"pk": {"S": "there"}}}'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const credentials = {AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b'};
  const former = Object.keys(credentials).map((name) => [name, process.env[name]]);
  Object.assign(process.env, credentials);
  t.after(() => former.forEach(([name, value]) => value === undefined ? delete process.env[name] : process.env[name] = value));
  const database = await Database.open({endpoint: `http://127.0.0.1:${server.address().port}`});
  assert.match((await database.call('GetItem', GET)).body.toString(), /there/);
  await database.close();
});

test('staleness and DescribeEndpoints know who asks', async (t) => {
  const plain = await loaded(t, 0);
  assert.match((await plain.call('DescribeEndpoints', '{}', '', 'music.example:80')).body.toString(), /music\.example:80/);
  const stale = await loaded(t, 1, {clock: 'manual', staleness: ['1h,monotonic']});
  await stale.advanceClock(7200);
  await stale.call('PutItem', putOf(7));
  const count = async (key, ConsistentRead = false) =>
    JSON.parse((await stale.call('Scan', JSON.stringify({TableName: 'music', ConsistentRead}), key)).body.toString()).Count;
  // Who has seen the newest state sees none that is older.
  assert.deepEqual([await count('AKIAONE', true), await count('AKIAONE'), await count('AKIATWO')], [2, 2, 1]);
});

test('closing waits for calls under way and ends new ones', async (t) => {
  const database = await loaded(t, 300);
  const calls = [...Array(100)].map(() => database.call('Scan', SCAN));
  await database.close();
  for (const call of calls) assert.equal((await call).status, 200);
  for (const target of ['Scan', 'GetItem']) {
    await assert.rejects(database.call(target, SCAN), {name: 'DynolithError', message: 'the database is closed'});
  }
});

// What Workers and programs below begin with.
const BEGINNING = `
  const {Database} = require(${JSON.stringify(fileURLToPath(new URL('../index.cjs', import.meta.url)))});
  const scans = (database, calls) => [...Array(calls)].map(() => database.call('Scan', ${JSON.stringify(SCAN)}));
  async function load() {
    const database = await Database.open();
    await database.call('CreateTable', ${JSON.stringify(JSON.stringify(TABLE))});
    for (let n = 0; n < 200; ++n) {
      await database.call('PutItem', JSON.stringify({TableName: 'music', Item: {pk: {S: String(n)}, text: {S: 'x'.repeat(500)}}}));
    }
    return database;
  }
  const begin = async (calls) => scans(await load(), calls);
`;

test('a Worker ends with calls under way, and its database with it', async () => {
  const ends = {
    terminated: `begin(100).then(() => parentPort.postMessage('begun')); setInterval(() => {}, 1000);`,
    'ends itself': `begin(100).then(() => process.exit());`,
    fails: `begin(100).then(() => setImmediate(() => { throw new Error('on purpose'); }));`,
  };
  const before = threads();
  for (let n = 0; n < 50; ++n) {
    const [how, end] = Object.entries(ends)[n % 3];
    const worker = new Worker(`const {parentPort} = require('node:worker_threads');${BEGINNING}${end}`, {eval: true});
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.once('error', (problem) => assert.equal(problem.message, 'on purpose'));
    worker.once('message', () => setTimeout(() => worker.terminate(), n % 5));
    assert.equal(await ended, how === 'ends itself' ? 0 : 1, how);
  }
  assert.ok(threads() - before <= OTHERS_MAX, `${before} threads, then ${threads()}`);
});

/** A program's exit code and what it has printed. */
async function run(program, ...options) {
  const child = spawn(process.execPath, [...options, '-e', BEGINNING + program], {stdio: ['ignore', 'pipe', 'pipe']});
  let [printed, problems] = ['', ''];
  child.stdout.on('data', (text) => printed += text);
  child.stderr.on('data', (text) => problems += text);
  const [code, signal] = await new Promise((resolve) => child.once('close', (...how) => resolve(how)));
  return {code, signal, printed, problems};
}

test('a program ends with calls under way', async () => {
  for (let n = 0; n < 5; ++n) {
    assert.deepEqual(await run(`begin(100).then(() => setTimeout(() => { console.log('left'); process.exit(7); }, ${n}));`),
      {code: 7, signal: null, printed: 'left\n', problems: ''});
  }
  const failed = await run(`begin(100).then(() => setImmediate(() => { throw new Error('on purpose'); }));`);
  assert.deepEqual([failed.code, failed.signal], [1, null]);
  assert.match(failed.problems, /on purpose/);
});

test('a program goes on for calls under way, and for nothing else', async () => {
  const {code, printed} = await run(`begin(100).then(async (calls) => {
    for (const call of calls) if ((await call).status === 200) process.stdout.write('.');
  });`);
  assert.deepEqual([code, printed], [0, '.'.repeat(100)]);
});

test('answers do not stay in memory', async () => {
  const {code, printed, problems} = await run(`(async () => {
    const database = await load();
    const megabytesAfter = async (rounds) => {
      for (let n = 0; n < rounds; ++n) await Promise.all(scans(database, 20));
      gc();
      return process.memoryUsage().rss / 1e6;
    };
    const before = await megabytesAfter(20);
    console.log(await megabytesAfter(200) - before);
  })();`, '--expose-gc');
  assert.equal(code, 0, problems);
  // They have 400 MB.
  assert.ok(Number(printed) < 100, `${printed} MB more`);
});
