// Single values of a result, and how each is written. Pure.

import { asText } from "../turn/words";
import { t } from "../language/t";

const ESTIMATED = ["value", "low", "high", "panel", "suppressed"];
const MOST_LISTED = 12;

export type Record_ = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export const isRecord = (value: unknown): value is Record_ =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// A figure that is known only about: its value, from where to where it lies, and what it rests on.
export const isEstimate = (value: unknown): value is Record_ & { readonly value: number | null } =>
  isRecord(value) &&
  (typeof value["value"] === "number" || value["value"] === null) &&
  Object.keys(value).every((key) => ESTIMATED.includes(key));

const isFlat = (value: unknown): boolean => value === null || typeof value !== "object";
export const isCell = (value: unknown): boolean =>
  isFlat(value) || isEstimate(value) || (Array.isArray(value) && value.length <= MOST_LISTED && value.every(isFlat));

export const isPlain = (value: unknown): boolean =>
  (value !== null && typeof value !== "object" && value !== "") || isEstimate(value);

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

export function cellText(value: unknown): string {
  if (value === null) return "–";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 6 });
  if (isEstimate(value)) return estimateText(value);
  return Array.isArray(value) && value.every(isFlat) ? value.map(cellText).join(", ") : asText(value);
}

function estimateText({ value, low, high }: Record_ & { readonly value: number | null }): string {
  if (value === null) return t("too few");
  const range = typeof low === "number" && typeof high === "number" ? ` (${cellText(low)}–${cellText(high)})` : "";
  return `${cellText(value)}${range}`;
}
