// Goes to one turn of a conversation, as its address says, and lights up there what was looked for.

import { useEffect, useRef } from "react";
import type { Conversation, Shown } from "../turn/conversation";

const LIT = "sought";
const MAX_RANGES = 200;

let sought: readonly string[] = [];

// The words that the next turn gone to was found by.
export function seek(words: readonly string[]): void {
  sought = words;
}

export function useJump(turn: string | null, conversation: Conversation, shown: Shown, leave: () => void): void {
  const done = useRef<string | null>(null);
  useEffect(() => {
    if (!turn) {
      done.current = null;
      clearMarks();
    }
    if (!turn || done.current === turn || !shown.entries.length || !conversation.reveal(turn)) return;
    const entry = shown.entries.find((one) => one.turn.id === turn);
    const node = document.getElementById(`turn-${turn}`);
    // Its events tell how long it is.
    if (!entry?.turn.seq || !node) return;
    done.current = turn;
    leave();
    const words = sought;
    sought = [];
    window.setTimeout(() => {
      const first = mark(node, words);
      leave();
      (first ?? node).scrollIntoView({ block: first ? "center" : "start" });
    }, 0);
  }, [turn, conversation, shown, leave]);
}

function clearMarks(): void {
  if ("highlights" in CSS) CSS.highlights.delete(LIT);
}

// Lights up the words, and says where the first of them stands.
function mark(node: HTMLElement, words: readonly string[]): Element | null {
  clearMarks();
  const wanted = words.map((word) => word.toLowerCase()).filter(Boolean);
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && ranges.length < MAX_RANGES) {
    const text = walker.currentNode.textContent?.toLowerCase() ?? "";
    for (const word of wanted) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < MAX_RANGES; at = text.indexOf(word, at + 1)) {
        const range = document.createRange();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + word.length);
        ranges.push(range);
      }
    }
  }
  if ("highlights" in CSS && ranges.length) CSS.highlights.set(LIT, new Highlight(...ranges));
  return ranges[0]?.startContainer.parentElement ?? null;
}
