// Lines, drawn by uPlot; each plot has a name for those who cannot see it.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { clock, number } from "./numbers.js";
import { color, useRedraw } from "./redraw.js";
import { Table } from "./table.jsx";
import { Undisturbed } from "./undisturbed.jsx";

const WIDTH_MIN = 320, WIDTH_MAX = 1040;
const ROWS_MAX = 60;
// Seconds between two marks of a time axis.
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** A plot as wide as there is room. `options(axis)`: uPlot's, but for the size, of an axis in the colours of the page; they stay. */
export function Plot({ label, height, options, data }) {
  const host = useRef(), plot = useRef();
  const draw = () => {
    const width = Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, host.current.clientWidth || WIDTH_MAX));
    const axis = { stroke: color("--front"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    plot.current?.destroy();
    plot.current = new uPlot({ width, height, ...options(axis) }, data, host.current);
  };
  useRedraw(draw);
  useLayoutEffect(() => { plot.current ? plot.current.setData(data) : draw(); }, [data]);
  useLayoutEffect(() => () => plot.current.destroy(), []);
  return <div ref={host} role="img" aria-label={label} />;
}

const lineOptions = (shown, unit, timeText) => (axis) => ({
  scales: { x: { time: false }, y: { range: (u, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
  axes: [{ ...axis, values: (u, splits) => splits.map(timeText), incrs: TICKS },
         { ...axis, size: 72, values: (u, splits) => splits.map(number) }],
  series: [{ label: "Time", value: (u, value) => value === null ? "–" : timeText(value) }, ...shown.map((one) => ({
    label: one.label, stroke: color(one.color), width: 2, dash: one.dash, points: { show: (u) => u.data[0].length < 3 },
    value: (u, value) => value === null || value === undefined ? "–" : `${number(value)} ${unit}` }))]
});

function rowsOf(times, shown, timeText) {
  const step = Math.max(1, Math.ceil(times.length / ROWS_MAX)), rows = [];
  for (let i = 0; i < times.length; i += step) rows.push([timeText(times[i]), ...shown.map((one) => number(one.values[i]))]);
  return rows;
}

/**
 * Lines over time, with the same figures as a table. `series`: [{ label, values, color: "--c1", dash }], of which those are shown
 * that are not 0 all the time.
 */
export function Lines({ title, note, times, series, unit, timeText = clock }) {
  const shown = series.filter((one) => one.values.some((value) => value > 0));
  if (shown.length === 0) return <figure><h3>{title}</h3><p class="soft">Zero all the time.</p></figure>;
  const looks = JSON.stringify([unit, shown.map(({ values, ...look }) => look)]);
  return <figure><h3>{title}</h3>
    <Plot key={looks} label={`${title}. The table below has its figures.`} height={240} options={lineOptions(shown, unit, timeText)} data={[times, ...shown.map((one) => one.values)]} />
    <figcaption>{note}</figcaption>
    <Undisturbed as="details"><summary>As a table</summary>
      <Table caption={`${title}, ${unit}`} heads={["Time", ...shown.map((one) => one.label)]} rows={rowsOf(times, shown, timeText)} /></Undisturbed></figure>;
}
