import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { ToolUseRow } from "../api/types";
import { duration } from "../turn/words";
import { Period } from "./Period";
import { toolUseQuery } from "./queries";
import { percent } from "./Tiles";
import { t } from "../language/t";

const COLUMNS = [t("Turns"), t("Calls"), t("Success"), t("Cached"), "p50", "p95", t("Longest")];

export function ToolUse(): ReactNode {
  const [days, setDays] = useState(30);
  const [assistant, setAssistant] = useState("");
  const { data } = useQuery(toolUseQuery(days, assistant));
  const most = Math.max(1, ...(data?.rows.map((row) => row.calls) ?? []));
  return (
    <div className="admin-page">
      <div className="filters">
        <p className="hint">
          {data ? t("From the {0} most recent of {1} finished turns.", count(data.turns_read), count(data.turns)) : ""}
        </p>
        <span className="grow" />
        <label className="filter">
          <span className="unseen">{t("Assistant")}</span>
          <select value={assistant} onChange={(event) => setAssistant(event.target.value)}>
            <option value="">{t("All assistants")}</option>
            {Object.keys(data?.assistants ?? {}).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Period days={days} onDays={setDays} />
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Tools")}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t("Tool")}</th>
              <th scope="col">{t("Assistant")}</th>
              <th scope="col">{t("Use")}</th>
              {COLUMNS.map((name) => (
                <th key={name} scope="col" className="figure-cell">
                  {name}
                </th>
              ))}
              <th scope="col">{t("Errors")}</th>
            </tr>
          </thead>
          <tbody>
            {data?.rows.map((row) => (
              <Row key={`${row.tool} ${row.assistant}`} row={row} most={most} />
            ))}
          </tbody>
        </table>
      </div>
      {data && !data.rows.length && <p className="hint">{t("No tools were used in this period.")}</p>}
    </div>
  );
}

function Row({ row, most }: { row: ToolUseRow; most: number }): ReactNode {
  const figures = [
    count(row.turns),
    count(row.calls),
    percent(row.calls - row.failed, row.calls),
    count(row.cached),
    ...[row.p50_ms, row.p95_ms, row.max_ms].map((ms) => (ms === null ? "–" : duration(ms / 1000))),
  ];
  return (
    <tr>
      <td>
        <code>{row.tool}</code>
      </td>
      <td>{row.assistant}</td>
      <td className="wide-cell">
        <span className="bar-track" aria-hidden="true">
          <span className="bar-fill act" style={{ width: `${(100 * (row.calls - row.failed)) / most}%` }} />
          <span className="bar-fill trouble" style={{ width: `${(100 * row.failed) / most}%` }} />
        </span>
      </td>
      {figures.map((figure, place) => (
        <td key={COLUMNS[place]} className="figure-cell">
          {figure}
        </td>
      ))}
      <td className="reason-cell">
        {Object.entries(row.reasons).map(([reason, times]) => (
          <div key={reason} className="error-reason" title={reason}>
            {count(times)} × {reason}
          </div>
        ))}
      </td>
    </tr>
  );
}

const count = (value: number): string => value.toLocaleString("en");
