import {Database as AnyDatabase, OpenOptions} from './index.js';

export {DynolithError, RequestHandler} from './index.js';

/** A database in a page, in memory. */
export interface Database extends AnyDatabase {
  /** The database as it is now, with its snapshots: bytes for IndexedDB, OPFS or a file. Only the same module opens them. */
  save(): Promise<Uint8Array>;
}

/**
 * `module`: the bytes of dynolith.wasm, or a Response with them. `saved`: what `save` has returned; then the database is that
 * one, and has the options that it was opened with.
 */
export declare function openDatabase(
  module: BufferSource | Response | Promise<BufferSource | Response>,
  options?: OpenOptions & {saved?: Uint8Array | ArrayBuffer}
): Promise<Database>;
