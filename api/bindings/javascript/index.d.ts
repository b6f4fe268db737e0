/** What the library says of everything but calls, whose errors are the SDK's. */
export declare class DynolithError extends Error {
  /** The canonical code or the service's exception: "NotFound". */
  readonly kind: string;
  constructor(kind: string, message: string);
}

export interface Answer {
  status: number;
  body: Uint8Array;
  contentType: string;
  requestId: string;
  crc32: number;
  /** A fault on purpose: to be handed on only so much later. */
  delaySeconds: number;
  /** A fault on purpose: 1 if it is to be lost. */
  isDropped: number;
}

/** Those of dynolith_open in dynolith/dynolith.h. */
export interface OpenOptions {
  path?: string;
  read_only?: boolean;
  sync?: boolean;
  region?: string;
  /** Several, whose tables have replicas in each other: `inRegion`. */
  regions?: string[];
  account_id?: string;
  clock?: 'system' | 'manual';
  clock_start?: string | number;
  [option: string]: unknown;
}

/** An HttpHandler of the AWS SDK for JavaScript v3. */
export declare class RequestHandler {
  readonly metadata: {handlerProtocol: string};
  constructor(database: Database);
  handle(request: any, options?: {abortSignal?: any}): Promise<{response: any}>;
  updateHttpClientConfig(key: never, value: never): void;
  httpHandlerConfigs(): {};
  destroy(): void;
}

export interface ClientConfig {
  region: string;
  credentials: {accessKeyId: string; secretAccessKey: string};
  endpoint: string;
  requestHandler: RequestHandler;
}

/** A change of an item, as the table's stream has it. */
export interface Change {
  /** For `after`: goes on behind it. */
  place: string;
  /** As GetRecords has it, in the service's JSON. */
  record: {eventID: string; eventName: 'INSERT' | 'MODIFY' | 'REMOVE'; dynamodb: any; [member: string]: any};
}

/** A database in this process, in memory unless `path` is given. */
export declare class Database {
  private constructor();
  static open(options?: OpenOptions): Promise<Database>;
  /** Waits for calls under way; what is called later fails. */
  close(): Promise<void>;
  /** One call as the wire has it: call('PutItem', '{"TableName": …}'). */
  call(target: string, body: string | Uint8Array, accessKey?: string, host?: string): Promise<Answer>;
  /** A request of the admin endpoint as the wire has it. */
  adminAnswer(method: string, path: string, body?: string | Uint8Array): Promise<Answer>;
  /** A request of the admin endpoint; its answer. */
  admin(method: string, path: string, body?: unknown): Promise<any>;
  now(): Promise<Date>;
  /** Of a database on a manual clock. */
  advanceClock(seconds: number): Promise<Date>;
  setClock(now: Date): Promise<Date>;
  /** Deletes what has expired; how many items. */
  sweep(): Promise<number>;
  /** The changes of a table with a stream, in order: from now on, from the oldest that is kept, or behind a place. Ends when the
   * stream has ended, or when there was no change for `idleSeconds`. */
  changes(table: string, from?: {after?: string; oldest?: boolean; idleSeconds?: number}): Promise<AsyncGenerator<Change, void>>;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  removeSnapshot(name: string): Promise<void>;
  snapshots(): Promise<string[]>;
  checkpoint(folder: string): Promise<void>;
  /** A database of its own that begins as this one is, or as a snapshot of it is. */
  fork(snapshot?: string, folder?: string): Promise<Database>;
  /** The database of one of the option `regions`; this one is that of the first. The regions stay open until the last of their
   * databases is closed. */
  inRegion(region: string): Promise<Database>;
  requestHandler(): RequestHandler;
  /** All that a client of the SDK needs: new DynamoDBClient(database.clientConfig()). */
  clientConfig(): ClientConfig;
}

/** The library's. */
export declare function version(): string;
