"""Analyses of fights that make no sense: every byte of a log is somebody else's."""

import random

import pytest

from glassloop.extensions.raids.analysis import mechanics, phases
from glassloop.extensions.raids.analysis.consumables import check_consumables
from glassloop.extensions.raids.analysis.efficiency.cooldowns import cooldown_uses
from glassloop.extensions.raids.analysis.efficiency.dots import dot_uses
from glassloop.extensions.raids.analysis.efficiency.overheal import analyse_overheal
from glassloop.extensions.raids.analysis.efficiency.resources import mana_help, resource_uses
from glassloop.extensions.raids.analysis.efficiency.rotation import rotation_score
from glassloop.extensions.raids.analysis.gear import check_gear, gear_changes
from glassloop.extensions.raids.analysis.phase_totals import phase_totals
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog, Kind
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import Actor, Combatant, Fight, GearItem, Spell

PLAYERS = 6


def odd_view(seed: int) -> FightView:
    """Rows of any kind between anybody, at times that go back and forth, with amounts of any size."""
    rng, knowledge = random.Random(seed), load_knowledge()
    encounter = rng.choice([one for one in knowledge.encounters.values() if one.creatures])
    ids = [spell for one in knowledge.cooldowns for spell in one.spells]
    ids += [spell for one in knowledge.dots for spell in one.spells]
    ids += [phase.aura for phase in encounter.phases if phase.aura]
    ids += [spell for one in encounter.mechanics for spell in one.spells]
    spells = tuple(Spell(id=one, name=rng.choice(("", "Kälte", str(one)))) for one in rng.sample(ids, 40))
    actors = [Actor(guid=f"Player-{number}", name=f"P{number}", kind="player") for number in range(PLAYERS)]
    actors += [
        Actor(
            guid=f"Creature-{number}", name="C", npc_id=rng.choice(encounter.creatures).id, owner=rng.choice((None, 0))
        )
        for number in range(4)
    ]
    log = FightLog()
    for _ in range(400):
        log.append(
            rng.randint(-5_000, 130_000), rng.choice(list(Kind)), rng.choice((NOBODY, *range(10))),
            rng.choice((NOBODY, *range(10))), rng.choice((NO_SPELL, *range(40))), rng.choice((0, 1, 2**31 - 1, -5)),
            rng.choice((0, 3, 39, 2**31 - 1)), rng.randrange(1024), 0, rng.randint(-1, 50), rng.choice((-1, 0, 50)),
            rng.choice((-1, 0, 2**31 - 1, 40)), rng.choice((-1, 0, 100, 1000)), rng.randint(-1, 4),
        )  # fmt: skip
    gear = tuple(GearItem(slot=rng.randint(-1, 25), item_id=rng.randint(0, 30_000), gems=(0, 5)) for _ in range(20))
    combatants = tuple(
        Combatant(actor=one, gear=gear, talents=(1, 2, 3), auras=((NOBODY, rng.choice(ids)),)) for one in range(3)
    )
    length = rng.choice((0, 1, 120_000))
    fight = Fight(number=1, encounter_id=encounter.id, name="", started_at=0, ended_at=length, kill=rng.random() < 0.5)
    return FightView(summarise(fight, log, actors, spells, combatants, knowledge), log, actors, spells, knowledge)


@pytest.mark.parametrize("seed", range(20))
def test_odd_fights_are_judged_within_their_bounds(seed: int) -> None:
    view = odd_view(seed)
    for player in view.players():
        for use in cooldown_uses(view, player):
            assert 0 <= use.percent <= 100 and use.held >= 0 and use.possible >= 1
        for dot in dot_uses(view, player):
            assert 0 <= dot.early <= dot.applications and dot.lost_ticks >= 0 and dot.uptime <= view.length_ms
        for power in resource_uses(view, player):
            assert 0 <= power.at_zero_ms <= power.alive_ms <= view.length_ms
        assert 0 <= rotation_score(view, player).score <= 100.001
        analyse_overheal(view, player)
        mana_help(view, player)
    assert all(0 <= one.percent <= 100 for check in check_consumables(view, view.players()) for one in check.uptimes)
    spans = phases.phases_of(view)
    assert sum(span.length_ms for span in spans) == view.length_ms
    assert all(one.alive_ms >= 0 for each in phase_totals(view, spans, view.players()) for one in each)
    if view.encounter is not None:
        mechanics.avoidable_damage(view.record, tuple(view.spells), view.encounter)
        assert all(one.missed >= 0 for one in mechanics.missed_interrupts(view, view.encounter))
        assert all(one.missed >= 0 for one in mechanics.missed_dispels(view, view.encounter))
    for combatant in view.record.combatants:
        check_gear(view.knowledge, combatant.gear, "Hunter")
        assert gear_changes(combatant.gear, combatant.gear) == []
