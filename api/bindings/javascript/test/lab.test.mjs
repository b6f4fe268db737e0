// `npx dynolith lab` by the WebAssembly module says and writes what the native program does, byte for byte: they run the same code,
// but with other C libraries, whose mathematics, random numbers or order of equal things could differ. DYNOLITH_WASM says where
// the module is, DYNOLITH_PROGRAM where the native program.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';

import {SHOP} from './shop.mjs';

const {runLab} = createRequire(import.meta.url)('../lab.cjs');
const PORTABLE = new URL('../program.cjs', import.meta.url).pathname;
const {DYNOLITH_WASM, DYNOLITH_PROGRAM} = process.env;
const SKIP = {skip: DYNOLITH_WASM && DYNOLITH_PROGRAM ? false : 'DYNOLITH_WASM and DYNOLITH_PROGRAM say where module and program are'};

const shippedText = (name) => spawnSync(DYNOLITH_PROGRAM, ['lab', 'new', '--from', name], {encoding: 'utf8'}).stdout;

/** All files below a folder: {name: bytes}. */
function filesBelow(folder) {
  return Object.fromEntries(fs.readdirSync(folder, {recursive: true}).sort().map((name) => [name, path.join(folder, name)])
      .filter(([, file]) => fs.statSync(file).isFile()).map(([name, file]) => [name, fs.readFileSync(file)]));
}

/** What a command says and writes in a new folder with some files. */
function ran(program, words, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-lab-'));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  const {status, stdout, stderr} = spawnSync(program[0], [...program.slice(1), 'lab', ...words], {cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28});
  const written = filesBelow(folder);
  fs.rmSync(folder, {recursive: true});
  return {status, stdout, stderr, written};
}

/** The module's, after it was compared with the program's. */
function same(words, files = {}) {
  const [native, portable] = [[DYNOLITH_PROGRAM], [process.execPath, PORTABLE]].map((program) => ran(program, words, files));
  for (const part of ['stderr', 'stdout', 'status']) assert.equal(portable[part], native[part], `${part} of ${words.join(' ')}`);
  assert.deepEqual(Object.keys(portable.written), Object.keys(native.written));
  for (const [name, bytes] of Object.entries(native.written)) assert.ok(bytes.equals(portable.written[name]), `${name} of ${words.join(' ')}`);
  return portable;
}

for (const name of ['uneven-partitions', 'burst', 'celebrity', 'from-nothing', 'hot-index', 'auto-scaling', 'ycsb-b', 'ycsb-e']) {
  test(`simulate ${name}`, SKIP, () => {
    const {status, written} = same(['simulate', name, '--json', 'a.json', '--report', 'a.html', '--csv', 'series']);
    assert.equal(status, 0);
    assert.ok(written['a.html'].length > 10_000 && Object.keys(written).length > 4);
  });
}

test('seeds, uncertainty, a design and a region', SKIP, () => {
  same(['simulate', 'hot-index', '--seeds', '5', '--seed', '31337', '--json', 'a.json']);
  same(['simulate', 'from-nothing', '--uncertainty', '--report=a.html']);
  same(['simulate', 'celebrity', '--design', '10 shards', '--region', 'eu-west-1', '--findings', 'design_findings.json']);
});

test('advise', SKIP, () => {
  const words = ['advise', 'shop.toml', '--json', 'a.json', '--report', 'a.html', '--findings', 'f.json', '--seed', '7'];
  same(words, {'shop.toml': SHOP});
  same([...words, '--throttled', '0.5'], {'shop.toml': SHOP});
});

test('files that words name', SKIP, () => {
  assert.equal(same(['simulate', 'shop.toml', '--report', 'deep.html'], {'shop.toml': SHOP}).status, 3);
  same(['check', 'shop.toml'], {'shop.toml': SHOP});
  assert.match(same(['simulate', 'shop.toml'], {'shop.toml': SHOP.replace('rate', 'rat')}).stderr, /shop\.toml:19:\d+: access\.place\.load\.rat /);
  assert.equal(same(['simulate', 'shop.toml'], {'shop.toml': 'title = ['}).status, 1);
  const prices = spawnSync(DYNOLITH_PROGRAM, ['lab', 'prices'], {encoding: 'utf8'}).stdout;
  same(['simulate', 'celebrity', '--prices=own.toml'], {'own.toml': prices.replaceAll('0.625', '0.5')});
  same(['new', 'mine.toml', '--from', 'celebrity']);
  same(['list']);
});

test('a wrong command line', SKIP, () => {
  for (const words of [['simulate', 'celebrty'], ['simulate'], ['simulate', '--sedes', '3'], ['simulate', 'burst', '--seeds', '0'],
    ['simulate', 'burst', '--seed', 'x'], ['simulate', 'burst', '--json'], ['simulate', 'burst', '--design', 'none'],
    ['advise', 'burst', '--throttled', '2'], ['simulate', 'burst', '--profile', 'p', '--uncertainty']]) {
    assert.notEqual(same(words).status, 0);
  }
  assert.match(ran([process.execPath, PORTABLE], ['simulate', '--help'], {}).stdout, /--seeds N/);
  assert.match(ran([process.execPath, PORTABLE], ['measure', 'burst'], {}).stderr, /measure is no command/);
});

test('a file that nobody gave is told', SKIP, () => {
  const {status, stderr} = ran([process.execPath, PORTABLE], ['simulate', 'replay.toml'], {'replay.toml': shippedText('replay')});
  assert.equal(status, 1);
  assert.match(stderr, /this portable build has no file system, and reads only files that are words of the command: not /);
  const {status: unwritten, stderr: reason} = ran([process.execPath, PORTABLE], ['simulate', 'burst', '--json', 'file/a.json'], {file: ''});
  assert.equal(unwritten, 1);
  assert.match(reason, /^dynolith: cannot write file\/a\.json: /m);
});

test('a host without files, and with a terminal', SKIP, () => {
  const module = new WebAssembly.Module(fs.readFileSync(DYNOLITH_WASM));
  const said = ['', '', ''];
  const print = (descriptor, bytes) => { said[descriptor] += Buffer.from(bytes).toString(); };
  const {exitCode, written} = runLab(module, ['simulate', 'x.toml', '--report', 'r.html'],
      {files: [['x.toml', shippedText('from-nothing')]], columns: [100, 60], print});
  assert.deepEqual([exitCode, written.map(([name]) => name)], [0, ['r.html']]);
  const {stdout} = ran([DYNOLITH_PROGRAM], ['simulate', 'from-nothing'], {});
  const widest = (text) => Math.max(...text.split('\n').map((line) => [...line].length));
  assert.ok(widest(said[1]) < widest(stdout));
  assert.match(said[2], /^\r\x1b\[KOn demand [^\r]* \[\.{5}\] .*\[#+\.*\] /s);
});
