"""Ports of a turn: everything it stands on, filled in by the agent that makes it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from glassloop.core.events import Durable, TurnStarted
from glassloop.core.guardrails.port import Guardrails
from glassloop.core.loop.inbox import Inbox
from glassloop.core.loop.tool_schedule import CallChannel
from glassloop.core.messages import BlobReader, Purpose
from glassloop.core.ports import (
    Clock,
    DecisionProtocol,
    EventStore,
    Framing,
    Granted,
    Model,
    OutputSchema,
    Recall,
    Remember,
    Router,
    Shortlist,
    ToolExecutor,
    TurnObserver,
)
from glassloop.core.records import Decision, Tier, ToolCall, ToolResult

if TYPE_CHECKING:
    from glassloop.core.loop.turn import Turn


class CommandReader(Protocol):
    """Reads `/commands`."""

    async def read(self, line: str, turn: "Turn") -> Decision: ...


class SubAgent(Protocol):
    """Another agent that answers calls of a tool: each in a child turn, whose events stand in the parent's log."""

    def open(self, parent: "Turn", call: ToolCall, events: Sequence[Durable], store: EventStore | None) -> "Turn":
        """The child turn of a call, as far as its events tell; a new one where there are none."""
        ...

    async def run(self, parent: "Turn", call: ToolCall, channel: CallChannel) -> ToolResult | None:
        """Runs the child turn on and gives its answer as the call's result; None where it has none yet: it waits for
        people, or the worker must go."""
        ...


class Bounds(Protocol):
    """What the user of a turn may use and spend."""

    def bind(self, ports: "TurnPorts") -> "TurnPorts":
        """The ports of the turn, or of a child of it, held to that."""
        ...

    def allows_tool(self, name: str) -> bool: ...


class TurnPorts(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn stands on."""

    models: Mapping[Tier, Model]
    tools: ToolExecutor
    clock: Clock
    tier_for: Callable[[Purpose, str], Tier]
    protocol: DecisionProtocol
    framings: dict[tuple[tuple[str, ...], tuple[str, ...] | None, str], Framing] = {}
    store: EventStore | None = None
    recall: Recall | None = None
    remember: Remember | None = None
    router: Router | None = None
    shortlist: Shortlist | None = None
    commands: CommandReader | None = None
    observer: TurnObserver | None = None
    granted: Granted | None = None
    inbox: Inbox | None = None
    """Messages that people sent to the turn while it runs."""
    output: OutputSchema | None = None
    guardrails: Guardrails | None = None
    deps: Any = None
    """What tools and prompts are given by the program, never shown to a model."""
    deps_factory: Callable[[TurnStarted], Any] | None = None
    prompt: Callable[[Any], str] | None = None
    """Makes the prompt of the dependencies, in place of the profile's."""
    sub_agents: Mapping[str, SubAgent] = {}
    """By the names of their tools."""
    blobs: BlobReader | None = None
    """The bytes of attachments, for models that are shown them."""
    bounds: Bounds | None = None
    """What the user may use and spend; child turns are bound by it too."""
    holds: Callable[[], bool] | None = None
    """Whether this worker still owns the turn, asked right before each effect; None where it has no rival."""
