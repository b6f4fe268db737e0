// What a design did, from the lab's JSON (tools/lab/report/result_json.h).
import { clock, money, sum } from "../../shared/numbers.js";

export const nameOf = (design) => design.name || "this design";
export const secondsOf = (design) => design.simulated_seconds || 1;
export const served = (design) => sum(design.accesses.map((access) => sum(access.served)));
export const operations = (design) => sum(design.accesses.map((access) => sum(access.operations)));
export const throttled = (design) => sum(design.accesses.map((access) => sum(access.throttled)));
export const reasons = (design) => design.verdict.filter(({ limit }) => limit).map(({ limit, resource, access }) => `${limit} of ${resource} (${access}s)`);
export const cost = (design, kind) => sum(design.resources.map((resource) => resource.month[kind] + resource.month.storage));
/** With storage, of the term that costs least; nothing if none pays. */
export function reservedCost({ reserved, resources }) {
  const months = reserved.filter((one) => !one.billed && one.units_month !== undefined).sort((a, b) => a.units_month - b.units_month);
  return months.length === 0 ? "–" : `${money(months[0].units_month + sum(resources.map(({ month }) => month.storage)))}, ${months[0].term}`;
}
export const hottest = (design) => design.resources.flatMap((resource) => resource.hottest.slice(0, 1)).sort((a, b) => b.heat - a.heat)[0];
export const isEven = (design) => design.resources.some((resource) => resource.even);

/** How many operations a request has become. */
export function amplification(access) {
  const asked = sum(access.requests) - sum(access.absorbed);
  return asked > 0 ? sum(access.operations) / asked : 0;
}

/** Where its verdict leads: the number of the table or index that it names first. */
export function placeOf({ verdict, resources }) {
  const name = verdict.find((one) => one.resource)?.resource;
  return Math.max(0, resources.findIndex((one) => one.name === name));
}

/** Which design is shown first: the first of which something was throttled, else the first one. */
export const firstToSee = (designs) => Math.max(0, designs.findIndex(({ verdict }) => verdict.some(({ limit }) => limit)));

/** Figures over time: the seconds at which intervals begin, and what they have a second. */
export const timesOf = (design, count) => Array.from({ length: count }, (_, i) => i * design.interval_seconds);
export const rateOf = (design, list) => list.map((value) => value / design.interval_seconds);
export const added = (lists) => lists.length === 0 ? [] : lists[0].map((_, i) => sum(lists.map((list) => list[i])));
/** What plots of it share (`time` of shared/plot.jsx). */
export const timeOf = (design) => ({ begin: 0, end: secondsOf(design), text: clock });
