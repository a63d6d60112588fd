// Formulas as models write them: \( \), \[ \], $$ and, where it is no money, $. Found in the source before Markdown reads
// it, which would eat their backslashes, and each replaced by as many signs that mean nothing to it. Pure.

export interface Formula {
  readonly source: string;
  readonly display: boolean;
  // As it was written.
  readonly text: string;
}

export interface Masked {
  // As long as what it was made of: places in the one are places in the other.
  readonly source: string;
  readonly formulas: readonly Formula[];
}

const FIRST = "\ue000";
const FILL = "\ue001";
const LAST = "\ue002";
const NUMBERS = 0xe100;
const MOST_FORMULAS = 2_000;
const OWN = /[\ue000-\ue8ff]/g;
const MASK = /\ue000([\ue100-\ue8ff])\ue001*\ue002/g;

const MOST_INLINE = 500;
const MOST_DISPLAY = 5_000;
const MOST_CODE = 2_000;

// Code, addresses and escaped signs are passed over; what may begin a formula comes last.
const SIGNS =
  /^ {0,3}(`{3,}|~{3,})[^\n]*$|(`+)|\bhttps?:\/\/[^\s<>]+|\]\([^()\n]*\)|\\([([])|\\[^]|(?<![\w$])(\${1,2})(?!\$)/gm;

// `open`: the text is still being written, and a formula at its end need not be closed.
export function mask(source: string, open = false): Masked {
  if (!/[\\$]/.test(source) && !OWN.test(source)) return { source, formulas: [] };
  OWN.lastIndex = 0;
  const text = source.replace(OWN, "\ufffd");
  const formulas: Formula[] = [];
  let made = "";
  let done = 0;
  let blank = -1;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign && formulas.length < MOST_FORMULAS; sign = SIGNS.exec(text)) {
    const [all, fence, ticks, bracket, dollars] = sign;
    const after = sign.index + all.length;
    if (blank < after) blank = blankAfter(text, after);
    if (fence) SIGNS.lastIndex = fenceEnd(text, after, fence);
    else if (ticks) SIGNS.lastIndex = after + codeLength(text.slice(after, Math.min(blank, after + MOST_CODE)), ticks);
    if (!bracket && !dollars) continue;
    // All of the paragraph that can be of the formula.
    const most = bracket === "(" || dollars === "$" ? MOST_INLINE : MOST_DISPLAY;
    const rest: Rest = { text: text.slice(after, Math.min(blank, after + most)), open: open && blank === text.length };
    const found = bracket ? bracketed(rest, bracket) : dollared(rest, dollars ?? "");
    if (!found) continue;
    made += text.slice(done, sign.index) + maskOf(formulas.length, all.length + found.length);
    done = after + found.length;
    formulas.push({ source: found.source, display: found.display, text: text.slice(sign.index, done) });
    SIGNS.lastIndex = done;
  }
  return { source: made + text.slice(done), formulas };
}

const maskOf = (number: number, length: number): string =>
  FIRST + String.fromCharCode(NUMBERS + number) + FILL.repeat(length - 3) + LAST;

function fenceEnd(text: string, at: number, fence: string): number {
  const closing = new RegExp(`^[ >]{0,8}${fence[0] === "~" ? "~" : "`"}{${fence.length},}[ \t]*$`, "gm");
  closing.lastIndex = at;
  return closing.exec(text) ? closing.lastIndex : text.length;
}

// Code within a line ends with as many ticks, in the same paragraph.
function codeLength(rest: string, ticks: string): number {
  for (const found of rest.matchAll(/`+/g)) {
    if (found[0].length === ticks.length) return found.index + found[0].length;
  }
  return 0;
}

function blankAfter(text: string, at: number): number {
  const blank = /\n[ \t>]*\n/g;
  blank.lastIndex = at;
  return blank.exec(text)?.index ?? text.length;
}

interface Rest {
  readonly text: string;
  // It is the end of what is being written.
  readonly open: boolean;
}

interface Found {
  readonly source: string;
  readonly display: boolean;
  // From behind the sign that opens it to behind the one that closes it.
  readonly length: number;
}

function bracketed(rest: Rest, bracket: string): Found | null {
  const display = bracket === "[";
  const close = rest.text.indexOf(display ? "\\]" : "\\)");
  if (close < 0) return unclosed(rest, display);
  const inside = rest.text.slice(0, close);
  return isFormula(inside, display) ? { source: cleaned(inside), display, length: close + 2 } : null;
}

function dollared(rest: Rest, dollars: string): Found | null {
  const display = dollars.length === 2;
  if (display) {
    const close = rest.text.search(/(?<![\\$])\$\$(?!\$)/);
    if (close < 0) return unclosed(rest, true);
    const inside = rest.text.slice(0, close);
    return isFormula(inside, true) ? { source: cleaned(inside), display, length: close + 2 } : null;
  }
  // One dollar may be many things: what follows it closely must end as closely, in the same line.
  const inside = /^(?!\s)[^\n`]*?(?<![\\$\s])(?=\$(?![\w$]))/.exec(rest.text)?.[0];
  return inside && isInline(inside) ? { source: cleaned(inside), display, length: inside.length + 1 } : null;
}

// At the end of what is being written; only what is certainly one.
function unclosed({ text, open }: Rest, display: boolean): Found | null {
  return open && SURE.test(text) ? { source: cleaned(text), display, length: text.length } : null;
}

const SURE = /[\\^_={}]/;
const PROSE = /(?<![\\\p{L}])\p{L}{3,}/u;

// `\[1\]` and `\(sic\)` are escaped brackets.
function isFormula(inside: string, display: boolean): boolean {
  if (!inside.trim()) return false;
  if (SURE.test(inside)) return true;
  return display ? /[+*/<>|]|\s-\s/.test(inside) : isInline(inside.trim());
}

// Money has words around its figures, maths has signs.
function isInline(inside: string): boolean {
  if (/\\[a-zA-Z]/.test(inside)) return true;
  if (/^\d[\d.,]*[kKmMbB]?(?:\s|$)/.test(inside) && /\s\p{L}{2,}/u.test(inside)) return false;
  if (/[\^_={}]/.test(inside)) return !/(?:^|\s)\p{L}{3,}\s+\p{L}{2,}/u.test(inside);
  return /^[-+*/()[\]|!'.,:;<>≤≥≠±×·\s\d\p{L}]+$/u.test(inside) && !PROSE.test(inside) && !/\p{L}{2,}\s/u.test(inside);
}

// In a quotation each line begins with its sign.
const cleaned = (inside: string): string => inside.replace(/\n[ \t]*>[ \t]?/g, "\n").trim();

// The text in pieces: words, and formulas by their number.
export function unmask(text: string): readonly (string | number)[] {
  const parts: (string | number)[] = [];
  let at = 0;
  for (const found of text.matchAll(MASK)) {
    if (found.index > at) parts.push(text.slice(at, found.index));
    parts.push((found[1] ?? "").charCodeAt(0) - NUMBERS);
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

// As it was written: in code there are no formulas.
export const restore = (text: string, formulas: readonly Formula[]): string =>
  text.includes(FIRST)
    ? unmask(text)
        .map((one) => (typeof one === "number" ? (formulas[one]?.text ?? "") : one))
        .join("")
    : text;
