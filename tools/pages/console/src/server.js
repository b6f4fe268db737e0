// The server that this page comes from: calls as any SDK makes them, and the admin endpoint (tools/manual/admin.md).
import { adminToken, keepAdminToken } from "../../shared/admin_token.js";

const settings = {
  accessKey: sessionStorage.getItem("accessKey") ?? "local",
  secretKey: sessionStorage.getItem("secretKey") ?? "local",
  region: sessionStorage.getItem("region") ?? "us-east-1",
  database: sessionStorage.getItem("database") ?? ""
};

/** Who calls, and which of the server's databases; kept as long as the browser's tab. */
export const getSettings = () => ({ ...settings });
export function setSettings(changed) {
  for (const [name, value] of Object.entries(changed)) {
    settings[name] = value;
    sessionStorage.setItem(name, value);
  }
}

export class ServiceError extends Error {
  constructor(kind, message, answer) {
    super(message);
    this.kind = kind;
    this.answer = answer;
  }
}

const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return crypto.subtle.sign("HMAC", imported, bytes(text));
}

// Signature Version 4. Where the browser has no cryptography, as on pages that are neither of this machine nor of TLS, the request
// only looks signed, which a server with `--auth shape` takes.
async function authorization(target, body, date) {
  const scope = `${date.slice(0, 8)}/${settings.region}/dynamodb/aws4_request`;
  // What names a database is signed, too, as a server with `--auth verify` wants it.
  const ofDatabase = settings.database ? [`x-dynolith-database:${settings.database}`] : [];
  const signed = `host;x-amz-date;x-amz-target${settings.database ? ";x-dynolith-database" : ""}`;
  let signature = "0".repeat(64);
  if (globalThis.crypto?.subtle) {
    const canonical = ["POST", "/", "", `host:${location.host}`, `x-amz-date:${date}`, `x-amz-target:${target}`, ...ofDatabase, "", signed,
      hex(await crypto.subtle.digest("SHA-256", bytes(body)))].join("\n");
    const text = ["AWS4-HMAC-SHA256", date, scope, hex(await crypto.subtle.digest("SHA-256", bytes(canonical)))].join("\n");
    let key = bytes(`AWS4${settings.secretKey}`);
    for (const part of scope.split("/")) key = await hmac(key, part);
    signature = hex(await hmac(key, text));
  }
  return `AWS4-HMAC-SHA256 Credential=${settings.accessKey}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

/** What the service answers. Errors: ServiceError with the service's kind and words. */
export async function call(operation, request, signal) {
  const service = /^(ListStreams|DescribeStream|GetShardIterator|GetRecords)$/.test(operation) ? "DynamoDBStreams" : "DynamoDB";
  const target = `${service}_20120810.${operation}`;
  const body = JSON.stringify(request);
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const headers = { "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target, "X-Amz-Date": date,
                    Authorization: await authorization(target, body, date) };
  if (settings.database) headers["x-dynolith-database"] = settings.database;
  const response = await fetch("/", { method: "POST", headers, body, signal });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new ServiceError((answer.__type ?? "").split("#").pop(), answer.message ?? answer.Message ?? "", answer);
}

// How a person is asked for the token: gives what was entered, or null.
let askPerson = async () => null;
export const setTokenAsker = (ask) => { askPerson = ask; };

// Once for all calls that are refused at the same time; who declines is asked again where the admin endpoint is what is looked at.
let asking = null, isDeclined = false;
export const askAgain = () => { isDeclined = false; };
function askForToken() {
  if (isDeclined) return Promise.resolve(false);
  asking ??= askPerson().then((token) => {
    asking = null;
    isDeclined = !token;
    if (token) keepAdminToken(token);
    return !isDeclined;
  });
  return asking;
}

/** What the admin endpoint answers. Errors: ServiceError with its words. */
export async function admin(method, path, request) {
  const headers = settings.database ? { "x-dynolith-database": settings.database } : {};
  const ask = () => fetch(`/_dynolith/${path}`, { method, headers: { ...headers, ...adminToken() }, body: request && JSON.stringify(request) });
  let response = await ask();
  if (response.status === 401 && await askForToken()) response = await ask();
  const answer = await response.json();
  if (!response.ok) throw new ServiceError("Error", answer.error ?? response.statusText, answer);
  return answer;
}
