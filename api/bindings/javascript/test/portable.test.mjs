// The WebAssembly module where it is not as the native library: what it refuses, work in the background, memory, and `serve` by
// Node's HTTP server. Everything else is binding.test.mjs's, with DYNOLITH_WASM.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import readline from 'node:readline';
import {test} from 'node:test';

import {Database} from '../index.mjs';
import {TABLE, modules, music, put} from './music.mjs';

const {CreateTableCommand, DynamoDBClient, GetItemCommand, ScanCommand, UpdateTableCommand, UpdateTimeToLiveCommand,
  QueryCommand} = modules('@aws-sdk/client-dynamodb');

const SKIP = {skip: process.env.DYNOLITH_WASM ? false : 'DYNOLITH_WASM says where the module is'};
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('what needs a folder or a network says so', SKIP, async (t) => {
  const refused = (options, what) => assert.rejects(Database.open(options), {kind: 'FailedPrecondition',
    message: `this build of Dynolith has databases in memory only, and so cannot have ${what}: leave it out, or use the native library`});
  await refused({path: '/data/music'}, 'a database in the folder /data/music');
  await refused({endpoint: 'http://localhost:1'}, 'a database behind the endpoint http://localhost:1');
  await refused({buckets: '/data'}, 'buckets in the folder /data');
  const {database} = await music(t);
  await assert.rejects(database.checkpoint('/data/copy'), {kind: 'FailedPrecondition'});
  await assert.rejects(database.fork('', '/data/copy'), {kind: 'InvalidArgument'});
});

test('items expire while nobody calls', SKIP, async (t) => {
  const {database, client} = await music(t, {ttl_sweep_seconds: 0.1});
  await client.send(new UpdateTimeToLiveCommand({TableName: 'music', TimeToLiveSpecification: {Enabled: true, AttributeName: 'until'}}));
  await client.send(put('a', {until: {N: String(Math.floor(Date.now() / 1000) - 60)}}));
  const count = async () => (await client.send(new ScanCommand({TableName: 'music'}))).Count;
  for (let tries = 0; tries < 50 && await count() > 0; ++tries) await sleep(100);
  assert.equal(await count(), 0);
  assert.equal(await database.sweep(), 0);
});

test('an index is filled in the background', SKIP, async (t) => {
  const {client} = await music(t);
  for (let n = 0; n < 200; ++n) await client.send(put(String(n), {kind: {S: n % 2 ? 'odd' : 'even'}}));
  await client.send(new UpdateTableCommand({TableName: 'music',
    AttributeDefinitions: [...TABLE.AttributeDefinitions, {AttributeName: 'kind', AttributeType: 'S'}],
    GlobalSecondaryIndexUpdates: [{Create: {IndexName: 'kinds', KeySchema: [{AttributeName: 'kind', KeyType: 'HASH'}],
      Projection: {ProjectionType: 'KEYS_ONLY'}}}]}));
  const odd = new QueryCommand({TableName: 'music', IndexName: 'kinds', KeyConditionExpression: 'kind = :k',
    ExpressionAttributeValues: {':k': {S: 'odd'}}});
  let found;
  for (let tries = 0; tries < 50 && found?.Count !== 100; ++tries) {
    await sleep(100);
    found = await client.send(odd).catch(() => undefined);
  }
  assert.equal(found?.Count, 100);
});

test('throttling', SKIP, async (t) => {
  const {database, client} = await music(t, {clock: 'manual', capacity: {mode: 'enforce'}});
  await database.admin('POST', 'faults', {fault: 'throttle', operation: 'GetItem', hits_max: 1});
  const {$metadata} = await client.send(new GetItemCommand({TableName: 'music', Key: {pk: {S: 'a'}}}));
  assert.equal($metadata.attempts, 2);
});

test('memory grows, and large bodies pass', SKIP, async (t) => {
  const {client} = await music(t);
  const text = {S: 'ü'.repeat(190_000)};
  for (let n = 0; n < 200; ++n) await client.send(put(String(n), {text}));
  assert.deepEqual((await client.send(new GetItemCommand({TableName: 'music', Key: {pk: {S: '199'}}}))).Item.text, text);
  const {database} = await music(t);
  assert.equal((await database.call('PutItem', ' '.repeat((16 << 20) + 1))).status, 413);
});

test('a module that has ended says so', SKIP, () => {
  const {Face} = createRequire(import.meta.url)('../wasm.cjs');
  const face = new Face(new WebAssembly.Module(fs.readFileSync(process.env.DYNOLITH_WASM)));
  assert.throws(() => face.run(2, {place: 0xfffffff0}, 'ListTables', '{}', '', ''), {kind: 'Internal', message: /^the WebAssembly module has ended/});
  assert.throws(() => face.run(0, null, '{}'), {kind: 'Internal', message: /^the WebAssembly module has ended/});
});

test('deep nesting is the engine\u2019s to refuse', SKIP, async (t) => {
  const {database} = await music(t);
  const nested = (levels) => `{"TableName":"music","Item":{"pk":{"S":"a"},"m":${'{"L":['.repeat(levels)}${']}'.repeat(levels)}}}`;
  assert.equal((await database.call('PutItem', nested(31))).status, 200);
  assert.equal((await database.call('PutItem', nested(40))).status, 400);
  assert.equal((await database.call('PutItem', nested(100_000))).status, 400);
  const condition = `${'('.repeat(2000)}a = :a${')'.repeat(2000)}`;
  const scan = {TableName: 'music', FilterExpression: condition, ExpressionAttributeValues: {':a': {S: 'a'}}};
  assert.equal((await database.call('Scan', JSON.stringify(scan))).status, 400);
});

test('npx dynolith serve is a server without a native program', SKIP, async (t) => {
  const program = new URL('../program.cjs', import.meta.url).pathname;
  const server = spawn(process.execPath, [program, 'serve', '--admin', '--port', '0', '--region', 'eu-west-1', '--capacity-mode', 'account'],
    {stdio: ['ignore', 'pipe', 'inherit']});
  t.after(() => server.kill('SIGKILL'));
  const line = await new Promise((resolve) => readline.createInterface(server.stdout).once('line', resolve));
  const endpoint = /http:\S+/.exec(line)[0];
  const client = new DynamoDBClient({endpoint, region: 'eu-west-1', credentials: {accessKeyId: 'a', secretAccessKey: 'b'}});
  const {TableDescription} = await client.send(new CreateTableCommand(TABLE));
  assert.match(TableDescription.TableArn, /:eu-west-1:/);
  await client.send(put('a'));
  const fault = {method: 'POST', body: JSON.stringify({fault: 'dropped_connection', operation: 'GetItem', hits_max: 1})};
  assert.equal((await fetch(`${endpoint}/_dynolith/faults`, fault)).status, 200);
  for (const headers of [{origin: 'http://elsewhere.example'}, {'x-forwarded-for': '10.0.0.1'}, {'sec-fetch-site': 'cross-site'}]) {
    assert.equal((await fetch(`${endpoint}/_dynolith/faults`, {...fault, headers})).status, 403);
  }
  const {Item, $metadata} = await client.send(new GetItemCommand({TableName: 'music', Key: {pk: {S: 'a'}}}));
  assert.deepEqual([Item.pk.S, $metadata.attempts], ['a', 2]);
  assert.match(await (await fetch(endpoint)).text(), /^healthy/);
  assert.equal((await fetch(endpoint, {method: 'POST', body: '{}'})).status, 400);
  const long = {method: 'POST', body: `{"TableName":"music","Item":{"pk":{"S":"long"}}}${' '.repeat(17 << 20)}`,
    headers: {'x-amz-target': 'DynamoDB_20120810.PutItem'}};
  assert.equal((await fetch(endpoint, long)).status, 413);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  assert.equal(await ended, 0);
});

test('the admin endpoint of a server is off unless it is asked for', SKIP, async (t) => {
  const {serve} = createRequire(import.meta.url)('../serve.cjs');
  const {url, close} = await serve({host: '127.0.0.1', port: 0, options: {}});
  t.after(close);
  assert.equal((await fetch(`${url}/_dynolith/clock`)).status, 404);
});

test('clocks of a test do not stop the module', SKIP, async (t) => {
  const {client} = await music(t);
  t.mock.timers.enable({apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date']});
  await client.send(put('a'));
  for (const end = performance.now() + 20; performance.now() < end;);
  assert.equal((await client.send(new GetItemCommand({TableName: 'music', Key: {pk: {S: 'a'}}}))).Item.pk.S, 'a');
});

test('a wrong command line is told', SKIP, async () => {
  const program = new URL('../program.cjs', import.meta.url).pathname;
  for (const [words, problem] of [[['serve', '--port', 'x'], /--port x is no port/], [['serve', '--data', '/x'], /folder \/x/],
    [['serve', '--reigon', 'x'], /did you mean "region"/], [['migrate'], /portable build/], [['lab'], /simulate, advise/]]) {
    const child = spawn(process.execPath, [program, ...words], {stdio: ['ignore', 'ignore', 'pipe']});
    let text = '';
    for await (const piece of child.stderr) text += piece;
    assert.match(text, problem);
  }
});
