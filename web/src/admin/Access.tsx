// Who may use and spend what: the rules, and what was spent.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { AccessView, RuleView, UserSpending } from "../api/types";
import { accessQuery, spendingQuery } from "./queries";
import { t } from "../language/t";

const NAMES = ["models", "assistants", "tools"] as const;
const AMOUNTS = ["dollars_per_day", "dollars_per_month", "tokens_per_day", "tokens_per_month"] as const;
const LABELS: Record<(typeof NAMES)[number] | (typeof AMOUNTS)[number], string> = {
  models: t("Models"),
  assistants: t("Assistants"),
  tools: t("Tools"),
  dollars_per_day: t("$ per day"),
  dollars_per_month: t("$ per month"),
  tokens_per_day: t("Tokens per day"),
  tokens_per_month: t("Tokens per month"),
};

// What a form says of a rule; empty fields leave it to less specific rules.
function ruleOf(form: FormData): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  const names = NAMES.filter((name) => text(name)).map((name) => [
    name,
    text(name)
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean),
  ]);
  const amounts = AMOUNTS.filter((name) => text(name)).map((name) => [name, Number(text(name))]);
  return { subject: text("subject"), ...Object.fromEntries([...names, ...amounts]) };
}

export function Access(): ReactNode {
  const client = useQueryClient();
  const { data, error } = useQuery(accessQuery);
  const { data: spending = [] } = useQuery(spendingQuery);
  const changed = () => void client.invalidateQueries({ queryKey: accessQuery.queryKey });
  const save = useMutation({
    mutationFn: (form: FormData) => call<AccessView>("admin/access", ruleOf(form), "PUT"),
    onSuccess: changed,
  });
  const remove = useMutation({
    mutationFn: (subject: string) => call(`admin/access?subject=${id(subject)}`, undefined, "DELETE"),
    onSuccess: changed,
  });
  const problem = error ?? save.error ?? remove.error;
  return (
    <div className="admin-page">
      <h2>{t("Who may use and spend what")}</h2>
      <p className="hint">{t("Unless a rule says otherwise: {0}.", (data?.open_models ?? []).join(", ") || "–")}</p>
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      <Rules rules={data?.rules ?? []} onRemove={(subject) => remove.mutate(subject)} />
      <form className="filters" action={(form) => save.mutate(form)}>
        <label className="filter">
          <span>{t("For whom")}</span>
          <input name="subject" required maxLength={210} placeholder={t("*, group:NAME or user:NAME")} />
        </label>
        {NAMES.map((name) => (
          <label key={name} className="filter">
            <span>{LABELS[name]}</span>
            <input name={name} placeholder={t("any")} />
          </label>
        ))}
        {AMOUNTS.map((name) => (
          <label key={name} className="filter">
            <span>{LABELS[name]}</span>
            <input name={name} type="number" min="0" step="any" placeholder={t("no limit")} />
          </label>
        ))}
        <button type="submit" className="plain" disabled={save.isPending}>
          {t("Set rule")}
        </button>
      </form>
      <Spending spending={spending} />
    </div>
  );
}

function Rules({ rules, onRemove }: { rules: readonly RuleView[]; onRemove: (subject: string) => void }): ReactNode {
  if (!rules.length) return <p className="hint">{t("No rules.")}</p>;
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Rules")}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{t("For whom")}</th>
            {[...NAMES, ...AMOUNTS].map((name) => (
              <th key={name} scope="col">
                {LABELS[name]}
              </th>
            ))}
            <th scope="col">
              <span className="unseen">{t("Remove")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ subject, rule, fixed }) => (
            <tr key={subject}>
              <td>{subject}</td>
              {NAMES.map((name) => (
                <td key={name}>{rule[name] ? rule[name].join(", ") || "none" : "–"}</td>
              ))}
              {AMOUNTS.map((name) => (
                <td key={name}>{rule[name] ?? "–"}</td>
              ))}
              <td>
                {fixed ? (
                  t("settings file")
                ) : (
                  <button
                    type="button"
                    className="plain small"
                    aria-label={t("Remove the rule for {0}", subject)}
                    onClick={() => onRemove(subject)}
                  >
                    {t("Remove")}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Spending({ spending }: { spending: readonly UserSpending[] }): ReactNode {
  if (!spending.length) return null;
  const dollars = (amount: number) => `$${amount.toFixed(2)}`;
  return (
    <>
      <h2>{t("Spending")}</h2>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Spending")}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t("Who")}</th>
              <th scope="col">{t("Today")}</th>
              <th scope="col">{t("This month")}</th>
              <th scope="col">{t("Tokens today")}</th>
            </tr>
          </thead>
          <tbody>
            {spending.map(({ user, today, month, limits }) => (
              <tr key={user}>
                <td>{user}</td>
                <td>{`${dollars(today.dollars)}${limits.dollars_per_day == null ? "" : t(" of {0}", dollars(limits.dollars_per_day))}`}</td>
                <td>{`${dollars(month.dollars)}${limits.dollars_per_month == null ? "" : t(" of {0}", dollars(limits.dollars_per_month))}`}</td>
                <td>{today.tokens.toLocaleString()}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
