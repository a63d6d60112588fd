// What differs between a turn and its fork, in the order in which one would read it. Pure.

import { textLines } from "../trace/table";
import type { Acted, Turn } from "../turn/fold";
import { shorten } from "../turn/words";
import { t } from "../language/t";

export interface Difference {
  readonly what: string;
  readonly was: string;
  readonly now: string;
}

const MOST = 12;
const CHARS = 160;
const FEW = 5;

const callsOf = (turn: Turn): readonly Acted[] => turn.rows.filter((row): row is Acted => row.kind === "act");
const asked = (row: Acted): string => {
  const args = Object.entries(row.call.args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `${row.title}(${args.join(", ")})`;
};
const seen = ({ result }: Acted): string =>
  result?.success ? textLines(result).join("; ") : (result?.error ?? t("nothing"));
const figuresOf = (turn: Turn): readonly string[] => [...new Set(turn.evidence?.figures.map((one) => one.text))];

const few = (figures: readonly string[]): string => {
  const more = figures.length - FEW;
  return `${figures.slice(0, FEW).join(", ") || t("none")}${more > 0 ? t(" and {0} more", more) : ""}`;
};

export function differences(was: Turn, now: Turn): readonly Difference[] {
  const found: Difference[] = [];
  const tell = (what: string, before: string, after: string) => {
    if (before !== after) found.push({ what, was: shorten(before, CHARS), now: shorten(after, CHARS) });
  };
  tell(t("Question"), was.question, now.question);
  tell(t("Model"), was.model, now.model);
  const [before, after] = [callsOf(was), callsOf(now)];
  for (let place = 0; place < Math.max(before.length, after.length); place += 1) {
    const [one, other] = [before[place], after[place]];
    const step = t("Step {0}", other?.number ?? one?.number ?? "").trim();
    tell(t("{0}, called", step), one ? asked(one) : t("nothing"), other ? asked(other) : t("nothing"));
    if (one?.result && other?.result) tell(t("{0}, found", step), seen(one), seen(other));
  }
  if (was.answer && now.answer) {
    const [then, today] = [figuresOf(was), figuresOf(now)];
    const gone = then.filter((one) => !today.includes(one));
    const come = today.filter((one) => !then.includes(one));
    if (gone.length || come.length) tell(t("Figures"), few(gone), few(come));
    else tell(t("Answer"), was.answer.text, now.answer.text);
  }
  return found.slice(0, MOST);
}
