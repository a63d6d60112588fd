// What a fork did otherwise, before one reads both.

import { useMemo, type ReactNode } from "react";
import type { Turn } from "../turn/fold";
import { differences } from "./differ";
import { t } from "../language/t";

export function Differences({ was, now }: { was: Turn; now: Turn }): ReactNode {
  const found = useMemo(() => differences(was, now), [was, now]);
  if (!found.length) return now.totals && <p className="hint differs">{t("No differences.")}</p>;
  return (
    <section className="differs" aria-label={t("What differs")}>
      <h3>{t("What differs")}</h3>
      <dl>
        {found.map((one) => (
          <div key={one.what}>
            <dt>{one.what}</dt>
            <dd>
              <del>{one.was || t("nothing")}</del> <ins>{one.now || t("nothing")}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
