"""How fast combat logs are imported, beside a tight loop over their lines; what the store takes; how fast it is read.

    python bench/raids.py [--lines N] [--rounds R] [--json FILE]

All in CPU time, of the importing process too, and in turns: what slows the machine for a while slows both. Exits with 1
when a bar is missed.
"""

import asyncio
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import bars
from glassloop.extensions.raids.importing.job import RaidImporter
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.log.clock import Clock
from glassloop.extensions.raids.log.combat_log import parse_lines
from glassloop.extensions.raids.log.parser import LogParser
from glassloop.extensions.raids.log.source import LogSource
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext, installed_extensions
from glassloop.runtime.settings import Settings
from glassloop.store import open_store
from raid_logs import read_tightly, write_log

USER = "bench"


def cpu() -> float:
    """Of this process and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def took(work: Callable[[], object]) -> float:
    began = cpu()
    work()
    return cpu() - began


def parse(path: Path) -> None:
    """The parser alone: fights as columns, and nothing made of them."""
    source = LogSource(path)
    parse_lines(source, LogParser(load_knowledge(), Clock(None, source.written_at), lambda _fight: None))


async def make_store(folder: Path) -> None:
    """An empty store: making its tables is no part of an import."""
    folder.mkdir()
    await (await open_store(str(folder / "glassloop.db"), branches=installed_extensions().branches)).aclose()


async def import_log(path: Path, folder: Path) -> None:
    async with await open_store(str(folder / "glassloop.db"), branches=installed_extensions().branches) as store:
        context = RuntimeContext(settings=Settings(home=str(folder)), store=store, refresh=lambda: None)
        await RaidImporter(context).run(JobContext("", USER), {"path": str(path)})


async def read_times(folder: Path) -> list[float]:
    """Milliseconds to read the events of each fight."""
    async with await open_store(str(folder / "glassloop.db"), branches=installed_extensions().branches) as store:
        raids = RaidStore(store)
        times: list[float] = []
        for fight in await raids.search(USER, limit=1000):
            began = time.perf_counter()
            await raids.events(USER, fight.code, fight.number)
            times.append((time.perf_counter() - began) * 1000)
    return times


def measure(folder: Path, lines: int, rounds: int) -> list[bars.Bar]:
    path = folder / "log.txt"
    lines = write_log(path, lines)
    size = path.stat().st_size
    print(f"{lines:,} lines, {size / 1e6:,.0f} MB", flush=True)
    load_knowledge()
    times: dict[str, list[float]] = {"floor": [], "parse": [], "import": []}
    for number in range(rounds):
        home = folder / str(number)
        asyncio.run(make_store(home))
        times["floor"].append(took(lambda: read_tightly(path)))
        times["parse"].append(took(lambda: parse(path)))
        times["import"].append(took(lambda home=home: asyncio.run(import_log(path, home))))
        print("  ".join(f"{name} {each[-1]:.2f} s" for name, each in times.items()), flush=True)
    stored = sum(file.stat().st_size for file in (folder / "0").glob("glassloop.db*"))
    read = asyncio.run(read_times(folder / "0"))
    print(f"imported {lines / min(times['import']):,.0f} lines a second of CPU")
    return [
        _ratio("parser alone, to a tight loop", 2.0, times["parse"], times["floor"]),
        _ratio("import with store, to a tight loop", 2.5, times["import"], times["floor"]),
        bars.Bar(
            title="store, of the log", limit=15, unit=" %", figures={bars.OURS: 100 * stored / size}, source="#19"
        ),
        bars.Bar(
            title="events of a fight read, slowest", limit=50, unit=" ms", figures={bars.OURS: max(read)}, source="#19"
        ),
    ]


def _ratio(title: str, limit: float, ours: Sequence[float], floor: Sequence[float]) -> bars.Bar:
    each = bars.ratios(ours, floor)
    figures = {bars.OURS: statistics.median(each), bars.FLOOR: 1.0}
    return bars.Bar(title=title, limit=limit, figures=figures, spread=bars.span(each), source="#19")


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How fast combat logs are imported.", 5)
    parser.add_argument("--lines", type=int, default=500_000, help="of the log, about")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(Path(temporary), asked.lines, asked.rounds)
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
