// Written by scripts/make_types.py: change the server, then run that.

export interface Abilities {
  readonly native_tools: boolean;
  readonly json_schema: boolean;
  readonly small: boolean;
  readonly tuned: boolean;
  readonly context_tokens: number;
  readonly reads_prompts: boolean;
  readonly images: boolean | null;
  readonly documents: boolean | null;
}

export interface AbilityView {
  readonly name: string;
  readonly pet: string;
  readonly total: number;
  readonly share_percent: number;
  readonly casts: number;
  readonly hits: number;
  readonly ticks: number;
  readonly critical_percent: number | null;
  readonly overheal_percent: number;
}

export interface AcceptedTurn {
  readonly turn_id: string;
  readonly session_id: string;
  readonly events: string;
}

export interface AccessRule {
  readonly dollars_per_day: number | null;
  readonly dollars_per_month: number | null;
  readonly tokens_per_day: number | null;
  readonly tokens_per_month: number | null;
  readonly models: readonly string[] | null;
  readonly assistants: readonly string[] | null;
  readonly tools: readonly string[] | null;
}

export interface AccessView {
  readonly rules: readonly RuleView[];
  readonly open_models: readonly string[];
}

export interface ActionResult {
  readonly done: boolean;
}

export interface AddedCase {
  readonly case: string;
  readonly suite: string;
  readonly rating: "bad" | "good";
  readonly rated_by: string;
  readonly questions: number;
  readonly made: boolean;
}

export interface AdminSession {
  readonly id: string;
  readonly user_id: string;
  readonly channel: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly message_count: number;
  readonly status: string;
  readonly rating: string | null;
  readonly rating_note: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly assistant: string;
  readonly messages: readonly SessionMessage[];
}

export interface Alive {
  readonly status: "ok";
}

export interface Analysis {
  readonly answer: string;
}

export interface Analyze {
  readonly question: string;
  readonly assistant?: string | null;
  readonly session_id?: string | null;
}

export interface ApprovalDecision {
  readonly call_id: string;
  readonly digest: string;
  readonly approved: boolean;
  readonly reason?: string | null;
  readonly args?: Readonly<Record<string, unknown>> | null;
  readonly for_session?: boolean | null;
}

export interface ApprovalDecisions {
  readonly decisions: readonly ApprovalDecision[];
}

export interface ApprovalReason {
  readonly kind: "confidential" | "declared" | "effects" | "repeated" | "unsourced" | "untrusted";
  readonly origin: "call" | "earlier" | "file" | "parent";
  readonly tool: string;
  readonly call_id: string;
  readonly passage: string;
  readonly argument: string;
  readonly destinations: readonly string[];
}

export interface ApprovalRequested {
  readonly type: "approval_requested";
  readonly turn_id: string;
  readonly seq: number;
  readonly at: number;
  readonly step: number;
  readonly call: ToolCall;
  readonly preview: unknown;
  readonly digest: string;
  readonly reason: "approval" | "dependencies" | "outcome_unknown" | "question";
  readonly doubt: string;
  readonly why: ApprovalReason | null;
  readonly allow: GrantOffer | null;
}

export interface AssistantView {
  readonly name: string;
  readonly description: string;
  readonly questions: readonly string[];
  readonly installed: boolean;
  readonly default: boolean;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly by_user: string;
  readonly action: "access_changed" | "allowed" | "answered" | "approved" | "audit_pruned" | "case_made" | "connection_changed" | "default_model_changed" | "dropped" | "groups_changed" | "held" | "key_made" | "key_revoked" | "rated" | "refused" | "retried" | "revoked" | "schedule_added" | "schedule_cancelled" | "session_deleted" | "shared" | "sign_in_refused" | "signed_in" | "steered" | "unshared" | "user_added" | "user_deleted" | "user_removed";
  readonly subject: string;
  readonly session_id: string | null;
  readonly detail: string;
  readonly digest: string;
}

export interface AuditVerification {
  readonly entries: number;
  readonly first: number;
  readonly last: number;
  readonly digest: string;
  readonly pruned: number;
  readonly problems: readonly string[];
}

export interface AvailableModels {
  readonly default: string;
  readonly models: readonly OfferedModel[];
  readonly problems: readonly ListProblem[];
  readonly found: readonly FoundProvider[];
}

export interface AwaitingApproval {
  readonly status: string;
  readonly turn_id: string;
  readonly session_id: string;
  readonly approvals: readonly ApprovalRequested[];
}

export interface AwaitingExchange {
  readonly status: string;
  readonly turn_id: string;
  readonly session_id: string;
  readonly approvals: readonly ApprovalRequested[];
  readonly user_message: ChatMessage;
  readonly assistant_message: ChatMessage;
}

export interface Cancelled {
  readonly cancelled: boolean;
}

export interface CharacterRow {
  readonly id: string;
  readonly name: string;
  readonly realm: string;
  readonly class_name: string;
  readonly spec: string;
}

export interface ChatChoice {
  readonly index: number;
  readonly message: Readonly<Record<string, string | null>>;
  readonly finish_reason: "content_filter" | "length" | "stop";
  readonly logprobs: null;
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly ChatChoice[];
  readonly usage: Readonly<Record<string, number>>;
}

export interface ChatExchange {
  readonly user_message: ChatMessage;
  readonly assistant_message: ChatMessage;
}

export interface ChatMessage {
  readonly id: string;
  readonly conversation_id: string;
  readonly role: "assistant" | "user";
  readonly content: string;
  readonly created_at: string;
  readonly metadata: MessageMetadata | null;
}

export interface ChatReact {
  readonly tools?: readonly unknown[] | null;
  readonly functions?: readonly unknown[] | null;
  readonly tool_choice?: unknown;
  readonly messages?: readonly LooseMessage[] | null;
  readonly input?: string | readonly InputItem[] | null;
  readonly instructions?: string | null;
  readonly thread_id?: string | null;
  readonly stream?: boolean | null;
  readonly assistant?: string | null;
  readonly model?: string | null;
}

export interface ChatRequest {
  readonly tools?: readonly unknown[] | null;
  readonly functions?: readonly unknown[] | null;
  readonly tool_choice?: unknown;
  readonly model: string;
  readonly messages: readonly LooseMessage[];
  readonly stream?: boolean | null;
  readonly stream_options?: StreamOptions | null;
  readonly response_format?: ResponseFormat | null;
}

export interface ChildTurn {
  readonly call_id: string;
  readonly turn_id: string;
  readonly assistant: string;
  readonly question: string;
  readonly status: "cancelled" | "completed" | "failed" | "paused" | "running";
  readonly answer: string;
  readonly error: string | null;
  readonly steps: readonly ReActStep[];
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number | null;
  readonly seconds: number;
}

export interface Cleanup {
  readonly hours?: number;
}

export interface CodeChatQuery {
  readonly query: string;
  readonly session_id?: string | null;
  readonly workspace_path?: string | null;
  readonly context_name?: string | null;
  readonly use_cgrag?: boolean | null;
  readonly preset?: string;
  readonly max_iterations?: number;
  readonly mode?: "plan" | "read" | "ask" | "edits" | null;
  readonly protocol?: "native" | "json" | "text" | null;
  readonly model?: string | null;
  readonly assistant?: string;
}

export interface CodeSession {
  readonly session_id: string;
  readonly title: string;
  readonly workspace: string;
  readonly context_name: string | null;
  readonly turns: number;
  readonly tools_used: readonly string[];
  readonly created_at: string;
  readonly last_activity: string;
  readonly active: boolean;
  readonly state: string;
}

export interface CodeTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly requires_confirmation: boolean;
}

export interface CollectionChange {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly readers?: string | null;
  readonly assistants?: readonly string[] | null;
}

export interface CollectionFiles {
  readonly files: readonly FileView[];
  readonly total: number;
}

export interface CollectionList {
  readonly collections: readonly CollectionView[];
  readonly readers: readonly string[];
}

export interface CollectionView {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  readonly readers: string;
  readonly mine: boolean;
  readonly created_at: number;
  readonly files: number;
  readonly size: number;
  readonly passages: number;
  readonly assistants: readonly string[];
}

export interface Completion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly CompletionChoice[];
  readonly usage: Readonly<Record<string, number>>;
  readonly reasoning_trace: readonly ReasoningStep[];
  readonly latency_ms: number;
  readonly session_id: string;
}

export interface CompletionChoice {
  readonly index: number;
  readonly message: Readonly<Record<string, string>>;
  readonly finish_reason: string;
}

export interface Confirmation {
  readonly approved: boolean;
  readonly digest: string;
  readonly reason?: string | null;
  readonly args?: Readonly<Record<string, unknown>> | null;
  readonly allow?: "tool" | "folder" | "command" | null;
}

export interface Connected {
  readonly connection: ProviderConnection;
  readonly models: readonly OfferedModel[];
  readonly default: string;
}

export interface ContextView {
  readonly name: string;
  readonly workspace: string;
  readonly files: number;
  readonly passages: number;
  readonly embedded: number;
  readonly updated_at: number | null;
  readonly state: "embedding" | "failed" | "indexing" | "ready" | "unavailable";
}

export interface Conversation {
  readonly id: string;
  readonly user_id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly message_count: number;
}

export interface ConversationFile {
  readonly upload_id: string;
}

export interface ConversationTitle {
  readonly title: string;
}

export interface CreatedKey {
  readonly key: string;
  readonly row: KeyRow;
}

export interface DataSetImport {
  readonly file: string;
  readonly user: string;
  readonly at: string;
  readonly rows: number;
  readonly digest: string;
}

export interface DayFigures {
  readonly day: string;
  readonly turns: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
  readonly unpriced: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly good: number;
  readonly bad: number;
}

export interface DeadLetter {
  readonly kind: "job" | "turn";
  readonly id: string;
  readonly user_id: string;
  readonly subject: string;
  readonly cpu_work: string;
  readonly deaths: number;
  readonly reason: string;
  readonly at: number;
}

export interface DeathBlow {
  readonly at_s: number;
  readonly kind: string;
  readonly spell: string;
  readonly source: string;
  readonly amount: number;
  readonly overkill: number;
  readonly absorbed: number;
  readonly critical: boolean;
  readonly health: number | null;
  readonly max_health: number | null;
}

export interface DefaultModel {
  readonly model: string | null;
}

export interface DiffLine {
  readonly line_number: number;
  readonly type: "add" | "context" | "remove";
  readonly content: string;
}

export interface DiffPreview {
  readonly file_path: string;
  readonly change_type: "create" | "delete" | "modify" | "move";
  readonly original_content: string | null;
  readonly new_content: string | null;
  readonly diff_lines: readonly DiffLine[];
  readonly truncated: boolean;
  readonly sha256: string | null;
  readonly source_path: string | null;
}

export interface Difference {
  readonly seq: number;
  readonly kind: string;
  readonly field: string;
  readonly recorded: string;
  readonly replayed: string;
}

export interface Document {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly title: string;
  readonly size: number;
  readonly passages: number;
  readonly shared: boolean;
  readonly sample: boolean;
}

export interface Documents {
  readonly documents: readonly Document[];
  readonly total: number;
  readonly domains: readonly string[];
}

export interface ErrorResponse {
  readonly success: boolean;
  readonly error: string;
  readonly error_type: "db_error" | "llm_error" | "system_error" | "tool_error" | "validation_error";
  readonly details: Readonly<Record<string, unknown>>;
  readonly suggestions: readonly string[];
  readonly timestamp: string;
}

export interface Evidence {
  readonly figures: readonly Figure[];
  readonly sourced: number;
}

export interface Examination {
  readonly model: string;
  readonly at: number;
  readonly seconds: number;
  readonly findings: readonly ProbeResult[];
  readonly abilities: Abilities | null;
  readonly protocol: "json" | "native" | "text" | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly calls: number;
}

export interface Execute {
  readonly query: string;
  readonly session_id?: string | null;
  readonly context?: Readonly<Record<string, unknown>> | null;
  readonly assistant?: string | null;
}

export interface ExecutionPlan {
  readonly query: string;
  readonly complexity: "complex" | "medium" | "simple";
  readonly steps: readonly PlanStep[];
  readonly estimated_iterations: number;
}

export interface FailedCase {
  readonly case: string;
  readonly run: number;
  readonly tags: readonly string[];
  readonly question: string;
  readonly session_id: string;
  readonly turn_ids: readonly string[];
  readonly status: string;
  readonly problems: readonly Mismatch[];
}

export interface FightDeath {
  readonly player: string;
  readonly at_s: number;
  readonly spell: string;
  readonly source: string;
  readonly amount: number;
  readonly overkill: number;
  readonly blows: readonly DeathBlow[];
}

export interface FightPlayer {
  readonly name: string;
  readonly realm: string;
  readonly class_name: string;
  readonly spec: string;
  readonly role: string;
  readonly item_level: number;
  readonly damage: number;
  readonly dps: number;
  readonly healing: number;
  readonly hps: number;
  readonly overheal: number;
  readonly taken: number;
  readonly deaths: number;
  readonly casts: number;
  readonly interrupts: number;
  readonly dispels: number;
  readonly active_percent: number;
  readonly parse: number | null;
  readonly parse_of: number;
  readonly warcraft_logs_parse: number | null;
}

export interface FightRates {
  readonly step_s: number;
  readonly dps: readonly number[];
  readonly hps: readonly number[];
}

export interface FightRow {
  readonly code: string;
  readonly number: number;
  readonly encounter_id: number;
  readonly name: string;
  readonly kind: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly kill: boolean;
  readonly boss_health: number | null;
  readonly size: number;
  readonly players: number;
  readonly deaths: number;
  readonly spirits: number;
  readonly damage: number;
  readonly reference: boolean;
  readonly own: boolean;
}

export interface Figure {
  readonly text: string;
  readonly kind: "date" | "identifier" | "name" | "number";
  readonly start: number;
  readonly end: number;
  readonly source: string | null;
  readonly origin: "asked" | "call" | "computed" | "context" | "earlier_answer" | "earlier_call" | "earlier_words" | "question" | null;
  readonly found: string | null;
  readonly path: readonly (string | number)[];
}

export interface FileView {
  readonly name: string;
  readonly title: string;
  readonly size: number;
  readonly passages: number;
  readonly added_by: string;
  readonly added_at: number;
}

export interface FolderChange {
  readonly name: string;
  readonly new_name: string;
}

export interface FolderDecision {
  readonly folder: string;
  readonly digest: string;
  readonly trusted: boolean;
}

export interface FolderEntry {
  readonly name: string;
  readonly path: string;
  readonly is_git: boolean;
  readonly project_type: string;
}

export interface FolderListing {
  readonly path: string;
  readonly parent: string | null;
  readonly entries: readonly FolderEntry[];
  readonly left_out: number;
}

export interface FolderPart {
  readonly kind: string;
  readonly path: string;
  readonly digest: string;
  readonly names: readonly string[];
  readonly decides: readonly string[];
  readonly never: readonly string[];
}

export interface FolderView {
  readonly folder: string;
  readonly state: "changed" | "empty" | "refused" | "trusted" | "undecided";
  readonly digest: string;
  readonly problem: string;
  readonly parts: readonly FolderPart[];
  readonly changes: readonly string[];
  readonly restart: boolean;
}

export interface Fork {
  readonly step: number;
  readonly model?: string | null;
  readonly edits?: Readonly<Record<string, string>> | null;
}

export interface FoundPassage {
  readonly session_id: string;
  readonly turn_id: string | null;
  readonly title: string;
  readonly at: string;
  readonly passage: string;
}

export interface FoundProvider {
  readonly provider: string;
  readonly address: string;
  readonly models: readonly OfferedModel[];
}

export interface Grant {
  readonly session_id: string;
  readonly tool: string;
  readonly effect: "external" | "read" | "write";
  readonly digest: string;
  readonly by_user: string;
  readonly turn_id: string;
  readonly at: number;
  readonly until: number;
  readonly scope: string;
}

export interface GrantOffer {
  readonly kind: "command" | "folder";
  readonly scope: string;
}

export interface Health {
  readonly status: "degraded" | "ok";
  readonly version: string;
  readonly store: "memory" | "postgresql" | "sqlite";
  readonly model: string;
  readonly running_turns: number;
  readonly left_out: number;
  readonly reason: string | null;
}

export interface InboxTurn {
  readonly id: string;
  readonly session_id: string;
  readonly assistant: string;
  readonly status: string;
  readonly question: string;
  readonly answer: string | null;
  readonly error: string | null;
  readonly started_at: number;
  readonly finished_at: number | null;
}

export interface InboxView {
  readonly count: number;
  readonly turns: readonly InboxTurn[];
  readonly schedules: readonly ScheduleView[];
}

export interface InputItem {
  readonly type?: string;
  readonly role?: "user" | "assistant" | "system" | "developer" | "tool" | "function" | null;
  readonly content?: string | readonly LoosePart[] | null;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: string | readonly LoosePart[] | null;
}

export interface JobView {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly message: string;
  readonly fraction: number | null;
  readonly result: unknown;
  readonly error: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

export interface KeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export interface Labels {
  readonly integrity: "trusted" | "untrusted";
  readonly confidentiality: "operator" | "public" | "user";
}

export interface ListProblem {
  readonly provider: string;
  readonly message: string;
}

export interface LiveTurn {
  readonly id: string;
  readonly session_id: string;
  readonly user_id: string;
  readonly assistant: string;
  readonly status: string;
  readonly question: string;
  readonly started_at: number;
}

export interface LooseCall {
  readonly id?: string;
  readonly function?: LooseFunction;
}

export interface LooseFile {
  readonly filename?: string;
  readonly file_data?: string;
}

export interface LooseFunction {
  readonly name?: string;
  readonly arguments?: string;
}

export interface LooseImage {
  readonly url?: string;
}

export interface LooseMessage {
  readonly role: "user" | "assistant" | "system" | "developer" | "tool" | "function";
  readonly content?: string | readonly LoosePart[] | null;
  readonly name?: string | null;
  readonly tool_calls?: readonly LooseCall[] | null;
  readonly tool_call_id?: string | null;
}

export interface LoosePart {
  readonly type?: string;
  readonly text?: string;
  readonly image_url?: LooseImage | string | null;
  readonly file?: LooseFile | null;
  readonly filename?: string;
  readonly file_data?: string;
}

export interface Me {
  readonly user: string;
  readonly display_name: string | null;
  readonly admin: boolean;
  readonly auth: "keys" | "local" | "proxy";
  readonly csrf_token: string | null;
  readonly extensions: readonly string[];
  readonly sharing: boolean;
}

export interface MeChange {
  readonly display_name: string | null;
}

export interface MeasureDifference {
  readonly measure: string;
  readonly cases: number;
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

export interface MergeConflict {
  readonly first_line: number;
  readonly last_line: number;
}

export interface MessageMetadata {
  readonly tool_interactions: readonly (ToolUse | ToolUseResult)[];
  readonly iteration_count: number;
  readonly stop_reason: string;
  readonly turn_id: string;
  readonly evidence: Evidence;
  readonly sample: boolean;
}

export interface MessageTaken {
  readonly number: number;
}

export interface Mismatch {
  readonly part: "answer" | "arguments" | "destination" | "tool" | "turn";
  readonly expected: string;
  readonly got: string;
}

export interface ModelCard {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly owned_by: string;
}

export interface ModelInfo {
  readonly provider: string;
  readonly configured: boolean;
  readonly model: string;
  readonly variable: string;
  readonly note: string;
  readonly language_model: boolean;
}

export interface ModelList {
  readonly object: string;
  readonly data: readonly ModelCard[];
}

export interface ModelSight {
  readonly model: string;
  readonly images: boolean;
}

export interface Models {
  readonly default: string;
  readonly providers: readonly ModelInfo[];
  readonly weights: readonly WeightsView[];
  readonly examined: readonly ProbeView[];
}

export interface NamedSchema {
  readonly name?: string;
  readonly description?: string | null;
  readonly schema?: Readonly<Record<string, unknown>> | null;
  readonly strict?: boolean | null;
}

export interface NewAttachment {
  readonly name?: string;
  readonly data?: string | null;
  readonly upload_id?: string | null;
}

export interface NewCase {
  readonly rating?: string | null;
  readonly note?: string;
}

export interface NewCharacter {
  readonly name: string;
  readonly realm?: string;
  readonly class: string;
  readonly spec?: string;
}

export interface NewCollection {
  readonly name: string;
  readonly description?: string;
  readonly readers?: string;
}

export interface NewConnection {
  readonly key?: string;
  readonly address?: string;
  readonly untested?: boolean;
}

export interface NewContext {
  readonly name?: string | null;
  readonly workspace_path: string;
}

export interface NewConversation {
  readonly title?: string | null;
}

export interface NewDocument {
  readonly upload_id: string;
  readonly domain?: string;
  readonly shared?: boolean;
}

export interface NewFile {
  readonly upload_id: string;
}

export interface NewImport {
  readonly upload_id: string;
  readonly reference?: boolean | null;
  readonly year?: number | null;
  readonly zone?: string;
}

export interface NewKey {
  readonly user: string;
  readonly name?: string;
  readonly days?: number | null;
}

export interface NewMessage {
  readonly content: string;
  readonly assistant?: string;
  readonly model?: string | null;
}

export interface NewNotificationAddress {
  readonly url: string;
  readonly format?: "ntfy" | "json";
  readonly details?: boolean;
  readonly page?: string;
}

export interface NewPlacesImport {
  readonly upload_id: string;
  readonly replace?: boolean | null;
  readonly near?: boolean | null;
}

export interface NewRating {
  readonly rating: string;
  readonly note?: string | null;
}

export interface NewRule {
  readonly subject: string;
  readonly models?: readonly string[] | null;
  readonly assistants?: readonly string[] | null;
  readonly tools?: readonly string[] | null;
  readonly dollars_per_day?: number | null;
  readonly dollars_per_month?: number | null;
  readonly tokens_per_day?: number | null;
  readonly tokens_per_month?: number | null;
}

export interface NewSchedule {
  readonly question: string;
  readonly at?: string | null;
  readonly every?: string | null;
  readonly until?: string | null;
  readonly timezone?: string | null;
  readonly max_runs?: number | null;
  readonly ends_at?: string | null;
  readonly assistant?: string | null;
  readonly model?: string | null;
  readonly session_id?: string | null;
}

export interface NewSession {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly temporary?: boolean | null;
}

export interface NewShare {
  readonly token: string;
  readonly shared_at: number;
  readonly turn_id: string;
  readonly expires_at: number | null;
}

export interface NewTurn {
  readonly question?: string | null;
  readonly session_id?: string | null;
  readonly previous_turn_id?: string | null;
  readonly replaces?: string | null;
  readonly continues?: string | null;
  readonly assistant?: string | null;
  readonly model?: string | null;
  readonly effort?: "low" | "medium" | "high" | null;
  readonly supersedes?: boolean | null;
  readonly attachments?: readonly NewAttachment[] | null;
  readonly background?: boolean | null;
  readonly workspace?: string | null;
  readonly context_name?: string | null;
  readonly mode?: "plan" | "read" | "ask" | "edits" | null;
  readonly preset?: string | null;
  readonly max_iterations?: number | null;
  readonly protocol?: "native" | "json" | "text" | null;
  readonly retrieves?: boolean | null;
  readonly collections?: readonly string[] | null;
}

export interface NewUser {
  readonly name: string;
}

export interface NoteText {
  readonly text: string;
  readonly topic?: string;
}

export interface NoteView {
  readonly id: number;
  readonly text: string;
  readonly topic: string;
  readonly saved: string;
  readonly integrity: string;
}

export interface NotificationState {
  readonly domains: readonly string[];
  readonly url: string;
  readonly format: "json" | "ntfy";
  readonly details: boolean;
  readonly problem: string;
}

export interface OfferedModel {
  readonly name: string;
  readonly provider: string;
  readonly title: string;
  readonly context_tokens: number | null;
  readonly efforts: readonly ("high" | "low" | "medium")[];
  readonly language_model: boolean;
}

export interface OpenAIError {
  readonly error: Readonly<Record<string, string | null>>;
}

export interface OwnAccess {
  readonly groups: readonly string[];
  readonly models: readonly string[] | null;
  readonly assistants: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly limits: SpendLimits;
  readonly today: Spent | null;
  readonly month: Spent | null;
}

export interface ParallelCall {
  readonly action: ToolCall;
  readonly observation: ToolResult | null;
}

export interface PassageView {
  readonly document: string;
  readonly title: string;
  readonly domain: string;
  readonly headings: readonly string[];
  readonly place: string;
  readonly text: string;
  readonly relevance: number;
  readonly why: string;
  readonly also: readonly string[];
}

export interface PeriodFigures {
  readonly days: readonly DayFigures[];
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly tools: readonly ToolFigures[];
  readonly errors: Readonly<Record<string, number>>;
  readonly turns_read: number;
}

export interface PlacesDataSet {
  readonly id: string;
  readonly own: boolean;
  readonly name: string;
  readonly first_day: string;
  readonly last_day: string;
  readonly as_of: string;
  readonly sample: boolean;
  readonly missing: readonly string[];
  readonly imports: readonly DataSetImport[];
}

export interface PlanStep {
  readonly step_number: number;
  readonly description: string;
  readonly tool_name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  readonly depends_on: number | null;
}

export interface ProbeResult {
  readonly probe: "answers" | "context" | "images" | "parallel" | "protocol" | "results" | "schema" | "streams" | "thinks" | "tools" | "usage";
  readonly ok: boolean | null;
  readonly detail: string;
}

export interface ProbeView {
  readonly model: string;
  readonly at: number;
  readonly protocol: "json" | "native" | "text" | null;
  readonly abilities: Abilities;
}

export interface ProjectInfo {
  readonly type: string;
  readonly name: string | null;
  readonly dependencies: readonly string[];
  readonly version: string | null;
  readonly is_git: boolean;
  readonly branch: string | null;
  readonly dirty: boolean | null;
  readonly others: readonly string[];
}

export interface ProviderConnection {
  readonly provider: string;
  readonly source: "none" | "page" | "settings";
  readonly has_key: boolean;
  readonly address: string;
  readonly takes_key: boolean;
  readonly takes_address: boolean;
  readonly variable: string;
  readonly usual_address: string;
}

export interface Pull {
  readonly name?: string | null;
}

export interface QualityEvaluation {
  readonly completeness_score: number;
  readonly quality_score: number;
  readonly missing_info: readonly string[];
  readonly needs_retry: boolean;
  readonly suggestions: readonly string[];
}

export interface QuantileSpread {
  readonly median: number;
  readonly p90: number;
  readonly total: number;
}

export interface QuestionAnswer {
  readonly call_id: string;
  readonly text: string;
}

export interface QuestionAsked {
  readonly type: "question_asked";
  readonly turn_id: string;
  readonly seq: number;
  readonly at: number;
  readonly step: number;
  readonly call_id: string;
  readonly question: string;
  readonly options: readonly string[];
}

export interface RaidEncounter {
  readonly id: number;
  readonly name: string;
  readonly zone: string;
  readonly size: number;
  readonly gcd_percent: number;
  readonly ranked: boolean;
  readonly bosses: readonly string[];
  readonly phases: readonly RaidPhase[];
  readonly mechanics: readonly RaidMechanic[];
}

export interface RaidFight {
  readonly fight: FightRow;
  readonly report: ReportRow;
  readonly length_s: number;
  readonly players: readonly FightPlayer[];
  readonly deaths: readonly FightDeath[];
  readonly missing: readonly string[];
  readonly rates: FightRates;
}

export interface RaidMechanic {
  readonly name: string;
  readonly kind: string;
  readonly advice: string;
}

export interface RaidPhase {
  readonly name: string;
  readonly health: number | null;
  readonly at_s: number | null;
  readonly downtime: boolean;
}

export interface RaidPlayer {
  readonly name: string;
  readonly realm: string;
  readonly class_name: string;
}

export interface RaidPlayerFight {
  readonly name: string;
  readonly realm: string;
  readonly length_s: number;
  readonly alive_s: number;
  readonly damage: readonly AbilityView[];
  readonly healing: readonly AbilityView[];
  readonly taken: readonly AbilityView[];
  readonly buffs: readonly UptimeView[];
  readonly debuffs: readonly UptimeView[];
  readonly enemy_debuffs: readonly UptimeView[];
}

export interface RaidReport {
  readonly report: ReportRow;
  readonly fights: readonly FightRow[];
  readonly players: readonly RaidPlayer[];
  readonly bad_lines: readonly UnreadLines[];
  readonly same_night: readonly string[];
  readonly advanced: boolean;
  readonly build: string;
}

export interface Rated {
  readonly status: string;
  readonly session_id: string;
  readonly rating: string;
}

export interface ReActStep {
  readonly step_number: number;
  readonly thought: string;
  readonly action: ToolCall | null;
  readonly observation: ToolResult | null;
  readonly status: "completed" | "failed" | "pending" | "running";
  readonly state: "cancelled" | "completed" | "error" | "executing" | "observing" | "planning";
  readonly model_tier: "balanced" | "fast" | "powerful";
  readonly timestamp: string;
  readonly parallel: readonly ParallelCall[];
  readonly children: readonly ChildTurn[];
}

export interface ReactResponse {
  readonly success: boolean;
  readonly response: string;
  readonly steps: readonly ReActStep[];
  readonly plan: ExecutionPlan | null;
  readonly evaluation: QualityEvaluation | null;
  readonly session_id: string;
  readonly execution_time: number;
  readonly error: string | null;
}

export interface Ready {
  readonly status: "not ready" | "ready";
  readonly reason: string | null;
}

export interface ReasoningStep {
  readonly type: "act" | "answer" | "observe" | "think";
  readonly content: string;
  readonly tool_name: string | null;
  readonly tool_args: Readonly<Record<string, unknown>> | null;
  readonly timestamp: number;
  readonly agent: string;
}

export interface Removed {
  readonly removed: number | boolean;
}

export interface ReplayReport {
  readonly turn_id: string;
  readonly compared: number;
  readonly differences: readonly Difference[];
  readonly note: string;
}

export interface ReportRow {
  readonly code: string;
  readonly title: string;
  readonly zone: string;
  readonly name: string;
  readonly source: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly imported_at: number;
  readonly lines: number;
  readonly taken: number;
  readonly bad: number;
  readonly outside: number;
  readonly own: boolean;
  readonly shared: boolean;
  readonly reference: boolean;
  readonly fights: number;
  readonly kills: number;
  readonly size: number;
}

export interface ReportSharing {
  readonly shared: boolean;
}

export interface ResponseFormat {
  readonly type?: "text" | "json_object" | "json_schema";
  readonly json_schema?: NamedSchema | null;
}

export interface Retried {
  readonly kind: "job" | "turn";
  readonly id: string;
}

export interface ReviewedSession {
  readonly id: string;
  readonly user_id: string;
  readonly channel: "api" | "cli" | "schedule" | "web";
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly message_count: number;
  readonly status: "active" | "awaiting_approval" | "completed";
  readonly rating: "bad" | "good" | null;
  readonly rating_note: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly assistant: string;
  readonly last_active: string;
  readonly summary: string | null;
  readonly summary_turn_id: string | null;
  readonly forgotten_at: string | null;
  readonly branches: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly folder: string;
  readonly temporary: boolean;
  readonly turns: number;
  readonly failed: number;
  readonly tokens: number;
  readonly cost: number | null;
  readonly last_status: string | null;
}

export interface RuleView {
  readonly subject: string;
  readonly rule: AccessRule;
  readonly fixed: boolean;
}

export interface RunComparison {
  readonly before: RunHeader;
  readonly after: RunHeader;
  readonly differences: readonly MeasureDifference[];
  readonly note: string;
}

export interface RunHeader {
  readonly type: "run";
  readonly format: string;
  readonly version: number;
  readonly suite: string;
  readonly digest: string;
  readonly assistant: string;
  readonly model: string;
  readonly protocol: string;
  readonly offered: number;
  readonly started_at: number;
}

export interface RunSummary {
  readonly cases: number;
  readonly asked: number;
  readonly failed: number;
  readonly passed: SuccessRate;
  readonly destination: SuccessRate;
  readonly tool: SuccessRate;
  readonly arguments: SuccessRate;
  readonly answer: SuccessRate;
  readonly readable: SuccessRate;
  readonly answered: SuccessRate;
  readonly right_of_answered: SuccessRate;
  readonly steps: QuantileSpread;
  readonly input_tokens: QuantileSpread;
  readonly cached_tokens: QuantileSpread;
  readonly output_tokens: QuantileSpread;
  readonly seconds: QuantileSpread;
  readonly cost: number | null;
}

export interface RunView {
  readonly name: string;
  readonly head: RunHeader;
  readonly summary: RunSummary;
  readonly tags: Readonly<Record<string, RunSummary>>;
  readonly misses: readonly FailedCase[];
  readonly missed: number;
}

export interface RunningSessions {
  readonly sessions: readonly string[];
}

export interface ScheduleChange {
  readonly question?: string | null;
  readonly at?: string | null;
  readonly every?: string | null;
  readonly timezone?: string | null;
}

export interface ScheduleDetails {
  readonly schedule: ScheduleView;
  readonly runs: readonly ScheduleRun[];
}

export interface ScheduleRun {
  readonly schedule_id: string;
  readonly due_at: number;
  readonly attempt: number;
  readonly outcome: "failed" | "skipped" | "started";
  readonly turn_id: string | null;
  readonly missed: number;
  readonly note: string;
  readonly at: number;
}

export interface ScheduleView {
  readonly id: string;
  readonly question: string;
  readonly assistant: string;
  readonly model: string | null;
  readonly session_id: string;
  readonly when: string;
  readonly at: number | null;
  readonly every: string | null;
  readonly until: string | null;
  readonly timezone: string;
  readonly max_runs: number | null;
  readonly ends_at: number | null;
  readonly created_at: number;
  readonly status: "active" | "ended" | "paused";
  readonly reason: "by_user" | "condition" | "done" | "end_date" | "failures" | "max_runs" | null;
  readonly note: string;
  readonly next_at: number | null;
  readonly due_at: number | null;
  readonly turn_id: string | null;
  readonly runs: number;
  readonly failures: number;
}

export interface SeenEntries {
  readonly ids?: readonly string[] | null;
}

export interface ServerApproval {
  readonly tool: string;
  readonly digest: string;
}

export interface ServerStatus {
  readonly name: string;
  readonly file: string;
  readonly state: "disabled" | "failed" | "idle" | "running" | "starting" | "untrusted" | "unusable";
  readonly own: boolean;
  readonly reason: string;
  readonly launch: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  readonly tools: readonly ToolStatus[];
}

export interface Session {
  readonly id: string;
  readonly user_id: string;
  readonly channel: "api" | "cli" | "schedule" | "web";
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly message_count: number;
  readonly status: "active" | "awaiting_approval" | "completed";
  readonly rating: "bad" | "good" | null;
  readonly rating_note: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly assistant: string;
  readonly last_active: string;
  readonly summary: string | null;
  readonly summary_turn_id: string | null;
  readonly forgotten_at: string | null;
  readonly branches: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly folder: string;
  readonly temporary: boolean;
}

export interface SessionChange {
  readonly title?: string | null;
  readonly status?: "active" | "completed" | null;
  readonly pinned?: boolean | null;
  readonly archived?: boolean | null;
  readonly folder?: string | null;
}

export interface SessionFiles {
  readonly workspace: string;
  readonly context_name: string;
  readonly mode: string;
  readonly turns: readonly TurnChanges[];
}

export interface SessionFolder {
  readonly name: string;
  readonly sessions: number;
}

export interface SessionMessage {
  readonly id: number;
  readonly role: "assistant" | "tool" | "user";
  readonly content: string;
  readonly reasoning_trace: unknown;
  readonly tool_calls: unknown;
  readonly tokens_prompt: number | null;
  readonly tokens_completion: number | null;
  readonly latency_ms: number | null;
  readonly created_at: string;
  readonly turn_id: string | null;
  readonly replaced: boolean;
}

export interface SessionView {
  readonly session: Session;
  readonly messages: readonly SessionMessage[];
  readonly turns: readonly TurnLine[];
  readonly ratings: Readonly<Record<string, "bad" | "good">>;
}

export interface ShareOptions {
  readonly days?: number | null;
}

export interface ShareState {
  readonly shared_at: number | null;
  readonly turn_id: string | null;
  readonly expires_at: number | null;
}

export interface ShareToken {
  readonly token: string;
}

export interface SharedConversation {
  readonly title: string;
  readonly assistant: string;
  readonly shared_at: number;
  readonly turns: readonly SharedTurn[];
}

export interface SharedTurn {
  readonly id: string;
  readonly status: string;
  readonly question: string;
  readonly answer: string | null;
  readonly started_at: number;
}

export interface SignIn {
  readonly key: string;
}

export interface SignedIn {
  readonly csrf_token: string;
}

export interface SignedOut {
  readonly done: boolean;
  readonly provider_url: string | null;
}

export interface SpendLimits {
  readonly dollars_per_day: number | null;
  readonly dollars_per_month: number | null;
  readonly tokens_per_day: number | null;
  readonly tokens_per_month: number | null;
}

export interface Spent {
  readonly user_id: string;
  readonly period: string;
  readonly dollars: number;
  readonly tokens: number;
  readonly resets_at: number;
}

export interface StepRated {
  readonly rating: string;
  readonly note?: string | null;
  readonly target: string;
}

export interface StepRating {
  readonly turn_id: string;
  readonly target: string;
  readonly rating: "bad" | "good";
  readonly note: string | null;
  readonly by_user: string;
  readonly at: number;
}

export interface StoredRun {
  readonly name: string;
  readonly suite: string;
  readonly assistant: string;
  readonly model: string;
  readonly started_at: number;
  readonly summary: RunSummary | null;
  readonly problem: string;
}

export interface StreamOptions {
  readonly include_usage?: boolean | null;
}

export interface SuccessRate {
  readonly right: number;
  readonly of: number;
  readonly share: number | null;
  readonly low: number;
  readonly high: number;
}

export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly mended: "absent" | "closed" | "guessed" | null;
}

export interface ToolFigures {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly cached: number;
  readonly p50_ms: number | null;
}

export interface ToolForm {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly read_only: boolean;
  readonly idempotent: boolean;
}

export interface ToolOperation {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly turn_id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly path: string;
  readonly operation: string;
  readonly bytes: number;
  readonly outcome: "done" | "failed" | "refused";
  readonly why: string;
}

export interface ToolResult {
  readonly success: boolean;
  readonly output: string;
  readonly error: string | null;
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly requires_confirmation: boolean;
  readonly cached: boolean;
  readonly duration_ms: number;
  readonly cause: "answered" | "cancelled" | "failed" | "halted" | "in_doubt" | "planned" | "ran" | "refused" | "stopped" | "unlogged";
  readonly effect_unknown: boolean;
  readonly sourced: readonly string[] | null;
  readonly shown_chars: number | null;
  readonly is_answer: boolean;
  readonly labels: Labels | null;
}

export interface ToolStatus {
  readonly tool: string;
  readonly state: "left_out" | "new" | "offered" | "refused" | "withheld";
  readonly name: string;
  readonly reason: string;
  readonly description: string;
  readonly accepted_description: string;
  readonly effect: "external" | "read" | "write";
  readonly confirm: boolean;
  readonly digest: string;
  readonly accepted: ToolForm | null;
  readonly now: ToolForm | null;
}

export interface ToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolUseFigures {
  readonly rows: readonly ToolUseRow[];
  readonly assistants: Readonly<Record<string, number>>;
  readonly turns: number;
  readonly turns_read: number;
}

export interface ToolUseResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: unknown;
  readonly is_error: boolean;
}

export interface ToolUseRow {
  readonly tool: string;
  readonly assistant: string;
  readonly turns: number;
  readonly calls: number;
  readonly failed: number;
  readonly cached: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly max_ms: number | null;
  readonly reasons: Readonly<Record<string, number>>;
}

export interface ToolView {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly effect: "external" | "read" | "write";
  readonly confirm: boolean;
  readonly grant: "command" | "folder" | "never" | "tool";
  readonly server: string | null;
}

export interface TurnChanges {
  readonly turn_id: string;
  readonly at: number;
  readonly undoes: string;
  readonly undone: boolean;
  readonly files: readonly DiffPreview[];
  readonly conflicts: readonly string[];
  readonly left_out: number;
}

export interface TurnLine {
  readonly id: string;
  readonly assistant: string;
  readonly status: string;
  readonly question: string;
  readonly answer: string | null;
  readonly error: string | null;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  readonly previous_turn_id: string;
  readonly on_path: boolean;
}

export interface TurnMessage {
  readonly text: string;
}

export interface TurnView {
  readonly id: string;
  readonly session_id: string;
  readonly assistant: string;
  readonly status: string;
  readonly question: string;
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly response: ReactResponse;
  readonly left_out: number;
  readonly approvals: readonly ApprovalRequested[];
  readonly questions: readonly QuestionAsked[];
}

export interface UndoConfirmation {
  readonly digest: string;
}

export interface UndoPlan {
  readonly turn_id: string;
  readonly files: readonly UndoneFile[];
  readonly digest: string;
  readonly undo_id: string;
}

export interface UndoneFile {
  readonly path: string;
  readonly action: "conflict" | "merge" | "move" | "none" | "remove" | "restore";
  readonly why: string;
  readonly diff_preview: DiffPreview | null;
  readonly conflicts: readonly MergeConflict[];
}

export interface UnreadLines {
  readonly reason: string;
  readonly count: number;
  readonly first: readonly (readonly [number, string])[];
}

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly created_at: number;
  readonly purpose: string;
}

export interface UptimeView {
  readonly name: string;
  readonly kind: string;
  readonly percent: number;
  readonly applied: number;
}

export interface UserRow {
  readonly name: string;
  readonly created_at: number;
  readonly keys: number;
  readonly last_used_at: number | null;
  readonly display_name: string | null;
}

export interface UserSpending {
  readonly user: string;
  readonly today: Spent;
  readonly month: Spent;
  readonly limits: SpendLimits;
}

export interface UsersView {
  readonly auth: "keys" | "local" | "proxy";
  readonly users: readonly UserRow[];
  readonly keys: readonly KeyRow[];
}

export interface Visitor {
  readonly me: Me | null;
  readonly openid: boolean;
}

export interface WaitingMessage {
  readonly number: number;
  readonly text: string;
  readonly by: string;
}

export interface WantedModel {
  readonly model: string;
}

export interface WeightsView {
  readonly name: string;
  readonly title: string;
  readonly purpose: string;
  readonly state: string;
  readonly bytes: number;
  readonly size: number;
  readonly job: JobView | null;
}

export interface WorkspaceFile {
  readonly path: string;
  readonly text: string;
  readonly size: number;
}
