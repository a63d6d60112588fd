// Outlines of states and counties for a view: those that are in it, as a path and with their names.

import { geoMercator, geoPath } from "d3-geo";
import type { Feature, FeatureCollection, Geometry } from "geojson";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import states from "us-atlas/states-10m.json";
import type { Pixel, Size, View } from "./view";

export interface Outline {
  readonly key: string;
  readonly path: string;
  readonly name: string;
  // Where the name stands: the middle of what is seen of it.
  readonly at: Pixel;
  // How much room there is for the name.
  readonly width: number;
}

type Named = Feature<Geometry, { name: string }>;
type Box = readonly [west: number, south: number, east: number, north: number];

interface Bounded {
  readonly shape: Named;
  readonly box: Box;
}

export type Outlines = readonly Bounded[];

const DEGREES = 180 / Math.PI;

export const STATES: Outlines = outlinesIn(states, "states");

// Counties are as much again as the rest of the page: only whoever looks closely loads them.
let counties: Promise<Outlines> | null = null;
export function loadCounties(): Promise<Outlines> {
  counties ??= import("us-atlas/counties-10m.json").then(
    ({ default: atlas }) => outlinesIn(atlas, "counties"),
    () => {
      counties = null;
      return [];
    },
  );
  return counties;
}

function outlinesIn(atlas: Topology, name: string): Outlines {
  const found = feature(atlas, atlas.objects[name] as GeometryCollection<{ name: string }>);
  return (found as FeatureCollection<Geometry, { name: string }>).features.map((shape) => ({
    shape,
    box: boxOf(shape),
  }));
}

function boxOf({ geometry }: Named): Box {
  let [west, south, east, north] = [180, 90, -180, -90];
  const rings =
    geometry.type === "Polygon"
      ? geometry.coordinates
      : geometry.type === "MultiPolygon"
        ? geometry.coordinates.flat()
        : [];
  for (const [lon, lat] of rings.flat() as [number, number][]) {
    [west, east] = [Math.min(west, lon), Math.max(east, lon)];
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
  }
  return [west, south, east, north];
}

// With some more around the view, so that there is something to pull in.
const MARGIN = 0.5;

export function drawn(outlines: Outlines, view: View, { width, height }: Size): readonly Outline[] {
  const [right, down] = [width * (0.5 + MARGIN), height * (0.5 + MARGIN)];
  const projection = geoMercator()
    .scale(view.scale)
    .translate([width / 2 - view.scale * view.x, height / 2 - view.scale * view.y])
    .clipExtent([
      [width / 2 - right, height / 2 - down],
      [width / 2 + right, height / 2 + down],
    ]);
  const seen = boxAround(view, right, down);
  const path = geoPath(projection).digits(1);
  const inside = geoPath(
    geoMercator()
      .scale(projection.scale())
      .translate(projection.translate())
      .clipExtent([
        [0, 0],
        [width, height],
      ]),
  );
  return outlines
    .filter(({ box }) => meets(box, seen))
    .flatMap(({ shape }, place) => {
      const text = path(shape);
      if (!text) return [];
      const [x, y] = inside.centroid(shape);
      const [[west], [east]] = inside.bounds(shape);
      const here = Number.isFinite(x) && Number.isFinite(y);
      const key = String(shape.id ?? place);
      return [{ key, path: text, name: shape.properties.name, at: [x, y] as Pixel, width: here ? east - west : 0 }];
    });
}

const boxAround = (view: View, right: number, down: number): Box => {
  const latitude = (y: number): number => (2 * Math.atan(Math.exp(-y)) - Math.PI / 2) * DEGREES;
  return [
    (view.x - right / view.scale) * DEGREES,
    latitude(view.y + down / view.scale),
    (view.x + right / view.scale) * DEGREES,
    latitude(view.y - down / view.scale),
  ];
};

const meets = (one: Box, other: Box): boolean =>
  one[0] <= other[2] && one[2] >= other[0] && one[1] <= other[3] && one[3] >= other[1];
