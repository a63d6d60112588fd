import type { ReactNode } from "react";
import type { SuccessRate } from "../api/types";

export const NAMES = {
  passed: "All",
  destination: "Destination",
  tool: "Tool",
  arguments: "Arguments",
  answer: "Answer",
};

export const percent = (share: number): string => `${Math.round(Number((100 * share).toFixed(6)))} %`;

// A share with its interval: one that is wide says that the run was short.
export function Share({ rate }: { rate: SuccessRate | null }): ReactNode {
  if (!rate || rate.share === null) return "–";
  const range = `${percent(rate.low)} to ${percent(rate.high)} (95 %), ${rate.right} of ${rate.of}`;
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
