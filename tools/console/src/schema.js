// What a table's description says of its keys.
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

export const CONDITIONS = ["=", "<", "<=", ">", ">=", "between", "begins_with"];

/** What Query is asked for. `equals`: texts of the partition key's attributes; `sort`: { condition, first, second }. */
export function queryOf(table, index, equals, sort, forward) {
  const keys = keysOf(table, index), names = {}, values = {}, parts = [];
  keys.filter((key) => key.KeyType === "HASH").forEach((key, i) => {
    names[`#p${i}`] = key.AttributeName;
    values[`:p${i}`] = { [key.type]: own(equals, key.AttributeName) ?? "" };
    parts.push(`#p${i} = :p${i}`);
  });
  const range = keys.find((key) => key.KeyType === "RANGE");
  if (range && sort.first !== "") {
    names["#s"] = range.AttributeName;
    values[":s"] = { [range.type]: sort.first };
    if (sort.condition === "between") values[":t"] = { [range.type]: sort.second };
    parts.push(sort.condition === "between" ? "#s BETWEEN :s AND :t" :
      sort.condition === "begins_with" ? "begins_with(#s, :s)" : `#s ${sort.condition} :s`);
  }
  return { TableName: table.TableName, ...(index && { IndexName: index }), KeyConditionExpression: parts.join(" AND "),
           ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...(!forward && { ScanIndexForward: false }) };
}
