// The component tree with the AWS SDK for JavaScript: children, all descendants in one query, ancestors in one batch.
import assert from 'node:assert/strict';
import {DeleteTableCommand} from '@aws-sdk/client-dynamodb';
import {BatchGetCommand, BatchWriteCommand, QueryCommand} from '@aws-sdk/lib-dynamodb';
import {client, createTable, documents, index} from './dynolith_client.mjs';

const TableName = 'components-js';
const parents = {CM1: undefined, CM2: 'CM1', CM3: 'CM1', CM4: 'CM2', CM5: 'CM2', CM6: 'CM4', CM20: 'CM1'};
const pathOf = (name) => (parents[name] ? pathOf(parents[name]) : '') + name + '|';

await createTable(TableName, ['ComponentId'], [index('GSI1', ['ParentId', 'ComponentId']), index('GSI2', ['GraphId', 'Path'])]);
const requests = Object.entries(parents).map(([ComponentId, ParentId]) => ({
  PutRequest: {Item: {ComponentId, GraphId: 'GR1', Path: pathOf(ComponentId), ...(ParentId && {ParentId})}},
}));
await documents.send(new BatchWriteCommand({RequestItems: {[TableName]: requests}}));

const ids = (answer) => answer.Items.map((item) => item.ComponentId);
const children = async (parent) => ids(await documents.send(new QueryCommand({
  TableName, IndexName: 'GSI1', KeyConditionExpression: 'ParentId = :parent', ExpressionAttributeValues: {':parent': parent},
})));
const below = async (path) => ids(await documents.send(new QueryCommand({
  TableName, IndexName: 'GSI2', KeyConditionExpression: 'GraphId = :graph AND begins_with(#path, :path)',
  ExpressionAttributeNames: {'#path': 'Path'}, ExpressionAttributeValues: {':graph': 'GR1', ':path': path},
})));

assert.deepEqual(await children('CM1'), ['CM2', 'CM20', 'CM3']);
assert.deepEqual(await below('CM1|CM2|'), ['CM2', 'CM4', 'CM6', 'CM5']);
assert.deepEqual(await below('CM1|CM20|'), ['CM20']);
const answer = await documents.send(new BatchGetCommand({
  RequestItems: {[TableName]: {Keys: ['CM1', 'CM2', 'CM4'].map((ComponentId) => ({ComponentId}))}},
}));
assert.deepEqual(answer.Responses[TableName].map((item) => item.ComponentId).sort(), ['CM1', 'CM2', 'CM4']);
await client.send(new DeleteTableCommand({TableName}));
