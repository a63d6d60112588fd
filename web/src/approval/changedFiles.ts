// Changes of files as tools preview and record them, as lines of a diff. Nothing in them is taken on trust.

import type { DiffPreview } from "../api/types";
import type { DiffLine } from "./diff";
import { t } from "../language/t";

export interface ChangedFile {
  readonly path: string;
  readonly source: string | null;
  readonly change: DiffPreview["change_type"];
  readonly before: string | null;
  readonly after: string | null;
  readonly lines: readonly DiffLine[];
  readonly truncated: boolean;
}

/** The files that a preview or a result tells of; null where it is none of a change. */
export function changedFiles(preview: unknown): readonly ChangedFile[] | null {
  if (isPreview(preview)) return [asChanged(preview)];
  const files = isObject(preview) ? preview["files"] : null;
  return Array.isArray(files) && files.length && files.every(isPreview) ? files.map(asChanged) : null;
}

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null;

const isPreview = (given: unknown): given is DiffPreview =>
  isObject(given) &&
  typeof given["file_path"] === "string" &&
  typeof given["change_type"] === "string" &&
  Array.isArray(given["diff_lines"]) &&
  given["diff_lines"].every((line) => isObject(line) && typeof line["content"] === "string");

export function asChanged(preview: DiffPreview): ChangedFile {
  return {
    path: preview.file_path,
    source: preview.source_path ?? null,
    change: preview.change_type,
    before: preview.original_content ?? null,
    after: preview.new_content ?? null,
    lines: numbered(preview),
    truncated: preview.truncated,
  };
}

// Lines that were left out between two changes are told as a place.
function numbered({ diff_lines: given }: DiffPreview): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let ahead = 0;
  let next: number | null = null;
  for (const { line_number: number, type, content } of given) {
    const text = content.replace(/\r?\n$/, "");
    if (type === "remove") {
      if (next !== null && number + ahead > next) lines.push(gap(number + ahead));
      lines.push({ kind: "removed", before: number, after: null, text });
      ahead -= 1;
      next = number + 1 + ahead;
      continue;
    }
    if (next !== null && number > next) lines.push(gap(number));
    next = number + 1;
    if (type === "add") {
      lines.push({ kind: "added", before: null, after: number, text });
      ahead += 1;
    } else lines.push({ kind: "same", before: number - ahead, after: number, text });
  }
  return lines;
}

const gap = (line: number): DiffLine => ({ kind: "place", before: null, after: null, text: t("… line {0}", line) });

export const TITLES: Record<ChangedFile["change"], string> = {
  create: t("new file"),
  modify: "changed",
  delete: "deleted",
  move: "moved",
};
