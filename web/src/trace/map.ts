// A map as a tool put it into its data. Everything a tool says is untrusted: what does not fit is no map.

import { isRecord } from "./cells";
import { allOf } from "./timeline";

export type Position = readonly [lon: number, lat: number];

export interface MapPoint {
  readonly id: string;
  readonly name: string;
  readonly at: Position;
  readonly value: number | null;
}

export interface MapArea {
  readonly id: string;
  readonly name: string;
  readonly value: number | null;
  readonly ring: readonly Position[];
}

// A flow from one point to another.
export interface MapLine {
  readonly from: MapPoint;
  readonly to: MapPoint;
  readonly value: number | null;
}

export interface ToolMap {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly MapPoint[];
  readonly areas: readonly MapArea[];
  readonly lines: readonly MapLine[];
}

const MOST_POINTS = 2000;
const MOST_AREAS = 300;
const MOST_VERTICES = 20_000;
const MOST_LINES = 200;
const LONGEST = 120;
const LONGEST_ID = 200;

const isText = (value: unknown, most = LONGEST): value is string => typeof value === "string" && value.length <= most;
const isId = (value: unknown): value is string => isText(value, LONGEST_ID) && value !== "";
const isValue = (value: unknown): value is number | null =>
  value === null || (typeof value === "number" && Number.isFinite(value));
const isList = (value: unknown, most: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= most;
const isPlace = (lon: unknown, lat: unknown): boolean =>
  typeof lon === "number" && typeof lat === "number" && Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.length === 2 && isPlace(value[0], value[1]);

export function mapIn(data: unknown): ToolMap | null {
  const found = isRecord(data) ? data["map"] : null;
  if (!isRecord(found)) return null;
  const { title, unit = "", points = [], areas = [], lines = [] } = found;
  if (!isText(title) || !isText(unit)) return null;
  if (!isList(points, MOST_POINTS) || !isList(areas, MOST_AREAS) || !isList(lines, MOST_LINES)) return null;
  if (!points.length && !areas.length) return null;
  const readPoints = allOf(points, pointOf);
  const readAreas = allOf(areas, areaOf);
  if (!readPoints || !readAreas) return null;
  const byId = new Map(readPoints.map((point) => [point.id, point]));
  if (byId.size < readPoints.length || new Set(readAreas.map((area) => area.id)).size < readAreas.length) return null;
  if (readAreas.reduce((sum, area) => sum + area.ring.length, 0) > MOST_VERTICES) return null;
  const readLines = allOf(lines, (line) => lineOf(line, byId));
  return readLines && { title, unit, points: readPoints, areas: readAreas, lines: readLines };
}

function pointOf(value: unknown): MapPoint | null {
  if (!isRecord(value)) return null;
  const { id, name, lat, lon, value: figure = null } = value;
  if (!isId(id) || !isText(name) || !isPlace(lon, lat) || !isValue(figure)) return null;
  return { id, name, at: [lon as number, lat as number], value: figure };
}

function areaOf(value: unknown): MapArea | null {
  if (!isRecord(value)) return null;
  const { id, name, ring, value: figure = null } = value;
  if (!isId(id) || !isText(name) || !isList(ring, MOST_VERTICES) || !isValue(figure)) return null;
  return ring.length >= 3 && ring.every(isPosition) ? { id, name, value: figure, ring } : null;
}

function lineOf(value: unknown, points: ReadonlyMap<string, MapPoint>): MapLine | null {
  if (!isRecord(value)) return null;
  const [from, to] = [value["from"], value["to"]].map((id) => (isId(id) ? points.get(id) : undefined));
  const figure = value["value"] ?? null;
  return from && to && isValue(figure) ? { from, to, value: figure } : null;
}
