// A heat map as cells and colours: time to the right, hashes of partition keys downwards.
import { bytes, number } from "./numbers.js";

export const METRICS = { operations: "operations", bytes: "bytes", units: "capacity units", throttled: "throttled attempts" };
export const amount = (metric, value) => metric === "bytes" ? bytes(value) : `${number(value)} ${METRICS[metric]}`;

// Cividis in six steps: as readable without colours as with them.
const HEAT = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];

/** Of 0 to 1, as [red, green, blue]. */
export function heatColor(part) {
  const at = Math.min(HEAT.length - 1.001, part * (HEAT.length - 1)), i = Math.floor(at), rest = at - i;
  return HEAT[i].map((value, channel) => Math.round(value + (HEAT[i + 1][channel] - value) * rest));
}

/** All cells of a measure, slot by slot, and the most that one of them has. */
export function heatCells({ slots, buckets, cellsOf }, metric) {
  const cells = cellsOf(metric);
  return { slots, buckets, cells, most: cells.reduce((most, value) => Math.max(most, value), 0) };
}

/** A canvas with them. A pixel shows the most of what falls upon it, so that nothing hot is lost between two. */
export function heatPicture({ slots, buckets, cells, most }, width, height) {
  const columns = Math.min(slots, width), rows = Math.min(buckets, height / 2);
  const shown = new Float32Array(columns * rows);
  for (let i = 0; i < cells.length; ++i) {
    const column = Math.floor(Math.floor(i / buckets) * columns / slots);
    const at = Math.floor((i % buckets) * rows / buckets) * columns + column;
    if (cells[i] > shown[at]) shown[at] = cells[i];
  }
  const image = new ImageData(columns, rows);
  shown.forEach((value, i) => {
    const part = value > 0 ? 0.1 + 0.9 * Math.log1p(value) / Math.log1p(most) : 0;
    image.data.set([...heatColor(part), 255], i * 4);
  });
  const small = document.createElement("canvas");
  small.width = columns;
  small.height = rows;
  small.getContext("2d").putImageData(image, 0, 0);
  return small;
}
