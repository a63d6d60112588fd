"""Records of the contract: values stored as JSON and sent to clients under these names.

Plain frozen values. The loop and the projections make them.
"""

from typing import Any, Final, Literal

import msgspec

from glassloop.core.labels import OWN, Labels

Complexity = Literal["simple", "medium", "complex"]
StepStatus = Literal["pending", "running", "completed", "failed"]
StepPhase = Literal["planning", "executing", "observing", "completed", "cancelled", "error"]
Tier = Literal["fast", "balanced", "powerful"]
Cause = Literal[
    "ran", "refused", "unlogged", "stopped", "cancelled", "failed", "halted", "in_doubt", "planned", "answered"
]
"""Why a call has the result it has. `ran`: the tool gave it, be it an error. `refused`: a rule, a limit or a person did
not let it start. `unlogged`: its intent could not be stored, so it did not start. `stopped`, `cancelled`, `failed`: the
turn ran out of time, was cancelled or failed before there was a result. `halted`: a required call beside it failed.
`in_doubt`: it was cut off, and nobody knows whether it took effect. `planned`: it was a plan, which the runtime takes
down itself. `answered`: it was a question to the person, and this is what they said."""

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of the same."""
Mend = Literal["closed", "guessed", "absent"]
"""Why a call's arguments may not be what the model meant: their text ended in the middle and what was open was closed;
it could be read in more than one way; or nothing of it came."""

MAX_DISPLAY_CHARS = 60
"""Of what a user wants to be called."""

REDACTED = "[redacted]"
"""Stands in a log where a secret stood. A call whose arguments hold it never runs."""


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of all records. JSON values hold no cycles, so the garbage collector need not look at them."""


class ToolCall(Record, frozen=True, kw_only=True):
    """A tool asked for by name. `id` is unique within its turn; `mended` is None where the arguments are certain."""

    id: str
    tool: str
    """Its name."""
    args: dict[str, Json] = {}
    """Its arguments, as the model wrote them."""
    mended: Mend | None = None


class Attachment(Record, frozen=True, kw_only=True):
    """An image or a file that a person gave with a question. `text` is what was read of it; where there is none, the
    model is shown its bytes, which are stored once for each session under `sha256`. Of a long text, of `chars`
    characters, `text` is the beginning, and all of it is stored there."""

    name: str
    media_type: str
    size: int
    sha256: str = ""
    text: str = ""
    width: int = 0
    height: int = 0
    chars: int = 0

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")

    @property
    def tokens(self) -> int:
        """A guess at what its bytes cost a model to see: an image by its pixels, a document by its size."""
        if not self.is_image:
            return min(1_500 + self.size // 50, 200_000)
        return min(max(self.width * self.height // 750, 258), 1_600) if self.width else 1_600

    @property
    def label(self) -> str:
        """What it is, in a few words."""
        kind = "image" if self.is_image else "file"
        pixels = f", {self.width}×{self.height}" if self.width else ""
        return f'{kind} "{self.name}" ({self.media_type}{pixels})'


CHANGED: Final = "changed"
"""The metadata of a result that names the files it changed."""
UNDO: Final = "undo"
"""The metadata of a result that says which command takes its changes back."""


class ToolResult(Record, frozen=True, kw_only=True):
    """What a tool answered: `output` as text to read, `data` as the value itself when it is not text."""

    success: bool
    """Whether the tool did its work."""
    output: str = ""
    error: str | None = None
    """Why it did not, in words for the model."""
    data: Json = None
    metadata: dict[str, Json] = {}
    """What else is known of the call, for people and programs."""
    requires_confirmation: bool = False
    """It did not run: a person refused it."""
    cached: bool = False
    """It is the result of an equal call before."""
    duration_ms: float = 0.0
    """How long it ran."""
    cause: Cause = "ran"
    """Why the call has this result."""
    effect_unknown: bool = False
    """It had started and was cut off: whether it took effect is not known."""
    sourced: tuple[str, ...] | None = None
    """Of a result that repeats what an assistant said: the figures in it that had a source. None: an observation."""
    shown_chars: int | None = None
    """So many characters of the output are shown to a model, which can read on; None: as many as there is room for."""
    is_answer: bool = False
    """The question was handed over, and this is its answer: no model is asked again."""
    labels: Labels | None = None
    """Of what the tool gave. Null: as nobody declared them, untrusted and the user's."""

    @property
    def text(self) -> str:
        """What is told of it: its output, after the error where it failed."""
        return self.output if self.success else f"{self.error}\n{self.output}".rstrip()

    @property
    def told_labels(self) -> Labels | None:
        """The labels of its text. Where the tool did not run, the words are the runtime's or the person's."""
        return self.labels if self.cause == "ran" or self.cause == "in_doubt" else OWN

    @property
    def never_ran(self) -> bool:
        """Whether it is certain that the tool did not begin."""
        return self.cause not in ("ran", "in_doubt") and not self.effect_unknown

    @property
    def value(self) -> Json:
        """What a `${step1.result}` reference stands for, with its type."""
        return self.output if self.data is None else self.data


class Refusal(Record, frozen=True, kw_only=True):
    """What the review objects to in a decision (`figure`, `id` or `repeated`), and the parameter that it is about, or
    the tool that was called again."""

    reason: str
    parameter: str = ""
    tool: str = ""


class Decision(Record, frozen=True, kw_only=True):
    """What a model's reply comes down to: calls, or an answer, or a complaint to tell back; always one of the three."""

    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    answer: str | None = None
    complaint: str | None = None
    unreadable: bool = False
    """The answer is only what could be read of a reply that made no sense."""
    refused: Refusal | None = None
    """The complaint is about what was decided, which could be read. With calls: they stand although the review objects,
    and a person is asked about their effects."""
    withheld: bool = False
    """A guardrail stopped the answer: the complaint, or the answer in its place, says why."""


class ParallelCall(Record, frozen=True, kw_only=True):
    """A further call of a step, with its result."""

    action: ToolCall
    observation: ToolResult | None = None


class ChildTurn(Record, frozen=True, kw_only=True):
    """A sub-agent's turn, which answered the call `call_id`; usage includes that of its own children."""

    call_id: str
    turn_id: str
    """Its own id. Its events lie in the log of the turn that asked it."""
    assistant: str
    """The sub-agent's name."""
    question: str
    """What it was asked."""
    status: Literal["running", "paused", "completed", "failed", "cancelled"] = "running"
    """Where it is; `paused`: it waits for people."""
    answer: str = ""
    """What it answered; empty until it has."""
    error: str | None = None
    """Why it has no answer."""
    steps: "tuple[ReActStep, ...]" = ()
    """Its steps, with the children of its own."""
    tool_calls: int = 0
    """How many calls of tools it made."""
    input_tokens: int = 0
    """Tokens that its models read."""
    output_tokens: int = 0
    """Tokens that its models wrote."""
    cost: float | None = None
    """In US dollars; None where no price is known."""
    seconds: float = 0.0
    """How long it took."""


class ReActStep(Record, frozen=True, kw_only=True):
    """One thought with its action and observation, or with the answer. A thought that led to several calls has the
    others in `parallel`: there are never more steps than iterations."""

    step_number: int
    """Counted from 1."""
    thought: str
    """What the model thought before it acted; where it wrote none, which tools it uses."""
    action: ToolCall | None = None
    """The first call; None where the step is the answer."""
    observation: ToolResult | None = None
    """What that call gave; None until it has ended."""
    status: StepStatus = "pending"
    """How it went; `failed` where every call did."""
    state: StepPhase = "planning"
    """How far it is."""
    model_tier: Tier = "balanced"
    """Which of the agent's models decided."""
    timestamp: str = ""
    """When it began, in ISO 8601 and UTC."""
    parallel: tuple[ParallelCall, ...] = ()
    children: tuple[ChildTurn, ...] = ()
    """The turns of sub-agents that answered its calls."""

    @property
    def calls(self) -> tuple[ParallelCall, ...]:
        """All calls of the step, each as an `action` (`ToolCall`) and its `observation` (`ToolResult`)."""
        if self.action is None:
            return ()
        return (ParallelCall(action=self.action, observation=self.observation), *self.parallel)


class PlanStep(Record, frozen=True, kw_only=True):
    """One piece of advice: which tool (`answer` where none is needed), with what, after which step."""

    step_number: int
    description: str
    tool_name: str
    parameters: dict[str, Json] = {}
    required: bool = True
    depends_on: int | None = None


class ExecutionPlan(Record, frozen=True, kw_only=True):
    """How a query might be answered. Advice to the model, not orders."""

    query: str
    complexity: Complexity
    steps: tuple[PlanStep, ...] = ()
    estimated_iterations: int = 1


class QualityEvaluation(Record, frozen=True, kw_only=True):
    """How good an answer is, 0–10, and what it lacks."""

    completeness_score: float
    quality_score: float
    missing_info: tuple[str, ...] = ()
    needs_retry: bool = False
    suggestions: tuple[str, ...] = ()


class RouteDecision(Record, frozen=True, kw_only=True):
    """Which domain a question belongs to."""

    destination: str
    reasoning: str = ""
    secondary_domains: tuple[str, ...] = ()
    confidence: float = 1.0


FigureOrigin = Literal[
    "call", "question", "context", "earlier_call", "earlier_words", "earlier_answer", "computed", "asked"
]
"""Where a figure stands: in an observation of this turn or an earlier one, in the question, in what was given with it,
in what the person said before, in an earlier answer that had a source for it, nowhere but worked out from such figures,
or only in an argument of the model's own that the call repeated, which is no source."""


class Figure(Record, frozen=True, kw_only=True):
    """A figure, date, identifier or quoted name in an answer, and where it came from.

    `start` and `end` are character offsets into the answer. `source` is the call whose observation holds it, else the
    `origin` in a word; null: nothing holds it. `found` is the text as it stands there, or how it was worked out, and
    `path` the place of the value in the observation's data (`["rows", 3, "total"]`).
    """

    text: str
    """As it stands in the answer."""
    kind: Literal["number", "date", "identifier", "name"]
    """What it is."""
    start: int
    end: int
    source: str | None = None
    origin: FigureOrigin | None = None
    """Where it stands. `call`, `earlier_call`: in an observation of this turn or an earlier one. `question`, `context`,
    `earlier_words`: in what the person gave. `earlier_answer`: in one that had a source for it. `computed`: nowhere,
    but worked out from such figures. `asked`: only in an argument of the model's own, which is no source."""
    found: str | None = None
    path: tuple[str | int, ...] = ()


class Evidence(Record, frozen=True, kw_only=True):
    """Every figure of an answer, with the number of those that have a source. Empty where no tool observed anything."""

    figures: tuple[Figure, ...] = ()
    """In the order they stand in the answer."""
    sourced: int = 0
    """How many of them have a source."""

    @property
    def unsupported(self) -> tuple[Figure, ...]:
        """The figures that nothing holds: the model's own."""
        return tuple(figure for figure in self.figures if figure.source is None)

    @property
    def sourced_texts(self) -> tuple[str, ...]:
        """What an answer may be quoted for later; each text once."""
        with_source = (one.text for one in self.figures if one.source is not None and one.origin != "asked")
        return tuple(dict.fromkeys(with_source))


class ReactResponse(Record, frozen=True, kw_only=True):
    """The whole turn as one answer."""

    success: bool
    """Whether there is an answer."""
    response: str
    """The answer."""
    steps: tuple[ReActStep, ...] = ()
    """Each thought with its calls and what they observed."""
    plan: ExecutionPlan | None = None
    """The plan that the model wrote."""
    evaluation: QualityEvaluation | None = None
    """How good the answer is, where reflection is on."""
    session_id: str = ""
    """The conversation."""
    execution_time: float = 0.0
    """Seconds from the question to the answer."""
    error: str | None = None
    """Why there is no answer."""


class ReasoningStep(Record, frozen=True, kw_only=True):
    """A step as the session review shows it; `timestamp` in seconds since the epoch."""

    type: Literal["think", "act", "observe", "answer"]
    content: str
    tool_name: str | None = None
    tool_args: dict[str, Json] | None = None
    timestamp: float
    agent: str = ""
    """Of a step inside a sub-agent's turn: whose it is, from the outermost on (`research / figures`)."""


class ConversationTurn(Record, frozen=True, kw_only=True):
    """A finished turn as the conversation remembers it; `sourced` are the figures of its answer that have a source."""

    id: str
    session_id: str
    user_query: str
    agent_response: str
    steps: tuple[ReActStep, ...] = ()
    plan: ExecutionPlan | None = None
    evaluation: QualityEvaluation | None = None
    created_at: str = ""
    sourced: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    labels: Labels | None = None
    """Of all that the answer may follow from; null where nobody knows."""
