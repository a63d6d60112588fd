// A player in one fight, or two side by side: figures, abilities, and uptimes as bars.

import { useQueries, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import type { FightPlayer, AbilityView, UptimeView, RaidFight, RaidPlayerFight } from "../../api/types";
import { exact } from "../../turn/words";
import { beside } from "./beside";
import { MineButton } from "./MineButton";
import { Crumbs, Failure, Missing, PlayerName, Wide } from "./parts";
import { Abilities, Uptimes } from "./PlayerBars";
import { fightQuery, playerQuery } from "./queries";
import {
  askAboutPlayers,
  fightLink,
  figure,
  fullName,
  nightOf,
  outcomeOf,
  percent,
  playersLink,
  raidsLink,
  reportLink,
  short,
} from "./words";
import { t } from "../../language/t";

interface Props {
  readonly code: string;
  readonly number: number;
  readonly names: readonly string[];
}

const NONE = "–";

export function Players({ code, number, names }: Props): ReactNode {
  const { data, error } = useQuery(fightQuery(code, number));
  const found = useQueries({ queries: names.map((name) => playerQuery(code, number, name)) });
  const failure = error ?? found.find((one) => one.error)?.error;
  const shown = found.flatMap((one) => one.data ?? []);
  if (failure) return <Failure error={failure} />;
  if (!data || shown.length < names.length) return null;
  return <Shown fight={data} shown={shown} />;
}

function Shown({ fight: data, shown }: { fight: RaidFight; shown: readonly RaidPlayerFight[] }): ReactNode {
  const { fight, report, players, missing } = data;
  const rows = shown.map((one) => players.find((player) => fullName(player) === fullName(one)) ?? null);
  const names = shown.map((one) => one.name);
  const healers = rows.length > 0 && rows.every((one) => one?.role === "healer");
  const abilities = (title: string, of: (one: RaidPlayerFight) => readonly AbilityView[]) => (
    <Abilities title={title} names={names} rows={beside(shown.map(of), (one) => one.total, abilityName)} />
  );
  const uptimes = (title: string, of: (one: RaidPlayerFight) => readonly UptimeView[]) => (
    <Uptimes title={title} names={names} rows={beside(shown.map(of), (one) => one.percent)} />
  );
  return (
    <>
      <Crumbs
        places={[
          [t("Nights"), raidsLink],
          [`${report.zone || report.title}, ${nightOf(report.started_at)}`, reportLink(report.code)],
          [`${fight.name}, ${outcomeOf(fight)}`, fightLink(fight.code, fight.number)],
        ]}
      />
      <div className="raid-head">
        <h1 className="raid-names">
          {shown.map((one, place) => (
            <Fragment key={place}>
              {place > 0 && t(" and ")}
              <PlayerName name={one.name} className={rows[place]?.class_name ?? ""} />
            </Fragment>
          ))}
        </h1>
        <span className="grow" />
        {rows.length === 1 && rows[0] && <MineButton player={rows[0]} />}
        <a className="primary" href={askAboutPlayers(fight, names)}>
          {t("Ask the analyst")}
        </a>
      </div>
      <Figures data={data} rows={rows} />
      {healers && abilities(t("Healing by ability"), (one) => one.healing)}
      {abilities(t("Damage by ability"), (one) => one.damage)}
      {!healers && abilities(t("Healing by ability"), (one) => one.healing)}
      {uptimes(t("Buffs"), (one) => one.buffs)}
      {uptimes(t("Debuffs on the boss"), (one) => one.enemy_debuffs)}
      {uptimes(t("Debuffs suffered"), (one) => one.debuffs)}
      {abilities(t("Damage taken"), (one) => one.taken)}
      <Missing missing={missing} />
    </>
  );
}

const abilityName = (one: AbilityView): string => (one.pet ? `${one.name} (${one.pet})` : one.name);

const FIGURES: readonly (readonly [string, (one: FightPlayer) => string])[] = [
  [t("Spec"), (one) => `${one.spec} ${one.class_name}`.trim() || "unknown"],
  [t("Role"), (one) => one.role],
  [t("Item level"), (one) => (one.item_level ? one.item_level.toFixed(1) : NONE)],
  ["DPS", (one) => figure(one.dps)],
  ["HPS", (one) => figure(one.hps)],
  [t("Damage taken"), (one) => short(one.taken)],
  [t("Active"), (one) => percent(one.active_percent)],
  [t("Casts"), (one) => figure(one.casts)],
  [t("Interrupts"), (one) => figure(one.interrupts)],
  [t("Dispels"), (one) => figure(one.dispels)],
  [t("Deaths"), (one) => figure(one.deaths)],
  [t("Parse"), (one) => (one.parse === null ? NONE : t("{0}, among {1} kills", one.parse.toFixed(0), one.parse_of))],
];

function Figures({ data, rows }: { data: RaidFight; rows: readonly (FightPlayer | null)[] }): ReactNode {
  const { fight } = data;
  const [only] = rows;
  if (rows.length === 1 && only) {
    return (
      <dl className="raid-facts">
        {FIGURES.map(([name, of]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{exact(of(only))}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <Wide label={t("Figures")}>
      <table className="raid-table figures">
        <thead>
          <tr>
            <td />
            {rows.map((one, place) => (
              <th key={place} scope="col">
                {one && (
                  <PlayerName
                    name={one.name}
                    className={one.class_name}
                    {...(rows.length > 1 && { href: playersLink(fight.code, fight.number, fullName(one)) })}
                  />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([name, of]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {rows.map((one, place) => (
                <td key={place} className="figure-cell">
                  {one ? exact(of(one)) : NONE}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
