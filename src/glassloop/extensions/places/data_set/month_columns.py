"""Visits by month side by side: one row for each place and columns for each month, of data sets with many places.

Sums over months need neither a join nor a group for each place. Made from the views by whoever makes the data set, in
files of places whose ids follow one another. For ranks visits alone are there twice more, by metro and by chain: places
that are ranked among one another follow one another. Suppressed figures are left out, as in the view of months.
"""

# Names of columns and files are our own.
# ruff: noqa: S608

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import date
from pathlib import Path
from typing import Any, Final

import msgspec

from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.data_set.views import ALL_VIEWS, MONTHLY, PANEL_VISITORS, SUPPRESSED

MAX_KEPT_PLACES: Final = 100_000
"""With no more places results are kept as tables; with more these columns are read."""
PLACES_A_FILE: Final = 81_920
"""Each file is opened by each query, which takes about a millisecond."""
ROWS_A_GROUP: Final = 8_192
"""A group of rows is read whole where one of its places is wanted."""
TABLE: Final = "poi_months"
RANKED_TABLES: Final = {"poi_metro_months": ("metro", "category_id"), "poi_chain_months": ("chain_id",)}
"""Visits by month of places that have the first of these keys, in its order, and their keys."""
THERE: Final = "there"
"""Whether a place has a row of the month, suppressed or not."""
KEYS: Final = ("metro", "category_id", "chain_id")
FIGURES: Final = ("visits", "visitors", "dwell_median", "dwell_mean", "panel_visits", PANEL_VISITORS)
_OPTIONS: Final = f"(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {ROWS_A_GROUP})"
Run = Callable[[str], Any]
"""Runs a statement; `fetchall` of what it gives has the rows."""


class MonthColumns(msgspec.Struct, frozen=True):
    """The months that there are columns of, and the table that has them; `ranked` are those of `RANKED_TABLES`, `files`
    the first id and the path of each file in the order of ids."""

    months: frozenset[date]
    source: str = TABLE
    ranked: frozenset[str] = frozenset()
    files: tuple[tuple[str, Path], ...] = ()

    def within(self, first: date, last: date) -> list[date]:
        return sorted(month for month in self.months if first <= month <= last)

    def holding(self, ids: Iterable[str]) -> str:
        """The files alone that these places are in, as a table: opening all of them takes longer than reading some."""
        firsts = [first for first, _ in self.files]
        wanted = sorted({max(0, bisect_right(firsts, each) - 1) for each in ids}) if firsts else []
        return source_of([self.files[number][1] for number in wanted]) if wanted else self.source


def column(name: str, month: date) -> str:
    return f"{name}_{month:%Y%m}"


def any_there(months: Sequence[date]) -> str:
    """A condition: there is a row of one of these months."""
    return f"({' OR '.join(column(THERE, month) for month in months) or 'false'})"


def total(terms: Sequence[str]) -> str:
    """The sum of those that are not null; null where all are."""
    if len(terms) < 2:
        return terms[0] if terms else "NULL"
    added = " + ".join(f"coalesce({term}, 0)" for term in terms)
    return f"CASE WHEN coalesce({', '.join(terms)}) IS NULL THEN NULL ELSE {added} END"


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{TABLE}_*.parquet"))


def ranked_files_in(folder: Path) -> dict[str, Path]:
    """Those of `RANKED_TABLES` that there are."""
    return {name: file for name in RANKED_TABLES if (file := folder / f"{name}.parquet").is_file()}


def write_month_columns(
    run: Run, folder: Path, *, most_kept: int = MAX_KEPT_PLACES, places_a_file: int = PLACES_A_FILE
) -> int:
    """Writes the files of a data set in `folder` that has more places than are kept; how many files."""
    places, months = (folder / ALL_VIEWS[name].file_name for name in ("poi_places", MONTHLY))
    if not places.is_file() or not months.is_file():
        return 0
    ((count,),) = run(f"SELECT count(*) FROM {_source(places)}").fetchall()
    if count <= most_kept:
        return 0
    bounds = [
        str(key)
        for (key,) in run(
            f"SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM {_source(places)}) "
            f"WHERE (number - 1) % {places_a_file} = 0 ORDER BY id"
        ).fetchall()
    ]
    there = {str(row[0]) for row in run(f"DESCRIBE SELECT * FROM {_source(months)}").fetchall()}
    spans = [day for (day,) in run(f"SELECT DISTINCT month FROM {_source(months)} ORDER BY 1").fetchall()]
    known = {str(row[0]) for row in run(f"DESCRIBE SELECT * FROM {_source(places)}").fetchall()}
    keys = ", ".join(f"{key}::VARCHAR AS {key}" if key in known else f"NULL::VARCHAR AS {key}" for key in KEYS)
    for number, (first, last) in enumerate(zip(bounds, [*bounds[1:], None], strict=True)):
        where = f"{{0}} >= {_quoted(first)}" + (f" AND {{0}} < {_quoted(last)}" if last is not None else "")
        chosen = f"SELECT id AS place_id, {keys} FROM {_source(places)} WHERE {where.format('id')}"
        joins = [
            f"LEFT JOIN ({_month_sql(months, there, month, where.format('place_id'))}) m{at} "
            f"ON m{at}.place_id = p.place_id"
            for at, month in enumerate(spans)
        ]
        columns = [f"m{at}.* EXCLUDE (place_id)" for at in range(len(spans))]
        run(
            f"COPY (SELECT {', '.join(['p.*', *columns])} FROM ({chosen}) p {' '.join(joins)} "
            f"ORDER BY p.place_id) TO {_quoted(str(folder / f'{TABLE}_{number:03}.parquet'))} {_OPTIONS}"
        )
    visits = ", ".join(column("visits", month) for month in spans)
    for name, keys_of in RANKED_TABLES.items():
        run(
            f"COPY (SELECT {', '.join(keys_of)}, {visits} FROM {source_of(files_in(folder))} "
            f"WHERE {keys_of[0]} IS NOT NULL ORDER BY {keys_of[0]}) "
            f"TO {_quoted(str(folder / f'{name}.parquet'))} {_OPTIONS}"
        )
    return len(bounds)


def months_of(columns: Iterable[str]) -> MonthColumns:
    """By the names of the columns of the files."""
    found = [name.removeprefix(f"{THERE}_") for name in columns if name.startswith(f"{THERE}_")]
    return MonthColumns(frozenset(date(int(text[:4]), int(text[4:]), 1) for text in found))


def source_of(files: Sequence[Path]) -> str:
    """A table function over the files."""
    return f"read_parquet([{', '.join(_quoted(str(file)) for file in files)}])"


def hidden_month(there: Set[str]) -> str:
    """A condition: the figures of a month are suppressed. `there` are the columns of its file."""
    told = f"coalesce({SUPPRESSED}, false)" if SUPPRESSED in there else "false"
    few = f"coalesce({PANEL_VISITORS} < {MIN_PANEL}, false)" if PANEL_VISITORS in there else "false"
    return f"({told} OR {few})"


def _month_sql(file: Path, there: Set[str], month: date, where: str) -> str:
    hidden = hidden_month(there)
    types = {each.name: each.type for each in ALL_VIEWS[MONTHLY].columns}
    figures = [
        f"CASE WHEN {hidden} THEN NULL ELSE {name}::{types[name]} END AS {column(name, month)}"
        if name in there
        else f"NULL::{types[name]} AS {column(name, month)}"
        for name in FIGURES
    ]
    return (
        f"SELECT place_id, true AS {column(THERE, month)}, {', '.join(figures)} FROM {_source(file)} "
        f"WHERE month = DATE '{month}' AND {where}"
    )


def _source(file: Path) -> str:
    return source_of([file])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
