// Item collections, as designers of single tables draw them: the items of one partition key side by side in the order of their
// sort keys, each with its own attributes, and a colour for each kind of sort key (what stands before its first "#").
import { useMemo, useState } from "preact/hooks";
import { brief, own } from "./values.js";
import { Middle } from "./parts.jsx";

const COLOURS = 8;
const SHOWN_MAX = 500;
const VALUE_MAX = 60;

const cut = (text) => text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;

export const facetOf = (keys, item) => {
  const range = keys.find((key) => key.KeyType === "RANGE");
  const text = brief(range && own(item, range.AttributeName));
  return range?.type === "S" && text.includes("#") ? text.slice(0, text.indexOf("#") + 1) : range?.type === "S" && !/\d/.test(text) ? text : "";
};

export function Collection({ items, keys, tableKeys, onOpen }) {
  const [only, setOnly] = useState(null);
  const facets = useMemo(() => {
    const counts = new Map();
    for (const item of items) counts.set(facetOf(keys, item), (counts.get(facetOf(keys, item)) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }, [items, keys]);
  const colours = new Map(facets.map(([name], i) => [name, i % COLOURS]));
  const hash = keys.filter((key) => key.KeyType === "HASH").map((key) => key.AttributeName);
  const range = keys.find((key) => key.KeyType === "RANGE")?.AttributeName;
  const groups = useMemo(() => {
    const found = new Map();
    for (const item of items) {
      if (only !== null && facetOf(keys, item) !== only) continue;
      const name = hash.map((each) => brief(own(item, each))).join(", ");
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(item);
    }
    return [...found];
  }, [items, keys, only]);
  let left = SHOWN_MAX;
  return <div class="collections">
    <div class="bar" role="group" aria-label="Kinds of items">{facets.map(([name, count]) => <button type="button" key={name} class={`facet facet-${colours.get(name)}`}
      aria-pressed={only === name} onClick={() => setOnly(only === name ? null : name)}>{name || "other"} <span class="soft">{count}</span></button>)}</div>
    {groups.map(([name, group]) => {
      const shown = group.slice(0, left);
      left -= shown.length;
      return shown.length > 0 && <section key={name} class="collection" aria-label={`Item collection ${name}`}>
        <h2><span class="soft">{hash.join(", ")}</span> {name} <span class="soft">{group.length} {group.length === 1 ? "item" : "items"}</span></h2>
        <ul>{shown.map((item, i) => {
          const others = Object.entries(item).filter(([each]) => !hash.includes(each) && each !== range);
          const key = tableKeys.map((each) => brief(own(item, each.AttributeName))).join(" ");
          return <li key={i} class={`facet-${colours.get(facetOf(keys, item))}`}>
            <button type="button" class="sort" aria-label={`Open ${key}`} onClick={() => onOpen(item)}><Middle text={range ? brief(own(item, range)) : key} /></button>
            {others.length > 0 && <dl>{others.map(([each, value]) => <div key={each}><dt>{each}</dt><dd title={brief(value).slice(0, 400)}>{cut(brief(value))}</dd></div>)}</dl>}</li>;
        })}</ul>
      </section>;
    })}
    {left <= 0 && <p class="soft">Only the first {SHOWN_MAX} items are shown. Query one partition key, or choose a kind of items above, to see others.</p>}
  </div>;
}
