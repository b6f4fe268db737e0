// How long requests took; only of designs that were measured.
import { clock, number, percent } from "../../shared/numbers.js";
import { Lines, Plot, figureAxis } from "../../shared/plot.jsx";
import { color } from "../../shared/redraw.js";
import { Table } from "../../shared/table.jsx";
import { timeOf, timesOf } from "./designs.js";

const LATENCIES = [
  { member: "p50", label: "Median", color: "--c3" }, { member: "p90", label: "90 %", color: "--c5", dash: [4, 4] },
  { member: "p99", label: "99 %", color: "--c2", dash: [10, 5] }, { member: "p99_9", label: "99.9 %", color: "--c4", dash: [2, 3] },
  { member: "p99_99", label: "99.99 %" }, { member: "max", label: "Longest", color: "--c6", dash: [8, 4] }];
// Parts that a percentile plot names, each a step to the right.
const NINES = [[0, "0"], [0.5, "50 %"], [0.9, "90 %"], [0.99, "99 %"], [0.999, "99.9 %"], [0.9999, "99.99 %"],
  [0.99999, "99.999 %"]];
const COLORS = ["--c1", "--c6", "--c3", "--c2", "--c4", "--c5"];
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [4, 4], [1, 2]];

const placeOf = (part) => -Math.log10(Math.max(1 - part, 1e-7));

// All lines on the same places, [places, values, …]: those at which some line has a figure.
function percentilesOf(accesses) {
  const figures = accesses.map(({ latency: { percentiles, whole_run } }) => new Map(percentiles.map(
    ([part, value]) => [Math.min(placeOf(part), placeOf(1 - 1 / whole_run.requests)), value])));
  const at = [...new Set(figures.flatMap((one) => [...one.keys()]))].sort((a, b) => a - b);
  return [at, ...figures.map((one) => at.map((x) => one.get(x) ?? null))];
}

const percentileOptions = (accesses, [at]) => (axis) => ({
  scales: { x: { time: false }, y: { distr: 3, log: 10 } },
  axes: [{ ...axis, splits: () => NINES.map(([part]) => placeOf(part)).filter((x) => x <= at.at(-1) + 0.01),
           values: (u, splits) => splits.map((x) => NINES.find(([part]) => Math.abs(placeOf(part) - x) < 1e-6)?.[1] ?? "") },
         figureAxis(axis)],
  series: [{ label: "Part", value: (u, x) => x === null ? "–" : percent(1 - 10 ** -x) }, ...accesses.map((access, i) => ({
    label: access.name, stroke: color(COLORS[i % COLORS.length]), width: 2, spanGaps: true, dash: DASHES[i] ?? [], points: { show: false },
    value: (u, value) => value === null || value === undefined ? "–" : `${number(value)} ms` }))]
});

// Which part of the requests took how long at most, an access a line; each step to the right leaves a tenth.
function Percentiles({ design }) {
  const known = design.accesses.filter((access) => access.latency.percentiles.length > 0), data = percentilesOf(known);
  return <figure class="percentiles"><h3>Which part took how long</h3>
    {known.length > 0 && <><Plot label="Percentiles of latency. The table above has its figures." height={280} options={percentileOptions(known, data)} data={data} />
      <figcaption>To the right the part of the requests, each step leaving a tenth of the last one; upwards milliseconds, logarithmic.</figcaption></>}</figure>;
}

const Over = ({ design, access: { name, latency } }) => <Lines title={`Latency of ${name}`} note="Milliseconds; of the requests that ended in each interval." unit="ms"
  times={timesOf(design, latency.p50.length)} time={timeOf(design)} series={LATENCIES.filter((one) => one.member in latency).map((one) => ({ ...one, values: latency[one.member] }))} />;

export function Latency({ design: { measured, ...design } }) {
  const rows = design.accesses.map(({ name, latency: { whole_run } }) => [name, ...LATENCIES.map((one) => number(whole_run[one.member])), number(whole_run.mean)]);
  return <><h2>Latency</h2>
    <p>{`Measured on ${measured.target} with ${measured.connections} connections, after a warm-up of ${clock(measured.warm_up_seconds)}. A latency counts from ` +
      "when its request was due, so waits for a connection and for another attempt are in it."}</p>
    {measured.notes.map((note, i) => <p key={i} class={measured.generator_is_slow && i === 0 ? "warning" : undefined}>{note}</p>)}
    <Table caption="Milliseconds, from when a request was due" heads={["Access", ...LATENCIES.map((one) => one.label), "Mean"]} rows={rows} />
    <Percentiles design={design} />
    {design.accesses.map((access, i) => <Over key={i} design={design} access={access} />)}</>;
}
