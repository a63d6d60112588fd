import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { when } from "../turn/words";
import { liveQuery } from "./queries";

export function Live(): ReactNode {
  const { data = [] } = useQuery(liveQuery);
  return (
    <div className="admin-page">
      <p className="hint">What runs or waits for somebody now, looked at every five seconds.</p>
      <ul className="live-list">
        {data.map((turn) => (
          <li key={turn.id}>
            <a href={`#/sessions/${encodeURIComponent(turn.session_id)}`}>
              <span className={turn.status === "paused" ? "waits" : "runs"}>
                {turn.status === "paused" ? "waits" : "runs"}
              </span>
              <span className="live-question">{turn.question}</span>
              <span className="hint">{`${turn.user_id} · ${turn.assistant} · since ${when(turn.started_at)}`}</span>
            </a>
          </li>
        ))}
      </ul>
      {!data.length && <p>Nothing runs, and nothing waits.</p>}
    </div>
  );
}
