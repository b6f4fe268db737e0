// The presets, in the runners that they are for.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {test} from 'node:test';

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const MODULES = process.env.DYNOLITH_NODE_MODULES ?? path.resolve('node_modules');

for (const [runner, program, file, ...words] of [
  ['vitest', 'vitest.mjs', 'vitest.test.mjs', 'run'],
  ['jest', 'bin/jest.js', 'jest.test.cjs', '--rootDir=.', '--testMatch=**/*.test.cjs', '--watchman=false'],
]) {
  test(runner, (t) => {
    // A project that has installed the runner and this package.
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'dynolith-'));
    t.after(() => fs.rmSync(folder, {recursive: true}));
    fs.mkdirSync(path.join(folder, 'node_modules'));
    fs.symlinkSync(path.join(MODULES, runner), path.join(folder, 'node_modules', runner));
    fs.symlinkSync(path.dirname(HERE), path.join(folder, 'node_modules', 'dynolith'));
    fs.writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
    // vite asks for the address of localhost, which a machine without /etc/hosts has not.
    fs.writeFileSync(path.join(folder, 'vitest.config.mjs'), "export default {server: {host: '127.0.0.1'}};");
    fs.copyFileSync(path.join(HERE, 'presets', file), path.join(folder, file));
    const env = {...process.env, NODE_TEST_CONTEXT: undefined};
    const run = spawnSync(process.execPath, [path.join(MODULES, runner, program), ...words], {cwd: folder, encoding: 'utf8', env});
    assert.equal(run.status, 0, run.stdout + run.stderr);
    assert.match(run.stdout + run.stderr, /[23] passed/);
  });
}
