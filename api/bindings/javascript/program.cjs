#!/usr/bin/env node
// `npx dynolith`: the program, from DYNOLITH_PROGRAM, beside this package or in its platform's, from this tree, or from PATH. Where
// there is none, `serve` is this package's own, with the WebAssembly module.
'use strict';
const {spawn} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const {binaries, portable} = require('./binaries.cjs');

function besidePackage() {
  try {
    return [path.join(binaries(), 'dynolith'), path.resolve(__dirname, '../../../build/tools/dynolith')];
  } catch {
    return [];  // there is no package for this platform
  }
}

function run(program) {
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
}

const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'dynolith'))
    .filter((file) => fs.existsSync(file) && !fs.realpathSync(file).startsWith(__dirname + path.sep));
const program = process.env.DYNOLITH_WASM ? undefined :
  process.env.DYNOLITH_PROGRAM ?? [...besidePackage(), ...onPath].find(fs.existsSync);
if (program) {
  run(program);
} else if (portable()) {
  require('./serve.cjs').main(process.argv.slice(2)).then((code) => {
    if (code !== undefined) process.exitCode = code;
  });
} else {
  console.error('dynolith: the program was not found; DYNOLITH_PROGRAM may say where it is');
  process.exit(1);
}
