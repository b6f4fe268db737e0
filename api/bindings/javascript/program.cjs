#!/usr/bin/env node
// `npx dynolith`: the program, from DYNOLITH_PROGRAM, beside this package or in its platform's, from this tree, or from PATH. Where
// there is none, `serve` and `lab` are this package's own, with the WebAssembly module.
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
  const child = spawn(program, process.argv.slice(2), {stdio: 'inherit', env: {...process.env, DYNOLITH_STARTED_BY_PACKAGE: '1'}});
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

// What package managers put there is a link to this file or a script that starts it, and on Windows no program.
const isPackage = (file) => fs.realpathSync(file).startsWith(__dirname + path.sep) ||
  path.dirname(file).endsWith(path.join('node_modules', '.bin'));
const NAME = process.platform === 'win32' ? 'dynolith.exe' : 'dynolith';
const onPath = process.env.DYNOLITH_STARTED_BY_PACKAGE ? [] : (process.env.PATH ?? '').split(path.delimiter)
    .map((folder) => path.join(folder, NAME)).filter((file) => fs.existsSync(file) && !isPackage(file));
const program = process.env.DYNOLITH_WASM ? undefined :
  process.env.DYNOLITH_PROGRAM ?? [...besidePackage(), ...onPath].find(fs.existsSync);
if (program) {
  run(program);
} else if (portable() && process.argv[2] === 'lab') {
  process.exitCode = require('./lab.cjs').main(portable(), process.argv.slice(3));
} else if (portable()) {
  require('./serve.cjs').main(process.argv.slice(2)).then((code) => {
    if (code !== undefined) process.exitCode = code;
  });
} else {
  console.error('dynolith: the program was not found; DYNOLITH_PROGRAM may say where it is');
  process.exit(1);
}
