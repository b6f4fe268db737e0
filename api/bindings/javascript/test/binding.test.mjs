// The AWS SDK for JavaScript v3 on a database in this process: what it does, what it keeps, and how it fails.
import assert from 'node:assert/strict';
import {execFileSync, fork, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';

import {Database, DynolithError, version} from '../index.mjs';
import {modules, music, put} from './music.mjs';

const {DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand, ScanCommand, UpdateTableCommand,
  UpdateTimeToLiveCommand, paginateScan, waitUntilTableExists} = modules('@aws-sdk/client-dynamodb');
const {DynamoDBStreamsClient, ListStreamsCommand} = modules('@aws-sdk/client-dynamodb-streams');
const {DynamoDBDocumentClient, GetCommand, PutCommand} = modules('@aws-sdk/lib-dynamodb');

// Where the library is the WebAssembly module (test/portable.test.mjs has what is different there), or another one in memory only.
const FOLDERS = {skip: process.env.DYNOLITH_WASM || process.env.DYNOLITH_WITHOUT_FOLDERS ? 'the library has none' : false};

const count = async (client) => (await client.send(new ScanCommand({TableName: 'music'}))).Count;

test('items, errors, waiters and pages are the SDK’s', async (t) => {
  const {client} = await music(t);
  await waitUntilTableExists({client, maxWaitTime: 5, minDelay: 1, maxDelay: 1}, {TableName: 'music'});
  await Promise.all([...Array(20).keys()].map((n) => client.send(put(String(n)))));
  const pages = [];
  for await (const page of paginateScan({client, pageSize: 8}, {TableName: 'music'})) pages.push(page.Count);
  assert.deepEqual(pages, [8, 8, 4]);
  await assert.rejects(client.send(new GetItemCommand({TableName: 'none', Key: {pk: {S: 'a'}}})), {name: 'ResourceNotFoundException'});
  await assert.rejects(client.send(new PutItemCommand({TableName: 'music', Item: {pk: {S: '1'}},
    ConditionExpression: 'attribute_not_exists(pk)'})), {name: 'ConditionalCheckFailedException'});
});

test('answers are the wire’s', async (t) => {
  const {client} = await music(t);
  const {$metadata} = await client.send(put('a'));
  assert.equal($metadata.httpStatusCode, 200);
  assert.equal($metadata.attempts, 1);
  assert.equal($metadata.requestId.length, 52);
});

test('documents and streams', async (t) => {
  const {database, client} = await music(t);
  const documents = DynamoDBDocumentClient.from(client);
  await documents.send(new PutCommand({TableName: 'music', Item: {pk: 'a', tags: new Set(['x']), n: 5}}));
  assert.equal((await documents.send(new GetCommand({TableName: 'music', Key: {pk: 'a'}}))).Item.n, 5);
  const streams = new DynamoDBStreamsClient(database.clientConfig());
  assert.deepEqual((await streams.send(new ListStreamsCommand({}))).Streams, []);
});

test('a lost answer is tried again, a late one is late and holds up nobody', async (t) => {
  const {database, client} = await music(t);
  await database.admin('POST', 'faults', {fault: 'dropped_connection', operation: 'PutItem', hits_max: 1});
  assert.equal((await client.send(put('a'))).$metadata.attempts, 2);
  await database.admin('POST', 'faults', {fault: 'latency', operation: 'PutItem', latency: 0.3});
  const start = performance.now();
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((pk) => client.send(put(pk))));
  const took = performance.now() - start;
  assert.ok(took >= 290 && took < 2300, `${took} ms`);
});

test('who gives up hears so at once', async (t) => {
  const {database, client} = await music(t);
  await database.admin('POST', 'faults', {fault: 'latency', operation: 'PutItem', latency: 5});
  const start = performance.now();
  await assert.rejects(client.send(put('a'), {abortSignal: AbortSignal.timeout(50)}), {name: /AbortError|TimeoutError/});
  assert.ok(performance.now() - start < 3000);
  await assert.rejects(client.send(put('a'), {abortSignal: AbortSignal.abort()}), {name: 'AbortError'});
});

test('timers have their turn while calls work', async (t) => {
  const {client} = await music(t);
  const text = {S: 'x'.repeat(300_000)};
  for (let n = 0; n < 40; ++n) await client.send(put(String(n), {text}));
  let ticks = 0;
  const timer = setInterval(() => ++ticks, 1);
  for (let n = 0; ticks < 3; ++n) {
    assert.ok(n < 10_000, 'no timer in ten thousand rounds');
    await Promise.all([...Array(8)].map(() => client.send(new ScanCommand({TableName: 'music', FilterExpression: 'contains(#t, :y)',
      ExpressionAttributeNames: {'#t': 'text'}, ExpressionAttributeValues: {':y': {S: 'y'.repeat(1000)}}}))));
  }
  clearInterval(timer);
});

test('the clock', async (t) => {
  const {database, client} = await music(t, {clock: 'manual'});
  await client.send(new UpdateTimeToLiveCommand({TableName: 'music', TimeToLiveSpecification: {Enabled: true, AttributeName: 'until'}}));
  const now = await database.now();
  await client.send(put('a', {until: {N: String(Math.floor(now / 1000) + 60)}}));
  assert.equal(await database.advanceClock(3600) - now, 3_600_000);
  assert.equal(await count(client), 0);
  assert.equal(await database.sweep(), 0);
  assert.equal(await database.setClock(new Date(now.getTime() + 7_200_000)) - now, 7_200_000);
  await assert.rejects(database.setClock(new Date(0)), {name: 'DynolithError', kind: 'InvalidArgument'});
});

test('snapshots and forks', async (t) => {
  const {database, client} = await music(t);
  await database.snapshot('empty');
  await client.send(put('a'));
  const fork = await database.fork();
  await database.restore('empty');
  assert.equal(await count(client), 0);
  assert.equal(await count(new DynamoDBClient(fork.clientConfig())), 1);
  await fork.close();
  assert.deepEqual(await database.snapshots(), ['empty']);
  await database.removeSnapshot('empty');
  await assert.rejects(database.restore('empty'), {kind: 'NotFound', message: 'there is no snapshot empty'});
});

test('a global table over regions of this process', async (t) => {
  const {database, client} = await music(t, {regions: ['us-east-1', 'eu-west-1']});
  const west = await database.inRegion('eu-west-1');
  t.after(() => west.close());
  await client.send(new UpdateTableCommand({TableName: 'music',
    StreamSpecification: {StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES'}}));
  await client.send(new UpdateTableCommand({TableName: 'music', ReplicaUpdates: [{Create: {RegionName: 'eu-west-1'}}]}));
  await client.send(put('a'));
  await database.admin('POST', 'regions/settle');
  const there = new DynamoDBClient(west.clientConfig());
  assert.equal(await count(there), 1);
  assert.equal(await there.config.region(), 'eu-west-1');
  await database.close();
  assert.equal(await count(there), 1);
  await assert.rejects(west.inRegion('moon'), {name: 'DynolithError', kind: 'NotFound'});
});

test('a folder', FOLDERS, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  const {database} = await music(t, {path: path.join(folder, 'data')});
  await database.checkpoint(path.join(folder, 'copy'));
  await database.close();
  const copy = await Database.open({path: path.join(folder, 'copy'), read_only: true});
  assert.deepEqual((await new DynamoDBClient(copy.clientConfig()).send(new ListTablesCommand({}))).TableNames, ['music']);
  await copy.close();
});

test('a folder is free once it is closed, whatever was started meanwhile', FOLDERS, async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-'));
  t.after(() => fs.rmSync(folder, {recursive: true}));
  const data = path.join(folder, 'data');
  const {database} = await music(t, {path: data});
  const script = path.join(folder, 'child.js');
  fs.writeFileSync(script, 'process.send("started"); setInterval(() => {}, 1000);');
  const child = fork(script);
  t.after(() => child.kill('SIGKILL'));
  await new Promise((resolve, reject) => child.once('message', resolve).once('error', reject));
  await database.close();
  assert.equal(spawnSync('flock', ['--nonblock', data, 'true']).status, 0);
  const again = await Database.open({path: data});
  assert.deepEqual((await new DynamoDBClient(again.clientConfig()).send(new ListTablesCommand({}))).TableNames, ['music']);
  await again.close();
});

test('what is wrong is said', async (t) => {
  await assert.rejects(Database.open({pth: 'x'}), (problem) => problem instanceof DynolithError && problem.kind === 'InvalidArgument' &&
    problem.message === 'there is no option "pth"; did you mean "path"?');
  const {database, client} = await music(t);
  await assert.rejects(database.admin('GET', 'nothing'), {kind: 'NotFound'});
  await assert.rejects(database.call('PutItem', 5), /neither a text nor bytes/);
  await Promise.all([database.close(), database.close()]);
  await assert.rejects(client.send(put('a')), {name: 'DynolithError', message: 'the database is closed'});
});

test('a close waits for calls under way', async (t) => {
  const {database, client} = await music(t);
  const calls = [...Array(50).keys()].map((n) => client.send(put(String(n))).catch((problem) => problem.kind));
  await new Promise((resolve) => setTimeout(resolve, 2));
  await database.close();
  for (const answer of await Promise.all(calls)) assert.ok(answer.$metadata || answer === 'FailedPrecondition');
});

test('versions agree', () => {
  const {version: ours} = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url)));
  assert.equal(version(), ours);
  const project = new URL('../../../../CMakeLists.txt', import.meta.url);
  assert.ok(fs.readFileSync(project, 'utf8').includes(`project(dynolith VERSION ${ours} `));
});

test('npx dynolith is the program', {skip: !process.env.DYNOLITH_PROGRAM}, () => {
  const program = new URL('../program.cjs', import.meta.url).pathname;
  assert.match(execFileSync(process.execPath, [program, '--version'], {encoding: 'utf8'}), /\d+\.\d+\.\d+/);
  assert.equal(spawnSync(process.execPath, [program, 'nonsense']).status, 2);
});

test('changes come in order, from now on or from a place, until the stream ends', async (t) => {
  const {database, client} = await music(t);
  await assert.rejects(database.changes('music'), {kind: 'InvalidArgument', message: /has no stream/});
  const stream = (StreamSpecification) => client.send(new UpdateTableCommand({TableName: 'music', StreamSpecification}));
  await stream({StreamEnabled: true, StreamViewType: 'NEW_IMAGE'});
  const changes = await database.changes('music');
  for (let n = 0; n < 20; ++n) await client.send(put(`artist ${n % 3}`, {n: {N: String(n)}}));
  const number = ({record}) => Number(record.dynamodb.NewImage.n.N);
  const seen = [];
  for await (const change of changes) {
    seen.push(change);
    if (seen.length === 20) break;
  }
  assert.deepEqual(seen.map(number), [...Array(20).keys()]);
  await stream({StreamEnabled: false});
  const rest = [];
  for await (const change of await database.changes('music', {after: seen[11].place})) rest.push(number(change));
  assert.deepEqual(rest, [12, 13, 14, 15, 16, 17, 18, 19]);
  await assert.rejects(database.changes('music', {after: 'nowhere'}), {kind: 'InvalidArgument'});
});
