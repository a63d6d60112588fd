// The scale of a chart: round values beside it, and a line across at each. Pure.

import type { ReactNode } from "react";

const MOST_STEPS = 4;

// 0 and round values up to the highest, two to four steps apart.
export function ticksOf(most: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [];
  const power = 10 ** Math.floor(Math.log10(most / MOST_STEPS));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => most / one <= MOST_STEPS) ?? 10 * power;
  // Multiplied, not added up: a sum of tenths is none.
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, at) => at * step);
}

interface Props {
  readonly ticks: readonly number[];
  // How far up a value lies, from 0 at the top of the drawing to 1.
  readonly at: (value: number) => number;
  readonly format: (value: number) => string;
}

export function Scale({ ticks, at, format }: Props): ReactNode {
  return (
    <div className="chart-scale" aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} style={{ top: `${(100 * at(tick)).toFixed(1)}%` }}>
          {format(tick)}
        </span>
      ))}
      <span className="chart-scale-room">{format(ticks.at(-1) ?? 0)}</span>
    </div>
  );
}
