// Who did what: decisions, ratings, deletions, keys, sign-ins.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import type { AuditEntry } from "../api/types";
import { when } from "../turn/words";
import { auditQuery, PAGE } from "./queries";

const WORDS: Record<AuditEntry["action"], string> = {
  held: "was asked, as untrusted or confidential text was read, before",
  approved: "approved",
  refused: "refused",
  allowed: "allowed for the session",
  revoked: "took back",
  answered: "answered a question of",
  steered: "sent a message to",
  rated: "rated",
  case_made: "made an eval case of",
  schedule_added: "added the schedule",
  schedule_cancelled: "cancelled the schedule",
  session_deleted: "deleted the session",
  user_deleted: "deleted everything of",
  user_added: "added the user",
  user_removed: "removed the user",
  key_made: "made a key for",
  key_revoked: "revoked a key of",
  signed_in: "signed in as",
  sign_in_refused: "was refused the",
  access_changed: "changed what may be used by",
  groups_changed: "changed the groups of",
  audit_pruned: "removed by age",
  retried: "tried again",
  dropped: "dropped the dead letter of",
  connection_changed: "changed the connection to",
  shared: "shared",
  unshared: "stopped sharing",
  default_model_changed: "changed the default model to",
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
          <span className="unseen">Who</span>
          <input
            type="search"
            placeholder="Who"
            maxLength={200}
            value={user}
            onChange={(event) => {
              setUser(event.target.value);
              setPage(0);
            }}
          />
        </label>
        <label className="filter">
          <span className="unseen">What</span>
          <select
            value={action}
            onChange={(event) => {
              setAction(event.target.value);
              setPage(0);
            }}
          >
            <option value="">Everything</option>
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
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Who did what">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Detail</th>
              <th scope="col">Session</th>
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
                      open
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
        <p className="hint">{user || action ? "Nothing of that kind was done yet." : "Nothing was done yet."}</p>
      )}
      <nav className="pager" aria-label="Pages" hidden={page === 0 && data.length <= PAGE}>
        <button type="button" className="plain small" disabled={page === 0} onClick={() => setPage(page - 1)}>
          Newer
        </button>
        <button type="button" className="plain small" disabled={data.length <= PAGE} onClick={() => setPage(page + 1)}>
          Older
        </button>
      </nav>
    </div>
  );
}
