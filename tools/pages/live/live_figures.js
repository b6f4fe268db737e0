"use strict";
// What the live page knows: the admin endpoint's answers (tools/manual/admin.md), and tables of them, with plots.js.

const REASONS = {
  provisioned: "provisioned throughput", key_range: "partition limit", max_on_demand: "maximum on demand", account: "quota"
};

// --- the server's answers

// A "+" is itself: people paste words of base64 there as they are.
const inAddress = new URLSearchParams(location.search.replaceAll("+", "%2B"));

// Which of the server's databases is shown, from ?database= of the page's address; "": the first, which has no name.
const DATABASE = inAddress.get("database") ?? "";
const consoleAddress = (place, rest = []) => {
  const members = [...rest, ...DATABASE ? [["database", DATABASE]] : []];
  return `/_dynolith/#/${place}` + (members.length > 0 ? `?${new URLSearchParams(members)}` : "");
};

// The word of the server's --admin-token, from ?token= of the page's address or from the console, which asks for it.
if (inAddress.get("token")) {
  sessionStorage.setItem("adminToken", inAddress.get("token"));
  const rest = new URL(location.href);
  rest.searchParams.delete("token");
  window.history.replaceState(null, "", rest);
}

async function ask(path, body) {
  const token = sessionStorage.getItem("adminToken");
  const headers = { ...token && { Authorization: `Bearer ${token}` }, ...DATABASE && { "x-dynolith-database": DATABASE } };
  const response = await fetch(`/_dynolith/${path}`,
                               body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) {
    const problem = new Error(JSON.parse(text).error ?? text);
    problem.status = response.status;
    throw problem;
  }
  return response.headers.get("Content-Type") === "application/json" ? JSON.parse(text) : text;
}

const query = (of) => `table=${encodeURIComponent(of.table)}` + (of.index ? `&index=${encodeURIComponent(of.index)}` : "");

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

// What tables and indexes have given, and calls by operation, since the server began.
function totalsOf(metrics) {
  const resources = new Map(), operations = new Map();
  for (const { name, labels, value } of metrics) {
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

// How busy tables and indexes are now: units and throttled accesses a second, of which those of the look before count half.
class Pace {
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

// The table or index that the page's address names behind "#": music/by-genre.
function placeInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}
const addressOf = (name) => name === undefined ? location.pathname + location.search : `#${name.split("/").map(encodeURIComponent).join("/")}`;

// --- what is seen of a table or an index

// Slots by their beginnings, as the server answers them piece by piece.
class HeatHistory {
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

  // As plots.js wants it.
  map() {
    const lists = { operations: [], bytes: [], units: [], throttled: [] };
    for (const [at, slot] of this.slots) {
      const number = Math.round((at - this.begin) / this.slot_seconds);
      for (const [bucket, operations, units, throttled, bytes] of slot.cells) {
        if (operations > 0) lists.operations.push([number, bucket, operations]);
        if (bytes > 0) lists.bytes.push([number, bucket, bytes]);
        if (units > 0) lists.units.push([number, bucket, units]);
        if (throttled > 0) lists.throttled.push([number, bucket, throttled]);
      }
    }
    return { ...lists, slot_seconds: this.slot_seconds, buckets: this.buckets, slots: this.times().length };
  }
}

// A place in the hashes as a part of them, by its hexadecimal digits.
const positionOf = (hex) => parseInt((hex + "0000000000000000").slice(0, 13), 16) / 16 ** 13;

// An attribute value as a person writes it.
const valueText = (value) => "S" in value ? value.S : "N" in value ? value.N : "B" in value ? `base64 ${value.B}` : JSON.stringify(value);
const keyText = (key) => Object.entries(key).map(([name, value]) => `${name} = ${valueText(value)}`).join(", ");

const timeOf = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 19);

// --- tables

function overview(totals, before, seconds, chosen, choose) {
  const rate = (now, then) => before ? number(Math.max(0, now - (then ?? 0)) / seconds) : "–";
  const names = [...totals.resources.keys()].sort();
  return table("Units and throttled accesses, a second and since the server began", [
    "Table or index", "Read units/s", "Write units/s", "Throttled/s", "Read units", "Write units", "Throttled", "Throttled by"
  ], names.map((name) => {
    const now = totals.resources.get(name), then = before?.resources.get(name);
    const reasons = Object.keys(REASONS).filter((reason) => now.reasons[reason] > 0).map((reason) => REASONS[reason]).join(", ");
    return [element("button", { type: "button", "data-name": name, on: { click: () => choose(name) } }, name),
      rate(now.read, then?.read), rate(now.write, then?.write), rate(now.throttled, then?.throttled),
      number(now.read), number(now.write), number(now.throttled), reasons || "–"];
  }), { current: names.indexOf(chosen) });
}

function callTable(totals, before, seconds) {
  const rows = [...totals.operations].sort(([a], [b]) => a < b ? -1 : 1).map(([name, now]) => {
    const then = before?.operations.get(name)?.calls ?? 0;
    return [name, before ? number(Math.max(0, now.calls - then) / seconds) : "–", number(now.calls), number(now.failed)];
  });
  return rows.length === 0 ? element("p", { class: "soft" }, "No calls yet.") :
    table("Calls of the whole server, a second and since it began", ["Operation", "Calls/s", "Calls", "Failed"], rows);
}

// `list`: [{ key, units or count, error }], the hottest first.
function hotKeyTable(caption, what, list) {
  if (list.length === 0) return null;
  const most = Math.max(...list.map((one) => one[what]), 1);
  return table(caption, ["Key", what === "units" ? "Units" : "Throttled", "At least", ""], list.slice(0, 10).map((one) => [
    keyText(one.key), number(one[what]), number(one[what] - one.error),
    element("span", { class: "bar", style: `width: ${Math.max(1, Math.round(one[what] / most * 160))}px`, "aria-hidden": "true" })]));
}

// `bucket`: only keys there; undefined: all.
function hotKeys(answer, bucket, buckets) {
  if (!answer.since) return [element("p", { class: "soft" }, "No key has been accessed since they are watched.")];
  const recent = Object.fromEntries(Object.entries(answer.recent).map(([name, list]) => [name,
    bucket === undefined ? list : list.filter((one) => Math.floor(positionOf(one.hash) * buckets) === bucket)]));
  const tables = [
    hotKeyTable("Partition keys by units of this minute and the last one", "units", recent.accessed_partition_keys),
    hotKeyTable("Items by units", "units", recent.accessed_items),
    hotKeyTable("Partition keys by throttled accesses", "count", recent.throttled_partition_keys),
    hotKeyTable("Items by throttled accesses", "count", recent.throttled_items)
  ].filter(Boolean);
  const note = `Counted since ${timeOf(answer.recent_since)}. The truth lies between “at least” and the figure beside it: ` +
    "keys are counted in bounded memory.";
  return tables.length > 0 ? [...tables, element("p", { class: "soft" }, note)] :
    [element("p", { class: "soft" }, bucket === undefined ? "No key was accessed in the last two minutes." :
      "None of the hottest keys of the last two minutes.")];
}

function partitionTable(throughput) {
  // Of its maximum; where throughput is divided between partitions also of its share, and what is saved of that.
  const level = (use) => number(use.level) + (use.share_level === undefined ? "" :
    `, share ${number(use.share_level)}`) + (use.saved_level === undefined ? "" : `, saved ${number(use.saved_level)}`);
  const refused = (partition) => sum([...Object.values(partition.reads.refused), ...Object.values(partition.writes.refused)]);
  return table("Partitions in the order of their keys, and what is in their buckets now", [
    "Partition", "Begins at", "Split from", "Read units", "Write units", "Read level", "Write level", "Throttled", "To be split"
  ], throughput.partitions.map((partition) => [
    String(partition.id),
    partition.begin_key ? keyText(partition.begin_key) : percent(positionOf(partition.begin)) + " of the hashes",
    partition.parent ? String(partition.parent) : "–",
    number(partition.reads.consumed), number(partition.writes.consumed), level(partition.reads), level(partition.writes),
    number(refused(partition)), partition.split_at ? timeOf(partition.split_at) : "–"]));
}

function capacityParts(report, throughput, name) {
  if (!report || report.mode === "account") {
    return [element("p", {}, "Capacity is counted here, not enforced: nothing is throttled, and there are no partitions to show. " +
      "For this table only, until the server ends:"),
    element("p", {}, element("code", {}, `curl ${DATABASE && `-H 'x-dynolith-database: ${DATABASE}' `}-d '{"table": "${name}", "mode": "enforce"}' ${location.origin}/_dynolith/capacity`))];
  }
  if (!throughput) return [element("p", { class: "soft" }, "Not used since capacity is enforced.")];
  const scaled = report.scale === 1 ? "" : `, of which ${report.scale} times is really given`;
  return [element("p", {}, `${throughput.billing === "on_demand" ? "On demand, warm for" : "Provisioned"} ` +
      `${number(throughput.read_units)} read and ${number(throughput.write_units)} write units a second${scaled} (mode ${report.mode}). ` +
      `In the buckets of all partitions together: ${number(throughput.read_level)} read and ` +
      `${number(throughput.write_level)} write units.`),
    partitionTable(throughput)];
}

// Partitions that were there when the map begins, and splits since then.
function partitionsOn(history, throughput) {
  if (!throughput) return { boundaries: [], splits: [] };
  const splits = throughput.splits.filter((split) => split.at > history.begin).map(
    (split) => ({ second: split.at - history.begin, position: positionOf(split.boundary) }));
  const later = new Set(splits.map((split) => split.position));
  const boundaries = throughput.partitions.map((partition) => positionOf(partition.begin)).filter(
    (position) => position > 0 && !later.has(position));
  return { boundaries, splits };
}
