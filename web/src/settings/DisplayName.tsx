// What assistants call the person.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, messageOf } from "../api/client";
import { meQuery } from "../api/queries";
import type { Me } from "../api/types";

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
      <h2 id="you-title">You</h2>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <label className="filter">
          <span>Display name</span>
          <input value={name} autoComplete="nickname" onChange={(event) => setName(event.target.value)} />
        </label>
        <button type="submit" className="plain" disabled={!changed || save.isPending}>
          Save
        </button>
        <span className="hint" role="status">
          {save.isSuccess && !changed ? "Saved." : ""}
        </span>
      </form>
      {save.error && <p className="problem">{messageOf(save.error)}</p>}
      <p className="hint">Assistants that ask for it call you by this name. Without one they use none.</p>
    </section>
  );
}
