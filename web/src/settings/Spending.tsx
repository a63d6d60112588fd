// What the person may spend, and has spent; nothing where nothing limits it.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { call } from "../api/client";
import type { OwnAccess } from "../api/types";
import { when } from "../turn/words";

export function Spending(): ReactNode {
  const { data } = useQuery({ queryKey: ["me", "access"], queryFn: () => call<OwnAccess>("api/me/access") });
  if (!data?.today || !data.month) return null;
  const { limits, today, month } = data;
  const rows = [
    ["Today", today, limits.dollars_per_day, limits.tokens_per_day],
    ["This month", month, limits.dollars_per_month, limits.tokens_per_month],
  ] as const;
  return (
    <section aria-labelledby="spending-title">
      <h2 id="spending-title">Spending</h2>
      <dl className="keys">
        {rows.map(([label, spent, dollars, tokens]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {`$${spent.dollars.toFixed(2)}${dollars == null ? "" : ` of $${dollars.toFixed(2)}`}, `}
              {`${spent.tokens.toLocaleString()}${tokens == null ? "" : ` of ${tokens.toLocaleString()}`} tokens; `}
              {`resets ${when(spent.resets_at)}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
