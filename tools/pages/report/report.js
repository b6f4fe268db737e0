"use strict";
// Draws one result of the lab (its JSON: tools/lab/report/result_json.h) as a page that needs nothing from outside, with plots.js.

const LIMITS = {
  provisioned: "provisioned throughput", partition: "partition limit", maximum: "maximum on demand", account: "quota"
};

// --- what a design did

const served = (design) => sum(design.accesses.map((access) => sum(access.served)));
const operations = (design) => sum(design.accesses.map((access) => sum(access.operations)));
const throttled = (design) => sum(design.accesses.map((access) => sum(access.throttled)));
const reasons = (design) => Object.keys(design.accesses[0]?.throttled_by ?? {}).filter(
  (limit) => sum(design.accesses.map((access) => access.throttled_by[limit])) > 0);
const cost = (design, kind) => sum(design.resources.map((resource) => resource.month[kind] + resource.month.storage));
// How many operations a request has become.
function amplification(access) {
  const asked = sum(access.requests) - sum(access.absorbed);
  return asked > 0 ? sum(access.operations) / asked : 0;
}
const hottest = (design) => design.resources.flatMap((resource) => resource.hottest.slice(0, 1).map(
  (key) => ({ ...key, resource: resource.name }))).sort((a, b) => b.units - a.units)[0];
const nameOf = (design) => design.name || "this design";

// --- parts of the page

function comparison(result, chosen) {
  const currency = result.prices.currency;
  return table("What came of each, and what a month of this load would cost, on demand and provisioned", [
    "Design", "Operations/s", "Served", "Throttled/s", "Throttled by", "Partitions", "Hottest key, units/s",
    `On demand, ${currency}/month`, `Provisioned, ${currency}/month`
  ], result.designs.map((design) => {
    const seconds = design.simulated_seconds || 1, hot = hottest(design);
    const all = operations(design);
    return [nameOf(design), number(all / seconds), all > 0 ? percent(served(design) / all) : "–",
      number(throttled(design) / seconds), reasons(design).map((limit) => LIMITS[limit] ?? limit).join(", ") || "–",
      design.measured ? "–" : number(sum(design.resources.map((resource) => resource.partitions.at(-1) ?? resource.partitions_at_start))),
      hot ? `${hot.key}: ${number(hot.units / seconds)}` : "–",
      money(cost(design, "on_demand")), money(cost(design, "provisioned"))];
  }), { current: chosen });
}

function accessTable(design) {
  const seconds = design.simulated_seconds || 1;
  return table("What was asked, and what came of it", [
    "Access", "Requests/s", "Operations per request", "Served", "Throttled/s", "Given up/s", "Waited, ms each"
  ], design.accesses.map((access) => {
    const all = sum(access.operations);
    return [access.name, number(sum(access.requests) / seconds), precise.format(amplification(access)),
      all > 0 ? percent(sum(access.served) / all) : "–", number(sum(access.throttled) / seconds),
      number(sum(access.failed) / seconds),
      all > 0 ? number(access.waited_seconds / all * 1000) : "–"];
  }));
}

const timesOf = (design, count) => Array.from({ length: count }, (_, i) => i * design.interval_seconds);
const rateOf = (design, list) => list.map((value) => value / design.interval_seconds);
const added = (lists) => lists.length === 0 ? [] : lists[0].map((_, i) => sum(lists.map((list) => list[i])));

function loadChart(design) {
  const each = (member) => added(design.accesses.map((access) => rateOf(design, access[member])));
  const offered = each("operations");
  return lines("Offered, served and throttled", "Operations a second; an operation that is throttled may be tried again.",
    timesOf(design, offered.length), [
      { label: "Offered", values: offered, color: "--c5" },
      { label: "Served", values: each("served"), color: "--c3" },
      { label: "Throttled attempts", values: each("throttled"), color: "--c6", dash: [8, 4] },
      { label: "Given up", values: each("failed"), color: "--c4", dash: [2, 3] }], "a second");
}

function capacityChart(design, resource, kind) {
  const { units, capacity, throttled } = resource[kind];
  if (![units, ...Object.values(throttled)].some((values) => values.some((value) => value > 0))) return null;
  const limited = capacity.map((value) => value > 0 ? value : 0);
  return lines(kind === "read" ? "Read units" : "Write units", `Consumed by ${resource.name}, and what it has, a second.`,
    timesOf(design, units.length), [
      { label: "Consumed", values: rateOf(design, units), color: "--c1" },
      { label: "Has", values: limited, color: "--c2", dash: [10, 5] },
      ...Object.entries(throttled).map(([limit, values], i) => ({
        label: `Throttled by ${LIMITS[limit] ?? limit}`, values: rateOf(design, values),
        color: ["--c6", "--c4", "--c3", "--c5"][i % 4], dash: [[8, 4], [2, 3], [12, 3, 2, 3], [4, 4]][i % 4] }))],
    "a second");
}

function partitionChart(design, resource) {
  return lines("Partitions", "They are split for size, throughput and heat, and never merged.",
    timesOf(design, resource.partitions.length),
    [{ label: "Partitions", values: resource.partitions, color: "--c1" }], "");
}

// --- how long requests took; only of designs that were measured

const LATENCIES = [
  { member: "p50", label: "Median", color: "--c3" }, { member: "p90", label: "90 %", color: "--c5", dash: [4, 4] },
  { member: "p99", label: "99 %", color: "--c2", dash: [10, 5] }, { member: "p99_9", label: "99.9 %", color: "--c4", dash: [2, 3] },
  { member: "p99_99", label: "99.99 %" }, { member: "max", label: "Longest", color: "--c6", dash: [8, 4] }];
// Parts that a percentile plot names, each a step to the right.
const NINES = [[0, "0"], [0.5, "50 %"], [0.9, "90 %"], [0.99, "99 %"], [0.999, "99.9 %"], [0.9999, "99.99 %"],
  [0.99999, "99.999 %"]];
const millis = (value) => number(value) + " ms";

function latencySection(design) {
  if (!design.measured) return [];
  const measured = design.measured;
  const about = [element("p", {}, `Measured on ${measured.target} with ${measured.connections} connections, after a warm-up of ` +
    `${clock(measured.warm_up_seconds)}. A latency counts from when its request was due, so waits for a connection and for another ` +
    "attempt are in it.")];
  for (const note of measured.notes) about.push(element("p", {
    class: measured.generator_is_slow && note === measured.notes[0] ? "warning" : null }, note));
  const errors = design.accesses.flatMap((access) => Object.entries(access.errors_by).map(
    ([kind, count]) => [access.name, kind, number(count)]));
  if (errors.length > 0) about.push(table("What failed, but for throttles", ["Access", "Error", "Operations"], errors));
  return [element("h2", {}, "Latency"), ...about,
    table("Milliseconds, from when a request was due", ["Access", ...LATENCIES.map((one) => one.label), "Mean"],
      design.accesses.map((access) => [access.name, ...LATENCIES.map((one) => number(access.latency.whole_run[one.member])),
        number(access.latency.whole_run.mean)])),
    percentilePlot(design), ...design.accesses.map((access) => latencyChart(design, access))];
}

function latencyChart(design, access) {
  const latency = access.latency;
  return lines(`Latency of ${access.name}`, "Milliseconds; of the requests that ended in each interval.",
    timesOf(design, latency.p50.length), LATENCIES.filter((one) => one.member in latency).map(
      (one) => ({ ...one, values: latency[one.member] })), "ms");
}

// Which part of the requests took how long at most, an access a line; each step to the right leaves a tenth.
function percentilePlot(design) {
  const colors = ["--c1", "--c6", "--c3", "--c2", "--c4", "--c5"];
  const place = (part) => -Math.log10(Math.max(1 - part, 1e-7));
  const figure = element("figure", { class: "percentiles" }, element("h3", {}, "Which part took how long"));
  const known = design.accesses.filter((access) => access.latency.percentiles.length > 0);
  if (known.length === 0 || typeof uPlot === "undefined") return figure;
  // All lines on the same places: those at which some line has a figure.
  const at = [...new Set(known.flatMap((access) => access.latency.percentiles.map(
    ([part]) => Math.min(place(part), place(1 - 1 / access.latency.whole_run.requests)))))].sort((a, b) => a - b);
  const values = known.map((access) => {
    const figures = new Map(access.latency.percentiles.map(
      ([part, value]) => [Math.min(place(part), place(1 - 1 / access.latency.whole_run.requests)), value]));
    return at.map((x) => figures.get(x) ?? null);
  });
  const host = element("div", { role: "img", "aria-label": "Percentiles of latency. The table above has its figures." });
  const draw = () => {
    const width = Math.max(320, Math.min(1040, host.clientWidth || 1040));
    const axis = { stroke: color("--front"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    const marks = NINES.map(([part]) => place(part)).filter((x) => x <= at.at(-1) + 0.01);
    host.replaceChildren();
    new uPlot({
      width, height: 280, scales: { x: { time: false }, y: { distr: 3, log: 10 } },
      axes: [{ ...axis, splits: () => marks, values: (u, splits) => splits.map(
        (x) => NINES.find(([part]) => Math.abs(place(part) - x) < 1e-6)?.[1] ?? "") },
             { ...axis, size: 72, values: (u, splits) => splits.map((value) => value === null ? "" : number(value)) }],
      series: [{ label: "Part", value: (u, x) => x === null ? "–" : percent(1 - 10 ** -x) }, ...known.map((access, i) => ({
        label: access.name, stroke: color(colors[i % colors.length]), width: 2, spanGaps: true, dash: i < 6 ? [[], [8, 4], [2, 3],
          [12, 3, 2, 3], [4, 4], [1, 2]][i] : [], points: { show: false },
        value: (u, value) => value === null || value === undefined ? "–" : millis(value) }))]
    }, [at, ...values], host);
  };
  redraws.push(draw);
  figure.append(host, element("figcaption", {}, "To the right the part of the requests, each step leaving a tenth of the last one; " +
    "upwards milliseconds, logarithmic."));
  return figure;
}

// `bucket`: only keys there; undefined: all.
function keyTable(design, resource, bucket, clear) {
  const seconds = design.simulated_seconds || 1;
  const keys = resource.hottest.filter(
    (key) => bucket === undefined || Math.floor(key.position * resource.heat.buckets) === bucket);
  const most = Math.max(...resource.hottest.map((key) => key.units), 1);
  const part = element("section", { "aria-live": "polite" });
  if (bucket !== undefined) {
    part.append(element("p", {}, `Keys in part ${bucket + 1} of ${resource.heat.buckets} of the hashes. `,
      element("button", { type: "button", on: { click: clear } }, "Show all")));
  }
  if (keys.length === 0) {
    part.append(element("p", { class: "soft" }, "None of the hottest keys."));
    return part;
  }
  part.append(table("Partition keys by the capacity that they took", ["Key", "Units/s", "Operations/s", "Throttled/s", ""],
    keys.map((key) => [key.key, number(key.units / seconds), number(key.operations / seconds), number(key.throttled / seconds),
      element("span", { class: "bar", style: `width: ${Math.max(1, Math.round(key.units / most * 160))}px`,
                        "aria-hidden": "true" })])));
  return part;
}

function costTable(result, design) {
  const currency = result.prices.currency;
  return table(`Prices of ${result.prices.region}, ${result.prices.date}`,
    ["Table or index", ...["On demand", "Provisioned", "Storage"].map((kind) => `${kind}, ${currency}/month`), "Stored"],
    design.resources.map((resource) => [resource.name, money(resource.month.on_demand), money(resource.month.provisioned),
      money(resource.month.storage), bytes(resource.bytes.at(-1) ?? 0)]));
}

// --- the page

function show(result, state) {
  const design = result.designs[state.design];
  state.resource = Math.min(state.resource, design.resources.length - 1);
  const resource = design.resources[state.resource];
  const metrics = Object.keys(METRICS);
  const set = (change) => (value) => { Object.assign(state, change(value)); show(result, state); };
  const choices = element("nav", { class: "choices", "aria-label": "What is shown" },
    chooser("Design", result.designs.map(nameOf), state.design, set((design) => ({ design, bucket: undefined }))),
    chooser("Table or index", design.resources.map((one) => one.name), state.resource,
      set((resource) => ({ resource, bucket: undefined }))),
    chooser("Heat map of", metrics.map((metric) => METRICS[metric]), state.metric, set((metric) => ({ metric }))));
  redraws = [];
  const keys = element("div");
  const showKeys = (bucket) => {
    state.bucket = bucket;
    keys.replaceChildren(keyTable(design, resource, bucket, () => showKeys(undefined)));
  };
  showKeys(state.bucket);
  const facts = [["Question", result.question], ["Expected", result.expected]].filter(([, text]) => text);
  const page = [
    element("h1", {}, result.title || "Dynolith lab"),
    facts.length > 0 ? element("dl", {}, ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])) : null,
    design.complete ? null : element("p", { class: "warning" }, `Stopped after ${clock(design.simulated_seconds)}: these are the figures until then.`),
    element("h2", {}, result.designs.length > 1 ? "The designs" : "The outcome"), comparison(result, state.design),
    choices,
    element("h2", {}, nameOf(design)), design.description ? element("p", {}, design.description) : null,
    accessTable(design), loadChart(design), ...latencySection(design),
    element("h2", {}, resource.name),
    heatMap(resource, metrics[state.metric], showKeys),
    element("h3", {}, "Hottest keys"), keys,
    capacityChart(design, resource, "write"), capacityChart(design, resource, "read"),
    design.measured ? null : partitionChart(design, resource),
    element("h2", {}, "What it costs"), costTable(result, design),
    element("footer", {}, design.measured ?
      `${clock(design.simulated_seconds)} measured, ${number(design.decisions)} calls, seed ${result.seed}.` :
      `${clock(design.simulated_seconds)} of time, ${number(design.decisions)} decisions, seed ${result.seed}. ` +
      "The same file and seed give the same figures again.")
  ].filter(Boolean);
  const focused = document.activeElement?.closest?.("nav.choices label") ?
    [...document.querySelectorAll("nav.choices select")].indexOf(document.activeElement) : -1;
  document.getElementById("report").replaceChildren(...page);
  if (focused >= 0) document.querySelectorAll("nav.choices select")[focused].focus();
  redraw();
}

async function read() {
  const packed = Uint8Array.from(atob(document.getElementById("figures").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

read().then((result) => {
  document.title = `${result.title || "An experiment"} – Dynolith lab`;
  const state = { design: 0, resource: 0, metric: 0, bucket: undefined };
  show(result, state);
}).catch((problem) => {
  document.getElementById("state").textContent = `The figures of this report cannot be read: ${problem.message}`;
});
