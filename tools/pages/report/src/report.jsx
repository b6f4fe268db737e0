// The page of one result: its verdict, all designs side by side, and one of them with one of its tables or indexes.
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { Choice, numbered } from "../../shared/choice.jsx";
import { MetricChoice } from "../../shared/heat_map.jsx";
import { clock, number } from "../../shared/numbers.js";
import { firstToSee, nameOf, placeOf } from "./designs.js";
import { Latency } from "./latency.jsx";
import { Accesses, Comparison, Errors, LOADS, Loads } from "./loads.jsx";
import { Bill, Reserved, Resource } from "./resource.jsx";
import { Spreads } from "./spread.jsx";
import { Verdict } from "./verdict.jsx";

const Facts = ({ of }) => of.length > 0 && <dl>{of.map(([name, text]) => <Fragment key={name}><dt>{name}</dt><dd>{text}</dd></Fragment>)}</dl>;

const Foot = ({ design, seed }) => <footer>{design.measured ?
  `${clock(design.simulated_seconds)} measured, ${number(design.decisions)} calls, seed ${seed}.` :
  `${clock(design.simulated_seconds)} of time, ${number(design.decisions)} decisions, seed ${seed}. The same file and seed give the same figures again.`}</footer>;

export function Report({ result }) {
  const { designs } = result, [chosen, setChosen] = useState(() => firstToSee(designs)), [place, setPlace] = useState(placeOf(designs[chosen]));
  const [metric, setMetric] = useState("operations"), [load, setLoad] = useState(0);
  const design = designs[chosen], resource = design.resources[place];
  const choose = (number) => { setChosen(number); setPlace(placeOf(designs[number])); };
  return <><h1>{result.title || "Dynolith lab"}</h1>
    <Facts of={[["Question", result.question], ["Expected", result.expected]].filter(([, text]) => text)} />
    <Verdict designs={designs} onChoose={choose} />
    {!design.complete && <p class="warning">Stopped after {clock(design.simulated_seconds)}: these are the figures until then.</p>}
    <h2>{designs.length > 1 ? "The designs" : "The outcome"}</h2><Comparison result={result} chosen={chosen} />
    <Spreads result={result} />
    <nav class="choices" aria-label="What is shown">
      <Choice label="Design" value={chosen} options={numbered(designs.map(nameOf))} onChange={(value) => choose(Number(value))} />
      <Choice label="Table or index" value={place} options={numbered(design.resources.map((one) => one.name))} onChange={(value) => setPlace(Number(value))} />
      <MetricChoice metric={metric} onChange={setMetric} />
      {designs.length > 1 && <Choice label="Load of" value={load} options={numbered(LOADS)} onChange={(value) => setLoad(Number(value))} />}</nav>
    <h2>{nameOf(design)}</h2>{design.description && <p>{design.description}</p>}
    {design.warnings.map((warning) => <p class="warning" key={warning}>{warning}</p>)}
    <Accesses design={design} /><Errors design={design} /><Fragment key={`${chosen} ${load}`}><Loads designs={designs} design={design} load={load} />{design.measured && <Latency design={design} />}</Fragment>
    <Resource key={`${chosen} ${place}`} design={design} resource={resource} metric={metric} />
    <h2>What it costs</h2><Bill prices={result.prices} design={design} /><Reserved prices={result.prices} design={design} />
    <Foot design={design} seed={result.seed} /></>;
}
