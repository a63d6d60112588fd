// Two nights to choose, and the way to both side by side.

import { useState, type ReactNode } from "react";
import type { ReportRow } from "../../api/types";
import { go } from "../../route";
import { nightOf, nightsLink } from "./words";
import { t } from "../../language/t";

interface Props {
  readonly reports: readonly ReportRow[];
  // The one that is compared, where it is not to be chosen.
  readonly with?: string;
}

// The newest night, or the given one, with the one before it in the same place; reports come newest first.
export function likeliest(reports: readonly ReportRow[], fixed?: string): readonly [string, string] {
  const newest = fixed ? reports.find((one) => one.code === fixed) : reports[0];
  const others = reports.filter((one) => one !== newest);
  const same = others.filter((one) => one.zone === newest?.zone);
  const before = same.find((one) => newest && one.started_at < newest.started_at) ?? same[0] ?? others[0];
  return fixed ? [fixed, before?.code ?? ""] : [before?.code ?? "", newest?.code ?? ""];
}

export function CompareNights({ reports, with: fixed }: Props): ReactNode {
  const others = reports.filter((one) => one.code !== fixed);
  const [one, other] = likeliest(reports, fixed);
  const [first, setFirst] = useState(one);
  const [second, setSecond] = useState(other);
  const choice = (label: string, value: string, onChange: (code: string) => void) => (
    <label>
      <span className={fixed ? undefined : "unseen"}>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {others.map((one) => (
          <option key={one.code} value={one.code}>
            {`${nightOf(one.started_at)}, ${one.zone || one.title}`}
          </option>
        ))}
      </select>
    </label>
  );
  if (!others.length) return null;
  return (
    <form className="raid-compare" action={() => go(nightsLink(first, second))}>
      {!fixed && <span>{t("Compare")}</span>}
      {!fixed && choice(t("One night"), first, setFirst)}
      {!fixed && <span>{t("with")}</span>}
      {choice(fixed ? t("Compare with") : t("The other night"), second, setSecond)}
      <button type="submit" className="plain small" disabled={first === second}>
        {t("Side by side")}
      </button>
    </form>
  );
}
