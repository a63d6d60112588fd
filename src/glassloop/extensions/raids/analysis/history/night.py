"""A raid night boss by boss: attempts, kill times, deaths, interrupts, and where the time went.

Of rows that the store sums up; no events are read. Times between fights that are longer than `MAX_PAUSE_MS` lie between
two evenings and are nobody's downtime.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Final

import msgspec

from glassloop.extensions.raids.analysis.parses import rate
from glassloop.extensions.raids.storage.rows import FightTotals

MAX_PAUSE_MS: Final = 3 * 3600 * 1000


class BossSummary(msgspec.Struct, frozen=True, kw_only=True):
    """All attempts at a boss in one night. Figures of the kill are of the first one; times in ms."""

    encounter_id: int
    first_pull_at: int
    attempts: tuple[FightTotals, ...]
    kill: FightTotals | None
    before_ms: int | None
    """From the end of the fight before to the first pull; None for the first boss of an evening."""
    between_ms: int
    """Between attempts."""

    @property
    def wipes(self) -> int:
        return sum(not attempt.kill for attempt in self.attempts)

    @property
    def wipe_ms(self) -> int:
        return sum(attempt.length_ms for attempt in self.attempts if not attempt.kill)

    @property
    def deaths(self) -> int:
        return sum(attempt.deaths for attempt in self.attempts)

    @property
    def spirits(self) -> int:
        return sum(attempt.spirits for attempt in self.attempts)

    @property
    def interrupts(self) -> int:
        return sum(attempt.interrupts for attempt in self.attempts)

    @property
    def dispels(self) -> int:
        return sum(attempt.dispels for attempt in self.attempts)


class NightTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Where a night's time went, from the first pull to the end of the last fight, in ms."""

    whole_ms: int
    kills_ms: int
    wipes_ms: int
    between_bosses_ms: int
    between_attempts_ms: int


class BossReference(msgspec.Struct, frozen=True, kw_only=True):
    """Reference kills of a boss; times in ms."""

    kills: int
    kill_ms: float
    """Median."""
    fastest_ms: int
    slowest_ms: int
    deaths: float
    """Average a kill."""
    deathless_percent: float
    interrupts: float
    dispels: float
    raid_dps: float
    player_dps: float
    players: float
    before_ms: float | None
    """Median from the end of the boss before; None where the references have single bosses only."""
    first_at: int
    last_at: int


def boss_summaries(fights: Sequence[FightTotals]) -> list[BossSummary]:
    """Of one report, in the order of the first pulls."""
    ordered = sorted(fights, key=lambda fight: fight.started_at)
    attempts: defaultdict[int, list[FightTotals]] = defaultdict(list)
    before: dict[int, int | None] = {}
    between: defaultdict[int, int] = defaultdict(int)
    for last, fight in zip([None, *ordered], ordered, strict=False):
        pause = None if last is None else _pause_ms(last, fight)
        if fight.encounter_id not in attempts:
            before[fight.encounter_id] = pause
        else:
            between[fight.encounter_id] += pause or 0
        attempts[fight.encounter_id].append(fight)
    return [
        BossSummary(
            encounter_id=encounter_id,
            first_pull_at=tries[0].started_at,
            attempts=tuple(tries),
            kill=next((attempt for attempt in tries if attempt.kill), None),
            before_ms=before[encounter_id],
            between_ms=between[encounter_id],
        )
        for encounter_id, tries in attempts.items()
    ]


def night_times(bosses: Sequence[BossSummary]) -> NightTimes:
    kills = sum(attempt.length_ms for boss in bosses for attempt in boss.attempts if attempt.kill)
    wipes = sum(boss.wipe_ms for boss in bosses)
    between_bosses, between_attempts = (
        sum(boss.before_ms or 0 for boss in bosses),
        sum(boss.between_ms for boss in bosses),
    )
    return NightTimes(
        whole_ms=kills + wipes + between_bosses + between_attempts,
        kills_ms=kills,
        wipes_ms=wipes,
        between_bosses_ms=between_bosses,
        between_attempts_ms=between_attempts,
    )


def boss_references(fights: Sequence[FightTotals]) -> Mapping[int, BossReference]:
    """Of the fights of all reference reports."""
    by_report: defaultdict[str, list[FightTotals]] = defaultdict(list)
    for fight in fights:
        by_report[fight.code].append(fight)
    pauses: defaultdict[int, list[int]] = defaultdict(list)
    kills: defaultdict[int, list[FightTotals]] = defaultdict(list)
    for report in by_report.values():
        for boss in boss_summaries(report):
            if boss.before_ms is not None:
                pauses[boss.encounter_id].append(boss.before_ms)
            kills[boss.encounter_id] += [attempt for attempt in boss.attempts if attempt.kill]
    return {encounter: _reference(found, pauses[encounter]) for encounter, found in kills.items() if found}


def _reference(kills: Sequence[FightTotals], pauses: Sequence[int]) -> BossReference:
    lengths, times = [kill.length_ms for kill in kills], [kill.started_at for kill in kills]
    return BossReference(
        kills=len(kills),
        kill_ms=median(lengths),
        fastest_ms=min(lengths),
        slowest_ms=max(lengths),
        deaths=fmean(kill.deaths for kill in kills),
        deathless_percent=100 * fmean(kill.deaths == 0 for kill in kills),
        interrupts=fmean(kill.interrupts for kill in kills),
        dispels=fmean(kill.dispels for kill in kills),
        raid_dps=fmean(rate(kill.damage, kill.length_ms) for kill in kills),
        player_dps=fmean(rate(kill.damage, kill.length_ms) / max(1, kill.players) for kill in kills),
        players=fmean(kill.players for kill in kills),
        before_ms=median(pauses) if pauses else None,
        first_at=min(times),
        last_at=max(times),
    )


def _pause_ms(last: FightTotals, fight: FightTotals) -> int | None:
    pause = fight.started_at - last.started_at - last.length_ms
    return max(0, pause) if pause <= MAX_PAUSE_MS else None
