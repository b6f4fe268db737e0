// The server that this page comes from: its admin endpoint (tools/manual/admin.md), and what the page's address names.
import { adminToken, inAddress } from "../../shared/admin_token.js";

/** Which of the server's databases is shown, from ?database= of the page's address; "": the first, which has no name. */
export const DATABASE = inAddress.get("database") ?? "";

export function consoleAddress(place, rest = []) {
  const members = [...rest, ...DATABASE ? [["database", DATABASE]] : []];
  return `/_dynolith/#/${place}` + (members.length > 0 ? `?${new URLSearchParams(members)}` : "");
}

/** What the endpoint answers. Errors have its words, and its status where it has answered. */
export async function ask(path, body) {
  const headers = { ...adminToken(), ...DATABASE && { "x-dynolith-database": DATABASE } };
  const response = await fetch(`/_dynolith/${path}`,
                               body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) {
    const problem = new Error(JSON.parse(text).error ?? text);
    problem.status = response.status;
    throw problem;
  }
  return response.headers.get("Content-Type") === "application/json" ? JSON.parse(text) : text;
}

/** The table or index that the page's address names behind "#": music/by-genre. */
export function placeInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** Writes it there; undefined: none. */
export const setPlaceInAddress = (name) => history.replaceState(null, "",
  name === undefined ? location.pathname + location.search : `#${name.split("/").map(encodeURIComponent).join("/")}`);
