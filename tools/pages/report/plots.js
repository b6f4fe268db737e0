"use strict";
// What the lab's report and the live page draw with: words for numbers, tables, lines over time and the heat map. Each plot has
// its figures as text, too, and follows the colours of the page.
//
// A figure that is made here is drawn by redraw(), when it is in the page, and has update(…), which shows other figures in it.

// Seconds between two marks of a time axis.
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const METRICS = { operations: "operations", bytes: "bytes", units: "capacity units", throttled: "throttled attempts" };

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
const amount = (metric, value) => metric === "bytes" ? bytes(value) : `${number(value)} ${METRICS[metric]}`;
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
    else if (key === "style") made.style.cssText = value;  // which a page that allows no styles in attributes allows
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
    element("thead", {}, element("tr", {}, ...heads.map((head) => head === "" ? element("td") : element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...body)));
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Lines over time, by the plotting library, with the same figures as a table for those who cannot see them.
// `series`: [{ label, values, color: "--c1", dash }], of which those are shown that are not 0 all the time.
function lines(title, note, times, series, unit, { timeText = clock } = {}) {
  const figure = element("figure");
  let plot, shown, host, details;
  const draw = () => {
    if (!host?.isConnected) return;
    const width = Math.max(320, Math.min(1040, host.clientWidth || 1040));
    const axis = { stroke: color("--front"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    host.replaceChildren();
    plot = new uPlot({
      width, height: 240, scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [{ ...axis, values: (u, splits) => splits.map(timeText), incrs: TICKS },
             { ...axis, size: 72, values: (u, splits) => splits.map(number) }],
      series: [{ label: "Time", value: (u, value) => value === null ? "–" : timeText(value) }, ...shown.map((one) => ({
        label: one.label, stroke: color(one.color), width: 2, dash: one.dash, points: { show: times.length < 3 },
        value: (u, value) => value === null || value === undefined ? "–" : `${number(value)} ${unit}` }))]
    }, [times, ...shown.map((one) => one.values)], host);
  };
  const rows = () => {
    const step = Math.max(1, Math.ceil(times.length / 60)), rows = [];
    for (let i = 0; i < times.length; i += step) {
      rows.push([timeText(times[i]), ...shown.map((one) => number(one.values[i]))]);
    }
    return table(`${title}, ${unit}`, ["Time", ...shown.map((one) => one.label)], rows);
  };
  const fill = () => {
    figure.replaceChildren(element("h3", {}, title));
    host = details = plot = undefined;
    if (shown.length === 0) {
      figure.append(element("p", { class: "soft" }, "Zero all the time."));
      return;
    }
    details = element("details", {}, element("summary", {}, "As a table"), rows());
    if (typeof uPlot === "undefined") {
      details.open = true;
      figure.append(element("p", { class: "warning" }, "This program was built where the plotting library could not be had, " +
        "so that there is only the table."));
    } else {
      host = element("div", { role: "img", "aria-label": `${title}. The table below has its figures.` });
      figure.append(host);
    }
    figure.append(element("figcaption", {}, note), details);
  };
  figure.update = (newTimes, newSeries) => {
    const before = shown?.map((one) => one.label).join();
    times = newTimes;
    shown = newSeries.filter((one) => one.values.some((value) => value > 0));
    if (shown.map((one) => one.label).join() !== before) {
      fill();
      draw();
      return;
    }
    plot?.setData([times, ...shown.map((one) => one.values)]);
    // Who is reading the table is not disturbed.
    if (details && !details.contains(document.activeElement)) details.lastChild.replaceWith(rows());
  };
  figure.update(times, series);
  redraws.push(draw);
  return figure;
}

// --- the heat map: time to the right, hashes of partition keys downwards

// Cividis in six steps: as readable without colours as with them.
const HEAT = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
function heatColor(part) {
  const at = Math.min(HEAT.length - 1.001, part * (HEAT.length - 1)), i = Math.floor(at), rest = at - i;
  return HEAT[i].map((value, channel) => Math.round(value + (HEAT[i + 1][channel] - value) * rest));
}

function heatCells(heat, metric) {
  const slots = heat.slots ?? 1 + Math.max(0, ...Object.keys(METRICS).map(
    (name) => heat[name].reduce((most, cell) => Math.max(most, cell[0]), 0)));
  const cells = new Float64Array(slots * heat.buckets);
  let most = 0;
  for (const [slot, bucket, value] of heat[metric]) {
    cells[slot * heat.buckets + bucket] = value;
    most = Math.max(most, value);
  }
  return { slots, cells, most };
}

// A pixel shows the most of what falls upon it, so that nothing hot is lost between two.
function heatPicture(heat, { slots, cells, most }, width, height) {
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
  return small;
}

// `resource`: { name, heat: { slot_seconds, buckets, slots, operations: [[slot, bucket, value], …], bytes, units, throttled },
// splits: [{ second, position }] }, positions as parts of the hashes; where partitions are known, { boundaries: [position] }
// of those that were there before. `choose` is told the number of a bucket whose keys are wanted. `timeText` says the name
// of a second since the first slot began.
function heatMap(resource, metric, choose, { timeText = clock } = {}) {
  const title = element("h3"), nothing = element("p", { class: "soft" });
  const readout = element("output", { "aria-live": "polite" });
  const canvas = element("canvas", { tabindex: "0", role: "application" });
  const scaled = element("div", { class: "scale" }), caption = element("figcaption");
  const figure = element("figure", { class: "heat" }, title, nothing, canvas, scaled, readout, caption);
  const cursor = { slot: 0, bucket: 0, shown: false };
  let heat, counted;

  const draw = () => {
    if (counted.most === 0) return;
    const width = canvas.width = canvas.clientWidth || 1040, height = canvas.height = 340;
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(heatPicture(heat, counted, width, height), 0, 0, width, height);
    const seconds = counted.slots * heat.slot_seconds;
    const line = (second, position) => {
      const x = second / seconds * width, y = position * height;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(width, y);
      context.stroke();
    };
    context.strokeStyle = "#ffffff80";
    context.lineWidth = 1;
    for (const position of resource.boundaries ?? []) line(0, position);
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1.5;
    context.setLineDash([6, 3]);
    for (const split of resource.splits) line(split.second, split.position);
    context.setLineDash([]);
    if (cursor.shown) {
      context.strokeStyle = "#ff3b30";
      context.strokeRect(cursor.slot / counted.slots * width, cursor.bucket / heat.buckets * height,
        Math.max(4, width / counted.slots), Math.max(4, height / heat.buckets));
    }
  };
  const tell = () => {
    const value = counted.cells[cursor.slot * heat.buckets + cursor.bucket];
    const from = cursor.slot * heat.slot_seconds;
    readout.textContent = `${timeText(from)} to ${timeText(from + heat.slot_seconds)}, ` +
      `keys ${percent(cursor.bucket / heat.buckets)} to ${percent((cursor.bucket + 1) / heat.buckets)} of the hashes: ` +
      `${amount(metric, value / heat.slot_seconds)} a second`;
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    const clamp = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
    cursor.slot = clamp((event.clientX - box.left) / box.width, counted.slots);
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
    cursor.slot = Math.max(0, Math.min(counted.slots - 1, cursor.slot + moves[event.key][0]));
    cursor.bucket = Math.max(0, Math.min(heat.buckets - 1, cursor.bucket + moves[event.key][1]));
    draw();
    tell();
  });
  figure.update = (newResource, newMetric) => {
    resource = newResource;
    metric = newMetric;
    heat = resource.heat;
    counted = heatCells(heat, metric);
    const isEmpty = counted.most === 0;
    nothing.hidden = !isEmpty;
    for (const part of [canvas, scaled, readout, caption]) part.hidden = isEmpty;
    title.textContent = `Heat map of ${resource.name}: ${METRICS[metric]}`;
    nothing.textContent = `No ${METRICS[metric]} in this time.`;
    canvas.setAttribute("aria-label",
      `Heat map of ${METRICS[metric]}. Arrow keys move over time and keys, Enter shows the keys of a place.`);
    caption.textContent = `Time runs to the right over ${clock(counted.slots * heat.slot_seconds)}, the hashes of partition ` +
      `keys downwards, in ${heat.buckets} parts; the scale is logarithmic. ` +
      (resource.boundaries?.length > 0 ? "Thin lines are between partitions. " : "") +
      "A dashed line begins where a partition is split. A click, or Enter, shows the keys of a place.";
    fillScale(scaled, metric === "bytes" ? bytes(counted.most / heat.slot_seconds) : number(counted.most / heat.slot_seconds));
    // The place with the most is where a person wants to begin.
    if (!cursor.shown && !isEmpty) {
      const hottest = counted.cells.indexOf(counted.most);
      cursor.slot = Math.floor(hottest / heat.buckets);
      cursor.bucket = hottest % heat.buckets;
    }
    cursor.slot = Math.min(cursor.slot, counted.slots - 1);
    if (!figure.isConnected) return;
    draw();
    if (cursor.shown && !canvas.matches(":focus")) tell();
  };
  figure.update(resource, metric);
  redraws.push(draw);
  return figure;
}

function fillScale(scaled, most) {
  const canvas = element("canvas", { width: 160, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  for (let x = 0; x < 160; ++x) {
    context.fillStyle = `rgb(${heatColor(x / 159).join(",")})`;
    context.fillRect(x, 0, 1, 1);
  }
  scaled.replaceChildren("0", canvas, `${most} a second`);
}

// --- the page

let redraws = [];
const redraw = () => redraws.forEach((draw) => draw());
window.addEventListener("resize", redraw);
window.addEventListener("beforeprint", redraw);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

function chooser(label, names, value, change) {
  const select = element("select", { on: { change: (event) => change(Number(event.target.value)) } },
    ...names.map((name, i) => element("option", { value: i }, name)));
  select.value = String(value);
  return element("label", {}, label, select);
}
