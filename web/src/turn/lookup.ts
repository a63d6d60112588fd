// What is looked up in a turn: rows, sources, questions, the state of its plan. Pure.

import type * as e from "../api/events";
import { childOf } from "./children";
import type { Acted, Kind, Planned, Question, Turn } from "./model";

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

export interface Ticked {
  readonly step: e.PlanStep;
  readonly state: "pending" | "running" | "done" | "failed";
}

// A plan is advice: a step of it counts as done when its tool was used after those before it were looked at.
export function ticked(turn: Turn, plan: Planned): readonly Ticked[] {
  const used = new Set<string>();
  const acted = turn.rows.filter((row): row is Acted => row.kind === "act");
  return plan.steps.map((step) => {
    const row = acted.find((one) => one.title === step.tool_name && !used.has(one.key));
    if (row) used.add(row.key);
    if (plan.done.includes(step.step_number)) return { step, state: "done" };
    if (!row) return { step, state: "pending" };
    const state =
      row.state === "done" ? "done" : row.state === "failed" || row.state === "ended" ? "failed" : "running";
    return { step, state };
  });
}
