"""Tools over many fights: performance, rankings, progression, regressions, nights, benchmarks."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from extensions.raids.guild_nights import ARAN, MAIDEN, START, WEEK, fight, put_night, put_references
from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.raids.records import FightRecord, Performance, Role
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import make_tools
from glassloop.extensions.raids.tools.result import figure_label
from glassloop.store.store import Store
from glassloop.tools.tool import FunctionTool, ToolContext


class Tools:
    """Calls a tool by name, as a user; gives its data, or its text."""

    def __init__(self, store: Store) -> None:
        self._tools: dict[str, Any] = {tool.name: tool for tool in make_tools(Path(), store)}

    async def text(self, name: str, **arguments: Any) -> str:
        tool: FunctionTool[..., Any] = self._tools[name]
        return (await tool.execute(arguments, ToolContext(user="ada"))).output

    async def __call__(self, name: str, user: str = "ada", /, **arguments: Any) -> Any:
        tool: FunctionTool[..., Any] = self._tools[name]
        result = await tool.execute(arguments, ToolContext(user=user))
        assert result.success
        data: Any = result.data
        tables = [key for key, rows in data.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict)]
        assert all(f"\n{figure_label(key)}" in result.output for key in tables)
        return data


@pytest.fixture
def call(store: Store) -> Tools:
    return Tools(store)


async def test_grades_are_given_by_what_the_best_references_reach(raids: RaidStore, call: Tools) -> None:
    def slower(record: FightRecord) -> FightRecord:
        mage, *others = record.performances
        calm = msgspec.structs.replace(mage, active_ms=mage.active_ms * 2 // 3, casts=54)
        return msgspec.structs.replace(record, performances=(calm, *others))

    await put_night(raids, "guildnight", [fight(1, START)])
    before = await call("get_activity_report", player_name="elan")
    for place in range(3):
        one = slower(fight(1, START - WEEK + place * 10_000_000, dps=1000 + place, length_s=180))
        await put_night(raids, f"ref{place:07d}", [one], user="operator", reference=True, mage=f"Top{chr(97 + place)}")
    after = await call("get_activity_report", player_name="elan")
    assert (before["expected_percent"], after["expected_percent"]) == (90, 60)
    spec = await call("get_spec_benchmark", encounter_name="prince", class_name="mage", spec_name="fire")
    assert (spec["expected_gcd_uptime_percent"], spec["encounter_allows_gcd_uptime_percent"]) == (60, 90)
    compared = await call("compare_to_top", encounter_name="prince", player_name="elan")
    assert next(row["top"] for row in compared["figures"] if row["figure"] == "GCD uptime (%)") == 60.0
    score = await call("get_rotation_score", player_name="elan")
    targets = {row["part"]: row["target"] for row in score["parts"]}
    assert (targets["GCD uptime"], targets["Casts a minute"]) == (60.0, 18.0)
    assert {row["ability"]: row["target_per_minute"] for row in score["main_abilities"]}["Fireball"] == 20.0


async def test_performance_tells_parses_with_how_many_and_wipes_without_one(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [
        fight(1, START, kill=False, dps=900, boss_health=23.5), fight(2, START + 900_000, dps=1450, deaths=1),
    ])  # fmt: skip
    told = await call("get_my_performance", encounter_name="prinz", player_name="elan")
    kill, wipe = told["fights"]
    assert (kill["dps"], kill["parse"], kill["parse_of"], kill["deaths"]) == (1450.0, 42.3, 13, 1)
    assert (kill["item_level_parse"], kill["item_level_parse_of"]) == (42.3, 13)
    assert (kill["report_code"], kill["fight_id"], kill["length_s"]) == ("guildnight", 2, 200.0)
    assert (wipe["result"], wipe["parse"], wipe["dps"]) == ("wipe at 23.5 %", None, 900.0)
    assert any("not Warcraft Logs" in note for note in told["notes"])


async def test_healers_are_ranked_by_healing(raids: RaidStore, call: Tools) -> None:
    for place in range(12):
        await put_night(
            raids, f"healers{place:03d}", [fight(1, START + place * WEEK, hps=700 + place)], mage=f"M{place}"
        )
    told = await call("get_my_performance", player_name="M11heal", encounter_name="prince")
    tank = await call("get_my_performance", player_name="M11tank", encounter_name="prince")
    assert tank["fights"][0]["judged_by"] == "survival"
    (row,) = told["fights"]
    assert (row["judged_by"], row["hps"], row["dps"], row["parse"]) == ("HPS", 711.0, 0.0, 95.8)
    assert any("DPS says nothing" in note for note in told["notes"])


async def test_too_few_kills_give_no_parse_and_say_so(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    told = await call("get_my_performance", encounter_name="prince", player_name="Élan")
    assert (told["fights"][0]["parse"], told["fights"][0]["parse_of"]) == (None, None)
    assert told["missing"] == ["no parse of Fire Mage with fewer than 10 kills in this store: Prince Malchezaar (1)"]


async def test_bests_are_given_for_every_boss(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [fight(1, START, dps=1300), fight(2, START + 10**6, encounter=ARAN, dps=700)])
    await put_night(raids, "laternight", [fight(1, START + WEEK, dps=1600), fight(2, START + WEEK + 10**6, kill=False)])
    told = await call("get_my_performance", player_name="elan", bests_only=True)
    by_boss = {row["encounter"]: row for row in told["bests"]}
    assert by_boss["Prince Malchezaar"]["best_dps"] == 1600.0
    assert by_boss["Prince Malchezaar"]["best_dps_in"] == "laternight fight 1"
    assert (by_boss["Prince Malchezaar"]["kills"], by_boss["Shade of Aran"]["best_parse"]) == (2, None)


async def test_me_is_the_registered_character(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    with pytest.raises(ToolError, match=r"No character is registered"):
        await call("get_my_performance", encounter_name="prince")
    unknown = await call("resolve_my_fights")
    assert unknown["missing"]
    assert unknown["fights"][0]["report_code"] == "guildnight"
    await raids.add_character("ada", "Élan", "Firemaw", "Mage", "Fire")
    told = await call("get_my_performance", encounter_name="prince", player_name="me")
    assert told["fights"][0]["player"] == "Élan"
    newest = await call("resolve_my_fights", count=1)
    assert (newest["fights"][0]["report_code"], newest["fights"][0]["fight_id"]) == ("guildnight", 1)
    assert not any("Newer wipes" in note for note in newest["notes"])
    assert any("Only kills" in note for note in newest["notes"])


async def test_newer_wipes_are_named_beside_the_newest_kills(raids: RaidStore, call: Tools) -> None:
    await raids.add_character("ada", "Élan", "", "Mage", "Fire")
    await put_night(raids, "guildnight", [fight(1, START), fight(2, START + 10**6, kill=False, encounter=ARAN)])
    told = await call("resolve_my_fights")
    assert [row["fight_id"] for row in told["fights"]] == [1]
    assert any("Shade of Aran, report guildnight, fight 2" in note for note in told["notes"])
    only = await call("resolve_my_fights", encounter_name="aran")
    assert (only["fights"][0]["result"], only["missing"][-1][:8]) == ("wipe", "no kills")


async def test_two_players_of_one_name_are_asked_back(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    await put_night(raids, "othernight", [fight(1, START + WEEK)], realm="Gehennas")
    with pytest.raises(ToolError, match=r"Élan-Firemaw, Élan-Gehennas"):
        await call("get_my_performance", encounter_name="prince", player_name="elan")
    told = await call("get_my_performance", encounter_name="prince", player_name="elan-gehennas")
    assert [row["report_code"] for row in told["fights"]] == ["othernight"]


async def test_a_part_of_a_name_means_somebody_of_the_raids_before_a_stranger(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "reference1", [fight(1, START)], user="operator", reference=True, mage="Othermoon")
    await put_night(raids, "guildnight", [fight(1, START + WEEK)], mage="Brightmoon")
    part = await call("get_my_performance", encounter_name="prince", player_name="moonh")
    assert part["player"] == "Brightmoonheal-Firemaw"
    stranger = await call("get_my_performance", encounter_name="prince", player_name="othermoonh")
    assert stranger["player"] == "Othermoonheal-Firemaw"


async def test_another_users_fights_are_not_there(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    with pytest.raises(ToolError, match=r"No combat log has been imported"):
        await call("get_my_performance", "bob", encounter_name="prince", player_name="elan")
    with pytest.raises(ToolError, match=r"No combat log has been imported"):
        await call("get_raid_execution", "bob", report_code="guildnight")
    assert (await call("search_fights", "bob"))["fights"] == []


async def test_progression_has_the_slope_a_week_and_a_line(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    for week in range(4):
        await put_night(raids, f"progress{week:02d}", [
            fight(1, START + week * WEEK, dps=1000 + 100 * week, length_s=240 - 10 * week, item_level=110 + week),
        ])  # fmt: skip
    told = await call("get_progression", player_name="elan", encounter_name="malchezaar")
    assert told["change_a_week"]["dps"] == pytest.approx(100, abs=0.1)
    assert told["change_a_week"]["kill_time_s"] == pytest.approx(-10, abs=0.1)
    assert told["change_a_week"]["item_level"] == pytest.approx(1, abs=0.01)
    assert (told["kill_count"], len(told["chart"]["x"]), told["chart"]["kind"]) == (4, 4, "line")
    assert told["kills_newest_first"][0]["report_code"] == "progress03"
    short = await call("get_progression", player_name="elan", encounter_name="prince", weeks=1)
    assert short["kill_count"] == 2


@pytest.mark.parametrize(("latest", "verdict"), [(1050.0, "regressions"), (1950.0, "improvements"), (1500.0, "steady")])
async def test_the_last_two_kills_are_compared_with_kills_three_to_seven(
    raids: RaidStore, call: Tools, latest: float, verdict: str
) -> None:
    await put_references(raids)
    values = [500.0, *[1500.0] * 5, latest, latest]
    for week, value in enumerate(values):
        await put_night(raids, f"weekly{week:04d}", [fight(1, START + week * WEEK, dps=value)])
    await put_night(raids, "fewofthese", [fight(1, START + 99 * WEEK, encounter=ARAN)])
    await raids.add_character("ada", "Elan", "Firemaw", "Mage", "Fire")
    told = await call("get_regressions")
    (row,) = told[verdict]
    assert (row["kills"], row["compared_with_kills"], row["newest_report"]) == (8, 5, "weekly0007")
    assert (abs(row["change_points"]) >= 15) == (verdict != "steady")
    assert told["too_few_kills"][0]["encounter"] == "Shade of Aran"


async def test_rankings_are_the_best_of_the_references_one_a_player(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "ref6610099", [fight(1, START, dps=5000)], user="operator", reference=True, mage="Topa")
    await put_night(raids, "guildnight", [fight(1, START, dps=9000)])
    told = await call("get_top_rankings", encounter_name="prince", class_name="mage", spec_name="fire", limit=3)
    assert [(row["player"], row["dps"]) for row in told["rankings"]] == [
        ("Topa", 5000.0), ("Topl", 2100.0), ("Topk", 2000.0),
    ]  # fmt: skip
    none = await call("get_top_rankings", encounter_name="prince", class_name="", spec_name="destro")
    assert (none["rankings"], none["missing"][0][:18]) == ([], "no reference kills")
    with pytest.raises(BadArguments, match=r"1 to 50"):
        await call("get_top_rankings", encounter_name="prince", class_name="mage", spec_name="fire", limit=51)


async def test_the_leaderboard_ranks_healers_apart_by_healing(raids: RaidStore, call: Tools) -> None:
    await put_references(raids, 2)
    told = await call("get_spec_leaderboard", encounter_name="prince")
    (mage,) = told["specs_by_dps"]
    assert (mage["spec"], mage["average_dps"], mage["performances"], mage["players"]) == ("Fire Mage", 1050.0, 2, 2)
    assert told["healers_by_hps"][0]["average_hps"] == 800.0
    assert "average_dps" not in told["healers_by_hps"][0]


async def test_fights_are_found_by_boss_player_outcome_and_day(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START, kill=False), fight(2, START + 10**6)])
    await put_night(raids, "laternight", [fight(1, START + WEEK, encounter=ARAN)], mage="Other")
    found = await call("search_fights")
    assert [(row["report_code"], row["fight_id"]) for row in found["fights"]] == [
        ("laternight", 1), ("guildnight", 2), ("guildnight", 1),
    ]  # fmt: skip
    assert [row["fight_id"] for row in (await call("search_fights", kill=False))["fights"]] == [1]
    assert len((await call("search_fights", player_name="elan"))["fights"]) == 2
    assert len((await call("search_fights", encounter_name="aran", since="2026-06-01"))["fights"]) == 1
    day = found["fights"][2]["when"][:10]
    assert len((await call("search_fights", until=day))["fights"]) == 2
    with pytest.raises(BadArguments, match=r"`since` is 'monday'"):
        await call("search_fights", since="monday")


async def test_a_night_is_summed_up_boss_by_boss(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [
        fight(1, START, encounter=MAIDEN, deaths=2, length_s=300),
        fight(2, START + 900_000, kill=False, deaths=3, length_s=100),
        fight(3, START + 1_200_000, dps=1450, deaths=1),
    ])  # fmt: skip
    told = await call("get_raid_execution", report_code="last")
    maiden, prince = told["bosses"]
    assert (maiden["deaths"], maiden["wipes"], prince["deaths"], prince["deaths_in_kill"]) == (2, 0, 4, 1)
    assert (prince["kill_fight_id"], prince["raid_dps"], prince["interrupts"]) == (3, 2175.0, 6)
    assert (prince["downtime_before_s"], prince["time_in_wipes_s"], prince["dispels"]) == (600, 100, 8)
    assert prince["best_parse"] is not None
    totals = told["totals"]
    assert (totals["bosses_killed"], totals["wipes"], totals["deaths"]) == (2, 1, 6)
    assert totals["time_from_first_pull_s"] == 1_400
    assert totals["time_in_kills_s"] + totals["time_in_wipes_s"] + totals["time_between_bosses_s"] == 1_200
    assert (told["players"][0]["player"], told["players"][0]["deaths"]) == ("Élan", 6)
    assert told["missing"] == ["no gear: the log has no COMBATANT_INFO"]


async def test_a_night_beside_the_references_says_where_the_time_went(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [
        fight(1, START, encounter=ARAN), fight(2, START + 600_000, kill=False, length_s=100),
        fight(3, START + 900_000, length_s=240),
    ])  # fmt: skip
    told = await call("compare_raid_to_top", report_code="guildnight")
    aran, prince = told["bosses"]
    assert (prince["reference_kills"], prince["reference_kill_time"], prince["kill_time_gap_s"]) == (12, "3:00", 60.0)
    assert "reference_kills" not in aran
    assert "no reference kills of Shade of Aran" in told["missing"]
    lost = told["where_the_time_went"]
    assert [row["lost_s"] for row in lost] == [300, 60]


async def test_two_nights_stand_side_by_side(raids: RaidStore, call: Tools) -> None:
    await put_night(
        raids, "firstnight", [fight(1, START, length_s=240, deaths=2), fight(2, START + 10**6, encounter=ARAN)]
    )
    await put_night(raids, "nextnight1", [fight(1, START + WEEK, length_s=200, dps=1200)])
    told = await call("compare_two_raids", report_a="firstnight", report_b="last")
    (prince,) = told["bosses"]
    assert (prince["kill_time_a"], prince["kill_time_b"], prince["kill_time_change_s"]) == ("4:00", "3:20", -40.0)
    assert (prince["deaths_a"], prince["deaths_b"], prince["raid_dps_change_percent"]) == (2, 0, 20.0)
    assert told["not_in_both"] == ["Shade of Aran only in firstnight"]
    elan = next(row for row in told["players"] if row["player"] == "Élan")
    assert (elan["bosses"], elan["dps_or_hps_a"], elan["dps_or_hps_b"], elan["change_percent"]) == (1, 1000, 1200, 20.0)
    whole, same = ({row["figure"]: (row["a"], row["b"]) for row in told[name]}
                   for name in ("totals", "totals_of_the_same_bosses"))  # fmt: skip
    assert (whole["Bosses killed"], same["Bosses killed"]) == ((2, 1), (1, 1))
    assert (whole["Time in kills (s)"], same["Time in kills (s)"]) == ((440, 200), (240, 200))
    assert await call("compare_two_raids") == told, "without codes: the newest, and the one before it in that zone"
    await put_night(raids, "thirdnight", [
        fight(1, START + 2 * WEEK, length_s=190), fight(2, START + 2 * WEEK + 10**6, encounter=ARAN, length_s=100),
    ])  # fmt: skip
    alike = await call("compare_two_raids", report_a="firstnight", report_b="thirdnight")
    assert alike["totals_of_the_same_bosses"] is None
    chart = alike["chart"]
    assert [(one["label"], one["values"]) for one in chart["series"]] == [
        ("firstnight", [240.0, 200.0]), ("thirdnight", [190.0, 100.0]),
    ]  # fmt: skip


async def test_a_player_is_put_beside_the_best_references(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [fight(1, START, dps=1000)])
    for _ in range(2):  # worked out, then read back
        told = await call("compare_to_top", encounter_name="prince", player_name="elan")
        figures = {row["figure"]: row for row in told["figures"]}
        assert (figures["DPS"]["yours"], figures["DPS"]["top"], figures["DPS"]["gap"]) == (1000.0, 2000.0, -1000.0)
        assert (figures["DPS"]["gap_percent"], figures["DPS"]["priority"]) == (-50.0, True)
        assert figures["GCD uptime (%)"]["priority"] is False
        fireball = told["abilities"][0]
        assert (fireball["ability"], fireball["your_dps"], fireball["top_dps"]) == ("Fireball", 900.0, 1800.0)
        (combustion,) = [row for row in told["cooldowns"] if row["cooldown"] == "Combustion"]
        assert (combustion["your_uses"], combustion["top_uses"]) == (1, 1.0)


async def test_a_wipe_is_not_compared_with_kills(raids: RaidStore, call: Tools) -> None:
    await put_references(raids)
    await put_night(raids, "guildnight", [fight(1, START, kill=False)])
    told = await call("compare_to_top", encounter_name="prince", player_name="elan")
    assert "figures" not in told
    assert told["notes"][0].startswith("Wipes: 1.")


async def test_benchmarks_are_of_references_and_change_with_them(raids: RaidStore, call: Tools) -> None:
    empty = await call("get_spec_benchmark", encounter_name="prince", class_name="mage", spec_name="fire")
    assert "--reference" in empty["missing"][0]
    await put_references(raids, 3)
    spec = await call("get_spec_benchmark", encounter_name="prince", class_name="mage", spec_name="fire")
    assert (spec["kills"], spec["dps_target"], spec["dps_best"]) == (3, 1100.0, 1200.0)
    assert spec["abilities"][0]["share_percent"] == 90.0
    boss = await call("get_encounter_benchmarks", encounter_name="prince")
    assert (boss["kills"], boss["kill_time_median_s"], boss["dps_by_spec"][0]["average_dps"]) == (3, 180.0, 1100.0)
    assert (boss["composition"]["tanks"], boss["hps_by_spec"][0]["spec"]) == (1.0, "Holy Priest")
    await put_night(raids, "ref6610099", [fight(1, START, dps=4000)], user="operator", reference=True, mage="Best")
    again = await call("get_spec_benchmark", encounter_name="prince", class_name="mage", spec_name="fire")
    assert (again["dps_best"], again["best_kills"]["dps"]) == (4000.0, 2100.0)


async def test_imported_kills_stand_in_for_references_and_that_is_said(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START, dps=1000)])
    await put_night(raids, "othernight", [fight(1, START + WEEK, dps=1500)], mage="Rival")
    told = await call("compare_to_top", encounter_name="prince", player_name="elan")
    assert told["figures"][0]["top"] == 1500.0
    assert any("compared with imported kills" in one for one in told["missing"])


async def test_unknown_reports_are_refused_with_those_that_are_there(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    with pytest.raises(ToolError, match=r"no report 'nosuchcode'.*guildnight"):
        await call("get_raid_execution", report_code="nosuchcode")


async def test_a_fight_out_of_two_logs_is_told_once_and_from_the_users_own(raids: RaidStore, call: Tools) -> None:
    await put_night(raids, "theirnight", [fight(1, START + 2_000, dps=1001)], user="bob")
    await raids.share("theirnight", True)
    await put_night(raids, "guildnight", [fight(1, START), fight(2, START + 10**6)])
    told = await call("get_my_performance", encounter_name="prince", player_name="elan")
    assert [(row["report_code"], row["fight_id"]) for row in told["fights"]] == [("guildnight", 2), ("guildnight", 1)]
    execution = await call("get_raid_execution", report_code="guildnight")
    assert any("theirnight" in note for note in execution["notes"])


async def test_bears_are_not_compared_with_cats(raids: RaidStore, call: Tools) -> None:
    def feral(record: FightRecord, role: Role) -> FightRecord:
        druid = Performance(actor=0, class_name="Druid", spec="Feral", role=role, damage=record.performances[0].damage)
        return msgspec.structs.replace(record, performances=(druid,))

    for place, role in enumerate(("damage", "damage", "tank")):
        one = feral(fight(1, START + place * WEEK, dps=2000 - 600 * place), role)
        await put_night(raids, f"reference{place}", [one], user="operator", reference=True, mage=f"Druid{place}")
    await put_night(raids, "guildnight", [feral(fight(1, START, dps=700), "tank")])
    told = await call("compare_to_top", encounter_name="prince", player_name="elan")
    assert told["figures"][0]["top"] == 800.0
    cats = await call("get_top_rankings", encounter_name="prince", class_name="druid", spec_name="feral")
    bears = await call("get_spec_benchmark", encounter_name="prince", class_name="druid", spec_name="feral tank")
    assert (cats["rankings"][0]["dps"], len(cats["rankings"]), bears["dps_target"]) == (2000.0, 2, 800.0)


@pytest.mark.parametrize("odd", ["a\x00b", "\ud800x", "x" * 100_000, "%", "-", "(", "1" * 30, "\u0663", "-Firemaw"])
async def test_odd_names_are_refused_in_words_and_never_by_the_database(
    raids: RaidStore, call: Tools, odd: str
) -> None:
    await put_night(raids, "guildnight", [fight(1, START)])
    for name, arguments in (
        ("get_raid_execution", {"report_code": odd}),
        ("get_fight_details", {"report_code": "last", "fight_id": odd}),
        ("get_my_performance", {"player_name": odd}),
        ("get_spec_leaderboard", {"encounter_name": odd}),
        ("get_top_rankings", {"encounter_name": "prince", "class_name": odd, "spec_name": odd}),
        ("search_fights", {"since": odd}),
    ):
        with pytest.raises(ToolError) as refused:
            await call(name, **arguments)
        assert len(str(refused.value)) < 1_500
        assert "postgres" not in str(refused.value)
