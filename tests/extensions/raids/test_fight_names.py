"""Nights and fights by the names that people give them, through the store."""

from typing import Any

import msgspec
import pytest
from tests.extensions.raids.guild_nights import ARAN, PRINCE, START, WEEK, fight, put_night
from tests.extensions.raids.test_history_tools import Tools

from glassloop.core.errors import ToolError
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import FightRecord
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools.fight_names import read_fight_name
from glassloop.extensions.raids.tools.reader import show_time
from glassloop.store.store import Store

GRUUL, MAULGAR = 650, 649


@pytest.fixture
def call(store: Store) -> Tools:
    return Tools(store)


def large(record: FightRecord) -> FightRecord:
    """The same fight as one of 25."""
    return msgspec.structs.replace(record, fight=msgspec.structs.replace(record.fight, size=25))


async def put_weeks(raids: RaidStore) -> None:
    """A week with two wipes and a kill of the Prince and Aran; a later one with Gruul, wiped on and killed."""
    await put_night(raids, "karanight1", [
        fight(1, START, encounter=ARAN), fight(2, START + 10**6, kill=False), fight(3, START + 2 * 10**6, kill=False),
        fight(4, START + 3 * 10**6),
    ])  # fmt: skip
    await put_night(raids, "gruulnight", [
        large(fight(1, START + WEEK, encounter=MAULGAR)),
        large(fight(2, START + WEEK + 10**6, encounter=GRUUL)),
        large(fight(3, START + WEEK + 2 * 10**6, encounter=GRUUL, kill=False)),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("given", "report", "number"),
    [
        ({}, "gruulnight", 3),
        ({"fight_id": "Gruul"}, "gruulnight", 3),
        ({"fight_id": "last Gruul kill"}, "gruulnight", 2),
        ({"report_code": "our last 25", "fight_id": 1}, "gruulnight", 1),
        ({"report_code": "last Karazhan night"}, "karanight1", 4),
        ({"report_code": "kara", "fight_id": "last wipe"}, "karanight1", 3),
        ({"fight_id": "aran"}, "karanight1", 1),
        ({"fight_id": "letzter Prinz wipe"}, "karanight1", 3),
        ({"report_code": "last prince kill"}, "karanight1", 4),
        ({"report_code": "last prince", "fight_id": "last prince wipe"}, "karanight1", 3),
        ({"report_code": "last prince", "fight_id": "wipe"}, "karanight1", 3),
        ({"report_code": "gruulnight", "fight_id": "#2"}, "gruulnight", 2),
    ],
)
async def test_a_fight_is_found_by_its_boss_and_a_night_by_its_zone_or_size(
    raids: RaidStore, call: Tools, given: dict[str, Any], report: str, number: int
) -> None:
    await put_weeks(raids)
    told = await call("get_fight_details", **given)
    assert (told["report"], told["fight"]) == (report, number)


async def test_what_cannot_be_found_says_what_there_is(raids: RaidStore, call: Tools) -> None:
    await put_weeks(raids)
    with pytest.raises(ToolError, match=r"no fight 'prince'.*2 Gruul the Dragonkiller \(kill\)"):
        await call("get_fight_details", report_code="gruulnight", fight_id="prince")
    with pytest.raises(ToolError, match=r"There is no report 'nosuchnight'.*gruulnight"):
        await call("get_fight_details", report_code="nosuchnight")
    with pytest.raises(ToolError, match="No fight that is meant by 'magtheridon'"):
        await call("get_fight_details", fight_id="magtheridon")


def test_zone_size_and_outcome_are_read_from_one_name() -> None:
    knowledge = load_knowledge()
    of_karazhan = {one.id for one in knowledge.encounters.values() if one.zone == "Karazhan"}
    night = read_fight_name(knowledge, "our last 10er Karazhan night", "report_code")
    assert (set(night.encounters), night.zone, night.size, night.kill) == (of_karazhan, True, 10, None)
    assert read_fight_name(knowledge, "last Prince kill", "fight_id").encounters == {PRINCE}


async def test_without_a_fight_deaths_and_consumables_are_of_the_night(raids: RaidStore, call: Tools) -> None:
    await put_weeks(raids)
    deaths = await call("get_death_analysis", report_code="karanight1")
    assert (deaths["fights"], deaths["result"], [row["fight_id"] for row in deaths["by_fight"]]) == (
        4, "2 kills, 2 wipes", [1, 2, 3, 4],
    )  # fmt: skip
    brought = await call("get_consumable_check", report_code="karanight1")
    assert {row["player"]: row["fights"] for row in brought["players"]} == {
        f"{name}-Firemaw": 4 for name in ("Élan", "Élantank", "Élanheal")
    }
    assert (await call("get_buff_analysis", report_code="karanight1", player_name="raid"))["fights"] == 4
    last = await call("get_death_analysis", report_code="karanight1", fight_id="last")
    assert last["fight"] == 4


async def test_a_wipe_that_the_newest_night_of_a_boss_does_not_have_is_found_in_an_older_one(
    raids: RaidStore, call: Tools
) -> None:
    await put_weeks(raids)
    await put_night(raids, "karanight2", [fight(1, START + 2 * WEEK)])
    meant = await call("get_fight_details", report_code="last prince", fight_id="last prince wipe")
    assert (meant["report"], meant["fight"]) == ("karanight1", 3)
    with pytest.raises(ToolError, match="The newest one is fight 3 of report 'karanight1'"):
        await call("get_fight_details", report_code="last karazhan", fight_id="prince wipe")
    told = await call("get_wipe_progression", encounter_name="prince", report_code="karanight2")
    assert told["notes"][0].endswith(f"of {show_time(START)[:10]}: report karanight1, fight 2, 3.")
    with pytest.raises(ToolError, match="has no fight 'Gruul'"):
        await call("get_fight_details", report_code="last prince", fight_id="Gruul")


async def test_a_boss_that_was_never_wiped_on_is_said_to_have_no_wipe_elsewhere(raids: RaidStore, call: Tools) -> None:
    await put_weeks(raids)
    told = await call("get_wipe_progression", encounter_name="aran", report_code="karanight1")
    assert told["notes"][0] == "There was no wipe: every attempt was a kill. No other report has one."
