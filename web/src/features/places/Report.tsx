// What became of an imported file: every row accounted for, and the first lines that were not taken.

import type { ReactNode } from "react";
import { count, exact } from "../../turn/words";
import type { ImportReport } from "./imports";
import { t } from "../../language/t";

export function Report({ report }: { report: ImportReport }): ReactNode {
  if (report.same) return <p>{t("Already imported; nothing changed.")}</p>;
  const unknown = Object.entries(report.unknown_columns);
  return (
    <>
      <p>{sumsOf(report)}</p>
      {Object.entries(report.reasons).map(([reason, rows]) => (
        <p key={reason} className="hint">{`${rows.toLocaleString("en")} × ${reason}`}</p>
      ))}
      {unknown.map(([column, nearest]) => (
        <p key={column} className="hint">
          {t(
            "The column “{0}” is not known and was left out{1}.",
            exact(column),
            nearest ? t(": closest match “{0}”", nearest) : "",
          )}
        </p>
      ))}
      {report.notes.map((note) => (
        <p key={note} className="hint">
          {exact(note)}
        </p>
      ))}
      {report.problems.length > 0 && <Lines report={report} />}
    </>
  );
}

export function sumsOf(report: ImportReport): string {
  const [taken, skipped, duplicates] = [report.taken, report.skipped, report.duplicates].map((rows) =>
    rows.toLocaleString("en"),
  );
  const updated = report.updated ? t(" ({0} of them updated)", report.updated.toLocaleString("en")) : "";
  return t(
    "{0} · {1}: {2} imported{3}, {4} skipped, {5} duplicates",
    report.layout,
    count(report.read, "row"),
    taken,
    updated,
    skipped,
    duplicates,
  );
}

function Lines({ report }: { report: ImportReport }): ReactNode {
  return (
    <details>
      <summary>
        {report.problems.length === 1 ? t("The first line") : t("The first {0}", count(report.problems.length, "line"))}
      </summary>
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("Line")}</th>
              <th scope="col">{t("Reason")}</th>
              <th scope="col">{t("Value")}</th>
            </tr>
          </thead>
          <tbody>
            {report.problems.map((one, index) => (
              <tr key={index}>
                <td>{one.line.toLocaleString("en")}</td>
                <td>{exact(one.reason)}</td>
                <td>{exact(one.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
