// What was asked of designs, and what came of it.
import { money, number, percent, precise, sum } from "../../shared/numbers.js";
import { Lines } from "../../shared/plot.jsx";
import { Table } from "../../shared/table.jsx";
import { added, amplification, cost, hottest, nameOf, operations, rateOf, reasons, secondsOf, served, throttled, timesOf } from "./designs.js";

const partitionsOf = (resource) => resource.partitions.at(-1) ?? resource.partitions_at_start;

const unitsText = (key, seconds) => [["read", key.read_units], ["write", key.write_units]].filter(([, units]) => units > 0)
  .map(([kind, units]) => `${number(units / seconds)} ${kind}`).join(" + ");

function comparisonRow(design) {
  const seconds = secondsOf(design), hot = hottest(design), all = operations(design);
  return [nameOf(design), number(all / seconds), all > 0 ? percent(served(design) / all) : "–", number(throttled(design) / seconds), reasons(design).join(", ") || "–",
    design.measured ? "–" : number(sum(design.resources.map(partitionsOf))), hot ? `${hot.key}: ${unitsText(hot, seconds)}` : "–",
    money(cost(design, "on_demand")), money(cost(design, "provisioned"))];
}

/** `chosen`: the number of the design that is shown. */
export const Comparison = ({ result: { designs, prices: { currency } }, chosen }) => <Table caption="What came of each, and what a month of this load would cost, on demand and provisioned" heads={[
  "Design", "Operations/s", "Served", "Throttled/s", "Throttled by", "Partitions", "Hottest key, units/s", `On demand, ${currency}/month`, `Provisioned, ${currency}/month`
]} rows={designs.map(comparisonRow)} current={chosen} />;

export function Accesses({ design }) {
  const perSecond = (list) => number(sum(list) / secondsOf(design));
  return <Table caption="What was asked, and what came of it" heads={["Access", "Requests/s", "Operations per request", "Served", "Throttled/s", "Given up/s", "Waited, ms each"]} rows={design.accesses.map((access) => {
    const all = sum(access.operations);
    return [access.name, perSecond(access.requests), precise(amplification(access)), all > 0 ? percent(sum(access.served) / all) : "–",
      perSecond(access.throttled), perSecond(access.failed), all > 0 ? number(access.waited_seconds / all * 1000) : "–"];
  })} />;
}

export function Loads({ design }) {
  const each = (member) => added(design.accesses.map((access) => rateOf(design, access[member]))), offered = each("operations");
  return <Lines title="Offered, served and throttled" note="Operations a second; an operation that is throttled may be tried again." unit="a second" times={timesOf(design, offered.length)} series={[
    { label: "Offered", values: offered, color: "--c5" },
    { label: "Served", values: each("served"), color: "--c3" },
    { label: "Throttled attempts", values: each("throttled"), color: "--c6", dash: [8, 4] },
    { label: "Given up", values: each("failed"), color: "--c4", dash: [2, 3] }]} />;
}
