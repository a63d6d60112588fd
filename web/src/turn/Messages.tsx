// What was sent to a turn after its question: taken in already, or before the next step.

import type { ReactNode } from "react";
import type { Entry } from "./conversation";

export function Messages({ entry }: { entry: Entry }): ReactNode {
  const { turn, sent } = entry;
  const taken = turn.messages.map((one) => one.number);
  const waiting = turn.totals ? [] : sent.filter((one) => !taken.includes(one.number));
  if (!turn.messages.length && !waiting.length) return null;
  return (
    <ol className="messages" aria-label="Sent while it worked">
      {turn.messages.map((one) => (
        <li key={one.seq} className="question chat__message chat__message--user">
          <span className="chat__message-text">{one.text}</span>
        </li>
      ))}
      {waiting.map((one) => (
        <li key={`sent-${one.number}`} className="question chat__message chat__message--user unread">
          <span className="chat__message-text">{one.text}</span>
          <span className="unread-note">is read before the next step</span>
        </li>
      ))}
    </ol>
  );
}
