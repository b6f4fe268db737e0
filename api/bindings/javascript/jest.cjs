'use strict';
// For jest, and every runner with beforeAll, beforeEach, afterEach and afterAll: a database for each test.
const {Database} = require('./index.cjs');

/**
 * To be called in a describe or a file: const own = useDatabase({load}); then own.database and own.config in each test. `load`
 * fills what each test's database is a fork of, once.
 */
function useDatabase({load, options = {clock: 'manual'}} = {}) {
  const own = {database: undefined, config: undefined};
  let base;
  beforeAll(async () => {
    base = await Database.open(options);
    if (load) await load(base);
  });
  beforeEach(async () => {
    own.database = await base.fork();
    own.config = own.database.clientConfig();
  });
  afterEach(() => own.database.close());
  afterAll(() => base.close());
  return own;
}

module.exports = {useDatabase};
