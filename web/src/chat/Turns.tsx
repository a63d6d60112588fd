// The turns of a conversation, with the way to earlier ones; and instead of turns, why there are none.

import type { ReactNode } from "react";
import type { AssistantView } from "../api/types";
import type { Lighting } from "../turn/lit";
import type { TurnActions } from "../turn/Actions";
import type { Entry } from "../turn/conversation";
import { TurnView } from "../turn/TurnView";
import { Empty, NotThere } from "./Empty";
import type { Held } from "./useConversation";
import { t } from "../language/t";

const HOLD_MS = 3000;

interface Props {
  readonly held: Held;
  readonly session: string | null;
  readonly assistant: string;
  readonly assistants: readonly AssistantView[];
  // Whose trace stands beside the conversation, where there is room for it.
  readonly beside: Entry | undefined;
  readonly wide: boolean;
  readonly light: Lighting;
  readonly stepLit: string | null;
  readonly actions: TurnActions;
  readonly onStep: (call: string | null) => void;
  readonly onShow: (turn: string, row: string | null) => void;
  readonly onAsk: (question: string) => void;
  readonly onNew: () => void;
}

// What was at the top stays where it is, while what is put before it is drawn and grows.
function keepPlace(act: () => void): void {
  const scrolled = document.getElementById("conversation");
  const first = scrolled?.querySelector(".turn");
  if (!scrolled || !first) return act();
  const was = first.getBoundingClientRect().top;
  const hold = () => {
    const moved = first.getBoundingClientRect().top - was;
    if (Math.abs(moved) >= 1) scrolled.scrollTop += moved;
  };
  const grown = new ResizeObserver(hold);
  const stop = () => grown.disconnect();
  act();
  grown.observe(first.parentElement ?? first);
  for (const moves of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    scrolled.addEventListener(moves, stop, { once: true, passive: true });
  }
  window.setTimeout(stop, HOLD_MS);
}

export function Turns(props: Props): ReactNode {
  const { held, session, assistant, assistants, beside, wide, light, stepLit, actions, onStep, onShow } = props;
  const { shown, conversation } = held;
  if (held.failure) return <NotThere error={held.failure} onNew={props.onNew} />;
  if (!session && !shown.entries.length) {
    const chosen = assistants.find((one) => one.name === assistant) ?? null;
    return <Empty assistant={chosen} name={assistant} onAsk={props.onAsk} />;
  }
  return (
    <>
      {shown.earlier.length > 0 && (
        <button type="button" className="plain earlier" onClick={() => keepPlace(() => conversation.showEarlier())}>
          {t("Show earlier questions")}
        </button>
      )}
      {shown.entries.map((entry, place) => (
        <TurnView
          key={entry.turn.id}
          {...{ entry, wide, light, stepLit, actions, onStep, onShow }}
          active={beside === entry}
          last={place === shown.entries.length - 1}
          rating={held.ratings[entry.turn.id] ?? null}
        />
      ))}
    </>
  );
}
