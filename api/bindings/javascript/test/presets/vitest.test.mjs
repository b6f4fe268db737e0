// Run by vitest, which presets.test.mjs starts.
import {expect} from 'vitest';

import {databaseTest} from 'dynolith/vitest';

const CREATE = JSON.stringify({TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]});
const ask = async (database, target, body) => JSON.parse(Buffer.from((await database.call(target, body)).body).toString());
const load = (database) => database.call('CreateTable', CREATE);
const loadedTest = databaseTest.extend({load: async ({}, use) => use(load)});

for (const turn of ['first', 'second']) {
  loadedTest(`begins as what was loaded: the ${turn}`, async ({database, config}) => {
    expect((await ask(database, 'Scan', '{"TableName": "music"}')).Count).toBe(0);
    await database.call('PutItem', '{"TableName": "music", "Item": {"pk": {"S": "a"}}}');
    expect((await ask(database, 'Scan', '{"TableName": "music"}')).Count).toBe(1);
    expect(config.region).toBe('us-east-1');
  });
}

databaseTest('begins empty', async ({database}) => {
  expect((await ask(database, 'ListTables', '{}')).TableNames).toEqual([]);
});
