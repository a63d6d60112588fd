// A turn as it is shown: what its events come down to. Values only; `fold` makes them.

import type * as e from "../api/events";
import type { Effort } from "../preferences";

export type Kind = "think" | "act" | "observe" | "answer" | "trouble" | "wait";
export type CallState = "planned" | "running" | "waiting" | "asking" | "done" | "failed" | "ended";

interface Base {
  readonly key: string;
  readonly seq: number;
  readonly step: number | null;
  // The step as a person reads it: that of the events, with a letter where it made several calls.
  readonly number: string | null;
  readonly title: string;
}

export interface Said extends Base {
  readonly kind: "note" | "think" | "answer" | "trouble";
  readonly text: string;
  readonly seconds: number | null;
  readonly usage: e.Usage | null;
  readonly attempts: number;
  // The model that wrote it; empty where none did.
  readonly model: string;
}

export interface Planned extends Base {
  readonly kind: "plan";
  readonly steps: readonly e.PlanStep[];
  readonly done: readonly number[];
}

export interface Acted extends Base {
  readonly kind: "act";
  readonly call: e.ToolCall;
  readonly state: CallState;
  readonly effect: string | null;
  readonly result: e.ToolResult | null;
  readonly progress: string;
  readonly seconds: number | null;
  readonly decided: string | null;
  readonly passed: boolean;
  // The turn of the sub-agent that answers it.
  readonly child: Turn | null;
}

export type Row = Said | Planned | Acted;

export interface Segment {
  readonly kind: Kind;
  readonly seconds: number;
  readonly row: string | null;
}

export interface Pending {
  readonly request: e.ApprovalRequested;
  readonly decision: e.ApprovalDecided | null;
  readonly void: boolean;
}

// A question of the assistant's. `void`: the turn is over, or the call, without an answer.
export interface Question {
  readonly asked: e.QuestionAsked;
  readonly answer: e.QuestionAnswered | null;
  readonly void: boolean;
}

export interface Draft {
  readonly block: number;
  readonly text: string;
  readonly thought: string;
  readonly tool: string;
  readonly have: { readonly text: number; readonly thought: number };
}

export interface Reply {
  readonly model: string;
  readonly seconds: number;
  readonly usage: e.Usage;
  readonly attempts: number;
  readonly segment: number;
}

// How far a model on this machine has read, since when and from where; times are those of the events.
export interface Reading {
  readonly since: number;
  readonly first: number;
  readonly at: number;
  readonly read: number;
  readonly total: number;
}

// What the person is told as a turn starts, and the model is not.
export interface Notice {
  readonly kind: "info" | "error";
  readonly text: string;
}

// The model and the effort that were asked for; empty where it was left to the server.
export interface Wanted {
  readonly model: string;
  readonly effort: Effort;
}

export interface Turn {
  readonly id: string;
  readonly question: string;
  readonly session: string;
  readonly assistant: string;
  readonly model: string;
  readonly forkedFrom: string | null;
  readonly attachments: readonly e.Attachment[];
  readonly notices: readonly Notice[];
  readonly wanted: Wanted;
  readonly startedAt: number | null;
  readonly seq: number;
  readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
  readonly rows: readonly Row[];
  readonly segments: readonly Segment[];
  readonly approvals: readonly Pending[];
  readonly questions: readonly Question[];
  // What the person sent after the question, as far as it was taken in.
  readonly messages: readonly e.MessageReceived[];
  readonly calls: Readonly<Record<string, number>>;
  readonly draft: Draft | null;
  // What there was of an answer that is gone on with; its draft follows.
  readonly kept: string;
  readonly remark: string;
  readonly reading: Reading | null;
  readonly answer: { readonly text: string; readonly partial: boolean; readonly reason: string } | null;
  readonly evidence: e.Evidence | null;
  readonly evaluation: e.QualityEvaluation | null;
  readonly totals: e.TurnFinished | null;
  readonly command: boolean;
  readonly steps: number;
  readonly acting: number | null;
  readonly opened: readonly e.ToolCall[];
  readonly plan: number | null;
  readonly thinking: Reply | null;
  readonly answering: Reply | null;
  // The guardrail that stopped something last.
  readonly stoppedBy: string;
  // The last reply that was none of the loop's own, such as a route.
  readonly sideReply: Reply | null;
}

export function newTurn(id: string, question = ""): Turn {
  return {
    id,
    question,
    session: "",
    assistant: "",
    model: "",
    forkedFrom: null,
    attachments: [],
    notices: [],
    wanted: { model: "", effort: "" },
    startedAt: null,
    seq: 0,
    status: "running",
    rows: [],
    segments: [],
    approvals: [],
    questions: [],
    messages: [],
    calls: {},
    draft: null,
    kept: "",
    remark: "",
    reading: null,
    answer: null,
    evidence: null,
    evaluation: null,
    totals: null,
    command: false,
    steps: 0,
    acting: null,
    opened: [],
    plan: null,
    thinking: null,
    answering: null,
    stoppedBy: "",
    sideReply: null,
  };
}
