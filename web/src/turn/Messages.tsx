// What was sent to a turn after its question: taken in already, or before the next step.

import type { ReactNode } from "react";
import type { Entry, SentMessage } from "./conversation";
import { QuestionText } from "./QuestionText";
import { t } from "../language/t";

interface Props {
  readonly entry: Entry;
  readonly onTakeBack: (message: SentMessage) => void;
}

export function Messages({ entry, onTakeBack }: Props): ReactNode {
  const { turn, sent } = entry;
  const taken = turn.messages.map((one) => one.number);
  const waiting = turn.totals ? [] : sent.filter((one) => !taken.includes(one.number));
  if (!turn.messages.length && !waiting.length) return null;
  return (
    <ol className="messages" aria-label={t("Sent while it was working")}>
      {turn.messages.map((one) => (
        <li key={one.seq} className="question chat__message chat__message--user">
          <QuestionText text={one.text} />
        </li>
      ))}
      {waiting.map((one) => (
        <li key={`sent-${one.number}`} className="question chat__message chat__message--user unread">
          <QuestionText text={one.text} />
          <span className="unread-note">
            {t("Read before the next step")}
            <button type="button" className="more" onClick={() => onTakeBack(one)}>
              {t("Take back")}
            </button>
          </span>
        </li>
      ))}
    </ol>
  );
}
