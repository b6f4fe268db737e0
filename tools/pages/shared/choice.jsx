// A choice of one of several.

/** Options of names, each with its number as its value. */
export const numbered = (names) => names.map((name, i) => [i, name]);

/** `options` are [value, text]; `onChange` is told the value as a text. */
export const Choice = ({ label, value, options, onChange, isHidden }) => {
  const select = <select aria-label={isHidden ? label : undefined} value={value} onChange={(event) => onChange(event.target.value)}>
    {options.map(([each, text]) => <option key={each} value={each}>{text}</option>)}</select>;
  return isHidden ? select : <label>{label}{select}</label>;
};
