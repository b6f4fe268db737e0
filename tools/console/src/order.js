// The order of attribute values of all types, for a grid that is sorted by a column: by type, and within a type as DynamoDB sorts.
import { brief, own, typeOf } from "./values.js";

const TYPE_ORDER = ["NULL", "BOOL", "N", "S", "B", "NS", "SS", "BS", "L", "M"];

// By their UTF-8, where surrogates come behind what JavaScript puts before them.
function compareTexts(a, b) {
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    let one = a.charCodeAt(i), other = b.charCodeAt(i);
    if (one === other) continue;
    if (one >= 0xd800 && other >= 0xd800) [one, other] = [one, other].map((code) => code >= 0xe000 ? code - 0x800 : code + 0x2000);
    return one - other;
  }
  return a.length - b.length;
}

// Of up to 38 digits, of which a double holds 15.
function exactly(text) {
  const [, sign, whole, part = "", exponent = "0"] = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? ["", "", "0"];
  return { digits: BigInt(`${sign === "-" ? "-" : ""}${whole}${part}` || 0), exponent: Number(exponent) - part.length };
}
function compareNumbers(a, b) {
  if (Number(a) !== Number(b)) return Number(a) - Number(b);
  const one = exactly(a), other = exactly(b), least = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least);
  return scaled(one) < scaled(other) ? -1 : scaled(one) > scaled(other) ? 1 : 0;
}

export function compareValues(a, b) {
  const type = typeOf(a), other = typeOf(b);
  if (type !== other) return TYPE_ORDER.indexOf(type) - TYPE_ORDER.indexOf(other);
  if (type === "N") return compareNumbers(a.N, b.N);
  if (type === "B") return compareTexts(atob(a.B), atob(b.B));
  return compareTexts(brief(a), brief(b));
}

/** `order`: null, or { name, isDescending }. Items without the attribute come last in both directions. */
export function sorted(items, order) {
  if (!order) return items;
  const having = items.filter((item) => Object.hasOwn(item, order.name)), others = items.filter((item) => !Object.hasOwn(item, order.name));
  const sign = order.isDescending ? -1 : 1;
  return having.sort((a, b) => sign * compareValues(own(a, order.name), own(b, order.name))).concat(others);
}
