// Reads the values of a chart, one point at a time: the one under the pointer, or by the arrow keys.

import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import type { Series } from "./plot";
import { t } from "../language/t";

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  // How far to the right a point lies, from 0 to 1.
  readonly at: (place: number) => number;
  readonly format: (value: number) => string;
}

export function ChartCursor({ title, series, at, format }: Props): ReactNode {
  const [place, setPlace] = useState<number | null>(null);
  const labels = series[0]?.points.map((point) => point.label) ?? [];
  const last = labels.length - 1;
  const value = (one: Series, where: number): string => {
    const found = one.points[where]?.value ?? null;
    return found === null ? t("none") : format(found);
  };
  const nearest = (event: PointerEvent<HTMLElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - left) / Math.max(1, width);
    const far = labels.map((_, where) => Math.abs(at(where) - x));
    setPlace(far.indexOf(Math.min(...far)));
  };
  const move = (event: KeyboardEvent): void => {
    const to = moved(event.key, place ?? 0, last);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(to);
  };
  const shown = place ?? 0;
  return (
    <div
      className="chart-cursor"
      role="slider"
      tabIndex={0}
      aria-label={t("Values of {0}", title)}
      aria-valuemin={1}
      aria-valuemax={labels.length}
      aria-valuenow={shown + 1}
      aria-valuetext={`${labels[shown]}: ${series.map((one) => `${one.name} ${value(one, shown)}`).join(", ")}`}
      onPointerMove={nearest}
      onPointerDown={nearest}
      onPointerLeave={(event) => event.currentTarget !== document.activeElement && setPlace(null)}
      onFocus={() => setPlace((before) => before ?? 0)}
      onBlur={() => setPlace(null)}
      onKeyDown={move}
    >
      {place !== null && (
        <>
          <span className="chart-line" style={{ left: `${100 * at(place)}%` }} />
          <span className="chart-tip" style={beside(at(place))}>
            <b>{labels[place]}</b>
            {series.map((one) => (
              <span key={one.name} className="chart-tip-row">
                <span className={`chart-tip-name ${one.kind}`}>{one.name}</span>
                <span>{value(one, place)}</span>
              </span>
            ))}
          </span>
        </>
      )}
    </div>
  );
}

// Where there is more room.
const beside = (x: number): { left: string } | { right: string } =>
  x < 0.5 ? { left: `calc(${100 * x}% + 8px)` } : { right: `calc(${100 * (1 - x)}% + 8px)` };

function moved(key: string, from: number, last: number): number | null {
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(last, from + 1);
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, from - 1);
  if (key === "Home") return 0;
  return key === "End" ? last : null;
}
