// Between which figures several runs of a design lie: other seeds, and what is uncertain in the service.
import { money, number, percent } from "../../shared/numbers.js";
import { Table } from "../../shared/table.jsx";
import { nameOf, secondsOf } from "./designs.js";

function between({ least, median, most }, text) {
  const [from, to] = [text(least), text(most)];
  return from === to ? from : `${from} to ${to}, median ${text(median)}`;
}

function spreadRow(design, { served, throttled, p99, month, runs }) {
  const asExpected = runs.filter((run) => run.as_expected).length;
  return [nameOf(design), between(served, percent), between(throttled, (count) => number(count / secondsOf(design))), p99 ? between(p99, number) : "–",
    between(month, money), design.expectations.length > 0 ? `${asExpected} of ${runs.length}` : "–"];
}

function Spread({ designs, member, caption, currency }) {
  const varied = designs.filter((design) => design[member]);
  return varied.length > 0 && <Table caption={caption(varied[0][member].runs)} heads={["Design", "Served", "Throttled/s", "p99, ms", `${currency}/month`, "As expected"]}
    rows={varied.map((design) => spreadRow(design, design[member]))} />;
}

/** Nothing if each design was run once. */
export const Spreads = ({ result: { designs, prices: { currency } } }) => <>
  <Spread designs={designs} member="seeds" caption={(runs) => `By chance, with ${runs.length} seeds from ${runs[0].seed} on`} currency={currency} />
  <Spread designs={designs} member="uncertainty" currency={currency}
    caption={() => "By what is uncertain in the service: when a hot partition splits, and how many eventually consistent reads it serves"} /></>;
