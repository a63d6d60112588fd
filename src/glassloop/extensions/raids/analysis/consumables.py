"""Consumables of players in a fight: what was on for how long, what was used, and what is missing for the role.

A flask, or one battle and one guardian elixir; a potion of damage dealers, and a mana potion of healers low on mana.
What was taken before the pull is known from COMBATANT_INFO or from its end during the fight: where the log has neither,
it is unknown, and not missing.
"""

from collections.abc import Sequence
from typing import Final

from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, uptime_ms
from glassloop.extensions.raids.analysis.casts import has_casts
from glassloop.extensions.raids.analysis.efficiency.resources import resource_uses
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.knowledge.facts import Consumable, ConsumableKind
from glassloop.extensions.raids.records import Performance, RaidRecord

POTION_COOLDOWN_S: Final = 120
"""Shared by all potions."""
SHORT_PERCENT: Final = 50.0
"""With less of the fight it was only there at the pull, or ran out."""
WHOLE_PERCENT: Final = 90.0
LOW_MANA: Final = 0.6
"""A healer that had more than this all the time needed no potion."""
LEAST_POTION_S: Final = 60
"""Who was alive for less is not asked for a potion: one before the pull is not in the log."""
MAIN_HAND: Final = 15
OFF_HAND: Final = 16

_POTIONS: Final[tuple[ConsumableKind, ...]] = ("potion", "mana potion", "healing potion")
_USED: Final[tuple[ConsumableKind, ...]] = (*_POTIONS, "rune", "drums", "bandage", "other")
_WEAPON_BY_CLASS: Final = ("Hunter", "Druid")
"""Whose weapons need no oil or stone: the one shoots, the other fights in a form."""


class ConsumableUptime(RaidRecord, frozen=True, kw_only=True):
    """Something that was on a player, in per cent of the time alive."""

    name: str
    kind: ConsumableKind
    percent: float
    begin: int
    end: int

    @property
    def short(self) -> bool:
        return self.percent < SHORT_PERCENT


class ConsumableMoment(RaidRecord, frozen=True, kw_only=True):
    """Something that was used in the fight, in ms."""

    name: str
    kind: ConsumableKind
    at: int


class ConsumableCheck(RaidRecord, frozen=True, kw_only=True):
    """Of one player."""

    player: int
    uptimes: tuple[ConsumableUptime, ...] = ()
    weapons: tuple[str, ...] = ()
    """Temporary enchants by hand."""
    used: tuple[ConsumableMoment, ...] = ()
    alive_ms: int = 0
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def of(self, *kinds: ConsumableKind) -> list[ConsumableUptime]:
        return [one for one in self.uptimes if one.kind in kinds]

    def lasting(self, *kinds: ConsumableKind) -> list[ConsumableUptime]:
        """Those that neither ran out early nor came late."""
        return [one for one in self.of(*kinds) if not one.short]

    @property
    def in_part(self) -> list[ConsumableUptime]:
        """Those that were there for less than nine tenths of the time, with nothing of their kind for the rest."""
        lasting = {one.kind for one in self.uptimes if one.percent >= WHOLE_PERCENT}
        return [
            one for one in self.uptimes
            if one.percent < WHOLE_PERCENT and one.kind not in lasting and one.kind != "scroll"
        ]  # fmt: skip

    @property
    def faultless(self) -> bool:
        """Nothing is missing, nothing ran out, and all of it is known."""
        return not (self.missing or self.in_part or self.unknown)

    @property
    def potions_possible(self) -> int:
        return 1 + self.alive_ms // (POTION_COOLDOWN_S * 1000)

    @property
    def potions(self) -> list[ConsumableMoment]:
        return [one for one in self.used if one.kind in _POTIONS]


def check_consumables(view: FightView, players: Sequence[int]) -> list[ConsumableCheck]:
    """Everything of each of these players."""
    spells = {spell for one in view.knowledge.consumables if one.kind not in _USED for spell in one.auras}
    auras = {player: list[AuraInterval]() for player in players}
    for aura in aura_intervals(view, target=players[0] if len(players) == 1 else None, spell_ids=spells):
        if aura.target in auras:
            auras[aura.target].append(aura)
    return [_check(view, player, auras[player]) for player in players]


def _check(view: FightView, player: int, auras: Sequence[AuraInterval]) -> ConsumableCheck:
    uptimes = _uptimes(view, player, auras)
    weapons, weapons_known = _weapons(view, player)
    used = _used(view, player)
    performance = view.performances.get(player) or Performance(actor=player)
    low = performance.role == "healer" and _low_on_mana(view, player)
    wanted = _wanted(uptimes, weapons, performance)
    if view.alive_ms(player) >= LEAST_POTION_S * 1000:
        wanted += _wanted_potion(used, performance, low_on_mana=low)
    unknown = {"weapon oil or stone"} if not weapons_known else set[str]()
    if not _knows_before(view):
        # Only what came or went during the fight was seen.
        unknown |= {"flask or elixirs", "battle elixir", "guardian elixir", "food"}
    if not has_casts(view):
        unknown |= {"potion", "mana potion"}
    return ConsumableCheck(
        player=player,
        uptimes=tuple(uptimes),
        weapons=tuple(weapons),
        used=tuple(used),
        alive_ms=view.alive_ms(player),
        missing=tuple(name for name in wanted if name not in unknown),
        unknown=tuple(name for name in wanted if name in unknown),
    )


def _knows_before(view: FightView) -> bool:
    return any(combatant.auras for combatant in view.record.combatants)


def _low_on_mana(view: FightView, player: int) -> bool:
    """Whether there was room for a mana potion; true where the log does not tell."""
    mana = [use for use in resource_uses(view, player) if use.power == "mana"]
    return not mana or mana[0].lowest < LOW_MANA * mana[0].maximum


def _uptimes(view: FightView, player: int, auras: Sequence[AuraInterval]) -> list[ConsumableUptime]:
    groups = dict[str, tuple[Consumable, list[AuraInterval]]]()
    for aura in auras:
        if (one := view.knowledge.consumable_of_aura(aura.spell_id)) is not None:
            groups.setdefault(one.name, (one, []))[1].append(aura)
    alive = view.alive_ms(player)
    return [
        ConsumableUptime(
            name=name,
            kind=one.kind,
            percent=min(100.0, 100 * uptime_ms(intervals) / alive),
            begin=intervals[0].begin,
            end=max(aura.end for aura in intervals),
        )
        for name, (one, intervals) in groups.items()
    ]


def _weapons(view: FightView, player: int) -> tuple[list[str], bool]:
    """Temporary enchants by name, and whether the log tells them."""
    combatant = view.combatants.get(player)
    if combatant is None or not combatant.gear:
        return [], False
    found = list[str]()
    for item in combatant.gear:
        if item.slot in (MAIN_HAND, OFF_HAND) and item.temporary_enchant:
            one = view.knowledge.consumable_of_enchant(item.temporary_enchant)
            name = one.name if one is not None else f"temporary enchant {item.temporary_enchant}"
            found.append(f"{'main hand' if item.slot == MAIN_HAND else 'off hand'}: {name}")
    return found, True


def _used(view: FightView, player: int) -> list[ConsumableMoment]:
    log, found = view.log, list[ConsumableMoment]()
    for row in view.rows_of(player, {Kind.CAST}):
        one = view.knowledge.consumable_of_cast(view.spell_id(log.spell[row]))
        if one is not None and one.kind in _USED:
            found.append(ConsumableMoment(name=one.name, kind=one.kind, at=log.at[row]))
    return found


def _wanted(
    uptimes: Sequence[ConsumableUptime],
    weapons: Sequence[str],
    performance: Performance,
) -> list[str]:
    """What the role asks for and was not seen. Scrolls are a plus and never missed."""
    kinds = {one.kind for one in uptimes}
    wanted = list[str]()
    if "flask" not in kinds:
        elixirs = [kind for kind in ("battle elixir", "guardian elixir") if kind in kinds]
        if not elixirs:
            wanted.append("flask or elixirs")
        elif len(elixirs) == 1:
            wanted.append("guardian elixir" if elixirs[0] == "battle elixir" else "battle elixir")
    if "food" not in kinds:
        wanted.append("food")
    weapon_on = bool(weapons) or "weapon" in kinds
    if not weapon_on and performance.class_name not in _WEAPON_BY_CLASS:
        wanted.append("weapon oil or stone")
    return wanted


def _wanted_potion(used: Sequence[ConsumableMoment], performance: Performance, *, low_on_mana: bool) -> list[str]:
    """Tanks are asked for none, and healers only where they were low on mana."""
    if performance.role == "damage" and not any(one.kind in _POTIONS for one in used):
        return ["potion"]
    return ["mana potion"] if low_on_mana and not any(one.kind in ("mana potion", "rune") for one in used) else []
