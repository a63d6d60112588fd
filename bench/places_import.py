"""How fast visits and patterns are imported, beside DuckDB's own reading of the same file into a table; its memory.

    python bench/places_import.py [--rows N] [--rounds R] [--json FILE]

All in CPU time, of the importing process too with its start, and in turns: what slows the machine for a while slows
both. Exits with 1 when a bar is missed.
"""

import asyncio
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

import duckdb

import bars
from glassloop.extensions.places.importing.job import PlacesImporter
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.settings import Settings

USER = "bench"
FIRST = date(2025, 1, 6)
DAYS = 400
THREADS = 2
MAX_MEMORY_MB = 500


def cpu() -> float:
    """Of this process and of those it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def took(work: Callable[[], object]) -> float:
    began = cpu()
    work()
    return cpu() - began


def write_places(path: Path, count: int) -> None:
    with path.open("w") as file:
        file.write("id,name,city,state,lat,lon,category_id\n")
        for number in range(count):
            lat, lon = 33 + number % 1000 / 1000, -84 - number // 1000 / 1000
            file.write(f"pl-{number:06d},Place {number},Atlanta,GA,{lat:.4f},{lon:.4f},722515\n")


def write_visits(path: Path, rows: int) -> int:
    made = random.Random(1)
    days = [(FIRST + timedelta(number)).isoformat() for number in range(DAYS)]
    places = rows // DAYS
    with path.open("w") as file:
        file.write("place_id,day,visits,visitors\n")
        for place in range(places):
            for day in days:
                visits = made.randint(0, 900)
                file.write(f"pl-{place:06d},{day},{visits},{visits * 7 // 10}\n")
    return places * DAYS


def write_patterns(path: Path, rows: int) -> None:
    made = random.Random(1)
    with path.open("w") as file:
        file.write("placekey,date_range_start,date_range_end,raw_visit_counts,raw_visitor_counts,visits_by_day,")
        file.write("visits_by_each_hour,visitor_home_cbgs,median_dwell,bucketed_dwell_times,related_same_day_brand\n")
        for number in range(rows):
            hours = [made.choice((0, 0, 0, 1, 2, 5)) for _ in range(168)]
            days = [sum(hours[day * 24 : day * 24 + 24]) for day in range(7)]
            visits = sum(days)
            homes = {f"1312100{made.randint(10000, 99999)}": 4 for _ in range(20)}
            dwell = {"<5": 0, "5-20": visits // 2, "21-60": visits - visits // 2, "61-240": 0, ">240": 0}
            cells = [
                f"pl-{number:06d}", f"{FIRST}T00:00:00-05:00", f"{FIRST + timedelta(7)}T00:00:00-05:00", str(visits),
                str(visits // 2), days, hours, homes, "20", dwell, {"Walmart": 20, "Target": 9},
            ]  # fmt: skip
            texts = [cell if isinstance(cell, str) else json.dumps(cell, separators=(",", ":")) for cell in cells]
            file.write(",".join('"' + text.replace('"', '""') + '"' for text in texts) + "\n")


def read_alone(path: Path) -> None:
    """DuckDB's own reading of the file, with everything found out by itself."""
    with duckdb.connect(config={"threads": THREADS}) as db:
        db.execute(f"CREATE TABLE read AS FROM read_csv('{path}')")


def import_file(home: Path, path: Path, **options: bool) -> None:
    context = RuntimeContext(settings=Settings(home=str(home)), store=None, refresh=lambda: None)  # pyright: ignore[reportArgumentType]
    report = asyncio.run(PlacesImporter(context).run(JobContext("", USER), {"path": str(path), **options}))
    assert isinstance(report, dict)
    assert report["read"] == report["taken"], report


def measure(folder: Path, rows: int, rounds: int) -> list[bars.Bar]:
    places, visits, patterns = folder / "places.csv", folder / "visits.csv", folder / "patterns.csv"
    write_places(places, max(rows // DAYS, rows // 50))
    rows = write_visits(visits, rows)
    write_patterns(patterns, rows // 50)
    sizes = ", ".join(f"{path.stat().st_size / 1e6:,.0f} MB of {path.stem}" for path in (visits, patterns))
    print(f"{rows:,} rows of visits, {rows // 50:,} of patterns: {sizes}", flush=True)
    times: dict[str, list[float]] = {"visits alone": [], "visits": [], "patterns alone": [], "patterns": []}
    for number in range(rounds):
        home = folder / str(number)
        home.mkdir()
        import_file(home, places)
        times["visits alone"].append(took(lambda: read_alone(visits)))
        times["visits"].append(took(lambda home=home: import_file(home, visits)))
        import_file(home, places, replace=True)
        times["patterns alone"].append(took(lambda: read_alone(patterns)))
        times["patterns"].append(took(lambda home=home: import_file(home, patterns)))
        print("  ".join(f"{name} {each[-1]:.2f} s" for name, each in times.items()), flush=True)
    # Of the largest of the processes that were waited for.
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return [
        _ratio("import of visits, to DuckDB's reading", 5.0, times["visits"], times["visits alone"]),
        _ratio("import of patterns, to DuckDB's reading", None, times["patterns"], times["patterns alone"]),
        bars.Bar(
            title="memory of an import", limit=MAX_MEMORY_MB, unit=" MB", figures={bars.OURS: memory}, source="#20"
        ),
    ]


def _ratio(title: str, limit: float | None, ours: Sequence[float], floor: Sequence[float]) -> bars.Bar:
    each = bars.ratios(ours, floor)
    figures = {bars.OURS: statistics.median(each), bars.FLOOR: 1.0}
    return bars.Bar(title=title, limit=limit, figures=figures, spread=bars.span(each), source="#20")


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How fast visits and patterns are imported.", 3)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of visits; a fiftieth as many of patterns")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        rows = measure(Path(temporary), asked.rows, asked.rounds)
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
