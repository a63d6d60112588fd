"""Phases by signs, health and time."""

from itertools import pairwise

import pytest
from tests.extensions.raids.written_fight import ADD, ADD_ID, BOSS, BOSS_ID, PLAYER, WrittenFight, encounter, facts

from glassloop.extensions.raids.analysis.phases import PhaseSpan, downtime_spans, phase_reached, phases_of
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter, Phase
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import Actor

THREE = (Phase(name="one"), Phase(name="two", health=60), Phase(name="three", health=30))


def shown(spans: list[PhaseSpan]) -> list[tuple[str, int, int]]:
    return [(span.name, span.begin, span.end) for span in spans]


def test_phase_begins_when_the_boss_first_has_that_much_health_left() -> None:
    fight = WrittenFight(100)
    for at, health in ((10, 90), (30, 61), (40, 60), (80, 29)):
        fight.boss_health(at, health)
    spans = phases_of(fight.view(facts(encounters=encounter(*THREE))))
    assert shown(spans) == [("one", 0, 40_000), ("two", 40_000, 80_000), ("three", 80_000, 100_000)]
    assert all(span.seen for span in spans)


def test_phases_of_a_log_without_health_are_estimated_and_say_so() -> None:
    spans = phases_of(WrittenFight(100).view(facts(encounters=encounter(*THREE)), kill=False, boss_health=50.0))
    assert shown(spans) == [("one", 0, 80_000), ("two", 80_000, 100_000)]
    assert [span.seen for span in spans] == [True, False]


def test_sign_of_the_boss_is_believed_before_its_health() -> None:
    phases = (Phase(name="one"), Phase(name="two", health=60, aura=77))
    fight = WrittenFight(100)
    fight.boss_health(40, 60)
    fight.add(44, Kind.CAST, 77, source=BOSS)
    fight.add(1, Kind.CAST, 77)
    assert shown(phases_of(fight.view(facts(encounters=encounter(*phases))))) == [
        ("one", 0, 44_000), ("two", 44_000, 100_000),
    ]  # fmt: skip


def test_phase_with_a_length_ends_and_the_one_before_comes_back() -> None:
    phases = (
        Phase(name="ground"),
        Phase(name="air 1", health=75, aura=77, length_s=10, downtime=True),
        Phase(name="air 2", health=50, aura=77, length_s=10, downtime=True),
        Phase(name="end", health=20),
    )
    fight = WrittenFight(100)
    for at in (20, 22, 50):
        fight.add(at, Kind.CAST, 77, source=BOSS)
    fight.boss_health(90, 20)
    view = fight.view(facts(encounters=encounter(*phases)))
    assert shown(phases_of(view)) == [
        ("ground", 0, 20_000), ("air 1", 20_000, 30_000), ("ground", 30_000, 50_000), ("air 2", 50_000, 60_000),
        ("ground", 60_000, 90_000), ("end", 90_000, 100_000),
    ]  # fmt: skip
    assert downtime_spans(view) == [(20_000, 30_000), (50_000, 60_000)]


def test_aura_that_ends_early_ends_its_phase() -> None:
    phases = (Phase(name="sparks"), Phase(name="evocation", aura=77, length_s=20))
    fight = WrittenFight(100)
    for at in (30, 70):
        fight.add(at, Kind.AURA_ON, 77, source=BOSS, flags=Flag.BUFF)
    fight.add(42, Kind.AURA_OFF, 77, source=BOSS, flags=Flag.BUFF)
    assert shown(phases_of(fight.view(facts(encounters=encounter(*phases))))) == [
        ("sparks", 0, 30_000), ("evocation", 30_000, 42_000), ("sparks", 42_000, 70_000),
        ("evocation", 70_000, 90_000), ("sparks", 90_000, 100_000),
    ]  # fmt: skip


def test_phases_that_take_turns_follow_the_boss_where_it_shows_them_else_the_clock() -> None:
    phases = (
        Phase(name="portals", at_s=0, length_s=60),
        Phase(name="banished", at_s=60, length_s=30, aura=77, downtime=True),
    )
    knowledge = facts(encounters=encounter(*phases))
    by_clock = phases_of(WrittenFight(160).view(knowledge))
    assert shown(by_clock) == [
        ("portals", 0, 60_000), ("banished", 60_000, 90_000), ("portals", 90_000, 150_000),
        ("banished", 150_000, 160_000),
    ]  # fmt: skip
    assert not any(span.seen for span in by_clock)
    fight = WrittenFight(160)
    fight.add(64, Kind.CAST, 77, source=BOSS)
    assert shown(phases_of(fight.view(knowledge))) == [
        ("portals", 0, 64_000), ("banished", 64_000, 94_000), ("portals", 94_000, 160_000),
    ]  # fmt: skip


def test_phase_of_a_creature_begins_with_its_first_act_and_is_absent_without_one() -> None:
    phases = (Phase(name="wolf", creature=1), Phase(name="crone", creature=ADD_ID))
    fight = WrittenFight(50)
    fight.add(7, Kind.DAMAGE, 5, source=ADD, target=BOSS)
    assert shown(phases_of(fight.view(facts(encounters=encounter(*phases))))) == [("crone", 0, 50_000)]


FREED = (Phase(name="guards"), Phase(name="boss", at_s=20, creature=BOSS_ID, freed_from=77))


def test_phase_of_a_caged_boss_begins_when_its_cage_ends() -> None:
    fight = WrittenFight(50)
    fight.add(12, Kind.AURA_OFF, 77, source=ADD, target=ADD)
    fight.add(30, Kind.AURA_OFF, 77, source=BOSS, target=BOSS)
    fight.add(31, Kind.DAMAGE, 5, source=BOSS, target=PLAYER)
    spans = phases_of(fight.view(facts(encounters=encounter(*FREED))))
    assert shown(spans) == [("guards", 0, 30_000), ("boss", 30_000, 50_000)] and all(span.seen for span in spans)


def test_without_the_cage_in_the_log_its_first_hit_tells_and_without_events_the_clock() -> None:
    knowledge, fight = facts(encounters=encounter(*FREED)), WrittenFight(50)
    fight.add(3, Kind.CAST, 5, source=ADD, target=BOSS)
    assert shown(phases_of(fight.view(knowledge))) == [("guards", 0, 50_000)]
    fight.add(33, Kind.DAMAGE, 5, source=PLAYER, target=BOSS)
    assert [(span.begin, span.seen) for span in phases_of(fight.view(knowledge))] == [(0, True), (33_000, True)]
    by_clock = phases_of(WrittenFight(50).view(knowledge))
    assert [(span.begin, span.seen) for span in by_clock] == [(0, True), (20_000, False)]


def test_a_caged_boss_that_lost_health_was_freed_before_its_time() -> None:
    (known,) = encounter(*FREED).values()
    assert phase_reached(known, 100.0, 19_000, kill=False) == "guards"
    assert phase_reached(known, 99.0, 19_000, kill=False) == "boss"
    assert phase_reached(known, 100.0, 21_000, kill=False) == "boss"


def test_phase_reached_follows_from_the_health_that_was_left() -> None:
    (known,) = encounter(*THREE).values()
    assert phase_reached(known, 45.0, 10_000, kill=False) == "two"
    assert phase_reached(known, None, 10_000, kill=False) == "one"
    assert phase_reached(known, None, 10_000, kill=True) == "three"


@pytest.mark.parametrize("known", load_knowledge().encounters.values(), ids=lambda known: known.name)
def test_phases_of_every_encounter_cover_the_fight_without_gaps(known: Encounter) -> None:
    boss = next((creature.id for creature in known.creatures), 0)
    fight = WrittenFight(400)
    fight.actors = (Actor(guid="Creature-1", name="Boss", npc_id=boss), *fight.actors[1:])
    for percent in range(100, 0, -1):
        fight.boss_health(400 - 4 * percent, percent)
    bare = fight.view(facts(encounters={1: known}))
    for number, phase in enumerate(phase for phase in known.phases if phase.aura is not None):
        fight.add(70 + 80 * number, Kind.CAST, phase.aura or 0, source=BOSS)
    for view in (bare, fight.view(facts(encounters={1: known})), WrittenFight(1).view(facts(encounters={1: known}))):
        spans = phases_of(view)
        assert (spans[0].begin, spans[-1].end) == (0, view.length_ms)
        assert all(one.end == other.begin and one.end > one.begin for one, other in pairwise(spans))
