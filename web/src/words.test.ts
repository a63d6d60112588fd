import { expect, it } from "vitest";
import { askLink, parse } from "./route";
import { dayOf, department, duration, exact, money, routeReason, toUnits } from "./turn/words";

it("tells times as one reads them", () => {
  expect([0.0001, 0.018, 0.9996, 3.14, 59.96, 125].map(duration)).toEqual([
    "<1 ms",
    "18 ms",
    "1.0 s",
    "3.1 s",
    "1 min 0 s",
    "2 min 5 s",
  ]);
});

it("never takes an unknown cost for none", () => {
  expect(money(null, 2)).toBe("cost unknown (2 calls)");
  expect(money(0, 0)).toBe("$0.00");
  expect(money(0.0123, 1)).toBe("$0.0123 plus 1 call of unknown cost");
});

it("counts characters as the server does", () => {
  expect(toUnits("a🙂b", 2)).toBe(3);
});

it("writes out what one could not see", () => {
  expect(exact("a\u202eb\u200bc\n")).toBe("a\\u{202e}b\\u{200b}c\n");
});

it("groups conversations by day", () => {
  const now = new Date("2026-11-15T12:00:00");
  expect(
    ["2026-11-15T00:00:01", "2026-11-14T23:00:00", "2026-11-10T10:00:00", "2026-10-01T10:00:00"].map((at) =>
      dayOf(at, now),
    ),
  ).toEqual(["Today", "Yesterday", "This week", "Earlier"]);
});

it("reads addresses", () => {
  expect(parse("#/s/abc-1")).toEqual({ view: "chat", session: "abc-1" });
  expect(parse("")).toEqual({ view: "chat", session: null });
  expect(parse("#/t/a/b")).toEqual({ view: "replay", turn: "a", other: "b" });
  expect(parse("#/sessions/x")).toEqual({ view: "list", session: "x" });
  expect(parse("#question")).toEqual({ view: "chat", session: null });
  expect(parse("#/s/a%2Fb")).toEqual({ view: "chat", session: "a/b" });
  expect(parse("#/evals")).toEqual({ view: "evals", run: null, other: null });
  expect(parse(askLink("raids", "What went wrong in 3/4?"))).toEqual({
    view: "chat",
    session: null,
    draft: { assistant: "raids", question: "What went wrong in 3/4?" },
  });
  expect(parse("#/raids/abc/3/%C3%89lan")).toEqual({ view: "feature", name: "raids", path: ["abc", "3", "Élan"] });
});

it("knows a turn of a conversation by its address", () => {
  expect(parse("#/s/a/b")).toEqual({ view: "chat", session: "a", turn: "b" });
});

it("knows addresses that lead nowhere, also those that cannot be read", () => {
  for (const wrong of [
    "#/nosuch",
    "#/s",
    "#/s/",
    "#/s/a/b/c",
    "#/t/a/b/c",
    "#/settings/x",
    "#/s/%zz",
    "#//x",
    "#/ask/raids",
    "#/raids//x",
  ])
    expect(parse(wrong), wrong).toEqual({ view: "nowhere" });
});

it("tells the words of a question from those that stand for them", () => {
  const told = (words: string, question: string) => routeReason(`By words: ${words}.`, question);
  expect(told("purchase order, purchasing, orders, delivery", "Purchase orders late? Deliveries?")).toBe(
    "The question mentions: purchase orders, deliveries.",
  );
  expect(told("mold, cavity", "M-001 的模具 mold")).toBe(
    "The question mentions: mold. Close to it, or mentioned before: cavity.",
  );
  expect(told("采购订单", "哪些采购订单晚了?")).toBe("The question mentions: 采购订单.");
  expect(told("INV-, C++", "INV-2041?")).toBe(
    "The question mentions: inv-2041. Close to it, or mentioned before: C++.",
  );
  expect([department("it_ops_agent"), department("erp_agent"), department("general")]).toEqual([
    "IT ops",
    "ERP",
    "General",
  ]);
  expect(routeReason("Stock question.", "?")).toBe("Stock question.");
});
