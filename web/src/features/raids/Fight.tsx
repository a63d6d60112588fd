// One fight: everybody in it, two of them to compare, and how each died.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { FightPlayer, FightRow, RaidFight } from "../../api/types";
import { go } from "../../route";
import { exact } from "../../turn/words";
import { Chart, type Series } from "../../ui/Chart";
import { Deaths } from "./Deaths";
import { Crumbs, Failure, Missing } from "./parts";
import { PlayerTable } from "./PlayerTable";
import { fightQuery, reportQuery } from "./queries";
import {
  askAboutFight,
  fightLength,
  fightLink,
  figure,
  fullName,
  lengthOf,
  nightOf,
  outcomeOf,
  playersLink,
  raidsLink,
  reportLink,
  short,
  timeOf,
} from "./words";
import { t } from "../../language/t";

export function Fight({ code, number }: { code: string; number: number }): ReactNode {
  const { data, error } = useQuery(fightQuery(code, number));
  if (!data || error) return <Failure error={error} />;
  const { fight, report, players, deaths, missing } = data;
  return (
    <>
      <Crumbs
        places={[
          [t("Nights"), raidsLink],
          [`${report.zone || report.title}, ${nightOf(report.started_at)}`, reportLink(report.code)],
        ]}
      />
      <div className="raid-head">
        <h1>{exact(fight.name)}</h1>
        <span className="grow" />
        <a className="primary" href={askAboutFight(fight)}>
          {t("Ask the analyst")}
        </a>
      </div>
      <p>
        <b className={fight.kill ? "kill" : undefined}>{outcomeOf(fight)}</b>
        <span className="hint">{` · ${factsOf(data).join(" · ")}`}</span>
      </p>
      <Attempts fight={fight} />
      <section aria-label={t("Over time")}>
        <Chart title={t("Damage and healing per second")} series={seriesOf(data)} format={figure} />
      </section>
      <section aria-labelledby="players-title">
        <h2 id="players-title">{t("Players")}</h2>
        <PlayerTable fight={fight} players={players} />
        {players.length > 1 && <ComparePlayers fight={fight} players={players} />}
        <p className="hint">{parseNote(fight, players)}</p>
      </section>
      <section aria-labelledby="deaths-title">
        <h2 id="deaths-title">{t("Deaths")}</h2>
        {deaths.length ? <Deaths deaths={deaths} players={players} /> : <p>{t("Nobody died.")}</p>}
      </section>
      <Missing missing={missing} />
    </>
  );
}

function seriesOf({ rates }: RaidFight): readonly Series[] {
  const points = (values: readonly number[]) =>
    values.map((value, step) => ({ label: lengthOf(1000 * rates.step_s * step), value }));
  return [
    { name: "DPS", kind: "act", points: points(rates.dps) },
    { name: "HPS", kind: "observe", points: points(rates.hps) },
  ];
}

function factsOf({ fight, players }: RaidFight): readonly string[] {
  const seconds = Math.max(0.001, fightLength(fight) / 1000);
  const sum = (of: (one: FightPlayer) => number): number => players.reduce((all, one) => all + of(one), 0);
  return [
    lengthOf(fightLength(fight)),
    t("fight {0}, {1}", fight.number, timeOf(fight.started_at)),
    t("raid DPS {0}", short(sum((one) => one.damage) / seconds)),
    t("raid HPS {0}", short(sum((one) => one.healing) / seconds)),
  ];
}

function parseNote(fight: FightRow, players: readonly FightPlayer[]): string {
  if (!fight.kill) return t("Wipes have no parse.");
  const theirs = players.some((one) => one.warcraft_logs_parse !== null);
  return t(
    "Parse: the percentile among kills of the same boss and spec on this server, healers by HPS; none with fewer than ten kills. {0}",
    theirs ? t("WCL is the one of Warcraft Logs.") : t("It is not the one of Warcraft Logs."),
  );
}

// The attempts before and after at the same boss.
function Attempts({ fight }: { fight: FightRow }): ReactNode {
  const { data } = useQuery(reportQuery(fight.code));
  const same = data?.fights.filter(
    (one) => one.kind === fight.kind && one.encounter_id === fight.encounter_id && one.name === fight.name,
  );
  if (!same || same.length < 2) return null;
  return (
    <nav className="raid-attempts" aria-label={t("Attempts at {0}", fight.name)}>
      {same.map((one) => (
        <a
          key={one.number}
          className="pill"
          href={fightLink(one.code, one.number)}
          {...(one.number === fight.number && { "aria-current": "page" as const })}
        >
          {outcomeOf(one)}
          <span className="unseen">{t(", fight {0}", one.number)}</span>
        </a>
      ))}
    </nav>
  );
}

function ComparePlayers({ fight, players }: { fight: FightRow; players: readonly FightPlayer[] }): ReactNode {
  const names = players.map(fullName).sort((one, other) => one.localeCompare(other));
  const [chosen, setChosen] = useState<readonly [string, string]>(() => alike(players));
  const [first, second] = chosen;
  const choice = (label: string, value: string, onChange: (name: string) => void) => (
    <label>
      <span className="unseen">{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  return (
    <form className="raid-compare" action={() => go(playersLink(fight.code, fight.number, first, second))}>
      <span>{t("Compare")}</span>
      {choice(t("One player"), first, (name) => setChosen([name, second]))}
      <span>{t("with")}</span>
      {choice(t("The other player"), second, (name) => setChosen([first, name]))}
      <button type="submit" className="plain small" disabled={first === second}>
        {t("Side by side")}
      </button>
    </form>
  );
}

// Two of the same spec where there are any, else the first two: these tell most beside each other.
function alike(players: readonly FightPlayer[]): readonly [string, string] {
  const same = (one: FightPlayer) => (other: FightPlayer) =>
    other !== one && other.class_name === one.class_name && other.spec === one.spec && other.role === one.role;
  const one = players.find((each) => players.some(same(each))) ?? players[0];
  const other = one && (players.find(same(one)) ?? players.find((each) => each !== one));
  return [one ? fullName(one) : "", other ? fullName(other) : ""];
}
