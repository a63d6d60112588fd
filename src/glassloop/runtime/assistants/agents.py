"""The agents of a runtime: one for each assistant, model and limit that was asked for, made when first needed.

Tools that come and go beside an assistant's own are added for the turns that start: those under way keep what they had.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from glassloop.core.errors import UnknownAssistant, UsageError
from glassloop.core.events import TurnStarted
from glassloop.models.provider_kit.effort import Effort
from glassloop.runtime.assistants.agent import Agent
from glassloop.tools.tool import Tool

MAX_AGENTS = 64
POLL_S = 1.0


class AgentKey(msgspec.Struct, frozen=True):
    """Which agent answers: an assistant by name or, where a person chose it so, by folder; and what was asked for
    instead of its own. An empty name means the default assistant. `reports_condition`: it can say whether the condition
    of a schedule holds. `effort`: how long its model may reason. `tools`: those that the question needs beside the
    assistant's own, by name."""

    assistant: str = ""
    model: str | None = None
    max_iterations: int | None = None
    reports_condition: bool = False
    effort: Effort | None = None
    tools: tuple[str, ...] = ()


def key_of_turn(started: TurnStarted) -> AgentKey:
    """Which agent a turn was started with."""
    wanted = started.settings.get("wanted")
    try:
        return msgspec.convert(wanted, AgentKey) if wanted else AgentKey(started.assistant)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"Turn {started.turn_id!r} names no assistant that can be read ({error}): ask again."
        ) from None


Make = Callable[[AgentKey], Agent]
Check = Callable[[TurnStarted, str], None]
"""Raises `UsageError` where the assistant that a turn's log names may not be opened on the log's word alone."""


class ToolSource(Protocol):
    """Where tools come from that are no assistant's own."""

    async def tools_for(self, assistant: str) -> Sequence[Tool]:
        """Those there are now; a tool that did not change is the same object."""
        ...


class Agents:
    """Bounded: the one longest unused is let go."""

    def __init__(
        self,
        make: Make,
        extra_tools: ToolSource | None = None,
        *,
        check: Check | None = None,
        fingerprint: Callable[[], object] | None = None,
        changed: Callable[[], None] | None = None,
        look_s: float = POLL_S,
        tools: Mapping[str, Tool] | None = None,
    ) -> None:
        """`check` looks at every assistant that only a log names. `fingerprint` tells what agents are made of: when it
        changes, `changed` is called, or `renew`. Asked in a thread, and at most once in `look_s` seconds, as
        another process may have pulled weights. `tools`: those that a key may name."""
        self._make = make
        self._extra_tools = extra_tools
        self._question_tools = tools or {}
        self._check = check
        self._chosen: set[str] = set()
        self._fingerprint = fingerprint
        self._changed = changed or self.renew
        self._look_s = look_s
        self._known: object = None
        self._looked: float | None = None
        self._agents: OrderedDict[AgentKey, Agent] = OrderedDict()
        self._with_extra_tools: dict[AgentKey, tuple[Agent, Sequence[Tool], Agent]] = {}
        self._retired: deque[Agent] = deque()
        self._of_programs: dict[int, Agent] = {}
        self._closing: set[asyncio.Future[None]] = set()

    def with_own_tools(self, wanted: AgentKey) -> Agent:
        """The agent without tools that come and go. Raises `UsageError` where there is no such assistant or model."""
        agent = self._agents.get(wanted)
        if agent is None:
            agent = self._make(wanted)
            self._add(wanted, agent)
        self._agents.move_to_end(wanted)
        return agent

    def knows(self, wanted: AgentKey) -> bool:
        """Whether it is there already."""
        return wanted in self._agents

    async def for_key(self, wanted: AgentKey) -> Agent:
        """The agent for a turn, with all tools there are now.

        Made in a thread where it has to be made: files are read and modules imported.
        """
        await self._look()
        if wanted not in self._agents:
            made = await asyncio.to_thread(self._make, wanted)
            if wanted not in self._agents:
                self._add(wanted, made)
        agent = await self.with_own_tools(wanted).ready()
        extra = () if self._extra_tools is None else await self._extra_tools.tools_for(wanted.assistant)
        if wanted.reports_condition:
            from glassloop.runtime.tools.condition import report_condition

            extra = [*extra, report_condition]
        named = [tool for name in wanted.tools if (tool := self._question_tools.get(name)) is not None]
        known = {*agent.tools.specs, *(tool.name for tool in extra)} if named else ()
        return self._add_tools(wanted, agent, [*extra, *(tool for tool in named if tool.name not in known)])

    def choose(self, assistant: str) -> None:
        """Marks an assistant as chosen by a person, by name or folder: turns whose log names it may then run here."""
        self._chosen.add(assistant)

    async def for_turn(self, started: TurnStarted, chosen: str | None = None) -> Agent:
        """The agent a turn was started with, or with the assistant that was chosen instead. Its limits are the turn's
        own, from its settings."""
        wanted = await self.key_from_log(started, chosen)
        try:
            return await self.for_key(wanted)
        except UnknownAssistant as error:
            if chosen is not None:
                raise
            raise UnknownAssistant(
                f"Turn {started.turn_id!r} needs the assistant {wanted.assistant!r}, and there is none of that "
                f"name here. If a program has it, name its file: `--assistant app.py:{wanted.assistant}` for a "
                f"command, `glassloop serve app.py:{wanted.assistant}` for a server."
            ) from error

    async def key_from_log(self, started: TurnStarted, chosen: str | None = None) -> AgentKey:
        """Which agent a turn's log asks for, if that may be opened, or `chosen` in its place. Raises `UsageError` where
        only a person may choose what the log names."""
        wanted = key_of_turn(started)
        if chosen is not None:
            self.choose(chosen)
            return msgspec.structs.replace(wanted, assistant=chosen)
        if self._check is not None and wanted.assistant not in self._chosen:
            await asyncio.to_thread(self._check, started, wanted.assistant)
        return wanted

    async def _look(self) -> None:
        now = time.monotonic()
        if self._fingerprint is None or (self._looked is not None and now - self._looked < self._look_s):
            return
        first, self._looked = self._looked is None, now
        found = await asyncio.to_thread(self._fingerprint)
        if not first and found != self._known:
            self._changed()
        self._known = found

    def renew(self) -> None:
        """From now on agents are made anew, since what they are made of changed. Turns under way keep theirs."""
        while self._agents:
            wanted, agent = self._agents.popitem(last=False)
            self._with_extra_tools.pop(wanted, None)
            self._retire(agent)

    async def aclose(self) -> None:
        made = (agent for agent in (*self._agents.values(), *self._retired) if agent.base is None)
        for agent in (*made, *self._of_programs.values()):
            await agent.aclose()
        self._of_programs.clear()
        self._agents.clear()
        self._with_extra_tools.clear()
        self._retired.clear()
        await asyncio.gather(*self._closing)

    def _add_tools(self, wanted: AgentKey, agent: Agent, tools: Sequence[Tool]) -> Agent:
        """The agent with these tools too: the one that was put together before, as long as they are the same."""
        if not tools:
            self._with_extra_tools.pop(wanted, None)
            return agent
        base, known, joined = self._with_extra_tools.get(wanted, (None, (), agent))
        if base is not agent or known != tools:
            joined = agent.with_tools(tools)
            if self._agents.get(wanted) is agent:
                self._with_extra_tools[wanted] = (agent, tools, joined)
        return joined

    def _add(self, wanted: AgentKey, agent: Agent) -> None:
        self._agents[wanted] = agent
        if agent.base is not None:
            self._of_programs[id(agent.base)] = agent.base
        if len(self._agents) > MAX_AGENTS:
            oldest, let_go = self._agents.popitem(last=False)
            self._with_extra_tools.pop(oldest, None)
            self._retire(let_go)

    def _retire(self, agent: Agent) -> None:
        """Turns of it may still run: it is closed when as many others have been let go after it; one that a program
        made is closed with the runtime."""
        self._retired.append(agent)
        if len(self._retired) > MAX_AGENTS and (oldest := self._retired.popleft()).base is None:
            closing = asyncio.ensure_future(oldest.aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
