'use strict';
// A database in this process, and what the AWS SDK for JavaScript v3 needs to be on it, in Node.js: by the native library, or by the
// WebAssembly module.
const fs = require('node:fs');
const path = require('node:path');
const {Readable} = require('node:stream');
const {isMainThread} = require('node:worker_threads');
const {binaries, portable} = require('./binaries.cjs');
const database = require('./database.cjs');

const NAME = process.platform === 'win32' ? 'dynolith.dll' : 'libdynolith.so.0';

/** The library in this process, by addon.c; throws why there is none. */
function nativeLibrary() {
  const found = require(path.join(binaries(), 'build/dynolith.node'));
  const places = process.env.DYNOLITH_LIBRARY ? [process.env.DYNOLITH_LIBRARY] :
    [path.join(binaries(), NAME), path.resolve(__dirname, '../../../build/api/c', NAME)].filter(fs.existsSync).concat(NAME);
  const problems = [];
  for (const place of places) {
    try {
      found.version = found.load(place, !isMainThread);
      return found;
    } catch (problem) {
      problems.push(problem.message);
    }
  }
  throw new Error(`${NAME} was not found; DYNOLITH_LIBRARY may say where it is: ${problems.join('; ')}`);
}

/** The same as a WebAssembly module, which runs everywhere; undefined: it is not there. */
function portableLibrary() {
  const file = portable();
  return file && new (require('./wasm.cjs').Face)(new WebAssembly.Module(fs.readFileSync(file)));
}

let loaded;
function addon() {
  if (loaded) return loaded;
  if (process.env.DYNOLITH_WASM) return loaded = portableLibrary();
  try {
    return loaded = nativeLibrary();
  } catch (problem) {
    // Who says where a library is wants that one.
    loaded = process.env.DYNOLITH_LIBRARY ? undefined : portableLibrary();
    if (!loaded) throw problem;
    loaded.reason = problem.message;
    return loaded;
  }
}

/** The library's version. */
const version = () => addon().version;

class Database extends database.Database {
  static library() {
    return addon();
  }
  static streamOf(body) {
    return Readable.from(body.length ? [body] : []);
  }
}

module.exports = {...database, Database, version};
