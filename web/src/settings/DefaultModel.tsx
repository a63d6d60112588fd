// The model that answers where none is chosen, and how an operator sets another.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, messageOf } from "../api/client";
import { availableQuery, modelsQuery } from "../api/queries";
import type { Models } from "../api/types";
import { t } from "../language/t";

export function DefaultModel({ data, can }: { data: Models; can: boolean }): ReactNode {
  const client = useQueryClient();
  const { data: available } = useQuery(availableQuery);
  const choose = useMutation({
    mutationFn: (model: string) => call("api/models/default", { model }, "PUT"),
    onSuccess: () => client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
  });
  const names = available?.models.map((one) => one.name) ?? [];
  return (
    <div className="default-model">
      {can && names.length > 1 ? (
        <label>
          <span>{t("Default model")}</span>
          <select
            value={data.default}
            disabled={choose.isPending}
            onChange={(event) => choose.mutate(event.target.value)}
          >
            {[...new Set([data.default, ...names])].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p>
          {t("Default model: ")}
          <code>{data.default}</code>
        </p>
      )}
      <p className="hint">{t("Used when a conversation does not choose another model.")}</p>
      {choose.error && <p className="problem">{messageOf(choose.error)}</p>}
    </div>
  );
}
