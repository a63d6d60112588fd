"""Casts that were begun, until the log itself can tell what became of them.

A client writes nothing when somebody else's cast is broken off: only the next act of the caster, its death or the end
of the fight shows it. The time it took is known no better than that, and is counted so here.
"""

from functools import cache
from typing import TYPE_CHECKING, Final

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import FightFigures
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

if TYPE_CHECKING:
    from glassloop.extensions.raids.sample.simulation.combat import Combat

SLACK_MS: Final = 500
LONG_MS: Final = 10_000


@cache
def whole_cast_ms(spell_id: int) -> int:
    """Of the spell without talents and haste, as far as it is known."""
    seconds = load_knowledge().cast_s(spell_id)
    return round(seconds * 1000) if seconds else LONG_MS


class BegunCast:
    """A cast that has begun, and when the caster did something else meanwhile."""

    __slots__ = ("begin", "due", "followed", "gcd", "spell_id", "unit")

    def __init__(self, unit: CombatUnit, spell_id: int, begin: int, gcd: int) -> None:
        self.unit = unit
        self.spell_id = spell_id
        self.begin = begin
        self.due = begin + whole_cast_ms(spell_id)
        self.gcd = gcd
        self.followed: int | None = None


class CastBook:
    """The begun casts of all players."""

    def __init__(self, combat: "Combat") -> None:
        self._combat = combat
        self._begun: dict[str, BegunCast] = {}

    def start(self, unit: CombatUnit, spell: SimulatedSpell, gcd: int) -> None:
        self.cancel(unit)
        self._begun[unit.guid] = BegunCast(unit, spell.id, self._combat.now, gcd)

    def succeed(self, unit: CombatUnit, finished: bool, gcd: bool) -> None:
        """A success: of the begun cast, or of something in between. What starts a global cooldown cannot come in the
        middle of a cast: that was given up then."""
        begun = self._begun.get(unit.guid)
        if finished:
            self._begun.pop(unit.guid, None)
        elif begun and begun.followed is None:
            begun.followed = self._combat.now
        if gcd and not finished:
            self.cancel(unit)

    def cancel(self, unit: CombatUnit) -> None:
        """Another begin: the cast before is known not to have finished."""
        begun = self._begun.pop(unit.guid, None)
        if begun is not None:
            self._count_cancelled(begun)

    def die(self, unit: CombatUnit) -> None:
        """A caster's death ends its cast, if that can still have gone on."""
        begun = self._begun.get(unit.guid)
        if begun is not None and self._combat.now <= begun.due:
            self.cancel(unit)

    def finish(self, figures: FightFigures) -> None:
        """The fight is over: what could still have finished is open."""
        ledger = self._combat.ledger
        for begun in self._begun.values() if ledger else ():
            if ledger and begun.due + SLACK_MS > figures.ended_at:
                ledger.casts(begun.unit, begun.spell_id).open += 1
                ledger.busy(begun.unit, begun.begin, max(begun.due, begun.begin + begun.gcd))
            else:
                self._count_cancelled(begun)

    def _count_cancelled(self, begun: BegunCast) -> None:
        if self._combat.ledger:
            self._combat.ledger.casts(begun.unit, begun.spell_id).cancelled += 1
            self._combat.ledger.busy(begun.unit, begun.begin, self._end(begun))

    def _end(self, begun: BegunCast) -> int:
        return min(begun.due, self._combat.now if begun.followed is None else begun.followed)
