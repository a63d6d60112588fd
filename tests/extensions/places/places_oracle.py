"""An independent computation of the tools' figures: plain Python over the rows of the same Parquet files."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from extensions.places.suppression_rule import mark_suppressed
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.data_set.views import STORED_VIEWS

Row = dict[str, Any]


class Oracle:
    """All rows in memory, by place. Only reading is DuckDB's: every figure is computed here, row by row."""

    def __init__(self, folder: Path, metro: str | None = None) -> None:
        """`metro`: only what is of its places, where a data set is large."""
        self.tables: dict[str, list[Row]] = {}
        with duckdb.connect() as connection:
            for view in STORED_VIEWS:
                source = f"read_parquet('{folder / view.file_name}')"
                places = f"SELECT id FROM read_parquet('{folder / 'poi_places.parquet'}') WHERE metro = '{metro}'"
                within = ""
                if metro is not None and view.name == "poi_places":
                    within = f" WHERE id IN ({places})"
                elif metro is not None and "place_id" in view.column_names:
                    within = f" WHERE place_id IN ({places})"
                found = connection.execute(f"SELECT * FROM {source}{within}")
                columns = [each[0] for each in found.description]
                self.tables[view.name] = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
        self.about = json.loads((folder / "about.json").read_text())
        self.first, self.last = (date.fromisoformat(self.about[key]) for key in ("first_day", "last_day"))
        self.places = {row["id"]: row for row in self.tables["poi_places"]}
        self.areas = {row["id"]: row for row in self.tables["poi_areas"]}
        self.ids = sorted(self.places)
        told = {view.name: [row.get("suppressed") for row in self.tables[view.name]] for view in STORED_VIEWS}
        mark_suppressed(self.tables)
        self.flags_agree = all(
            told[view] == [row.get("suppressed") for row in rows] for view, rows in self.tables.items()
        )
        self.there = {(row["place_id"], row["month"]) for row in self.tables["poi_visits_monthly"]}
        self.months = self._by_place("poi_visits_monthly")
        self.days = self._by_place("poi_visits_daily")

    @classmethod
    @lru_cache(maxsize=2)
    def of_home(cls, home: Path, metro: str | None = None) -> "Oracle":
        return cls(DataSets(home).current("anybody").folder, metro)

    def _by_place(self, view: str) -> dict[str, list[Row]]:
        """Only what may be shown."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.tables[view]:
            if not row["suppressed"]:
                found[row["place_id"]].append(row)
        return found

    def prefetch(self, view: str, places: Iterable[str]) -> None:
        """Has the rows of these places read at once, where they are not in memory already."""

    @property
    @lru_cache(maxsize=4)  # noqa: B019
    def by_place(self) -> dict[str, dict[str, list[Row]]]:
        return {
            view: self._by_place(view) for view in ("poi_hours", "poi_dwell", "poi_homes", "poi_overlap", "poi_flows")
        }

    def month(self, place: str, month: str) -> Row | None:
        return next((row for row in self.months[place] if f"{row['month']:%Y-%m}" == month), None)

    def panel_of(self, place: str, month: str) -> int:
        found = self.month(place, month)
        return found["panel_visitors"] if found else 0

    def visits(self, place: str, month: str) -> int:
        found = self.month(place, month)
        return found["visits"] if found else 0

    def flow_parts(self, place: str, month: str, way: str) -> int:
        rows = [row for row in self.by_place["poi_flows"][place] if row["direction"] == way]
        return len({row["other_id"] for row in rows if f"{row['month']:%Y-%m}" == month})

    # A period is (first day, last day) with data.

    def whole_months(self, start: date, end: date) -> list[date]:
        """Months of which all days that the data has are within."""
        inside = []
        for month in sorted({start.replace(day=1) + timedelta(days=at) for at in range((end - start).days + 32)}):
            if month.day == 1 and month <= end:
                last = (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
                if max(month, self.first) >= start and min(last, self.last) <= end:
                    inside.append(month)
        return inside

    def seen(self, place: str, start: date, end: date) -> Row | None:
        """Visits of a period with the panel behind them; None where there is no row at all."""
        whole = set(self.whole_months(start, end))
        parts: list[tuple[float, float | None, float | None]] = [
            (row["visits"], row["panel_visits"], row["panel_visitors"])
            for row in self.months[place]
            if row["month"] in whole
        ]
        by_month: dict[date, float] = defaultdict(float)
        every = (start + timedelta(days=at) for at in range((end - start).days + 1))
        parted = any(day.replace(day=1) not in whole for day in every)
        for row in self.days[place] if parted else ():
            if start <= row["day"] <= end and row["day"].replace(day=1) not in whole:
                by_month[row["day"].replace(day=1)] += row["visits"]
        for month, visits in by_month.items():
            found = next(row for row in self.months[place] if row["month"] == month)
            parts.append((visits, visits * found["panel_visits"] / found["visits"],
                          visits * found["panel_visitors"] / found["visits"]))  # fmt: skip
        if not parts:
            small = any((place, month) in self.there for month in whole)
            return {"visits": 0, "panel_visits": 0, "panel": 0, "certain": 0} if small else None
        return {
            "visits": sum(part[0] for part in parts),
            "panel_visits": sum(part[1] for part in parts),
            "panel": sum(part[2] for part in parts),
            "certain": max(part[2] for part in parts),
        }

    def shown(self, place: str, start: date, end: date) -> float | None:
        found = self.seen(place, start, end)
        return None if found is None or found["certain"] < 5 else found["visits"]


class LazyRows(dict[str, list[Row]]):
    """Rows of a Parquet file by place, read when they are asked for: those that may be shown."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, file: Path, condition: str = "true") -> None:
        super().__init__()
        self._connection = connection
        self._source = f"read_parquet('{file}') WHERE NOT suppressed AND {condition}"

    def __missing__(self, place: str) -> list[Row]:
        self.read([place])
        return self[place]

    def read(self, places: Iterable[str]) -> None:
        """Those of many places at once."""
        missing = {place: [] for place in places if place not in self}
        found = self._connection.execute(
            f"SELECT * FROM {self._source} AND place_id IN (SELECT unnest(?))", [list(missing)]
        )
        columns = [each[0] for each in found.description]
        for row in found.fetchall():
            told = dict(zip(columns, row, strict=True))
            missing[told["place_id"]].append(told)
        self.update(missing)


class SampleOracle(Oracle):
    """The same over a large data set: months of all places are in memory, of everything else what is asked for. Parts
    of months are kept from `since` on."""

    def __init__(self, folder: Path, since: date) -> None:
        connection = duckdb.connect()

        def rows(view: str, columns: str = "*", condition: str = "true") -> list[Row]:
            found = connection.execute(
                f"SELECT {columns} FROM read_parquet('{folder / view}.parquet') WHERE {condition}"
            )
            names = [each[0] for each in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

        self.about = json.loads((folder / "about.json").read_text())
        self.first, self.last = (date.fromisoformat(self.about[key]) for key in ("first_day", "last_day"))
        self.places = {row["id"]: row for row in rows("poi_places", "* EXCLUDE (hours)")}
        self.areas = {row["id"]: row for row in rows("poi_areas", "* EXCLUDE (ring)")}
        self.ids = sorted(self.places)
        self.there = {(row["place_id"], row["month"]) for row in rows("poi_visits_monthly", "place_id, month")}
        self.months = defaultdict(list)
        for row in rows("poi_visits_monthly", condition="NOT suppressed"):
            self.months[row["place_id"]].append(row)
        self.days = LazyRows(connection, folder / "poi_visits_daily.parquet")
        parts = ("poi_hours", "poi_dwell", "poi_homes", "poi_overlap", "poi_flows")
        self._parts = {
            view: LazyRows(connection, folder / f"{view}.parquet", f"month >= DATE '{since}'") for view in parts
        }

    @property
    def by_place(self) -> dict[str, LazyRows]:
        return self._parts

    def prefetch(self, view: str, places: Iterable[str]) -> None:
        (self.days if view == "poi_visits_daily" else self._parts[view]).read(places)


def meters(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """By the law of cosines on the unit vectors: another formula than the tools'."""
    one, two = (
        (math.cos(math.radians(y)) * math.cos(math.radians(x)), math.cos(math.radians(y)) * math.sin(math.radians(x)),
         math.sin(math.radians(y)))
        for y, x in ((lat, lon), (other_lat, other_lon))
    )  # fmt: skip
    chord = math.dist(one, two)
    return 2 * 6_371_008.8 * math.asin(min(1.0, chord / 2))
