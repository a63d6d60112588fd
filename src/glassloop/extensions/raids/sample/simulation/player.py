"""A simulated player: chooses from its rotation, casts, swings, heals, makes the mistakes it is given to."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from glassloop.extensions.raids.sample.kits import Ability, Kit
from glassloop.extensions.raids.sample.simulation.effects import Effects
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt

MANA_POTION: Final = SimulatedSpell(28499, "Restore Mana", 1)
HASTE_POTION: Final = SimulatedSpell(28507, "Haste", 1)
DESTRUCTION_POTION: Final = SimulatedSpell(28508, "Destruction", 1)
SWORD_SPECIALIZATION: Final = SimulatedSpell(13964, "Sword Specialization", 1)
AUTO_SHOT: Final = SimulatedSpell(75, "Auto Shot", 1)
HASTE: Final = {2825: 1.3, 10060: 1.2, 12472: 1.2}
"""Bloodlust, Power Infusion, Icy Veins."""
RAGE_A_SECOND: Final = 7
"""Of a weapon's speed, for every swing that lands."""
POTION_MS: Final = 120_000
SHOT_MS: Final = 500
"""How long an arrow or bolt flies."""


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How well somebody plays. Chances are per act."""

    strength: float = 1.0
    """A factor for damage and healing: gear, mostly."""
    lapse: float = 0.02
    """Chance of a pause."""
    lapse_s: tuple[float, float] = (2.6, 5.0)
    cancel: float = 0.02
    clip: float = 0.0
    """Chance to renew a damage over time spell that still runs."""
    waste: float = 1.0
    """A factor for what spells cost: higher ranks than needed, no regeneration."""
    stands_in_fire: bool = False
    potions: bool = True
    flask: bool = True
    food: bool = True
    oil: bool = True
    enchants: bool = True
    low_gems: bool = False
    holds_cooldowns: bool = False


class SimulatedPlayer:
    """A unit with a kit, in one attempt."""

    def __init__(self, unit: CombatUnit, kit: Kit, habits: Habits, attempt: "Attempt") -> None:
        self.unit = unit
        self.kit = kit
        self.habits = habits
        self.attempt = attempt
        self.combat = attempt.combat
        self.rng = attempt.combat.rng
        self.effects = Effects(self, attempt)
        self.ready_at: dict[int, int] = {}
        self.potion_at = 0
        self.casting: Ability | None = None
        self.last_regen = self.combat.now
        self.errands: list[tuple[SimulatedSpell, Callable[[], None], bool]] = []
        """Instant casts that come before the rotation (totems, pets), and whether they cost a global cooldown."""
        self._hurt: CombatUnit | None = None
        self._looked_at = -1
        """Whom a healer found to be hurt most, and when."""
        self.channel_target: CombatUnit | None = None
        self._channel: tuple[SimulatedSpell, int, int] | None = None
        """What is being channelled: the spell, when it began and the global cooldown's end."""
        self.life = 0
        """Counts deaths, so that what was planned in an earlier life is not done."""

    def begin(self) -> None:
        """Enter the fight."""
        self.combat.after(self.rng.uniform(50, 1600), self.act)
        if self.kit.swing:
            self.combat.after(self.rng.uniform(500, 2500), lambda: self.swing(False))
        if self.kit.off:
            self.combat.after(self.rng.uniform(700, 2900), lambda: self.swing(True))
        if self.kit.shot:
            self.combat.after(self.rng.uniform(300, 1500), self.shoot)
        if self.habits.holds_cooldowns:
            for ability in self.kit.abilities:
                if ability.cd >= 100:
                    self.ready_at[ability.id] = self.combat.now + 100_000

    @property
    def haste(self) -> float:
        """How much faster spells are cast now."""
        factor = 1.0
        for spell_id, _ in self.unit.auras:
            factor *= HASTE.get(spell_id, 1.0)
        return factor

    @property
    def able(self) -> bool:
        return self.unit.alive and not self.unit.hostile and self.combat.now >= self.unit.stunned_until

    def spell(self, ability: Ability) -> SimulatedSpell:
        return self.attempt.spell(ability.id, ability.name, ability.school or self.kit.school)

    # Choosing

    def act(self) -> None:
        """Use the first ability that is ready; called again when it is done."""
        life = self.life
        if not self.unit.alive:
            return
        if not self.able:
            wait = max(self.unit.stunned_until - self.combat.now, 0) + self.rng.uniform(150, 500)
            self._again(wait, life)
            return
        if self._hastened_now():
            self._again(1, life)  # Whether haste of this very moment counts, no log tells.
            return
        self.regenerate()
        if self.habits.lapse and self.rng.random() < self.habits.lapse:
            self._again(self.rng.uniform(*self.habits.lapse_s) * 1000, life)
            return
        if self.habits.potions:
            self.drink()
        if self.errands:
            self._run_errand(life)
            return
        if urgent := self.attempt.errand(self):
            self.use(*urgent)
            return
        for ability in self.kit.abilities:
            target = self._target(ability)
            if target is not None:
                self.use(ability, target)
                return
        self._again(self.rng.uniform(250, 500), life)

    def _hastened_now(self) -> bool:
        return any(key[0] in HASTE and state.begin == self.combat.now for key, state in self.unit.auras.items())

    def _run_errand(self, life: int) -> None:
        spell, action, costs = self.errands.pop(0)
        gcd = self.gcd_ms() if costs else 0
        self.combat.cast(self.unit, None, spell, gcd=costs)
        action()
        if gcd:
            self.attempt.busy(self.unit, self.combat.now, self.combat.now + gcd)
        self._again(gcd + self.rng.uniform(20, 140), life)

    def gcd_ms(self) -> int:
        """Melee abilities and shots know no spell haste."""
        physical = self.kit.swing or self.kit.shot
        return max(1000, round(self.kit.gcd * 1000 / (1.0 if physical else self.haste)))

    def _again(self, ms: float, life: int) -> None:
        def again() -> None:
            if life == self.life:
                self.act()

        self.combat.after(ms, again)

    def _target(self, ability: Ability) -> CombatUnit | None:
        """Of an ability that may be used now."""
        now = self.combat.now
        if self.ready_at.get(ability.id, 0) > now or self.cost(ability) > self.unit.power:
            return None
        if ability.when_mana and self.unit.power > ability.when_mana * self.unit.max_power:
            return None
        if ability.below_self and self.unit.health > ability.below_self * self.unit.max_health:
            return None
        if ability.heal or ability.hot or ability.shield or ability.ward:
            return self._patient(ability)
        if ability.buff or ability.group or ability.tap or ability.channel_mana:
            return self.unit
        enemy = self.attempt.enemy(self.unit)
        if enemy is None or (ability.dot and self._running(ability, enemy)):
            return None
        return enemy

    def _patient(self, ability: Ability) -> CombatUnit | None:
        if ability.tank or (ability.ward and not ability.below):
            return self.attempt.tank()
        if self._looked_at != self.combat.now:
            self._looked_at, self._hurt = self.combat.now, self.attempt.most_hurt(self.rng)
        patient = self._hurt
        if patient is None or patient.health >= ability.below * patient.max_health:
            return None
        has = (ability.id, self.unit.guid) in patient.auras
        return None if has and (ability.hot or ability.shield) and ability.stacks == 1 and not ability.heal else patient

    def _running(self, ability: Ability, enemy: CombatUnit) -> bool:
        """Whether the damage over time still runs, and is not to be renewed all the same."""
        if self.effects.pending(ability, enemy):
            return True
        left = self.effects.dot_left(ability, enemy)
        if not left or not self.habits.clip:
            return left > 0
        return left < 0.15 or left > 0.75 or self.rng.random() > self.habits.clip

    def cost(self, ability: Ability) -> int:
        return int(ability.cost * self.habits.waste)

    # Using

    def use(self, ability: Ability, target: CombatUnit) -> None:
        """Cast it: at once, or after its time; or begin and break off."""
        begin, life = self.combat.now, self.life
        gcd = 0 if ability.off_gcd else self.gcd_ms()
        cast = ability.cast * 1000 / self.haste
        self.ready_at[ability.id] = begin + int(max(ability.cd, ability.every) * 1000)
        for other in self.kit.abilities if ability.trinket else ():
            if other.trinket and other is not ability:
                ends = begin + int(ability.buff * 1000)
                self.ready_at[other.id] = max(self.ready_at.get(other.id, 0), ends)
        if cast:
            self.combat.cast_start(self.unit, self.spell(ability), gcd)
            self.casting = ability
            if self.rng.random() < self.habits.cancel:
                self._cancel(ability, cast * self.rng.uniform(0.25, 0.8), life)
            else:
                self.combat.after(cast, lambda: self._finish(ability, target, begin, gcd, life))
            return
        channel = ability.channel or ability.channel_mana
        if channel:
            self._channel, self.channel_target = (self.spell(ability), begin, begin + gcd), target
            self.perform(ability, target, begun=False)
            self.combat.after(channel[0] * 1000, lambda: self._complete(begin))
            return
        self.perform(ability, target, begun=False)
        if gcd:
            self.attempt.busy(self.unit, begin, begin + gcd)
        self._again(gcd + self.rng.uniform(20, 140), life)

    def _complete(self, begin: int) -> None:
        if self._channel and self._channel[1] == begin:
            self.end_channel()

    def end_channel(self) -> None:
        """It ran its time, or its target or its caster died, or the caster was stunned."""
        channel, target = self._channel, self.channel_target
        self._channel = self.channel_target = None
        if channel is None or target is None:
            return
        spell, begin, ready = channel
        self.combat.aura_off(self.unit, target, spell)
        self.attempt.busy(self.unit, begin, max(self.combat.now, ready))
        self._again(max(0, ready - self.combat.now) + self.rng.uniform(20, 140), self.life)

    def count_open_channel(self) -> None:
        """The fight is over, and it still runs."""
        if self._channel is not None:
            _, begin, ready = self._channel
            self.attempt.busy(self.unit, begin, max(self.combat.now, ready))

    def _finish(self, ability: Ability, target: CombatUnit, begin: int, gcd: int, life: int) -> None:
        if life != self.life:
            return
        self.casting = None
        if not self.able or (not target.alive and not ability.raises):
            self._break(ability)
            self._again(self.rng.uniform(150, 400), life)
            return
        self.regenerate()
        self.perform(ability, target, begun=True)
        end = max(self.combat.now, begin + gcd)
        self.attempt.busy(self.unit, begin, end)
        self._again(end - self.combat.now + self.rng.uniform(20, 140), life)

    def _cancel(self, ability: Ability, ms: float, life: int) -> None:
        def stop() -> None:
            if life != self.life:
                return
            self.casting = None
            self.ready_at[ability.id] = self.combat.now
            self._break(ability)
            self._again(self.rng.uniform(700, 1600), life)

        self.combat.after(ms, stop)

    def _break(self, ability: Ability) -> None:
        """A cast comes to nothing. Only the player who writes the log has a line of it."""
        if self.unit is self.attempt.units[0]:
            self.combat.cast_failed(self.unit, self.spell(ability), "Interrupted")

    def perform(self, ability: Ability, target: CombatUnit, begun: bool) -> None:
        """The cast succeeded: its cost, its line, and what it does."""
        spell = self.spell(ability)
        helps = target is self.unit and not (ability.heal or ability.shield)
        gcd = not begun and not ability.off_gcd
        self.combat.cast(self.unit, None if helps else target, spell, cost=self.cost(ability), begun=begun, gcd=gcd)
        if not self.attempt.cleanse(self, ability, target):
            self.effects.apply(ability, spell, target)

    def regenerate(self) -> None:
        """Mana and energy of the time that went by."""
        seconds = (self.combat.now - self.last_regen) / 1000
        self.last_regen = self.combat.now
        rate = {"mana": self.unit.max_power * self.kit.regeneration, "energy": 10.0, "rage": 0.0}[self.kit.power]
        self.unit.power = min(self.unit.max_power, self.unit.power + rate * seconds)

    def drink(self) -> None:
        """A potion, once in two minutes."""
        now, unit = self.combat.now, self.unit
        if self.potion_at > now:
            return
        if self.kit.power == "mana":
            if unit.power > 0.55 * unit.max_power:
                return
            self.combat.cast(unit, None, MANA_POTION)
            self.combat.energize(unit, unit, MANA_POTION, self.rng.randint(1800, 3000))
        elif self.kit.role == "damage" and now - self.attempt.began > 20_000:
            self.combat.cast(unit, None, HASTE_POTION)
            self.combat.aura_on(unit, unit, HASTE_POTION, 15, buff=True)
        else:
            return
        self.potion_at = now + POTION_MS

    # Swings and shots

    def swing(self, off_hand: bool) -> None:
        """The next swing of a hand, for as long as the fight lasts."""
        seconds, low, high = (self.kit.off if off_hand else self.kit.swing) or (2.0, 0, 0)
        self.combat.after(seconds * 1000 * self.rng.uniform(0.98, 1.02), lambda: self.swing(off_hand))
        enemy = self.attempt.enemy(self.unit)
        if not self.able or enemy is None or self.casting:
            return
        amount = int(self.rng.uniform(low, high) * self.habits.strength)
        roll = self.rng.random()
        if roll < 0.05:
            self.combat.miss(self.unit, enemy, None, "MISS" if roll < 0.02 else "DODGE")
        elif roll < 0.28:
            self.combat.damage(self.unit, enemy, None, int(amount * 0.75), glancing=True)
        else:
            critical = roll > 0.74
            self.combat.damage(self.unit, enemy, None, amount * 2 if critical else amount, critical=critical)
        if self.kit.power == "rage":
            self.unit.power = min(100, self.unit.power + int(RAGE_A_SECOND * seconds))
        if self.kit.label == "Rogue Combat" and enemy.alive and self.rng.random() < 0.05:
            self.combat.extra_attacks(self.unit, SWORD_SPECIALIZATION)
        proc = self.kit.proc
        if proc and enemy.alive and self.rng.random() < proc.chance:
            spell = self.attempt.spell(proc.id, proc.name, proc.school)
            self.combat.damage(self.unit, enemy, spell, int(self.rng.uniform(*proc.dmg) * self.habits.strength))

    def shoot(self) -> None:
        """The next auto shot."""
        seconds, low, high = self.kit.shot or (2.7, 0, 0)
        self.combat.after(seconds * 1000 / self.haste, self.shoot)
        enemy = self.attempt.enemy(self.unit)
        if not self.able or enemy is None:
            return
        self.combat.cast(self.unit, enemy, AUTO_SHOT)
        critical = self.rng.random() < 0.24
        amount = int(self.rng.uniform(low, high) * self.habits.strength * (2 if critical else 1))
        self.combat.after(
            SHOT_MS,
            lambda: self.combat.damage(self.unit, enemy, AUTO_SHOT, amount, event="RANGE_DAMAGE", critical=critical),
        )
