'use strict';
// `dynolith lab` by the WebAssembly module (tools/portable): one command, in Node.js and in browsers; and, for
// `npx dynolith lab` where there is no native program, with this machine's files and terminal.
const {wasiOf} = require('./wasi.cjs');

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A new instance of the module: a command ends as a process does. */
class Command {
  #library;

  constructor(module, print) {
    const memory = () => this.#library.memory;
    const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: wasiOf(module, memory, print)});
    this.#library = exports;
    exports._initialize?.();
  }

  /** Places and sizes of bytes, as arguments. Nothing is freed: the instance ends soon. */
  #given(...texts) {
    return texts.flatMap((text) => {
      const bytes = typeof text === 'string' ? encoder.encode(text) : text;
      const place = this.#library.malloc(bytes.length + 1) >>> 0;
      if (!place) throw new Error('the module has no memory for this');
      new Uint8Array(this.#library.memory.buffer).set(bytes, place);
      return [place, bytes.length];
    });
  }

  run(words, files, columns) {
    const library = this.#library;
    for (const [name, text] of files) library.dynolith_lab_give(...this.#given(name, text));
    library.dynolith_lab_terminal(...columns);
    try {
      return library.dynolith_lab_run(...this.#given(words.map((word) => `${word}\0`).join('')));
    } catch (problem) {
      if (problem.exitCode !== undefined) return problem.exitCode;
      throw new Error(this.#textAt(library.dynolith_end_reason()) || problem.message, {cause: problem});
    }
  }

  /** [name, bytes] of each file that the command has written. */
  written() {
    const library = this.#library;
    return Array.from({length: library.dynolith_lab_written()}, (_, i) => {
      const place = library.dynolith_lab_written_text(i) >>> 0;
      return [this.#textAt(library.dynolith_lab_written_name(i)),
        new Uint8Array(library.memory.buffer).slice(place, place + library.dynolith_lab_written_bytes(i))];
    });
  }

  #textAt(returned) {
    const [place, bytes] = [returned >>> 0, new Uint8Array(this.#library.memory.buffer)];
    return decoder.decode(bytes.subarray(place, bytes.indexOf(0, place)));
  }
}

/**
 * Runs `dynolith lab WORDS…` to its end on this thread: {exitCode, written}, the files that it wrote as [name, bytes].
 *
 * module   a WebAssembly.Module
 * words    behind `lab`
 * files    [name, text or bytes] of each file that the words name
 * columns  how wide the terminals of what it prints are, of standard output and of standard error; 0: there is none
 * print    gets (1 or 2, bytes): standard output and standard error. With a terminal of the latter also the progress
 */
function runLab(module, words, {files = [], columns = [0, 0], print = () => {}} = {}) {
  const command = new Command(module, print);
  return {exitCode: command.run(['lab', ...words], files, columns), written: command.written()};
}

/** The files of this machine that words name, as --prices FILE and --prices=FILE do. */
function filesNamedBy(words) {
  const fs = require('node:fs');
  const names = new Set(words.map((word) => (word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word)));
  return [...names].flatMap((name) => {
    try {
      return name && fs.statSync(name).isFile() ? [[name, fs.readFileSync(name)]] : [];
    } catch (problem) {
      if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(problem.code)) return [];
      throw problem;
    }
  });
}

/** Returns why not, if a file cannot be written. */
function write(name, bytes) {
  const [fs, path] = [require('node:fs'), require('node:path')];
  try {
    fs.mkdirSync(path.dirname(name), {recursive: true});
    fs.writeFileSync(name, bytes);
    return undefined;
  } catch (problem) {
    return `cannot write ${name}: ${problem.message}`;
  }
}

/** The program; its exit code. */
function main(moduleFile, words) {
  const module = new WebAssembly.Module(require('node:fs').readFileSync(moduleFile));
  const streams = [undefined, process.stdout, process.stderr];
  const columns = streams.slice(1).map((stream) => (stream.isTTY ? stream.columns || 80 : 0));
  try {
    const {exitCode, written} = runLab(module, words, {files: filesNamedBy(words), columns,
      print: (descriptor, bytes) => streams[descriptor].write(bytes)});
    const problem = written.map(([name, bytes]) => write(name, bytes)).find(Boolean);
    if (!problem) return exitCode;
    console.error(`dynolith: ${problem}`);
  } catch (problem) {
    console.error(`dynolith: ${problem.message}`);
  }
  return 1;
}

module.exports = {main, runLab};
