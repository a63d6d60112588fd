import { expect, it } from "vitest";
import type { TurnFinished } from "../api/events";
import { newTurn, type Turn } from "../turn/fold";
import { rowsOf, withoutSteps } from "./attempts";
import { terminal, written } from "./lines";

const TOTALS = { type: "turn_finished", iterations: 0, tool_calls: 0, seconds: 1, error: null, attempts: [] };
const ended = (status: TurnFinished["status"], more: Partial<TurnFinished> = {}): Turn => ({
  ...newTurn("t", "Q"),
  totals: { ...TOTALS, status, ...more } as TurnFinished,
});

it("shows each attempt of a model call that was given up, the last one too", () => {
  const turn = ended("failed", { error: "HTTP 500 (4)", attempts: ["HTTP 500 (1)", "HTTP 500 (2)", "HTTP 500 (3)"] });
  expect(rowsOf(turn).map((row) => row.title)).toEqual([1, 2, 3, 4].map((number) => `Attempt ${number} failed`));
  expect(rowsOf(turn).at(-1)).toMatchObject({ kind: "trouble", text: "HTTP 500 (4)" });
  expect(withoutSteps(turn)).toBe("");
  expect(written(terminal(turn, false)).match(/HTTP 500 \(4\)/g)).toHaveLength(1);
});

it("says of a turn without a step what became of it", () => {
  expect(withoutSteps(ended("completed"))).toBe("Answered directly, without using tools.");
  expect(withoutSteps({ ...ended("completed"), command: true })).toContain("command");
  expect(withoutSteps(ended("failed", { error: "No key." }))).toBe("Failed before the first step.");
  expect(withoutSteps(ended("cancelled"))).toBe("Stopped before the first step.");
  expect(withoutSteps(newTurn("t"))).toBe("");
});
