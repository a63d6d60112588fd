// The axes of a chart: round values beside it with a line across at each, and some of its labels below. Pure.

import type { ReactNode } from "react";

const MOST_STEPS = 4;
// Characters that fit under a chart on a small screen, and what is left free between two labels.
const ROOM = 44;
const BETWEEN = 3;
const MOST_LABELS = 6;

// Round values from the lowest to the highest, with 0 among them, two to five steps apart. `whole`: of things that are
// counted there are no halves.
export function ticksOf(most: number, least = 0, whole = false): readonly number[] {
  const range = most - Math.min(0, least);
  if (!(range > 0) || !Number.isFinite(range)) return [];
  const power = 10 ** Math.floor(Math.log10(range / MOST_STEPS));
  const fits = (one: number): boolean => range / one <= MOST_STEPS && (!whole || Number.isInteger(one));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find(fits) ?? Math.max(10 * power, whole ? 1 : 0);
  const first = least < 0 ? Math.ceil(least / step - 1e-9) : 0;
  // Multiplied, not added up: a sum of tenths is none.
  return Array.from({ length: Math.floor(most / step + 1e-9) - first + 1 }, (_, at) => (first + at) * step || 0);
}

// Which labels are written: the first, the last, and as many between them as fit, evenly spaced.
export function labelled(labels: readonly string[]): readonly number[] {
  const longest = Math.max(1, ...labels.map((label) => label.length));
  const most = Math.max(2, Math.min(MOST_LABELS, labels.length, Math.floor(ROOM / (longest + BETWEEN))));
  if (labels.length < 2) return labels.map((_, at) => at);
  // Steps of one size: uneven ones would read as a gap in the data.
  const step = Math.ceil((labels.length - 1) / (most - 1));
  return labels.flatMap((_, at) => (at % step === 0 ? [at] : []));
}

interface Props {
  readonly ticks: readonly number[];
  // How far up a value lies, from 0 at the top of the drawing to 1.
  readonly at: (value: number) => number;
  readonly format: (value: number) => string;
}

export function Scale({ ticks, at, format }: Props): ReactNode {
  const widest = ticks.map(format).sort((one, other) => other.length - one.length)[0];
  return (
    <div className="chart-scale" aria-hidden="true">
      {ticks.map((tick) => (
        <span key={tick} style={{ top: `${(100 * at(tick)).toFixed(1)}%` }}>
          {format(tick)}
        </span>
      ))}
      <span className="chart-scale-room">{widest}</span>
    </div>
  );
}

interface BelowProps {
  readonly labels: readonly string[];
  // How far to the right a point lies, from 0 to 1.
  readonly at: (place: number) => number;
}

// The labels of the points. The first has the room below the scale; the last stays within the drawing.
export function Below({ labels, at }: BelowProps): ReactNode {
  const written = labelled(labels);
  const most = `${(100 / Math.max(1, written.length)).toFixed(1)}%`;
  return (
    <div className="chart-below" aria-hidden="true">
      {written.map((place) => {
        const x = 100 * at(place);
        const shift = x > 92 ? 100 : 50;
        return (
          <span key={place} style={{ left: `${x.toFixed(1)}%`, maxWidth: most, transform: `translateX(-${shift}%)` }}>
            {labels[place]}
          </span>
        );
      })}
    </div>
  );
}
