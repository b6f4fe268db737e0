// Where somebody is, as the part of the address behind "#": it can be kept, sent and gone back to.
//
//   #/tables   #/server   #/table/NAME/items?operation=Query&key.pk=USER%231&sort.sk=["begins_with","ORDER#",""]
//
// A place is { view: "tables" | "server" | "table", table, part, form, database }.
import { own } from "./values.js";

export const PARTS = ["items", "table", "stream"];
const OPERATIONS = ["Scan", "Query", "PartiQL"];

/** What a form of items begins with. */
export const newForm = (table) => ({
  operation: "Scan", index: "", equals: {}, sorts: {}, isForward: true, filters: [], isAnyFilter: false,
  statement: `SELECT * FROM "${table}"`, view: "grid", order: null, widths: {}
});

function formParameters(form, table) {
  const found = new URLSearchParams(), start = newForm(table);
  if (form.operation !== start.operation) found.set("operation", form.operation);
  if (form.index) found.set("index", form.index);
  if (form.operation === "Query") {
    for (const [name, text] of Object.entries(form.equals)) if (text !== "") found.set(`key.${name}`, text);
    for (const [name, { condition, first, second }] of Object.entries(form.sorts)) {
      if (first !== "" || condition !== "=") found.set(`sort.${name}`, JSON.stringify([condition, first, second]));
    }
    if (!form.isForward) found.set("descending", "1");
  }
  if (form.operation === "PartiQL" && form.statement !== start.statement) found.set("statement", form.statement);
  if (form.operation !== "PartiQL") {
    for (const { name, condition, type, first, second } of form.filters) found.append("filter", JSON.stringify([name, condition, type, first, second]));
    if (form.isAnyFilter) found.set("filters", "any");
  }
  if (form.view !== "grid") found.set("view", form.view);
  if (form.order) found.set(form.order.isDescending ? "down" : "up", form.order.name);
  for (const [name, width] of Object.entries(form.widths)) found.set(`width.${name}`, width);
  return found;
}

/** The other way. What is no text of ours is left out: people edit addresses. */
function readForm(parameters, table) {
  const form = newForm(table);
  const list = (text, length) => {
    try {
      const read = JSON.parse(text);
      return Array.isArray(read) && read.length === length && read.every((each) => typeof each === "string") ? read : null;
    } catch {
      return null;
    }
  };
  const named = (prefix) => [...parameters].filter(([name]) => name.startsWith(prefix)).map(([name, text]) => [name.slice(prefix.length), text]);
  const operation = parameters.get("operation");
  if (OPERATIONS.includes(operation)) form.operation = operation;
  form.index = parameters.get("index") ?? "";
  form.equals = Object.fromEntries(named("key."));
  form.sorts = Object.fromEntries(named("sort.").map(([name, text]) => [name, list(text, 3)]).filter(([, read]) => read)
    .map(([name, [condition, first, second]]) => [name, { condition, first, second }]));
  form.isForward = !parameters.has("descending");
  form.filters = parameters.getAll("filter").map((text) => list(text, 5)).filter(Boolean)
    .map(([name, condition, type, first, second]) => ({ name, condition, type, first, second }));
  form.isAnyFilter = parameters.get("filters") === "any";
  form.statement = parameters.get("statement") ?? form.statement;
  if (parameters.get("view") === "collections") form.view = "collections";
  for (const way of ["up", "down"]) if (parameters.has(way)) form.order = { name: parameters.get(way), isDescending: way === "down" };
  form.widths = Object.fromEntries(named("width.").map(([name, text]) => [name, Math.round(Number(text))]).filter(([, width]) => width >= 40 && width <= 2000));
  return form;
}

/** The page of a place without what is asked for in it: going from one to another is a step that "back" takes back. */
const pathOf = (place) => place.view === "table" ? `#/table/${encodeURIComponent(place.table)}/${place.part}` : `#/${place.view}`;

export function writePlace(place) {
  const parameters = place.view === "table" && place.part === "items" ? formParameters(place.form, place.table) : new URLSearchParams();
  if (place.database) parameters.set("database", place.database);
  const text = String(parameters);
  return pathOf(place) + (text && `?${text}`);
}

/** null: the address names no place. */
export function readPlace(hash) {
  const [path, ...rest] = hash.split("?"), parameters = new URLSearchParams(rest.join("?"));
  const database = parameters.get("database") ?? "";
  const [, view, name = "", part] = path.split("/");
  if (view === "tables" || view === "server") return { view, database };
  if (view !== "table" || name === "") return null;
  let table;
  try {
    table = decodeURIComponent(name);
  } catch {
    return null;
  }
  return { view, table, part: PARTS.includes(part) ? part : "items", form: readForm(parameters, table), database };
}

/** Whether a form can be run without a person: what only reads, and names a whole key. */
export const isReady = (form, keys) => form.operation === "Scan" ||
  form.operation === "Query" && keys.filter((key) => key.KeyType === "HASH").every((key) => own(form.equals, key.AttributeName));
