// How much of an answer is sourced, in words. What the person said is no find of ours.

import type { Figure } from "../api/events";
import { holds } from "../trace/seek";
import type { Turn } from "./fold";
import { count } from "./words";
import { t } from "../language/t";

export interface Tally {
  readonly words: string;
  readonly all: boolean;
}

// Also where a tool said it again.
export const isSaid = (turn: Turn, figure: Figure): boolean =>
  figure.origin === "question" || holds(turn.question, figure.text);

// Whether a tool of this turn told anything: where none did there was nothing that a figure could have come from, and
// one without a source is no alarm.
export const hasObserved = (turn: Turn): boolean =>
  turn.rows.some((row) => row.kind === "act" && row.result?.success === true);

// Neither found nor missing.
const TOLD_APART = {
  earlier_words: t("you said"),
  context: t("provided with the question"),
  asked: t("only asked for"),
};
type Apart = keyof typeof TOLD_APART;

export function tallied(turn: Turn): Tally | null {
  const observed = hasObserved(turn);
  const figures = (turn.evidence?.figures ?? []).filter((one) => observed || one.source !== null);
  if (!figures.length) return null;
  const said = figures.filter((one) => isSaid(turn, one));
  const apart = figures.filter((one) => !said.includes(one) && (one.origin ?? "") in TOLD_APART);
  const rest = figures.length - said.length - apart.length;
  const sourced = figures.filter((one) => one.source !== null && !said.includes(one) && !apart.includes(one)).length;
  const all = sourced === rest;
  const parts: [number, string][] = said.length ? [[said.length, t("from the question")]] : [];
  for (const origin of Object.keys(TOLD_APART) as Apart[]) {
    const number = apart.filter((one) => one.origin === origin).length;
    if (number) parts.push([number, TOLD_APART[origin]]);
  }
  const told = parts.map(([number, words], place) => `${rest || place ? number : count(number, "figure")} ${words}`);
  // An answer that only repeats the question, without a tool, has nothing to source.
  if (!observed && !rest && !apart.length) return null;
  if (!rest) return { all, words: told.join(", ") };
  const found = !all
    ? t("{0} of {1} sourced", sourced, count(rest, "figure"))
    : rest === 1
      ? t("1 figure sourced")
      : t("all {0} sourced", count(rest, "figure"));
  return { all, words: [found, ...told].join(", ") };
}
