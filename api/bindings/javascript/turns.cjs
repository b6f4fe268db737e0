'use strict';
// Turns of the event loop, for calls that run on its thread: others have to get theirs, too.

// How long such calls may hold up the loop, in milliseconds.
const TURN = 5;

// As they are before a test puts its own in their place.
const time = performance.now.bind(performance);
const aside = globalThis.setImmediate ?? setTimeout;

class Turns {
  #began = 0;

  /** Whether the others are to have their turn now. */
  get areOthersDue() {
    return time() - this.#began > TURN;
  }

  /** Gives them their turn. Those who have waited for it go on one after the other, so each looks again. */
  async letOthers() {
    const began = this.#began;
    await new Promise((resolve) => aside(resolve));
    if (this.#began === began) this.#began = time();
  }
}

module.exports = {Turns};
