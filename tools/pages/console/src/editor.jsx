// One item: its attributes as a tree of typed fields, or all of it as DynamoDB JSON. What was changed by somebody else meanwhile is
// not overwritten unseen.
import { useState } from "preact/hooks";
import { call } from "./server.js";
import { keyOf } from "./values.js";
import { itemOf, newNode, nodesOf } from "./tree.js";
import { Node } from "./nodes.jsx";
import { isUpdate, putOf, updateOf } from "./writes.js";
import { Dialog, Problem, Snippets } from "./parts.jsx";

/** `start`: what the fields begin with. `before`: the item as it was read, or null for a new one. */
export function Editor({ table, keys, start, before: read, onClose, onSaved, onDuplicate, onDelete }) {
  const [before, setBefore] = useState(read), [nodes, setNodes] = useState(() => nodesOf(start, keys)), [json, setJson] = useState(null);
  const [problem, setProblem] = useState(null), [changed, setChanged] = useState(null);
  const isKey = (node) => !node.isAdded && keys.some((key) => key.AttributeName === node.name);
  const current = () => json === null ? itemOf(nodes) : JSON.parse(json);
  const attempt = (work) => async (event) => {
    event?.preventDefault();
    setProblem(null);
    try {
      await work();
    } catch (wrong) {
      setProblem(wrong);
      // Of another key it says which item is there already.
      const found = wrong.kind === "ConditionalCheckFailedException" ? wrong.answer.Item ?? {} : null;
      setChanged(found && (Object.keys(found).length === 0 || isUpdate(keys, before, found)) ? found : null);
    }
  };
  const put = async (item) => {
    await call("PutItem", putOf(table, keys, item));
    onSaved(item);
  };
  const write = (isForced) => attempt(async () => {
    const item = current();
    if (!isUpdate(keys, before, item)) return put(item);
    const update = updateOf(table, keys, before, item, isForced);
    return onSaved(update ? (await call("UpdateItem", update)).Attributes : before);
  });
  const save = write(false);
  // What was deleted meanwhile is made again as a whole.
  const overwrite = Object.keys(changed ?? {}).length > 0 ? write(true) : attempt(() => put(current()));
  const reread = () => { setBefore(changed); setNodes(nodesOf(changed, keys)); setJson(null); setChanged(null); setProblem(null); };
  const switchJson = attempt(async () => {
    if (json === null) { setJson(JSON.stringify(itemOf(nodes), null, 2)); return; }
    setNodes(nodesOf(JSON.parse(json), keys));
    setJson(null);
  });
  const replace = (i, ...made) => setNodes([...nodes.slice(0, i), ...made, ...nodes.slice(i + 1)]);
  // What Save sends, or, of an item that is as it was read, what makes it where there is none.
  const callOf = (item) => {
    const update = isUpdate(keys, before, item) ? updateOf(table, keys, before, item, false) : null;
    return update ? ["UpdateItem", update] : ["PutItem", putOf(table, keys, item)];
  };
  let snippets = [];
  try { snippets = [callOf(current())]; } catch { /* said when it is saved */ }

  return <Dialog class="editor" label={before ? "Edit item" : "New item"} onClose={onClose}>
    <form onSubmit={save}>
      <h2>{before ? "Edit item" : "New item"} <span class="soft">in {table.TableName}</span></h2>
      <div class="bar"><button type="button" aria-pressed={json !== null} onClick={switchJson}>DynamoDB JSON</button>
        {before && <button type="button" onClick={attempt(async () => onDuplicate(current()))}>Duplicate</button>}
        {before && <button type="button" onClick={() => onDelete(keyOf(keys, before))}>Delete…</button>}</div>
      {json === null ? <><ul class="nodes" aria-label="Attributes">
        {nodes.map((node, i) => <Node key={node.id} node={node} label={node.name || "new attribute"} isKey={isKey(node)} isFixed={isKey(node) && before !== null}
          onChange={(made) => replace(i, made)} onRemove={() => replace(i)} />)}</ul>
        <button type="button" onClick={() => setNodes([...nodes, newNode()])}>Add attribute</button></> :
        <textarea class="json" aria-label="Item as DynamoDB JSON" spellcheck={false} value={json} onInput={(event) => setJson(event.target.value)} />}
      <Problem of={problem} />
      {changed && before && <p class="warning">{Object.keys(changed).length > 0 ? "This item has been changed since it was read." : "This item has been deleted since it was read."}{" "}
        {Object.keys(changed).length > 0 && <button type="button" onClick={reread}>Show the current item</button>}{" "}
        <button type="button" onClick={overwrite}>Overwrite</button></p>}
      <div class="bar end"><Snippets calls={snippets} /><button type="button" onClick={onClose}>Cancel</button>
        <button class="main">Save</button></div>
    </form>
  </Dialog>;
}
