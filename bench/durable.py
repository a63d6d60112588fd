"""How long turns wait for one another's processes: to be taken, watched, cancelled, and taken over from the dead.

    python bench/durable.py [--rounds N] [--takeovers N] [--json FILE]

On PostgreSQL: `$DATABASE_URL`, in a schema of its own, else a server that is started for this. A word from one
connection to another, with NOTIFY, is the floor of what PostgreSQL can tell. No bars: these were asked for as figures.
"""

import argparse
import asyncio
import importlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

import bars
from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.core.messages import Abilities, AssistantMessage, Chunk, ModelRequest, Reply, TextChunk, UserMessage
from glassloop.core.records import ToolCall
from glassloop.runtime.build import open_runtime
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
LEASE_S = 2.0
LOOK_S = 5.0
DEADLINE_S = 60.0
TOKENS, TOKEN_S = 100, 0.01
NOTIFY = "NOTIFY"
HOLD, TALK = "hold", "talk"


class Model:
    """Answers at once, talks for a while, or calls the tool that never returns, as the question says."""

    name = "bench"
    abilities = Abilities()

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        question = next(message.content for message in request.messages if isinstance(message, UserMessage))
        if question == HOLD:
            yield Reply(message=AssistantMessage(calls=(ToolCall(id="", tool=HOLD),)), stop="tool_use")
            return
        for number in range(TOKENS if question == TALK else 1):
            yield TextChunk(f"{number} ")
            if question == TALK:
                await asyncio.sleep(TOKEN_S)
        yield Reply(message=AssistantMessage(text="Done."))


@tool(effect="read", volatile=True, timeout_s=3600)
async def hold() -> str:
    """Never return."""
    await asyncio.Event().wait()
    return ""


def open_bench(url: str, home: str, **options: Any) -> Any:
    settings = Settings(home=home, database_url=url, session_rate=0, user_turns=0)
    return open_runtime(settings, make=lambda _: Agent(Model(), [hold]), **options)


async def work(url: str, home: str) -> None:
    """A worker, until it is killed. On a file it submits a turn that never ends."""
    queue = url.startswith("postgres")
    runtime = await open_bench(url, home, queue=queue, lease_s=LEASE_S)
    if not queue:
        await runtime.submit(HOLD, session_id=HOLD)
    print("ready", flush=True)
    await asyncio.Event().wait()


@contextmanager
def working(url: str, home: str) -> "Iterator[subprocess.Popen[str]]":
    """A worker that is ready, as a process of its own."""
    command = [sys.executable, __file__, "--worker", url, home]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise RuntimeError("A worker did not start: see above.")
            yield process
        finally:
            process.kill()


@contextmanager
def database() -> Iterator[str]:
    """The URL of an empty schema; on a server of our own where none is given."""
    server = folder = None
    url = os.environ.get("DATABASE_URL")
    if url is None:
        sys.path.insert(0, str(ROOT / "tests"))
        folder, server = importlib.import_module("postgres_server").new_server()
        url = str(server.url)
    name = f"bench_{uuid.uuid4().hex}"
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        yield f"{url}{'&' if '?' in url else '?'}options={quote(f'-c search_path={name}')}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {name} CASCADE")
    finally:
        if server is not None:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)


async def seen(runtime: Runtime, turn_id: str, wanted: Callable[[e.AnyEvent], bool]) -> e.AnyEvent:
    """Watches until that comes."""
    async with asyncio.timeout(DEADLINE_S):
        async for event in runtime.watch(turn_id):
            if wanted(event):
                return event
    raise RuntimeError(f"Turn {turn_id!r} ended without what was waited for.")


async def start(runtime: Runtime) -> float:
    """Seconds from asking to the first event that another process made."""
    began = time.perf_counter()
    submitted = await runtime.submit("hi")
    await seen(runtime, submitted.turn_id, lambda event: event.seq > 1)
    took = time.perf_counter() - began
    await seen(runtime, submitted.turn_id, lambda event: isinstance(event, e.TurnFinished))
    return took


async def tokens(runtime: Runtime) -> list[float]:
    """Seconds of each token from where it was made to here."""
    submitted = await runtime.submit(TALK)
    took: list[float] = []
    async with asyncio.timeout(DEADLINE_S):
        async for event in runtime.watch(submitted.turn_id):
            if isinstance(event, e.TextDelta):
                took.append(time.time() - event.at)
    return took


async def hold_one(runtime: Runtime) -> str:
    """A turn that never ends by itself, under way elsewhere."""
    submitted = await runtime.submit(HOLD)
    await seen(runtime, submitted.turn_id, lambda event: isinstance(event, e.ToolCalled))
    return submitted.turn_id


async def cancel(runtime: Runtime) -> float:
    """Seconds from the wish to the end of a turn on another worker."""
    turn_id = await hold_one(runtime)
    began = time.perf_counter()
    await runtime.cancel(turn_id)
    await seen(runtime, turn_id, lambda event: isinstance(event, e.TurnFinished))
    return time.perf_counter() - began


async def take_over(runtime: Runtime, url: str, home: str) -> float:
    """Seconds from the death of a worker to the claim of another one."""
    with working(url, home) as doomed:
        turn_id = await hold_one(runtime)
        with working(url, home):
            # Workers look for the dead every few seconds: no moment of that is better than another.
            await asyncio.sleep(random.uniform(0.0, LOOK_S))
            killed_at = time.time()
            doomed.kill()
            claimed = await seen(runtime, turn_id, lambda event: isinstance(event, e.TurnClaimed) and event.epoch == 2)
            await runtime.cancel(turn_id)
            await seen(runtime, turn_id, lambda event: isinstance(event, e.TurnFinished))
    return claimed.at - killed_at


async def take_over_at_restart(home: str) -> float:
    """Seconds from the next start to the claim of a turn that a killed process left in a file."""
    url = f"sqlite:///{home}/log.db"
    with working(url, home):
        pass
    began = time.time()
    async with await open_bench(url, home) as runtime:
        (turn_id,) = await runtime.store.turns.ids(HOLD)
        claimed = await seen(runtime, turn_id, lambda event: isinstance(event, e.TurnClaimed))
        await runtime.cancel(turn_id)
        await seen(runtime, turn_id, lambda event: isinstance(event, e.TurnFinished))
    return claimed.at - began


async def notified(url: str, words: int = 200) -> float:
    """Seconds of one word from a connection to another: the floor."""
    took: list[float] = []
    async with (
        await psycopg.AsyncConnection.connect(url, autocommit=True) as hears,
        await psycopg.AsyncConnection.connect(url, autocommit=True) as says,
    ):
        await hears.execute("LISTEN bench")
        for _ in range(words):
            began = time.perf_counter()
            await says.execute("NOTIFY bench, 'word'")
            async for _ in hears.notifies(timeout=DEADLINE_S, stop_after=1):
                took.append(time.perf_counter() - began)
    return statistics.median(took)


@asynccontextmanager
async def asking(url: str, home: str) -> AsyncGenerator[Runtime, None]:
    """A runtime that runs nothing itself."""
    async with await open_bench(url, home, queue=True, runs_turns=False, recovers_turns=False) as runtime:
        yield runtime


async def measure(url: str, home: str, rounds: int, deaths: int) -> list[bars.Bar]:
    floor = await notified(url)
    async with asking(url, home) as runtime:
        with working(url, home):
            await start(runtime)
            starts = [await start(runtime) for _ in range(rounds)]
            delays = await tokens(runtime)
            cancels = [await cancel(runtime) for _ in range(max(2, rounds // 3))]
        takeovers = [await take_over(runtime, url, home) for _ in range(deaths)]
    restarts: list[float] = []
    for _ in range(deaths):
        with tempfile.TemporaryDirectory() as folder:
            restarts.append(await take_over_at_restart(folder))

    def bar(title: str, took: Sequence[float], beside: float | None = None) -> bars.Bar:
        figures = {bars.OURS: statistics.median(took) * 1e3} | ({NOTIFY: beside * 1e3} if beside else {})
        return bars.Bar(title=title, unit=" ms", figures=figures, spread=bars.span(one * 1e3 for one in took))

    return [
        bar("asked to first event, other process, median", starts, floor),
        bar("a token, made to seen, median", delays, floor),
        bar("cancelled to ended, median", cancels, floor),
        bar(f"killed to taken over, lease {LEASE_S:g} s, median", takeovers),
        bar("restarted to taken over, SQLite, median", restarts),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How long turns wait for one another's processes.", 50)
    parser.add_argument("--takeovers", type=int, default=5, help="workers that are killed")
    parser.add_argument("--worker", nargs=2, metavar=("URL", "HOME"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.worker:
        asyncio.run(work(*asked.worker))
        return 0
    with database() as url, tempfile.TemporaryDirectory() as home:
        found = asyncio.run(measure(url, home, max(2, asked.rounds), max(1, asked.takeovers)))
    return bars.tell(bars.Report(rows=found), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
