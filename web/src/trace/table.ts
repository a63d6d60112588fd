// What a tool returned, as what it is: a table where it is one, what stands beside it as `key: value`, else lines.

import type { ToolResult } from "../api/events";
import { asText } from "../turn/words";

const MOST_CHARS = 200_000;
const MOST_COLUMNS = 24;
const MOST_GROUPS = 12;
const MOST_PAIRS = 12;
// What a reader looks for first.
const FIRST = ["totals", "total", "summary", "count", "rows"];

const ESTIMATED = ["value", "low", "high", "panel", "suppressed"];

// What is drawn, and so not told as text.
const DRAWN = ["chart", "timeline", "map"];
const MAPPED: ReadonlySet<string> = new Set(["lat", "lon"]);

export type Record_ = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export const isRecord = (value: unknown): value is Record_ =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
  readonly table: Table | null;
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
  const table = tableOf(data);
  if (isRecord(data)) return { table, groups: groupsOf(data, table), lines: [] };
  if (table) return { table, groups: [], lines: [] };
  return { table: null, groups: [], lines: linesOf(result) };
}

// A list of records of one shape is a table, also where it is the chief list of a record; anything else is not.
export function tableOf(data: unknown): Table | null {
  if (Array.isArray(data)) return rowsOf(data, []);
  if (!isRecord(data)) return null;
  const tables = Object.entries(data).flatMap(([name, list]) => {
    const rows = Array.isArray(list) ? rowsOf(list, [name]) : null;
    return rows ? [rows] : [];
  });
  const table = tables.find((one) => one.path[0] === "rows") ?? (tables.length === 1 ? (tables[0] ?? null) : null);
  // Where a map shows them, nobody reads them.
  return table && isRecord(data["map"]) ? { ...table, names: table.names.filter((name) => !MAPPED.has(name)) } : table;
}

function rowsOf(data: readonly unknown[], path: Path): Table | null {
  if (data.length < 2 || !data.every(isRecord)) return null;
  const rows = data.map(cellsOf);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // What is a part of a part is left to the JSON where there is no room for it.
  const shown = names.length > MOST_COLUMNS ? names.filter((name) => data.some((row) => name in row)) : names;
  if (!shown.length || shown.length > MOST_COLUMNS) return null;
  const alike = rows.every((row) => 2 * shown.filter((name) => name in row).length > shown.length);
  return alike ? { path, names: shown, rows: rows.map((row) => ({ ...blank(shown), ...row })) } : null;
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

// A figure that is known only about: its value, from where to where it lies, and what it rests on.
export const isEstimate = (value: unknown): value is Record_ & { readonly value: number | null } =>
  isRecord(value) &&
  (typeof value["value"] === "number" || value["value"] === null) &&
  Object.keys(value).every((key) => ESTIMATED.includes(key));

const isFlat = (value: unknown): boolean => value === null || typeof value !== "object";
const isCell = (value: unknown): boolean =>
  isFlat(value) || isEstimate(value) || (Array.isArray(value) && value.length <= MOST_PAIRS && value.every(isFlat));

const isPlain = (value: unknown): boolean =>
  (value !== null && typeof value !== "object" && value !== "") || isEstimate(value);

// What can be read at a glance. Beside a table what is deeper is left to the JSON.
function groupsOf(data: Record_, table: Table | null): readonly Group[] {
  const rank = (name: string) => (FIRST.includes(name) ? 0 : 1);
  const shown = Object.entries(data).filter(([name]) => name !== table?.path[0] && !DRAWN.includes(name));
  return shown
    .sort(([one], [other]) => rank(one) - rank(other))
    .flatMap(([name, value]): Group[] => {
      if (isPlain(value)) return [single(name, [name], cellText(value))];
      if (isOnlyRow(value) && (!table || Object.values(value[0]).every(isCell))) return [rowOf(name, value[0])];
      const inner = isRecord(value) ? Object.entries(value) : [];
      const plain = inner.filter(([, one]) => isPlain(one)).slice(0, MOST_PAIRS);
      if (plain.length === 1 && inner.length === 1 && plain[0]?.[0] === "name")
        return [single(name, [name, "name"], cellText(plain[0][1]))];
      if (plain.length && (table || inner.every(([, one]) => one === null || isPlain(one))))
        return [{ name, pairs: plain.map(([key, one]) => ({ key, path: [name, key], text: cellText(one) })) }];
      return table ? [] : [single(name, [name], asText(value))];
    })
    .slice(0, table ? MOST_GROUPS : undefined);
}

// A table of one row is read more easily as `key: value`.
const isOnlyRow = (value: unknown): value is readonly [Record_] =>
  Array.isArray(value) && value.length === 1 && rowsOf([value[0], value[0]], []) !== null;

const rowOf = (name: string, row: Record_): Group => ({
  name,
  pairs: Object.entries(cellsOf(row)).map(([key, one]) => ({
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
    lines.push(`(${(result.output.length - MOST_CHARS).toLocaleString("en")} more characters)`);
  return lines.length ? lines : ["(nothing)"];
}

export const isNumbers = (table: Table, name: string): boolean =>
  table.rows.every((row) => typeof row[name] === "number" || row[name] === null || isEstimate(row[name]));

export function cellText(value: unknown): string {
  if (value === null) return "–";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 6 });
  if (isEstimate(value)) return estimateText(value);
  return Array.isArray(value) && value.every(isFlat) ? value.map(cellText).join(", ") : asText(value);
}

function estimateText({ value, low, high }: Record_ & { readonly value: number | null }): string {
  if (value === null) return "too few";
  const range = typeof low === "number" && typeof high === "number" ? ` (${cellText(low)}–${cellText(high)})` : "";
  return `${cellText(value)}${range}`;
}

// Everything as lines, with the columns of a table under one another.
export function textLines(result: ToolResult): readonly string[] {
  const { groups, table, lines } = shapeOf(result);
  const beside = groups.map(({ name, pairs }) => {
    const said = pairs.map((one) => `${one.key}: ${one.text}`);
    return name === null ? (said[0] ?? "") : `${name}: ${said.join(", ")}`;
  });
  return [...beside, ...(table ? alignedLines(table) : lines)];
}

function alignedLines(table: Table): readonly string[] {
  const cells = [table.names, ...table.rows.map((row) => table.names.map((name) => cellText(row[name])))];
  const widths = table.names.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const right = table.names.map((name) => isNumbers(table, name));
  const line = (row: readonly string[]) =>
    row.map((text, column) => (right[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)));
  return cells.map((row) => line(row).join("  ").trimEnd());
}
