"""Mana, overheal and the rotation's score."""

from typing import Any

import msgspec
import pytest
from tests.extensions.raids.written_fight import OTHER, PLAYER, WrittenFight, encounter, facts

from glassloop.extensions.raids.analysis.efficiency.overheal import analyse_overheal
from glassloop.extensions.raids.analysis.efficiency.resources import mana_help, resource_uses
from glassloop.extensions.raids.analysis.efficiency.rotation import rotation_score
from glassloop.extensions.raids.analysis.expected_uptime import expected_uptime
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import CastTime, ClassSpell, Consumable, Cooldown, Spec
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import AbilityTotal, Death, Spell
from glassloop.extensions.raids.tools.overheal_and_power import resource_answer
from glassloop.extensions.raids.tools.reader import RaidReader

READER = RaidReader(None, load_knowledge())


def healer(length_s: float = 100) -> WrittenFight:
    return WrittenFight(length_s, class_name="Priest", spec="Holy", role="healer")


def with_mana(fight: WrittenFight, at_s: float, mana: int, spell: int = 10) -> None:
    fight.cast(at_s, spell, flags=Flag.ABOUT_SOURCE, power=mana, max_power=1000, power_type=0)


def test_mana_changes_evenly_between_readings_and_its_falls_are_told() -> None:
    fight = healer()
    for at, mana in ((0, 1000), (20, 600), (40, 500), (60, 0), (80, 400), (90, 300)):
        with_mana(fight, at, mana)
    fight.add(50, Kind.DAMAGE, 5, source=OTHER, target=OTHER, power=7, max_power=1000, power_type=0)
    (use,) = resource_uses(fight.view(), PLAYER)
    assert (use.power, use.lowest, use.lowest_at, use.highest, use.samples) == ("mana", 0, 60_000, 1000, 6)
    assert use.average == (800 * 20 + 550 * 20 + 250 * 20 + 200 * 20 + 350 * 10 + 300 * 10) / 100
    # Up to 20 of 1,000: the last of the fall from 500, and the first of the rise to 400.
    assert use.at_zero_ms == 20 * 20_000 // 500 + 20 * 20_000 // 400
    assert [(fall.begin, fall.end, fall.high, fall.low) for fall in use.falls] == [
        (0, 60_000, 1000, 0), (80_000, 90_000, 400, 300),
    ]  # fmt: skip


def test_healer_who_casts_whatever_comes_back_is_at_zero_between_the_casts() -> None:
    fight = healer()
    with_mana(fight, 0, 1000)
    with_mana(fight, 2, 600)
    for at in range(4, 100, 8):
        # As much as the spell costs, each time: no reading is ever near zero.
        with_mana(fight, at, 400)
    (use,) = resource_uses(fight.view(), PLAYER)
    assert use.lowest == 400
    # After each of eleven casts until 20 of 400 are back, and after the last one to the end.
    assert use.at_zero_ms == 11 * 8_000 * 20 // 400 + 8_000
    assert use.spent == (("Spell 10", 14 * 400),)


def test_log_that_tells_power_after_the_cost_is_taken_as_it_is() -> None:
    fight = healer()
    for at, mana, spell in ((0, 900, 10), (2, 600, 11), (4, 500, 10), (6, 200, 11), (8, 100, 10), (10, 0, 10)):
        with_mana(fight, at, mana, spell)
    (use,) = resource_uses(fight.view(), PLAYER)
    assert use.spent == (("Spell 11", 2 * 300), ("Spell 10", 4 * 100))
    # Each reading is what the cast left: 100 of the next one's cost came back before it.
    assert use.at_zero_ms == 90_000


def test_time_after_death_is_not_counted_and_rage_is_read_in_points() -> None:
    fight = WrittenFight(100, class_name="Warrior")
    for at, rage in ((0, 500), (50, 0)):
        fight.cast(at, 10, flags=Flag.ABOUT_SOURCE, power=rage, max_power=1000, power_type=1)
    (use,) = resource_uses(fight.view(deaths=(Death(actor=PLAYER, at=60_000),)), PLAYER)
    assert (use.power, use.maximum, use.highest, use.alive_ms) == ("rage", 100, 50, 60_000)
    assert use.at_zero_ms == 10_000 + 50_000 * 2 // 50


def test_log_without_advanced_data_tells_no_power() -> None:
    fight = healer()
    fight.cast(1, 10)
    assert resource_uses(fight.view(), PLAYER) == []


def test_potions_innervates_and_gains_are_told() -> None:
    fight = healer()
    with_mana(fight, 1, 500)
    fight.cast(30, 28499)
    fight.add(30, Kind.ENERGIZE, 28499, target=PLAYER, amount=2400, extra=0)
    fight.buff(40, 60, 29166, source=OTHER)
    knowledge = facts(
        consumables=(Consumable(name="Super Mana Potion", kind="mana potion", casts=(28499,)),),
        cooldowns=(Cooldown(name="Innervate", spells=(29166,), class_name="Druid", kind="utility", cooldown_s=360),),
    )
    view = fight.view(knowledge)
    assert [(one.name, one.at, one.source) for one in mana_help(view, PLAYER)] == [
        ("Super Mana Potion", 30_000, ""), ("Innervate", 40_000, "Anna"),
    ]  # fmt: skip
    assert [(gain.total, gain.times) for gain in resource_uses(view, PLAYER)[0].gains] == [(2400, 1)]


def test_mana_that_no_line_names_is_what_was_spent_and_is_left_without_what_was_gained() -> None:
    fight = healer()
    for at, mana in ((1, 900), (3, 700), (20, 800), (22, 600), (50, 650)):
        with_mana(fight, at, mana)
    fight.add(10, Kind.ENERGIZE, 28499, target=PLAYER, amount=40, extra=0)
    (use,) = resource_uses(fight.view(), PLAYER)
    assert (use.spent_total, use.gained_total, use.change) == (1000, 40, -250)
    assert use.regained == 710


def test_overheal_is_by_spell_with_its_ranks_and_shields_apart() -> None:
    fight = healer()
    low, high, shield = fight.index(2060), fight.index(25314), fight.index(25218)
    fight.spells[low] = Spell(id=2060, name=fight.spells[high].name)
    totals = (
        AbilityTotal(actor=PLAYER, kind="healing", spell=low, total=600, overheal=400, casts=5, hits=5),
        AbilityTotal(actor=PLAYER, kind="healing", spell=high, total=900, overheal=100, casts=2, hits=2),
        AbilityTotal(actor=PLAYER, kind="healing", spell=shield, total=900, absorbed=900, casts=1),
        AbilityTotal(actor=OTHER, kind="healing", spell=high, total=1, overheal=999),
        AbilityTotal(actor=PLAYER, kind="damage", spell=high, total=50),
    )
    spec = Spec(class_name="Priest", name="Holy", tree=1, role="healer", overheal_target=30)
    found = analyse_overheal(fight.view(facts(specs={("Priest", "Holy"): spec}), abilities=totals), PLAYER)
    assert (found.effective, found.overheal, found.percent, found.target) == (2400, 500, 25.0, 30)
    heal, shielded = found.spells
    assert (heal.percent, [rank.spell_id for rank in heal.ranks], heal.casts) == (25.0, [2060, 25314], 7)
    assert shielded.shield and not shielded.overheal


def test_score_sums_its_parts_by_targets_of_spec_and_encounter() -> None:
    fight = WrittenFight(60, class_name="Mage", spec="Fire", role="damage")
    for number in range(12):
        fight.cast(number * 3, 42)
    fight.cast(2, 11129)
    spec = Spec(
        class_name="Mage", name="Fire", tree=1, role="damage", main={"Fire Blast": 24.0, "Scorch or Fireball": 9.0},
        casts_per_minute=20.0,
    )  # fmt: skip
    combustion = Cooldown(name="Combustion", spells=(11129,), class_name="Mage", kind="throughput", cooldown_s=180)
    spells = tuple(
        ClassSpell(name=name, class_name="Mage", spells=(number,), school=4)
        for name, number in (("Fire Blast", 43), ("Scorch", 41), ("Fireball", 42))
    )
    knowledge = facts(
        class_spells=spells,
        cast_times=(CastTime(name="Fireball", spells=(42,), cast_s=3.5),),
        specs={("Mage", "Fire"): spec},
        cooldowns=(combustion,),
        encounters=encounter(gcd=45),
    )
    score = rotation_score(fight.view(knowledge), PLAYER)
    by_name = {part.name: part for part in score.parts}
    assert by_name["casts_per_minute"].target == 10.0
    assert by_name["casts_per_minute"].points == 20.0
    assert by_name["cooldowns"].points == 20.0
    # Fire Blast was never cast, the other one more often than asked for.
    assert by_name["main_abilities"].value == 50.0
    assert by_name["gcd_uptime"].target == 45.0
    assert score.score == pytest.approx(sum(part.points for part in score.parts))
    assert score.left_out == ()


def test_unknown_spec_is_scored_by_what_is_known() -> None:
    fight = WrittenFight(60)
    fight.cast(0, 42)
    score = rotation_score(fight.view(), PLAYER)
    assert [part.name for part in score.parts] == ["gcd_uptime"]
    assert {name for name, _ in score.left_out} == {"casts_per_minute", "cooldowns", "main_abilities"}


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ({"class_name": "Rogue", "spec": "Combat"}, 30),
        ({"class_name": "Druid", "spec": "Feral"}, 30),
        ({"class_name": "Druid", "spec": "Feral", "role": "tank"}, 45),
        ({"class_name": "Mage", "spec": "Frost"}, 80),
        ({"class_name": "Druid", "spec": "Restoration", "role": "healer"}, 80),
        ({}, 80),
    ],
)
def test_energy_and_rage_limit_the_uptime_that_is_asked_for(player: dict[str, Any], expected: int) -> None:
    known = load_knowledge()
    specs = {
        key: msgspec.structs.replace(spec, casts_per_minute=20.25)
        for key, spec in known.specs.items()
    }  # fmt: skip
    knowledge = facts(encounters=encounter(gcd=80), specs=specs, class_spells=known.class_spells,
                      cast_times=known.cast_times, channels=known.channels)  # fmt: skip
    assert expected_uptime(WrittenFight(60, **player).view(knowledge), PLAYER) == expected


def test_energy_that_is_full_between_casts_is_told_as_wasted() -> None:
    fight = WrittenFight(60, class_name="Rogue", spec="Combat")
    for at, energy in ((0, 100), (2, 60), (20, 100), (22, 60)):
        fight.cast(at, 10, flags=Flag.ABOUT_SOURCE, power=energy, max_power=100, power_type=3)
    # 60 and as little as nothing left after the cost are full again after 10 s: 8 of the 18 s were wasted.
    data: Any = resource_answer(READER, fight.view(), PLAYER).data
    assert data["energy_full_between_casts_s"] == 8.0
    with_mana(other := healer(), 0, 1000)
    assert "energy_full_between_casts_s" not in resource_answer(READER, other.view(), PLAYER).data
