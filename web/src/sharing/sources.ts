// What an answer rests on: the calls of its turn that told something, each with the figures that came from it. Pure.

import type { Turn } from "../turn/fold";
import { shorten } from "../turn/words";

export interface Source {
  readonly key: string;
  readonly number: string;
  readonly call: string;
  readonly figures: readonly string[];
}

const MOST_ARGUMENTS = 160;

export function sourcesOf(turn: Turn): readonly Source[] {
  const figures = turn.evidence?.figures ?? [];
  return turn.rows.flatMap((row) => {
    if (row.kind !== "act" || !row.result?.success) return [];
    const given = figures.filter((one) => one.source === row.call.id).map((one) => one.text);
    const args = shorten(JSON.stringify(row.call.args), MOST_ARGUMENTS);
    return [{ key: row.key, number: row.number ?? "", call: `${row.call.tool} ${args}`, figures: [...new Set(given)] }];
  });
}
