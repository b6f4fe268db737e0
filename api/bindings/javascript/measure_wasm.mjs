// The WebAssembly module beside the native library, in turns: calls as the wire has them, without an SDK; its size, and the time
// until it answers. Times are those of the processor, which other programs do not lengthen much.
//
//     node measure_wasm.mjs MODULE             the native library is found as index.cjs finds it
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import zlib from 'node:zlib';

const SIDES = ['native', 'module'];
const ROUNDS = 9;
const CALLS = 5000;
const STARTS = 20;
const module = process.argv[2];
/** Microseconds of all threads of this process since a former time. */
const used = (since) => Object.values(process.cpuUsage(since)).reduce((a, b) => a + b);
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const TABLE = {TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]};
const ITEM = {pk: {S: 'a'}, text: {S: 'x'.repeat(180)}};
const CASES = [['GetItem', JSON.stringify({TableName: 'music', Key: {pk: ITEM.pk}})],
  ['PutItem', JSON.stringify({TableName: 'music', Item: ITEM})]];

/** From nothing to the first answer, in a process of its own. */
async function first() {
  const [start, since] = [performance.now(), process.cpuUsage()];
  const {Database} = createRequire(import.meta.url)('./index.cjs');
  await (await Database.open()).call('ListTables', '{}');
  console.log(JSON.stringify([performance.now() - start, used(since) / 1000]));
}

/** Microseconds a call, one after the other; of the module also without the promises of the binding. */
async function side() {
  if (process.argv[4] === 'module') process.env.DYNOLITH_WASM = module;
  const require = createRequire(import.meta.url);
  const {Database} = require('./index.cjs');
  const database = await Database.open();
  await database.call('CreateTable', JSON.stringify(TABLE));
  await database.call('PutItem', CASES[1][1]);
  const times = {};
  for (const [operation, body] of CASES) {
    for (let n = 0; n < CALLS; ++n) await database.call(operation, body);  // compiled by now
    const since = process.cpuUsage();
    for (let n = 0; n < CALLS; ++n) await database.call(operation, body);
    times[operation] = used(since) / CALLS;
  }
  if (process.argv[4] === 'module') await faceAlone(require, times);
  console.log(JSON.stringify(times));
}

async function faceAlone(require, times) {
  const {Face} = require('./wasm.cjs');
  const face = new Face(new WebAssembly.Module(fs.readFileSync(module)));
  const [OPEN, , CALL] = [0, 1, 2];
  const handle = face.run(OPEN, null, '{}');
  const call = (operation, body) => face.run(CALL, handle, operation, body, '', '');
  call('CreateTable', JSON.stringify(TABLE));
  for (const [operation, body] of CASES) {
    for (let n = 0; n < CALLS; ++n) call(operation, body);
    const since = process.cpuUsage();
    for (let n = 0; n < CALLS; ++n) call(operation, body);
    times[`${operation} without promises`] = used(since) / CALLS;
  }
}

function compare() {
  const bytes = fs.readFileSync(module);
  console.log(`${(bytes.length / 1e6).toFixed(2)} MB, by gzip -9 ${(zlib.gzipSync(bytes, {level: 9}).length / 1e6).toFixed(2)}, by brotli ` +
    `${(zlib.brotliCompressSync(bytes).length / 1e6).toFixed(2)}`);
  const own = fileURLToPath(import.meta.url);
  const run = (what, of, environment = {}) => execFileSync(process.execPath, [own, module, what, of],
    {encoding: 'utf8', env: {...process.env, ...environment}}).trim();
  const starts = SIDES.map((of) => [...Array(STARTS)].map(() => JSON.parse(run('--first', of, of === 'module' ? {DYNOLITH_WASM: module} : {}))));
  for (const [i, what] of ['ms until the first answer', 'ms of the processor for it'].entries()) {
    const [native, portable] = starts.map((runs) => median(runs.map((each) => each[i])).toFixed(1));
    console.log(`${what}, median of ${STARTS}: native ${native}, module ${portable}`);
  }
  const rounds = [...Array(ROUNDS)].map(() => SIDES.map((of) => JSON.parse(run('--side', of))));
  for (const name of Object.keys(rounds[0][1])) {
    const [native, portable] = [0, 1].map((i) => median(rounds.map((round) => round[i][name] ?? NaN)));
    console.log(`${name}: ${Number.isNaN(native) ? '' : `native ${native.toFixed(1)} µs, `}module ${portable.toFixed(1)} µs`);
  }
}

if (process.argv[3] === '--first') {
  await first();
} else if (process.argv[3] === '--side') {
  await side();
} else {
  compare();
}
process.exit();
