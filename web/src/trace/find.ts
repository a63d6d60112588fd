// Where a figure's value stands in a result as it is shown. Pure.

import type { ToolResult } from "../api/events";
import type { Path } from "./cells";
import { derived, seekIn, seekLines, type Wanted } from "./seek";
import { dataOf, type Shape, type Table } from "./table";

const MOST_LATER = 4;

// Where what is sought stands in what is shown, and lines of its own for the rest.
export interface Found {
  readonly paths: ReadonlySet<string>;
  // Lines or groups, by number.
  readonly places: readonly number[];
  // Rows by number, by the name of their table.
  readonly rows: ReadonlyMap<string, readonly number[]>;
  readonly elsewhere: readonly string[];
  readonly counts: boolean;
  readonly column: string | null;
}

const NOTHING: Found = {
  paths: new Set(),
  places: [],
  rows: new Map(),
  elsewhere: [],
  counts: false,
  column: null,
};
const MOST_ELSEWHERE = 3;
export const nameOf = (path: Path): string => path.join(".");

export function find(result: ToolResult, { groups, tables, lines }: Shape, wanted: Wanted | null): Found {
  if (!wanted) return NOTHING;
  if (lines.length) {
    const at = seekLines(lines, wanted);
    return at.length ? { ...NOTHING, places: at } : worked(wanted);
  }
  const spots = seekIn(dataOf(result), wanted);
  if (!spots.length) return worked(wanted);
  const inPairs = new Set(groups.flatMap((group) => group.pairs.map((pair) => nameOf(pair.path))));
  const cellOf = (path: Path): Path | null => tables.map((table) => cellIn(table, path)).find((one) => one) ?? null;
  // A list or a deep object is one line: what stands in it is marked as that line.
  const shownAs = (path: Path): Path =>
    [path, path.slice(0, -1)].find((one) => inPairs.has(nameOf(one))) ?? path.slice(0, 1);
  const visible = spots.filter(({ path }) => cellOf(path) !== null || inPairs.has(nameOf(shownAs(path))));
  const deep = spots.filter((one) => !visible.includes(one));
  const rowsIn = (table: Table): readonly number[] =>
    spots.filter(({ path }) => cellIn(table, path)).map(({ path }) => Number(path[table.path.length]));
  return {
    ...NOTHING,
    paths: new Set(visible.map((one) => nameOf(cellOf(one.path) ?? shownAs(one.path)))),
    places: tables.length
      ? []
      : visible.map(({ path }) => groups.findIndex((group) => group.pairs[0]?.path[0] === path[0])),
    rows: new Map(tables.map((table) => [nameOf(table.path), rowsIn(table)])),
    elsewhere: visible.length ? [] : deep.slice(0, MOST_ELSEWHERE).map(({ path, text }) => `${written(path)}: ${text}`),
  };
}

// The cell that a value stands in: that of an estimate, a short list or a part of a row is its own cell.
function cellIn({ path: at, names }: Table, path: Path): Path | null {
  if (!at.every((part, place) => path[place] === part)) return null;
  const inside = path.slice(at.length + 1);
  const long = [2, 1].find((length) => length <= inside.length && names.includes(inside.slice(0, length).join(".")));
  return long ? path.slice(0, at.length + 1 + long) : null;
}

const written = (path: Path): string =>
  path.map((part, at) => (typeof part === "number" ? `[${part + 1}]` : at ? `.${part}` : part)).join("");

// What was counted or worked out: how, in words, and what from.
function worked({ text, found }: Wanted): Found {
  const made = derived(found);
  if (!made) return NOTHING;
  return { ...NOTHING, elsewhere: [`${text}: ${found}`], counts: made.how === "count", column: made.column };
}

export function places(first: number, wanted: readonly number[]): readonly number[] {
  const later = [...new Set(wanted)].filter((place) => place >= first).sort((one, other) => one - other);
  return [...Array.from({ length: first }, (_, place) => place), ...later.slice(0, MOST_LATER)];
}
