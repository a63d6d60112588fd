// One night: its bosses with every attempt as a ladder of boss health, what was read of its log, and its deletion.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id } from "../../api/client";
import type { FightRow, Me, RaidReport } from "../../api/types";
import { go } from "../../route";
import { count, exact } from "../../turn/words";
import { Dialog } from "../../ui/Dialog";
import { byBoss, type BossAttempts } from "./attempts";
import { CompareNights } from "./CompareNights";
import { linesOf } from "./Imports";
import { Bar, Crumbs, Failure, Wide } from "./parts";
import { reportQuery, reportsQuery } from "./queries";
import {
  askAboutNight,
  fightLength,
  fightLink,
  lengthOf,
  nightOf,
  outcomeOf,
  raidsLink,
  reportLink,
  short,
  timeOf,
} from "./words";
import { t } from "../../language/t";

export function Report({ code, me }: { code: string; me: Me }): ReactNode {
  const { data, error } = useQuery(reportQuery(code));
  const { data: reports = [] } = useQuery(reportsQuery);
  const [deleting, setDeleting] = useState(false);
  if (!data || error) return <Failure error={error} />;
  const { report, fights } = data;
  const bosses = byBoss(fights);
  return (
    <>
      <Crumbs places={[[t("Nights"), raidsLink]]} />
      <div className="raid-head">
        <h1>{exact(report.zone || report.title)}</h1>
        <span className="grow" />
        <a className="primary" href={askAboutNight(report)}>
          {t("Ask the analyst")}
        </a>
      </div>
      <p className="hint">
        {t(
          "{0}, {1} to {2} · {3}, {4} · {5} · report ",
          nightOf(report.started_at),
          timeOf(report.started_at),
          timeOf(report.ended_at),
          count(report.kills, "kill"),
          count(report.fights - report.kills, "wipe"),
          count(data.players.length, "player"),
        )}
        <code>{report.code}</code>
      </p>
      {reports.length > 0 && <CompareNights reports={reports} with={report.code} />}
      <section aria-labelledby="fights-title">
        <h2 id="fights-title">{t("Fights")}</h2>
        {bosses.length ? <Ladder bosses={bosses} /> : <p>{t("This log has no fight with a known boss.")}</p>}
      </section>
      <Log data={data} />
      {(report.own || me.admin) && (
        <button type="button" className="plain small" onClick={() => setDeleting(true)}>
          {t("Delete this report…")}
        </button>
      )}
      {deleting && <Deleting code={report.code} onDone={() => setDeleting(false)} />}
    </>
  );
}

function Ladder({ bosses }: { bosses: readonly BossAttempts[] }): ReactNode {
  return (
    <Wide label={t("Fights")}>
      <table className="raid-table ladder">
        <thead>
          <tr>
            <th scope="col">{t("Fight")}</th>
            <th scope="col">{t("Result, boss health left")}</th>
            <th scope="col">{t("Length")}</th>
            <th scope="col">{t("Deaths")}</th>
            <th scope="col">{t("Raid DPS")}</th>
          </tr>
        </thead>
        {bosses.map((boss) => (
          <tbody key={`${boss.encounter} ${boss.name}`}>
            <tr>
              <th scope="rowgroup" colSpan={5}>
                {exact(boss.name)}
                {boss.attempts.length > 1 && <span className="hint">{t(" {0} attempts", boss.attempts.length)}</span>}
              </th>
            </tr>
            {boss.attempts.map((fight) => (
              <Attempt key={fight.number} fight={fight} />
            ))}
          </tbody>
        ))}
      </table>
    </Wide>
  );
}

function Attempt({ fight }: { fight: FightRow }): ReactNode {
  const length = fightLength(fight);
  return (
    <tr>
      <td>
        <a href={fightLink(fight.code, fight.number)}>
          <span className="unseen">{`${fight.name}, `}</span>
          {t("Fight {0}", fight.number)}
        </a>
      </td>
      <td className="ladder-cell">
        <span className={fight.kill ? "kill" : undefined}>{outcomeOf(fight)}</span>
        {!fight.kill && fight.boss_health !== null && <Bar part={fight.boss_health / 100} kind="trouble" />}
      </td>
      <td className="figure-cell">{lengthOf(length)}</td>
      <td className="figure-cell">{fight.deaths}</td>
      <td className="figure-cell">{length > 0 ? short((1000 * fight.damage) / length) : "–"}</td>
    </tr>
  );
}

function Log({ data }: { data: RaidReport }): ReactNode {
  const { report, bad_lines, same_night, advanced } = data;
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">{t("The log")}</h2>
      <p className="hint">{`${exact(report.name)} · ${linesOf(report)}`}</p>
      {!advanced && (
        <p className="hint">
          {t(
            "It was recorded without advanced combat logging: health, power and positions are missing. Turn it on in the game under System → Network.",
          )}
        </p>
      )}
      {same_night.length > 0 && (
        <p>
          {t("The same night by another player: ")}
          {same_night.map((code) => (
            <a key={code} className="raid-code" href={reportLink(code)}>
              {code}
            </a>
          ))}
        </p>
      )}
      {bad_lines.map((one) => (
        <details key={one.reason}>
          <summary>{t("{0} unreadable: {1}", count(one.count, "line"), exact(one.reason))}</summary>
          <pre className="launch" tabIndex={0}>
            {one.first.map(([line, text]) => `${line}: ${exact(text)}`).join("\n")}
          </pre>
        </details>
      ))}
    </section>
  );
}

function Deleting({ code, onDone }: { code: string; onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(`api/raids/reports/${id(code)}`, undefined, "DELETE"),
    onSuccess: () => {
      go(raidsLink);
      // Not the report itself: this place still shows it, and it is gone.
      return client.invalidateQueries({ queryKey: reportsQuery.queryKey });
    },
  });
  return (
    <Dialog label={t("Delete report")} onClose={onDone}>
      <h2>{t("Delete this report?")}</h2>
      <p>
        {t(
          "Its fights and everything read from them are deleted. This can’t be undone, but you can import the log again.",
        )}
      </p>
      <Failure error={remove.error} />
      <div className="choices">
        <button type="button" className="primary danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {t("Delete report")}
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          {t("Keep it")}
        </button>
      </div>
    </Dialog>
  );
}
