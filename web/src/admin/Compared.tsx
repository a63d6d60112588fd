// Two runs of the same questions beside each other: what changed, and whether that is more than chance.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../api/client";
import type { RunComparison } from "../api/types";
import { compareQuery } from "./queries";
import { NAMES, percent } from "./Share";
import { t } from "../language/t";

export function Compared({ before, after }: { before: string; after: string }): ReactNode {
  const { data, error } = useQuery(compareQuery(before, after));
  if (error)
    return (
      <p className="problem" role="alert">
        {messageOf(error)}
      </p>
    );
  return data ? <Differences found={data} /> : null;
}

const points = (share: number): string => `${share > 0 ? "+" : ""}${Math.round(100 * share)}`;

function Differences({ found }: { found: RunComparison }): ReactNode {
  return (
    <section className="eval-compare" aria-label={t("Comparison")}>
      <h2>{t("{0} vs. {1}", found.after.model, found.before.model)}</h2>
      {found.note && <p className="hint">{found.note}</p>}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Differences")}>
        <table className="list">
          <thead>
            <tr>
              <th scope="col">{t("Measure")}</th>
              <th scope="col" className="figure-cell">
                {t("Before")}
              </th>
              <th scope="col" className="figure-cell">
                {t("After")}
              </th>
              <th scope="col" className="figure-cell">
                {t("Points (95 %)")}
              </th>
              <th scope="col" className="figure-cell">
                p
              </th>
              <th scope="col">{t("Gained")}</th>
              <th scope="col">{t("Lost")}</th>
            </tr>
          </thead>
          <tbody>
            {found.differences.map((one) => (
              <tr key={one.measure}>
                <td>{NAMES[one.measure as keyof typeof NAMES] ?? one.measure}</td>
                <td className="figure-cell">{percent(one.before)}</td>
                <td className="figure-cell">{percent(one.after)}</td>
                <td className="figure-cell">
                  {t("{0} ({1} to {2})", points(one.difference), points(one.low), points(one.high))}
                </td>
                <td className="figure-cell">{one.p.toFixed(2)}</td>
                <td>{one.gained.join(", ") || "–"}</td>
                <td>{one.lost.join(", ") || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
