// All tables with what the service says of them: where the console begins.
import { useEffect, useState } from "preact/hooks";
import { indexesOf, keysOf, sizeOf } from "./schema.js";
import { STREAM_VIEWS } from "./design.js";
import { own } from "./values.js";

const STEP = 100;  // tables that are described and shown at once

function Row({ name, table, onOpen, onTable }) {
  const keys = table ? keysOf(table) : [], indexes = table ? indexesOf(table) : [];
  return <tr><th scope="row"><button type="button" class="link" onClick={() => onOpen(name)}>{name}</button></th>
    {table ? <><td data-head="Keys">{keys.map((key) => key.AttributeName).join(", ")}</td><td class="number" data-head="Items">{table.ItemCount?.toLocaleString("en")}</td><td class="number" data-head="Size">{sizeOf(table.TableSizeBytes)}</td>
      <td data-head="Indexes">{indexes.map((index) => index.IndexName).join(", ") || "–"}</td>
      <td data-head="Stream">{STREAM_VIEWS.get(table.StreamSpecification?.StreamViewType ?? "")}</td><td data-head="Status">{table.TableStatus}</td></> : <td colSpan={6} class="soft">{table === null ? "deleted" : "reading…"}</td>}
    <td><button type="button" aria-label={`Settings of ${name}`} onClick={() => onTable(name)}>Settings</button></td></tr>;
}

/** `describe` has tables described that are shown. */
export function Overview({ names, tables, describe, filter, onOpen, onTable, onNew }) {
  const [most, setMost] = useState(STEP), shown = (names ?? []).slice(0, most);
  useEffect(() => { describe(shown); return () => describe([]); }, [shown.join("\n")]);
  return <section aria-label="Tables" class="overview">
    <div class="bar"><h2>Tables</h2><button type="button" class="main" onClick={onNew}>Create table</button>
      {names && <span role="status" class="soft">{names.length.toLocaleString("en")} {names.length === 1 ? "table" : "tables"}{filter && ` with “${filter}” in the name`}</span>}</div>
    {names?.length === 0 && !filter && <p>This database has no tables. Create one here, load one with <code>dynolith load FILE --to {location.origin}</code>, or use any AWS SDK.</p>}
    {shown.length > 0 && <div class="scroll" role="region" aria-label="List of tables" tabIndex={0}><table class="list"><thead><tr>
      {["Table", "Keys", "Items", "Size", "Indexes", "Stream", "Status"].map((head) => <th scope="col" key={head} class={head === "Items" || head === "Size" ? "number" : ""}>{head}</th>)}<td /></tr></thead>
      <tbody>{shown.map((name) => <Row key={name} name={name} table={own(tables, name)} onOpen={onOpen} onTable={onTable} />)}</tbody></table></div>}
    {names?.length > most && <button type="button" onClick={() => setMost(most + STEP)}>Show {Math.min(STEP, names.length - most)} more</button>}
  </section>;
}
