// Everybody's sessions: filters, a page of them, and one in full beside.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import { assistantsQuery } from "../api/queries";
import type { ReviewedSession } from "../api/types";
import { go } from "../route";
import { nameOf, shortDay, titled } from "../turn/words";
import { Period } from "./Period";
import { figuresQuery, listQuery, NO_FILTERS, PAGE, type Filters } from "./queries";
import { Review } from "./Review";
import { Tiles } from "./Tiles";
import { t } from "../language/t";

const TYPING_MS = 250;

export function Sessions({ session }: { session: string | null }): ReactNode {
  const [filters, setFilters] = useState(NO_FILTERS);
  const [page, setPage] = useState(0);
  const { data: figures } = useQuery(figuresQuery(filters.days || 366));
  const { data = [], error } = useQuery(listQuery(filters, page));
  const change = (changed: Partial<Filters>) => {
    setFilters((now) => ({ ...now, ...changed }));
    setPage(0);
  };
  const shown = data.slice(0, PAGE);
  return (
    <div className={`review-split${session ? " opened" : ""}`}>
      <div className="admin-page">
        {figures && <Tiles figures={figures} days={filters.days || 366} />}
        <FilterBar filters={filters} seen={shown.map((line) => line.assistant)} onChange={change} />
        {error && (
          <p className="problem" role="alert">
            {messageOf(error)}
          </p>
        )}
        <List lines={shown} session={session} />
        {!shown.length && <p className="hint">{t("No sessions match. Remove a filter, or choose a longer period.")}</p>}
        <nav className="pager" aria-label={t("Pages")} hidden={page === 0 && data.length <= PAGE}>
          <button type="button" className="plain small" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {t("Newer")}
          </button>
          <span className="hint">{shown.length ? `${page * PAGE + 1}–${page * PAGE + shown.length}` : ""}</span>
          <button
            type="button"
            className="plain small"
            disabled={data.length <= PAGE}
            onClick={() => setPage(page + 1)}
          >
            {t("Older")}
          </button>
        </nav>
      </div>
      {session && <Review key={session} session={session} />}
    </div>
  );
}

function FilterBar({
  filters,
  seen,
  onChange,
}: {
  filters: Filters;
  seen: readonly string[];
  onChange: (changed: Partial<Filters>) => void;
}): ReactNode {
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const [text, setText] = useState(filters.q);
  const [user, setUser] = useState(filters.user_id);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (text !== filters.q || user !== filters.user_id) onChange({ q: text, user_id: user.trim() });
    }, TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [text, user]);
  const choice = (
    label: string,
    name: "assistant" | "status" | "rating",
    options: readonly (readonly [string, string])[],
  ) => (
    <label className="filter">
      <span className="unseen">{label}</span>
      <select value={filters[name]} onChange={(event) => onChange({ [name]: event.target.value })}>
        <option value="">{label}</option>
        {options.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div className="filters" role="search">
      <label className="filter grow">
        <span className="unseen">{t("Search text")}</span>
        <input
          type="search"
          placeholder={t("Search text…")}
          maxLength={100}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <label className="filter user">
        <span className="unseen">{t("User")}</span>
        <input
          type="search"
          placeholder={t("User")}
          maxLength={100}
          value={user}
          onChange={(event) => setUser(event.target.value)}
        />
      </label>
      {choice(
        t("Assistant"),
        "assistant",
        // Those there are, and those that are gone and still have sessions here.
        [...new Set([...assistants.map((one) => one.name), ...seen, filters.assistant])]
          .filter(Boolean)
          .map((name) => [name, nameOf(name)] as const),
      )}
      {choice(t("Status"), "status", [
        ["active", t("Active")],
        ["completed", t("Completed")],
        ["awaiting_approval", t("Waiting")],
        ["running", t("Running")],
        ["failed", t("Failed")],
        ["cancelled", t("Stopped")],
      ])}
      {choice(t("Rating"), "rating", [
        ["good", t("Good")],
        ["bad", t("Bad")],
        ["none", t("Not rated")],
      ])}
      <Period days={filters.days} onDays={(days) => onChange({ days })} all />
    </div>
  );
}

const STATUS: Record<string, string> = { paused: "waits", cancelled: "stopped" };

function List({ lines, session }: { lines: readonly ReviewedSession[]; session: string | null }): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Sessions")}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{t("Started")}</th>
            <th scope="col">{t("User")}</th>
            <th scope="col">{t("Assistant")}</th>
            <th scope="col">{t("First question")}</th>
            <th scope="col" className="figure-cell">
              {t("Turns")}
            </th>
            <th scope="col" className="figure-cell spare">
              {t("Tokens")}
            </th>
            <th scope="col">{t("Rating")}</th>
            <th scope="col">{t("Last turn")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr
              key={line.id}
              className={line.id === session ? "chosen" : undefined}
              onClick={() => go(`#/sessions/${encodeURIComponent(line.id)}`)}
            >
              <td>{shortDay(line.started_at)}</td>
              <td>{line.user_id}</td>
              <td>{line.assistant}</td>
              <td className="title-cell">
                <a href={`#/sessions/${encodeURIComponent(line.id)}`} onClick={(event) => event.stopPropagation()}>
                  {titled(line.title ?? "")}
                </a>
              </td>
              <td className="figure-cell">{line.turns}</td>
              <td className="figure-cell spare">{line.tokens.toLocaleString("en")}</td>
              <td className={`rated ${line.rating ?? ""}`}>{line.rating ?? "—"}</td>
              <td className={`status ${line.last_status ?? ""}`}>
                {STATUS[line.last_status ?? ""] ?? line.last_status ?? "empty"}
                {line.turns > 1 && line.failed > 0 && (
                  <span className="of-turns">{t("{0} of {1} failed", line.failed, line.turns)}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
