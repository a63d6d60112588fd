// The rows of a trace, with those of the attempts of a model call that was given up. Pure.

import type { Row, Said, Turn } from "../turn/fold";
import { t } from "../language/t";

export function rowsOf(turn: Turn): readonly Row[] {
  const { totals, rows } = turn;
  if (totals?.status !== "failed" || !totals.attempts?.length) return rows;
  const reasons = [...totals.attempts, totals.error ?? t("The turn failed.")];
  return [...rows, ...reasons.map((text, place) => failed(turn, place + 1, text))];
}

const failed = (turn: Turn, number: number, text: string): Said => ({
  key: `attempt-${number}`,
  kind: "trouble",
  seq: turn.seq,
  step: null,
  number: null,
  title: t("Attempt {0} failed", number),
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
  if (totals.status === "failed") return t("Failed before the first step.");
  if (totals.status === "cancelled") return t("Stopped before the first step.");
  return command ? t("A command; no steps were needed.") : t("Answered directly, without using tools.");
}
