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

export function Report({ code, me }: { code: string; me: Me }): ReactNode {
  const { data, error } = useQuery(reportQuery(code));
  const { data: reports = [] } = useQuery(reportsQuery);
  const [deleting, setDeleting] = useState(false);
  if (!data || error) return <Failure error={error} />;
  const { report, fights } = data;
  const bosses = byBoss(fights);
  return (
    <>
      <Crumbs places={[["Nights", raidsLink]]} />
      <div className="raid-head">
        <h1>{exact(report.zone || report.title)}</h1>
        <span className="grow" />
        <a className="primary" href={askAboutNight(report)}>
          Ask the analyst
        </a>
      </div>
      <p className="hint">
        {`${nightOf(report.started_at)}, ${timeOf(report.started_at)} to ${timeOf(report.ended_at)} · ${count(report.kills, "kill")}, ${count(report.fights - report.kills, "wipe")} · ${count(data.players.length, "player")} · report `}
        <code>{report.code}</code>
      </p>
      {reports.length > 0 && <CompareNights reports={reports} with={report.code} />}
      <section aria-labelledby="fights-title">
        <h2 id="fights-title">Fights</h2>
        {bosses.length ? <Ladder bosses={bosses} /> : <p>No fight with a known boss is in this log.</p>}
      </section>
      <Log data={data} />
      {(report.own || me.admin) && (
        <button type="button" className="plain small" onClick={() => setDeleting(true)}>
          Delete this report…
        </button>
      )}
      {deleting && <Deleting code={report.code} onDone={() => setDeleting(false)} />}
    </>
  );
}

function Ladder({ bosses }: { bosses: readonly BossAttempts[] }): ReactNode {
  return (
    <Wide label="Fights">
      <table className="raid-table ladder">
        <thead>
          <tr>
            <th scope="col">Fight</th>
            <th scope="col">Result, boss health left</th>
            <th scope="col">Length</th>
            <th scope="col">Deaths</th>
            <th scope="col">Raid DPS</th>
          </tr>
        </thead>
        {bosses.map((boss) => (
          <tbody key={`${boss.encounter} ${boss.name}`}>
            <tr>
              <th scope="rowgroup" colSpan={5}>
                {exact(boss.name)}
                {boss.attempts.length > 1 && <span className="hint">{` ${boss.attempts.length} attempts`}</span>}
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
          {`Fight ${fight.number}`}
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
      <h2 id="log-title">The log</h2>
      <p className="hint">{`${exact(report.name)} · ${linesOf(report)}`}</p>
      {!advanced && (
        <p className="hint">
          It was written without advanced combat logging: health, power and positions are missing. Switch it on in the
          game under System, Network.
        </p>
      )}
      {same_night.length > 0 && (
        <p>
          {"The same night by another player: "}
          {same_night.map((code) => (
            <a key={code} className="raid-code" href={reportLink(code)}>
              {code}
            </a>
          ))}
        </p>
      )}
      {bad_lines.map((one) => (
        <details key={one.reason}>
          <summary>{`${count(one.count, "line")} not readable: ${exact(one.reason)}`}</summary>
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
    <Dialog label="Delete report" onClose={onDone}>
      <h2>Delete this report?</h2>
      <p>Its fights and everything read of them are deleted. This can’t be undone; the log can be imported again.</p>
      <Failure error={remove.error} />
      <div className="choices">
        <button type="button" className="primary danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete the report
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
