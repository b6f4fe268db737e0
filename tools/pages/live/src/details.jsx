// One table or index: its heat and lines of the last ten minutes, hot keys, partitions.
import { useState } from "preact/hooks";
import { HeatMap } from "../../shared/heat_map.jsx";
import { sum } from "../../shared/numbers.js";
import { Lines } from "../../shared/plot.jsx";
import { Undisturbed } from "../../shared/undisturbed.jsx";
import { partitionsOn, positionOf } from "./heat_history.js";
import { HotKeys } from "./hot_keys.jsx";
import { Capacity } from "./partitions.jsx";
import { REASONS, REASON_COLORS } from "./reasons.js";
import { consoleAddress } from "./server.js";
import { keyText, timeOf } from "./words.js";

const NAMES_MAX = 3;
// Pixels.
const HEAT_HEIGHT = 260, PLOT_HEIGHT = 130;

// What plots and the heat map share: the first time, the end of what is over, and the names of times.
const timeFrame = (history) => ({ begin: history.begin, end: history.whole().at(-1) + history.slot_seconds, text: timeOf });

function History({ history }) {
  const both = (value) => (slot) => value(slot.reads) + value(slot.writes), rates = (value) => history.rates(value);
  const refused = (reason) => both((use) => use.refused[reason]), all = both((use) => sum(Object.values(use.refused)));
  const shown = { times: history.whole(), time: timeFrame(history), unit: "a second", height: PLOT_HEIGHT };
  return <><Lines {...shown} title="Accesses" note="Of this table or index, a second; a batch has one for each item." series={[
      { label: "Served", values: rates(both((use) => use.operations)), color: "--c3", isArea: true },
      { label: "Throttled", values: rates(all), color: "--c6", isArea: true }]} />
    <Lines {...shown} title="Capacity units" note="Consumed, a second." series={[
      { label: "Read units", values: rates((slot) => slot.reads.units), color: "--c1", isArea: true },
      { label: "Write units", values: rates((slot) => slot.writes.units), color: "--c2", isArea: true }]} />
    <Lines {...shown} title="Throttled accesses" note="By reason, a second." series={Object.keys(REASONS).map((reason) => ({
      label: `By ${REASONS[reason]}`, values: rates(refused(reason)), color: REASON_COLORS[reason], isArea: true }))} /></>;
}

// Of the partition keys that are certainly among the hottest; their hashes place them in the map.
const namesIn = ({ since, recent }) => !since ? [] : recent.accessed_partition_keys.slice(0, NAMES_MAX).filter(
  ({ units, error }, i, list) => units - error >= list[0].units / 2).map(({ key, hash }) => ({ position: positionOf(hash), text: keyText(key) }));

function Figures({ of, figures: { history, keys, capacity }, metric }) {
  const [bucket, setBucket] = useState(undefined), table = capacity.tables.find((one) => one.table === of.table);
  const throughput = table?.throughputs.find((one) => (one.index ?? "") === of.index), { buckets } = history;
  return <><div class="columns">
      <div><HeatMap resource={{ name: of.name, heat: history.map(), ...partitionsOn(history, throughput) }} metric={metric} names={namesIn(keys)} onChoose={setBucket} time={timeFrame(history)} height={HEAT_HEIGHT} />
        <History history={history} /></div>
      <div><h3>Hottest keys</h3>
        <p aria-live="polite">{bucket !== undefined && <>{`Keys in part ${bucket + 1} of ${buckets} of the hashes. `}<button type="button" onClick={() => setBucket(undefined)}>Show all</button></>}</p>
        <Undisturbed as="section"><HotKeys answer={keys} bucket={bucket} buckets={buckets} /></Undisturbed></div></div>
    <h3>Partitions and their buckets</h3>
    <Undisturbed><Capacity table={table} throughput={throughput} name={of.table} /></Undisturbed></>;
}

/** `of`: its totals; `figures`: of Watch, undefined while it waits for them. */
export const Details = ({ of, figures, metric }) => <><h2><span>{of.name}</span> <a href={consoleAddress(`table/${encodeURIComponent(of.table)}/items`, of.index ? [["index", of.index]] : [])}>Items</a></h2>
  {figures ? <Figures of={of} figures={figures} metric={metric} /> : <p class="soft">Waiting for the first figures …</p>}</>;
