"""Targets of a spec in an encounter: what the best references reach. Where there are any, grades are given by them."""

from collections.abc import Mapping
from typing import Final

from glassloop.extensions.raids.records import RaidRecord, Role

FEW: Final = 2
SpecRole = tuple[str, str, Role]
"""Class, spec and role."""


class SpecTargets(RaidRecord, frozen=True, kw_only=True):
    """Means of the best references that did not die, three at most."""

    class_name: str
    spec: str
    role: Role
    players: int
    """So many references: fewer than three say little."""
    gcd_uptime: float
    """In per cent."""
    casts_per_minute: float
    ability_casts: Mapping[int, float] = {}
    """Casts a minute, by the game's id of the spell; of those that did damage or healing."""

    def source(self) -> str:
        """Whose figures they are, for notes: "what the best 3 references of the spec reach on this boss"."""
        if self.players == 1:
            return "what the only reference of the spec reaches on this boss, and one player is little to go by"
        few = ", and two players are little to go by" if self.players == FEW else ""
        return f"what the best {self.players} references of the spec reach on this boss{few}"
