// Points of a map: those that would lie on one another as one, with their number; those that are lit with their names.

import { useMemo, type ReactNode } from "react";
import type { MapPoint } from "../trace/map";
import { count } from "../turn/words";
import { clustersOf, type Cluster } from "./clusters";
import { pointing, type Layer } from "./layers";
import { projected, type Pixel } from "./view";
import { t } from "../language/t";

type PointsProps = Layer & { readonly wasDrag: () => boolean; readonly onZoom: (at: Pixel) => void };

const [SMALLEST, LARGEST] = [4.5, 9];

export function Points({ map, view, size, lit, wasDrag, onZoom }: PointsProps): ReactNode {
  const clusters = useMemo(() => clustersOf(map.points, (point) => projected(view, size, point.at)), [map, view, size]);
  const most = Math.max(...map.points.map((point) => point.value ?? 0), 0);
  const radius = ({ value }: MapPoint): number =>
    most && value !== null ? SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(Math.max(0, value) / most) : 5.5;
  const isLit = (cluster: Cluster): boolean => cluster.points.some((point) => lit.has(point.id));
  const shown = clusters.filter(({ at: [x, y] }) => x > -40 && y > -40 && x < size.width + 40 && y < size.height + 40);
  return (
    <g>
      {shown.map((cluster) => (
        <Together
          key={cluster.points[0]?.id}
          cluster={cluster}
          radius={radius}
          lit={isLit(cluster)}
          wasDrag={wasDrag}
          onZoom={onZoom}
        />
      ))}
      {map.points
        .filter((point) => lit.has(point.id))
        .slice(0, MOST_NAMED)
        .map((point) => (
          <Name key={point.id} point={point} at={projected(view, size, point.at)} width={size.width} />
        ))}
    </g>
  );
}

const MOST_NAMED = 5;
const LONGEST_NAME = 40;
const [CHAR_PX, BUTTONS_PX] = [7, 56];

interface TogetherProps {
  readonly cluster: Cluster;
  readonly radius: (point: MapPoint) => number;
  readonly lit: boolean;
  readonly wasDrag: () => boolean;
  readonly onZoom: (at: Pixel) => void;
}

function Together({ cluster, radius, lit, wasDrag, onZoom }: TogetherProps): ReactNode {
  const { points, at } = cluster;
  const [first] = points;
  if (!first) return null;
  const place = { cx: at[0], cy: at[1] };
  if (points.length === 1)
    return (
      <circle
        className={`map-point${lit ? " lit" : ""}`}
        {...place}
        r={radius(first)}
        {...pointing([first.id], wasDrag)}
      />
    );
  const ids = points.map((point) => point.id);
  const events = { ...pointing(ids, wasDrag), onClick: () => wasDrag() || onZoom(at) };
  return (
    <g className={`map-cluster${lit ? " lit" : ""}`} {...events}>
      <title>{t("{0}: select to see them separately", count(points.length, "place"))}</title>
      <circle {...place} r={9 + Math.min(6, Math.log2(points.length) / 1.5)} />
      <text x={at[0]} y={at[1]}>
        {points.length}
      </text>
    </g>
  );
}

function Name({ point, at: [x, y], width }: { point: MapPoint; at: Pixel; width: number }): ReactNode {
  const shown = point.name.length > LONGEST_NAME ? `${point.name.slice(0, LONGEST_NAME - 1)}…` : point.name;
  // To the left where there is no room: the buttons stand on the right.
  const left = x + shown.length * CHAR_PX > width - BUTTONS_PX && x > width / 3;
  return (
    <text className={`map-name${left ? " left" : ""}`} x={left ? x - 14 : x + 14} y={y}>
      {shown}
    </text>
  );
}
