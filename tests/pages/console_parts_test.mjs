// What the console computes without a browser: addresses, filters, orders and trees, also of names and texts that people rarely have.
//
//   node console_parts_test.mjs FOLDER      FOLDER: tools/pages/console/src
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(path.join(path.resolve(process.argv[2]), name)));
const { newForm, readPlace, writePlace } = await load("place.js");
const { filterOf } = await load("filter.js");
const { sorted } = await load("order.js");
const { isUpdate, updateOf } = await load("writes.js");
const { itemOf, newNode, nodesOf, retyped } = await load("tree.js");
const { capacityRequest, indexRequest, newDesign, newIndex, newKey, tableRequest } = await load("design.js");

// Every place is the one that its address leads to.
const STRANGE = `a "b" & c=d?e#f%20+/\\ ä 😀 [0] __proto__`;
const form = { ...newForm("t"), operation: "Query", index: "by-x", equals: Object.fromEntries([["pk", STRANGE], ["__proto__", "1"]]), sorts: { [STRANGE]: { condition: "between", first: "1", second: STRANGE } },
  isForward: false, filters: [{ name: "a.b", condition: "between", type: "N", first: "1", second: "2" }, { name: STRANGE, condition: "exists", type: "S", first: "", second: "" }],
  isAnyFilter: true, view: "collections", order: { name: STRANGE, isDescending: true }, widths: { [STRANGE]: 240 } };
for (const place of [{ view: "tables", database: "" }, { view: "server", database: STRANGE }, { view: "table", table: "t", part: "stream", form: newForm("t"), database: "" },
  { view: "table", table: "__proto__", part: "items", form: newForm("__proto__"), database: "" }, { view: "table", table: "t", part: "items", form, database: "other" },
  { view: "table", table: "t", part: "items", form: { ...newForm("t"), operation: "PartiQL", statement: STRANGE }, database: "" }]) {
  assert.deepEqual(readPlace(writePlace(place)), place, writePlace(place));
}
for (const nowhere of ["", "#", "#/", "#/nowhere", "#/table", "#/table/", "#/table/%E0%A4%A"]) assert.equal(readPlace(nowhere), null, nowhere);
// People edit addresses: what makes no sense is left out.
assert.deepEqual(readPlace('#/table/t/what?operation=Drop&filter=x&filter=["a"]&sort.a={}&width.a=-5&width.b=1e9&width.c=x&view=round'),
  { view: "table", table: "t", part: "items", form: newForm("t"), database: "" });

// Filters: paths, names with dots, one placeholder for a name.
const filter = (name, condition, type = "S", first = "", second = "") => ({ name, condition, type, first, second });
assert.deepEqual(filterOf([filter("a.b[0].c", "=", "N", "1"), filter('"x.y".a', "does not exist"), filter("", "=", "S", "left out")], false),
  { text: "#f0.#f1[0].#f2 = :f0 AND attribute_not_exists(#f3.#f0)", names: { "#f0": "a", "#f1": "b", "#f2": "c", "#f3": "x.y" }, values: { ":f0": { N: "1" } } });
assert.deepEqual(filterOf([filter("__proto__", "is one of", "S", "a, b"), filter("n", "between", "N", "1", "2"), filter("t", "is of type", "SS"), filter("z", "<>", "NULL")], true),
  { text: "#f0 IN (:f0, :f1) OR #f1 BETWEEN :f2 AND :f3 OR attribute_type(#f2, :f4) OR #f3 <> :f5", names: { "#f0": "__proto__", "#f1": "n", "#f2": "t", "#f3": "z" },
    values: { ":f0": { S: "a" }, ":f1": { S: "b" }, ":f2": { N: "1" }, ":f3": { N: "2" }, ":f4": { S: "SS" }, ":f5": { NULL: true } } });
assert.equal(filterOf([filter("a", "contains", "S", "x"), filter("a", "does not contain", "S", "y"), filter("a", "begins with", "S", "z")], false).text,
  "contains(#f0, :f0) AND NOT contains(#f0, :f1) AND begins_with(#f0, :f2)");

// Orders: as the service sorts within a type; what lacks the attribute is last both ways.
const values = [{ N: "-1e3" }, { N: "-5" }, { N: "0" }, { N: "1.0000000000000000000000000000000000001" }, { N: "1.0000000000000000000000000000000000002" }, { N: "9e125" },
  { S: "" }, { S: "a" }, { S: "\uff5e" }, { S: "😀" }, { B: "AA==" }, { B: "/w==" }];
const items = [{ other: { S: "" } }, ...values.map((v) => ({ v })).reverse()];
assert.deepEqual(sorted(items, { name: "v", isDescending: false }), [...values.map((v) => ({ v })), items[0]]);
assert.deepEqual(sorted(items, { name: "v", isDescending: true }), [...values.map((v) => ({ v })).reverse(), items[0]]);
assert.equal(sorted(items, null), items);
assert.equal(sorted(items, { name: "constructor", isDescending: false }).length, items.length);

// Trees: what is taken apart is what is put together.
const item = Object.fromEntries([["pk", { S: "1" }], ["__proto__", { M: { constructor: { L: [{ SS: ["a\nb", ""] }, { NS: ["1"] }, { BS: ["AA=="] }, { NULL: true }, { BOOL: false }, { M: {} }, { L: [] }] } } }], ["n", { N: "1" }], ["b", { B: "" }]]);
const nodes = nodesOf(item, [{ AttributeName: "pk" }]);
assert.deepEqual(nodes.map((node) => node.name), ["pk", "__proto__", "b", "n"]);
assert.deepEqual(itemOf(nodes), item);
assert.throws(() => itemOf([...nodes, newNode("n")]), /Two attributes are called n/);
assert.throws(() => nodesOf({ a: "x" }, []), /a has no typed value/);
assert.throws(() => nodesOf({ a: { L: "x" } }, []), /a has no typed value/);
assert.throws(() => nodesOf({ a: { constructor: "x" } }, []), /a has no typed value/);
const [text] = nodesOf({ t: { S: "1" } }, []);
assert.deepEqual(itemOf([retyped(text, "NS")]), { t: { NS: ["1"] } });
assert.deepEqual(itemOf([retyped(retyped(text, "L"), "M")]), { t: { M: { 0: { S: "1" } } } });
assert.deepEqual(itemOf([retyped(retyped(text, "M"), "S")]), { t: { S: "1" } });

// Writes: of what was changed, on the condition that just this is as it was; never of an item that is not there any more.
const keys = [{ AttributeName: "pk" }, { AttributeName: "__proto__" }], of = { TableName: "t" };
const read = Object.fromEntries([["pk", { S: "1" }], ["__proto__", { N: "2" }], ["constructor", { L: [] }], ["b", { SS: ["x"] }], ["c", { BOOL: true }]]);
const { b, c, ...rest } = read;
assert.deepEqual(updateOf(of, keys, read, { ...rest, ["__proto__"]: { N: "2" }, b: { SS: ["x", "y"] }, d: { NULL: true } }, false), {
  TableName: "t", Key: Object.fromEntries([["pk", { S: "1" }], ["__proto__", { N: "2" }]]), UpdateExpression: "SET #a0 = :n0, #a2 = :n2 REMOVE #a1",
  ConditionExpression: "attribute_exists(#key) AND #a0 = :o0 AND #a1 = :o1 AND attribute_not_exists(#a2)",
  ExpressionAttributeNames: { "#key": "pk", "#a0": "b", "#a1": "c", "#a2": "d" },
  ExpressionAttributeValues: { ":n0": { SS: ["x", "y"] }, ":o0": b, ":o1": c, ":n2": { NULL: true } }, ReturnValues: "ALL_NEW", ReturnValuesOnConditionCheckFailure: "ALL_OLD" });
const forced = updateOf(of, keys, read, { ...rest, b }, true);
assert.deepEqual([forced.UpdateExpression, forced.ConditionExpression, forced.ExpressionAttributeValues], ["REMOVE #a0", "attribute_exists(#key)", undefined]);
assert.equal(updateOf(of, keys, read, { ...read }, false), null);
const wide = (count) => ({ ...read, ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`w${i}`, { N: "1" }])) });
assert.equal(updateOf(of, keys, read, wide(100), false).ConditionExpression.split(" AND ").length, 101);
assert.throws(() => updateOf(of, keys, read, wide(101), false), /101 attributes were changed, and one save takes at most 100/);
assert.deepEqual([isUpdate(keys, read, { ...read }), isUpdate(keys, read, { ...read, pk: { N: "1" } }), isUpdate(keys, read, rest), isUpdate(keys, read, null), isUpdate(keys, null, read)],
  [true, false, true, false, false]);

// Designs: an attribute of several keys is defined once, and with two types twice, for the service to refuse.
const design = { ...newDesign(), name: "t", hash: [newKey("a", "N")], range: [newKey("b")], billing: "PROVISIONED", indexes: [
  { ...newIndex(), name: "g", hash: [newKey("b"), newKey("c", "B")], projection: "INCLUDE", attributes: "x, y,", read: "1", write: "2" },
  { ...newIndex(), kind: "local", name: "l", range: [newKey("d", "N")] }] };
assert.deepEqual(tableRequest(design), { TableName: "t",
  AttributeDefinitions: [["a", "N"], ["b", "S"], ["c", "B"], ["d", "N"]].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
  KeySchema: [{ AttributeName: "a", KeyType: "HASH" }, { AttributeName: "b", KeyType: "RANGE" }], BillingMode: "PROVISIONED", ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
  GlobalSecondaryIndexes: [{ IndexName: "g", KeySchema: [{ AttributeName: "b", KeyType: "HASH" }, { AttributeName: "c", KeyType: "HASH" }],
    Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["x", "y"] }, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 } }],
  LocalSecondaryIndexes: [{ IndexName: "l", KeySchema: [{ AttributeName: "a", KeyType: "HASH" }, { AttributeName: "d", KeyType: "RANGE" }], Projection: { ProjectionType: "ALL" } }] });
const table = { TableName: "t", BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" }, AttributeDefinitions: [{ AttributeName: "a", AttributeType: "S" }], GlobalSecondaryIndexes: [{ IndexName: "g" }] };
assert.equal(indexRequest(table, { ...newIndex(), hash: [newKey("a", "N")] }).AttributeDefinitions.length, 2);
assert.deepEqual(capacityRequest(table, "PROVISIONED", new Map([["", { read: "1", write: "2" }], ["g", { read: "3", write: "4" }]])).GlobalSecondaryIndexUpdates,
  [{ Update: { IndexName: "g", ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 } } }]);
console.log("passed");
