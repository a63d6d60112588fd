"""Use of cooldowns beside what was possible."""

from typing import Any

from tests.extensions.raids.written_fight import BOSS, OTHER, PLAYER, WrittenFight, encounter, facts

from glassloop.extensions.raids.analysis.efficiency.cooldowns import (
    CooldownUse,
    cooldown_uses,
    ready_at,
    throughput_percent,
)
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.knowledge.facts import Cooldown, Phase
from glassloop.extensions.raids.records import Death

WISH = Cooldown(
    name="Death Wish", spells=(12292,), class_name="Warrior", kind="throughput", cooldown_s=60, duration_s=20
)
WALL = Cooldown(name="Shield Wall", spells=(871,), class_name="Warrior", kind="defensive", cooldown_s=60)


def use_of(fight: WrittenFight, cooldown: Cooldown = WISH, *phases: Phase, **record: Any) -> CooldownUse:
    knowledge = facts(cooldowns=(cooldown,), encounters=encounter(*phases))
    (use,) = cooldown_uses(fight.view(knowledge, **record), PLAYER)
    return use


def warrior(length_s: float) -> WrittenFight:
    return WrittenFight(length_s, class_name="Warrior", spec="Fury")


def test_uses_are_counted_beside_those_that_were_possible() -> None:
    fight = warrior(190)
    for at in (5, 70, 180):
        fight.cast(at, 12292, target=PLAYER)
        fight.buff(at, at + 20, 12292)
    fight.cast(50, 12292, source=OTHER)
    use = use_of(fight)
    assert (use.uses, use.possible, use.percent, use.below) == ((5_000, 70_000, 180_000), 4, 75.0, False)
    # Ready at 0, 65 and 130.
    assert (use.held, use.longest_hold, use.longest_hold_at) == (5_000 + 5_000 + 50_000, 50_000, 130_000)
    assert ready_at(use, 4_000) and not ready_at(use, 60_000) and ready_at(use, 131_000)


def test_use_for_the_last_seconds_is_not_asked_for() -> None:
    assert use_of(warrior(69)).possible == 1
    assert use_of(warrior(71)).possible == 2
    assert use_of(warrior(61), WALL).possible == 2


def test_cooldown_that_was_never_used_is_below_unless_the_player_may_not_have_it() -> None:
    use = use_of(warrior(100))
    assert (use.percent, use.below, use.sure, use.held) == (0.0, True, True, 100_000)
    talent = Cooldown(
        name="Talent", spells=(1,), class_name="Warrior", specs=("Fury",), kind="throughput", cooldown_s=60,
        source="talent",
    )  # fmt: skip
    never = use_of(warrior(100), talent)
    assert not never.sure
    assert throughput_percent([never]) is None
    assert throughput_percent([use, never]) == 0.0


def test_time_dead_and_downtime_are_not_held_against_anybody() -> None:
    banished = Phase(name="banished", aura=77, length_s=60, downtime=True)
    fight = warrior(150)
    fight.add(50, Kind.CAST, 77, source=BOSS)
    fight.cast(0, 12292)
    use = use_of(fight, WISH, Phase(name="one"), banished)
    # Ready again at 60, in the downtime that lasts until 110.
    assert (use.possible, use.held) == (2, 40_000)
    dead = use_of(warrior(150), WISH, deaths=(Death(actor=PLAYER, at=30_000),))
    assert (dead.possible, dead.held) == (1, 30_000)


def test_use_before_the_pull_counts_and_others_cooldowns_do_not() -> None:
    fight = warrior(50)
    fight.buff(-5, 10, 12292)
    use = use_of(fight)
    assert (use.uses, use.before_pull, use.percent) == ((0,), True, 100.0)
    of_mages = Cooldown(name="Icy Veins", spells=(12472,), class_name="Mage", kind="throughput", cooldown_s=180)
    assert cooldown_uses(fight.view(facts(cooldowns=(of_mages,))), PLAYER) == []
