"""Simulated bosses: they swing at their tanks, use their abilities, call helpers and can be out of reach."""

from typing import TYPE_CHECKING

from glassloop.extensions.raids.sample.scripts import AddScript, BossAbility, BossCreature
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt

MOST_ADDS = 4
RETRIBUTION_AURA = SimulatedSpell(27150, "Retribution Aura", 2)


class SimulatedBoss:
    """One creature of an encounter."""

    def __init__(self, unit: CombatUnit, creature: BossCreature, attempt: "Attempt") -> None:
        self.unit = unit
        self.creature = creature
        self.attempt = attempt
        self.combat = attempt.combat
        self.rng = attempt.combat.rng
        self.caged = creature.cage is not None
        self._abilities: tuple[BossAbility, ...] = ()

    def begin(self, abilities: tuple[BossAbility, ...]) -> None:
        """Start the swings and the timers of its abilities; those of one in a cage start when it is freed."""
        if self.creature.cage is not None and self.caged:
            number, name, school, seconds = self.creature.cage
            self._abilities = abilities
            self.combat.aura_on(self.unit, self.unit, self.attempt.spell(number, name, school), 0, buff=False)
            self.combat.after(seconds * 1000, self.free)
            return
        if self.creature.swing:
            self.combat.after(self.rng.uniform(800, 1600), self.swing)
        for ability in abilities:
            first = ability.first or ability.every * self.rng.uniform(0.5, 1.0)
            self.combat.after(first * 1000, lambda ability=ability: self.use(ability))

    def free(self) -> None:
        """Out of its cage, if it is still in there."""
        if self.creature.cage is None or not self.caged or not self.unit.alive:
            return
        self.caged = False
        number, name, school, _ = self.creature.cage
        self.combat.aura_off(self.unit, self.unit, self.attempt.spell(number, name, school))
        self.begin(self._abilities)

    def swing(self) -> None:
        """The next swing at its tank."""
        seconds, low, high = self.creature.swing or (2.0, 0, 0)
        if not self.unit.alive:
            return
        self.combat.after(seconds * 1000 * self.rng.uniform(0.97, 1.03), self.swing)
        target = self.attempt.tank(self.creature.tank)
        if target is None or self.attempt.away:
            return
        roll, amount = self.rng.random(), self.rng.randint(low, high)
        if roll < 0.24:
            kind = "MISS" if roll < 0.06 else "DODGE" if roll < 0.15 else "PARRY"
            self.combat.miss(self.unit, target, None, kind)
        elif roll < 0.45:
            blocked = amount // 8
            amount = self.attempt.guard(target, amount - blocked)
            self.combat.damage(self.unit, target, None, amount, blocked=blocked)
        else:
            crushing = roll > 0.95
            amount = self.attempt.guard(target, amount * 3 // 2 if crushing else amount)
            self.combat.damage(self.unit, target, None, amount, crushing=crushing)
        self.attempt.struck(target)
        if target.alive and self.attempt.thorns(target):
            self.combat.damage(target, self.unit, RETRIBUTION_AURA, 26, event="DAMAGE_SHIELD")

    def use(self, ability: BossAbility) -> None:
        """An ability whose time has come; its timer starts anew."""
        if not self.unit.alive:
            return
        self.combat.after(ability.every * 1000 * self.rng.uniform(0.95, 1.1), lambda: self.use(ability))
        if self.attempt.away or self.attempt.boss_health > min(ability.from_health, ability.to_health):
            return
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        if not ability.cast:
            self._land(ability)
            return
        self.combat.cast_start(self.unit, spell)
        if ability.interrupt and self.attempt.interrupt(self.unit, spell):
            return
        self.combat.after(ability.cast * 1000, lambda: self._land(ability))

    def _land(self, ability: BossAbility) -> None:
        if not self.unit.alive:
            return
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        targets = self._targets(ability)
        single = targets[0] if len(targets) == 1 else None
        self.combat.cast(self.unit, single, spell, begun=bool(ability.cast))
        if ability.who == "self":
            self._help_itself(ability)
            return
        for target in targets:
            if self.attempt.shared(ability, target):
                continue
            self._strike(ability, target)

    def _help_itself(self, ability: BossAbility) -> None:
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        if ability.heal:
            self.combat.heal(self.unit, self.unit, spell, ability.heal)
        if ability.shield:
            self.combat.aura_on(self.unit, self.unit, spell, 30, buff=True, shield=ability.shield)
        if ability.buff:
            self.combat.aura_on(self.unit, self.unit, spell, ability.buff, buff=True, stacks=ability.stacks)

    def _targets(self, ability: BossAbility) -> list[CombatUnit]:
        raid = self.attempt.patients()
        if ability.who == "self" or not raid:
            return []
        if ability.who == "tank":
            tank = self.attempt.tank(self.creature.tank)
            return [tank] if tank else []
        if ability.avoid:
            return [unit for unit in raid if self.attempt.stands_in(unit, ability)]
        if ability.who == "random":
            return self.rng.sample(raid, min(ability.count, len(raid)))
        return raid

    def _strike(self, ability: BossAbility, target: CombatUnit) -> None:
        """Damage, then what lasts; nothing lasts on the dead."""
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        if ability.dmg:
            if ability.school > 1 and self.rng.random() < 0.05:
                self.combat.miss(self.unit, target, spell, "RESIST")
                return
            amount = self.attempt.guard(target, self.rng.randint(*ability.dmg))
            resisted = amount // 4 if ability.school > 2 and self.rng.random() < 0.1 else 0
            self.combat.damage(self.unit, target, spell, amount - resisted, resisted=resisted)
        if not target.alive:
            return
        if ability.stun:
            self._stun(ability, target)
        elif ability.debuff:
            self.combat.aura_on(self.unit, target, spell, ability.debuff, buff=False)
        if ability.dot:
            self._dot(ability, target)

    def _stun(self, ability: BossAbility, target: CombatUnit) -> None:
        seconds = self.rng.uniform(ability.break_s, ability.stun) if ability.break_s else ability.stun
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        if not ability.dot:
            self.combat.aura_on(self.unit, target, spell, seconds, buff=False)
        self.attempt.stun(target, seconds)

    def _dot(self, ability: BossAbility, target: CombatUnit) -> None:
        duration, tick, amount = ability.dot or (0.0, 1.0, 0.0)
        spell = self.attempt.spell(ability.id, ability.name, ability.school)
        state = self.combat.aura_on(self.unit, target, spell, 0, buff=False)
        if state is None:
            return
        expiry = state.expiry

        def fall() -> None:
            if state.expiry == expiry and target.auras.get((spell.id, self.unit.guid)) is state:
                damage = self.attempt.guard(target, int(amount * self.rng.uniform(0.95, 1.05)))
                self.combat.damage(self.unit, target, spell, damage, event="SPELL_PERIODIC_DAMAGE")

        for number in range(1, round(duration / tick) + 1):
            self.combat.after(number * tick * 1000, fall)
        self.combat.expire_after(target, state, duration)


def call_adds(attempt: "Attempt", script: AddScript) -> None:
    """Helpers of the boss, one after the other, each with its ability."""
    combat = attempt.combat

    def call() -> None:
        combat.after(script.every * 1000, call)
        if attempt.away or len(attempt.adds) >= MOST_ADDS:
            return
        unit = attempt.creature(script.id, script.name, script.health)
        attempt.adds.append(unit)
        add = SimulatedBoss(unit, BossCreature(id=script.id, name=script.name, health=script.health), attempt)
        combat.after(1500, lambda: add.use(script.zap))

    combat.after(script.every * 700, call)
