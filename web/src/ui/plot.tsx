// What a chart draws between its axes: a line or bars for each series, in units of the drawing.

import type { ReactNode } from "react";
import type { Point } from "./Chart";

export interface Series {
  readonly name: string;
  readonly kind: "think" | "act" | "observe" | "answer" | "trouble" | "soft";
  readonly points: readonly Point[];
  // Where there are more lines than colours.
  readonly dashed?: boolean;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const WIDTH = 320;
export const HEIGHT = 90;
const PAD = 6;
const WIDEST_BAR = 28;

export const acrossLine = (place: number, count: number): number =>
  PAD + (WIDTH - 2 * PAD) * (count < 2 ? 0.5 : place / (count - 1));
export const acrossBars = (place: number, count: number): number =>
  PAD + ((WIDTH - 2 * PAD) * (place + 0.5)) / Math.max(1, count);
export const up = (value: number, { least, most }: Range): number =>
  HEIGHT - PAD - ((HEIGHT - 3 * PAD) * (value - least)) / (most - least);

export function Line({ one, range }: { one: Series; range: Range }): ReactNode {
  const known = one.points
    .map((point, place) => ({ ...point, x: acrossLine(place, one.points.length), place }))
    .filter((point) => point.value !== null);
  // What is not known is a gap.
  const path = known
    .map((point, at) => {
      const step = known[at - 1]?.place === point.place - 1 ? "L" : "M";
      return `${step}${point.x.toFixed(1)} ${up(point.value ?? 0, range).toFixed(1)}`;
    })
    .join("");
  return (
    <g className={one.kind}>
      <path className={one.dashed ? "stroke dashed" : "stroke"} d={path} vectorEffect="non-scaling-stroke" />
      {known.map((point) => (
        <path
          key={point.place}
          className="mark"
          d={`M${point.x.toFixed(1)} ${up(point.value ?? 0, range).toFixed(1)}h0.01`}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </g>
  );
}

interface BarsProps {
  readonly one: Series;
  readonly range: Range;
  readonly place: number;
  readonly of: number;
}

export function Bars({ one, range, place, of }: BarsProps): ReactNode {
  const room = (WIDTH - 2 * PAD) / Math.max(1, one.points.length);
  const wide = Math.min(WIDEST_BAR, (room * 0.8) / of);
  const ground = up(0, range);
  return (
    <g className={one.kind}>
      {one.points.map((point, at) => {
        const top = up(point.value ?? 0, range);
        const x = acrossBars(at, one.points.length) - (wide * of) / 2 + wide * place;
        return (
          <rect
            key={at}
            className="fill"
            x={x}
            y={Math.min(top, ground)}
            width={wide}
            height={Math.abs(ground - top)}
            rx={1.5}
          />
        );
      })}
    </g>
  );
}
