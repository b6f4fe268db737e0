// The heat map of a table or an index, with a place in it that is moved by mouse or keyboard.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Choice, numbered } from "./choice.jsx";
import { METRICS, amount, heatCells, heatColor, heatPicture } from "./heat.js";
import { bytes, number, percent } from "./numbers.js";
import { Plot, figureAxis, timeAxis, timeScale } from "./plot.jsx";

const SCALE = 160;
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
// More lines between partitions would hide what is between them.
const BOUNDARIES_MAX = 100;
const NAME_HEIGHT = 16;  // pixels

const within = (value, count) => Math.max(0, Math.min(count - 1, value));

// `x(second)` and `y(position)` are places on the canvas, `right` its last one.
function drawPartitions(context, { boundaries, splits }, x, y, right) {
  const line = (second, position) => {
    context.beginPath();
    context.moveTo(x(second), y(position));
    context.lineTo(right, y(position));
    context.stroke();
  };
  context.strokeStyle = "#ffffff80";
  context.lineWidth = 1;
  if (boundaries.length < BOUNDARIES_MAX) for (const position of boundaries) line(0, position);
  context.strokeStyle = "#ffffff";
  context.lineWidth = 1.5;
  context.setLineDash([6, 3]);
  for (const split of splits) line(split.second, split.position);
  context.setLineDash([]);
}

// The names of keys where they are, the most important ones first; what would cover another one is left out.
function drawNames(context, names, left, y, bottom, pixel) {
  const taken = [], height = NAME_HEIGHT * pixel;
  context.font = `${11 * pixel}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { position, text } of names) {
    // Beside its line, not upon it.
    const below = y(position) + height * 0.75, at = below + height / 2 < bottom ? below : y(position) - height * 0.75;
    if (taken.some((one) => Math.abs(one - at) < height)) continue;
    taken.push(at);
    context.fillStyle = "#000000b0";
    context.fillRect(left + 6 * pixel, at - height / 2, context.measureText(text).width + 8 * pixel, height);
    context.fillStyle = "#ffffff";
    context.fillText(text, left + 10 * pixel, at);
  }
}

function drawMap(plot, { heat, boundaries, splits }, counted, names, cursor) {
  const { ctx: context, bbox: { left, top, width, height } } = plot, begin = plot.data[0][0], pixel = devicePixelRatio;
  const x = (second) => plot.valToPos(begin + second, "x", true), y = (position) => plot.valToPos(position, "y", true);
  const whole = x(counted.slots * heat.slot_seconds) - left;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.imageSmoothingEnabled = false;
  context.drawImage(heatPicture(counted, Math.round(width), Math.round(height)), left, top, whole, height);
  drawPartitions(context, { boundaries, splits }, x, y, left + width);
  drawNames(context, names, left, y, top + height, pixel);
  if (cursor.isShown) {
    context.strokeStyle = "#ff3b30";
    context.lineWidth = 1.5 * pixel;
    context.strokeRect(x(cursor.slot * heat.slot_seconds), y(cursor.bucket / counted.buckets), Math.max(4, whole / counted.slots), Math.max(4, height / counted.buckets));
  }
  context.restore();
}

function Scale({ most }) {
  const canvas = useRef();
  useLayoutEffect(() => {
    const context = canvas.current.getContext("2d");
    for (let x = 0; x < SCALE; ++x) {
      context.fillStyle = `rgb(${heatColor(x / (SCALE - 1)).join(",")})`;
      context.fillRect(x, 0, 1, 1);
    }
  }, []);
  return <div class="scale">0<canvas ref={canvas} width={SCALE} height={1} aria-hidden="true" />{most} a second</div>;
}

// Where the cursor is; the place with the most is where a person wants to begin.
function useCursor(counted) {
  const [chosen, setChosen] = useState(null);
  const hottest = counted.cells.indexOf(counted.most);
  const { slot, bucket } = chosen ?? { slot: Math.floor(hottest / counted.buckets), bucket: hottest % counted.buckets };
  const place = (slot, bucket) => ({ slot: within(slot, counted.slots), bucket: within(bucket, counted.buckets) });
  return [{ ...place(slot, bucket), chosen, isShown: chosen !== null }, (slot, bucket) => setChosen(place(slot, bucket))];
}

// What is said of the place. New figures are not read out to who has the focus there.
function useReadout(isFocused, cursor, text) {
  const said = useRef({ text: "" });
  if (cursor.isShown && (said.current.chosen !== cursor.chosen || !isFocused)) said.current = { chosen: cursor.chosen, text };
  return said.current.text;
}

function placeText({ heat }, metric, counted, { slot, bucket }, time) {
  const from = time.begin + slot * heat.slot_seconds, value = counted.cells[slot * counted.buckets + bucket];
  return `${time.text(from)} to ${time.text(from + heat.slot_seconds)}, keys ${percent(bucket / counted.buckets)} to ` +
    `${percent((bucket + 1) / counted.buckets)} of the hashes: ${amount(metric, value / heat.slot_seconds)} a second`;
}

const Caption = ({ resource: { boundaries, splits }, counted }) => <figcaption>
  {`Time runs to the right; downwards the partition keys by their hashes, in ${counted.buckets} parts; the scale is logarithmic. ` +
    (boundaries.length > 0 && boundaries.length < BOUNDARIES_MAX ? "Thin lines are between partitions. " : "") +
    (splits.length > 0 ? "A dashed line begins where a partition is split. " : "") + "A click, or Enter, shows the keys of a place."}</figcaption>;

// The hash is like a figure that grows downwards.
const options = (paint, timeText) => (axis) => ({
  scales: { x: timeScale, y: { range: [0, 1], dir: -1 } },
  axes: [timeAxis(axis, timeText), { ...figureAxis(axis, percent), splits: QUARTERS }],
  cursor: { show: false }, legend: { show: false }, series: [{}, {}], hooks: { draw: [(plot) => paint.current(plot)] }
});

function Picture({ resource, metric, counted, names, onChoose, time, height }) {
  const [cursor, moveTo] = useCursor(counted), paint = useRef(), frame = useRef();
  paint.current = (plot) => drawMap(plot, resource, counted, names, cursor);
  // Other data is what has it drawn again.
  const data = useMemo(() => [[time.begin, time.end], [null, null]], [resource, counted, names, cursor.slot, cursor.bucket, cursor.isShown]);
  const point = (event) => {
    const box = event.currentTarget.querySelector(".u-over").getBoundingClientRect(), seconds = (event.clientX - box.left) / box.width * (time.end - time.begin);
    const slot = within(Math.floor(seconds / resource.heat.slot_seconds), counted.slots);
    const bucket = within(Math.floor((event.clientY - box.top) / box.height * counted.buckets), counted.buckets);
    moveTo(slot, bucket);
    return bucket;
  };
  const onKey = (event) => {
    if (event.key === "Enter") onChoose(cursor.bucket);
    if (!(event.key in MOVES)) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1, [right, down] = MOVES[event.key];
    moveTo(cursor.slot + right * step, cursor.bucket + down * step);
  };
  const isFocused = frame.current !== undefined && frame.current.contains(document.activeElement);
  const said = useReadout(isFocused, cursor, placeText(resource, metric, counted, cursor, time));
  const most = counted.most / resource.heat.slot_seconds;
  return <><div ref={frame}><Plot height={height} options={options(paint, time.text)} data={data} tabIndex={0} role="application" onMouseMove={point} onClick={(event) => onChoose(point(event))}
      onFocus={() => moveTo(cursor.slot, cursor.bucket)} onKeyDown={onKey} label={`Heat map of ${METRICS[metric]}. Arrow keys move over time and keys, Enter shows the keys of a place.`} /></div>
    <Scale most={metric === "bytes" ? bytes(most) : number(most)} />
    <output aria-live="polite">{said}</output>
    <Caption resource={resource} counted={counted} /></>;
}

/** Which measure is shown, of METRICS. */
export function MetricChoice({ metric, onChange }) {
  const names = Object.keys(METRICS);
  return <Choice label="Heat map of" value={names.indexOf(metric)} options={numbered(Object.values(METRICS))} onChange={(i) => onChange(names[i])} />;
}

/**
 * `resource`: { name, heat: { slot_seconds, buckets, slots, cellsOf(metric): [value, …], slot by slot, or [] if there is none },
 * boundaries: [position] of the partitions that were there before, splits: [{ second, position }] }, positions as parts of the
 * hashes. `names`: [{ position, text }] of keys that are worth it. `onChoose` is told the number of a bucket whose keys are wanted.
 * `time`: { begin, end, text } of the first slot, of the picture's end, and the name of a time.
 */
export function HeatMap({ resource, metric, names, onChoose, time, height = 320 }) {
  const counted = useMemo(() => heatCells(resource.heat, metric), [resource.heat, metric]);
  return <figure class="heat"><h3>{`Heat map of ${resource.name}: ${METRICS[metric]}`}</h3>
    {counted.most === 0 ? <p class="soft">No {METRICS[metric]} in this time.</p> : <Picture resource={resource} metric={metric} counted={counted} names={names} onChoose={onChoose} time={time} height={height} />}</figure>;
}
