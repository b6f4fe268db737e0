// What a table's description says of its keys.
import { call } from "./server.js";
import { own } from "./values.js";

/** The partition key's attributes come first. `index`: empty for the table itself. */
export function keysOf(table, index) {
  const schema = index ? indexesOf(table).find((each) => each.IndexName === index)?.KeySchema : table.KeySchema;
  const typeOfName = Object.fromEntries(table.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  return (schema ?? []).map((key) => ({ ...key, type: typeOfName[key.AttributeName] }))
    .sort((a, b) => (a.KeyType === "HASH" ? 0 : 1) - (b.KeyType === "HASH" ? 0 : 1));
}

export const indexesOf = (table) => [
  ...(table.GlobalSecondaryIndexes ?? []).map((each) => ({ ...each, kind: "global" })),
  ...(table.LocalSecondaryIndexes ?? []).map((each) => ({ ...each, kind: "local" }))];

export const SORT_CONDITIONS = ["=", "<", "<=", ">", ">=", "between", "begins_with"];
export const newSort = () => ({ condition: "=", first: "", second: "" });

/** What Query is asked for. `equals`: texts of the partition key's attributes; `sorts`: of the sort key's, { condition, first, second }. */
export function queryOf(table, index, equals, sorts, isForward) {
  const names = {}, values = {}, parts = [];
  keysOf(table, index).forEach((key, i) => {
    const isHash = key.KeyType === "HASH", sort = own(sorts, key.AttributeName) ?? newSort();
    if (!isHash && sort.first === "") return;
    const value = (name, text) => { values[name] = { [key.type]: text }; return name; };
    const name = `#k${i}`, first = value(`:k${i}`, isHash ? own(equals, key.AttributeName) ?? "" : sort.first);
    names[name] = key.AttributeName;
    parts.push(isHash ? `${name} = ${first}` : sort.condition === "between" ? `${name} BETWEEN ${first} AND ${value(`:l${i}`, sort.second)}` :
      sort.condition === "begins_with" ? `begins_with(${name}, ${first})` : `${name} ${sort.condition} ${first}`);
  });
  return { TableName: table.TableName, ...(index && { IndexName: index }), KeyConditionExpression: parts.join(" AND "),
           ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...(!isForward && { ScanIndexForward: false }) };
}

/** Waits until the table can be changed again. */
export async function untilActive(name) {
  for (let wait = 50; ; wait = Math.min(2 * wait, 2000)) {
    const { Table: table } = await call("DescribeTable", { TableName: name });
    if (table.TableStatus === "ACTIVE") return table;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const SIZES = ["bytes", "KB", "MB", "GB", "TB"];
export function sizeOf(bytes) {
  let size = bytes ?? 0, unit = 0;
  while (size >= 1024 && unit < SIZES.length - 1) { size /= 1024; unit += 1; }
  return `${size.toLocaleString("en", { maximumFractionDigits: size < 10 ? 1 : 0 })} ${SIZES[unit]}`;
}
