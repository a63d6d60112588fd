import type { Root } from "hast";
import { expect, it } from "vitest";
import { Colouring } from "./colouring";

function stage(cost = 0) {
  const done: string[] = [];
  let now = 1_000;
  const by = {
    registered: (language: string) => language === "py",
    highlight: (_language: string, text: string): Root => {
      done.push(text);
      now += cost;
      return { type: "root", children: [{ type: "text", value: text }] };
    },
  };
  const made = new Colouring();
  return {
    done,
    pass: (ms: number) => (now += ms),
    of: (text: string, language = "py") => made.of(text, language, by, () => now),
  };
}

it("keeps the colours of what it has while code grows, and does not colour each letter", () => {
  const { of, done, pass } = stage();
  expect(of("a")).toMatchObject({ rest: "", wait: null });
  expect(of("ab")).toMatchObject({ rest: "b", wait: 100 });
  expect(of("abc")).toMatchObject({ rest: "bc" });
  pass(100);
  expect(of("abcd")).toMatchObject({ rest: "", wait: null });
  expect(done).toEqual(["a", "abcd"]);
});

it("spends a tenth of the time at most", () => {
  const { of, pass, done } = stage(50);
  of("a");
  pass(400);
  expect(of("ab").rest).toBe("b");
  pass(100);
  expect(of("ab").rest).toBe("");
  expect(done).toHaveLength(2);
});

it("begins anew with other code, and leaves what it does not know", () => {
  const { of, done } = stage();
  of("a");
  expect(of("b").rest).toBe("");
  expect(done).toEqual(["a", "b"]);
  expect(of("x", "nope")).toEqual({ tree: null, rest: "x", wait: null });
  expect(of("x".repeat(50_001)).tree).toBeNull();
});
