// Changes to the tree between the Markdown of an answer and its elements: figures get their marks, columns of numbers
// their side. Runs after sanitising, so it is the only source of the classes it sets.

import type { Element, ElementContent, Root, RootContent, Text } from "hast";

export interface Mark {
  readonly from: number;
  readonly to: number;
  // The number of the step it came from; empty, "question" or null for what has none.
  readonly step?: string | null;
  // Its place among all of the answer, where these are some of them.
  readonly index?: number;
}

type Parent = Root | Element;
type Child = RootContent | ElementContent;

const NUMBER = /^[\s(]*[-+−–]?[€$£¥]?\s*[\d.,'’ ]*\d\s*(?:%|[a-zA-Zµ°²³/]{0,6})?[)\s]*$/;

export function rehypeFigures({ source, marks }: { source: string; marks: readonly Mark[] }) {
  return (tree: Root): void => {
    if (!marks.length) return;
    each(tree, (node, place, parent) => {
      if (node.type !== "text" || !node.value.trim()) return;
      const base = placeOf(node, parent, source);
      if (base === null) return;
      const parts = split(node.value, base, marks);
      if (parts.length > 1 || parts[0]?.type === "element") parent.children.splice(place, 1, ...(parts as never[]));
    });
    each(tree, (node) => {
      if (node.type === "element" && node.tagName === "table") tellOnce(node, marks);
    });
  };
}

// Where every source in a table is the same step, the table says it, and not each of its figures.
function tellOnce(table: Element, marks: readonly Mark[]): void {
  const spans = [...elements(table, "span")].filter((one) => one.properties["dataFigure"] !== undefined);
  const steps = new Map(marks.map(({ index, step }, place) => [String(index ?? place), step]));
  const stepOf = (span: Element) => steps.get(String(span.properties["dataFigure"]));
  // Other origins than a step's number are words.
  const sourced = spans.filter((one) => /^\d/.test(stepOf(one) ?? ""));
  const [first] = sourced;
  if (!first || sourced.length < 2 || sourced.some((one) => stepOf(one) !== stepOf(first))) return;
  for (const one of sourced) one.properties["dataPlain"] = "1";
  table.properties["dataFigure"] = first.properties["dataFigure"];
  table.properties["dataAll"] = sourced.length === spans.length ? "1" : "";
}

// Where a text stands in the source. Inside code its own place is not told, and escapes make it shorter than its source.
function placeOf(node: Text, parent: Parent, source: string): number | null {
  const position = node.position ?? parent.position;
  const from = position?.start.offset;
  const to = position?.end.offset;
  if (from === undefined || to === undefined) return null;
  const at = source.indexOf(node.value, from);
  return at >= 0 && at + node.value.length <= to ? at : null;
}

function split(value: string, base: number, marks: readonly Mark[]): ElementContent[] {
  const parts: ElementContent[] = [];
  let at = 0;
  marks.forEach((mark, place) => {
    const start = Math.max(mark.from - base, at);
    const end = Math.min(mark.to - base, value.length);
    if (start >= end) return;
    if (start > at) parts.push({ type: "text", value: value.slice(at, start) });
    parts.push({
      type: "element",
      tagName: "span",
      properties: { dataFigure: String(mark.index ?? place), dataLast: base + end === mark.to ? "1" : "" },
      children: [{ type: "text", value: value.slice(start, end) }],
    });
    at = end;
  });
  if (at < value.length) parts.push({ type: "text", value: value.slice(at) });
  return parts;
}

export function rehypeNumberColumns() {
  return (tree: Root): void => {
    each(tree, (node) => {
      if (node.type === "element" && node.tagName === "table") alignNumbers(node);
    });
  };
}

function alignNumbers(table: Element): void {
  const rows = [...elements(table, "tr")].map((row) => row.children.filter((one) => one.type === "element"));
  const [head, ...body] = rows;
  if (!head || !body.length) return;
  head.forEach((cell, column) => {
    const cells = body.map((row) => row[column]);
    if (!cells.every((one) => one && NUMBER.test(textOf(one)))) return;
    for (const one of [cell, ...cells]) if (one) one.properties["className"] = ["figure-cell"];
  });
}

function* elements(node: Element, name: string): Generator<Element> {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (child.tagName === name) yield child;
    else yield* elements(child, name);
  }
}

export function textOf(node: Child): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

export function each(parent: Parent, visit: (node: Child, place: number, parent: Parent) => void): void {
  for (let place = parent.children.length - 1; place >= 0; place -= 1) {
    const child = parent.children[place];
    if (!child) continue;
    if (child.type === "element") each(child, visit);
    visit(child, place, parent);
  }
}
