// What is lit: the source of the figure that one points at, else of the one that was pressed last.

import { useMemo, useState } from "react";
import type { Figure } from "../api/events";
import { wordsOf, type Wanted } from "../trace/seek";
import type { Turn } from "./fold";

export interface Lit {
  readonly turn: string;
  readonly index: number;
  readonly call: string;
  readonly wanted: Wanted | null;
  readonly kept: boolean;
  // Back to the figure.
  readonly back: () => void;
}

export interface Lighting {
  readonly lit: Lit | null;
  readonly pointed: Lit | null;
  readonly kept: Lit | null;
  readonly point: (lit: Lit | null) => void;
  readonly keep: (lit: Lit | null) => void;
}

const isSame = (one: Lit | null, other: Lit | null): boolean =>
  one !== null && one.turn === other?.turn && one.index === other.index;

export function useLighting(): Lighting {
  const [pointed, point] = useState<Lit | null>(null);
  const [kept, keep] = useState<Lit | null>(null);
  return useMemo(() => {
    const lit = pointed && !isSame(pointed, kept) ? pointed : kept;
    return { lit, pointed, kept, point, keep };
  }, [pointed, kept]);
}

export interface Place {
  readonly from: number;
  readonly to: number;
}

const WORDS_BEFORE = 8;
const WORDS_AFTER = 4;

// What stands around a figure in its answer. `places` has the figures as they stand in the text, in order.
export function wantedOf(turn: Turn, index: number, text: string, places: readonly Place[]): Wanted | null {
  const figures: readonly Figure[] = turn.evidence?.figures ?? [];
  const figure = figures[index];
  const place = places[index];
  if (!figure || !place || figure.found === null) return null;
  const start = text.lastIndexOf("\n", place.from - 1) + 1;
  const end = endOf(text, place.to);
  const onLine = places.flatMap((one, other) => (one.from >= start && one.to <= end && other !== index ? [other] : []));
  const beside = onLine.flatMap((other) => {
    const { source, found } = figures[other] ?? {};
    return source === figure.source && found ? [found] : [];
  });
  const words = text.slice(start, end).includes("|")
    ? wordsOf(headOf(text, start, place.from))
    : around(text, place, start, end, places);
  return { text: figure.text, found: figure.found, words, beside, path: figure.path };
}

const endOf = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

function around(text: string, place: Place, start: number, end: number, places: readonly Place[]): readonly string[] {
  const from = Math.max(start, ...places.filter((one) => one.to <= place.from).map((one) => one.to));
  const to = Math.min(end, ...places.filter((one) => one.from >= place.to).map((one) => one.from));
  const before = wordsOf(text.slice(from, place.from)).slice(-WORDS_BEFORE);
  // Up to the end of the clause: what follows belongs to the next figure.
  const after = wordsOf(/^[^,;.:]*/.exec(text.slice(place.to, to))?.[0] ?? "").slice(0, WORDS_AFTER);
  return [...before, ...after];
}

// The head of a table's column: that of the first line of the lines with bars above.
function headOf(text: string, start: number, at: number): string {
  let top = start;
  while (top > 0) {
    const above = text.lastIndexOf("\n", top - 2) + 1;
    if (!text.slice(above, top - 1).includes("|")) break;
    top = above;
  }
  const column = text.slice(start, at).split("|").length - 1;
  return text.slice(top, endOf(text, top)).split("|")[column] ?? "";
}
