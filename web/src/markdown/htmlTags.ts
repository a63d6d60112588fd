// The few HTML tags that answers may have, without attributes; all other HTML is shown as the text it is. Runs before
// sanitising, on the tree between Markdown and elements.

import type { Element, ElementContent, Root, Text } from "hast";
import { restore, type Formula } from "./maths";

const TAGS = new Set(["sub", "sup", "details", "summary", "br"]);
// These are shown as what they are before their end has come.
const OPEN_ENDED = new Set(["details", "summary"]);
const TAG = /<(\/?)([a-z]{2,7})\s*(\/?)>/gi;
const MOST_DEEP = 20;

type Node = ElementContent | { type: "raw"; value: string };

interface Opened {
  readonly name: string;
  readonly text: string;
  readonly children: ElementContent[];
}

export function rehypeHtmlTags({ formulas }: { formulas: readonly Formula[] }) {
  return (tree: Root): void => {
    nest(tree, formulas, 0);
  };
}

function nest(parent: Root | Element, formulas: readonly Formula[], depth: number): void {
  const children = parent.children as Node[];
  for (const child of children) if (child.type === "element") nest(child, formulas, depth + 1);
  if (!children.some((one) => one.type === "raw")) return;
  const stack: Opened[] = [{ name: "", text: "", children: [] }];
  const put = (node: ElementContent) => stack.at(-1)?.children.push(node);
  for (const child of children) {
    if (child.type !== "raw") put(child);
    else for (const piece of pieces(restore(child.value, formulas))) step(piece, stack, put, depth);
  }
  while (stack.length > 1) close(stack, false);
  parent.children = stack[0]?.children ?? [];
}

interface Piece {
  readonly text: string;
  readonly tag: string;
  readonly closes: boolean;
}

function* pieces(value: string): Generator<Piece> {
  let at = 0;
  for (const found of value.matchAll(TAG)) {
    const tag = (found[2] ?? "").toLowerCase();
    if (!TAGS.has(tag)) continue;
    if (found.index > at) yield { text: value.slice(at, found.index), tag: "", closes: false };
    yield { text: found[0], tag, closes: found[1] === "/" };
    at = found.index + found[0].length;
  }
  if (at < value.length) yield { text: value.slice(at), tag: "", closes: false };
}

function step({ text, tag, closes }: Piece, stack: Opened[], put: (node: ElementContent) => void, depth: number): void {
  const place = closes ? stack.findLastIndex((one) => one.name === tag) : -1;
  if (tag === "br") put({ type: "element", tagName: "br", properties: {}, children: [] });
  else if (place > 0) {
    while (stack.length > place + 1) close(stack, false);
    close(stack, true);
  } else if (tag && !closes && stack.length + depth < MOST_DEEP) stack.push({ name: tag, text, children: [] });
  else put(textNode(text));
}

// What was never closed was no tag, unless it may still be.
function close(stack: Opened[], ended: boolean): void {
  const { name, text, children } = stack.pop() as Opened;
  const whole = ended || OPEN_ENDED.has(name);
  const made: ElementContent[] = whole
    ? [{ type: "element", tagName: name, properties: {}, children }]
    : [textNode(text), ...children];
  stack.at(-1)?.children.push(...made);
}

const textNode = (value: string): Text => ({ type: "text", value });
