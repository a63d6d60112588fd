import { expect, test } from "vitest";
import { newestAfter, pathTo, versionsOf, type Line } from "./tree";

const line = (id: string, previous_turn_id: string): Line => ({
  id,
  previous_turn_id,
  question: id,
  status: "completed",
});

// First a, b, c; then b2 in place of b, d after it, and e after c.
const LINES = [line("a", ""), line("b", "a"), line("c", "b"), line("b2", "a"), line("d", "b2"), line("e", "c")];
const ids = (lines: readonly Line[]): string => lines.map((one) => one.id).join(" ");

test("a path has the turns that lead to one, without other versions", () => {
  expect(ids(pathTo(LINES, "d"))).toBe("a b2 d");
  expect(ids(pathTo(LINES, "e"))).toBe("a b c e");
  expect(ids(pathTo(LINES, "unknown"))).toBe("");
});

test("a version is shown with what came after it last", () => {
  expect(newestAfter(LINES, "b")).toBe("e");
  expect(newestAfter(LINES, "b2")).toBe("d");
  expect(newestAfter(LINES, "d")).toBe("d");
});

test("versions follow the same turn", () => {
  expect(versionsOf(LINES).get("a")).toEqual(["b", "b2"]);
  expect(versionsOf(LINES).get("b")).toEqual(["c"]);
});
