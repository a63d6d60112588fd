// What a tool returned, as what it is: a table where it is one, else lines.

import { h } from "./dom.js";
import { value } from "./words.js";

const MOST_CHARS = 200_000;
const COLUMNS = 8;

// A list of flat records of one shape is a table; anything else is not.
export function tableOf(data) {
  if (!Array.isArray(data) || data.length < 2) return null;
  const names = data[0] && typeof data[0] === "object" && !Array.isArray(data[0]) ? Object.keys(data[0]) : [];
  if (!names.length || names.length > COLUMNS) return null;
  const flat = (row) =>
    row &&
    typeof row === "object" &&
    Object.keys(row).length === names.length &&
    names.every((name) => name in row && (row[name] === null || typeof row[name] !== "object"));
  return data.every(flat) ? data : null;
}

export function asTable(rows) {
  const names = Object.keys(rows[0]);
  const figures = (name) => rows.every((row) => typeof row[name] === "number");
  const cell = (tag, name, text) =>
    h(tag, { class: figures(name) ? "figure-cell" : null, scope: tag === "th" ? "col" : null }, text);
  const head = h(
    "tr",
    {},
    names.map((name) => cell("th", name, name)),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      { class: "line" },
      names.map((name) => cell("td", name, row[name] === null ? "–" : value(row[name]))),
    ),
  );
  return h("table", {}, h("thead", {}, head), h("tbody", {}, body));
}

export function linesOf(result) {
  const { data } = result;
  if (data && typeof data === "object" && !Array.isArray(data))
    return Object.entries(data).map(([name, one]) => `${name}: ${value(one)}`);
  if (Array.isArray(data)) return data.map(value);
  const lines = result.output
    .slice(0, MOST_CHARS)
    .split("\n")
    .filter((line) => line.trim());
  if (result.output.length > MOST_CHARS)
    lines.push(`(${(result.output.length - MOST_CHARS).toLocaleString("en")} more characters)`);
  return lines.length ? lines : ["(nothing)"];
}
