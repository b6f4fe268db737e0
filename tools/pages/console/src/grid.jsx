// Rows that are drawn only where they are seen, so that 100,000 are as quick as ten. Arrow keys move, Enter opens an item or, in the
// head, sorts by a column; columns are made wider by their edges or by Shift and arrow keys.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { brief, own, typeOf } from "./values.js";
import { Middle } from "./parts.jsx";

const ROW = 28;  // pixels, as in console.css
const BESIDE = 8;  // rows that are drawn above and below what is seen
// The tallest element that all browsers draw; more rows are reached by scrolling in coarser steps.
const TALLEST = 8_000_000;
const WIDTH_MIN = 50, WIDTH_MAX = 1200, WIDTH_STEP = 20;
const LETTER = 7.6;  // pixels of most letters

const widthOf = (widths, name) => own(widths, name) ?? (innerWidth <= 700 ? 130 : 190);
// Ascending, descending, as read.
const nextOrder = (order, name) => order?.name !== name ? { name, isDescending: false } : order.isDescending ? null : { name, isDescending: true };

function Head({ name, number, isKey, order, width, isHere, onSort, onWidth, onFit, onFocus }) {
  const way = order?.name === name ? order.isDescending ? "descending" : "ascending" : "none", started = useRef(null);
  const drag = (event) => {
    if (event.type === "pointerdown") { started.current = event.clientX - width; event.currentTarget.setPointerCapture(event.pointerId); }
    if (event.type === "pointerup") started.current = null;
    if (started.current !== null && event.type !== "pointerup") onWidth(event.clientX - started.current);
    event.stopPropagation();
  };
  return <div role="columnheader" aria-colindex={number} aria-sort={way} tabIndex={isHere ? 0 : -1} title={`${name}: click to sort; drag the right edge to change the width`}
    class={`cell${isKey ? " key" : ""}`} style={{ width: `${width}px` }} onClick={() => { onFocus(); onSort(); }}>
    <span class="title">{name}</span><span class="way" aria-hidden="true">{{ ascending: "▲", descending: "▼", none: "" }[way]}</span>
    <span class="edge" aria-hidden="true" onPointerDown={drag} onPointerMove={drag} onPointerUp={drag} onClick={(event) => event.stopPropagation()} onDblClick={onFit} /></div>;
}

/** columns: names; keys: those of what is read; order: of the rows; widths: in pixels, by name. */
export function Grid({ label, items, columns, keys, order, widths, onOrder, onWidths, onOpen, onDelete, onMore }) {
  const scroller = useRef(), [view, setView] = useState({ top: 0, height: 400 }), [at, setAt] = useState({ row: 0, column: 0 });
  const held = useRef(false);
  const height = Math.min(items.length * ROW, TALLEST), scale = items.length > 0 ? height / (items.length * ROW) : 1;
  const sortKeys = keys.filter((key) => key.KeyType === "RANGE").map((key) => key.AttributeName);

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

  // Row -1 is the head.
  function move(row, column) {
    row = Math.max(-1, Math.min(items.length - 1, row));
    column = Math.max(0, Math.min(columns.length - 1, column));
    const element = scroller.current, top = row * ROW * scale;
    if (row >= 0 && top < element.scrollTop) element.scrollTop = top;
    if (top + 2 * ROW > element.scrollTop + element.clientHeight) element.scrollTop = top + 2 * ROW - element.clientHeight;
    held.current = true;
    // The row has to be drawn before it can be focused.
    setView({ top: element.scrollTop, height: element.clientHeight });
    setAt({ row, column });
    if (row >= 0 && row >= items.length - 1) onMore?.();
  }
  useLayoutEffect(() => {
    if (!held.current) return;
    held.current = false;
    scroller.current.querySelector('[tabindex="0"]')?.focus({ preventScroll: false });
  });
  useEffect(() => setAt((before) => ({ row: Math.min(before.row, items.length - 1), column: before.column })), [items]);

  const setWidth = (name, width) => onWidths({ ...widths, [name]: Math.round(Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, width))) });
  const fit = (name) => setWidth(name, Math.max(name.length + 3, ...items.slice(first, last).map((item) => brief(own(item, name)).length)) * LETTER + 20);

  function onHeadKey(event, name) {
    if (event.key === "Enter" || event.key === " ") onOrder(nextOrder(order, name));
    else if (event.shiftKey && event.key === "ArrowLeft") setWidth(name, widthOf(widths, name) - WIDTH_STEP);
    else if (event.shiftKey && event.key === "ArrowRight") setWidth(name, widthOf(widths, name) + WIDTH_STEP);
    else return false;
    held.current = true;
    return true;
  }
  function onKeyDown(event) {
    const { row, column } = at;
    const targets = { ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageDown: [row + shown, column], PageUp: [Math.max(0, row - shown), column], Home: [event.ctrlKey ? 0 : row, 0],
      End: [event.ctrlKey ? items.length - 1 : row, columns.length - 1] };
    if (row < 0 && onHeadKey(event, columns[column])) { event.preventDefault(); return; }
    if (targets[event.key]) move(...targets[event.key]);
    else if (event.key === "Enter" && row >= 0) onOpen(row);
    else if (event.key === "Delete" && row >= 0) onDelete(row);
    else return;
    event.preventDefault();
  }

  const cellOf = (i, name, j) => {
    const value = own(items[i], name), here = i === at.row && j === at.column, text = brief(value), type = value && typeOf(value);
    return <div role="gridcell" key={name} aria-colindex={j + 1} tabIndex={here ? 0 : -1} title={value && text.slice(0, 400)} style={{ width: `${widthOf(widths, name)}px` }}
      class={`cell${j < keys.length ? " key" : ""}${type ? ` type-${type}` : ""}`} onClick={() => move(i, j)}>
      {type === "S" && sortKeys.includes(name) ? <Middle text={text} /> : text.slice(0, 400)}</div>;
  };
  const rows = [];
  for (let i = first; i < last; i += 1) {
    rows.push(<div role="row" key={i} aria-rowindex={i + 2} class={`row${i === at.row ? " here" : ""}`} onDblClick={() => onOpen(i)}>
      {columns.map((name, j) => cellOf(i, name, j))}</div>);
  }
  return <div class="grid" role="grid" aria-label={label} aria-rowcount={items.length + 1} aria-colcount={columns.length} ref={scroller} onKeyDown={onKeyDown}>
    <div role="row" aria-rowindex={1} class="row head">
      {columns.map((name, j) => <Head key={name} name={name} number={j + 1} isKey={j < keys.length} order={order} width={widthOf(widths, name)} isHere={j === at.column && (at.row < 0 || items.length === 0)}
        onSort={() => onOrder(nextOrder(order, name))} onWidth={(width) => setWidth(name, width)} onFit={() => fit(name)} onFocus={() => move(-1, j)} />)}
    </div>
    <div role="presentation" class="rows" style={{ height: `${height + ROW}px` }}>
      <div role="presentation" style={{ transform: `translateY(${offset}px)` }}>{rows}</div>
    </div>
  </div>;
}
