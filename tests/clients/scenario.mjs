// The common scenario with the AWS SDK for JavaScript: the client, the document client and the streams client.
// The checksum of every answer is compared with its bytes.
import assert from 'node:assert/strict';
import {Readable} from 'node:stream';
import {crc32} from '@aws-crypto/crc32';
import * as db from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import * as lib from '@aws-sdk/lib-dynamodb';
import {config, index, keySchema} from './dynolith_client.mjs';

const TableName = 'scenario_javascript';
const client = new db.DynamoDBClient(config);
const documents = lib.DynamoDBDocumentClient.from(client, {marshallOptions: {removeUndefinedValues: true}});
const reader = new streams.DynamoDBStreamsClient(config);

let answers = 0;

/** Reads each answer's bytes and compares them with its x-amz-crc32, which this SDK does not do by itself. */
function checkSums(checked) {
  checked.middlewareStack.add((next) => async (args) => {
    const result = await next(args);
    const chunks = [];
    for await (const chunk of result.response.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    assert.equal(result.response.headers['x-amz-crc32'], String(crc32(bytes)), 'the checksum of an answer');
    assert.equal(result.response.headers['content-type'], 'application/x-amz-json-1.0');
    result.response.body = Readable.from([bytes]);
    answers += 1;
    return result;
  }, {step: 'deserialize', priority: 'low', name: 'checkSums'});
}

const run = (Command, input) => documents.send(new Command({TableName, ...input}));
const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The error with this name that the promise must end with. */
async function failure(name, promise) {
  const error = await promise.then(() => assert.fail(`${name} expected`), (thrown) => thrown);
  assert.equal(error.name, name, error.message);
  return error;
}

async function waitFor(what, condition) {
  const end = Date.now() + 120_000;
  while (!await condition()) {
    assert.ok(Date.now() < end, `${what}: not within two minutes`);
    await delay(100);
  }
}

const book = (number) => ({
  pk: 'library', sk: number, owner: number % 2 ? 'ann' : 'ben', score: 100 - number, title: `Book ${String(number).padStart(2, '0')}`,
});
const shelf = (number) => ({pk: `shelf${String(number).padStart(2, '0')}`, sk: 0, owner: 'cas'});
const upTo = (last, first = 1) => Array.from({length: last - first + 1}, (_, i) => first + i);
const describe = async () => (await client.send(new db.DescribeTableCommand({TableName}))).Table;
const queryOf = (pk) => ({KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: {':pk': pk}});

async function create() {
  const localIndex = {...index('ByScore', ['pk', 'score']), Projection: {ProjectionType: 'KEYS_ONLY'}};
  const input = {
    TableName,
    KeySchema: keySchema(['pk', 'sk']),
    AttributeDefinitions: [['pk', 'S'], ['sk', 'N'], ['owner', 'S'], ['score', 'N']]
      .map(([AttributeName, AttributeType]) => ({AttributeName, AttributeType})),
    BillingMode: 'PAY_PER_REQUEST',
    GlobalSecondaryIndexes: [index('ByOwner', ['owner', 'sk'])],
    LocalSecondaryIndexes: [localIndex],
    StreamSpecification: {StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES'},
  };
  const answer = await client.send(new db.CreateTableCommand(input));
  assert.equal(answer.TableDescription.TableStatus, 'CREATING');
  assert.ok(Math.abs(answer.TableDescription.CreationDateTime - Date.now()) < 60000);
  const ready = await db.waitUntilTableExists({client, maxWaitTime: 120, minDelay: 1, maxDelay: 1}, {TableName});
  assert.equal(ready.state, 'SUCCESS');
  const table = await describe();
  assert.equal(table.TableStatus, 'ACTIVE');
  assert.deepEqual(table.KeySchema, input.KeySchema);
  const shapes = (entries) => entries.map(({IndexName, KeySchema, Projection}) => ({IndexName, KeySchema, Projection}));
  assert.deepEqual(shapes(table.GlobalSecondaryIndexes), input.GlobalSecondaryIndexes);
  assert.deepEqual(shapes(table.LocalSecondaryIndexes), input.LocalSecondaryIndexes);
  assert.deepEqual(table.StreamSpecification, input.StreamSpecification);
  await failure('ResourceInUseException', client.send(new db.CreateTableCommand(input)));
  return table;
}

async function fill() {
  for (const number of upTo(30)) await run(lib.PutCommand, {Item: book(number)});
  const requests = upTo(24, 0).map((number) => ({PutRequest: {Item: shelf(number)}}));
  const written = await run(lib.BatchWriteCommand, {RequestItems: {[TableName]: requests}});
  assert.deepEqual(written.UnprocessedItems, {});
  const answer = await run(lib.GetCommand, {Key: {pk: 'library', sk: 7}, ConsistentRead: true});
  assert.deepEqual(answer.Item, book(7));
  assert.equal((await run(lib.GetCommand, {Key: {pk: 'library', sk: 31}})).Item, undefined);
  const Keys = [...upTo(10).map((sk) => ({pk: 'library', sk})), ...upTo(9, 0).map((number) => ({pk: shelf(number).pk, sk: 0}))];
  const found = [];
  // A page may leave keys for the next one.
  for (let RequestItems = {[TableName]: {Keys, ConsistentRead: true}}; Object.keys(RequestItems).length;) {
    const page = await run(lib.BatchGetCommand, {RequestItems});
    found.push(...page.Responses[TableName]);
    RequestItems = page.UnprocessedKeys;
  }
  found.sort((a, b) => (a.pk < b.pk ? -1 : a.pk > b.pk ? 1 : a.sk - b.sk));
  assert.deepEqual(found, [...upTo(10).map(book), ...upTo(9, 0).map(shelf)]);
}

/** What marshalling does to JavaScript's values, and numbers that are too long for them. */
async function values() {
  class Point { constructor() { this.x = 1; } }
  const options = {convertClassInstanceToMap: true, convertEmptyValues: true, removeUndefinedValues: true};
  // A document client writes its options into its client, so that these options need a client of their own.
  const other = lib.DynamoDBDocumentClient.from(
    new db.DynamoDBClient(config), {marshallOptions: options, unmarshallOptions: {wrapNumbers: true}});
  const Key = {pk: 'types', sk: -1.5};
  const long = '12345678901234567890123456789012345678';
  const Item = {
    ...Key, bytes: new Uint8Array([0, 255, 128]), yes: true, no: false, nothing: null, empty: '', none: undefined, text: 'Grüße 😀',
    words: new Set(['a', 'b']), numbers: new Set([1, 0.5]), list: [1, 'two', [null, {deep: [true]}]], map: {a: {'b.c': {}}},
    big: 12345678901234567890n, long: lib.NumberValue.from(long), point: new Point(),
  };
  await other.send(new lib.PutCommand({TableName, Item}));
  const raw = (await client.send(new db.GetItemCommand({TableName, Key: {pk: {S: 'types'}, sk: {N: '-1.50'}}}))).Item;
  assert.deepEqual(raw.empty, {NULL: true});
  assert.equal('none' in raw, false);
  assert.deepEqual(raw.point, {M: {x: {N: '1'}}});
  assert.deepEqual([raw.big, raw.long], [{N: '12345678901234567890'}, {N: long}]);
  const wrapped = (await other.send(new lib.GetCommand({TableName, Key}))).Item;
  assert.equal(wrapped.long.value, long);
  const native = (await run(lib.GetCommand, {Key})).Item;
  assert.deepEqual([native.big, native.long], [12345678901234567890n, BigInt(long)]);
  const found = (await run(lib.GetCommand, {Key, ProjectionExpression: 'bytes, yes, nothing, words, numbers, #list[2][1], #map.a.#dotted',
    ExpressionAttributeNames: {'#list': 'list', '#map': 'map', '#dotted': 'b.c'}})).Item;
  assert.deepEqual(found, {bytes: Item.bytes, yes: true, nothing: null, words: Item.words, numbers: Item.numbers,
    list: [[{deep: [true]}]], map: Item.map});
  await run(lib.DeleteCommand, {Key});
}

async function conditions() {
  const Key = {pk: 'conditions', sk: 1};
  const put = {Item: {...Key, count: 1, list: ['a']}, ConditionExpression: 'attribute_not_exists(pk)'};
  await run(lib.PutCommand, put);
  let error = await failure('ConditionalCheckFailedException', run(lib.PutCommand, put));
  assert.deepEqual([error.message, error.Item, error.$metadata.httpStatusCode], ['The conditional request failed', undefined, 400]);
  assert.ok(error instanceof db.ConditionalCheckFailedException);
  error = await failure('ConditionalCheckFailedException', run(lib.PutCommand, {...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD'}));
  // Items in errors stay as the wire has them.
  assert.deepEqual(error.Item, {pk: {S: 'conditions'}, sk: {N: '1'}, count: {N: '1'}, list: {L: [{S: 'a'}]}});
  const update = {Key, ReturnValues: 'UPDATED_NEW', ExpressionAttributeNames: {'#count': 'count'}};
  const raise = {...update, UpdateExpression: 'SET #count = #count + :one, fresh = :yes', ConditionExpression: '#count = :one',
    ExpressionAttributeValues: {':one': 1, ':yes': true}};
  assert.deepEqual((await run(lib.UpdateCommand, raise)).Attributes, {count: 2, fresh: true});
  await failure('ConditionalCheckFailedException', run(lib.UpdateCommand, raise));
  let answer = await run(lib.UpdateCommand, {...update, UpdateExpression: 'ADD #count :ten, tags :tags',
    ExpressionAttributeValues: {':ten': 10, ':tags': new Set(['x', 'y'])}});
  assert.deepEqual(answer.Attributes, {count: 12, tags: new Set(['x', 'y'])});
  answer = await run(lib.UpdateCommand, {Key, ReturnValues: 'ALL_NEW', ExpressionAttributeNames: {'#list': 'list'},
    UpdateExpression: 'SET #list = list_append(:front, #list) REMOVE fresh DELETE tags :x',
    ExpressionAttributeValues: {':front': ['0'], ':x': new Set(['x'])}});
  const last = {...Key, count: 12, list: ['0', 'a'], tags: new Set(['y'])};
  assert.deepEqual(answer.Attributes, last);
  answer = await run(lib.DeleteCommand, {Key, ReturnValues: 'ALL_OLD', ConditionExpression: 'size(#list) = :two AND contains(tags, :y)',
    ExpressionAttributeNames: {'#list': 'list'}, ExpressionAttributeValues: {':two': 2, ':y': 'y'}});
  assert.deepEqual(answer.Attributes, last);
}

async function pages() {
  const found = [];
  for await (const page of lib.paginateQuery({client: documents, pageSize: 7}, {TableName, ...queryOf('library')})) {
    found.push(page.Items.map((item) => item.sk));
  }
  assert.deepEqual(found.map((page) => page.length), [7, 7, 7, 7, 2]);
  assert.deepEqual(found.flat(), upTo(30));
  let answer = await run(lib.QueryCommand, {...queryOf('library'), ScanIndexForward: false, Limit: 3});
  assert.deepEqual([answer.Items.map((item) => item.sk), answer.LastEvaluatedKey], [[30, 29, 28], {pk: 'library', sk: 28}]);
  answer = await run(lib.QueryCommand, {IndexName: 'ByOwner', KeyConditionExpression: '#owner = :ann AND sk BETWEEN :low AND :high',
    ExpressionAttributeNames: {'#owner': 'owner'}, ExpressionAttributeValues: {':ann': 'ann', ':low': 5, ':high': 9}});
  assert.deepEqual(answer.Items, [book(5), book(7), book(9)]);
  answer = await run(lib.QueryCommand, {IndexName: 'ByScore', KeyConditionExpression: 'pk = :pk AND score >= :least',
    ProjectionExpression: 'sk, score', ExpressionAttributeValues: {':pk': 'library', ':least': 98}});
  assert.deepEqual(answer.Items, [{sk: 2, score: 98}, {sk: 1, score: 99}]);
  answer = await run(lib.QueryCommand, {KeyConditionExpression: 'pk = :pk AND sk <= :ten', FilterExpression: '#owner = :ben',
    ExpressionAttributeNames: {'#owner': 'owner'}, ExpressionAttributeValues: {':pk': 'library', ':ten': 10, ':ben': 'ben'}});
  assert.deepEqual([answer.Items.map((item) => item.sk), answer.Count, answer.ScannedCount], [[2, 4, 6, 8, 10], 5, 10]);
  const segments = await Promise.all(upTo(3, 0).map(async (Segment) => {
    const items = [];
    for await (const page of lib.paginateScan({client: documents, pageSize: 5}, {TableName, Segment, TotalSegments: 4})) items.push(...page.Items);
    return items;
  }));
  assert.deepEqual(segments.flat().map((item) => `${item.pk} ${item.sk}`).sort(),
    [...upTo(30).map(book), ...upTo(24, 0).map(shelf)].map((item) => `${item.pk} ${item.sk}`).sort());
  const names = [];
  for await (const page of db.paginateListTables({client, pageSize: 1}, {})) names.push(...page.TableNames);
  assert.ok(names.includes(TableName));
}

async function transactions() {
  await run(lib.PutCommand, {Item: {pk: 'moves', sk: 2, count: 1}});
  await run(lib.PutCommand, {Item: {pk: 'moves', sk: 3}});
  const put = {Put: {TableName, Item: {pk: 'moves', sk: 1, text: 'new'}, ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD'}};
  const update = {Update: {TableName, Key: {pk: 'moves', sk: 2}, UpdateExpression: 'ADD #count :one', ExpressionAttributeNames: {'#count': 'count'},
    ExpressionAttributeValues: {':one': 1}}};
  const remove = {Delete: {TableName, Key: {pk: 'moves', sk: 3}, ConditionExpression: 'attribute_exists(pk)'}};
  const check = {ConditionCheck: {TableName, Key: {pk: 'library', sk: 1}, ConditionExpression: 'score = :score',
    ExpressionAttributeValues: {':score': 99}}};
  const ClientRequestToken = `token-${Date.now()}`;
  const write = (TransactItems, token) => documents.send(new lib.TransactWriteCommand({TransactItems, ...token}));
  const written = [{pk: 'moves', sk: 1, text: 'new'}, {pk: 'moves', sk: 2, count: 2}];
  for (let attempt = 0; attempt < 2; ++attempt) {
    await write([put, update, remove, check], {ClientRequestToken});
    assert.deepEqual((await run(lib.QueryCommand, queryOf('moves'))).Items, written);
  }
  await failure('IdempotentParameterMismatchException', write([put], {ClientRequestToken}));
  const error = await failure('TransactionCanceledException', write([check, put, update, remove]));
  const failed = {Code: 'ConditionalCheckFailed', Message: 'The conditional request failed'};
  assert.deepEqual(error.CancellationReasons,
    [{Code: 'None'}, {...failed, Item: {pk: {S: 'moves'}, sk: {N: '1'}, text: {S: 'new'}}}, {Code: 'None'}, failed]);
  assert.deepEqual((await run(lib.QueryCommand, queryOf('moves'))).Items, written);
  const TransactItems = [2, 3, 1].map((sk) => ({Get: {TableName, Key: {pk: 'moves', sk}}}));
  const answer = await documents.send(new lib.TransactGetCommand({TransactItems}));
  assert.deepEqual(answer.Responses, [{Item: written[1]}, {}, {Item: written[0]}]);
}

/** All records from the beginning, shard after shard. */
async function recordsOf(StreamArn) {
  const records = [];
  const {StreamDescription} = await reader.send(new streams.DescribeStreamCommand({StreamArn}));
  for (const {ShardId} of StreamDescription.Shards) {
    let {ShardIterator} = await reader.send(new streams.GetShardIteratorCommand({StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON'}));
    while (ShardIterator) {
      const answer = await reader.send(new streams.GetRecordsCommand({ShardIterator}));
      records.push(...answer.Records);
      ShardIterator = answer.Records.length ? answer.NextShardIterator : undefined;
    }
  }
  return records;
}

async function streamOf(table) {
  const Key = {pk: 'streamed', sk: 1};
  await run(lib.PutCommand, {Item: {...Key, text: 'a'}});
  await run(lib.PutCommand, {Item: {...Key, text: 'a'}});
  await run(lib.UpdateCommand, {Key, UpdateExpression: 'SET #text = :b', ExpressionAttributeNames: {'#text': 'text'},
    ExpressionAttributeValues: {':b': 'b'}});
  await run(lib.DeleteCommand, {Key});
  const StreamArn = table.LatestStreamArn;
  const listed = await reader.send(new streams.ListStreamsCommand({TableName}));
  assert.deepEqual(listed.Streams, [{StreamArn, TableName, StreamLabel: table.LatestStreamLabel}]);
  const records = (await recordsOf(StreamArn)).filter((record) => record.dynamodb.Keys.pk.S === 'streamed');
  assert.deepEqual(records.map(({eventName, dynamodb}) => [eventName, dynamodb.OldImage?.text.S, dynamodb.NewImage?.text.S]),
    [['INSERT', undefined, 'a'], ['MODIFY', 'a', 'b'], ['REMOVE', 'b', undefined]]);
  const numbers = records.map((record) => BigInt(record.dynamodb.SequenceNumber));
  assert.ok(numbers[0] < numbers[1] && numbers[1] < numbers[2]);
  assert.deepEqual(records[1].dynamodb.NewImage, {pk: {S: 'streamed'}, sk: {N: '1'}, text: {S: 'b'}});
  for (const {userIdentity, dynamodb} of records) {
    assert.ok(userIdentity === undefined && Math.abs(dynamodb.ApproximateCreationDateTime - Date.now()) < 60000);
  }
}

async function timeToLive(table) {
  const ttl = async () => (await client.send(new db.DescribeTimeToLiveCommand({TableName}))).TimeToLiveDescription;
  assert.deepEqual(await ttl(), {TimeToLiveStatus: 'DISABLED'});
  await client.send(new db.UpdateTimeToLiveCommand({TableName, TimeToLiveSpecification: {Enabled: true, AttributeName: 'expires'}}));
  assert.deepEqual(await ttl(), {TimeToLiveStatus: 'ENABLED', AttributeName: 'expires'});
  const now = Math.floor(Date.now() / 1000);
  await run(lib.PutCommand, {Item: {pk: 'kept', sk: 1, expires: now + 3600}});
  await run(lib.PutCommand, {Item: {pk: 'expired', sk: 1, expires: now - 60}});
  await waitFor('an expired item goes', async () => !(await run(lib.GetCommand, {Key: {pk: 'expired', sk: 1}, ConsistentRead: true})).Item);
  assert.ok((await run(lib.GetCommand, {Key: {pk: 'kept', sk: 1}})).Item);
  const records = (await recordsOf(table.LatestStreamArn)).filter((record) => record.dynamodb.Keys.pk.S === 'expired');
  assert.deepEqual(records.map((record) => record.eventName), ['INSERT', 'REMOVE']);
  assert.deepEqual(records[1].userIdentity, {PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service'});
}

async function partiql() {
  const execute = async (Statement, Parameters, more) => documents.send(new lib.ExecuteStatementCommand({Statement, Parameters, ...more}));
  assert.deepEqual((await execute(`INSERT INTO ${TableName} VALUE {'pk': ?, 'sk': ?, 'parts': [1, 'x']}`, ['ql', 1])).Items, []);
  await failure('DuplicateItemException', execute(`INSERT INTO ${TableName} VALUE {'pk': 'ql', 'sk': 1}`));
  const item = {pk: 'ql', sk: 1, parts: ['x'], counter: 5};
  const updated = await execute(`UPDATE ${TableName} SET counter = 5 REMOVE parts[0] WHERE pk = ? AND sk = ? RETURNING ALL NEW *`, ['ql', 1]);
  assert.deepEqual(updated.Items, [item]);
  const first = await execute(`SELECT sk FROM ${TableName} WHERE pk = 'library'`, undefined, {Limit: 20});
  const second = await execute(`SELECT sk FROM ${TableName} WHERE pk = 'library'`, undefined, {Limit: 20, NextToken: first.NextToken});
  assert.deepEqual([...first.Items, ...second.Items].map((found) => found.sk), upTo(30));
  const batch = await documents.send(new lib.BatchExecuteStatementCommand({Statements: [
    {Statement: `SELECT * FROM ${TableName} WHERE pk = ? AND sk = ?`, Parameters: ['ql', 1]},
    {Statement: `SELECT * FROM ${TableName} WHERE pk = 'ql' AND sk = 2`},
  ]}));
  assert.deepEqual(batch.Responses, [{TableName, Item: item}, {TableName}]);
  const transact = (TransactStatements) => documents.send(new lib.ExecuteTransactionCommand({TransactStatements}));
  await transact([{Statement: `UPDATE ${TableName} SET counter = counter + 1 WHERE pk = ? AND sk = ?`, Parameters: ['ql', 1]}]);
  const error = await failure('TransactionCanceledException', transact([
    {Statement: `INSERT INTO ${TableName} VALUE {'pk': 'ql', 'sk': 2}`}, {Statement: `INSERT INTO ${TableName} VALUE {'pk': 'ql', 'sk': 1}`}]));
  assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'DuplicateItem']);
  const removed = await execute(`DELETE FROM ${TableName} WHERE pk = 'ql' AND sk = 1 RETURNING ALL OLD *`);
  assert.deepEqual(removed.Items, [{...item, counter: 6}]);
}

async function indexChanges() {
  await client.send(new db.UpdateTableCommand({TableName, AttributeDefinitions: [{AttributeName: 'title', AttributeType: 'S'}],
    GlobalSecondaryIndexUpdates: [{Create: index('ByTitle', ['title'])}]}));
  const states = async () => (await describe()).GlobalSecondaryIndexes.map((entry) => `${entry.IndexName} ${entry.IndexStatus}`).sort().join();
  await waitFor('the new index is ready', async () => await states() === 'ByOwner ACTIVE,ByTitle ACTIVE');
  const ask = {IndexName: 'ByTitle', KeyConditionExpression: 'title = :title', ExpressionAttributeValues: {':title': 'Book 07'}};
  assert.deepEqual((await run(lib.QueryCommand, ask)).Items, [book(7)]);
  assert.equal((await run(lib.ScanCommand, {IndexName: 'ByTitle', Select: 'COUNT'})).Count, 30);
  await client.send(new db.UpdateTableCommand({TableName, GlobalSecondaryIndexUpdates: [{Delete: {IndexName: 'ByTitle'}}]}));
  await waitFor('it is gone', async () => await states() === 'ByOwner ACTIVE');
  const error = await failure('ValidationException', run(lib.QueryCommand, ask));
  assert.equal(error.message, 'The table does not have the specified index: ByTitle');
}

async function remove() {
  await client.send(new db.DeleteTableCommand({TableName}));
  const gone = await db.waitUntilTableNotExists({client, maxWaitTime: 120, minDelay: 1, maxDelay: 1}, {TableName});
  assert.equal(gone.state, 'SUCCESS');
  const error = await failure('ResourceNotFoundException', run(lib.GetCommand, {Key: {pk: 'library', sk: 1}}));
  assert.equal(error.message, 'Requested resource not found');
}

checkSums(client);
checkSums(reader);
const table = await create();
await fill();
await values();
await conditions();
await pages();
await transactions();
await streamOf(table);
await timeToLive(table);
await partiql();
await indexChanges();
await remove();
assert.ok(answers > 100, 'the checksums were looked at');
