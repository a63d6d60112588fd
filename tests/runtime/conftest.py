"""Runtimes to test, on every store and scheduler. What they store is replayed when the test is over."""

import asyncio

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.settings import Settings


class Bench:
    """What the tools of a test did, and gates to hold them up."""

    def __init__(self):
        self.written = []
        self.gate = asyncio.Event()
        self.reached = asyncio.Event()

        @tool(effect="read", integrity="trusted")
        async def look(key: str = "a") -> str:
            """Look something up."""
            return f"{key} is 42"

        @tool(effect="read", integrity="trusted", volatile=True)
        async def hold() -> str:
            """Wait for the gate."""
            self.reached.set()
            await self.gate.wait()
            return "the gate is open"

        def preview(text: str) -> dict[str, str]:
            return {"would write": text}

        @tool(effect="write", integrity="trusted", confirm=True, preview=preview)
        async def write(text: str) -> str:
            """Write a text."""
            self.written.append(text)
            return f"wrote {text}"

        @tool(effect="write", integrity="trusted")
        async def strike(text: str) -> str:
            """Write a text without asking, and wait for the gate before saying so."""
            self.written.append(text)
            self.reached.set()
            await self.gate.wait()
            return f"struck {text}"

        self.tools = [look, hold, write, strike]


@pytest.fixture
def bench():
    return Bench()


@pytest.fixture(params=["sqlite-here", "memory-here", "postgres-here", "postgres-queue"])
def place(request, tmp_path, put_store):
    """Where turns are stored, and who runs them."""
    kind, _, who = request.param.partition("-")
    if kind == "postgres":
        url = request.getfixturevalue("postgres_tables")
    else:
        url = "sqlite:///:memory:" if kind == "memory" else f"sqlite:///{put_store(tmp_path / 'log.db')}"
    return Settings(home=str(tmp_path), database_url=url), who == "queue"


@pytest.fixture(params=["sqlite-here", "postgres-here", "postgres-queue"])
def shared(request, tmp_path, put_store):
    """The same, where a second process or a later one finds everything again."""
    kind, _, who = request.param.partition("-")
    if kind == "postgres":
        url = request.getfixturevalue("postgres_tables")
    else:
        url = f"sqlite:///{put_store(tmp_path / 'log.db')}"
    return Settings(home=str(tmp_path), database_url=url), who == "queue"


async def _replay_all(runtime):
    for session in await runtime.store.sessions.list(limit=1000):
        for turn_id in await runtime.store.turns.ids(session.id):
            report = await runtime.replay(turn_id)
            assert not report.differences, report


@pytest.fixture
async def opens(bench):
    """Opens runtimes whose agents play a script; each is closed, and every turn it knows replayed, at the end."""
    opened = []

    async def open_one(place, script=(), **options):
        settings, queue = place
        model = script if hasattr(script, "stream") else ScriptedModel(script)
        made = {}

        profile = options.pop("profile", {})

        def make_agent(wanted):
            memory = ConversationMemory(archive=StoreArchive(made["runtime"].store))
            return Agent(model, bench.tools, memory=memory, name=wanted.assistant, **profile)

        runtime = made["runtime"] = await open_runtime(settings, make=make_agent, queue=queue, **options)
        opened.append(runtime)
        return runtime

    yield open_one
    bench.gate.set()
    for runtime in opened:
        if not getattr(runtime, "closed_by_test", False):
            await _replay_all(runtime)
            await runtime.aclose(1.0)


async def close(runtime, grace_s=0.0):
    """Closes a runtime in the middle of a test."""
    runtime.closed_by_test = True
    await runtime.aclose(grace_s)
