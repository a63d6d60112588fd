// What can be done with a turn: copied, answered anew, edited, gone on with, rated; and what is said where it ended without
// an answer.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { availableQuery } from "../api/queries";
import { DownloadMenu } from "../download/DownloadMenu";
import { ModelList } from "../models/ModelPicker";
import { CopyButton } from "../ui/CopyButton";
import { IconButton } from "../ui/IconButton";
import type { Entry, SentMessage } from "./conversation";
import type { Turn } from "./fold";
import { Rate, type Rating } from "./Rate";
import { Versions } from "./Versions";
import { t } from "../language/t";

export interface TurnActions {
  // Puts the question into the field, to be asked in other words in its place.
  readonly edit: (turn: Turn) => void;
  // Another answer in place of this one, perhaps of another model.
  readonly regenerate: (turn: Turn, of?: string) => void;
  // The same in place of what runs, of another model.
  readonly instead: (turn: Turn, of: string) => void;
  readonly goOn: (turn: Turn) => void;
  readonly choose: (version: string) => void;
  readonly replay: (turn: string) => void;
  readonly decided: () => void;
  // Takes back what was sent to a turn and not read by it.
  readonly withdraw: (turn: Turn, message: SentMessage) => void;
  readonly rate: (turn: string, rating: Rating, note: string) => void;
}

interface Props {
  readonly entry: Entry;
  readonly rating: string | null;
  readonly actions: TurnActions;
  // Shows the trace of the turn, where another one's stands beside the conversation.
  readonly onTrace: (() => void) | null;
}

const CUT_SHORT = new Set(["cancelled", "length"]);

export function Ending({ turn }: { turn: Turn }): ReactNode {
  if (!turn.totals || turn.status === "completed") return null;
  return (
    <div className={`ending ${turn.status}`}>
      <p>{turn.status === "cancelled" ? t("Stopped.") : turn.totals.error || t("The turn failed.")}</p>
    </div>
  );
}

export function Actions({ entry, rating, actions, onTrace }: Props): ReactNode {
  const { turn } = entry;
  const cut = turn.answer?.partial && CUT_SHORT.has(turn.answer.reason) && !turn.command;
  return (
    <div className="actions">
      <Versions entry={entry} onChoose={actions.choose} />
      {cut && (
        <button type="button" className="plain" onClick={() => actions.goOn(turn)}>
          {t("Continue")}
        </button>
      )}
      {turn.answer && <CopyButton text={() => turn.answer?.text ?? ""} icon />}
      {turn.answer && !turn.command && <DownloadMenu turn={turn} />}
      {turn.totals && <IconButton icon="redo" label={t("Regenerate")} onClick={() => actions.regenerate(turn)} />}
      {turn.totals && !turn.command && <OtherModel turn={turn} onChoose={(of) => actions.regenerate(turn, of)} />}
      {turn.totals && <IconButton icon="edit" label={t("Edit")} onClick={() => actions.edit(turn)} />}
      {turn.totals && !turn.command && (
        <IconButton icon="replay" label={t("Replay")} onClick={() => actions.replay(turn.id)} />
      )}
      {onTrace && <IconButton icon="panel" label={t("Trace")} onClick={onTrace} />}
      <span className="grow" />
      {turn.answer && !turn.command && (
        <Rate rating={rating} onRate={(name, note) => actions.rate(turn.id, name, note)} />
      )}
    </div>
  );
}

function OtherModel({ turn, onChoose }: { turn: Turn; onChoose: (of: string) => void }): ReactNode {
  const { data } = useQuery(availableQuery);
  const [open, setOpen] = useState(false);
  if (!data || data.models.every((one) => one.name === turn.model)) return null;
  return (
    <>
      <IconButton icon="swap" label={t("Other model…")} dialog onClick={() => setOpen(true)} />
      {open && (
        <ModelList
          data={data}
          chosen={{ model: turn.model, effort: "" }}
          onChoose={({ model }) => {
            setOpen(false);
            onChoose(model || data.default);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
