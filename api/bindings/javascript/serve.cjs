'use strict';
// `npx dynolith serve` where there is no native program: a database in memory, by the WebAssembly module, on Node's HTTP server.
const http = require('node:http');
const zlib = require('node:zlib');
const {Database} = require('./index.cjs');

// Without the slash at its end: what is below it, too.
const ADMIN = '/_dynolith';
// As the engine's: a longer one gets an empty 413.
const BODY_MOST = 16 << 20;
const DECODERS = {gzip: zlib.gunzipSync, deflate: zlib.inflateSync};
const USAGE = `dynolith serve [--host HOST] [--port PORT] [--admin] [--memory] [--OPTION VALUE]…

  --host    address to listen on (127.0.0.1)
  --port    port; 0: any that is free (8000)
  --admin   the admin endpoint under /_dynolith/, for callers on this machine; --clock manual has it, too
  --memory  accepted: every database here is in memory
  others    those of dynolith_open that are neither folders nor endpoints, such as --region, --clock or --ttl-sweep-seconds;
            capacity's as --capacity-mode, --capacity-scale

This is the portable build: a database in memory, by WebAssembly. Folders, TLS, metrics and the console are the native program's.
dynolith lab --help says what it has of the lab.`;

/** What the command line says; throws what is wrong with it. */
function readArguments(words) {
  const said = {host: '127.0.0.1', port: 8000, options: {}};
  for (let i = 0; i < words.length; ++i) {
    const [, name, attached] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[i]) ?? [];
    if (!name) throw new Error(`${words[i]} is no option`);
    if (name === 'memory') continue;
    if (name === 'admin') {
      said.admin = true;
      continue;
    }
    const value = attached ?? words[++i];
    if (value === undefined) throw new Error(`--${name} wants a value`);
    if (name === 'host') {
      said.host = value;
    } else if (name === 'port') {
      said.port = Number(value);
      if (!/^\d+$/.test(value) || said.port > 65535) throw new Error(`--port ${value} is no port`);
    } else {
      const known = /^(true|false)$/.test(value) ? value === 'true' : value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
      // As the native program calls it.
      const member = name === 'data' ? 'path' : name.replaceAll('-', '_');
      const [, part] = /^capacity_(.+)$/.exec(member) ?? [];
      if (part) {
        (said.options.capacity ??= {})[part] = known;
      } else {
        said.options[member] = member === 'account_id' ? value : known;
      }
    }
  }
  return said;
}

/** {body}, whole and decoded, or the {status} of why it is not. */
async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  // Read to its end, so that the client reads the answer.
  for await (const piece of request) {
    size += piece.length;
    if (size <= BODY_MOST) pieces.push(piece);
  }
  if (size > BODY_MOST) return {status: 413};
  const body = Buffer.concat(pieces);
  const decode = DECODERS[request.headers['content-encoding']];
  if (!decode) return {body};
  try {
    return {body: decode(body, {maxOutputLength: BODY_MOST})};
  } catch (problem) {
    return {status: problem.code === 'ERR_BUFFER_TOO_LARGE' ? 413 : 400};
  }
}

/** Why a request may not use the admin endpoint, as the native server decides it (tools/manual/admin.md, "Access"). */
function objectionTo({headers, socket}) {
  if (!/^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')) return 'the admin endpoint is for callers on this machine';
  const host = headers.host ?? 'localhost';
  if (!/^(([^:]+\.)?localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host)) return 'the admin endpoint is for local names';
  const from = headers.origin ?? (headers.referer && new URL(headers.referer).origin);
  const isOwn = (from === undefined || from === `http://${host}`) && ['none', 'same-origin', undefined].includes(headers['sec-fetch-site']);
  if (!isOwn) return 'the admin endpoint is not for web pages';
  if (headers.forwarded || headers['x-forwarded-for'] || headers.via) return 'the admin endpoint is not for forwarded requests';
  return undefined;
}

/** The answer of the admin endpoint. Nothing else could happen while the module waits for changes, so the wait is done here. */
async function adminAnswer(database, request, url, body) {
  const wait = Number(url.searchParams.get('wait') ?? NaN);
  const waits = request.method === 'GET' && url.pathname === `${ADMIN}/changes` && wait >= 0 && wait <= 1;
  if (waits) url.searchParams.delete('wait');
  for (const end = Date.now() + 1000 * wait;;) {
    const answer = await database.adminAnswer(request.method, url.pathname + url.search, body);
    const isLast = !waits || answer.status !== 200 || Date.now() >= end;
    if (isLast || JSON.parse(answer.body.toString()).changes.length) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const accessKeyOf = (headers) => /Credential=([^/]*)/.exec(headers.authorization ?? '')?.[1] ?? '';

async function answerOf(database, request, body) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname.startsWith(`${ADMIN}/`)) return adminAnswer(database, request, url, body);
  return database.call(request.headers['x-amz-target'] ?? '', body, accessKeyOf(request.headers), request.headers.host ?? '');
}

async function handle(database, admin, request, response) {
  const {pathname} = new URL(request.url, 'http://localhost');
  const isAdmin = pathname.startsWith(`${ADMIN}/`);
  const objection = isAdmin && (admin ? objectionTo(request) : 'the admin endpoint is off: serve --admin');
  if (objection) {
    request.resume();
    response.writeHead(admin ? 403 : 404, {'content-type': 'application/json'}).end(JSON.stringify({error: objection}));
    return;
  }
  // As load balancers and tests ask whether somebody is there.
  if (request.method === 'GET' && !isAdmin) {
    request.resume();
    response.writeHead(200, {'content-type': 'text/plain'}).end(`healthy: ${request.headers.host ?? ''} `);
    return;
  }
  const {body, status} = await bodyOf(request);
  if (status) {
    response.writeHead(status).end();
    return;
  }
  const answer = await answerOf(database, request, body);
  if (answer.delaySeconds > 0) await new Promise((resolve) => setTimeout(resolve, answer.delaySeconds * 1000));
  if (answer.isDropped) {
    request.socket.destroy();
    return;
  }
  response.writeHead(answer.status, {'content-type': answer.contentType, 'content-length': answer.body.length,
    'x-amzn-requestid': answer.requestId, 'x-amz-crc32': String(answer.crc32)});
  response.end(answer.body);
}

/** A server of a database of its own: {url, close}. */
async function serve({host, port, options, admin = options.clock === 'manual'}) {
  const database = await Database.open(options);
  const server = http.createServer((request, response) => {
    handle(database, admin, request, response).catch((problem) => {
      console.error(`dynolith: ${problem.message}`);
      request.socket.destroy();
    });
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await database.close();
  };
  return {url: `http://${host.includes(':') ? `[${host}]` : host}:${server.address().port}`, close};
}

/** The program; its exit code, or undefined while it serves. */
async function main(words) {
  if (words[0] !== 'serve' || words.includes('--help')) {
    (words.includes('--help') ? console.log : console.error)(USAGE);
    return words.includes('--help') ? 0 : 2;
  }
  try {
    const {url, close} = await serve(readArguments(words.slice(1)));
    console.log(`dynolith listens on ${url} (in memory, by WebAssembly)`);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().then(() => process.exit(0)));
    return undefined;
  } catch (problem) {
    console.error(`dynolith: ${problem.message}`);
    return 2;
  }
}

module.exports = {main, serve};
