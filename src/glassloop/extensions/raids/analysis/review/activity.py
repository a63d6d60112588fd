"""Use of time by a player: global cooldown uptime, casts a minute, and the gaps with what happened in them.

Time is the time alive. Grades are shifted by what encounter and spec allow; hunters are judged on shots between auto
shots.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, aura_name, merged, without
from glassloop.extensions.raids.analysis.casts import (
    AUTO_SHOT,
    AUTOMATIC,
    DONE,
    CastSpan,
    busy_in,
    casts_of,
    gaps_between,
    starts_gcd,
)
from glassloop.extensions.raids.analysis.expected_uptime import USUAL_GCD, encounter_uptime, expected_uptime
from glassloop.extensions.raids.analysis.grades import ACTIVITY, Grade
from glassloop.extensions.raids.analysis.phases import PhaseSpan, downtime_phases, downtime_spans
from glassloop.extensions.raids.analysis.review.energy import WASTED_MS, EnergyReadings
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, Flag, Kind
from glassloop.extensions.raids.records import RaidRecord

GAP_MS: Final = 2500
_MAX_RELOAD_MS: Final = 6000
"""Between auto shots that follow each other; longer ones are pauses, which the gaps tell."""
_MIN_SHOTS: Final = 5
"""Pairs of auto shots; with fewer a hunter is graded as others are."""
_MAX_REASONS: Final = 3
_MAX_EXPLAINED: Final = 50
"""Gaps, the longest ones, of which it is told what happened."""
_LEAST_SHARE: Final = 0.3
"""Of a gap that a debuff must last to be named as what happened."""
_USUAL_CASTS: Final = 0.35
"""Casts or hits of a spell that any time as long as the gap has on average: from there on one in the gap explains
nothing."""

GradedOn = Literal["GCD uptime", "shots between auto shots"]


class Gap(RaidRecord, frozen=True, kw_only=True):
    """A time without a cast, in ms of the fight."""

    begin: int
    end: int
    happened: tuple[str, ...] = ()
    """What the log shows of it: a debuff, a boss's cast, damage taken."""
    downtime: bool = False
    """Mostly in a phase with nothing to do."""
    full_energy_ms: int | None = None
    """How long at least energy was full in it; None of whoever has none, and where the log does not tell."""

    @property
    def for_energy(self) -> bool:
        """Whether the player waited for energy or pooled it: hardly any was wasted."""
        return self.full_energy_ms is not None and self.full_energy_ms < WASTED_MS

    @property
    def length_ms(self) -> int:
        return self.end - self.begin


class HunterShots(RaidRecord, frozen=True, kw_only=True):
    """Auto shots that followed each other, and between how many of them another shot was fired."""

    auto_shots: int
    between: int
    filled: int

    @property
    def percent(self) -> float:
        return 100 * self.filled / self.between if self.between else 0.0


class Activity(RaidRecord, frozen=True, kw_only=True):
    """Of one player. `gaps` are those over 2.5 s, in order."""

    busy_ms: int
    alive_ms: int
    casts: int
    """Finished, instant and channelled; auto shots and swings apart."""
    gaps: tuple[Gap, ...]
    expected: int
    """Per cent that the encounter and the spec allow a good player."""
    allowed: int
    """Per cent that the encounter alone allows."""
    shots: HunterShots | None = None
    """Of hunters that fired enough of them: then the grade is for these."""

    @property
    def uptime_percent(self) -> float:
        return min(100.0, 100 * self.busy_ms / self.alive_ms)

    @property
    def idle_ms(self) -> int:
        return max(0, self.alive_ms - self.busy_ms)

    @property
    def lost_ms(self) -> int:
        """Time alive that lies below what encounter and spec allow; 0 for who reached it."""
        reached, wanted = (
            (self.uptime_percent, self.expected) if self.shots is None else (self.shots.percent, self.allowed)
        )
        return round(max(0.0, wanted - reached) * self.alive_ms / 100)

    @property
    def casts_per_minute(self) -> float:
        return self.casts * 60_000 / self.alive_ms

    @property
    def longest(self) -> Gap | None:
        """Of those that are no wait for energy, where there are any."""
        return max(self.gaps, key=lambda gap: (not gap.for_energy, gap.length_ms), default=None)

    @property
    def graded_on(self) -> GradedOn:
        return "GCD uptime" if self.shots is None else "shots between auto shots"

    @property
    def shift(self) -> int:
        """Of the limits of the grade."""
        return (self.expected if self.shots is None else self.allowed) - USUAL_GCD

    @property
    def grade(self) -> Grade:
        if self.shots is not None:
            return activity_grade(self.shots.percent, self.allowed)
        return activity_grade(self.uptime_percent, self.expected)


def activity_grade(percent: float, expected: int = USUAL_GCD) -> Grade:
    """Limits are lower by as much as is expected less than usual."""
    return ACTIVITY.grade(percent, expected - USUAL_GCD)


def activity_of(view: FightView, player: int) -> Activity:
    casts = casts_of(view, player)
    dead = view.dead_spans(player)
    busy = without(busy_in(view, player, casts), dead)
    idle = gaps_between(merged([*busy, *dead]), view.length_ms, GAP_MS)
    done = [cast for cast in casts if is_done(cast) and not _automatic(view, cast)]
    shots = _hunter_shots(view, player, done) if view.class_of(player) == "Hunter" else None
    return Activity(
        busy_ms=sum(end - begin for begin, end in busy),
        alive_ms=view.alive_ms(player),
        casts=len(done),
        gaps=tuple(_gaps(view, player, idle)),
        expected=expected_uptime(view, player),
        allowed=encounter_uptime(view),
        shots=shots if shots is not None and shots.between >= _MIN_SHOTS else None,
    )


def casts_done(view: FightView, player: int) -> int:
    """Finished, instant and channelled; auto shots and swings apart."""
    return sum(is_done(cast) and not _automatic(view, cast) for cast in casts_of(view, player))


def is_done(cast: CastSpan) -> bool:
    """Whether something came of it."""
    return cast.outcome in DONE


def overlap_ms(begin: int, end: int, spans: Sequence[tuple[int, int]]) -> int:
    """How much of a time lies in merged spans."""
    return sum(max(0, min(end, other_end) - max(begin, other)) for other, other_end in spans)


def _automatic(view: FightView, cast: CastSpan) -> bool:
    return view.spell_id(cast.spell) in AUTOMATIC


def _hunter_shots(view: FightView, player: int, done: Sequence[CastSpan]) -> HunterShots:
    log = view.log
    for kind in (Kind.CAST, Kind.DAMAGE):
        rows = view.rows_of(player, {kind})
        shots = [log.at[row] for row in rows if view.spell_id(log.spell[row]) == AUTO_SHOT]
        if shots:
            break
    fired = sorted(cast.end for cast in done if starts_gcd(view, cast.spell))
    between = filled = 0
    for begin, end in pairwise(shots):
        if end - begin > _MAX_RELOAD_MS:
            continue
        between += 1
        position = bisect_left(fired, begin)
        filled += position < len(fired) and fired[position] < end
    return HunterShots(auto_shots=len(shots), between=between, filled=filled)


def _gaps(view: FightView, player: int, idle: Sequence[tuple[int, int]]) -> list[Gap]:
    if not idle:
        return []
    phases, downtime = downtime_phases(view), downtime_spans(view)
    debuffs = [one for one in aura_intervals(view, target=player) if not one.buff]
    energy = EnergyReadings(view, player)
    longest = set(sorted(idle, key=lambda gap: gap[0] - gap[1])[:_MAX_EXPLAINED])
    return [
        Gap(
            begin=begin,
            end=end,
            happened=_happened(view, player, begin, end, debuffs, phases) if (begin, end) in longest else (),
            downtime=overlap_ms(begin, end, downtime) * 2 > end - begin,
            full_energy_ms=energy.full_ms(begin, end),
        )
        for begin, end in idle
    ]


def _happened(
    view: FightView,
    player: int,
    begin: int,
    end: int,
    debuffs: Sequence[AuraInterval],
    downtime: Sequence[PhaseSpan],
) -> tuple[str, ...]:
    """The downtime phase that it is mostly in; else debuffs, casts that are not made all the time, and the largest
    hit."""
    during = [span.name for span in downtime if overlap_ms(begin, end, [(span.begin, span.end)]) * 2 > end - begin]
    if during:
        return (f"{during[0]} phase",)
    reasons = list[str]()
    for one in debuffs:
        shared = min(end, one.end) - max(begin, one.begin)
        if shared >= _LEAST_SHARE * (end - begin) and one.begin >= begin - GAP_MS:
            reasons.append(f"{aura_name(view, one)} on the player for {shared / 1000:.1f} s")
    casts, often = _boss_casts(view), _usual_casts(view)
    position, log = bisect_left(casts, (begin - 1000, -1)), view.log
    share = (end - begin + 1000) / view.length_ms
    named = dict.fromkeys(
        f"{view.name_of(log.source[row])} cast {view.spell_name(log.spell[row])}"
        for _, row in casts[position : bisect_left(casts, (end + 1, -1))]
        if often[log.spell[row]] * share < _USUAL_CASTS
    )
    reasons += list(named)[:2]
    if (hit := _largest_hit(view, player, begin, end)) is not None:
        reasons.append(hit)
    return tuple(dict.fromkeys(reasons))[:_MAX_REASONS]


def _boss_casts(view: FightView) -> list[tuple[int, int]]:
    """Casts of hostile creatures, by when they were."""
    found = view.derived.get("boss casts")
    if found is None:
        log, hostile = view.log, int(Flag.SOURCE_HOSTILE)
        found = view.derived["boss casts"] = sorted(
            (log.at[row], row)
            for row in view.rows_of_kind({Kind.CAST, Kind.CAST_START})
            if log.flags[row] & hostile and log.spell[row] != NO_SPELL and not view.is_player(log.source[row])
        )
    return found


def _usual_casts(view: FightView) -> Mapping[int, int]:
    """How often hostile creatures made each cast in the fight, by spell; one that was begun and made is one."""
    found = view.derived.get("usual casts")
    if found is None:
        log, counts = view.log, {kind: Counter[int]() for kind in (Kind.CAST, Kind.CAST_START)}
        for _, row in _boss_casts(view):
            counts[Kind(log.kind[row])][log.spell[row]] += 1
        found = view.derived["usual casts"] = counts[Kind.CAST] | counts[Kind.CAST_START]
    return found


def _largest_hit(view: FightView, player: int, begin: int, end: int) -> str | None:
    """Of what does not strike the player all the time."""
    log, share = view.log, (end - begin) / view.length_ms
    every = view.rows_of(player, {Kind.DAMAGE}, as_target=True)
    often = Counter(log.spell[row] for row in every)
    rows = [row for row in every if begin <= log.at[row] <= end and often[log.spell[row]] * share < _USUAL_CASTS]
    if not rows:
        return None
    row = max(rows, key=log.amount.__getitem__)
    return f"took {log.amount[row]:,} from {view.spell_name(log.spell[row])} of {view.name_of(log.source[row])}"


class CastCount(RaidRecord, frozen=True, kw_only=True):
    """Casts of one spell that have a begin; ranks are one spell."""

    name: str
    begun: int
    finished: int
    cancelled: int
    unfinished: int = 0
    """Begun when the fight ended."""
    forced: int = 0
    """Of those cancelled: by the player's death or an interrupt."""
    lost_ms: int = 0
    """Time spent on what was cancelled."""

    @property
    def cancelled_percent(self) -> float:
        return 100 * self.cancelled / self.begun if self.begun else 0.0


def cast_counts(view: FightView, player: int) -> list[CastCount]:
    """By spell, those cancelled most first. Instants have no begin and are not in it."""
    groups = defaultdict[str, list[CastSpan]](list)
    for cast in casts_of(view, player):
        if cast.outcome in ("finished", "cancelled", "unfinished"):
            groups[view.spell_name(cast.spell)].append(cast)
    counts = [_cast_count(name, casts) for name, casts in groups.items()]
    return sorted(counts, key=lambda one: (-one.cancelled, -one.begun, one.name))


def _cast_count(name: str, casts: Sequence[CastSpan]) -> CastCount:
    cancelled = [cast for cast in casts if cast.outcome == "cancelled"]
    return CastCount(
        name=name,
        begun=len(casts),
        finished=sum(cast.outcome == "finished" for cast in casts),
        cancelled=len(cancelled),
        unfinished=sum(cast.outcome == "unfinished" for cast in casts),
        forced=sum(bool(cast.cause) for cast in cancelled),
        lost_ms=sum(cast.end - cast.begin for cast in cancelled),
    )
