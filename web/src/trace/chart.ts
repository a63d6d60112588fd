// A chart as a tool put it into its data. Everything a tool says is untrusted: what does not fit is no chart.

import type { Series } from "../ui/Chart";

export interface ToolChart {
  readonly form: "line" | "bar";
  readonly title: string;
  readonly series: readonly Series[];
  readonly unit: string;
}

const MOST_POINTS = 400;
const MOST_SERIES = 4;
const LONGEST = 120;
const KINDS = ["answer", "act", "observe", "think"] as const;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= LONGEST;
const isValue = (value: unknown): value is number | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));

export function chartIn(data: unknown): ToolChart | null {
  const found = isRecord(data) ? data["chart"] : null;
  if (!isRecord(found)) return null;
  const { kind, title, x, series } = found;
  if ((kind !== "line" && kind !== "bar") || !isText(title) || !Array.isArray(x) || !Array.isArray(series)) return null;
  if (!x.length || x.length > MOST_POINTS || !x.every(isText)) return null;
  if (!series.length || series.length > MOST_SERIES) return null;
  const read = series.map((one, place) => seriesOf(one, x, place));
  if (read.some((one) => one === null)) return null;
  const first: unknown = series[0];
  const unit = isRecord(first) && isText(first["unit"]) ? first["unit"] : "";
  return { form: kind, title, series: read.filter((one) => one !== null), unit };
}

function seriesOf(one: unknown, x: readonly string[], place: number): Series | null {
  if (!isRecord(one) || !isText(one["label"]) || !Array.isArray(one["values"])) return null;
  const values: readonly unknown[] = one["values"];
  if (values.length !== x.length || !values.every(isValue)) return null;
  return {
    name: one["label"],
    kind: KINDS[place] ?? "soft",
    points: x.map((label, at) => ({ label, value: values[at] ?? null })),
  };
}

export const inUnit =
  (unit: string) =>
  (value: number): string => {
    const number = value.toLocaleString("en", { maximumFractionDigits: Math.abs(value) >= 1000 ? 0 : 2 });
    return unit ? `${number} ${unit}` : number;
  };
