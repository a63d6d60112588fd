// What a tool returned, as what it is: a table where it is one, else lines.

import type { ToolResult } from "../api/events";
import { asText } from "../turn/words";

const MOST_CHARS = 200_000;
const COLUMNS = 12;

export type Record_ = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record_ =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Table {
  readonly names: readonly string[];
  readonly rows: readonly Record_[];
  // What stood beside the list, as `key: value`.
  readonly beside: readonly string[];
}

const MOST_BESIDE = 4;

// A list of flat records of one shape is a table, also where it is the chief list of a record; anything else is not.
export function tableOf(data: unknown): Table | null {
  if (Array.isArray(data)) {
    const rows = rowsOf(data);
    return rows && { ...rows, beside: [] };
  }
  if (!isRecord(data)) return null;
  const lists = Object.entries(data).filter((one): one is [string, unknown[]] => Array.isArray(one[1]));
  const tables = lists.flatMap(([name, list]) => {
    const rows = rowsOf(list);
    return rows ? [{ name, rows }] : [];
  });
  const chief = tables.find((one) => one.name === "rows") ?? (tables.length === 1 ? tables[0] : undefined);
  if (!chief) return null;
  return { ...chief.rows, beside: besideOf(data, chief.name) };
}

// What stands beside the table and can be read at a glance; the rest is in the JSON.
function besideOf(data: Record_, chief: string): readonly string[] {
  const plain = (value: unknown) => value !== null && typeof value !== "object" && value !== "";
  return Object.entries(data)
    .filter(([name]) => name !== chief && name !== "chart")
    .flatMap(([name, value]) => {
      if (plain(value)) return [`${name}: ${asText(value)}`];
      const inner = isRecord(value) ? Object.entries(value).filter(([, one]) => plain(one)) : [];
      return inner.length ? [`${name}: ${inner.map(([key, one]) => `${key} ${asText(one)}`).join(", ")}`] : [];
    })
    .slice(0, MOST_BESIDE);
}

function rowsOf(data: readonly unknown[]): Omit<Table, "beside"> | null {
  if (data.length < 2) return null;
  const names = isRecord(data[0]) ? Object.keys(data[0]) : [];
  if (!names.length || names.length > COLUMNS) return null;
  const flat = (row: unknown): row is Record_ =>
    isRecord(row) &&
    Object.keys(row).length === names.length &&
    names.every((name) => name in row && (row[name] === null || typeof row[name] !== "object"));
  return data.every(flat) ? { names, rows: data } : null;
}

export function linesOf(result: ToolResult): readonly string[] {
  const { data } = result;
  if (isRecord(data)) {
    const shown = Object.entries(data).filter(([name]) => name !== "chart");
    return shown.map(([name, one]) => `${name}: ${asText(one)}`);
  }
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
  table.rows.every((row) => typeof row[name] === "number" || row[name] === null);

export const cellText = (value: unknown): string =>
  value === null
    ? "–"
    : typeof value === "number"
      ? value.toLocaleString("en", { maximumFractionDigits: 6 })
      : asText(value);

// The rows as lines whose columns stand under one another.
export function alignedLines(table: Table): readonly string[] {
  const cells = [table.names, ...table.rows.map((row) => table.names.map((name) => cellText(row[name])))];
  const widths = table.names.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const right = table.names.map((name) => isNumbers(table, name));
  const line = (row: readonly string[]) =>
    row.map((text, column) => (right[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)));
  return [...table.beside, ...cells.map((row) => line(row).join("  ").trimEnd())];
}
