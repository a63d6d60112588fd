import { expect, it } from "vitest";
import type { AnyEvent } from "../api/events";
import { foldAll, newTurn } from "../turn/fold";
import recorded from "../turn/recorded.json";
import { terminal, written } from "./lines";

it("writes a turn as text, with everything that happened in its order", () => {
  const turn = foldAll(newTurn("t"), recorded as unknown as AnyEvent[]);
  const text = written(terminal(turn));
  const parts = [
    "> Go 🙂",
    "○ Think",
    '▶ 1a say(text="a")',
    "▶ 1b fail()",
    "✗ The warehouse is closed",
    "▶ 2 edit_file",
    "◆ 3 Answer",
    "Text with 🙂 and 42.",
    "-- completed",
  ];
  const places = parts.map((part) => text.indexOf(part));
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
