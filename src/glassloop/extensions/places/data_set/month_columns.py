"""Visits by month side by side: one row for each place and columns for each month, of data sets with many places.

Sums over months need neither a join nor a group for each place. Made from the views by whoever makes the data set, in
files of places whose ids follow one another, by metro within each: a rank in a metro reads few rows of a file. Places
of chains are in one more file, by chain, with their visits alone, for ranks in chains. Suppressed figures are left out,
as in the view of months.
"""

# Names of columns and files are our own.
# ruff: noqa: S608

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
ROWS_A_GROUP: Final = 40_960
TABLE: Final = "poi_months"
CHAIN_TABLE: Final = "poi_chain_months"
THERE: Final = "there"
"""Whether a place has a row of the month, suppressed or not."""
KEYS: Final = ("metro", "category_id", "chain_id")
FIGURES: Final = ("visits", "visitors", "dwell_median", "dwell_mean", "panel_visits", PANEL_VISITORS)
_OPTIONS: Final = f"(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {ROWS_A_GROUP})"
Run = Callable[[str], Any]
"""Runs a statement; `fetchall` of what it gives has the rows."""


class MonthColumns(msgspec.Struct, frozen=True):
    """The months that there are columns of, and the table that has them; `chains` is one with those of chains alone."""

    months: frozenset[date]
    source: str = TABLE
    chains: str = TABLE

    def within(self, first: date, last: date) -> list[date]:
        return sorted(month for month in self.months if first <= month <= last)


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


def chain_files_in(folder: Path) -> list[Path]:
    """The file of chains, or none."""
    return sorted(folder.glob(f"{CHAIN_TABLE}.parquet"))


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
            f"ORDER BY p.metro, p.place_id) TO {_quoted(str(folder / f'{TABLE}_{number:03}.parquet'))} {_OPTIONS}"
        )
    visits = ", ".join(column("visits", month) for month in spans)
    run(
        f"COPY (SELECT chain_id, {visits} FROM {source_of(files_in(folder))} WHERE chain_id IS NOT NULL "
        f"ORDER BY chain_id) TO {_quoted(str(folder / f'{CHAIN_TABLE}.parquet'))} {_OPTIONS}"
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
