// The pictures under an answer: of the calls that its figures come from, and none of them twice.

import { isRecord } from "../trace/cells";
import { timelineIn } from "../trace/timeline";
import type { Acted, Turn } from "./model";

const MOST = 3;

export interface Picture {
  readonly key: string;
  readonly data: unknown;
}

export function picturesOf(turn: Turn, isDrawn: (data: unknown) => boolean): readonly Picture[] {
  const drawn = turn.rows.filter((row): row is Acted => row.kind === "act" && isDrawn(row.result?.data));
  const kept = once(mostCited(turn, drawn).map((row) => ({ key: row.key, data: row.result?.data })));
  return kept.filter(({ data }) => isDrawn(data)).slice(-MOST);
}

// Those that most figures come from, in the order of the calls; all where no figure tells.
function mostCited(turn: Turn, rows: readonly Acted[]): readonly Acted[] {
  const figures = turn.evidence?.figures ?? [];
  const cited = (row: Acted): number => figures.filter((figure) => figure.source === row.call.id).length;
  const best = rows.filter(cited).sort((one, other) => cited(other) - cited(one));
  return best.length ? rows.filter((row) => best.slice(0, MOST).includes(row)) : rows;
}

// Without charts that are there already, and without timelines all of whose rows another one shows.
function once(pictures: readonly Picture[]): readonly Picture[] {
  const lines = pictures.map(({ data }) => rowsOf(data));
  const charts = pictures.map(({ data }) => JSON.stringify(isRecord(data) ? (data["chart"] ?? null) : null));
  return pictures.map(({ key, data }, place) => {
    if (!isRecord(data)) return { key, data };
    const { chart, timeline, ...rest } = data;
    const mine = lines[place] ?? [];
    const isElsewhere = lines.some(
      (other, at) =>
        at !== place && mine.every((row) => other.includes(row)) && (other.length > mine.length || at < place),
    );
    return {
      key,
      data: {
        ...rest,
        ...(charts.indexOf(charts[place] ?? "") < place ? {} : { chart }),
        ...(mine.length && isElsewhere ? {} : { timeline }),
      },
    };
  });
}

// Each with the length of the whole: the same spans over another time are another picture.
function rowsOf(data: unknown): readonly string[] {
  const found = timelineIn(data);
  return found ? found.rows.map((row) => JSON.stringify([found.length, row])) : [];
}
