"use strict";
// Draws one result of the lab (its JSON: tools/lab/result_json.h) as a page that needs nothing from outside.

const LIMITS = {
  provisioned: "provisioned throughput", partition: "partition limit", maximum: "maximum on demand", account: "quota"
};
// Seconds between two marks of a time axis.
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const METRICS = { operations: "operations", units: "capacity units", throttled: "throttled attempts" };

// --- words and numbers

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const precise = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const number = (value) => (Math.abs(value) >= 100 ? grouped : precise).format(value);
const money = (value) => number(Math.round(value * 100) / 100);
const percent = (part) => (part > 0.9995 && part < 1 ? "99.9" : precise.format(part * 100)) + " %";
const sum = (list) => list.reduce((total, value) => total + value, 0);
const bytes = (value) => {
  const names = ["bytes", "KB", "MB", "GB", "TB"];
  let i = 0;
  for (; value >= 1024 && i + 1 < names.length; ++i) value /= 1024;
  return number(value) + " " + names[i];
};
function clock(seconds) {
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = Math.round(seconds % 60);
  const two = (value) => String(value).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// --- elements

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// The first column of each row is its heading.
function table(caption, heads, rows, { current } = {}) {
  const body = rows.map((row, i) => element("tr", { "aria-current": current === i ? "true" : null },
    ...row.map((cell, column) => element(column === 0 ? "th" : "td", {
      scope: column === 0 ? "row" : null, class: typeof cell !== "string" ? "left" : cell.length > 40 ? "words" : null }, cell))));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...body)));
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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
      number(sum(design.resources.map((resource) => resource.partitions.at(-1) ?? resource.partitions_at_start))),
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

// Lines over time, by the plotting library, with the same figures as a table for those who cannot see them.
function lines(title, note, times, series, unit) {
  const shown = series.filter((one) => one.values.some((value) => value > 0));
  const figure = element("figure", {}, element("h3", {}, title));
  if (shown.length === 0) {
    figure.append(element("p", { class: "soft" }, "Nothing."));
    return figure;
  }
  const host = element("div", { role: "img", "aria-label": `${title}. The table below has its figures.` });
  figure.append(host, element("figcaption", {}, note));
  const step = Math.max(1, Math.ceil(times.length / 60));
  const rows = [];
  for (let i = 0; i < times.length; i += step) rows.push([clock(times[i]), ...shown.map((one) => number(one.values[i]))]);
  figure.append(element("details", {}, element("summary", {}, "As a table"),
    table(`${title}, ${unit}`, ["Time", ...shown.map((one) => one.label)], rows)));
  if (typeof uPlot === "undefined") {
    host.replaceWith(element("p", { class: "warning" }, "This program was built where the plotting library could not be had, " +
      "so that there is only the table."));
    figure.querySelector("details").open = true;
    return figure;
  }
  const draw = () => {
    const width = Math.max(320, Math.min(1040, host.clientWidth || 1040));
    const axis = { stroke: color("--front"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    host.replaceChildren();
    new uPlot({
      width, height: 240, scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [{ ...axis, values: (u, splits) => splits.map(clock), incrs: TICKS },
             { ...axis, size: 72, values: (u, splits) => splits.map(number) }],
      series: [{ label: "Time", value: (u, value) => value === null ? "–" : clock(value) }, ...shown.map((one) => ({
        label: one.label, stroke: color(one.color), width: 2, dash: one.dash, points: { show: times.length < 3 },
        value: (u, value) => value === null || value === undefined ? "–" : `${number(value)} ${unit}` }))]
    }, [times, ...shown.map((one) => one.values)], host);
  };
  redraws.push(draw);
  return figure;
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

// --- the heat map: time to the right, hashes of partition keys downwards

// Cividis in six steps: as readable without colours as with them.
const HEAT = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
function heatColor(part) {
  const at = Math.min(HEAT.length - 1.001, part * (HEAT.length - 1)), i = Math.floor(at), rest = at - i;
  return HEAT[i].map((value, channel) => Math.round(value + (HEAT[i + 1][channel] - value) * rest));
}

function heatCells(heat, metric) {
  const slots = heat.slots ?? 1 + Math.max(0, ...["operations", "units", "throttled"].map(
    (name) => heat[name].reduce((most, cell) => Math.max(most, cell[0]), 0)));
  const cells = new Float32Array(slots * heat.buckets);
  let most = 0;
  for (const [slot, bucket, value] of heat[metric]) {
    cells[slot * heat.buckets + bucket] = value;
    most = Math.max(most, value);
  }
  return { slots, cells, most };
}

function heatMap(design, resource, metric, choose) {
  const heat = resource.heat;
  const { slots, cells, most } = heatCells(heat, metric);
  const figure = element("figure", { class: "heat" }, element("h3", {}, `Heat of ${resource.name}: ${METRICS[metric]}`));
  if (most === 0) {
    figure.append(element("p", { class: "soft" }, "Nothing."));
    return figure;
  }
  const readout = element("output", { "aria-live": "polite" });
  const canvas = element("canvas", {
    tabindex: "0", role: "application",
    "aria-label": `Heat map of ${METRICS[metric]}. Arrow keys move over time and keys, Enter shows the keys of a place.` });
  const cursor = { slot: 0, bucket: 0, shown: false };
  // The place with the most is where a person wants to begin.
  const hottestCell = cells.indexOf(most);
  cursor.slot = Math.floor(hottestCell / heat.buckets);
  cursor.bucket = hottestCell % heat.buckets;

  const draw = () => {
    const width = canvas.width = canvas.clientWidth || 1040, height = canvas.height = 340;
    const context = canvas.getContext("2d");
    // A pixel shows the most of what falls upon it, so that nothing hot is lost between two.
    const columns = Math.min(slots, width), rows = Math.min(heat.buckets, height / 2);
    const shown = new Float32Array(columns * rows);
    for (let i = 0; i < cells.length; ++i) {
      const column = Math.floor(Math.floor(i / heat.buckets) * columns / slots);
      const at = Math.floor((i % heat.buckets) * rows / heat.buckets) * columns + column;
      if (cells[i] > shown[at]) shown[at] = cells[i];
    }
    const image = new ImageData(columns, rows);
    shown.forEach((value, i) => {
      const part = value > 0 ? 0.1 + 0.9 * Math.log1p(value) / Math.log1p(most) : 0;
      image.data.set([...heatColor(part), 255], i * 4);
    });
    const small = element("canvas", { width: columns, height: rows });
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, width, height);
    const seconds = slots * heat.slot_seconds;
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1.5;
    context.setLineDash([6, 3]);
    for (const split of resource.splits) {
      const x = split.second / seconds * width, y = split.position * height;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(width, y);
      context.stroke();
    }
    context.setLineDash([]);
    if (cursor.shown) {
      context.strokeStyle = "#ff3b30";
      context.strokeRect(cursor.slot / slots * width, cursor.bucket / heat.buckets * height,
        Math.max(4, width / slots), Math.max(4, height / heat.buckets));
    }
  };
  const tell = () => {
    const value = cells[cursor.slot * heat.buckets + cursor.bucket];
    const from = cursor.slot * heat.slot_seconds;
    readout.textContent = `${clock(from)} to ${clock(from + heat.slot_seconds)}, keys ${percent(cursor.bucket / heat.buckets)} to ` +
      `${percent((cursor.bucket + 1) / heat.buckets)} of the hashes: ${number(value / heat.slot_seconds)} ${METRICS[metric]} a second`;
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const clamp = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    cursor.slot = clamp((event.clientX - box.left) / box.width, slots);
    cursor.bucket = clamp((event.clientY - box.top) / box.height, heat.buckets);
    cursor.shown = true;
    draw();
    tell();
  };
  canvas.addEventListener("mousemove", place);
  canvas.addEventListener("click", (event) => { place(event); choose(cursor.bucket); });
  canvas.addEventListener("focus", () => { cursor.shown = true; draw(); tell(); });
  canvas.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 10 : 1;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (event.key === "Enter") choose(cursor.bucket);
    if (!(event.key in moves)) return;
    event.preventDefault();
    cursor.slot = Math.max(0, Math.min(slots - 1, cursor.slot + moves[event.key][0]));
    cursor.bucket = Math.max(0, Math.min(heat.buckets - 1, cursor.bucket + moves[event.key][1]));
    draw();
    tell();
  });
  redraws.push(draw);
  figure.append(canvas, scale(most / heat.slot_seconds), readout, element("figcaption", {},
    `Time runs to the right over ${clock(slots * heat.slot_seconds)}, the hashes of partition keys downwards, in ${heat.buckets} parts; ` +
    "the scale is logarithmic. A dashed line begins where a partition is split. A click, or Enter, shows the keys of a place."));
  return figure;
}

function scale(most) {
  const canvas = element("canvas", { width: 160, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  for (let x = 0; x < 160; ++x) {
    context.fillStyle = `rgb(${heatColor(x / 159).join(",")})`;
    context.fillRect(x, 0, 1, 1);
  }
  return element("div", { class: "scale" }, "0", canvas, `${number(most)} a second`);
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

let redraws = [];

function chooser(label, names, value, change) {
  const select = element("select", { on: { change: (event) => change(Number(event.target.value)) } },
    ...names.map((name, i) => element("option", { value: i }, name)));
  select.value = String(value);
  return element("label", {}, label, select);
}

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
    chooser("Heat of", metrics.map((metric) => METRICS[metric]), state.metric, set((metric) => ({ metric }))));
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
    accessTable(design), loadChart(design),
    element("h2", {}, resource.name),
    heatMap(design, resource, metrics[state.metric], showKeys),
    element("h3", {}, "Hottest keys"), keys,
    capacityChart(design, resource, "write"), capacityChart(design, resource, "read"), partitionChart(design, resource),
    element("h2", {}, "What it costs"), costTable(result, design),
    element("footer", {}, `${clock(design.simulated_seconds)} of time, ${number(design.decisions)} decisions, seed ${result.seed}. ` +
      "The same file and seed give the same figures again.")
  ].filter(Boolean);
  const focused = document.activeElement?.closest?.("nav.choices label") ?
    [...document.querySelectorAll("nav.choices select")].indexOf(document.activeElement) : -1;
  document.getElementById("report").replaceChildren(...page);
  if (focused >= 0) document.querySelectorAll("nav.choices select")[focused].focus();
  redraws.forEach((draw) => draw());
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
  const again = () => redraws.forEach((draw) => draw());
  window.addEventListener("resize", again);
  window.addEventListener("beforeprint", again);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}).catch((problem) => {
  document.getElementById("state").textContent = `The figures of this report cannot be read: ${problem.message}`;
});
