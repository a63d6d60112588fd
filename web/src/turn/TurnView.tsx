// A turn in the conversation: the question, its rail, what waits for a decision, the answer with its evidence.

import { memo, useCallback, useEffect, useImperativeHandle, useRef, useState, type ReactNode, type Ref } from "react";
import { GivenAttachments } from "../attachments/Attachments";
import { useRules } from "../api/queries";
import { FirstModel } from "../models/FirstModel";
import { Trace, type TraceHandle } from "../trace/Trace";
import { Actions, Ending, type TurnActions } from "./Actions";
import { Asked } from "./Asked";
import { Charts, wantsChart } from "./Charts";
import { CommandAnswer } from "./CommandAnswer";
import type { Entry } from "./conversation";
import { isDeclined } from "./declined";
import { AnswerText } from "./Evidence";
import { callRow, type Turn } from "./fold";
import type { Lighting } from "./lit";
import { Messages } from "./Messages";
import { Meta } from "./Meta";
import { Notices } from "./Notices";
import { QuestionText } from "./QuestionText";
import { Rail } from "./Rail";
import { Versions } from "./Versions";
import { t } from "../language/t";

interface Props {
  readonly entry: Entry;
  // Whether the trace stands beside the conversation, and whether it is this turn's.
  readonly wide: boolean;
  readonly active: boolean;
  readonly last: boolean;
  readonly rating: string | null;
  readonly light: Lighting;
  readonly stepLit: string | null;
  readonly onStep: (call: string | null) => void;
  readonly onShow: (turn: string, row: string | null) => void;
  readonly actions: TurnActions;
  readonly handle?: Ref<TraceHandle>;
}

export const TurnView = memo(function TurnView(props: Props): ReactNode {
  const { entry, wide, active, last, light, stepLit, onStep, onShow, actions, handle } = props;
  const rules = useRules();
  const { turn, live } = entry;
  const running = live && turn.status === "running";
  const [open, setOpen] = useState(running);
  const trace = useRef<TraceHandle>(null);
  useEffect(() => setOpen(running), [running]);
  const show = useCallback(
    (row: string | null) => {
      setOpen(true);
      onShow(turn.id, row);
      if (row) window.setTimeout(() => trace.current?.show(row), 0);
    },
    [turn.id, onShow],
  );
  const chartFirst = wantsChart(turn.question);
  useImperativeHandle(handle, () => ({ show }));
  const openCall = useCallback((call: string) => show(callRow(turn, call)?.key ?? null), [show, turn]);
  return (
    <article className="turn" id={`turn-${turn.id}`} aria-label={t("Turn")} aria-busy={running}>
      <div className="question chat__message chat__message--user">
        <GivenAttachments turn={turn.id} attachments={turn.attachments} />
        <QuestionText text={turn.question} />
      </div>
      <Notices notices={turn.notices} />
      <Messages entry={entry} onTakeBack={(message) => actions.withdraw(turn, message)} />
      <Rail turn={turn} live={live} since={entry.since} onOpen={show} />
      <Meta entry={entry} onInstead={(of) => actions.instead(turn, of)} />
      {entry.connection && <p className="connection">{entry.connection}</p>}
      <Asked turn={turn} onDecided={actions.decided} />
      {chartFirst && <Charts turn={turn} />}
      <Answer {...{ turn, stepLit, light }} onOpen={openCall} />
      {!chartFirst && <Charts turn={turn} />}
      <Ending turn={turn} />
      {last && isDeclined(turn, rules) && <FirstModel said />}
      {live ? (
        <div className="actions">
          <Versions entry={entry} onChoose={actions.choose} />
        </div>
      ) : (
        <Actions {...{ entry, actions }} rating={props.rating} onTrace={wide && !active ? () => show(null) : null} />
      )}
      {!wide && (
        <details className="fold" open={open}>
          <summary
            onClick={(event) => {
              // Only a person folds by this: the element's own event comes late, and would undo what a turn's end did.
              event.preventDefault();
              setOpen(!open);
            }}
          >
            {t("Trace")}
          </summary>
          <div className="fold-scroll" data-scrolls>
            {open && (
              <Trace
                turn={turn}
                events={entry.events}
                lit={light.lit}
                onStep={onStep}
                handle={trace}
                title={t("Steps")}
              />
            )}
          </div>
        </details>
      )}
      {wide && !active && !turn.totals && <p className="unseen">{t("Running")}</p>}
    </article>
  );
});

interface AnswerProps {
  readonly turn: Turn;
  readonly stepLit: string | null;
  readonly light: Lighting;
  readonly onOpen: (call: string) => void;
}

function Answer({ turn, stepLit, light, onOpen }: AnswerProps): ReactNode {
  const given = turn.answer;
  const text = given ? given.text : turn.kept + (turn.draft?.text ?? "");
  if (!text) return null;
  if (given && turn.command) return <CommandAnswer turn={turn} text={text} />;
  return (
    <div className={`answer chat__message chat__message--assistant${given ? "" : " draft"}`}>
      <div className="chat__message-text">
        <AnswerText {...{ turn, text, stepLit, light, onOpen }} open={!given} />
      </div>
      {given?.partial && <p className="cut">{t("Cut off: this was still being written.")}</p>}
    </div>
  );
}
