// Where in an observation the value stands that a figure of an answer was found as. Pure.
//
// The same value often stands in several places: the words around the figure, and the other figures beside it, tell
// which one is meant. Where they do not, all that fit equally well are told.

import { cellText, isRecord, type Path, type Record_ } from "./cells";

export interface Wanted {
  // The figure as the answer has it, and as it stood in the observation.
  readonly text: string;
  readonly found: string;
  // What stands around it: words, and what the figures beside it were found as.
  readonly words: readonly string[];
  readonly beside: readonly string[];
  // Where it stands, as the server found it; empty where only the value is known.
  readonly path?: Path;
}

export interface Spot {
  readonly path: Path;
  readonly text: string;
}

const MOST_VALUES = 100_000;
const MOST_SPOTS = 200;

// How well a value agrees: it is it, it holds it, its name is it.
const SAME = 0;
const PART = 1;
const NAMED = 2;

interface Found extends Spot {
  readonly how: number;
  readonly parent: unknown;
}

export function seekIn(data: unknown, wanted: Wanted): readonly Spot[] {
  const known = wanted.path?.length ? valueAt(data, wanted.path) : undefined;
  if (wanted.path && known !== undefined && typeof known !== "object") {
    return [{ path: wanted.path, text: cellText(known) }];
  }
  const found: Found[] = [];
  let left = MOST_VALUES;
  const pending: { value: unknown; path: Path; parent: unknown }[] = [{ value: data, path: [], parent: null }];
  for (let at = 0; at < pending.length && left > 0 && found.length < MOST_SPOTS; at += 1) {
    const { value, path, parent } = pending[at] as (typeof pending)[number];
    left -= 1;
    if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value).slice(0, left)) {
        pending.push({ value: one, path: [...path, Array.isArray(value) ? Number(key) : key], parent: value });
      }
      continue;
    }
    const how = agrees(value, path, wanted.found);
    if (how !== null) found.push({ path, parent, how, text: cellText(value) });
  }
  const best = Math.min(...found.map((one) => one.how));
  return likeliest(
    found.filter((one) => one.how === best),
    wanted,
  );
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[part];
  }
  return value;
}

export function seekLines(lines: readonly string[], { found }: Wanted): readonly number[] {
  return lines.flatMap((line, place) => (holds(line, found) ? [place] : []));
}

function agrees(value: unknown, path: Path, found: string): number | null {
  if (typeof value === "number" && isNumber(found)) return Number(found) === value ? SAME : null;
  const text = value === null ? "" : String(value);
  if (text && plain(text) === plain(found)) return SAME;
  if (typeof value === "string" && holds(value, found)) return PART;
  return plain(String(path.at(-1) ?? "")) === plain(found) ? NAMED : null;
}

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));

function likeliest(found: readonly Found[], wanted: Wanted): readonly Spot[] {
  const scored = found.map((one) => ({ one, score: fits(one, wanted) }));
  const most = Math.max(...scored.map(({ score }) => score));
  return scored.filter(({ score }) => score === most).map(({ one: { path, text } }) => ({ path, text }));
}

function fits({ path, parent }: Found, { words, beside }: Wanted): number {
  const key = wordsOf(String(path.findLast((one) => typeof one === "string") ?? ""));
  const known = key.filter((word) => words.includes(word)).length;
  const whole = key.length > 0 && known === key.length ? 2 : 0;
  const above = wordsOf(path.slice(0, -1).join(" ")).some((word) => words.includes(word)) ? 1 : 0;
  const record = isRecord(parent) ? beside.filter((other) => hasValue(parent, other)).length : 0;
  return known + whole + above + 3 * record;
}

const hasValue = (record: Record_, found: string): boolean =>
  Object.values(record).some((value) => typeof value !== "object" && agrees(value, [], found) !== null);

export const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

const plain = (text: string): string => text.replaceAll(",", "").toLowerCase();

// A figure is written in an answer as it stands in the observation, perhaps with other separators; never as a part of
// a longer number.
export function holds(line: string, found: string): boolean {
  const [where, what] = [plain(line), plain(found)];
  for (let at = what ? where.indexOf(what) : -1; at >= 0; at = where.indexOf(what, at + 1)) {
    const before = where.slice(0, at);
    const after = where.slice(at + what.length);
    const longer = (/^\d/.test(what) && /\d\.?$/.test(before)) || (/\d$/.test(what) && /^\.?\d/.test(after));
    if (!longer) return true;
  }
  return false;
}

// What was counted or worked out stands nowhere: it says itself how.
export interface Derived {
  readonly how: string;
  readonly column: string | null;
}

export function derived(found: string): Derived | null {
  const [, how, path] = /^(count|sum|mean|difference) of (.+)$/.exec(found) ?? [];
  if (!how || !path) return null;
  return { how, column: how === "count" ? null : (path.split(/\[\]\.|\./).at(-1) ?? null) };
}
