"""Pets and totems of simulated players."""

from typing import TYPE_CHECKING

from glassloop.extensions.raids.sample.kits import PetKit, TotemKit
from glassloop.extensions.raids.sample.simulation.units import CombatUnit

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt
    from glassloop.extensions.raids.sample.simulation.player import SimulatedPlayer


def begin_pets(player: "SimulatedPlayer", attempt: "Attempt") -> None:
    """Those that are there from the beginning, and the timers of the others."""
    kit = player.kit.pet
    if kit and kit.summon:
        attempt.combat.after(attempt.combat.rng.uniform(15_000, 30_000), lambda: _summon(player, attempt, kit))
    elif kit:
        _fight(_pet(player, kit, attempt), player, attempt, kit, until=None)
    for totem in player.kit.totems:
        attempt.combat.after(attempt.combat.rng.uniform(1500, 9000), lambda totem=totem: _plant(player, attempt, totem))


def pet_unit(owner: CombatUnit, kit: PetKit, instance: int) -> CombatUnit:
    """The pet of a player, the same one in every fight."""
    guid = f"Pet-0-4469-{instance}-1138-{kit.npc}-01{owner.guid[-6:]}{'F' if kit.summon else '0'}0"
    return CombatUnit(guid, kit.name, "pet", health=5200, power=3000, owner=owner, npc_id=kit.npc)


def _pet(player: "SimulatedPlayer", kit: PetKit, attempt: "Attempt") -> CombatUnit:
    unit = pet_unit(player.unit, kit, attempt.script.instance)
    attempt.combat.known[unit.guid] = unit
    return unit


def _summon(player: "SimulatedPlayer", attempt: "Attempt", kit: PetKit) -> None:
    combat = attempt.combat
    combat.after(kit.cd * 1000 + combat.rng.uniform(500, 3000), lambda: _summon(player, attempt, kit))
    if not player.able or attempt.enemy(player.unit) is None:
        return
    spell = attempt.spell(kit.summon, kit.name, player.kit.school)
    unit = _pet(player, kit, attempt)
    player.errands.append((spell, lambda: _appear(player, attempt, kit, unit), True))


def _appear(player: "SimulatedPlayer", attempt: "Attempt", kit: PetKit, unit: CombatUnit) -> None:
    combat = attempt.combat
    combat.summon(player.unit, unit, attempt.spell(kit.summon, kit.name, player.kit.school))
    _fight(unit, player, attempt, kit, until=combat.now + int(kit.lasts * 1000))


def _fight(unit: CombatUnit, player: "SimulatedPlayer", attempt: "Attempt", kit: PetKit, until: int | None) -> None:
    combat, rng = attempt.combat, attempt.combat.rng

    def enemy() -> CombatUnit | None:
        if not player.unit.alive or player.unit.hostile or (until is not None and combat.now > until):
            return None
        return attempt.enemy(player.unit)

    def swing() -> None:
        seconds, low, high = kit.swing or (2.0, 1, 2)
        if until is None or combat.now < until:
            combat.after(seconds * 1000, swing)
        target = enemy()
        if target:
            critical = rng.random() < 0.15
            amount = int(rng.uniform(low, high) * player.habits.strength) * (2 if critical else 1)
            combat.damage(unit, target, None, amount, critical=critical)

    def use() -> None:
        if until is None or combat.now < until:
            combat.after(kit.every * 1000, use)
        target = enemy()
        if target and kit.dmg:
            spell = attempt.spell(kit.id, kit.ability, player.kit.school)
            combat.cast(unit, target, spell)
            combat.damage(unit, target, spell, int(rng.uniform(*kit.dmg) * player.habits.strength))

    if kit.swing:
        combat.after(rng.uniform(400, 1800), swing)
    if kit.dmg:
        combat.after(rng.uniform(600, 2500), use)


def _plant(player: "SimulatedPlayer", attempt: "Attempt", kit: TotemKit) -> None:
    """A totem: called like a spell, and credited to the shaman."""
    combat = attempt.combat
    combat.after(kit.every * 1000, lambda: _plant(player, attempt, kit))
    if not player.unit.alive:
        return
    spell = attempt.spell(kit.id, kit.name, 8)
    player.errands.append((spell, lambda: _stand(player, attempt, kit), True))


def _stand(player: "SimulatedPlayer", attempt: "Attempt", kit: TotemKit) -> None:
    combat = attempt.combat
    attempt.spawn += 1
    guid = f"Creature-0-4469-{attempt.script.instance}-1138-{kit.npc}-{attempt.spawn:010X}"
    unit = CombatUnit(guid, kit.name, "npc", health=5, owner=player.unit, npc_id=kit.npc, flags=0x2114)
    combat.known[guid] = unit
    spell = attempt.spell(kit.id, kit.name, 8)
    combat.summon(player.unit, unit, spell)
    until = combat.now + int((kit.lasts or kit.every) * 1000)

    def pulse() -> None:
        if combat.now >= until or not player.unit.alive:
            return
        combat.after(2000 if kit.heals else 3000, pulse)
        for member in attempt.group(player.unit):
            if kit.heals:
                combat.heal(unit, member, spell, kit.heals, periodic=True)
            elif kit.mana and member.max_power > 1000:
                combat.energize(unit, member, spell, int(kit.mana * member.max_power), periodic=True)

    if kit.heals or kit.mana:
        combat.after(2000 if kit.heals else 3000, pulse)
