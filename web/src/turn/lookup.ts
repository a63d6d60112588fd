// What is looked up in a turn: rows and questions. Pure.

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
