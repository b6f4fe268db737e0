// A database in a page of a browser: `Database` on an instance of the WebAssembly module of its own, which can be kept as bytes.
import database from './database.cjs';
import wasm from './wasm.cjs';

export const {DynolithError, RequestHandler} = database;

// Of what `save` returns: which bytes these are. A new number for another layout.
const FORMAT = 'dynolith page 1\n';
const [HASH_BYTES, LENGTH_BYTES] = [32, 4];
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** Another module's memory cannot be told from this one's, and means something else. */
async function hashOf(bytes) {
  if (!globalThis.crypto?.subtle) {
    throw new DynolithError('FailedPrecondition',
      'pages can save databases only if they come from https, from this machine, or from a file');
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

const joined = async (...parts) => new Uint8Array(await new Blob(parts).arrayBuffer());

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The module's bytes. */
async function bytesOf(given) {
  if (!(given instanceof Response)) return given;
  if (!given.ok) throw new DynolithError('NotFound', `there is no WebAssembly module at ${given.url}: status ${given.status}`);
  return given.arrayBuffer();
}

/** What save() made, taken apart. */
async function imageIn(saved, hash) {
  const damaged = new DynolithError('DataLoss', 'these bytes are not what save() has returned');
  const format = saved.subarray(0, FORMAT.length);
  const [hashAt, lengthAt] = [FORMAT.length, FORMAT.length + HASH_BYTES];
  const factsAt = lengthAt + LENGTH_BYTES;
  if (saved.length < factsAt || decoder.decode(format) !== FORMAT) throw damaged;
  if (saved.subarray(hashAt, lengthAt).some((byte, i) => byte !== hash[i])) {
    throw new DynolithError('FailedPrecondition',
      'this database was saved by another version of the WebAssembly module, and can be opened only by that one');
  }
  const memoryAt = factsAt + new DataView(saved.buffer, saved.byteOffset + lengthAt, LENGTH_BYTES).getUint32(0, true);
  try {
    const facts = JSON.parse(decoder.decode(saved.subarray(factsAt, memoryAt)));
    // gzip has a checksum of its own.
    const memory = await through(new DecompressionStream('gzip'), saved.subarray(memoryAt));
    if (memory.length !== facts.bytes) throw damaged;
    return {...facts, memory};
  } catch (problem) {
    throw Object.assign(damaged, {cause: problem});
  }
}

/**
 * A database in this page, in memory: `await openDatabase(fetch('dynolith.wasm'))`.
 *
 * module   the bytes of dynolith.wasm, or a Response with them, or a promise of one
 * options  those of dynolith_open in dynolith/dynolith.h
 * saved    what `save` has returned, on this page or another one with the same module: then the database is that one, and has the
 *          options that it was opened with
 */
export async function openDatabase(module, {saved, ...options} = {}) {
  const bytes = await bytesOf(await module);
  const image = saved && await imageIn(saved instanceof ArrayBuffer ? new Uint8Array(saved) : saved, await hashOf(bytes));
  const face = new wasm.Face(await WebAssembly.compile(bytes), image);

  class Database extends database.Database {
    static library() {
      return face;
    }
    static streamOf(body) {
      return new Blob([body]).stream();
    }

    /** The database as it is now, with its snapshots: bytes for IndexedDB, OPFS or a file. */
    async save() {
      const {memory, ...facts} = face.image();
      if (facts.open !== 1) {
        throw new DynolithError('FailedPrecondition',
          'a database can be saved once its forks and the databases of its regions are closed');
      }
      const text = encoder.encode(JSON.stringify({...facts, bytes: memory.length, database: this.facts()}));
      const length = new Uint8Array(LENGTH_BYTES);
      new DataView(length.buffer).setUint32(0, text.length, true);
      return joined(FORMAT, await hashOf(bytes), length, text, await through(new CompressionStream('gzip'), memory));
    }
  }
  return image ? Database.of(image.database) : Database.open(options);
}
