import { describe, expect, it } from "vitest";
import { soon, timesAsSent, type Times } from "./times";

const FORM: Times = { rhythm: "once", at: "2026-11-17T09:00", time: "07:05", day: 3, date: 31, cron: " 2h " };

describe("times of schedules", () => {
  it("are sent as the server takes them", () => {
    const sent = (rhythm: Times["rhythm"]) => timesAsSent({ ...FORM, rhythm });
    expect(sent("once")).toEqual({ at: "2026-11-17T09:00" });
    expect(sent("weekdays")).toEqual({ every: "5 7 * * 1-5" });
    expect(sent("weekly")).toEqual({ every: "5 7 * * 3" });
    expect(sent("monthly")).toEqual({ every: "5 7 L * *" });
    expect(sent("cron")).toEqual({ every: "2h" });
  });

  it("are told in plain words", () => {
    const now = new Date(2026, 10, 16, 12, 0);
    const told = (day: number, hour: number, minute = 0) =>
      soon(new Date(2026, 10, day, hour, minute).getTime() / 1000, now);
    expect(told(16, 11)).toBe("any moment now");
    expect(told(16, 12, 1)).toBe("in 1 minute");
    expect(told(16, 18)).toBe("today at 18:00");
    expect(told(17, 9)).toBe("tomorrow at 09:00");
    expect(told(20, 9)).toBe("Friday at 09:00");
    expect(told(30, 9)).toBe("30 November at 09:00");
    expect(told(60, 9)).toBe("30 December at 09:00");
    expect(told(100, 9)).toBe("8 February 2027 at 09:00");
  });
});
