// Capacity that is enforced, with the AWS SDK for JavaScript: what is tried again until there is room, and the reasons of what is
// given up. The server needs --capacity enforce --capacity-scale 0.01 (run_clients.py): 10 writes a second for each partition.
import assert from 'node:assert/strict';
import * as db from '@aws-sdk/client-dynamodb';
import {index, keySchema} from './dynolith_client.mjs';

const TableName = 'throttling_javascript';
const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
const endpoint = process.env.DYNOLITH_ENDPOINT;
const once = new db.DynamoDBClient({endpoint, maxAttempts: 1});
const patient = new db.DynamoDBClient({endpoint, maxAttempts: 15});
const attributes = (names) => names.map((name) => ({AttributeName: name, AttributeType: 'S'}));

async function create(more) {
  await patient.send(new db.CreateTableCommand({TableName, KeySchema: keySchema(['pk']), ...more}));
  await db.waitUntilTableExists({client: patient, maxWaitTime: 120, minDelay: 1, maxDelay: 1}, {TableName});
}

const remove = () => patient.send(new db.DeleteTableCommand({TableName}));

const put = (client, item) => client.send(new db.PutItemCommand({
  TableName, Item: Object.fromEntries(Object.entries(item).map(([name, S]) => [name, {S}])),
}));

/** Puts without a second try until one is refused, for this reason. */
async function throttled(name, member, reason, resource, atLeast, item) {
  for (let served = 0; served < 1000; ++served) {
    const error = await put(once, {...item, t: String(served)}).then(() => null, (thrown) => thrown);
    if (!error) continue;
    assert.equal(error.name, name, error.message);
    assert.deepEqual(error[member], [{reason, resource}]);
    assert.ok(served >= atLeast, `${served} were served before`);
    return;
  }
  assert.fail(`${name} expected`);
}

async function hotPartition() {
  await create({BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: attributes(['pk'])});
  await throttled('ThrottlingException', 'throttlingReasons', 'TableWriteKeyRangeThroughputExceeded', arn, 10, {pk: 'hot'});
  let attempts = 0;
  for (let i = 0; i < 15; ++i) attempts += (await put(patient, {pk: 'hot'})).$metadata.attempts;
  assert.ok(attempts > 15, 'none was tried again');
  const writes = Array.from({length: 25}, (_, i) => ({PutRequest: {Item: {pk: {S: `b${i}`}}}}));
  const batch = (client, RequestItems) => client.send(new db.BatchWriteItemCommand({RequestItems}));
  // Until the table's 40 a second are used up.
  let left = {};
  while (!left[TableName]) left = (await batch(once, {[TableName]: writes})).UnprocessedItems;
  while (left[TableName]) left = (await batch(patient, left)).UnprocessedItems;
  await remove();
}

async function provisionedUnits() {
  const units = (WriteCapacityUnits) => ({ReadCapacityUnits: 100, WriteCapacityUnits});
  for (const [who, ofTable, ofIndex, resource] of [['Table', 1, 100, arn], ['Index', 100, 1, `${arn}/index/by-g`]]) {
    await create({
      ProvisionedThroughput: units(ofTable), AttributeDefinitions: attributes(['pk', 'g']),
      GlobalSecondaryIndexes: [{...index('by-g', ['g']), ProvisionedThroughput: units(ofIndex)}],
    });
    await throttled('ProvisionedThroughputExceededException', 'ThrottlingReasons', `${who}WriteProvisionedThroughputExceeded`,
        resource, 3, {pk: 'a', g: who});
    await remove();
  }
}

await hotPartition();
await provisionedUnits();
