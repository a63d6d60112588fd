"""Raid buffs and debuffs: which spec brings them, whom they serve, and which exclude one another.

By the game's talents and effects: a raid without a Shadow Priest lacks Misery through nobody's fault, and Battle Shout
does nothing for a mage.
"""

from collections import Counter
from typing import Final

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.facts import RaidBuff

_SPECS: Final = {
    "Misery": "Shadow", "Shadow Weaving": "Shadow", "Improved Scorch": "Fire", "Winter's Chill": "Frost",
    "Leader of the Pack": "Feral", "Mangle": "Feral", "Moonkin Aura": "Balance", "Insect Swarm": "Balance",
    "Tree of Life": "Restoration", "Earth Shield": "Restoration", "Mana Tide": "Restoration", "Blood Frenzy": "Arms",
    "Trueshot Aura": "Marksmanship", "Expose Weakness": "Survival", "Ferocious Inspiration": "Beast Mastery",
    "Totem of Wrath": "Elemental", "Unleashed Rage": "Enhancement", "Stormstrike": "Enhancement",
    "Sanctity Aura": "Retribution", "Hemorrhage": "Subtlety", "Improved Shadow Bolt": "Destruction",
}  # fmt: skip
"""Talents deep in a tree."""
_FOR_ATTACKS: Final = frozenset({
    "Battle Shout", "Leader of the Pack", "Windfury Totem", "Blessing of Might", "Trueshot Aura", "Strength of Earth",
    "Grace of Air", "Unleashed Rage",
})  # fmt: skip
_FOR_MANA: Final = frozenset({"Arcane Intellect", "Divine Spirit", "Blessing of Wisdom", "Mana Spring", "Mana Tide"})
_FOR_SPELLS: Final = frozenset({"Moonkin Aura", "Wrath of Air", "Totem of Wrath"})
_ATTACKERS: Final = frozenset({"Warrior", "Rogue", "Hunter"})
_ATTACKING_SPECS: Final = frozenset({"Retribution", "Enhancement", "Feral", "Protection"})
_WITHOUT_MANA: Final = frozenset({"Warrior", "Rogue"})
_EXCLUSIVE: Final = ("Curse of", "Judgement of", "Blessing of")
"""One of each a caster, and of blessings one a caster on each player."""


def can_bring(view: FightView, buff: RaidBuff) -> bool:
    """Whether the raid has somebody who brings it. A player of unknown spec may be of any."""
    spec = _SPECS.get(buff.name)
    return any(
        one.class_name == buff.class_name and (spec is None or one.spec in (spec, ""))
        for one in view.record.performances
    )


def serves(view: FightView, player: int, buff: RaidBuff) -> bool:
    """Whether a player gains by it."""
    performance = view.performances.get(player)
    if performance is None or not performance.class_name:
        return True
    attacks = performance.class_name in _ATTACKERS or performance.spec in _ATTACKING_SPECS
    if buff.name in _FOR_ATTACKS:
        return attacks
    if buff.name in _FOR_MANA:
        return performance.class_name not in _WITHOUT_MANA
    return not attacks if buff.name in _FOR_SPELLS else True


def spare_casters(view: FightView, buff: RaidBuff, seen: Counter[str]) -> bool:
    """Whether somebody of the class was free for it. `seen`: how many of each exclusive kind were kept up."""
    kind = exclusive_kind(buff)
    casters = sum(one.class_name == buff.class_name for one in view.record.performances)
    return not kind or seen[kind] < casters


def exclusive_kind(buff: RaidBuff) -> str:
    """Curses, judgements and blessings: a caster has one of them at a time. Empty for others."""
    return next((kind for kind in _EXCLUSIVE if buff.name.startswith(kind)), "")
