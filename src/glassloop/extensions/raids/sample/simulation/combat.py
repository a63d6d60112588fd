"""The events of a simulated fight: each changes the units, is written as lines of the log and is counted.

Owns the clock and the queue of what comes next; who does what and when is decided by players and bosses.
"""

import heapq
import random
from collections.abc import Callable
from itertools import count

from glassloop.extensions.raids.sample.log_text import LogText, damage_text
from glassloop.extensions.raids.sample.simulation.casts import CastBook
from glassloop.extensions.raids.sample.simulation.ledger import Ledger
from glassloop.extensions.raids.sample.simulation.units import MANA, AuraState, CombatUnit, SimulatedSpell

MELEE_SCHOOL = 1
SPIRIT = SimulatedSpell(27827, "Spirit of Redemption", 2)
SPIRIT_MS = 15_000
Action = Callable[[], None]


class Combat:
    """A stretch of time in which things happen. `ledger` is None outside of fights."""

    def __init__(self, rng: random.Random, text: LogText, now: int, ledger: Ledger | None = None) -> None:
        self.rng = rng
        self.text = text
        self.now = now
        self.ledger = ledger
        self.over = False
        self.book: CastBook | None = None
        """Casts that have begun; None outside of fights."""
        self.known: dict[str, CombatUnit] = {}
        """Pets and totems, by GUID."""
        self.on_death: list[Callable[[CombatUnit], None]] = []
        self._queue: list[tuple[int, int, Action]] = []
        self._order = count()
        text.set_time(now)

    def after(self, ms: float, action: Action) -> None:
        """Do that later."""
        heapq.heappush(self._queue, (self.now + max(0, int(ms)), next(self._order), action))

    def run(self, until: int) -> None:
        """Do everything up to that time, or until it is over."""
        queue = self._queue
        while queue and not self.over and queue[0][0] <= until:
            self.now, _, action = heapq.heappop(queue)
            self.text.set_time(self.now)
            action()
        if not self.over:
            self.now = until
            self.text.set_time(until)

    # Damage and healing

    def damage(
        self,
        source: CombatUnit | None,
        target: CombatUnit,
        spell: SimulatedSpell | None,
        amount: int,
        *,
        event: str = "SPELL_DAMAGE",
        resisted: int = 0,
        blocked: int = 0,
        critical: bool = False,
        glancing: bool = False,
        crushing: bool = False,
    ) -> None:
        """A hit. Shields take their part first; what is beyond the last point of health is overkill."""
        if not target.alive or (source and source.hostile and target.hostile and target.kind == "player"):
            return
        absorbed = self._absorb(source, target, spell, amount) if amount > 0 else 0
        amount -= absorbed
        if absorbed and not amount:
            rest = f"ABSORB,nil,{absorbed},{absorbed + resisted + blocked}"
            missed = f"{event}_MISSED" if event == "DAMAGE_SHIELD" else event.replace("_DAMAGE", "_MISSED")
            self._miss_text(source, target, spell, rest, missed)
            if source and self.ledger:
                self.ledger.miss(source, target, spell.id if spell else 0)
                if spell is None:
                    self.ledger.swing(source, target, "absorb")
            return
        overkill = max(0, amount - target.health)
        target.health -= amount - overkill
        payload = damage_text(
            amount,
            overkill,
            spell.school if spell else MELEE_SCHOOL,
            resisted=resisted,
            blocked=blocked,
            absorbed=absorbed,
            critical=critical,
            glancing=glancing,
            crushing=crushing,
        )
        if self.ledger:
            done = amount - overkill
            spell_id = spell.id if spell else 0
            self.ledger.damage(source, target, spell_id, done, overkill, critical, "PERIODIC" in event)
            if absorbed:
                self.ledger.absorbed(target, spell_id, absorbed)
            if spell is None:
                self.ledger.swing(source, target, "crushing" if crushing else "blocked" if blocked else "hit")
        if source is not None and spell is None:
            # Of the two lines of a swing only the second is kept: power that the first alone tells is in no figure.
            alone = self.text.form.swings == "damage"
            about_source = self._advanced(source) if alone else self.text.advanced(source)
            about_target = "" if alone else self._advanced(target)
            self.text.swing(source, target, payload, about_source, about_target)
        elif spell is not None:
            self.text.spelled(event, source, target, spell, f",{self._advanced(target)},{payload}")
        if target.health <= 0:
            self.die(target, source)

    def fall(self, target: CombatUnit, amount: int, kind: str = "Falling") -> None:
        """Damage by the surroundings."""
        if not target.alive:
            return
        overkill = max(0, amount - target.health)
        target.health -= amount - overkill
        if self.ledger:
            self.ledger.damage(None, target, 0, amount - overkill, overkill, False, False)
        payload = damage_text(amount, overkill, MELEE_SCHOOL)
        self.text.plain("ENVIRONMENTAL_DAMAGE", None, target, f",{self._advanced(target)},{kind},{payload}")
        if target.health <= 0:
            self.die(target, None)

    def _advanced(self, unit: CombatUnit, cost: int = 0) -> str:
        if self.ledger and self.text.form.advanced:
            self.ledger.health(unit, self.now)
        if self.ledger and unit.power_type == MANA and unit.max_power and self.text.form.advanced:
            self.ledger.power(unit, int(unit.power))
        return self.text.advanced(unit, cost)

    def _absorb(self, source: CombatUnit | None, target: CombatUnit, spell: SimulatedSpell | None, amount: int) -> int:
        """What the shields on the target take, oldest first; used up ones are removed."""
        taken = 0
        for key, state in list(target.auras.items()) if target.shields else ():
            left = target.shields.get(key, 0)
            if not left or taken >= amount:
                continue
            part = min(left, amount - taken)
            taken += part
            target.shields[key] = left - part
            attack = f",{self.text.spell(spell)}" if spell else ""
            shield = f",{state.source.text},{self.text.spell(state.spell)},{part},{amount}"
            self.text.plain("SPELL_ABSORBED", source, target, f"{attack}{shield}")
            if self.ledger:
                self.ledger.absorb(state.source, target, state.spell.id, part)
            if left == part:
                self.aura_off(state.source, target, state.spell)
        return taken

    def miss(
        self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell | None, kind: str, amount: int = 0
    ) -> None:
        """A hit that did nothing: MISS, DODGE, PARRY, IMMUNE, RESIST …"""
        if not target.alive:
            return
        self._miss_text(source, target, spell, f"{kind},nil" + (f",{amount}" if amount else ""))
        if self.ledger:
            self.ledger.miss(source, target, spell.id if spell else 0)
            if spell is None:
                self.ledger.swing(source, target, kind.lower())

    def _miss_text(
        self,
        source: CombatUnit | None,
        target: CombatUnit,
        spell: SimulatedSpell | None,
        rest: str,
        event: str = "SPELL_MISSED",
    ) -> None:
        if spell:
            self.text.spelled(event, source, target, spell, f",{rest}")
        else:
            self.text.plain("SWING_MISSED", source, target, f",{rest}")

    def heal(
        self,
        source: CombatUnit,
        target: CombatUnit,
        spell: SimulatedSpell,
        amount: int,
        *,
        critical: bool = False,
        periodic: bool = False,
    ) -> None:
        """A heal; what the target does not miss is overheal."""
        if not target.alive or target.hostile != source.hostile:
            return
        effective = min(amount, target.max_health - target.health)
        target.health += effective
        if self.ledger:
            self.ledger.heal(source, target, spell.id, amount, amount - effective, critical, periodic)
        rest = f"{amount},{amount},{amount - effective},0,{1 if critical else 'nil'}"
        event = "SPELL_PERIODIC_HEAL" if periodic else "SPELL_HEAL"
        self.text.spelled(event, source, target, spell, f",{self._advanced(target)},{rest}")

    def energize(
        self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell, amount: int, periodic: bool = False
    ) -> None:
        """Mana, rage or energy gained."""
        gained = min(amount, target.max_power - int(target.power))
        target.power += gained
        event = "SPELL_PERIODIC_ENERGIZE" if periodic else "SPELL_ENERGIZE"
        rest = f"{gained}.0000,{amount - gained}.0000,{target.power_type},{target.max_power}"
        self.text.spelled(event, source, target, spell, f",{self._advanced(target)},{rest}")

    def drain(self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell, amount: int) -> None:
        """Power taken away."""
        lost = min(amount, int(target.power))
        target.power -= lost
        rest = f"{lost},{target.power_type},0,{target.max_power}"
        self.text.spelled("SPELL_PERIODIC_DRAIN", source, target, spell, f",{self._advanced(target)},{rest}")

    # Auras

    def aura_on(
        self,
        source: CombatUnit,
        target: CombatUnit,
        spell: SimulatedSpell,
        duration_s: float,
        *,
        buff: bool,
        stacks: int = 1,
        shield: int = 0,
    ) -> AuraState | None:
        """Apply an aura, renew it, or add to its stacks where it may have more than it has. 0 s lasts for ever."""
        if not target.alive:
            return None
        key = (spell.id, source.guid)
        kind = "BUFF" if buff else "DEBUFF"
        state = target.auras.get(key)
        if state is None:
            state = target.auras[key] = AuraState(spell, source, self.now, buff)
            self.text.spelled("SPELL_AURA_APPLIED", source, target, spell, f",{kind}")
        elif state.stacks < stacks:
            state.stacks += 1
            self.text.spelled("SPELL_AURA_APPLIED_DOSE", source, target, spell, f",{kind},{state.stacks}")
        else:
            self.text.spelled("SPELL_AURA_REFRESH", source, target, spell, f",{kind}")
        state.expiry += 1
        state.seen = True
        if shield:
            target.shields[key] = shield
        if duration_s:
            self.expire_after(target, state, duration_s)
        return state

    def expire_after(self, target: CombatUnit, state: AuraState, duration_s: float) -> None:
        """End the aura then, unless it was renewed by then."""
        expiry = state.expiry

        def expire() -> None:
            if state.expiry == expiry and target.auras.get((state.spell.id, state.source.guid)) is state:
                self.aura_off(state.source, target, state.spell)

        self.after(duration_s * 1000, expire)

    def aura_off(self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell) -> None:
        """Remove an aura, if it is there."""
        state = target.auras.pop((spell.id, source.guid), None)
        if state is None:
            return
        target.shields.pop((spell.id, source.guid), None)
        state.seen = True
        self.text.spelled("SPELL_AURA_REMOVED", source, target, spell, f",{'BUFF' if state.buff else 'DEBUFF'}")
        if self.ledger:
            self.ledger.aura(target, state, self.now)

    # Casts

    def cast_start(self, source: CombatUnit, spell: SimulatedSpell, gcd: int = 0) -> None:
        """`gcd`: the global cooldown that begins with it, in ms."""
        self.text.spelled("SPELL_CAST_START", source, None, spell)
        if self.book:
            self.book.start(source, spell, gcd)
        if self.ledger:
            self.ledger.casts(source, spell.id).begun += 1

    def cast(
        self,
        source: CombatUnit,
        target: CombatUnit | None,
        spell: SimulatedSpell,
        *,
        cost: int = 0,
        begun: bool = False,
        gcd: bool = False,
    ) -> None:
        """A cast that succeeded. `gcd`: an instant one that starts the global cooldown."""
        self.text.spelled("SPELL_CAST_SUCCESS", source, target, spell, f",{self._advanced(source, cost)}")
        source.power = max(0, source.power - cost)  # The line tells the power before it.
        if self.book:
            self.book.succeed(source, begun, gcd)
        if self.ledger:
            if source.kind == "npc" and source.hostile:
                self.ledger.enemy_cast(source, spell.id)
            casts = self.ledger.casts(source, spell.id)
            casts.done_at.append(self.now - self.ledger.fight.started_at)
            if begun:
                casts.finished += 1
            else:
                casts.instant += 1

    def cast_failed(self, source: CombatUnit, spell: SimulatedSpell, reason: str) -> None:
        self.text.spelled("SPELL_CAST_FAILED", source, None, spell, f',"{reason}"')

    def interrupt(
        self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell, interrupted: SimulatedSpell
    ) -> None:
        self.text.spelled("SPELL_INTERRUPT", source, target, spell, f",{self.text.spell(interrupted)}")
        if self.ledger:
            self.ledger.interrupt(source, interrupted.id)

    def dispel(self, source: CombatUnit, target: CombatUnit, spell: SimulatedSpell, aura: AuraState) -> None:
        kind = "BUFF" if aura.buff else "DEBUFF"
        self.text.spelled("SPELL_DISPEL", source, target, spell, f",{self.text.spell(aura.spell)},{kind}")
        if self.ledger:
            self.ledger.dispel(source, aura.spell.id)
        self.aura_off(aura.source, target, aura.spell)

    def extra_attacks(self, source: CombatUnit, spell: SimulatedSpell, count: int = 1) -> None:
        self.text.spelled("SPELL_EXTRA_ATTACKS", source, source, spell, f",{count}")

    def summon(self, source: CombatUnit, unit: CombatUnit, spell: SimulatedSpell) -> None:
        self.text.spelled("SPELL_SUMMON", source, unit, spell)

    # Life and death

    def die(self, unit: CombatUnit, killer: CombatUnit | None, feigned: str = "") -> None:
        """UNIT_DIED, with everything that goes with it. A feigned death changes nothing but the log."""
        if feigned:
            self.text.plain("UNIT_DIED", None, unit)
            if self.ledger:
                self.ledger.death(unit, self.now, feigned)
            return
        unit.alive, unit.health = False, 0
        if self.book:
            self.book.die(unit)
        for state in list(unit.auras.values()):
            self.aura_off(state.source, unit, state.spell)
        if killer and killer.player.kind == "player" and unit.hostile:
            self.text.plain("PARTY_KILL", killer, unit)
        if unit.lingers:
            self._linger(unit)
        self.text.plain("UNIT_DESTROYED" if unit.kind == "npc" and unit.owner else "UNIT_DIED", None, unit)
        if self.ledger:
            self.ledger.death(unit, self.now, SPIRIT.name if unit.lingers else "")
        for listener in self.on_death:
            listener(unit)

    def _linger(self, unit: CombatUnit) -> None:
        """A priest becomes a spirit for a while: the log tells a death then, and another one when the spirit ends."""
        self.text.spelled("SPELL_AURA_APPLIED", unit, unit, SPIRIT, ",BUFF")
        state = AuraState(SPIRIT, unit, self.now, buff=True)
        unit.auras[(SPIRIT.id, unit.guid)] = state

        def end() -> None:
            self.aura_off(unit, unit, SPIRIT)
            self.text.plain("UNIT_DIED", None, unit)
            if self.ledger:
                self.ledger.death(unit, self.now)

        self.after(SPIRIT_MS, end)

    def resurrect(self, source: CombatUnit, unit: CombatUnit, spell: SimulatedSpell, health: float = 0.2) -> None:
        self.text.spelled("SPELL_RESURRECT", source, unit, spell)
        if self.ledger:
            self.ledger.alive_again(unit, self.now)
        unit.alive, unit.health = True, int(unit.max_health * health)
