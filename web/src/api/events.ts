// Written by scripts/make_types.py: change the server, then run that.

export interface AnswerContinued {
  readonly at: number;
  readonly seq: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "answer_continued";
}

export interface AnswerEvaluated {
  readonly accepted: boolean;
  readonly at: number;
  readonly block: number;
  readonly evaluation: QualityEvaluation | null;
  readonly evidence: Evidence;
  readonly problem: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "answer_evaluated";
}

export interface AnswerGiven {
  readonly at: number;
  readonly block: number;
  readonly partial: boolean;
  readonly reason: "answered" | "cancelled" | "cost" | "estimate" | "filtered" | "guardrail" | "iterations" | "length" | "seconds" | "tokens" | "tool_calls" | "unreadable";
  readonly seq: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "answer_given";
}

export interface ApprovalDecided {
  readonly allowed: string;
  readonly approved: boolean;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly at: number;
  readonly by: string;
  readonly call_id: string;
  readonly digest: string;
  readonly reason: string;
  readonly scope: "call" | "granted" | "session";
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "approval_decided";
}

export interface ApprovalReason {
  readonly argument: string;
  readonly call_id: string;
  readonly destinations: readonly string[];
  readonly kind: "confidential" | "declared" | "effects" | "repeated" | "unsourced" | "untrusted";
  readonly origin: "call" | "earlier" | "file" | "parent";
  readonly passage: string;
  readonly tool: string;
}

export interface ApprovalRequested {
  readonly allow: GrantOffer | null;
  readonly at: number;
  readonly call: ToolCall;
  readonly digest: string;
  readonly doubt: string;
  readonly preview: unknown;
  readonly reason: "approval" | "dependencies" | "outcome_unknown" | "question";
  readonly seq: number;
  readonly step: number;
  readonly turn_id: string;
  readonly type: "approval_requested";
  readonly why: ApprovalReason | null;
}

export interface ArgumentsDelta {
  readonly at: number;
  readonly block: number;
  readonly index: number;
  readonly offset: number;
  readonly seq: number;
  readonly text: string;
  readonly tool: string;
  readonly turn_id: string;
  readonly type: "arguments_delta";
}

export interface AssistantMessage {
  readonly calls: readonly ToolCall[];
  readonly labels: Labels | null;
  readonly opaque: unknown;
  readonly provider: string;
  readonly role: "assistant";
  readonly sourced: readonly string[];
  readonly text: string;
  readonly thought: string;
}

export interface Attachment {
  readonly chars: number;
  readonly height: number;
  readonly media_type: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  readonly text: string;
  readonly width: number;
}

export interface ChildRecorded {
  readonly at: number;
  readonly call_id: string;
  readonly event: TurnStarted | TurnClaimed | HistoryLoaded | CommandRead | RouteDecided | ToolsShortlisted | PlanMade | PlanAdjusted | ModelResponded | ThoughtRecorded | ToolCalled | ApprovalRequested | ApprovalDecided | QuestionAsked | QuestionAnswered | MessageReceived | ToolReturned | GuardrailTriggered | ContextCompacted | AnswerContinued | AnswerEvaluated | AnswerGiven | TurnWaiting | TurnResumed | TurnFinished | ChildRecorded;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "child_recorded";
}

export interface ChildStreamed {
  readonly at: number;
  readonly call_id: string;
  readonly event: TextDelta | ThoughtDelta | ArgumentsDelta | ModelRetried | ToolProgressed | LogDelayed | QueueProgressed | PromptProgressed | ChildStreamed;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "child_streamed";
}

export interface CommandRead {
  readonly at: number;
  readonly decision: Decision;
  readonly name: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "command_read";
}

export interface ContextCompacted {
  readonly at: number;
  readonly cleared: number;
  readonly left_out: number;
  readonly seq: number;
  readonly sourced: readonly string[];
  readonly summary: string;
  readonly tokens_after: number;
  readonly tokens_before: number;
  readonly turn_id: string;
  readonly type: "context_compacted";
}

export interface Decision {
  readonly answer: string | null;
  readonly calls: readonly ToolCall[];
  readonly complaint: string | null;
  readonly refused: Refusal | null;
  readonly thought: string;
  readonly unreadable: boolean;
  readonly withheld: boolean;
}

export interface Evidence {
  readonly figures: readonly Figure[];
  readonly sourced: number;
}

export interface ExecutionPlan {
  readonly complexity: "complex" | "medium" | "simple";
  readonly estimated_iterations: number;
  readonly query: string;
  readonly steps: readonly PlanStep[];
}

export interface Figure {
  readonly end: number;
  readonly found: string | null;
  readonly kind: "date" | "identifier" | "name" | "number";
  readonly origin: "asked" | "call" | "computed" | "context" | "earlier_answer" | "earlier_call" | "earlier_words" | "question" | null;
  readonly path: readonly (string | number)[];
  readonly source: string | null;
  readonly start: number;
  readonly text: string;
}

export interface GrantOffer {
  readonly kind: "command" | "folder";
  readonly scope: string;
}

export interface GuardrailTriggered {
  readonly action: "rewrite" | "stop";
  readonly at: number;
  readonly call_id: string;
  readonly failed: boolean;
  readonly name: string;
  readonly reason: string;
  readonly seq: number;
  readonly stage: "call" | "input" | "message" | "output" | "result";
  readonly turn_id: string;
  readonly type: "guardrail_triggered";
  readonly value: unknown;
}

export interface HistoryLoaded {
  readonly at: number;
  readonly messages: readonly (UserMessage | AssistantMessage | ToolMessage)[];
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "history_loaded";
}

export interface Labels {
  readonly confidentiality: "operator" | "public" | "user";
  readonly integrity: "trusted" | "untrusted";
}

export interface LogDelayed {
  readonly at: number;
  readonly reason: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "log_delayed";
}

export interface MessageReceived {
  readonly at: number;
  readonly by: string;
  readonly number: number;
  readonly seq: number;
  readonly step: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "message_received";
}

export interface ModelResponded {
  readonly at: number;
  readonly attempts: number;
  readonly block: number;
  readonly decision: Decision | null;
  readonly latency_ms: number;
  readonly message: AssistantMessage;
  readonly model: string;
  readonly purpose: "decide" | "evaluate" | "plan" | "route" | "summarize" | "synthesize";
  readonly seq: number;
  readonly step: number;
  readonly stop: "end_turn" | "filtered" | "max_tokens" | "other" | "refusal" | "tool_use";
  readonly stop_detail: string;
  readonly tier: "balanced" | "fast" | "powerful";
  readonly turn_id: string;
  readonly type: "model_responded";
  readonly usage: Usage;
}

export interface ModelRetried {
  readonly at: number;
  readonly attempt: number;
  readonly block: number;
  readonly model: string;
  readonly reason: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "model_retried";
  readonly wait_s: number;
}

export interface PlanAdjusted {
  readonly at: number;
  readonly done: readonly number[];
  readonly plan: ExecutionPlan;
  readonly reason: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "plan_adjusted";
}

export interface PlanMade {
  readonly at: number;
  readonly done: readonly number[];
  readonly plan: ExecutionPlan;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "plan_made";
}

export interface PlanStep {
  readonly depends_on: number | null;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  readonly step_number: number;
  readonly tool_name: string;
}

export interface PromptProgressed {
  readonly at: number;
  readonly read: number;
  readonly seq: number;
  readonly total: number;
  readonly turn_id: string;
  readonly type: "prompt_progressed";
}

export interface QualityEvaluation {
  readonly completeness_score: number;
  readonly missing_info: readonly string[];
  readonly needs_retry: boolean;
  readonly quality_score: number;
  readonly suggestions: readonly string[];
}

export interface QuestionAnswered {
  readonly at: number;
  readonly by: string;
  readonly call_id: string;
  readonly seq: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "question_answered";
}

export interface QuestionAsked {
  readonly at: number;
  readonly call_id: string;
  readonly options: readonly string[];
  readonly question: string;
  readonly seq: number;
  readonly step: number;
  readonly turn_id: string;
  readonly type: "question_asked";
}

export interface QueueProgressed {
  readonly at: number;
  readonly position: number;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "queue_progressed";
}

export interface Refusal {
  readonly parameter: string;
  readonly reason: string;
  readonly tool: string;
}

export interface RouteDecided {
  readonly at: number;
  readonly farewell: string | null;
  readonly recommended: readonly string[];
  readonly route: RouteDecision;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "route_decided";
}

export interface RouteDecision {
  readonly confidence: number;
  readonly destination: string;
  readonly reasoning: string;
  readonly secondary_domains: readonly string[];
}

export interface TextDelta {
  readonly at: number;
  readonly block: number;
  readonly draft: boolean;
  readonly offset: number;
  readonly reviewed: boolean;
  readonly seq: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "text_delta";
}

export interface ThoughtDelta {
  readonly at: number;
  readonly block: number;
  readonly offset: number;
  readonly seq: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "thought_delta";
}

export interface ThoughtRecorded {
  readonly at: number;
  readonly implied: boolean;
  readonly seq: number;
  readonly step: number;
  readonly text: string;
  readonly turn_id: string;
  readonly type: "thought_recorded";
}

export interface ToolCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly mended: "absent" | "closed" | "guessed" | null;
  readonly tool: string;
}

export interface ToolCalled {
  readonly at: number;
  readonly call: ToolCall;
  readonly effect: "external" | "read" | "write";
  readonly seq: number;
  readonly step: number;
  readonly turn_id: string;
  readonly type: "tool_called";
}

export interface ToolMessage {
  readonly call_id: string;
  readonly content: string;
  readonly is_error: boolean;
  readonly labels: Labels | null;
  readonly limit: number;
  readonly ref: string;
  readonly role: "tool";
  readonly sourced: readonly string[] | null;
  readonly tool: string;
}

export interface ToolProgressed {
  readonly at: number;
  readonly call_id: string;
  readonly fraction: number | null;
  readonly message: string;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "tool_progressed";
}

export interface ToolResult {
  readonly cached: boolean;
  readonly cause: "answered" | "cancelled" | "failed" | "halted" | "in_doubt" | "planned" | "ran" | "refused" | "stopped" | "unlogged";
  readonly data: unknown;
  readonly duration_ms: number;
  readonly effect_unknown: boolean;
  readonly error: string | null;
  readonly is_answer: boolean;
  readonly labels: Labels | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly output: string;
  readonly requires_confirmation: boolean;
  readonly shown_chars: number | null;
  readonly sourced: readonly string[] | null;
  readonly success: boolean;
}

export interface ToolReturned {
  readonly at: number;
  readonly call_id: string;
  readonly result: ToolResult;
  readonly seq: number;
  readonly step: number;
  readonly turn_id: string;
  readonly type: "tool_returned";
}

export interface ToolsShortlisted {
  readonly at: number;
  readonly of: number;
  readonly seq: number;
  readonly tools: readonly string[];
  readonly turn_id: string;
  readonly type: "tools_shortlisted";
}

export interface TurnClaimed {
  readonly at: number;
  readonly epoch: number;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "turn_claimed";
  readonly worker: string;
}

export interface TurnFinished {
  readonly at: number;
  readonly attempts: readonly string[];
  readonly cost: number | null;
  readonly error: string | null;
  readonly error_type: "db_error" | "llm_error" | "system_error" | "tool_error" | "validation_error" | null;
  readonly input_tokens: number;
  readonly iterations: number;
  readonly messages: number;
  readonly output_tokens: number;
  readonly reference: string | null;
  readonly seconds: number;
  readonly seq: number;
  readonly status: "cancelled" | "completed" | "failed";
  readonly tool_calls: number;
  readonly turn_id: string;
  readonly type: "turn_finished";
  readonly unpriced_calls: number;
}

export interface TurnResumed {
  readonly at: number;
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "turn_resumed";
  readonly worker: string;
}

export interface TurnStarted {
  readonly assistant: string;
  readonly at: number;
  readonly attachments: readonly Attachment[];
  readonly forked_from: string | null;
  readonly model: string;
  readonly parent_turn_id: string | null;
  readonly previous_turn_id: string | null;
  readonly protocol: "json" | "native" | "text";
  readonly question: string;
  readonly seq: number;
  readonly session_id: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly turn_id: string;
  readonly type: "turn_started";
  readonly user: string;
}

export interface TurnWaiting {
  readonly at: number;
  readonly call_ids: readonly string[];
  readonly reason: "approval" | "dependencies" | "outcome_unknown" | "question";
  readonly seq: number;
  readonly turn_id: string;
  readonly type: "turn_paused";
}

export interface Usage {
  readonly cached_tokens: number;
  readonly cost: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface UserMessage {
  readonly attachments: readonly Attachment[];
  readonly author: "person" | "runtime";
  readonly content: string;
  readonly labels: Labels | null;
  readonly note: "aside" | "complaint" | "context" | "file" | "incomplete" | "last_step" | "observation" | "route" | "steps_left" | "summary" | null;
  readonly role: "user";
  readonly sourced: readonly string[];
}

export type AnyEvent = TurnStarted | TurnClaimed | HistoryLoaded | CommandRead | RouteDecided | ToolsShortlisted | PlanMade | PlanAdjusted | ModelResponded | ThoughtRecorded | ToolCalled | ApprovalRequested | ApprovalDecided | QuestionAsked | QuestionAnswered | MessageReceived | ToolReturned | GuardrailTriggered | ContextCompacted | AnswerContinued | AnswerEvaluated | AnswerGiven | TurnWaiting | TurnResumed | TurnFinished | ChildRecorded | TextDelta | ThoughtDelta | ArgumentsDelta | ModelRetried | ToolProgressed | LogDelayed | QueueProgressed | PromptProgressed | ChildStreamed;

export const KINDS = ["turn_started", "turn_claimed", "history_loaded", "command_read", "route_decided", "tools_shortlisted", "plan_made", "plan_adjusted", "model_responded", "thought_recorded", "tool_called", "approval_requested", "approval_decided", "question_asked", "question_answered", "message_received", "tool_returned", "guardrail_triggered", "context_compacted", "answer_continued", "answer_evaluated", "answer_given", "turn_paused", "turn_resumed", "turn_finished", "child_recorded", "text_delta", "thought_delta", "arguments_delta", "model_retried", "tool_progressed", "log_delayed", "queue_progressed", "prompt_progressed", "child_streamed"] as const;

export const TRANSIENT: ReadonlySet<string> = new Set(["arguments_delta", "child_streamed", "log_delayed", "model_retried", "prompt_progressed", "queue_progressed", "text_delta", "thought_delta", "tool_progressed"]);
