// Turns of sub-agents inside the rows of their parent.

import { count, duration } from "./words";
import type { Pending, Question, Row, Turn } from "./model";
import { t } from "../language/t";

// The turn of the sub-agent that answers a row's call, where it or one below it made this call.
export function childOf(row: Row, call: string): Turn | null {
  const child = row.kind === "act" ? row.child : null;
  if (!child) return null;
  return call in child.calls || child.rows.some((one) => childOf(one, call)) ? child : null;
}

// What sub-agents ask stands among what their parent asks: it waits as a whole.
const joined = <T>(all: readonly T[], below: readonly T[], idOf: (one: T) => string): readonly T[] => {
  const told = new Map(below.map((one) => [idOf(one), one]));
  const known = new Set(all.map(idOf));
  return [...all.map((one) => told.get(idOf(one)) ?? one), ...below.filter((one) => !known.has(idOf(one)))];
};

export const askedWith = (turn: Turn, child: Turn): Pick<Turn, "approvals" | "questions"> => ({
  approvals: joined<Pending>(turn.approvals, child.approvals, (one) => one.request.call.id),
  questions: joined<Question>(turn.questions, child.questions, (one) => one.asked.call_id),
});

// It is decided when the whole turn waits: until then the others go on.
export const asksNow = (turn: Turn, call: string, settled: boolean): boolean =>
  settled || turn.status !== "running" || call in turn.calls;

const STATES: Readonly<Record<Turn["status"], string>> = {
  running: "running",
  paused: t("waiting for your decision"),
  completed: "",
  failed: "failed",
  cancelled: "stopped",
};

// What a sub-agent's turn took, or what it is at.
export function childSummary(child: Turn): string {
  const parts = [child.assistant, STATES[child.status]];
  const { totals } = child;
  const steps = totals?.iterations ?? child.steps;
  if (steps) parts.push(count(steps, "step"));
  if (totals) {
    parts.push(duration(totals.seconds));
    const tokens = totals.input_tokens + totals.output_tokens;
    if (tokens) parts.push(count(tokens, "token"));
  } else if (child.status === "running") {
    const at = child.rows.findLast((row) => row.kind === "act" && row.state === "running");
    if (at) parts.push(at.title);
    else if (child.draft) parts.push(child.draft.text ? "writing" : "thinking");
  }
  return parts.filter(Boolean).join(" · ");
}
