"""Tools about one fight and its attempts, through the store."""

from pathlib import Path
from typing import Any

import pytest
from tests.extensions.raids.written_fight import ADD, BOSS, OTHER, PLAYER, WrittenFight

from glassloop.core.errors import ToolError
from glassloop.core.records import ToolResult
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import (
    AbilityTotal,
    Actor,
    Blow,
    Combatant,
    Death,
    Fight,
    FightRecord,
    GearItem,
    Performance,
    ReportRecord,
)
from glassloop.extensions.raids.tools import make_tools
from glassloop.store.store import Store
from glassloop.tools.tool import ToolContext

START = 1_700_000_000_000
CORRUPTION, FLASH_HEAL, BLIZZARD, FROSTBOLT, COUNTERSPELL = 27216, 25235, 29951, 29954, 2139
ARAN = 658


class Night:
    """Fights at the Shade of Aran, and the tools that read them."""

    def __init__(self, store: Store, raids: Any, code: str = "abcdefghij") -> None:
        self.tools = {one.name: one for one in make_tools(Path(), store)}
        self.raids, self.code = raids, code
        self.fights: list[FightRecord] = []
        self.written = WrittenFight(60)
        self.written.actors = (Actor(guid="Creature-16524", name="Boss", npc_id=16524), *self.written.actors[1:])

    def fight(self, length_s: int, *, health: float | None = None, **parts: Any) -> None:
        number = len(self.fights) + 1
        begun = START + number * 600_000
        fight = Fight(
            number=number, encounter_id=ARAN, name="Arans Schemen", started_at=begun, ended_at=begun + length_s * 1000,
            kill=health is None, boss_health=health,
        )  # fmt: skip
        self.fights.append(FightRecord(fight=fight, events=self.written.log.pack(), **parts))

    async def keep(self, user: str = "ada") -> None:
        report = await self.raids.begin(user, name="log")
        for fight in self.fights:
            await self.raids.add_fight(report, fight)
        await self.raids.complete(
            report,
            ReportRecord(
                code=self.code, title="Karazhan", started_at=START, ended_at=START + 1, lines=1, taken=1, bad=0,
                outside=0, actors=self.written.actors, spells=tuple(self.written.spells),
            ),
        )  # fmt: skip

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        tool: Any = self.tools[name]
        result: ToolResult = await tool(context=ToolContext(user="ada"), **arguments)
        assert result.success
        data: Any = result.data
        assert "missing" in data
        return data


@pytest.fixture
def night(store: Store, raids: Any) -> Night:
    return Night(store, raids)


WARLOCK = Performance(actor=PLAYER, class_name="Warlock", spec="Affliction", damage=600)
HEALER = Performance(actor=OTHER, class_name="Priest", spec="Holy", role="healer", healing=900, overheal=600)
LAST = {"report_code": "last", "fight_id": "last"}


async def test_clipped_dots_are_told_with_what_they_cost(night: Night) -> None:
    for at, kind in ((0, Kind.AURA_ON), (6, Kind.AURA_REFRESH)):
        night.written.cast(at, CORRUPTION)
        night.written.add(at, kind, CORRUPTION)
    for at in (3, 6, 9, 12, 15, 18, 21, 24):
        night.written.add(at, Kind.DAMAGE, CORRUPTION, amount=100, flags=Flag.PERIODIC | Flag.TARGET_HOSTILE)
    night.fight(60, performances=(WARLOCK, HEALER))
    await night.keep()
    told = await night.call("get_dot_management", **LAST, player_name="ulf")
    assert (told["encounter"], told["result"], told["length_s"]) == ("Shade of Aran", "kill", 60.0)
    assert (told["early_renewals"], told["lost_ticks"], told["lost_damage"], told["grade"]) == (
        1, 4, 400, "renewals: needs work",
    )  # fmt: skip
    (row,) = [row for row in told["timeline"]["rows"] if row["label"] == "Corruption"]
    assert [(span["from"], span["to"]) for span in row["spans"]] == [(0, 60)]
    assert [(mark["at"], mark["label"]) for mark in told["timeline"]["marks"]] == [(6, "Corruption renewed early")]
    other = await night.call("get_dot_management", **LAST, player_name="Anna")
    assert other["applies"] is False and "Holy Priest" in other["notes"][0]


async def test_healer_is_told_overheal_beside_the_target_of_the_spec(night: Night) -> None:
    heal = night.written.index(FLASH_HEAL)
    night.written.cast(1, FLASH_HEAL, source=OTHER, target=PLAYER)
    total = AbilityTotal(actor=OTHER, kind="healing", spell=heal, total=900, overheal=600, casts=3, hits=3)
    night.fight(60, performances=(WARLOCK, HEALER), abilities=(total,))
    await night.keep()
    told = await night.call("get_overheal_analysis", **LAST, player_name="anna")
    assert (told["overheal_percent"], told["target_percent"], told["flagged"], told["hps"]) == (40, 30, True, 15)
    assert told["ranks"][0]["rank"] == load_knowledge().rank_of(FLASH_HEAL)
    power = await night.call("get_resource_usage", **LAST, player_name="anna")
    assert power["resources"] == [] and any("advanced" in text for text in power["missing"])
    score = await night.call("get_rotation_score", **LAST, player_name="anna")
    assert score["grade"] == "rotation: F" and not any("DPS" in note for note in score["notes"])


async def test_the_mana_of_all_healers_is_one_row_per_fight_with_the_verdict(night: Night) -> None:
    for at, mana in ((0, 1000), (20, 520), (40, 500), (50, 0), (58, 0)):
        night.written.cast(at, 10, source=OTHER, flags=Flag.ABOUT_SOURCE, power=mana, max_power=1000, power_type=0)
    night.written.add(30, Kind.ENERGIZE, 16191, source=OTHER, target=OTHER, amount=240)
    for _ in range(2):
        night.fight(60, performances=(WARLOCK, HEALER))
    await night.keep()
    raid = await night.call("get_resource_usage", report_code="last", fight_id="all", player_name="raid")
    assert [(row["player"], row["verdict"]) for row in raid["players"]] == [("Anna", "out of mana")] * 2
    assert raid["out_of_mana"] == "Anna in 2" and len({row["fight"] for row in raid["players"]}) == 2
    assert (await night.call("get_resource_usage", **LAST, player_name="raid"))["out_of_mana"] == "Anna"
    mine = await night.call("get_resource_usage", report_code="last", fight_id="all", player_name="anna")
    assert len(mine["players"]) == 2
    assert mine["notes"][0].startswith("Without: of healers the time alive at zero")
    assert [row["gained"] for row in raid["players"]] == ["Spell 16191 240"] * 2
    one = await night.call("get_resource_usage", **LAST, player_name="anna")
    assert one["verdict"].startswith("Out of mana: ")


async def test_phases_tell_the_rates_of_each_and_of_a_healer_its_healing(night: Night) -> None:
    night.written.boss_health(30, 40)
    for at, amount in ((10, 3000), (40, 900)):
        night.written.add(at, Kind.DAMAGE, 5, amount=amount, flags=Flag.TARGET_HOSTILE)
    night.written.add(50, Kind.HEAL, 6, source=OTHER, target=PLAYER, amount=500, extra=200)
    night.fight(60, performances=(WARLOCK, HEALER), deaths=(Death(actor=OTHER, at=55_000),))
    await night.keep()
    told = await night.call("get_phase_analysis", **LAST)
    first, second = told["phases"]
    assert (first["dps"], first["time"], second["hps"], second["deaths"]) == (100, "seen", 10, 1)
    assert second["from"] == "0:30" and second["dps"] == pytest.approx(30, abs=0.1)
    assert len(told["chart"]["x"]) == 2 and {row["player"] for row in told["activity_percent_by_phase"]} == {
        "Ulf",
        "Anna",
    }
    assert [row["player"] for row in told["hps_by_phase"]] == ["Anna"]
    assert [span["to"] for span in told["timeline"]["rows"][0]["spans"]] == [30, 60]
    mine = await night.call("get_phase_analysis", **LAST, player_name="Anna")
    assert [row["dps"] for row in mine["phases"]] == [0, 0] and "HPS" in mine["notes"][0]


async def test_a_fight_that_ended_in_its_first_phase_does_not_make_it_the_only_one(night: Night) -> None:
    night.fight(60, health=80.0, performances=(WARLOCK,))
    await night.keep()
    told = await night.call("get_phase_analysis", **LAST)
    assert len(told["phases"]) == 1 and "The fight ended in the first of 3 phases." in told["notes"]


def death_by(spell: int, at_s: int, player: int = PLAYER) -> Death:
    blow = Blow(at=at_s * 1000, kind="damage", source=BOSS, spell=spell, amount=9000, overkill=10)
    return Death(actor=player, at=at_s * 1000, blows=(blow,), cause=0)


async def test_attempts_are_told_in_order_with_their_trend_and_first_deaths(night: Night) -> None:
    blizzard = night.written.index(BLIZZARD)
    feigned = Death(actor=OTHER, at=1_000, feigned="Feign Death")
    for health in (80.0, 60.0, 39.0):
        night.fight(60, health=health, performances=(WARLOCK,), deaths=(feigned, death_by(blizzard, 20)))
    night.fight(120, performances=(WARLOCK,))
    await night.keep()
    told = await night.call("get_wipe_progression", report_code="last", encounter_name="aran")
    assert (told["attempts"], told["wipes"], told["kills"], told["best_wipe_percent"]) == (4, 3, 1, 39)
    assert told["trend_percent_per_attempt"] == -20.5 and told["trend"].startswith("better")
    rows = told["by_attempt"]
    assert [row["phase_reached"] for row in rows] == ["Shade of Aran", "Shade of Aran"] + ["Water elementals"] * 2
    assert (rows[0]["first_death"], rows[0]["first_death_at"], rows[0]["deaths"]) == ("Ulf", "0:20", 1)
    assert rows[0]["first_death_of"] == f"Spell {BLIZZARD} (Boss)" and rows[3]["first_death"] is None
    with pytest.raises(ToolError, match="Shade of Aran"):
        await night.call("get_wipe_progression", report_code="last", encounter_name="prince")


async def test_deaths_avoidable_damage_and_missed_interrupts_are_added_up(night: Night) -> None:
    blizzard = night.written.index(BLIZZARD)
    taken = AbilityTotal(actor=PLAYER, kind="taken", spell=blizzard, total=700, absorbed=50, hits=0, ticks=3)
    for at in (5, 15, 25):
        night.written.add(at, Kind.CAST, FROSTBOLT, source=BOSS, target=PLAYER)
    interrupted = night.written.index(FROSTBOLT)
    night.written.add(35, Kind.INTERRUPT, COUNTERSPELL, source=OTHER, extra=interrupted)
    for health in (50.0, None):
        deaths = (death_by(blizzard, 20), death_by(0xFFFF, 30, OTHER))
        night.fight(60, health=health, performances=(WARLOCK,), abilities=(taken,), deaths=deaths)
    await night.keep()
    told = await night.call("get_deaths_and_mechanics", encounter_name="Aran")
    everywhere = await night.call("get_deaths_and_mechanics", encounter_name="Aran", report_code="all")
    assert everywhere == told
    assert (told["fights"], told["result"], told["deaths"]) == (2, "1 kill, 1 wipe", 4)
    assert {row["cause"]: row["times"] for row in told["deaths_by_cause"]} == {
        f"Spell {BLIZZARD} (Boss)": 2, "Melee (Boss)": 2,
    }  # fmt: skip
    assert told["first_deaths_by_cause"] == [{"cause": f"Spell {BLIZZARD} (Boss)", "times": 2}]
    first = told["first_deaths"][0]
    assert (first["player"], first["at"], first["then"]) == ("Ulf", "0:20", "1 more after 10 s")
    assert first["last_hits"] == f"Spell {BLIZZARD} 9,000 at 0:20"
    assert told["deaths_of_avoidable_spells"] == 2
    assert told["avoidable_damage"] == [
        {"mechanic": "Blizzard", "player": "Ulf", "role": "damage", "damage": 1500, "hits": 6}
    ]
    (row,) = told["missed_interrupts"]
    assert (row["chances"], row["interrupted"], row["missed"]) == (8, 2, 6)
    assert any("blizzard" in text for text in told["advice"])
    columns = ("fight", "result", "deaths", "avoidable_damage", "avoidable_hits", "mostly")
    assert [tuple(row[name] for name in columns) for row in told["by_fight"]] == [
        (2, "kill", 2, 750, 3, "Blizzard 750"), (1, "wipe at 50.0 %", 2, 750, 3, "Blizzard 750"),
    ]  # fmt: skip
    assert "Blizzard" not in told["struck_nobody"] and "Flame Wreath" in told["struck_nobody"]


async def test_what_strikes_most_of_the_raid_is_one_row_with_who_took_far_more(night: Night) -> None:
    blizzard = night.written.index(BLIZZARD)
    base = len(night.written.actors)
    night.written.actors = (
        *night.written.actors,
        *(Actor(guid=f"Player-9-{number}", name=f"P{number}", kind="player") for number in range(8)),
    )
    struck = [
        AbilityTotal(actor=base + number, kind="taken", spell=blizzard, total=5_000 if number == 3 else 700, ticks=1)
        for number in range(7)
    ]
    everybody = tuple(Performance(actor=base + number, class_name="Mage") for number in range(8))
    night.fight(60, performances=everybody, abilities=tuple(struck))
    await night.keep()
    told = await night.call("get_deaths_and_mechanics", encounter_name="Aran")
    assert "avoidable_damage" not in told
    (row,) = told["avoidable_damage_to_most"]
    assert (row["players_hit"], row["of"], row["median_damage"], row["most_on"], row["far_above"]) == (
        7, 8, 700, "P3", "P3 5,000",
    )  # fmt: skip
    assert (row["hits"], row["median_hits"]) == (7, 1)
    assert any("blizzard" in text for text in told["advice"])


async def test_preparation_is_told_and_gear_compared_between_nights(night: Night, store: Store, raids: Any) -> None:
    old = GearItem(slot=0, item_id=101, item_level=110)
    new = GearItem(slot=0, item_id=102, item_level=120, enchant=3)
    night.fight(60, performances=(WARLOCK,), combatants=(Combatant(actor=PLAYER, gear=(old,)),))
    later = Night(store, raids, "klmnopqrst")
    later.fight(60, performances=(WARLOCK,), combatants=(Combatant(actor=PLAYER, gear=(new,)),))
    later.fight(60, performances=(WARLOCK,))
    await night.keep()
    await later.keep()
    told = await night.call(
        "get_gear_changes", player_name="Ulf", report_code_old="abcdefghij", report_code_new="klmnopqrst"
    )
    assert (told["average_item_level_old"], told["average_item_level_new"], told["slots_changed"]) == (110, 120, 1)
    assert told["changes"][0]["slot"] == "head" and told["changes"][0]["level_difference"] == 10
    checked = await night.call("get_enchant_gem_check", report_code="abcdefghij", fight_id=1, player_name="Ulf")
    assert [row["slot"] for row in checked["without_enchant"]] == ["head"]
    unknown = await night.call("get_enchant_gem_check", report_code="klmnopqrst", fight_id=2, player_name="Ulf")
    assert any("COMBATANT_INFO" in text for text in unknown["missing"])
    consumed = await night.call("get_consumable_check", report_code="klmnopqrst", fight_id=2)
    assert "flask or elixirs" in consumed["players"][0]["unknown"]
    assert any("before the pull" in text for text in consumed["missing"])


async def test_players_who_miss_most_are_told_first(night: Night) -> None:
    night.written.cast(5, 28507, source=OTHER)
    ready = Combatant(actor=OTHER, auras=((OTHER, 17628), (OTHER, 33257)), gear=(GearItem(slot=15, item_id=1),))
    bare = Combatant(actor=PLAYER, gear=(GearItem(slot=15, item_id=1),))
    mage = Performance(actor=OTHER, class_name="Mage", spec="Fire", damage=900)
    night.fight(60, performances=(mage, WARLOCK), combatants=(ready, bare))
    await night.keep()
    told = await night.call("get_consumable_check", **LAST)
    assert [row["player"] for row in told["players"]] == ["Ulf", "Anna"]
    assert told["players"][0]["missing"] == "flask or elixirs, food, weapon oil or stone, potion"
    assert told["players"][1]["missing"] == "weapon oil or stone" and "potions_used" not in told
    mine = await night.call("get_consumable_check", **LAST, player_name="Anna")
    assert [row["what"] for row in mine["potions_used"]] == ["Haste Potion"]


async def test_cooldowns_are_flagged_below_seventy_per_cent(night: Night) -> None:
    mage = Performance(actor=PLAYER, class_name="Mage", spec="Frost", damage=600)
    night.written.cast(30, 12472)
    night.written.add(40, Kind.DAMAGE, 5, source=ADD, target=OTHER)
    night.fight(400, performances=(mage, HEALER))
    await night.keep()
    told = await night.call("get_cooldown_efficiency", **LAST, player_name="Ulf")
    (veins,) = [row for row in told["cooldowns"] if row["cooldown"] == "Icy Veins"]
    assert (veins["used"], veins["possible"], veins["flagged"], veins["first_use_s"]) == (1, 3, True, 30)
    (row,) = [row for row in told["timeline"]["rows"] if row["label"] == "Icy Veins"]
    assert [(span["from"], span["to"]) for span in row["spans"]] == [(30, 50)]
    assert "Icy Veins" in told["flagged"] and any("Icy Veins: first used at 0:30" in note for note in told["notes"])


async def test_nobody_is_blamed_where_the_import_holds_no_casts(night: Night) -> None:
    night.fight(300, performances=(WARLOCK, HEALER))
    await night.keep()
    for name in ("get_cooldown_efficiency", "get_dot_management", "get_rotation_score"):
        told = await night.call(name, **LAST, player_name="Ulf")
        assert any("no casts" in text for text in told["missing"]) and not told["notes"]
    (row, _) = (await night.call("get_consumable_check", **LAST))["players"]
    assert row["missing"] is None and "potion" in row["unknown"]


async def test_raid_means_everybody_where_a_tool_can_tell_of_all(night: Night) -> None:
    night.written.cast(5, CORRUPTION)
    night.fight(60, performances=(WARLOCK, HEALER))
    await night.keep()
    for name, table in (
        ("get_activity_report", "everybody"), ("get_consumable_check", "players"),
        ("get_phase_analysis", "activity_percent_by_phase"),
    ):  # fmt: skip
        assert len((await night.call(name, **LAST, player_name="raid"))[table]) == 2
    assert (await night.call("get_enchant_gem_check", **LAST, player_name="Raid"))["players_checked"] == 0
    assert (await night.call("get_death_analysis", **LAST, player_name="all"))["deaths"] == 0
    with pytest.raises(ToolError, match="one player: give `player_name`, one of Anna, Ulf"):
        await night.call("get_rotation_score", **LAST, player_name="raid")


async def test_other_peoples_reports_are_not_found(night: Night) -> None:
    night.fight(60, performances=(WARLOCK,))
    await night.keep("eve")
    with pytest.raises(ToolError, match="No combat log has been imported"):
        await night.call("get_rotation_score", report_code="abcdefghij", fight_id=1, player_name="Ulf")
