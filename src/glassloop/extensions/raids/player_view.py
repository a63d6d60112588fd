"""A player in one fight as the API shows it: abilities, and how long buffs and debuffs were on."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import msgspec

from glassloop.extensions.raids.analysis.review.abilities import PlayerAbility, ability_shares
from glassloop.extensions.raids.analysis.review.buffs import AuraUptime, buffs_on, debuffs_by, debuffs_on
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.storage.rows import StoredFight

MAX_ROWS: Final = 50


class AbilityView(msgspec.Struct, frozen=True, kw_only=True):
    """An ability of a player, or of the pet it names. `share_percent` is of all that the player and the pets did."""

    name: str
    pet: str
    total: int
    share_percent: float
    casts: int
    hits: int
    ticks: int
    critical_percent: float | None
    overheal_percent: float


class UptimeView(msgspec.Struct, frozen=True, kw_only=True):
    """An aura in per cent of the time that the player was alive; of debuffs on enemies, of the fight."""

    name: str
    kind: str
    percent: float
    applied: int


class RaidPlayerFight(msgspec.Struct, frozen=True, kw_only=True):
    """A player in a fight, the largest first: damage, healing and damage taken by ability, `buffs` and `debuffs` on the
    player, `enemy_debuffs` that the player kept on bosses."""

    name: str
    realm: str
    length_s: float
    alive_s: float
    damage: Sequence[AbilityView]
    healing: Sequence[AbilityView]
    taken: Sequence[AbilityView]
    buffs: Sequence[UptimeView]
    debuffs: Sequence[UptimeView]
    enemy_debuffs: Sequence[UptimeView]


def player_view(stored: StoredFight, log: FightLog, name: str) -> RaidPlayerFight | None:
    """The player of that name; None where there is none."""
    view = FightView(stored.record, log, stored.actors, stored.spells, load_knowledge())
    player = view.find_player(name)
    if player is None:
        return None
    actor = view.actors[player]
    return RaidPlayerFight(
        name=actor.name,
        realm=actor.realm,
        length_s=view.length_ms / 1000,
        alive_s=view.alive_ms(player) / 1000,
        damage=_abilities(ability_shares(view, player, "damage")),
        healing=_abilities(ability_shares(view, player, "healing")),
        taken=_abilities(ability_shares(view, player, "taken")),
        buffs=_uptimes(buffs_on(view, player)),
        debuffs=_uptimes(debuffs_on(view, player)),
        enemy_debuffs=_uptimes(debuffs_by(view, player)),
    )


def _abilities(shares: Iterable[PlayerAbility]) -> list[AbilityView]:
    return [
        AbilityView(
            name=one.name, pet=one.pet, total=one.total, share_percent=round(one.share, 1), casts=one.casts,
            hits=one.hits, ticks=one.ticks, critical_percent=_rounded(one.critical_percent),
            overheal_percent=round(one.overheal_percent, 1),
        )
        for one in islice(shares, MAX_ROWS)
    ]  # fmt: skip


def _uptimes(auras: Iterable[AuraUptime]) -> list[UptimeView]:
    return [
        UptimeView(name=one.name, kind=one.kind, percent=round(one.percent, 1), applied=one.applied)
        for one in islice(auras, MAX_ROWS)
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
