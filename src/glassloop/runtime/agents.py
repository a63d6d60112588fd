"""The agents of a runtime: one for each assistant, model and limit that was asked for, made when first needed."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable

import msgspec

from glassloop.core.events import TurnStarted
from glassloop.runtime.agent import Agent

MOST = 64


class Wanted(msgspec.Struct, frozen=True):
    """Which agent answers: an assistant by name or folder, and what was asked for instead of its own."""

    assistant: str = "general"
    model: str | None = None
    max_iterations: int | None = None


def wanted_by(started: TurnStarted) -> Wanted:
    """Which agent a turn was started with."""
    wanted = started.settings.get("wanted")
    return msgspec.convert(wanted, Wanted) if wanted else Wanted(started.assistant)


Make = Callable[[Wanted], Agent]


class Agents:
    """Bounded: the one longest unused is let go."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._agents: OrderedDict[Wanted, Agent] = OrderedDict()
        self._retired: deque[Agent] = deque()
        self._closing: set[asyncio.Future[None]] = set()

    def get(self, wanted: Wanted) -> Agent:
        """Raises `UsageError` where there is no such assistant or model."""
        agent = self._agents.get(wanted)
        if agent is None:
            agent = self._make(wanted)
            self._add(wanted, agent)
        self._agents.move_to_end(wanted)
        return agent

    def knows(self, wanted: Wanted) -> bool:
        """Whether it is there already."""
        return wanted in self._agents

    async def obtain(self, wanted: Wanted) -> Agent:
        """The same as `get`, made in a thread where it has to be made: files are read and modules imported."""
        if wanted not in self._agents:
            made = await asyncio.to_thread(self._make, wanted)
            if wanted not in self._agents:
                self._add(wanted, made)
        return self.get(wanted)

    async def of(self, started: TurnStarted) -> Agent:
        """The agent a turn was started with. Its limits are the turn's own, from its settings."""
        return await self.obtain(wanted_by(started))

    async def aclose(self) -> None:
        for agent in (*self._agents.values(), *self._retired):
            await agent.aclose()
        self._agents.clear()
        self._retired.clear()
        await asyncio.gather(*self._closing)

    def _add(self, wanted: Wanted, agent: Agent) -> None:
        self._agents[wanted] = agent
        if len(self._agents) > MOST:
            self._retire(self._agents.popitem(last=False)[1])

    def _retire(self, agent: Agent) -> None:
        """Turns of it may still run: it is closed when as many others have been let go after it."""
        self._retired.append(agent)
        if len(self._retired) > MOST:
            closing = asyncio.ensure_future(self._retired.popleft().aclose())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
