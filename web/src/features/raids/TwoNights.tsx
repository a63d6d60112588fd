// Two nights side by side, boss by boss.

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { RaidReport } from "../../api/types";
import { count, exact } from "../../turn/words";
import { besideEachOther, type BossNight } from "./attempts";
import { Crumbs, Failure, Wide } from "./parts";
import { reportQuery } from "./queries";
import { askAboutNights, fightLength, fightLink, lengthOf, nightOf, percent, raidsLink, reportLink } from "./words";
import { t } from "../../language/t";

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
      <Crumbs places={[[t("Nights"), raidsLink]]} />
      <div className="raid-head">
        <h1>{t("Two nights")}</h1>
        <span className="grow" />
        <a className="primary" href={askAboutNights(one.report.code, other.report.code)}>
          {t("Ask the analyst")}
        </a>
      </div>
      <Wide label={t("Two nights, boss by boss")}>
        <table className="raid-table nights">
          <thead>
            <tr>
              <th scope="col">{t("Boss")}</th>
              {nights.map(({ report }) => (
                <th key={report.code} scope="col">
                  <a href={reportLink(report.code)}>{nightOf(report.started_at)}</a>
                  <span className="hint">{exact(report.zone || report.title)}</span>
                </th>
              ))}
              <th scope="col">{t("Kill time")}</th>
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
              <th scope="row">{t("Total")}</th>
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
  if (!night) return <span className="hint">{t("not tried")}</span>;
  const { kill, best, attempts, deaths } = night;
  return (
    <>
      {kill ? (
        <a className="kill" href={fightLink(kill.code, kill.number)}>
          {t("Kill in {0}", lengthOf(fightLength(kill)))}
        </a>
      ) : (
        <span>{best === null ? t("No kill") : t("No kill, best {0}", percent(best))}</span>
      )}
      <span className="hint">{`${count(attempts, "attempt")}, ${count(deaths, "death")}`}</span>
    </>
  );
}

// Of the second night's kill to the first one's.
export function difference([one, other]: readonly [BossNight | null, BossNight | null]): string {
  if (!one?.kill || !other?.kill) return "–";
  const seconds = Math.round((fightLength(other.kill) - fightLength(one.kill)) / 1000);
  if (!seconds) return t("the same");
  return `${lengthOf(1000 * Math.abs(seconds))} ${seconds < 0 ? t("faster") : t("slower")}`;
}

function totalOf({ report, fights }: RaidReport): string {
  const deaths = fights.reduce((sum, one) => sum + one.deaths, 0);
  const length = lengthOf(report.ended_at - report.started_at);
  return t(
    "{0}, {1}, {2} in {3}",
    count(report.kills, "kill"),
    count(report.fights - report.kills, "wipe"),
    count(deaths, "death"),
    length,
  );
}
