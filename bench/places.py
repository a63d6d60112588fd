"""How much CPU the tools of places take, on the sample and on millions of places, beside their own SQL run by hand.

    python bench/places.py [--inputs N] [--places N] [--only TOOL …] [--rounds R] [--folder F] [--json FILE]

Every tool is asked many generated things about the sample, warm. Its statements are recorded by the database; run one
after another by hand on a cursor of the same database they are what its ratio is to. The large data set has places and
visits by month alone. All in CPU time, of threads too. The data sets are made in a folder that is removed again, unless
`--folder` names one to keep them in. Exits with 1 when a bar is missed.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

import bars
from glassloop.core.errors import BadArguments
from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.data_sets import DataSet, DataSets
from glassloop.extensions.places.data_set.database import Parameters, PlacesDatabase, ResultTable
from glassloop.extensions.places.data_set.month_columns import ROWS_A_GROUP, write_month_columns
from glassloop.extensions.places.data_set.open_databases import OpenDatabases
from glassloop.extensions.places.sample import write_sample
from glassloop.extensions.places.tools import tools_over
from glassloop.extensions.places.tools.reader import PlacesReader
from glassloop.tools.tool import Tool, ToolContext

USER = "bench"
TODAY = date(2026, 11, 1)
TOOL_MS, TO_SQL, LARGE_MS = 100.0, 3.0, 1000.0
MONTHS = 24
QUERY_S = 600.0
TOOLS = (
    "search_places",
    "get_place_summary",
    "compare_locations",
    "get_trade_area_profile",
    "get_profile_and_overlap",
    "get_visit_flows",
    "find_similar_places",
    "get_new_store_effect",
)
LARGE_TOOLS = ("search_places", "get_place_summary")
Arguments = dict[str, Any]
Call = tuple[str, Arguments]


class RecordedDatabase(PlacesDatabase):
    """Keeps the statements that it ran."""

    def __init__(self, data_set: DataSet) -> None:
        # CPU is measured: on a busy machine a query may take long by the clock.
        # A result that is kept costs nothing: here everything is computed.
        super().__init__(data_set, query_s=QUERY_S, max_results=0)
        self.statements: list[tuple[str, Parameters]] = []

    async def table(self, sql: str, parameters: Parameters = ()) -> ResultTable:
        self.statements.append((sql, parameters))
        return await super().table(sql, parameters)

    def run_by_hand(self, statements: Sequence[tuple[str, Parameters]]) -> None:
        cursor = self._connection.cursor()
        for sql, parameters in statements:
            cursor.execute(sql, parameters or None).fetchall()
        cursor.close()


class OneDatabase(OpenDatabases):
    """The same for everybody."""

    def __init__(self, home: Path, database: RecordedDatabase) -> None:
        super().__init__(home)
        self.database = database

    async def of(self, user: str) -> RecordedDatabase:
        return self.database


class Inputs:
    """Generated arguments, of what is in the data set."""

    def __init__(self, database: RecordedDatabase, seed: int = 1) -> None:
        self.random = random.Random(seed)
        cursor = database._connection.cursor()  # pyright: ignore[reportPrivateUsage]

        def column(sql: str) -> list[Any]:
            return [row[0] for row in cursor.execute(sql).fetchall()]

        last = "(SELECT max(month) FROM poi_visits_monthly)"
        self.visited: list[str] = column(
            f"SELECT place_id FROM poi_visits_monthly WHERE month = {last} AND panel_visitors >= 5 "
            "ORDER BY visits DESC, place_id LIMIT 10000"
        )
        self.metros: list[str] = column("SELECT DISTINCT metro FROM poi_places ORDER BY 1")
        self.cities: list[str] = column(
            "SELECT city FROM poi_places GROUP BY city HAVING count(*) > 100 AND count(DISTINCT state) = 1 ORDER BY 1"
        )
        self.chains: list[str] = column(
            "SELECT chain_id FROM poi_places WHERE chain_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 60"
        )
        self.categories: list[str] = column(
            "SELECT category_id FROM poi_places GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 60"
        )
        self.new: list[str] = column(
            "SELECT id FROM poi_places WHERE opened_on > (SELECT first_day + 60 FROM poi_about) "
            "AND opened_on < (SELECT last_day - 60 FROM poi_about) AND chain_id IS NOT NULL ORDER BY id"
        )

    def period(self) -> Arguments:
        return {"period": self.random.choice(["last_month", "last_90_days", "2026-Q1", "last_12_months"])}

    def geo(self) -> Any:
        kind = self.random.randrange(6)
        if kind < 2:
            return {"type": "metro", "name": self.random.choice(self.metros)}
        if kind < 4:
            return self.random.choice(self.cities)
        if kind == 4:
            return {"type": "radius", "place_id": self.random.choice(self.visited), "meters": 5000}
        return "all"

    def ids(self, most: int) -> list[str]:
        return self.random.sample(self.visited, self.random.randint(1, most))

    def kind(self) -> Arguments:
        one = self.random.choice(self.chains)
        return (
            {"chain_id": one} if self.random.random() < 0.5 else {"category_ids": self.random.choice(self.categories)}
        )

    def group(self) -> Arguments:
        if self.random.random() < 0.5:
            return {"place_ids": self.ids(10)}
        if self.random.random() < 0.5:
            return {"chain_id": self.random.choice(self.chains), "geo_filter": "all"}
        return {"category_ids": self.random.choice(self.categories), "geo_filter": self.random.choice(self.metros)}

    def search_places(self) -> Arguments:
        kind = self.kind()
        if "chain_id" in kind:
            kind = {"chain_ids": kind["chain_id"]}
        sort = self.random.choice(["visits", "visits", "name", "trend"])
        return {"geo_filter": self.geo(), **kind, "sort": sort, "limit": self.random.choice([5, 10, 50]),
                "period": self.random.choice(["last_month", "last_month", "last_90_days", "2026-Q1"])}  # fmt: skip

    def get_place_summary(self) -> Arguments:
        which = {"place_ids": self.ids(10)} if self.random.random() < 0.7 else {**self.kind(), "geo_filter": self.geo()}
        compare = self.random.choice([None, "previous", "both"])
        return {**which, **self.period(), **({"compare": compare} if compare else {})}

    def compare_locations(self) -> Arguments:
        metric = self.random.choice(["visits"] * 4 + ["visitors", "dwell", "frequency", "visits_per_m2"])
        granularity = self.random.choice(["week", "week", "day", "month", "hour_of_day", "day_of_week"])
        shared = {"metric": metric, "granularity": granularity, **self.period()}
        if self.random.random() < 0.5:
            return {"place_ids": self.random.sample(self.visited, self.random.randint(2, 10)), **shared}
        groups = [{"name": f"group {at}", **self.group()} for at in range(self.random.randint(2, 4))]
        return {"groups": groups, **shared}

    def get_trade_area_profile(self) -> Arguments:
        if self.random.random() < 0.7:
            return {"place_ids": self.ids(5), **self.period()}
        return {"chain_id": self.random.choice(self.chains), "geo_filter": self.geo(), **self.period()}

    def get_profile_and_overlap(self) -> Arguments:
        return {"place_ids": self.ids(5), **self.period()}

    def get_visit_flows(self) -> Arguments:
        level = self.random.choice(["place", "place", "chain", "category"])
        return {"place_id": self.random.choice(self.visited), "level": level, **self.period()}

    def find_similar_places(self) -> Arguments:
        near = {"geo_filter": self.geo()} if self.random.random() < 0.5 else {}
        return {"place_id": self.random.choice(self.visited), **near}

    def get_new_store_effect(self) -> Arguments:
        return {"place_id": self.random.choice(self.new), "weeks": self.random.choice([4, 8, 12, 26])}


class Measured:
    """One call: CPU of the tool and of its statements by hand, in milliseconds, by round."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.tool: list[float] = []
        self.sql: list[float] = []

    @property
    def ms(self) -> float:
        return statistics.median(self.tool)


async def measure(database: RecordedDatabase, tools: dict[str, Tool], call: Call, rounds: int) -> Measured | None:
    """None where the arguments fit nothing."""
    name, arguments = call
    found = Measured(call)
    # The first is not counted: it reads what is warm afterwards.
    for number in range(rounds + 1):
        database.statements.clear()
        began = time.process_time()
        try:
            await tools[name].execute(arguments, ToolContext(user=USER))
        except BadArguments:
            return None
        took = time.process_time() - began
        statements = list(database.statements)
        began = time.process_time()
        await asyncio.to_thread(database.run_by_hand, statements)
        by_hand = time.process_time() - began
        if number:
            found.tool.append(took * 1000)
            found.sql.append(by_hand * 1000)
    return found


async def run(home: Path, title: str, names: Sequence[str], inputs: int, rounds: int) -> dict[str, list[Measured]]:
    """So many inputs of each of the tools."""
    data_set = DataSets(home).current(USER)
    assert data_set is not None
    began = time.process_time()
    database = await asyncio.to_thread(RecordedDatabase, data_set)
    print(f"\n{title}, opened in {(time.process_time() - began) * 1000:.0f} ms of CPU", flush=True)
    tools = {tool.name: tool for tool in tools_over(PlacesReader(OneDatabase(home, database)))}
    if untested := {name for name in tools if name not in TOOLS}:
        raise RuntimeError(f"No call of {', '.join(sorted(untested))} is measured: add one.")
    drawn = Inputs(database)
    found: dict[str, list[Measured]] = {name: [] for name in names}
    for name, measured in found.items():
        while len(measured) < inputs:
            one = await measure(database, tools, (name, getattr(drawn, name)()), rounds)
            measured += [one] if one else []
        times = [each.ms for each in measured]
        slowest = max(measured, key=lambda each: each.ms)
        print(
            f"  {name:26} p50 {statistics.median(times):6.1f} ms, p95 {bars.p95(times):6.1f} ms, "
            f"{to_sql(measured):.2f} times its SQL; the longest, {slowest.ms:.0f} ms: {slowest.call[1]}",
            flush=True,
        )
    database.close()
    return found


def to_sql(measured: Sequence[Measured]) -> float:
    """The tool's time over that of its statements, all calls together."""
    return sum(each.ms for each in measured) / sum(statistics.median(each.sql) for each in measured)


def make_sample(home: Path) -> None:
    data_sets = DataSets(home)
    if data_sets.current(USER) is None:
        with data_sets.staged() as staged:
            write_sample(staged, today=TODAY)
            data_sets.put(staged, user=None)


def make_large(home: Path, places: int) -> None:
    """Places of 50 metros, 300 categories and 400 chains, with visits of 24 months."""
    data_sets = DataSets(home)
    if data_sets.current(USER) is not None:
        return
    with data_sets.staged() as staged, duckdb.connect(config={"threads": 2}) as db:
        columns = {
            "id": "'p' || lpad(n::VARCHAR, 8, '0')", "name": "'Place ' || n", "address": "n || ' Main St'",
            "city": "'City ' || n % 500", "state": "['CA', 'GA', 'TX', 'IL', 'CO'][n % 5 + 1]",
            "zip": "lpad((n % 5000)::VARCHAR, 5, '0')", "metro": "'Metro ' || n % 50",
            "lat": "30 + n % 1000 / 100", "lon": "-120 + n % 977 / 30",
            "category_id": "(440000 + n * 7919 % 300)::VARCHAR",
            "chain_id": "CASE WHEN n % 3 = 0 THEN 'chain-' || n * 7907 % 400 END", "area_m2": "50 + n % 900",
        }  # fmt: skip
        db.execute("SET enable_progress_bar = false")
        selected = ", ".join(f"{value} AS {name}" for name, value in columns.items())
        options = "(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {})"
        # As the import writes them.
        few, many = options.format(ROWS_A_GROUP), options.format(122880)
        rows = f"range({places}) AS t(n)"
        db.execute(f"COPY (SELECT {selected} FROM {rows}) TO '{staged / 'poi_places.parquet'}' {few}")
        db.execute(
            f"COPY (SELECT 'chain-' || n AS id, 'Chain ' || n AS name FROM range(400) AS t(n)) "
            f"TO '{staged / 'poi_chains.parquet'}' {many}"
        )
        db.execute(
            "COPY (SELECT 'p' || lpad(n::VARCHAR, 8, '0') AS place_id, month, 20 * panel AS visits, "
            "8 * panel AS visitors, 15.0 + n % 40 AS dwell_median, 20.0 + n % 40 AS dwell_mean, 2.5 AS frequency, "
            "2 * panel AS panel_visits, panel AS panel_visitors FROM ("
            f"SELECT i % {places} AS n, 3 + hash(i) % 200 AS panel, "
            f"CAST(DATE '2024-11-01' + to_months((i // {places})::INT) AS DATE) AS month "
            f"FROM range({MONTHS * places}) AS t(i))) "
            f"TO '{staged / 'poi_visits_monthly.parquet'}' {many}"
        )
        write_month_columns(db.execute, staged)
        about = About(name="Large", first_day=date(2024, 11, 1), last_day=date(2026, 10, 31), as_of=TODAY)
        about.write(staged)
        data_sets.put(staged, user=None)


def sample_rows(found: dict[str, list[Measured]]) -> list[bars.Bar]:
    """The slowest tool, and the one that adds the most to its SQL."""
    slowest = max(found, key=lambda name: bars.p95([each.ms for each in found[name]]))
    most = max(found, key=lambda name: to_sql(found[name]))
    times = [each.ms for each in found[slowest]]
    return [
        bars.Bar(title=f"sample: p95 of the slowest of {len(found)} tools, {slowest}", limit=TOOL_MS, unit=" ms",
                 figures={bars.OURS: bars.p95(times)}, spread=bars.span(times), source="#20"),
        bars.Bar(title=f"sample: a tool to its own SQL, {most}", limit=TO_SQL,
                 figures={bars.OURS: to_sql(found[most])}, source="#20"),
    ]  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    parser = bars.options("How much CPU the tools of places take.", 3)
    parser.add_argument("--inputs", type=int, default=40, help="of each tool")
    parser.add_argument("--places", type=int, default=2_000_000, help="of the large data set; 0 leaves it out")
    parser.add_argument("--only", nargs="*", choices=TOOLS, default=TOOLS, metavar="TOOL")
    parser.add_argument("--folder", type=Path, help="keep the data sets there")
    asked = parser.parse_args(arguments)
    rows: list[bars.Bar] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = asked.folder or Path(temporary)
        make_sample(folder / "sample")
        rows += sample_rows(asyncio.run(run(folder / "sample", "sample", asked.only, asked.inputs, asked.rounds)))
        if asked.places:
            home = folder / f"large-{asked.places}"
            make_large(home, asked.places)
            found = asyncio.run(run(home, f"{asked.places:,} places", LARGE_TOOLS, asked.inputs // 4 + 1, asked.rounds))
            times = [each.ms for measured in found.values() for each in measured]
            rows.append(
                bars.Bar(title=f"{asked.places:,} places by month: longest search or summary", limit=LARGE_MS,
                         unit=" ms", figures={bars.OURS: max(times)}, spread=bars.span(times), source="#20")
            )  # fmt: skip
    return bars.tell(bars.Report(rows=rows), asked.json)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
