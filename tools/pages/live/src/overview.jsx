// What tables, indexes and calls take, a second and since the server began.
import { number } from "../../shared/numbers.js";
import { Table } from "../../shared/table.jsx";
import { REASONS } from "./reasons.js";

const rateOf = ({ before, seconds }, now, then) => before ? number(Math.max(0, now - (then ?? 0)) / seconds) : "–";

export function Overview({ watch, names }) {
  const rows = names.map((name) => {
    const now = watch.totals.resources.get(name), then = watch.before?.resources.get(name), rate = (what) => rateOf(watch, now[what], then?.[what]);
    const reasons = Object.keys(REASONS).filter((reason) => now.reasons[reason] > 0).map((reason) => REASONS[reason]).join(", ");
    return [<button type="button" onClick={() => watch.pick(name)}>{name}</button>, rate("read"), rate("write"), rate("throttled"),
      number(now.read), number(now.write), number(now.throttled), reasons || "–"];
  });
  return <Table caption="Units and throttled accesses, a second and since the server began" heads={["Table or index", "Read units/s", "Write units/s",
    "Throttled/s", "Read units", "Write units", "Throttled", "Throttled by"]} rows={rows} keys={names} current={names.indexOf(watch.resource)} />;
}

export function Calls({ watch }) {
  const rows = [...watch.totals.operations].sort(([a], [b]) => a < b ? -1 : 1).map(([name, now]) =>
    [name, rateOf(watch, now.calls, watch.before?.operations.get(name)?.calls), number(now.calls), number(now.failed)]);
  return rows.length === 0 ? <p class="soft">No calls yet.</p> :
    <Table caption="Calls of the whole server, a second and since it began" heads={["Operation", "Calls/s", "Calls", "Failed"]} rows={rows} />;
}
