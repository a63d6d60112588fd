// A chart as a tool put it into its data. Everything a tool says is untrusted: what does not fit is no chart.

import type { Series } from "../ui/Chart";

export interface ToolChart {
  readonly form: "line" | "bar" | "grid";
  readonly title: string;
  readonly series: readonly Series[];
  readonly unit: string;
  // What the points are, and what is measured at them; empty where nobody says.
  readonly x: string;
  readonly y: string;
}

const MOST_POINTS = { line: 400, bar: 30, grid: 60 } as const;
const MOST_SERIES = { line: 10, bar: 10, grid: 40 } as const;
const LONGEST = 120;
const KINDS = ["answer", "act", "observe", "think", "soft"] as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= LONGEST;
const isValue = (value: unknown): value is number | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));

export function chartIn(data: unknown): ToolChart | null {
  const found = isRecord(data) ? data["chart"] : null;
  if (!isRecord(found)) return null;
  const { kind, title, x, x_label, series } = found;
  if (kind !== "line" && kind !== "bar" && kind !== "grid") return null;
  if (!isText(title) || !Array.isArray(x) || !Array.isArray(series)) return null;
  if (!x.length || x.length > MOST_POINTS[kind] || !x.every(isText)) return null;
  if (!series.length || series.length > MOST_SERIES[kind]) return null;
  const read = series.map((one, place) => seriesOf(one, x, place));
  if (read.some((one) => one === null)) return null;
  const first: unknown = series[0];
  const unit = isRecord(first) && isText(first["unit"]) ? first["unit"] : "";
  const shown = read.filter((one) => one !== null);
  // Several have their names below.
  const y = shown.length === 1 ? (shown[0]?.name ?? "") : "";
  return { form: kind, title, series: shown, unit, x: isText(x_label) ? x_label : "", y: withUnit(y, unit) };
}

function seriesOf(one: unknown, x: readonly string[], place: number): Series | null {
  if (!isRecord(one) || !isText(one["label"]) || !Array.isArray(one["values"])) return null;
  const values: readonly unknown[] = one["values"];
  if (values.length !== x.length || !values.every(isValue)) return null;
  return {
    name: one["label"],
    kind: KINDS[place % KINDS.length] ?? "soft",
    dashed: place >= KINDS.length,
    points: x.map((label, at) => ({ label, value: values[at] ?? null })),
  };
}

const withUnit = (name: string, unit: string): string => (name && unit ? `${name} (${unit})` : name || unit);

export const inUnit =
  (unit: string) =>
  (value: number): string => {
    const number = value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) >= 1000 ? 0 : 2 });
    return unit ? `${number} ${unit}` : number;
  };
