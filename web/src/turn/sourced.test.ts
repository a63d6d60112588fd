import { expect, it } from "vitest";
import type { Figure } from "../api/events";
import { newTurn, type Acted, type Row, type Turn } from "./fold";
import { tallied } from "./sourced";

const figure = (text: string, source: string | null, origin: Figure["origin"] = "call"): Figure => ({
  text,
  kind: "number",
  start: 0,
  end: 1,
  source,
  origin: source === null ? null : source === "question" ? "question" : origin,
  found: text,
  path: [],
});
const observed = { kind: "act", result: { success: true } } as Acted;
const turn = (question: string, figures: Figure[], rows: readonly Row[] = [observed]): Turn => ({
  ...newTurn("t", question),
  rows,
  evidence: { figures, sourced: 0 },
});
const told = (question: string, ...figures: Figure[]) => tallied(turn(question, figures));

it("counts as sourced what was found, and apart from it what the person said", () => {
  expect(told("Q")).toBeNull();
  expect(told("Q", figure("6", "c1"), figure("7", "c1"))).toEqual({ all: true, words: "all 2 figures sourced" });
  expect(told("Q", figure("6", "c1"), figure("7", null))).toEqual({ all: false, words: "1 of 2 figures sourced" });
  expect(told("What is 18% of 2,450?", figure("18%", "c1"), figure("2,450", "c1"), figure("441", "c1"))).toEqual({
    all: true,
    words: "1 figure sourced, 2 from the question",
  });
  expect(told("Is 7 a prime?", figure("7", "question"))).toEqual({ all: true, words: "1 figure from the question" });
  const apart = [figure("45", "earlier_words", "earlier_words"), figure("V-1", "c1", "asked")];
  expect(told("Q", ...apart)).toEqual({ all: true, words: "1 figure you said, 1 only asked for" });
  expect(told("Q", figure("8", "call_1", "earlier_call"), ...apart)?.words).toBe(
    "1 figure sourced, 1 you said, 1 only asked for",
  );
});

it("says nothing of what is missing in a turn whose tools told nothing", () => {
  const failed = { kind: "act", result: { success: false } } as Acted;
  for (const rows of [[], [failed]]) {
    expect(tallied(turn("Q", [figure("59", null)], rows))).toBeNull();
    expect(tallied(turn("Q", [figure("59", null), figure("8", "call_1", "earlier_call")], rows))).toEqual({
      all: true,
      words: "1 figure sourced",
    });
  }
});
