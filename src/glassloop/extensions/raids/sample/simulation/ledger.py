"""Counts what happens in a simulated fight, while it happens: the figures that an import is measured by."""

from glassloop.extensions.raids.sample.figures import (
    AbilityFigures,
    AuraFigures,
    CastFigures,
    DeathFigures,
    DotFigures,
    FightFigures,
    PlayerFigures,
)
from glassloop.extensions.raids.sample.simulation.units import AuraState, CombatUnit

FEIGN_DEATH = "Feign Death"
"""The one that nobody struck for."""


class Ledger:
    """The figures of one fight. Times given to it are in ms since 1970."""

    def __init__(self, fight: FightFigures) -> None:
        self.fight = fight
        self._last_blow: dict[str, tuple[str, int, int, int]] = {}
        self._died: dict[str, int] = {}

    def player(self, unit: CombatUnit | None) -> PlayerFigures | None:
        """Of the player that the unit's deeds are credited to."""
        return self.fight.players.get(unit.player.guid) if unit else None

    def _ability(self, book: dict[str, dict[int, AbilityFigures]], unit: CombatUnit, spell_id: int) -> AbilityFigures:
        abilities = book.setdefault(unit.guid, {})
        found = abilities.get(spell_id)
        if found is None:
            found = abilities[spell_id] = AbilityFigures()
        return found

    def damage(
        self,
        source: CombatUnit | None,
        target: CombatUnit,
        spell_id: int,
        done: int,
        overkill: int,
        critical: bool,
        periodic: bool,
    ) -> None:
        """`done` is without overkill."""
        victim = self.fight.players.get(target.guid)
        if victim is not None:
            victim.taken += done
            victim.taken_of[spell_id] = victim.taken_of.get(spell_id, 0) + done
        if target.kind == "player":
            self._last_blow[target.guid] = (source.guid if source else "", spell_id, done, overkill)
        doer = self.player(source)
        if source is None or doer is None or source.hostile:
            return
        if not target.hostile:
            if source is not target:
                doer.friendly_fire += done
            return
        doer.damage += done
        if source.owner:
            doer.pet_damage += done
        self._hit(self._ability(doer.done, source, spell_id), target, done, critical, periodic)

    def absorbed(self, target: CombatUnit, spell_id: int, amount: int) -> None:
        """A part of a hit that a shield took."""
        if victim := self.fight.players.get(target.guid):
            victim.absorbed_of[spell_id] = victim.absorbed_of.get(spell_id, 0) + amount

    def _hit(self, ability: AbilityFigures, target: CombatUnit, done: int, critical: bool, periodic: bool) -> None:
        ability.total += done
        ability.targets.add(target.guid)
        ability.largest = max(ability.largest, done)
        if periodic:
            ability.ticks += 1
        else:
            ability.hits += 1
        if critical:
            ability.criticals += 1

    def miss(self, source: CombatUnit, target: CombatUnit, spell_id: int) -> None:
        if not spell_id and (victim := self.fight.players.get(target.guid)):
            victim.taken_of.setdefault(0, 0)
        doer = self.player(source)
        if doer and target.hostile and not source.hostile:
            self._ability(doer.done, source, spell_id).misses += 1

    def heal(
        self,
        source: CombatUnit,
        target: CombatUnit,
        spell_id: int,
        amount: int,
        overheal: int,
        critical: bool,
        periodic: bool,
    ) -> None:
        doer = self.player(source)
        if doer is None or source.hostile or target.hostile:
            return
        doer.healing += amount - overheal
        doer.overheal += overheal
        ability = self._ability(doer.healed, source, spell_id)
        self._hit(ability, target, amount - overheal, critical, periodic)
        ability.overheal += overheal

    def absorb(self, shielder: CombatUnit, target: CombatUnit, spell_id: int, amount: int) -> None:
        doer = self.player(shielder)
        if doer is None or shielder.hostile or target.hostile:
            return
        doer.healing += amount
        doer.absorbs += amount
        self._ability(doer.healed, shielder, spell_id).total += amount

    def casts(self, unit: CombatUnit, spell_id: int) -> CastFigures:
        """Of a player itself, not of its pets."""
        found = self.fight.players.get(unit.guid)
        return found.casts.setdefault(spell_id, CastFigures()) if found else CastFigures()

    def dots(self, unit: CombatUnit, spell_id: int) -> DotFigures:
        found = self.fight.players.get(unit.guid)
        return found.dots.setdefault(spell_id, DotFigures()) if found else DotFigures()

    def busy(self, unit: CombatUnit, begin: int, end: int) -> None:
        """A cast, a channel or a global cooldown."""
        found = self.fight.players.get(unit.guid)
        if found:
            start = self.fight.started_at
            found.busy.append((begin - start, end - start))

    def enemy_cast(self, unit: CombatUnit, spell_id: int) -> None:
        is_shielded = any(left and key in unit.auras for key, left in unit.shields.items())
        casts = self.fight.shielded_casts if is_shielded else self.fight.enemy_casts
        casts[spell_id] = casts.get(spell_id, 0) + 1

    def interrupt(self, unit: CombatUnit, spell_id: int) -> None:
        self.fight.interrupted[spell_id] = self.fight.interrupted.get(spell_id, 0) + 1
        if found := self.player(unit):
            found.interrupts += 1

    def dispel(self, unit: CombatUnit, spell_id: int) -> None:
        self.fight.dispelled[spell_id] = self.fight.dispelled.get(spell_id, 0) + 1
        if found := self.player(unit):
            found.dispels += 1

    def death(self, unit: CombatUnit, at: int, feigned: str = "") -> None:
        found = self.fight.players.get(unit.guid)
        if found is None:
            return
        since = at - self.fight.started_at
        source, spell_id, amount, overkill = self._last_blow.get(unit.guid, ("", 0, 0, 0))
        if feigned == FEIGN_DEATH:
            source, spell_id, amount, overkill = "", 0, 0, 0
        if not feigned:
            found.deaths += 1
            found.died_at = since if found.died_at is None else found.died_at
            self._died[unit.guid] = since
        self.fight.deaths.append(
            DeathFigures(
                guid=unit.guid,
                at=since,
                source=source,
                spell_id=spell_id,
                amount=amount,
                overkill=overkill,
                feigned=feigned,
            )
        )

    def alive_again(self, unit: CombatUnit, at: int) -> None:
        """A resurrection, or the end of the fight."""
        found, died = self.fight.players.get(unit.guid), self._died.pop(unit.guid, None)
        if found is not None and died is not None:
            found.dead.append((died, at - self.fight.started_at))

    def aura(self, target: CombatUnit, state: AuraState, end: int) -> None:
        """An aura that ended, or that the fight's end cut short."""
        start = self.fight.started_at
        begin, end = max(state.begin, start), min(end, self.fight.ended_at or end)
        if end < begin or not state.seen:
            return
        key = (target.guid, state.source.guid, state.spell.id)
        found = self.fight.auras.get(key)
        if found is None:
            found = self.fight.auras[key] = AuraFigures(
                target=target.guid, source=state.source.guid, spell_id=state.spell.id, buff=state.buff
            )
        found.before = found.before or state.begin < start
        found.spans.append((begin - start, end - start))

    def swing(self, source: CombatUnit | None, target: CombatUnit, outcome: str) -> None:
        """A swing of a creature at a player, and how it ended."""
        found = self.fight.players.get(target.guid)
        if found and source and source.kind == "npc" and source.hostile:
            found.swings_at[outcome] = found.swings_at.get(outcome, 0) + 1

    def health(self, unit: CombatUnit, at: int) -> None:
        """What the log just wrote of a player's health."""
        found = self.fight.players.get(unit.guid)
        if found and (found.lowest_health < 0 or unit.health < found.lowest_health):
            found.lowest_health, found.lowest_health_at = unit.health, at - self.fight.started_at

    def power(self, unit: CombatUnit, power: int) -> None:
        """What the log just wrote of a player's mana."""
        found = self.fight.players.get(unit.guid)
        if found and (found.lowest_power < 0 or power < found.lowest_power):
            found.lowest_power = power
