// A Markdown text in blocks that can be read one by one, so that of a text that grows only its last is read again. Pure.

export interface Block {
  readonly text: string;
  // Where it begins.
  readonly from: number;
}

const FENCE = /^[ ]{0,3}(`{3,}|~{3,})/;
const LISTED = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const QUOTED = /^ {0,3}>/;
const NOTE = /^ {0,3}\[\^[^\]\n]+\]:/m;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]*\S[^\n]*$/gm;
const DISPLAY = /\\[[\]]|\$\$/g;

// Between two blocks there is an empty line, outside code, formulas and <details>, and what follows is no further part of
// a list or a quotation.
export function blocksOf(source: string): readonly Block[] {
  // A footnote's number is counted over the whole.
  if (NOTE.test(source)) return [{ text: source, from: 0 }];
  const blocks: Block[] = [];
  let begin = 0;
  let blank = false;
  let state: State = START;
  for (let at = 0; at < source.length;) {
    const end = source.indexOf("\n", at);
    const next = end < 0 ? source.length : end + 1;
    const line = source.slice(at, end < 0 ? source.length : end);
    if (blank && line.trim() && isFree(state) && !goesOn(state, line)) {
      blocks.push({ text: source.slice(begin, at), from: begin });
      begin = at;
      state = START;
    }
    state = after(state, line);
    blank = !line.trim();
    at = next;
  }
  if (begin < source.length) blocks.push({ text: source.slice(begin), from: begin });
  return blocks;
}

// What a block may need of the others: the addresses of its links.
export const definitionsIn = (source: string): string =>
  source.includes("]:") ? [...source.matchAll(DEFINITION)].map(([line]) => line).join("\n") : "";

interface State {
  readonly fence: string | null;
  readonly formula: boolean;
  readonly details: number;
  // How the block began.
  readonly first: "list" | "quote" | "other" | null;
}

const START: State = { fence: null, formula: false, details: 0, first: null };

const isFree = ({ fence, formula, details }: State): boolean => fence === null && !formula && details <= 0;

function goesOn({ first }: State, line: string): boolean {
  if (first === "list") return LISTED.test(line) || /^\s/.test(line);
  return first === "quote" ? QUOTED.test(line) : /^(?: {4}|\t)/.test(line);
}

function after(state: State, line: string): State {
  const { fence } = state;
  const first =
    state.first ?? (line.trim() ? (LISTED.test(line) ? "list" : QUOTED.test(line) ? "quote" : "other") : null);
  const mark = FENCE.exec(first === "list" ? line.replace(/^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/, "") : line)?.[1];
  if (fence !== null) {
    const closes = mark && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
    return { ...state, first, fence: closes ? null : fence };
  }
  if (mark) return { ...state, first, fence: mark };
  const plain = line.replace(/`[^`]*`/g, "");
  const details = state.details + count(plain, /<details>/gi) - count(plain, /<\/details>/gi);
  return { fence: null, first, formula: formulaAfter(plain, state.formula), details: Math.max(0, details) };
}

const count = (line: string, what: RegExp): number => [...line.matchAll(what)].length;

function formulaAfter(line: string, open: boolean): boolean {
  for (const [sign] of line.matchAll(DISPLAY)) open = sign === "$$" ? !open : sign === "\\[";
  return open;
}
