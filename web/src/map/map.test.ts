import { expect, it } from "vitest";
import { mapIn, type MapPoint, type ToolMap } from "../trace/map";
import { clustersOf } from "./clusters";
import { placedLabels } from "./Labels";
import { drawn, loadCounties, STATES } from "./outlines";
import { between, bounded, fitted, focused, metresAcross, panned, projected, scaleBar, zoomed } from "./view";

const SIZE = { width: 600, height: 372 };
const RING = [
  [-122.5, 37.7],
  [-122.4, 37.7],
  [-122.4, 37.8],
];
const MAP = {
  title: "Cafés",
  unit: "visits",
  points: [
    { id: "a", name: "A", lat: 37.79, lon: -122.4, value: 12 },
    { id: "b", name: "B", lat: 37.76, lon: -122.45, value: null },
  ],
  areas: [{ id: "h", name: "H", value: 0.2, ring: RING }],
  lines: [{ from: "a", to: "b", value: 3 }],
};
const read = (change: object = {}): ToolMap | null => mapIn({ map: { ...MAP, ...change } });
const whole = read() as ToolMap;

it("reads a map as the server writes it", () => {
  expect(whole.lines[0]?.to.name).toBe("B");
  expect(whole.areas[0]?.ring).toEqual(RING);
  expect(read({ points: [], lines: [] })?.points).toEqual([]);
});

it("takes nothing for a map that does not fit", () => {
  const point = MAP.points[0];
  const odd = [
    { title: "x".repeat(200) },
    { points: [], areas: [], lines: [] },
    { points: [point, point] },
    { points: [{ ...point, lat: 91 }], lines: [] },
    { points: [{ ...point, lon: "-122" }], lines: [] },
    { points: [{ ...point, value: Infinity }], lines: [] },
    { points: Array.from({ length: 2001 }, (_, at) => ({ ...point, id: String(at) })), lines: [] },
    { areas: [{ ...MAP.areas[0], ring: RING.slice(1) }] },
    { areas: [{ ...MAP.areas[0], ring: [...RING, [0, 0, 0]] }] },
    { areas: [{ ...MAP.areas[0], ring: Array.from({ length: 20_001 }, () => [0, 0]) }] },
    { lines: [{ from: "a", to: "nowhere", value: 1 }] },
  ];
  for (const change of odd) expect(read(change)).toBeNull();
  for (const map of [null, [], "map"]) expect(mapIn({ map })).toBeNull();
});

it("fits everything into the view, and a single place with what lies around it", () => {
  const view = fitted(whole, SIZE);
  for (const at of [...whole.points.map((one) => one.at), ...(whole.areas[0]?.ring ?? [])]) {
    const [x, y] = projected(view, SIZE, at);
    expect(x > 0 && x < SIZE.width && y > 0 && y < SIZE.height).toBe(true);
  }
  const alone = fitted({ ...whole, points: whole.points.slice(0, 1), areas: [], lines: [] }, SIZE);
  expect(metresAcross(alone, SIZE)).toBeCloseTo(3000, -1);
});

it("begins where most of the values are, unless all of it is as near", () => {
  const area = (id: string, lon: number, value: number) => ({
    id,
    name: id,
    value,
    ring: RING.map(([x = 0, y = 0]): [number, number] => [x + lon, y]),
  });
  const near = Array.from({ length: 20 }, (_, at) => area(`near ${at}`, at * 0.01, 5));
  const far = { ...whole, areas: [...near, area("far", 30, 5)] };
  expect(metresAcross(focused(far, SIZE), SIZE)).toBeLessThan(100_000);
  expect(metresAcross(fitted(far, SIZE), SIZE)).toBeGreaterThan(1_000_000);
  const even = { ...whole, areas: near };
  expect(focused(even, SIZE)).toEqual(fitted(even, SIZE));
  const unknown = { ...far, areas: far.areas.map((one) => ({ ...one, value: null })) };
  expect(focused(unknown, SIZE)).toEqual(fitted(unknown, SIZE));
});

it("places names beside one another, points and buttons, and leaves out those without room", () => {
  const outline = (name: string, x: number, y: number, width = 300) => ({
    key: name,
    path: "",
    name,
    at: [x, y] as const,
    width,
  });
  const labels = placedLabels(
    [
      outline("Oregon", 200, 200),
      outline("Idaho", 210, 202, 200),
      outline("Texas", 580, 40),
      outline("Utah", 80, 80, 9),
    ],
    SIZE,
    { points: [[200, 200]] },
  );
  expect(labels.map(({ name, at }) => [name, at[1]])).toEqual([
    ["Oregon", 180],
    ["Idaho", 222],
  ]);
  const [aside] = placedLabels([outline("Ohio", 200, 200)], SIZE, { points: [], areas: [[150, 170, 250, 260]] });
  expect(aside?.at[1]).toBe(160);
});

it("keeps what is under the pointer in place while it zooms, and stays on the earth", () => {
  const view = fitted(whole, SIZE);
  const at = projected(view, SIZE, [-122.4, 37.79]);
  const [x, y] = projected(zoomed(view, SIZE, 3, at), SIZE, [-122.4, 37.79]);
  expect(x).toBeCloseTo(at[0], 3);
  expect(y).toBeCloseTo(at[1], 3);
  expect(zoomed(view, SIZE, 1e9).scale).toBeLessThan(1e9);
  expect(bounded({ x: 99, y: -99, scale: 0 }, SIZE).x).toBeCloseTo(Math.PI);
  const moved = panned(view, SIZE, [30, -20]);
  expect(between(view, moved, SIZE)).toBe("translate(30.00 -20.00) scale(1.000000)");
});

it("has a round distance to compare with", () => {
  const bar = scaleBar(fitted(whole, SIZE), SIZE);
  expect(bar.label).toMatch(/^[125] km$/);
  expect(bar.pixels).toBeLessThanOrEqual(SIZE.width / 4);
});

it("puts points together that would lie on one another, and loses none", () => {
  const points = Array.from({ length: 2000 }, (_, at): MapPoint => ({
    id: String(at),
    name: "",
    at: [0, 0],
    value: at,
  }));
  const placed = clustersOf(points, (point) => [(Number(point.id) * 7919) % 600, (Number(point.id) * 104_729) % 372]);
  expect(placed.flatMap((one) => one.points)).toHaveLength(2000);
  expect(placed.length).toBeLessThan(500);
  expect(placed[0]?.points[0]?.id).toBe("1999");
  const apart = clustersOf(points.slice(0, 3), (point) => [Number(point.id) * 100, 0]);
  expect(apart.map((one) => one.at)).toEqual([
    [200, 0],
    [100, 0],
    [0, 0],
  ]);
});

it("draws the outlines that are in the view, with their names", async () => {
  const view = fitted(whole, SIZE);
  expect(drawn(STATES, view, SIZE).map((one) => one.name)).toEqual(["California"]);
  const names = drawn(await loadCounties(), view, SIZE).map((one) => one.name);
  expect(names).toContain("San Francisco");
  expect(names.length).toBeLessThan(12);
  const elsewhere = fitted(
    { ...whole, points: [{ id: "m", name: "", at: [11.58, 48.14], value: null }], areas: [] },
    SIZE,
  );
  expect(drawn(STATES, elsewhere, SIZE)).toEqual([]);
});
