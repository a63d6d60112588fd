"""Things that happen once or twice in a fight: Bloodlust, Feign Death, players under an enemy's control, falls."""

from typing import TYPE_CHECKING, Final

from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.attempt import Attempt
    from glassloop.extensions.raids.sample.simulation.player import SimulatedPlayer

BLOODLUST: Final = (2825, "Bloodlust", 8)
FEIGN_DEATH: Final = (5384, "Feign Death", 1)
DOMINATION: Final = (37122, "Domination", 32)
VIPER_STING: Final = (27018, "Viper Sting", 8)


class Moments:
    """Of one attempt."""

    def __init__(self, attempt: "Attempt") -> None:
        self.attempt = attempt
        self.combat = attempt.combat
        self.rng = attempt.combat.rng

    def begin(self) -> None:
        """Set their timers."""
        plan, after, uniform = self.attempt.plan, self.combat.after, self.rng.uniform
        for player in self.attempt.players.values():
            if plan.bloodlust and player.kit.class_name == "Shaman":
                after(uniform(5000, 25_000), lambda player=player: self._bloodlust(player))
            if plan.feign and player.kit.class_name == "Hunter":
                after(uniform(20_000, 60_000), lambda player=player: self._feign(player))
            if plan.drains and player.kit.class_name == "Hunter" and self.attempt.main.unit.max_power:
                after(uniform(4000, 9000), lambda player=player: self._drain(player))
        if plan.mind_control:
            after(uniform(12_000, 25_000), self._control)
        if plan.falls:
            after(uniform(8000, 30_000), self._fall)

    def _bloodlust(self, player: "SimulatedPlayer") -> None:
        spell = self.attempt.spell(*BLOODLUST)

        def inspire() -> None:
            for unit in self.attempt.group(player.unit):
                other = self.attempt.players[unit.guid]
                slow = other.kit.swing and other.kit.class_name not in ("Warrior", "Rogue", "Hunter")
                if not slow:
                    self.combat.aura_on(player.unit, unit, spell, 40, buff=True)

        player.errands.append((spell, inspire, True))

    def _feign(self, player: "SimulatedPlayer") -> None:
        """The log has a death that is none, and an aura for as long as it lasts."""
        unit, spell = player.unit, self.attempt.spell(*FEIGN_DEATH)

        def feign() -> None:
            self.combat.aura_on(unit, unit, spell, 0.9, buff=True)
            self.combat.die(unit, None, feigned=spell.name)
            self.attempt.stun(unit, 0.9)
            unit.feigned_at = self.combat.now

        player.errands.append((spell, feign, True))

    def _drain(self, player: "SimulatedPlayer") -> None:
        unit, boss, spell = player.unit, self.attempt.main.unit, self.attempt.spell(*VIPER_STING)

        def sting() -> None:
            state = self.combat.aura_on(unit, boss, spell, 0, buff=False)
            if state is None:
                return

            def fall() -> None:
                if boss.alive and boss.auras.get((spell.id, unit.guid)) is state:
                    self.combat.drain(unit, boss, spell, 341)

            for number in range(1, 5):
                self.combat.after(number * 2000, fall)
            self.combat.expire_after(boss, state, 8)

        player.errands.append((spell, sting, True))

    def _control(self) -> None:
        """Somebody turns against the raid for some seconds. Only those without pets and lasting effects: what those do
        meanwhile is counted differently everywhere."""
        able = [
            one
            for one in self.attempt.players.values()
            if one.able and one.kit.class_name == "Warrior" and one.kit.role == "damage"
        ]
        if not able or not self.attempt.main.unit.alive:
            return
        player, boss = self.rng.choice(able), self.attempt.main.unit
        spell = self.attempt.spell(*DOMINATION)
        self.combat.cast(boss, player.unit, spell)
        self.combat.aura_on(boss, player.unit, spell, 0, buff=False)
        player.unit.charm(True)
        for number in range(1, 4):
            self.combat.after(number * 1700, lambda: self._betray(player.unit))
        self.combat.after(6000, lambda: self._release(player.unit, boss, spell))
        self.combat.after(self.rng.uniform(20_000, 40_000), self._control)

    def _betray(self, unit: CombatUnit) -> None:
        victims = self.attempt.patients()
        if unit.hostile and unit.alive and victims:
            victim = self.rng.choice(victims)
            self.combat.damage(unit, victim, None, self.attempt.guard(victim, self.rng.randint(600, 1100)))

    def _release(self, unit: CombatUnit, boss: CombatUnit, spell: SimulatedSpell) -> None:
        unit.charm(False)
        self.combat.aura_off(boss, unit, spell)

    def _fall(self) -> None:
        able = self.attempt.patients()
        if able:
            unit = self.rng.choice(able)
            self.combat.fall(unit, self.attempt.guard(unit, self.rng.randint(300, 2500)))
