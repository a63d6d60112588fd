// What differs between a turn and its fork, in the order in which one would read it. Pure.

import { textLines } from "../trace/table";
import type { Acted, Turn } from "../turn/fold";
import { shorten } from "../turn/words";

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
  result?.success ? textLines(result).join("; ") : (result?.error ?? "nothing");
const figuresOf = (turn: Turn): readonly string[] => [...new Set(turn.evidence?.figures.map((one) => one.text))];

const few = (figures: readonly string[]): string => {
  const more = figures.length - FEW;
  return `${figures.slice(0, FEW).join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
};

export function differences(was: Turn, now: Turn): readonly Difference[] {
  const found: Difference[] = [];
  const tell = (what: string, before: string, after: string) => {
    if (before !== after) found.push({ what, was: shorten(before, CHARS), now: shorten(after, CHARS) });
  };
  tell("Question", was.question, now.question);
  tell("Model", was.model, now.model);
  const [before, after] = [callsOf(was), callsOf(now)];
  for (let place = 0; place < Math.max(before.length, after.length); place += 1) {
    const [one, other] = [before[place], after[place]];
    const step = `Step ${other?.number ?? one?.number ?? ""}`.trim();
    tell(`${step}, called`, one ? asked(one) : "nothing", other ? asked(other) : "nothing");
    if (one?.result && other?.result) tell(`${step}, found`, seen(one), seen(other));
  }
  if (was.answer && now.answer) {
    const [then, today] = [figuresOf(was), figuresOf(now)];
    const gone = then.filter((one) => !today.includes(one));
    const come = today.filter((one) => !then.includes(one));
    if (gone.length || come.length) tell("Figures", few(gone), few(come));
    else tell("Answer", was.answer.text, now.answer.text);
  }
  return found.slice(0, MOST);
}
