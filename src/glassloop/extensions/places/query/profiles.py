"""Demographics of the areas where visitors live, as SQL: each figure a row, which is planned many times as quickly as a
column for each."""

from datetime import date
from typing import Final

from glassloop.extensions.places.data_set.views import SHARES
from glassloop.extensions.places.query.binds import Binds

FIGURES: Final = ("income_median", *SHARES)
"""Columns of `poi_areas`, numbered from 0."""


def profile_sql(ids: str, months: tuple[date, date], binds: Binds, *, by_place: bool = False) -> str:
    """`figure, mean` of the areas where the visitors of these places (a query of ids) live, weighted by visitors; by
    place with `place_id`."""
    place = "place_id, " if by_place else ""
    return (
        f"SELECT {place}figure, sum(value * weight) / nullif(sum(weight), 0) AS mean "
        f"FROM (SELECT {place}h.visitors AS weight, {figures_sql()} "
        "FROM poi_homes h JOIN poi_areas a ON a.id = h.area_id "
        f"WHERE h.place_id IN ({ids}) "
        f"AND h.month BETWEEN {binds(months[0])} AND {binds(months[1])}) "
        f"WHERE value IS NOT NULL GROUP BY {place}figure"
    )


def figures_sql() -> str:
    """`figure, value` of every area `a`."""
    listed = ", ".join(f"a.{name}" for name in FIGURES)
    return f"unnest(range({len(FIGURES)})) AS figure, unnest([{listed}]) AS value"
