'use strict';
// Where library, program and addon are: in this package, or in one of its platform's, which npm installs with it where it fits.
const fs = require('node:fs');
const path = require('node:path');

/** The package.json of an installed package; undefined if it is not installed. */
function installed(name) {
  try {
    return require.resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

/** The folder. */
function binaries() {
  const {optionalDependencies = {}} = require('./package.json');
  const known = Object.keys(optionalDependencies);
  if (!known.length) return __dirname;
  const [glibc, musl] = ['', '-musl'].map((end) => known.find((each) => each.endsWith(`-${process.platform}-${process.arch}${end}`)));
  const found = [glibc, musl].filter((name) => name && installed(name));
  // An npm before 10 installs both. Node.js knows the version of glibc where it is; asking takes milliseconds.
  const name = found.length < 2 ? found[0] : process.report.getReport().header.glibcVersionRuntime ? glibc : musl;
  if (name) return path.dirname(installed(name));
  throw new Error(glibc || musl ?
    `the package ${glibc || musl} is missing: npm leaves it out with --omit=optional, and where the C library is another one` :
    `there is no package for ${process.platform} on ${process.arch}, but ${known.join(', ')}`);
}

/** The WebAssembly module: DYNOLITH_WASM, in this package, or in this tree; undefined if there is none. */
function portable() {
  if (process.env.DYNOLITH_WASM) return process.env.DYNOLITH_WASM;
  return [path.join(__dirname, 'dynolith.wasm'), path.resolve(__dirname, '../../../build-wasm/dynolith.wasm')].find(fs.existsSync);
}

module.exports = {binaries, portable};
