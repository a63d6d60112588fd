"""Preparation of a raid: the share of its players that a kind of consumable was seen on, or used by, in one pass.

Presence alone; for how long each was there is `consumables`' business.
"""

from collections import defaultdict
from typing import Final

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind

_AURAS: Final = frozenset((Kind.AURA_ON, Kind.AURA_OFF, Kind.AURA_REFRESH, Kind.AURA_DOSE))
_WEAPON_SLOTS: Final = (15, 16)
KINDS: Final = (
    "flask", "battle elixir", "guardian elixir", "food", "weapon", "scroll", "potion", "mana potion", "healing potion",
    "drums",
)  # fmt: skip


IN_FIGHT: Final = ("potion", "mana potion", "healing potion", "drums")
"""Kinds that are used in the fight: the others are known only where the log tells what was on before the pull."""


def consumable_shares(view: FightView) -> dict[str, float]:
    """In per cent of the players, by kind; kinds that the log does not tell are left out."""
    players = set(view.players())
    seen: defaultdict[str, set[int]] = defaultdict(set)
    knowledge, log = view.knowledge, view.log
    auras = {index: one.kind for index, spell in enumerate(view.spells)
             if (one := knowledge.consumable_of_aura(spell.id)) is not None}  # fmt: skip
    casts = {index: one.kind for index, spell in enumerate(view.spells)
             if (one := knowledge.consumable_of_cast(spell.id)) is not None}  # fmt: skip
    for row in view.rows_of_kind(_AURAS):
        if (kind := auras.get(log.spell[row])) is not None:
            seen[kind].add(log.target[row])
    for row in view.rows_of_kind({Kind.CAST}):
        if (kind := casts.get(log.spell[row])) is not None:
            seen[kind].add(log.source[row])
    for combatant in view.record.combatants:
        for _, spell_id in combatant.auras:
            if (one := knowledge.consumable_of_aura(spell_id)) is not None:
                seen[one.kind].add(combatant.actor)
        if any(item.temporary_enchant for item in combatant.gear if item.slot in _WEAPON_SLOTS):
            seen["weapon"].add(combatant.actor)
    known = KINDS if any(combatant.auras for combatant in view.record.combatants) else IN_FIGHT
    return {kind: 100 * len(seen[kind] & players) / len(players) for kind in known if players}
