// A new collection: what it is called, what is in it, and who may read it.

import { useEffect, useRef, useState, type ReactNode } from "react";
import { call, messageOf } from "../api/client";
import type { CollectionView } from "../api/types";
import { useChange } from "./queries";
import { ReadersField } from "./ReadersField";
import { t } from "../language/t";

interface Props {
  readonly readers: readonly string[];
  // The id of what was made; empty where nothing was.
  readonly onDone: (id: string) => void;
}

export function NewCollectionForm({ readers, onDone }: Props): ReactNode {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [who, setWho] = useState("owner");
  const first = useRef<HTMLInputElement>(null);
  const made = useRef("");
  useEffect(() => first.current?.focus(), []);
  const add = useChange(
    async () => {
      const body = { name: name.trim(), description: description.trim(), readers: who };
      made.current = (await call<CollectionView>("api/collections", body)).id;
    },
    () => onDone(made.current),
  );
  return (
    <form className="schedule-form" action={() => add.mutate(undefined)}>
      <label>
        {t("Name")}
        <input
          ref={first}
          type="text"
          required
          maxLength={40}
          value={name}
          placeholder={t("handbook")}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        {t("Description (optional)")}
        <input
          type="text"
          maxLength={500}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </label>
      <ReadersField value={who} readers={readers} onChange={setWho} />
      {add.error && (
        <p className="problem" role="alert">
          {messageOf(add.error)}
        </p>
      )}
      <div className="choices">
        <button type="submit" className="primary" disabled={add.isPending}>
          {t("Create")}
        </button>
        <button type="button" className="plain" onClick={() => onDone("")}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
