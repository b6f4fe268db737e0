// Rows that are drawn only where they are seen, so that 100,000 are as quick as ten. Arrow keys move, Enter opens.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { brief, own, typeOf } from "./values.js";

const ROW = 28;  // pixels, as in console.css
const BESIDE = 8;  // rows that are drawn above and below what is seen
// The tallest element that all browsers draw; more rows are reached by scrolling in coarser steps.
const TALLEST = 8_000_000;

/** columns: names; keys: how many of them are key attributes. */
export function Grid({ label, items, columns, keys, onOpen, onDelete, onMore }) {
  const scroller = useRef(), [view, setView] = useState({ top: 0, height: 400 }), [at, setAt] = useState({ row: 0, column: 0 });
  const held = useRef(false);
  const height = Math.min(items.length * ROW, TALLEST), scale = items.length > 0 ? height / (items.length * ROW) : 1;

  useLayoutEffect(() => {
    const element = scroller.current;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => { element.removeEventListener("scroll", look); observer.disconnect(); };
  }, []);

  const first = Math.max(0, Math.floor(view.top / scale / ROW) - BESIDE);
  const last = Math.min(items.length, first + Math.ceil(view.height / ROW) + 2 * BESIDE);
  const shown = Math.max(1, Math.floor(view.height / ROW) - 2);
  // Where the drawn rows begin, so that the first one that is seen stays where it was scrolled to.
  const offset = view.top - (view.top / scale - first * ROW);

  function move(row, column) {
    row = Math.max(0, Math.min(items.length - 1, row));
    column = Math.max(0, Math.min(columns.length - 1, column));
    const element = scroller.current, top = row * ROW * scale;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + 2 * ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + 2 * ROW - element.clientHeight;
    held.current = true;
    // The row has to be drawn before it can be focused.
    setView({ top: element.scrollTop, height: element.clientHeight });
    setAt({ row, column });
    if (row >= items.length - 1) onMore?.();
  }
  useLayoutEffect(() => {
    if (!held.current) return;
    held.current = false;
    scroller.current.querySelector('[tabindex="0"]')?.focus({ preventScroll: false });
  });
  useEffect(() => setAt((before) => ({ row: Math.min(before.row, Math.max(0, items.length - 1)), column: before.column })), [items]);

  function onKeyDown(event) {
    const { row, column } = at;
    const targets = { ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageDown: [row + shown, column], PageUp: [row - shown, column], Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? items.length - 1 : row, columns.length - 1] };
    if (targets[event.key]) move(...targets[event.key]);
    else if (event.key === "Enter") onOpen(row);
    else if (event.key === "Delete") onDelete(row);
    else return;
    event.preventDefault();
  }

  const rows = [];
  for (let i = first; i < last; i += 1) {
    rows.push(<div role="row" key={i} aria-rowindex={i + 2} class={`row${i === at.row ? " here" : ""}`} onDblClick={() => onOpen(i)}>
      {columns.map((name, j) => {
        const value = own(items[i], name), here = i === at.row && j === at.column;
        return <div role="gridcell" key={name} aria-colindex={j + 1} tabIndex={here ? 0 : -1} title={value && brief(value).slice(0, 400)}
          class={`cell${j < keys ? " key" : ""}${value ? ` type-${typeOf(value)}` : ""}`} onClick={() => move(i, j)}>
          {brief(value).slice(0, 120)}</div>;
      })}
    </div>);
  }
  return <div class="grid" role="grid" aria-label={label} aria-rowcount={items.length + 1} aria-colcount={columns.length} ref={scroller}
    onKeyDown={onKeyDown}>
    <div role="row" aria-rowindex={1} class="row head">
      {columns.map((name, j) => <div role="columnheader" key={name} aria-colindex={j + 1} class={`cell${j < keys ? " key" : ""}`}>{name}</div>)}
    </div>
    <div role="presentation" class="rows" style={{ height: `${height + ROW}px` }}>
      <div role="presentation" style={{ transform: `translateY(${offset}px)` }}>{rows}</div>
    </div>
  </div>;
}
