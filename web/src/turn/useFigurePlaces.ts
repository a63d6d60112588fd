// Figures of an answer that are of something on a map: pointing at the one lights up the other.

import { useCallback, useEffect, useMemo } from "react";
import { callRow, type Turn } from "./fold";
import type { Lit } from "./lit";
import { isElsewhere } from "./origin";
import { lightFigure, namesOn, useLit } from "./pointing";

// Tells of a figure whether what it is of is pointed at elsewhere.
export function useFigurePlaces(turn: Turn, lit: Lit | null): (index: number) => boolean {
  const figures = turn.evidence?.figures;
  const named = useMemo(
    () =>
      (figures ?? []).map(({ source, path, origin }) => {
        const data = source !== null && !isElsewhere(origin) ? callRow(turn, source)?.result?.data : null;
        return path?.length ? namesOn(data, path) : [];
      }),
    // The rows before an answer stay as they are.
    [figures, turn.calls],
  );
  const pointed = useLit(
    useMemo(() => new Set(named.flat()), [named]),
    false,
  );
  const index = lit?.turn === turn.id ? lit.index : null;
  useEffect(() => {
    if (index === null) return undefined;
    lightFigure(named[index] ?? []);
    return () => lightFigure([]);
  }, [index, named]);
  return useCallback((at) => pointed.size > 0 && (named[at] ?? []).some((name) => pointed.has(name)), [named, pointed]);
}
