"""What turns cost the process that serves them: CPU a turn, a step and a token; and what the database takes.

    python bench/served.py [--turns N] [--rounds R] [--json FILE]

A server as `glassloop serve` starts it, on SQLite and on PostgreSQL, in a process of its own; its CPU time is read
before and after many turns that differ in one thing. A model answers at once or word by word, a tool returns at once.
These are the constants of `bench/capacity.py`, under the names it has for them. The last part has 1,000 turns at once
answer, as `bench/sse.py` does, and sets the simulation of them, with these constants, beside it.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import uvloop

import bars
import capacity
import durable
import sse
import store as stores
from glassloop.core.messages import Abilities, AssistantMessage, Chunk, ModelRequest, Reply, TextChunk, ToolMessage
from glassloop.core.records import ToolCall

AT_ONCE, FULL = 100, 400
STEPS, WORDS = 4, 150
TICKS = os.sysconf("SC_CLK_TCK")

Rounds = dict[str, list[float]]
"""What was measured in each round, by the names of `bench/capacity.py`."""


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
    from glassloop.cli.run_until_signal import service_log
    from glassloop.runtime.settings import Settings
    from glassloop.server.lifecycle import open_serving

    @tool(effect="read", volatile=True)
    async def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    limits: dict[str, Any] = {"request_rate": 0, "user_turns": 0, "session_rate": 0, "max_turns": 100_000}
    settings = Settings(home=folder, database_url=url or None, **limits)
    model = Model()
    with service_log(settings):
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


async def constants(server: Server, turns: int, rounds: int) -> Rounds:
    """By differences: turns that answer at once, turns with steps, and turns that answer word by word."""
    await ask_all(server, AT_ONCE, "1 10 0.01")
    found: Rounds = {"turn_us": [], "step_us": [], "token_us": [], "process_mb": [server.megabytes()]}
    for _ in range(rounds):
        plain = await ask_all(server, turns, "0 0 0")
        steps = await ask_all(server, turns, f"{STEPS} 0 0") - plain
        # With the loop full, since that is where it matters: one round of it then serves many streams.
        words = await ask_all(server, FULL, f"0 {WORDS} 0.01", FULL) - plain
        found["turn_us"].append(plain * 1e6)
        found["step_us"].append(steps / STEPS * 1e6)
        found["token_us"].append(words / WORDS * 1e6)
    return found


async def database(url: str, rounds: int) -> Rounds:
    """One commit after the other, and the commits a second that many turns make together."""
    from glassloop.store import open_store

    async with await open_store(url) as store:
        alone = await stores.append_p50(store, appends=300)
        rates = [await stores.grouped(store, f"r{number}") for number in range(rounds)]
    share = stores.BATCHES / (1 + 4 * stores.BATCHES)
    return {"commit_ms": [alone * 1e3], "commits": [rate * share for rate in rates]}


def measured(url: str, turns: int, rounds: int) -> Rounds:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, url)
        try:
            return uvloop.run(constants(server, turns, rounds))
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


def rows(found: Rounds) -> list[bars.Bar]:
    named = {
        "turn_us": ("CPU of a served turn, SQLite", " µs"),
        "step_us": ("CPU of a step with its commit, SQLite", " µs"),
        "token_us": ("CPU of a token, from the model into a stream", " µs"),
        "postgres_turn_us": ("CPU of a served turn, PostgreSQL", " µs"),
        "commit_ms": ("one commit of PostgreSQL, flushed, p50", " ms"),
    }
    return [
        bars.Bar(title=title, unit=unit, figures={bars.OURS: statistics.median(found[name])},
                 spread=bars.span(found[name]))
        for name, (title, unit) in named.items()
    ]  # fmt: skip


def beside_the_model(values: dict[str, float], seen: dict[str, float], turns: int) -> list[bars.Bar]:
    """How far the simulation of the same crowd, with the constants of this run, is off."""
    c = capacity.Constants(**{**asdict(capacity.Constants()), **values})
    simulated = capacity.burst(c, turns, seed=1)
    named = {"cpu_s": "CPU", "p50_ms": "p50 late", "p99_ms": "p99 late"}
    return [
        bars.Bar(title=f"simulated to measured, {turns:,} turns: {what}",
                 figures={bars.OURS: simulated[name] / seen[name]})
        for name, what in named.items()
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("What turns cost the process that serves them.", 3)
    parser.add_argument("--turns", type=int, default=300, help="turns of each kind, a round")
    parser.add_argument("--crowd", type=int, default=1000, help="turns at once in the last part")
    parser.add_argument("--child", nargs=2, metavar=("FOLDER", "URL"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        uvloop.run(serve(*asked.child))
        return 0
    found = measured("", asked.turns, asked.rounds)
    crowd = measured_burst(asked.crowd)
    with durable.database() as url:
        postgres = measured(url, asked.turns, asked.rounds)
        found |= {f"postgres_{name}": postgres[name] for name in ("turn_us", "step_us")}
        found |= asyncio.run(database(url, asked.rounds))
    values = {name: float(f"{statistics.median(each):.3g}") for name, each in found.items()}
    told = [*rows(found), *beside_the_model(values, crowd, asked.crowd)]
    seen = {f"burst_{name}": value for name, value in crowd.items()}
    return bars.tell(bars.Report(rows=told, constants=values | seen), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
