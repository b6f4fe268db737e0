// The hottest keys of this minute and the last one, with the bounds of what is known of them.
import { number } from "../../shared/numbers.js";
import { Strip, Table } from "../../shared/table.jsx";
import { positionOf } from "./heat_history.js";
import { keyText, timeOf } from "./words.js";

const SHOWN_MAX = 10;

const LISTS = [["accessed_partition_keys", "Partition keys by units of this minute and the last one", "units"], ["accessed_items", "Items by units", "units"],
  ["throttled_partition_keys", "Partition keys by throttled accesses", "count"], ["throttled_items", "Items by throttled accesses", "count"]];

// `list`: [{ key, units or count, error }], the hottest first.
function Keys({ caption, what, list }) {
  const most = Math.max(...list.map((one) => one[what]), 1);
  return <Table caption={caption} heads={["Key", "At most", "At least", ""]} rows={list.slice(0, SHOWN_MAX).map((one) => [
    keyText(one.key), number(one[what]), number(one[what] - one.error), <Strip value={one[what]} least={one[what] - one.error} most={most} />])} />;
}

/** `bucket`: only keys there; undefined: all. */
export function HotKeys({ answer, bucket, buckets }) {
  if (!answer.since) return <p class="soft">No key has been accessed since they are watched.</p>;
  const isThere = (one) => bucket === undefined || Math.floor(positionOf(one.hash) * buckets) === bucket;
  const tables = LISTS.map(([name, caption, what]) => ({ caption, what, list: answer.recent[name].filter(isThere) })).filter(({ list }) => list.length > 0);
  if (tables.length === 0) return <p class="soft">{bucket === undefined ? "No key was accessed in the last two minutes." : "None of the hottest keys of the last two minutes."}</p>;
  return <>{tables.map((one) => <Keys key={one.caption} {...one} />)}
    <p class="soft">Counted since {timeOf(answer.recent_since)}. Keys are counted in bounded memory, so that of some only bounds are known; what is not certain is hatched.</p></>;
}
