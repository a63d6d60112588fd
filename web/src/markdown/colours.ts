// Code as lines of pieces with the colours of its syntax. The colours come later: nothing waits for them.

import type { Root, RootContent } from "hast";
import { useEffect, useState } from "react";

export interface Piece {
  readonly text: string;
  readonly className: string;
}

export type PieceLine = readonly Piece[];

const MOST_CHARS = 50_000;

/** The language of a file, as far as its name tells. */
export function languageOf(path: string): string {
  const name = path.split("/").at(-1)?.toLowerCase() ?? "";
  return name.includes(".") ? (name.split(".").at(-1) ?? "") : name;
}

/** A coloured tree, line by line: what goes over several lines has its colour in each. */
export function linesOf(tree: Root): readonly PieceLine[] {
  const lines: Piece[][] = [[]];
  const add = (node: RootContent, className: string): void => {
    if (node.type === "text") {
      node.value.split("\n").forEach((text, place) => {
        if (place) lines.push([]);
        if (text) lines.at(-1)?.push({ text, className });
      });
    } else if (node.type === "element") {
      const names = node.properties["className"];
      const own = Array.isArray(names) ? names.join(" ") : className;
      for (const child of node.children) add(child, own);
    }
  };
  for (const child of tree.children) add(child, "");
  return lines;
}

/** The lines of a text in colour; null before they are there, and where there are none for the language. */
export function useColours(text: string | null, language: string): readonly PieceLine[] | null {
  const [lines, setLines] = useState<readonly PieceLine[] | null>(null);
  useEffect(() => {
    let wanted = true;
    setLines(null);
    if (text === null || !language || text.length > MOST_CHARS) return;
    void import("./highlight").then(({ lowlight }) => {
      if (wanted && lowlight.registered(language)) setLines(linesOf(lowlight.highlight(language, text)));
    });
    return () => {
      wanted = false;
    };
  }, [text, language]);
  return lines;
}
