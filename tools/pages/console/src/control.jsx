// Time, states to go back to, databases and regions: what only a server on one's own machine has.
import { useEffect, useState } from "preact/hooks";
import { admin, askAgain, getSettings, setSettings } from "./server.js";
import { Confirm, Problem, useWork } from "./parts.jsx";
import { Table } from "../../shared/table.jsx";

const DEFAULT = "(default)";
const STEPS = [["1 minute", 60], ["1 hour", 3600], ["1 day", 86_400]];

function Clock({ onMoved }) {
  const [clock, setClock] = useState(null), [run, problem] = useWork(), [to, setTo] = useState(""), [said, setSaid] = useState("");
  useEffect(() => {
    const look = () => run(async () => setClock(await admin("GET", "clock")));
    look();
    const timer = setInterval(look, 2000);
    return () => clearInterval(timer);
  }, []);
  const move = (path, request) => run(async () => { setClock(await admin("POST", path, request)); onMoved(); });
  return <section aria-label="Clock"><h2>Clock</h2>
    {clock && <p><time>{new Date(clock.now * 1000).toISOString().replace("T", " ").replace(/\.\d+Z/, " UTC")}</time> <span class="soft">{clock.mode === "manual" ? "stands still until it is moved" :
      "the machine's clock; dynolith serve --clock manual has one that you can move here"}</span></p>}
    <div class="bar">{clock?.mode === "manual" && <>{STEPS.map(([name, seconds]) => <button type="button" key={name} onClick={() => move("clock/advance", { seconds })}>+ {name}</button>)}
      <input aria-label="Set the clock to" placeholder="2026-10-01T12:00:00Z" value={to} onInput={(event) => setTo(event.target.value)} /><button type="button" onClick={() => move("clock/set", { now: to })}>Set</button></>}
      <button type="button" onClick={() => run(async () => { const { deleted } = await admin("POST", "ttl/sweep", {}); setSaid(`${deleted} expired items deleted`); onMoved(); })}>Delete expired items now</button>
      <span role="status" class="soft">{said}</span></div><Problem of={problem} /></section>;
}

// How far the regions of a server lag behind each other, and how often their writes conflict; nothing if there is one region.
function Regions({ onChanged }) {
  const [seen, setSeen] = useState(null), [run, problem] = useWork();
  useEffect(() => {
    const look = () => run(async () => setSeen(await admin("GET", "regions")));
    look();
    const timer = setInterval(look, 2000);
    return () => clearInterval(timer);
  }, []);
  if (!seen?.links.length) return null;
  const here = getSettings().database || seen.regions[0].name;
  const state = (link) => link.cut ? "cut off" : link.paused ? "paused" : "";
  return <section aria-label="Regions"><h2>Regions</h2>
    <p class="soft">Their tables may have replicas in each other. POST /_dynolith/regions/lag, cut, skew and release turn the dials.</p>
    <Table caption="Regions and their conflicts" heads={["Region", "Tables", "Conflicts", ""]} keys={seen.regions.map((region) => region.name)}
      rows={seen.regions.map(({ name, tables, conflicts }) => [name, String(tables), String(conflicts), name === here ? <span class="soft">shown here</span> :
        <button type="button" aria-label={`Show ${name}`} onClick={() => { setSettings({ database: name }); onChanged("else"); }}>Show</button>])} />
    <Table caption="Changes on their way to other regions" heads={["From", "To", "Pending", "Behind (s)", "Arrived", "Lost", "State"]} keys={seen.links.map((link) => `${link.from} ${link.to}`)}
      rows={seen.links.map((link) => [link.from, link.to, String(link.pending), (link.behind_milliseconds / 1000).toFixed(1), String(link.arrived), String(link.lost), state(link)])} />
    <Problem of={problem} /></section>;
}

// Names with buttons, and a field for a new one.
function Names({ title, about, names, label, add, children, onAdd, problem }) {
  const [name, setName] = useState("");
  return <section aria-label={title}><h2>{title}</h2><p class="soft">{about}</p>
    <form class="bar" onSubmit={(event) => { event.preventDefault(); onAdd(name); setName(""); }}><input aria-label={label} placeholder="name" value={name} onInput={(event) => setName(event.target.value)} />
      <button>{add}</button></form>
    <ul class="names">{names.map((each) => <li key={each}><b>{each}</b> {children(each)}</li>)}</ul><Problem of={problem} /></section>;
}

export function Control({ onChanged }) {
  const [snapshots, setSnapshots] = useState([]), [databases, setDatabases] = useState([]), [asking, setAsking] = useState(null);
  const [run, problem] = useWork(), [runOther, otherProblem] = useWork();
  const look = () => Promise.all([run(async () => setSnapshots((await admin("GET", "snapshots")).snapshots)),
    runOther(async () => setDatabases((await admin("GET", "databases")).databases))]);
  useEffect(() => { askAgain(); look(); }, []);
  const doing = (with_, work, what) => with_(async () => { await work(); await look(); onChanged(what); });
  const here = getSettings().database;
  return <div class="control">
    <Clock onMoved={onChanged} />
    <Names title="Snapshots" about="The state of the whole database, kept under a name, to go back to as often as you like." names={snapshots} label="Name of the snapshot" add="Take snapshot" problem={problem}
      onAdd={(name) => doing(run, () => admin("POST", "snapshot", { name }))}>{(name) => <>
        <button type="button" onClick={() => setAsking([`Take the database back to ${name}? What was written since then is lost.`, "Restore", () => doing(run, () => admin("POST", "restore", { name }), "restored")])}>Restore…</button>
        <button type="button" onClick={() => setAsking([`Delete the snapshot ${name}?`, "Delete", () => doing(run, () => admin("DELETE", `snapshots/${encodeURIComponent(name)}`))])}>Delete…</button></>}</Names>
    <Names title="Databases" about="Each has tables, clock and snapshots of its own. Programs choose one with the header x-dynolith-database." names={["", ...databases].map((each) => each || DEFAULT)}
      label="Name of the database" add="Create database" problem={otherProblem} onAdd={(name) => doing(runOther, () => admin("POST", "databases", { name }))}>{(shown) => {
        const name = shown === DEFAULT ? "" : shown;
        return <>{name === here ? <span class="soft">shown here</span> : <button type="button" onClick={() => { setSettings({ database: name }); onChanged("else"); }}>Show</button>}
          {name && name !== here && <button type="button" onClick={() => setAsking([`Delete the database ${name} with all its tables?`, "Delete", () => doing(runOther, () => admin("DELETE", `databases/${encodeURIComponent(name)}`))])}>Delete…</button>}</>;
      }}</Names>
    <Regions onChanged={onChanged} />
    <Credentials onChanged={onChanged} />
    {asking && <Confirm text={asking[0]} action={asking[1]} onNo={() => setAsking(null)} onYes={() => { asking[2](); setAsking(null); }} />}
  </div>;
}

function Credentials({ onChanged }) {
  const [form, setForm] = useState(getSettings()), [said, setSaid] = useState("");
  const field = (name, label, type = "text") => <label>{label}<input type={type} autocomplete="off" value={form[name]} onInput={(event) => setForm({ ...form, [name]: event.target.value })} /></label>;
  return <section aria-label="Credentials"><h2>Credentials</h2><p class="soft">This page signs its calls with them. A server with --auth verify wants credentials of its file; any other one accepts these. They are kept until this browser tab is closed.</p>
    <form class="choices" onSubmit={(event) => { event.preventDefault(); setSettings(form); setSaid("in use"); onChanged("else"); }}>
      {field("accessKey", "Access key")}{field("secretKey", "Secret key", "password")}{field("region", "Region")}<button>Use</button><span role="status" class="soft">{said}</span></form></section>;
}
