// What a map is drawn of, from the ground up: outlines, areas, lines. Points stand over them.

import { memo, useMemo, type ReactNode } from "react";
import type { MapLine, ToolMap } from "../trace/map";
import { keep, pointAt } from "../turn/pointing";
import type { Outline } from "./outlines";
import type { Shades } from "../ui/shades";
import { projected, type Pixel, type Size, type View } from "./view";

export interface Layer {
  readonly map: ToolMap;
  readonly view: View;
  readonly size: Size;
  readonly lit: ReadonlySet<unknown>;
}

interface GroundProps {
  readonly states: readonly Outline[];
  readonly counties: readonly Outline[];
  readonly transform: string;
}

export const Ground = ({ transform, ...outlines }: GroundProps): ReactNode => (
  <g transform={transform}>
    <Land {...outlines} />
  </g>
);

const Land = memo(function Land({ states, counties }: Pick<GroundProps, "states" | "counties">): ReactNode {
  return (
    <>
      {states.map((one) => (
        <path key={one.key} className="map-land" d={one.path} />
      ))}
      {counties.map((one) => (
        <path key={one.key} className="map-county" d={one.path} />
      ))}
      {counties.length > 0 && states.map((one) => <path key={one.key} className="map-state" d={one.path} />)}
    </>
  );
});

const pathOf = (places: readonly Pixel[]): string =>
  places.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// What one points at while dragging is in the way, not meant.
export const pointing = (ids: readonly string[], wasDrag: () => boolean) => ({
  onPointerEnter: () => pointAt(ids),
  onPointerLeave: () => pointAt([]),
  onClick: () => wasDrag() || keep(ids),
});

type AreasProps = Layer & {
  readonly transform: string;
  readonly shades: Shades | null;
  readonly wasDrag: () => boolean;
};

export function Areas({ map, view, size, lit, transform, shades, wasDrag }: AreasProps): ReactNode {
  const drawn = useMemo(
    () => map.areas.map((area) => ({ area, path: `${pathOf(area.ring.map((at) => projected(view, size, at)))}Z` })),
    [map, view, size],
  );
  const shaded = useMemo(
    () =>
      drawn.map(
        ({ area, path }) =>
          area.value !== null && (
            <path
              key={area.id}
              className={`map-area shade-${shades?.classOf(area.value) ?? 0}`}
              d={path}
              {...pointing([area.id], wasDrag)}
            />
          ),
      ),
    [drawn, shades],
  );
  // Outlines stand over what is shaded, and what is lit over all.
  return (
    <g transform={transform}>
      {shaded}
      {drawn.map(
        ({ area, path }) =>
          (area.value === null || lit.has(area.id)) && (
            <path key={area.id} className={`map-outline${lit.has(area.id) ? " lit" : ""}`} d={path} />
          ),
      )}
    </g>
  );
}

const WIDEST_LINE = 6;

export function Lines({ map, view, size, lit }: Layer): ReactNode {
  const most = Math.max(...map.lines.map((line) => Math.abs(line.value ?? 0)), 0);
  // One line where both its ends are lit, else all of an end.
  const ends = Math.max(...map.lines.map((line) => litEnds(line, lit)), 1);
  return (
    <g className="map-lines" aria-hidden="true">
      {map.lines.map((line, place) => {
        const [from, to] = [projected(view, size, line.from.at), projected(view, size, line.to.at)];
        const wide = most ? 1 + ((WIDEST_LINE - 1) * Math.abs(line.value ?? 0)) / most : 1.5;
        const marked = litEnds(line, lit) === ends ? " lit" : "";
        return (
          <g key={place} className={`map-line${marked}`}>
            <path className="stroke" d={curve(from, to)} style={{ strokeWidth: wide }} />
            <path className="fill" d={head(from, to, wide)} />
          </g>
        );
      })}
    </g>
  );
}

const litEnds = ({ from, to }: MapLine, lit: ReadonlySet<unknown>): number =>
  Number(lit.has(from.id)) + Number(lit.has(to.id));

const BEND = 0.18;

// Bent to the right of its way, so that there and back are two lines.
const bend = (from: Pixel, to: Pixel): Pixel => [
  (from[0] + to[0]) / 2 - (to[1] - from[1]) * BEND,
  (from[1] + to[1]) / 2 + (to[0] - from[0]) * BEND,
];

function curve(from: Pixel, to: Pixel): string {
  const [x, y] = bend(from, to);
  return `${pathOf([from])}Q${x.toFixed(1)} ${y.toFixed(1)} ${to[0].toFixed(1)} ${to[1].toFixed(1)}`;
}

// At the middle of the way: at its end it would lie under the point.
function head(from: Pixel, to: Pixel, wide: number): string {
  const [bx, by] = bend(from, to);
  const at: Pixel = [(from[0] + 2 * bx + to[0]) / 4, (from[1] + 2 * by + to[1]) / 4];
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (length < 24) return "";
  const [ux, uy] = [dx / length, dy / length];
  const long = 5 + wide;
  const corner = (along: number, aside: number): Pixel => [
    at[0] + ux * along - uy * aside,
    at[1] + uy * along + ux * aside,
  ];
  return `${pathOf([corner(long, 0), corner(-long / 2, long * 0.7), corner(-long / 2, -long * 0.7)])}Z`;
}
