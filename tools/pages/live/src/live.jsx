// The view: all tables and indexes, one of them in detail, and calls.
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Choice } from "../../shared/choice.jsx";
import { MetricChoice } from "../../shared/heat_map.jsx";
import { Undisturbed } from "../../shared/undisturbed.jsx";
import { Details } from "./details.jsx";
import { Calls, Overview } from "./overview.jsx";
import { DATABASE, consoleAddress } from "./server.js";
import { Watch } from "./watch.js";

const Head = ({ state }) => <header><h1>Dynolith, live</h1><a href={DATABASE ? consoleAddress("tables") : "/_dynolith/"}>Console</a>
  {DATABASE && <p class="soft">database {DATABASE}</p>}<p class="soft" id="state">{state}</p></header>;

const Trouble = ({ of }) => <p class="warning" role="alert" hidden={!of}>
  {of && (of.status === undefined ? "The server does not answer; this page goes on when it does." : of.message)}
  {of?.status === 401 && <> <a href={consoleAddress("server")}>Enter the token in the console</a></>}</p>;

const Switch = ({ isOn, onChange, children }) => <button type="button" aria-pressed={String(isOn)} onClick={() => onChange(!isOn)}>{children}</button>;

const Choices = ({ watch, names, metric, onMetric, isHidden }) => <nav class="choices" aria-label="What is shown" hidden={isHidden}>
  <Choice label="Table or index" value={watch.resource ?? ""} options={names.map((name) => [name, name])} onChange={(name) => watch.pick(name)} />
  <MetricChoice metric={metric} onChange={onMetric} />
  <Switch isOn={watch.follows} onChange={(isOn) => watch.follow(isOn)}>Follow the busiest</Switch>
  <Switch isOn={watch.isPaused} onChange={(isOn) => watch.pause(isOn)}>Pause</Switch></nav>;

export function Live() {
  const [, draw] = useReducer((count) => count + 1, 0), [metric, setMetric] = useState("operations"), details = useRef();
  const watch = useMemo(() => new Watch({ changed: draw, isRead: () => details.current.contains(document.activeElement) }), []);
  useEffect(() => watch.start(), []);
  const { totals, resource } = watch, names = [...totals?.resources.keys() ?? []].sort(), isEmpty = totals !== undefined && names.length === 0;
  const of = totals?.resources.get(resource);
  // Drawn again only when there is something else to draw, not at each step of a look.
  const shown = useMemo(() => of && <Details key={resource} of={of} figures={watch.details} metric={metric} />, [resource, of === undefined, watch.details, metric]);
  return <><Head state={watch.state} /><Trouble of={watch.trouble} />
    <div class="columns"><div><h2>Tables and indexes</h2><div>{isEmpty ? <p class="soft">There are no tables yet.</p> : totals && <Overview watch={watch} names={names} />}</div></div>
      <div><h2>Calls</h2><Undisturbed>{totals && <Calls watch={watch} />}</Undisturbed></div></div>
    <Choices watch={watch} names={names} metric={metric} onMetric={setMetric} isHidden={isEmpty} />
    <div ref={details} hidden={isEmpty}>{shown}</div>
    <footer>Times are those of the server's clock, in UTC. Heat is recorded, and hot keys are watched, while this page is open and for a minute longer; ten minutes are remembered.</footer></>;
}
