import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ActionResult } from "../api/types";
import { when } from "../turn/words";
import { liveQuery } from "./queries";
import { t } from "../language/t";

export function Live(): ReactNode {
  const { data = [] } = useQuery(liveQuery);
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: (turn: string) => call<ActionResult>(`api/turns/${id(turn)}/cancel`, {}),
    onSettled: () => client.invalidateQueries({ queryKey: liveQuery.queryKey }),
  });
  return (
    <div className="admin-page">
      <p className="hint">{t("What is running or waiting, refreshed every five seconds.")}</p>
      <ul className="live-list">
        {data.map((turn) => (
          <li key={turn.id}>
            <a href={`#/sessions/${encodeURIComponent(turn.session_id)}`}>
              <span className={turn.status === "paused" ? "waits" : "runs"}>
                {turn.status === "paused" ? t("waiting") : t("running")}
              </span>
              <span className="live-question">{turn.question}</span>
              <span className="hint">
                {t("{0} · {1} · since {2}", turn.user_id, turn.assistant, when(turn.started_at))}
              </span>
            </a>
            <button type="button" className="plain small" onClick={() => stop.mutate(turn.id)}>
              {t("Stop")}
            </button>
          </li>
        ))}
      </ul>
      {stop.error && (
        <p className="problem" role="alert">
          {messageOf(stop.error)}
        </p>
      )}
      {!data.length && <p>{t("Nothing is running or waiting.")}</p>}
    </div>
  );
}
