"""What a turn stands on: the ports it uses, as one value that turns of an agent share."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import Abilities, Message, ModelRequest, Purpose, ToolSpec
from glassloop.core.ports import Clock, DecisionProtocol, EventStore, Framing, Model, ToolExecutor
from glassloop.core.records import Advice, Decision, Json, Refusal, RouteDecision, Tier

if TYPE_CHECKING:
    from glassloop.core.turn import Turn


class Router(Protocol):
    """Gives a question to a domain."""

    async def route(self, question: str, messages: Sequence[Message], ask: "Ask") -> RouteDecision: ...

    def recommended(self, route: RouteDecision, tools: Mapping[str, ToolSpec]) -> Sequence[str]:
        """The tools of the route's domains, best first."""
        ...

    def farewell(self, question: str, route: RouteDecision) -> str | None:
        """What to answer without the loop, for what is none of our business."""
        ...


class Shortlist(Protocol):
    """Finds the tools that a question may need, where there are more than can be offered."""

    async def choose(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        most: int,
        keep: Sequence[str] = (),
    ) -> Sequence[str]:
        """At most so many, those to keep among them, in the order of `tools`. Never raises for what is asked."""
        ...


class Advisor(Protocol):
    """Helps a model to decide, by rules that need no model. Never raises for what is asked."""

    protocol: e.ProtocolName
    """The form of decisions that it can hold a model to."""

    def helps(self, abilities: Abilities) -> bool:
        """Whether such a model is advised at all."""
        ...

    async def advise(
        self, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec], refused: Refusal | None
    ) -> Advice:
        """What the next decision may be, after these messages; `refused`: why the last one did not stand."""
        ...

    def adapt(self, request: ModelRequest, tools: Mapping[str, ToolSpec], advice: Advice) -> ModelRequest:
        """The request, held to what was advised."""
        ...

    def review(
        self,
        decision: Decision,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        advice: Advice,
    ) -> Decision:
        """The decision, perhaps mended, or a complaint that says why it cannot stand (`refused`)."""
        ...


class Commands(Protocol):
    """Reads `/commands`."""

    async def read(self, line: str, turn: "Turn") -> Decision: ...


Ask = Callable[[Purpose, str, str, "dict[str, Json] | None"], Awaitable[str | None]]
"""A question beside the loop (purpose, system, content, schema): the model's text, or None when it cannot be had."""

Recall = Callable[[e.TurnStarted, Ask], Coroutine[Any, Any, Sequence[Message]]]
"""What the history of the turn's session tells the model; long ones are summarised by asking it."""

Remember = Callable[[Sequence[e.Durable]], Awaitable[None]]
"""What becomes of a turn that has an answer."""


Granted = Callable[[e.TurnStarted, ToolSpec], Coroutine[Any, Any, str | None]]
"""Who allowed this tool, as it is, for the rest of the turn's session; None: a person must be asked."""


class Watching(Protocol):
    """Those who look on while turns run: plugins with their hooks. What a turn becomes does not depend on them."""

    def context(self, turn: "Turn") -> object:
        """What they know of a turn."""
        ...

    def run(self, turn: "Turn", context: Any) -> AsyncGenerator[e.AnyEvent, None]:
        """Runs the turn, as `run_turn` does."""
        ...


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn stands on."""

    models: Mapping[Tier, Model]
    tools: ToolExecutor
    clock: Clock
    tier_for: Callable[[Purpose, str], Tier]
    protocol: DecisionProtocol
    framings: dict[tuple[tuple[str, ...], tuple[str, ...] | None], Framing]
    store: EventStore | None = None
    recall: Recall | None = None
    remember: Remember | None = None
    router: Router | None = None
    shortlist: Shortlist | None = None
    advisor: Advisor | None = None
    commands: Commands | None = None
    watching: Watching | None = None
    granted: Granted | None = None
    holds: Callable[[], bool] | None = None
    """Whether this worker still owns the turn, asked right before each effect; None where it has no rival."""
