// Where a figure of an answer came from: a step of this turn, or somewhere else. Pure.

import type * as e from "../api/events";
import { callRow } from "./fold";
import type { Turn } from "./model";

// The number of the step that a figure came from, empty for that of a command; its origin where it is of no step of this
// turn, as "question" when the person said it.
export function sourceOf(turn: Turn, figure: e.Figure): string | null {
  const { source, origin } = figure;
  if (source === null) return null;
  const row = origin === null || isElsewhere(origin) ? null : callRow(turn, source);
  return row ? (row.number ?? "") : origin === "call" ? null : origin;
}

const ELSEWHERE: readonly e.Figure["origin"][] = [
  "question",
  "context",
  "earlier_call",
  "earlier_words",
  "earlier_answer",
  "asked",
];

// Whether it is of no observation of this turn.
export const isElsewhere = (origin: e.Figure["origin"]): boolean => ELSEWHERE.includes(origin);
