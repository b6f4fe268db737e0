// Calls a second of the SDK in process and over loopback, in turns, and the time from nothing to the first answered call.
//
//     DYNOLITH_NODE_MODULES=… node measure.mjs PROGRAM          the program `dynolith`
import {execFileSync, spawn} from 'node:child_process';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const ROUNDS = 9;
const CALLS = 300;
const modules = createRequire(path.join(process.env.DYNOLITH_NODE_MODULES ?? path.resolve('node_modules'), 'here.js'));
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const TABLE = {TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]};
const ITEM = {pk: {S: 'a'}, text: {S: 'x'.repeat(180)}};

async function firstCall() {
  const times = [performance.now()];
  const {DynamoDBClient, ListTablesCommand} = modules('@aws-sdk/client-dynamodb');
  times.push(performance.now());
  const {Database} = await import('./index.mjs');
  const database = await Database.open();
  times.push(performance.now());
  await new DynamoDBClient(database.clientConfig()).send(new ListTablesCommand({}));
  times.push(performance.now());
  await (await Database.open()).call('ListTables', '{}');
  times.push(performance.now());
  console.log(times.slice(1).map((time, i) => time - times[i]).join(' '));
}

async function rate(call) {
  const start = performance.now();
  for (let n = 0; n < CALLS; ++n) await call();
  return CALLS / (performance.now() - start) * 1000;
}

async function compare(program) {
  const {CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand} = modules('@aws-sdk/client-dynamodb');
  const {Database} = await import('./index.mjs');
  const server = spawn(program, ['serve', '--memory', '--port', '0'], {stdio: ['ignore', 'pipe', 'inherit']});
  const [line] = await new Promise((resolve) => readline.createInterface(server.stdout).once('line', (text) => resolve([text])));
  const {endpoint, requestHandler, ...rest} = (await Database.open()).clientConfig();
  const sides = [new DynamoDBClient({...rest, endpoint, requestHandler}), new DynamoDBClient({...rest, endpoint: /http:\S+/.exec(line)[0]})];
  for (const client of sides) await client.send(new CreateTableCommand(TABLE));
  for (const [name, make] of [['PutItem', () => new PutItemCommand({TableName: 'music', Item: ITEM})],
    ['GetItem', () => new GetItemCommand({TableName: 'music', Key: {pk: ITEM.pk}})]]) {
    const rates = [[], []];
    for (let round = 0; round < ROUNDS; ++round) {
      for (const [i, client] of sides.entries()) rates[i].push(await rate(() => client.send(make())));
    }
    const [inside, loopback] = rates.map(median);
    console.log(`${name}: ${inside.toFixed()} calls a second in process, ${loopback.toFixed()} over loopback, ${(inside / loopback).toFixed(2)}`);
  }
  server.kill();
}

if (process.argv[2] === '--first') {
  await firstCall();
} else {
  await compare(process.argv[2]);
  const runs = [...Array(ROUNDS)].map(() => execFileSync(process.execPath, [import.meta.filename ?? process.argv[1], '--first'],
    {encoding: 'utf8'}).trim().split(' ').map(Number));
  const [sdk, opened, first, another] = runs[0].map((_, i) => median(runs.map((run) => run[i])).toFixed(1));
  console.log(`from nothing: ${sdk} ms to load the SDK, ${opened} to load the library and open, ${first} the SDK's client and its first ` +
    `call; another database with a call of its own: ${another} ms`);
  process.exit();
}
