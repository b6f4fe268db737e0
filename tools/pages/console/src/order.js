// The order of attribute values of all types, for a grid that is sorted by a column: by type, and within a type as DynamoDB sorts.
import { brief, own, typeOf } from "./values.js";

const TYPE_ORDER = ["NULL", "BOOL", "N", "S", "B", "NS", "SS", "BS", "L", "M"];

const SURROGATES = /[\ud800-\udfff]/;

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
function compareExactly(a, b) {
  const one = exactly(a), other = exactly(b), least = Math.min(one.exponent, other.exponent);
  const scaled = ({ digits, exponent }) => digits * 10n ** BigInt(exponent - least);
  return scaled(one) < scaled(other) ? -1 : scaled(one) > scaled(other) ? 1 : 0;
}

// What is compared of a value, made once and not for each comparison.
function rankOf(value, item) {
  const type = typeOf(value), text = type === "B" ? atob(value.B) : brief(value);
  return { item, type: TYPE_ORDER.indexOf(type), number: type === "N" ? Number(text) : null, text, isWide: SURROGATES.test(text) };
}
function compareRanks(a, b) {
  if (a.type !== b.type) return a.type - b.type;
  if (a.text === b.text) return 0;
  if (a.number !== null) return a.number - b.number || compareExactly(a.text, b.text);
  return a.isWide || b.isWide ? compareTexts(a.text, b.text) : a.text < b.text ? -1 : 1;
}

/** `order`: null, or { name, isDescending }. Items without the attribute come last in both directions. */
export function sorted(items, order) {
  if (!order) return items;
  const ranks = [], others = [], sign = order.isDescending ? -1 : 1;
  for (const item of items) {
    const value = own(item, order.name);
    if (value === undefined) others.push(item); else ranks.push(rankOf(value, item));
  }
  return ranks.sort((a, b) => sign * compareRanks(a, b)).map((rank) => rank.item).concat(others);
}
