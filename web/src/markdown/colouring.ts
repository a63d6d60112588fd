// Colours for code that grows: the part that has them keeps them, and the rest follows as often as the work allows. Pure.

import type { Root } from "hast";

export interface Highlighter {
  readonly registered: (language: string) => boolean;
  readonly highlight: (language: string, text: string) => Root;
}

export interface Coloured {
  readonly tree: Root | null;
  // What comes after it, without colours yet.
  readonly rest: string;
  // When to look again, in milliseconds; null where everything has its colours.
  readonly wait: number | null;
}

const MOST_CHARS = 50_000;
const EVERY_MS = 100;
// Of the time at most so much goes into colours: one part in ten.
const SHARE = 10;

export class Colouring {
  private text = "";
  private language = "";
  private tree: Root | null = null;
  private next = 0;

  of(text: string, language: string, by: Highlighter | null, clock: () => number): Coloured {
    if (!by || text.length > MOST_CHARS || !by.registered(language)) return { tree: null, rest: text, wait: null };
    const grown = this.tree !== null && language === this.language && text.startsWith(this.text);
    const now = clock();
    if (!grown || (text !== this.text && now >= this.next)) {
      this.tree = by.highlight(language, text);
      [this.text, this.language] = [text, language];
      const done = clock();
      this.next = done + Math.max(EVERY_MS, (done - now) * SHARE);
    }
    const rest = text.slice(this.text.length);
    return { tree: this.tree, rest, wait: rest ? this.next - now : null };
  }
}
