// Names of counties and states, where there is room for them: beside one another, the points and the buttons.

import { useMemo, type ReactNode } from "react";
import type { ToolMap } from "../trace/map";
import type { Outline } from "./outlines";
import { projected, type Pixel, type Size, type View } from "./view";

interface Props {
  readonly map: ToolMap;
  readonly states: readonly Outline[];
  readonly counties: readonly Outline[];
  // What is drawn was placed for this view, and is shown moved and scaled.
  readonly view: View;
  readonly size: Size;
  readonly transform: string;
  readonly scale: number;
}

export function Labels({ map, states, counties, view, size, transform, scale }: Props): ReactNode {
  const outlines = counties.length ? counties : states;
  const labels = useMemo(
    () =>
      placedLabels(outlines, size, {
        points: map.points.map((point) => projected(view, size, point.at)),
        areas: map.areas.map((area) => boxOf(area.ring.map((at) => projected(view, size, at)))),
      }),
    [outlines, map, view, size],
  );
  return (
    <g transform={transform} className="map-labels" aria-hidden="true">
      {labels.map(({ key, name, at: [x, y] }) => (
        <text key={key} x={x} y={y} fontSize={10.5 / scale}>
          {name}
        </text>
      ))}
    </g>
  );
}

type Box = readonly [left: number, top: number, right: number, bottom: number];

const [CHAR_PX, HALF_PX, POINT_PX] = [6.5, 8, 11];
// Up or down where the middle is taken.
const SHIFTS = [0, -20, 20, -40, 40];
const BUTTONS: Pixel = [46, 104];

export interface Label {
  readonly key: string;
  readonly name: string;
  readonly at: Pixel;
}

interface Drawn {
  readonly points: readonly Pixel[];
  readonly areas?: readonly Box[];
}

// The widest have the first choice, beside areas where there is room; a name without room is left out.
export function placedLabels(
  outlines: readonly Outline[],
  { width, height }: Size,
  { points, areas = [] }: Drawn,
): readonly Label[] {
  const taken: Box[] = points.map(([x, y]) => [x - POINT_PX, y - POINT_PX, x + POINT_PX, y + POINT_PX]);
  taken.push([width - BUTTONS[0], 0, width, BUTTONS[1]]);
  const isFree = (box: Box): boolean =>
    box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height && !taken.some((one) => meet(one, box));
  const isClear = (box: Box): boolean => isFree(box) && !areas.some((one) => meet(one, box));
  return outlines
    .filter(({ name, width: room }) => room > name.length * CHAR_PX)
    .toSorted((one, other) => other.width - one.width)
    .flatMap(({ key, name, at: [x, y] }): Label[] => {
      const half = (name.length * CHAR_PX) / 2;
      const boxes = SHIFTS.map((by): Box => [x - half, y + by - HALF_PX, x + half, y + by + HALF_PX]);
      const free = boxes.find(isClear) ?? boxes.find(isFree);
      if (!free) return [];
      taken.push(free);
      return [{ key, name, at: [x, free[1] + HALF_PX] }];
    });
}

const meet = (one: Box, other: Box): boolean =>
  one[0] < other[2] && one[2] > other[0] && one[1] < other[3] && one[3] > other[1];

const boxOf = (ring: readonly Pixel[]): Box => {
  const [across, down] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
};
