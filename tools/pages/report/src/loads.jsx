// What was asked of designs, and what came of it.
import { money, number, percent, precise, sum } from "../../shared/numbers.js";
import { Lines } from "../../shared/plot.jsx";
import { Table } from "../../shared/table.jsx";
import { added, amplification, cost, hottest, isEven, nameOf, operations, rateOf, reasons, reservedCost, secondsOf, served, throttled, timeOf, timesOf } from "./designs.js";

const partitionsOf = (resource) => resource.partitions.at(-1) ?? resource.partitions_at_start;

const unitsText = (key, seconds) => [["read", key.read_units], ["write", key.write_units]].filter(([, units]) => units > 0)
  .map(([kind, units]) => `${number(units / seconds)} ${kind}`).join(" + ");

function comparisonRow(design) {
  const seconds = secondsOf(design), hot = hottest(design), all = operations(design);
  return [nameOf(design), number(all / seconds), all > 0 ? percent(served(design) / all) : "–", number(throttled(design) / seconds), reasons(design).join(", ") || "–",
    design.measured ? "–" : number(sum(design.resources.map(partitionsOf))), hot ? `${hot.key}: ${unitsText(hot, seconds)}` : isEven(design) ? "even load" : "–",
    money(cost(design, "on_demand")), money(cost(design, "provisioned")), reservedCost(design)];
}

/** `chosen`: the number of the design that is shown. */
export const Comparison = ({ result: { designs, prices: { currency } }, chosen }) => <Table caption="What came of each, and what a month of this load would cost, on demand, provisioned, and with the reserved capacity that costs least" heads={[
  "Design", "Operations/s", "Served", "Throttled/s", "Throttled by", "Partitions", "Hottest key, units/s", `On demand, ${currency}/month`, `Provisioned, ${currency}/month`, `Reserved, ${currency}/month`
]} rows={designs.map(comparisonRow)} current={chosen} />;

export function Accesses({ design }) {
  const perSecond = (list) => number(sum(list) / secondsOf(design));
  return <Table caption="What was asked, and what came of it" heads={["Access", "Requests/s", "Operations per request", "Served", "Throttled/s", "Given up/s", "Waited, ms each"]} rows={design.accesses.map((access) => {
    const all = sum(access.operations);
    return [access.name, perSecond(access.requests), precise(amplification(access)), all > 0 ? percent(sum(access.served) / all) : "–",
      perSecond(access.throttled), perSecond(access.failed), all > 0 ? number(access.waited_seconds / all * 1000) : "–"];
  })} />;
}

/** None if all failures were throttles. */
export function Errors({ design }) {
  const rows = design.accesses.flatMap((access) => Object.entries(access.errors_by).map(([kind, count]) => [access.name, kind, number(count)]));
  return rows.length > 0 && <Table caption="What failed, but for throttles" heads={["Access", "Error", "Operations"]} rows={rows} />;
}

/** Whose load is plotted. */
export const LOADS = ["this design", "all designs: served", "all designs: throttled"];
const COMPARED = [undefined, ["Served by each design", "served"], ["Throttled of each design", "throttled"]];
const COLORS = ["--f0", "--f5", "--f2", "--f3", "--f1", "--f6", "--f4", "--f7"];
const DASHES = [[], [10, 4], [3, 3], [12, 3, 2, 3]];

const each = (design, member) => added(design.accesses.map((access) => rateOf(design, access[member])));

// Designs may have other intervals, and end at other times.
function Compared({ designs, title, member }) {
  const figures = designs.map((design) => {
    const values = each(design, member), times = timesOf(design, values.length);
    return new Map(times.map((time, i) => [time, values[i]]));
  });
  const times = [...new Set(figures.flatMap((one) => [...one.keys()]))].sort((a, b) => a - b), longest = Math.max(...designs.map(secondsOf));
  return <Lines title={title} note="Operations a second." unit="a second" times={times} time={{ ...timeOf(designs[0]), end: longest }} series={designs.map((design, i) => ({
    label: nameOf(design), values: times.map((time) => figures[i].get(time) ?? null), color: COLORS[i % COLORS.length], dash: DASHES[i % DASHES.length] }))} />;
}

/** `load`: a number of LOADS. */
export function Loads({ designs, design, load }) {
  if (COMPARED[load]) return <Compared designs={designs} title={COMPARED[load][0]} member={COMPARED[load][1]} />;
  const offered = each(design, "operations"), throttles = each(design, "throttled"), failed = each(design, "failed");
  // The last attempt of those that were given up is one of the throttled ones.
  const last = failed.map((value, i) => Math.min(value, throttles[i]));
  return <Lines title="Offered, served and throttled" note="A second. The areas are attempts, one kind on top of the other: an operation that is throttled may be tried again." unit="a second"
    times={timesOf(design, offered.length)} time={timeOf(design)} series={[
      { label: "Offered", values: offered, color: "--front", dash: [6, 4] },
      { label: "Served", values: each(design, "served"), color: "--c3", isArea: true },
      { label: "Throttled, tried again", values: throttles.map((value, i) => value - last[i]), color: "--c2", isArea: true },
      { label: "Throttled, given up", values: last, color: "--c6", isArea: true },
      { label: "Ended otherwise", values: each(design, "errors"), color: "--c4", isArea: true }]} />;
}
