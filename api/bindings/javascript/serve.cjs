'use strict';
// `npx dynolith serve` where there is no native program: a database in memory, by the WebAssembly module, on Node's HTTP server.
const http = require('node:http');
const zlib = require('node:zlib');
const {Database} = require('./index.cjs');

// Without the slash at its end: what is below it, too.
const ADMIN = '/_dynolith';
// As the engine's: longer ones it answers itself, with an empty 413.
const BODY_MOST = 16 << 20;
const DECODERS = {gzip: zlib.gunzipSync, deflate: zlib.inflateSync};
const USAGE = `dynolith serve [--host HOST] [--port PORT] [--memory] [--OPTION VALUE]…

  --host    address to listen on (127.0.0.1)
  --port    port; 0: any that is free (8000)
  --memory  accepted: every database here is in memory
  others    those of dynolith_open that are neither folders nor endpoints, such as --region, --clock or --ttl-sweep-seconds;
            capacity's as --capacity-mode, --capacity-scale

This is the portable build: a database in memory, by WebAssembly. Folders, TLS, metrics and the console are the native program's.`;

/** What the command line says; throws what is wrong with it. */
function readArguments(words) {
  const said = {host: '127.0.0.1', port: 8000, options: {}};
  for (let i = 0; i < words.length; ++i) {
    const [, name, attached] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[i]) ?? [];
    if (!name) throw new Error(`${words[i]} is no option`);
    if (name === 'memory') continue;
    const value = attached ?? words[++i];
    if (value === undefined) throw new Error(`--${name} wants a value`);
    if (name === 'host') {
      said.host = value;
    } else if (name === 'port') {
      said.port = Number(value);
      if (!/^\d+$/.test(value) || said.port > 65535) throw new Error(`--port ${value} is no port`);
    } else {
      const known = /^(true|false)$/.test(value) ? value === 'true' : value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
      const member = name.replaceAll('-', '_');
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

/** The whole body, decoded; undefined: it cannot be. */
async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size <= BODY_MOST + 1) pieces.push(piece);
  }
  const body = Buffer.concat(pieces);
  const decode = DECODERS[request.headers['content-encoding']];
  if (!decode) return body;
  try {
    return decode(body, {maxOutputLength: BODY_MOST + 1});
  } catch {
    return undefined;
  }
}

const accessKeyOf = (headers) => /Credential=([^/]*)/.exec(headers.authorization ?? '')?.[1] ?? '';

async function answerOf(database, request, body) {
  const {pathname, search} = new URL(request.url, 'http://localhost');
  if (pathname.startsWith(`${ADMIN}/`)) return database.adminAnswer(request.method, pathname + search, body);
  return database.call(request.headers['x-amz-target'] ?? '', body, accessKeyOf(request.headers), request.headers.host ?? '');
}

async function handle(database, request, response) {
  const {pathname} = new URL(request.url, 'http://localhost');
  // As load balancers and tests ask whether somebody is there.
  if (request.method === 'GET' && !pathname.startsWith(`${ADMIN}/`)) {
    request.resume();
    response.writeHead(200, {'content-type': 'text/plain'}).end(`healthy: ${request.headers.host ?? ''} `);
    return;
  }
  const body = await bodyOf(request);
  if (body === undefined) {
    response.writeHead(400).end();
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
async function serve({host, port, options}) {
  const database = await Database.open(options);
  const server = http.createServer((request, response) => {
    handle(database, request, response).catch((problem) => {
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
