// Asks for the token of the admin endpoint when a server refuses to answer without it.
import { useEffect, useState } from "preact/hooks";
import { setTokenAsker } from "./server.js";
import { Dialog } from "./parts.jsx";

export function AdminToken() {
  const [answer, setAnswer] = useState(null), [token, setToken] = useState("");
  // A function in a state is called unless it is wrapped.
  useEffect(() => setTokenAsker(() => new Promise((resolve) => { setToken(""); setAnswer({ resolve }); })), []);
  if (!answer) return null;
  const end = (given) => { setAnswer(null); answer.resolve(given); };
  return <Dialog label="Admin token" onClose={() => end(null)}><form onSubmit={(event) => { event.preventDefault(); end(token.trim() || null); }}>
    <h2>Admin token</h2><p>This server was started with <code>--admin-token FILE</code>: its clock, snapshots, databases and figures are for those who know the word in that file. It is kept until this browser tab is closed.</p>
    <div class="choices"><label class="wide">Token<input type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.target.value)} /></label></div>
    <div class="bar end"><button type="button" onClick={() => end(null)}>Cancel</button><button class="main">Use token</button></div></form></Dialog>;
}
