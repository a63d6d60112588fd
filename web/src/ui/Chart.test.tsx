import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Chart } from "./Chart";
import { labelled, ticksOf } from "./Scale";

it("breaks a line where a value is not known", () => {
  const points = [1, 2, null, 3].map((value, place) => ({ label: String(place), value }));
  const shown = renderToStaticMarkup(<Chart title="Visits" series={[{ name: "a", kind: "act", points }]} />);
  const [path] = /class="stroke" d="[^"]*"/.exec(shown) ?? [];
  expect(path?.replace(/[^ML]/g, "")).toBe("MLM");
});

it.each([
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [3, [0, 1, 2, 3]],
  [47_300, [0, 20_000, 40_000]],
  [0, []],
  [Infinity, []],
])("gives a scale up to %d round values", (most, expected) => {
  const ticks = ticksOf(most);
  expect(ticks).toHaveLength(expected.length);
  for (const [at, tick] of ticks.entries()) expect(tick).toBeCloseTo(expected[at] ?? NaN);
});

it("names the values that lie beside the lines across it", () => {
  const points = [0, 100, 250].map((value, place) => ({ label: String(place), value }));
  const shown = renderToStaticMarkup(<Chart title="Visits" series={[{ name: "a", kind: "act", points }]} />);
  expect([...shown.matchAll(/<span style="top:[^"]*">([^<]*)</g)].map(([, text]) => text)).toEqual(["0", "100", "200"]);
  expect(shown.match(/class="axis"/g)).toHaveLength(3);
});

it("has no halves beside bars that count", () => {
  expect(ticksOf(1, 0, true)).toEqual([0, 1]);
  expect(ticksOf(3, 0, true)).toEqual([0, 1, 2, 3]);
  expect(ticksOf(9, 0, true)).toEqual([0, 5]);
});

it("has room below 0 for what is negative", () => {
  expect(ticksOf(10, -10)).toEqual([-10, -5, 0, 5, 10]);
  const points = [-4, 8].map((value, place) => ({ label: String(place), value }));
  const shown = renderToStaticMarkup(<Chart title="Change" series={[{ name: "a", kind: "act", points }]} form="bar" />);
  expect([...shown.matchAll(/height="([\d.]+)"/g)].map(([, height]) => Number(height) > 0)).toEqual([true, true]);
});

it("writes labels at even steps, as many as fit", () => {
  expect(labelled(Array.from({ length: 12 }, () => "2026-01"))).toEqual([0, 4, 8]);
  expect(labelled(["a"])).toEqual([0]);
  expect(labelled([])).toEqual([]);
});
