// Two nights side by side, boss by boss.

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { RaidReport } from "../../api/types";
import { count, exact } from "../../turn/words";
import { besideEachOther, type BossNight } from "./attempts";
import { Crumbs, Failure, Wide } from "./parts";
import { reportQuery } from "./queries";
import { askAboutNights, fightLength, fightLink, lengthOf, nightOf, percent, raidsLink, reportLink } from "./words";

export function TwoNights({ codes }: { codes: readonly [string, string] }): ReactNode {
  const [one, other] = useQueries({ queries: codes.map((code) => reportQuery(code)) });
  if (!one?.data || !other?.data) return <Failure error={one?.error ?? other?.error} />;
  return <Both nights={[one.data, other.data]} />;
}

function Both({ nights }: { nights: readonly [RaidReport, RaidReport] }): ReactNode {
  const [one, other] = nights;
  const rows = besideEachOther(one.fights, other.fights);
  return (
    <>
      <Crumbs places={[["Nights", raidsLink]]} />
      <div className="raid-head">
        <h1>Two nights</h1>
        <span className="grow" />
        <a className="primary" href={askAboutNights(one.report.code, other.report.code)}>
          Ask the analyst
        </a>
      </div>
      <Wide label="Two nights, boss by boss">
        <table className="raid-table nights">
          <thead>
            <tr>
              <th scope="col">Boss</th>
              {nights.map(({ report }) => (
                <th key={report.code} scope="col">
                  <a href={reportLink(report.code)}>{nightOf(report.started_at)}</a>
                  <span className="hint">{exact(report.zone || report.title)}</span>
                </th>
              ))}
              <th scope="col">Kill time</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{exact(row.name)}</th>
                {row.nights.map((night, place) => (
                  <td key={place}>
                    <Night night={night} />
                  </td>
                ))}
                <td className="figure-cell">{difference(row.nights)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">In all</th>
              {nights.map((night) => (
                <td key={night.report.code}>{totalOf(night)}</td>
              ))}
              <td />
            </tr>
          </tbody>
        </table>
      </Wide>
    </>
  );
}

function Night({ night }: { night: BossNight | null }): ReactNode {
  if (!night) return <span className="hint">not tried</span>;
  const { kill, best, attempts, deaths } = night;
  return (
    <>
      {kill ? (
        <a className="kill" href={fightLink(kill.code, kill.number)}>{`Kill in ${lengthOf(fightLength(kill))}`}</a>
      ) : (
        <span>{best === null ? "No kill" : `No kill, best ${percent(best)}`}</span>
      )}
      <span className="hint">{`${count(attempts, "attempt")}, ${count(deaths, "death")}`}</span>
    </>
  );
}

// Of the second night's kill to the first one's.
export function difference([one, other]: readonly [BossNight | null, BossNight | null]): string {
  if (!one?.kill || !other?.kill) return "–";
  const seconds = Math.round((fightLength(other.kill) - fightLength(one.kill)) / 1000);
  if (!seconds) return "the same";
  return `${lengthOf(1000 * Math.abs(seconds))} ${seconds < 0 ? "faster" : "slower"}`;
}

function totalOf({ report, fights }: RaidReport): string {
  const deaths = fights.reduce((sum, one) => sum + one.deaths, 0);
  const length = lengthOf(report.ended_at - report.started_at);
  return `${count(report.kills, "kill")}, ${count(report.fights - report.kills, "wipe")}, ${count(deaths, "death")} in ${length}`;
}
