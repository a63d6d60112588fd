// The collections that questions of a conversation are answered from, until they are taken off again.

import { useEffect, useMemo, useRef, useState } from "react";
import type { TurnOptions } from "../features/features";

export interface ChosenCollections {
  readonly names: readonly string[];
  readonly options: TurnOptions;
  readonly add: (name: string) => void;
  readonly remove: (name: string) => void;
}

const MOST = 20;

export function useChosenCollections(session: string | null): ChosenCollections {
  const [names, setNames] = useState<readonly string[]>([]);
  const before = useRef(session);
  useEffect(() => {
    // A conversation that has only now begun keeps what its first question was asked with.
    if (before.current !== null) setNames([]);
    before.current = session;
  }, [session]);
  return useMemo(
    () => ({
      names,
      options: names.length ? { collections: names } : {},
      add: (name) => setNames((now) => (now.includes(name) ? now : [...now, name].slice(-MOST))),
      remove: (name) => setNames((now) => now.filter((one) => one !== name)),
    }),
    [names],
  );
}

// The word after `#` that ends where the cursor is, and where it begins; null where there is none.
export function wordAt(text: string, cursor: number): { readonly word: string; readonly from: number } | null {
  const found = /(?:^|\s)#([\p{L}\p{N}_-]*)$/u.exec(text.slice(0, cursor));
  return found ? { word: (found[1] ?? "").toLowerCase(), from: cursor - (found[1] ?? "").length - 1 } : null;
}

// The text without what was written to choose a collection.
export const without = (text: string, from: number, until: number): string =>
  `${text.slice(0, from)}${text.slice(until).replace(/^ /, "")}`;
