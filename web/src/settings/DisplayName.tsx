// What assistants call the person.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, messageOf } from "../api/client";
import { meQuery } from "../api/queries";
import type { Me } from "../api/types";
import { t } from "../language/t";

export function DisplayName({ me }: { me: Me }): ReactNode {
  const client = useQueryClient();
  const [name, setName] = useState(me.display_name ?? "");
  const save = useMutation({
    mutationFn: () => call<Me>("api/me", { display_name: name.trim() || null }, "PATCH"),
    onSuccess: (saved) => {
      client.setQueryData(meQuery.queryKey, saved);
      setName(saved.display_name ?? "");
    },
  });
  const changed = name.trim() !== (me.display_name ?? "");
  return (
    <section aria-labelledby="you-title">
      <h2 id="you-title">{t("You")}</h2>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <label className="filter">
          <span>{t("Display name")}</span>
          <input value={name} autoComplete="nickname" onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="plain" disabled={!changed || save.isPending}>
          {t("Save")}
        </button>
        <span className="hint" role="status">
          {save.isSuccess && !changed ? t("Saved.") : ""}
        </span>
      </form>
      {save.error && <p className="problem">{messageOf(save.error)}</p>}
      <p className="hint">{t("Assistants that ask for your name use this one. Leave it empty to stay unnamed.")}</p>
    </section>
  );
}
