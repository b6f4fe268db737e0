// The console: tables at the left, tabs at the right.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, getSettings } from "./server.js";
import { Control } from "./control.jsx";
import { Items } from "./items.jsx";
import { Problem, useWork } from "./parts.jsx";
import { Stream } from "./streams.jsx";
import { Table } from "./tables.jsx";
import { own } from "./values.js";

const PERIOD = 5000;  // milliseconds between two looks at the tables
const SHORTCUTS = [["/", "find a table"], ["t", "new tab of the same table"], ["w", "close the tab"], ["[ and ]", "tab before and behind"], ["Arrow keys, Home, End, Page Up, Page Down", "move in the grid"],
  ["Enter", "open an item"], ["Delete", "delete an item"], ["Ctrl+Enter", "run a statement"], ["?", "these"]];

let lastTab = 0;
const newTab = (table, form = {}) => ({ id: ++lastTab, table, part: "items",
  form: { mode: "Scan", index: "", equals: {}, sort: { condition: "=", first: "", second: "" }, forward: true, view: "grid",
          statement: `SELECT * FROM "${table}"`, ...form } });

function Shortcuts({ onClose }) {
  const dialog = useRef();
  useEffect(() => { dialog.current.showModal(); }, []);
  return <dialog ref={dialog} aria-label="Keyboard" onCancel={onClose} onClose={onClose}><h2>Keyboard</h2>
    <dl class="shortcuts">{SHORTCUTS.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl><form method="dialog" class="bar end"><button class="main">Close</button></form></dialog>;
}

async function readTables() {
  const names = [];
  for (let from; ;) {
    const answer = await call("ListTables", from ? { ExclusiveStartTableName: from } : {});
    names.push(...answer.TableNames);
    from = answer.LastEvaluatedTableName;
    if (!from) break;
  }
  return names;
}

function useTheme() {
  const [theme, setTheme] = useState(localStorage.getItem("dynolith-theme") ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("dynolith-theme", theme);
  }, [theme]);
  return [theme, setTheme];
}

// What a tab shows of its table.
function Tab({ tab, table, change }) {
  const parts = [["table", "Table"], ["items", "Items"], ["stream", "Stream"]];
  return <><div class="parts" role="group" aria-label="What is shown">{parts.map(([part, name]) => <button type="button" key={part} aria-pressed={tab.part === part} onClick={() => change({ part })}>{name}</button>)}</div>
    {!table ? <p class="soft">There is no table {tab.table} now.</p> : tab.part === "table" ? <Table table={table} onRead={(index) => change({ part: "items", form: { ...tab.form, index, mode: "Scan" } })} /> :
      tab.part === "stream" ? <Stream key={table.LatestStreamArn} table={table} /> : <Items table={table} form={tab.form} change={(form) => change({ form: { ...tab.form, ...form } })} />}</>;
}

function Console() {
  const [names, setNames] = useState(null), [tables, setTables] = useState({}), [filter, setFilter] = useState("");
  const [tabs, setTabs] = useState([]), [at, setAt] = useState("control"), [theme, setTheme] = useTheme(), [isHelping, setHelping] = useState(false);
  const [run, problem] = useWork(), [generation, setGeneration] = useState(0), [epoch, setEpoch] = useState(0), find = useRef();
  const tab = tabs.find((each) => each.id === at);

  const describe = async (name) => {
    try {
      const { Table: table } = await call("DescribeTable", { TableName: name });
      setTables((before) => JSON.stringify(own(before, name)) === JSON.stringify(table) ? before : { ...before, [name]: table });
    } catch (wrong) {
      if (wrong.kind !== "ResourceNotFoundException") throw wrong;
      setTables((before) => ({ ...before, [name]: null }));
    }
  };
  const look = () => run(async () => {
    const found = await readTables();
    setNames((before) => JSON.stringify(before) === JSON.stringify(found) ? before : found);
    await Promise.all([...new Set(tabs.map((each) => each.table))].map(describe));
  });
  useEffect(() => {
    look();
    const timer = setInterval(() => document.hidden || look(), PERIOD);
    return () => clearInterval(timer);
  }, [generation, tabs.map((each) => each.table).join("\n")]);

  const open = (name, form) => { const made = newTab(name, form); setTabs([...tabs, made]); setAt(made.id); describe(name).catch(() => {}); };
  const show = (name) => { const there = tabs.find((each) => each.table === name); there ? setAt(there.id) : open(name); };
  const close = (id) => {
    const i = tabs.findIndex((each) => each.id === id), left = tabs.filter((each) => each.id !== id);
    setTabs(left);
    if (id === at) setAt(left[Math.min(i, left.length - 1)]?.id ?? "control");
  };
  const change = (id, what) => setTabs((before) => before.map((each) => each.id === id ? { ...each, ...what } : each));
  const step = (by) => { const all = ["control", ...tabs.map((each) => each.id)]; setAt(all[(all.indexOf(at) + by + all.length) % all.length]); };

  useEffect(() => {
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
      const keys = { "/": () => find.current.focus(), "?": () => setHelping(true), t: () => tab && open(tab.table, tab.form), w: () => tab && close(tab.id), "[": () => step(-1), "]": () => step(1) };
      if (!keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  const onTabKey = (event) => { if (event.key === "ArrowRight" || event.key === "ArrowLeft") { step(event.key === "ArrowRight" ? 1 : -1); setTimeout(() => document.querySelector('[role="tab"][aria-selected="true"]')?.focus()); } };
  // `what`: "else", another database or caller; "restored", the same database in another state.
  const onChanged = (what) => {
    if (what === "else") { setTabs([]); setTables({}); setNames(null); }
    if (what === "restored") setEpoch(epoch + 1);
    setGeneration((before) => before + 1);
  };
  const shown = (names ?? []).filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
  const label = (each) => `${each.table}${tabs.filter((other) => other.table === each.table).length > 1 ? ` (${tabs.filter((other) => other.table === each.table).indexOf(each) + 1})` : ""}`;

  return <div class="console">
    <nav aria-label="Tables"><h1>Dynolith</h1>{getSettings().database && <p class="soft">database {getSettings().database}</p>}
      <input ref={find} type="search" aria-label="Find a table" placeholder="Find a table  /" value={filter} onInput={(event) => setFilter(event.target.value)} />
      <ul>{shown.map((name) => <li key={name}><button type="button" aria-current={tab?.table === name ? "true" : undefined} onClick={() => show(name)}>{name}</button></li>)}</ul>
      {names?.length === 0 && <p class="soft">There are no tables yet. <code>dynolith load FILE --to {location.origin}</code>, or any SDK, makes some.</p>}
      {names === null && !problem && <p class="soft">reading…</p>}
      <Problem of={problem} />
      <div class="foot"><a href="/_dynolith/live">Capacity and hot keys</a><button type="button" onClick={() => setHelping(true)}>Keyboard ?</button>
        <label>Theme <select value={theme} onChange={(event) => setTheme(event.target.value)}><option value="auto">as the system</option><option value="light">light</option><option value="dark">dark</option></select></label></div></nav>
    <main><div role="tablist" aria-label="Open" onKeyDown={onTabKey}>
      <button type="button" role="tab" id="tab-control" aria-selected={at === "control"} aria-controls="panel" tabIndex={at === "control" ? 0 : -1} onClick={() => setAt("control")}>Server</button>
      {tabs.map((each) => <span key={each.id} class="tab"><button type="button" role="tab" id={`tab-${each.id}`} aria-selected={at === each.id} aria-controls="panel" tabIndex={at === each.id ? 0 : -1} onClick={() => setAt(each.id)}>{label(each)}</button>
        <button type="button" class="plain" aria-label={`Close ${label(each)}`} tabIndex={-1} onClick={() => close(each.id)}>×</button></span>)}</div>
    {at === "control" && <div id="panel" role="tabpanel" aria-labelledby="tab-control"><Control key={getSettings().database} onChanged={onChanged} /></div>}
    {tabs.map((each) => <div key={each.id} id={each.id === at ? "panel" : undefined} role="tabpanel" aria-labelledby={`tab-${each.id}`} hidden={each.id !== at}>
      {own(tables, each.table) === undefined ? <p class="soft">reading…</p> : <Tab key={epoch} tab={each} table={own(tables, each.table)} change={(what) => change(each.id, what)} />}</div>)}</main>
    {isHelping && <Shortcuts onClose={() => setHelping(false)} />}
  </div>;
}

render(<Console />, document.getElementById("console"));
