// Who did what: decisions, ratings, deletions, keys, sign-ins.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import type { AuditEntry } from "../api/types";
import { when } from "../turn/words";
import { auditQuery, PAGE } from "./queries";
import { t } from "../language/t";

const WORDS: Record<AuditEntry["action"], string> = {
  held: t("had to ask first, because untrusted or confidential text had been read:"),
  approved: t("approved"),
  refused: t("refused"),
  allowed: t("allowed for the session"),
  revoked: t("revoked"),
  answered: t("answered a question of"),
  steered: t("sent a message to"),
  rated: t("rated"),
  case_made: t("made an eval case of"),
  schedule_added: t("added the schedule"),
  schedule_cancelled: t("cancelled the schedule"),
  session_deleted: t("deleted the session"),
  user_deleted: t("deleted everything of"),
  user_added: t("added the user"),
  user_removed: t("removed the user"),
  key_made: t("created a key for"),
  key_revoked: t("revoked a key of"),
  signed_in: t("signed in as"),
  sign_in_refused: t("was denied the"),
  access_changed: t("changed what may be used by"),
  groups_changed: t("changed the groups of"),
  audit_pruned: t("removed by retention"),
  retried: t("retried"),
  dropped: t("discarded the dead letter of"),
  connection_changed: t("changed the connection to"),
  shared: "shared",
  unshared: t("stopped sharing"),
  default_model_changed: t("changed the default model to"),
};

export function Audit(): ReactNode {
  const [user, setUser] = useState("");
  const [action, setAction] = useState("");
  const [page, setPage] = useState(0);
  const { data = [], error, isPending } = useQuery(auditQuery(user.trim(), action, page));
  const shown = data.slice(0, PAGE);
  return (
    <div className="admin-page">
      <div className="filters" role="search">
        <label className="filter user">
          <span className="unseen">{t("Who")}</span>
          <input
            type="search"
            placeholder={t("Who")}
            maxLength={200}
            value={user}
            onChange={(event) => {
              setUser(event.target.value);
              setPage(0);
            }}
          />
        </label>
        <label className="filter">
          <span className="unseen">{t("What")}</span>
          <select
            value={action}
            onChange={(event) => {
              setAction(event.target.value);
              setPage(0);
            }}
          >
            <option value="">{t("Everything")}</option>
            {Object.entries(WORDS).map(([value, label]) => (
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
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Who did what")}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t("When")}</th>
              <th scope="col">{t("Who")}</th>
              <th scope="col">{t("What")}</th>
              <th scope="col">{t("Detail")}</th>
              <th scope="col">{t("Session")}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((note) => (
              <tr key={note.id}>
                <td>{when(note.at)}</td>
                <td>{note.by_user}</td>
                <td>
                  {`${WORDS[note.action] ?? note.action} `}
                  <code>{note.subject.length > 24 ? `${note.subject.slice(0, 8)}…` : note.subject}</code>
                </td>
                <td>{note.detail || "–"}</td>
                <td>
                  {note.session_id ? (
                    <a className="more" href={`#/sessions/${encodeURIComponent(note.session_id)}`}>
                      {t("open")}
                    </a>
                  ) : (
                    "–"
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {!isPending && !shown.length && (
        <p className="hint">
          {user || action ? t("Nothing of this kind has happened yet.") : t("Nothing has happened yet.")}
        </p>
      )}
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
