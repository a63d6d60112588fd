// Users and their API keys: added, removed, made and revoked. A key is shown once, as only its digest is kept.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { CreatedKey, UserRow, UsersView } from "../api/types";
import { when } from "../turn/words";
import { Dialog } from "../ui/Dialog";
import { KeyList, Listing, MadeKey, NewKeyForm } from "./ApiKeys";
import { usersQuery } from "./queries";
import { t } from "../language/t";

export function Users(): ReactNode {
  const client = useQueryClient();
  const { data, error } = useQuery(usersQuery);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [leaving, setLeaving] = useState<UserRow | null>(null);
  const onSuccess = () => client.invalidateQueries({ queryKey: usersQuery.queryKey });
  const add = useMutation({
    mutationFn: (form: FormData) => call<UserRow>("admin/users", { name: String(form.get("name")).trim() }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: (name: string) => call(`admin/users?name=${id(name)}`, undefined, "DELETE"),
    onSuccess,
    onSettled: () => setLeaving(null),
  });
  const revoke = useMutation({
    mutationFn: (key: string) => call(`admin/keys?key=${id(key)}`, undefined, "DELETE"),
    onSuccess,
  });
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const days = Number(form.get("days"));
      return call<CreatedKey>("admin/keys", {
        user: String(form.get("user")),
        name: String(form.get("name") ?? "").trim(),
        ...(days ? { days } : {}),
      });
    },
    onSuccess: (key) => {
      setMade(key);
      return onSuccess();
    },
  });
  const problem = error ?? add.error ?? remove.error ?? revoke.error ?? create.error;
  return (
    <div className="admin-page">
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      {data && data.auth !== "keys" && (
        <p className="hint">
          {t(
            "This server does not ask for API keys (GLASSLOOP_AUTH={0}). They count once it is set to keys.",
            data.auth,
          )}
        </p>
      )}
      <h2>{t("Users")}</h2>
      <UserList users={data?.users ?? []} onRemove={setLeaving} />
      <form className="filters" action={(form) => add.mutate(form)}>
        <label className="filter">
          <span>{t("Name")}</span>
          <input name="name" required maxLength={200} autoComplete="off" />
        </label>
        <button type="submit" className="plain" disabled={add.isPending}>
          {t("Add user")}
        </button>
      </form>
      <h2>{t("API keys")}</h2>
      <KeyList keys={data?.keys ?? []} onRevoke={(key) => revoke.mutate(key)} />
      {data && data.users.length > 0 && (
        <NewKeyForm users={data.users} disabled={create.isPending} onCreate={(form) => create.mutate(form)} />
      )}
      {made && <MadeKey made={made} onClose={() => setMade(null)} />}
      {leaving && (
        <Dialog label={t("Remove {0}?", leaving.name)} onClose={() => setLeaving(null)}>
          <h2>{t("Remove {0}?", leaving.name)}</h2>
          <p>{t("All their API keys and sign-ins stop working at once. Their conversations are kept.")}</p>
          <div className="choices">
            <button type="button" className="primary danger" onClick={() => remove.mutate(leaving.name)}>
              {t("Remove user")}
            </button>
            <button type="button" className="plain" data-first onClick={() => setLeaving(null)}>
              {t("Cancel")}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function UserList({ users, onRemove }: { users: UsersView["users"]; onRemove: (user: UserRow) => void }): ReactNode {
  if (!users.length) return <p className="hint">{t("No users yet. Add one, then make a key for them.")}</p>;
  return (
    <Listing
      label={t("Users")}
      heads={[t("Name"), t("Display name"), t("Added"), t("Keys"), t("Last used"), t("Remove")]}
    >
      {users.map((user) => (
        <tr key={user.name}>
          <td>{user.name}</td>
          <td>{user.display_name ?? "–"}</td>
          <td>{when(user.created_at)}</td>
          <td>{user.keys}</td>
          <td>{user.last_used_at ? when(user.last_used_at) : "–"}</td>
          <td>
            <button
              type="button"
              className="plain small"
              aria-label={t("Remove {0}", user.name)}
              onClick={() => onRemove(user)}
            >
              {t("Remove")}
            </button>
          </td>
        </tr>
      ))}
    </Listing>
  );
}
