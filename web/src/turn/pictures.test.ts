import { describe, expect, it } from "vitest";
import { picturesOf } from "./pictures";
import type { Turn } from "./model";

const phases = { label: "Phases", spans: [{ from: 0, to: 5, label: "Phase 1", kind: "phase" }] };
const casts = { label: "Fireball", spans: [{ from: 1, to: 2, kind: "cast" }] };
const timeline = (...rows: object[]): object => ({ timeline: { title: "One", length_s: 10, rows, marks: [] } });
const chart = (title: string): object => ({ chart: { title } });

function turnOf(calls: readonly object[], sources: readonly string[] = []): Turn {
  const rows = calls.map((data, place) => ({
    kind: "act",
    key: `${place}`,
    call: { id: `call-${place}` },
    result: { data },
  }));
  return { rows, evidence: { figures: sources.map((source) => ({ source })) } } as unknown as Turn;
}

const isDrawn = (data: unknown): boolean => {
  const { chart: one, timeline: other } = (data ?? {}) as { chart?: unknown; timeline?: unknown };
  return Boolean(one ?? other);
};
const keys = (turn: Turn): readonly string[] => picturesOf(turn, isDrawn).map((picture) => picture.key);

describe("pictures under an answer", () => {
  it("are those that the figures come from and the newest, in the order of the calls", () => {
    const calls = ["a", "b", "c", "d", "e", "f"].map(chart);
    expect(keys(turnOf(calls, ["call-1", "call-0", "call-1"]))).toEqual(["0", "1", "4", "5"]);
    expect(keys(turnOf(calls))).toEqual(["2", "3", "4", "5"]);
  });

  it("are four at most, of the calls that are cited most", () => {
    const cited = ["call-0", ...[1, 2, 3, 4].flatMap((place) => [`call-${place}`, `call-${place}`])];
    expect(keys(turnOf(["a", "b", "c", "d", "e"].map(chart), cited))).toEqual(["1", "2", "3", "4"]);
  });

  it("are never the same twice", () => {
    expect(keys(turnOf([timeline(phases), timeline(phases)]))).toEqual(["0"]);
    expect(keys(turnOf([timeline(phases), timeline(phases, casts)]))).toEqual(["1"]);
    expect(keys(turnOf([chart("a"), chart("a"), chart("b")]))).toEqual(["0", "2"]);
    expect(keys(turnOf([timeline(phases), { timeline: { title: "Two", length_s: 11, rows: [phases] } }]))).toEqual([
      "0",
      "1",
    ]);
  });

  it("keep what is new beside what was there", () => {
    const [, second] = picturesOf(turnOf([timeline(phases), { ...timeline(phases), ...chart("a") }]), isDrawn);
    expect(second?.data).toMatchObject(chart("a"));
    expect(second?.data).not.toHaveProperty("timeline");
  });
});
