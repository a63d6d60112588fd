// Files of an answer, made in the browser when they are asked for: Markdown, Word, and its tables as Excel or CSV.

import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Markdown } from "../markdown/Markdown";
import { cellText, isCell } from "../trace/cells";
import { tablesOf, dataOf } from "../trace/table";
import type { Turn } from "../turn/fold";
import { docxOf } from "./docx";
import { csvOf, csvZipOf, xlsxOf, type Cell, type Sheet } from "./sheets";

export type DownloadKind = "markdown" | "word" | "excel" | "csv";

const NAME_CHARS = 60;

export function download(turn: Turn, kind: DownloadKind): void {
  const text = turn.answer?.text ?? "";
  if (kind === "markdown") save(turn, "md", new Blob([text], { type: "text/markdown" }));
  else if (kind === "word") save(turn, "docx", rendered(text, docxOf));
  else {
    const sheets = sheetsOf(turn);
    const [first] = sheets;
    if (!first) return;
    if (kind === "excel") save(turn, "xlsx", xlsxOf(sheets));
    else if (sheets.length === 1) save(turn, "csv", new Blob([csvOf(first)], { type: "text/csv" }));
    else save(turn, "zip", csvZipOf(sheets));
  }
}

// Those of the answer first, then those that tools returned.
function sheetsOf(turn: Turn): readonly Sheet[] {
  const shown = rendered(turn.answer?.text ?? "", (root) =>
    [...root.querySelectorAll("table")].map((one, at) => fromElement(one, `Answer ${at + 1}`)),
  );
  const returned = turn.rows.flatMap((row) => {
    if (row.kind !== "act" || !row.result) return [];
    return tablesOf(dataOf(row.result)).map(({ names, rows, path }): Sheet => {
      const name = [row.number, row.call.tool, ...path].filter((part) => part !== null).join(" ");
      return { name, columns: names, rows: rows.map((one) => names.map((column) => cellOf(one[column]))) };
    });
  });
  return [...shown, ...returned];
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "string") return value;
  return isCell(value) ? cellText(value) : JSON.stringify(value);
}

function fromElement(table: HTMLTableElement, name: string): Sheet {
  const [head, ...rows] = [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent?.trim() ?? ""));
  return { name, columns: head ?? [], rows: rows.map((row) => row.map(numeric)) };
}

// A plain number is one also for a spreadsheet; whatever has a unit or a sign of its own stays as it was written.
const numeric = (text: string): Cell => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : text);

function rendered<T>(source: string, read: (root: Element) => T): T {
  const place = document.createElement("div");
  const root = createRoot(place);
  flushSync(() => root.render(<Markdown source={source} />));
  const found = read(place);
  root.unmount();
  return found;
}

function save(turn: Turn, ending: string, blob: Blob): void {
  const words = turn.question.match(/[\p{L}\p{N}]+/gu)?.join("-") ?? "answer";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${words.slice(0, NAME_CHARS)}.${ending}`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
