import type { ReactNode } from "react";
import { t } from "../language/t";

export function Period({
  days,
  onDays,
  all = false,
}: {
  days: number;
  onDays: (days: number) => void;
  all?: boolean;
}): ReactNode {
  return (
    <label className="filter">
      <span className="unseen">{t("Period")}</span>
      <select value={days} onChange={(event) => onDays(Number(event.target.value))}>
        <option value={1}>{t("1 day")}</option>
        <option value={7}>{t("7 days")}</option>
        <option value={30}>{t("30 days")}</option>
        <option value={90}>{t("90 days")}</option>
        {all && <option value={0}>{t("All time")}</option>}
      </select>
    </label>
  );
}
