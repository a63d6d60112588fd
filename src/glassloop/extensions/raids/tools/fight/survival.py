"""Figures of survival beside deaths: lowest health, and how a tank took what struck it."""

from typing import Final

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.review.survival import (
    LowestHealth,
    SwingOutcomes,
    TakenFrom,
    damage_taken,
    lowest_health,
    swing_outcomes,
)
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.tools.player_title import performance_of
from glassloop.extensions.raids.tools.result import show_length

MAX_SOURCES: Final = 20
CLOSE_PERCENT: Final = 50.0
LEAST_SHOWN: Final = 5
"""Survivors whose lowest health is listed, however high."""
MANY_SWINGS: Final = 10
"""At somebody who is no tank: then it had the boss for a while."""
_SCHOOLS: Final = {1: "physical", 2: "holy", 4: "fire", 8: "nature", 16: "frost", 32: "shadow", 64: "arcane"}


def survival_figures(view: FightView, player: int | None) -> dict[str, Json]:
    """Of one player everything; of everybody the lowest health of who never died, and the swings at tanks."""
    if player is None:
        living = [one.actor for one in view.record.performances if not one.deaths]
        found = sorted((one for actor in living if (one := lowest_health(view, actor)) is not None), key=_percent)
        close = [one for place, one in enumerate(found) if one.percent < CLOSE_PERCENT or place < LEAST_SHOWN]
        tanks = [one.actor for one in view.record.performances if one.role == "tank"]
        swings = [one for one in (swing_outcomes(view, actor) for actor in tanks) if one.swings]
        rest = found[len(close) :]
        return {
            "other_survivors": f"{len(rest)}, none below {rest[0].percent:.1f} % health" if rest else None,
            "lowest_health_of_survivors": [_health_row(view, one) for one in close],
            "swings_at_tanks": [_swing_row(view, one) for one in swings],
        }
    figures: dict[str, Json] = {}
    if (lowest := lowest_health(view, player)) is not None:
        figures["lowest_health"] = {
            name: value for name, value in _health_row(view, lowest).items() if name != "player" and value is not None
        }
    swings = swing_outcomes(view, player)
    if swings.swings and (performance_of(view, player).role == "tank" or swings.swings >= MANY_SWINGS):
        figures["swings_at_the_player"] = [_swing_row(view, swings)]
    taken = damage_taken(view, player)
    figures["damage_taken"] = [_taken_row(view, player, one) for one in taken[:MAX_SOURCES]]
    return figures


def school_name(school: int) -> str:
    return " and ".join(name for bit, name in _SCHOOLS.items() if school & bit) or "unknown"


def _percent(one: LowestHealth) -> float:
    return one.percent


def _health_row(view: FightView, one: LowestHealth) -> dict[str, Json]:
    return {
        "player": view.name_of(one.player),
        "role": performance_of(view, one.player).role,
        "lowest_percent": one.percent,
        "health": one.health,
        "of": one.maximum,
        "at": show_length(one.at),
        "at_s": round(one.at / 1000, 1),
        "after": f"{one.amount:,} from {one.hit}" if one.hit else None,
    }


def _swing_row(view: FightView, one: SwingOutcomes) -> dict[str, Json]:
    return {
        "player": view.name_of(one.player),
        "swings": one.swings,
        "missed": one.missed,
        "dodged": one.dodged,
        "parried": one.parried,
        "avoided_percent": one.avoided_percent,
        "blocked": one.blocked,
        "absorbed": one.absorbed,
        "crushing": one.crushing,
        "critical": one.critical,
        "hits": one.hits,
        "melee_damage": one.damage,
        "melee_damage_per_s": one.damage * 1000 / view.alive_ms(one.player),
        "largest_hit": one.largest,
    }


def _taken_row(view: FightView, player: int, one: TakenFrom) -> dict[str, Json]:
    return {
        "source": one.source,
        "ability": one.ability,
        "school": school_name(one.school),
        "damage": one.damage,
        "per_second": one.damage * 1000 / view.alive_ms(player),
        "hits": one.hits,
        "largest": one.largest,
        "absorbed": one.absorbed or None,
    }
