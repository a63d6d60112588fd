// The rows of a trace, with those of the attempts of a model call that was given up. Pure.

import type { Row, Said, Turn } from "../turn/fold";

export function rowsOf(turn: Turn): readonly Row[] {
  const { totals, rows } = turn;
  if (totals?.status !== "failed" || !totals.attempts?.length) return rows;
  const reasons = [...totals.attempts, totals.error ?? "The turn failed."];
  return [...rows, ...reasons.map((text, place) => failed(turn, place + 1, text))];
}

const failed = (turn: Turn, number: number, text: string): Said => ({
  key: `attempt-${number}`,
  kind: "trouble",
  seq: turn.seq,
  step: null,
  number: null,
  title: `Attempt ${number} failed`,
  text,
  seconds: null,
  usage: null,
  model: turn.model,
  attempts: 1,
});

// What is said where a turn is over and did nothing; empty where its rows say it.
export function withoutSteps(turn: Turn): string {
  const { totals, command } = turn;
  if (!totals || rowsOf(turn).some((row) => row.kind === "act" || row.kind === "think" || row.kind === "trouble")) {
    return "";
  }
  if (totals.status === "failed") return "It failed before its first step.";
  if (totals.status === "cancelled") return "It was stopped before its first step.";
  return command ? "A command, without steps." : "Answered directly, without using tools.";
}
