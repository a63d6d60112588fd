"""Auras as intervals."""

from extensions.raids.hand_made import (
    BOSS,
    CORRUPTION,
    FLASK,
    MAGE,
    PRIEST,
    RENEW,
    ROGUE,
    SHIELD,
    SUNDER,
    WARLOCK,
    aura,
    view_of,
)  # fmt: skip
from glassloop.extensions.raids.analysis.auras import aura_intervals, uptime_ms
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, FightLog, Kind
from glassloop.extensions.raids.records import Combatant


def test_removal_first_means_that_the_aura_was_on_from_before() -> None:
    log = FightLog()
    aura(log, 4_000, Kind.AURA_OFF, PRIEST, MAGE, SHIELD)
    aura(log, 10_000, Kind.AURA_ON, PRIEST, MAGE, SHIELD)
    aura(log, 12_000, Kind.AURA_OFF, PRIEST, MAGE, SHIELD)
    aura(log, 13_000, Kind.AURA_OFF, PRIEST, MAGE, SHIELD)
    found = aura_intervals(view_of(log), target=MAGE)
    assert [(one.begin, one.end, one.from_before) for one in found] == [(0, 4_000, True), (10_000, 12_000, False)]
    assert uptime_ms(found) == 6_000


def test_what_is_not_removed_lasts_to_the_end_and_nothing_lasts_longer() -> None:
    log = FightLog()
    aura(log, -2_000, Kind.AURA_ON, PRIEST, MAGE, RENEW)
    aura(log, 61_000, Kind.AURA_OFF, PRIEST, MAGE, RENEW)
    aura(log, 50_000, Kind.AURA_ON, PRIEST, ROGUE, RENEW)
    assert [(one.target, one.begin, one.end) for one in aura_intervals(view_of(log))] == [
        (MAGE, 0, 60_000), (ROGUE, 50_000, 60_000),
    ]  # fmt: skip


def test_flask_that_only_combatant_info_lists_is_on_for_the_whole_fight() -> None:
    listed = Combatant(actor=MAGE, auras=((NOBODY, 99_999), (NOBODY, 28518)))
    log = FightLog()
    aura(log, 20_000, Kind.AURA_OFF, MAGE, MAGE, FLASK)
    unnamed, flask = sorted(aura_intervals(view_of(log, combatants=(listed,)), target=MAGE), key=lambda one: -one.end)
    assert (unnamed.spell, unnamed.spell_id, unnamed.end) == (NO_SPELL, 99_999, 60_000)
    assert (flask.spell_id, flask.begin, flask.end, flask.from_before) == (28518, 0, 20_000, True)


def test_sunder_renewed_by_another_warrior_is_one_aura() -> None:
    log = FightLog()
    aura(log, 5_000, Kind.AURA_ON, MAGE, BOSS, SUNDER, flags=0, amount=1)
    aura(log, 7_000, Kind.AURA_DOSE, ROGUE, BOSS, SUNDER, flags=0, amount=2)
    aura(log, 8_000, Kind.AURA_REFRESH, ROGUE, BOSS, SUNDER, flags=0)
    aura(log, 30_000, Kind.AURA_OFF, ROGUE, BOSS, SUNDER, flags=0)
    (found,) = aura_intervals(view_of(log), target=BOSS)
    assert (found.begin, found.end, found.stacks, found.refreshed, found.buff) == (5_000, 30_000, 2, (8_000,), False)


def test_each_warlock_has_a_corruption_of_its_own() -> None:
    log = FightLog()
    aura(log, 5_000, Kind.AURA_ON, MAGE, BOSS, CORRUPTION, flags=0)
    aura(log, 9_000, Kind.AURA_OFF, WARLOCK, BOSS, CORRUPTION, flags=0)
    aura(log, 20_000, Kind.AURA_OFF, MAGE, BOSS, CORRUPTION, flags=0)
    view = view_of(log)
    assert [(one.begin, one.end) for one in aura_intervals(view, source=MAGE)] == [(5_000, 20_000)]
    assert [(one.begin, one.end) for one in aura_intervals(view, source=WARLOCK)] == [(0, 9_000)]


def test_renews_of_two_priests_are_told_apart_by_what_the_log_shows() -> None:
    log = FightLog()
    aura(log, 5_000, Kind.AURA_ON, PRIEST, MAGE, RENEW)
    aura(log, 8_000, Kind.AURA_OFF, WARLOCK, MAGE, RENEW)
    aura(log, 20_000, Kind.AURA_OFF, PRIEST, MAGE, RENEW)
    assert [(one.source, one.begin, one.end) for one in aura_intervals(view_of(log))] == [
        (WARLOCK, 0, 8_000), (PRIEST, 5_000, 20_000),
    ]  # fmt: skip


def test_death_of_a_creature_ends_what_was_on_it() -> None:
    log = FightLog()
    aura(log, 5_000, Kind.AURA_ON, WARLOCK, BOSS, CORRUPTION, flags=0)
    log.append(40_000, Kind.DEATH, target=BOSS)
    assert uptime_ms(aura_intervals(view_of(log), target=BOSS)) == 35_000
