// Turns of sub-agents inside the rows of their parent.

import { count, duration } from "./words";
import type { Pending, Row, Turn } from "./model";

// The turn of the sub-agent that answers a row's call, where it or one below it made this call.
export function childOf(row: Row, call: string): Turn | null {
  const child = row.kind === "act" ? row.child : null;
  if (!child) return null;
  return call in child.calls || child.rows.some((one) => childOf(one, call)) ? child : null;
}

// What sub-agents ask stands among what their parent asks: it waits as a whole.
export function approvalsWith(all: readonly Pending[], below: readonly Pending[]): readonly Pending[] {
  const told = new Map(below.map((one) => [one.request.call.id, one]));
  const known = new Set(all.map((one) => one.request.call.id));
  const kept = all.map((one) => told.get(one.request.call.id) ?? one);
  return [...kept, ...below.filter((one) => !known.has(one.request.call.id))];
}

// What a sub-agent asks is decided when the whole turn waits: until then the others go on.
export const asksNow = (turn: Turn) => (pending: Pending) =>
  pending.decision !== null || pending.void || turn.status !== "running" || pending.request.call.id in turn.calls;

const STATES: Readonly<Record<Turn["status"], string>> = {
  running: "running",
  paused: "waits for your decision",
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
