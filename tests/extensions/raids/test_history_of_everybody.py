"""Tools over many fights where many players are meant: the whole raid, namesakes, lists that are cut."""

import msgspec
import pytest

from extensions.raids.guild_nights import ARAN, MAGE, START, WEEK, fight, put_night, put_references
from extensions.raids.test_history_tools import Tools
from glassloop.core.errors import ToolError
from glassloop.extensions.raids.fight_log import FightLog, Kind
from glassloop.extensions.raids.records import Death
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
    # The damage of a tank is no measure of its survival.
    assert {row["judged_by"] for row in told["by_player"]} == {"DPS", "HPS"}
    assert any("no trends of tanks" in one for one in told["missing"])
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
    text = await call.text("search_fights", limit=2)
    assert "(2 of 30 shown; give `limit` up to 50, or `until` " in text
    assert "(25 of 30 shown; give `encounter_name`" in await call.text("get_my_performance", player_name="elan")


async def test_a_namesake_in_the_references_is_shown_with_the_realm(raids: RaidStore, call: Tools) -> None:
    rows = (("reference1", "Élan", "Gehennas", 2000), ("reference2", "Topa", "Firemaw", 1500))
    for code, mage, realm, dps in rows:
        one = fight(1, START, dps=dps, deaths=int(mage == "Topa"))
        await put_night(raids, code, [one], user="operator", reference=True, mage=mage, realm=realm)
    await put_night(raids, "guildnight", [fight(1, START + 5, dps=1000)])
    told = await call("get_top_rankings", encounter_name="prince", class_name="mage", spec_name="fire")
    assert [row["player"] for row in told["rankings"]] == ["Élan-Gehennas", "Topa"]
    assert any("Élan-Gehennas" in note for note in told["notes"])
    assert [row["gcd_uptime_percent"] for row in told["rankings"]] == [90.0, None]
    (mages,) = (await call("get_spec_leaderboard", encounter_name="prince"))["specs_by_dps"]
    assert (mages["players"], mages["performances"]) == (3, 3)
    (by_spec,) = (await call("get_encounter_benchmarks", encounter_name="prince"))["dps_by_spec"]
    assert (by_spec["players"], by_spec["performances"], "kills" in by_spec) == (2, 2, False)


async def test_tanks_are_not_judged_by_their_damage(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [fight(1, START, dps=1450)])
    told = await call("get_raid_execution", report_code="last")
    by_name = {row["player"]: row for row in told["players"]}
    assert (by_name["Élantank"]["judged_by"], by_name["Élantank"]["median_parse"]) == ("survival", None)
    assert by_name["Élan"]["median_parse"] is not None
    # The mage's and the healer's.
    assert told["bosses"][0]["parses"] == 2


async def test_rates_are_of_the_time_alive_in_every_tool(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    one = fight(1, START, dps=1000, deaths=1)
    log = FightLog()
    for second in range(0, 100, 2):
        log.append(second * 1000, Kind.CAST, source=MAGE, target=MAGE, spell=0)
    mage = msgspec.structs.replace(one.performances[0], casts=50, active_ms=75_000)
    one = msgspec.structs.replace(
        one, performances=(mage, *one.performances[1:]), deaths=(Death(actor=MAGE, at=100_000),), events=log.pack()
    )
    await put_night(raids, "guildnight", [one])
    told = await call("compare_to_top", encounter_name="prince", player_name="elan")
    figures = {row["figure"]: row["yours"] for row in told["figures"]}
    assert (figures["GCD uptime (%)"], figures["Casts per minute"]) == (75.0, 30.0)
    assert any("dead for 100 s of 200 s (50 %)" in note for note in told["notes"])
    activity = await call("get_activity_report", report_code="last", fight_id="last", player_name="elan")
    assert activity["casts_per_minute"] == figures["Casts per minute"]


async def test_wipes_of_all_nights_are_one_progression(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "firstnight", [
        fight(number, START + number * 10**6, kill=False, boss_health=90.0 - 10 * number) for number in (1, 2)
    ])  # fmt: skip
    await put_night(raids, "theirnight", [fight(1, START + 10**6 + 900, kill=False, boss_health=80.0)], user="bob")
    await raids.share("theirnight", True)
    await put_night(raids, "nextnight1", [
        fight(1, START + WEEK, kill=False, boss_health=40.0), fight(2, START + WEEK + 10**6),
        fight(3, START + WEEK + 2 * 10**6, encounter=ARAN),
    ])  # fmt: skip
    for every in ("all", ""):
        told = await call("get_wipe_progression", report_code=every, encounter_name="prince")
        assert (told["report"], told["attempts"], told["wipes"], told["kills"]) == ("all nights", 4, 3, 1)
        assert [(row["report_code"], row["fight_id"]) for row in told["by_attempt"]] == [
            ("firstnight", 1), ("firstnight", 2), ("nextnight1", 1), ("nextnight1", 2),
        ]  # fmt: skip
        assert told["trend"].startswith("better by 20.0 points")
        assert [(row["report_code"], row["best_wipe_percent"]) for row in told["by_night"]] == [
            ("firstnight", 70.0), ("nextnight1", 40.0),
        ]  # fmt: skip
    one = await call("get_wipe_progression", report_code="firstnight", encounter_name="prince")
    assert (one["attempts"], one["trend"], one["trend_percent_per_attempt"]) == (2, "too few wipes to tell", None)
    assert "by_night" not in one
    with pytest.raises(ToolError, match=r"No attempt at Maiden of Virtue"):
        await call("get_wipe_progression", report_code="all", encounter_name="maiden")
    with pytest.raises(ToolError, match=r"No attempt at Shade of Aran"):
        await call("get_wipe_progression", "eve", report_code="all", encounter_name="aran")


async def test_overheal_of_a_whole_night_is_told_by_fight(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START), fight(2, START + 10**6, encounter=ARAN)])
    told = await call("get_overheal_analysis", player_name="raid", fight_id="all")
    assert {row["fight"] for row in told["by_fight"]} == {"1 Prince Malchezaar", "2 Shade of Aran"}
    assert (await call("get_overheal_analysis", player_name="raid", fight_id="last raid")) == told


async def test_spirits_of_redemption_stand_beside_the_deaths_of_nights(raids: RaidStore, call: Tools) -> None:
    made = fight(1, START)
    first, *others = made.performances
    spirit = msgspec.structs.replace(first, spirits=1)
    await put_night(raids, "firstnight", [msgspec.structs.replace(made, performances=(spirit, *others))])
    await put_night(raids, "nextnight1", [fight(1, START + WEEK)])
    found = (await call("search_fights"))["fights"]
    assert [(row["report_code"], row["spirits_of_redemption"]) for row in found] == [
        ("nextnight1", None), ("firstnight", 1),
    ]  # fmt: skip
    (boss,) = (await call("compare_two_raids", report_a="firstnight", report_b="nextnight1"))["bosses"]
    assert (boss["spirits_of_redemption_a"], boss["spirits_of_redemption_b"]) == (1, None)


async def test_a_name_that_nobody_has_is_answered_with_those_of_the_raids_alone(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [fight(1, START, dps=1450)])
    with pytest.raises(ToolError, match="There is no player 'Topazio'") as told:
        await call("get_my_performance", player_name="Topazio")
    assert "Topa" not in str(told.value).split("Nearest")[1]
