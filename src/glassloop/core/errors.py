"""Every error Glassloop raises on purpose; a layer may add kinds of its own below these.

GlassloopError
├── UsageError            the caller's: a name, key, limit, file or signature that cannot work
│   ├── UnknownName       a model, tool or command that does not exist
│   │   └── UnknownAssistant  an assistant that does not exist
│   ├── MissingKey        a provider without its key
│   ├── TooManyTurns      more than the limits of a session or a user allow for now
│   ├── AccessDenied      a model or assistant that the user may not use
│   └── ApprovalMismatch  an approval that is not for what was shown
├── ModelError            the provider's
│   ├── ModelUnavailable  passing: retried, then the tier's fallback model
│   └── ModelRejected     final: bad request, blocked content
│       ├── ModelUnusable bad key, unknown model, unpaid: another model may still answer
│       └── SpendLimitReached  the user has spent what they may for now
├── ToolError             the tool's: becomes an observation, the loop goes on
│   ├── BadArguments      the model can mend it: the arguments do not fit
│   ├── ToolTimedOut      part of its work took too long: of an effect the outcome is then unknown
│   └── ToolUnavailable   passing: retried where doing it twice does no harm
└── StoreError            the log could not be read or written
    ├── StoreAway         for now: the database cannot be reached, is full or is locked; trying again may help
    ├── MessagesWaiting   the turn cannot end yet: a message was sent to it that it has not taken in
    └── TurnLost          another worker runs this turn: stop, write nothing, have no effect

Messages quote the value at fault and name the remedy. This module does not log and does not decide what is retried.
"""

from typing import ClassVar, Literal

ErrorType = Literal["llm_error", "tool_error", "db_error", "validation_error", "system_error"]


class GlassloopError(Exception):
    """The base of all of them; `error_type` is the contract's word for its kind."""

    error_type: ClassVar[ErrorType] = "system_error"


class UsageError(GlassloopError):
    """The caller asked for something that cannot work; the message says what to do instead."""

    error_type = "validation_error"


class UnknownName(UsageError):
    """A name that nothing answers to."""


class UnknownAssistant(UnknownName):
    """No assistant has that name here."""


class MissingKey(UsageError):
    """A provider whose key is not set."""


class TooManyTurns(UsageError):
    """A limit of a session or a user is reached; `retry_after` says in how many seconds it is worth trying again."""

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AccessDenied(UsageError):
    """Somebody asked for what the operator does not let them use."""


class ApprovalMismatch(UsageError):
    """A decision that names another call, or other arguments, than the ones shown."""


class ModelError(GlassloopError):
    """The model could not be used."""

    error_type = "llm_error"


class ModelUnavailable(ModelError):
    """The provider is away, overloaded or broke off; `retry_after` is what it asked for, in seconds."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRejected(ModelError):
    """The provider will not answer this request however often it is sent."""


class ModelUnusable(ModelRejected):
    """This model cannot be had at all, as it is configured; its fallback is asked instead."""


class SpendLimitReached(ModelRejected):
    """The next call might pass what the user may spend; `resets_at` says when they may again."""

    error_type = "validation_error"

    def __init__(self, message: str, *, resets_at: float) -> None:
        super().__init__(message)
        self.resets_at = resets_at


class ToolError(GlassloopError):
    """Raised by a tool to say, in words for the model, why it could not do its work."""

    error_type = "tool_error"


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema; the message says which and why."""


class ToolTimedOut(ToolError):
    """A part of the tool's work took longer than the tool allows it, and was stopped in the middle."""


class ToolUnavailable(ToolError):
    """What the tool stands on is away for now."""


class StoreError(GlassloopError):
    """The event log is away or refused a write; nothing is reported as stored that is not. `shown` is the message for
    users, where the error's own says what only operators may read: where the database is, and what its driver said."""

    error_type = "db_error"

    def __init__(self, message: str, *, shown: str = "") -> None:
        super().__init__(message)
        self.shown = shown or message


def text_for_users(error: BaseException) -> str:
    """The error in words, without what is for operators alone."""
    return error.shown if isinstance(error, StoreError) else str(error)


class StoreAway(StoreError):
    """The log cannot be written for now. Nothing is known to be stored; the same events may be given again."""


class MessagesWaiting(StoreError):
    """The end of a turn was not stored: a person sent it a message that it has not taken in."""


class TurnLost(StoreError):
    """This worker no longer owns the turn: it must stop without a word, and must not have effects."""


def error_type_of(error: BaseException) -> ErrorType:
    """The contract's word for any error: one that was not raised on purpose is the system's."""
    return error.error_type if isinstance(error, GlassloopError) else "system_error"
