// What a person says of a table that is to be made or changed, as the service's requests.

export const newKey = (name = "", type = "S") => ({ name, type });
export const newIndex = () => ({ kind: "global", name: "", hash: [newKey()], range: [], projection: "ALL", attributes: "", read: "5", write: "5" });
export const newDesign = () => ({ name: "", hash: [newKey()], range: [], billing: "PAY_PER_REQUEST", read: "5", write: "5", indexes: [], stream: "", ttl: "", isProtected: false });

export const STREAM_VIEWS = new Map([["", "Off"], ["NEW_AND_OLD_IMAGES", "Items before and after"], ["NEW_IMAGE", "Items after"], ["OLD_IMAGE", "Items before"], ["KEYS_ONLY", "Keys only"]]);
export const PROJECTIONS = new Map([["ALL", "All attributes"], ["KEYS_ONLY", "Keys only"], ["INCLUDE", "Keys and these attributes"]]);

const keySchemaOf = ({ hash, range }) => [...hash.map((key) => ({ AttributeName: key.name, KeyType: "HASH" })), ...range.map((key) => ({ AttributeName: key.name, KeyType: "RANGE" }))];

// Of every key once; two types of one name are for the service to refuse.
function definitionsOf(schemas, known = []) {
  const found = new Map(known.map((each) => [`${each.AttributeType} ${each.AttributeName}`, each]));
  for (const { hash, range } of schemas) for (const { name, type } of [...hash, ...range]) found.set(`${type} ${name}`, { AttributeName: name, AttributeType: type });
  return [...found.values()];
}

/** Units that are no number are left to the service, which names them. */
export const unitsOf = ({ read, write }) => ({ ReadCapacityUnits: Number(read), WriteCapacityUnits: Number(write) });

function indexOf(index, isProvisioned, hash) {
  const attributes = index.attributes.split(",").map((each) => each.trim()).filter((each) => each !== "");
  const keys = index.kind === "local" ? { hash, range: index.range } : index;
  return { IndexName: index.name, KeySchema: keySchemaOf(keys),
           Projection: { ProjectionType: index.projection, ...(index.projection === "INCLUDE" && { NonKeyAttributes: attributes }) },
           ...(isProvisioned && index.kind === "global" && { ProvisionedThroughput: unitsOf(index) }) };
}

/** CreateTable. */
export function tableRequest(design) {
  const isProvisioned = design.billing === "PROVISIONED";
  const ofKind = (kind) => design.indexes.filter((index) => index.kind === kind).map((index) => indexOf(index, isProvisioned, design.hash));
  const global = ofKind("global"), local = ofKind("local");
  const schemas = [design, ...design.indexes.map((index) => index.kind === "local" ? { hash: [], range: index.range } : index)];
  return { TableName: design.name, AttributeDefinitions: definitionsOf(schemas), KeySchema: keySchemaOf(design), BillingMode: design.billing,
           ...(isProvisioned && { ProvisionedThroughput: unitsOf(design) }),
           ...(global.length > 0 && { GlobalSecondaryIndexes: global }), ...(local.length > 0 && { LocalSecondaryIndexes: local }),
           ...(design.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: design.stream } }),
           ...(design.isProtected && { DeletionProtectionEnabled: true }) };
}

/** UpdateTable that adds a global index. */
export function indexRequest(table, index) {
  const isProvisioned = table.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST";
  return { TableName: table.TableName, AttributeDefinitions: definitionsOf([index], table.AttributeDefinitions),
           GlobalSecondaryIndexUpdates: [{ Create: indexOf({ ...index, kind: "global" }, isProvisioned, []) }] };
}

/** UpdateTable of how capacity is paid for. `units`: { "": of the table, and of each global index by its name }, as { read, write }. */
export function capacityRequest(table, billing, units) {
  const request = { TableName: table.TableName, BillingMode: billing };
  if (billing === "PAY_PER_REQUEST") return request;
  const indexes = (table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => ({ Update: { IndexName, ProvisionedThroughput: unitsOf(units.get(IndexName)) } }));
  return { ...request, ProvisionedThroughput: unitsOf(units.get("")), ...(indexes.length > 0 && { GlobalSecondaryIndexUpdates: indexes }) };
}

/** UpdateTable of the stream; empty: off. */
export const streamRequest = (table, view) => ({ TableName: table.TableName,
  StreamSpecification: view ? { StreamEnabled: true, StreamViewType: view } : { StreamEnabled: false } });

export const ttlRequest = (name, attribute, isOn) => ({ TableName: name, TimeToLiveSpecification: { AttributeName: attribute, Enabled: isOn } });
