// Figures and values as a person reads them. The same forms as in the terminal.

export const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

export function duration(seconds) {
  if (seconds < 0.9995) return seconds >= 0.001 ? `${Math.round(seconds * 1000)} ms` : "<1 ms";
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function money(cost, unpriced) {
  if (cost === null) return `cost unknown (${count(unpriced, "call")})`;
  const digits = !cost || cost >= 0.995 ? 2 : 4;
  const spent = !cost || cost >= 0.00005 ? `$${cost.toFixed(digits)}` : "<$0.0001";
  return unpriced ? `${spent} and ${count(unpriced, "call")} of unknown cost` : spent;
}

export const value = (given) => (typeof given === "string" ? given : JSON.stringify(given));

// A value as `key: value` shows it: text in quotes, so that "true" and true differ.
export const shown = (given) => JSON.stringify(given);

export function shorten(text, most) {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).trimEnd()}…`;
}

export const when = (seconds) =>
  new Date(seconds * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

export function day(iso, now = new Date()) {
  const then = new Date(iso);
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (then >= start) return "Today";
  start.setDate(start.getDate() - 1);
  return then >= start ? "Yesterday" : "Earlier";
}

// Offsets of events count characters; strings here count halves of some of them.
export function toUnits(text, offset) {
  let units = 0;
  for (let seen = 0; seen < offset && units < text.length; seen += 1) {
    units += text.codePointAt(units) > 0xffff ? 2 : 1;
  }
  return units;
}

export function points(text) {
  let found = 0;
  for (const _ of text) found += 1;
  return found;
}
