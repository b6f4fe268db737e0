// One table or index of a design: its heat and hottest keys, its capacity and partitions.
import { useMemo, useState } from "preact/hooks";
import { HeatMap } from "../../shared/heat_map.jsx";
import { money, number, percent } from "../../shared/numbers.js";
import { Lines } from "../../shared/plot.jsx";
import { Strip, Table } from "../../shared/table.jsx";
import { rateOf, secondsOf, timeOf, timesOf } from "./designs.js";

const KINDS = [["write", "Writes"], ["read", "Reads"]];
const LIMIT_COLORS = ["--c6", "--c4", "--c2", "--c5"];
const NAMES_MAX = 5;

// `bucket`: only keys there; undefined: all.
function Keys({ design, resource: { even, hottest, heat: { buckets } }, bucket, onClear }) {
  const perSecond = (value) => number(value / secondsOf(design)), most = Math.max(...hottest.map((key) => key.heat));
  const keys = hottest.filter((key) => bucket === undefined || Math.floor(key.position * buckets) === bucket);
  return <section aria-live="polite">
    {bucket !== undefined && <p>{`Keys in part ${bucket + 1} of ${buckets} of the hashes. `}<button type="button" onClick={onClear}>Show all</button></p>}
    {keys.length === 0 ? <p class="soft">{even ? "No key stands out: the load is even over all keys." : "None of the hottest keys."}</p> :
      <Table caption="Partition keys by the capacity that they took" heads={["Key", "Read units/s", "Write units/s", "Operations/s", "Throttled/s", ""]} rows={keys.map((key) => [
        key.key, perSecond(key.read_units), perSecond(key.write_units), perSecond(key.operations), perSecond(key.throttled_reads + key.throttled_writes),
        <Strip value={key.heat} most={most} />])} />}</section>;
}

// Attempts by their kind and what throttled them, which units are not.
function Throttled({ design, resource }) {
  const series = KINDS.flatMap(([kind, name]) => Object.entries(resource[kind].throttled).map(([limit, values], i) => ({
    label: `${name}, ${limit}`, values: rateOf(design, values), color: LIMIT_COLORS[(i + (kind === "read" ? 2 : 0)) % 4], isArea: true })));
  if (!series.some(({ values }) => values.some((value) => value > 0))) return null;
  return <Lines title={`Throttled attempts on ${resource.name}`} note="A second, by what throttled them, one kind on top of the other." unit="a second"
    times={timesOf(design, series[0].values.length)} time={timeOf(design)} series={series} />;
}

function Capacity({ design, resource, kind }) {
  const { units, capacity } = resource[kind];
  if (!units.some((value) => value > 0)) return null;
  return <Lines title={kind === "read" ? "Read units" : "Write units"} note={`Consumed by ${resource.name}, and what all its partitions have together, a second.`} unit="a second"
    times={timesOf(design, units.length)} time={timeOf(design)} series={[
      { label: "Consumed", values: rateOf(design, units), color: "--c1", isArea: true },
      { label: "Capacity", values: capacity.map((value) => value > 0 ? value : 0), color: "--c6", dash: [10, 5] }]} />;
}

const Partitions = ({ design, partitions }) => <Lines title="Partitions" note="They are split for size, throughput and heat, and never merged." unit="" isWhole
  times={timesOf(design, partitions.length)} time={timeOf(design)} series={[{ label: "Partitions", values: partitions, color: "--c1" }]} />;

export function Resource({ design, resource, metric }) {
  const [bucket, setBucket] = useState(undefined);
  const map = useMemo(() => ({ ...resource, boundaries: Array.from({ length: Math.max(0, resource.partitions_at_start - 1) }, (_, i) => (i + 1) / resource.partitions_at_start) }), [resource]);
  const names = useMemo(() => resource.hottest.slice(0, NAMES_MAX).map(({ key, position }) => ({ position, text: key })), [resource]);
  return <><h2>{resource.name}</h2>
    <HeatMap key={metric} resource={map} metric={metric} names={names} onChoose={setBucket} time={timeOf(design)} />
    <Throttled design={design} resource={resource} />
    <Capacity design={design} resource={resource} kind="write" /><Capacity design={design} resource={resource} kind="read" />
    <h3>Hottest keys</h3><div><Keys design={design} resource={resource} bucket={bucket} onClear={() => setBucket(undefined)} /></div>
    {!design.measured && <Partitions design={design} partitions={resource.partitions} />}</>;
}

/** Reserved capacity: what the experiment has, and what of each term would pay. */
export function Reserved({ prices: { currency }, design: { reserved } }) {
  const of = ({ units, covered, used }) => units > 0 ? [number(units), percent(covered), percent(used)] : ["", "", ""];
  return reserved.length > 0 && <Table caption="Provisioned units of a month with reserved capacity; if all is provisioned: what is on demand for its busiest minute"
    heads={["Reserved for", "Write units", "Cover", "Used", "Read units", "Cover", "Used", `At the start, ${currency}`, `Units, ${currency}/month`]}
    rows={reserved.map(({ term, billed, all_provisioned, read, write, upfront, units_month }) => [billed ? `${term}, as billed` : all_provisioned ? `${term}, if all is provisioned` : term, ...of(write), ...of(read), money(upfront), units_month === undefined ? "unknown" : money(units_month)])} />;
}

/** One line for each position. */
export const Bill = ({ prices: { region, date, currency }, design }) => <Table
  caption={`A month, by the prices of ${design.region}${design.region === region ? `, ${date}` : ""}`}
  heads={["Table or index", "What is paid", "Quantity", "Price", `${currency}/month`]}
  rows={[...design.bill.map(({ resource, position, region: place, quantity, unit, price, amount }) =>
    [resource, place === design.region ? position : `${position} in ${place}`, `${number(quantity)} ${unit}`, price === undefined ? "unknown" : String(Number(price.toPrecision(6))), money(amount)]),
  ["in all", "", "", "", money(design.totals.month)]]} />;
