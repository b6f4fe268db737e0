// Small things that several views have.
import { useEffect, useRef, useState } from "preact/hooks";
import { LANGUAGES } from "./snippets.js";

export const Problem = ({ of }) => <div role="alert" class={of ? "problem" : ""}>{of && <>{of.kind && <b>{of.kind}: </b>}{of.message}</>}</div>;

/** A window above the page, closed by Escape. */
export function Dialog({ label, class: name, onClose, children }) {
  const dialog = useRef();
  useEffect(() => { dialog.current.showModal(); }, []);
  return <dialog ref={dialog} class={name} aria-label={label} onCancel={(event) => { event.preventDefault(); onClose(); }}>{children}</dialog>;
}

/** Asks before something is lost. */
export const Confirm = ({ text, action, onYes, onNo }) => <Dialog label={action} onClose={onNo}>
  <p>{text}</p><div class="bar end"><button type="button" onClick={onNo}>Cancel</button><button type="button" class="main" onClick={onYes}>{action}</button></div>
</Dialog>;

export const Text = ({ label, value, onChange, ...others }) => <label>{label}
  <input value={value} spellcheck={false} autocomplete="off" onInput={(event) => onChange(event.target.value)} {...others} /></label>;

const END = 10;
const START_MAX = 200;

/** A text that is cut in its middle where it is too long: sort keys differ at their ends. */
export function Middle({ text }) {
  let at = Math.max(0, text.length - END);
  if (/[\udc00-\udfff]/.test(text[at] ?? "")) at -= 1;  // not within a character
  const start = text.slice(0, at);
  return <span class="middle"><span class="start">{start.length > START_MAX ? `${start.slice(0, START_MAX)}…` : start}</span><span class="end">{text.slice(at)}</span></span>;
}

/** Copies a call as a program would make it. */
export function Snippets({ calls }) {
  const [said, setSaid] = useState("");
  async function copy(event) {
    const make = LANGUAGES[event.target.value];
    event.target.value = "";
    if (!make || calls.length === 0) return;
    const text = calls.map(([operation, request]) => make(operation, request)).join("\n");
    try {
      await navigator.clipboard.writeText(text);
      setSaid("copied");
    } catch {
      setSaid(text);  // a browser that gives no clipboard
    }
  }
  return <span class="snippets"><select aria-label="Copy as" onChange={copy}><option value="">Copy as…</option>
    {Object.keys(LANGUAGES).map((name) => <option key={name}>{name}</option>)}</select> <span role="status" class="soft">{said}</span></span>;
}

/** Work that can fail: [run, problem, isBusy]. */
export function useWork() {
  const [problem, setProblem] = useState(null), [isBusy, setBusy] = useState(false);
  const run = async (work) => {
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (wrong) {
      if (wrong.name !== "AbortError") setProblem(wrong);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return [run, problem, isBusy];
}
