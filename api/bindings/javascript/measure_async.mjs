// Calls a second without an SDK, in turns: on the event loop's thread, by the database's own threads, and by the run-time's pool.
//
//     node measure_async.mjs              the library is found as index.cjs finds it
import {createRequire} from 'node:module';

const [ROUNDS, CALLS, MANY] = [9, 2560, 64];
const TABLE = JSON.stringify({TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]});
const CALLED = {GetItem: '{"TableName": "music", "Key": {"pk": {"S": "1"}}}', Scan: '{"TableName": "music"}'};
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

const require = createRequire(import.meta.url);
require('./index.cjs').version();
const addon = require('./build/dynolith.node');
// In the order of addon.c.
const [OPEN, , CALL] = [0, 1, 2];
const database = await addon.begin(OPEN, null, '{}');
const WAYS = {
  'on the loop’s thread': async (target, body) => addon.call(database, target, body, '', ''),
  'by its own threads': (target, body) => new Promise((resolve) => addon.callAsync(database, target, body, resolve)),
  'by the pool': (target, body) => addon.begin(CALL, database, target, body, '', ''),
};

async function rate(way, target, body, underWay) {
  const start = performance.now();
  await Promise.all([...Array(underWay)].map(async () => {
    for (let n = 0; n < CALLS / underWay; ++n) await way(target, body);
  }));
  return CALLS / (performance.now() - start) * 1000;
}

addon.call(database, 'CreateTable', TABLE, '', '');
for (let n = 0; n < 50; ++n) {
  addon.call(database, 'PutItem', JSON.stringify({TableName: 'music', Item: {pk: {S: String(n)}, text: {S: 'x'.repeat(180)}}}), '', '');
}
for (const [target, body] of Object.entries(CALLED)) {
  for (const underWay of [1, MANY]) {
    const rates = Object.keys(WAYS).map(() => []);
    for (let round = 0; round < ROUNDS; ++round) {
      for (const [i, way] of Object.values(WAYS).entries()) rates[i].push(await rate(way, target, body, underWay));
    }
    for (const [i, way] of Object.keys(WAYS).entries()) {
      console.log(`${target}, ${underWay} under way, ${way}: ${Math.round(median(rates[i])).toLocaleString('en')} calls a second`);
    }
  }
}
