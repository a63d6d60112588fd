"""The effects of players' abilities: damage, damage and healing over time, channels, shields, buffs."""

from typing import TYPE_CHECKING, Final

from glassloop.extensions.raids.sample.kits import Ability, Ticks
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt
    from glassloop.extensions.raids.sample.simulation.player import SimulatedPlayer

WEAKENED_SOUL: Final = SimulatedSpell(6788, "Weakened Soul", 2)
BOLT_MS: Final = 450
"""How long a spell flies."""
EARLY: Final = 0.3
"""Of its duration: renewed with more left is early."""


class DotRun:
    """One application of a damage over time spell."""

    __slots__ = ("begin", "duration_ms", "expiry", "fallen", "total")

    def __init__(self, begin: int, duration_ms: int, total: int, expiry: int) -> None:
        self.begin = begin
        self.duration_ms = duration_ms
        self.total = total
        self.expiry = expiry
        self.fallen = 0


class Effects:
    """Of one player's abilities."""

    def __init__(self, player: "SimulatedPlayer", attempt: "Attempt") -> None:
        self.player = player
        self.unit = player.unit
        self.attempt = attempt
        self.combat = attempt.combat
        self.rng = attempt.combat.rng
        self._dots: dict[tuple[int, str], DotRun] = {}
        self._flying: dict[tuple[int, str], int] = {}

    def apply(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        """Everything that follows from a cast."""
        self._support(ability, spell, target)
        if ability.channel:
            self._channel(ability, spell, target)
        if ability.ground:
            self._ground(spell, target, ability.ground)
        if ability.dmg or ability.dot or (ability.debuff and target.hostile):
            if self._avoided(ability, spell, target):
                return
            if ability.dmg and ability.cast and not (ability.debuff or ability.brings):
                key = (ability.id, target.guid)
                self._flying[key] = self._flying.get(key, 0) + 1
                self.combat.after(BOLT_MS, lambda: self._land(ability, spell, target))
            else:
                self._strike(ability, spell, target)

    def pending(self, ability: Ability, target: CombatUnit) -> bool:
        """Whether one is on its way."""
        return self._flying.get((ability.id, target.guid), 0) > 0

    def dot_left(self, ability: Ability, target: CombatUnit) -> float:
        """The part of its time that a running one has left; 0 where none runs."""
        run = self._dots.get((ability.id, target.guid))
        if run is None or (ability.id, self.unit.guid) not in target.auras:
            return 0.0
        return max(0.0, 1 - (self.combat.now - run.begin) / run.duration_ms)

    def _amount(self, low: float, high: float) -> int:
        return max(1, int(self.rng.uniform(low, high) * self.player.habits.strength))

    # Damage

    def _avoided(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> bool:
        """A hit that misses; nothing of it happens then."""
        roll = self.rng.random()
        if roll > 0.03:
            return False
        physical = (ability.school or self.player.kit.school) == 1
        kind = ("DODGE" if roll < 0.015 else "MISS") if physical else "RESIST"
        self.combat.miss(self.unit, target, spell, kind)
        return True

    def _land(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        self._flying[(ability.id, target.guid)] -= 1
        self._strike(ability, spell, target)

    def _strike(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        if not target.alive:
            return
        if ability.dmg:
            critical = self.rng.random() < 0.22
            amount = self._amount(*ability.dmg) * (2 if critical else 1)
            resisted = amount // 4 if spell.school > 2 and self.rng.random() < 0.06 else 0
            self.combat.damage(self.unit, target, spell, amount - resisted, critical=critical, resisted=resisted)
        if ability.debuff and target.alive:
            self.combat.aura_on(self.unit, target, spell, ability.debuff, buff=False)
        for brought in ability.brings:
            aura = self.player.attempt.spell(brought.id, brought.name, spell.school)
            self.combat.aura_on(self.unit, target, aura, brought.lasts, buff=False, stacks=brought.stacks)
        if ability.dot and target.alive:
            self._dot(spell, target, ability.dot)

    def _dot(self, spell: SimulatedSpell, target: CombatUnit, ticks: Ticks) -> None:
        duration, tick, amount = ticks
        key = (spell.id, target.guid)
        old = self._dots.get(key)
        ledger = self.combat.ledger
        if ledger:
            figures = ledger.dots(self.unit, spell.id)
            figures.casts += 1
            figures.duration = int(duration * 1000)
            if old and (spell.id, self.unit.guid) in target.auras:
                figures.renewals += 1
                figures.longest = max(figures.longest, self.combat.now - old.begin)
                figures.lost_ticks += old.total - old.fallen
                figures.early += (old.begin + old.duration_ms - self.combat.now) > EARLY * old.duration_ms
        state = self.combat.aura_on(self.unit, target, spell, 0, buff=False)
        if state is None:
            return
        run = self._dots[key] = DotRun(self.combat.now, int(duration * 1000), round(duration / tick), state.expiry)

        def fall() -> None:
            if self._dots.get(key) is not run or state.expiry != run.expiry or not target.alive:
                return
            if target.auras.get((spell.id, self.unit.guid)) is not state:
                return
            run.fallen += 1
            if ledger:
                figures = ledger.dots(self.unit, spell.id)
                figures.longest = max(figures.longest, self.combat.now - run.begin)
            self.combat.damage(
                self.unit, target, spell, self._amount(amount, amount * 1.1), event="SPELL_PERIODIC_DAMAGE"
            )

        for number in range(1, run.total + 1):
            self.combat.after(number * tick * 1000, fall)
        self.combat.expire_after(target, state, duration)

    def _channel(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        """Ticks for as long as its aura is on the target; the player ends that."""
        duration, tick, amount = ability.channel or (0.0, 1.0, 0.0)
        state = self.combat.aura_on(self.unit, target, spell, 0, buff=False)

        def fall() -> None:
            if target.alive and target.auras.get((spell.id, self.unit.guid)) is state:
                damage = self._amount(amount, amount * 1.1)
                self.combat.damage(self.unit, target, spell, damage, event="SPELL_PERIODIC_DAMAGE")

        for number in range(1, round(duration / tick) + 1):
            self.combat.after(number * tick * 1000, fall)

    def _ground(self, spell: SimulatedSpell, target: CombatUnit, ticks: Ticks) -> None:
        duration, tick, amount = ticks

        def fall() -> None:
            if self.unit.alive:
                damage = self._amount(amount, amount * 1.1)
                self.combat.damage(self.unit, target, spell, damage, event="SPELL_PERIODIC_DAMAGE")

        for number in range(1, round(duration / tick) + 1):
            self.combat.after(number * tick * 1000, fall)

    # Healing and help

    def _support(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        combat, unit = self.combat, self.unit
        if ability.buff:
            combat.aura_on(unit, unit, spell, ability.buff, buff=True)
        if ability.group:
            for member in self.attempt.group(unit):
                combat.aura_on(unit, member, spell, ability.group, buff=True)
        if ability.ward:
            combat.aura_on(unit, target, spell, ability.ward, buff=True)
        if ability.shield:
            combat.aura_on(unit, target, spell, 30, buff=True, shield=self._amount(ability.shield, ability.shield))
            combat.aura_on(unit, target, WEAKENED_SOUL, 15, buff=False)
        if ability.heal:
            self._heal(ability, spell, target)
        if ability.hot:
            self._hot(ability, spell, target, ability.hot)
        if ability.tap:
            lost = min(ability.tap, unit.health - 1)
            combat.damage(unit, unit, spell, lost)
            combat.energize(unit, unit, spell, ability.tap)
        if ability.channel_mana:
            combat.aura_on(unit, unit, spell, 0, buff=True)
            self._mana(spell, ability.channel_mana)
        if ability.innervate:
            self._mana(spell, (20.0, 4.0, 0.08))

    def _heal(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit) -> None:
        low, high = ability.heal or (0, 0)
        hurt = sorted(self.attempt.patients(), key=lambda unit: unit.health / unit.max_health)
        others = [unit for unit in hurt if unit is not target][: ability.chain - 1]
        for number, patient in enumerate([target, *others]):
            critical = self.rng.random() < 0.18
            amount = self._amount(low, high) * (0.7**number if ability.cast else 1)
            self.combat.heal(self.unit, patient, spell, int(amount * (1.5 if critical else 1)), critical=critical)

    def _hot(self, ability: Ability, spell: SimulatedSpell, target: CombatUnit, ticks: Ticks) -> None:
        duration, tick, amount = ticks
        state = self.combat.aura_on(self.unit, target, spell, 0, buff=True, stacks=ability.stacks)
        if state is None:
            return
        expiry = state.expiry

        def fall() -> None:
            if state.expiry == expiry and target.auras.get((spell.id, self.unit.guid)) is state:
                healing = self._amount(amount, amount * 1.1) * state.stacks
                self.combat.heal(self.unit, target, spell, healing, periodic=True)

        for number in range(1, round(duration / tick) + 1):
            self.combat.after(number * tick * 1000, fall)
        self.combat.expire_after(target, state, duration)

    def _mana(self, spell: SimulatedSpell, ticks: Ticks) -> None:
        duration, tick, part = ticks
        state = self.unit.auras.get((spell.id, self.unit.guid))

        def gain() -> None:
            if state and self.unit.auras.get((spell.id, self.unit.guid)) is state:
                self.combat.energize(self.unit, self.unit, spell, int(part * self.unit.max_power), periodic=True)

        for number in range(1, round(duration / tick) + 1):
            self.combat.after(number * tick * 1000, gain)
