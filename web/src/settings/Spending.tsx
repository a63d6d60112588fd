// What the person may spend, and has spent; nothing where nothing limits it.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { call } from "../api/client";
import type { OwnAccess } from "../api/types";
import { when } from "../turn/words";
import { t } from "../language/t";

export function Spending(): ReactNode {
  const { data } = useQuery({ queryKey: ["me", "access"], queryFn: () => call<OwnAccess>("api/me/access") });
  if (!data?.today || !data.month) return null;
  const { limits, today, month } = data;
  const rows = [
    [t("Today"), today, limits.dollars_per_day, limits.tokens_per_day],
    [t("This month"), month, limits.dollars_per_month, limits.tokens_per_month],
  ] as const;
  return (
    <section aria-labelledby="spending-title">
      <h2 id="spending-title">{t("Spending")}</h2>
      <dl className="keys">
        {rows.map(([label, spent, dollars, tokens]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {`$${spent.dollars.toFixed(2)}${dollars == null ? "" : t(" of ${0}", dollars.toFixed(2))}, `}
              {t(
                "{0}{1} tokens; ",
                spent.tokens.toLocaleString(),
                tokens == null ? "" : t(" of {0}", tokens.toLocaleString()),
              )}
              {t("resets {0}", when(spent.resets_at))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
