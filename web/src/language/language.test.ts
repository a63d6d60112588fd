import { expect, it } from "vitest";
import { t } from "./t";
import zh from "./zh.json";

const sources = import.meta.glob<string>(["../**/*.ts", "../**/*.tsx", "!../**/*.test.*"], {
  query: "?raw",
  import: "default",
  eager: true,
});

// What is said: t("…"), and things that are counted.
const SAID = /\bt\(\s*("(?:[^"\\]|\\.)*")/g;
const COUNTED = /\bcount\((?:[^()"]|\([^()]*\))*?,\s*("(?:[^"\\]|\\.)*")/g;

function texts(): Set<string> {
  const found = new Set<string>();
  for (const source of Object.values(sources)) {
    for (const [, text = ""] of source.matchAll(SAID)) found.add(JSON.parse(text) as string);
    for (const [, noun = ""] of source.matchAll(COUNTED)) found.add(`{0} ${JSON.parse(noun) as string}`);
  }
  return found;
}

const places = (text: string): string => [...text.matchAll(/\{\d\}/g)].map(String).sort().join("");

it("has every text of the page in Chinese, and no other", () => {
  const known = new Set(Object.keys(zh));
  const said = texts();
  expect(said.size).toBeGreaterThan(1_000);
  expect([...said].filter((text) => !known.has(text))).toEqual([]);
  expect([...known].filter((text) => !said.has(text))).toEqual([]);
});

it("keeps the values of each text", () => {
  const lost = Object.entries<string>(zh).filter(([text, translated]) => places(text) !== places(translated));
  expect(lost).toEqual([]);
});

it("puts values where they belong, whatever they say", () => {
  expect(t("{0} of {1}", "{1}", 2)).toBe("{1} of 2");
});
