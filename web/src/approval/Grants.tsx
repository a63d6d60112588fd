// What need not ask in this conversation any more, and taking that back.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { grantsQuery } from "../api/queries";
import type { ActionResult, Grant } from "../api/types";
import { exact, when } from "../turn/words";
import { ScopeWords } from "./grantWords";
import { t } from "../language/t";

export function Grants({ session }: { session: string }): ReactNode {
  const client = useQueryClient();
  const { data = [] } = useQuery(grantsQuery(session));
  const revoke = useMutation({
    mutationFn: ({ tool, scope }: Grant) =>
      call<ActionResult>(`api/sessions/${id(session)}/grants/${id(tool)}?scope=${id(scope)}`, undefined, "DELETE"),
    onSettled: () => client.invalidateQueries({ queryKey: grantsQuery(session).queryKey }),
  });
  if (!data.length) return null;
  return (
    <ul className="grants" aria-label={t("Allowed in this conversation")}>
      {data.map((grant) => (
        <li key={`${grant.tool} ${grant.scope}`}>
          <span>
            <code>{exact(grant.tool)}</code>
            <ScopeWords scope={grant.scope} />
            {t(" may run here without asking, until {0}", when(grant.until))}
          </span>
          <button
            type="button"
            className="plain small"
            disabled={revoke.isPending}
            onClick={() => revoke.mutate(grant)}
          >
            {t("Revoke")}
          </button>
        </li>
      ))}
      {revoke.error && (
        <li className="problem" role="alert">
          {messageOf(revoke.error)}
        </li>
      )}
    </ul>
  );
}
