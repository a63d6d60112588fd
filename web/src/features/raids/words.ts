// Figures, times and links of raids. A log has a clock of its own and no time zone: its times are shown as it has them.

import type { FightRow, ReportRow } from "../../api/types";
import { askLink } from "../../route";
import { locale, t } from "../../language/t";

const ASSISTANT = "raids";
const LOG_CLOCK = { timeZone: "UTC" } as const;

// 272,400 ms are 4:32.
export function lengthOf(ms: number): string {
  const whole = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export const nightOf = (ms: number): string =>
  new Date(ms).toLocaleDateString(locale, {
    ...LOG_CLOCK,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  });

export const timeOf = (ms: number): string =>
  new Date(ms).toLocaleTimeString(locale, { ...LOG_CLOCK, hour: "2-digit", minute: "2-digit" });

export const figure = (value: number): string => Math.round(value).toLocaleString("en");

export const percent = (value: number): string => `${value.toFixed(1)} %`;

// 1,234,567 is 1.23 M.
export function short(value: number): string {
  if (value >= 999_500) return `${(value / 1_000_000).toFixed(2)} M`;
  return value >= 10_000 ? `${(value / 1000).toFixed(0)} k` : figure(value);
}

export const fightLength = (fight: FightRow): number => fight.ended_at - fight.started_at;

export function outcomeOf(fight: FightRow): string {
  if (fight.kill) return t("Kill");
  return fight.boss_health === null ? t("Wipe") : t("Wipe at {0}", percent(fight.boss_health));
}

const link = (...parts: readonly (string | number)[]): string =>
  `#/raids${parts.map((one) => `/${encodeURIComponent(one)}`).join("")}`;

export const raidsLink = link();
export const reportLink = (code: string): string => link(code);
export const fightLink = (code: string, number: number): string => link(code, number);
export const nightsLink = (one: string, other: string): string => link("nights", one, other);
export const playersLink = (code: string, number: number, ...names: readonly string[]): string =>
  link(code, number, ...names);

// As it is told apart from others of the same name.
export const fullName = (player: { readonly name: string; readonly realm: string }): string =>
  player.realm ? `${player.name}-${player.realm}` : player.name;

export const askAboutNight = (report: ReportRow): string =>
  askLink(ASSISTANT, t("How did the raid of report {0} go, and what should we improve first?", report.code));

export const askAboutNights = (one: string, other: string): string =>
  askLink(ASSISTANT, t("Compare the raids of report {0} and report {1}: what got better, what got worse?", one, other));

export const askAboutFight = (fight: FightRow): string =>
  askLink(
    ASSISTANT,
    fight.kill
      ? t("How did we do in fight {0} of report {1}?", fight.number, fight.code)
      : t("What went wrong in fight {0} of report {1}?", fight.number, fight.code),
  );

export const askAboutPlayers = (fight: FightRow, names: readonly string[]): string =>
  askLink(
    ASSISTANT,
    names.length > 1
      ? t("Compare {0} in fight {1} of report {2}.", names.join(t(" with ")), fight.number, fight.code)
      : t("What should {0} improve first, by fight {1} of report {2}?", names[0] ?? "", fight.number, fight.code),
  );
