"""A small data set, made of its own truth: every row is drawn first in Python, then written as Parquet."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import h3

from extensions.places.suppression_rule import mark_suppressed
from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.data_sets import DataSet, DataSets
from glassloop.extensions.places.data_set.views import AGES, ALL_VIEWS, BUCKETS, EDUCATIONS, HOUSEHOLDS

FIRST, LAST = date(2025, 1, 1), date(2026, 3, 15)
SCALE = 10
"""Persons that one of the panel stands for."""
CENTERS = {
    ("Harbor", "CA"): ("Harbor", 37.77, -122.42), ("Baytown", "CA"): ("Harbor", 37.80, -122.27),
    ("Springfield", "CA"): ("Harbor", 37.70, -122.45), ("Peach", "GA"): ("Peach City-Marietta, GA", 33.75, -84.39),
    ("Springfield", "GA"): ("Peach City-Marietta, GA", 33.79, -84.45),
}  # fmt: skip
CATEGORIES = [
    ("72", "Accommodation and Food Services", None, []),
    ("722", "Food Services and Drinking Places", "72", ["restaurants"]),
    ("722515", "Snack and Nonalcoholic Beverage Bars", "722", ["coffee shops", "cafes"]),
    ("722513", "Limited-Service Restaurants", "722", ["fast food"]),
    ("531120", "Lessors of Nonresidential Buildings", None, ["shopping malls", "malls"]),
    ("713940", "Fitness and Recreational Sports Centers", None, ["gyms"]),
]
CHAINS = [
    ("c-star", "Starbean", ["star bean"], "722515"), ("c-chick", "Chick-a-Dee's", [], "722513"),
    ("c-gym", "Iron Gym", [], "713940"), ("c-gym2", "Iron Gym Express", [], "713940"),
]  # fmt: skip
Row = dict[str, Any]


def make_data_set(
    home: Path,
    made: "MadePlaces | None" = None,
    *,
    user: str | None = None,
    without: Iterable[str] = (),
    panel: bool = True,
) -> DataSet:
    """The data set in this home folder; `without` names views that it lacks, `panel` is whether it tells of one."""
    sets = DataSets(home)
    folder = sets.stage()
    views = (made or MadePlaces()).views()
    mark_suppressed(views)
    for row in () if panel else (row for rows in views.values() for row in rows):
        row |= dict.fromkeys(row.keys() & {"panel_visits", "panel_visitors", "suppressed"})
    for name, rows in views.items():
        if name not in without:
            write_view(folder, name, rows)
    about = About(name="Made places", first_day=FIRST, last_day=LAST, as_of=date(2026, 3, 16), sample=True,
                  panel_size=1_000)  # fmt: skip
    about.write(folder)
    return sets.put(folder, user=user)


def write_view(folder: Path, name: str, rows: list[Row]) -> None:
    view = ALL_VIEWS[name]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE made AS {view.empty}")
        marks = ", ".join("?" * len(view.columns))
        if rows:
            # As JSON, as rows one by one would take seconds.
            import json

            source = folder / f"{name}.json"
            source.write_text("\n".join(json.dumps(row, default=str) for row in rows))
            columns = {column.name: column.type for column in view.columns}
            shape = ", ".join(f"{key}: '{kind}'" for key, kind in columns.items())
            connection.execute(
                f"INSERT INTO made SELECT {', '.join(columns)} FROM read_json('{source}', columns={{{shape}}}, "
                "format='newline_delimited')"
            )
            source.unlink()
        del marks
        connection.execute(f"COPY made TO '{folder / view.file_name}' (FORMAT parquet)")


class MadePlaces:
    """Draws everything from one seed."""

    def __init__(
        self, seed: int = 20, *, places: int = 72, weights: tuple[int, int] = (SCALE, SCALE), spread: bool = False
    ) -> None:
        """`weights`: the least and the most that a person of the panel stands for. `spread`: the visits of a month are
        spread evenly over its days and hours, as in one step."""
        self.random = random.Random(seed)
        self._count, self._weights, self._spread = places, weights, spread
        self.areas = list(self._areas())
        self.places = list(self._places())

    def views(self) -> dict[str, list[Row]]:
        made: dict[str, list[Row]] = defaultdict(list)
        made["poi_places"], made["poi_areas"] = self.places, self.areas
        made["poi_categories"] = [
            dict(zip(("id", "name", "parent_id", "words"), row, strict=True)) for row in CATEGORIES
        ]
        made["poi_chains"] = [dict(zip(("id", "name", "words", "category_id"), row, strict=True)) for row in CHAINS]
        for place in self.places:
            for month, days in self._days(place).items():
                self._month(made, place, month, days)
        made["poi_overlap"] = list(self._overlap(made["poi_visits_monthly"]))
        return dict(made)

    def _areas(self) -> Iterator[Row]:
        for (city, _), (metro, lat, lon) in CENTERS.items():
            cells = sorted(h3.grid_disk(h3.latlng_to_cell(lat, lon, 7), 1))
            for number, cell in enumerate(cells):
                middle = h3.cell_to_latlng(cell)
                ring = [[x, y] for y, x in h3.cell_to_boundary(cell)]
                shares = {f"{kind}_{name}": part
                          for kind, names in (("age", AGES), ("household", HOUSEHOLDS), ("education", EDUCATIONS))
                          for name, part in zip(names, self._parts(len(names)), strict=True)}  # fmt: skip
                yield {"id": cell, "name": f"{('North', 'South', 'Mission')[number % 3]} {city}, {city}", "kind": "hex",
                       "lat": middle[0], "lon": middle[1], "metro": metro, "ring": [*ring, ring[0]],
                       "population": self.random.randint(800, 9_000), "households": self.random.randint(300, 3_000),
                       "income_median": float(self.random.randint(40, 190) * 1_000), **shares}  # fmt: skip

    def _places(self) -> Iterator[Row]:
        for number in range(self._count):
            (city, state), (metro, lat, lon) = self.random.choice(list(CENTERS.items()))
            category = self.random.choice(["722515", "722513", "531120", "713940"])
            chain = self.random.choice([None, *(row for row in CHAINS if row[3] == category)])
            opened = date(2025, 10, 6) if number % 17 == 3 else date(2019, 5, 1) if number % 4 == 0 else None
            yield {
                "id": f"p{number:03d}", "name": f"{chain[1] if chain else f'Café Nº {number}'}",
                "address": f"{number} Main St", "city": city, "state": state, "zip": f"{94_100 + number % 7}",
                "metro": metro if number % 31 else None,
                "lat": lat + self.random.uniform(-0.03, 0.03), "lon": lon + self.random.uniform(-0.03, 0.03),
                "category_id": category, "chain_id": chain[0] if chain else None,
                "tags": self.random.choice([None, ["Drive-thru"], ["wifi", "drive-thru"], ["wifi"]]),
                "opened_on": opened, "closed_on": date(2025, 12, 14) if number % 19 == 5 else None,
                "area_m2": None if number % 6 == 0 else float(self.random.randint(60, 900)), "parent_id": None,
                "hours": [7 <= hour % 24 < 22 for hour in range(168)], "size": self.random.choice([0.05, 0.3, 1, 2, 5]),
            }  # fmt: skip

    def _days(self, place: Row) -> dict[date, dict[date, int]]:
        """Visits of the panel by month and day."""
        months: dict[date, dict[date, int]] = defaultdict(dict)
        growth = self.random.uniform(-0.04, 0.05)
        for at in range((LAST - FIRST).days + 1):
            day = FIRST + timedelta(days=at)
            if day < (place["opened_on"] or FIRST) or day > (place["closed_on"] or LAST):
                continue
            mean = place["size"] * (1.6 if day.weekday() >= 5 else 1.0) * (1 + growth) ** (at / 30)
            count = int(mean) + (self.random.random() < mean % 1) + (self.random.random() < 0.2) * int(mean > 1)
            if count:
                months[day.replace(day=1)][day] = count
        return months

    def _month(self, made: dict[str, list[Row]], place: Row, month: date, days: dict[date, int]) -> None:
        """The visits of a month, each of one of the panel's persons: every row is counted from them."""
        key, total = {"place_id": place["id"], "month": month}, sum(days.values())
        persons = max(1, round(total * self.random.uniform(0.4, 0.9)))
        weights = [self.random.randint(*self._weights) for _ in range(persons)]
        who = [*range(persons), *(self.random.randrange(persons) for _ in range(total - persons))]
        self.random.shuffle(who)
        when = [day for day, count in days.items() for _ in range(count)]
        near = [area["id"] for area in self.areas if area["metro"] == place["metro"]] or ["elsewhere"]
        homes = [self.random.choice([*near[:6], *near[:2], self.areas[-1]["id"], None]) for _ in range(persons)]
        others = [other["id"] for other in self.places if other["metro"] == place["metro"] and other is not place]

        def count(parts: Iterable[Any]) -> dict[Any, Row]:
            """Visits, visitors and the panel of each part."""
            found: dict[Any, Row] = {}
            seen: dict[Any, set[int]] = defaultdict(set)
            for person, part in zip(who, parts, strict=True):
                row = found.setdefault(part, {"visits": 0, "visitors": 0, "panel_visitors": 0})
                row["visits"] += weights[person]
                row["visitors"] += weights[person] * (person not in seen[part])
                row["panel_visitors"] += person not in seen[part]
                seen[part].add(person)
            return found

        (whole,) = count([None] * total).values()
        dwell = self.random.uniform(5, 90)
        made["poi_visits_monthly"].append(
            {**key, **whole, "dwell_median": dwell, "dwell_mean": dwell * 1.2,
             "frequency": whole["visits"] / whole["visitors"], "panel_visits": total}
        )  # fmt: skip
        # As days and hours are in steps, what they rest on is that of the month.
        step = {"panel_visitors": persons}
        hours = [day.weekday() * 24 + self.random.choice([8, 12, 12, 17, 18]) for day in when]
        by_day, by_hour = count(when), count(hours)
        for rows in (by_day, by_hour) if self._spread else ():
            for at, row in enumerate(rows.values()):
                row |= {name: whole[name] // len(rows) + (at < whole[name] % len(rows)) for name in row}
        made["poi_visits_daily"] += [
            {"place_id": place["id"], "day": day, **row, **step} for day, row in by_day.items()
        ]
        made["poi_hours"] += [{**key, "hour_of_week": at, **row, **step} for at, row in by_hour.items()]
        buckets = count(self.random.choice(BUCKETS[:5]) for _ in when)
        made["poi_dwell"] += [{**key, "bucket": at, **row} for at, row in buckets.items()]
        lived = count(homes[person] for person in who)
        made["poi_homes"] += [{**key, "area_id": at, **row} for at, row in lived.items() if at]
        for direction in ("before", "after"):
            flows = count(self.random.choice(["home", "home", "work", *others[:5]]) for _ in when)
            made["poi_flows"] += [
                {**key, "direction": direction, "other_id": at, **row, "minutes_median": self.random.uniform(3, 60)}
                for at, row in flows.items()
            ]

    def _overlap(self, months: list[Row]) -> Iterator[Row]:
        """Some pairs of places of a metro, in both directions."""
        panel = {(row["place_id"], row["month"]): row["panel_visitors"] for row in months}
        for one, month in panel:
            for two in self.random.sample(self.places, 6):
                if two["id"] <= one or (two["id"], month) not in panel:
                    continue
                shared = self.random.randint(0, min(panel[one, month], panel[two["id"], month]))
                weight = sum(self.random.randint(*self._weights) for _ in range(shared))
                for ends in ((one, two["id"]), (two["id"], one)):
                    yield {"place_id": ends[0], "other_id": ends[1], "month": month, "shared_visitors": weight,
                           "panel_visitors": shared}  # fmt: skip

    def _parts(self, count: int) -> list[float]:
        drawn = [self.random.uniform(0.5, 1.5) for _ in range(count)]
        return [each / sum(drawn) for each in drawn]
