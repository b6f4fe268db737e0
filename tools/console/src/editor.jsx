// One item: its attributes with their types, or all of it as DynamoDB JSON. What was changed by somebody else meanwhile is not
// overwritten unseen.
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./server.js";
import { TYPES, fromText, keyOf, toText, typeOf } from "./values.js";
import { Snippets, Problem } from "./parts.jsx";

const placeOf = (name, keys) => {
  const at = keys.findIndex((key) => key.AttributeName === name);
  return at < 0 ? keys.length : at;
};
// Keys first, everything else by name.
const fieldsOf = (item, keys) => Object.entries(item).sort(([a], [b]) => placeOf(a, keys) - placeOf(b, keys) || (a < b ? -1 : 1)).map(([name, value]) => ({ name, type: typeOf(value), text: toText(value) }));
const itemOf = (fields) => Object.fromEntries(fields.filter((field) => field.name !== "").map(({ name, type, text }) => {
  try {
    return [name, fromText(type, text)];
  } catch (problem) {
    throw new SyntaxError(`${name}: ${problem.message}`);
  }
}));

// Written only if the item is as it was read, or, for a new one, if there is none.
function putOf(table, keys, item, before) {
  const request = { TableName: table.TableName, Item: item, ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  const names = {}, values = {}, parts = [];
  const conditions = before ? Object.entries(before) : keys.slice(0, 1).map((key) => [key.AttributeName]);
  conditions.forEach(([name, value], i) => {
    names[`#a${i}`] = name;
    if (value) values[`:v${i}`] = value;
    parts.push(value ? `#a${i} = :v${i}` : `attribute_not_exists(#a${i})`);
  });
  return { ...request, ConditionExpression: parts.join(" AND "), ExpressionAttributeNames: names,
           ...(before && { ExpressionAttributeValues: values }) };
}

function Field({ field, isKey, isNew, onChange, onRemove }) {
  const label = field.name || "new attribute";
  const long = !["S", "N", "B", "BOOL", "NULL"].includes(field.type) || field.text.includes("\n") || field.text.length > 60;
  const id = `field-${label}`;
  return <tr>
    <th scope="row">{field.isAdded ? <input aria-label="Attribute name" value={field.name} onInput={(event) => onChange({ name: event.target.value })} /> :
      <label for={id}>{field.name}{isKey && <span class="soft"> key</span>}</label>}</th>
    <td><select aria-label={`Type of ${label}`} value={field.type} disabled={isKey} onChange={(event) => onChange({ type: event.target.value })}>
      {Object.entries(TYPES).map(([type, name]) => <option key={type} value={type}>{name}</option>)}</select></td>
    <td class="wide">{field.type === "BOOL" ?
      <select id={id} aria-label={`Value of ${label}`} value={field.text === "true" ? "true" : "false"} onChange={(event) => onChange({ text: event.target.value })}>
        <option>true</option><option>false</option></select> :
      field.type === "NULL" ? <span class="soft">null</span> : long ?
      <textarea id={id} aria-label={`Value of ${label}`} rows={Math.min(12, field.text.split("\n").length + 1)} spellcheck={false} readOnly={isKey && !isNew}
        value={field.text} onInput={(event) => onChange({ text: event.target.value })} /> :
      <input id={id} aria-label={`Value of ${label}`} spellcheck={false} readOnly={isKey && !isNew} value={field.text}
        onInput={(event) => onChange({ text: event.target.value })} />}</td>
    <td>{!isKey && <button type="button" class="plain" aria-label={`Remove ${label}`} onClick={onRemove}>×</button>}</td>
  </tr>;
}

/** `start`: what the fields begin with. `before`: the item as it was read, or null for a new one. */
export function Editor({ table, keys, start, before: read, onClose, onSaved, onDuplicate, onDelete }) {
  const dialog = useRef();
  const [before, setBefore] = useState(read), [fields, setFields] = useState(fieldsOf(start, keys)), [json, setJson] = useState(null);
  const [problem, setProblem] = useState(null), [changed, setChanged] = useState(null);
  useEffect(() => { dialog.current.showModal(); }, []);
  const isKey = (name) => keys.some((key) => key.AttributeName === name);
  const current = () => json === null ? itemOf(fields) : JSON.parse(json);
  const attempt = (work) => async (event) => {
    event?.preventDefault();
    setProblem(null);
    try {
      await work();
    } catch (wrong) {
      setProblem(wrong);
      setChanged(wrong.kind === "ConditionalCheckFailedException" ? wrong.answer.Item ?? {} : null);
    }
  };
  const save = attempt(async () => {
    const item = current();
    await call("PutItem", putOf(table, keys, item, before));
    onSaved(item);
  });
  const reread = () => { setBefore(changed); setFields(fieldsOf(changed, keys)); setJson(null); setChanged(null); setProblem(null); };
  let request = null;
  try { request = { TableName: table.TableName, Item: current() }; } catch { /* said when it is saved */ }

  return <dialog ref={dialog} class="editor" aria-label={before ? "Edit item" : "New item"} onCancel={(event) => { event.preventDefault(); onClose(); }}>
    <form onSubmit={save}>
      <h2>{before ? "Edit item" : "New item"} <span class="soft">in {table.TableName}</span></h2>
      <div class="bar"><button type="button" aria-pressed={json !== null} onClick={attempt(async () => {
        if (json === null) setJson(JSON.stringify(itemOf(fields), null, 2));
        else { setFields(fieldsOf(JSON.parse(json), keys)); setJson(null); }
      })}>As DynamoDB JSON</button>
        {before && <button type="button" onClick={() => onDuplicate(current())}>Duplicate</button>}
        {before && <button type="button" onClick={() => onDelete(keyOf(keys, before))}>Delete…</button>}</div>
      {json === null ? <table class="fields"><tbody>
        {fields.map((field, i) => <Field key={i} field={field} isKey={isKey(field.name) && !field.isAdded} isNew={!before}
          onChange={(change) => setFields(fields.map((each, j) => j === i ? { ...each, ...change } : each))}
          onRemove={() => setFields(fields.filter((_, j) => j !== i))} />)}
      </tbody></table> : <textarea class="json" aria-label="Item as DynamoDB JSON" spellcheck={false} value={json} onInput={(event) => setJson(event.target.value)} />}
      {json === null && <button type="button" onClick={() => setFields([...fields, { name: "", type: "S", text: "", isAdded: true }])}>Add attribute</button>}
      <Problem of={problem} />
      {changed && before && <p class="warning">{Object.keys(changed).length > 0 ? "Somebody else has changed this item since it was read." : "Somebody else has deleted this item since it was read."}{" "}
        {Object.keys(changed).length > 0 && <button type="button" onClick={reread}>Show what it is now</button>}{" "}
        <button type="button" onClick={attempt(async () => { const item = current(); await call("PutItem", { TableName: table.TableName, Item: item }); onSaved(item); })}>Overwrite it</button></p>}
      <div class="bar end"><Snippets calls={request ? [["PutItem", request]] : []} /><button type="button" onClick={onClose}>Cancel</button>
        <button class="main">Save</button></div>
    </form>
  </dialog>;
}
