'use strict';
// The preset for jest, with the hooks of node:test, which are called the same.
const assert = require('node:assert/strict');
const {after, afterEach, before, beforeEach, describe, test} = require('node:test');

Object.assign(globalThis, {beforeAll: before, beforeEach, afterEach, afterAll: after});
const {useDatabase} = require('../jest.cjs');

const CREATE = JSON.stringify({TableName: 'music', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{AttributeName: 'pk', KeyType: 'HASH'}],
  AttributeDefinitions: [{AttributeName: 'pk', AttributeType: 'S'}]});

describe('each test', () => {
  const own = useDatabase({load: (database) => database.call('CreateTable', CREATE)});
  for (const turn of ['first', 'second']) {
    test(`begins as what was loaded: the ${turn}`, async () => {
      const scan = async () => JSON.parse((await own.database.call('Scan', '{"TableName": "music"}')).body).Count;
      assert.equal(await scan(), 0);
      await own.database.call('PutItem', '{"TableName": "music", "Item": {"pk": {"S": "a"}}}');
      assert.equal(await scan(), 1);
      assert.equal(own.config.region, 'us-east-1');
    });
  }
});
