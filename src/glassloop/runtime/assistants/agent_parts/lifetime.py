"""Lifetime of an agent: its copies with more tools or for a runtime, what is opened for it, and closing that."""

import copy
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.policy import Profile
from glassloop.core.loop.turn_ports import TurnPorts
from glassloop.core.ports import Model, ToolExecutor
from glassloop.core.records import Json, Tier
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.assistants.agent_parts.history import AgentHistory
from glassloop.runtime.assistants.agent_parts.inputs import open_tools
from glassloop.runtime.assistants.agent_parts.loop_thread import run_in_loop
from glassloop.runtime.assistants.agent_parts.sub_agents import sub_agents_of
from glassloop.runtime.assistants.agent_profile import profile_with, recorded_limits
from glassloop.runtime.assistants.hooks import Hooks
from glassloop.runtime.assistants.slash_commands import SlashCommands
from glassloop.runtime.attachments.blobs import BlobCache, SessionBlobs
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.runtime.durable.agent_store import AgentStore, UnfinishedTurn
    from glassloop.runtime.toolsets import Toolset


class AgentLifetime:
    """The part of `Agent` that opens, copies and closes."""

    profile: Profile
    models: Mapping[Tier, Model]
    """The model of each tier."""
    tools: ToolExecutor
    memory: ConversationMemory
    history: AgentHistory
    """What the model is told of earlier turns."""
    base: "Self | None" = None
    """The agent that this one is a copy of, which owns what is open."""
    _hooks: Hooks
    _ports: TurnPorts
    _ports_alone: TurnPorts
    _settings: Mapping[str, Json]
    _store: "AgentStore | None"
    _toolsets: "Sequence[Toolset]"
    _opened_tools: "tuple[Sequence[Tool], Self] | None" = None

    @cached_property
    def _blobs(self) -> BlobCache:
        """What was given with questions: for as long as there is room, and until it is stored."""
        return BlobCache() if self._store is None else self._store.unsaved_blobs

    def _session_blobs(self, started: e.TurnStarted) -> SessionBlobs:
        """What was given in the session of that turn; without a store, in all of them."""
        return SessionBlobs("" if self._store is None else started.session_id, self._blobs, self._store)

    @property
    def makes_deps(self) -> bool:
        """Whether it has a `deps_factory`."""
        return self._ports.deps_factory is not None

    def with_tools(self, more: Iterable[Tool]) -> Self:
        """This agent with more tools; its models and memory are shared. One with an executor of its own stays as it
        is."""
        if not isinstance(self.tools, ToolOrchestrator):
            return self
        other = copy.copy(self)
        other.tools = self.tools.with_tools(more)
        # What was framed for a model names the tools there were.
        changes: dict[str, Any] = {"tools": other.tools, "framings": {}, "sub_agents": sub_agents_of(other.tools)}
        other._ports = msgspec.structs.replace(self._ports, **changes)
        other._ports_alone = msgspec.structs.replace(self._ports_alone, **changes)
        return other

    def hooked(self, ports: TurnPorts, events: Sequence[e.Durable]) -> TurnPorts:
        """The ports of a turn that began with these events, with this agent's plugins and guardrails around them."""
        return self._hooks.attach(ports, events)

    def served(
        self, *, name: str | None = None, memory: ConversationMemory | None = None, max_iterations: int | None = None
    ) -> Self:
        """This agent as a runtime serves it: under that name, on the runtime's store, with its conversation memory.
        What was opened is this agent's own, and is closed with it."""
        other = copy.copy(self)
        other.base, other._opened_tools = self.base or self, None
        other.profile = profile_with(self.profile, {"name": name}, max_iterations)
        other._settings = {**self._settings, "limits": recorded_limits(other.profile)}
        if memory is not None:
            other._store, other.memory = None, memory
            other.history = history = msgspec.structs.replace(self.history, memory=memory)
            served = {"store": None, "recall": history.recall, "remember": history.remember}
            other._ports = msgspec.structs.replace(self._ports, **served, commands=SlashCommands(memory), framings={})
            other._ports_alone = msgspec.structs.replace(other._ports, recall=None, remember=None)
        return other

    async def ready(self) -> Self:
        """This agent with the tools of its toolsets, which are opened where they are not open yet."""
        if not self._toolsets:
            return self
        tools = await open_tools(self._toolsets, self.profile.name)
        if self._opened_tools is None or self._opened_tools[0] != tools:
            self._opened_tools = tools, self.with_tools(tools)
        return self._opened_tools[1]

    def tool_sources(self) -> Mapping[str, str]:
        """Where tools of its toolsets come from, by the tool's name."""
        return {name: source for each in self._toolsets for name, source in each.sources_for(self.profile.name).items()}

    async def unfinished(self, user: str | None = None) -> "Sequence[UnfinishedTurn]":
        """This agent's turns in its store that wait for people or were interrupted: `resume` goes on with each. None
        is any user's."""
        return await self._needs_store().unfinished(self.profile.name, user)

    async def aclose(self) -> None:
        """Closes what was opened: connections, toolsets, plugins, the store. Before the event loop ends."""
        await self._hooks.aclose()
        for toolset in self._toolsets:
            await toolset.aclose()
        if self._store is not None:
            await self._store.aclose()
        for model in {id(model): model for model in self.models.values()}.values():
            close = getattr(model, "aclose", None)
            if close is not None:
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.aclose()

    def close(self) -> None:
        """`aclose` for programs that use `run_sync`."""
        run_in_loop(self.aclose(), "Agent.aclose")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def _needs_store(self) -> "AgentStore":
        if self._store is None:
            raise UsageError("The agent has no store: create it with store='agent.db' or a URL.")
        return self._store
