// Tables of figures.

const WORDS_MIN = 40;  // characters of a cell that may be broken into lines
const STRIP_MAX = 160;  // pixels

const kindOf = (cell) => typeof cell !== "string" ? "left" : cell.length > WORDS_MIN ? "words" : undefined;

/** The first cell of each row is its heading. `keys`: what tells rows apart, by default their order; `current`: the row that is shown. */
export const Table = ({ caption, heads, rows, keys, current }) => <div class="scroll" tabIndex={0} role="region" aria-label={caption}><table>
  <caption>{caption}</caption>
  <thead><tr>{heads.map((head, i) => head === "" ? <td key={i} /> : <th key={i} scope="col">{head}</th>)}</tr></thead>
  <tbody>{rows.map(([name, ...cells], i) => <tr key={keys?.[i] ?? i} aria-current={current === i ? "true" : undefined}>
    <th scope="row" class={kindOf(name)}>{name}</th>
    {cells.map((cell, column) => <td key={column} class={kindOf(cell)}>{cell}</td>)}</tr>)}</tbody></table></div>;

/** A figure as a part of the largest one, for the eyes only. */
export const Strip = ({ value, most }) => <span class="strip" style={`width: ${Math.max(1, Math.round(value / most * STRIP_MAX))}px`} aria-hidden="true" />;
