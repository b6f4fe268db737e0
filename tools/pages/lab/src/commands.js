// Commands of the lab, each in a worker of its own.

async function unpacked(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// What a line of progress begins with, on a terminal.
const LINE_AGAIN = "\r\x1b[K";

export class Commands {
  static async ready() {
    const module = await WebAssembly.compile(await unpacked("module"));
    return new Commands(module, URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" })));
  }

  constructor(module, script) {
    Object.assign(this, { module, script });
  }

  /** Runs `dynolith lab WORDS…`: {exitCode, output, errors, written}; rejects with why the lab has ended. `onProgress` gets a line. */
  run(words, files = [], onProgress = () => {}) {
    this.stop();
    const worker = this.worker = new Worker(this.script);
    return new Promise((resolve, reject) => {
      this.end = reject;
      let output = "", errors = "";
      worker.onmessage = ({ data }) => {
        if (data.said === 1) {
          output += data.text;
        } else if (data.said === 2 && data.text.startsWith(LINE_AGAIN)) {
          onProgress(data.text.slice(LINE_AGAIN.length));
        } else if (data.said === 2) {
          errors += data.text;
        } else if (data.problem) {
          reject(new Error(data.problem));
        } else {
          resolve({ ...data, output, errors });
        }
      };
      worker.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
      worker.postMessage({ module: this.module, words, files });
    }).finally(() => worker.terminate());
  }

  stop() {
    this.worker?.terminate();
    this.end?.(new Error("stopped"));
  }
}

/** The words of a command line, as a shell has them: quotes hold spaces. */
export const wordsOf = (line) => [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));

/** [name, title] of each experiment in the text of `dynolith lab list`. */
export const listed = (text) => text.split("\n").slice(1).map((line) => /^(\S+) +(.*)$/.exec(line)).filter(Boolean).map(([, name, title]) => [name, title]);
