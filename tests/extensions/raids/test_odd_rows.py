"""Analyses and tools of one fight on rows that no game would write: they answer all the same."""

import random
from array import array
from typing import Any

import pytest

from extensions.raids.hand_made import ACTORS, SPELLS, FewFacts, view_of
from glassloop.extensions.raids.analysis.auras import aura_intervals
from glassloop.extensions.raids.analysis.casts import busy_spans
from glassloop.extensions.raids.analysis.parses import ParsePopulation
from glassloop.extensions.raids.analysis.summary import summarise
from glassloop.extensions.raids.analysis.view import FightView, value_rows
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog, Kind
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.records import Actor, Combatant, GearItem, Spell
from glassloop.extensions.raids.tools.fight.abilities import ability_answer
from glassloop.extensions.raids.tools.fight.activity import activity_answer, cancelled_answer
from glassloop.extensions.raids.tools.fight.buffs import buff_answer, raid_buff_answer
from glassloop.extensions.raids.tools.fight.deaths import death_answer
from glassloop.extensions.raids.tools.fight.overview import fight_answer
from glassloop.extensions.raids.tools.reader import RaidReader

ODD_SPELLS = (*SPELLS, Spell(id=0, name=""), Spell(id=2_000_000_000, name="x" * 500), Spell(id=75, name="Shot"))
CIRCLE = (
    Actor(guid="Pet-1", name="", kind="pet", owner=len(ACTORS) + 1),
    Actor(guid="Pet-2", name="y" * 300, kind="pet", owner=len(ACTORS)),
)
ODD_ACTORS = (*ACTORS, *CIRCLE)


def _odd_log(rng: random.Random, length_ms: int) -> FightLog:
    log = FightLog()
    actors, spells = [*range(len(ODD_ACTORS)), NOBODY], [*range(len(ODD_SPELLS)), NO_SPELL]
    times = sorted(rng.randint(-2_000, length_ms + 2_000) for _ in range(400))
    for at in times:
        log.append(
            at, rng.choice(list(Kind)), rng.choice(actors), rng.choice(actors), rng.choice(spells),
            rng.choice((0, 1, 900, 2**31 - 1)), rng.choice((0, 0, 5, 2**31 - 1)), rng.randrange(1024),
            rng.choice((0, 0, 7)), rng.choice((-1, 0, 50)), rng.choice((-1, 0, 100)), -1, -1, rng.choice((-1, 0, 1, 3)),
        )  # fmt: skip
    return log


@pytest.mark.parametrize("seed", range(25))
def test_odd_rows_are_answered_and_times_stay_within_the_fight(seed: int) -> None:
    rng = random.Random(seed)
    length = rng.choice((0, 1, 5_000, 60_000))
    log = _odd_log(rng, length)
    knowledge: Any = load_knowledge() if seed % 2 else FewFacts()
    listed = Combatant(actor=1, talents=(0, 0), gear=(GearItem(slot=99, item_id=-1),), auras=((NOBODY, 28518), (3, 0)))
    fight = view_of(log, length_ms=length, encounter_id=rng.choice((661, 659, 0))).fight
    record = summarise(fight, log, ODD_ACTORS, ODD_SPELLS, (listed,), knowledge)
    view = FightView(record, FightLog.unpack(record.events), ODD_ACTORS, ODD_SPELLS, knowledge)
    reader = RaidReader(None, knowledge)
    end = view.length_ms
    assert all(0 <= one.begin <= one.end <= end for one in aura_intervals(view))
    for player in view.players():
        spans = busy_spans(view, player)
        assert all(0 <= begin < finish <= end for begin, finish in spans)
        assert sum(finish - begin for begin, finish in spans) <= end
        for answer in (ability_answer, activity_answer, cancelled_answer, buff_answer, death_answer):
            assert answer(reader, view, player).success
    assert death_answer(reader, view, None).success
    assert raid_buff_answer(reader, view).success
    assert fight_answer(reader, view, ParsePopulation([])).success


@pytest.mark.parametrize("seed", range(3))
def test_rows_with_a_value_are_found_where_bytes_of_neighbours_look_like_it(seed: int) -> None:
    column = array("H", random.Random(seed).choices((0, 1, 256, 257, 0x0100, NOBODY), k=500))
    for value in {*column, 7}:
        assert list(value_rows(column, value)) == [row for row, one in enumerate(column) if one == value]
