import type {ClientConfig, Database, OpenOptions} from './index.js';

/** In a describe or a file. What it returns has each test's own database, and what a client of the SDK needs to be on it. */
export declare function useDatabase(settings?: {
  /** Fills what each test's database is a fork of, once. */
  load?: (database: Database) => Promise<unknown>;
  options?: OpenOptions;
}): {readonly database: Database; readonly config: ClientConfig};
