import { describe, expect, it } from "vitest";
import type { Figure, ToolResult } from "../api/events";
import { newTurn, type Turn } from "../turn/fold";
import { wantedOf } from "../turn/lit";
import { toUnits } from "../turn/words";
import { find, places } from "./find";
import { holds } from "./seek";
import { shapeOf, tablesOf, textLines } from "./table";

const tableOf = (data: unknown) => tablesOf(data)[0];

const ORDERS = {
  title: "Purchase orders",
  period: { name: "all" },
  totals: { orders: 6, ordered: 143783.89, late: 6, by: { open: 1 } },
  rows: [
    { order_id: "PO-01613", due_on: "2026-11-10", total: 93258.28, warehouse_id: "WH-001" },
    { order_id: "PO-01605", due_on: "2026-11-09", total: 29802.86, warehouse_id: "WH-004" },
    { order_id: "PO-01577", due_on: "2026-11-11", total: 4434.08, warehouse_id: "WH-001" },
    { order_id: "PO-01564", due_on: "2026-11-02", total: 1145.4, warehouse_id: "WH-005" },
    { order_id: "PO-01558", due_on: "2026-11-03", total: 6, warehouse_id: "WH-004" },
    { order_id: "PO-01557", due_on: "2026-11-03", total: 783.52, warehouse_id: "WH-004" },
  ],
  trend: [{ month: "2026-09", value: { usd: 77.5 } }],
  chart: {},
  row_count: 6,
};
const ANSWER = `Totals: orders 6, ordered 143,783.89 USD, late 6.

| order id | due on | total (USD) | warehouse id |
| --- | --- | --- | --- |
| PO-01613 | 2026-11-10 | 93,258.28 | WH-001 |
| PO-01577 | 2026-11-11 | 4,434.08 | WH-001 |
| PO-01557 | 2026-11-03 | 783.52 | WH-004 |

September had 77.50, on average 21,571.69, in 6 rows.`;

const made = (data: unknown, output = ""): ToolResult => ({
  success: true,
  output,
  error: null,
  data: data as ToolResult["data"],
  metadata: {},
  requires_confirmation: false,
  cause: "ran",
  sourced: null,
  effect_unknown: false,
  is_answer: false,
  labels: null,
  cached: false,
  duration_ms: 1,
  shown_chars: null,
});

// Figures as the server tells them: what they say, and what they were found as.
function answered(answer: string, ...told: [text: string, found?: string][]): Turn {
  let from = 0;
  const figures = told.map(([text, found = text]): Figure => {
    from = answer.indexOf(text, from);
    const start = [...answer.slice(0, from)].length;
    from += text.length;
    return {
      text,
      kind: "number",
      start,
      end: start + [...text].length,
      source: "c1",
      origin: "call",
      found,
      path: [],
    };
  });
  return { ...newTurn("t"), evidence: { figures, sourced: figures.length } };
}

function found(turn: Turn, answer: string, index: number, result: ToolResult) {
  const figures = turn.evidence?.figures ?? [];
  const stand = figures.map((one) => ({ from: toUnits(answer, one.start), to: toUnits(answer, one.end) }));
  return find(result, shapeOf(result), wantedOf(turn, index, answer, stand));
}

describe("where a figure of an answer stands in the observation", () => {
  const turn = answered(
    ANSWER,
    ["6"],
    ["143,783.89 USD", "143783.89"],
    ["6"],
    ["PO-01613"],
    ["2026-11-10"],
    ["93,258.28", "93258.28"],
    ["WH-001"],
    ["PO-01577"],
    ["4,434.08", "4434.08"],
    ["WH-001"],
    ["PO-01557"],
    ["2026-11-03"],
    ["783.52"],
    ["WH-004"],
    ["77.50", "77.5"],
    ["21,571.69", "mean of rows[].total"],
    ["6", "count of rows"],
  );
  const at = (index: number) => found(turn, ANSWER, index, made(ORDERS));
  const paths = (index: number) => [...at(index).paths];

  it("is a total, told apart by its name from others of the same size", () => {
    expect(paths(0)).toEqual(["totals.orders"]);
    expect(paths(1)).toEqual(["totals.ordered"]);
    expect(paths(2)).toEqual(["totals.late"]);
  });

  it("is the cell of the row that the answer speaks of, also where others say the same", () => {
    expect(paths(5)).toEqual(["rows.0.total"]);
    expect(paths(6)).toEqual(["rows.0.warehouse_id"]);
    expect(paths(9)).toEqual(["rows.2.warehouse_id"]);
    expect(paths(11)).toEqual(["rows.5.due_on"]);
    expect(paths(13)).toEqual(["rows.5.warehouse_id"]);
  });

  it("is a row that was folded away, and that row only", () => {
    expect(at(12).rows.get("rows")).toEqual([5]);
    expect(places(4, at(12).rows.get("rows") ?? [])).toEqual([0, 1, 2, 3, 5]);
  });

  it("is a line of its own where it stands deeper than what is shown", () => {
    expect(at(14)).toMatchObject({ elsewhere: ["trend[1].value.usd: 77.5"], places: [] });
  });

  it("says how it was worked out, and of what, where it stands nowhere", () => {
    expect(at(15)).toMatchObject({ elsewhere: ["21,571.69: mean of rows[].total"], column: "total" });
    expect(at(16)).toMatchObject({ elsewhere: ["6: count of rows"], counts: true });
  });

  it("is a line of a text, and never a part of a longer number", () => {
    const text = made(null, "It was 142\nIt is 42, now\n3.42");
    expect(found(answered("🙂 42", ["42"]), "🙂 42", 0, text).places).toEqual([1]);
    for (const line of ["142", "420", "42.5", "3.42"]) expect(holds(line, "42")).toBe(false);
    for (const line of ["42", "42.", "x42", "4,2", "is 42, now"]) expect(holds(line, "42")).toBe(true);
  });

  it("is found in JSON that came as text, and in what is no table", () => {
    const text = made(null, '{"place": {"name": "Tokyo", "hours": 9}, "list": [1, {"deep": 1440}]}');
    expect([...found(answered("9 hours", ["9"]), "9 hours", 0, text).paths]).toEqual(["place.hours"]);
    expect([...found(answered("1,440", ["1,440", "1440"]), "1,440", 0, text).paths]).toEqual(["list"]);
  });

  it("is nothing where the value is gone", () => {
    expect(found(answered("5", ["5", "5.25"]), "5", 0, made(ORDERS))).toMatchObject({ places: [], elsewhere: [] });
  });
});

describe("what a tool returned", () => {
  it("is a table where it is a list of records of one shape, and only there", () => {
    const rows = [
      { a: 1, b: "x" },
      { a: 2, b: null },
    ];
    expect(tableOf(rows)?.names).toEqual(["a", "b"]);
    expect(tableOf({ total: 2, rows })).toMatchObject({ names: ["a", "b"], path: ["rows"] });
    for (const other of [
      [],
      [rows[0]],
      [{ a: 1 }, { b: 1 }],
      [{ a: {} }, { a: {} }],
      "text",
      3,
      null,
      [{ a: null }, { a: "" }],
    ]) {
      expect(tablesOf(other)).toEqual([]);
    }
  });

  it("is as many tables as it has lists of records, the chief one first", () => {
    const rows = [
      { a: 1, b: "x" },
      { a: 2, b: "y" },
    ];
    const result = made({ before: rows, rows, after: [{ c: 41 }, { c: 42 }], total: { home: { share: 7 } } });
    expect(tablesOf(result.data).map((table) => table.path)).toEqual([["rows"], ["before"], ["after"]]);
    expect(textLines(result)).toContain("total: home.share: 7");
    expect(textLines(result)).toContain("after:");
    const later = found(answered("42", ["42"]), "42", 0, result);
    expect([[...later.paths], later.rows.get("after"), later.rows.get("rows")]).toEqual([["after.1.c"], [1], []]);
  });

  it("begins its rows with their names and what is estimated of them, without columns of nothing", () => {
    const visits = { value: 9, low: 7, high: 11 };
    const rows = [
      { id: "a", name: "A", street: "x", closed_on: null, tags: [], visits },
      { id: "b", name: "B", street: "y", closed_on: null, tags: [], visits: { value: null, suppressed: true } },
    ];
    expect(tableOf(rows)?.names).toEqual(["name", "visits", "street", "id"]);
  });

  it("is a table where rows have estimates, lists, parts, or lack something", () => {
    const places = [
      {
        id: "a",
        lat: 1,
        tags: ["x", "y"],
        visits: { value: 9, low: 7, high: 11 },
        dwell: { mean: 5 },
        deep: [{ b: 1 }],
      },
      {
        id: "b",
        lat: 2,
        tags: [],
        visits: { value: null, suppressed: true },
        dwell: { mean: null },
        closed_on: "2026",
      },
      { id: "c", lat: 3, tags: [], visits: { value: 1 }, dwell: { mean: 2 } },
    ];
    const table = tableOf({ places, total: 3 });
    expect(table?.names).toEqual(["id", "lat", "tags", "visits", "dwell.mean", "closed_on"]);
    expect(tableOf({ places, map: {} })?.names).not.toContain("lat");
    expect(textLines(made({ places })).map((line) => line.split(/\s{2,}/))).toEqual([
      ["id", "lat", "tags", "visits", "dwell.mean", "closed_on"],
      ["a", "1", "x, y", "9 (7–11)", "5", "–"],
      ["b", "2", "too few", "–", "2026"],
      ["c", "3", "1", "2", "–"],
    ]);
    const mean = found(answered("5", ["5", "5"]), "5", 0, made({ places }));
    expect([...mean.paths]).toEqual(["places.0.dwell.mean"]);
    const totals = made({ places, totals: { visits: { value: 88, low: 80, high: 99 }, hidden: null } });
    expect(textLines(totals)[0]).toBe("totals: visits: 88 (80–99)");
    expect([...found(answered("88", ["88", "88"]), "88", 0, totals).paths]).toEqual(["totals.visits"]);
    const low = found(answered("7", ["7", "7"]), "7", 0, made({ places }));
    expect([[...low.paths], low.rows.get("places")]).toEqual([["places.0.visits"], [0]]);
  });

  it("has its totals first, small objects as key and value, and one that is only a name as that name", () => {
    expect(
      shapeOf(made(ORDERS)).groups.map(({ name, pairs }) => [name, ...pairs.map((one) => `${one.key}: ${one.text}`)]),
    ).toEqual([
      ["totals", "orders: 6", "ordered: 143,783.89", "late: 6", "by.open: 1"],
      [null, "title: Purchase orders"],
      [null, "period: all"],
      [null, "row_count: 6"],
    ]);
  });

  it("is text with its columns under one another", () => {
    const rows = [
      { sku: "A", on_hand: 5 },
      { sku: "BCD", on_hand: 1500 },
    ];
    expect(textLines(made({ title: "Stock", totals: { units: 3 }, rows }))).toEqual([
      "totals: units: 3",
      "title: Stock",
      "sku  on_hand",
      "A          5",
      "BCD    1,500",
    ]);
  });
});
