// A new schedule: what to ask, whom, and when, in the time zone of this browser.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { call, messageOf } from "../api/client";
import { assistantsQuery } from "../api/queries";
import type { NewSchedule, ScheduleView } from "../api/types";
import { nameOf } from "../turn/words";
import { useDeed } from "./queries";
import { DAYS, HERE, RHYTHMS, inAnHour, timesAsSent, type Rhythm, type Times } from "./times";
import { t } from "../language/t";

export function NewScheduleForm({ onDone }: { onDone: () => void }): ReactNode {
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const [question, setQuestion] = useState("");
  const [assistant, setAssistant] = useState("");
  const [until, setUntil] = useState("");
  const [times, setTimes] = useState<Times>({
    rhythm: "daily",
    at: inAnHour(),
    time: "09:00",
    day: 1,
    date: 1,
    cron: "",
  });
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const repeats = times.rhythm !== "once";
  const add = useDeed(async () => {
    const body: NewSchedule = { question: question.trim(), timezone: HERE, ...timesAsSent(times) };
    const more = { ...(assistant && { assistant }), ...(repeats && until.trim() && { until: until.trim() }) };
    await call<ScheduleView>("api/schedules", { ...body, ...more });
  }, onDone);
  return (
    <form className="schedule-form" action={() => add.mutate(undefined)}>
      <label>
        {t("Question")}
        <textarea
          ref={first}
          rows={3}
          required
          value={question}
          maxLength={20_000}
          onChange={(event) => setQuestion(event.target.value)}
        />
      </label>
      <div className="schedule-fields">
        <label>
          {t("When")}
          <select
            value={times.rhythm}
            onChange={(event) => setTimes({ ...times, rhythm: event.target.value as Rhythm })}
          >
            {RHYTHMS.map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
        </label>
        <Moments times={times} onChange={setTimes} />
        <label>
          {t("Assistant")}
          <select value={assistant} onChange={(event) => setAssistant(event.target.value)}>
            <option value="">{t("As usual")}</option>
            {assistants.map((one) => (
              <option key={one.name} value={one.name}>
                {nameOf(one.name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {repeats && (
        <label>
          {t("Until (optional)")}
          <input
            type="text"
            value={until}
            maxLength={2000}
            placeholder={t("Keep asking until this is true, for example: the build is green")}
            onChange={(event) => setUntil(event.target.value)}
          />
        </label>
      )}
      <p className="hint">
        {t("Times are in {0}. Answers go to your inbox, and so does anything that needs your approval.", HERE)}
      </p>
      {add.error && (
        <p className="problem" role="alert">
          {messageOf(add.error)}
        </p>
      )}
      <div className="choices">
        <button type="submit" className="primary" disabled={add.isPending}>
          {t("Add")}
        </button>
        <button type="button" className="plain" onClick={onDone}>
          {t("Discard")}
        </button>
      </div>
    </form>
  );
}

// The fields that the chosen rhythm needs.
function Moments({ times, onChange }: { times: Times; onChange: (times: Times) => void }): ReactNode {
  const { rhythm } = times;
  if (rhythm === "hourly") return null;
  if (rhythm === "once") {
    return (
      <label>
        {t("At")}
        <input
          type="datetime-local"
          required
          value={times.at}
          onChange={(event) => onChange({ ...times, at: event.target.value })}
        />
      </label>
    );
  }
  if (rhythm === "cron") {
    return (
      <label>
        {t("Cron or interval")}
        <input
          type="text"
          required
          value={times.cron}
          placeholder="0 9 * * 1-5, or 2h"
          onChange={(event) => onChange({ ...times, cron: event.target.value })}
        />
      </label>
    );
  }
  return (
    <>
      {rhythm === "weekly" && (
        <label>
          {t("On")}
          <select value={times.day} onChange={(event) => onChange({ ...times, day: Number(event.target.value) })}>
            {DAYS.map((name, day) => (
              <option key={name} value={day}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {rhythm === "monthly" && (
        <label>
          {t("On day")}
          <input
            type="number"
            min={1}
            max={31}
            value={times.date}
            onChange={(event) => onChange({ ...times, date: Number(event.target.value) })}
          />
        </label>
      )}
      <label>
        {t("At")}
        <input
          type="time"
          required
          value={times.time}
          onChange={(event) => onChange({ ...times, time: event.target.value })}
        />
      </label>
    </>
  );
}
