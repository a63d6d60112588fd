"""The part that all tools of places share: from what a model gives (ids, chains, areas, periods) to a selection of
places in the user's data set.

Owns the messages for what cannot be found. Figures are the tools', their form is `result`'s.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.metadata import QueryMetadata
from glassloop.extensions.places.query.names import list_names, quote_name
from glassloop.extensions.places.query.periods import (
    Compare,
    DataDays,
    VisitPeriod,
    compared_periods,
    month_end,
    month_start,
    read_period,
)
from glassloop.extensions.places.query.regions import Region, find_region
from glassloop.extensions.places.query.visits import CHOSEN, visitors_sql, visits_sql
from glassloop.extensions.places.query.vocabulary import Vocabularies, Vocabulary

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.database import KeptTable, PlacesDatabase
    from glassloop.extensions.places.data_set.open_databases import OpenDatabases
    from glassloop.extensions.places.query.geo_filter import GeoShape

MAX_PLACES: Final = 50
"""That a model may name by id."""
PLACE_COLUMNS: Final = "id, name, address, city, metro, lat, lon, category_id, chain_id, opened_on, closed_on, area_m2"


class PlacesReader:
    """Reads for one user at a time, from the data set that is theirs."""

    def __init__(self, databases: "OpenDatabases") -> None:
        self._databases = databases
        self._vocabularies = Vocabularies()

    async def open(self, user: str) -> "PlacesQuery":
        database = await self._databases.of(user)
        return PlacesQuery(database, await self._vocabularies.of(database))


class PlacesQuery:
    """One call's reading of a data set: what it asked for goes into `metadata` as it is understood."""

    def __init__(self, database: "PlacesDatabase", vocabulary: Vocabulary) -> None:
        about = database.data_set.about
        self.database = database
        self.vocabulary = vocabulary
        self.days = DataDays(about.first_day, about.last_day, database.has("poi_visits_daily"))
        self.columns = None if database.keeps else database.month_columns
        self.metadata = QueryMetadata(about=about, filters={}, missing=[], notes=[])
        self._tables: list[KeptTable] = []

    async def rows(self, sql: str, binds: Binds | None = None) -> list[dict[str, Any]]:
        return await self.database.rows(sql, binds.used_by(sql) if binds else ())

    async def table(self, sql: str, binds: Binds | None = None) -> list[tuple[Any, ...]]:
        """The rows without the names of their columns, where there are many."""
        found = await self.database.table(sql, binds.used_by(sql) if binds else ())
        return found.rows

    async def kept(self, write: Callable[[Binds, str | None], str], binds: Binds, places: str | None = CHOSEN) -> str:
        """A query by place that `write` gives, of all places and kept as a table; where there are too many places, of
        those that are wanted alone. Gives more rows than wanted: join it."""
        if not self.database.keeps:
            return write(binds, places)
        own = Binds()
        table = await self.database.keep(write(own, None), own.values)
        self._tables.append(table)
        return f"SELECT * FROM {table.name}"

    async def visits_sql(self, period: VisitPeriod, binds: Binds, places: str | None = CHOSEN) -> str:
        """As `visits_sql`, kept."""
        return await self.kept(
            lambda own, wanted: visits_sql(period, self.days, own, wanted, self.columns), binds, places
        )

    async def visitors_sql(self, months: tuple[date, date], binds: Binds) -> str:
        """As `visitors_sql`, kept."""
        return await self.kept(lambda own, wanted: visitors_sql(months, own, wanted, self.columns), binds)

    def needs(self, view: str, what: str) -> bool:
        """Whether the data set has a view; if not, `missing` says what cannot be told without it."""
        if self.database.has(view):
            return True
        self.metadata.lacks(f"{what} (no {view} in this data set)")
        return False

    def needs_metro(self, places: Sequence[Mapping[str, Any]], what: str) -> None:
        """Where some of the places have no metro in the data, `missing` says what cannot be told of them."""
        without = sum(place["metro"] is None for place in places)
        if without:
            which = "these places" if without == len(places) else f"{without:,} of the places"
            self.metadata.lacks(f"{what} (the data has no metro of {which}; a column `metro` of an import gives it)")

    def period(
        self, text: str | None, start: str | None = None, end: str | None = None, compare: Compare | None = None
    ) -> VisitPeriod:
        period = read_period(text, self.days, start=start, end=end)
        compared = dict(compared_periods(period, compare, self.days))
        self.metadata.period, self.metadata.compared = period, compared
        for kind, found in compared.items():
            if found is None:
                self.metadata.lacks(f"the {kind} period to compare with (data from {self.days.first} on)")
        if not period.complete:
            self.metadata.note(f"The period has not ended: data to {period.end}, compared with as many days.")
        return period

    def open_months(self, places: Sequence[Mapping[str, Any]], months: tuple[date, date]) -> tuple[date, date]:
        """Those of the months in which any of the places was open; notes say which opened or closed in between, so that
        a longer period is not taken for more."""
        for place in places:
            opened, closed = place["opened_on"], place["closed_on"]
            if opened is not None and opened > months[0]:
                self.metadata.note(f"{place['name']} opened on {opened}: it has no figures before that.")
            if closed is not None and closed < month_end(months[1]):
                self.metadata.note(f"{place['name']} closed on {closed}: it has no figures after that.")
        first = min((month_start(place["opened_on"] or months[0]) for place in places), default=months[0])
        last = max((month_start(place["closed_on"] or months[1]) for place in places), default=months[1])
        kept = max(first, months[0]), min(last, months[1])
        if kept[0] > kept[1]:
            return months
        self.metadata.months = kept
        return kept

    def months(self, period: VisitPeriod) -> tuple[date, date]:
        """The months that monthly figures of a period are of."""
        months = self.days.months_for(period)
        self.metadata.months = months
        within = self.days.months_within(period)
        if within is None or within[0] > period.start or period.days > (months[1] - months[0]).days + 31:
            span = f"{months[0]:%Y-%m}" if months[0] == months[1] else f"{months[0]:%Y-%m} to {months[1]:%Y-%m}"
            self.metadata.note(
                "Visitors, frequency, dwell, hours, homes, shared visitors and flows exist by month alone: here of "
                f"{span}."
            )
        return months

    async def region(self, geo_filter: "str | GeoShape | None", binds: Binds) -> Region:
        region = await find_region(geo_filter, self.database, self.vocabulary.areas, binds)
        self.metadata.geo_type = region.geo_type
        if geo_filter is not None:
            self.metadata.filters["geo_filter"] = region.label
        if isinstance(geo_filter, str) and (other := self.vocabulary.areas.other_reading(geo_filter)) is not None:
            self.metadata.other_reading = (
                f"taken as the {region.geo_type}; there is also {other.label}: geo_filter "
                f"{{type: {other.kind}, name: {other.name}}}"
            )
        return region

    def categories(self, wanted: Sequence[str] | None, binds: Binds) -> str:
        """A condition on the alias `p`."""
        if not wanted:
            return "true"
        found = self.vocabulary.categories.find(wanted)
        self.metadata.filters["category_ids"] = list(found.ids)
        self.metadata.filters["category"] = found.label
        return f"p.category_id IN (SELECT unnest({binds(list(found.ids))}))"

    def chains(self, wanted: Sequence[str] | None, binds: Binds) -> str:
        if not wanted:
            return "true"
        found = self.vocabulary.chains.find_all(wanted)
        self.metadata.filters["chain_ids"] = [chain.id for chain in found]
        self.metadata.filters["chain"] = ", ".join(chain.name for chain in found)
        return f"p.chain_id IN (SELECT unnest({binds([chain.id for chain in found])}))"

    async def place_ids(self, wanted: Sequence[str], most: int = MAX_PLACES) -> list[str]:
        """The ids of places that were named by id or, where only one is called so, by name, in the order given."""
        return [str(place["id"]) for place in await self.places(wanted, most)]

    async def places(self, wanted: Sequence[str], most: int = MAX_PLACES) -> list[dict[str, Any]]:
        """The same as rows, with `PLACE_COLUMNS`."""
        asked = list(dict.fromkeys(text.strip() for text in wanted if text.strip()))
        if not 1 <= len(asked) <= most:
            raise BadArguments(f"`place_ids` has {len(asked)} places: give 1 to {most}.")
        known = {str(row["id"]): row for row in await self._known("id", asked)}
        others = [text.lower() for text in asked if text not in known]
        spelt = await self._known("lower(name)", others) if others else []
        found: dict[str, dict[str, Any]] = {}
        for text in asked:
            if text in known:
                found[text] = known[text]
                continue
            named = [row for row in spelt if row["key"] == text.lower()]
            if len(named) == 1:
                found[str(named[0]["id"])] = named[0]
            elif named:
                which = list_names(f"{row['id']} ({row['address'] or '?'}, {row['city'] or '?'})" for row in named)
                raise BadArguments(f"Several places are called {quote_name(text)}: {which}. Give the id.")
            else:
                raise BadArguments(
                    f"There is no place {quote_name(text)}: find ids with search_places, never make one up."
                )
        return list(found.values())

    async def _known(self, key: str, wanted: list[str]) -> list[dict[str, Any]]:
        binds = Binds()
        return await self.rows(
            f"SELECT {PLACE_COLUMNS}, {key} AS key FROM poi_places WHERE {key} IN (SELECT unnest({binds(wanted)})) "
            "ORDER BY id LIMIT 1000",
            binds,
        )

    async def place(self, wanted: str) -> dict[str, Any]:
        return (await self.places([wanted]))[0]

    async def chosen(
        self,
        binds: Binds,
        *,
        place_ids: Sequence[str] | None = None,
        chain_ids: Sequence[str] | None = None,
        category_ids: Sequence[str] | None = None,
        geo_filter: "str | GeoShape | None" = None,
        period: VisitPeriod | None = None,
        most: int = MAX_PLACES,
    ) -> "Chosen":
        """Places by id, or all of a chain or category in an area that were open in the period."""
        if place_ids:
            places = await self.places(place_ids, most)
            ids = [str(place["id"]) for place in places]
            self.metadata.geo_type = "places"
            self.metadata.filters["place_ids"] = list[Json](ids)
            condition = f"p.id IN (SELECT unnest({binds(ids)}))"
            return Chosen(condition=condition, anytime=condition, label="", ids=tuple(ids), places=places)
        if not chain_ids and not category_ids and geo_filter is None:
            raise BadArguments("Give `place_ids`, or a chain or category with a `geo_filter`.")
        region = await self.region(geo_filter, binds)
        kind = " AND ".join((self.chains(chain_ids, binds), self.categories(category_ids, binds)))
        called = self.metadata.filters.get("chain") or self.metadata.filters.get("category") or "places"
        anytime = condition = f"({region.condition}) AND {kind}"
        if period is not None:
            condition += f" AND {open_within(period, binds)}"
        return Chosen(condition=condition, anytime=anytime, label=f"{called} in {region.label}")


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """Places of a query: a condition on the alias `p` of `poi_places`; `anytime` is the same without the period that
    they were open in; `ids` and `places`, rows with `PLACE_COLUMNS`, are there where they were named."""

    condition: str
    anytime: str
    label: str
    ids: tuple[str, ...] | None = None
    places: Sequence[Mapping[str, Any]] = ()

    @property
    def sql(self) -> str:
        """For `WITH chosen AS (…)`."""
        return f"SELECT p.id FROM poi_places p WHERE {self.condition}"


def open_within(period: VisitPeriod, binds: Binds) -> str:
    """Open on at least one day of the period."""
    return (
        f"(p.opened_on IS NULL OR p.opened_on <= {binds(period.end)}) "
        f"AND (p.closed_on IS NULL OR p.closed_on >= {binds(period.start)})"
    )
