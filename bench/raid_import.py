"""A server while it imports a combat log of 500 MB: how long `/health` takes meanwhile, and the memory of the import.

    python bench/raid_import.py [--megabytes N] [--seconds S] [--log FILE] [--json FILE]

A server as `glassloop serve` starts it, in a process of its own, on loopback only. `/health` is asked ten times a
second: idle, while the log is uploaded, while it is imported, and idle again. Memory is the most that the importing
process held, and what the server held more than before. `--log` names a file to import, which is written there first
where there is none, and kept; without it everything is in a folder that is removed. It stops by itself within eight
minutes, writing the log included, and exits with 1 when a bar is missed.
"""

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

import bars
from attack import ATTACKER, Served, serving, tell_time
from raid_logs import write_log
from raid_tools import children_of

PROBE_S, LOOK_S = 0.1, 0.1
DEADLINE_S = 480.0
BLOCK_BYTES = 1 << 20
BYTES_A_LINE = 250
"""At most, of the generated logs."""
USER = ATTACKER
BECAME = ("taken", "bad", "outside")

R = TypeVar("R")


@dataclass
class Found:
    """Seconds that `/health` took by what went on meanwhile, and the most memory in MB."""

    health: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    child_mb: float = 0.0
    grown_mb: float = 0.0
    import_s: float = 0.0
    log_mb: float = 0.0
    result: dict[str, Any] = field(default_factory=dict[str, Any])
    """Of the job."""

    @property
    def lines(self) -> int:
        return int(self.result["lines"])


async def probe(served: Served, took: list[float]) -> None:
    async with httpx.AsyncClient(base_url=served.url, timeout=30.0) as client:
        # Connecting is not measured.
        await client.get("/livez")
        while True:
            began = time.perf_counter()
            (await client.get("/health")).raise_for_status()
            took.append(time.perf_counter() - began)
            await asyncio.sleep(PROBE_S)


async def look(served: Served, found: Found) -> None:
    """Memory of the server and of the processes that it starts."""
    before = served.megabytes()
    while True:
        found.grown_mb = max(found.grown_mb, served.megabytes() - before)
        for pid in children_of(served.process.pid):
            with suppress(OSError, StopIteration):
                lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
                most = next(line for line in lines if line.startswith("VmHWM:"))
                found.child_mb = max(found.child_mb, int(most.split()[1]) / 1024)
        await asyncio.sleep(LOOK_S)


async def beside(watching: Sequence[Awaitable[None]], work: Awaitable[R]) -> R:
    """The work, with those beside it for as long; one that fails ends the work."""
    tasks = [asyncio.ensure_future(one) for one in watching]
    doing = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait([doing, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        return await doing
    finally:
        for task in (doing, *tasks):
            task.cancel()
        await asyncio.gather(doing, *tasks, return_exceptions=True)


async def blocks(path: Path) -> AsyncGenerator[bytes, None]:
    with path.open("rb") as file:
        while block := await asyncio.to_thread(file.read, BLOCK_BYTES):
            yield block


async def upload(client: httpx.AsyncClient, path: Path) -> str:
    made = await client.post("/api/uploads", params={"name": "log.txt", "purpose": "raids"}, content=blocks(path))
    made.raise_for_status()
    return str(made.json()["id"])


async def imported(client: httpx.AsyncClient, upload_id: str) -> dict[str, Any]:
    """The result of the job, when it is over."""
    started = await client.post("/api/raids/imports", json={"upload_id": upload_id})
    started.raise_for_status()
    job = started.json()
    while job["status"] in ("queued", "running"):
        await asyncio.sleep(0.25)
        job = (await client.get(f"/api/jobs/{job['id']}")).raise_for_status().json()
    if job["status"] != "completed":
        raise RuntimeError(f"The import was not completed: {job}")
    return dict(job["result"])


async def measure(home: str, log: Path, seconds: float) -> Found:
    found = Found(log_mb=log.stat().st_size / 1e6)
    took = found.health

    async def idle(name: str) -> None:
        await beside([probe(served, took.setdefault(name, []))], asyncio.sleep(seconds))
        tell_time(name)

    async with serving(home) as served, served.client(USER) as client:
        client.timeout = httpx.Timeout(DEADLINE_S)
        # What the first requests load is no part of the import.
        await beside([probe(served, [])], asyncio.sleep(2.0))
        await idle("idle")
        watching = [probe(served, took.setdefault("upload", [])), look(served, found)]
        upload_id = await beside(watching, upload(client, log))
        tell_time("uploaded")
        began = time.perf_counter()
        watching = [probe(served, took.setdefault("import", [])), look(served, found)]
        found.result = await beside(watching, imported(client, upload_id))
        found.import_s = time.perf_counter() - began
        tell_time("imported")
        await idle("idle again")
    if found.lines != sum(int(found.result[name]) for name in BECAME):
        raise RuntimeError(f"Lines are lost: {found.result}")
    return found


def rows(found: Found) -> list[bars.Bar]:
    def bar(title: str, value: float, limit: float | None = None, unit: str = "x") -> bars.Bar:
        return bars.Bar(title=title, figures={bars.OURS: value}, limit=limit, unit=unit)

    p95s = {name: bars.p95(times) for name, times in found.health.items()}
    idle = bars.p95([*found.health["idle"], *found.health["idle again"]])
    told = [
        bar("`/health`, p95, during the import to idle", p95s["import"] / idle, 3),
        bar("memory, importing process and what the server took more", found.child_mb + found.grown_mb, 300, " MB"),
    ]
    shown = [bar(f"`/health`, p95, {name}", value * 1e3, unit=" ms") for name, value in p95s.items()]
    return [
        *bars.asked_by("#19", told),
        bar("memory, importing process", found.child_mb, unit=" MB"),
        bar("memory, the server more than before", found.grown_mb, unit=" MB"),
        *shown,
        bar("log", found.log_mb, unit=" MB"),
        bar("lines a second", found.lines / found.import_s, unit=""),
    ]


async def run(home: str, log: Path, megabytes: int, seconds: float) -> Found:
    async with asyncio.timeout(DEADLINE_S):
        if not log.exists():
            # In the process itself, which nothing else waits for.
            write_log(log, megabytes * 1_000_000 // BYTES_A_LINE)
            tell_time(f"{log.stat().st_size / 1e6:,.0f} MB written")
        return await measure(home, log, seconds)


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("A server while it imports a large combat log.", 1)
    parser.add_argument("--megabytes", type=int, default=500, help="of the log, at least")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long it is idle, before and after")
    parser.add_argument("--log", type=Path, help="import this file; written first where there is none, and kept")
    asked = parser.parse_args(arguments)
    # Ended from outside, it still ends the server that it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        log = asked.log or Path(home, "log.txt")
        found = asyncio.run(run(home, log, asked.megabytes, asked.seconds))
    became = ", ".join(f"{found.result[name]:,} {name}" for name in BECAME)
    print(f"{found.lines:,} lines ({became}), {found.result['fights']} fights in {found.import_s:.0f} s")
    return bars.tell(bars.Report(rows=rows(found)), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
