"""`query_metadata`: what the figures of an answer are of, in the same fields for every tool."""

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.query.periods import VisitPeriod, period_json


class QueryMetadata(msgspec.Struct, kw_only=True):
    """Collected while a tool works; `missing` names what the data lacks, `notes` say how to read the figures."""

    about: About
    geo_type: str = "all"
    other_reading: str = ""
    """What the name of the area could mean as well."""
    filters: dict[str, Json] = {}
    period: VisitPeriod | None = None
    months: tuple[date, date] | None = None
    compared: Mapping[str, VisitPeriod | None] = {}
    unit: str = "visits"
    estimated: bool | None = None
    """Whether the figures rest on a panel; None where there are none, or it is not known yet."""
    missing: list[str] = []
    notes: list[str] = []

    def lacks(self, *what: str) -> None:
        self.missing += [each for each in what if each not in self.missing]

    def note(self, *what: str) -> None:
        self.notes += [each for each in what if each not in self.notes]

    @property
    def source(self) -> str:
        return f"{self.about.name} ({'sample data, made up' if self.about.sample else 'imported data'})"

    @property
    def full_unit(self) -> str:
        match self.estimated:
            case True:
                return f"{self.unit}; estimated for everybody from a panel, ranges of 90 %"
            case False:
                return f"{self.unit}; as counted in the data, which tells of no panel: no ranges"
            case None:
                return self.unit

    def told(self) -> dict[str, Json]:
        compared: dict[str, Json] = {
            kind: None if period is None else period_json(period) for kind, period in self.compared.items()
        }
        period = None if self.period is None else period_json(self.period, self.months)
        return {
            "geo_type": self.geo_type,
            "filters_applied": {name: value for name, value in self.filters.items() if value not in (None, [], "")},
            "period": period if not compared or period is None else {**period, "compared_with": compared},
            "as_of": str(self.about.as_of),
            "source": self.source,
            "sample": self.about.sample,
            "unit": self.full_unit,
            "missing": list(self.missing),
            "notes": list(self.notes),
        }


def missing_views(present: Sequence[str], needed: Mapping[str, str]) -> list[str]:
    """`needed` says by view what cannot be told without it."""
    return [f"{what}: the data set has no `{view}`" for view, what in needed.items() if view not in present]
