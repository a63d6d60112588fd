"""The state of a turn: everything the next step depends on. `fold` makes it of the events."""

from typing import Literal

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.observations import CallState, ObservationRoom
from glassloop.core.messages import (
    Message,
    Purpose,
)
from glassloop.core.records import (
    Evidence,
    ExecutionPlan,
    QualityEvaluation,
    Refusal,
    RouteDecision,
    ToolResult,
)


class TurnState(msgspec.Struct, kw_only=True):
    """Everything the next step depends on."""

    turn_id: str = ""
    seq: int = 0
    status: Literal["running", "paused", "completed", "failed", "cancelled"] = "running"
    started: e.TurnStarted | None = None
    started_at: float = 0.0
    last_at: float = 0.0
    paused_at: float | None = None
    room: ObservationRoom = ObservationRoom()
    question: str = ""
    epoch: int = 0
    history_loaded: bool = False
    command: str | None = None
    messages: list[Message] = []
    tokens: int = 0
    compactions: int = 0
    route: RouteDecision | None = None
    shortlist: tuple[str, ...] | None = None
    plan: ExecutionPlan | None = None
    plan_done: set[int] = set()
    plan_failed: int | None = None
    plan_error: str = ""
    plan_told_back: bool = False
    iterations: int = 0
    calls: dict[str, CallState] = {}
    open_calls: int = 0
    call_ids: set[str] = set()
    numbered: int = 0
    """Calls so far, plans not counted."""
    tool_calls: int = 0
    results: dict[int, ToolResult] = {}
    observations: list[tuple[str, ToolResult]] = []
    cut_results: dict[str, str] = {}
    left_out: list[Message] = []
    """What left the context for a summary, or was cleared."""
    failures: set[str] = set()
    last_tool: str = ""
    complaints: int = 0
    complained_of: Literal["", "reply", "call", "answer"] = ""
    """What was sent back last, until a decision stands. A reply that could not be read is neither call nor answer."""
    doubted: Refusal | None = None
    """What the review objects to in the calls of the step under way, which stand nevertheless."""
    not_again: str = ""
    """The tool of a call that was sent back since it had been made already: it is not offered for the next decision."""
    continued: str = ""
    """What is kept of an answer that was cut short, until the draft that goes on with it."""
    draft: str | None = None
    draft_purpose: Purpose = "decide"
    draft_block: int = 0
    draft_unreadable: bool = False
    draft_refused: bool = False
    draft_withheld: bool = False
    answer_withheld: bool = False
    """Whether a guardrail sent an answer back."""
    draft_cut: e.EndReason | None = None
    draft_is_childs: bool = False
    """It is the answer of a turn that the question was handed to."""
    rejected: str | None = None
    verdict: QualityEvaluation | None = None
    """Of the draft that was rejected."""
    answer: e.AnswerGiven | None = None
    received: int = 0
    """The number of the last message that was taken in."""
    more_steps: int = 0
    """Beyond the limit: one for each message that was taken in."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    priced_calls: int = 0
    unpriced_calls: int = 0
    child_evidence: dict[str, Evidence] = {}
    """Of the answers of child turns, by the calls they answer."""

    @property
    def totals(self) -> e.Totals:
        return {
            "iterations": self.iterations,
            "tool_calls": self.tool_calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost if self.priced_calls or not self.unpriced_calls else None,
            "unpriced_calls": self.unpriced_calls,
        }

    def say(self, message: Message, size: int) -> None:
        """Adds to the transcript."""
        self.messages.append(message)
        self.tokens += size

    def hand_over(self, result: ToolResult) -> None:
        """The answer of the turn that the question was handed to is this one's."""
        self.draft, self.draft_purpose, self.draft_block = result.output, "decide", 0
        self.draft_unreadable = self.draft_refused = self.draft_withheld = False
        self.draft_is_childs = True
        reason = result.metadata.get("stop_reason", "answered")
        self.draft_cut = None if reason == "answered" else reason
