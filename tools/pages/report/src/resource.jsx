// One table or index of a design: its heat and hottest keys, its capacity and partitions.
import { useState } from "preact/hooks";
import { HeatMap } from "../../shared/heat_map.jsx";
import { bytes, money, number } from "../../shared/numbers.js";
import { Lines } from "../../shared/plot.jsx";
import { Strip, Table } from "../../shared/table.jsx";
import { LIMITS, rateOf, secondsOf, timesOf } from "./designs.js";

const THROTTLE_COLORS = ["--c6", "--c4", "--c3", "--c5"];
const THROTTLE_DASHES = [[8, 4], [2, 3], [12, 3, 2, 3], [4, 4]];

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

function Capacity({ design, resource, kind }) {
  const { units, capacity, throttled } = resource[kind];
  if (![units, ...Object.values(throttled)].some((values) => values.some((value) => value > 0))) return null;
  return <Lines title={kind === "read" ? "Read units" : "Write units"} note={`Consumed by ${resource.name}, and what it has, a second.`} unit="a second" times={timesOf(design, units.length)} series={[
    { label: "Consumed", values: rateOf(design, units), color: "--c1" },
    { label: "Has", values: capacity.map((value) => value > 0 ? value : 0), color: "--c2", dash: [10, 5] },
    ...Object.entries(throttled).map(([limit, values], i) => ({
      label: `Throttled by ${LIMITS[limit] ?? limit}`, values: rateOf(design, values), color: THROTTLE_COLORS[i % 4], dash: THROTTLE_DASHES[i % 4] }))]} />;
}

const Partitions = ({ design, partitions }) => <Lines title="Partitions" note="They are split for size, throughput and heat, and never merged." unit=""
  times={timesOf(design, partitions.length)} series={[{ label: "Partitions", values: partitions, color: "--c1" }]} />;

export function Resource({ design, resource, metric }) {
  const [bucket, setBucket] = useState(undefined);
  return <><h2>{resource.name}</h2>
    <HeatMap key={metric} resource={resource} metric={metric} onChoose={setBucket} />
    <h3>Hottest keys</h3><div><Keys design={design} resource={resource} bucket={bucket} onClear={() => setBucket(undefined)} /></div>
    <Capacity design={design} resource={resource} kind="write" /><Capacity design={design} resource={resource} kind="read" />
    {!design.measured && <Partitions design={design} partitions={resource.partitions} />}</>;
}

export const Costs = ({ prices: { region, date, currency }, resources }) => <Table caption={`Prices of ${region}, ${date}`}
  heads={["Table or index", ...["On demand", "Provisioned", "Storage"].map((kind) => `${kind}, ${currency}/month`), "Stored"]}
  rows={resources.map(({ name, month, bytes: stored }) => [name, money(month.on_demand), money(month.provisioned), money(month.storage), bytes(stored.at(-1) ?? 0)])} />;
