import { expect, it } from "vitest";
import { chartIn, inUnit } from "./chart";

const CHART = {
  kind: "line",
  title: "Procurement",
  x_label: "Month",
  x: ["2026-07", "2026-08"],
  series: [{ label: "Ordered", unit: "USD", values: [1318452.1, null] }],
};

it("reads a chart as the server writes it", () => {
  const found = chartIn({ rows: [], chart: CHART });
  expect(found?.series[0]?.points).toEqual([
    { label: "2026-07", value: 1318452.1 },
    { label: "2026-08", value: null },
  ]);
  expect(inUnit(found?.unit ?? "")(1318452.1)).toBe("1,318,452 USD");
});

it("takes nothing for a chart that does not fit", () => {
  const odd = [
    null,
    "chart",
    { ...CHART, kind: "pie" },
    { ...CHART, title: "x".repeat(200) },
    { ...CHART, x: [] },
    { ...CHART, x: ["a"] },
    { ...CHART, series: [] },
    { ...CHART, series: [{ label: "a", values: ["1", "2"] }] },
    { ...CHART, series: [{ label: "a", values: [1, Infinity] }] },
  ];
  for (const chart of odd) expect(chartIn({ chart })).toBeNull();
});
