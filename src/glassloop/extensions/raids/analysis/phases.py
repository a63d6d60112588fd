"""Phases of a fight: by the boss's health, by its auras and casts, or by time.

A phase is *seen* where the log shows what begins it, and *estimated* where only time can tell: then it says so.
"""

from array import array
from collections.abc import Mapping, Sequence

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter, Phase
from glassloop.extensions.raids.records import Record

WHOLE_FIGHT = "whole fight"


class PhaseSpan(Record):
    """From `begin` to `end`, in ms of the fight. A phase that comes again has a span each time."""

    name: str
    begin: int
    end: int
    downtime: bool = False
    """Nothing to do for most: not held against anybody."""
    seen: bool = True
    """In the log; else estimated."""

    @property
    def length_ms(self) -> int:
        return self.end - self.begin


def phases_of(view: FightView) -> list[PhaseSpan]:
    """All of the fight, in order and without gaps; a single span where the encounter has no phases."""
    encounter = view.knowledge.encounters.get(view.record.fight.encounter_id)
    if encounter is None or not encounter.phases or view.length_ms <= 0:
        return [PhaseSpan(name=WHOLE_FIGHT, begin=0, end=max(view.length_ms, 0))]
    signs = {phase.name: _signs(view, encounter, phase) for phase in encounter.phases if phase.aura is not None}
    if all(phase.length_s and phase.health is None for phase in encounter.phases):
        return _recurring(encounter.phases, signs, view.length_ms)
    readings = _Readings(view, encounter)
    base, over = list[PhaseSpan](), list[PhaseSpan]()
    for phase in encounter.phases:
        if seen := signs.get(phase.name):
            over += seen
            continue
        begin, certain = readings.begin_of(phase)
        if begin is None:
            continue
        if phase.length_s is None:
            base.append(_span(phase, begin, view.length_ms, seen=certain))
        else:
            # How long it lasts is known only by rule.
            over.append(_span(phase, begin, min(begin + round(phase.length_s * 1000), view.length_ms), seen=False))
    return _joined(base, over, view.length_ms)


def downtime_spans(view: FightView) -> list[tuple[int, int]]:
    """When there was nothing to do for most, in ms."""
    return [(span.begin, span.end) for span in phases_of(view) if span.downtime]


def phase_reached(encounter: Encounter, boss_health: float | None, length_ms: int, *, kill: bool) -> str:
    """The last phase of an attempt by its end alone; empty where that does not tell."""
    reached = ""
    for phase in encounter.phases:
        if phase.health is None and phase.at_s is None:
            begun = phase.aura is None and phase.length_s is None
        elif phase.health is not None:
            begun = kill or (boss_health is not None and boss_health <= phase.health)
        else:
            begun = length_ms >= (phase.at_s or 0) * 1000
        if begun:
            reached = phase.name
    return reached


def _span(phase: Phase, begin: int, end: int, *, seen: bool) -> PhaseSpan:
    return PhaseSpan(name=phase.name, begin=begin, end=end, downtime=phase.downtime, seen=seen)


def boss_actors(view: FightView, encounter: Encounter) -> list[int]:
    """Indexes of the creatures of an encounter that count as its bosses."""
    ids = {creature.id for creature in encounter.creatures if creature.boss}
    return [number for number, actor in enumerate(view.actors) if actor.npc_id in ids]


def _signs(view: FightView, encounter: Encounter, phase: Phase) -> list[PhaseSpan]:
    """Spans of a phase that the log shows by an aura or a cast of one of its creatures."""
    ids = {creature.id for creature in encounter.creatures}
    creatures = {number for number, actor in enumerate(view.actors) if actor.npc_id in ids}
    spells = {number for number, spell in enumerate(view.spells) if spell.id == phase.aura}
    if not spells:
        return []
    log, end = view.log, view.length_ms
    longest = end if phase.length_s is None else round(phase.length_s * 1000)
    spans, since = list[PhaseSpan](), None
    for row in (row for row, spell in enumerate(log.spell) if spell in spells):
        kind, at = log.kind[row], min(max(log.at[row], 0), end)
        if kind == Kind.AURA_ON and log.target[row] in creatures:
            since = at if since is None else since
        elif kind == Kind.AURA_OFF and log.target[row] in creatures:
            spans.append(_span(phase, since or 0, at, seen=True))
            since = None
        elif kind == Kind.CAST and log.source[row] in creatures and since is None and phase.length_s is not None:
            if not spans or at >= spans[-1].end:
                spans.append(_span(phase, at, min(at + longest, end), seen=True))
    if since is not None:
        spans.append(_span(phase, since, min(since + longest, end), seen=True))
    return [span for span in spans if span.end > span.begin]


def _recurring(phases: Sequence[Phase], signs: Mapping[str, list[PhaseSpan]], end: int) -> list[PhaseSpan]:
    """Phases that take turns by time. Where the log shows one of them, the others are what lies between."""
    over = [span for spans in signs.values() for span in spans]
    rest = [phase for phase in phases if not signs.get(phase.name)]
    if over and rest:
        return _joined([_span(rest[0], 0, end, seen=True)], over, end)
    spans, at = list[PhaseSpan](), 0
    while at < end:
        for phase in phases:
            until = min(at + max(round((phase.length_s or 0) * 1000), 1000), end)
            if until > at:
                spans.append(_span(phase, at, until, seen=False))
            at = until
    return spans


def _joined(base: list[PhaseSpan], over: list[PhaseSpan], end: int) -> list[PhaseSpan]:
    """Base phases, each until the next one, with those in `over` cut out of them."""
    base = sorted(base, key=lambda span: span.begin) or [PhaseSpan(name=WHOLE_FIGHT, begin=0, end=end)]
    over = sorted((span for span in over if span.end > span.begin), key=lambda span: span.begin)
    spans, at = list[PhaseSpan](), 0
    for number, span in enumerate(base):
        until = base[number + 1].begin if number + 1 < len(base) else end
        while at < until:
            inside = next((one for one in over if one.end > at and one.begin < until), None)
            stop = until if inside is None else max(inside.begin, at)
            if stop > at:
                spans.append(PhaseSpan(name=span.name, begin=at, end=stop, downtime=span.downtime, seen=span.seen))
                at = stop
            if inside is not None:
                spans.append(
                    PhaseSpan(name=inside.name, begin=at, end=inside.end, downtime=inside.downtime, seen=inside.seen)
                )
                at = inside.end
    return spans


class _Readings:
    """The health of an encounter's bosses over time, in per cent."""

    def __init__(self, view: FightView, encounter: Encounter) -> None:
        self.fight = view.record.fight
        self.end = view.length_ms
        self._order = [creature.id for creature in encounter.creatures if creature.boss]
        self._series = _health_series(view, boss_actors(view, encounter))

    def begin_of(self, phase: Phase) -> tuple[int | None, bool]:
        """When it began (None: never, or it cannot be told), and whether the log shows it."""
        if phase.health is None and phase.at_s is None:
            return (None, False) if phase.aura is not None or phase.length_s is not None else (0, True)
        if phase.health is None:
            at = round((phase.at_s or 0) * 1000)
            return (at if at < self.end else None), False
        if not self._series:
            return self._estimated(phase.health), False
        return self._crossing(phase.health), True

    def _crossing(self, health: float) -> int | None:
        """By the first boss of the encounter that the log has readings of."""
        leader = next(number for number in self._order if number in self._series)
        for at, percent in zip(*self._series[leader], strict=True):
            if percent <= health:
                return min(max(at, 0), self.end)
        return None

    def _estimated(self, health: float) -> int | None:
        """As if the boss had lost health evenly."""
        left = 0.0 if self.fight.kill else self.fight.boss_health
        if left is None or left > health or left >= 100:
            return None
        return round(self.end * (100 - health) / (100 - left))


def _health_series(view: FightView, bosses: Sequence[int]) -> dict[int, tuple["array[int]", "array[float]"]]:
    """By creature id: times and per cent."""
    log, wanted = view.log, set(bosses)
    series = dict[int, tuple["array[int]", "array[float]"]]()
    columns = zip(log.at, log.source, log.target, log.flags, log.health, log.max_health, strict=True)
    for at, source, target, flags, health, most in columns:
        if most <= 0 or health < 0:
            continue
        about = source if flags & Flag.ABOUT_SOURCE else target
        if about in wanted:
            times, values = series.setdefault(view.actors[about].npc_id, (array("i"), array("d")))
            times.append(at)
            values.append(100 * health / most)
    return series
