"""Figures of survival beside deaths: lowest health, and how a tank took what struck it."""

from typing import Final

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.review.survival import (
    LowestHealth,
    SwingOutcomes,
    TakenFrom,
    blows_before,
    damage_taken,
    low_moments,
    lowest_health,
    survivors,
    swing_outcomes,
)
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import Blow
from glassloop.extensions.raids.tools.fight.defensives import defensives_at, defensives_used
from glassloop.extensions.raids.tools.player_title import performance_of, seconds
from glassloop.extensions.raids.tools.result import show_length

MAX_SOURCES: Final = 20
CLOSE_PERCENT: Final = 50.0
NEAR_PERCENT: Final = 20.0
"""Of health: who had less nearly died."""
MAX_NEAR: Final = 3
"""Near deaths of a fight whose last hits and heals are told."""
LAST_MS: Final = 10_000
LEAST_SHOWN: Final = 5
"""Survivors whose lowest health is listed, however high."""
MANY_SWINGS: Final = 10
"""At somebody who is no tank: then it had the boss for a while."""
_SCHOOLS: Final = {1: "physical", 2: "holy", 4: "fire", 8: "nature", 16: "frost", 32: "shadow", 64: "arcane"}


def survival_figures(view: FightView, player: int | None) -> dict[str, Json]:
    """Of one player everything; of everybody the lowest health of who never died, the near deaths among them, and the
    swings at tanks."""
    if player is None:
        return _of_everybody(view)
    figures: dict[str, Json] = {}
    if (lowest := lowest_health(view, player)) is not None:
        told = _health_row(view, lowest)
        figures["lowest_health"] = {
            name: value for name, value in told.items() if name != "player" and value is not None
        }
        if lowest.percent < CLOSE_PERCENT and player in survivors(view):
            figures["before_the_lowest_health"] = _before(view, lowest)
    swings = swing_outcomes(view, player)
    if swings.swings and (performance_of(view, player).role == "tank" or swings.swings >= MANY_SWINGS):
        figures["swings_at_the_player"] = [_swing_row(view, swings)]
    taken = damage_taken(view, player)
    figures["damage_taken"] = [_taken_row(view, player, one) for one in taken[:MAX_SOURCES]]
    return figures


def _of_everybody(view: FightView) -> dict[str, Json]:
    tanks = [one.actor for one in view.record.performances if one.role == "tank"]
    found = [one for actor in survivors(view) if (one := lowest_health(view, actor)) is not None]
    found.sort(key=lambda one: one.percent)
    close = [
        one
        for place, one in enumerate(found)
        if one.percent < CLOSE_PERCENT or place < LEAST_SHOWN or one.player in tanks
    ]
    rest = [one for one in found if one not in close]
    swings = [one for one in (swing_outcomes(view, actor) for actor in tanks) if one.swings]
    figures: dict[str, Json] = {
        "other_survivors": f"{len(rest)}, none below {rest[0].percent:.1f} % health" if rest else None,
        "lowest_health_of_survivors": [
            {"number": number, **_health_row(view, one)} for number, one in enumerate(close, 1)
        ]
        or None,
    }
    # Of a wipe the deaths are what matters.
    near = [one for one in close if one.percent < NEAR_PERCENT] if view.fight.kill else []
    for number, one in enumerate(near[:MAX_NEAR], 1):
        figures[f"before_near_death_{number}"] = _before(view, one)
    figures["swings_at_tanks"] = [_swing_row(view, one) for one in swings]
    return figures


def blow_row(view: FightView, at: int, blow: Blow) -> dict[str, Json]:
    """A hit or heal before a moment."""
    known = blow.health >= 0 and blow.max_health > 0
    return {
        "before_s": seconds(at - blow.at),
        "what": blow.kind,
        "ability": view.spell_name(blow.spell),
        "source": view.name_of(blow.source),
        "amount": blow.amount,
        "absorbed": blow.absorbed or None,
        "overkill": blow.overkill or None,
        "crit": True if blow.critical else None,
        "health_left": blow.health if known else None,
        "health_left_percent": 100 * blow.health / blow.max_health if known else None,
    }


def _before(view: FightView, one: LowestHealth) -> list[Json]:
    return [blow_row(view, one.at, blow) for blow in blows_before(view, one.player, one.at, LAST_MS)]


def school_name(school: int) -> str:
    return " and ".join(name for bit, name in _SCHOOLS.items() if school & bit) or "unknown"


def _health_row(view: FightView, one: LowestHealth) -> dict[str, Json]:
    hits = [blow for blow in blows_before(view, one.player, one.at, LAST_MS) if blow.kind == "damage"]
    near = one.percent < NEAR_PERCENT
    found = defensives_at(view, one.player, one.at, hits[-1] if hits else None) if near else None
    low = low_moments(view, one.player, NEAR_PERCENT) if near else None
    return {
        "player": view.name_of(one.player),
        "role": performance_of(view, one.player).role,
        "lowest_percent": one.percent,
        "health": one.health,
        "of": one.maximum,
        "at": show_length(one.at),
        "at_s": round(one.at / 1000, 1),
        "after": f"{one.amount:,} from {one.hit}" if one.hit else None,
        "defensives_used": ", ".join((*found.running, *found.answered)) or "none" if found is not None else None,
        "defensives_ready": found.unused if found is not None else None,
        "hits_below_20_percent": low.hits if low is not None else None,
        "first_below_20_percent_at": show_length(low.first_at) if low is not None else None,
        "defensives_in_the_fight": defensives_used(view, one.player) or "none" if near else None,
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
