// Whether rules alone answered and no tool fitted: there is nothing to mark, and a model to be had.

import type { Turn } from "./model";

export const isDeclined = (turn: Turn, rules: string | null): boolean =>
  rules !== null &&
  turn.model === rules &&
  turn.answer !== null &&
  !turn.command &&
  !turn.rows.some((row) => row.kind === "act");
