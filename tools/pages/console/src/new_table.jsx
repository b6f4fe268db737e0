// A table that is made: its keys, indexes, stream and time to live.
import { useState } from "preact/hooks";
import { Choice } from "../../shared/choice.jsx";
import { call } from "./server.js";
import { STREAM_VIEWS, newDesign, newIndex, tableRequest, ttlRequest } from "./design.js";
import { untilActive } from "./schema.js";
import { IndexFields, TableKeys, UnitFields } from "./schema_fields.jsx";
import { Dialog, Problem, Snippets, Text, useWork } from "./parts.jsx";

export const BILLING = [["PAY_PER_REQUEST", "On demand"], ["PROVISIONED", "Provisioned"]];

/** `onMade` is told the table's name. */
export function NewTable({ onMade, onClose }) {
  const [design, setDesign] = useState(newDesign()), [made, setMade] = useState(null), [run, problem, isBusy] = useWork();
  const set = (name) => (value) => setDesign({ ...design, [name]: value }), { indexes } = design;
  const replace = (i, ...others) => set("indexes")([...indexes.slice(0, i), ...others, ...indexes.slice(i + 1)]);
  const isProvisioned = design.billing === "PROVISIONED";
  const make = (event) => {
    event.preventDefault();
    run(async () => {
      // What was made before is not made again: then only its time to live was refused.
      if (made === null) {
        await call("CreateTable", tableRequest(design));
        setMade(design.name);
      }
      if (design.ttl !== "") {
        await untilActive(made ?? design.name);
        await call("UpdateTimeToLive", ttlRequest(made ?? design.name, design.ttl, true));
      }
      onMade(made ?? design.name);
    });
  };
  const calls = [["CreateTable", tableRequest(design)], ...(design.ttl === "" ? [] : [["UpdateTimeToLive", ttlRequest(design.name, design.ttl, true)]])];
  return <Dialog class="editor" label="Create table" onClose={made === null ? onClose : () => onMade(made)}>
    <form onSubmit={make}><h2>Create table</h2>
      <fieldset disabled={made !== null}>
        <div class="choices"><Text label="Table name" value={design.name} onChange={set("name")} /></div>
        <TableKeys value={design} onChange={setDesign} />
        <div class="choices"><Choice label="Capacity" value={design.billing} options={BILLING} onChange={set("billing")} />
          {isProvisioned && <UnitFields value={design} onChange={setDesign} />}
          <Choice label="Stream" value={design.stream} options={[...STREAM_VIEWS]} onChange={set("stream")} />
          <label class="check"><input type="checkbox" checked={design.isProtected} onChange={(event) => set("isProtected")(event.target.checked)} /> Deletion protection</label></div>
        {indexes.map((index, i) => <fieldset class="index" key={i}><legend>Index {i + 1}</legend>
          <IndexFields value={index} kinds={["global", "local"]} isProvisioned={isProvisioned} onChange={(value) => replace(i, value)} />
          <button type="button" onClick={() => replace(i)}>Remove index {i + 1}</button></fieldset>)}
        <div class="bar"><button type="button" onClick={() => set("indexes")([...indexes, newIndex()])}>Add index</button></div>
      </fieldset>
      <div class="choices"><Text label="Time to live attribute" placeholder="none" value={design.ttl} onChange={set("ttl")} /></div>
      {made !== null && problem && <p class="warning">The table {made} has been created; its time to live has not been switched on.</p>}
      <Problem of={problem} />
      <div class="bar end"><Snippets calls={calls} /><button type="button" onClick={made === null ? onClose : () => onMade(made)}>{made === null ? "Cancel" : "Close"}</button>
        <button class="main" disabled={isBusy}>{made === null ? "Create table" : "Switch on"}</button></div>
    </form></Dialog>;
}
