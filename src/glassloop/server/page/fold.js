// A turn from its events: pure, total, the same however the stream was cut. Knows nothing of the page.
//
// `rows` are the trace, in order, each with a `version` that grows when it changes. Durable events that were seen before
// are skipped; transient ones only touch what streams (`draft`, `remark`) and are forgotten with the next durable one.

import { points, toUnits } from "./words.js";

const DURABLE = {
  turn_started: started,
  command_read: (turn, event) => openCalls(turn, event.decision.calls, (turn.command = true)),
  route_decided: (turn, event) => note(turn, `Routed to ${event.route.destination}`, event.route.reasoning),
  tools_shortlisted: (turn, event) => note(turn, "Tools", `${event.tools.length} of ${event.of} offered`),
  plan_made: planned,
  plan_adjusted: planned,
  model_responded: responded,
  thought_recorded: thought,
  tool_called: called,
  approval_requested: requested,
  approval_decided: decided,
  tool_returned: returned,
  context_compacted: (turn, event) =>
    note(
      turn,
      "Context",
      `${event.left_out} messages became a summary: ${event.tokens_before} to ${event.tokens_after} tokens`,
    ),
  answer_evaluated: evaluated,
  answer_given: answered,
  turn_paused: paused,
  turn_resumed: resumed,
  turn_finished: finished,
  turn_claimed: nothing,
  history_loaded: nothing,
};

const TRANSIENT = {
  text_delta: (turn, event) => stream(turn, event, "text"),
  thought_delta: (turn, event) => stream(turn, event, "thought"),
  arguments_delta: (turn, event) => Object.assign(block(turn, event), event.tool ? { tool: event.tool } : {}),
  model_retried: retried,
  tool_progressed: progressed,
  log_delayed: (turn, event) => (turn.remark = event.reason),
  queue_progressed: (turn, event) => (turn.remark = `waiting for its place, number ${event.position}`),
};

export const KINDS = [...Object.keys(DURABLE), ...Object.keys(TRANSIENT)];

export function newTurn(id, question = "") {
  return {
    id,
    question,
    seq: 0,
    status: "running",
    rows: [],
    segments: [],
    approvals: new Map(),
    calls: new Map(),
    draft: null,
    remark: "",
    answer: null,
    evidence: null,
    totals: null,
    error: null,
    command: false,
    numbers: 0,
    steps: 0,
    since: null,
    acting: null,
    opened: [],
    plan: null,
    thinking: null,
    answering: null,
  };
}

// One event further; whether anything changed.
export function apply(turn, event) {
  const transient = TRANSIENT[event.type];
  if (transient) {
    if (event.seq < turn.seq || turn.totals) return false;
    transient(turn, event);
    return true;
  }
  if (event.seq <= turn.seq) return false;
  turn.seq = event.seq;
  turn.remark = "";
  DURABLE[event.type]?.(turn, event);
  turn.since = event.at;
  return true;
}

export function kindNow(turn) {
  if (turn.status === "paused") return "wait";
  if (turn.acting !== null) return "act";
  return turn.draft?.text ? "answer" : "think";
}

// The number of the step that a figure came from; "question" when the person said it.
export const sourceOf = (turn, figure) =>
  figure.source === null || figure.source === "question"
    ? figure.source
    : (turn.calls.get(figure.source)?.number ?? null);

function nothing() {}

function started(turn, event) {
  Object.assign(turn, {
    question: event.question,
    session: event.session_id,
    assistant: event.assistant,
    model: event.model,
    startedAt: event.at,
  });
}

function add(turn, kind, fields, { numbered = true } = {}) {
  const row = { kind, key: `${kind}-${turn.seq}-${turn.rows.length}`, version: 1, number: null, ...fields };
  if (numbered) row.number = turn.numbers += 1;
  turn.rows.push(row);
  return row;
}

function change(row, fields) {
  Object.assign(row, fields);
  row.version += 1;
}

function note(turn, title, text, kind = "note") {
  return add(turn, kind, { title, text }, { numbered: false });
}

function planned(turn, event) {
  if (event.type === "plan_adjusted") note(turn, "Plan changed", event.reason);
  if (!event.plan.steps.length) return;
  if (turn.plan) change(turn.plan, { steps: event.plan.steps });
  else turn.plan = add(turn, "plan", { title: "Plan", steps: event.plan.steps }, { numbered: false });
}

function pass(turn, kind, seconds, row = null) {
  turn.segments.push({ kind, seconds, row });
  return turn.segments.at(-1);
}

function responded(turn, event) {
  const { decision, purpose } = event;
  const seconds = event.latency_ms / 1000;
  const answers = decision !== null && !decision.calls.length && decision.complaint === null;
  turn.draft = null;
  const segment = pass(turn, answers ? "answer" : purpose === "evaluate" ? "observe" : "think", seconds);
  if (decision === null) return;
  if (decision.complaint !== null) {
    segment.row = note(turn, "Unreadable", "The reply could not be read and was told back.", "trouble").key;
    return;
  }
  turn.steps += purpose === "decide" ? 1 : 0;
  turn.thinking = { seconds, segment };
  turn.answering = answers ? { seconds, segment } : null;
  openCalls(turn, decision.calls);
}

function openCalls(turn, calls) {
  turn.opened = calls;
  turn.acting = null;
}

function thought(turn, event) {
  const { seconds, segment } = turn.thinking ?? {};
  turn.thinking = null;
  if (!event.implied) {
    const row = add(turn, "think", { title: "Think", text: event.text, seconds: turn.opened.length ? seconds : null });
    if (segment && turn.opened.length) segment.row = row.key;
  }
  for (const call of turn.opened) {
    const row = rowOf(turn, call);
    // A step whose reason nobody gave: its first call stands for it.
    if (segment && !segment.row) segment.row = row.key;
  }
  turn.opened = [];
}

function rowOf(turn, call) {
  let row = turn.calls.get(call.id);
  if (!row) {
    row = add(turn, "act", { title: call.tool, call, state: "planned", result: null, progress: "" });
    turn.calls.set(call.id, row);
  }
  return row;
}

function called(turn, event) {
  change(rowOf(turn, event.call), { call: event.call, state: "running", effect: event.effect });
  turn.acting ??= event.at;
}

function requested(turn, event) {
  change(rowOf(turn, event.call), { call: event.call, state: "waiting" });
  turn.approvals.set(event.call.id, { request: event, decision: null, void: false });
}

function decided(turn, event) {
  const approval = turn.approvals.get(event.call_id);
  if (approval) approval.decision = event;
  const row = turn.calls.get(event.call_id);
  const allowed = event.args === null ? "approved" : "approved, edited";
  if (row) change(row, { state: "planned", decided: event.approved ? allowed : "refused" });
}

function returned(turn, event) {
  const row = turn.calls.get(event.call_id);
  if (!row) return;
  const { result } = event;
  change(row, { result, state: result.success ? "done" : "failed", seconds: result.duration_ms / 1000, progress: "" });
  const approval = turn.approvals.get(event.call_id);
  if (approval && !approval.decision) approval.void = true;
  const open = [...turn.calls.values()].some((one) => one.state === "running");
  if (turn.acting !== null && !open) {
    const failed = [...turn.calls.values()].some((one) => one.state === "failed" && !one.passed);
    pass(turn, failed ? "trouble" : "act", event.at - turn.acting, row.key);
    for (const one of turn.calls.values()) one.passed = true;
    turn.acting = null;
  }
}

function evaluated(turn, event) {
  turn.evidence = event.evidence;
  if (event.accepted) {
    turn.evaluation = event.evaluation;
    return;
  }
  turn.answering = null;
  const missing = event.evaluation?.missing_info.join("; ");
  note(turn, "Not complete yet", missing ? `Missing: ${missing}` : "It is tried once more.", "trouble");
}

function answered(turn, event) {
  turn.draft = null;
  turn.answer = { text: event.text, partial: event.partial, reason: event.reason };
  const row = add(turn, "answer", { title: "Answer", text: event.text, seconds: turn.answering?.seconds });
  if (turn.answering) turn.answering.segment.row = row.key;
}

function paused(turn) {
  turn.status = "paused";
  turn.acting = null;
}

function resumed(turn) {
  if (turn.status === "paused") pass(turn, "wait", 0);
  turn.status = "running";
}

function finished(turn, event) {
  turn.status = event.status;
  turn.draft = null;
  turn.acting = null;
  turn.totals = event;
  turn.error = event.error;
  for (const one of turn.approvals.values()) one.void ||= !one.decision;
  for (const row of turn.calls.values()) {
    if (row.result === null && row.state !== "ended") change(row, { state: "ended" });
  }
}

// What streams belongs to a block; another block makes the one before it void.
function block(turn, event) {
  if (turn.draft?.block !== event.block) {
    turn.draft = { block: event.block, text: "", thought: "", tool: "", have: { text: 0, thought: 0 } };
  }
  return turn.draft;
}

function stream(turn, event, name) {
  const draft = block(turn, event);
  const have = draft.have[name];
  const before = event.offset < have ? draft[name].slice(0, toUnits(draft[name], event.offset)) : draft[name];
  draft[name] = before + (event.offset > have ? "…" : "") + event.text;
  draft.have[name] = event.offset + points(event.text);
}

function retried(turn, event) {
  turn.draft = null;
  turn.remark = `${event.reason.replace(/\.$/, "")}; attempt ${event.attempt} with ${event.model}`;
}

function progressed(turn, event) {
  const row = turn.calls.get(event.call_id);
  if (!row || row.result) return;
  const share = event.fraction === null ? "" : `${Math.round(event.fraction * 100)} % `;
  change(row, { progress: share + event.message });
}
