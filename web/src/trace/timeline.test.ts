import { expect, it } from "vitest";
import { clock, linesOf, ticks, timelineIn } from "./timeline";

const TIMELINE = {
  title: "Casts",
  length_s: 200,
  rows: [
    { label: "Fireball", spans: [{ from: 1, to: 4, label: "Fireball", kind: "cast" }] },
    { label: "Gaps", spans: [{ from: 0, to: 1, kind: "gap" }] },
  ],
  marks: [{ at: 3, label: "Ana died", kind: "death" }],
};

it("reads a timeline as the server writes it", () => {
  const found = timelineIn({ rows: [], timeline: TIMELINE });
  expect(found?.rows[1]?.spans).toEqual([{ from: 0, to: 1, label: "", kind: "gap" }]);
  expect(found && linesOf(found)).toEqual([
    { row: "Gaps", from: 0, to: 1, what: "gap" },
    { row: "Fireball", from: 1, to: 4, what: "Fireball (cast)" },
    { row: "", from: 3, to: null, what: "Ana died (death)" },
  ]);
});

it("takes nothing for a timeline that does not fit", () => {
  const spans = (span: object) => ({ ...TIMELINE, rows: [{ label: "a", spans: [span] }] });
  const odd = [
    null,
    "timeline",
    { ...TIMELINE, title: "x".repeat(200) },
    { ...TIMELINE, length_s: 0 },
    { ...TIMELINE, length_s: NaN },
    { ...TIMELINE, rows: [] },
    { ...TIMELINE, rows: Array(41).fill({ label: "a", spans: [] }) },
    { ...TIMELINE, rows: [{ label: "a", spans: Array(2001).fill({ from: 0, to: 1 }) }] },
    { ...TIMELINE, rows: Array(2).fill({ label: "a", spans: Array(1500).fill({ from: 0, to: 1 }) }) },
    spans({ from: 2, to: 1 }),
    spans({ from: -1, to: 1 }),
    spans({ from: 1, to: 201 }),
    spans({ from: "1", to: 2 }),
    spans({ from: 1, to: 2, kind: {} }),
    { ...TIMELINE, marks: [{ at: 201, label: "late" }] },
    { ...TIMELINE, marks: {} },
  ];
  for (const timeline of odd) expect(timelineIn({ timeline })).toBeNull();
});

it("tells time as minutes and seconds, with few round ticks", () => {
  expect([clock(0), clock(75.25), clock(59.96), clock(600)]).toEqual(["0:00", "1:15.3", "1:00", "10:00"]);
  expect(ticks(200)).toEqual([0, 30, 60, 90, 120, 150, 180]);
  for (const length of [0.5, 7, 61, 500, 86_400]) expect(ticks(length).length).toBeLessThanOrEqual(9);
});
