import type {TestAPI} from 'vitest';
import type {ClientConfig, Database} from './index.js';

export interface DatabaseFixtures {
  /** What each test's database begins as; called once for each file. */
  load: ((database: Database) => Promise<unknown>) | undefined;
  /** This test's own, in memory, on a clock that it moves. */
  database: Database;
  /** For a client of the SDK on it. */
  config: ClientConfig;
}

export declare const databaseTest: TestAPI<DatabaseFixtures>;
