'use strict';
// A database on a library, and what the AWS SDK for JavaScript v3 needs to be on it: index.cjs and browser.mjs say which library.
const {Turns} = require('./turns.cjs');

// In the order of addon.c.
const [OPEN, CLOSE, CALL, ADMIN, CHECKPOINT, SNAPSHOT, RESTORE, REMOVE_SNAPSHOT, FORK, REGION] = Array(10).keys();
// Calls of microseconds while nobody waits for a disk: less than it takes to wake another thread.
const OF_ONE_ITEM = new Set(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem']);
// Nobody has it (RFC 2606): what is not caught reaches no other service.
const ENDPOINT = 'http://dynolith.invalid';
// Seconds for which a call waits for changes, on one of the few threads of the run-time's pool; or between two that do not wait.
const CHANGES_WAIT = 0.2;
const CREDENTIALS = {accessKeyId: 'dynolith', secretAccessKey: 'dynolith'};

/** What the library says of everything but calls, whose errors are the SDK's. */
class DynolithError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = 'DynolithError';
    this.kind = kind;
  }
}

async function begin(library, kind, handle, ...texts) {
  try {
    return await library.begin(kind, handle, ...texts);
  } catch (problem) {
    throw asOurs(problem, library);
  }
}

function asOurs(problem, library) {
  if (!problem.kind) return problem;
  // What the module cannot do, such as folders, the native library can.
  const {reason} = problem.kind === 'FailedPrecondition' ? library : {};
  return new DynolithError(problem.kind, reason ? `${problem.message} (there is none: ${reason})` : problem.message);
}

/** A call on the database's own threads, whose answers wake the event loop. */
function beginOnItsThreads(library, handle, target, body) {
  return new Promise((resolve, reject) => {
    const answered = (answer) =>
      (answer ? resolve(answer) : reject(new DynolithError('ResourceExhausted', 'there was no memory for the answer')));
    try {
      library.callAsync(handle, target, body, answered);
    } catch (problem) {
      reject(asOurs(problem, library));
    }
  });
}

const turns = new Turns();

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function abortError() {
  return Object.assign(new Error('Request aborted'), {name: 'AbortError'});
}

/** An HttpHandler of the SDK's: `new DynamoDBClient({requestHandler})`. */
class RequestHandler {
  #database;
  metadata = {handlerProtocol: 'http/1.1'};

  constructor(database) {
    this.#database = database;
  }

  async handle(request, {abortSignal} = {}) {
    if (abortSignal?.aborted) throw abortError();
    const headers = {};
    for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
    const [, accessKey = ''] = /Credential=([^/]*)/.exec(headers.authorization ?? '') ?? [];
    const answered = this.#answer(headers['x-amz-target'] ?? '', request.body ?? '', accessKey, headers.host ?? '');
    if (!abortSignal) return answered;
    // The call goes on, as it would on a server.
    answered.catch(() => {});
    return Promise.race([answered, new Promise((_, reject) => {
      abortSignal.addEventListener('abort', () => reject(abortError()), {once: true});
    })]);
  }

  async #answer(target, body, accessKey, host) {
    const answer = await this.#database.call(target, body, accessKey, host);
    if (answer.delaySeconds > 0) await sleep(answer.delaySeconds);
    if (answer.isDropped) throw Object.assign(new Error('socket hang up'), {code: 'ECONNRESET'});
    return {response: {
      statusCode: answer.status,
      headers: {
        'content-type': answer.contentType,
        'x-amzn-requestid': answer.requestId,
        'x-amz-crc32': String(answer.crc32),
      },
      body: this.#database.constructor.streamOf(answer.body),
    }};
  }

  updateHttpClientConfig() {}
  httpHandlerConfigs() {
    return {};
  }
  destroy() {}
}

/** A database of its own, in memory unless `path` is given: `await Database.open({clock: 'manual'})`. */
class Database {
  #handle;
  #region;
  // Whether its calls of one item wait for nothing.
  #isQuick;
  // Of it, its regions and its forks: whether there are, or were, rules, which may be of each client.
  #staleness;
  #underWay = new Set();

  /** What has the functions of addon.c. */
  static library() {
    throw new Error('there is no library');
  }
  /** A body as the SDK's own handler gives it: who reads answers on their way expects a stream. */
  static streamOf(body) {
    return body;
  }

  constructor(handle, region, isQuick, staleness) {
    this.#handle = handle;
    this.#region = region;
    this.#isQuick = isQuick;
    this.#staleness = staleness;
  }

  /** The options are those of dynolith_open in dynolith/dynolith.h. */
  static async open(options = {}) {
    const handle = await begin(this.library(), OPEN, null, JSON.stringify(options));
    // A write of regions may wait for the others.
    const isQuick = !options.path && !options.endpoint && !options.regions;
    const region = options.region ?? options.regions?.[0] ?? 'us-east-1';
    return new this(handle, region, isQuick, {isSet: Boolean(options.staleness)});
  }

  /** What `of` makes this object again from, in an instance of the library that has the same memory. */
  facts() {
    return {handle: this.#open, region: this.#region, isQuick: this.#isQuick, staleness: this.#staleness};
  }
  static of({handle, region, isQuick, staleness}) {
    return new this(handle, region, isQuick, staleness);
  }

  /** Waits for calls under way; what is called later fails. May be called again. */
  async close() {
    const handle = this.#handle;
    this.#handle = undefined;
    if (handle === undefined) return;
    await Promise.allSettled(this.#underWay);
    await begin(this.#library, CLOSE, handle);
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close();
  }

  get #library() {
    return this.constructor.library();
  }

  get #open() {
    if (this.#handle === undefined) throw new DynolithError('FailedPrecondition', 'the database is closed');
    return this.#handle;
  }

  async #run(kind, ...texts) {
    return this.#answerOf(begin(this.#library, kind, this.#open, ...texts));
  }

  /** Of a call that `close` waits for. */
  async #answerOf(running) {
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** One call as the wire has it: call('PutItem', '{"TableName": …}'). */
  async call(target, body, accessKey = '', host = '') {
    const operation = target.slice(target.lastIndexOf('.') + 1);
    // The module; and who asks matters to few, so the library's own threads are not told it.
    if (!this.#library.callAsync || this.#staleness.isSet || operation === 'DescribeEndpoints') {
      return this.#run(CALL, target, body, accessKey, host);
    }
    if (!this.#isQuick || !OF_ONE_ITEM.has(operation)) return this.#answerOf(beginOnItsThreads(this.#library, this.#open, target, body));
    while (turns.areOthersDue) await turns.letOthers();
    return this.#library.call(this.#open, target, body, accessKey, host);
  }

  /** A request of the admin endpoint as the wire has it. */
  adminAnswer(method, where, body = '') {
    if (where.includes('staleness')) this.#staleness.isSet = true;
    return this.#run(ADMIN, method, where, body);
  }

  /** A request of the admin endpoint: admin('POST', 'faults', {fault: 'throttle'}); its answer. */
  async admin(method, where, body) {
    const answer = await this.adminAnswer(method, where, body === undefined ? '' : JSON.stringify(body));
    const content = answer.body.length ? JSON.parse(answer.body.toString()) : undefined;
    if (answer.status === 200) return content;
    const kinds = {400: 'InvalidArgument', 404: 'NotFound', 409: 'FailedPrecondition', 410: 'TrimmedDataAccessException'};
    throw new DynolithError(kinds[answer.status] ?? 'Internal', content.error);
  }

  async now() {
    return new Date((await this.admin('GET', 'clock')).now * 1000);
  }
  /** Of a database on a manual clock. Resolves when all that is due by then has been done. */
  async advanceClock(seconds) {
    return new Date((await this.admin('POST', 'clock/advance', {seconds})).now * 1000);
  }
  async setClock(now) {
    return new Date((await this.admin('POST', 'clock/set', {now: now.getTime() / 1000})).now * 1000);
  }
  /** Deletes what has expired; how many items. */
  async sweep() {
    return (await this.admin('POST', 'ttl/sweep')).deleted;
  }

  /** The changes of a table with a stream, in order, for `for await`: from now on, from the `oldest` that is kept (a day), or
   * behind a place. Ends when the stream has ended, or when there was no change for `idleSeconds`. */
  async changes(table, {after = '', oldest = false, idleSeconds = Infinity} = {}) {
    const waits = this.#library.waits !== false;
    const ask = (parameters) => this.admin('GET', `changes?${new URLSearchParams({table, ...parameters})}`);
    // Now: what is written from here on is seen, also before the first change is asked for.
    let {from: place} = await ask({after, oldest, most: 1});
    return (async function* read() {
      for (let last = Date.now();;) {
        const answer = await ask({after: place, ...waits && {wait: CHANGES_WAIT}});
        ({place} = answer);
        yield* answer.changes;
        if (answer.changes.length) last = Date.now();
        if (answer.ended || Date.now() - last >= idleSeconds * 1000) return;
        if (!waits && !answer.changes.length) await sleep(CHANGES_WAIT);
      }
    })();
  }

  /** Keeps the whole database as it is now. */
  snapshot(name) {
    return this.#run(SNAPSHOT, name);
  }
  /** Back to a snapshot, as often as one likes. */
  restore(name) {
    return this.#run(RESTORE, name);
  }
  removeSnapshot(name) {
    return this.#run(REMOVE_SNAPSHOT, name);
  }
  async snapshots() {
    return (await this.admin('GET', 'snapshots')).snapshots;
  }
  /** A copy of a database in a folder, in a new one. */
  checkpoint(folder) {
    return this.#run(CHECKPOINT, folder);
  }
  /** A database of its own that begins as this one is, or as a snapshot of it is. */
  async fork(snapshot = '', folder = '') {
    return new this.constructor(await this.#run(FORK, snapshot, folder), this.#region, this.#isQuick && !folder, this.#staleness);
  }
  /** The database of one of `Database.open({regions: ['us-east-1', 'us-west-2']})`, which is that of the first one itself. Close it
   * like every other one; the regions stay open until the last of their databases is closed. */
  async inRegion(region) {
    return new this.constructor(await this.#run(REGION, region), region, this.#isQuick, this.#staleness);
  }

  requestHandler() {
    return new RequestHandler(this);
  }
  /** All that a client of the SDK needs: new DynamoDBClient(database.clientConfig()). */
  clientConfig() {
    return {region: this.#region, credentials: CREDENTIALS, endpoint: ENDPOINT, requestHandler: this.requestHandler()};
  }
}

module.exports = {Database, DynolithError, RequestHandler};
