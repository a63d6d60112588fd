// A turn whole in one column: question, rail, steps, answer.

import { useRef, useState, type ReactNode } from "react";
import type { AnyEvent } from "../api/events";
import { Approval } from "../approval/Approval";
import { Markdown } from "../markdown/Markdown";
import { sessionLink } from "../route";
import { Question } from "../question/Question";
import { Trace, type TraceHandle } from "../trace/Trace";
import type { Entry } from "../turn/conversation";
import { AnswerText } from "../turn/Evidence";
import { callRow, type Turn } from "../turn/fold";
import { useLighting } from "../turn/lit";
import { Meta } from "../turn/Meta";
import { Rail } from "../turn/Rail";
import { exact } from "../turn/words";
import { t } from "../language/t";

interface Props {
  readonly turn: Turn;
  readonly events: readonly AnyEvent[];
  readonly title: string;
  readonly heading?: string | null;
  readonly live: boolean;
  // The whole turn, where only a part of it is shown.
  readonly whole?: Turn;
  readonly session?: string | null;
  // Where what waits can be decided.
  readonly decide?: Entry;
  readonly children?: ReactNode;
}

export function Column({ turn, events, title, heading, live, whole, session, decide, children }: Props): ReactNode {
  const light = useLighting();
  const [stepLit, setStepLit] = useState<string | null>(null);
  const trace = useRef<TraceHandle>(null);
  const open = (key: string | null) => key && trace.current?.show(key);
  return (
    <section className="column-turn" aria-label={title} data-scrolls>
      {heading && <h2 className="column-heading">{heading}</h2>}
      <div className="question chat__message--user">{turn.question}</div>
      {children}
      <Rail {...{ turn, whole }} live={live && Boolean(decide)} since={decide?.since ?? 0} onOpen={open} />
      {decide ? (
        <Meta entry={decide} />
      ) : (
        turn.totals && <Meta entry={{ turn, events, live: false, connection: "", since: 0, sent: [], versions: [] }} />
      )}
      {decide &&
        turn.approvals.map((pending) => (
          <Approval
            key={pending.request.seq}
            turnId={turn.id}
            assistant={turn.assistant}
            pending={pending}
            onDecided={() => undefined}
          />
        ))}
      {turn.questions.map((question) =>
        decide || question.answer || question.void ? (
          <Question key={question.asked.seq} turnId={turn.id} question={question} onAnswered={() => undefined} />
        ) : (
          <p key={question.asked.seq} className="asked-then">
            {exact(question.asked.question)}
          </p>
        ),
      )}
      {turn.answer ? (
        <div className="answer">
          <AnswerText
            turn={turn}
            text={turn.answer.text}
            stepLit={stepLit}
            light={light}
            onOpen={(call) => open(callRow(turn, call)?.key ?? null)}
          />
        </div>
      ) : (
        turn.draft?.text && (
          <div className="answer draft">
            <Markdown source={turn.draft.text} />
          </div>
        )
      )}
      {turn.totals?.error && <p className="problem">{turn.totals.error}</p>}
      {session && (
        <p className="actions">
          <a className="plain button-link" href={sessionLink(session)}>
            {t("Continue the fork")}
          </a>
        </p>
      )}
      <div className="column-trace">
        <Trace
          turn={turn}
          events={events}
          lit={light.lit}
          onStep={setStepLit}
          handle={trace}
          title={heading ? t("Steps") : title}
        />
      </div>
    </section>
  );
}
