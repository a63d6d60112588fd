import { expect, test } from "vitest";
import { wordAt, without } from "./chosen";

test("the word after # at the cursor is found, and nothing else", () => {
  expect(wordAt("#hand", 5)).toEqual({ word: "hand", from: 0 });
  expect(wordAt("How long #", 10)).toEqual({ word: "", from: 9 });
  expect(wordAt("Ask #Hand now", 9)).toEqual({ word: "hand", from: 4 });
  expect(wordAt("#制度", 3)).toEqual({ word: "制度", from: 0 });
  for (const text of ["issue#5", "# Title", "#hand book", "C#"]) expect(wordAt(text, text.length)).toBe(null);
});

test("what was written to choose a collection is taken out", () => {
  expect(without("Ask #hand now", 4, 9)).toBe("Ask now");
  expect(without("#hand", 0, 5)).toBe("");
});
