// Whether the trace stands beside the conversation: when it tells something and was not closed, or when it has to be seen.

import { useState } from "react";
import { prefer, usePreferences } from "../preferences";
import type { Entry } from "../turn/conversation";
import type { Turn } from "../turn/fold";

export interface TracePanel {
  readonly open: boolean;
  // By its button: it stays so.
  readonly show: () => void;
  readonly hide: () => void;
  // To look at something of one turn.
  readonly showFor: (turn: string) => void;
}

// An answer that took no step has nothing beside it.
const tells = (turn: Turn): boolean =>
  turn.rows.some((row) => row.kind !== "answer") || Boolean(turn.draft?.thought || turn.draft?.tool) || isUrgent(turn);

// What waits for a decision, and what went wrong.
const isUrgent = (turn: Turn): boolean =>
  turn.status === "failed" ||
  turn.status === "paused" ||
  turn.rows.some((row) => row.kind === "trouble" || (row.kind === "act" && row.state === "failed"));

export function useTracePanel(beside: Entry | undefined, wide: boolean): TracePanel {
  const { traceShown } = usePreferences();
  const [wanted, setWanted] = useState<string | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  const turn = beside?.turn;
  const opens = turn && tells(turn) && (traceShown || (isUrgent(turn) && closed !== turn.id));
  return {
    open: wide && turn !== undefined && (wanted === turn.id || Boolean(opens)),
    show: () => {
      prefer({ traceShown: true });
      setWanted(turn?.id ?? null);
    },
    hide: () => {
      prefer({ traceShown: false });
      setWanted(null);
      setClosed(turn?.id ?? null);
    },
    showFor: setWanted,
  };
}
