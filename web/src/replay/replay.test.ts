import { describe, expect, it } from "vitest";
import type { AnyEvent } from "../api/events";
import { foldAll, newTurn, type Row } from "../turn/fold";
import recorded from "../turn/recorded.json";
import { differences } from "./differ";
import { stopsOf } from "./stops";

const EVENTS = recorded as unknown as AnyEvent[];
const TURN = foldAll(newTurn("t"), EVENTS);

describe("a replay", () => {
  it("stops where something can be seen, and says so in steps", () => {
    const labels = stopsOf(EVENTS, TURN).map((one) => one.label);
    expect(labels[0]).toBe("the question");
    expect(labels.at(-1)).toBe("the end");
    for (const label of ["step 1 of 3: say called", "step 1 of 3: fail failed", "edit_file approved"])
      expect(labels).toContain(label);
    expect(labels.join()).not.toMatch(/_(?:recorded|called|returned|given)/);
  });
});

describe("two turns side by side", () => {
  const changed = (change: (row: Row) => Row) => ({ ...TURN, rows: TURN.rows.map(change) });

  it("differ in nothing when they are the same", () => {
    expect(differences(TURN, TURN)).toEqual([]);
  });

  it("tell what was asked, called and found otherwise, and the figures that came of it", () => {
    const figures = [
      { text: "43", kind: "number" as const, start: 0, end: 2, source: null, origin: null, found: null, path: [] },
    ];
    const other = {
      ...changed((row) =>
        row.kind === "act" && row.title === "say" ? { ...row, call: { ...row.call, args: {} } } : row,
      ),
      question: "Go on",
      evidence: { figures, sourced: 0 },
    };
    const told = differences(TURN, other);
    expect(told.map((one) => one.what)).toEqual(["Question", "Step 1a, called", "Figures"]);
    expect(told[0]).toEqual({ what: "Question", was: "Go 🙂", now: "Go on" });
    expect(told[1]?.now).toBe("say()");
    expect(told[2]?.now).toBe("43");
  });

  it("tell a call that the other never made", () => {
    const other = { ...TURN, rows: TURN.rows.filter((row) => row.title !== "edit_file") };
    expect(differences(TURN, other)).toMatchObject([{ what: "Step 2, called", now: "nothing" }]);
  });
});
