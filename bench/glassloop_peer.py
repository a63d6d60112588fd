"""Glassloop as one more peer of the shared comparison: the same fake model, the same tool, the same entry points.

The peers' folder brings the script the model follows (`PLAN`) and counts the tool's calls; this file only speaks
Glassloop's API to them.
"""

from types import ModuleType
from typing import Any


def planned_model(plan: Any, arguments: str) -> Any:
    """A model without latency that follows the script in the context variable `plan`."""
    import msgspec

    from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk, Usage
    from glassloop.core.records import ToolCall

    class PlannedModel:
        name = "bench:planned"
        abilities = Abilities()
        usage = Usage(input_tokens=10, output_tokens=5, cost=0.0)

        def quote(self, input_tokens: int, output_tokens: int) -> float:
            return 0.0

        def reply(self, message: AssistantMessage) -> Reply:
            return Reply(message=message, usage=self.usage, stop="tool_use" if message.calls else "end_turn")

        async def stream(self, request: Any) -> Any:
            script = plan.get()
            if script.tokens:
                pieces = []
                async for piece in script.chunks():
                    pieces.append(piece)
                    yield TextChunk(piece)
                yield self.reply(AssistantMessage(text="".join(pieces)))
            elif (call_id := await script.step()) is None:
                yield self.reply(AssistantMessage(text="done"))
            else:
                # Providers send arguments as text: reading them is part of what an iteration costs.
                call = ToolCall(id=call_id, tool="add", args=msgspec.json.decode(arguments))
                yield self.reply(AssistantMessage(calls=(call,)))

    return PlannedModel()


def glassloop_peer(adapters: ModuleType) -> type:
    """The peer, over the base class and the script of the given `adapters` module."""

    class Glassloop(adapters.Peer):
        async def setup(self) -> None:
            from glassloop import Agent, tool
            from glassloop.core.events import TextDelta

            # Volatile: every call of a run is the same, and each must reach the tool.
            @tool(effect="read", volatile=True)
            async def add(a: int, b: int) -> int:
                """Add two numbers."""
                adapters.count()
                return a + b

            self.model, self.tools = planned_model(adapters.PLAN, adapters.ARGS), [add]
            self.agent_class, self.text, self.agents = Agent, TextDelta, {}
            self.plain = {"planner": False, "reflection": False}

        def agent(self, n: int) -> Any:
            """One agent for each length of run, shared by all runs of that length."""
            if n not in self.agents:
                self.agents[n] = self.agent_class(self.model, tools=self.tools, max_iterations=n + 1, **self.plain)
            return self.agents[n]

        async def run(self, n: int) -> str:
            return (await self.agent(n).run("go")).text

        async def open_db(self, path: str) -> None:
            from glassloop.store import open_store

            self.store, self.durable = await open_store(path), {}

        async def run_durable(self, n: int, key: str) -> str:
            if n not in self.durable:
                self.durable[n] = self.agent_class(
                    self.model, tools=self.tools, max_iterations=n + 1, store=self.store.turns, **self.plain
                )
            return (await self.durable[n].run("go")).text

        async def close_db(self) -> None:
            await self.store.aclose()

        async def stream(self, seen: Any) -> str:
            async for event in self.agent(1).stream("go"):
                if type(event) is self.text:
                    seen()
            return "done"

    return Glassloop
