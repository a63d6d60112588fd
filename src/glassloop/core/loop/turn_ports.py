"""Ports of a turn: everything it stands on, filled in by the agent that makes it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from glassloop.core.events import TurnStarted
from glassloop.core.guardrails.port import Guardrails
from glassloop.core.loop.inbox import Inbox
from glassloop.core.messages import BlobReader, Purpose
from glassloop.core.ports import (
    Advisor,
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
from glassloop.core.records import Decision, Tier

if TYPE_CHECKING:
    from glassloop.core.loop.turn import Turn


class CommandReader(Protocol):
    """Reads `/commands`."""

    async def read(self, line: str, turn: "Turn") -> Decision: ...


class TurnPorts(msgspec.Struct, frozen=True, kw_only=True):
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
    blobs: BlobReader | None = None
    """The bytes of attachments, for models that are shown them."""
    holds: Callable[[], bool] | None = None
    """Whether this worker still owns the turn, asked right before each effect; None where it has no rival."""
