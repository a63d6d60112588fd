// What a person chose for this browser: kept here, told to nobody.

import { useSyncExternalStore } from "react";

export type Effort = "" | "low" | "medium" | "high";

export interface Preferences {
  readonly theme: "auto" | "light" | "dark";
  readonly density: "calm" | "dense";
  readonly sendKey: "enter" | "ctrl-enter";
  // "auto" is the browser's.
  readonly language: string;
  // What a new conversation begins with; one that is begun keeps its own.
  readonly model: string;
  readonly effort: Effort;
  // What becomes of a message that is sent while a turn runs: read before its next step, or asked after it.
  readonly whileRunning: "steer" | "queue";
  // Whether the trace stands beside the conversation once it tells something.
  readonly traceShown: boolean;
  // Whether a turn that ends or asks while one looks elsewhere is told by the browser.
  readonly notify: boolean;
  // How wide the trace is, in pixels; null is as it fits.
  readonly trace: number | null;
}

const KEY = "glassloop";
const DEFAULTS: Preferences = {
  theme: "auto",
  density: "calm",
  sendKey: "enter",
  language: "auto",
  model: "",
  effort: "",
  whileRunning: "steer",
  traceShown: true,
  notify: false,
  trace: null,
};

function load(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(window.localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>) };
  } catch {
    return DEFAULTS;
  }
}

let current = load();
const readers = new Set<() => void>();

function apply(): void {
  document.documentElement.dataset["theme"] = current.theme;
  document.documentElement.dataset["density"] = current.density;
  const { style } = document.documentElement;
  if (current.trace === null) style.removeProperty("--trace");
  else style.setProperty("--trace", `${Number(current.trace)}px`);
}

export function prefer(changed: Partial<Preferences>): void {
  current = { ...current, ...changed };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still shows the page.
  }
  apply();
  for (const reader of readers) reader();
}

export const preferences = (): Preferences => current;

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => current,
  );
}

if (typeof document !== "undefined") apply();
