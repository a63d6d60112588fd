"""One attempt at a boss: who is there, whom they attack and heal, and how it ends."""

import random
from collections.abc import Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.figures import FightFigures
from glassloop.extensions.raids.sample.gear import with_trinkets
from glassloop.extensions.raids.sample.kits import Ability
from glassloop.extensions.raids.sample.roster import RaidMember
from glassloop.extensions.raids.sample.scripts import BossAbility, BossScript
from glassloop.extensions.raids.sample.simulation.boss import SimulatedBoss, call_adds
from glassloop.extensions.raids.sample.simulation.casts import CastBook
from glassloop.extensions.raids.sample.simulation.combat import Combat
from glassloop.extensions.raids.sample.simulation.moments import Moments
from glassloop.extensions.raids.sample.simulation.pets import begin_pets
from glassloop.extensions.raids.sample.simulation.player import SimulatedPlayer
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

INTERRUPTS: Final = {
    "Rogue": (38768, "Kick", 1),
    "Mage": (2139, "Counterspell", 64),
    "Warrior": (6554, "Pummel", 1),
    "Shaman": (25454, "Earth Shock", 8),
}
DISPELS: Final = {
    "Magic": {"Priest": (988, "Dispel Magic"), "Paladin": (4987, "Cleanse")},
    "Curse": {"Mage": (475, "Remove Lesser Curse"), "Druid": (2782, "Remove Curse")},
}
REBIRTH: Final = Ability(id=26994, name="Rebirth", cast=2.0, school=8, cost=1611, cd=1200, raises=True)
SHATTER: Final = 33671
HARDNESS: Final = 1.35
"""A factor for all that bosses do."""
CARELESS: Final = 0.5
"""Chance of those who stand in the fire to be killed by a hit that would."""
INTERRUPT_MS: Final = 10_000


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How an attempt is to go."""

    wipe_at: float | None = None
    """Per cent of the boss's health at which the raid is overwhelmed; None is a kill."""
    deaths: float = 0.02
    """Chance that a hit that would kill somebody other than a tank does so."""
    health: float = 1.0
    """A factor for the boss's health."""
    most_s: float = 720.0
    interrupts: float = 0.8
    fire: float = 0.02
    """Chance of the attentive to be caught by what can be avoided."""
    mind_control: bool = False
    friendly_fire: bool = False
    bloodlust: bool = True
    feign: bool = True
    drains: bool = True
    falls: bool = True
    spirits: bool = True
    """Holy Priests become a Spirit of Redemption."""
    wrong_success: bool = False
    """ENCOUNTER_END says that a kill was none, as clients sometimes do."""


class Attempt:
    """The state of one attempt, and the questions that players and bosses ask of it."""

    def __init__(
        self, combat: Combat, script: BossScript, members: Sequence[RaidMember], plan: Plan, spawn: int = 0
    ) -> None:
        self.combat = combat
        self.script = script
        self.plan = plan
        self.began = combat.now
        self.away = False
        self.deadly = False
        self.kill = False
        self.adds: list[CombatUnit] = []
        self.casts = CastBook(combat)
        combat.book = self.casts
        self.spawn = spawn
        self._spells: dict[int, SimulatedSpell] = {}
        self._times_away = sorted(script.away.at, reverse=True) if script.away else []
        self._afflictions = {kind: {one.id for one in script.abilities if one.dispel == kind} for kind in DISPELS}
        self._rebirths: dict[str, CombatUnit] = {}
        self.members = {member.guid: member for member in members}
        self.players = {
            member.guid: SimulatedPlayer(member.unit(), with_trinkets(member.kit, member.gear), member.habits, self)
            for member in members
        }
        self.units = [player.unit for player in self.players.values()]
        for player in self.players.values():
            player.unit.lingers = plan.spirits and player.kit.label == "Priest Holy"
        self.tanks = [player.unit for player in self.players.values() if player.kit.role == "tank"]
        self.bosses = [
            SimulatedBoss(self.creature(one.id, one.name, int(one.health * plan.health), one.mana), one, self)
            for one in script.creatures
            for _ in range(one.copies)
        ]
        self.moments = Moments(self)
        self.main = self.bosses[-1] if not self.bosses[-1].creature.second else self.bosses[0]
        combat.on_death.append(self._died)

    def creature(self, npc_id: int, name: str, health: int, mana: int = 0) -> CombatUnit:
        """A new hostile one."""
        self.spawn += 1
        guid = f"Creature-0-4469-{self.script.instance}-1138-{npc_id}-{self.spawn:010X}"
        return CombatUnit(
            guid, name, "npc", health=max(1, health), power=mana, hostile=True, npc_id=npc_id, flags=0x10A48
        )

    def spell(self, spell_id: int, name: str, school: int) -> SimulatedSpell:
        found = self._spells.get(spell_id)
        if found is None:
            found = self._spells[spell_id] = SimulatedSpell(spell_id, name, school)
        return found

    # The course of it

    def run(self) -> None:
        """From the pull to the end. The tank's first hit comes before anything else."""
        self.combat.damage(self.tanks[0], self.bosses[0].unit, None, 120)
        for player in self.players.values():
            player.begin()
            begin_pets(player, self)
        last = self.main.creature.id
        for boss in self.bosses:
            first = next(one for one in self.bosses if one.creature.id == boss.creature.id)
            abilities = self.script.abilities if boss is first else ()
            boss.begin(tuple(one for one in abilities if (one.by or last) == boss.creature.id))
        self.moments.begin()
        if self.script.adds:
            call_adds(self, self.script.adds)
        if self.script.away and self.script.away.every:
            self.combat.after(self.script.away.every * 1000, self._leave)
        self.combat.after(1000, self._watch)
        self.combat.run(self.began + int(self.plan.most_s * 1000))

    @property
    def boss_health(self) -> float:
        """Per cent of the main boss."""
        return 100 * self.main.unit.health / self.main.unit.max_health

    def _watch(self) -> None:
        """Every second: whether the boss goes out of reach, and whether the raid is overwhelmed."""
        self.combat.after(1000, self._watch)
        health = self.boss_health
        if self._times_away and health <= self._times_away[0]:
            self._times_away.pop(0)
            self._leave()
        late = self.combat.now - self.began > (self.plan.most_s - 60) * 1000
        wipe_at = self.plan.wipe_at
        if not self.deadly and ((wipe_at is not None and health <= wipe_at) or late):
            self.deadly = True
        if self.deadly:
            self._overwhelm()

    def _overwhelm(self) -> None:
        """The boss runs loose: every second it strikes some of the raid, until nobody is left."""
        boss = next((one.unit for one in [self.main, *self.bosses] if one.unit.alive and not one.caged), None)
        raid = [unit for unit in self.patients() if not unit.feigns(self.combat.now)]
        for unit in self.combat.rng.sample(raid, min(len(raid), 1 + len(self.units) // 8)) if boss else ():
            self.combat.damage(boss, unit, None, self.combat.rng.randint(7000, 12_000))

    def _leave(self) -> None:
        away = self.script.away
        if away is None or self.away:
            return
        self.away = True

        def back() -> None:
            self.away = False
            if away.every:
                self.combat.after(away.every * 1000, self._leave)

        self.combat.after(away.for_s * 1000, back)

    def _died(self, unit: CombatUnit) -> None:
        if unit in self.adds:
            self.adds.remove(unit)
        for channeller in self.players.values():
            if unit in (channeller.unit, channeller.channel_target):
                channeller.end_channel()
        player = self.players.get(unit.guid)
        if player:
            player.life += 1
            player.casting = None
            if not self.deadly and not unit.lingers:
                self.combat.after(self.combat.rng.uniform(4000, 12000), lambda: self._want_rebirth(unit))
            if not any(one.alive for one in self.units):
                self.combat.over = True
        elif unit.hostile:
            self._fewer_bosses()

    def _fewer_bosses(self) -> None:
        """The last one in a cage is freed; with nobody left it is a kill."""
        left = [boss for boss in self.bosses if boss.unit.alive and not boss.creature.second]
        if not left:
            self.kill = True
            self.combat.over = True
        elif all(boss.caged for boss in left):
            for boss in left:
                boss.free()

    def _want_rebirth(self, unit: CombatUnit) -> None:
        for guid, player in self.players.items():
            able = player.kit.class_name == "Druid" and player.kit.power == "mana" and player.unit.alive
            if able and guid not in self._rebirths and not unit.alive:
                self._rebirths[guid] = unit
                return

    # Questions of players

    def enemy(self, unit: CombatUnit) -> CombatUnit | None:
        """Whom a player attacks now."""
        if self.away:
            return None
        if self.adds and unit not in self.tanks:
            return self.adds[0]
        for boss in self.bosses:
            if boss.unit.alive and not boss.creature.second:
                return boss.unit
        return None

    def patients(self) -> list[CombatUnit]:
        """Players that live and are friends."""
        return [unit for unit in self.units if unit.alive and not unit.hostile]

    def most_hurt(self, rng: random.Random) -> CombatUnit | None:
        """One of those in need: usually the worst off, sometimes another, as healers do not agree beforehand."""
        hurt = sorted(self.patients(), key=lambda unit: unit.health / unit.max_health)
        if not hurt:
            return None
        return hurt[0] if len(hurt) < 3 or rng.random() < 0.7 else hurt[rng.randrange(3)]

    def tank(self, number: int = 1) -> CombatUnit | None:
        """Who holds a boss: its tank, another one, or anybody."""
        alive = [unit for unit in self.tanks if unit.alive and not unit.hostile]
        if alive:
            return alive[(number - 1) % len(alive)]
        rest = self.patients()
        return rest[0] if rest else None

    def group(self, unit: CombatUnit) -> list[CombatUnit]:
        """The five of its group, those alive."""
        begin = self.units.index(unit) // 5 * 5
        return [one for one in self.units[begin : begin + 5] if one.alive and not one.hostile]

    def errand(self, player: SimulatedPlayer) -> tuple[Ability, CombatUnit] | None:
        """Something more urgent than the rotation: to raise somebody, to take an affliction off."""
        wanted = self._rebirths.get(player.unit.guid)
        if wanted and not wanted.alive and player.unit.power > REBIRTH.cost and REBIRTH.id not in player.ready_at:
            return REBIRTH, wanted
        for kind, wanted_ids in self._afflictions.items():
            known = DISPELS[kind].get(player.kit.class_name) if wanted_ids else None
            if known is None or player.kit.role == "tank" or player.unit.power < 300:
                continue
            for unit in self.patients():
                if not wanted_ids.isdisjoint(spell_id for spell_id, _ in unit.auras):
                    return Ability(id=known[0], name=known[1], cost=250, school=2), unit
        return None

    def cleanse(self, player: SimulatedPlayer, ability: Ability, target: CombatUnit) -> bool:
        """What an errand does, when its cast is done; False for other abilities."""
        if ability.id == REBIRTH.id:
            if not target.alive:
                self.combat.resurrect(player.unit, target, self.spell(ability.id, ability.name, ability.school))
                back = self.players[target.guid]
                self.combat.after(1500, back.act)
            return True
        kinds = [kind for kind, classes in DISPELS.items() if (ability.id, ability.name) in classes.values()]
        if not kinds:
            return False
        for key, state in list(target.auras.items()):
            if key[0] in self._afflictions[kinds[0]]:
                spell = self.spell(ability.id, ability.name, ability.school)
                self.combat.dispel(player.unit, target, spell, state)
                break
        return True

    # Questions of bosses

    def guard(self, target: CombatUnit, amount: int) -> int:
        """How hard a hit is: rarely deadly where the raid is to live, always hard where it is not."""
        feigns = target.feigns(self.combat.now)
        if self.deadly and not feigns:
            return amount * 4
        amount, safe = int(amount * HARDNESS), max(1, int(target.health * 0.8))
        chance = CARELESS if self.members[target.guid].habits.stands_in_fire else self.plan.deaths
        by_chance = target not in self.tanks and not feigns and self.combat.rng.random() < chance
        return amount if amount < safe or by_chance else safe

    def stands_in(self, unit: CombatUnit, ability: BossAbility) -> bool:
        chance = 0.35 if self.members[unit.guid].habits.stands_in_fire else self.plan.fire
        return ability.avoid and self.combat.rng.random() < chance

    def shared(self, ability: BossAbility, target: CombatUnit) -> bool:
        """Damage that players do to one another, where the plan has it (Gruul's Shatter)."""
        if not self.plan.friendly_fire or ability.id != SHATTER:
            return False
        others = [unit for unit in self.patients() if unit is not target]
        if others:
            source = self.combat.rng.choice(others)
            amount = self.guard(target, self.combat.rng.randint(*(ability.dmg or (1, 2))))
            self.combat.damage(source, target, self.spell(ability.id, ability.name, ability.school), amount)
        return True

    def stun(self, unit: CombatUnit, seconds: float) -> None:
        """Take somebody out of the fight for a while; a channel ends with it."""
        unit.stunned_until = self.combat.now + int(seconds * 1000)
        self.players[unit.guid].end_channel()

    def struck(self, unit: CombatUnit) -> None:
        """Being hit brings rage."""
        if unit.power_type == 1 and unit.alive:
            unit.power = min(100, unit.power + 5)

    def thorns(self, unit: CombatUnit) -> bool:
        """Whether those who strike it are hurt."""
        player = self.players.get(unit.guid)
        return player is not None and player.kit.class_name == "Paladin"

    def interrupt(self, caster: CombatUnit, spell: SimulatedSpell) -> bool:
        """Have somebody break the cast, if anybody can and pays attention."""
        rng = self.combat.rng
        if rng.random() > self.plan.interrupts:
            return False
        ready = [one for one in self.players.values() if self._can_interrupt(one)]
        if not ready:
            return False
        player = rng.choice(ready)
        spell_id, name, school = INTERRUPTS[player.kit.class_name]
        player.ready_at[spell_id] = self.combat.now + INTERRUPT_MS

        def kick() -> None:
            if caster.alive and player.able:
                kicking = self.spell(spell_id, name, school)
                self.combat.cast(player.unit, caster, kicking)
                self.combat.interrupt(player.unit, caster, kicking, spell)

        self.combat.after(rng.uniform(300, 900), kick)
        return True

    def _can_interrupt(self, player: SimulatedPlayer) -> bool:
        found = INTERRUPTS.get(player.kit.class_name)
        if found is None or player.kit.role != "damage" or player.kit.class_name == "Shaman" or player.casting:
            return False
        return player.able and player.ready_at.get(found[0], 0) <= self.combat.now

    # Bookkeeping

    def busy(self, unit: CombatUnit, begin: int, end: int) -> None:
        if self.combat.ledger:
            self.combat.ledger.busy(unit, begin, end)

    def finish(self, figures: FightFigures) -> None:
        """Close what is open: auras, casts, the fight itself."""
        figures.ended_at = self.combat.now
        figures.kill = self.kill
        figures.boss_health = 0.0 if self.kill else round(self.boss_health, 2)
        self.casts.finish(figures)
        for player in self.players.values():
            player.count_open_channel()
        ledger = self.combat.ledger
        if ledger:
            pets = [unit for unit in self.combat.known.values() if unit.owner]
            hostile = [boss.unit for boss in self.bosses] + self.adds
            for unit in self.units:
                ledger.alive_again(unit, self.combat.now)
            for unit in [*self.units, *pets, *hostile]:
                for state in unit.auras.values():
                    ledger.aura(unit, state, self.combat.now)
