// A conversation to read, without anything to do in it: questions and answers, each with what else is told of it.

import type { ReactNode } from "react";
import { Markdown } from "../markdown/Markdown";
import { withFences } from "../turn/questionText";
import { t } from "../language/t";

export interface ReadTurn {
  readonly id: string;
  readonly status: string;
  readonly question: string;
  readonly answer: string | null;
}

const ENDINGS: Readonly<Record<string, string>> = {
  failed: t("No answer was given."),
  cancelled: t("The answer was stopped."),
};

export function Transcript<T extends ReadTurn>({
  turns,
  more,
}: {
  turns: readonly T[];
  more?: (turn: T) => ReactNode;
}): ReactNode {
  return turns.map((turn) => (
    <article key={turn.id} className="turn" aria-label={t("Turn")}>
      <div className="question chat__message chat__message--user">
        <div className="chat__message-text">
          <Markdown source={withFences(turn.question)} />
        </div>
      </div>
      <div className="answer chat__message chat__message--assistant">
        {turn.answer !== null && (
          <div className="chat__message-text">
            <Markdown source={turn.answer} />
          </div>
        )}
        {turn.status !== "completed" && <p className="hint">{ENDINGS[turn.status] ?? t("No answer was given.")}</p>}
      </div>
      {more?.(turn)}
    </article>
  ));
}
