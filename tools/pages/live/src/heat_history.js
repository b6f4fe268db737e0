// What is seen of one table or index over the last minutes.

// Members of a cell, as the server answers them.
const CELL = ["bucket", "operations", "units", "throttled", "bytes"];

/** Slots by their beginnings, as the server answers them piece by piece. */
export class HeatHistory {
  constructor() { this.slots = new Map(); }

  // The last slot may have grown, and the one before by who was late.
  since() { return this.newest === undefined ? undefined : this.newest - this.slot_seconds; }

  add(answer) {
    Object.assign(this, { now: answer.now, slot_seconds: answer.slot_seconds, slots_max: answer.slots_max,
                          buckets: answer.buckets, watched: answer.watched });
    for (const slot of answer.slots) {
      this.slots.set(slot.at, slot);
      this.newest = Math.max(this.newest ?? 0, slot.at);
    }
    this.begin = (Math.floor(this.now / this.slot_seconds) - this.slots_max + 1) * this.slot_seconds;
    for (const at of this.slots.keys()) if (at < this.begin) this.slots.delete(at);
    // Of a record that has just begun only what there is, and at least a minute.
    if (this.slots.size > 0) {
      const least = (Math.floor(this.now / this.slot_seconds) - 60 / this.slot_seconds + 1) * this.slot_seconds;
      this.begin = Math.min(least, Math.max(this.begin, Math.min(...this.slots.keys())));
    }
  }

  times() {
    const times = [];
    for (let at = this.begin; at <= this.now; at += this.slot_seconds) times.push(at);
    return times;
  }

  // A slot that is not over yet would look like a fall of every line; on a clock that stands it is the one that counts.
  whole() { return this.stands ? this.times() : this.times().slice(0, -1); }

  // `value(slot)` for each whole one, a second.
  rates(value) {
    return this.whole().map((at) => this.slots.has(at) ? value(this.slots.get(at)) / this.slot_seconds : 0);
  }

  // As a heat map shows it.
  map() {
    const { slot_seconds, buckets } = this, slots = this.times().length;
    const cellsOf = (metric) => {
      const cells = new Float64Array(slots * buckets), member = CELL.indexOf(metric);
      for (const [at, slot] of this.slots) {
        const first = Math.round((at - this.begin) / slot_seconds) * buckets;
        for (const cell of slot.cells) cells[first + cell[0]] = cell[member];
      }
      return cells;
    };
    return { slot_seconds, buckets, slots, cellsOf };
  }
}

/** A place in the hashes as a part of them, by its hexadecimal digits. */
export const positionOf = (hex) => parseInt((hex + "0000000000000000").slice(0, 13), 16) / 16 ** 13;

/** Partitions that were there when the map begins, and splits since then. */
export function partitionsOn(history, throughput) {
  if (!throughput) return { boundaries: [], splits: [] };
  const splits = throughput.splits.filter((split) => split.at > history.begin).map(
    (split) => ({ second: split.at - history.begin, position: positionOf(split.boundary) }));
  const later = new Set(splits.map((split) => split.position));
  const boundaries = throughput.partitions.map((partition) => positionOf(partition.begin)).filter(
    (position) => position > 0 && !later.has(position));
  return { boundaries, splits };
}
