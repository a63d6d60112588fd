// Four figures at a glance, each with its course.

import type { ReactNode } from "react";
import type { DayFigures, PeriodFigures } from "../api/types";
import { duration } from "../turn/words";
import { t } from "../language/t";

const WIDTH = 170;
const HEIGHT = 34;

export const sum = (days: readonly DayFigures[], of: (day: DayFigures) => number): number =>
  days.reduce((all, day) => all + of(day), 0);

export const percent = (part: number, whole: number): string =>
  whole ? `${((100 * part) / whole).toFixed(part === whole || part === 0 ? 0 : 1)} %` : "–";

const seconds = (ms: number | null): string => (ms === null ? "–" : duration(ms / 1000));

export function Tiles({ figures, days }: { figures: PeriodFigures; days: number }): ReactNode {
  const good = sum(figures.days, (day) => day.good);
  const rated = good + sum(figures.days, (day) => day.bad);
  const calls = figures.tools.reduce((all, tool) => all + tool.calls, 0);
  const failed = figures.tools.reduce((all, tool) => all + tool.failed, 0);
  const course = (of: (day: DayFigures) => number | null) => figures.days.map(of);
  return (
    <div className="tiles">
      <Tile
        name={t("Turns, {0} days", days)}
        value={sum(figures.days, (day) => day.turns).toLocaleString("en")}
        kind="answer"
        course={course((day) => day.turns)}
      />
      <Tile
        name="Rated good"
        value={percent(good, rated)}
        kind="observe"
        course={course((day) => (day.good + day.bad ? day.good / (day.good + day.bad) : null))}
      />
      <Tile
        name="Latency p50 · p95"
        value={`${seconds(figures.p50_ms)} · ${seconds(figures.p95_ms)}`}
        kind="act"
        course={course((day) => day.p50_ms)}
        second={course((day) => day.p95_ms)}
      />
      <Tile
        name="Tool success"
        value={percent(calls - failed, calls)}
        kind="observe"
        bars={figures.tools.slice(0, 8).map((tool) => ({ name: tool.tool, share: 1 - tool.failed / tool.calls }))}
      />
    </div>
  );
}

interface Bar {
  readonly name: string;
  readonly share: number;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly kind: string;
  readonly course?: readonly (number | null)[];
  readonly second?: readonly (number | null)[];
  readonly bars?: readonly Bar[];
}

function Tile({ name, value, kind, course = [], second = [], bars }: TileProps): ReactNode {
  const worst = bars?.reduce<Bar | null>((low, one) => (one.share < (low?.share ?? 1) ? one : low), null);
  const most = Math.max(1e-9, ...[...course, ...second].map((one) => one ?? 0));
  return (
    <section className="tile">
      <h2>{name}</h2>
      <p className="figure-large">{value}</p>
      {worst && (
        <p className="hint worst">
          {t("lowest: ")}
          <code>{worst.name}</code> {percent(worst.share, 1)}
        </p>
      )}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars?.map(({ name: tool, share }, place) => (
          <rect
            key={place}
            className={share < 0.9 ? "fill trouble" : `fill ${kind}`}
            x={(place * WIDTH) / bars.length}
            width={WIDTH / bars.length - 3}
            y={HEIGHT - Math.max(3, HEIGHT * share)}
            height={Math.max(3, HEIGHT * share)}
          >
            <title>{`${tool}: ${percent(share, 1)}`}</title>
          </rect>
        ))}
        {second.length > 0 && <path className="stroke soft" d={path(second, most)} vectorEffect="non-scaling-stroke" />}
        {course.length > 0 && (
          <path className={`stroke ${kind}`} d={path(course, most)} vectorEffect="non-scaling-stroke" />
        )}
      </svg>
    </section>
  );
}

function path(values: readonly (number | null)[], most: number): string {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : WIDTH;
  const known = values
    .map((value, place) => [place, value] as const)
    .filter((one): one is readonly [number, number] => one[1] !== null);
  // One value is no course.
  if (known.length < 2) return "";
  return known
    .map(
      ([place, value], at) =>
        `${at ? "L" : "M"}${(place * step).toFixed(1)} ${(HEIGHT - 3 - ((HEIGHT - 6) * value) / most).toFixed(1)}`,
    )
    .join("");
}
