// A table with a key in a database of its own, as most tests begin.
import {createRequire} from 'node:module';
import path from 'node:path';

import {Database} from '../index.mjs';

// Where the SDK is installed: it is not a dependency of the package.
export const modules = createRequire(path.join(process.env.DYNOLITH_NODE_MODULES ?? path.resolve('node_modules'), 'here.js'));
const {CreateTableCommand, DynamoDBClient, PutItemCommand} = modules('@aws-sdk/client-dynamodb');

export const TABLE = {TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]};
export const put = (pk, more = {}) => new PutItemCommand({TableName: 'music', Item: {pk: {S: pk}, ...more}});

/** The database with these options, until the test ends, and a client of it. */
export async function music(t, options) {
  const database = await Database.open(options);
  t.after(() => database.close());
  const client = new DynamoDBClient(database.clientConfig());
  await client.send(new CreateTableCommand(TABLE));
  return {database, client};
}
