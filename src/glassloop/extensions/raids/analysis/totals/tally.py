"""Sums over a fight's rows: what each actor did and took, by ability. The import runs it on every fight, so that rows
are grouped in one pass, and everything that a group has in common is looked at once.

Damage counts where it is done to hostile creatures. What players do to each other is friendly fire, hits on one that is
under mind control too, but not what an effect shares (Soul Link); what somebody under mind control does counts nowhere.
Overkill is in no sum.
"""

import struct
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import compress
from operator import sub
from typing import Final

from glassloop.extensions.raids.analysis.view import kind_mask
from glassloop.extensions.raids.fight_log import NO_SPELL, FightLog, Flag, Kind
from glassloop.extensions.raids.records import Actor

_MAX_OWNERS: Final = 4
"""A totem's elemental has an owner that has one; a log that makes a circle of them has none."""

_COUNTED: Final = (Kind.MISS, Kind.CAST, Kind.INTERRUPT, Kind.DISPEL)
_ONE, _FOUR = struct.Struct("=Q"), struct.Struct("=4H")
# As plain numbers: an operation of flags makes a flag, which is ten times slower.
_CRITICAL: Final = int(Flag.CRITICAL)
_PERIODIC: Final = int(Flag.PERIODIC)
_SOURCE_HOSTILE: Final = int(Flag.SOURCE_HOSTILE)
_TARGET_HOSTILE: Final = int(Flag.TARGET_HOSTILE)
_SPLIT: Final = int(Flag.SPLIT)
_ANY_HOSTILE: Final = _SOURCE_HOSTILE | _TARGET_HOSTILE

AbilityKey = tuple[int, int]
"""Actor and spell."""


class AbilitySums:
    """Of one ability of one actor; see `AbilityTotal`."""

    __slots__ = ("absorbed", "casts", "criticals", "hits", "largest", "misses", "overheal", "targets", "ticks", "total")

    def __init__(self) -> None:
        self.total = self.overheal = self.absorbed = self.hits = self.criticals = self.ticks = 0
        self.misses = self.casts = self.largest = 0
        self.targets = set[int]()

    def add(self, amounts: list[int], target: int, flags: int) -> None:
        count, largest = len(amounts), max(amounts)
        self.total += sum(amounts)
        if flags & _PERIODIC:
            self.ticks += count
        else:
            self.hits += count
        if flags & _CRITICAL:
            self.criticals += count
        self.largest = max(self.largest, largest)
        self.targets.add(target)


class PlayerSums:
    """Of one player; see `Performance`."""

    __slots__ = (
        "absorbs", "casts", "damage", "dispels", "friendly_fire", "healing", "interrupts", "overheal", "pet_damage",
        "swings_taken", "taken",
    )  # fmt: skip

    def __init__(self) -> None:
        self.damage = self.pet_damage = self.healing = self.overheal = self.absorbs = self.taken = 0
        self.friendly_fire = self.casts = self.interrupts = self.dispels = self.swings_taken = 0


class FightTally:
    """All sums of a fight. `players` has everybody who did something or had something done to."""

    def __init__(self, log: FightLog, actors: Sequence[Actor]) -> None:
        self.players: defaultdict[int, PlayerSums] = defaultdict(PlayerSums)
        self.damage: defaultdict[AbilityKey, AbilitySums] = defaultdict(AbilitySums)
        self.healing: defaultdict[AbilityKey, AbilitySums] = defaultdict(AbilitySums)
        self.taken: defaultdict[AbilityKey, AbilitySums] = defaultdict(AbilitySums)
        self.casts: defaultdict[AbilityKey, int] = defaultdict(int)
        self._is_player = [actor.kind == "player" for actor in actors]
        self._owners = [owning_player(index, actors) for index in range(len(actors))]
        groups = _group_rows(log)
        self._sum_damage(groups)
        self._sum_misses(groups)
        self._sum_healing(groups)
        self._sum_casts(groups)

    def _owner(self, actor: int) -> int | None:
        """The player whose deed it is."""
        return self._owners[actor] if actor < len(self._owners) else None

    def _player(self, actor: int) -> bool:
        return actor < len(self._is_player) and self._is_player[actor]

    def _sum_damage(self, groups: "_Groups") -> None:
        for key, amounts in groups.damage.items():
            source, target, spell, flags = _parts(key)
            total = sum(amounts)
            if self._player(target):
                sums = self.players[target]
                sums.taken += total
                if spell == NO_SPELL and flags & _SOURCE_HOSTILE:
                    sums.swings_taken += len(amounts)
                taken = self.taken[target, spell]
                taken.add(amounts, source, flags)
                taken.absorbed += groups.absorbed.get(key, 0)
            owner = self._owner(source)
            if owner is None or flags & _SOURCE_HOSTILE:
                continue
            doer = self.players[owner]
            if self._player(target) or not flags & _TARGET_HOSTILE:
                if target != source and not flags & _SPLIT:
                    doer.friendly_fire += total
                continue
            doer.damage += total
            if source != owner:
                doer.pet_damage += total
            self.damage[source, spell].add(amounts, target, flags)

    def _sum_misses(self, groups: "_Groups") -> None:
        for key, count in groups.counts[Kind.MISS].items():
            source, target, spell, flags = _parts(key)
            if self._player(target):
                if spell == NO_SPELL and flags & _SOURCE_HOSTILE:
                    self.players[target].swings_taken += count
                self.taken[target, spell].misses += count
            elif self._owner(source) is not None and flags & _TARGET_HOSTILE and not flags & _SOURCE_HOSTILE:
                self.damage[source, spell].misses += count

    def _sum_healing(self, groups: "_Groups") -> None:
        for key, amounts in groups.healing.items():
            source, target, spell, flags = _parts(key)
            owner = self._owner(source)
            if owner is None or flags & _ANY_HOSTILE:
                continue
            overheal = groups.overheal.get(key, 0)
            doer, ability = self.players[owner], self.healing[source, spell]
            doer.healing += sum(amounts)
            doer.overheal += overheal
            ability.add(amounts, target, flags)
            ability.overheal += overheal
        for key, amounts in groups.absorbs.items():
            source, _, spell, flags = _parts(key)
            owner = self._owner(source)
            if owner is None or flags & _ANY_HOSTILE:
                continue
            total = sum(amounts)
            doer, ability = self.players[owner], self.healing[source, spell]
            doer.healing += total
            doer.absorbs += total
            ability.total += total
            ability.absorbed += total

    def _sum_casts(self, groups: "_Groups") -> None:
        for key, count in groups.counts[Kind.CAST].items():
            source, _, spell, _ = _parts(key)
            if self._owner(source) is None:
                continue
            self.casts[source, spell] += count
            if self._player(source):
                self.players[source].casts += count
        for kind, name in ((Kind.INTERRUPT, "interrupts"), (Kind.DISPEL, "dispels")):
            for key, count in groups.counts[kind].items():
                if (owner := self._owner(_parts(key)[0])) is not None:
                    sums = self.players[owner]
                    setattr(sums, name, getattr(sums, name) + count)


class _Groups:
    """Rows by source, target, spell and flags, which make one number (`_parts` takes it apart)."""

    def __init__(self) -> None:
        self.damage: defaultdict[int, list[int]] = defaultdict(list)
        self.absorbed: defaultdict[int, int] = defaultdict(int)
        self.healing: defaultdict[int, list[int]] = defaultdict(list)
        """Effective."""
        self.overheal: defaultdict[int, int] = defaultdict(int)
        self.absorbs: defaultdict[int, list[int]] = defaultdict(list)
        self.counts: dict[int, Counter[int]] = {int(kind): Counter() for kind in _COUNTED}


def _group_rows(log: FightLog) -> _Groups:
    groups, keys = _Groups(), _keys(log)
    for kind, amounts_by_key, extra_by_key in (
        (Kind.DAMAGE, groups.damage, groups.absorbed),
        (Kind.HEAL, groups.healing, groups.overheal),
        (Kind.ABSORB, groups.absorbs, None),
    ):
        mask = kind_mask(log, (kind,))
        own, amounts = list(compress(keys, mask)), compress(log.amount, mask)
        if extra_by_key is not None:
            extras = list(compress(log.extra, mask))
            if kind == Kind.HEAL:
                amounts = map(sub, amounts, extras)
            for key, extra in compress(zip(own, extras, strict=True), extras):
                extra_by_key[key] += extra
        for key, amount in zip(own, amounts, strict=True):
            amounts_by_key[key].append(amount)
    for kind, counts in groups.counts.items():
        counts.update(compress(keys, kind_mask(log, (kind,))))
    return groups


def _keys(log: FightLog) -> list[int]:
    """Four columns side by side, read as one number a row: such a key costs less than a tuple of four, and a list of
    them less than a column, which makes each number anew whenever it is read."""
    joined = array("H", bytes(8 * len(log)))
    joined[0::4], joined[1::4], joined[2::4], joined[3::4] = log.source, log.target, log.spell, log.flags
    return array("Q", joined.tobytes()).tolist()


def _parts(key: int) -> tuple[int, int, int, int]:
    return _FOUR.unpack(_ONE.pack(key))


def owning_player(index: int, actors: Sequence[Actor]) -> int | None:
    """The player that an actor is or belongs to, also by way of another pet."""
    for _ in range(_MAX_OWNERS):
        if not 0 <= index < len(actors):
            return None
        actor = actors[index]
        if actor.kind == "player":
            return index
        if actor.owner is None:
            return None
        index = actor.owner
    return None
