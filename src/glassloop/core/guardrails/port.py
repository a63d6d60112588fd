"""Guardrails as the loop sees them: a port that looks at a question, a call, a result or an answer and says what may
pass. Who writes guardrails and how they are run is not known here."""

from typing import Any, Protocol

import msgspec

from glassloop.core.events import GuardrailAction, GuardrailStage, TurnStarted
from glassloop.core.records import ToolCall


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What one guardrail decided. `failed`: it raised or took too long, and so nothing passed."""

    name: str
    action: GuardrailAction
    reason: str
    failed: bool = False


class GuardrailOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A value as it may pass, and the rulings that made it so; none where every guardrail let it pass as it was."""

    value: Any
    rulings: tuple[Ruling, ...] = ()

    @property
    def stopped(self) -> Ruling | None:
        """The ruling that keeps the value from passing: nobody is asked after it."""
        last = self.rulings[-1] if self.rulings else None
        return last if last is not None and last.action == "stop" else None


class Guardrails(Protocol):
    """The guardrails of one turn. Total: one that fails stops what it looked at; only cancellation passes through."""

    @property
    def stages(self) -> frozenset[GuardrailStage]:
        """What there is a guardrail for."""
        ...

    @property
    def pending(self) -> dict[str, tuple[Ruling, ...]]:
        """Rulings on results, by call: recorded with the result."""
        ...

    def begin(self, started: TurnStarted) -> None:
        """The turn begins with this question, as it passed."""
        ...

    async def check(
        self, stage: GuardrailStage, value: Any, *, deps: Any = None, call: ToolCall | None = None
    ) -> GuardrailOutcome:
        """What may pass of a question or an answer (text), a call (`ToolCall`) or a result (`ToolResult`). A result
        that is stopped has one in its place that says so. None is nothing to look at."""
        ...
