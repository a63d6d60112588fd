"""The heading of answers about one player, and times as answers tell them."""

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import Performance
from glassloop.extensions.raids.tools.reader import RaidReader


def player_heading(reader: RaidReader, view: FightView, player: int) -> dict[str, Json]:
    """The fight, and who it is about."""
    one = performance_of(view, player)
    return {
        **reader.heading(view),
        "player": view.full_name(player),
        "class": one.class_name or "unknown",
        "spec": one.spec or "unknown",
        "role": one.role,
    }


def performance_of(view: FightView, player: int) -> Performance:
    return view.performances.get(player) or Performance(actor=player)


def seconds(ms: float) -> float:
    return round(ms / 1000, 1)
