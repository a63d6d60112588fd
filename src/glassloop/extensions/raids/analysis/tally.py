"""Sums over a fight's rows: what each actor did and took, by ability. The import runs it on every fight, so that rows
are grouped in one pass a kind, and everything that a group has in common is looked at once.

Damage counts where it is done to hostile creatures. What players do to each other is friendly fire, hits on one that is
under mind control too; what somebody under mind control does counts nowhere. Overkill is in no sum.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final

from glassloop.extensions.raids.analysis.view import kind_mask
from glassloop.extensions.raids.fight_log import NO_SPELL, FightLog, Flag, Kind
from glassloop.extensions.raids.records import Actor

_MAX_OWNERS: Final = 4
"""A totem's elemental has an owner that has one; a log that makes a circle of them has none."""

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
        if flags & Flag.PERIODIC:
            self.ticks += count
        else:
            self.hits += count
        if flags & Flag.CRITICAL:
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
        self._log = log
        self._is_player = [actor.kind == "player" for actor in actors]
        self._owners = [owning_player(index, actors) for index in range(len(actors))]
        self._sum_damage()
        self._sum_misses()
        self._sum_healing()
        self._sum_casts()

    def _groups(self, kind: Kind) -> dict[tuple[int, int, int, int], list[int]]:
        """Amounts by source, target, spell and flags."""
        log, mask = self._log, kind_mask(self._log, (kind,))
        groups = defaultdict[tuple[int, int, int, int], list[int]](list)
        keys = compress(zip(log.source, log.target, log.spell, log.flags, strict=True), mask)
        for key, amount in zip(keys, compress(log.amount, mask), strict=True):
            groups[key].append(amount)
        return groups

    def _owner(self, actor: int) -> int | None:
        """The player whose deed it is."""
        return self._owners[actor] if actor < len(self._owners) else None

    def _player(self, actor: int) -> bool:
        return actor < len(self._is_player) and self._is_player[actor]

    def _sum_damage(self) -> None:
        for (source, target, spell, flags), amounts in self._groups(Kind.DAMAGE).items():
            total = sum(amounts)
            if self._player(target):
                sums = self.players[target]
                sums.taken += total
                if spell == NO_SPELL and flags & Flag.SOURCE_HOSTILE:
                    sums.swings_taken += len(amounts)
                self.taken[target, spell].add(amounts, source, flags)
            owner = self._owner(source)
            if owner is None or flags & Flag.SOURCE_HOSTILE:
                continue
            doer = self.players[owner]
            if self._player(target) or not flags & Flag.TARGET_HOSTILE:
                if target != source:
                    doer.friendly_fire += total
                continue
            doer.damage += total
            if source != owner:
                doer.pet_damage += total
            self.damage[source, spell].add(amounts, target, flags)
        for target, spell, absorbed in self._absorbed():
            if self._player(target):
                self.taken[target, spell].absorbed += absorbed

    def _absorbed(self) -> Iterator[tuple[int, int, int]]:
        """Target, spell and amount of the hits that shields took a part of."""
        log = self._log
        some = compress(zip(log.kind, log.target, log.spell, log.extra, strict=True), log.extra)
        return ((target, spell, extra) for kind, target, spell, extra in some if kind == Kind.DAMAGE)

    def _sum_misses(self) -> None:
        for (source, target, spell, flags), amounts in self._groups(Kind.MISS).items():
            if self._player(target):
                sums = self.players[target]
                if spell == NO_SPELL and flags & Flag.SOURCE_HOSTILE:
                    sums.swings_taken += len(amounts)
                self.taken[target, spell].misses += len(amounts)
            if (
                self._owner(source) is not None
                and flags & Flag.TARGET_HOSTILE
                and not flags & Flag.SOURCE_HOSTILE
                and not self._player(target)
            ):
                self.damage[source, spell].misses += len(amounts)

    def _sum_healing(self) -> None:
        log, mask = self._log, kind_mask(self._log, (Kind.HEAL,))
        groups = defaultdict[tuple[int, int, int, int], list[tuple[int, int]]](list)
        keys = compress(zip(log.source, log.target, log.spell, log.flags, strict=True), mask)
        for key, heal in zip(keys, compress(zip(log.amount, log.extra, strict=True), mask), strict=True):
            groups[key].append(heal)
        for (source, target, spell, flags), heals in groups.items():
            owner = self._owner(source)
            if owner is None or flags & (Flag.SOURCE_HOSTILE | Flag.TARGET_HOSTILE):
                continue
            effective, overheal = [whole - over for whole, over in heals], sum(over for _, over in heals)
            doer, ability = self.players[owner], self.healing[source, spell]
            doer.healing += sum(effective)
            doer.overheal += overheal
            ability.add(effective, target, flags)
            ability.overheal += overheal
        for (source, target, spell, flags), amounts in self._groups(Kind.ABSORB).items():
            owner = self._owner(source)
            if owner is None or flags & (Flag.SOURCE_HOSTILE | Flag.TARGET_HOSTILE) or not target < len(self._owners):
                continue
            total = sum(amounts)
            doer, ability = self.players[owner], self.healing[source, spell]
            doer.healing += total
            doer.absorbs += total
            ability.total += total
            ability.absorbed += total

    def _sum_casts(self) -> None:
        for (source, _, spell, _), amounts in self._groups(Kind.CAST).items():
            if self._owner(source) is None:
                continue
            self.casts[source, spell] += len(amounts)
            if self._player(source):
                self.players[source].casts += len(amounts)
        for (source, *_), amounts in self._groups(Kind.INTERRUPT).items():
            if (owner := self._owner(source)) is not None:
                self.players[owner].interrupts += len(amounts)
        for (source, *_), amounts in self._groups(Kind.DISPEL).items():
            if (owner := self._owner(source)) is not None:
                self.players[owner].dispels += len(amounts)


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
