// The live page of a server.
import { render } from "preact";
import { Live } from "./live.jsx";
import "../../shared/style.css";
import "../live.css";

const view = document.getElementById("view");
view.replaceChildren();
render(<Live />, view);
