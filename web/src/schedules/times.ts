// Times of schedules: what a form says as the server takes it, and what is told of the next run.

import { locale, t } from "../language/t";

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export const DAYS = [
  t("Sunday"),
  t("Monday"),
  t("Tuesday"),
  t("Wednesday"),
  t("Thursday"),
  t("Friday"),
  t("Saturday"),
] as const;

export type Rhythm = "once" | "hourly" | "daily" | "weekdays" | "weekly" | "monthly" | "cron";

export interface Times {
  readonly rhythm: Rhythm;
  readonly at: string;
  readonly time: string;
  readonly day: number;
  readonly date: number;
  readonly cron: string;
}

export const RHYTHMS: readonly (readonly [Rhythm, string])[] = [
  ["once", t("Once")],
  ["hourly", t("Every hour")],
  ["daily", t("Every day")],
  ["weekdays", t("Monday to Friday")],
  ["weekly", t("Every week")],
  ["monthly", t("Every month")],
  ["cron", t("Other times")],
];

// The fields `at` or `every` of a new schedule.
export function timesAsSent({ rhythm, at, time, day, date, cron }: Times): { at: string } | { every: string } {
  const [hour = "9", minute = "0"] = time.split(":").map((part) => String(Number(part)));
  switch (rhythm) {
    case "once":
      return { at };
    case "hourly":
      return { every: "@hourly" };
    case "daily":
      return { every: `${minute} ${hour} * * *` };
    case "weekdays":
      return { every: `${minute} ${hour} * * 1-5` };
    case "weekly":
      return { every: `${minute} ${hour} * * ${day}` };
    case "monthly":
      return { every: `${minute} ${hour} ${date > 28 ? "L" : date} * *` };
    case "cron":
      return { every: cron.trim() };
  }
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };

// When it runs next, as one says it: "in 5 minutes", "tomorrow at 09:00".
export function soon(seconds: number, now = new Date()): string {
  const then = new Date(seconds * 1000);
  const minutes = Math.round((then.getTime() - now.getTime()) / 60_000);
  if (minutes < 1) return t("any moment now");
  if (minutes < 60) return `in ${minutes} minute${minutes === 1 ? "" : "s"}`;
  const start = (moment: Date) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
  const days = Math.round((start(then) - start(now)) / 86_400_000);
  const clock = then.toLocaleTimeString(locale, CLOCK);
  if (days === 0) return t("today at {0}", clock);
  if (days === 1) return t("tomorrow at {0}", clock);
  if (days < 7) return t("{0} at {1}", DAYS[then.getDay()] ?? "", clock);
  const year = then.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  return t("{0} at {1}", then.toLocaleDateString(locale, { day: "numeric", month: "long", ...year }), clock);
}

// An hour from now, as the field for a time and a day takes it.
export function inAnHour(now = new Date()): string {
  const local = new Date(now.getTime() + 3_600_000 - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
