// What can be done with a turn of the conversation. The same object as long as the conversation is, so that turns that did
// not change are not drawn again.

import { useMemo, useRef } from "react";
import { call, id, messageOf } from "../api/client";
import type { ActionResult } from "../api/types";
import { go, replayLink } from "../route";
import type { TurnActions } from "../turn/Actions";
import type { Asking } from "./useAsking";
import type { Held } from "./useConversation";
import { t } from "../language/t";

export function useTurnActions(held: Held, asking: Asking): TurnActions {
  const later = useRef(asking);
  later.current = asking;
  return useMemo<TurnActions>(
    () => ({
      edit: (turn) => later.current.put(turn.question, turn),
      regenerate: (turn, of) => void later.current.ask(turn.question, { again: turn, ...(of ? { of } : {}) }),
      goOn: (turn) => void later.current.ask(turn.question, { continues: turn, of: "" }),
      choose: (version) => held.conversation.choose(version),
      instead: (turn, of) => void later.current.ask(turn.question, { again: turn, supersedes: true, of }),
      replay: (turn) => go(replayLink(turn)),
      decided: held.tellOthers,
      withdraw: (turn, message) => {
        const { putBack, setProblem } = later.current;
        held.withdraw(turn.id, message).then(
          (done) => (done ? putBack(message.text) : setProblem(t("It was already read."))),
          (error: unknown) => setProblem(messageOf(error)),
        );
      },
      rate: (turn, rating, note) => {
        void call<ActionResult>(`api/turns/${id(turn)}/rating`, { rating, note }).then(held.catchUp);
      },
    }),
    [held.tellOthers, held.catchUp, held.withdraw, held.conversation],
  );
}
