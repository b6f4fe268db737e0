// Over how many shards global indexes are spread, and how far one is on its way to another number.
import { useEffect, useState } from "preact/hooks";
import { admin } from "./server.js";

const PERIOD = 5000, SOON = 1000;  // milliseconds between two looks; while something moves
const FILLING = new Map([["sorted-files", "sorting all entries"], ["noted-writes", "adding what was written meanwhile"]]);

/** What the admin endpoint says of the table's indexes; null where it does not say. */
export function useShards(name) {
  const [shards, setShards] = useState(null);
  useEffect(() => {
    let timer, isOver = false;
    const look = async () => {
      let found = null;
      try {
        if (!document.hidden) [found = null] = (await admin("GET", `indexes?table=${encodeURIComponent(name)}`)).tables;
      } catch { /* the table is gone, or the endpoint is for others: then there is nothing to show */ }
      if (isOver) return;
      if (!document.hidden) setShards(found);
      timer = setTimeout(look, found?.indexes.some((index) => index.filling) ? SOON : PERIOD);
    };
    look();
    return () => { isOver = true; clearTimeout(timer); };
  }, [name]);
  return shards;
}

export function Shards({ of }) {
  if (!of) return <>–</>;
  const how = of.filling === "rows" ? `${Math.floor(of.filled * 100)} % filled` : FILLING.get(of.filling);
  return <>{of.shards}{of.moving_to !== undefined && ` → ${of.moving_to}`}{of.filling && <span class="soft"> {how}</span>}{of.filling === "rows" && <> <progress aria-label="Filled" value={of.filled} max={1} /></>}</>;
}

/** Tags whose index is not there: they may have come before it, or be misspelt. */
export const WaitingTags = ({ of }) => of?.waiting_tags.length > 0 &&
  <p class="warning">The table has tags for the shards of indexes that do not exist: {of.waiting_tags.map((name) => <code key={name}>dynolith:shards:{name}</code>)}</p>;
