"""Rows of the tables as values: sessions, messages, turns, jobs, schedules. Times of the first two are ISO 8601."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from glassloop.core.records import Json, Record

ANONYMOUS = "anonymous"
"""Whose the turns are where nobody is named: anybody, so that they are not counted as one user's."""

EVAL_USER = "eval"
"""Whose the turns of `glassloop eval` are: nobody asked them, so they are in no list or figure of everybody's."""

IMPORTED = "imported"
"""In the settings of a turn that came with an import: its log may be somebody else's."""

BACKGROUND = "background"
"""In the settings of a turn that nobody watches: its result waits for its user."""

Channel = Literal["web", "api", "cli", "schedule"]
SessionStatus = Literal["active", "completed", "awaiting_approval"]
TurnStatus = Literal["running", "paused", "completed", "failed", "cancelled"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
JobEnding = Literal["completed", "failed", "cancelled"]
ScheduleStatus = Literal["active", "paused", "ended"]
ScheduleReason = Literal["by_user", "failures", "done", "condition", "max_runs", "end_date"]
RunOutcome = Literal["started", "skipped", "failed"]
Rating = Literal["good", "bad"]
Role = Literal["user", "assistant", "tool"]


class Session(Record, frozen=True, kw_only=True):
    """A conversation of one user. `summary` tells the turns up to `summary_turn_id`; memory does not tell turns
    that started before `forgotten_at`."""

    id: str
    user_id: str
    channel: Channel
    started_at: str
    ended_at: str | None
    message_count: int
    status: SessionStatus
    rating: Rating | None
    rating_note: str | None
    metadata: dict[str, Json]
    title: str
    assistant: str
    last_active: str
    summary: str | None
    summary_turn_id: str | None
    forgotten_at: str | None
    branches: int = 0
    """How often a turn followed another one than the newest: an edited question, another version of an answer."""
    pinned: bool = False
    archived: bool = False
    """Whether it is listed among the archived ones only."""
    folder: str = ""
    """The user's folder that it is in; empty is none."""
    temporary: bool = False
    """Whether it is listed nowhere, found by no search, told to no other conversation, and deleted after a day."""


class SessionMessage(Record, frozen=True, kw_only=True):
    """Something said in a session. `turn_id` when it is the question or answer of a turn."""

    id: int
    role: Role
    content: str
    reasoning_trace: Json
    tool_calls: Json
    tokens_prompt: int | None
    tokens_completion: int | None
    latency_ms: float | None
    created_at: str
    turn_id: str | None = None
    replaced: bool = False
    """Whether it is of a turn that another version replaced."""


class TurnRow(Record, frozen=True, kw_only=True):
    """A turn as the scheduler and lists see it; times are seconds since the epoch. The log has the rest."""

    id: str
    session_id: str
    user_id: str
    assistant: str
    status: TurnStatus
    epoch: int
    worker: str
    lease_until: float
    claimed_seq: int
    claims_without_progress: int
    started_at: float
    finished_at: float | None
    question: str
    answer: str | None
    error: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    latency_ms: float | None
    cancel_requested: bool
    messages_sent: int
    """After its question: its log tells those that it took in."""
    unseen: bool
    """Whether its result waits for its user: it was started in the background, and not looked at since."""
    cpu_work: str | None = None
    """The CPU-bound work that its worker does for it now."""
    died_in: str | None = None
    """The CPU-bound work in which its process last ended."""
    deaths: int = 0
    """How often in a row its process ended in such work."""
    previous_turn_id: str | None = None
    """As in its `turn_started`."""
    on_path: bool = True
    """Whether it leads to the session's newest turn; what does not was replaced, and is not told to models."""


class JobRow(Record, frozen=True, kw_only=True):
    """Long work that is no turn; times are seconds since the epoch. `version` grows with every change one can see,
    `epoch` and `claims` with every worker that takes it."""

    id: str
    kind: str
    user_id: str
    status: JobStatus
    params: dict[str, Json]
    message: str
    fraction: float | None
    result: Json
    error: str | None
    worker: str
    epoch: int
    lease_until: float
    claims: int
    cancel_requested: bool
    version: int
    created_at: float
    started_at: float | None
    finished_at: float | None
    cpu_work: str | None = None
    """The CPU-bound work that its worker does for it now."""
    died_in: str | None = None
    """The CPU-bound work in which its process last ended."""
    deaths: int = 0
    """How often in a row its process ended in such work without getting further than `died_fraction`."""
    died_fraction: float | None = None


class ScheduleRow(Record, frozen=True, kw_only=True):
    """A question that is asked at a time (`at`), again and again (`every`), or `until` a condition holds. Times are
    seconds since the epoch.

    `reason` is why it is paused or ended, `note` the same in words. `next_at` is the next due time, `wake_at` when it
    is looked at next: then, or sooner for a retry. `due_at` and `attempt` are of the last run, `turn_id` is its turn
    and `is_open` whether that is not known to be over. `failures` counts runs in a row. `unseen`: it paused or ended
    by itself, and its user has not looked since. `version` grows with every change.
    """

    id: str
    user_id: str
    session_id: str
    question: str
    wanted: dict[str, Json]
    at: float | None
    every: str | None
    until: str | None
    timezone: str
    max_runs: int | None
    ends_at: float | None
    created_at: float
    status: ScheduleStatus = "active"
    reason: ScheduleReason | None = None
    note: str = ""
    next_at: float | None = None
    wake_at: float | None = None
    due_at: float | None = None
    attempt: int = 0
    runs: int = 0
    failures: int = 0
    turn_id: str | None = None
    is_open: bool = False
    unseen: bool = False
    version: int = 1


class InboxRow(Record, frozen=True, kw_only=True):
    """What waits for a user at one moment, newest first. `turns` wait for a decision, then those whose result was not
    looked at; `schedules` paused or ended by themselves. `count` is of all of them, listed or not."""

    count: int
    turns: Sequence[TurnRow]
    schedules: Sequence[ScheduleRow]


class ScheduleRun(Record, frozen=True, kw_only=True):
    """What became of one due time: there is at most one of each attempt. `missed` is how many due times before it
    were found too late and are made up for by it."""

    schedule_id: str
    due_at: float
    attempt: int
    outcome: RunOutcome
    turn_id: str | None
    missed: int
    note: str
    at: float


class HealthReport(Record, frozen=True, kw_only=True):
    """The result of a check: `problems` in words, `counts` by table."""

    problems: tuple[str, ...]
    counts: dict[str, int]

    @property
    def ok(self) -> bool:
        return not self.problems


def to_iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def from_iso(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
