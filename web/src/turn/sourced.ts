// How much of an answer is sourced, in words. What the person said is no find of ours.

import type { Figure } from "../api/events";
import { holds } from "../trace/seek";
import type { Turn } from "./fold";
import { count } from "./words";

export interface Tally {
  readonly words: string;
  readonly all: boolean;
}

// Also where a tool said it again.
export const isSaid = (turn: Turn, figure: Figure): boolean =>
  figure.source === "question" || holds(turn.question, figure.text);

export function tallied(turn: Turn): Tally | null {
  const figures = turn.evidence?.figures ?? [];
  if (!figures.length) return null;
  const said = figures.filter((one) => isSaid(turn, one));
  const rest = figures.length - said.length;
  const sourced = figures.filter((one) => one.source !== null && !said.includes(one)).length;
  const all = sourced === rest;
  if (!rest) return { all, words: `${count(said.length, "figure")} from the question` };
  const echoed = said.length ? `, ${said.length} from the question` : "";
  const found = !all
    ? `${sourced} of ${count(rest, "figure")} sourced`
    : rest === 1
      ? "1 figure sourced"
      : `all ${count(rest, "figure")} sourced`;
  return { all, words: found + echoed };
}
