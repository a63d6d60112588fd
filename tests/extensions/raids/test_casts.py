"""Casts and busy time."""

from extensions.raids.hand_made import (
    ACTORS,
    BLAST,
    BOSS,
    FROSTBOLT,
    KICK,
    MAGE,
    MISSILES,
    POTION,
    ROGUE,
    SPELLS,
    STRIKE,
    aura,
    view_of,
)  # fmt: skip
from glassloop.extensions.raids.analysis.casts import busy_spans, casts_of, gaps_between
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog, Kind
from glassloop.extensions.raids.knowledge.facts import Cooldown
from glassloop.extensions.raids.records import Spell

WALL = Cooldown(name="Shield Wall", spells=(871,), class_name="Warrior", kind="defensive", cooldown_s=1800)


def _log(*rows: tuple[int, Kind, int], source: int = MAGE) -> FightLog:
    log = FightLog()
    for at, kind, spell in rows:
        log.append(at, kind, source, BOSS, spell)
    return log


def _told(log: FightLog, actor: int = MAGE, length_ms: int = 60_000) -> list[tuple[str, int, int]]:
    return [(cast.outcome, cast.begin, cast.end) for cast in casts_of(view_of(log, length_ms=length_ms), actor)]


def test_success_in_time_finishes_a_cast() -> None:
    log = _log((1_000, Kind.CAST_START, FROSTBOLT), (3_500, Kind.CAST, FROSTBOLT), (3_600, Kind.CAST, BLAST))
    assert _told(log) == [("finished", 1_000, 3_500), ("instant", 3_600, 3_600)]


def test_another_begin_or_a_success_too_late_means_that_the_first_was_cancelled() -> None:
    log = _log(
        (1_000, Kind.CAST_START, FROSTBOLT), (1_800, Kind.CAST_START, FROSTBOLT), (4_300, Kind.CAST, FROSTBOLT),
        (10_000, Kind.CAST_START, FROSTBOLT), (13_501, Kind.CAST, FROSTBOLT),
    )  # fmt: skip
    assert _told(log) == [
        ("cancelled", 1_000, 1_800), ("finished", 1_800, 4_300), ("cancelled", 10_000, 13_000),
        ("instant", 13_501, 13_501),
    ]  # fmt: skip


def test_hits_may_delay_a_cast() -> None:
    log = _log((10_000, Kind.CAST_START, FROSTBOLT))
    log.append(11_000, Kind.DAMAGE, BOSS, MAGE, amount=500)
    log.append(14_200, Kind.CAST, MAGE, BOSS, FROSTBOLT)
    assert _told(log) == [("finished", 10_000, 14_200)]


def test_failure_without_begin_is_an_attempt_and_one_within_a_cast_is_a_key_pressed_again() -> None:
    log = _log(
        (500, Kind.CAST_FAILED, BLAST), (1_000, Kind.CAST_START, FROSTBOLT), (2_000, Kind.CAST_FAILED, FROSTBOLT),
        (3_500, Kind.CAST, FROSTBOLT),
    )  # fmt: skip
    assert _told(log) == [("failed", 500, 500), ("finished", 1_000, 3_500)]


def test_cast_that_the_end_of_the_fight_cut_off_is_not_called_cancelled() -> None:
    assert _told(_log((58_000, Kind.CAST_START, FROSTBOLT))) == [("unfinished", 58_000, 60_000)]
    assert _told(_log((50_000, Kind.CAST_START, FROSTBOLT))) == [("cancelled", 50_000, 53_000)]
    followed = _log((58_000, Kind.CAST_START, FROSTBOLT), (58_900, Kind.CAST, BLAST))
    assert _told(followed) == [("cancelled", 58_000, 58_900), ("instant", 58_900, 58_900)]


def test_channel_is_busy_until_its_aura_ends_and_a_potion_does_not_end_it() -> None:
    log = _log((10_000, Kind.CAST, MISSILES), (11_000, Kind.CAST, POTION))
    aura(log, 14_200, Kind.AURA_OFF, MAGE, MAGE, MISSILES)
    log.append(20_000, Kind.CAST, MAGE, BOSS, MISSILES)
    log.append(22_000, Kind.CAST, MAGE, BOSS, BLAST)
    assert _told(log) == [
        ("channel", 10_000, 14_200), ("instant", 11_000, 11_000), ("channel", 20_000, 22_000),
        ("instant", 22_000, 22_000),
    ]  # fmt: skip
    assert busy_spans(view_of(log), MAGE) == [(10_000, 14_200), (20_000, 23_500)]


def test_global_cooldown_is_shorter_for_rogues_and_not_started_by_what_comes_between() -> None:
    rows = ((1_000, Kind.CAST, STRIKE), (1_400, Kind.CAST, BLAST), (5_000, Kind.CAST, STRIKE))
    rogue, mage = view_of(_log(*rows, source=ROGUE)), view_of(_log(*rows))
    assert busy_spans(rogue, ROGUE) == [(1_000, 2_000), (5_000, 6_000)]
    assert busy_spans(mage, MAGE) == [(1_000, 2_500), (5_000, 6_500)]
    assert gaps_between(busy_spans(mage, MAGE), 8_000, 2_499) == [(2_500, 5_000)]
    assert gaps_between(busy_spans(mage, MAGE), 8_000, 2_500) == []


def test_of_two_instants_at_once_the_cooldown_starts_no_global_cooldown() -> None:
    log = _log((1_000, Kind.CAST, KICK), (1_130, Kind.CAST, BLAST))
    view = view_of(log)
    view.knowledge.cooldown_of = lambda spell: WALL if spell == 871 else None  # pyright: ignore[reportAttributeAccessIssue]
    spells = (*SPELLS[:KICK], Spell(id=871, name="Schildwall"), *SPELLS[KICK + 1 :])
    assert busy_spans(FightView(view.record, log, ACTORS, spells, view.knowledge), MAGE) == [(1_130, 2_630)]


def test_cancelled_cast_gives_the_global_cooldown_back() -> None:
    log = _log((1_000, Kind.CAST_START, FROSTBOLT), (1_700, Kind.CAST, BLAST))
    assert busy_spans(view_of(log), MAGE) == [(1_000, 3_200)]


def test_cat_is_known_by_what_only_cats_do() -> None:
    view = view_of(_log((1_000, Kind.CAST, KICK), (9_000, Kind.CAST, BLAST)), classes={MAGE: "Druid"})
    spells = (*SPELLS[:KICK], Spell(id=27002, name="Schreddern"), *SPELLS[KICK + 1 :])
    cat = FightView(view.record, view.log, ACTORS, spells, view.knowledge)
    assert busy_spans(cat, MAGE) == [(1_000, 2_000), (9_000, 10_500)]


def test_players_are_found_without_case_accents_and_realm() -> None:
    view = view_of(FightLog())
    assert [view.find_player(name) for name in ("zoe", "ZOË-Everlook", "Rolf-Anywhere", "Zo")] == [
        MAGE,
        MAGE,
        ROGUE,
        None,
    ]
