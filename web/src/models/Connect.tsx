// A key or an address of a provider: entered, tried out by the server, and never shown again.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { modelsQuery } from "../api/queries";
import type { Connected, ProviderConnection } from "../api/types";
import { count } from "../turn/words";

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
    return <p className="hint">{`Set by ${connection.variable} on the server, and changed there.`}</p>;
  if (open) return <ConnectForm connection={connection} onClose={() => setOpen(false)} />;
  return (
    <div className="connect">
      {source === "page" && (
        <p className="hint">
          {[connection.has_key && "A key is stored.", connection.address && `At ${connection.address}.`]
            .filter(Boolean)
            .join(" ")}
        </p>
      )}
      {remove.error && <p className="problem">{messageOf(remove.error)}</p>}
      <button type="button" className="plain small" onClick={() => setOpen(true)}>
        {source === "page" ? "Change" : connection.takes_key ? "Add a key" : "Connect"}
      </button>
      {source === "page" && (
        <button type="button" className="plain small" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Remove
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
          {`Connected: ${count(save.data.models.length, "model")}. ${save.data.default} answers where none is chosen.`}
        </p>
        <button type="button" className="plain small" onClick={onClose}>
          Done
        </button>
      </div>
    );
  const label = `of ${provider}`;
  return (
    <form className="connect-form" onSubmit={submit}>
      {takes_key && (
        <label>
          <span>API key</span>
          <input
            type="password"
            autoComplete="off"
            spellCheck={false}
            aria-label={`API key ${label}`}
            value={key}
            autoFocus
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
      )}
      {takes_address && (
        <label>
          <span>{takes_key ? "Address (optional)" : "Address"}</span>
          <input
            type="text"
            inputMode="url"
            placeholder={takes_key ? "A compatible server, such as localhost:8000/v1" : ""}
            aria-label={`Address ${label}`}
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
          {save.isPending ? "Testing…" : "Test and save"}
        </button>
        {save.error && (
          <button type="button" className="plain small" disabled={save.isPending} onClick={() => save.mutate(true)}>
            Save anyway
          </button>
        )}
        <button type="button" className="plain small" onClick={onClose}>
          Cancel
        </button>
      </div>
      <p className="hint">Stored on the server for its owner only, used at once, and never shown again.</p>
    </form>
  );
}
