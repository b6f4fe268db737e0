// Partitions and what is in their buckets now.
import { number, percent, sum } from "../../shared/numbers.js";
import { Table } from "../../shared/table.jsx";
import { positionOf } from "./heat_history.js";
import { DATABASE } from "./server.js";
import { keyText, timeOf } from "./words.js";

// Of its maximum; where throughput is divided between partitions also of its share, and what is saved of that.
const level = (use) => number(use.level) + (use.share_level === undefined ? "" : `, share ${number(use.share_level)}`) +
  (use.saved_level === undefined ? "" : `, saved ${number(use.saved_level)}`);
const refused = ({ reads, writes }) => sum([...Object.values(reads.refused), ...Object.values(writes.refused)]);

const Partitions = ({ of }) => <Table caption="Partitions in the order of their keys, and what is in their buckets now" heads={[
  "Partition", "Begins at", "Split from", "Read units", "Write units", "Read level", "Write level", "Throttled", "To be split"
]} rows={of.map((partition) => [
  String(partition.id), partition.begin_key ? keyText(partition.begin_key) : percent(positionOf(partition.begin)) + " of the hashes",
  partition.parent ? String(partition.parent) : "–", number(partition.reads.consumed), number(partition.writes.consumed),
  level(partition.reads), level(partition.writes), number(refused(partition)), partition.split_at ? timeOf(partition.split_at) : "–"])} />;

const enforcement = (name) => `curl ${DATABASE && `-H 'x-dynolith-database: ${DATABASE}' `}-d '{"table": "${name}", "mode": "enforce"}' ${location.origin}/_dynolith/capacity`;

/** Of `throughput` in the report of a `table` with this name; both can be undefined. */
export function Capacity({ table, throughput, name }) {
  if (!table || table.mode === "account") {
    return <><p>Capacity is counted here, not enforced: nothing is throttled, and there are no partitions to show. For this table only, until the server ends:</p>
      <p><code>{enforcement(name)}</code></p></>;
  }
  if (!throughput) return <p class="soft">Not used since capacity is enforced.</p>;
  const scaled = table.scale === 1 ? "" : `, of which ${table.scale} times is really given`;
  return <><p>{`${throughput.billing === "on_demand" ? "On demand, warm for" : "Provisioned"} ${number(throughput.read_units)} read and ` +
      `${number(throughput.write_units)} write units a second${scaled} (mode ${table.mode}). In the buckets of all partitions together: ` +
      `${number(throughput.read_level)} read and ${number(throughput.write_level)} write units.`}</p>
    <Partitions of={throughput.partitions} /></>;
}
