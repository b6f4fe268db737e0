'use strict';
// Where library, program and addon are: in this package, or in one of its platform's, which npm installs with it where it fits.
const fs = require('node:fs');
const path = require('node:path');

/** The folder. */
function binaries() {
  const {optionalDependencies = {}} = require('./package.json');
  const name = Object.keys(optionalDependencies).find((each) => each.endsWith(`-${process.platform}-${process.arch}`));
  if (!name && !Object.keys(optionalDependencies).length) return __dirname;
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch {
    const known = Object.keys(optionalDependencies).join(', ');
    throw new Error(name ? `the package ${name} is missing: npm leaves it out with --omit=optional` :
      `there is no package for ${process.platform} on ${process.arch}, but ${known}`);
  }
}

/** The WebAssembly module: DYNOLITH_WASM, in this package, or in this tree; undefined if there is none. */
function portable() {
  if (process.env.DYNOLITH_WASM) return process.env.DYNOLITH_WASM;
  return [path.join(__dirname, 'dynolith.wasm'), path.resolve(__dirname, '../../../build-wasm/dynolith.wasm')].find(fs.existsSync);
}

module.exports = {binaries, portable};
