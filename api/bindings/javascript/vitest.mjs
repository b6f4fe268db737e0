// Fixtures of vitest: a database for each test.
import {test as base} from 'vitest';

import {Database} from './index.mjs';

const FIXTURES = {
  // What each test's database begins as: a function that loads something, once for each file. Replaced by databaseTest.extend.
  load: async ({}, use) => use(undefined),
  database: async ({load}, use) => {
    const database = await begin(load);
    await use(database);
    await database.close();
  },
  config: async ({database}, use) => use(database.clientConfig()),
};

/** A test with a database of its own, in memory, on a clock that it moves: databaseTest('…', async ({database, config}) => …). */
export const databaseTest = withFixtures(FIXTURES);

// Up to version 3 of vitest, fixtures stay with what they were declared beside, so those that are replaced are declared anew.
function withFixtures(fixtures) {
  const test = base.extend(fixtures);
  const extend = test.extend;
  test.extend = (more, ...rest) =>
    (typeof more === 'object' ? withFixtures({...fixtures, ...more}) : extend.call(test, more, ...rest));
  return test;
}

const bases = new Map();

async function begin(load) {
  if (!load) return Database.open({clock: 'manual'});
  if (!bases.has(load)) {
    bases.set(load, (async () => {
      const loaded = await Database.open({clock: 'manual'});
      await load(loaded);
      return loaded;
    })());
  }
  return (await bases.get(load)).fork();
}
