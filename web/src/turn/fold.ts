// A turn from its events: pure, total, the same however the stream was cut. Knows nothing of the page.
//
// `fold(turn, event)` gives a new turn and leaves the old one as it was; what did not change is shared. Durable events
// that were seen before are skipped; transient ones only touch what streams (`draft`, `remark`).

import type * as e from "../api/events";
import { askedWith } from "./children";
import { callRow } from "./lookup";
import { newTurn, type Acted, type Draft, type Kind, type Planned, type Row, type Said, type Turn } from "./model";
import { progressOf } from "./progress";
import { ofSettings } from "./startSettings";
import { department, points, routeReason, toUnits } from "./words";
import { t } from "../language/t";

export * from "./lookup";
export * from "./model";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Change = Mutable<Turn>;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export function fold(turn: Turn, event: e.AnyEvent): Turn {
  const transient = TRANSIENT_HANDLERS[event.type];
  const durable = DURABLE[event.type];
  if (transient) {
    if (event.seq < turn.seq || turn.totals) return turn;
    const next = { ...turn };
    transient(next, event as never);
    return next;
  }
  if (event.seq <= turn.seq) return turn;
  const next = { ...turn, seq: event.seq, remark: "", reading: null };
  durable?.(next, event as never);
  return next;
}

export const foldAll = (turn: Turn, events: readonly e.AnyEvent[]): Turn => events.reduce(fold, turn);

type Handlers = { [K in e.AnyEvent["type"]]?: (turn: Change, event: Extract<e.AnyEvent, { type: K }>) => void };

const DURABLE: Handlers = {
  turn_started: (turn, event) => {
    Object.assign(turn, {
      question: event.question,
      session: event.session_id,
      assistant: event.assistant,
      model: event.model,
      forkedFrom: event.forked_from,
      attachments: event.attachments ?? [], // Logs from before there were any have none.
      ...ofSettings(event.settings),
      startedAt: event.at,
    });
  },
  command_read: (turn, event) => {
    turn.command = true;
    openCalls(turn, event.decision.calls);
  },
  route_decided: (turn, event) => {
    const { seconds, usage } = turn.sideReply ?? { seconds: null, usage: null };
    addRow(
      turn,
      "note",
      t("Routed to {0}", department(event.route.destination)),
      routeReason(event.route.reasoning, turn.question),
      { seconds, usage },
    );
    turn.sideReply = null;
  },
  tools_shortlisted: (turn, event) => note(turn, t("Tools"), t("{0} of {1} offered", event.tools.length, event.of)),
  plan_made: (turn, event) => planned(turn, event),
  plan_adjusted: (turn, event) => {
    if (event.reason) note(turn, t("Plan changed"), event.reason);
    planned(turn, event);
  },
  model_responded: responded,
  thought_recorded: thought,
  tool_called: (turn, event) => {
    const place = rowOf(turn, event.call, event.step);
    change(turn, place, { call: event.call, state: "running", effect: event.effect });
    turn.acting ??= event.at;
  },
  approval_requested: (turn, event) => {
    change(turn, rowOf(turn, event.call, event.step), { call: event.call, state: "waiting" });
    const others = turn.approvals.filter((one) => one.request.call.id !== event.call.id);
    turn.approvals = [...others, { request: event, decision: null, void: false }];
  },
  approval_decided: decided,
  question_asked: (turn, event) => {
    const place = turn.calls[event.call_id];
    if (place !== undefined) change(turn, place, { state: "asking" });
    turn.questions = [...turn.questions, { asked: event, answer: null, void: false }];
  },
  question_answered: (turn, event) => {
    turn.questions = turn.questions.map((one) =>
      one.asked.call_id === event.call_id ? { ...one, answer: event } : one,
    );
    const place = turn.calls[event.call_id];
    if (place !== undefined) change(turn, place, { state: "planned", decided: "answered" });
  },
  message_received: (turn, event) => {
    turn.messages = [...turn.messages, event];
    turn.draft = null;
    turn.answering = null;
    note(turn, t("You wrote"), event.text);
  },
  tool_returned: returned,
  guardrail_triggered: guarded,
  context_compacted: (turn, { left_out, tokens_before, tokens_after }) => {
    const what = left_out ? t("{0} messages were summarised", left_out) : t("Old results were cleared");
    note(turn, t("Context"), t("{0}: {1} to {2} tokens", what, tokens_before, tokens_after));
  },
  answer_continued: (turn, event) => void (turn.kept = event.text),
  answer_evaluated: evaluated,
  answer_given: answered,
  turn_paused: (turn, event) => {
    turn.status = "paused";
    turn.acting = null;
    if (event.reason === "dependencies")
      note(turn, t("Waiting"), t("For dependencies of the program that asked it: resume it there."));
  },
  turn_resumed: (turn) => {
    if (turn.status === "paused") addSegment(turn, "wait", 0);
    turn.status = "running";
  },
  turn_finished: finished,
  child_recorded: ofChild,
};

const TRANSIENT_HANDLERS: Handlers = {
  child_streamed: ofChild,
  text_delta: (turn, event) => stream(turn, event, "text"),
  thought_delta: (turn, event) => stream(turn, event, "thought"),
  arguments_delta: (turn, event) => {
    const draft = block(turn, event.block);
    turn.draft = event.tool ? { ...draft, tool: event.tool } : draft;
  },
  model_retried: (turn, event) => {
    turn.draft = null;
    turn.remark = t("{0}; attempt {1} with {2}", event.reason.replace(/\.$/, ""), event.attempt, event.model);
  },
  tool_progressed: (turn, event) => {
    const place = turn.calls[event.call_id];
    const row = callRow(turn, event.call_id);
    if (place === undefined || !row || row.result) return;
    change(turn, place, progressOf(row, event));
  },
  log_delayed: (turn, event) => void (turn.remark = event.reason),
  queue_progressed: (turn, event) => void (turn.remark = t("queued, position {0}", event.position)),
  prompt_progressed: (turn, event) => {
    const { at, read, total } = event;
    const { since, first } = turn.reading ?? { since: at, first: read };
    turn.reading = { since, first, at, read, total };
    turn.remark = t("reading the question, {0} %", Math.round((read / Math.max(total, 1)) * 100));
  },
};

type NewRow<T> = Omit<T, "key" | "seq" | "number">;

// Steps are numbered as their events are; a thought belongs to the calls after it, a command makes no step.
const numberOf = (fields: { kind: Row["kind"]; step: number | null }): string | null =>
  fields.step && (fields.kind === "act" || fields.kind === "answer" || fields.kind === "trouble")
    ? String(fields.step)
    : null;

function add(turn: Change, fields: NewRow<Said> | NewRow<Planned> | NewRow<Acted>): number {
  const place = turn.rows.length;
  const row = { ...fields, number: numberOf(fields), seq: turn.seq, key: `${fields.kind}-${turn.seq}-${place}` } as Row;
  turn.rows = [...turn.rows, row];
  return place;
}

// Several calls of one step: 1a, 1b, 1c, and on with 1·27.
function lettered(turn: Change, step: number): void {
  const places = turn.rows.flatMap((row, at) => (row.kind === "act" && row.step === step ? [at] : []));
  if (!step || places.length < 2) return;
  const letter = (at: number) => (at < LETTERS.length ? LETTERS[at] : `·${at + 1}`);
  turn.rows = turn.rows.map((row, at) => {
    const which = places.indexOf(at);
    return which < 0 ? row : { ...row, number: `${step}${letter(which)}` };
  });
}

function change(turn: Change, place: number, fields: Partial<Acted> | Partial<Planned>): void {
  turn.rows = turn.rows.map((row, at) => (at === place ? ({ ...row, ...fields } as Row) : row));
}

function addRow(turn: Change, kind: Said["kind"], title: string, text: string, more: Partial<Said> = {}): number {
  const plain = { seconds: null, usage: null, attempts: 1, model: "", step: null };
  return add(turn, { ...plain, ...more, kind, title, text });
}

function note(turn: Change, title: string, text: string): void {
  addRow(turn, "note", title, text);
}

function planned(turn: Change, event: e.PlanMade | e.PlanAdjusted): void {
  const { done, plan } = event;
  if (!plan.steps.length) return;
  const { steps } = plan;
  if (turn.plan === null) turn.plan = add(turn, { kind: "plan", title: t("Plan"), steps, done, step: null });
  else change(turn, turn.plan, { steps, done });
}

function addSegment(turn: Change, kind: Kind, seconds: number, row: string | null = null): number {
  turn.segments = [...turn.segments, { kind, seconds, row }];
  return turn.segments.length - 1;
}

function linkSegment(turn: Change, segment: number, row: number): void {
  const key = turn.rows[row]?.key ?? null;
  turn.segments = turn.segments.map((one, at) => (at === segment ? { ...one, row: key } : one));
}

function responded(turn: Change, event: e.ModelResponded): void {
  const { decision, purpose } = event;
  const seconds = event.latency_ms / 1000;
  const answers = decision !== null && !decision.calls.length && decision.complaint === null;
  turn.draft = null;
  const segment = addSegment(turn, answers ? "answer" : purpose === "evaluate" ? "observe" : "think", seconds);
  const reply = { model: event.model, seconds, segment, usage: event.usage, attempts: event.attempts };
  turn.sideReply = decision === null ? reply : null;
  turn.steps += purpose === "decide" ? 1 : 0;
  if (decision === null) return;
  // The guardrail that withheld it is told of next.
  if (decision.complaint !== null && decision.withheld) return;
  if (decision.complaint !== null) {
    const [title, text] = decision.refused
      ? [t("Sent back"), decision.complaint]
      : [t("Unreadable"), t("The reply could not be read; the model was told so.")];
    linkSegment(turn, segment, addRow(turn, "trouble", title, text, { ...reply, step: event.step }));
    return;
  }
  turn.thinking = reply;
  turn.answering = answers ? reply : null;
  openCalls(turn, decision.calls);
}

// A plan that the model writes is shown as the plan.
function openCalls(turn: Change, calls: readonly e.ToolCall[]): void {
  turn.opened = calls.filter((call) => call.tool !== "update_plan");
  turn.acting = null;
}

function thought(turn: Change, event: e.ThoughtRecorded): void {
  const reply = turn.thinking;
  const calls = turn.opened;
  turn.thinking = null;
  turn.opened = [];
  let stands: number | null = null;
  if (!event.implied) {
    const took = calls.length && reply ? reply : { seconds: null, usage: null, attempts: 1, model: "" };
    const { seconds, usage, attempts, model } = took;
    stands = addRow(turn, "think", t("Think"), event.text, { seconds, usage, attempts, model, step: event.step });
  }
  for (const call of calls) {
    const place = rowOf(turn, call, event.step);
    // A step whose reason nobody gave: its first call stands for it.
    stands ??= place;
  }
  if (reply && calls.length && stands !== null) linkSegment(turn, reply.segment, stands);
}

function rowOf(turn: Change, call: e.ToolCall, step: number): number {
  const known = turn.calls[call.id];
  if (known !== undefined) return known;
  const place = add(turn, {
    kind: "act",
    title: call.tool,
    call,
    step,
    state: "planned",
    effect: null,
    result: null,
    progress: "",
    seconds: null,
    decided: null,
    passed: false,
    child: null,
  });
  turn.calls = { ...turn.calls, [call.id]: place };
  lettered(turn, step);
  return place;
}

function decided(turn: Change, event: e.ApprovalDecided): void {
  turn.approvals = turn.approvals.map((one) =>
    one.request.call.id === event.call_id ? { ...one, decision: event } : one,
  );
  const place = turn.calls[event.call_id];
  const allowed =
    event.scope === "granted" ? t("allowed before") : event.args === null ? t("approved") : t("approved with changes");
  if (place !== undefined) change(turn, place, { state: "planned", decided: event.approved ? allowed : "refused" });
}

function returned(turn: Change, event: e.ToolReturned): void {
  const place = turn.calls[event.call_id];
  if (place === undefined) return;
  const { result } = event;
  const state = result.success ? "done" : "failed";
  // How long a person took is not how long it worked.
  const seconds = result.cause === "answered" ? null : result.duration_ms / 1000;
  change(turn, place, { result, state, seconds, progress: "" });
  turn.approvals = turn.approvals.map((one) =>
    one.request.call.id === event.call_id && !one.decision ? { ...one, void: true } : one,
  );
  turn.questions = turn.questions.map((one) =>
    one.asked.call_id === event.call_id && !one.answer ? { ...one, void: true } : one,
  );
  const acted = turn.rows.filter((row): row is Acted => row.kind === "act");
  if (turn.acting === null || acted.some((row) => row.state === "running")) return;
  const failed = acted.some((row) => row.state === "failed" && !row.passed);
  addSegment(turn, failed ? "trouble" : "act", event.at - turn.acting, turn.rows[place]?.key ?? null);
  turn.rows = turn.rows.map((row) => (row.kind === "act" && !row.passed ? { ...row, passed: true } : row));
  turn.acting = null;
}

function ofChild(turn: Change, event: e.ChildRecorded | e.ChildStreamed): void {
  const place = turn.calls[event.call_id];
  const row = callRow(turn, event.call_id);
  if (place === undefined || !row) return;
  const child = fold(row.child ?? newTurn(event.event.turn_id), event.event);
  change(turn, place, { child });
  Object.assign(turn, askedWith(turn, child));
}

const GUARDED = {
  input: t("the question"),
  message: t("the message"),
  call: t("the arguments of"),
  result: t("the result of"),
  output: t("the answer"),
} as const;

// A call that was stopped says so itself.
function guarded(turn: Change, event: e.GuardrailTriggered): void {
  const stopped = event.action === "stop";
  if (stopped) turn.stoppedBy = event.name;
  if (stopped && event.stage === "call") return;
  const tool = callRow(turn, event.call_id)?.title ?? "";
  const held = event.stage === "input" || event.stage === "message" ? t("Stopped") : t("Withheld");
  const verb = stopped ? held : t("Changed");
  const what = `${verb} ${GUARDED[event.stage]} ${tool}`.trimEnd();
  const text = event.failed || !event.reason ? event.reason || `${what}.` : `${what}: ${event.reason}`;
  addRow(turn, stopped ? "trouble" : "note", t("Guardrail {0}", event.name), text);
}

function evaluated(turn: Change, event: e.AnswerEvaluated): void {
  turn.evidence = event.evidence;
  turn.sideReply = null;
  if (event.accepted) {
    turn.evaluation = event.evaluation;
    return;
  }
  turn.answering = null;
  const lacking = event.evaluation ? [...event.evaluation.missing_info, ...event.evaluation.suggestions] : [];
  addRow(turn, "trouble", t("Not good enough yet"), lacking.join("; ") || t("Trying once more."));
}

function answered(turn: Change, event: e.AnswerGiven): void {
  turn.draft = null;
  turn.answer = { text: event.text, partial: event.partial, reason: event.reason };
  const reply = turn.answering;
  const { seconds = null, usage = null, attempts = 1, model = "" } = reply ?? {};
  const more = { seconds, usage, attempts, model, step: turn.steps || null };
  const place = addRow(turn, "answer", t("Answer"), event.text, more);
  if (reply) linkSegment(turn, reply.segment, place);
}

function finished(turn: Change, event: e.TurnFinished): void {
  turn.status = event.status;
  turn.draft = null;
  turn.acting = null;
  turn.totals = event;
  turn.approvals = turn.approvals.map((one) => (one.decision ? one : { ...one, void: true }));
  turn.questions = turn.questions.map((one) => (one.answer ? one : { ...one, void: true }));
  turn.rows = turn.rows.map((row) =>
    row.kind === "act" && row.result === null && row.state !== "ended" ? { ...row, state: "ended" } : row,
  );
}

// What streams belongs to a block; another block makes the one before it void.
function block(turn: Change, number: number): Draft {
  if (turn.draft?.block === number) return turn.draft;
  return { block: number, text: "", thought: "", tool: "", have: { text: 0, thought: 0 } };
}

function stream(turn: Change, event: e.TextDelta | e.ThoughtDelta, name: "text" | "thought"): void {
  const draft = block(turn, event.block);
  const have = draft.have[name];
  const before = event.offset < have ? draft[name].slice(0, toUnits(draft[name], event.offset)) : draft[name];
  turn.draft = {
    ...draft,
    [name]: before + (event.offset > have ? "…" : "") + event.text,
    have: { ...draft.have, [name]: event.offset + points(event.text) },
  };
}
