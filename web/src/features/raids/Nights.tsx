// All nights, newest first, with a way to import logs, and the characters that one plays.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ReportRow } from "../../api/types";
import { count, exact } from "../../turn/words";
import { Characters } from "./Characters";
import { CompareNights } from "./CompareNights";
import { ImportButton } from "./Imports";
import { Failure } from "./parts";
import { reportsQuery } from "./queries";
import { lengthOf, nightOf, reportLink, timeOf } from "./words";
import { t } from "../../language/t";

export function Nights(): ReactNode {
  const { data, error } = useQuery(reportsQuery);
  return (
    <>
      <section aria-labelledby="nights-title">
        <div className="raid-head">
          <h1 id="nights-title">{t("Nights")}</h1>
          <span className="grow" />
          <ImportButton />
        </div>
        <p className="hint">
          {t("Combat logs from the game (plain, ")}
          <code>.gz</code>
          {t(" or ")}
          <code>.zip</code>
          {t(") or JSON from Warcraft Logs. Drop them anywhere on this page.")}
        </p>
        <Failure error={error} />
        {data && !data.length && (
          <p>{t("None yet. Import a log and its fights are listed here; the analyst answers questions about them.")}</p>
        )}
        <ul className="raid-nights">
          {data?.map((report) => (
            <Night key={report.code} report={report} />
          ))}
        </ul>
        {data && data.length > 1 && <CompareNights reports={data} />}
      </section>
      <Characters />
    </>
  );
}

function Night({ report }: { report: ReportRow }): ReactNode {
  const wipes = report.fights - report.kills;
  return (
    <li>
      <a className="raid-night" href={reportLink(report.code)}>
        <span>
          <b>{exact(report.zone || report.title)}</b>
          <span className="hint">
            {`${nightOf(report.started_at)}, ${timeOf(report.started_at)} · ${lengthOf(report.ended_at - report.started_at)} · ${count(report.size, "player")}`}
          </span>
        </span>
        <span className="raid-counts">
          <span className="kill">{count(report.kills, "kill")}</span>
          <span className="hint">{count(wipes, "wipe")}</span>
          {!report.own && <span className="pill">{t("shared")}</span>}
        </span>
      </a>
    </li>
  );
}
