"""Targets of a spec in an encounter: what the best references reach. Where there are any, grades are given by them."""

from collections.abc import Mapping

from glassloop.extensions.raids.records import RaidRecord, Role

SpecRole = tuple[str, str, Role]
"""Class, spec and role."""


class SpecTargets(RaidRecord, frozen=True, kw_only=True):
    """Means of the best references that did not die."""

    class_name: str
    spec: str
    role: Role
    gcd_uptime: float
    """In per cent."""
    casts_per_minute: float
    ability_casts: Mapping[int, float] = {}
    """Casts a minute, by the game's id of the spell; of those that did damage or healing."""
