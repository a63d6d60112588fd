// Figures and values as a person reads them. The same forms as in the terminal.

import { isTranslated, locale, t } from "../language/t";

// Things by their English noun, which has no irregular plural.
export function count(number: number, noun: string): string {
  const shown = number.toLocaleString("en");
  return isTranslated(`{0} ${noun}`) ? t(`{0} ${noun}`, shown) : `${shown} ${noun}${number === 1 ? "" : "s"}`;
}

export function duration(seconds: number): string {
  if (seconds < 0.9995) return seconds >= 0.001 ? t("{0} ms", Math.round(seconds * 1000)) : "<1 ms";
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return t("{0} min {1} s", Math.floor(whole / 60), whole % 60);
}

export function dollars(cost: number): string {
  const digits = !cost || cost >= 0.995 ? 2 : 4;
  return !cost || cost >= 0.00005 ? `$${cost.toFixed(digits)}` : "<$0.0001";
}

export function money(cost: number | null, unpriced: number): string {
  if (cost === null) return t("cost unknown ({0})", count(unpriced, "call"));
  return unpriced ? t("{0} plus {1} of unknown cost", dollars(cost), count(unpriced, "call")) : dollars(cost);
}

export const asText = (given: unknown): string => (typeof given === "string" ? given : JSON.stringify(given));

export function shorten(text: string, most: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= most ? flat : `${flat.slice(0, most - 1).trimEnd()}…`;
}

export const when = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString(locale, {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });

export const shortDay = (iso: string): string =>
  new Date(iso).toLocaleString(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export function dayOf(iso: string, now = new Date()): string {
  const then = new Date(iso);
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (then >= start) return t("Today");
  start.setDate(start.getDate() - 1);
  if (then >= start) return t("Yesterday");
  start.setDate(start.getDate() - 6);
  return then >= start ? t("This week") : t("Earlier");
}

export const nameOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

// The last part of a path: where files lie on the server tells a reader of the page nothing.
export const fileOf = (path: string): string => path.split("/").at(-1) || path;

// Titles are the beginnings of questions, cut at 80 characters.
export const titled = (title: string): string => (title.length < 80 ? title || t("Untitled") : `${title.trimEnd()}…`);

// Offsets of events count characters; strings here count halves of some of them.
export function toUnits(text: string, offset: number): number {
  let units = 0;
  for (let seen = 0; seen < offset && units < text.length; seen += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

export function points(text: string): number {
  let found = 0;
  for (const _ of text) found += 1;
  return found;
}

// Characters that cannot be seen, or turn the order of what is read, are written out.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

export const exact = (text: string): string =>
  text.replace(HIDDEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

// Why a question went where it went. Rules name words of the department: those that the question has are told as it has
// them; others stand for what it says, or were said before it.
export function routeReason(reasoning: string, question: string): string {
  const named = /^By words: (.+)\.$/s.exec(reasoning)?.[1]?.split(", ");
  if (!named) return reasoning;
  const found = named.map((entry) => ({ entry, said: saidAs(entry, question) }));
  const said = found.flatMap((one) => one.said ?? []);
  const near = found.filter((one) => one.said === null).map((one) => one.entry);
  // The longest of what stands in one another: "orders" is in "purchase orders" already.
  const whole = [...new Set(said)].filter((one) => !said.some((other) => other !== one && other.includes(one)));
  return [
    whole.length ? t("The question mentions: {0}.", whole.join(", ")) : "",
    near.length ? t("Close to it, or mentioned before: {0}.", near.join(", ")) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

// The words in the question that begin as these do, side by side, or the very text; null where there is neither.
function saidAs(entry: string, question: string): string | null {
  const asked = question.toLowerCase();
  const tokens = asked.split(/[^\p{L}\p{N}-]+/u);
  const begins = entry.toLowerCase().split(" ");
  const stems = begins.map((word) => word.slice(0, Math.max(4, word.length - 3)));
  const at = tokens.findIndex((_, place) => stems.every((stem, more) => tokens[place + more]?.startsWith(stem)));
  if (at >= 0) return tokens.slice(at, at + stems.length).join(" ");
  return asked.includes(entry.toLowerCase()) ? entry.toLowerCase() : null;
}

// `it_ops_agent` is the department "IT ops".
export function department(destination: string): string {
  const [first = "", ...more] = destination.replace(/_agent$/, "").split("_");
  return [first.length < 4 ? first.toUpperCase() : nameOf(first), ...more].join(" ");
}

// About how long something takes, for what is only a guess.
export const roughly = (seconds: number): string =>
  seconds < 90 ? `about ${Math.max(10, Math.ceil(seconds / 10) * 10)} s` : `about ${Math.round(seconds / 60)} min`;
