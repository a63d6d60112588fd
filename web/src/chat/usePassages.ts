// Passages of one's conversations that have some words, asked for once the typing pauses.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call, id } from "../api/client";
import type { FoundPassage } from "../api/types";

const PAUSE_MS = 200;
const LEAST_CHARS = 2;
const MAX_CHARS = 200;
const NONE: readonly FoundPassage[] = [];

export interface Passages {
  readonly found: readonly FoundPassage[];
  readonly searching: boolean;
}

export function usePassages(words: string): Passages {
  const [asked, setAsked] = useState("");
  const wanted = words.trim().slice(0, MAX_CHARS);
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [wanted]);
  const long = wanted.length >= LEAST_CHARS;
  const { data, isFetching } = useQuery({
    queryKey: ["search", asked],
    queryFn: () => call<readonly FoundPassage[]>(`api/search?limit=8&q=${id(asked)}`),
    enabled: asked.length >= LEAST_CHARS,
    staleTime: 10_000,
  });
  return { found: (long && asked === wanted && data) || NONE, searching: long && (isFetching || asked !== wanted) };
}
