"""Buffs and debuffs of a fight as intervals, clipped to it.

An aura is told apart by target and spell, and by caster where every caster has its own (damage over time, and whatever
was seen from two casters at once): of others, such as Sunder Armor, anybody renews and ends the one that is there. It
is on from before the fight where its first sign there is anything but its application, or where COMBATANT_INFO lists
it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL, NOBODY, Flag, Kind

_KINDS: Final = frozenset({Kind.AURA_ON, Kind.AURA_OFF, Kind.AURA_REFRESH, Kind.AURA_DOSE})
_WITH_DEATHS: Final = _KINDS | {Kind.DEATH}
_BUFF: Final = int(Flag.BUFF)
_ENDS: Final = frozenset({Kind.AURA_ON, Kind.AURA_OFF})

_Key = tuple[int, int, int]
"""Target, the spell's id as the game has it, source."""


class AuraInterval(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Times are in ms from the fight's start. `spell` is an index of the report's spells: `NO_SPELL` for one that only
    COMBATANT_INFO names and no line of the log does; `spell_id` is there always. `stacks` is the most there were."""

    target: int
    source: int
    spell: int
    spell_id: int
    buff: bool
    begin: int
    end: int
    stacks: int = 1
    from_before: bool = False
    refreshed: tuple[int, ...] = ()
    """When it was renewed while it was on."""
    removed: bool = True
    """Whether its end was seen; else it was on when the fight ended."""

    @property
    def length_ms(self) -> int:
        return self.end - self.begin


class _OpenAura:
    __slots__ = ("begin", "buff", "from_before", "refreshed", "spell", "stacks")

    def __init__(self, spell: int, begin: int, *, buff: bool, stacks: int = 1, from_before: bool = False) -> None:
        self.spell, self.begin, self.buff, self.stacks, self.from_before = spell, begin, buff, stacks, from_before
        self.refreshed: list[int] = []


def aura_intervals(
    view: FightView, target: int | None = None, source: int | None = None, spell_ids: Collection[int] | None = None
) -> list[AuraInterval]:
    """Of all auras on `target`, by `source` and of these spells, where given, in the order of their beginning."""
    every = target if source is None else None
    found = _kept(view, every) if spell_ids is None else _read(view, target, spell_ids)
    return [
        one for one in found if (target is None or one.target == target) and (source is None or one.source == source)
    ]


def _kept(view: FightView, target: int | None) -> list[AuraInterval]:
    """All of the fight or of a target, read once a view."""
    kept: dict[int | None, list[AuraInterval]] = view.derived.setdefault("auras", {})
    found = kept.get(None)
    if found is None:
        found = kept.get(target)
    if found is None:
        found = kept[target] = _read(view, target, None)
    return found


def _read(view: FightView, target: int | None, spell_ids: Collection[int] | None) -> list[AuraInterval]:
    reading = _Reading(view, target, spell_ids)
    reading.read_combatants()
    reading.read_rows()
    return reading.finish()


def uptime_ms(intervals: Iterable[AuraInterval]) -> int:
    """For how long at least one of them was on."""
    return sum(end - begin for begin, end in merged((one.begin, one.end) for one in intervals))


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same time as spans that neither overlap nor touch, in order; empty ones are left out."""
    joined = list[tuple[int, int]]()
    for begin, end in sorted(span for span in spans if span[1] > span[0]):
        if joined and begin <= joined[-1][1]:
            if end > joined[-1][1]:
                joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined


def without(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of merged spans that lie in none of the others."""
    kept = list(spans)
    for cut_begin, cut_end in others:
        kept = [
            part
            for begin, end in kept
            for part in ((begin, min(end, cut_begin)), (max(begin, cut_end), end))
            if part[1] > part[0]
        ]
    return merged(kept)


def aura_name(view: FightView, interval: AuraInterval) -> str:
    """In the language of the client where the log names it, else in English where the game's facts do."""
    if interval.spell != NO_SPELL and (name := view.spell_name(interval.spell)):
        return name
    knowledge = view.knowledge
    for look_up in (
        knowledge.consumable_of_aura, knowledge.buff_of, knowledge.spell_of, knowledge.cooldown_of, knowledge.proc_of,
    ):  # fmt: skip
        if (known := look_up(interval.spell_id)) is not None:
            return known.name
    return f"spell {interval.spell_id}"


class _Reading:
    """Goes through the rows once, with what is on at the moment."""

    def __init__(self, view: FightView, target: int | None, spell_ids: Collection[int] | None) -> None:
        self._view, self._target, self._spell_ids = view, target, spell_ids
        rows = view.rows_of_kind(_WITH_DEATHS) if target is None else view.rows_of(target, _WITH_DEATHS, as_target=True)
        if spell_ids is not None:
            kept = {index for index, spell in enumerate(view.spells) if spell.id in spell_ids} | {NO_SPELL}
            spells = view.log.spell
            rows = [row for row in rows if spells[row] in kept]
        self._rows = rows
        self._own = _casters_own(view, self._rows)
        self._open = dict[_Key, _OpenAura]()
        self._sources = defaultdict[tuple[int, int], dict[int, None]](dict)
        """Of what is on: by target and the spell's id, in order."""
        self._on = defaultdict[int, dict[_Key, None]](dict)
        """By target."""
        self._seen = set[_Key]()
        """All that had a sign: the first one tells whether it was on before."""
        self._intervals = list[AuraInterval]()

    def read_combatants(self) -> None:
        for combatant in self._view.record.combatants:
            if self._target is not None and combatant.actor != self._target:
                continue
            for caster, spell_id in combatant.auras:
                if self._spell_ids is not None and spell_id not in self._spell_ids:
                    continue
                spell = self._view.spell_indexes.get(spell_id, NO_SPELL)
                aura = _OpenAura(spell, 0, buff=True, from_before=True)
                if (combatant.actor, spell_id, caster) not in self._open:
                    self._put((combatant.actor, spell_id, caster), aura)

    def read_rows(self) -> None:
        view, log = self._view, self._view.log
        for row in self._rows:
            target, at = log.target[row], min(max(log.at[row], 0), view.length_ms)
            if log.kind[row] == Kind.DEATH:
                self._die(target, at)
            elif log.spell[row] != NO_SPELL:
                self._read(row, target, at)

    def _read(self, row: int, target: int, at: int) -> None:
        log = self._view.log
        kind, spell, source, buff = log.kind[row], log.spell[row], log.source[row], bool(log.flags[row] & _BUFF)
        spell_id = self._view.spell_id(spell)
        key = self._find((target, spell_id, source))
        aura = self._open.get(key)
        sign = (target, spell_id, source if spell in self._own else NOBODY)
        first = sign not in self._seen
        self._seen.add(sign)
        if kind == Kind.AURA_ON:
            if aura is not None:
                self._close(key, aura, at)
            self._put((target, spell_id, source), _OpenAura(spell, at, buff=buff))
            return
        if aura is None:
            if kind == Kind.AURA_OFF and not first:
                return
            aura = _OpenAura(spell, 0 if first else at, buff=buff, from_before=first)
            self._put(key, aura)
        aura.buff, aura.spell = buff, spell
        if kind == Kind.AURA_OFF:
            self._close(key, aura, at)
        elif kind == Kind.AURA_DOSE:
            aura.stacks = max(aura.stacks, log.amount[row])
        elif not aura.refreshed or aura.refreshed[-1] != at:
            aura.refreshed.append(at)

    def _find(self, key: _Key) -> _Key:
        """The open aura that is meant: of the same caster, else of one that either side does not name, else, where
        casters share it, of any."""
        if key in self._open:
            return key
        target, spell_id, source = key
        sources = self._sources.get((target, spell_id))
        if not sources:
            return key
        if NOBODY in sources:
            return (target, spell_id, NOBODY)
        if source == NOBODY or self._view.spell_indexes.get(spell_id, NO_SPELL) not in self._own:
            return (target, spell_id, next(iter(sources)))
        return key

    def _put(self, key: _Key, aura: _OpenAura) -> None:
        self._open[key] = aura
        self._sources[key[0], key[1]][key[2]] = None
        self._on[key[0]][key] = None

    def _die(self, target: int, at: int) -> None:
        """What dies for good has no auras any more; a player's are ended by the log, as some outlast a death."""
        if self._view.is_player(target):
            return
        for key in list(self._on.get(target, ())):
            self._close(key, self._open[key], at)

    def _close(self, key: _Key, aura: _OpenAura, at: int, *, removed: bool = True) -> None:
        target, spell_id, source = key
        del self._open[key]
        del self._sources[target, spell_id][source], self._on[target][key]
        self._intervals.append(
            AuraInterval(
                target=target, source=source, spell=aura.spell, spell_id=spell_id, buff=aura.buff, begin=aura.begin,
                end=max(aura.begin, at), stacks=aura.stacks, from_before=aura.from_before,
                refreshed=tuple(aura.refreshed), removed=removed,
            )
        )  # fmt: skip

    def finish(self) -> list[AuraInterval]:
        for key, aura in list(self._open.items()):
            self._close(key, aura, self._view.length_ms, removed=False)
        return sorted(self._intervals, key=lambda one: (one.begin, one.end))


def _casters_own(view: FightView, rows: Sequence[int]) -> set[int]:
    """Spells (by index) of which every caster has its own aura on a target."""
    log = view.log
    own = set[int]()
    casters = dict[tuple[int, int], set[int]]()
    ended_by_others = set[tuple[int, int]]()
    for row in rows:
        kind, spell, source = log.kind[row], log.spell[row], log.source[row]
        if kind not in _ENDS or spell == NO_SPELL or spell in own:
            continue
        place = (log.target[row], spell)
        there = casters.setdefault(place, set())
        if kind == Kind.AURA_ON:
            if there - {source}:
                own.add(spell)
            there.add(source)
            ended_by_others.discard(place)
        elif source in there:
            if place in ended_by_others:
                own.add(spell)
            there.discard(source)
        elif there:
            ended_by_others.add(place)
    for spell in {log.spell[row] for row in rows} - own:
        if view.knowledge.dot_of(view.spell_id(spell)) is not None:
            own.add(spell)
    return own
