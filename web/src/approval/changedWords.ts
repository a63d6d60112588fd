// Which words of a line changed into which of another, so that they can be marked.

import type { PieceLine } from "../markdown/colours";
import { paired, type DiffLine } from "./diff";

// From one character to another, the end excluded.
export type Span = readonly [number, number];

const WORD = /\w+|\s+|[^\w\s]/gu;
const MOST_WORDS = 300;
// Lines that have less in common than this are other lines, and marking all of it says nothing.
const ALIKE = 0.3;

/** The changed parts of two lines; none where they have too little in common. */
export function changedSpans(before: string, after: string): readonly [readonly Span[], readonly Span[]] {
  const old = before.match(WORD) ?? [];
  const now = after.match(WORD) ?? [];
  if (!old.length || !now.length || old.length > MOST_WORDS || now.length > MOST_WORDS) return [[], []];
  const same = common(old, now);
  const kept = same.reduce((sum, [at]) => sum + (old[at]?.trim().length ?? 0), 0);
  const longest = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (kept < ALIKE * longest) return [[], []];
  return [spans(old, new Set(same.map(([at]) => at))), spans(now, new Set(same.map(([, at]) => at)))];
}

// The longest common subsequence, as pairs of places.
function common(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [row, next] = [lengths[i], lengths[i + 1]];
      if (row && next) row[j] = old[i] === now[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const found: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) found.push([i++, j++]);
    else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return found;
}

function spans(words: readonly string[], kept: ReadonlySet<number>): readonly Span[] {
  const found: [number, number][] = [];
  let at = 0;
  words.forEach((word, place) => {
    const end = at + word.length;
    const last = found.at(-1);
    if (!kept.has(place)) {
      if (last?.[1] === at) last[1] = end;
      else found.push([at, end]);
    }
    at = end;
  });
  return found;
}

/** The changed parts of every line of a diff that has a counterpart. */
export function markedLines(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly Span[]> {
  const marks = new Map<DiffLine, readonly Span[]>();
  for (const { left, right } of paired(lines)) {
    if (left?.kind !== "removed" || right?.kind !== "added") continue;
    const [before, after] = changedSpans(left.text, right.text);
    marks.set(left, before);
    marks.set(right, after);
  }
  return marks;
}

export interface MarkedPiece {
  readonly text: string;
  readonly className: string;
  readonly marked: boolean;
}

/** Coloured pieces cut where marks begin and end. */
export function cut(pieces: PieceLine, marks: readonly Span[]): readonly MarkedPiece[] {
  const found: MarkedPiece[] = [];
  let at = 0;
  for (const { text, className } of pieces) {
    const end = at + text.length;
    const edges = [at, ...marks.flat().filter((edge) => edge > at && edge < end), end];
    for (let place = 1; place < edges.length; place += 1) {
      const [from, to] = [edges[place - 1] ?? at, edges[place] ?? end];
      const marked = marks.some(([first, last]) => first <= from && to <= last);
      found.push({ text: text.slice(from - at, to - at), className, marked });
    }
    at = end;
  }
  return found;
}
