// The inbox: turns that wait for a decision, results nobody watched, and schedules that stopped by themselves.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../api/client";
import type { InboxTurn, ScheduleView } from "../api/types";
import { sessionLink } from "../route";
import { exact, shorten, when } from "../turn/words";
import { inboxQuery, markSeen, useDeed } from "./queries";
import { t } from "../language/t";

const ANSWER_CHARS = 280;
const WATCH_MS = 3_000;

export function InboxList(): ReactNode {
  const { data, error } = useQuery({ ...inboxQuery, refetchInterval: WATCH_MS });
  const seen = useDeed(markSeen);
  const clear = (ids: readonly string[] | null) => seen.mutate(ids);
  const clearable = Boolean(data?.schedules.length) || data?.turns.some((turn) => turn.status !== "paused");
  return (
    <section aria-labelledby="inbox-title">
      <h2 id="inbox-title">{t("Inbox")}</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      {seen.error && (
        <p className="problem" role="alert">
          {messageOf(seen.error)}
        </p>
      )}
      {data && !data.count && (
        <p className="hint">
          {t("Nothing is waiting for you. Answers from schedules, and their questions to you, appear here.")}
        </p>
      )}
      <ul className="cards" id="inbox">
        {data?.turns.map((turn) => (
          <Turn key={turn.id} turn={turn} onSeen={() => clear([turn.id])} />
        ))}
        {data?.schedules.map((one) => (
          <Stopped key={one.id} schedule={one} onSeen={() => clear([one.id])} />
        ))}
      </ul>
      {clearable && (
        <button type="button" className="plain small" disabled={seen.isPending} onClick={() => clear(null)}>
          {t("Mark all as read")}
        </button>
      )}
    </section>
  );
}

function Turn({ turn, onSeen }: { turn: InboxTurn; onSeen: () => void }): ReactNode {
  const waits = turn.status === "paused";
  return (
    <li className={waits ? "missing" : "ready"}>
      <div className="card-head">
        <a
          className="card-link"
          href={sessionLink(turn.session_id)}
          onClick={() => {
            // What waits stays until it is decided.
            if (!waits) onSeen();
          }}
        >
          {exact(shorten(turn.question, 160))}
        </a>
        <span className="grow" />
        <span className={waits ? "waits" : "hint"}>
          {waits ? t("waiting for you") : when(turn.finished_at ?? turn.started_at)}
        </span>
      </div>
      {turn.answer && <p>{exact(shorten(turn.answer, ANSWER_CHARS))}</p>}
      {turn.status === "failed" && <p className="problem">{exact(turn.error ?? t("It failed."))}</p>}
      {!waits && (
        <button
          type="button"
          className="more"
          aria-label={t("Mark as read: {0}", shorten(turn.question, 60))}
          onClick={onSeen}
        >
          {t("Mark as read")}
        </button>
      )}
    </li>
  );
}

function Stopped({ schedule, onSeen }: { schedule: ScheduleView; onSeen: () => void }): ReactNode {
  return (
    <li className={schedule.status === "paused" ? "missing" : "ready"}>
      <div className="card-head">
        <b>{exact(shorten(schedule.question, 160))}</b>
        <span className="grow" />
        <span className="hint">{t("schedule {0}", schedule.status)}</span>
      </div>
      <p>{exact(schedule.note)}</p>
      <button
        type="button"
        className="more"
        aria-label={t("Mark as read: {0}", shorten(schedule.question, 60))}
        onClick={onSeen}
      >
        {t("Mark as read")}
      </button>
    </li>
  );
}
