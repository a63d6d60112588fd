// Figures, times and links of raids. A log has a clock of its own and no time zone: its times are shown as it has them.

import type { FightRow, ReportRow } from "../../api/types";
import { askLink } from "../../route";

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
  new Date(ms).toLocaleDateString("en-GB", {
    ...LOG_CLOCK,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  });

export const timeOf = (ms: number): string =>
  new Date(ms).toLocaleTimeString("en-GB", { ...LOG_CLOCK, hour: "2-digit", minute: "2-digit" });

export const figure = (value: number): string => Math.round(value).toLocaleString("en");

export const percent = (value: number): string => `${value.toFixed(1)} %`;

// 1,234,567 is 1.23 M.
export function short(value: number): string {
  if (value >= 999_500) return `${(value / 1_000_000).toFixed(2)} M`;
  return value >= 10_000 ? `${(value / 1000).toFixed(0)} k` : figure(value);
}

export const fightLength = (fight: FightRow): number => fight.ended_at - fight.started_at;

export function outcomeOf(fight: FightRow): string {
  if (fight.kill) return "Kill";
  return fight.boss_health === null ? "Wipe" : `Wipe at ${percent(fight.boss_health)}`;
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
  askLink(ASSISTANT, `How did the raid of report ${report.code} go, and what should we improve first?`);

export const askAboutNights = (one: string, other: string): string =>
  askLink(ASSISTANT, `Compare the raids of report ${one} and report ${other}: what got better, what got worse?`);

export const askAboutFight = (fight: FightRow): string =>
  askLink(
    ASSISTANT,
    fight.kill
      ? `How did we do in fight ${fight.number} of report ${fight.code}?`
      : `What went wrong in fight ${fight.number} of report ${fight.code}?`,
  );

export const askAboutPlayers = (fight: FightRow, names: readonly string[]): string =>
  askLink(
    ASSISTANT,
    names.length > 1
      ? `Compare ${names.join(" with ")} in fight ${fight.number} of report ${fight.code}.`
      : `What should ${names[0] ?? ""} improve first, by fight ${fight.number} of report ${fight.code}?`,
  );
