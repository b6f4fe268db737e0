"use strict";
// What a server does now: one view, which draws itself into an element with plots.js and live_figures.js and asks the admin
// endpoint of its own server every other second, as long as it is seen. Opening it switches on what it needs to be told.
//
// Times are the server's: a clock that is moved by hand stands still here, too.

const PERIOD = 2000;  // milliseconds between two looks
const RENEWAL = 20000;  // between two requests to go on recording, which last for a minute
const STEADY = 3;  // looks for which something else must be the busiest before it is shown
const REASON_STYLES = { provisioned: ["--c6", [8, 4]], key_range: ["--c4", [2, 3]], max_on_demand: ["--c3", [12, 3, 2, 3]],
                        account: ["--c5", [4, 4]] };

// --- the view

// Draws into `root` until what it returns is called.
function openLiveView(root) {
  const state = { resource: undefined, metric: 0, bucket: undefined, paused: false, follows: true };
  const pace = new Pace();
  let busier = { name: undefined, looks: 0 }, totals, before, seen, seconds = 1, history = new HeatHistory(), renewed = 0, timer, busy = false, again = false, keys, report;

  const status = element("p", { class: "soft", id: "state" }, "Asking the server …");
  const trouble = element("p", { class: "warning", role: "alert", hidden: "" });
  const tables = element("div"), calls = element("div"), details = element("div"), hot = element("section"), partitions = element("div");
  const place = element("p", { "aria-live": "polite" });
  const pause = element("button", { type: "button", "aria-pressed": "false", on: { click: () => {
    state.paused = !state.paused;
    pause.setAttribute("aria-pressed", String(state.paused));
    look();
  } } }, "Pause");
  const follow = element("button", { type: "button", "aria-pressed": "true", on: { click: () => { setFollowing(!state.follows); look(); } } }, "Follow the busiest");
  const metrics = Object.keys(METRICS);
  const which = element("select", { on: { change: (event) => pick(event.target.value) } });
  const choices = element("nav", { class: "choices", "aria-label": "What is shown" },
    element("label", {}, "Table or index", which),
    chooser("Heat map of", metrics.map((metric) => METRICS[metric]), 0, (metric) => { state.metric = metric; drawDetails(); }), follow, pause);
  root.replaceChildren(
    element("header", {}, element("h1", {}, "Dynolith, live"), element("a", { href: DATABASE ? consoleAddress("tables") : "/_dynolith/" }, "Console"),
      ...DATABASE ? [element("p", { class: "soft" }, `database ${DATABASE}`)] : [], status), trouble,
    element("h2", {}, "Tables and indexes"), tables, choices, details,
    element("h2", {}, "Calls"), calls,
    element("footer", {}, `Times are those of the server's clock, in UTC. Heat is recorded, and hot keys are watched, while this page ` +
      "is open and for a minute longer; ten minutes are remembered."));

  // --- what is chosen

  const heading = element("h2"), title = element("span"), inConsole = element("a"), empty = element("p", { class: "soft" }, "Waiting for the first figures …");
  let map, loads, units, throttles;
  heading.append(title, " ", inConsole);

  // What a person chooses stays, and stands in the address; what is followed does not.
  function setFollowing(isOn) {
    state.follows = isOn;
    follow.setAttribute("aria-pressed", String(isOn));
    window.history.replaceState(null, "", addressOf(isOn ? undefined : state.resource));
  }
  function pick(name) {
    choose(name);
    setFollowing(false);
  }

  // The one to show now: the busiest, once it has been that for a while and clearly, so that two alike do not take turns.
  function busiest() {
    const [first] = pace.order(), current = pace.of(state.resource);
    if (!state.resource) return first;
    const isBusier = first !== undefined && first !== state.resource && pace.of(first) > 1.5 * current;
    busier = isBusier ? { name: first, looks: busier.name === first ? busier.looks + 1 : 1 } : { name: undefined, looks: 0 };
    // Who is reading here is not taken elsewhere.
    return busier.looks >= STEADY && !details.contains(document.activeElement) ? first : state.resource;
  }

  function choose(name) {
    state.resource = name;
    state.bucket = undefined;
    history = new HeatHistory();
    keys = report = map = undefined;
    renewed = 0;
    redraws = [];
    place.replaceChildren();
    details.replaceChildren(heading, empty);
    look();
  }

  function drawLines() {
    const times = history.whole(), options = { timeText: timeOf };
    const both = (value) => (slot) => value(slot.reads) + value(slot.writes);
    const refused = (reason) => both((use) => use.refused[reason]);
    const all = (use) => sum(Object.values(use.refused));
    const shown = [
      [{ label: "Served", values: history.rates(both((use) => use.operations)), color: "--c3" },
       { label: "Throttled", values: history.rates(both(all)), color: "--c6", dash: [8, 4] }],
      [{ label: "Read units", values: history.rates((slot) => slot.reads.units), color: "--c1" },
       { label: "Write units", values: history.rates((slot) => slot.writes.units), color: "--c2", dash: [10, 5] }],
      Object.keys(REASONS).map((reason) => ({ label: `By ${REASONS[reason]}`, values: history.rates(refused(reason)),
                                              color: REASON_STYLES[reason][0], dash: REASON_STYLES[reason][1] }))];
    if (map) {
      [loads, units, throttles].forEach((figure, i) => figure.update(times, shown[i]));
      return;
    }
    loads = lines("Accesses", "Of this table or index, a second; a batch has one for each item.", times, shown[0], "a second", options);
    units = lines("Capacity units", "Consumed, a second.", times, shown[1], "a second", options);
    throttles = lines("Throttled accesses", "By reason, a second.", times, shown[2], "a second", options);
  }

  function drawDetails() {
    if (!report || !keys || history.now === undefined) return;
    const of = totals.resources.get(state.resource);
    const ofTable = report.tables.find((one) => one.table === of.table);
    const throughput = ofTable?.throughputs.find((one) => (one.index ?? "") === of.index);
    const resource = { name: state.resource, heat: history.map(), ...partitionsOn(history, throughput) };
    drawLines();
    if (map) {
      map.update(resource, metrics[state.metric]);
    } else {
      const begin = () => history.begin;
      map = heatMap(resource, metrics[state.metric], showPlace, { timeText: (second) => timeOf(begin() + second) });
      details.replaceChildren(heading, map, element("h3", {}, "Hottest keys"), place, hot, loads, units, throttles,
        element("h3", {}, "Partitions and their buckets"), partitions);
      redraw();
    }
    drawHeading();
    refill(hot, () => hotKeys(keys, state.bucket, history.buckets));
    refill(partitions, () => capacityParts(ofTable, throughput, of.table));
  }

  function drawHeading() {
    const of = totals.resources.get(state.resource);
    title.textContent = state.resource;
    inConsole.textContent = "Items";
    inConsole.href = consoleAddress(`table/${encodeURIComponent(of.table)}/items`, of.index ? [["index", of.index]] : []);
  }

  // Who is reading a table is not disturbed.
  function refill(part, make) {
    if (!part.contains(document.activeElement)) part.replaceChildren(...make());
  }

  // Only the hot keys there; undefined: of everywhere.
  function showPlace(bucket) {
    state.bucket = bucket;
    place.replaceChildren(...bucket === undefined ? [] : [`Keys in part ${bucket + 1} of ${history.buckets} of the hashes. `,
      element("button", { type: "button", on: { click: () => showPlace(undefined) } }, "Show all")]);
    hot.replaceChildren(...hotKeys(keys, bucket, history.buckets));
  }

  function drawTables() {
    const names = [...totals.resources.keys()].sort();
    if (names.join() !== [...which.options].map((option) => option.value).join()) {
      which.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    }
    which.value = state.resource ?? "";
    const focused = tables.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    tables.replaceChildren(names.length > 0 ? overview(totals, before, seconds, state.resource, pick) :
      element("p", { class: "soft" }, "There are no tables yet."));
    if (focused) [...tables.querySelectorAll("button")].find((button) => button.dataset.name === focused)?.focus();
    choices.hidden = details.hidden = names.length === 0;
    refill(calls, () => [callTable(totals, before, seconds)]);
  }

  // --- looking

  async function lookAtTables() {
    const text = await ask("metrics");
    const at = performance.now();
    before = totals;
    seconds = seen === undefined ? 1 : (at - seen) / 1000;
    seen = at;
    totals = totalsOf(readMetrics(text));
    pace.add(totals, before, seconds);
    if (!totals.resources.has(state.resource)) state.resource = undefined;
    const wanted = placeInAddress();
    if (!state.resource && totals.resources.has(wanted)) pick(wanted);
    const next = state.follows || !state.resource ? busiest() : state.resource;
    if (next !== state.resource && next !== undefined) choose(next);
    drawTables();
  }

  async function lookAtResource(stands) {
    const of = totals.resources.get(state.resource);
    if (!of) return;
    const name = state.resource;
    if (Date.now() - renewed > RENEWAL) {
      await ask("heat", { table: of.table });
      renewed = Date.now();
    }
    const since = history.since();
    const [heat, hot, capacity] = await Promise.all([
      ask(`heat?${query(of)}${since === undefined ? "" : `&since=${since}`}`), ask(`hot-keys?${query(of)}`),
      ask(`capacity?table=${encodeURIComponent(of.table)}`)]);
    if (name !== state.resource) return;
    // It has ended while nobody was looking, or the server has begun anew.
    if (!heat.watched || heat.now < history.now) {
      history = new HeatHistory();
      renewed = 0;
      return;
    }
    history.add(heat);
    history.stands = stands;
    keys = hot;
    report = capacity;
    drawDetails();
  }

  // A table that was deleted meanwhile is gone at the next look.
  function forgetDeleted(problem) {
    if (problem.status !== 404) throw problem;
    renewed = 0;
  }

  async function look() {
    if (busy) {
      again = true;
      return;
    }
    again = false;
    clearTimeout(timer);
    if (document.hidden) return;
    if (state.paused) {
      status.textContent = "Paused.";
      return;
    }
    busy = true;
    try {
      const clock = await ask("clock");
      await lookAtTables();
      await lookAtResource(clock.mode === "manual").catch(forgetDeleted);
      status.textContent = `${location.host}, ${new Date(clock.now * 1000).toISOString().slice(0, 19).replace("T", " ")}` +
        (clock.mode === "manual" ? " by the server's clock, which is moved by hand" : "");
      trouble.hidden = true;
    } catch (problem) {
      const text = problem.status === undefined ? "The server does not answer; this page goes on when it does." : problem.message;
      if (trouble.dataset.text !== text) {
        trouble.dataset.text = text;
        trouble.replaceChildren(text, ...problem.status === 401 ? [" ", element("a", { href: consoleAddress("server") }, "Enter the token in the console")] : []);
      }
      trouble.hidden = false;
      renewed = 0;
    }
    busy = false;
    timer = setTimeout(look, again ? 0 : PERIOD);
  }

  const goTo = () => { if (totals?.resources.has(placeInAddress())) pick(placeInAddress()); };
  document.addEventListener("visibilitychange", look);
  window.addEventListener("hashchange", goTo);
  look();
  return () => {
    clearTimeout(timer);
    state.paused = true;
    document.removeEventListener("visibilitychange", look);
    window.removeEventListener("hashchange", goTo);
  };
}

openLiveView(document.getElementById("view"));
