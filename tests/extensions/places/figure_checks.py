"""Checks of every tool beside the oracle, each over the generated arguments of one call."""

import random
from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from typing import Any

import msgspec

from extensions.places import oracle_figures as single
from extensions.places import oracle_relations as relations
from extensions.places.oracle_figures import Select, Span
from extensions.places.places_oracle import Oracle

Call = Callable[..., Awaitable[Any]]
"""Calls a tool by name with arguments as a model writes them."""


def span(first: str, last: str) -> Span:
    return date.fromisoformat(first), date.fromisoformat(last)


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """What calls over a data set are drawn from. `periods` by what they are asked for as; `whole` are those of whole
    months, `before` and `year` what each is compared with."""

    oracle: Oracle
    periods: Mapping[str, Span]
    whole: tuple[str, ...]
    before: Mapping[str, Span]
    year: Mapping[str, Span]
    areas: Mapping[str, Select]
    codes: tuple[str | None, ...]


class Drawn:
    """The arguments of one generated call."""

    def __init__(self, seed: int, tool: str, ground: Ground) -> None:
        self.random = random.Random(f"{tool} {seed}")
        self.ground, self.oracle = ground, ground.oracle
        # Ranks are of all places of a metro: over parts of months every day of theirs would be read.
        self.period = self.random.choice(list(ground.whole if tool == "summary" else ground.periods))
        self.span, self.before = ground.periods[self.period], ground.before[self.period]
        self.area = self.random.choice(list(ground.areas))
        self.limit = self.random.choice([3, 10, 50])

    def places(self, count: int) -> list[str]:
        return self.random.sample(self.oracle.ids, count)

    def visited(self) -> str:
        """A place that is not too small in the months of the period."""
        months = single.months_for(self.oracle, self.span)
        while not single._kept(self.oracle, place := self.random.choice(self.oracle.ids), months):
            pass
        return place


def _value(cell):
    return cell["value"] if isinstance(cell, dict) else cell


def agree(found, expected, path="") -> int:
    """How many figures were compared; everything that is expected must be there, within what is rounded off."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), (path, found, expected)
        return sum(agree(found.get(key), value, f"{path}.{key}") for key, value in expected.items())
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), (path, found, expected)
        return sum(
            agree(one, other, f"{path}[{at}]") for at, (one, other) in enumerate(zip(found, expected, strict=True))
        )
    if isinstance(expected, float):
        assert found is not None, (path, expected)
        assert abs(found - expected) <= (0.501 if isinstance(found, int) else 0.0501), (path, found, expected)
    else:
        assert found == expected, (path, found, expected)
    return 1


async def check_search(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    sort, offset = drawn.random.choice(["visits", "name", "trend"]), drawn.random.choice([0, 0, 4])
    code = drawn.random.choice(drawn.ground.codes)
    select = lambda p: drawn.ground.areas[drawn.area](p) and p["category_id"].startswith(code or "")  # noqa: E731
    found = await call(
        "search_places", geo_filter=drawn.area, category_ids=code, sort=sort, period=drawn.period, limit=drawn.limit,
        offset=offset,
    )  # fmt: skip
    expected = single.search(oracle, select, drawn.span, sort, drawn.before, drawn.limit, offset)
    # Of a kind that the area has none of, how many there are is all that there is to compare.
    assert agree(found.data, expected) > bool(expected["total"])


async def check_summary(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    places = drawn.places(drawn.random.choice([1, 1, 2, 5]))
    years = drawn.ground.year
    compared = {"previous": drawn.before} | ({"year": years[drawn.period]} if drawn.period in years else {})
    found = await call("get_place_summary", place_ids=places, period=drawn.period, compare="both")
    assert agree(found.data, single.summary(oracle, places, drawn.span, compared)) > 5


async def check_comparison(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    groups = [drawn.places(drawn.random.choice([1, 4])) for _ in range(drawn.random.choice([2, 3]))]
    granularity = drawn.random.choice(["day", "week", "month", "hour_of_day", "day_of_week"])
    indexed = drawn.random.random() < 0.3
    found = await call(
        "compare_locations", granularity=granularity, period=drawn.period, indexed=indexed,
        groups=[{"name": str(at), "place_ids": ids} for at, ids in enumerate(groups)],
    )  # fmt: skip
    expected = relations.compare(oracle, groups, drawn.span, granularity, indexed=indexed)
    assert [row[granularity] for row in found.data["rows"]] == expected["names"]
    values = [[_value(row[str(at)]) for at in range(len(groups))] for row in found.data["rows"]]
    agree(values, expected["rows"])
    agree([each["total"] for each in found.data["series"]], expected["totals"])
    agree([each.get("correlation") for each in found.data["series"]], expected["correlations"])


async def check_trade_area(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    places, share = drawn.places(drawn.random.choice([1, 3, 8])), drawn.random.choice([0.5, 0.7, 0.95])
    found = await call("get_trade_area_profile", place_ids=places, period=drawn.period, share=share, limit=drawn.limit)
    assert agree(found.data, single.trade_area(oracle, places, drawn.span, share, drawn.limit)) > 5


async def check_profile_and_overlap(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    places = [drawn.visited(), *drawn.places(drawn.random.choice([0, 2]))]
    found = await call("get_profile_and_overlap", place_ids=places, period=drawn.period, limit=drawn.limit)
    expected = {
        "profile": single.profile(oracle, list(dict.fromkeys(places)), drawn.span),
        "shared_places": relations.overlap(
            oracle, list(dict.fromkeys(places)), drawn.span, drawn.limit, by_chain=False
        ),
        "shared_chains": relations.overlap(oracle, list(dict.fromkeys(places)), drawn.span, drawn.limit, by_chain=True),
    }
    agree(found.data, expected)


async def check_flows(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    level, way = drawn.random.choice(["place", "chain", "category"]), drawn.random.choice(["before", "after"])
    # Of most small places nothing may be told: agreeing on that compares no figure.
    months, place = single.months_for(oracle, drawn.span), drawn.visited()
    while not any(row["direction"] == way for row in single.rows_in(oracle, "poi_flows", place, months)):
        place = drawn.visited()
    found = await call(
        "get_visit_flows", place_id=place, period=drawn.period, direction=way, level=level, limit=drawn.limit
    )
    assert agree(found.data, relations.flows(oracle, place, drawn.span, way, level, drawn.limit)) > 2


async def check_similar_places(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    span = drawn.ground.periods["last_month"]
    place = drawn.visited()
    while oracle.shown(place, *span) is None:
        place = drawn.visited()
    found = await call("find_similar_places", place_id=place, geo_filter=drawn.area, limit=drawn.limit)
    expected = relations.similar(oracle, place, span, drawn.ground.areas[drawn.area], drawn.limit)
    agree(found.data["places"], expected)


async def check_new_stores(call: Call, drawn: Drawn) -> None:
    oracle = drawn.oracle
    new = [place for place in oracle.ids if (oracle.places[place]["opened_on"] or oracle.first) > oracle.first]
    place, weeks = drawn.random.choice(new), drawn.random.choice([2, 5, 12, 30])
    found = await call("get_new_store_effect", place_id=place, weeks=weeks)
    assert agree(found.data, relations.new_store(oracle, place, weeks)) > 2


CHECKS: Mapping[str, Callable[[Call, Drawn], Awaitable[None]]] = {
    "search": check_search, "summary": check_summary, "comparison": check_comparison, "trade area": check_trade_area,
    "overlap": check_profile_and_overlap, "flows": check_flows, "similar": check_similar_places,
    "new": check_new_stores,
}  # fmt: skip
"""By the name that their arguments are drawn under."""
