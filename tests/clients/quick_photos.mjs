// Quick photos with the AWS SDK for JavaScript: batches of 25, the document client's values, paginators, an error.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {DeleteTableCommand, DescribeTableCommand, UpdateTableCommand} from '@aws-sdk/client-dynamodb';
import {BatchWriteCommand, GetCommand, paginateScan, PutCommand, QueryCommand, ScanCommand, UpdateCommand} from '@aws-sdk/lib-dynamodb';
import {client, createTable, documents, index} from './dynolith_client.mjs';

const TableName = 'quick-photos-js';
const popularPhoto = 'PHOTO#jacksonjason#2019-03-03T18:20:10';

const items = readFileSync(process.env.DYNOLITH_PHOTOS, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
assert.equal(items.length, 967);
await createTable(TableName, ['PK', 'SK']);

for (let i = 0; i < items.length; i += 25) {
  const requests = items.slice(i, i + 25).map((Item) => ({PutRequest: {Item}}));
  const answer = await documents.send(new BatchWriteCommand({RequestItems: {[TableName]: requests}}));
  assert.deepEqual(answer.UnprocessedItems, {});
}
assert.equal((await documents.send(new ScanCommand({TableName, Select: 'COUNT'}))).Count, 967);

const page = await documents.send(new QueryCommand({
  TableName,
  KeyConditionExpression: 'PK = :pk AND SK BETWEEN :metadata AND :photos',
  ExpressionAttributeValues: {':pk': 'USER#jacksonjason', ':metadata': '#METADATA#jacksonjason', ':photos': 'PHOTO$'},
}));
assert.equal(page.Count, 16);
assert.equal(page.Items[0].username, 'jacksonjason');
const times = page.Items.slice(1).map((photo) => photo.timestamp);
assert.deepEqual(times, [...times].sort());
assert.deepEqual(page.Items[1], items.find((item) => item.PK === 'USER#jacksonjason' && item.SK === page.Items[1].SK));

let pages = 0;
const keys = new Set();
for await (const part of paginateScan({client: documents, pageSize: 100}, {TableName, ProjectionExpression: 'PK, SK'})) {
  ++pages;
  for (const item of part.Items) keys.add(item.PK + ' ' + item.SK);
}
assert.equal(pages, 10);
assert.equal(keys.size, 967);

await client.send(new UpdateTableCommand({
  TableName,
  AttributeDefinitions: ['PK', 'SK'].map((name) => ({AttributeName: name, AttributeType: 'S'})),
  GlobalSecondaryIndexUpdates: [{Create: index('InvertedIndex', ['SK', 'PK'])}],
}));
let status;
for (let i = 0; i < 600 && status !== 'ACTIVE'; ++i) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  status = (await client.send(new DescribeTableCommand({TableName}))).Table.GlobalSecondaryIndexes[0].IndexStatus;
}
assert.equal(status, 'ACTIVE');
const reactions = await documents.send(new QueryCommand({
  TableName, IndexName: 'InvertedIndex', ScanIndexForward: false,
  KeyConditionExpression: 'SK = :photo AND PK BETWEEN :reactions AND :users',
  ExpressionAttributeValues: {':photo': popularPhoto, ':reactions': 'REACTION#', ':users': 'USER$'},
}));
assert.equal(reactions.Count, 7);
assert.equal(reactions.Items[0].PK, 'USER#jacksonjason');
assert.ok(reactions.Items.slice(1).every((item) => item.photo === popularPhoto));

const Key = {PK: 'USER#new', SK: '#METADATA#new'};
await documents.send(new PutCommand({TableName, Item: {...Key, tags: new Set(['a', 'b']), picture: new Uint8Array([0, 255]), followers: 0}}));
const {Item} = await documents.send(new GetCommand({TableName, Key}));
assert.deepEqual(Item, {...Key, tags: new Set(['a', 'b']), picture: new Uint8Array([0, 255]), followers: 0});
const follow = () => documents.send(new UpdateCommand({
  TableName, Key, UpdateExpression: 'SET followers = followers + :one', ConditionExpression: 'followers = :none',
  ExpressionAttributeValues: {':one': 1, ':none': 0}, ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
}));
assert.equal((await follow()).Attributes.followers, 1);
await assert.rejects(follow, (error) => {
  assert.equal(error.name, 'ConditionalCheckFailedException');
  assert.deepEqual(error.Item.followers, {N: '1'});
  return true;
});
await client.send(new DeleteTableCommand({TableName}));
