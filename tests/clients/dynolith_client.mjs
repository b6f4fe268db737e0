// What the JavaScript client programs share: a connection and tables.
import {CreateTableCommand, DynamoDBClient, waitUntilTableExists} from '@aws-sdk/client-dynamodb';
import {DynamoDBDocumentClient} from '@aws-sdk/lib-dynamodb';

// In process (DYNOLITH_IN_PROCESS) there is no endpoint, and the binding has the database.
const inProcess = process.env.DYNOLITH_IN_PROCESS === '1';
const {Database} = inProcess ? await import(process.env.DYNOLITH_JAVASCRIPT) : {};

/** What a client of the SDK is made with. */
export const config = inProcess ? (await Database.open()).clientConfig() : {endpoint: process.env.DYNOLITH_ENDPOINT};
export const client = new DynamoDBClient(config);
export const documents = DynamoDBDocumentClient.from(client);

export const keySchema = (names) =>
    names.map((name, i) => ({AttributeName: name, KeyType: i === 0 ? 'HASH' : 'RANGE'}));

export const index = (name, keys) =>
    ({IndexName: name, KeySchema: keySchema(keys), Projection: {ProjectionType: 'ALL'}});

/** A table on demand with string keys, ready for use. */
export async function createTable(name, keys, globalIndexes) {
  const used = new Set(keys);
  for (const entry of globalIndexes ?? []) {
    for (const element of entry.KeySchema) used.add(element.AttributeName);
  }
  await client.send(new CreateTableCommand({
    TableName: name,
    KeySchema: keySchema(keys),
    AttributeDefinitions: [...used].map((key) => ({AttributeName: key, AttributeType: 'S'})),
    BillingMode: 'PAY_PER_REQUEST',
    GlobalSecondaryIndexes: globalIndexes,
  }));
  await waitUntilTableExists({client, maxWaitTime: 120, minDelay: 1, maxDelay: 1}, {TableName: name});
}
