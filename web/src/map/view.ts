// What of the earth is seen, and how large: the Mercator projection, panning and zooming. Pure.

import type { MapArea, Position, ToolMap } from "../trace/map";
import { t } from "../language/t";

// The centre, in radians east and in Mercator's measure south; `scale`: pixels to a radian.
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Pixel = readonly [x: number, y: number];

const EARTH_M = 6_371_008.8;
const RADIANS = Math.PI / 180;
// Mercator has no poles.
const MOST_LATITUDE = 85;
const PADDING = 28;
// The buttons stand on the right.
const BUTTONS = 28;
// Less of the earth is never shown: metres across.
const LEAST_M = 150;
// A single place is shown with what lies around it.
const AROUND_M = 3000;
const BARS_M = [1, 2, 5]
  .flatMap((step) => [10, 100, 1000, 10_000, 100_000, 1_000_000].map((by) => step * by))
  .sort((a, b) => a - b);

const east = (lon: number): number => lon * RADIANS;
function south(lat: number): number {
  const held = Math.max(-MOST_LATITUDE, Math.min(MOST_LATITUDE, lat));
  return -Math.log(Math.tan(Math.PI / 4 + (held * RADIANS) / 2));
}

export const projected = (view: View, { width, height }: Size, [lon, lat]: Position): Pixel => [
  (east(lon) - view.x) * view.scale + width / 2,
  (south(lat) - view.y) * view.scale + height / 2,
];

// The view that shows everything there is.
export const fitted = ({ points, areas }: ToolMap, size: Size): View =>
  around([...points.map((point) => point.at), ...areas.flatMap((area) => area.ring)], size);

// Areas that hold this share of all values are seen at first, where the others lie this many times as far.
const MOST_OF_IT = 0.9;
const FAR = 3;

// The view to begin with: a few areas far away do not make all others small.
export function focused(map: ToolMap, size: Size): View {
  const whole = fitted(map, size);
  const near = nearest(map.areas);
  if (near.length === map.areas.length) return whole;
  const view = fitted({ ...map, areas: near }, size);
  return view.scale > whole.scale * FAR ? view : whole;
}

function nearest(areas: readonly MapArea[]): readonly MapArea[] {
  const placed = areas.map((area) => ({ area, at: middle(area.ring), value: Math.max(0, area.value ?? 0) }));
  const all = placed.reduce((sum, one) => sum + one.value, 0);
  if (!all) return areas;
  const centre = [0, 1].map((axis) => {
    let held = 0;
    const sorted = placed.toSorted((one, other) => (one.at[axis] ?? 0) - (other.at[axis] ?? 0));
    return sorted.find((one) => (held += one.value) >= all / 2)?.at[axis] ?? 0;
  });
  const far = ({ at }: { at: Position }): number => Math.hypot(at[0] - (centre[0] ?? 0), at[1] - (centre[1] ?? 0));
  let held = 0;
  return placed
    .toSorted((one, other) => far(one) - far(other))
    .filter((one) => (held += one.value) - one.value < all * MOST_OF_IT)
    .map((one) => one.area);
}

export const middle = (ring: readonly Position[]): Position => {
  const mean = (axis: 0 | 1): number => ring.reduce((sum, at) => sum + at[axis], 0) / ring.length;
  return [mean(0), mean(1)];
};

function around(places: readonly Position[], size: Size): View {
  let [west, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [lon, lat] of places) {
    [west, right] = [Math.min(west, east(lon)), Math.max(right, east(lon))];
    [top, bottom] = [Math.min(top, south(lat)), Math.max(bottom, south(lat))];
  }
  const room = (side: number): number => Math.max(1, side - 2 * PADDING);
  const width = size.width - BUTTONS;
  const centre = { x: (west + right) / 2, y: (top + bottom) / 2 };
  const scale = Math.min(room(width) / (right - west), room(size.height) / (bottom - top));
  const fitting = Math.min(scale, scaleOf(centre.y, AROUND_M, size));
  return bounded({ ...centre, x: centre.x + BUTTONS / 2 / fitting, scale: fitting }, size);
}

// The scale at which so many metres fit across.
const scaleOf = (y: number, metres: number, { width }: Size): number => (width * EARTH_M) / metres / Math.cosh(y);

export function bounded(view: View, size: Size): View {
  const limit = south(-MOST_LATITUDE);
  const least = size.width / (2 * Math.PI);
  return {
    x: Math.max(-Math.PI, Math.min(Math.PI, view.x)),
    y: Math.max(-limit, Math.min(limit, view.y)),
    scale: Math.max(least, Math.min(scaleOf(view.y, LEAST_M, size), view.scale)),
  };
}

export const isSame = (one: View, other: View): boolean =>
  one.x === other.x && one.y === other.y && one.scale === other.scale;

export const panned = (view: View, size: Size, [right, down]: Pixel): View =>
  bounded({ ...view, x: view.x - right / view.scale, y: view.y - down / view.scale }, size);

// Larger or smaller; what is at `at` stays there.
export function zoomed(view: View, size: Size, by: number, at: Pixel = [size.width / 2, size.height / 2]): View {
  const { scale } = bounded({ ...view, scale: view.scale * by }, size);
  const [right, down] = [at[0] - size.width / 2, at[1] - size.height / 2];
  const rest = 1 / view.scale - 1 / scale;
  return bounded({ x: view.x + right * rest, y: view.y + down * rest, scale }, size);
}

export const centred = (view: View, size: Size, [lon, lat]: Position): View =>
  bounded({ ...view, x: east(lon), y: south(lat) }, size);

// How what was drawn for one view stands in another.
export const between = (drawn: View, now: View, { width, height }: Size): string => {
  const by = now.scale / drawn.scale;
  const right = (drawn.x - now.x) * now.scale + (width / 2) * (1 - by);
  const down = (drawn.y - now.y) * now.scale + (height / 2) * (1 - by);
  return `translate(${right.toFixed(2)} ${down.toFixed(2)}) scale(${by.toFixed(6)})`;
};

export const metresAcross = (view: View, { width }: Size): number => (width * EARTH_M) / view.scale / Math.cosh(view.y);

export interface ScaleBar {
  readonly pixels: number;
  readonly label: string;
}

// The longest round distance that is at most a quarter of the width.
export function scaleBar(view: View, size: Size): ScaleBar {
  const across = metresAcross(view, size);
  const metres = BARS_M.findLast((one) => one <= across / 4) ?? BARS_M[0] ?? 1;
  const label = metres >= 1000 ? t("{0} km", (metres / 1000).toLocaleString("en")) : `${metres} m`;
  return { pixels: (metres / across) * size.width, label };
}
