import type { ReactNode } from "react";
import type { SuccessRate } from "../api/types";
import { t } from "../language/t";

export const NAMES = {
  passed: t("All"),
  destination: t("Destination"),
  tool: t("Tool"),
  arguments: t("Arguments"),
  answer: t("Answer"),
};

export const percent = (share: number): string => `${Math.round(Number((100 * share).toFixed(6)))} %`;

// A share with its interval: one that is wide says that the run was short.
export function Share({ rate }: { rate: SuccessRate | null }): ReactNode {
  if (!rate || rate.share === null) return "–";
  const range = t("{0} to {1} (95 %), {2} of {3}", percent(rate.low), percent(rate.high), rate.right, rate.of);
  return (
    <span className="share" title={range}>
      {percent(rate.share)}
      <span className="interval" role="img" aria-label={range}>
        <span style={{ left: `${100 * rate.low}%`, right: `${100 * (1 - rate.high)}%` }} />
        <i style={{ left: `${100 * rate.share}%` }} />
      </span>
    </span>
  );
}
