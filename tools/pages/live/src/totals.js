// What tables and indexes have given and refused since the server began, from its metrics, and how busy they are now.

// The counters of a text for Prometheus: [{ name, labels, value }].
function readMetrics(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const match = /^dynolith_(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!match) continue;
    const labels = {};
    for (const [, name, value] of (match[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[name] = value;
    found.push({ name: match[1], labels, value: Number(match[3]) });
  }
  return found;
}

/** What tables and indexes have given, and calls by operation, since the server began, of a text for Prometheus. */
export function totalsOf(text) {
  const resources = new Map(), operations = new Map();
  for (const { name, labels, value } of readMetrics(text)) {
    if (name === "requests_total") {
      const of = operations.get(labels.operation) ?? { calls: 0, failed: 0 };
      of.calls += value;
      if (labels.outcome !== "success") of.failed += value;
      operations.set(labels.operation, of);
    }
    if (name !== "consumed_capacity_units_total" && name !== "throttled_accesses_total") continue;
    const key = labels.index ? `${labels.table}/${labels.index}` : labels.table;
    if (!resources.has(key)) {
      resources.set(key, { name: key, table: labels.table, index: labels.index, read: 0, write: 0, throttled: 0, reasons: {} });
    }
    const of = resources.get(key);
    if (name === "consumed_capacity_units_total") {
      of[labels.kind] += value;
    } else {
      of.throttled += value;
      of.reasons[labels.reason] = (of.reasons[labels.reason] ?? 0) + value;
    }
  }
  return { resources, operations };
}

/** How busy tables and indexes are now: units and throttled accesses a second, of which those of the look before count half. */
export class Pace {
  constructor() { this.rates = new Map(); }

  add(totals, before, seconds) {
    const all = (of) => of === undefined ? 0 : of.read + of.write + of.throttled;
    const rateOf = (name, now) => before === undefined ? 0 : Math.max(0, all(now) - all(before.resources.get(name))) / seconds;
    this.rates = new Map([...totals.resources].map(([name, now]) => [name, { now: rateOf(name, now) + this.of(name) / 2, whole: all(now) }]));
  }

  of(name) { return this.rates.get(name)?.now ?? 0; }

  // Names, the busiest first; where nothing happens, by what happened since the server began.
  order() { return [...this.rates].sort(([, a], [, b]) => b.now - a.now || b.whole - a.whole).map(([name]) => name); }
}
