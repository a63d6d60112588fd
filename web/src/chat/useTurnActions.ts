// What can be done with a turn of the conversation. The same object as long as the conversation is, so that turns that did
// not change are not drawn again.

import { useMemo, useRef } from "react";
import { call, id } from "../api/client";
import type { ActionResult } from "../api/types";
import { go, replayLink } from "../route";
import type { TurnActions } from "../turn/Actions";
import type { Asking } from "./useAsking";
import type { Held } from "./useConversation";

export function useTurnActions(held: Held, ask: Asking["ask"], put: Asking["put"]): TurnActions {
  const later = useRef({ ask, put });
  later.current = { ask, put };
  return useMemo<TurnActions>(
    () => ({
      edit: (turn) => later.current.put(turn.question, turn),
      regenerate: (turn, of) => void later.current.ask(turn.question, { again: turn, ...(of ? { of } : {}) }),
      goOn: (turn) => void later.current.ask(turn.question, { continues: turn, of: "" }),
      choose: (version) => held.conversation.choose(version),
      instead: (turn, of) => void later.current.ask(turn.question, { again: turn, supersedes: true, of }),
      replay: (turn) => go(replayLink(turn)),
      decided: held.tellOthers,
      rate: (turn, rating, note) => {
        void call<ActionResult>(`api/turns/${id(turn)}/rating`, { rating, note }).then(held.catchUp);
      },
    }),
    [held.tellOthers, held.catchUp, held.conversation],
  );
}
