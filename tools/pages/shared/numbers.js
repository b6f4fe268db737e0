// Numbers as people read them.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const threeDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

/** With three digits. */
export const precise = (value) => threeDigits.format(value);
export const number = (value) => Math.abs(value) >= 100 ? grouped.format(value) : precise(value);
/** Where there is little room: 2.5 M. */
export const short = (value) => Math.abs(value) >= 1e6 ? `${number(value / 1e6)} M` : number(value);
export const money = (value) => (Number.isFinite(value) ? number(Math.round(value * 100) / 100) : "unknown");
export const percent = (part) => (part > 0.9995 && part < 1 ? "99.9" : precise(part * 100)) + " %";
export const sum = (list) => list.reduce((total, value) => total + value, 0);

export function bytes(value) {
  const names = ["bytes", "KB", "MB", "GB", "TB"];
  let i = 0;
  for (; value >= 1024 && i + 1 < names.length; ++i) value /= 1024;
  return number(value) + " " + names[i];
}

/** Seconds since a beginning: 2:05 or 1:02:05. */
export function clock(seconds) {
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = Math.round(seconds % 60);
  const two = (value) => String(value).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
