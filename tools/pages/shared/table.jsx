// Tables of figures.

const WORDS_MIN = 20;  // characters of a cell that may be broken into lines
const CARDS_MIN = 5;  // columns for which a telephone is too narrow

const kindOf = (cell) => typeof cell !== "string" ? "left" : cell.length > WORDS_MIN ? "words" : undefined;

/**
 * The first cell of each row is its heading. `keys`: what tells rows apart, by default their order; `current`: the row that is shown.
 * Roles are said because narrow windows show rows as cards, which browsers do not take for a table.
 */
export const Table = ({ caption, heads, rows, keys, current }) => <div class={heads.length >= CARDS_MIN ? "scroll cards" : "scroll"} tabIndex={0} role="region" aria-label={caption}><table role="table">
  <caption>{caption}</caption>
  <thead role="rowgroup"><tr role="row">{heads.map((head, i) => head === "" ? <td key={i} role="cell" /> : <th key={i} role="columnheader" scope="col">{head}</th>)}</tr></thead>
  <tbody role="rowgroup">{rows.map(([name, ...cells], i) => <tr key={keys?.[i] ?? i} role="row" aria-current={current === i ? "true" : undefined}>
    <th role="rowheader" scope="row" class={kindOf(name)}>{name}</th>
    {cells.map((cell, column) => <td key={column} role="cell" class={kindOf(cell)} data-head={heads[column + 1]}>{cell}</td>)}</tr>)}</tbody></table></div>;

/** A figure as a part of the largest one, for the eyes only. `least`: as much of it is certain; the rest is hatched. */
export const Strip = ({ value, least = value, most }) => <span class="strip" aria-hidden="true">
  <span class="likely" style={`width: ${value / most * 100}%`} /><span style={`width: ${least / most * 100}%`} /></span>;
