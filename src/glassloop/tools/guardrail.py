"""Guardrails: functions that look at a question, a call, a result or an answer, and let it pass, stop it or rewrite it.

Owns what a guardrail is and what it may answer. The runtime calls them, the loop does what they say.
"""

import inspect
import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.events import GuardrailStage
from glassloop.core.records import Json, ToolCall, ToolResult

if TYPE_CHECKING:
    from glassloop.tools.plugin import HookedTurn

T = TypeVar("T")

TIMEOUT_S = 10.0
STAGES: tuple[GuardrailStage, ...] = ("input", "call", "result", "output")


class Stop(msgspec.Struct, frozen=True):
    """Does not pass. The reason is a sentence: for the person where it is a question or an answer, for the model where
    it is a call, a result or an answer that it may write anew."""

    reason: str
    """That sentence."""


class Rewrite(msgspec.Struct, Generic[T], frozen=True):
    """Passes as `value`: text for a question or an answer, arguments for a call, what a tool may return for a
    result."""

    value: T
    reason: str = ""
    """Why, for the log."""


TextAnswer = Stop | Rewrite[str] | None
CallAnswer = Stop | Rewrite[dict[str, Json]] | None
ResultAnswer = Stop | Rewrite[Any] | None
TextCheck = (
    Callable[[str], TextAnswer | Awaitable[TextAnswer]]
    | Callable[[str, "HookedTurn[Any]"], TextAnswer | Awaitable[TextAnswer]]
)
CallCheck = (
    Callable[[ToolCall], CallAnswer | Awaitable[CallAnswer]]
    | Callable[[ToolCall, "HookedTurn[Any]"], CallAnswer | Awaitable[CallAnswer]]
)
ResultCheck = (
    Callable[[ToolResult], ResultAnswer | Awaitable[ResultAnswer]]
    | Callable[[ToolResult, "HookedTurn[Any]"], ResultAnswer | Awaitable[ResultAnswer]]
)


class Guardrail:
    """Made by `@guardrail`; can still be called as the function it was."""

    def __init__(
        self,
        function: Callable[..., Any],
        stages: tuple[GuardrailStage, ...],
        name: str = "",
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.function = function
        self.stages = stages
        self.name = name or getattr(function, "__name__", "")
        self.timeout_s = timeout_s
        self.takes_turn = _takes_turn(function, self.name)
        self.threaded = not inspect.iscoroutinefunction(function)
        _check(self)

    def __repr__(self) -> str:
        return f"<Guardrail {self.name!r} on {', '.join(self.stages)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


@overload
def guardrail(
    stage: Literal["input", "output"],
    other: Literal["input", "output"] | None = None,
    /,
    *,
    name: str = "",
    timeout_s: float = TIMEOUT_S,
) -> Callable[[TextCheck], Guardrail]: ...
@overload
def guardrail(
    stage: Literal["call"], /, *, name: str = "", timeout_s: float = TIMEOUT_S
) -> Callable[[CallCheck], Guardrail]: ...
@overload
def guardrail(
    stage: Literal["result"], /, *, name: str = "", timeout_s: float = TIMEOUT_S
) -> Callable[[ResultCheck], Guardrail]: ...
def guardrail(
    stage: GuardrailStage, other: GuardrailStage | None = None, /, *, name: str = "", timeout_s: float = TIMEOUT_S
) -> Callable[[Any], Guardrail]:
    """Makes a guardrail of a function, async or plain (a plain one runs in a thread): `@guardrail("input")`. `stage` is
    what it looks at, `other` a second one, `name` what events call it.

    The function gets the text of the question (`input`) or of the answer (`output`), the `ToolCall` (`call`) or the
    `ToolResult` (`result`), and as its second parameter, if it has one, the `HookedTurn`. It returns None to let it
    pass, `Stop(reason)` or `Rewrite(value, reason)`. One that raises, or is not done within `timeout_s` seconds, stops.
    """
    stages = (stage,) if other is None else (stage, other)

    def decorate(function: Callable[..., Any]) -> Guardrail:
        return Guardrail(function, stages, name, timeout_s)

    return decorate


def _takes_turn(function: Callable[..., Any], name: str) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        pass
    else:
        return True
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        raise UsageError(
            f"The guardrail {name!r} must take what it looks at and may take the turn: write `def {name}(value, turn)`."
        ) from None
    return False


def _check(made: Guardrail) -> None:
    for stage in made.stages:
        if stage not in STAGES:
            raise UsageError(
                f"The guardrail {made.name!r} is for {stage!r}, which there is not: use 'input', 'call', 'result' or "
                "'output'."
            )
    if len(made.stages) > 1 and set(made.stages) != {"input", "output"}:
        raise UsageError(f"The guardrail {made.name!r} can be for 'input' and 'output' at once, or for one stage.")
    if not 0 < made.timeout_s < math.inf:
        raise UsageError(f"The guardrail {made.name!r}: timeout_s is {made.timeout_s!r}; give seconds above 0.")
