// Evidence in an answer: each figure underlined, dotted with the number of the step it came from, wavy without a source.

import { h } from "./dom.js";
import { sourceOf } from "./fold.js";
import { toUnits } from "./words.js";

const SHORT = 40;

// What `markdown` writes text with. `open` shows a call's step, `light` lights up where a figure came from.
export function marking(turn, text, tell) {
  const figures = turn.evidence.figures.map((figure) => ({
    ...figure,
    from: toUnits(text, figure.start),
    to: toUnits(text, figure.end),
  }));
  return (parent, source, from, to) => {
    let at = from;
    for (const figure of figures) {
      const [start, end] = [Math.max(figure.from, at), Math.min(figure.to, to)];
      if (start >= end) continue;
      if (start > at) parent.append(source.slice(at, start));
      parent.append(underlined(turn, figure, source.slice(start, end), end === figure.to, tell));
      at = end;
    }
    if (to > at) parent.append(source.slice(at, to));
  };
}

// A figure may stand in several pieces, as where a part of it is bold: only the last has the number.
function underlined(turn, figure, text, last, tell) {
  const step = sourceOf(turn, figure);
  const kind = step === null ? "unsourced" : "sourced";
  const node = h("span", { class: `figure ${kind}${text.length <= SHORT ? " short" : ""}` }, text);
  node.dataset.source = figure.source ?? "";
  if (step === null) node.title = "No source was found for this";
  if (last && step === null) node.append(h("span", { class: "unseen" }, " (no source)"));
  if (last && typeof step === "number") {
    const light = (on) => () => tell.light(figure, on);
    const props = { type: "button", class: "source", "aria-label": `from step ${step}` };
    const open = () => tell.open(figure.source);
    node.append(h("button", { ...props, onclick: open, onfocus: light(true), onblur: light(false) }, String(step)));
    node.addEventListener("mouseenter", light(true));
    node.addEventListener("mouseleave", light(false));
  }
  return node;
}
