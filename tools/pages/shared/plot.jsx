// Plots by uPlot; each has a name for those who cannot see it. Those over time stand exactly above each other.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { number, short } from "./numbers.js";
import { color, useRedraw } from "./redraw.js";
import { Table } from "./table.jsx";
import { Undisturbed } from "./undisturbed.jsx";

const WIDTH_MIN = 280, WIDTH_MAX = 1200;
// Room for the figures at the left, and for half of the last time at the right.
const LEFT = 64, RIGHT = 30, TOP = 8;
const ROWS_MAX = 60;
// Seconds between two marks of a time axis, and the pixels that a time needs.
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const TIME_SPACE = 76;
// Between two marks of what has no halves.
const WHOLE = Array.from({ length: 9 }, (_, i) => [1, 2, 5].map((step) => step * 10 ** i)).flat();

/** A plot as wide as there is room. `options(axis)`: uPlot's, but for the size, of an axis in the colours of the page; they stay. */
export function Plot({ label, height, options, data, ...more }) {
  const host = useRef(), plot = useRef();
  const draw = () => {
    const width = Math.max(WIDTH_MIN, host.current.clientWidth || WIDTH_MAX);
    const axis = { stroke: color("--front"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    plot.current?.destroy();
    plot.current = new uPlot({ width, height, padding: [TOP, RIGHT, 0, 0], ...options(axis) }, data, host.current);
  };
  useRedraw(draw);
  useLayoutEffect(() => { plot.current ? plot.current.setData(data) : draw(); }, [data]);
  useLayoutEffect(() => () => plot.current.destroy(), []);
  return <div ref={host} role="img" aria-label={label} {...more} />;
}

/** What plots over time share: their scale, from the first time of the data to the last one, and both axes. */
export const timeScale = { time: false, range: ({ data: [times] }) => [times[0], times.at(-1)] };
export const timeAxis = (axis, timeText) => ({ ...axis, values: (u, splits) => splits.map(timeText), incrs: TICKS, space: TIME_SPACE });
export const figureAxis = (axis, text = short) => ({ ...axis, size: LEFT, values: (u, splits) => splits.map((value) => value === null ? "" : text(value)) });

const stepped = uPlot.paths.stepped({ align: 1 });

// `shown`: areas from the top down, then lines.
function lineOptions(shown, unit, timeText, isWhole) {
  const areas = shown.filter((one) => one.isArea).length;
  const own = (u, i, at) => u.data[i][at] - (i < areas ? u.data[i + 1][at] : 0);
  const text = (u, value, i, at) => value === null || value === undefined ? "–" : `${number(own(u, i, at))} ${unit}`;
  return (axis) => ({
    scales: { x: timeScale, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    axes: [timeAxis(axis, timeText), { ...figureAxis(axis), ...isWhole && { incrs: WHOLE } }],
    // Between an area and the one below it.
    bands: Array.from({ length: Math.max(0, areas - 1) }, (_, i) => ({ series: [i + 1, i + 2] })),
    series: [{ label: "Time", value: (u, value) => value === null ? "–" : timeText(value) }, ...shown.map((one) => ({
      label: one.label, stroke: color(one.color), fill: one.isArea ? `${color(one.color)}99` : undefined, width: one.isArea ? 1 : 2, dash: one.dash,
      paths: stepped, points: { show: false }, spanGaps: true, value: text }))]
  });
}

// A value holds from its time to the next one, the last to the end; an area reaches from those below it.
function lineData(times, end, shown) {
  const sums = shown.map((one) => [...one.values, one.values.at(-1)]);
  for (let i = shown.length - 2; i >= 0; --i) if (shown[i].isArea && shown[i + 1].isArea) sums[i] = sums[i].map((value, at) => value + sums[i + 1][at]);
  return [[...times, end], ...sums];
}

function rowsOf(times, shown, timeText) {
  const step = Math.max(1, Math.ceil(times.length / ROWS_MAX)), rows = [];
  for (let i = 0; i < times.length; i += step) rows.push([timeText(times[i]), ...shown.map(({ values }) => values[i] === null ? "–" : number(values[i]))]);
  return rows;
}

/**
 * Figures over time, and as a table. `time`: { end, text }, the end of the last interval and the name of a time. `series`:
 * [{ label, values, color: "--c1", dash, isArea }], of which those are shown that are not 0 all the time; areas stand on each
 * other, the first at the bottom. `isWhole`: no figure has a fraction.
 */
export function Lines({ title, note, times, time, series, unit, height = 220, isWhole }) {
  const shown = series.filter((one) => one.values.some((value) => value > 0));
  if (shown.length === 0) return <figure><h3>{title}</h3><p class="soft">Zero all the time.</p></figure>;
  const drawn = [...shown.filter((one) => one.isArea).reverse(), ...shown.filter((one) => !one.isArea)];
  const looks = JSON.stringify([unit, drawn.map(({ values, ...look }) => look)]);
  return <figure><h3>{title}</h3>
    <Plot key={looks} label={`${title}. The table below has its figures.`} height={height} options={lineOptions(drawn, unit, time.text, isWhole)} data={lineData(times, time.end, drawn)} />
    <figcaption>{note}</figcaption>
    <Undisturbed as="details"><summary>As a table</summary>
      <Table caption={`${title}, ${unit}`} heads={["Time", ...shown.map((one) => one.label)]} rows={rowsOf(times, shown, time.text)} /></Undisturbed></figure>;
}
