"""What durability costs: appends on SQLite, and a 5-step turn with every step saved beside the floor's own.

    python bench/store.py [--rounds R] [--turns N] [--json FILE]

Needs the peers' folder for the floor (`$PEERS_DIR`, default `../shared/bench/peers`); without it the ratio is left out.
Prints a summary with the bar of each figure; exits with 1 when one is missed.
"""

import argparse
import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bars
import peers_folder
from glassloop.core import events as e
from glassloop.store import open_store
from glassloop_peer import glassloop_peer

STEPS = 5
TURNS_AT_ONCE, BATCHES = 200, 25
SESSIONS = 10_000


def started(turn: str) -> e.TurnStarted:
    return e.TurnStarted(
        turn_id=turn, seq=1, at=time.time(), question="go", user="bench", session_id=f"s-{turn}", assistant="bench",
        model="bench:planned", protocol="native",
    )  # fmt: skip


def thought(turn: str, seq: int) -> e.ThoughtRecorded:
    return e.ThoughtRecorded(turn_id=turn, seq=seq, at=time.time(), step=1, text="Add the two numbers that were given.")


async def append_p50(store: Any, appends: int = 2000) -> float:
    """Seconds of one append of one event, one after the other."""
    await store.append("alone", [started("alone")])
    took: list[float] = []
    for seq in range(2, appends + 2):
        event = thought("alone", seq)
        began = time.perf_counter()
        if not store.append_now("alone", [event]):
            await store.append("alone", [event])
        took.append(time.perf_counter() - began)
    return statistics.median(took)


async def grouped(store: Any, name: str) -> float:
    """Events a second when many turns append at once."""

    async def work(turn: str) -> None:
        await store.append(turn, [started(turn)])
        for number in range(BATCHES):
            await store.append(turn, [thought(turn, 2 + 4 * number + more) for more in range(4)])

    began = time.perf_counter()
    await asyncio.gather(*(work(f"{name}-{number}") for number in range(TURNS_AT_ONCE)))
    return TURNS_AT_ONCE * (1 + 4 * BATCHES) / (time.perf_counter() - began)


async def listing(store: Any, path: Path) -> float:
    """Seconds of the slowest of the lists over many sessions."""
    rows = [(f"l{n:05}", f"user{n % 50}", float(n), float(n), "completed" if n % 3 else "active")
            for n in range(SESSIONS)]  # fmt: skip
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata, "
            "title, assistant) VALUES (?, ?, 'api', ?, ?, 0, ?, '{}', '', '')",
            rows,
        )
    connection.close()
    took: list[float] = []
    for wanted in ({}, {"user_id": "user7"}, {"status": "active"}, {"user_id": "user7", "status": "completed"},
                   {"offset": SESSIONS - 50}):  # fmt: skip
        began = time.perf_counter()
        await store.list_sessions(**wanted)
        took.append(time.perf_counter() - began)
    return max(took)


def kept(path: Path) -> int:
    """Bytes of the file with its log folded in."""
    connection = sqlite3.connect(path, timeout=30)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return path.stat().st_size


async def turns(adapters: Any, peer: Any, name: str, count: int) -> list[float]:
    took: list[float] = []
    for number in range(count):
        adapters.PLAN.set(adapters.Plan(STEPS))
        began = time.perf_counter()
        answer = await peer.run_durable(STEPS, f"{name}{number}")
        took.append(time.perf_counter() - began)
        if answer != "done":
            raise RuntimeError(f"A durable run answered {answer!r} and not 'done': mend the adapter.")
    return took


async def beside_the_floor(adapters: Any, folder: Path, rounds: int, count: int) -> list[bars.Bar]:
    """Both in the same process, in turn, each on its own file."""

    class Durable(glassloop_peer(adapters)):
        async def open_db(self, path: str) -> None:
            self.store = await open_store(path)
            self.durable = self.agent_class(
                self.model,
                tools=self.tools,
                max_iterations=STEPS + 1,
                planner=False,
                reflection=False,
                store=self.store,
            )

        async def run_durable(self, n: int, key: str) -> str:
            return (await self.durable.run("go")).response

        async def close_db(self) -> None:
            await self.store.aclose()

    peers: dict[str, Any] = {bars.FLOOR: adapters.Floor(), bars.OURS: Durable()}
    took: dict[str, list[float]] = {name: [] for name in peers}
    for name, peer in peers.items():
        await peer.setup()
        await peer.open_db(str(folder / f"{name}.db"))
        await turns(adapters, peer, "warm", 20)
    before = {name: kept(folder / f"{name}.db") for name in peers}
    for number in range(rounds):
        for name, peer in peers.items():
            took[name].append(statistics.median(await turns(adapters, peer, f"r{number}-", count)))
    after = {name: kept(folder / f"{name}.db") for name in peers}
    for peer in peers.values():
        await peer.close_db()
    seconds = {name: statistics.median(values) for name, values in took.items()}
    sizes = {name: (after[name] - before[name]) / (rounds * count) / 1024 for name in peers}
    for name in peers:
        print(f"  {name}: {seconds[name] * 1e3:.2f} ms a durable turn, {sizes[name]:.1f} KiB kept")
    return [
        bars.to_floor("5-step durable turn, to the floor's", 6, seconds),
        bars.Bar(title="kept of a 5-step turn", limit=8, unit=" KiB", figures=sizes),
    ]


async def measure(rounds: int, count: int) -> list[bars.Bar]:
    peers = peers_folder.find()
    found: list[bars.Bar] = []
    with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as name:
        folder = Path(name)
        if peers is not None:
            found += await beside_the_floor(peers_folder.load(peers).A, folder, rounds, count)
        async with await open_store(str(folder / "appends.db")) as store:
            one = await append_p50(store)
            rate = max([await grouped(store, f"g{number}") for number in range(rounds)])
            slowest = await listing(store, folder / "appends.db")
    print(f"  {rate:,.0f} events a second, grouped")
    return [
        *found,
        bars.Bar(title="append, p50", limit=None, unit=" µs", figures={bars.OURS: one * 1e6}),
        bars.Bar(title="one event of many turns, grouped", limit=50, unit=" µs", figures={bars.OURS: 1e6 / rate}),
        bars.Bar(title="10,000 sessions listed", limit=100, unit=" ms", figures={bars.OURS: slowest * 1e3}),
    ]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="What durability costs, beside the floor.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=40, help="durable turns a round")
    parser.add_argument("--json", type=Path, help="the figures, as JSON, into this file")
    asked = parser.parse_args(arguments)
    peers_folder.HOME.mkdir(exist_ok=True)
    found = asyncio.run(measure(asked.rounds, asked.turns))
    for row in (bars.HEAD, *bars.rows(found)):
        print("  ".join(f"{cell:<36}" if column == 0 else f"{cell:>12}" for column, cell in enumerate(row)))
    if asked.json:
        asked.json.write_text(json.dumps({bar.title: dict(bar.figures) for bar in found}, indent=2))
    return 1 if bars.failed(found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
