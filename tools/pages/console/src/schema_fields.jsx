// Fields for keys and indexes, of a table that is made or an index that is added.
import { Choice } from "../../shared/choice.jsx";
import { PROJECTIONS, newKey } from "./design.js";
import { Text } from "./parts.jsx";

const TYPES = [["S", "String"], ["N", "Number"], ["B", "Binary"]];
const ATTRIBUTES_MAX = 4;  // of an index's partition key, and of its sort key

// `least`: how many there are at least; `most`: at most.
function KeyFields({ label, keys, least, most, onChange }) {
  const replace = (i, ...made) => onChange([...keys.slice(0, i), ...made, ...keys.slice(i + 1)]);
  const name = (i) => keys.length > 1 ? `${label} ${i + 1}` : label;
  return <div class="keyfields">{keys.map((key, i) => <div class="joined end" key={i}>
    <Text label={name(i)} placeholder="attribute" value={key.name} onChange={(text) => replace(i, { ...key, name: text })} />
    <Choice label={`Type of ${name(i).toLowerCase()}`} isHidden value={key.type} options={TYPES} onChange={(type) => replace(i, { ...key, type })} />
    {keys.length > least && <button type="button" class="plain" aria-label={`Remove ${name(i).toLowerCase()}`} onClick={() => replace(i)}>×</button>}</div>)}
    {keys.length < most && <button type="button" onClick={() => onChange([...keys, newKey()])}>{keys.length === 0 ? `Add ${label.toLowerCase()}` : "Add attribute"}</button>}</div>;
}

/** Of a table: `value` has hash and range. */
export const TableKeys = ({ value, onChange }) => <div class="bar top">
  <KeyFields label="Partition key" keys={value.hash} least={1} most={1} onChange={(hash) => onChange({ ...value, hash })} />
  <KeyFields label="Sort key" keys={value.range} least={0} most={1} onChange={(range) => onChange({ ...value, range })} /></div>;

/** `kinds`: which there can be; `isProvisioned`: whether a global one has units of its own. */
export function IndexFields({ value, kinds, isProvisioned, onChange }) {
  const set = (name) => (made) => onChange({ ...value, [name]: made }), isGlobal = value.kind === "global";
  return <><div class="choices">
    <Text label="Index name" value={value.name} onChange={set("name")} />
    {kinds.length > 1 && <Choice label="Kind" value={value.kind} options={[["global", "Global index"], ["local", "Local index"]]}
      onChange={(kind) => onChange({ ...value, kind, ...(kind === "local" && value.range.length !== 1 && { range: [value.range[0] ?? newKey()] }) })} />}
    <Choice label="Contains" value={value.projection} options={[...PROJECTIONS]} onChange={set("projection")} />
    {value.projection === "INCLUDE" && <Text label="Attributes" placeholder="name, name, …" value={value.attributes} onChange={set("attributes")} />}
    {isGlobal && isProvisioned && <UnitFields value={value} onChange={onChange} />}</div>
  <div class="bar top">
    {isGlobal && <KeyFields label="Index partition key" keys={value.hash} least={1} most={ATTRIBUTES_MAX} onChange={set("hash")} />}
    <KeyFields label="Index sort key" keys={value.range} least={isGlobal ? 0 : 1} most={isGlobal ? ATTRIBUTES_MAX : 1} onChange={set("range")} /></div></>;
}

export const UnitFields = ({ value, of = "", onChange }) => <>
  <Text label={`Read units${of}`} inputmode="numeric" class="units" value={value.read} onChange={(read) => onChange({ ...value, read })} />
  <Text label={`Write units${of}`} inputmode="numeric" class="units" value={value.write} onChange={(write) => onChange({ ...value, write })} /></>;
