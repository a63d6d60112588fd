// A timeline as a tool put it into its data. Everything a tool says is untrusted: what does not fit is no timeline.

import { isRecord } from "./cells";

export interface Span {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly kind: string;
}

export interface TimelineRow {
  readonly label: string;
  readonly spans: readonly Span[];
}

export interface Mark {
  readonly at: number;
  readonly label: string;
  readonly kind: string;
}

export interface ToolTimeline {
  readonly title: string;
  readonly length: number;
  readonly rows: readonly TimelineRow[];
  readonly marks: readonly Mark[];
}

const MOST_ROWS = 40;
const MOST_SPANS = 2000;
const LONGEST_LABEL = 120;
const LONGEST_S = 86_400;
const MOST_TICKS = 8;
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400] as const;

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= LONGEST_LABEL;
const textOr = (value: unknown): string | null => (value === undefined ? "" : isText(value) ? value : null);
const within = (value: unknown, length: number): value is number =>
  typeof value === "number" && value >= 0 && value <= length;

export function timelineIn(data: unknown): ToolTimeline | null {
  const found = isRecord(data) ? data["timeline"] : null;
  if (!isRecord(found)) return null;
  const { title, length_s: length, rows, marks = [] } = found;
  if (!isText(title) || !within(length, LONGEST_S) || length <= 0) return null;
  if (!Array.isArray(rows) || !rows.length || rows.length > MOST_ROWS) return null;
  if (!Array.isArray(marks) || marks.length > MOST_SPANS) return null;
  const readRows = allOf(rows, (row) => rowOf(row, length));
  const readMarks = allOf(marks, (mark) => markOf(mark, length));
  if (!readRows || !readMarks) return null;
  if (readRows.reduce((sum, row) => sum + row.spans.length, 0) > MOST_SPANS) return null;
  return { title, length, rows: readRows, marks: readMarks };
}

export function allOf<T>(values: readonly unknown[], read: (value: unknown) => T | null): readonly T[] | null {
  const done: T[] = [];
  for (const value of values) {
    const one = read(value);
    if (one === null) return null;
    done.push(one);
  }
  return done;
}

function rowOf(value: unknown, length: number): TimelineRow | null {
  if (!isRecord(value) || !isText(value["label"])) return null;
  const spans: unknown = value["spans"] ?? [];
  if (!Array.isArray(spans) || spans.length > MOST_SPANS) return null;
  const read = allOf(spans, (span) => spanOf(span, length));
  return read && { label: value["label"], spans: read };
}

function spanOf(value: unknown, length: number): Span | null {
  if (!isRecord(value)) return null;
  const { from, to } = value;
  const [label, kind] = [textOr(value["label"]), textOr(value["kind"])];
  if (!within(from, length) || !within(to, length) || to < from || label === null || kind === null) return null;
  return { from, to, label, kind };
}

function markOf(value: unknown, length: number): Mark | null {
  if (!isRecord(value) || !within(value["at"], length) || !isText(value["label"])) return null;
  const kind = textOr(value["kind"]);
  return kind === null ? null : { at: value["at"], label: value["label"], kind };
}

// 75.25 → "1:15.3"; whole seconds without a fraction.
export function clock(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const whole = Math.floor(tenths / 10);
  const rest = String(whole % 60).padStart(2, "0");
  return `${Math.floor(whole / 60)}:${rest}${tenths % 10 ? `.${tenths % 10}` : ""}`;
}

// Moments for the axis: round ones, not too many.
export function ticks(length: number): readonly number[] {
  const step = STEPS_S.find((one) => length / one <= MOST_TICKS) ?? LONGEST_S;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
}

const COLOURS = 6;

// Phases by name with the number of their colour: one that comes again has the same.
export function phaseColours(rows: readonly TimelineRow[]): ReadonlyMap<string, number> {
  const spans = rows.flatMap((row) => row.spans.filter((span) => span.kind === "phase" && span.label));
  return new Map([...new Set(spans.map((span) => span.label))].map((label, place) => [label, place % COLOURS]));
}

export interface Line {
  readonly row: string;
  readonly from: number;
  readonly to: number | null;
  readonly what: string;
}

// The same as lines of a table, in the order of time.
export function linesOf({ rows, marks }: ToolTimeline): readonly Line[] {
  const named = (label: string, kind: string): string => (label && kind ? `${label} (${kind})` : label || kind);
  const spans = rows.flatMap((row) =>
    row.spans.map((span) => ({ row: row.label, from: span.from, to: span.to, what: named(span.label, span.kind) })),
  );
  const moments = marks.map((mark) => ({ row: "", from: mark.at, to: null, what: named(mark.label, mark.kind) }));
  return [...spans, ...moments].sort((one, other) => one.from - other.from);
}
