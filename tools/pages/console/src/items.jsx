// Items of a table or an index, in a grid or as item collections: read, changed, taken from files and written to them.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Choice } from "../../shared/choice.jsx";
import { call } from "./server.js";
import { keysOf } from "./schema.js";
import { keyOf } from "./values.js";
import { sorted } from "./order.js";
import { isReady } from "./place.js";
import { FORMATS, download, readFile, writeItems } from "./transfer.js";
import { Collection } from "./collection.jsx";
import { Editor } from "./editor.jsx";
import { Grid } from "./grid.jsx";
import { Reading, readOf } from "./reading.jsx";
import { Confirm, Problem, Snippets, useWork } from "./parts.jsx";

const COLUMNS_MAX = 60;
const SORTED_MAX = 20_000;  // items that are sorted after each page while all are read

function columnsOf(items, keys) {
  const names = new Set(keys.map((key) => key.AttributeName));
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

function ImportFile({ table, onDone }) {
  const [run, problem] = useWork(), [said, setSaid] = useState("");
  async function take(event) {
    const file = event.target.files[0];
    event.target.value = "";
    if (!file) return;
    await run(async () => {
      setSaid("");
      const types = Object.fromEntries(keysOf(table).map((key) => [key.AttributeName, key.type]));
      const items = readFile(file.name, await file.text(), types);
      const refused = await writeItems(table.TableName, items, (written) => setSaid(`${written} of ${items.length} items`));
      setSaid(`${items.length - refused.length} items imported`);
      onDone();
      if (refused.length > 0) throw new Error(`${refused.length} refused: ${refused.slice(0, 5).map(([number, why]) => `item ${number}: ${why}`).join("; ")}`);
    });
  }
  return <><label class="button">Import…<input type="file" aria-label="Import a file" accept=".json,.jsonl,.csv" onChange={take} /></label>
    <span role="status" class="soft">{said}</span><Problem of={problem} /></>;
}

// What has been read, page by page.
function usePages(table, form) {
  const [items, setItems] = useState([]), [next, setNext] = useState(null), [scanned, setScanned] = useState(0), [run, problem, isBusy] = useWork();
  const stop = useRef(null);
  // Pages of which a filter leaves nothing are no answer yet.
  async function page(from, before, seen) {
    const [operation, request, leads] = readOf(table, form);
    for (let following = from; ;) {
      const answer = await call(operation, { ...request, ...(following && { [leads]: following }) }, stop.current?.signal), found = answer.Items ?? [];
      seen += answer.ScannedCount ?? found.length;
      following = answer.LastEvaluatedKey ?? answer.NextToken ?? null;
      before = before.concat(found);
      setItems(before);
      setNext(following);
      setScanned(seen);
      if (found.length > 0 || !following) return [following, before, seen];
    }
  }
  const begin = () => { stop.current = new AbortController(); };
  const read = () => run(async () => { begin(); setItems([]); setNext(null); await page(null, [], 0); });
  const more = () => next && !isBusy && run(() => { begin(); return page(next, items, scanned); });
  const readAll = () => run(async () => {
    begin();
    for (let following = next, all = items, seen = scanned; following;) [following, all, seen] = await page(following, all, seen);
  });
  return { items, setItems, next, scanned, run, problem, isBusy, read, more, readAll, stop: () => stop.current?.abort() };
}

/** `form` is what the tab keeps, `change` changes it. */
export function Items({ table, form, change }) {
  const { items, setItems, next, scanned, run, problem, isBusy, read, more, readAll, stop } = usePages(table, form);
  const [editing, setEditing] = useState(null), [deleting, setDeleting] = useState(null), isFirst = useRef(true);
  const keys = useMemo(() => keysOf(table, form.index), [table, form.index]), tableKeys = useMemo(() => keysOf(table), [table]);
  const first = form.operation === "PartiQL" ? tableKeys : [...keys, ...tableKeys.filter((key) => !keys.some((each) => each.AttributeName === key.AttributeName))];
  const columns = useMemo(() => columnsOf(items, first), [items, table, form.index, form.operation]);
  const isLater = isBusy && items.length > SORTED_MAX;
  const shown = useMemo(() => sorted(items, isLater ? null : form.order), [items, form.order, isLater]);
  // A place that is opened by its address is read at once, if that only reads.
  useEffect(() => { if (form.operation === "Scan" || isFirst.current && isReady(form, keys)) read(); isFirst.current = false; }, [table.TableName, form.index, form.operation]);

  const replace = (item, isGone) => {
    const of = JSON.stringify(keyOf(tableKeys, item));
    const at = items.findIndex((each) => JSON.stringify(keyOf(tableKeys, each)) === of);
    if (isGone) setItems(items.filter((_, i) => i !== at));
    else setItems(at < 0 ? [item, ...items] : items.map((each, i) => i === at ? item : each));
  };
  // An index may hold a part of an item only, and what was read may be old.
  const open = (row) => run(async () => {
    const Key = keyOf(tableKeys, row);
    if (Object.values(Key).some((value) => value === undefined)) throw new Error("This answer lacks the item's key.");
    const answer = await call("GetItem", { TableName: table.TableName, Key, ConsistentRead: true });
    if (!answer.Item) { replace(row, true); throw new Error("This item has been deleted."); }
    setEditing({ start: answer.Item, before: answer.Item });
  });
  const remove = () => run(async () => {
    const Key = deleting;
    setDeleting(null);
    await call("DeleteItem", { TableName: table.TableName, Key });
    setEditing(null);
    replace(Key, true);
  });
  const empty = Object.fromEntries(tableKeys.map((key) => [key.AttributeName, { [key.type]: "" }]));
  const format = (count) => count.toLocaleString("en");
  const said = `${format(items.length)} ${items.length === 1 ? "item" : "items"}${scanned > items.length ? ` of ${format(scanned)} read` : ""}${next ? ", there are more" : ""}`;

  return <section aria-label={`Items of ${table.TableName}`} class="items">
    <Reading table={table} form={form} columns={columns} change={change} onRun={(event) => { event.preventDefault(); read(); }}>
      <Choice label="Show as" value={form.view} options={[["grid", "grid"], ["collections", "item collections"]]} onChange={(view) => change({ view })} />
      <Snippets calls={[readOf(table, form).slice(0, 2)]} />
    </Reading>
    <div class="bar">
      <button type="button" onClick={() => setEditing({ start: empty, before: null })}>New item</button>
      <ImportFile table={table} onDone={() => form.operation === "Scan" && read()} />
      <select aria-label="Export what is shown" onChange={(event) => {
        const made = FORMATS[event.target.value];
        event.target.value = "";
        if (made) download(`${table.TableName}.${made.end}`, made.make(shown, columns));
      }}><option value="">Export…</option>{Object.keys(FORMATS).map((name) => <option key={name}>{name}</option>)}</select>
      <span role="status" class="soft">{isBusy ? "reading…" : said}</span>
      {next && !isBusy && <><button type="button" onClick={more}>Next page</button><button type="button" onClick={readAll}>Read all</button></>}
      {isBusy && <button type="button" onClick={stop}>Stop</button>}
      {columns.length > COLUMNS_MAX && <span class="soft">{columns.length - COLUMNS_MAX} more attributes are shown in the items themselves</span>}
    </div>
    <Problem of={problem} />
    {form.view === "grid" ? <Grid label={`Items of ${table.TableName}`} items={shown} columns={columns.slice(0, COLUMNS_MAX)} keys={keys} order={form.order} widths={form.widths}
      onOrder={(order) => change({ order })} onWidths={(widths) => change({ widths })} onOpen={(row) => open(shown[row])}
      onDelete={(row) => setDeleting(keyOf(tableKeys, shown[row]))} onMore={more} /> :
      <Collection items={shown} keys={keys} tableKeys={tableKeys} onOpen={open} />}
    {editing && <Editor key={editing.id ?? 0} table={table} keys={tableKeys} {...editing} onClose={() => setEditing(null)}
      onSaved={(item) => { setEditing(null); replace(item); }} onDuplicate={(item) => setEditing({ id: (editing.id ?? 0) + 1, start: item, before: null })} onDelete={setDeleting} />}
    {deleting && <Confirm text={`Delete the item ${Object.entries(deleting).map(([name, value]) => `${name} = ${Object.values(value)[0]}`).join(", ")}?`} action="Delete"
      onYes={remove} onNo={() => setDeleting(null)} />}
  </section>;
}
