// What designs come to, in the lab's sentences.
import { nameOf } from "./designs.js";

// Of more designs only the first sentence of each.
const WHOLE_MAX = 4;

/** `onChoose` is told the number of a design. */
export const Verdict = ({ designs, onChoose }) => <section class="verdict" aria-label="Verdict">{designs.map((design, i) => <div key={i} class={design.verdict[0].kind}>
  {design.name && <button type="button" onClick={() => onChoose(i)}>{nameOf(design)}</button>}
  {design.verdict.slice(0, designs.length > WHOLE_MAX ? 1 : undefined).map(({ sentence }) => <p key={sentence}>{sentence}</p>)}</div>)}</section>;
