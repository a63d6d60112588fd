"""Phases of a fight: by auras, casts and health of its creatures, or by time.

A phase is *seen* where the log shows what begins it, and *estimated* where only time can tell: then it says so.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from glassloop.extensions.raids.analysis.view import FightView, kind_mask
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter, Phase
from glassloop.extensions.raids.records import RaidRecord

WHOLE_FIGHT = "Whole fight"


class PhaseSpan(RaidRecord, frozen=True, kw_only=True):
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
    encounter = view.encounter
    if encounter is None or not encounter.phases:
        return [PhaseSpan(name=WHOLE_FIGHT, begin=0, end=view.length_ms)]
    signs = _Signs(view, encounter)
    if all(phase.length_s and phase.health is None for phase in encounter.phases):
        return _recurring(encounter.phases, signs, view.length_ms)
    begins = _Begins(view, encounter)
    base, over = list[PhaseSpan](), list[PhaseSpan]()
    for phase in encounter.phases:
        if phase.length_s is not None and (seen := signs.spans_of(phase)):
            over += seen
            continue
        begin, certain = begins.of(phase, signs)
        if begin is None or begin >= view.length_ms:
            continue
        if phase.length_s is None:
            base.append(_span(phase, begin, view.length_ms, seen=certain))
        else:
            # How long it lasts is known by rule alone.
            end = min(begin + round(phase.length_s * 1000), view.length_ms)
            over.append(_span(phase, begin, end, seen=False))
    return _joined(base, over, view.length_ms)


def downtime_phases(view: FightView) -> Sequence[PhaseSpan]:
    """Those with nothing to do for most."""
    found: Sequence[PhaseSpan] | None = view.derived.get("downtime")
    if found is None:
        encounter = view.encounter
        has_any = encounter is not None and any(phase.downtime for phase in encounter.phases)
        found = view.derived["downtime"] = [span for span in phases_of(view) if span.downtime] if has_any else []
    return found


def downtime_spans(view: FightView) -> list[tuple[int, int]]:
    """When there was nothing to do for most, in ms."""
    return [(span.begin, span.end) for span in downtime_phases(view)]


def phase_reached(encounter: Encounter, boss_health: float | None, length_ms: int, *, kill: bool) -> str:
    """The last phase of an attempt by its end alone; empty where that does not tell."""
    reached = ""
    for phase in encounter.phases:
        if phase.length_s is not None:
            continue
        if phase.health is not None:
            begun = kill or (boss_health is not None and boss_health <= phase.health)
        elif phase.at_s is not None:
            hurt = phase.freed_from is not None and (kill or (boss_health is not None and boss_health < 100))
            begun = hurt or length_ms >= phase.at_s * 1000
        else:
            begun = phase.aura is None and phase.creature is None
        if begun:
            reached = phase.name
    return reached


def _span(phase: Phase, begin: int, end: int, *, seen: bool) -> PhaseSpan:
    return PhaseSpan(name=phase.name, begin=begin, end=end, downtime=phase.downtime, seen=seen)


class _Signs:
    """Auras and casts of an encounter's creatures that mark phases."""

    def __init__(self, view: FightView, encounter: Encounter) -> None:
        self._end = view.length_ms
        self._sharing = dict[int, list[str]]()
        for phase in encounter.phases:
            if phase.aura is not None:
                self._sharing.setdefault(phase.aura, []).append(phase.name)
        self._begun, self._ended = _sign_times(view, encounter, self._sharing.keys())

    def first_of(self, phase: Phase) -> int | None:
        times = self._begun.get(phase.aura or 0)
        return times[0] if times else None

    def spans_of(self, phase: Phase) -> list[PhaseSpan]:
        """Of a phase with a length. Phases that share a sign (in the air for the first, second … time) take turns."""
        if phase.aura is None or phase.length_s is None or phase.aura not in self._begun:
            return []
        length, spans = round(phase.length_s * 1000), list[PhaseSpan]()
        for at in self._begun[phase.aura]:
            if not spans or at >= spans[-1].end:
                gone = next((end for end in self._ended.get(phase.aura, ()) if at < end < at + length), at + length)
                spans.append(_span(phase, at, min(gone, self._end), seen=True))
        names = self._sharing[phase.aura]
        place = names.index(phase.name)
        mine = spans[place:] if place == len(names) - 1 else spans[place : place + 1]
        return [span for span in mine if span.end > span.begin]


def _sign_times(
    view: FightView, encounter: Encounter, wanted: Iterable[int]
) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    """When each sign began and ended, by the spell's id."""
    indexes = {view.spell_indexes[spell]: spell for spell in wanted if spell in view.spell_indexes}
    begun, ended = dict[int, list[int]](), dict[int, list[int]]()
    if not indexes:
        return begun, ended
    ids = {creature.id for creature in encounter.creatures}
    creatures = {number for number, actor in enumerate(view.actors) if actor.npc_id in ids}
    log = view.log
    for row in [row for row, spell in enumerate(log.spell) if spell in indexes]:
        spell, at = indexes[log.spell[row]], min(max(log.at[row], 0), view.length_ms)
        by, on = log.source[row] in creatures, log.target[row] in creatures
        if log.kind[row] == Kind.AURA_OFF and on:
            ended.setdefault(spell, []).append(at)
        elif (by and log.kind[row] in (Kind.CAST, Kind.CAST_START)) or (on and log.kind[row] == Kind.AURA_ON):
            begun.setdefault(spell, []).append(at)
    return begun, ended


def _recurring(phases: Sequence[Phase], signs: _Signs, end: int) -> list[PhaseSpan]:
    """Phases that take turns by time. Where the log shows one of them, the others are what lies between."""
    over = [span for phase in phases for span in signs.spans_of(phase)]
    shown = {span.name for span in over}
    rest = [phase for phase in phases if phase.name not in shown]
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
                seen, downtime = inside.seen, inside.downtime
                spans.append(PhaseSpan(name=inside.name, begin=at, end=inside.end, downtime=downtime, seen=seen))
                at = inside.end
    return spans


class _Begins:
    """When phases without a length of their own began."""

    def __init__(self, view: FightView, encounter: Encounter) -> None:
        self._view, self._fight, self._end = view, view.record.fight, view.length_ms
        bosses = {creature.id for creature in encounter.creatures if creature.boss}
        bosses |= {phase.creature for phase in encounter.phases if phase.creature is not None}
        self._health = _health_series(view, bosses)
        self._appeared = set[int]()

    def of(self, phase: Phase, signs: _Signs) -> tuple[int | None, bool]:
        """None: never, or it cannot be told; and whether the log shows it."""
        if phase.length_s is None and (at := signs.first_of(phase)) is not None:
            self._appeared |= {phase.creature or 0}
            return at, True
        if phase.health is not None:
            return self._crossing(phase.health, phase.creature)
        if phase.freed_from is not None and self._view.log:
            return self._freed(phase), True
        if phase.at_s is not None:
            return round(phase.at_s * 1000), False
        if phase.creature is not None:
            return self._appearance(phase.creature), True
        return (0, True) if phase.aura is None and phase.length_s is None else (None, False)

    def _crossing(self, health: float, creature: int | None) -> tuple[int | None, bool]:
        """By the health of that creature, or of the first boss to get there."""
        series = [one for number, one in self._health.items() if creature in (None, number)]
        if not series:
            return self._estimated(health), False
        found = [at for times, values in series for at, one in zip(times, values, strict=True) if one <= health]
        return (min(max(min(found), 0), self._end) if found else None), True

    def _freed(self, phase: Phase) -> int | None:
        """When the aura of its creature ended; else when it first hit somebody or was hit."""
        log, spell = self._view.log, self._view.spell_indexes.get(phase.freed_from or 0)
        wanted = {number for number, actor in enumerate(self._view.actors) if actor.npc_id == phase.creature}
        hit = None
        columns = zip(log.at, log.kind, log.source, log.target, log.spell, strict=True)
        for at, kind, source, target, of in compress(columns, kind_mask(log, (Kind.DAMAGE, Kind.AURA_OFF))):
            if kind == Kind.AURA_OFF:
                if of == spell and target in wanted:
                    return min(max(at, 0), self._end)
            elif hit is None and (source in wanted or target in wanted):
                hit = max(at, 0)
        return hit

    def _appearance(self, creature: int) -> int | None:
        """When it first did something, or something was done to it. The second phase with the same one needs a sign."""
        if creature in self._appeared:
            return None
        self._appeared.add(creature)
        log = self._view.log
        wanted = {number for number, actor in enumerate(self._view.actors) if actor.npc_id == creature}
        pairs = zip(log.at, log.source, log.target, strict=True)
        return next((max(at, 0) for at, source, target in pairs if source in wanted or target in wanted), None)

    def _estimated(self, health: float) -> int | None:
        """As if the boss had lost health evenly."""
        left = 0.0 if self._fight.kill else self._fight.boss_health
        if left is None or left > health or left >= 100:
            return None
        return round(self._end * (100 - health) / (100 - left))


def _health_series(view: FightView, creatures: set[int]) -> dict[int, tuple["array[int]", "array[float]"]]:
    """By creature id: times and per cent."""
    log = view.log
    wanted = {number: actor.npc_id for number, actor in enumerate(view.actors) if actor.npc_id in creatures}
    series = dict[int, tuple["array[int]", "array[float]"]]()
    columns = zip(log.at, log.source, log.target, log.flags, log.health, log.max_health, strict=True)
    about_source = int(Flag.ABOUT_SOURCE)
    for at, source, target, flags, health, most in columns:
        about = source if flags & about_source else target
        if about in wanted and most > 0 and health >= 0:
            times, values = series.setdefault(wanted[about], (array("i"), array("d")))
            times.append(at)
            values.append(100 * health / most)
    return series
