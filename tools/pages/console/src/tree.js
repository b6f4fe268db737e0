// An item as a tree that is edited: a node is { id, name, type, text, children, isAdded }. Lists, maps and sets have children, all
// others a text. Nodes are replaced, not changed.
import { fromText, isTyped, toText, typeOf } from "./values.js";

// Of the elements of a set.
const ELEMENT_TYPES = new Map([["SS", "S"], ["NS", "N"], ["BS", "B"]]);
let lastId = 0;

export const isSet = (type) => ELEMENT_TYPES.has(type);
export const hasChildren = (type) => type === "L" || type === "M" || isSet(type);

export const newNode = (name = "", type = "S") => ({ id: ++lastId, name, type, text: "", children: [], isAdded: true });
/** An element or an attribute more. */
export const newChild = (node) => newNode("", ELEMENT_TYPES.get(node.type) ?? "S");

/** Errors: SyntaxError of what is no attribute value. */
export function nodeOf(name, value) {
  if (!isTyped(value)) throw new SyntaxError(`${name || "An element"} has no typed value such as {"S": "text"}.`);
  const type = typeOf(value), inner = value[type], node = { ...newNode(name, type), isAdded: false };
  if (type === "L") return { ...node, children: inner.map((each) => nodeOf("", each)) };
  if (type === "M") return { ...node, children: Object.entries(inner).map(([each, of]) => nodeOf(each, of)) };
  if (isSet(type)) return { ...node, children: inner.map((each) => nodeOf("", { [ELEMENT_TYPES.get(type)]: each })) };
  return { ...node, text: toText(value) };
}

// Two of one name would leave one of them out.
function checkNames(nodes) {
  const seen = new Set();
  for (const { name } of nodes) {
    if (seen.has(name)) throw new SyntaxError(name === "" ? "Two attributes have no name." : `Two attributes are called ${name}.`);
    seen.add(name);
  }
}

/** Errors: SyntaxError of names that are there twice; everything else is for the service to refuse. */
export function valueOf(node) {
  if (node.type === "L") return { L: node.children.map(valueOf) };
  if (node.type === "M") return { M: itemOf(node.children) };
  if (isSet(node.type)) return { [node.type]: node.children.map((each) => each.text) };
  return fromText(node.type, node.text);
}

export function itemOf(nodes) {
  checkNames(nodes);
  return Object.fromEntries(nodes.map((node) => [node.name, valueOf(node)]));
}

/** Keys first, everything else by name. */
export function nodesOf(item, keys) {
  const placeOf = (name) => {
    const at = keys.findIndex((key) => key.AttributeName === name);
    return at < 0 ? keys.length : at;
  };
  return Object.entries(item).sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)).map(([name, value]) => nodeOf(name, value));
}

/** What a node is when its type is another: what can be kept is kept. */
export function retyped(node, type) {
  if (!hasChildren(type)) return { ...node, type, text: node.text || (type === "BOOL" ? "true" : "") };
  // What was one value becomes the first of many.
  const children = hasChildren(node.type) || node.text === "" ? node.children : [{ ...newNode("", node.type), text: node.text }];
  if (isSet(type)) return { ...node, type, children: children.filter((each) => !hasChildren(each.type)).map((each) => ({ ...each, type: ELEMENT_TYPES.get(type) })) };
  if (type === "M") return { ...node, type, children: children.map((each, i) => each.name === "" ? { ...each, name: String(i), isAdded: true } : each) };
  return { ...node, type, children };
}
