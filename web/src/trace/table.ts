// What a tool returned, as what it is: a table where it is one, what stands beside it as `key: value`, else lines.

import type { ToolResult } from "../api/events";
import { asText } from "../turn/words";
import { cellText, isCell, isEmpty, isEstimate, isPlain, isRecord, type Path, type Record_ } from "./cells";
import { imagesIn } from "./images";
import { t } from "../language/t";

const MOST_CHARS = 200_000;
const MOST_COLUMNS = 24;
const MOST_GROUPS = 12;
const MOST_BESIDE = 24;
const DEEPEST = 3;
// What a reader looks for first.
const FIRST = ["totals", "total", "summary", "count", "rows"];

// What is drawn, and so not told as text.
const DRAWN = ["chart", "timeline", "map"];
const PICTURES = ["image", "images"];
const MAPPED: ReadonlySet<string> = new Set(["lat", "lon"]);

export interface Pair {
  readonly key: string;
  readonly path: Path;
  readonly text: string;
}

// Pairs of one small object, or a single pair without a name.
export interface Group {
  readonly name: string | null;
  readonly pairs: readonly Pair[];
}

export interface Table {
  readonly path: Path;
  readonly names: readonly string[];
  readonly rows: readonly Record_[];
}

export interface Shape {
  readonly groups: readonly Group[];
  // The chief one first.
  readonly tables: readonly Table[];
  readonly lines: readonly string[];
}

// The data of a result; a text that is JSON is read as what it says.
export function dataOf({ data, output }: ToolResult): unknown {
  if (data !== null && data !== undefined) return data;
  if (!/^[[{]/.test(output) || output.length > MOST_CHARS) return null;
  try {
    return JSON.parse(output) as unknown;
  } catch {
    return null;
  }
}

export function shapeOf(result: ToolResult): Shape {
  const data = dataOf(result);
  const tables = tablesOf(data);
  if (isRecord(data)) return { tables, groups: groupsOf(data, tables), lines: [] };
  if (tables.length) return { tables, groups: [], lines: [] };
  return { tables, groups: [], lines: linesOf(result) };
}

// What is drawn is not written as well.
const drawnOf = (data: Record_): readonly string[] => (imagesIn(data).length ? [...DRAWN, ...PICTURES] : DRAWN);

// A list of records of one shape is a table, also where it is a list of a record; anything else is not.
export function tablesOf(data: unknown): readonly Table[] {
  if (Array.isArray(data)) return [rowsOf(data, [])].filter((one) => one !== null);
  if (!isRecord(data)) return [];
  const drawn = drawnOf(data);
  const tables = Object.entries(data).flatMap(([name, list]) => {
    const rows = Array.isArray(list) && !drawn.includes(name) ? rowsOf(list, [name]) : null;
    return rows ? [rows] : [];
  });
  const chief = (one: Table): number => (one.path[0] === "rows" ? 0 : 1);
  const sorted = tables.sort((one, other) => chief(one) - chief(other));
  // Where a map shows them, nobody reads them.
  const unseen = (name: string): boolean => isRecord(data["map"]) && MAPPED.has(name);
  return sorted.map((one) => ({ ...one, names: one.names.filter((name) => !unseen(name)) }));
}

function rowsOf(data: readonly unknown[], path: Path): Table | null {
  if (data.length < 2 || !data.every(isRecord)) return null;
  const rows = data.map(cellsOf);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // What is a part of a part is left to the JSON where there is no room for it.
  const shown = names.length > MOST_COLUMNS ? names.filter((name) => data.some((row) => name in row)) : names;
  if (!shown.length || shown.length > MOST_COLUMNS) return null;
  const alike = rows.every((row) => 2 * shown.filter((name) => name in row).length > shown.length);
  const told = shown.filter((name) => rows.some((row) => !isEmpty(row[name])));
  if (!alike || !told.length) return null;
  return { path, names: arranged(told, rows), rows: rows.map((row) => ({ ...blank(shown), ...row })) };
}

// Rows that have a name begin with it and what is estimated of them; their ids, which nobody reads, come last.
function arranged(names: readonly string[], rows: readonly Record_[]): readonly string[] {
  if (!names.includes("name")) return names;
  const estimated = (name: string): boolean => rows.every((row) => row[name] === null || isEstimate(row[name]));
  const rank = (name: string): number => (name === "name" ? 0 : name === "id" ? 3 : estimated(name) ? 1 : 2);
  return [...names].sort((one, other) => rank(one) - rank(other));
}

const blank = (names: readonly string[]): Record_ => Object.fromEntries(names.map((name) => [name, null]));

// The cells of a row: those of a record in it are named with its name before them. What is deeper is left to the JSON.
function cellsOf(row: Record_): Record_ {
  const cells = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    if (isCell(value)) return [[name, value]];
    const parts = isRecord(value) ? Object.entries(value) : [];
    return parts.filter(([, part]) => isCell(part)).map(([part, inner]) => [`${name}.${part}`, inner]);
  });
  return Object.fromEntries(cells);
}

// What can be read at a glance. Beside a table what is deeper is left to the JSON.
function groupsOf(data: Record_, tables: readonly Table[]): readonly Group[] {
  const rank = (name: string) => (FIRST.includes(name) ? 0 : 1);
  const inTables = tables.map((table) => table.path[0]);
  const drawn = drawnOf(data);
  const shown = Object.entries(data).filter(([name]) => !inTables.includes(name) && !drawn.includes(name));
  return shown
    .sort(([one], [other]) => rank(one) - rank(other))
    .flatMap(([name, value]) => groupOf(name, value, tables.length > 0))
    .slice(0, tables.length ? MOST_GROUPS : undefined);
}

function groupOf(name: string, value: unknown, beside: boolean): Group[] {
  if (isPlain(value)) return [single(name, [name], cellText(value))];
  if (isOnlyRow(value) && (!beside || Object.values(value[0]).every(isCell))) return [rowOf(name, value[0])];
  if (isRecord(value)) {
    const { pairs, whole } = pairsOf(value, [name]);
    const [first] = pairs;
    if (first && pairs.length === 1 && Object.keys(value).length === 1 && first.key === "name")
      return [single(name, first.path, first.text)];
    if (pairs.length && (beside || whole)) return [{ name, pairs: beside ? pairs.slice(0, MOST_BESIDE) : pairs }];
  }
  return beside || isEmpty(value) ? [] : [single(name, [name], asText(value))];
}

// The pairs of a record and of the records in it, with the names of those before them; `whole`: nothing is left out.
function pairsOf(record: Record_, path: Path, depth = 1): { readonly pairs: readonly Pair[]; readonly whole: boolean } {
  const parts = Object.entries(record)
    .filter(([, value]) => !isEmpty(value))
    .map(([key, value]): { readonly pairs: readonly Pair[]; readonly whole: boolean } => {
      const at = [...path, key];
      if (isCell(value))
        return { pairs: [{ key: at.slice(1).join("."), path: at, text: cellText(value) }], whole: true };
      return isRecord(value) && depth < DEEPEST ? pairsOf(value, at, depth + 1) : { pairs: [], whole: false };
    });
  return { pairs: parts.flatMap((part) => part.pairs), whole: parts.every((part) => part.whole) };
}

// A table of one row is read more easily as `key: value`.
const isOnlyRow = (value: unknown): value is readonly [Record_] =>
  Array.isArray(value) && value.length === 1 && rowsOf([value[0], value[0]], []) !== null;

const rowOf = (name: string, row: Record_): Group => ({
  name,
  pairs: Object.entries(cellsOf(row))
    .filter(([, one]) => !isEmpty(one))
    .map(([key, one]) => ({
      key,
      path: [name, 0, ...(key in row ? [key] : key.split("."))],
      text: cellText(one),
    })),
});

const single = (key: string, path: Path, text: string): Group => ({ name: null, pairs: [{ key, path, text }] });

function linesOf(result: ToolResult): readonly string[] {
  const data = dataOf(result);
  if (Array.isArray(data)) return data.map(asText);
  const lines = result.output
    .slice(0, MOST_CHARS)
    .split("\n")
    .filter((line) => line.trim());
  if (result.output.length > MOST_CHARS)
    lines.push(t("({0} more characters)", (result.output.length - MOST_CHARS).toLocaleString("en")));
  return lines.length ? lines : ["(nothing)"];
}

export const isNumbers = (table: Table, name: string): boolean =>
  table.rows.every((row) => typeof row[name] === "number" || row[name] === null || isEstimate(row[name]));

// Everything as lines, with the columns of a table under one another.
export function textLines(result: ToolResult): readonly string[] {
  const { groups, tables, lines } = shapeOf(result);
  const beside = groups.map(({ name, pairs }) => {
    const said = pairs.map((one) => `${one.key}: ${one.text}`);
    return name === null ? (said[0] ?? "") : `${name}: ${said.join(", ")}`;
  });
  const named = (table: Table) => (tables.length > 1 ? [`${table.path.join(".")}:`] : []);
  return [...beside, ...tables.flatMap((table) => [...named(table), ...alignedLines(table)]), ...lines];
}

function alignedLines(table: Table): readonly string[] {
  const cells = [table.names, ...table.rows.map((row) => table.names.map((name) => cellText(row[name])))];
  const widths = table.names.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const right = table.names.map((name) => isNumbers(table, name));
  const line = (row: readonly string[]) =>
    row.map((text, column) => (right[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)));
  return cells.map((row) => line(row).join("  ").trimEnd());
}
