// Which model a conversation is asked of: what was chosen in it, else what its newest question asked for.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { availableQuery, useRules } from "../api/queries";
import { prefer, usePreferences } from "../preferences";
import type { Entry } from "../turn/conversation";
import type { Wanted } from "../turn/model";

const NONE: Wanted = { model: "", effort: "" };

export interface ModelChoice {
  readonly chosen: Wanted;
  readonly choose: (wanted: Wanted) => void;
}

export function useModelChoice(session: string | null, entries: readonly Entry[]): ModelChoice {
  const { data } = useQuery(availableQuery);
  const [picked, setPicked] = useState<Readonly<Record<string, Wanted>>>({});
  const preferred = usePreferences();
  const rules = useRules();
  // A question that was asked of rules in passing does not bind the conversation to them.
  const asked = entries.findLast(({ turn }) => turn.startedAt !== null && turn.model !== rules)?.turn.wanted;
  const first = session === null ? { model: preferred.model, effort: preferred.effort } : (asked ?? NONE);
  const wanted = picked[session ?? ""] ?? first;
  return {
    // What is no longer offered is not asked for.
    chosen: wanted.model && data && !data.models.some((one) => one.name === wanted.model) ? NONE : wanted,
    choose: (given) => {
      setPicked({ ...picked, [session ?? ""]: given });
      if (session === null) prefer(given);
    },
  };
}

export const asOptions = ({ model, effort }: Wanted) => ({
  ...(model ? { model } : {}),
  ...(effort ? { effort } : {}),
});
