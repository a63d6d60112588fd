"""Parses: mid-rank percentiles among the kills of a store."""

import pytest

from extensions.raids.small_night import START, put
from glassloop.extensions.raids.analysis.parses import Parse, ParsePopulation, ParseValue, percentile
from glassloop.extensions.raids.records import Performance, Role
from glassloop.extensions.raids.storage.reports import RaidStore


def kill(number: int, damage: int, *, role: str = "damage", level: float = 115.0, player: str = "") -> ParseValue:
    return ParseValue(661, "Mage", "Fire", role, player or f"p{number}", START + number * 10**9, damage, damage // 2,
                      60_000, level)  # fmt: skip


def fire_mage(damage: int, *, role: Role = "damage", level: float = 115.0, healing: int = 0) -> Performance:
    return Performance(
        actor=0, class_name="Mage", spec="Fire", role=role, damage=damage, healing=healing, item_level=level
    )


@pytest.mark.parametrize(
    ("value", "expected"), [(1.0, 5.0), (5.0, 50.0), (10.0, 95.0), (0.5, 0.0), (11.0, 100.0), (6.5, 60.0)]
)
def test_the_percentile_counts_those_below_and_half_of_the_equal_ones(value: float, expected: float) -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 7.0, 8.0, 9.0, 10.0], value) == expected


def test_below_ten_kills_no_parse_is_given_and_how_many_there_are_is_told() -> None:
    nine = ParsePopulation(kill(number, 60_000 + number) for number in range(9))
    assert nine.parse(fire_mage(60_004), 661, 60_000, kill=True) == Parse(of=9, item_level_of=9)
    ten = ParsePopulation(kill(number, 60_000 + number) for number in range(10))
    assert ten.parse(fire_mage(60_004), 661, 60_000, kill=True).percentile == 45.0


def test_a_wipe_and_an_unknown_spec_have_no_parse() -> None:
    kills = ParsePopulation(kill(number, 60_000) for number in range(20))
    assert kills.parse(fire_mage(60_000), 661, 60_000, kill=False).percentile is None
    unknown = Performance(actor=0, class_name="Mage", damage=60_000)
    assert kills.parse(unknown, 661, 60_000, kill=True).of == 0


def test_the_item_level_parse_is_among_those_within_five_levels() -> None:
    near = [kill(number, 60_000 + number, level=110.0) for number in range(10)]
    far = [kill(20 + number, 90_000, level=115.5) for number in range(10)]
    unknown = [kill(40, 90_000, level=0.0)]
    parse = ParsePopulation([*near, *far, *unknown]).parse(fire_mage(60_009, level=110.4), 661, 60_000, kill=True)
    assert (parse.item_level_percentile, parse.item_level_of, parse.of) == (95.0, 10, 21)
    assert parse.percentile == pytest.approx(9.5 / 21 * 100, abs=0.1)


def test_healers_are_ranked_by_healing_and_apart_from_other_roles() -> None:
    healers = [kill(number, 60_000 + 2 * number, role="healer") for number in range(10)]
    others = [kill(30 + number, 10**6) for number in range(10)]
    healer = fire_mage(0, role="healer", healing=30_009)
    assert ParsePopulation([*healers, *others]).parse(healer, 661, 60_000, kill=True).percentile == 95.0


def test_the_same_kill_out_of_two_logs_counts_once() -> None:
    kills = [kill(number, 60_000 + number) for number in range(10)]
    again = [one._replace(started_at=one.started_at + 3_000, damage=one.damage + 1) for one in kills]
    assert ParsePopulation([*kills, *again]).parse(fire_mage(60_000), 661, 60_000, kill=True).of == 10


async def test_the_store_gives_visible_kills_and_sums_of_fights(raids: RaidStore) -> None:
    await put(raids, "ada")
    await put(raids, "bob", code="referencea", reference=True, start=START + 10**9)
    await put(raids, "bob", code="bobsownlog", start=START + 2 * 10**9)
    values = await raids.parse_values("ada", [661])
    assert sorted({one.started_at for one in values}) == [START + 1_200_000, START + 10**9 + 1_200_000]
    assert await raids.parse_values("ada", [650]) == []
    totals = await raids.fight_totals("ada", code="abcdefghij")
    assert [(one.number, one.kill, one.damage, one.deaths, one.first_death_at) for one in totals] == [
        (1, False, 90_000, 1, 5_000), (2, True, 90_000, 1, 5_000),
    ]  # fmt: skip
    assert [one.code for one in await raids.fight_totals("ada", encounters=[661], reference=True)] == ["referencea"] * 2
    assert len(await raids.report_performances("ada", "abcdefghij")) == 4
    assert await raids.report_performances("ada", "bobsownlog") == []


def test_namesakes_of_different_realms_are_two_and_one_without_a_realm_is_the_same() -> None:
    same = [kill(number, 60_000, player="elan")._replace(realm="Firemaw") for number in range(10)]
    other = [one._replace(realm="Gehennas", started_at=one.started_at + 5) for one in same]
    unnamed = [one._replace(realm="", started_at=one.started_at + 9) for one in same]
    asked = fire_mage(60_000)
    counts = [
        ParsePopulation(kills).parse(asked, 661, 60_000, kill=True).of
        for kills in (same, [*same, *other], [*same, *unnamed])
    ]
    assert counts == [10, 20, 10]
