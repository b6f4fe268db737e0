// One command of the lab, away from the page, which stays usable and can end it. Gets {module, words, files}; says {said} for what
// is printed, and {exitCode, written} or {problem} at the end.
import { runLab } from "../../../../api/bindings/javascript/lab.cjs";

// Of the line in which progress is shown.
const COLUMNS = 100;

onmessage = ({ data: { module, words, files } }) => {
  const decoder = new TextDecoder();
  try {
    postMessage(runLab(module, words, { files, columns: [0, COLUMNS],
      print: (descriptor, bytes) => postMessage({ said: descriptor, text: decoder.decode(bytes) }) }));
  } catch (problem) {
    postMessage({ problem: problem.message });
  }
};
