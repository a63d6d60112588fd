// Small charts as drawings of our own: a line, bars. Each has its axes, says in words what it shows, and tells its values
// to the pointer and to the keyboard.

import type { ReactNode } from "react";
import { t } from "../language/t";
import { BarRows } from "./BarRows";
import { ChartCursor } from "./ChartCursor";
import { acrossBars, acrossLine, Bars, HEIGHT, Line, up, WIDTH, type Series } from "./plot";
import { Below, Scale, ticksOf } from "./Scale";

export type { Series } from "./plot";

export interface Point {
  readonly label: string;
  readonly value: number | null;
}

// A chart of nothing but zeros still has a height to divide by.
const LEAST = 1e-9;

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  // Bars stand side by side for days; for things that have names they lie under one another.
  readonly form?: "line" | "bar" | "rows";
  readonly format?: (value: number) => string;
  // Values beside the chart, where `y` has their unit.
  readonly formatTick?: (value: number) => string;
  // What the axes measure, where the title does not say it.
  readonly x?: string;
  readonly y?: string;
}

const plain = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: 2 });

export function Chart(props: Props): ReactNode {
  const { title, series, form = "line", format = plain, formatTick = format, x = "", y = "" } = props;
  const values = series.flatMap((one) => one.points.map((point) => point.value ?? 0));
  const range = { least: Math.min(0, ...values), most: Math.max(LEAST, ...values) };
  const said = spoken(title, series, format);
  const named = form === "rows";
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      {y && <div className="chart-label">{y}</div>}
      {named && <BarRows {...{ series, format }} most={range.most} spoken={said} />}
      {!named && <Plot {...{ title, series, format, formatTick, range, said }} isBars={form === "bar"} />}
      {x && !named && <div className="chart-label under">{x}</div>}
      <Names series={series} />
    </figure>
  );
}

interface PlotProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly isBars: boolean;
  readonly format: (value: number) => string;
  readonly formatTick: (value: number) => string;
  readonly range: { readonly least: number; readonly most: number };
  readonly said: string;
}

function Plot({ title, series, isBars, format, formatTick, range, said }: PlotProps): ReactNode {
  const labels = series[0]?.points.map((point) => point.label) ?? [];
  const isEmpty = range.most - range.least <= LEAST;
  const isWhole = isBars && series.every((one) => one.points.every((point) => Number.isInteger(point.value ?? 0)));
  const ticks = isEmpty ? [0] : ticksOf(range.most, range.least, isWhole);
  const at = (place: number): number => (isBars ? acrossBars : acrossLine)(place, labels.length) / WIDTH;
  return (
    <div className="chart-plot">
      <Scale ticks={ticks} at={(value) => up(value, range) / HEIGHT} format={formatTick} />
      <div className="chart-drawing">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={said} preserveAspectRatio="none">
          {ticks.map((tick) => (
            <line key={tick} className="axis" x1={0} x2={WIDTH} y1={up(tick, range)} y2={up(tick, range)} />
          ))}
          {(isEmpty ? [] : series).map((one, place) =>
            isBars ? (
              <Bars key={one.name} {...{ one, range, place }} of={series.length} />
            ) : (
              <Line key={one.name} {...{ one, range }} />
            ),
          )}
        </svg>
        {isEmpty ? (
          <span className="chart-nothing">{t("nothing yet")}</span>
        ) : (
          <ChartCursor {...{ title, series, at, format }} />
        )}
      </div>
      <Below labels={labels} at={at} />
    </div>
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

const spoken = (title: string, series: readonly Series[], format: (value: number) => string): string =>
  `${title}. ${series
    .map(
      (one) =>
        `${one.name}: ${one.points.map((point) => `${point.label} ${point.value === null ? t("none") : format(point.value)}`).join(", ")}`,
    )
    .join(". ")}`;
