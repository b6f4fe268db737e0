// Attributes as a tree of fields: maps, lists and sets are opened and closed, and each value has its type.
import { useState } from "preact/hooks";
import { TYPES, brief } from "./values.js";
import { hasChildren, isSet, newChild, retyped, valueOf } from "./tree.js";

const OPEN_MAX = 20;  // children of what is open by itself
const STEP = 100;  // children that are drawn at once

const summary = (node) => {
  const what = node.type === "M" ? "attribute" : "element";
  return `${node.children.length} ${what}${node.children.length === 1 ? "" : "s"}`;
};
const briefOf = (node) => {
  try {
    return brief(valueOf(node)).slice(0, 80);
  } catch {
    return "";  // two attributes of one name, which is said when it is saved
  }
};

function Value({ node, label, isFixed, onChange }) {
  const attributes = { "aria-label": `Value of ${label}`, value: node.text, spellcheck: false, readOnly: isFixed, onInput: (event) => onChange({ ...node, text: event.target.value }) };
  if (node.type === "NULL") return <span class="value soft">null</span>;
  if (node.type === "BOOL") return <select class="value" aria-label={`Value of ${label}`} value={node.text === "true" ? "true" : "false"} onChange={(event) => onChange({ ...node, text: event.target.value })}>
    <option>true</option><option>false</option></select>;
  const isLong = node.text.includes("\n") || node.text.length > 60;
  return isLong ? <textarea class="value" rows={Math.min(12, node.text.split("\n").length + Math.floor(node.text.length / 60))} {...attributes} /> : <input class="value" {...attributes} />;
}

function Children({ node, label, onChange }) {
  const [shown, setShown] = useState(STEP);
  const at = (i) => node.type === "M" ? `${label}.${node.children[i].name || "new attribute"}` : `${label}[${i}]`;
  const replace = (i, ...made) => onChange({ ...node, children: [...node.children.slice(0, i), ...made, ...node.children.slice(i + 1)] });
  return <ul class="nodes" aria-label={label}>
    {node.children.slice(0, shown).map((child, i) => <Node key={child.id} node={child} label={at(i)} shownName={node.type === "M" ? null : `[${i}]`} isElement={isSet(node.type)}
      onChange={(made) => replace(i, made)} onRemove={() => replace(i)} />)}
    {node.children.length > shown && <li><button type="button" onClick={() => setShown(shown + STEP)}>Show {Math.min(STEP, node.children.length - shown)} more of {node.children.length}</button></li>}
    <li><button type="button" aria-label={`Add ${node.type === "M" ? "attribute" : "element"} to ${label}`} onClick={() => { setShown(Math.max(shown, node.children.length + 1)); onChange({ ...node, children: [...node.children, newChild(node)] }); }}>
      {node.type === "M" ? "Add attribute" : "Add element"}</button></li>
  </ul>;
}

/** `label`: where the node is, such as address.city. `isKey`: its type is the table's. `isFixed`: nor is its value changed. */
export function Node({ node, label, shownName, isKey, isFixed, isElement, onChange, onRemove }) {
  const [isOpen, setOpen] = useState(node.children.length <= OPEN_MAX);
  const isParent = hasChildren(node.type);
  return <li class="node">
    <div class="fields">
      <span class="name">{shownName !== null && shownName !== undefined ? <span class="soft">{shownName}</span> : node.isAdded ?
        <input aria-label="Attribute name" placeholder="name" value={node.name} spellcheck={false} onInput={(event) => onChange({ ...node, name: event.target.value })} /> :
        <>{node.name}{isKey && <span class="soft"> key</span>}</>}</span>
      {isElement ? <span class="type" /> : <select class="type" aria-label={`Type of ${label}`} value={node.type} disabled={isKey} onChange={(event) => { onChange(retyped(node, event.target.value)); setOpen(true); }}>
        {Object.entries(TYPES).map(([type, name]) => <option key={type} value={type}>{name}</option>)}</select>}
      {isParent ? <button type="button" class="value toggle" aria-expanded={isOpen} aria-label={`${label}: ${summary(node)}`} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> {summary(node)}{!isOpen && <span class="soft"> {briefOf(node)}</span>}</button> :
        <Value node={node} label={label} isFixed={isFixed} onChange={onChange} />}
      {isKey ? <span class="remove" /> : <button type="button" class="plain remove" aria-label={`Remove ${label}`} onClick={onRemove}>×</button>}
    </div>
    {isParent && isOpen && <Children node={node} label={label} onChange={onChange} />}
  </li>;
}
