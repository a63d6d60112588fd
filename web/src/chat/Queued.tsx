// Questions that wait for the turn before them, under it.

import type { ReactNode } from "react";
import { QuestionText } from "../turn/QuestionText";
import type { Queue } from "./useQueue";
import { t } from "../language/t";

export function Queued({ queue }: { queue: Queue }): ReactNode {
  const { waiting, halted } = queue;
  if (!waiting.length) return null;
  return (
    <ol className="messages queued" aria-label={t("Waiting to be sent")}>
      {waiting.map(({ key, text, attached }, place) => (
        <li key={key} className="question unread">
          <QuestionText text={text} />
          <span className="unread-note">
            {halted ? t("Not sent") : place ? t("Sent after that") : t("Sent when this answer is finished")}
            {attached.length > 0 && t(", with {0}", attached.map((one) => one.name).join(", "))}
            {halted && !place && (
              <button type="button" className="more" onClick={queue.sendNext}>
                {t("Send now")}
              </button>
            )}
            <button type="button" className="more" onClick={() => queue.takeBack(key)}>
              {t("Take back")}
            </button>
          </span>
        </li>
      ))}
    </ol>
  );
}
