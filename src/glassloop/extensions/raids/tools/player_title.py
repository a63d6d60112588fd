"""The heading of answers about one player, and times as answers tell them."""

from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.casts import has_casts
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import Performance, Role
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import raid_result

NO_CASTS: Final = "no casts: the import holds none of this fight, and what depends on them cannot be told"


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


def by_interest(one: Performance) -> tuple[int, int]:
    """The order of a table of everybody: damage dealers by damage, healers by healing, then tanks. Where it is cut,
    those are left out whom its figures tell least of."""
    order: Sequence[Role] = ("damage", "healer", "tank")
    return order.index(one.role), -(one.healing if one.role == "healer" else one.damage)


def seconds(ms: float) -> float:
    return round(ms / 1000, 1)


def without_casts(reader: RaidReader, view: FightView, player: int) -> ToolResult | None:
    """The answer where the import holds no casts of anybody: then nobody is to blame for none. Else None."""
    if has_casts(view):
        return None
    return raid_result(player_heading(reader, view, player), {}, missing=[*reader.missing(view), NO_CASTS])
