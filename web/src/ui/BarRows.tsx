// Bars under one another, for things that have names: each with its values beside it.

import type { ReactNode } from "react";
import type { Series } from "./plot";
import { t } from "../language/t";

interface Props {
  readonly series: readonly Series[];
  readonly most: number;
  readonly spoken: string;
  readonly format: (value: number) => string;
}

export function BarRows({ series, most, spoken, format }: Props): ReactNode {
  const labels = series[0]?.points.map((point) => point.label) ?? [];
  return (
    <div className="bar-rows" role="img" aria-label={spoken}>
      {labels.map((label, at) => (
        <div key={`${at} ${label}`} className="bar-row">
          <span className="bar-name" title={label}>
            {label}
          </span>
          <span className="bars">
            {series.map((one) => (
              <span
                key={one.name}
                className={`bar-fill ${one.kind}`}
                style={{ width: `${(100 * Math.max(0, one.points[at]?.value ?? 0)) / most}%` }}
              />
            ))}
          </span>
          <span className="bar-values">
            {series.map((one) => {
              const value = one.points[at]?.value ?? null;
              return <span key={one.name}>{value === null ? t("none") : format(value)}</span>;
            })}
          </span>
        </div>
      ))}
    </div>
  );
}
