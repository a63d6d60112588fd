// A question as Markdown: pasted code gets the fence it lacks, and a long question is cut to its first lines. Pure.

const FOLD_LINES = 8;
// A fold that hides less than it takes up itself helps nobody.
const WHOLE_LINES = 12;
const LINE_CHARS = 80;
const CODE_RUN = 3;

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const CODE_START =
  /^(?:import |from \S+ import |def |async def |class |function |const |let |var |return\b|if ?\(|for ?\(|while ?\(|elif |else:|try:|except\b|@\w|#include|#!|public |private |static |package |use |fn |func |SELECT |INSERT |UPDATE |CREATE |<\/?[a-z!][^>]*>|\$ |\/\/|\/\*)/;
const CODE_END = /[;{}]$|(?:\)|\w\]?):$|=>$|\\$/;

type Fence = string | null;

// The fence that is open after a line.
function fenceAfter(line: string, open: Fence): Fence {
  const mark = FENCE.exec(line)?.[1];
  if (!mark) return open;
  if (open === null) return mark;
  const closes = mark[0] === open[0] && mark.length >= open.length && line.trim() === mark;
  return closes ? null : open;
}

const isCode = (line: string): boolean =>
  /^(?: {2,}|\t)\S|^\w[\w.]*\(.*\)$/.test(line) || CODE_START.test(line) || CODE_END.test(line);
const isListed = (line: string): boolean => /^\s*(?:[-*+]|\d{1,3}[.)]) /.test(line);
// "Why does this fail:" stands before code, and is none.
const isProse = (line: string): boolean => !isCode(line) || /^[A-Z][^;{}()=]*:$/.test(line);

interface Paragraph {
  readonly lines: string[];
  readonly kind: "text" | "code" | "fenced" | "empty";
}

// Lines of code that nobody fenced are fenced, with the empty lines between them.
export function withFences(text: string): string {
  const made: string[] = [];
  let run: string[] = [];
  const flush = () => {
    made.push(...(run.filter((line) => !isProse(line)).length >= CODE_RUN ? fenced(run) : run));
    run = [];
  };
  for (const { lines, kind } of paragraphs(text)) {
    if (kind === "code" || (kind === "empty" && run.length)) run.push(...lines);
    else {
      flush();
      made.push(...lines);
    }
  }
  flush();
  return made.join("\n");
}

function paragraphs(text: string): readonly Paragraph[] {
  const found: Paragraph[] = [];
  let open: Fence = null;
  for (const line of text.split("\n")) {
    const before = open;
    open = fenceAfter(line, open);
    const kind = before !== null || open !== null ? "fenced" : line.trim() ? "text" : "empty";
    const last = found.at(-1);
    if (kind === "text" && last?.kind === "text") last.lines.push(line);
    else found.push({ kind, lines: [line] });
  }
  return found.map((one) => (one.kind === "text" && looksLikeCode(one.lines) ? { ...one, kind: "code" } : one));
}

const looksLikeCode = (lines: readonly string[]): boolean =>
  !lines.some(isListed) && lines.filter((line) => !isProse(line)).length * 2 >= lines.length;

// Words right before the code stay outside it, and so do empty lines after it.
function fenced(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => !isProse(line));
  const to = lines.findLastIndex((line) => line.trim()) + 1;
  const ticks = /`{3,}/.test(lines.join("\n")) ? "~~~~" : "```";
  return [...lines.slice(0, from), ticks, ...lines.slice(from, to), ticks, ...lines.slice(to)];
}

const height = (line: string): number => Math.max(1, Math.ceil(line.length / LINE_CHARS));

// The beginning of a long question; null where it is shown whole.
export function folded(text: string): string | null {
  const lines = text.split("\n");
  let total = 0;
  for (const line of lines) {
    total += height(line);
    if (total > WHOLE_LINES) return cut(lines);
  }
  return null;
}

function cut(lines: readonly string[]): string {
  const kept: string[] = [];
  let left = FOLD_LINES;
  let open: Fence = null;
  for (const line of lines) {
    open = fenceAfter(line, open);
    const room = left * LINE_CHARS;
    kept.push(line.length > room ? `${line.slice(0, room).replace(/\s+\S{0,40}$/, "")} …` : line);
    left -= height(line);
    if (left <= 0) break;
  }
  if (open) kept.push(open);
  return kept.join("\n");
}
