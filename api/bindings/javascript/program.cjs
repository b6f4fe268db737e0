#!/usr/bin/env node
// `npx dynolith`: the program, from DYNOLITH_PROGRAM, beside this package or in its platform's, from this tree, or from PATH.
'use strict';
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const {binaries} = require('./binaries.cjs');

const beside = [path.join(binaries(), 'dynolith'), path.resolve(__dirname, '../../../build/tools/dynolith')];
const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'dynolith'))
    .filter((file) => fs.existsSync(file) && !fs.realpathSync(file).startsWith(__dirname + path.sep));
const program = process.env.DYNOLITH_PROGRAM ?? [...beside, ...onPath].find(fs.existsSync);
if (!program) {
  console.error('dynolith: the program was not found; DYNOLITH_PROGRAM may say where it is');
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), {stdio: 'inherit'});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (problem) => {
  console.error(`dynolith: ${program}: ${problem.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
});
