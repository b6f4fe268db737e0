// node make_page.mjs NODE_MODULES_WITH_ESBUILD NODE_MODULES_WITH_THE_SDK dynolith.wasm OUT: the page, in a folder.
import {copyFileSync, mkdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const [tools, modules, module, out] = process.argv.slice(2).map((each) => path.resolve(each));
const folder = path.dirname(fileURLToPath(import.meta.url));
const {buildSync} = createRequire(path.join(tools, 'x.js'))('esbuild');

mkdirSync(out, {recursive: true});
buildSync({
  entryPoints: [path.join(folder, 'page.mjs')], outfile: path.join(out, 'page.js'), bundle: true, minify: true, format: 'esm',
  target: 'es2022', platform: 'browser', nodePaths: [modules], legalComments: 'none', logLevel: 'warning',
  alias: {'dynolith/browser': path.join(folder, '../browser.mjs')},
});
copyFileSync(path.join(folder, 'page.html'), path.join(out, 'index.html'));
copyFileSync(path.join(folder, 'page.css'), path.join(out, 'page.css'));
copyFileSync(module, path.join(out, 'dynolith.wasm'));
