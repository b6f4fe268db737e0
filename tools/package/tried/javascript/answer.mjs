// As a stranger would begin: the package and the SDK, nothing else of Dynolith.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand} from '@aws-sdk/client-dynamodb';
import {Database} from 'dynolith';

const database = await Database.open();
const client = new DynamoDBClient(database.clientConfig());
await client.send(new CreateTableCommand({TableName: 'music', BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [{AttributeName: 'artist', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'artist', AttributeType: 'S'}]}));
await client.send(new PutItemCommand({TableName: 'music', Item: {artist: {S: 'Ray'}, plays: {N: '1'}}}));
const {Item} = await client.send(new GetItemCommand({TableName: 'music', Key: {artist: {S: 'Ray'}}}));
assert.deepEqual(Item.plays, {N: '1'});
await database.close();
assert.match(execFileSync('npx', ['dynolith', '--version']).toString(), /^dynolith /);
