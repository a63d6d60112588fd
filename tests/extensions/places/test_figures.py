"""Every figure of every tool beside an independent computation, over generated inputs."""

import random
from datetime import date

import pytest

from extensions.places import oracle_figures as single
from extensions.places import oracle_relations as relations
from extensions.places.places_oracle import Oracle

QUICK, ALL = 6, 32
"""Generated inputs of each tool, in the quick run and in all."""
PERIODS = {
    "last_month": ("2026-02-01", "2026-02-28"), "last_90_days": ("2025-12-16", "2026-03-15"),
    "2025-Q4": ("2025-10-01", "2025-12-31"), "2026-03": ("2026-03-01", "2026-03-15"),
    "2025-11-20..2026-01-10": ("2025-11-20", "2026-01-10"), "2026-01-05..2026-01-25": ("2026-01-05", "2026-01-25"),
}  # fmt: skip
BEFORE = {
    "last_month": ("2026-01-01", "2026-01-31"), "last_90_days": ("2025-09-17", "2025-12-15"),
    "2025-Q4": ("2025-07-01", "2025-09-30"), "2026-03": ("2026-02-01", "2026-02-15"),
    "2025-11-20..2026-01-10": ("2025-09-29", "2025-11-19"), "2026-01-05..2026-01-25": ("2025-12-15", "2026-01-04"),
}  # fmt: skip
YEAR = {"last_month": ("2025-02-01", "2025-02-28"), "2026-03": ("2025-03-01", "2025-03-15")}
AREAS = {
    "all": lambda p: True, "Harbor metro": lambda p: p["metro"] == "Harbor", "GA": lambda p: p["state"] == "GA",
    "Harbor": lambda p: (p["city"], p["state"]) == ("Harbor", "CA"),
}  # fmt: skip
SEEDS = [pytest.param(seed, marks=() if seed < QUICK else pytest.mark.slow) for seed in range(ALL)]


class Drawn:
    """The arguments of one generated call."""

    def __init__(self, seed: int, tool: str, oracle: Oracle) -> None:
        self.random = random.Random(f"{tool} {seed}")
        self.oracle = oracle
        self.period = self.random.choice(list(PERIODS))
        self.span = _span(PERIODS[self.period])
        self.before = _span(BEFORE[self.period])
        self.area = self.random.choice(list(AREAS))
        self.limit = self.random.choice([3, 10, 50])

    def places(self, count: int) -> list[str]:
        return self.random.sample(self.oracle.ids, count)

    def visited(self) -> str:
        """A place that is not too small in the months of the period."""
        months = single.months_for(self.oracle, self.span)
        while not single._kept(self.oracle, place := self.random.choice(self.oracle.ids), months):
            pass
        return place


def _span(pair: tuple[str, str]) -> tuple[date, date]:
    return date.fromisoformat(pair[0]), date.fromisoformat(pair[1])


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


@pytest.fixture
def oracle(made_home):
    return Oracle.of_home(made_home)


@pytest.mark.parametrize("seed", SEEDS)
async def test_search(call, oracle, seed):
    drawn = Drawn(seed, "search", oracle)
    sort, offset = drawn.random.choice(["visits", "name", "trend"]), drawn.random.choice([0, 0, 4])
    code = drawn.random.choice([None, "722", "713940", "722515"])
    select = lambda p: AREAS[drawn.area](p) and p["category_id"].startswith(code or "")  # noqa: E731
    found = await call(
        "search_places", geo_filter=drawn.area, category_ids=code, sort=sort, period=drawn.period, limit=drawn.limit,
        offset=offset,
    )  # fmt: skip
    expected = single.search(oracle, select, drawn.span, sort, drawn.before, drawn.limit, offset)
    assert agree(found.data, expected) > 1


@pytest.mark.parametrize("seed", SEEDS)
async def test_summary(call, oracle, seed):
    drawn = Drawn(seed, "summary", oracle)
    places = drawn.places(drawn.random.choice([1, 1, 2, 5]))
    compared = {"previous": drawn.before} | ({"year": _span(YEAR[drawn.period])} if drawn.period in YEAR else {})
    found = await call("get_place_summary", place_ids=places, period=drawn.period, compare="both")
    assert agree(found.data, single.summary(oracle, places, drawn.span, compared)) > 5


@pytest.mark.parametrize("seed", SEEDS)
async def test_comparison(call, oracle, seed):
    drawn = Drawn(seed, "comparison", oracle)
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


@pytest.mark.parametrize("seed", SEEDS)
async def test_trade_area(call, oracle, seed):
    drawn = Drawn(seed, "trade area", oracle)
    places, share = drawn.places(drawn.random.choice([1, 3, 8])), drawn.random.choice([0.5, 0.7, 0.95])
    found = await call("get_trade_area_profile", place_ids=places, period=drawn.period, share=share, limit=drawn.limit)
    assert agree(found.data, single.trade_area(oracle, places, drawn.span, share, drawn.limit)) > 5


@pytest.mark.parametrize("seed", SEEDS)
async def test_profile_and_overlap(call, oracle, seed):
    drawn = Drawn(seed, "overlap", oracle)
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


@pytest.mark.parametrize("seed", SEEDS)
async def test_flows(call, oracle, seed):
    drawn = Drawn(seed, "flows", oracle)
    level, way = drawn.random.choice(["place", "chain", "category"]), drawn.random.choice(["before", "after"])
    # Of most small places nothing may be told: agreeing on that compares no figure.
    while not oracle.flow_rows(place := drawn.visited(), *drawn.span, way):
        pass
    found = await call(
        "get_visit_flows", place_id=place, period=drawn.period, direction=way, level=level, limit=drawn.limit
    )
    assert agree(found.data, relations.flows(oracle, place, drawn.span, way, level, drawn.limit)) > 2


@pytest.mark.parametrize("seed", SEEDS)
async def test_similar_places(call, oracle, seed):
    drawn = Drawn(seed, "similar", oracle)
    span = _span(PERIODS["last_month"])
    place = drawn.visited()
    while oracle.shown(place, *span) is None:
        place = drawn.visited()
    found = await call("find_similar_places", place_id=place, geo_filter=drawn.area, limit=drawn.limit)
    expected = relations.similar(oracle, place, span, AREAS[drawn.area], drawn.limit)
    agree(found.data["places"], expected)


@pytest.mark.parametrize("seed", SEEDS)
async def test_new_stores(call, oracle, seed):
    drawn = Drawn(seed, "new", oracle)
    new = [place for place in oracle.ids if (oracle.places[place]["opened_on"] or oracle.first) > oracle.first]
    place, weeks = drawn.random.choice(new), drawn.random.choice([2, 5, 12, 30])
    found = await call("get_new_store_effect", place_id=place, weeks=weeks)
    assert agree(found.data, relations.new_store(oracle, place, weeks)) > 2


def test_the_inputs_are_as_many_as_they_must_be():
    assert ALL * 8 >= 200
