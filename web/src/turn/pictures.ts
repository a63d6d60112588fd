// The pictures under an answer: first of the calls that its figures come from, and none of them twice.

import { isRecord } from "../trace/cells";
import { timelineIn } from "../trace/timeline";
import type { Acted, Turn } from "./model";

const MOST = 4;

export interface Picture {
  readonly key: string;
  readonly data: unknown;
}

export function picturesOf(turn: Turn, isDrawn: (data: unknown) => boolean): readonly Picture[] {
  const drawn = turn.rows.filter((row): row is Acted => row.kind === "act" && isDrawn(row.result?.data));
  const kept = once(drawn.map((row) => ({ key: row.key, data: row.result?.data })));
  const shown = kept.filter(({ data }) => isDrawn(data));
  const first = mostCited(turn, drawn).flatMap((row) => shown.filter(({ key }) => key === row.key));
  return shown.filter((picture) => first.slice(0, MOST).includes(picture));
}

// Those that most figures come from first, then the newest.
function mostCited(turn: Turn, rows: readonly Acted[]): readonly Acted[] {
  const figures = turn.evidence?.figures ?? [];
  const cited = (row: Acted): number => figures.filter((figure) => figure.source === row.call.id).length;
  return [...rows].reverse().sort((one, other) => cited(other) - cited(one));
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
