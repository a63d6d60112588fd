// API keys as operators see them: which there are, a form for a new one, and the new one itself, shown once.

import type { ReactNode } from "react";
import type { CreatedKey, KeyRow, UserRow } from "../api/types";
import { when } from "../turn/words";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import { t } from "../language/t";

const LASTS = [
  ["", t("Never")],
  ["30", t("After 30 days")],
  ["90", t("After 90 days")],
  ["365", t("After 1 year")],
] as const;

interface ListingProps {
  readonly label: string;
  // The last is of buttons, and only heard.
  readonly heads: readonly string[];
  readonly children: ReactNode;
}

export function Listing({ label, heads, children }: ListingProps): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="list">
        <thead>
          <tr>
            {heads.map((head, place) => (
              <th key={head} scope="col">
                {place === heads.length - 1 ? <span className="unseen">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function stateOf({ revoked_at, expires_at }: KeyRow): string {
  if (revoked_at) return t("Revoked");
  if (expires_at && expires_at * 1000 <= Date.now()) return t("Expired");
  return t("Valid");
}

export function KeyList({ keys, onRevoke }: { keys: readonly KeyRow[]; onRevoke: (key: string) => void }): ReactNode {
  if (!keys.length) return <p className="hint">{t("No API keys.")}</p>;
  return (
    <Listing
      label={t("API keys")}
      heads={[t("Key"), t("User"), t("For"), t("Created"), t("Last used"), t("Expires"), t("Status"), t("Revoke")]}
    >
      {keys.map((key) => (
        <tr key={key.id} className={key.revoked_at ? "ended-row" : undefined}>
          <td>
            <code>{`glk_${key.id}…`}</code>
          </td>
          <td>{key.user_id}</td>
          <td>{key.name || "–"}</td>
          <td>{when(key.created_at)}</td>
          <td>{key.last_used_at ? when(key.last_used_at) : "–"}</td>
          <td>{key.expires_at ? when(key.expires_at) : t("Never")}</td>
          <td>{stateOf(key)}</td>
          <td>
            {!key.revoked_at && (
              <button
                type="button"
                className="plain small"
                aria-label={t("Revoke key {0} of {1}", key.id, key.user_id)}
                onClick={() => onRevoke(key.id)}
              >
                {t("Revoke")}
              </button>
            )}
          </td>
        </tr>
      ))}
    </Listing>
  );
}

interface FormProps {
  readonly users: readonly UserRow[];
  readonly disabled: boolean;
  readonly onCreate: (form: FormData) => void;
}

export function NewKeyForm({ users, disabled, onCreate }: FormProps): ReactNode {
  return (
    <form className="filters" action={onCreate}>
      <label className="filter">
        <span>{t("User")}</span>
        <select name="user">
          {users.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        <span>{t("For")}</span>
        <input name="name" maxLength={200} autoComplete="off" placeholder={t("such as laptop")} />
      </label>
      <label className="filter">
        <span>{t("Expires")}</span>
        <select name="days">
          {LASTS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="plain" disabled={disabled}>
        {t("Create key")}
      </button>
    </form>
  );
}

export function MadeKey({ made, onClose }: { made: CreatedKey; onClose: () => void }): ReactNode {
  const title = t("New key for {0}", made.row.user_id);
  return (
    <Dialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      <p className="made-key">
        <code>{made.key}</code>
      </p>
      <p className="hint">{t("Copy it now; it won't be shown again.")}</p>
      <div className="choices">
        <CopyButton text={() => made.key} label={t("Copy key")} className="primary" />
        <button type="button" className="plain" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}
