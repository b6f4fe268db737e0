// Draws one result of the lab (its JSON: tools/lab/report/result_json.h), which report.html has unpacked.
import { render } from "preact";
import { Report } from "./report.jsx";
import "../../shared/style.css";

const { result } = window;
for (const { heat } of result.designs.flatMap((design) => design.resources)) heat.cellsOf = (metric) => heat[metric];
document.title = `${result.title || "An experiment"} – Dynolith lab`;
const page = document.getElementById("report");
page.replaceChildren();
render(<Report result={result} />, page);
