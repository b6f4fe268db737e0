// The console: tables at the left, tabs at the right.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Choice } from "../../shared/choice.jsx";
import { getSettings } from "./server.js";
import { Control } from "./control.jsx";
import { Items } from "./items.jsx";
import { NewTable } from "./new_table.jsx";
import { Overview } from "./overview.jsx";
import { Dialog, Problem } from "./parts.jsx";
import { AdminToken } from "./token.jsx";
import { Stream } from "./streams.jsx";
import { Table } from "./tables.jsx";
import { own } from "./values.js";
import { useTables } from "./known_tables.js";
import { useTabs } from "./tabs.js";
import "../../shared/style.css";
import "../console.css";

const SHORTCUTS = [["/", "find a table"], ["t", "open the table in another tab"], ["w", "close the tab"], ["[ and ]", "previous and next tab"],
  ["Arrow keys, Home, End, Page Up, Page Down", "move in the grid, and up into its head"], ["Enter", "open an item; in the grid's head, sort by the column"],
  ["Shift and arrow keys", "in the grid's head, change the width of the column"], ["Delete", "delete an item"], ["Ctrl+Enter", "run a statement"], ["?", "show this list"]];

const WANTS_CREDENTIALS = ["UnrecognizedClientException", "InvalidSignatureException", "AccessDeniedException"];

const Shortcuts = ({ onClose }) => <Dialog label="Keyboard" onClose={onClose}><h2>Keyboard shortcuts</h2>
  <dl class="shortcuts">{SHORTCUTS.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
  <div class="bar end"><button type="button" class="main" onClick={onClose}>Close</button></div></Dialog>;

function useTheme() {
  const [theme, setTheme] = useState(localStorage.getItem("dynolith-theme") ?? "auto");
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("dynolith-theme", theme);
  }, [theme]);
  return [theme, setTheme];
}

// The live page of this database, and of a table in it.
function liveAddress(table) {
  const { database } = getSettings();
  return "/_dynolith/live" + (database && `?database=${encodeURIComponent(database)}`) + (table === undefined ? "" : `#${encodeURIComponent(table)}`);
}

// What a tab shows of its table.
function Tab({ tab, table, change, changeForm, onChanged }) {
  const parts = [["items", "Items"], ["table", "Settings"], ["stream", "Stream"]];
  return <><div class="bar top"><div class="parts" role="group" aria-label="What is shown">{parts.map(([part, name]) => <button type="button" key={part} aria-pressed={tab.part === part} onClick={() => change({ part })}>{name}</button>)}</div>
    <a class="aside" href={liveAddress(tab.table)}>Live view</a></div>
    {!table ? <p class="soft">There is no table {tab.table}.</p> : tab.part === "table" ? <Table table={table} onChanged={onChanged} onRead={(index) => { change({ part: "items" }); changeForm({ index, operation: "Scan" }); }} /> :
      tab.part === "stream" ? <Stream key={table.LatestStreamArn} table={table} onSettings={() => change({ part: "table" })} /> : <Items key={tab.visit} table={table} form={tab.form} change={changeForm} />}</>;
}

function Side({ find, filter, setFilter, shown, names, problem, current, onShow }) {
  const { database } = getSettings();
  return <nav aria-label="Tables"><h1><a href="#/tables">Dynolith</a></h1>{database && <p class="soft">database {database}</p>}
    <input ref={find} type="search" aria-label="Find a table" placeholder="Find a table  /" value={filter} onInput={(event) => setFilter(event.target.value)} />
    <ul>{shown.map((name) => <li key={name}><button type="button" aria-current={current === name ? "true" : undefined} onClick={() => onShow(name)}>{name}</button></li>)}</ul>
    {names?.length === 0 && <p class="soft">There are no tables yet.</p>}
    {names === null && !problem && <p class="soft">reading…</p>}
    <Problem of={problem} />{WANTS_CREDENTIALS.includes(problem?.kind) && <p><a href="#/server">Enter credentials</a></p>}</nav>;
}

function Foot({ onHelp }) {
  const [theme, setTheme] = useTheme();
  return <footer><a href={liveAddress()}>Live capacity and hot keys</a><button type="button" onClick={onHelp}>Keyboard shortcuts</button>
      <Choice label="Theme" value={theme} options={[["auto", "as the system"], ["light", "light"], ["dark", "dark"]]} onChange={setTheme} /></footer>;
}

function TabList({ tabs, at, step, setAt, close }) {
  const list = useRef();
  useEffect(() => { list.current.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" }); }, [at]);
  const label = (each) => { const same = tabs.filter((other) => other.table === each.table); return same.length > 1 ? `${each.table} (${same.indexOf(each) + 1})` : each.table; };
  const onKey = (event) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    step(event.key === "ArrowRight" ? 1 : -1);
    setTimeout(() => list.current.querySelector('[role="tab"][aria-selected="true"]')?.focus());
  };
  const one = (id, text) => <button type="button" role="tab" id={`tab-${id}`} aria-selected={at === id} aria-controls={at === id ? "panel" : undefined} tabIndex={at === id ? 0 : -1} onClick={() => setAt(id)}>{text}</button>;
  const open = tabs.find((each) => each.id === at);
  return <div class="tabs"><div role="tablist" aria-label="Open" ref={list} onKeyDown={onKey}>{one("tables", "Tables")}{one("server", "Server")}{tabs.map((each) => one(each.id, label(each)))}</div>
    {open && <button type="button" class="plain" aria-label={`Close ${label(open)}`} onClick={() => close(at)}>×</button>}</div>;
}

function Console() {
  const [filter, setFilter] = useState(""), [described, setDescribed] = useState([]), [isHelping, setHelping] = useState(false), [isMaking, setMaking] = useState(false), [epoch, setEpoch] = useState(0);
  const find = useRef(), again = useRef(), all = useTabs(() => again.current()), { tabs, at, tab, open, show, close, change, changeForm, setAt, step, clear } = all;
  const { names, tables, problem, look, forget } = useTables([...described, ...tabs.map((each) => each.table)]);
  again.current = () => { forget(); look(); };

  useEffect(() => {
    const onKey = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
      const keys = new Map([["/", () => find.current.focus()], ["?", () => setHelping(true)], ["t", () => tab && open(tab.table, tab)], ["w", () => tab && close(tab.id)], ["[", () => step(-1)], ["]", () => step(1)]]);
      if (!keys.has(event.key)) return;
      event.preventDefault();
      keys.get(event.key)();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  // `what`: "else", another database or caller; "restored", the same database in another state.
  const onChanged = (what) => {
    if (what === "else") { clear(); forget(); }
    if (what === "restored") setEpoch(epoch + 1);
    look();
  };
  useEffect(() => { document.title = `${tab ? tab.table : at === "server" ? "Server" : "Tables"} – Dynolith`; }, [tab?.table, at]);
  const shown = (names ?? []).filter((name) => name.toLowerCase().includes(filter.toLowerCase()));

  return <div class="console">
    <Side find={find} filter={filter} setFilter={setFilter} shown={shown} names={names} problem={problem} current={tab?.table} onShow={(name) => show(name)} />
    <main><TabList tabs={tabs} at={at} step={step} setAt={setAt} close={close} />
    {at === "tables" && <div id="panel" role="tabpanel" aria-labelledby="tab-tables"><Overview names={names && shown} tables={tables} describe={setDescribed} filter={filter} onOpen={(name) => show(name, "items")} onTable={(name) => show(name, "table")} onNew={() => setMaking(true)} /></div>}
    {at === "server" && <div id="panel" role="tabpanel" aria-labelledby="tab-server"><Control key={getSettings().database} onChanged={onChanged} /></div>}
    {tabs.map((each) => <div key={each.id} id={each.id === at ? "panel" : undefined} role="tabpanel" aria-labelledby={`tab-${each.id}`} hidden={each.id !== at}>
      {own(tables, each.table) === undefined ? <p class="soft">reading…</p> : <Tab key={epoch} tab={each} table={own(tables, each.table)} change={(what) => change(each.id, what)} changeForm={(what) => changeForm(each.id, what)} onChanged={look} />}</div>)}</main>
    <Foot onHelp={() => setHelping(true)} />
    <AdminToken />
    {isHelping && <Shortcuts onClose={() => setHelping(false)} />}
    {isMaking && <NewTable onClose={() => setMaking(false)} onMade={(name) => { setMaking(false); look(); show(name, "items"); }} />}
  </div>;
}

render(<Console />, document.getElementById("console"));
