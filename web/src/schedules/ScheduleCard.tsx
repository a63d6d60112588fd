// One schedule: what it asks, when it runs next, what became of its runs, and what can be done with it.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ScheduleRun, ScheduleView } from "../api/types";
import { replayLink, sessionLink } from "../route";
import { count, exact, nameOf, shorten, when } from "../turn/words";
import { Dialog } from "../ui/Dialog";
import { scheduleQuery, useDeed } from "./queries";
import { HERE, soon } from "./times";
import { t } from "../language/t";

type Deed = "pause" | "resume" | "run";

export function ScheduleCard({ schedule }: { schedule: ScheduleView }): ReactNode {
  const [open, setOpen] = useState(false);
  const [ending, setEnding] = useState(false);
  const path = `api/schedules/${id(schedule.id)}`;
  const deed = useDeed((name: Deed) => call(`${path}/${name}`, {}));
  const button = (name: Deed, label: string) => (
    <button type="button" className="plain small" disabled={deed.isPending} onClick={() => deed.mutate(name)}>
      {label}
      <span className="unseen">{`: ${shorten(schedule.question, 60)}`}</span>
    </button>
  );
  const { status, next_at } = schedule;
  return (
    <li className={status === "paused" ? "missing" : "ready"}>
      <div className="card-head">
        <b>{exact(shorten(schedule.question, 200))}</b>
        <span className="grow" />
        <span className={status === "paused" ? "waits" : "hint"}>{status}</span>
      </div>
      <p className="hint">
        {schedule.when}
        {status === "active" && next_at !== null && (
          <b className="next-run">
            {t(" · next {0}{1}", soon(next_at), schedule.timezone === HERE ? "" : t(" in your time zone"))}
          </b>
        )}
        {` · ${nameOf(schedule.assistant)}`}
        {schedule.runs > 0 && ` · ${count(schedule.runs, "run")}`}
      </p>
      {schedule.until && <p className="hint">{t("Until: {0}", exact(schedule.until))}</p>}
      {schedule.note && <p>{exact(schedule.note)}</p>}
      {deed.error && (
        <p className="problem" role="alert">
          {messageOf(deed.error)}
        </p>
      )}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("Runs")}</summary>
        {open && <Runs schedule={schedule} />}
      </details>
      {status !== "ended" && (
        <div className="choices">
          {status === "active" ? button("pause", t("Pause")) : button("resume", t("Resume"))}
          {button("run", t("Run now"))}
          <button type="button" className="plain small" onClick={() => setEnding(true)}>
            {t("Cancel…")}
            <span className="unseen">{`: ${shorten(schedule.question, 60)}`}</span>
          </button>
        </div>
      )}
      {ending && <Ending schedule={schedule} path={path} onDone={() => setEnding(false)} />}
    </li>
  );
}

function Runs({ schedule }: { schedule: ScheduleView }): ReactNode {
  const { data, error } = useQuery(scheduleQuery(schedule.id));
  if (error) return <p className="problem">{messageOf(error)}</p>;
  if (!data) return null;
  if (!data.runs.length) return <p className="hint">{t("None yet.")}</p>;
  return (
    <>
      <p>
        <a href={sessionLink(schedule.session_id)}>{t("The conversation with its runs")}</a>
      </p>
      <ul className="due-times">
        {data.runs.map((run) => (
          <Run key={`${run.due_at} ${run.attempt}`} run={run} />
        ))}
      </ul>
    </>
  );
}

function Run({ run }: { run: ScheduleRun }): ReactNode {
  const more = [
    run.attempt > 1 && t("attempt {0}", run.attempt),
    run.missed > 0 && t("{0} missed before it", run.missed),
  ];
  return (
    <li>
      {run.turn_id ? <a href={replayLink(run.turn_id)}>{when(run.due_at)}</a> : when(run.due_at)}{" "}
      <span className="hint">{[run.outcome, ...more].filter(Boolean).join(", ")}</span>
      {run.note && <span className="hint">{` · ${exact(run.note)}`}</span>}
    </li>
  );
}

function Ending({ schedule, path, onDone }: { schedule: ScheduleView; path: string; onDone: () => void }): ReactNode {
  const end = useDeed(() => call(path, undefined, "DELETE"), onDone);
  return (
    <Dialog label={t("Cancel schedule")} onClose={onDone}>
      <h2>{t("Cancel this schedule?")}</h2>
      <p>
        “{exact(shorten(schedule.question, 200))}
        {t("” will no longer run. What it found is kept.")}
      </p>
      {end.error && (
        <p className="problem" role="alert">
          {messageOf(end.error)}
        </p>
      )}
      <div className="choices">
        <button type="button" className="primary danger" disabled={end.isPending} onClick={() => end.mutate(undefined)}>
          {t("Cancel schedule")}
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          {t("Keep it")}
        </button>
      </div>
    </Dialog>
  );
}
