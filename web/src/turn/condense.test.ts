import { expect, it } from "vitest";
import { condense } from "./condense";
import type { Segment } from "./fold";

it("keeps the whole time, trouble and the answer of a very long turn", () => {
  const long: Segment[] = Array.from({ length: 1000 }, (_, n) => ({
    kind: n === 999 ? "answer" : n === 500 ? "trouble" : n % 2 ? "act" : "think",
    seconds: n % 2 ? 1 : 2,
    row: `row-${n}`,
  }));
  const short = condense(long, 60);
  expect(short.length).toBeLessThanOrEqual(60);
  expect(short.reduce((sum, one) => sum + one.seconds, 0)).toBe(1500);
  expect(new Set(short.map((one) => one.kind))).toEqual(new Set(["think", "trouble", "answer"]));
  expect(short.at(-1)?.row).toBe("row-999");
  expect(short.find((one) => one.kind === "trouble")?.row).toBe("row-500");
  expect(condense(long.slice(0, 5), 60)).toHaveLength(5);
});
