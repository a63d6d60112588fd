// A key or an address of a provider: entered, tried out by the server, and never shown again.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { modelsQuery } from "../api/queries";
import type { Connected, ProviderConnection } from "../api/types";
import { count } from "../turn/words";
import { t } from "../language/t";

export function Connect({ connection }: { connection: ProviderConnection }): ReactNode {
  const { provider, source } = connection;
  const [open, setOpen] = useState(false);
  const client = useQueryClient();
  const anew = () => client.invalidateQueries({ queryKey: modelsQuery.queryKey });
  const remove = useMutation({
    mutationFn: () => call(`api/connections/${id(provider)}`, undefined, "DELETE"),
    onSuccess: anew,
  });
  if (source === "settings")
    return <p className="hint">{t("Set by {0} on the server; change it there.", connection.variable)}</p>;
  if (open) return <ConnectForm connection={connection} onClose={() => setOpen(false)} />;
  return (
    <div className="connect">
      {source === "page" && (
        <p className="hint">
          {[connection.has_key && t("A key is stored."), connection.address && t("At {0}.", connection.address)]
            .filter(Boolean)
            .join(" ")}
        </p>
      )}
      {remove.error && <p className="problem">{messageOf(remove.error)}</p>}
      <button type="button" className="plain small" onClick={() => setOpen(true)}>
        {source === "page" ? t("Change") : connection.takes_key ? t("Add a key") : t("Connect")}
      </button>
      {source === "page" && (
        <button type="button" className="plain small" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {t("Remove")}
        </button>
      )}
    </div>
  );
}

interface FormProps {
  readonly connection: ProviderConnection;
  readonly onClose: () => void;
}

export function ConnectForm({ connection, onClose }: FormProps): ReactNode {
  const { provider, takes_key, takes_address } = connection;
  const [key, setKey] = useState("");
  const [address, setAddress] = useState(connection.address || connection.usual_address);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (untested: boolean) =>
      call<Connected>(`api/connections/${id(provider)}`, { key, address, untested }, "PUT"),
    onSuccess: async () => {
      setKey("");
      await client.invalidateQueries({ queryKey: modelsQuery.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(false);
  };
  if (save.data)
    return (
      <div className="connect">
        <p className="good-word" role="status">
          {t(
            "Connected: {0}. {1} is used when no model is chosen.",
            count(save.data.models.length, "model"),
            save.data.default,
          )}
        </p>
        <button type="button" className="plain small" onClick={onClose}>
          {t("Done")}
        </button>
      </div>
    );
  const label = t("of {0}", provider);
  return (
    <form className="connect-form" onSubmit={submit}>
      {takes_key && (
        <label>
          <span>{t("API key")}</span>
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            aria-label={t("API key {0}", label)}
            value={key}
            autoFocus
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
      )}
      {takes_address && (
        <label>
          <span>{takes_key ? t("Address (optional)") : t("Address")}</span>
          <input
            type="text"
            inputMode="url"
            placeholder={takes_key ? t("A compatible server, such as localhost:8000/v1") : ""}
            aria-label={t("Address {0}", label)}
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </label>
      )}
      <div className="problem" role="alert">
        {save.error && messageOf(save.error)}
      </div>
      <div className="connect">
        <button type="submit" className="primary small" disabled={save.isPending || !(key.trim() || address.trim())}>
          {save.isPending ? t("Testing…") : t("Test and save")}
        </button>
        {save.error && (
          <button type="button" className="plain small" disabled={save.isPending} onClick={() => save.mutate(true)}>
            {t("Save anyway")}
          </button>
        )}
        <button type="button" className="plain small" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
      <p className="hint">
        {t("Stored on the server, readable by its owner only. Takes effect at once and is never shown again.")}
      </p>
    </form>
  );
}
