// Loaded when the first formula is shown.

import katex from "katex";
import "katex/dist/katex.min.css";

// Nodes, never markup: the server's policy lets no style attribute through that comes as text.
export function draw(source: string, place: HTMLElement, displayMode: boolean): void {
  const made = document.createElement("span");
  try {
    katex.render(source, made, { displayMode, throwOnError: true, trust: false, maxExpand: 200, maxSize: 20 });
  } catch {
    return;
  }
  place.replaceChildren(made);
}
