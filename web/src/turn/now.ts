// The time, for what shows how long something takes: four times a second, or every second for those who want no motion.
// One clock for all, so that the page is drawn once for it.

import { useSyncExternalStore } from "react";

const MOMENT_MS = 250;
const CALM_MS = 1000;

const readers = new Set<() => void>();
let now = 0;
let timer = 0;

function subscribe(reader: () => void): () => void {
  if (!readers.size) {
    now = performance.now();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    timer = window.setInterval(tick, calm ? CALM_MS : MOMENT_MS);
  }
  readers.add(reader);
  return () => {
    readers.delete(reader);
    if (!readers.size) window.clearInterval(timer);
  };
}

function tick(): void {
  now = performance.now();
  for (const reader of readers) reader();
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
