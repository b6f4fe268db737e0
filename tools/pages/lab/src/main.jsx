// The lab in the browser: an experiment's text, the commands simulate and advise, and what comes of them.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Commands, listed, wordsOf } from "./commands.js";
import "../../shared/style.css";
import "../lab.css";

const FILE = "experiment.toml", REPORT = "report.html", FIRST = "05-celebrity";

/** A report is a page of its own, as high as it is. */
function Report({ page }) {
  const frame = useRef();
  const [address, setAddress] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [page]);
  const fit = () => {
    const { body } = frame.current.contentDocument;
    const observer = new ResizeObserver(() => { if (frame.current) frame.current.style.height = `${body.scrollHeight + 4}px`; });
    observer.observe(body);
  };
  return <section aria-label="Report"><p><a href={address} download={REPORT}>Save the report</a></p>
    <iframe class="report" ref={frame} title="Report" srcdoc={page} onLoad={fit} /></section>;
}

function Lab({ commands, experiments, first }) {
  const [name, setName] = useState(FIRST), [text, setText] = useState(first), [options, setOptions] = useState("");
  const [running, setRunning] = useState(""), [progress, setProgress] = useState(""), [result, setResult] = useState();
  const choose = async (chosen) => {
    setName(chosen);
    setText((await commands.run(["new", "--from", chosen])).output);
  };
  const run = async (command) => {
    setRunning(command);
    setResult(undefined);
    setProgress("");
    try {
      setResult(await commands.run([command, FILE, "--report", REPORT, ...wordsOf(options)], [[FILE, text]], setProgress));
    } catch (problem) {
      setResult({ errors: problem.message === "stopped" ? "Stopped: there is no result." : `The lab has ended: ${problem.message}` });
    }
    setRunning("");
  };
  const report = result?.written?.find(([file]) => file === REPORT);
  return <><h1>Dynolith lab</h1>
    <p>Experiments on hot partitions, sharding, capacity and what they cost. They are simulated in this page; nothing is sent anywhere.</p>
    <form class="bench" onSubmit={(event) => { event.preventDefault(); run("simulate"); }}>
      <label>Experiment<select id="experiment" value={name} disabled={!!running} onChange={(event) => choose(event.target.value)}>
        {experiments.map(([one, title]) => <option key={one} value={one}>{one}: {title}</option>)}</select></label>
      <label>Its text, which may be changed<textarea id="text" spellcheck={false} value={text} onInput={(event) => setText(event.target.value)} /></label>
      <div class="row"><label class="grows">Options, as on the command line<input id="options" value={options} placeholder="--seeds 20 --design &quot;10 shards&quot;; --help lists them" spellcheck={false}
        onInput={(event) => setOptions(event.target.value)} /></label>
        <button class="first" id="simulate" disabled={!!running}>Simulate</button>
        <button type="button" id="advise" disabled={!!running} onClick={() => run("advise")}>Advise</button>
        <button type="button" id="stop" disabled={!running} onClick={() => commands.stop()}>Stop</button></div>
    </form>
    <p id="state" role="status">{running ? progress || `${running === "advise" ? "Looking for the cheapest design" : "Simulating"} …` :
      result?.exitCode === undefined ? "" : report ? "Done." : ""}</p>
    {result?.errors && <pre class="said bad" id="errors">{result.errors}</pre>}
    {result?.output && (report ? <details><summary>As text</summary><pre class="said" id="output">{result.output}</pre></details> :
      <pre class="said" id="output">{result.output}</pre>)}
    {report && <Report page={new TextDecoder().decode(report[1])} />}
    <footer>The same text and seed give the same figures as the program <code>dynolith lab</code>.</footer></>;
}

const page = document.getElementById("lab");
try {
  const commands = await Commands.ready();
  const experiments = listed((await commands.run(["list"])).output);
  const first = (await commands.run(["new", "--from", FIRST])).output;
  page.replaceChildren();
  render(<Lab commands={commands} experiments={experiments} first={first} />, page);
} catch (problem) {
  document.getElementById("state").textContent = `The lab cannot run here: ${problem.message}`;
}
