// What tools did to files and which commands they ran: for whom, where, and what became of it.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import type { ToolOperation } from "../api/types";
import { exact, when } from "../turn/words";
import { operationsQuery, PAGE, type OperationFilters } from "./queries";
import { t } from "../language/t";

const OUTCOMES: Record<ToolOperation["outcome"], string> = {
  done: t("Done"),
  refused: t("Refused"),
  failed: t("Failed"),
};
const NO_FILTERS: OperationFilters = { user_id: "", session_id: "", kind: "", outcome: "" };
const FIELDS = [
  ["user_id", t("Who")],
  ["session_id", t("Session")],
  ["kind", t("Kind")],
] as const;

export function Operations(): ReactNode {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [page, setPage] = useState(0);
  const { data = [], error, isPending } = useQuery(operationsQuery(filters, page));
  const shown = data.slice(0, PAGE);
  const change = (changed: Partial<OperationFilters>): void => {
    setFilters({ ...filters, ...changed });
    setPage(0);
  };
  return (
    <div className="admin-page">
      <div className="filters" role="search">
        {FIELDS.map(([name, label]) => (
          <label key={name} className="filter user">
            <span className="unseen">{label}</span>
            <input
              type="search"
              placeholder={label}
              maxLength={name === "kind" ? 40 : 200}
              value={filters[name]}
              onChange={(event) => change({ [name]: event.target.value })}
            />
          </label>
        ))}
        <label className="filter">
          <span className="unseen">{t("Outcome")}</span>
          <select value={filters.outcome} onChange={(event) => change({ outcome: event.target.value })}>
            <option value="">{t("Any outcome")}</option>
            {Object.entries(OUTCOMES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      <Rows shown={shown} />
      {!isPending && !shown.length && <p className="hint">{t("No matching operations.")}</p>}
      <nav className="pager" aria-label={t("Pages")} hidden={page === 0 && data.length <= PAGE}>
        <button type="button" className="plain small" disabled={page === 0} onClick={() => setPage(page - 1)}>
          {t("Newer")}
        </button>
        <button type="button" className="plain small" disabled={data.length <= PAGE} onClick={() => setPage(page + 1)}>
          {t("Older")}
        </button>
      </nav>
    </div>
  );
}

function Rows({ shown }: { shown: readonly ToolOperation[] }): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Tool operations")}>
      <table className="list">
        <thead>
          <tr>
            {[
              t("When"),
              t("Who"),
              t("Tool"),
              t("Path"),
              t("Operation"),
              t("Bytes"),
              t("Outcome"),
              t("Why"),
              t("Session"),
            ].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <tr key={one.id}>
              <td>{when(one.at)}</td>
              <td>{exact(one.user_id)}</td>
              <td>
                <code>{one.tool}</code>
              </td>
              <td>{one.path ? <code>{exact(one.path)}</code> : "–"}</td>
              <td>{one.operation || "–"}</td>
              <td>{one.bytes ? one.bytes.toLocaleString("en") : "–"}</td>
              <td>{OUTCOMES[one.outcome]}</td>
              <td>{exact(one.why) || "–"}</td>
              <td>
                <a className="more" href={`#/sessions/${encodeURIComponent(one.session_id)}`}>
                  {t("open")}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
