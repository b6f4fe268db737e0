// The heat map of a table or an index, with a place in it that is moved by mouse or keyboard.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Choice, numbered } from "./choice.jsx";
import { METRICS, amount, heatCells, heatColor, heatPicture } from "./heat.js";
import { bytes, clock, number, percent } from "./numbers.js";
import { useRedraw } from "./redraw.js";

const WIDTH = 1040, HEIGHT = 340;
const SCALE = 160;
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const within = (value, count) => Math.max(0, Math.min(count - 1, value));

function drawPartitions(context, { boundaries, splits }, seconds, width, height) {
  const line = (second, position) => {
    context.beginPath();
    context.moveTo(second / seconds * width, position * height);
    context.lineTo(width, position * height);
    context.stroke();
  };
  context.strokeStyle = "#ffffff80";
  context.lineWidth = 1;
  for (const position of boundaries ?? []) line(0, position);
  context.strokeStyle = "#ffffff";
  context.lineWidth = 1.5;
  context.setLineDash([6, 3]);
  for (const split of splits) line(split.second, split.position);
  context.setLineDash([]);
}

function drawMap(canvas, resource, counted, cursor) {
  const width = canvas.width = canvas.clientWidth || WIDTH, height = canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(heatPicture(counted, width, height), 0, 0, width, height);
  drawPartitions(context, resource, counted.slots * resource.heat.slot_seconds, width, height);
  if (!cursor.isShown) return;
  context.strokeStyle = "#ff3b30";
  context.strokeRect(cursor.slot / counted.slots * width, cursor.bucket / counted.buckets * height,
    Math.max(4, width / counted.slots), Math.max(4, height / counted.buckets));
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
function useReadout(canvas, cursor, text) {
  const said = useRef({ text: "" });
  const isFocused = canvas.current !== undefined && canvas.current === document.activeElement;
  if (cursor.isShown && (said.current.chosen !== cursor.chosen || !isFocused)) said.current = { chosen: cursor.chosen, text };
  return said.current.text;
}

function placeText({ heat }, metric, counted, { slot, bucket }, timeText) {
  const from = slot * heat.slot_seconds, value = counted.cells[slot * counted.buckets + bucket];
  return `${timeText(from)} to ${timeText(from + heat.slot_seconds)}, keys ${percent(bucket / counted.buckets)} to ` +
    `${percent((bucket + 1) / counted.buckets)} of the hashes: ${amount(metric, value / heat.slot_seconds)} a second`;
}

const Caption = ({ resource, counted }) => <figcaption>
  {`Time runs to the right over ${clock(counted.slots * resource.heat.slot_seconds)}, the hashes of partition keys downwards, in ` +
    `${counted.buckets} parts; the scale is logarithmic. ` + (resource.boundaries?.length > 0 ? "Thin lines are between partitions. " : "") +
    "A dashed line begins where a partition is split. A click, or Enter, shows the keys of a place."}</figcaption>;

function Picture({ resource, metric, counted, onChoose, timeText }) {
  const canvas = useRef(), [cursor, moveTo] = useCursor(counted);
  const draw = () => drawMap(canvas.current, resource, counted, cursor);
  useRedraw(draw);
  useLayoutEffect(draw);
  const point = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const slot = within(Math.floor((event.clientX - box.left) / box.width * counted.slots), counted.slots);
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
  const said = useReadout(canvas, cursor, placeText(resource, metric, counted, cursor, timeText));
  const most = counted.most / resource.heat.slot_seconds;
  return <><canvas ref={canvas} tabIndex={0} role="application" onMouseMove={point} onClick={(event) => onChoose(point(event))} onFocus={() => moveTo(cursor.slot, cursor.bucket)} onKeyDown={onKey}
      aria-label={`Heat map of ${METRICS[metric]}. Arrow keys move over time and keys, Enter shows the keys of a place.`} />
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
 * splits: [{ second, position }] }, positions as parts of the hashes; where partitions are known, { boundaries: [position] }
 * of those that were there before. `onChoose` is told the number of a bucket whose keys are wanted. `timeText` says the name
 * of a second since the first slot began.
 */
export function HeatMap({ resource, metric, onChoose, timeText = clock }) {
  const counted = useMemo(() => heatCells(resource.heat, metric), [resource.heat, metric]);
  return <figure class="heat"><h3>{`Heat map of ${resource.name}: ${METRICS[metric]}`}</h3>
    {counted.most === 0 ? <p class="soft">No {METRICS[metric]} in this time.</p> : <Picture resource={resource} metric={metric} counted={counted} onChoose={onChoose} timeText={timeText} />}</figure>;
}
