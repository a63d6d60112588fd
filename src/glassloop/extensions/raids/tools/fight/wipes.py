"""The course of a wipe by its deaths: when it began, when it was lost, and whether the boss turned on the raid."""

from collections.abc import Sequence

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.totals.deaths import falls
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL
from glassloop.extensions.raids.records import Death
from glassloop.extensions.raids.tools.player_title import performance_of
from glassloop.extensions.raids.tools.result import show_length


class WipeCourse(msgspec.Struct, frozen=True, kw_only=True):
    """Times in ms; None where it did not come to that. Who becomes a Spirit of Redemption has fallen then."""

    first_fall_at: int
    first_at: int | None
    """The first death."""
    tank_at: int | None
    """The first fall of a tank."""
    healer_at: int | None
    half_at: int | None
    """When half of the raid had fallen."""
    last_at: int
    struck_without_tank: int
    """First to fall in a row of a boss's melee, of players who are no tanks, while every tank lived."""

    def told(self) -> dict[str, Json]:
        times = {
            "first_to_fall_at": self.first_fall_at if self.first_fall_at != self.first_at else None,
            "first_death_at": self.first_at,
            "first_tank_at": self.tank_at,
            "first_healer_at": self.healer_at,
            "half_dead_at": self.half_at,
            "last_death_at": self.last_at,
        }
        return {name: show_length(at) for name, at in times.items() if at is not None}

    def notes(self) -> list[str]:
        notes = ["On a wipe most deaths follow from the first ones: begin with those."]
        if self.half_at is not None:
            took = (self.half_at - self.first_fall_at) / 1000
            notes.append(f"From the first to fall to half of the raid it took {took:.1f} s.")
        if self.struck_without_tank:
            first = f"The first {self.struck_without_tank} to fall were no tanks and were"
            if self.struck_without_tank == 1:
                first = "The first to fall was no tank and was"
            notes.append(
                f"{first} struck by the boss's melee while the tanks lived: it turned on others (threat, a tank out of "
                "reach) or enraged."
            )
        return notes


def wipe_course(view: FightView, deaths: Sequence[Death]) -> WipeCourse | None:
    """Of the deaths of everybody; None of a kill, or where nobody fell."""
    ordered = falls(deaths)
    if view.fight.kill or not ordered:
        return None
    half = (len(view.players()) + 1) // 2
    half_at = ordered[half - 1].at if len(ordered) >= half else None
    return WipeCourse(
        first_fall_at=ordered[0].at,
        first_at=min((death.at for death in deaths if not death.feigned), default=None),
        tank_at=_first_of(view, ordered, "tank"),
        healer_at=_first_of(view, ordered, "healer"),
        half_at=half_at,
        last_at=ordered[-1].at,
        struck_without_tank=_struck_without_tank(view, ordered),
    )


def _first_of(view: FightView, ordered: Sequence[Death], role: str) -> int | None:
    return next((death.at for death in ordered if performance_of(view, death.actor).role == role), None)


def _struck_without_tank(view: FightView, ordered: Sequence[Death]) -> int:
    bosses, count = set(view.bosses()), 0
    for death in ordered:
        blow = death.blows[death.cause] if death.cause is not None else None
        is_tank = performance_of(view, death.actor).role == "tank"
        if blow is None or is_tank or blow.spell != NO_SPELL or blow.source not in bosses:
            break
        count += 1
    return count
