// node make_page.mjs NODE_MODULES dynolith.wasm OUT: the lab's page as one file with the module in it, OUT.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [modules, module, out] = process.argv.slice(2);
const folder = path.dirname(fileURLToPath(import.meta.url));
const { buildSync } = createRequire(path.join(path.resolve(modules), "x.js"))("esbuild");

function bundle(entry, format) {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(folder, entry)], bundle: true, minify: true, write: false, outdir: "out", format, target: "es2022",
    charset: "utf8", jsx: "automatic", jsxImportSource: "preact", legalComments: "none", logLevel: "warning",
    // Only Node.js comes to where it is needed.
    external: ["node:*"], nodePaths: [path.resolve(modules)],
  });
  return (kind) => outputFiles.find((file) => file.path.endsWith(kind))?.text.trim();
}

const main = bundle("src/main.jsx", "esm");
const parts = { style: main(".css"), script: main(".js"), worker: bundle("src/worker.js", "iife")(".js"),
  module: gzipSync(readFileSync(module), { level: 9 }).toString("base64") };
writeFileSync(out, readFileSync(path.join(folder, "lab.html"), "utf8").replaceAll(/@(style|script|worker|module)@/g, (_, part) => parts[part]));
