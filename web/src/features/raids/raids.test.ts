import { expect, it } from "vitest";
import type { FightDeath, FightRow, ReportRow } from "../../api/types";
import { besideEachOther, byBoss } from "./attempts";
import { beside } from "./beside";
import { CLASSES } from "./classes";
import { likeliest } from "./CompareNights";
import { causeOf } from "./Deaths";
import { difference } from "./TwoNights";
import { askAboutFight, lengthOf, outcomeOf, playersLink, short } from "./words";

const fight = (number: number, changes: Partial<FightRow> = {}): FightRow => ({
  code: "abcdefghij",
  number,
  encounter_id: 661,
  name: "Prince Malchezaar",
  kind: "fight",
  started_at: 1000 * number,
  ended_at: 1000 * number + 60_000,
  kill: false,
  boss_health: 42.5,
  spirits: 0,
  size: 10,
  players: 10,
  deaths: 1,
  damage: 1,
  reference: false,
  own: true,
  ...changes,
});

function contrast(one: string, other: string): number {
  const light = (colour: string): number =>
    [1, 3, 5]
      .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, place) => sum + part * ([0.2126, 0.7152, 0.0722][place] ?? 0), 0);
  const [more = 0, less = 0] = [light(one), light(other)].sort((a, b) => b - a);
  return (more + 0.05) / (less + 0.05);
}

it("marks every class so that it is seen in both themes", () => {
  expect(CLASSES).toHaveLength(9);
  expect(CLASSES.flatMap((one) => one.specs)).toHaveLength(27);
  for (const { name, light, dark } of CLASSES) {
    for (const ground of ["#ffffff", "#f7f7f5", "#f0f0ec"]) expect(contrast(light, ground), name).toBeGreaterThan(3);
    for (const ground of ["#141517", "#1b1d20", "#23262a"]) expect(contrast(dark, ground), name).toBeGreaterThan(3);
  }
});

it("tells lengths, amounts and outcomes as raiders read them", () => {
  expect([999, 59_600, 272_400, 3_725_000].map(lengthOf)).toEqual(["0:01", "1:00", "4:32", "1:02:05"]);
  expect([950, 9_999, 12_345, 1_234_567].map(short)).toEqual(["950", "9,999", "12 k", "1.23 M"]);
  expect([fight(1), fight(2, { boss_health: null }), fight(3, { kill: true })].map(outcomeOf)).toEqual([
    "Wipe at 42.5 %",
    "Wipe",
    "Kill",
  ]);
});

it("puts names and questions into addresses as they are", () => {
  expect(playersLink("abcdefghij", 3, "Élan-Firemaw", "a/b")).toBe("#/raids/abcdefghij/3/%C3%89lan-Firemaw/a%2Fb");
  expect(decodeURIComponent(askAboutFight(fight(3)))).toBe(
    "#/ask/raids/What went wrong in fight 3 of report abcdefghij?",
  );
});

it("groups attempts by boss, and leaves trash out", () => {
  const other = { encounter_id: 0, name: "Unknown" };
  const found = byBoss([fight(1), fight(2, { ...other, kind: "trash" }), fight(3, other), fight(4, { kill: true })]);
  expect(found.map((boss) => [boss.name, boss.attempts.map((one) => one.number)])).toEqual([
    ["Prince Malchezaar", [1, 4]],
    ["Unknown", [3]],
  ]);
});

it("puts two nights beside each other by boss", () => {
  const curator = { encounter_id: 656, name: "The Curator" };
  const [prince, only] = besideEachOther(
    [fight(1), fight(2, { boss_health: 8 }), fight(3, { kill: true, boss_health: 0 })],
    [fight(1, { name: "Prinz Malchezaar", kill: true, ended_at: 46_000 }), fight(2, curator)],
  );
  expect(prince?.nights.map((one) => [one?.attempts, one?.kill?.number, one?.best, one?.deaths])).toEqual([
    [3, 3, 8, 3],
    [1, 1, null, 1],
  ]);
  expect(prince && difference(prince.nights)).toBe("0:15 faster");
  expect([only?.name, only?.nights[0], only && difference(only.nights)]).toEqual(["The Curator", null, "–"]);
});

it("offers the night before in the same place to compare with", () => {
  const night = (code: string, zone: string, started_at: number) => ({ code, zone, started_at }) as ReportRow;
  const nights = [night("d", "Kara", 4), night("c", "Gruul", 3), night("b", "Kara", 2), night("a", "Gruul", 1)];
  expect(likeliest(nights)).toEqual(["b", "d"]);
  expect(likeliest(nights, "c")).toEqual(["c", "a"]);
  expect(likeliest(nights, "a")).toEqual(["a", "c"]);
});

it("matches rows of two players by name, the largest of either first", () => {
  const rows = beside(
    [
      [{ name: "Fireball", total: 5 }],
      [
        { name: "Scorch", total: 9 },
        { name: "Fireball", total: 1 },
      ],
    ],
    (one) => one.total,
  );
  expect(rows.map((row) => [row.name, ...row.values.map((one) => one?.total ?? null)])).toEqual([
    ["Scorch", null, 9],
    ["Fireball", 5, 1],
  ]);
});

it("says what somebody died of, as far as the log tells", () => {
  const death: FightDeath = { player: "Brak", at_s: 5, spell: "", source: "", amount: 0, overkill: 0, blows: [] };
  expect(causeOf(death)).toBe("cause not in the log");
  expect(causeOf({ ...death, spell: "Melee", source: "Prince", amount: 900, overkill: 100 })).toBe(
    "Melee by Prince for 1,000, 100 overkill",
  );
});
