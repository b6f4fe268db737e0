// Items as files, and back.
import { call } from "./server.js";
import { brief, fromText, own, readItem, toPlain, typeOf } from "./values.js";

const quoted = (text) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function csv(items, columns) {
  const cell = (value) => value === undefined ? "" : quoted(["L", "M", "SS", "NS", "BS"].includes(typeOf(value)) ?
    JSON.stringify(toPlain(value)) : brief(value));
  return [columns.map(quoted).join(","), ...items.map((item) => columns.map((name) => cell(own(item, name))).join(","))].join("\n") + "\n";
}

/** What a file of items holds. */
export const FORMATS = {
  "DynamoDB JSON": { end: "jsonl", make: (items) => items.map((Item) => JSON.stringify({ Item }) + "\n").join("") },
  "plain JSON": { end: "json", make: (items) => JSON.stringify(items.map((item) => toPlain({ M: item })), null, 2) + "\n" },
  CSV: { end: "csv", make: csv }
};

export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function readCsv(text, types) {
  const rows = [[""]];
  for (let i = 0, inside = false; i < text.length; i += 1) {
    const row = rows.at(-1), c = text[i];
    if (inside ? c === '"' && text[i + 1] === '"' : false) { row[row.length - 1] += '"'; i += 1; }
    else if (c === '"') inside = !inside;
    else if (!inside && c === ",") row.push("");
    else if (!inside && c === "\n") rows.push([""]);
    else if (inside || c !== "\r") row[row.length - 1] += c;
  }
  const [names, ...others] = rows.filter((row) => row.length > 1 || row[0] !== "");
  // Only key attributes have a type that is known; everything else is a string. What is empty is not there.
  return others.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])
    .filter(([, cell]) => cell !== undefined && cell !== "").map(([name, cell]) => [name, fromText(own(types, name) ?? "S", cell)])));
}

/** Items of a file: CSV by its name, else JSON, one document or one a line. Errors: SyntaxError. */
export function readFile(name, text, types) {
  if (name.endsWith(".csv")) return readCsv(text, types);
  const trimmed = text.trim();
  try {
    const whole = JSON.parse(trimmed);
    const list = Array.isArray(whole) ? whole : whole.Items ?? [whole];
    return list.map(readItem);
  } catch (problem) {
    const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2) throw problem;
    return lines.map((line, i) => {
      try {
        return readItem(JSON.parse(line));
      } catch (wrong) {
        throw new SyntaxError(`line ${i + 1}: ${wrong.message}`);
      }
    });
  }
}

/** Writes items in batches. Calls note(written) now and then; gives back what was refused, as [number of the item, message]. */
export async function writeItems(tableName, items, note) {
  const refused = [];
  for (let begin = 0; begin < items.length; begin += 25) {
    let pending = items.slice(begin, begin + 25).map((Item) => ({ PutRequest: { Item } }));
    try {
      for (let wait = 50; pending.length > 0; wait = Math.min(2 * wait, 2000)) {
        const answer = await call("BatchWriteItem", { RequestItems: { [tableName]: pending } });
        pending = own(answer.UnprocessedItems ?? {}, tableName) ?? [];
        if (pending.length > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      }
    } catch {
      // One of them is wrong: each says for itself.
      for (let i = 0; i < Math.min(25, items.length - begin); i += 1) {
        try {
          await call("PutItem", { TableName: tableName, Item: items[begin + i] });
        } catch (problem) {
          refused.push([begin + i + 1, problem.message]);
        }
      }
    }
    note(Math.min(begin + 25, items.length));
  }
  return refused;
}
