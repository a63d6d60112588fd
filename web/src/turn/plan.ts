// The plan of a turn, ticked off by what was done. Pure.

import type * as e from "../api/events";
import type { Acted, Planned, Turn } from "./model";

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
