"""Runs the guardrails of an agent for one turn, as the loop's port `Guardrails`.

They are asked one after the other, each about what those before it made of the value. One that raises, takes too long
or answers with something else stops: what could not be checked does not pass.
"""

import asyncio
import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.events import GuardrailStage, TurnStarted
from glassloop.core.guardrails.port import GuardrailOutcome, Ruling
from glassloop.core.records import ToolCall, ToolResult
from glassloop.tools.guardrail import STAGES, Guardrail, Rewrite, Stop
from glassloop.tools.plugin import HookedTurn, Plugin
from glassloop.tools.result import to_json, to_result

REASON_CHARS = 500
MAX_TEXT_CHARS = 200_000
"""Of a question or an answer as a guardrail rewrote it."""

_log = logging.getLogger("glassloop.guardrails")


class GuardrailSet:
    """The guardrails of an agent, its own first, then those of its plugins; each with the name its data is under."""

    def __init__(self, own: Sequence[Guardrail], plugins: Sequence[Plugin] = ()) -> None:
        every = [(one, _checked(one).name) for one in own]
        every += [(one, plugin.name) for plugin in plugins for one in map(_checked, plugin.guardrails)]
        self.every = tuple(one for one, _ in every)
        names = [one.name for one in self.every]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"Two guardrails are named {name!r}: give one of them another `name`.")
        self.by_stage: dict[GuardrailStage, Sequence[tuple[Guardrail, str]]] = {
            stage: found for stage in STAGES if (found := [pair for pair in every if stage in pair[0].stages])
        }
        if "input" in self.by_stage:
            self.by_stage["message"] = self.by_stage["input"]
        self.stages = frozenset(self.by_stage)

    def for_turn(self, watched: "WatchedTurn") -> "TurnGuardrails":
        """They, asked about one turn."""
        return TurnGuardrails(self, watched)


class WatchedTurn(Protocol):
    """A turn as plugins and guardrails see it."""

    def begin(self, started: TurnStarted) -> None:
        """It begins with this question."""
        ...

    def turn_for(self, owner: str) -> HookedTurn[Any]:
        """As the plugin or guardrail of that name sees it."""
        ...


class TurnGuardrails:
    """The guardrails of one turn."""

    def __init__(self, guardrails: GuardrailSet, watched: WatchedTurn) -> None:
        self._by_stage = guardrails.by_stage
        self._watched = watched
        self.begin = watched.begin
        self.stages = guardrails.stages
        self.pending: dict[str, tuple[Ruling, ...]] = {}

    async def check(
        self, stage: GuardrailStage, value: Any, *, deps: Any = None, call: ToolCall | None = None
    ) -> GuardrailOutcome:
        rulings: list[Ruling] = []
        if value is None:
            return GuardrailOutcome(value=None)
        for guardrail, owner in self._by_stage.get(stage, ()):
            turn = msgspec.structs.replace(self._watched.turn_for(owner), deps=deps, call=_copied(call))
            try:
                answer = await _ask(guardrail, _copied(value), turn)
                if answer is None:
                    continue
                if isinstance(answer, Rewrite):
                    value = _rewritten(stage, value, answer.value)
                    rulings.append(Ruling(name=guardrail.name, action="rewrite", reason=_reason(answer.reason)))
                    continue
                ruling = Ruling(name=guardrail.name, action="stop", reason=_reason(answer.reason) or "Not allowed.")
            except _Failed as error:
                ruling = _failure(guardrail, str(error))
            rulings.append(ruling)
            return GuardrailOutcome(value=_stopped(stage, value, ruling), rulings=tuple(rulings))
        return GuardrailOutcome(value=value, rulings=tuple(rulings))


class _Failed(Exception):
    """Why a guardrail could not decide, in words that hold nothing of what it looked at."""


async def _ask(guardrail: Guardrail, value: Any, turn: HookedTurn[Any]) -> Stop | Rewrite[Any] | None:
    limit = asyncio.timeout(guardrail.timeout_s)
    try:
        async with limit:
            answer = await _call(guardrail, value, turn)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
            raise
        late = limit.expired()
        _log.warning("the guardrail %r %s", guardrail.name, "timed out" if late else "failed", exc_info=error)
        raise _Failed(f"not done within {guardrail.timeout_s:g} s" if late else type(error).__name__) from None
    if answer is None or isinstance(answer, Stop | Rewrite):
        return cast("Stop | Rewrite[Any] | None", answer)
    raise _Failed(f"it returned {type(answer).__name__!r} and not None, Stop or Rewrite")


async def _call(guardrail: Guardrail, value: Any, turn: HookedTurn[Any]) -> Any:
    given = (value, turn) if guardrail.takes_turn else (value,)
    if not guardrail.threaded:
        return await guardrail.function(*given)
    from glassloop.tools.execution import threads

    answer = await threads.shared.run(_apply, {"function": guardrail.function, "given": given})
    return await answer if inspect.isawaitable(answer) else answer


def _apply(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    return function(*given)


def _rewritten(stage: GuardrailStage, before: Any, value: Any) -> Any:
    """The value that takes the place of the one before it."""
    if stage == "call" and isinstance(before, ToolCall):
        try:
            args = to_json(value)
        except ValueError:
            args = None
        if not isinstance(args, dict):
            raise _Failed("the arguments that it gives are no JSON object")
        return msgspec.structs.replace(before, args=args)
    if stage == "result" and isinstance(before, ToolResult):
        made = to_result(value)
        return _with_text(before, made.text, made.data) if made.success else _unusable()
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT_CHARS:
        raise _Failed(f"it must give text of 1 to {MAX_TEXT_CHARS:,} characters")
    return value.encode("utf-8", "replace").decode()


def _unusable() -> ToolResult:
    raise _Failed("the result that it gives cannot be used")


def _stopped(stage: GuardrailStage, value: Any, ruling: Ruling) -> Any:
    """What the model is told of a result that does not pass: that it ran is no secret, and keeps it from being run
    again."""
    if stage == "result" and isinstance(value, ToolResult):
        ran = "It ran, but its result was" if value.success else "It failed, and what it said was"
        return _with_text(value, f"{ran} withheld by the guardrail {ruling.name!r}: {ruling.reason}", None)
    return None


def _with_text(result: ToolResult, text: str, data: Any) -> ToolResult:
    """The result with other words, and nothing else of what the tool said."""
    attempts = {name: value for name, value in result.metadata.items() if name == "attempts"}
    if result.success:
        return msgspec.structs.replace(result, output=text, data=data, metadata=attempts)
    return msgspec.structs.replace(result, error=text, output="", data=None, metadata=attempts)


def _failure(guardrail: Guardrail, why: str) -> Ruling:
    reason = f"The guardrail {guardrail.name!r} failed ({why}), and nothing passes unchecked."
    return Ruling(name=guardrail.name, action="stop", reason=reason, failed=True)


def _reason(text: object) -> str:
    clean = " ".join(str(text).encode("utf-8", "replace").decode().split())
    return clean if len(clean) <= REASON_CHARS else f"{clean[: REASON_CHARS - 1]}…"


def _copied(value: Any) -> Any:
    """Arguments and results are looked at, never changed by looking."""
    if isinstance(value, ToolCall | ToolResult):
        return msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    return value


def _checked(one: object) -> Guardrail:
    if not isinstance(one, Guardrail):
        name = getattr(one, "__name__", type(one).__name__)
        raise UsageError(f'{name!r} is not a guardrail: write `@guardrail("input")`, or another stage, above it.')
    return one
