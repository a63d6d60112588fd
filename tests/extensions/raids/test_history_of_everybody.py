"""Tools over many fights where many players are meant: the whole raid, namesakes, lists that are cut."""

import pytest

from extensions.raids.guild_nights import START, WEEK, fight, put_night, put_references
from extensions.raids.test_history_tools import Tools
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.store.store import Store


@pytest.fixture
def call(store: Store) -> Tools:
    return Tools(store)


async def test_everybody_of_the_raids_who_got_worse_is_found_in_one_call(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    for week, (fell, rose) in enumerate([(1900.0, 1100.0)] * 3 + [(1100.0, 1900.0)] * 2):
        at = START + week * WEEK
        await put_night(raids, f"fallen{week:04d}", [fight(1, at, dps=fell)], mage="Fallen")
        await put_night(raids, f"better{week:04d}", [fight(1, at, dps=rose)], mage="Better")
    await put_night(raids, "newcomer01", [fight(1, START, dps=1500)], mage="Newcomer")
    told = await call("get_regressions", player_name="Raid")
    first, last = told["by_player"][0], next(row for row in told["by_player"] if row["player"] == "Better")
    assert (first["player"], first["worse"], first["better"], last["worse"], last["better"]) == ("Fallen", 1, 0, 0, 1)
    assert first["mean_change_points"] < -15
    assert (told["regressions"][0]["player"], told["improvements"][0]["player"]) == ("Fallen", "Better")
    assert {row["judged_by"] for row in told["by_player"]} <= {"DPS", "HPS", "survival"}
    assert any("Newcomer" in one and "too few kills" in one for one in told["missing"])
    assert not any("Topa" in str(row) for row in told["by_player"])
    alone = await call("get_regressions", player_name="better")
    assert (alone["regressions"], [row["player"] for row in alone["improvements"]]) == ([], ["Better"])


async def test_two_players_of_one_name_are_never_one_in_the_raid(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    for week in range(3):
        # Both kill the boss in the same minute.
        await put_night(raids, f"firemaw{week:03d}", [fight(1, START + week * WEEK, dps=1900)])
        await put_night(raids, f"gehenna{week:03d}", [fight(1, START + week * WEEK + 9, dps=1100)], realm="Gehennas")
    told = await call("get_regressions", player_name="all")
    mages = {row["player"] for row in told["by_player"] if row["spec"] == "Fire Mage"}
    assert mages == {"Élan-Firemaw", "Élan-Gehennas"}
    found = await call("search_fights", player_name="Élan-Gehennas")
    assert {row["report_code"][:7] for row in found["fights"]} == {"gehenna"}


async def test_lists_that_are_cut_say_of_how_many(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(number, START + number * 10**6) for number in range(1, 31)])
    found = await call("search_fights", limit=2)
    assert (found["found"], found["shown"], len(found["fights"]), found["cut_lists"]) == (30, 2, 2, {"fights": 30})
    mine = await call("get_my_performance", player_name="elan")
    assert (len(mine["fights"]), mine["cut_lists"]) == (25, {"fights": 30})
    assert any("newest 25 of 30" in note for note in mine["notes"])
