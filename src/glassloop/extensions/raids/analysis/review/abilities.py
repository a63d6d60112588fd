"""Damage and healing of a player by ability, pets apart; ranks of a spell are one ability."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.records import AbilityTotal, RaidRecord


class PlayerAbility(RaidRecord, frozen=True, kw_only=True):
    """One ability, of the player or of one of its pets. `share` is of all that player and pets did, in per cent."""

    name: str
    pet: str = ""
    spell_ids: tuple[int, ...]
    total: int
    share: float
    overheal: int = 0
    absorbed: int = 0
    casts: int = 0
    hits: int = 0
    ticks: int = 0
    criticals: int = 0
    misses: int = 0
    targets: int = 0
    largest: int = 0

    @property
    def average(self) -> float | None:
        """Of a hit or tick; None for what only absorbs."""
        count = self.hits + self.ticks
        return (self.total - self.absorbed) / count if count else None

    @property
    def critical_percent(self) -> float | None:
        count = self.hits + self.ticks
        return 100 * self.criticals / count if count else None

    @property
    def miss_percent(self) -> float:
        """Of casts, where hits do not tell how often it was tried: what only ticks is resisted once a cast. Misses
        beyond the casts are of ticks."""
        by_tick = self.ticks and self.misses > self.casts
        tried = self.hits + self.misses + (self.ticks if by_tick else 0)
        return 100 * self.misses / max(tried, self.casts) if self.misses else 0.0

    @property
    def overheal_percent(self) -> float:
        whole = self.total - self.absorbed + self.overheal
        return 100 * self.overheal / whole if whole else 0.0


def ability_shares(view: FightView, player: int, kind: Literal["damage", "healing", "taken"]) -> list[PlayerAbility]:
    """Of the player and its pets, the largest first. Abilities that did nothing are left out, unless they missed."""
    owned = {player, *(view.pets_of(player) if kind != "taken" else ())}
    groups = dict[tuple[str, str], list[AbilityTotal]]()
    for ability in view.record.abilities:
        if ability.kind == kind and ability.actor in owned and (ability.total or ability.overheal or ability.misses):
            pet = "" if ability.actor == player else view.name_of(ability.actor)
            groups.setdefault((pet, view.spell_name(ability.spell)), []).append(ability)
    whole = sum(ability.total for abilities in groups.values() for ability in abilities)
    found = [_share(view, name, pet, abilities, whole) for (pet, name), abilities in groups.items()]
    return sorted(found, key=lambda one: (-one.total, one.name))


class TargetTotal(RaidRecord, frozen=True, kw_only=True):
    """What a player and its pets did to creatures of one name, or for one player."""

    name: str
    total: int
    share: float
    overheal: int = 0
    creatures: int = 1
    """How many of that name."""
    hits: int = 0


def target_totals(view: FightView, player: int, kind: Literal["damage", "healing"]) -> list[TargetTotal]:
    """By target, the most first."""
    log, damage = view.log, kind == "damage"
    kinds = {Kind.DAMAGE} if damage else {Kind.HEAL, Kind.ABSORB}
    groups = defaultdict[str, list[int]](list)
    for actor in (player, *view.pets_of(player)):
        for row in view.rows_of(actor, kinds):
            hostile = bool(log.flags[row] & Flag.TARGET_HOSTILE)
            if hostile == damage and not log.flags[row] & Flag.SOURCE_HOSTILE and log.target[row] < len(view.actors):
                groups[view.full_name(log.target[row])].append(row)
    totals = {name: sum(_done(view, row) for row in rows) for name, rows in groups.items()}
    whole = sum(totals.values())
    found = [
        TargetTotal(
            name=name,
            total=totals[name],
            share=100 * totals[name] / whole if whole else 0.0,
            overheal=sum(log.extra[row] for row in rows if log.kind[row] == Kind.HEAL),
            creatures=len({log.target[row] for row in rows}),
            hits=len(rows),
        )
        for name, rows in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.total, one.name))


def _done(view: FightView, row: int) -> int:
    """Damage, effective healing or what a shield absorbed."""
    log = view.log
    return log.amount[row] - (log.extra[row] if log.kind[row] == Kind.HEAL else 0)


def _share(view: FightView, name: str, pet: str, abilities: Sequence[AbilityTotal], whole: int) -> PlayerAbility:
    total = sum(one.total for one in abilities)
    return PlayerAbility(
        name=name,
        pet=pet,
        spell_ids=tuple(sorted({view.spell_id(one.spell) for one in abilities} - {0})),
        total=total,
        share=100 * total / whole if whole else 0.0,
        overheal=sum(one.overheal for one in abilities),
        absorbed=sum(one.absorbed for one in abilities),
        casts=sum(one.casts for one in abilities),
        hits=sum(one.hits for one in abilities),
        ticks=sum(one.ticks for one in abilities),
        criticals=sum(one.criticals for one in abilities),
        misses=sum(one.misses for one in abilities),
        targets=max(one.targets for one in abilities),
        largest=max(one.largest for one in abilities),
    )
