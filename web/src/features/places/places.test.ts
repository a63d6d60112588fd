import { describe, expect, it } from "vitest";
import { drop } from "./drop";
import { sumsOf } from "./Report";

describe("places", () => {
  it("takes files of places and leaves others to the question", () => {
    const takes = (name: string): boolean => drop.takes(new File([], name));
    expect(
      ["sf.geojson", "part-1.PARQUET", "core_poi-part1.csv", "weekly-patterns.csv", "Visits 2026.tsv"].map(takes),
    ).toEqual(Array.from({ length: 5 }, () => true));
    expect(["budget.csv", "notes.txt", "places.docx", "WoWCombatLog.txt"].map(takes)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("accounts for every row", () => {
    const report = {
      file: "a.csv",
      layout: "daily visits",
      read: 1_200,
      taken: 1_000,
      skipped: 150,
      duplicates: 50,
      updated: 0,
      reasons: {},
      problems: [],
      unknown_columns: {},
      notes: [],
      same: false,
    };
    expect(sumsOf(report)).toBe("daily visits · 1,200 rows: 1,000 imported, 150 skipped, 50 duplicates");
    expect(sumsOf({ ...report, updated: 3 })).toContain("1,000 imported (3 of them updated)");
  });
});
