'use strict';
// What the WebAssembly module asks of its host (WASI preview 1): the time, randomness, and where it prints.

// WASI's: a function that is not there, and one that has nothing to do.
const [NO_SUCH_FUNCTION, SUCCESS, BAD_DESCRIPTOR] = [52, 0, 8];
const STANDARD_ERROR = 2;

// As they are before a test puts its own in their place.
const time = performance.now.bind(performance);
const timeOfDay = Date.now;
// Node.js 18 has it in a module only.
const randomness = globalThis.crypto ?? require('node:crypto').webcrypto;

/** The steady clock, in milliseconds. */
const steadyTime = () => time();

/**
 * The functions. `memory` returns the module's memory; `write(descriptor, bytes)` gets what it prints, a copy. `ahead`: by how
 * many milliseconds the module's steady clock is ahead of this process's, if its memory has been in another one.
 */
function wasiOf(module, memory, write, ahead = 0) {
  const view = () => new DataView(memory().buffer);
  const nanoseconds = (milliseconds) => BigInt(Math.round(milliseconds * 1e6));
  const functions = {
    clock_time_get(clock, precision, place) {
      const now = clock === 0 ? BigInt(timeOfDay()) * 1_000_000n : nanoseconds(steadyTime() + ahead);
      view().setBigUint64(place, now, true);
      return SUCCESS;
    },
    clock_res_get(clock, place) {
      view().setBigUint64(place, 1_000_000n, true);
      return SUCCESS;
    },
    random_get(place, size) {
      randomness.getRandomValues(new Uint8Array(memory().buffer, place, size));
      return SUCCESS;
    },
    fd_write(descriptor, pieces, count, place) {
      if (descriptor > STANDARD_ERROR) return BAD_DESCRIPTOR;
      const parts = [];
      for (let i = 0; i < count; ++i) {
        const [at, size] = [view().getUint32(pieces + 8 * i, true), view().getUint32(pieces + 8 * i + 4, true)];
        parts.push(new Uint8Array(memory().buffer, at, size));
      }
      const whole = new Uint8Array(parts.reduce((bytes, part) => bytes + part.length, 0));
      parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
      write(descriptor, whole);
      view().setUint32(place, whole.length, true);
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    sched_yield: () => SUCCESS,
    // Nothing else can happen while it waits, so it does not.
    poll_oneoff(subscriptions, events, count, place) {
      view().setUint32(place, 0, true);
      return SUCCESS;
    },
    fd_prestat_get: () => BAD_DESCRIPTOR,
    proc_exit(code) {
      throw Object.assign(new Error(`the module has ended itself (${code})`), {exitCode: code});
    },
  };
  for (const {name} of WebAssembly.Module.imports(module)) functions[name] ??= () => NO_SUCH_FUNCTION;
  return functions;
}

module.exports = {steadyTime, wasiOf};
