// Filters that are built from fields: [{ name, condition, type, first, second }], as a FilterExpression.
import { fromText } from "./values.js";

/** Which fields each has: how many values. */
export const CONDITIONS = new Map([
  ["=", 1], ["<>", 1], ["<", 1], ["<=", 1], [">", 1], [">=", 1], ["between", 2], ["begins with", 1], ["contains", 1],
  ["does not contain", 1], ["is one of", 1], ["exists", 0], ["does not exist", 0], ["is of type", 0]]);
/** Types of values that a field can hold. */
export const VALUE_TYPES = ["S", "N", "BOOL", "B", "NULL"];

// "address.city", "lines[0].sku", and, where a name itself has such signs, "\"a.b\".c".
function pathOf(text, placeholder) {
  const parts = text.match(/"(?:[^"]*)"|\[\d+\]|[^.[\]"]+|./g) ?? [];
  return parts.map((part) => part === "." || /^\[\d+\]$/.test(part) ? part :
    placeholder(part.length > 1 && part.startsWith('"') && part.endsWith('"') ? part.slice(1, -1) : part)).join("");
}

/** { text, names, values }; text is empty where there is no filter. */
export function filterOf(filters, isAny) {
  const names = {}, values = {}, known = new Map();
  const placeholder = (name) => {
    if (!known.has(name)) {
      known.set(name, `#f${known.size}`);
      names[known.get(name)] = name;
    }
    return known.get(name);
  };
  const value = (made) => {
    const name = `:f${Object.keys(values).length}`;
    values[name] = made;
    return name;
  };
  const parts = filters.filter((filter) => filter.name !== "").map(({ name, condition, type, first, second }) => {
    const path = pathOf(name, placeholder), operand = (text) => value(fromText(type, text));
    switch (condition) {
      case "exists": return `attribute_exists(${path})`;
      case "does not exist": return `attribute_not_exists(${path})`;
      case "is of type": return `attribute_type(${path}, ${value({ S: type })})`;
      case "begins with": return `begins_with(${path}, ${operand(first)})`;
      case "contains": return `contains(${path}, ${operand(first)})`;
      case "does not contain": return `NOT contains(${path}, ${operand(first)})`;
      case "between": return `${path} BETWEEN ${operand(first)} AND ${operand(second)}`;
      case "is one of": return `${path} IN (${first.split(",").map((each) => operand(each.trim())).join(", ")})`;
      default: return `${path} ${condition} ${operand(first)}`;
    }
  });
  return { text: parts.join(isAny ? " OR " : " AND "), names, values };
}
