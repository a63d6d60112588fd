// One turn by its id, followed while it is not over.

import { useEffect, useState, useSyncExternalStore } from "react";
import { ApiError, call, id } from "../api/client";
import type { TurnView } from "../api/types";
import { Conversation, type Entry } from "../turn/conversation";
import { t } from "../language/t";

export interface One {
  readonly entry: Entry | null;
  readonly session: string | null;
  readonly problem: string;
}

export function useTurn(turn: string | null): One {
  const [conversation] = useState(() => new Conversation());
  const shown = useSyncExternalStore(conversation.subscribe, conversation.read);
  const [session, setSession] = useState<string | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    conversation.clear(turn);
    setProblem("");
    if (!turn) return;
    let wanted = true;
    call<TurnView>(`api/turns/${id(turn)}`).then(
      (found) => {
        if (!wanted) return;
        setSession(found.session_id);
        conversation.add({ id: turn, question: found.question, status: found.status });
      },
      (error: unknown) =>
        wanted &&
        setProblem(
          error instanceof ApiError && error.status === 404
            ? t("This turn does not exist, or belongs to someone else.")
            : String(error),
        ),
    );
    return () => {
      wanted = false;
      conversation.clear(null);
    };
  }, [turn, conversation]);
  return { entry: shown.entries[0] ?? null, session, problem };
}
