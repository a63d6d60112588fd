// Puts formulas back into the tree between Markdown and elements, where they were masked. Runs after sanitising.

import type { ElementContent, Root } from "hast";
import { each } from "./figures";
import { restore, unmask, type Formula } from "./maths";

export function rehypeFormulas({ formulas }: { formulas: readonly Formula[] }) {
  return (tree: Root): void => {
    if (!formulas.length) return;
    each(tree, (node, place, parent) => {
      if (node.type === "element" && node.tagName === "img") {
        node.properties["alt"] = restore(String(node.properties["alt"] ?? ""), formulas);
      }
      if (node.type !== "text") return;
      if (parent.type === "element" && parent.tagName === "code") {
        node.value = restore(node.value, formulas);
        return;
      }
      const parts = unmask(node.value);
      if (parts.some((one) => typeof one === "number"))
        parent.children.splice(place, 1, ...(parts.map(made) as never[]));
    });

    function made(part: string | number): ElementContent {
      if (typeof part === "string") return { type: "text", value: part };
      const { source, display } = formulas[part] ?? { source: "", display: false };
      return {
        type: "element",
        tagName: "code",
        properties: { className: [display ? "math-display" : "math-inline"] },
        children: [{ type: "text", value: source }],
      };
    }
  };
}
