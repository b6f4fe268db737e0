// Attribute values as people read and write them. What is shown can always be written back: numbers stay texts of up to 38 digits,
// sets stay sets, binaries stay base64.

export const TYPES = { S: "String", N: "Number", B: "Binary", BOOL: "Boolean", NULL: "Null", SS: "String set", NS: "Number set",
                       BS: "Binary set", L: "List", M: "Map" };
/** What `object` itself has under a name that a user chose: every object also inherits a "constructor" and a "__proto__". */
export const own = (object, name) => Object.hasOwn(object, name) ? object[name] : undefined;

export const typeOf = (value) => Object.keys(value)[0];

/** In one line, for a cell. */
export function brief(value) {
  if (value === undefined) return "";
  const type = typeOf(value), inner = value[type];
  if (type === "NULL") return "null";
  if (type === "BOOL") return String(inner);
  if (Array.isArray(inner)) return type === "L" ? `[${inner.map(brief).join(", ")}]` : `{${inner.join(", ")}}`;
  if (type === "M") return `{${Object.entries(inner).map(([name, each]) => `${name}: ${brief(each)}`).join(", ")}}`;
  return inner;
}

/** Of a value that is one text: everything but lists, maps and sets. */
export const toText = (value) => typeOf(value) === "NULL" ? "" : String(value[typeOf(value)]);

/** The way back. What is wrong is for the service to refuse, in its own words. */
export function fromText(type, text) {
  if (type === "BOOL") return { BOOL: text.trim() === "true" };
  return type === "NULL" ? { NULL: true } : { [type]: text };
}

/** As a program in a language without DynamoDB's types has it: numbers that no double holds stay texts. */
export function toPlain(value) {
  const type = typeOf(value), inner = value[type];
  if (type === "N") return String(Number(inner)) === inner ? Number(inner) : inner;
  if (type === "NULL") return null;
  if (type === "L") return inner.map(toPlain);
  if (type === "M") return Object.fromEntries(Object.entries(inner).map(([name, each]) => [name, toPlain(each)]));
  if (type === "NS") return inner.map((each) => toPlain({ N: each }));
  return inner;
}

export function fromPlain(value) {
  if (value === null) return { NULL: true };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "string") return { S: value };
  if (Array.isArray(value)) return { L: value.map(fromPlain) };
  return { M: Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromPlain(each)])) };
}

/** Whether it looks like an attribute value: what is in it is not looked at further than to take it apart. */
export function isTyped(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length !== 1) return false;
  const type = typeOf(value), inner = value[type];
  if (type === "L" || type === "SS" || type === "NS" || type === "BS") return Array.isArray(inner);
  if (type === "M") return typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return Object.hasOwn(TYPES, type) && typeof inner !== "object";
}

/** An item of a file: DynamoDB JSON, inside "Item" or not, or plain JSON. */
export function readItem(json) {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new SyntaxError("an item is an object");
  const inside = typeof json.Item === "object" && json.Item !== null && Object.values(json.Item).every(isTyped) ? json.Item : json;
  return Object.values(inside).every(isTyped) ? inside : fromPlain(inside).M;
}

/** The key of an item, as Query and GetItem take it. */
export const keyOf = (keys, item) => Object.fromEntries(keys.map((key) => [key.AttributeName, own(item, key.AttributeName)]));
