// Small charts as drawings of our own: a line, bars. Each says in words what it shows, and its values as a table.

import type { ReactNode } from "react";
import { Scale, ticksOf } from "./Scale";
import { t } from "../language/t";

export interface Point {
  readonly label: string;
  readonly value: number | null;
}

export interface Series {
  readonly name: string;
  readonly kind: "think" | "act" | "observe" | "answer" | "trouble" | "soft";
  readonly points: readonly Point[];
  // Where there are more lines than colours.
  readonly dashed?: boolean;
}

const WIDTH = 320;
const HEIGHT = 90;
const PAD = 6;
// A chart of nothing but zeros still has a height to divide by.
const LEAST = 1e-9;

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  // Bars stand side by side for days; for things that have names they lie under one another.
  readonly form?: "line" | "bar" | "rows";
  readonly format?: (value: number) => string;
}

const plain = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });

export function Chart({ title, series, form = "line", format = plain }: Props): ReactNode {
  const most = Math.max(LEAST, ...series.flatMap((one) => one.points.map((point) => point.value ?? 0)));
  const labels = series[0]?.points.map((point) => point.label) ?? [];
  const ticks = most > LEAST ? ticksOf(most) : [0];
  if (form === "rows") return <Named {...{ title, series, most, format }} />;
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div className="chart-plot">
        <Scale ticks={ticks} at={(value) => up(value, most) / HEIGHT} format={format} />
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role="img"
          aria-label={spoken(title, series, format)}
          preserveAspectRatio="none"
        >
          {ticks.map((tick) => (
            <line key={tick} className="axis" x1={0} x2={WIDTH} y1={up(tick, most)} y2={up(tick, most)} />
          ))}
          {(most > LEAST ? series : []).map((one, place) =>
            form === "bar" ? (
              <Bars key={one.name} {...{ one, most, place, format }} of={series.length} />
            ) : (
              <Line key={one.name} {...{ one, most, format }} />
            ),
          )}
        </svg>
      </div>
      <div className="chart-ends" aria-hidden="true">
        <span>{labels[0]}</span>
        <span>{most > LEAST ? t("highest {0}", format(most)) : t("nothing yet")}</span>
        <span>{labels.length > 1 ? labels.at(-1) : ""}</span>
      </div>
      <Names series={series} />
    </figure>
  );
}

function Names({ series }: { series: readonly Series[] }): ReactNode {
  if (series.length < 2) return null;
  return (
    <div className="chart-names" aria-hidden="true">
      {series.map((one) => (
        <span key={one.name} className={one.dashed ? `${one.kind} dashed` : one.kind}>
          {one.name}
        </span>
      ))}
    </div>
  );
}

interface NamedProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly most: number;
  readonly format: (value: number) => string;
}

function Named({ title, series, most, format }: NamedProps): ReactNode {
  const labels = series[0]?.points.map((point) => point.label) ?? [];
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div className="bar-rows" role="img" aria-label={spoken(title, series, format)}>
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
      <Names series={series} />
    </figure>
  );
}

const spoken = (title: string, series: readonly Series[], format: (value: number) => string): string =>
  `${title}. ${series
    .map(
      (one) =>
        `${one.name}: ${one.points.map((point) => `${point.label} ${point.value === null ? t("none") : format(point.value)}`).join(", ")}`,
    )
    .join(". ")}`;

const across = (place: number, count: number): number =>
  PAD + (WIDTH - 2 * PAD) * (count < 2 ? 0.5 : place / (count - 1));
const up = (value: number, most: number): number => HEIGHT - PAD - ((HEIGHT - 3 * PAD) * value) / most;

function Line({ one, most, format }: { one: Series; most: number; format: (value: number) => string }): ReactNode {
  const known = one.points
    .map((point, place) => ({ ...point, x: across(place, one.points.length), place }))
    .filter((point) => point.value !== null);
  // What is not known is a gap.
  const path = known
    .map((point, at) => {
      const step = known[at - 1]?.place === point.place - 1 ? "L" : "M";
      return `${step}${point.x.toFixed(1)} ${up(point.value ?? 0, most).toFixed(1)}`;
    })
    .join("");
  return (
    <g className={one.kind}>
      <path className={one.dashed ? "stroke dashed" : "stroke"} d={path} vectorEffect="non-scaling-stroke" />
      {known.map((point) => (
        <path
          key={point.label}
          className="mark"
          d={`M${point.x.toFixed(1)} ${up(point.value ?? 0, most).toFixed(1)}h0.01`}
          vectorEffect="non-scaling-stroke"
        >
          <title>{`${point.label}: ${format(point.value ?? 0)}`}</title>
        </path>
      ))}
    </g>
  );
}

interface BarsProps {
  readonly one: Series;
  readonly most: number;
  readonly place: number;
  readonly of: number;
  readonly format: (value: number) => string;
}

function Bars({ one, most, place, of, format }: BarsProps): ReactNode {
  const room = (WIDTH - 2 * PAD) / Math.max(1, one.points.length);
  const wide = Math.min(28, (room * 0.8) / of);
  return (
    <g className={one.kind}>
      {one.points.map((point, at) => {
        const top = up(point.value ?? 0, most);
        const x = PAD + room * at + (room - wide * of) / 2 + wide * place;
        return (
          <rect
            key={point.label}
            className="fill"
            x={x}
            y={top}
            width={wide}
            height={Math.max(0, HEIGHT - PAD - top)}
            rx={1.5}
          >
            <title>{`${point.label}: ${point.value === null ? t("none") : format(point.value)}`}</title>
          </rect>
        );
      })}
    </g>
  );
}
