"""Preparation for a fight: raid buffs, flasks, food and forms that players have when it begins."""

from typing import TYPE_CHECKING, Final

from glassloop.extensions.raids.sample.gear import style_of
from glassloop.extensions.raids.sample.simulation.units import AuraState, CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt
    from glassloop.extensions.raids.sample.simulation.player import SimulatedPlayer

RAID_BUFFS: Final = {
    "Priest": ((25392, "Prayer of Fortitude"),),
    "Mage": ((27127, "Arcane Brilliance"),),
    "Druid": ((26991, "Gift of the Wild"),),
    "Paladin": ((25898, "Greater Blessing of Kings"),),
}
OWN_BUFFS: Final = {
    "Priest Shadow": (15473, "Shadowform"),
    "Druid Balance": (24858, "Moonkin Form"),
    "Druid Restoration": (33891, "Tree of Life"),
    "Druid Feral cat": (768, "Cat Form"),
    "Druid Feral bear": (9634, "Dire Bear Form"),
    "Mage Fire": (30482, "Molten Armor"),
    "Warlock Affliction": (28189, "Fel Armor"),
    "Warlock Destruction": (28189, "Fel Armor"),
    "Hunter Beast Mastery": (27044, "Aspect of the Hawk"),
}
FLASKS: Final = {
    "caster": (28540, "Flask of Pure Death"),
    "healer": (28519, "Flask of Mighty Restoration"),
    "melee": (28520, "Flask of Relentless Assault"),
    "tank": (28518, "Flask of Fortification"),
}
FOODS: Final = {"caster": 33263, "healer": 33268, "melee": 33261, "tank": 33257}
LONG_AGO_MS: Final = 300_000


def prepare(attempt: "Attempt", listed: bool) -> None:
    """Put them on. `listed`: COMBATANT_INFO tells of them."""
    for player in attempt.players.values():
        style = style_of(player.kit)
        if player.habits.flask:
            _put(attempt, player.unit, player.unit, *FLASKS[style], listed)
        if player.habits.food:
            _put(attempt, player.unit, player.unit, FOODS[style], "Well Fed", listed)
        own = OWN_BUFFS.get(player.kit.label)
        if own:
            _put(attempt, player.unit, player.unit, *own, listed)
    for class_name, buffs in RAID_BUFFS.items():
        giver = next((one for one in attempt.players.values() if one.kit.class_name == class_name), None)
        for spell_id, name in buffs if giver else ():
            _give(attempt, giver, spell_id, name, listed)
    _run_out(attempt)


def _give(attempt: "Attempt", giver: "SimulatedPlayer | None", spell_id: int, name: str, listed: bool) -> None:
    for unit in attempt.units if giver else ():
        if giver and (unit is giver.unit or attempt.combat.rng.random() < 0.95):
            _put(attempt, giver.unit, unit, spell_id, name, listed)


def _put(attempt: "Attempt", source: CombatUnit, target: CombatUnit, spell_id: int, name: str, listed: bool) -> None:
    spell: SimulatedSpell = attempt.spell(spell_id, name, 1)
    state = AuraState(spell, source, attempt.combat.now - LONG_AGO_MS, True)
    state.seen = listed
    target.auras[(spell_id, source.guid)] = state


def _run_out(attempt: "Attempt") -> None:
    """Somebody's flask or food ends in the middle of the fight."""
    rng = attempt.combat.rng
    for unit in attempt.units:
        for state in list(unit.auras.values()):
            if state.source is unit and rng.random() < 0.04:
                attempt.combat.expire_after(unit, state, rng.uniform(5, 90))
