// A call as a program would make it: for the AWS CLI, boto3 and the SDK for JavaScript.

const endpoint = () => location.origin;
const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const dashed = (operation) => operation.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
const snake = (operation) => dashed(operation).replaceAll("-", "_");

function awsCli(operation, request) {
  return `aws dynamodb ${dashed(operation)} --endpoint-url ${endpoint()} \\\n  --cli-input-json ${shell(JSON.stringify(request))}`;
}

// JSON is Python but for three words; binaries are bytes there.
function python(value, indent = "") {
  const deeper = `${indent}    `;
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map((each) => python(each, indent)).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value);
  const inner = (name, each) => name === "B" && typeof each === "string" ? `base64.b64decode(${JSON.stringify(each)})` :
    name === "BS" && Array.isArray(each) ? `[${each.map((one) => `base64.b64decode(${JSON.stringify(one)})`).join(", ")}]` : python(each, deeper);
  if (entries.length <= 1) return `{${entries.map(([name, each]) => `${JSON.stringify(name)}: ${inner(name, each)}`).join("")}}`;
  return `{\n${entries.map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${inner(name, each)},\n`).join("")}${indent}}`;
}

function boto3(operation, request) {
  const text = Object.entries(request).map(([name, value]) => `    ${name}=${python(value, "    ")},\n`).join("");
  const needsBase64 = text.includes("base64.b64decode");
  return `${needsBase64 ? "import base64\n" : ""}import boto3\n\nclient = boto3.client("dynamodb", endpoint_url=${JSON.stringify(endpoint())})\n` +
    `answer = client.${snake(operation)}(\n${text})\n`;
}

function javascript(operation, request) {
  const command = `${operation}Command`;
  // In a program { "__proto__": … } would set a prototype, not a member.
  const text = JSON.stringify(request, null, 2).replaceAll(/^(\s*)"__proto__": /gm, '$1["__proto__"]: ')
    .replace(/"B": ("[^"]*")/g, '"B": Buffer.from($1, "base64")')
    .replace(/"BS": \[([^\]]*)\]/g, (_, all) => `"BS": [${all.replace(/"[^"]*"/g, (each) => `Buffer.from(${each}, "base64")`)}]`);
  return `import { DynamoDBClient, ${command} } from "@aws-sdk/client-dynamodb";\n\n` +
    `const client = new DynamoDBClient({ endpoint: ${JSON.stringify(endpoint())} });\n` +
    `const answer = await client.send(new ${command}(${text}));\n`;
}

export const LANGUAGES = { "AWS CLI": awsCli, boto3, "SDK for JavaScript v3": javascript };
