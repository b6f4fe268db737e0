// The tabs of the page, and how they and the address behind "#" follow each other.
import { useEffect, useRef, useState } from "preact/hooks";
import { newForm, readPlace, writePlace } from "./place.js";
import { getSettings, setSettings } from "./server.js";

const PATIENCE = 300;  // milliseconds until what is typed is in the address: browsers limit how often it changes

let lastTab = 0;
const newTab = (table, { part = "items", form } = {}) => ({ id: ++lastTab, table, part, form: form ?? newForm(table), visit: 0 });
const isFixed = (at) => at === "tables" || at === "server";
const pathOf = (address) => address.split("?")[0];

// What the page begins with. A database that an address names is shown; without an address it is the one of before.
function begin() {
  const place = readPlace(location.hash);
  if (!place) return { tabs: [], at: "tables" };
  setSettings({ database: place.database });
  if (place.view !== "table") return { tabs: [], at: place.view };
  const tab = newTab(place.table, place);
  return { tabs: [tab], at: tab.id };
}

/** `onDatabase` is called when the address has led to another database. */
export function useTabs(onDatabase) {
  const [{ tabs, at }, set] = useState(begin), timer = useRef(), led = useRef(location.hash);
  const tab = tabs.find((each) => each.id === at), database = getSettings().database;
  const address = writePlace({ ...(tab ? { view: "table", ...tab } : { view: at }), database });

  // Another page is a step that the browser's "back" takes back; another form of the same one is not, nor is a better spelling of
  // the address that led here.
  useEffect(() => {
    clearTimeout(timer.current);
    const isStep = location.hash !== "" && location.hash !== led.current && pathOf(address) !== pathOf(location.hash), state = { tab: at };
    led.current = null;
    if (address === location.hash) return;
    if (isStep) history.pushState(state, "", address);
    else if (pathOf(address) !== pathOf(location.hash)) history.replaceState(state, "", address);
    else timer.current = setTimeout(() => history.replaceState(state, "", address), PATIENCE);
  });

  const goTo = (place, id) => set((before) => {
    if (place.view !== "table") return { ...before, at: place.view };
    const ofTable = before.tabs.filter((each) => each.table === place.table), there = ofTable.find((each) => each.id === id) ?? ofTable[0];
    if (!there) { const made = newTab(place.table, place); return { tabs: [...before.tabs, made], at: made.id }; }
    // What is asked for in another way is read again.
    const isSame = place.part !== "items" || JSON.stringify(place.form) === JSON.stringify(there.form);
    const now = { ...there, part: place.part, ...(!isSame && { form: place.form, visit: there.visit + 1 }) };
    return { tabs: before.tabs.map((each) => each === there ? now : each), at: there.id };
  });
  useEffect(() => {
    const onMove = (event) => {
      const place = readPlace(location.hash);
      if (!place) return;
      led.current = location.hash;
      if (place.database !== getSettings().database) {
        setSettings({ database: place.database });
        set({ tabs: [], at: "tables" });
        onDatabase();
      }
      goTo(place, event.state?.tab);
    };
    addEventListener("popstate", onMove);
    return () => removeEventListener("popstate", onMove);
  }, []);

  const open = (table, what) => { const made = newTab(table, what); set((before) => ({ tabs: [...before.tabs, made], at: made.id })); };
  const show = (table, part) => {
    const there = tabs.find((each) => each.table === table);
    if (!there) { open(table, { part }); return; }
    set({ tabs: tabs.map((each) => each === there && part ? { ...each, part } : each), at: there.id });
  };
  const close = (id) => set((before) => {
    const i = before.tabs.findIndex((each) => each.id === id), left = before.tabs.filter((each) => each.id !== id);
    return { tabs: left, at: id === before.at ? left[Math.min(i, left.length - 1)]?.id ?? "tables" : before.at };
  });
  const change = (id, what) => set((before) => ({ ...before, tabs: before.tabs.map((each) => each.id === id ? { ...each, ...what } : each) }));
  const changeForm = (id, what) => set((before) => ({ ...before, tabs: before.tabs.map((each) => each.id === id ? { ...each, form: { ...each.form, ...what } } : each) }));
  const setAt = (next) => set((before) => ({ ...before, at: next }));
  const step = (by) => { const all = ["tables", "server", ...tabs.map((each) => each.id)]; setAt(all[(all.indexOf(at) + by + all.length) % all.length]); };
  const clear = () => set((before) => ({ tabs: [], at: isFixed(before.at) ? before.at : "tables" }));
  return { tabs, at, tab, open, show, close, change, changeForm, setAt, step, clear };
}
