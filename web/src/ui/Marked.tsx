// A text with the words in it lit up that were looked for.

import type { ReactNode } from "react";

export function Marked({ text, words }: { text: string; words: readonly string[] }): ReactNode {
  const parts: ReactNode[] = [];
  const lower = text.toLowerCase();
  const wanted = words.filter(Boolean);
  // Letters that change their length in lower case would shift what is marked.
  if (lower.length !== text.length) return text;
  let from = 0;
  for (;;) {
    const [at, word] = next(lower, wanted, from);
    if (at < 0) break;
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + word.length)}</mark>);
    from = at + word.length;
  }
  return [...parts, text.slice(from)];
}

function next(text: string, words: readonly string[], from: number): [number, string] {
  const places = words
    .map((word): [number, string] => [text.indexOf(word, from), word])
    .filter(([at]) => at >= 0)
    .sort(([one, a], [other, b]) => one - other || b.length - a.length);
  return places[0] ?? [-1, ""];
}
