// What happens while nobody watches: the inbox, the schedules, and a form for a new one.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import { Brand } from "../ui/icons";
import { InboxList } from "./InboxList";
import { NewScheduleForm } from "./NewScheduleForm";
import { ScheduleCard } from "./ScheduleCard";
import { schedulesQuery } from "./queries";
import { t } from "../language/t";

// While one looks at it; else the badge is enough.
const WATCH_MS = 5_000;

export default function Schedules(): ReactNode {
  const { data, error } = useQuery({ ...schedulesQuery, refetchInterval: WATCH_MS });
  const [adding, setAdding] = useState(false);
  useEffect(() => {
    document.title = t("Inbox and schedules · Glassloop");
  }, []);
  const live = data?.filter((one) => one.status !== "ended") ?? [];
  const ended = data?.filter((one) => one.status === "ended") ?? [];
  return (
    <div className="settings">
      <header className="admin-bar">
        <Brand>
          <span className="where">{t("Inbox and schedules")}</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          {t("Back to chat")}
        </a>
      </header>
      <main className="settings-main while-away">
        <h1 className="unseen">{t("Inbox and schedules")}</h1>
        <InboxList />
        <section aria-labelledby="schedules-title">
          <h2 id="schedules-title">{t("Schedules")}</h2>
          {error && <p className="problem">{messageOf(error)}</p>}
          {data && !live.length && !adding && (
            <p className="hint">{t("None. A schedule asks a question for you at a set time, or again and again.")}</p>
          )}
          <ul className="cards">
            {live.map((one) => (
              <ScheduleCard key={one.id} schedule={one} />
            ))}
          </ul>
          {adding ? (
            <NewScheduleForm onDone={() => setAdding(false)} />
          ) : (
            <button type="button" className="plain add-schedule" onClick={() => setAdding(true)}>
              {t("New schedule")}
            </button>
          )}
          {ended.length > 0 && (
            <details className="ended">
              <summary>{t("Ended ({0})", ended.length)}</summary>
              <ul className="cards">
                {ended.map((one) => (
                  <ScheduleCard key={one.id} schedule={one} />
                ))}
              </ul>
            </details>
          )}
        </section>
      </main>
    </div>
  );
}
