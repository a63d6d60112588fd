import { expect, it } from "vitest";
import { shadesOf } from "./shades";

it("shades between round figures, from nothing where that is near", () => {
  const shades = shadesOf([3, 12, 47]);
  expect(shades?.edges).toEqual([0, 10, 20, 30, 40, 50]);
  expect([0, 9.9, 10, 47, 50].map((value) => shades?.classOf(value))).toEqual([0, 0, 1, 4, 4]);
  expect(shadesOf([980, 1000])?.edges[0]).toBe(980);
});

it("has one shade where all are alike, the lightest for zeros, and none for nothing", () => {
  expect(shadesOf([5, 5])?.classOf(5)).toBe(4);
  expect(shadesOf([0, 0])?.classOf(0)).toBe(0);
  expect(shadesOf([])).toBeNull();
});

it("goes below nothing", () => {
  const shades = shadesOf([-8, 7.5]);
  expect(shades?.edges.at(0)).toBeLessThanOrEqual(-8);
  expect(shades?.edges.at(-1)).toBeGreaterThanOrEqual(7.5);
  expect([shades?.classOf(-8), shades?.classOf(7.5)]).toEqual([0, 4]);
});
