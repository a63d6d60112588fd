// What stands on and under a map: its buttons, what is pointed at, the legend, how long a distance is.

import type { ReactNode } from "react";
import type { ToolMap } from "../trace/map";
import { count } from "../turn/words";
import { ShadesLegend } from "../ui/ShadesLegend";
import type { Shades } from "../ui/shades";
import { STEP } from "./useGestures";
import { scaleBar, type Size, type View } from "./view";
import { t } from "../language/t";

type Format = (value: number) => string;

export function Controls({
  onZoom,
  onReset,
}: {
  onZoom: (by: number) => void;
  onReset: (() => void) | null;
}): ReactNode {
  return (
    <div className="map-controls">
      <button type="button" aria-label={t("Zoom in")} onClick={() => onZoom(STEP)}>
        +
      </button>
      <button type="button" aria-label={t("Zoom out")} onClick={() => onZoom(1 / STEP)}>
        −
      </button>
      <button type="button" aria-label={t("Show everything")} disabled={!onReset} onClick={() => onReset?.()}>
        ⤢
      </button>
    </div>
  );
}

interface BelowProps {
  readonly map: ToolMap;
  readonly view: View;
  readonly size: Size;
  readonly lit: ReadonlySet<unknown>;
  readonly shades: Shades | null;
  readonly format: Format;
}

export function Below({ map, view, size, lit, shades, format }: BelowProps): ReactNode {
  const bar = scaleBar(view, size);
  return (
    <div className="map-below" aria-hidden="true">
      {shades && <ShadesLegend shades={shades} format={format} />}
      <span className="map-told">{toldOf(map, lit, format)}</span>
      <span className="map-scale">
        {bar.label}
        <span style={{ width: bar.pixels }} />
      </span>
    </div>
  );
}

function toldOf(map: ToolMap, lit: ReadonlySet<unknown>, format: Format): string {
  const things = [...map.points, ...map.areas].filter((one) => lit.has(one.id));
  const [first] = things;
  if (!first) return "";
  const told = first.value === null ? first.name : `${first.name}: ${format(first.value)}`;
  return things.length > 1 ? t("{0} and {1} more", told, things.length - 1) : told;
}

const MOST_SPOKEN = 5;

// The map in words; all of it stands in the table.
export function spoken(map: ToolMap, format: Format): string {
  const parts = [
    map.points.length && count(map.points.length, "point"),
    map.areas.length && count(map.areas.length, "area"),
    map.lines.length && count(map.lines.length, "line"),
  ].filter(Boolean);
  const highest = [...map.points, ...map.areas]
    .flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
    .sort((one, other) => other.value - one.value)
    .slice(0, MOST_SPOKEN)
    .map(({ name, value }) => `${name} ${format(value)}`);
  return `${map.title}: ${parts.join(", ")}.${highest.length ? t(" Highest: {0}.", highest.join(", ")) : ""}`;
}
