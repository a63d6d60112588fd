// What became of an imported file: every row accounted for, and the first lines that were not taken.

import type { ReactNode } from "react";
import { count, exact } from "../../turn/words";
import type { ImportReport } from "./imports";

export function Report({ report }: { report: ImportReport }): ReactNode {
  if (report.same) return <p>Imported before: nothing was changed.</p>;
  const unknown = Object.entries(report.unknown_columns);
  return (
    <>
      <p>{sumsOf(report)}</p>
      {Object.entries(report.reasons).map(([reason, rows]) => (
        <p key={reason} className="hint">{`${rows.toLocaleString("en")} × ${reason}`}</p>
      ))}
      {unknown.map(([column, nearest]) => (
        <p key={column} className="hint">
          {`The column “${exact(column)}” is not known and was left out${nearest ? `: nearest is “${nearest}”` : ""}.`}
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
  const updated = report.updated ? ` (${report.updated.toLocaleString("en")} of them updated)` : "";
  return `${report.layout} · ${count(report.read, "row")}: ${taken} taken${updated}, ${skipped} skipped, ${duplicates} duplicates`;
}

function Lines({ report }: { report: ImportReport }): ReactNode {
  return (
    <details>
      <summary>{`The first ${count(report.problems.length, "line")}`}</summary>
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">Reason</th>
              <th scope="col">Value</th>
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
