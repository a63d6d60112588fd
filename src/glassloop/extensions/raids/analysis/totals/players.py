"""Class, spec and role of the players of a fight.

The class is told by the abilities used, the spec by talents, else by spells that only one spec casts, the role by the
spec; where it is open (Feral, or no spec), by what the player did.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from glassloop.extensions.raids.analysis.totals.druid_forms import BEAR_SPELLS, CAT_SPELLS
from glassloop.extensions.raids.analysis.totals.tally import PlayerSums
from glassloop.extensions.raids.analysis.view import kind_rows
from glassloop.extensions.raids.fight_log import FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Spec
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import Combatant, Role, Spell

_RAGE: Final = 1
_ENERGY: Final = 3
_FERAL: Final = "Feral"
_SHIRT, _TABARD = 3, 18
TANK_SHARE: Final = 0.2
"""Of all swings of hostile creatures at players: who draws that much is tanking."""
_TANKS_SPELLS: Final = frozenset({2565, 6572, 6574, 7379, 11600, 11601, 25288, 25269, 30357, 355, 31789, 6795, 25780})
"""Shield Block, Revenge, taunts, Righteous Fury: done by who tanks, whatever the spec."""
_MIN_TANKS_CASTS: Final = 3
_TANKING_CLASSES: Final = frozenset({"Warrior", "Paladin", "Druid", ""})


def class_from_spells(spells: Iterable[Spell], knowledge: GameKnowledge) -> str:
    """Whose abilities most of these are; empty where none is anybody's own."""
    votes = Counter(name for spell in spells if (name := knowledge.class_of_spell(spell.id, spell.name)))
    return votes.most_common(1)[0][0] if votes else ""


def spec_of(
    class_name: str, combatant: Combatant | None, cast: Mapping[int, int], knowledge: GameKnowledge
) -> Spec | None:
    """By the talents; where none are told, by what only one spec casts, else by what hints at one. `cast`: how often
    which spell, by the game's id."""
    specs = [spec for (name, _), spec in knowledge.specs.items() if name == class_name]
    talents = combatant.talents if combatant is not None else ()
    if specs and any(talents):
        tree = max(range(len(talents)), key=talents.__getitem__)
        for spec in specs:
            if spec.tree == tree:
                return spec
    for telling in ([spec.signature for spec in specs], [spec.hints for spec in specs]):
        uses = [sum(cast.get(spell, 0) for spell in spells) for spells in telling]
        if any(uses):
            return specs[uses.index(max(uses))]
    return None


def role_of(
    class_name: str,
    spec: Spec | None,
    sums: PlayerSums,
    all_swings: int,
    cast: Mapping[int, int],
    in_bear_form: bool | None,
) -> Role:
    """`in_bear_form` of druids: what their power, spells or form told, where any did."""
    tanking = all_swings > 0 and sums.swings_taken >= TANK_SHARE * all_swings
    if spec is not None:
        if spec.name != _FERAL:
            return spec.role
        return "tank" if (tanking if in_bear_form is None else in_bear_form) else "damage"
    tanking = tanking or sum(cast.get(spell, 0) for spell in _TANKS_SPELLS) >= _MIN_TANKS_CASTS
    if tanking and class_name in _TANKING_CLASSES:
        return "tank"
    return "healer" if sums.healing + sums.overheal > sums.damage else "damage"


def bear_forms(log: FightLog, druids: Sequence[int]) -> Mapping[int, bool]:
    """Whether druids fought mostly with rage, for those that the log tells power of."""
    if not druids:
        return {}
    wanted, used, about = frozenset(druids), Counter[tuple[int, int]](), int(Flag.ABOUT_SOURCE)
    for row in kind_rows(log, (Kind.CAST,)):
        if log.source[row] in wanted and log.flags[row] & about:
            used[log.source[row], log.power_type[row]] += 1
    return {
        druid: used[druid, _RAGE] > used[druid, _ENERGY]
        for druid in druids
        if used[druid, _RAGE] or used[druid, _ENERGY]
    }


def bear_by_spells(cast: Mapping[int, int], combatant: Combatant | None) -> bool | None:
    """The same by what a druid did, else by the form that COMBATANT_INFO lists: for logs without power."""
    bear, cat = (sum(cast.get(spell, 0) for spell in spells) for spells in (BEAR_SPELLS, CAT_SPELLS))
    if not bear and not cat and combatant is not None:
        listed = {spell for _, spell in combatant.auras}
        bear, cat = len(listed & BEAR_SPELLS), len(listed & CAT_SPELLS)
    return bear > cat if bear or cat else None


def item_level(combatant: Combatant | None, knowledge: GameKnowledge) -> float:
    """Average of what is worn, shirt and tabard apart; 0.0 where the log does not tell."""
    if combatant is None:
        return 0.0
    levels = [
        item.item_level or (known.level if (known := knowledge.item(item.item_id)) is not None else 0)
        for item in combatant.gear
        if item.item_id and item.slot not in (_SHIRT, _TABARD)
    ]
    told = [level for level in levels if level > 0]
    return round(sum(told) / len(told), 1) if told else 0.0
