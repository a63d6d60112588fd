"""Figures by target: whom a player healed and struck, and on whom debuffs were."""

from typing import Any

import pytest
from tests.extensions.raids.written_fight import ADD, BOSS, OTHER, PLAYER, WrittenFight, encounter, facts

from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.tools.fight.abilities import ability_answer
from glassloop.extensions.raids.tools.fight.buffs import buff_answer
from glassloop.extensions.raids.tools.reader import RaidReader

READER = RaidReader(None, load_knowledge())
HEAL, RUPTURE = 25213, 26867


def test_healing_and_damage_are_told_by_target_the_most_first() -> None:
    fight = WrittenFight(100, class_name="Priest", spec="Holy", role="healer", healing=900, damage=500)
    for at, target, amount, over in ((1, PLAYER, 300, 100), (2, OTHER, 500, 0), (3, OTHER, 200, 0)):
        fight.add(at, Kind.HEAL, HEAL, target=target, amount=amount, extra=over)
    for at, target in ((4, BOSS), (5, BOSS), (6, ADD)):
        fight.add(at, Kind.DAMAGE, 585, target=target, amount=100, flags=Flag.TARGET_HOSTILE)
    data: Any = ability_answer(READER, fight.view(), PLAYER).data
    healed = [(row["target"], row["total"], row["overheal_percent"]) for row in data["healing_by_target"]]
    assert healed == [("Anna", 700, None), ("Ulf", 200, pytest.approx(100 / 3, abs=0.01))]
    assert [(row["target"], row["total"]) for row in data["damage_by_target"]] == [("Boss", 200), ("Add", 100)]


def test_debuff_names_its_target_counts_from_the_first_hit_on_it_and_says_the_others() -> None:
    fight = WrittenFight(100, class_name="Rogue", spec="Combat")
    for target, hit, begin, end in ((ADD, 1, 5, 25), (BOSS, 60, 65, 85)):
        fight.add(hit, Kind.DAMAGE, 1, target=target, amount=5, flags=Flag.TARGET_HOSTILE)
        fight.add(begin, Kind.AURA_ON, RUPTURE, target=target)
        fight.add(end, Kind.AURA_OFF, RUPTURE, target=target)
    data: Any = buff_answer(READER, fight.view(facts(encounters=encounter())), PLAYER).data
    (row,) = data["debuffs_on_enemies"]
    assert (row["target"], row["uptime_percent"], row["first_hit_at"], row["since_first_hit_percent"]) == (
        "Boss", 20.0, "1:00", 50.0,
    )  # fmt: skip
    assert row["other_targets"] == "Add 20.0 s (1 ×)"
