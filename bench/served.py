"""What turns cost the process that serves them: CPU a turn, a step and a token; and what the database takes.

    python bench/served.py [--turns N] [--json FILE]

A server as `glassloop serve` starts it, on SQLite and on PostgreSQL, in a process of its own; its CPU time is read
before and after many turns that differ in one thing. A model answers at once or word by word, a tool returns at once.
These are the constants of `bench/capacity.py`, under the names it has for them. The last part has 1,000 turns at once
answer, as `bench/sse.py` does, for its simulation to be compared with.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import uvloop

import durable
import sse
import store as stores
from glassloop.core.messages import Abilities, AssistantMessage, Chunk, ModelRequest, Reply, TextChunk, ToolMessage
from glassloop.core.records import ToolCall

AT_ONCE, FULL = 100, 400
STEPS, WORDS = 4, 150
TICKS = os.sysconf("SC_CLK_TCK")


class Model:
    """A question is `steps tokens seconds`: so many calls of a tool, then so many words, that far apart."""

    name = "bench"
    abilities = Abilities()

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        steps, tokens, seconds = str(request.messages[0].content).split()  # type: ignore[union-attr]
        done = sum(isinstance(message, ToolMessage) for message in request.messages)
        if done < int(steps):
            yield Reply(message=AssistantMessage(calls=(ToolCall(id="", tool="add", args={"a": done, "b": 1}),)))
            return
        for _ in range(int(tokens)):
            if float(seconds):
                await asyncio.sleep(float(seconds))
            yield TextChunk(sse.WORD)
        yield Reply(message=AssistantMessage(text=sse.WORD * max(1, int(tokens))))


async def serve(folder: str, url: str) -> None:
    from glassloop import Agent, tool
    from glassloop.cli.until_told import logging_as
    from glassloop.runtime.settings import Settings
    from glassloop.server.serving import open_serving

    @tool(effect="read", volatile=True)
    async def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    limits: dict[str, Any] = {"request_rate": 0, "user_turns": 0, "session_rate": 0, "max_turns": 100_000}
    settings = Settings(home=folder, database_url=url or None, **limits)
    model = Model()
    with logging_as(settings):
        async with open_serving(settings, "127.0.0.1", 0, make=lambda _: Agent(model, [add])) as served:
            await served.run(sse.told(served.url))


class Timed(sse.Server):
    """A server, with the time it worked."""

    def cpu(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


class Server(Timed):
    """One of ours whose turns are as they are asked for."""

    def __init__(self, folder: str, url: str) -> None:
        command = [sys.executable, __file__, "--child", folder, url]
        with Path(folder, "served.log").open("w") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rpartition(":")[2])


async def ask_all(server: Server, turns: int, question: str, at_once: int = AT_ONCE) -> float:
    """CPU seconds of the server for a turn of that kind."""
    gate = asyncio.Semaphore(at_once)

    async def one() -> None:
        async with gate:
            client = await sse.connect(server)
            await client.follow(await client.ask(question))
            await client.over
            client.close()

    before = server.cpu()
    await asyncio.gather(*(one() for _ in range(turns)))
    return (server.cpu() - before) / turns


async def constants(server: Server, turns: int) -> dict[str, float]:
    """By differences: turns that answer at once, turns with steps, and turns that answer word by word."""
    await ask_all(server, AT_ONCE, "1 10 0.01")
    plain = await ask_all(server, turns, "0 0 0")
    steps = await ask_all(server, turns, f"{STEPS} 0 0") - plain
    # With the loop full, since that is where it matters: one round of it then serves many streams.
    words = await ask_all(server, FULL, f"0 {WORDS} 0.01", FULL) - plain
    return {"turn_us": plain * 1e6, "step_us": steps / STEPS * 1e6, "token_us": words / WORDS * 1e6}


async def database(url: str) -> dict[str, float]:
    """One commit after the other, and the commits a second that many turns make together."""
    from glassloop.store import open_store

    async with await open_store(url) as store:
        alone = await stores.append_p50(store, 300)
        rate = statistics.median([await stores.grouped(store, f"r{number}") for number in range(3)])
    return {"commit_ms": alone * 1e3, "commits": rate * stores.BATCHES / (1 + 4 * stores.BATCHES)}


def measured(url: str, turns: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, url)
        try:
            return uvloop.run(constants(server, turns))
        finally:
            server.close()


async def burst(server: Timed, turns: int) -> dict[str, float]:
    """That many turns at once: how long, how late, and what it cost from the moment they could go."""
    await sse.stream_all(server, sse.WARM, asks=True)
    began: list[float] = []
    go = server.go

    def note() -> None:
        began.append(server.cpu())
        go()

    server.go = note  # type: ignore[method-assign]
    seen = await sse.stream_all(server, turns, asks=True)
    cost = server.cpu() - began[0]
    return {"over_s": seen.seconds, "p50_ms": seen.ms(0.5), "p99_ms": seen.ms(0.99), "cpu_s": cost}


def measured_burst(turns: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        server = Timed("ours", folder)
        try:
            return uvloop.run(burst(server, turns))
        finally:
            server.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What turns cost the process that serves them.")
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--json", type=Path, help="the figures, as JSON, into this file")
    parser.add_argument("--child", nargs=2, metavar=("FOLDER", "URL"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        uvloop.run(serve(*asked.child))
        return 0
    found = {"SQLite": measured("", asked.turns), "burst": measured_burst(1000)}
    with durable.database() as url:
        found["PostgreSQL"] = measured(url, asked.turns) | asyncio.run(database(url))
    for name, figures in found.items():
        print(f"{name}: " + ", ".join(f"{key} {value:.3g}" for key, value in figures.items()))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
