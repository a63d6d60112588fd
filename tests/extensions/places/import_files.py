"""Files to import, made by tests, and data sets made of them."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import duckdb

from glassloop.extensions.places.importing.importer import FileToImport, import_file
from glassloop.extensions.places.importing.report import ImportReport

PLACES = """id,name,address,city,state,zip,lat,lon,category_id,category_name,chain_id,chain_name,tags
p1,Blue Cup,1 Main St,San Francisco,CA,94103,37.7749,-122.4194,722515,Snack Bars,blue,Blue Cup,"coffee,wifi"
p2,"Corner ""Deli""
and more",2 Main St,San Francisco,CA,94103,37.7849,-122.4094,722513,Limited-Service Restaurants,,,
p3,Café Olé,3 Main St,Atlanta,GA,30303,33.7490,-84.3880,722515,Snack Bars,,,
"""
VISITS = """place_id,day,visits,visitors
p1,2026-01-30,10,8
p1,2026-01-31,0,
p1,2026-02-01,5,5
p2,2026-02-01,7,7
"""
WEEK = ["2026-01-26T00:00:00-08:00", "2026-02-02T00:00:00-08:00"]
"""Monday to Sunday, the Sunday being in February."""


class Imports:
    """Imports one file after the other, each on top of what the former one made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self.data_set: Path | None = None

    def file(self, content: str | bytes, name: str = "file.csv") -> Path:
        self._made += 1
        path = self._folder / f"given{self._made}" / name
        path.parent.mkdir()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def take(self, content: str | bytes | Path, name: str = "file.csv", **options: Any) -> ImportReport:
        path = content if isinstance(content, Path) else self.file(content, name)
        self._made += 1
        staged = self._folder / f"staged{self._made}"
        staged.mkdir()
        base = str(self.data_set) if self.data_set else ""
        wanted = FileToImport(
            path=str(path), cpu_s=60.0, name=path.name, user="ada", staged=str(staged), base=base, **options
        )
        report = import_file(wanted, lambda _message, _fraction: None)
        assert report.read == report.taken + report.skipped + report.duplicates
        assert not (staged / "work").exists()
        if report.taken:
            self.data_set = staged
        return report

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """A query over the views that the data set has, each by its name."""
        assert self.data_set is not None
        with duckdb.connect() as db:
            for file in self.data_set.glob("*.parquet"):
                db.execute(f"CREATE VIEW {file.stem} AS FROM read_parquet('{file}')")
            return db.execute(sql).fetchall()


def table(columns: list[str], rows: list[list[Any]]) -> str:
    """CSV; lists and objects are JSON in their cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([json.dumps(cell) if isinstance(cell, (list, dict)) else cell for cell in row])
    return out.getvalue()


def pattern(place: str = "p1", start: str = WEEK[0], end: str = WEEK[1], **changes: Any) -> dict[str, Any]:
    """A row of weekly patterns whose sums agree."""
    days = changes.pop("visits_by_day", [4, 0, 3, 5, 2, 6, 9])
    hours = [0] * (24 * len(days))
    for number, count in enumerate(days):
        hours[number * 24 + 9] += count // 2
        hours[number * 24 + 17] += count - count // 2
    visits = sum(days)
    row = {
        "placekey": place,
        "location_name": f"Place {place}",
        "date_range_start": start,
        "date_range_end": end,
        "raw_visit_counts": visits,
        "raw_visitor_counts": max(1, visits * 2 // 3),
        "visits_by_day": days,
        "visits_by_each_hour": hours,
        "visitor_home_cbgs": {"060750101001": 8, "060750101002": 4},
        "median_dwell": 22,
        "bucketed_dwell_times": {"<5": 1, "5-20": 10, "21-60": visits - 14, "61-240": 3, ">240": 0},
        "related_same_day_brand": {"Walmart": 25, "Blue Cup": 10},
        "distance_from_home": 4414,
    }
    return {**row, **changes}


def patterns(*rows: dict[str, Any]) -> str:
    return table(list(rows[0]), [list(row.values()) for row in rows])
