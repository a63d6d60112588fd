"""What durability costs: appends on SQLite, and a 5-step turn with every step saved beside the floor's own.

    python bench/store.py [--rounds R] [--turns N] [--no-peers] [--json FILE]

Needs the peers' folder for the floor (`$PEERS_DIR`, default `../shared/bench/peers`); without it the ratio is left out.
Ours and the floor's are asked in turn in one process; each peer's turn is set beside the floor's of the peers' own run,
and of all its ways to store the quickest counts. Prints the rows with their bars; exits with 1 when one is missed.
"""

import asyncio
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bars
import compare
import peers_folder
import venvs
from glassloop.core import events as e
from glassloop.store import open_store
from glassloop_peer import glassloop_peer

STEPS = 5
TURNS_AT_ONCE, BATCHES = 200, 25
SESSIONS = 10_000
DBOS = "pydantic_ai_dbos"
"""Where pydantic_ai keeps what it stores."""

Times = dict[str, list[float]]


def started(turn: str) -> e.TurnStarted:
    return e.TurnStarted(
        turn_id=turn, seq=1, at=time.time(), question="go", user="bench", session_id=f"s-{turn}", assistant="bench",
        model="bench:planned", protocol="native",
    )  # fmt: skip


def thought(turn: str, seq: int) -> e.ThoughtRecorded:
    return e.ThoughtRecorded(turn_id=turn, seq=seq, at=time.time(), step=1, text="Add the two numbers that were given.")


async def append_p50(store: Any, turn: str = "alone", appends: int = 1000) -> float:
    """Seconds of one append of one event, one after the other."""
    await store.turns.append(turn, [started(turn)])
    took: list[float] = []
    for seq in range(2, appends + 2):
        event = thought(turn, seq)
        began = time.perf_counter()
        if not store.turns.append_now(turn, [event]):
            await store.turns.append(turn, [event])
        took.append(time.perf_counter() - began)
    return statistics.median(took)


async def grouped(store: Any, name: str) -> float:
    """Events a second when many turns append at once."""

    async def work(turn: str) -> None:
        await store.turns.append(turn, [started(turn)])
        for number in range(BATCHES):
            await store.turns.append(turn, [thought(turn, 2 + 4 * number + more) for more in range(4)])

    began = time.perf_counter()
    await asyncio.gather(*(work(f"{name}-{number}") for number in range(TURNS_AT_ONCE)))
    return TURNS_AT_ONCE * (1 + 4 * BATCHES) / (time.perf_counter() - began)


async def listing(store: Any, path: Path, rounds: int) -> list[float]:
    """Milliseconds of the slowest of the lists over many sessions, in each round."""
    rows = [(f"l{n:05}", f"user{n % 50}", float(n), float(n), "completed" if n % 3 else "active")
            for n in range(SESSIONS)]  # fmt: skip
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO sessions (id, user_id, channel, started_at, last_active, message_count, status, metadata, "
            "title, assistant) VALUES (?, ?, 'api', ?, ?, 0, ?, '{}', '', '')",
            rows,
        )
    connection.close()
    slowest: list[float] = []
    for _ in range(rounds):
        took: list[float] = []
        for wanted in ({}, {"user_id": "user7"}, {"status": "active"}, {"user_id": "user7", "status": "completed"},
                       {"offset": SESSIONS - 50}):  # fmt: skip
            began = time.perf_counter()
            await store.sessions.list(**wanted)
            took.append((time.perf_counter() - began) * 1e3)
        slowest.append(max(took))
    return slowest


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


def peers_durable(driver: Any, folder: Path) -> tuple[dict[str, float], dict[str, float], list[str]]:
    """Each peer's durable turn to the floor's, and the KiB it keeps of it; who is left out, and why."""
    seen = compare.watched(driver, compare.Watch())
    names = [peer for peer in driver.A.PEERS if peer not in (bars.FLOOR, bars.OURS)]
    peers, left_out = compare.usable(driver, folder, names)
    left_out += [f"{name}: {reason}" for name, reason in venvs.ready_all(folder, [bars.FLOOR, DBOS]).items()]
    driver.persist([bars.FLOOR, *peers], 1)
    stored = [record for record in seen.records if record["bench"] == "persist"]
    floor = next(record["median"] for record in stored if record["peer"] == bars.FLOOR)
    took: dict[str, float] = {}
    kept_kib: dict[str, float] = {}
    for record in (record for record in stored if record["peer"] in peers):
        name = record["peer"]
        took[name] = min(record["median"] / floor, took.get(name, float("inf")))
        kept_kib[name] = min(record["disk"] / 1024, kept_kib.get(name, float("inf")))
    return took, kept_kib, left_out


async def beside_the_floor(adapters: Any, folder: Path, rounds: int, count: int) -> tuple[Times, dict[str, float]]:
    """Seconds of a durable turn in each round, and KiB kept of it: both in this process, in turn, each on its file."""
    peers: dict[str, Any] = {bars.FLOOR: adapters.Floor(), bars.OURS: glassloop_peer(adapters)()}
    took: Times = {name: [] for name in peers}
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
    sizes = {name: (after[name] - before[name]) / (rounds * count) / 1024 for name in peers}
    for name in peers:
        print(f"  {name}: {statistics.median(took[name]) * 1e3:.2f} ms a durable turn, {sizes[name]:.1f} KiB kept")
    return took, sizes


async def alone(folder: Path, rounds: int) -> list[bars.Bar]:
    async with await open_store(str(folder / "appends.db")) as store:
        ones = [await append_p50(store, f"alone-{number}") * 1e6 for number in range(rounds)]
        each = [1e6 / await grouped(store, f"g{number}") for number in range(rounds)]
        lists = await listing(store, folder / "appends.db", rounds)
    return [
        bars.Bar(title="append of one event, p50", unit=" µs", figures={bars.OURS: statistics.median(ones)},
                 spread=bars.span(ones)),
        bars.Bar(title="one event of 200 turns at once, grouped", limit=50, unit=" µs", source=bars.OWN,
                 figures={bars.OURS: statistics.median(each)}, spread=bars.span(each)),
        bars.Bar(title="10,000 sessions listed and filtered, slowest", limit=100, unit=" ms",
                 figures={bars.OURS: statistics.median(lists)}, spread=bars.span(lists)),
    ]  # fmt: skip


def measure(rounds: int, count: int, *, with_peers: bool) -> bars.Report:
    peers = peers_folder.find()
    found: list[bars.Bar] = []
    ratios, kib, left_out = {}, {}, [peers_folder.MISSING] if peers is None else []
    with tempfile.TemporaryDirectory(dir=peers_folder.HOME) as name:
        if peers is not None:
            driver = peers_folder.load(peers)
            took, sizes = asyncio.run(beside_the_floor(driver.A, Path(name), rounds, count))
            if with_peers:
                ratios, kib, left_out = peers_durable(driver, peers)
            middle = {name: statistics.median(values) for name, values in took.items()}
            turn = bars.to_floor("5-step durable turn, to the floor's", 6, took, middle)
            found += [
                replace(turn, figures={**ratios, **turn.figures}),
                bars.Bar(title="kept of a 5-step turn", limit=8, unit=" KiB", figures={**kib, **sizes}),
            ]
        found += asyncio.run(alone(Path(name), rounds))
    return bars.Report(rows=bars.asked_by("#3", found), left_out=left_out)


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("What durability costs, beside the floor.", 5)
    parser.add_argument("--turns", type=int, default=40, help="durable turns a round")
    parser.add_argument("--no-peers", action="store_true", help="beside the floor alone")
    asked = parser.parse_args(arguments)
    peers_folder.HOME.mkdir(exist_ok=True)
    return bars.tell(measure(asked.rounds, asked.turns, with_peers=not asked.no_peers), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
