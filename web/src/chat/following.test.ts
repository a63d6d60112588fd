import { describe, expect, it } from "vitest";
import { afterScroll, hasMore, target, type View } from "./following";

const view = (top: number, end: number, start = 500): View => ({ top, end, start });

describe("following", () => {
  it("keeps the newest question at the top, and the end until it is there", () => {
    expect(target("start", view(0, 300))).toBe(300);
    expect(target("start", view(300, 2000))).toBe(500);
    expect(target("end", view(300, 2000))).toBe(2000);
    expect(target("free", view(300, 2000))).toBeNull();
  });

  it("stays at the end for whoever scrolls there, however it grows", () => {
    expect(afterScroll("start", view(1990, 2000), 500)).toBe("end");
    expect(afterScroll("free", view(1950, 2000), 1700)).toBe("end");
    // Grown before the event of our own scrolling came.
    expect(afterScroll("end", view(2000, 2600), 2000)).toBe("end");
  });

  it("lets go as soon as one scrolls up", () => {
    expect(afterScroll("end", view(1960, 2000), 2000)).toBe("free");
    expect(afterScroll("start", view(300, 2000), 500)).toBe("free");
  });

  it("does not let go because what is shown became shorter", () => {
    expect(afterScroll("end", view(1500, 1500), 2000)).toBe("end");
    expect(afterScroll("start", view(400, 400), 500)).toBe("start");
  });

  it("is left alone between the beginning and the end", () => {
    expect(afterScroll("start", view(900, 2000), 500)).toBe("free");
    expect(afterScroll("free", view(1000, 2000), 900)).toBe("free");
    expect(afterScroll("free", view(500, 2000), 900)).toBe("start");
  });

  it("tells of what is below", () => {
    expect(hasMore(view(500, 2000))).toBe(true);
    expect(hasMore(view(1950, 2000))).toBe(false);
  });
});
