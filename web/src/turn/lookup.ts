// What is looked up in a turn: rows, sources, questions. Pure.

import type * as e from "../api/events";
import { childOf } from "./children";
import type { Acted, Kind, Question, Turn } from "./model";

export function kindNow(turn: Turn): Kind {
  if (turn.status === "paused") return "wait";
  if (turn.acting !== null) return "act";
  return turn.draft?.text ? "answer" : "think";
}

// The first question that nobody has answered.
export const openQuestion = (turn: Turn): Question | null =>
  turn.status === "paused" ? (turn.questions.find((one) => !one.answer && !one.void) ?? null) : null;

// The row of a call; of one that a sub-agent made, that of the call which the sub-agent answers.
export function callRow(turn: Turn, id: string): Acted | null {
  const place = turn.calls[id];
  const row = place === undefined ? turn.rows.find((one) => childOf(one, id)) : turn.rows[place];
  return row?.kind === "act" ? row : null;
}

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
