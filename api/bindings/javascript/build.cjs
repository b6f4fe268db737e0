// Compiles the addon with the machine's C compiler; `npm install` calls it. Downloads nothing.
'use strict';
const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

function headersOfNode() {
  const candidates = [path.resolve(path.dirname(process.execPath), '..', 'include', 'node'), '/usr/include/node',
    '/usr/include/nodejs/src'];
  try {
    candidates.unshift(require('node-api-headers').include_dir);
  } catch {
    // Then those that come with Node.js.
  }
  return candidates.find((folder) => fs.existsSync(path.join(folder, 'node_api.h')));
}

const node = headersOfNode();
const face = [path.resolve(__dirname, '../../include'), path.join(__dirname, 'include'), '/usr/local/include', '/usr/include']
    .find((folder) => fs.existsSync(path.join(folder, 'dynolith', 'dynolith.h')));
if (!node) throw new Error('node_api.h was not found: npm install node-api-headers');
if (!face) throw new Error('dynolith/dynolith.h was not found');
fs.mkdirSync(path.join(__dirname, 'build'), {recursive: true});
execFileSync(process.env.CC || 'cc', ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-fPIC', '-shared', '-fvisibility=hidden',
  '-DNODE_GYP_MODULE_NAME=dynolith', '-DNAPI_VERSION=8', `-I${node}`, `-I${face}`,
  `-I${path.dirname(__dirname)}`, `-I${path.join(__dirname, 'include')}`, path.join(__dirname, 'addon.c'), '-ldl',
  '-o', path.join(__dirname, 'build', 'dynolith.node')], {stdio: 'inherit'});
