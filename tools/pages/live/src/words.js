// Times and keys as people read them.

/** 12:00:30 */
export const timeOf = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 19);

// An attribute value as a person writes it.
const valueText = (value) => "S" in value ? value.S : "N" in value ? value.N : "B" in value ? `base64 ${value.B}` : JSON.stringify(value);

/** artist = Ray */
export const keyText = (key) => Object.entries(key).map(([name, value]) => `${name} = ${valueText(value)}`).join(", ");
