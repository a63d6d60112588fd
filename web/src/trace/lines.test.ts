import { expect, it } from "vitest";
import type { AnyEvent } from "../api/events";
import { foldAll, newTurn } from "../turn/fold";
import recorded from "../turn/recorded.json";
import { terminal, written } from "./lines";
import { alignedLines, tableOf } from "./table";

it("writes a turn as text, with everything that happened in its order", () => {
  const turn = foldAll(newTurn("t"), recorded as unknown as AnyEvent[]);
  const text = written(terminal(turn));
  const parts = [
    "> Go 🙂",
    "1 Think",
    '2 say(text="a")',
    "✗ The warehouse is closed",
    "4 Think",
    "5 edit_file",
    "6 Answer",
    "Text with 🙂 and 42.",
    "-- completed",
  ];
  const places = parts.map((part) => text.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

it("takes a list of records of one shape for a table, and nothing else", () => {
  const rows = [
    { a: 1, b: "x" },
    { a: 2, b: null },
  ];
  expect(tableOf(rows)?.names).toEqual(["a", "b"]);
  expect(tableOf({ total: 2, rows })).toMatchObject({ names: ["a", "b"], beside: ["total: 2"] });
  for (const other of [
    [],
    [rows[0]],
    [{ a: 1 }, { b: 1 }],
    [{ a: {} }, { a: {} }],
    "text",
    3,
    null,
    { a: rows, b: rows, c: 1 },
  ]) {
    expect(tableOf(other)).toBeNull();
  }
});

it("finds the chief table of a report, with what stands beside it", () => {
  const rows = [
    { sku: "A", on_hand: 5 },
    { sku: "BCD", on_hand: 1500 },
  ];
  const table = tableOf({ title: "Stock", totals: { units: 3, parts: [] }, trend: rows, rows, notes: [], chart: {} });
  expect(table?.beside).toEqual(["title: Stock", "totals: units 3"]);
  expect(table && alignedLines(table).slice(2)).toEqual(["sku  on_hand", "A          5", "BCD    1,500"]);
});
