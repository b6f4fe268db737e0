// Small things that several views have.
import { useEffect, useRef, useState } from "preact/hooks";
import { LANGUAGES } from "./snippets.js";

export const Problem = ({ of }) => <div role="alert" class={of ? "problem" : ""}>{of && <>{of.kind && <b>{of.kind}: </b>}{of.message}</>}</div>;

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

/** Asks before something is lost. */
export function Confirm({ text, action, onYes, onNo }) {
  const dialog = useRef();
  useEffect(() => { dialog.current.showModal(); }, []);
  return <dialog ref={dialog} aria-label={action} onCancel={(event) => { event.preventDefault(); onNo(); }}>
    <p>{text}</p><div class="bar end"><button type="button" onClick={onNo}>Cancel</button><button type="button" class="main" onClick={onYes}>{action}</button></div>
  </dialog>;
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
