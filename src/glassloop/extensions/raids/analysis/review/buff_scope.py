"""Raid buffs and debuffs: which spec brings them, whom they serve, and which exclude one another.

By the game's talents and effects: a raid without a Shadow Priest lacks Misery through nobody's fault, and Battle Shout
does nothing for a mage.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

from glassloop.extensions.raids.analysis.grades import COVERAGE
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
"""Talents, by the trees of wowsims/tbc (ui/core/talents): most in the fourth row or below. Insect Swarm and Improved
Shadow Bolt stand higher: other specs may have them, and are not asked for them."""
_FOR_ATTACKS: Final = frozenset({
    "Battle Shout", "Leader of the Pack", "Windfury Totem", "Blessing of Might", "Trueshot Aura", "Strength of Earth",
    "Grace of Air", "Unleashed Rage",
})  # fmt: skip
_FOR_MANA: Final = frozenset({"Arcane Intellect", "Divine Spirit", "Blessing of Wisdom", "Mana Spring", "Mana Tide"})
_FOR_SPELLS: Final = frozenset({"Moonkin Aura", "Wrath of Air", "Totem of Wrath"})
_ATTACKERS: Final = frozenset({"Warrior", "Rogue", "Hunter"})
_ATTACKING_SPECS: Final = frozenset({"Retribution", "Enhancement", "Feral", "Protection"})
_WITHOUT_MANA: Final = frozenset({"Warrior", "Rogue"})
_OF_A_CASTER: Final = ("Curse of", "Judgement of", "Blessing of")
"""One of each a caster, and of blessings one a caster on each player."""
_OF_A_BOSS: Final = (
    frozenset({"Sunder Armor", "Expose Armor"}),
    frozenset({"Demoralizing Shout", "Demoralizing Roar", "Curse of Weakness"}),
)
"""Debuffs that replace one another: only one of them counts. Sunder Armor and Expose Armor: wowsims/tbc
(sim/core/debuffs.go); those that lower attack power share an effect of the game."""


def bringers(view: FightView, buff: RaidBuff) -> tuple[int, ...]:
    """Players who can bring it. One of unknown spec may be of any."""
    spec = _SPECS.get(buff.name)
    return tuple(
        one.actor
        for one in view.record.performances
        if one.class_name == buff.class_name and (spec is None or one.spec in (spec, ""))
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


def left_no_room(view: FightView, percents: Mapping[RaidBuff, float]) -> set[RaidBuff]:
    """Those that could not be up, as others that exclude them were: a caster has one curse, judgement or blessing at a
    time. Where nobody kept any of them up, only as many are missing as there are casters, those that matter first."""
    casters = Counter(one.class_name for one in view.record.performances)
    groups = defaultdict[str, list[RaidBuff]](list)
    for buff in percents:
        groups[next((kind for kind in _OF_A_CASTER if buff.name.startswith(kind)), "")].append(buff)
    groups.pop("", None)
    rooms = [(members, casters[members[0].class_name]) for members in groups.values()]
    rooms += [([buff for buff in percents if buff.name in names], 1) for names in _OF_A_BOSS]
    crowded = set[RaidBuff]()
    for members, room in rooms:
        ordered = sorted(members, key=lambda buff: (-percents[buff], not buff.major))
        low = [buff for buff in ordered if COVERAGE.grade(percents[buff]) == "issue"]
        free = max(0, room - (len(ordered) - len(low)))
        crowded.update(low[free:])
    return crowded
