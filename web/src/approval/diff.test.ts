import { expect, it } from "vitest";
import { counted, isDiff, paired, readDiff } from "./diff";

const DIFF = `--- a/totals.py
+++ b/totals.py
@@ -41,4 +41,3 @@
 def total():
-    a
-    b
+    c
     return d
--- no header here
`;

it("numbers the lines of both sides", () => {
  const lines = readDiff(DIFF);
  expect(lines.map(({ kind, before, after }) => `${kind} ${before} ${after}`)).toEqual([
    "file null null",
    "file null null",
    "place null null",
    "same 41 41",
    "removed 42 null",
    "removed 43 null",
    "added null 42",
    "same 44 43",
    "removed 45 null",
  ]);
  expect(lines.at(-1)?.text).toBe("-- no header here");
  expect(counted(lines)).toEqual({ added: 1, removed: 3 });
});

it("puts what was removed beside what came in its place", () => {
  const pairs = paired(readDiff(DIFF)).slice(4, 6);
  expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ["    a", "    c"],
    ["    b", undefined],
  ]);
});

it("takes only what is a diff for one", () => {
  expect(isDiff(DIFF)).toBe(true);
  expect(isDiff("- a\n+ b")).toBe(false);
});
