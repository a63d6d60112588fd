import { describe, expect, it } from "vitest";
import type { AnyEvent, PlanStep, ToolResult } from "../api/events";
import { childSummary } from "./children";
import { callRow, fold, foldAll, kindNow, newTurn, openQuestion, type Turn } from "./fold";
import { timeLeft } from "./Meta";
import { sourceOf } from "./origin";
import { ticked } from "./plan";
import recorded from "./recorded.json";

const EVENTS = recorded as unknown as AnyEvent[];
const WHOLE = foldAll(newTurn("t"), EVENTS);

type Loose = { type: AnyEvent["type"] } & Record<string, unknown>;
const made = (...events: Loose[]): AnyEvent[] =>
  events.map((event, place) => ({ turn_id: "t", seq: place + 1, at: 100 + place, ...event }) as unknown as AnyEvent);
const reply = (step: number, more: Record<string, unknown>): Loose => ({
  type: "model_responded",
  purpose: "decide",
  step,
  latency_ms: 2000,
  attempts: 1,
  usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 0, cost: 0.01 },
  decision: { thought: "", calls: [], answer: null, complaint: null, unreadable: false },
  ...more,
});
const result = (more: Partial<ToolResult>): ToolResult => ({
  success: true,
  shown_chars: null,
  output: "",
  error: null,
  data: null,
  metadata: {},
  requires_confirmation: false,
  cause: "ran",
  sourced: null,
  effect_unknown: false,
  is_answer: false,
  labels: null,
  cached: false,
  duration_ms: 18,
  ...more,
});

describe("a sub-agent's turn", () => {
  const ask = { id: "c1", tool: "research", args: { task: "Bern?" } };
  const write = { id: "1-c1", tool: "write", args: {} };
  const asks = (calls: unknown[]) => ({ thought: "", calls, answer: null, complaint: null, unreadable: false });
  const below = made(
    { type: "turn_started", question: "Bern?", assistant: "research", session_id: "s", model: "m", forked_from: null },
    reply(1, { decision: asks([write]) }),
    { type: "thought_recorded", step: 1, text: "Use write.", implied: true },
    {
      type: "approval_requested",
      step: 1,
      call: write,
      preview: null,
      digest: "d",
      reason: "approval",
      doubt: "",
      why: null,
    },
  );
  const turn = foldAll(
    newTurn("t"),
    made(
      reply(1, { decision: asks([ask]) }),
      { type: "thought_recorded", step: 1, text: "Use research.", implied: true },
      { type: "tool_called", step: 1, call: ask, effect: "read" },
      ...below.map((event): Loose => ({ type: "child_recorded", call_id: "c1", event })),
    ),
  );

  it("stands in the row of the call that it answers, and what it asks among what is asked", () => {
    const row = callRow(turn, "c1");
    expect(row?.child?.rows.map((one) => one.title)).toEqual(["write"]);
    expect(turn.approvals.map((one) => one.request.call.id)).toEqual(["1-c1"]);
    expect(callRow(turn, "1-c1")?.key).toBe(row?.key);
    expect(row?.child && childSummary(row.child)).toBe("research · running · 1 step");
  });
});

describe("a turn from its events", () => {
  it("has the steps, the calls and the answer that happened", () => {
    expect(WHOLE.rows.map((row) => `${row.number} ${row.title}`)).toEqual([
      "null Think",
      "1a say",
      "1b fail",
      "null Think",
      "2 edit_file",
      "3 Answer",
    ]);
    expect(WHOLE.status).toBe("completed");
    expect(WHOLE.answer?.text).toBe("Text with 🙂 and 42.");
    expect(WHOLE.segments.map((one) => one.kind)).toEqual(["think", "trouble", "think", "wait", "act", "answer"]);
    expect(WHOLE.approvals.map((one) => one.decision?.approved)).toEqual([true]);
    expect(WHOLE.draft).toBeNull();
  });

  it("numbers its steps as its events do, and as many as it says", () => {
    for (const row of WHOLE.rows) if (row.number !== null) expect(parseInt(row.number)).toBe(row.step);
    const answer = WHOLE.rows.findLast((row) => row.kind === "answer");
    expect(answer?.number).toBe(String(WHOLE.totals?.iterations));
    expect(WHOLE.steps).toBe(WHOLE.totals?.iterations);
  });

  it("counts a reply that could not be read as the step that it was", () => {
    const unread = reply(1, {
      decision: { thought: "", calls: [], answer: null, complaint: "No JSON", unreadable: true },
    });
    const turn = foldAll(
      newTurn("t"),
      made(unread, reply(2, {}), { type: "answer_given", text: "Yes", partial: false, reason: "answered", block: 1 }),
    );
    expect(turn.rows.map((row) => `${row.number} ${row.title}`)).toEqual(["1 Unreadable", "2 Answer"]);
  });

  it("says of a decision that was sent back what the model was told", () => {
    const refused = { reason: "figure", parameter: "tonnes", tool: "" };
    const decision = { thought: "", calls: [], answer: null, complaint: "Nobody gave 10 as `tonnes`.", refused };
    const turn = foldAll(newTurn("t"), made(reply(1, { decision }), reply(2, {})));
    expect(turn.rows[0]).toMatchObject({ title: "Sent back", text: "Nobody gave 10 as `tonnes`." });
  });

  it("leaves a command without a number: it is no step", () => {
    const turn = foldAll(
      newTurn("t"),
      made({ type: "tool_called", step: 0, call: { id: "c", tool: "look", args: {} }, effect: "read" }),
    );
    expect(turn.rows.map((row) => row.number)).toEqual([null]);
  });

  it("is the same however its stream was cut and sent again", () => {
    for (let cut = 0; cut <= EVENTS.length; cut += 1) {
      const again = [...EVENTS.slice(0, cut), ...EVENTS.slice(Math.max(0, cut - 5))];
      expect(foldAll(newTurn("t"), again)).toEqual(WHOLE);
    }
  });

  it("leaves the turn it is given as it was", () => {
    const freeze = <T>(value: T): T => {
      if (value && typeof value === "object" && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(freeze);
      }
      return value;
    };
    EVENTS.reduce((turn: Turn, event) => fold(freeze(turn), event), newTurn("t"));
  });

  it("skips kinds that it does not know", () => {
    const odd = { type: "moon_rose", turn_id: "t", seq: 1, at: 0 } as unknown as AnyEvent;
    expect(foldAll(newTurn("t"), [odd]).rows).toEqual([]);
  });

  it("says what is being done, and waits when a person has to decide", () => {
    const paused = EVENTS.findIndex((event) => event.type === "turn_paused");
    expect(kindNow(foldAll(newTurn("t"), EVENTS.slice(0, paused + 1)))).toBe("wait");
    const called = EVENTS.findIndex((event) => event.type === "tool_called");
    expect(kindNow(foldAll(newTurn("t"), EVENTS.slice(0, called + 1)))).toBe("act");
  });

  it("drops a draft that was taken back", () => {
    const delta = { type: "text_delta" as const, offset: 0, text: "No", draft: true, seq: 0 };
    const turn = foldAll(newTurn("t"), made({ ...delta, block: 1 }, { ...delta, block: 2, text: "Yes" }));
    expect(turn.draft?.text).toBe("Yes");
  });

  it("marks what is missing of a draft instead of guessing", () => {
    const delta = { type: "text_delta" as const, block: 1, draft: true, seq: 0 };
    const turn = foldAll(newTurn("t"), made({ ...delta, offset: 0, text: "a🙂" }, { ...delta, offset: 5, text: "z" }));
    expect(turn.draft?.text).toBe("a🙂…z");
  });
});

describe("guardrails", () => {
  const guarded = (stage: string, action: string, more: Record<string, unknown> = {}): Loose => ({
    type: "guardrail_triggered",
    stage,
    name: "no_pins",
    action,
    reason: "Private.",
    call_id: "",
    value: null,
    failed: false,
    ...more,
  });

  it("are told with their names, and a reply they withheld is not called unreadable", () => {
    const withheld = { thought: "", calls: [], answer: null, complaint: "Again.", unreadable: false, withheld: true };
    const turn = foldAll(
      newTurn("t"),
      made(
        guarded("input", "rewrite"),
        reply(1, { decision: withheld }),
        guarded("output", "stop"),
        guarded("call", "stop", { call_id: "c1" }),
        guarded("input", "stop", { failed: true, reason: "The guardrail failed." }),
      ),
    );
    expect(turn.rows.map((row) => `${row.kind} ${row.title}: ${"text" in row ? row.text : ""}`)).toEqual([
      "note Guardrail no_pins: Changed the question: Private.",
      "trouble Guardrail no_pins: Withheld the answer: Private.",
      "trouble Guardrail no_pins: The guardrail failed.",
    ]);
    expect(turn.stoppedBy).toBe("no_pins");
  });
});

describe("what a turn is asked", () => {
  const step = (number: number, tool: string): PlanStep => ({
    step_number: number,
    description: tool,
    tool_name: tool,
    parameters: {},
    required: true,
    depends_on: null,
  });
  const call = (id: string, tool: string) => ({ id, tool, args: {} });
  const calls = [call("c1", "look"), call("c2", "look"), call("c3", "write")];
  const decision = { thought: "", calls, answer: null, complaint: null, unreadable: false };
  const begun = made(
    {
      type: "plan_made",
      done: [],
      plan: {
        query: "q",
        complexity: "medium",
        estimated_iterations: 1,
        steps: [step(1, "look"), step(2, "look"), step(3, "write"), step(4, "tell")],
      },
    },
    reply(1, { decision, attempts: 3 }),
    { type: "thought_recorded", step: 1, text: "Why not", implied: false },
    ...calls.map((one): Loose => ({ type: "tool_called", step: 1, call: one, effect: "read" })),
    { type: "tool_returned", step: 1, call_id: "c1", result: result({ cached: true }) },
    { type: "tool_returned", step: 1, call_id: "c3", result: result({ success: false, error: "no" }) },
  );
  const turn = foldAll(newTurn("t"), begun);

  it("ticks the steps of its plan off, each by a use of its own", () => {
    const plan = turn.rows.find((row) => row.kind === "plan");
    expect(plan?.kind === "plan" && ticked(turn, plan).map((one) => one.state)).toEqual([
      "done",
      "running",
      "failed",
      "pending",
    ]);
  });

  it("counts what the model calls done, and shows a plan that it wrote as the plan alone", () => {
    const written = foldAll(
      newTurn("t"),
      made(
        reply(1, { decision: { ...decision, calls: [call("p1", "update_plan"), call("c1", "look")] } }),
        { type: "thought_recorded", step: 1, text: "Why not", implied: false },
        {
          type: "plan_made",
          done: [2],
          plan: {
            query: "q",
            complexity: "medium",
            estimated_iterations: 3,
            steps: [step(1, "look"), step(2, "answer")],
          },
        },
        { type: "tool_returned", step: 1, call_id: "p1", result: result({ cause: "planned" }) },
      ),
    );
    const plan = written.rows.find((row) => row.kind === "plan");
    expect(plan?.kind === "plan" && ticked(written, plan).map((one) => one.state)).toEqual(["running", "done"]);
    expect(written.rows.filter((row) => row.kind === "act").map((row) => row.title)).toEqual(["look"]);
  });

  it("tells the tokens, the cost and the attempts of a step", () => {
    const thought = turn.rows.find((row) => row.kind === "think");
    expect(thought).toMatchObject({ seconds: 2, attempts: 3, usage: { input_tokens: 10, cost: 0.01 } });
  });

  it("knows from which step a figure came", () => {
    const figure = { text: "1", kind: "number" as const, start: 0, end: 1, found: "1", path: [] };
    expect(sourceOf(turn, { ...figure, source: "c3", origin: "call" })).toBe("1c");
    expect(sourceOf(turn, { ...figure, source: "c3", origin: "computed" })).toBe("1c");
    expect(sourceOf(turn, { ...figure, source: "question", origin: "question" })).toBe("question");
    expect(sourceOf(turn, { ...figure, source: "gone", origin: "call" })).toBeNull();
  });

  it("does not take a call of an earlier turn for one of this turn that has its name", () => {
    const figure = { text: "1", kind: "number" as const, start: 0, end: 1, found: "1", path: [] };
    expect(sourceOf(turn, { ...figure, source: "c3", origin: "earlier_call" })).toBe("earlier_call");
  });

  it("takes two thousand events in no time that one would notice", () => {
    const many = Array.from({ length: 500 }, (_, n): Loose[] => [
      reply(n, { decision: { ...decision, calls: [call(`c${n}`, "look")] } }),
      { type: "thought_recorded", step: n, text: "On", implied: false },
      { type: "tool_called", step: n, call: call(`c${n}`, "look"), effect: "read" },
      { type: "tool_returned", step: n, call_id: `c${n}`, result: result({}) },
    ]).flat();
    expect(foldAll(newTurn("t"), made(...many)).rows).toHaveLength(1000);
  });
});

describe("a model that reads slowly", () => {
  const read = (at: number, share: number): AnyEvent =>
    ({ type: "prompt_progressed", turn_id: "t", seq: 0, at, read: share, total: 1000 }) as unknown as AnyEvent;

  it("tells how long it will take once it has read for a while", () => {
    const begun = foldAll(newTurn("t"), [read(100, 0), read(105, 50)]);
    expect(begun.remark).toBe("reading the question, 5 %");
    expect(timeLeft(begun.reading)).toBe("");
    const later = foldAll(begun, [read(120, 250)]);
    expect(timeLeft(later.reading)).toBe("about 60 s left");
    expect(timeLeft(foldAll(begun, [read(200, 250)]).reading)).toBe("about 5 min left");
    expect(timeLeft(foldAll(begun, [read(200, 0)]).reading)).toBe("");
  });

  it("begins anew with the next thing it reads", () => {
    const thought = foldAll(newTurn("t"), [read(100, 0), read(120, 900), ...made(reply(1, {}))]);
    expect(thought.reading).toBeNull();
  });
});

describe("what people say while a turn is under way", () => {
  const ASK = { id: "q1", tool: "ask_user", args: { question: "Which?" }, mended: null };
  const asked = made(
    { type: "turn_started", question: "Q", user: "u", session_id: "s", assistant: "a", model: "m", settings: {} },
    reply(1, { decision: { thought: "", calls: [ASK], answer: null, complaint: null, unreadable: false } }),
    { type: "thought_recorded", step: 1, text: "Use ask_user.", implied: true },
    { type: "question_asked", step: 1, call_id: "q1", question: "Which?", options: ["a", "b"] },
    { type: "turn_paused", reason: "question", call_ids: ["q1"] },
  );

  it("has an open question until it is answered", () => {
    const turn = foldAll(newTurn("t"), asked);
    expect(openQuestion(turn)?.asked.options).toEqual(["a", "b"]);
    const more = made(...(asked as unknown as Loose[]), {
      type: "question_answered",
      call_id: "q1",
      text: "b",
      by: "u",
    });
    const answered = foldAll(newTurn("t"), more);
    expect(openQuestion(answered)).toBeNull();
    expect(answered.questions.map((one) => one.answer?.text)).toEqual(["b"]);
  });

  it("drops a draft for a message, and tells the message where it was taken in", () => {
    const begun = foldAll(newTurn("t"), asked);
    const draft = fold(
      { ...begun, status: "running" },
      {
        type: "text_delta",
        turn_id: "t",
        seq: 5,
        at: 1,
        block: 9,
        offset: 0,
        text: "A dra",
        draft: true,
        reviewed: false,
      },
    );
    expect(draft.draft?.text).toBe("A dra");
    const told = fold(draft, {
      type: "message_received",
      turn_id: "t",
      seq: 6,
      at: 2,
      step: 1,
      number: 1,
      text: "Hm",
      by: "u",
    });
    expect(told.draft).toBeNull();
    expect(told.messages.map((one) => one.text)).toEqual(["Hm"]);
    expect(told.rows.at(-1)).toMatchObject({ title: "You wrote", text: "Hm" });
  });
});

describe("notices", () => {
  it("are those of the first event, and nothing of another shape", () => {
    const notices = [{ kind: "info", text: "Guidance" }, { kind: "error", text: "No index" }, { text: 3 }, null];
    const [started] = made({ type: "turn_started", question: "Q", settings: { notices } });
    expect(fold(newTurn("t"), started as AnyEvent).notices).toEqual(notices.slice(0, 2));
    const [bare] = made({ type: "turn_started", question: "Q" });
    expect(fold(newTurn("t"), bare as AnyEvent).notices).toEqual([]);
  });
});
