// Fights of a night in the order one reads them: by boss, each with its attempts; and two nights boss by boss.

import type { FightRow } from "../../api/types";
import { fightLength } from "./words";

export interface BossAttempts {
  readonly encounter: number;
  readonly name: string;
  readonly attempts: readonly FightRow[];
}

// Bosses by their first attempt; trash is left out.
export function byBoss(fights: readonly FightRow[]): readonly BossAttempts[] {
  const found = new Map<string, FightRow[]>();
  for (const fight of fights.filter((one) => one.kind !== "trash")) {
    // Encounters that are not known have no id of their own.
    const key = fight.encounter_id ? String(fight.encounter_id) : fight.name;
    found.set(key, [...(found.get(key) ?? []), fight]);
  }
  return [...found.values()].map((attempts) => ({
    encounter: attempts[0]?.encounter_id ?? 0,
    name: attempts[0]?.name ?? "",
    attempts,
  }));
}

export interface BossNight {
  readonly attempts: number;
  readonly kill: FightRow | null;
  // Of the best wipe, where there is no kill and the log tells it.
  readonly best: number | null;
  readonly deaths: number;
  readonly length: number;
}

export interface BossRow {
  readonly name: string;
  readonly nights: readonly [BossNight | null, BossNight | null];
}

// Every boss of either night, in the order of the first one.
export function besideEachOther(one: readonly FightRow[], other: readonly FightRow[]): readonly BossRow[] {
  const [left, right] = [byBoss(one), byBoss(other)];
  const same = (a: BossAttempts) => (b: BossAttempts) =>
    a.encounter && b.encounter ? a.encounter === b.encounter : a.name === b.name;
  const rest = right.filter((boss) => !left.some(same(boss)));
  return [
    ...left.map((boss) => ({ name: boss.name, nights: [nightOf(boss), nightOf(right.find(same(boss)))] as const })),
    ...rest.map((boss) => ({ name: boss.name, nights: [null, nightOf(boss)] as const })),
  ];
}

function nightOf(boss: BossAttempts | undefined): BossNight | null {
  if (!boss) return null;
  const { attempts } = boss;
  const health = attempts.flatMap((one) => (one.kill || one.boss_health === null ? [] : [one.boss_health]));
  return {
    attempts: attempts.length,
    kill: attempts.find((one) => one.kill) ?? null,
    best: health.length ? Math.min(...health) : null,
    deaths: attempts.reduce((sum, one) => sum + one.deaths, 0),
    length: attempts.reduce((sum, one) => sum + fightLength(one), 0),
  };
}
