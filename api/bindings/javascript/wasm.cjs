'use strict';
// The C face in a WebAssembly module (tools/package/wasm) behind the functions that addon.c has: where there is no native library,
// and in browsers. It runs on the caller's thread, one call after the other.
const {Turns} = require('./turns.cjs');
const {steadyTime, wasiOf} = require('./wasi.cjs');

// As in addon.c and index.cjs.
const [OPEN, CLOSE, CALL, ADMIN, CHECKPOINT, SNAPSHOT, RESTORE, REMOVE_SNAPSHOT, FORK, REGION] = Array(10).keys();
// dynolith_response of dynolith.h where pointers have 4 bytes.
const RESPONSE = {bytes: 96, status: 0, crc32: 4, body: 8, bodySize: 12, contentType: 20, delay: 24, isDropped: 32, requestId: 36};
// Bytes that are kept for texts of calls; longer ones get memory of their own.
const KEPT_BYTES = 64 << 10;
// How often work that no call triggers is looked for, in milliseconds: sweeps of expired items.
const TICK = 250;
// A memory grows by so many bytes at a time.
const PAGE = 64 << 10;

// As they are before a test puts its own in their place, with which nothing here would be due.
const [setTicking, endTicking] = [setInterval, clearInterval];

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The module's last words. */
function say(descriptor, bytes) {
  console.error(decoder.decode(bytes).trimEnd());
}

/** An error as addon.c makes it. */
function errorOf(kind, message) {
  return Object.assign(new Error(message), {kind});
}

class Face {
  #library;
  #response;
  #kept;
  #bytes;
  #turns = new Turns();
  #open = 0;
  #end;
  #timer;
  #ahead;
  version;
  // Nothing else can happen in the module while a call waits.
  waits = false;

  /** `image`: of an instance of the same module, whose databases this one then has. */
  constructor(module, image) {
    const memory = () => this.#library.memory;
    // Times that are waited for are the steady clock's, so it goes on from where it was.
    this.#ahead = image ? image.steady - steadyTime() : 0;
    const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: wasiOf(module, memory, say, this.#ahead)});
    this.#library = exports;
    if (image) {
      this.#takeOver(image);
    } else {
      exports._initialize?.();
      this.#response = this.#allot(RESPONSE.bytes);
      this.#kept = this.#allot(KEPT_BYTES);
      this.#memory().fill(0, this.#response, this.#response + RESPONSE.bytes);
    }
    this.version = this.#textAt(exports.dynolith_version());
  }

  /** All that an instance has between two calls: its memory, and where in it this object has its own. */
  image() {
    if (this.#end) throw errorOf('Internal', this.#ended());
    return {memory: this.#memory().slice(), steady: steadyTime() + this.#ahead, open: this.#open, response: this.#response,
      kept: this.#kept};
  }

  #takeOver({memory, open, response, kept}) {
    this.#library.memory.grow((memory.length - this.#memory().length) / PAGE);
    this.#memory().set(memory);
    [this.#response, this.#kept, this.#open] = [response, kept, open];
    if (open > 0) this.#startTicking();
  }

  /** A place of so many bytes, 0 if there is none. What a module returns has a sign, which addresses have not. */
  #allot(bytes) {
    return this.#library.malloc(bytes) >>> 0;
  }

  /** The memory, which moves when it grows. */
  #memory() {
    const {buffer} = this.#library.memory;
    if (this.#bytes?.buffer !== buffer) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }

  #textAt(returned) {
    const [place, bytes] = [returned >>> 0, this.#memory()];
    return decoder.decode(bytes.subarray(place, bytes.indexOf(0, place)));
  }

  /** Calls `use` with the places and sizes of texts in the module's memory, each ended by a zero. */
  #withTexts(texts, use) {
    const allotted = [];
    const places = [];
    let kept = this.#kept;
    try {
      for (const text of texts) {
        // A character of JavaScript takes three bytes at most.
        const most = (typeof text === 'string' ? 3 * text.length : text.length) + 1;
        let place = kept;
        if (kept + most <= this.#kept + KEPT_BYTES) {
          kept += most;
        } else {
          place = this.#allot(most);
          if (!place) throw errorOf('ResourceExhausted', 'the module has no memory for this call');
          allotted.push(place);
        }
        const to = this.#memory().subarray(place, place + most);
        let size = text.length;
        if (typeof text === 'string') {
          size = encoder.encodeInto(text, to).written;
        } else {
          to.set(text);
        }
        to[size] = 0;
        places.push(place, size);
      }
      return use(...places);
    } finally {
      for (const place of allotted) this.#library.free(place);
    }
  }

  /** Throws what a function of the face has returned, if it is an error. */
  #check(error) {
    if (!error) return;
    const [kind, message] = [this.#textAt(this.#library.dynolith_error_kind(error)),
      this.#textAt(this.#library.dynolith_error_message(error))];
    this.#library.dynolith_error_free(error);
    throw errorOf(kind, message);
  }

  #answer() {
    const at = this.#response;
    const view = new DataView(this.#library.memory.buffer);
    const body = view.getUint32(at + RESPONSE.body, true);
    return {
      status: view.getInt32(at + RESPONSE.status, true),
      crc32: view.getUint32(at + RESPONSE.crc32, true),
      delaySeconds: Number(view.getBigInt64(at + RESPONSE.delay, true)) / 1e9,
      isDropped: view.getInt32(at + RESPONSE.isDropped, true),
      contentType: this.#textAt(view.getUint32(at + RESPONSE.contentType, true)),
      requestId: this.#textAt(at + RESPONSE.requestId),
      // A copy, which the next call does not overwrite.
      body: this.#bytesOf(this.#memory().slice(body, body + view.getUint32(at + RESPONSE.bodySize, true))),
    };
  }
  #bytesOf(bytes) {
    return globalThis.Buffer ? Buffer.from(bytes.buffer) : Object.assign(bytes, {toString: () => decoder.decode(bytes)});
  }

  /** A new database, by a function that fills a place for it. */
  #made(make) {
    const place = this.#allot(4);
    try {
      this.#check(make(place));
      this.#count(1);
      return {place: new DataView(this.#library.memory.buffer).getUint32(place, true)};
    } finally {
      this.#library.free(place);
    }
  }

  /** Work that no call triggers is looked for while a database is open, and keeps no program alive. */
  #count(more) {
    this.#open += more;
    if (this.#open === 0) endTicking(this.#timer);
    if (more === 1 && this.#open === 1) this.#startTicking();
  }

  #startTicking() {
    this.#timer = setTicking(() => this.#tick(), TICK);
    this.#timer.unref?.();
  }

  #tick() {
    try {
      if (!this.#end) this.#library.dynolith_do_due_work();
    } catch (problem) {
      this.#endBy(problem);
    }
  }

  /** Keeps why: the module's own words, if it has ended itself. */
  #endBy(problem) {
    this.#end = problem.message;
    try {
      this.#end = this.#textAt(this.#library.dynolith_end_reason()) || problem.message;
    } catch {
      // Nothing in its memory is to be trusted.
    }
  }

  /** One call, at once. */
  run(kind, handle, ...texts) {
    for (const text of texts) {
      if (typeof text !== 'string' && !(text instanceof Uint8Array)) throw new Error('this is neither a text nor bytes');
    }
    if (kind !== OPEN && !handle?.place) throw new Error('this is no database');
    if (this.#end) throw errorOf('Internal', this.#ended());
    try {
      return this.#run(kind, handle, texts);
    } catch (problem) {
      // All but errors of its own: what it was doing is half done, so nothing in its memory is to be trusted.
      if (problem.kind) throw problem;
      this.#endBy(problem);
      throw errorOf('Internal', this.#ended());
    }
  }

  #ended() {
    return `the WebAssembly module has ended, with all of its databases: ${this.#end}`;
  }

  #run(kind, handle, texts) {
    const library = this.#library;
    const database = handle?.place;
    // While no database of this module is in use, which some of this work waits for.
    library.dynolith_do_due_work();
    return this.#withTexts(texts, (...t) => {
      switch (kind) {
        case OPEN: return this.#made((place) => library.dynolith_open(...t, place));
        case FORK: return this.#made((place) => library.dynolith_fork(database, ...t, place));
        case REGION: return this.#made((place) => library.dynolith_region(database, ...t, place));
        case CLOSE:
          handle.place = 0;
          library.dynolith_close(database);
          this.#count(-1);
          return undefined;
        case CALL:
          library.dynolith_call_as(database, ...t, this.#response);
          return this.#answer();
        case ADMIN:
          library.dynolith_admin(database, t[0], ...t.slice(2), this.#response);
          return this.#answer();
        case CHECKPOINT: return this.#check(library.dynolith_checkpoint(database, ...t));
        case SNAPSHOT: return this.#check(library.dynolith_snapshot(database, ...t));
        case RESTORE: return this.#check(library.dynolith_restore(database, ...t));
        case REMOVE_SNAPSHOT: return this.#check(library.dynolith_remove_snapshot(database, ...t));
        default: throw new Error('no such call');
      }
    });
  }

  /** As addon.c's. */
  async begin(kind, handle, ...texts) {
    while (this.#turns.areOthersDue) await this.#turns.letOthers();
    return this.run(kind, handle, ...texts);
  }
}

module.exports = {Face};
