// Points that would lie on one another, together. Pure.

import type { MapPoint } from "../trace/map";
import type { Pixel } from "./view";

export interface Cluster {
  // Where the first of them is.
  readonly at: Pixel;
  // Those with the highest values first.
  readonly points: readonly MapPoint[];
}

// So that two clusters never overlap.
const NEAR = 30;

interface Placed {
  readonly point: MapPoint;
  readonly at: Pixel;
}

// The point with the highest value takes those near it, then the next of what is left.
export function clustersOf(points: readonly MapPoint[], place: (point: MapPoint) => Pixel): readonly Cluster[] {
  const placed = points
    .map((point): Placed => ({ point, at: place(point) }))
    .sort((one, other) => (other.point.value ?? -Infinity) - (one.point.value ?? -Infinity) || 0);
  const cells = new Map<string, Placed[]>();
  const cell = ([x, y]: Pixel, right = 0, down = 0): string =>
    `${Math.floor(x / NEAR) + right} ${Math.floor(y / NEAR) + down}`;
  for (const one of placed) {
    const inside = cells.get(cell(one.at));
    if (inside) inside.push(one);
    else cells.set(cell(one.at), [one]);
  }
  const taken = new Set<Placed>();
  const found: Cluster[] = [];
  for (const one of placed) {
    if (taken.has(one)) continue;
    const around = [-1, 0, 1].flatMap((right) =>
      [-1, 0, 1].flatMap((down) => cells.get(cell(one.at, right, down)) ?? []),
    );
    const near = around.filter((other) => !taken.has(other) && distance(one.at, other.at) < NEAR);
    for (const other of near) taken.add(other);
    const others = near.filter((other) => other !== one).map((other) => other.point);
    found.push({ at: one.at, points: [one.point, ...others] });
  }
  return found;
}

const distance = (one: Pixel, other: Pixel): number => Math.hypot(one[0] - other[0], one[1] - other[1]);
