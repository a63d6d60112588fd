// Everybody in a fight; the column that is pressed sorts.

import { useState, type ReactNode } from "react";
import type { FightPlayer, FightRow } from "../../api/types";
import { exact } from "../../turn/words";
import { Bar, PlayerName, Wide } from "./parts";
import { figure, fullName, percent, playersLink, short } from "./words";
import { t } from "../../language/t";

interface Column {
  readonly name: string;
  readonly title: string;
  readonly value: (one: FightPlayer) => number | null;
  readonly shown: (one: FightPlayer) => string;
  // With a bar, as long as the part of the largest.
  readonly bar?: boolean;
}

const ROLES = ["tank", "healer", "damage"];
const NONE = "–";

const COLUMNS: readonly Column[] = [
  { name: "DPS", title: t("Damage per second"), value: (one) => one.dps, shown: (one) => figure(one.dps), bar: true },
  { name: t("Damage"), title: t("Damage done"), value: (one) => one.damage, shown: (one) => short(one.damage) },
  { name: "HPS", title: t("Healing per second"), value: (one) => one.hps, shown: (one) => figure(one.hps), bar: true },
  {
    name: t("Healing"),
    title: t("Effective healing"),
    value: (one) => one.healing,
    shown: (one) => short(one.healing),
  },
  { name: t("Taken"), title: t("Damage taken"), value: (one) => one.taken, shown: (one) => short(one.taken) },
  { name: t("Deaths"), title: t("Deaths"), value: (one) => one.deaths, shown: (one) => String(one.deaths || NONE) },
  {
    name: t("Active"),
    title: t("Share of the time alive spent on casts and global cooldowns"),
    value: (one) => one.active_percent,
    shown: (one) => percent(one.active_percent),
  },
  {
    name: t("Parse"),
    title: t("Percentile among kills of the same boss and spec on this server"),
    value: (one) => one.parse,
    shown: (one) => (one.parse === null ? NONE : one.parse.toFixed(0)),
  },
];
const THEIRS: Column = {
  name: "WCL",
  title: t("Percentile from Warcraft Logs"),
  value: (one) => one.warcraft_logs_parse,
  shown: (one) => (one.warcraft_logs_parse === null ? NONE : one.warcraft_logs_parse.toFixed(0)),
};

export function PlayerTable({ fight, players }: { fight: FightRow; players: readonly FightPlayer[] }): ReactNode {
  const [by, setBy] = useState<Column | null>(null);
  const theirs = players.some((one) => one.warcraft_logs_parse !== null);
  const columns = theirs ? [...COLUMNS, THEIRS] : COLUMNS;
  const most = columns.map((column) => Math.max(1, ...players.map((one) => column.value(one) ?? 0)));
  return (
    <Wide label={t("Players")}>
      <table className="raid-table players">
        <thead>
          <tr>
            <th scope="col" aria-sort={by ? "none" : "ascending"}>
              <button type="button" title={t("By role")} onClick={() => setBy(null)}>
                {t("Player")}
              </button>
            </th>
            {columns.map((column) => (
              <th key={column.name} scope="col" aria-sort={by === column ? "descending" : "none"}>
                <button type="button" title={column.title} onClick={() => setBy(column)}>
                  {column.name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(players, by).map((one) => (
            <tr key={fullName(one)}>
              <th scope="row">
                <PlayerName
                  name={one.name}
                  className={one.class_name}
                  href={playersLink(fight.code, fight.number, fullName(one))}
                />
                <span className="hint">{exact(whatOf(one))}</span>
              </th>
              {columns.map((column, place) => (
                <td key={column.name} className="figure-cell">
                  {column.shown(one)}
                  {column.bar && Boolean(column.value(one)) && (
                    <Bar part={(column.value(one) ?? 0) / (most[place] ?? 1)} kind="act" />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

const whatOf = (one: FightPlayer): string =>
  [`${one.spec} ${one.class_name}`.trim() || t("unknown class"), one.role !== "damage" && one.role]
    .filter(Boolean)
    .join(", ");

// By role, and in it by what the role is there for.
export function sorted(players: readonly FightPlayer[], by: Column | null): readonly FightPlayer[] {
  const main = (one: FightPlayer): number => (one.role === "healer" ? one.healing : one.damage);
  return [...players].sort((one, other) =>
    by
      ? (by.value(other) ?? -1) - (by.value(one) ?? -1)
      : ROLES.indexOf(one.role) - ROLES.indexOf(other.role) || main(other) - main(one),
  );
}
