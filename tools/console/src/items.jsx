// Items of a table or an index, by Query, Scan or PartiQL, in a grid or as item collections.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { call } from "./server.js";
import { CONDITIONS, indexesOf, keysOf, queryOf } from "./schema.js";
import { keyOf, own } from "./values.js";
import { FORMATS, download, readFile, writeItems } from "./transfer.js";
import { Collection } from "./collection.jsx";
import { Editor } from "./editor.jsx";
import { Grid } from "./grid.jsx";
import { Confirm, Problem, Snippets, useWork } from "./parts.jsx";

const COLUMNS_MAX = 60;

function columnsOf(items, keys) {
  const names = new Set(keys.map((key) => key.AttributeName));
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return [...names];
}

// The call that reads, and the member that leads to its next page.
function readOf(table, form) {
  if (form.mode === "PartiQL") return ["ExecuteStatement", { Statement: form.statement }, "NextToken"];
  if (form.mode === "Scan") return ["Scan", { TableName: table.TableName, ...(form.index && { IndexName: form.index }) }, "ExclusiveStartKey"];
  return ["Query", queryOf(table, form.index, form.equals, form.sort, form.forward), "ExclusiveStartKey"];
}

function QueryFields({ table, form, change }) {
  const keys = keysOf(table, form.index), range = keys.find((key) => key.KeyType === "RANGE"), { sort } = form;
  return <>{keys.filter((key) => key.KeyType === "HASH").map((key) => <label key={key.AttributeName}>{key.AttributeName}
    <input value={own(form.equals, key.AttributeName) ?? ""} spellcheck={false} onInput={(event) =>
      change({ equals: { ...form.equals, [key.AttributeName]: event.target.value } })} /></label>)}
  {range && <label>{range.AttributeName}
    <span class="joined"><select aria-label="Condition of the sort key" value={sort.condition} onChange={(event) => change({ sort: { ...sort, condition: event.target.value } })}>
      {CONDITIONS.filter((each) => each !== "begins_with" || range.type !== "N").map((each) => <option key={each}>{each}</option>)}</select>
    <input aria-label={range.AttributeName} value={sort.first} spellcheck={false} placeholder="any" onInput={(event) => change({ sort: { ...sort, first: event.target.value } })} />
    {sort.condition === "between" && <input aria-label="and" value={sort.second} spellcheck={false} onInput={(event) => change({ sort: { ...sort, second: event.target.value } })} />}</span></label>}
  <label class="check"><input type="checkbox" checked={!form.forward} onChange={(event) => change({ forward: !event.target.checked })} /> descending</label></>;
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

/** `form` is what the tab keeps, `change` changes it. */
export function Items({ table, form, change }) {
  const [items, setItems] = useState([]), [next, setNext] = useState(null), [capped, setCapped] = useState(false);
  const [run, problem, isBusy] = useWork(), [editing, setEditing] = useState(null), [deleting, setDeleting] = useState(null);
  const stop = useRef(null), asked = useRef(null);
  const keys = useMemo(() => keysOf(table, form.index), [table, form.index]), tableKeys = useMemo(() => keysOf(table), [table]);
  const first = form.mode === "PartiQL" ? tableKeys : [...keys, ...tableKeys.filter((key) => !keys.some((each) => each.AttributeName === key.AttributeName))];
  const columns = useMemo(() => columnsOf(items, first), [items, table, form.index, form.mode]);

  async function page(from, before) {
    const [operation, request, leads] = readOf(table, form);
    asked.current = [operation, request];
    const answer = await call(operation, { ...request, ...(from && { [leads]: from }) }, stop.current?.signal);
    const all = before.concat(answer.Items ?? []);
    setItems(all);
    const following = answer.LastEvaluatedKey ?? answer.NextToken ?? null;
    setNext(following);
    return [following, all];
  }
  const read = (event) => { event?.preventDefault(); return run(async () => { stop.current = new AbortController(); setCapped(false); setItems([]); await page(null, []); }); };
  const more = () => next && !isBusy && run(() => page(next, items));
  const readAll = () => run(async () => {
    stop.current = new AbortController();
    for (let following = next, all = items; following;) [following, all] = await page(following, all);
  });
  useEffect(() => { if (form.mode === "Scan") read(); }, [table.TableName, form.index, form.mode]);

  const replace = (item, isGone) => {
    const of = JSON.stringify(keyOf(tableKeys, item));
    const at = items.findIndex((each) => JSON.stringify(keyOf(tableKeys, each)) === of);
    if (isGone) setItems(items.filter((_, i) => i !== at));
    else setItems(at < 0 ? [item, ...items] : items.map((each, i) => i === at ? item : each));
  };
  // An index may hold a part of an item only, and what was read may be old.
  const open = (row) => run(async () => {
    const Key = keyOf(tableKeys, items[row]);
    if (Object.values(Key).some((value) => value === undefined)) throw new Error("This answer lacks the item's key.");
    const answer = await call("GetItem", { TableName: table.TableName, Key, ConsistentRead: true });
    if (!answer.Item) { replace(items[row], true); throw new Error("This item is gone."); }
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
  let reading = null;
  try { reading = readOf(table, form); } catch { /* not yet whole */ }

  return <section aria-label={`Items of ${table.TableName}`} class="items">
    <form class="choices" onSubmit={read}>
      <label>Read by<select value={form.mode} onChange={(event) => change({ mode: event.target.value })}><option>Scan</option><option>Query</option><option>PartiQL</option></select></label>
      {form.mode !== "PartiQL" && <label>Of<select value={form.index} onChange={(event) => change({ index: event.target.value, equals: {} })}>
        <option value="">{table.TableName}</option>{indexesOf(table).map((each) => <option key={each.IndexName} value={each.IndexName}>{each.IndexName}</option>)}</select></label>}
      {form.mode === "Query" && <QueryFields table={table} form={form} change={change} />}
      {form.mode === "PartiQL" && <label class="wide">Statement<textarea rows={2} spellcheck={false} value={form.statement} onInput={(event) => change({ statement: event.target.value })}
        onKeyDown={(event) => event.key === "Enter" && event.ctrlKey && read(event)} /></label>}
      <button class="main">Run</button>
      <label>Show as<select value={form.view} onChange={(event) => change({ view: event.target.value })}><option value="grid">grid</option><option value="collections">item collections</option></select></label>
      <Snippets calls={reading ? [reading.slice(0, 2)] : []} />
    </form>
    <div class="bar">
      <button type="button" onClick={() => setEditing({ start: empty, before: null })}>New item</button>
      <ImportFile table={table} onDone={() => form.mode === "Scan" && read()} />
      <select aria-label="Export what is shown" onChange={(event) => {
        const format = FORMATS[event.target.value];
        event.target.value = "";
        if (format) download(`${table.TableName}.${format.end}`, format.make(items, columns));
      }}><option value="">Export…</option>{Object.keys(FORMATS).map((name) => <option key={name}>{name}</option>)}</select>
      <span role="status" class="soft">{isBusy ? "reading…" : `${items.length.toLocaleString("en")} items${next ? ", there are more" : ""}`}</span>
      {next && !isBusy && <><button type="button" onClick={more}>Next page</button><button type="button" onClick={readAll}>All of it</button></>}
      {isBusy && <button type="button" onClick={() => stop.current?.abort()}>Stop</button>}
      {columns.length > COLUMNS_MAX && <span class="soft">{columns.length - COLUMNS_MAX} more attributes are seen in the items themselves</span>}
    </div>
    <Problem of={problem} />
    {form.view === "grid" ? <Grid label={`Items of ${table.TableName}`} items={items} columns={columns.slice(0, COLUMNS_MAX)} keys={keys.length} onOpen={open}
      onDelete={(row) => setDeleting(keyOf(tableKeys, items[row]))} onMore={more} /> :
      <Collection items={items} keys={keys} tableKeys={tableKeys} onOpen={(item) => open(items.indexOf(item))} />}
    {editing && <Editor key={editing.id ?? 0} table={table} keys={tableKeys} {...editing} onClose={() => setEditing(null)}
      onSaved={(item) => { setEditing(null); replace(item); }} onDuplicate={(item) => setEditing({ id: (editing.id ?? 0) + 1, start: item, before: null })} onDelete={setDeleting} />}
    {deleting && <Confirm text={`Delete the item ${Object.entries(deleting).map(([name, value]) => `${name} = ${Object.values(value)[0]}`).join(", ")}?`} action="Delete"
      onYes={remove} onNo={() => setDeleting(null)} />}
  </section>;
}
