// A little Markdown as elements: paragraphs, headings, lists, tables, code, quotes, bold, emphasis, addresses.
//
// Works on ranges of the source and never on markup, so that every character keeps its place: `mark` is told which range
// a text node shows, and can underline the figures in it. What is not understood stays as it was written.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(```+|~~~+)\s*[\w+#.-]*\s*$/;
const HEADING = /^ {0,3}(#{1,6})\s+/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+/;
const RULE = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const ADDRESS = /https?:\/\/[^\s<>"'`\\)\]}]*[^\s<>"'`\\)\]}.,;:!?]/y;
const LINK = /!?\[([^\[\]\n]{0,500})\]\(\s*([^\s()<>]{1,2000})\s*\)/y;
const DEEPEST = 6;

export function markdown(source, mark = plain) {
  const root = h("div", { class: "prose" });
  blocks(root, split(source, 0, source.length), source, mark, 0);
  return root;
}

function plain(parent, source, from, to) {
  parent.append(source.slice(from, to));
}

function split(source, from, to) {
  const lines = [];
  for (let at = from; at <= to;) {
    let end = source.indexOf("\n", at);
    if (end < 0 || end > to) end = to;
    lines.push({ from: at, to: end });
    at = end + 1;
  }
  return lines;
}

const textOf = (line, source) => source.slice(line.from, line.to);

function blocks(parent, lines, source, mark, depth) {
  for (let at = 0; at < lines.length;) {
    const text = textOf(lines[at], source);
    if (!text.trim()) at += 1;
    else if (FENCE.test(text)) at = code(parent, lines, at, source, mark);
    else if (HEADING.test(text)) at = heading(parent, lines, at, source, mark);
    else if (RULE.test(text)) {
      parent.append(h("hr"));
      at += 1;
    } else if (isTable(lines, at, source)) at = table(parent, lines, at, source, mark);
    else if (depth < DEEPEST && QUOTE.test(text)) at = quote(parent, lines, at, source, mark, depth);
    else if (depth < DEEPEST && ITEM.test(text)) at = list(parent, lines, at, source, mark, depth);
    else at = paragraph(parent, lines, at, source, mark);
  }
}

function code(parent, lines, at, source, mark) {
  const fence = textOf(lines[at], source)
    .trim()
    .match(/^(`+|~+)/)[0];
  let end = at + 1;
  while (end < lines.length && !textOf(lines[end], source).trim().startsWith(fence)) end += 1;
  const inner = h("code");
  if (end > at + 1) mark(inner, source, lines[at + 1].from, lines[end - 1].to);
  parent.append(h("pre", { tabindex: "0" }, inner));
  return end + 1;
}

function heading(parent, lines, at, source, mark) {
  const [all, signs] = textOf(lines[at], source).match(HEADING);
  const node = h(`h${Math.min(6, signs.length + 2)}`);
  inline(node, source, lines[at].from + all.length, lines[at].to, mark);
  parent.append(node);
  return at + 1;
}

function quote(parent, lines, at, source, mark, depth) {
  const inner = [];
  let end = at;
  for (; end < lines.length && QUOTE.test(textOf(lines[end], source)); end += 1) {
    inner.push({ from: lines[end].from + textOf(lines[end], source).match(QUOTE)[0].length, to: lines[end].to });
  }
  const node = h("blockquote");
  blocks(node, inner, source, mark, depth + 1);
  parent.append(node);
  return end;
}

function list(parent, lines, at, source, mark, depth) {
  const first = textOf(lines[at], source).match(ITEM);
  const ordered = /\d/.test(first[2]);
  const start = ordered ? Number.parseInt(first[2], 10) : 1;
  const node = h(ordered ? "ol" : "ul", { start: ordered && start !== 1 ? String(start) : null });
  let end = at;
  while (end < lines.length) {
    const item = textOf(lines[end], source).match(ITEM);
    if (!item || item[1].length !== first[1].length || /\d/.test(item[2]) !== ordered) break;
    const inner = [{ from: lines[end].from + item[0].length, to: lines[end].to }];
    for (end += 1; end < lines.length; end += 1) {
      const text = textOf(lines[end], source);
      const indent = text.match(/^\s*/)[0].length;
      if (!text.trim() ? !goesOn(lines, end, source, item[1].length) : indent <= item[1].length) break;
      inner.push({
        from: Math.min(lines[end].to, lines[end].from + Math.min(indent, item[0].length)),
        to: lines[end].to,
      });
    }
    const entry = h("li");
    blocks(entry, inner, source, mark, depth + 1);
    // One paragraph is the item itself.
    if (entry.childNodes.length && entry.firstChild.tagName === "P")
      entry.firstChild.replaceWith(...entry.firstChild.childNodes);
    node.append(entry);
  }
  parent.append(node);
  return end;
}

const goesOn = (lines, at, source, indent) =>
  at + 1 < lines.length && new RegExp(`^\\s{${indent + 1},}\\S`).test(textOf(lines[at + 1], source));

const isTable = (lines, at, source) =>
  at + 1 < lines.length &&
  textOf(lines[at], source).includes("|") &&
  textOf(lines[at + 1], source).includes("-") &&
  textOf(lines[at + 1], source).includes("|") &&
  DIVIDER.test(textOf(lines[at + 1], source));

function table(parent, lines, at, source, mark) {
  const head = cells(lines[at], source);
  const sides = cells(lines[at + 1], source).map(({ from, to }) => /:$/.test(source.slice(from, to)));
  let end = at + 2;
  const rows = [];
  for (; end < lines.length && textOf(lines[end], source).includes("|"); end += 1) rows.push(cells(lines[end], source));
  const right = head.map(
    (_, column) => sides[column] || (rows.length > 0 && rows.every((row) => isFigure(row[column], source))),
  );
  const row = (tag, parts) =>
    h(
      "tr",
      {},
      head.map((_, column) => {
        const cell = h(tag, { class: right[column] ? "figure-cell" : null, scope: tag === "th" ? "col" : null });
        if (parts[column]) inline(cell, source, parts[column].from, parts[column].to, mark);
        return cell;
      }),
    );
  const body = h(
    "tbody",
    {},
    rows.map((parts) => row("td", parts)),
  );
  parent.append(h("div", { class: "scroll", tabindex: "0" }, h("table", {}, h("thead", {}, row("th", head)), body)));
  return end;
}

function cells(line, source) {
  const found = [];
  let from = line.from;
  for (let at = line.from; at <= line.to; at += 1) {
    if (at < line.to && (source[at] !== "|" || source[at - 1] === "\\")) continue;
    found.push(trimmed(source, from, at));
    from = at + 1;
  }
  if (found.length > 1 && found[0].from >= found[0].to) found.shift();
  if (found.length > 1 && found.at(-1).from >= found.at(-1).to) found.pop();
  return found;
}

function trimmed(source, from, to) {
  while (from < to && /\s/.test(source[from])) from += 1;
  while (to > from && /\s/.test(source[to - 1])) to -= 1;
  return { from, to };
}

const isFigure = (cell, source) =>
  cell && /^[\s*_`+−–-]*[€$£¥]?\d[\d.,\s  ]*\s?(%|[\p{L}°/]{0,6})[*_`]*$/u.test(source.slice(cell.from, cell.to));

function paragraph(parent, lines, at, source, mark) {
  const node = h("p");
  let end = at;
  do {
    const { from, to } = trimmed(source, lines[end].from, lines[end].to);
    if (end > at) node.append(/ {2}$|\\$/.test(textOf(lines[end - 1], source)) ? h("br") : "\n");
    inline(node, source, from, to, mark);
    end += 1;
  } while (end < lines.length && isText(lines, end, source));
  parent.append(node);
  return end;
}

function isText(lines, at, source) {
  const text = textOf(lines[at], source);
  return (
    text.trim() && ![FENCE, HEADING, RULE, QUOTE, ITEM].some((kind) => kind.test(text)) && !isTable(lines, at, source)
  );
}

function inline(parent, source, from, to, mark, depth = 0) {
  let done = from;
  const flush = (until) => {
    if (until > done) mark(parent, source, done, until);
  };
  for (let at = from; at < to;) {
    const taken = depth < DEEPEST ? special(source, at, from, to) : null;
    if (!taken) {
      at += 1;
      continue;
    }
    flush(at);
    if (taken.node) {
      if (taken.verbatim) mark(taken.node, source, taken.from, taken.to);
      else inline(taken.node, source, taken.from, taken.to, mark, depth + 1);
      parent.append(taken.node, ...(taken.after ?? []));
    } else mark(parent, source, taken.from, taken.to);
    at = done = taken.end;
  }
  flush(to);
}

// What begins at this place, if anything: an element and the range inside it, or a character to take as it is.
function special(source, at, from, to) {
  const sign = source[at];
  if (sign === "\\" && at + 1 < to && /[!-/:-@[-`{-~]/.test(source[at + 1]))
    return { from: at + 1, to: at + 2, end: at + 2 };
  if (sign === "`") return span(source, at, to, /^`+/.exec(source.slice(at, at + 3))[0], "code", true);
  if (sign === "*" || (sign === "_" && (at === from || !/\w/.test(source[at - 1])))) {
    const double = source[at + 1] === sign;
    return span(source, at, to, double ? sign + sign : sign, double ? "strong" : "em", false);
  }
  if (sign === "h") return address(source, at, to);
  return sign === "[" || (sign === "!" && source[at + 1] === "[") ? link(source, at, to) : null;
}

function span(source, at, to, fence, tag, verbatim) {
  const from = at + fence.length;
  if (!verbatim && /\s/.test(source[from] ?? " ")) return null;
  for (
    let end = source.indexOf(fence, from + 1);
    end > 0 && end + fence.length <= to;
    end = source.indexOf(fence, end + 1)
  ) {
    const apart = verbatim || !/\s/.test(source[end - 1]);
    const whole = fence[0] !== "_" || !/\w/.test(source[end + fence.length] ?? " ");
    if (apart && whole && source[end + fence.length] !== fence[0])
      return { node: h(tag), from, to: end, end: end + fence.length, verbatim };
  }
  return null;
}

function address(source, at, to) {
  ADDRESS.lastIndex = at;
  const found = ADDRESS.exec(source);
  if (!found || at + found[0].length > to) return null;
  const end = at + found[0].length;
  return { node: anchor(found[0]), from: at, to: end, end, verbatim: true };
}

// The text, and behind it where it leads: what one reads is where one goes. Pictures are not loaded.
function link(source, at, to) {
  LINK.lastIndex = at;
  const found = LINK.exec(source);
  if (!found || at + found[0].length > to) return null;
  const from = source.indexOf("[", at) + 1;
  const goes = /^https?:\/\//i.test(found[2]) ? anchor(found[2]) : null;
  if (goes) goes.append(found[2]);
  return {
    node: h("span"),
    after: [" (", goes ?? found[2], ")"],
    from,
    to: from + found[1].length,
    end: at + found[0].length,
  };
}

const anchor = (href) => h("a", { href, rel: "noopener noreferrer nofollow", target: "_blank" });
