// Run by jest, which presets.test.mjs starts.
const {useDatabase} = require('dynolith/jest');

const own = useDatabase({load: (database) => database.snapshot('loaded')});

for (const turn of ['first', 'second']) {
  test(`a database of its own: the ${turn}`, async () => {
    expect(JSON.parse((await own.database.call('ListTables', '{}')).body).TableNames).toEqual([]);
    expect(await own.database.snapshots()).toEqual([]);
    expect(own.config.region).toBe('us-east-1');
  });
}
