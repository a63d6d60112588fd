"""What the tests of replay and fork share: tools that keep count, turns run to their end, and the comparison."""

import asyncio

from glassloop import Agent, Approval, ScriptedModel, ToolError, tool
from glassloop.core import events as e
from glassloop.core.messages import Reply
from glassloop.runtime.replay.log_segments import is_input
from glassloop.runtime.replay.replay import replay
from volatile_store import VolatileStore


class World:
    """The tools of these tests; `ran` is what they have done, `hold` keeps `wait` and `send` from returning."""

    def __init__(self):
        self.ran = []
        self.hold = asyncio.Event()
        self.begun = asyncio.Event()

        @tool(effect="read", integrity="trusted", confidentiality="public", volatile=True)
        async def look(key: str = "a") -> dict[str, str]:
            """Looks."""
            self.ran.append(f"look {key}")
            return {"key": key, "weight": "12 kg"}

        @tool(effect="read", integrity="trusted", confidentiality="public", volatile=True)
        async def wait(key: str = "a") -> str:
            """Looks, slowly: the first to begin is the last to return."""
            self.ran.append(f"wait {key}")
            if self.begun.is_set():
                self.hold.set()
                return f"{key} was quick"
            self.begun.set()
            await self.hold.wait()
            return f"{key} was slow"

        @tool(effect="read", integrity="trusted", confidentiality="public", volatile=True, required=True)
        async def broken(key: str = "a") -> str:
            """Never works."""
            raise ToolError(f"the shelf {key!r} is empty")

        def shown(name: str) -> str:
            return f"+ {name}"

        @tool(effect="write", integrity="trusted", confidentiality="public", confirm=True, preview=shown)
        async def put(name: str) -> str:
            """Puts something down."""
            self.ran.append(f"put {name}")
            return f"put {name}"

        @tool(effect="external", integrity="trusted", confidentiality="public", timeout_s=0.02)
        async def send(name: str = "x") -> str:
            """Sends, and hears nothing."""
            self.ran.append(f"send {name}")
            self.begun.set()
            await self.hold.wait()
            return "sent"

        self.tools = [look, wait, broken, put, send]


class Hangs(ScriptedModel):
    """Says the beginning of its last reply, then nothing."""

    def hangs(self):
        """Called when it falls silent."""

    async def stream(self, request):
        async for chunk in super().stream(request):
            if isinstance(chunk, Reply) and chunk.message.text == "Well …":
                self.hangs()
                await asyncio.Event().wait()
            yield chunk


async def drained(stream, on=None, then=None):
    """Runs a stream to its end; at the first event of kind `on` calls `then`, soon."""
    async with asyncio.timeout(60):
        async for event in stream:
            if on is not None and isinstance(event, on):
                on = None
                asyncio.get_running_loop().call_soon(then)
    return stream


async def assert_same(stream, world, **options):
    """The log, as it comes out of a store, replays without a difference and without touching anything."""
    events = [e.decode(e.encode(event)) for event in stream.events]
    before, model, store = list(world.ran), options.pop("model", ScriptedModel([])), VolatileStore()
    agent = Agent(model, options.pop("tools", world.tools), store=store, **options)
    report = await asyncio.wait_for(replay(events, agent), 60)
    assert report.differences == ()
    assert report.turn_id == events[0].turn_id
    assert report.compared == sum(not is_input(event) for event in events) > 0
    assert getattr(model, "requests", []) == []
    assert world.ran == before
    assert await store.read(report.turn_id) == ()
    assert await agent.memory.get_history(events[0].session_id) == ()
    return report


def kinds(stream):
    return [type(event) for event in stream.events]


def pending(stream):
    return [entry.request for entry in stream._turn.state.calls.values() if entry.request and entry.decision is None]


def decide(request, approved=True, **changes):
    return Approval(call_id=request.call.id, digest=request.digest, approved=approved, by="ann", **changes)
