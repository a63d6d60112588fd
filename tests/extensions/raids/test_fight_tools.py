"""Tools that review one fight."""

from pathlib import Path
from typing import Any

import pytest

from extensions.raids.hand_made import (
    ACTORS,
    BLAST,
    BOSS,
    CLEAVE,
    CORRUPTION,
    FLASK,
    FROSTBOLT,
    MAGE,
    PET,
    POTION,
    PRIEST,
    RENEW,
    ROGUE,
    SHIELD,
    SPELLS,
    STRIKE,
    SUNDER,
    WARLOCK,
    FewFacts,
    aura,
    view_of,
)  # fmt: skip
from glassloop.core.records import ToolResult
from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.analysis.review.activity import activity_grade, activity_of
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Cooldown, Mechanic, Proc, RaidBuff, Spec
from glassloop.extensions.raids.records import Combatant, GearItem
from glassloop.extensions.raids.tools import make_tools
from glassloop.extensions.raids.tools.fight.abilities import ability_answer
from glassloop.extensions.raids.tools.fight.activity import activity_answer, cancelled_answer
from glassloop.extensions.raids.tools.fight.buffs import buff_answer, raid_buff_answer
from glassloop.extensions.raids.tools.fight.deaths import death_answer
from glassloop.extensions.raids.tools.fight.overview import fight_answer
from glassloop.extensions.raids.tools.reader import RaidReader

HIT, STRUCK = Flag.TARGET_HOSTILE, Flag.SOURCE_HOSTILE


def _view(log: FightLog, *, combatants: tuple[Combatant, ...] = (), encounter_id: int = 661, **facts: Any) -> FightView:
    knowledge: Any = FewFacts()
    for name, value in facts.items():
        setattr(knowledge, name, value)
    fight = view_of(log, encounter_id=encounter_id).fight
    return FightView(summarise(fight, log, ACTORS, SPELLS, combatants, knowledge), log, ACTORS, SPELLS, knowledge)


def _data(result: ToolResult) -> dict[str, Any]:
    assert result.success
    assert isinstance(result.data, dict)
    return result.data


def _reader(view: FightView) -> RaidReader:
    return RaidReader(None, view.knowledge)


def test_breakdown_has_pets_apart_and_shares_of_the_whole() -> None:
    log = FightLog()
    for at in (1_000, 4_000, 7_000):
        log.append(at, Kind.CAST, MAGE, BOSS, FROSTBOLT)
        log.append(at, Kind.DAMAGE, MAGE, BOSS, FROSTBOLT, amount=1_000, flags=HIT)
    log.append(8_000, Kind.DAMAGE, PET, BOSS, amount=1_000, flags=HIT | Flag.CRITICAL)
    view = _view(log)
    data = _data(ability_answer(_reader(view), view, MAGE))
    (own,), (pet,) = data["damage_by_ability"], data["damage_by_pets"]
    assert (own["ability"], own["share_percent"], own["casts"], own["average"], own["dps"]) == (
        "Frostblitz", 75.0, 3, 1_000.0, 50.0,
    )  # fmt: skip
    assert (pet["pet"], pet["ability"], pet["share_percent"], pet["crit_percent"]) == (
        "Wasserelementar", "Melee", 25.0, 100.0,
    )  # fmt: skip
    assert list(data["chart"]["x"]) == ["Frostblitz", "Melee (Wasserelementar)"]


def test_healer_sees_healing_first_and_is_not_judged_on_damage() -> None:
    log = FightLog()
    log.append(1_000, Kind.HEAL, PRIEST, MAGE, RENEW, amount=1_000, extra=250)
    log.append(2_000, Kind.ABSORB, PRIEST, MAGE, SHIELD, amount=250)
    view = _view(log)
    result = ability_answer(_reader(view), view, PRIEST)
    data = _data(result)
    assert data["judged_on"] == "healing"
    assert [(row["ability"], row["share_percent"], row["overheal_percent"]) for row in data["healing_by_ability"]] == [
        ("Erneuerung", 75.0, 25.0), ("Machtwort: Schild", 25.0, 0.0),
    ]  # fmt: skip
    assert "not on damage" in result.output


def test_activity_names_gaps_with_what_happened_and_leaves_time_dead_out() -> None:
    log = FightLog()
    for at in range(0, 30_000, 1_500):
        log.append(at, Kind.CAST, MAGE, BOSS, BLAST)
    log.append(32_000, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=700, flags=STRUCK)
    log.append(36_000, Kind.CAST, MAGE, BOSS, BLAST)
    log.append(40_000, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=9_000, overkill=10, flags=STRUCK)
    log.append(40_000, Kind.DEATH, target=MAGE)
    view = _view(log)
    data = _data(activity_answer(_reader(view), view, MAGE))
    assert (data["alive_s"], data["active_s"], data["gcd_uptime_percent"], data["casts"]) == (40.0, 31.5, 78.75, 21)
    assert data["grade"] == "fair"
    assert [(gap["from_s"], gap["length_s"]) for gap in data["gaps"]] == [(30.0, 6.0)]
    assert "took 700 from Spalten of Prinz Malchezaar" in data["gaps"][0]["what_happened"]
    rows = {row["label"]: row["spans"] for row in data["timeline"]["rows"]}
    assert (len(rows["Feuerschlag"]), rows["Gaps"][0]["from"], rows["Gaps"][0]["to"]) == (21, 30.0, 36.0)
    assert data["timeline"]["marks"][0]["kind"] == "death"


def test_grades_are_shifted_by_what_the_encounter_allows() -> None:
    assert [activity_grade(percent) for percent in (90, 89.9, 85, 75, 74.9)] == [
        "excellent", "good", "good", "fair", "needs work",
    ]  # fmt: skip
    assert [activity_grade(percent, 70) for percent in (70, 65, 55, 54)] == ["excellent", "good", "fair", "needs work"]


def test_hunter_is_graded_on_shots_between_auto_shots() -> None:
    spells = (*SPELLS, SPELLS[0].__class__(id=75, name="Automatischer Schuss"))
    log = FightLog()
    for number in range(10):
        log.append(number * 3_000, Kind.CAST, ROGUE, BOSS, len(SPELLS))
        if number != 4:
            log.append(number * 3_000 + 1_000, Kind.CAST, ROGUE, BOSS, BLAST)
    view = view_of(log, classes={ROGUE: "Hunter"}, length_ms=30_000)
    shots = activity_of(FightView(view.record, log, ACTORS, spells, view.knowledge), ROGUE).shots
    assert shots is not None
    assert (shots.auto_shots, shots.between, shots.filled) == (10, 9, 8)


def test_rogue_is_graded_beside_what_energy_allows() -> None:
    combat = Spec(
        class_name="Rogue", name="Combat", tree=1, role="damage", signature=(26862,), casts_per_minute=20,
        power="energy", gcd_s=1.0,
    )  # fmt: skip
    log = FightLog()
    for at in range(0, 60_000, 3_000):
        log.append(at, Kind.CAST, ROGUE, BOSS, STRIKE)
    view = _view(log, specs={("Rogue", "Combat"): combat})
    result = activity_answer(_reader(view), view, ROGUE)
    data = _data(result)
    assert data["gcd_uptime_percent"] == pytest.approx(100 / 3, abs=0.01)
    assert (data["graded_on"], data["grade"]) == ("GCD uptime", "excellent")
    assert "energy, rage or cooldowns" in result.output


def test_cancelled_casts_are_counted_by_spell() -> None:
    log = FightLog()
    for at in range(0, 30_000, 3_000):
        log.append(at, Kind.CAST_START, MAGE, BOSS, FROSTBOLT)
        if at != 6_000:
            log.append(at + 2_500, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    view = _view(log)
    data = _data(cancelled_answer(_reader(view), view, MAGE))
    assert (data["begun"], data["finished"], data["cancelled"], data["cancelled_percent"]) == (10, 9, 1, 10.0)
    assert (data["grade"], data["spells"][0]["lost_s"]) == ("good", 3.0)
    nothing = _view(FightLog(), combatants=(Combatant(actor=MAGE),))
    told = _data(cancelled_answer(_reader(nothing), nothing, MAGE))
    assert told["grade"] is None
    assert any("beginnings of casts" in text for text in told["missing"])


def test_death_is_explained_with_advice_and_what_was_ready() -> None:
    mechanic = Mechanic(name="Cleave", kind="avoidable", spells=(30131,), advice="Stand behind him.")
    block = Cooldown(name="Ice Block", spells=(45438,), class_name="Mage", kind="defensive", cooldown_s=300)
    encounters = dict(FewFacts.encounters)
    known = encounters[661]
    encounters[661] = type(known)(
        id=661, name=known.name, instance=532, zone=known.zone, size=10, mechanics=(mechanic,)
    )
    log = FightLog()
    log.append(1_000, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    log.append(8_000, Kind.DAMAGE, BOSS, MAGE, amount=4_000, flags=STRUCK, health=5_000, max_health=9_000)
    log.append(
        9_000, Kind.DAMAGE, BOSS, MAGE, CLEAVE, amount=5_000, overkill=70, flags=STRUCK, health=0, max_health=9_000
    )
    log.append(9_001, Kind.DEATH, target=MAGE)
    view = _view(log, encounters=encounters, cooldowns=(block,))
    result = death_answer(_reader(view), view, None)
    data = _data(result)
    (death,) = data["each"]
    assert (death["killed_by"], death["source"], death["amount"], death["overkill"], death["avoidable"]) == (
        "Spalten", "Prinz Malchezaar", 5_000, 70, "yes",
    )  # fmt: skip
    assert (data["advice"], death["defensives_ready"]) == (["Cleave: Stand behind him."], "Ice Block")
    assert [row["health_left_percent"] for row in data["before_death_1"]] == [pytest.approx(55.56, abs=0.01), 0.0]
    assert data["chart"]["series"][0]["values"][-1] == 0.0
    assert "got no heal" in result.output


def test_buffs_of_a_player_with_procs_and_what_is_missing() -> None:
    fortitude = RaidBuff(name="Power Word: Fortitude", auras=(25389,), class_name="Priest")
    sunder = RaidBuff(name="Sunder Armor", auras=(25225,), class_name="Warrior", debuff=True)
    proc = Proc(name="Quagmirran's Eye", items=(27683,), auras=(33370,), uptime=13.0)
    worn = Combatant(actor=MAGE, gear=(GearItem(slot=12, item_id=27683),), auras=((NOBODY, 28518),))
    buffed = Combatant(actor=PRIEST, auras=((PRIEST, 25389),))
    log = FightLog()
    aura(log, 24_000, Kind.AURA_OFF, MAGE, MAGE, FLASK)
    log.append(1_000, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    log.append(1_000, Kind.HEAL, PRIEST, MAGE, RENEW, amount=10)
    aura(log, 30_000, Kind.AURA_ON, ROGUE, BOSS, SUNDER, flags=0)
    facts: dict[str, Any] = {
        "raid_buffs": (fortitude, sunder), "procs": (proc,),
        "buff_of": lambda spell: {25389: fortitude, 25225: sunder}.get(spell),
        "proc_of": lambda spell: proc if spell == 33370 else None,
    }  # fmt: skip
    view = _view(log, combatants=(worn, buffed), **facts)
    data = _data(buff_answer(_reader(view), view, MAGE))
    assert data["missing_raid_buffs"] == ["Power Word: Fortitude (Priest: Anna)"]
    assert (data["procs"][0]["expected_percent"], data["procs"][0]["uptime_percent"]) == (13.0, 0.0)
    assert [(row["name"], row["uptime_percent"], row["grade"]) for row in data["buffs"]] == [
        ("Fläschchen", 40.0, "issue")
    ]
    raid = _data(raid_buff_answer(_reader(view), view))
    assert [(row["buff"], row["covered"], row["of"], row["without"]) for row in raid["raid_buffs"]] == [
        ("Power Word: Fortitude", 1, 2, "Zoë"),
    ]  # fmt: skip
    (debuff,) = raid["debuffs_on_the_boss"]
    assert (debuff["debuff"], debuff["uptime_percent"], debuff["casters"]) == ("Sunder Armor", 50.0, "Rolf")


def test_nobody_is_blamed_for_buffs_that_do_nothing_for_them_or_that_the_raid_cannot_have() -> None:
    def debuff(name: str, spell: int, class_name: str) -> RaidBuff:
        return RaidBuff(name=name, auras=(spell,), class_name=class_name, major=True, debuff=True)

    shout = RaidBuff(name="Battle Shout", auras=(25225,), class_name="Warrior", covers="group", major=True)
    elements, recklessness = (
        debuff("Curse of the Elements", 27216, "Warlock"),
        debuff("Curse of Recklessness", 1, "Warlock"),
    )
    misery, mark = debuff("Misery", 2, "Priest"), debuff("Hunter's Mark", 3, "Warlock")
    log = FightLog()
    aura(log, 40_000, Kind.AURA_ON, ROGUE, MAGE, SUNDER)
    aura(log, 1_000, Kind.AURA_ON, WARLOCK, BOSS, CORRUPTION, flags=0)
    for player, spell in ((MAGE, FROSTBOLT), (WARLOCK, CORRUPTION), (ROGUE, STRIKE)):
        log.append(1_000, Kind.CAST, player, BOSS, spell)
    log.append(1_000, Kind.HEAL, PRIEST, MAGE, RENEW, amount=10)
    holy = Spec(class_name="Priest", name="Holy", tree=1, role="healer", signature=(25222,))
    view = _view(
        log,
        raid_buffs=(shout, elements, recklessness, misery, mark),
        specs={("Priest", "Holy"): holy},
        buff_of={25225: shout}.get,
    )
    (row,) = _data(buff_answer(_reader(view), view, MAGE))["buffs"]
    assert (row["name"], row["grade"]) == ("Rüstung zerreißen", None)
    raid = _data(raid_buff_answer(_reader(view), view))
    assert raid["issues"] == ["Hunter's Mark"]
    assert [(row["buff"], row["of"], row["casters"]) for row in raid["raid_buffs"]] == [("Battle Shout", 1, "Rolf")]


@pytest.mark.parametrize(
    ("up", "issues"),
    [
        ({}, ["Curse of the Elements", "Sunder Armor"]),
        ({"Expose Armor": 60}, ["Curse of the Elements"]),
        ({"Curse of Recklessness": 40, "Curse of the Elements": 20}, ["Curse of Recklessness", "Sunder Armor"]),
        ({"Curse of Recklessness": 60}, ["Sunder Armor"]),
    ],
)
def test_of_debuffs_that_exclude_one_another_only_as_many_are_missing_as_could_be_up(
    up: dict[str, int], issues: list[str]
) -> None:
    of = {"Curse of the Elements": "Warlock", "Curse of Recklessness": "Warlock", "Sunder Armor": "Rogue",
          "Expose Armor": "Rogue"}  # fmt: skip
    spells = (27216, 25218, 25225, 28518)
    debuffs = tuple(
        RaidBuff(name=name, auras=(spell,), class_name=class_name, major=name != "Expose Armor", debuff=True)
        for (name, class_name), spell in zip(of.items(), spells, strict=True)
    )
    log = FightLog()
    for player, spell in ((WARLOCK, CORRUPTION), (ROGUE, STRIKE)):
        log.append(1_000, Kind.CAST, player, BOSS, spell)
    aura(log, 1_000, Kind.AURA_ON, WARLOCK, BOSS, POTION, flags=0)
    for name, percent in up.items():
        spell = (CORRUPTION, SHIELD, SUNDER, FLASK)[list(of).index(name)]
        aura(log, 2_000, Kind.AURA_ON, WARLOCK, BOSS, spell, flags=0)
        aura(log, 2_000 + 600 * percent, Kind.AURA_OFF, WARLOCK, BOSS, spell, flags=0)
    view = _view(log, raid_buffs=debuffs)
    told = _data(raid_buff_answer(_reader(view), view))["issues"]
    assert sorted(told) == issues


def test_fight_details_list_everybody_by_role() -> None:
    log = FightLog()
    log.append(1_000, Kind.DAMAGE, MAGE, BOSS, FROSTBOLT, amount=6_000, flags=HIT)
    log.append(2_000, Kind.HEAL, PRIEST, MAGE, RENEW, amount=3_000)
    log.append(3_000, Kind.INTERRUPT, ROGUE, BOSS, BLAST)
    view = _view(log)
    data = _data(fight_answer(_reader(view), view, ParsePopulation([])))
    assert [(row["player"], row["role"]) for row in data["everybody"]] == [
        ("Zoë-Everlook", "damage"), ("Rolf", "damage"), ("Anna", "healer"),
    ]  # fmt: skip
    assert (data["raid_dps"], data["raid_hps"], data["interrupts"]) == (100.0, 50.0, 1)
    assert data["composition"]["healers"] == 1
    dps = next(series for series in data["chart"]["series"] if series["label"] == "DPS")
    assert sum(dps["values"]) == pytest.approx(6_000 * len(dps["values"]) / 60)


def test_every_tool_of_one_fight_is_made(tmp_path: Path) -> None:
    made = {tool.name: tool for tool in make_tools(tmp_path)}
    names = {
        "get_ability_breakdown", "get_buff_analysis", "get_death_analysis", "get_activity_report",
        "get_cancelled_casts", "get_fight_details",
    }  # fmt: skip
    assert names <= made.keys()
    assert {(made[name].spec.effect, made[name].spec.domain) for name in names} == {("read", "raids")}
    fields = made["get_death_analysis"].parameter_schema["properties"]
    assert {name: fields[name]["default"] for name in ("report_code", "fight_id")} == {
        "report_code": "last",
        "fight_id": "all",
    }


def test_rogue_who_waits_for_energy_is_not_idle_and_one_with_full_energy_is() -> None:
    log = FightLog()
    energy = {"max_power": 100, "power_type": 3}
    for at, power in ((0, 100), (5_000, 40), (6_000, 60), (12_000, 80), (20_000, 100), (30_000, 100)):
        is_cast = at in (0, 6_000, 30_000)
        kind, spell = (Kind.CAST, STRIKE) if is_cast else (Kind.DAMAGE, NO_SPELL)
        log.append(at, kind, ROGUE, BOSS, spell, flags=Flag.ABOUT_SOURCE, power=power, **energy)
    view = view_of(log, length_ms=30_000)
    waited, idle = activity_of(view, ROGUE).gaps
    assert (waited.for_energy, idle.for_energy) == (True, False)
    data = _data(activity_answer(_reader(view), view, ROGUE))
    assert (data["long_gaps"], data["of_them_for_energy"], data["longest_gap"]["from_s"]) == (2, 1, 7.0)
    assert [row["what_happened"].partition(";")[0] for row in data["gaps"]] == [
        "energy was full for about 16.0 s of it", "waited for energy or pooled it",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("readings", "end", "full_ms"),
    [
        # Told before the cost of the cast, then nothing: at least two were left, and ten a second come back.
        ([(0, 62), (10_400, 100)], 10_400, 400),
        ([(0, 32), (8_000, 40)], 8_000, 0),
        ([(0, 100), (2_000, 40), (14_000, 100)], 14_000, 8_000),
        # The next cast tells too little for it to have been full, whatever that cost.
        ([(0, 100), (2_000, 40), (14_000, 30)], 14_000, 0),
    ],
)
def test_how_long_energy_was_full_is_never_told_too_long(readings, end, full_ms) -> None:
    log = FightLog()
    for at, power in readings:
        is_cast = at in (0, end)
        kind, spell = (Kind.CAST, STRIKE) if is_cast else (Kind.DAMAGE, NO_SPELL)
        log.append(at, kind, ROGUE, BOSS, spell, flags=Flag.ABOUT_SOURCE, power=power, max_power=100, power_type=3)
    (gap,) = activity_of(view_of(log, length_ms=end), ROGUE).gaps
    assert gap.full_energy_ms == full_ms
