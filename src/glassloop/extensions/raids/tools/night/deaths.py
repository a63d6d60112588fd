"""Deaths of a whole night: by fight, by player and each."""

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Final

import msgspec

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.totals.deaths import falls, spirits_alone
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.records import Death
from glassloop.extensions.raids.storage.rows import FightRow
from glassloop.extensions.raids.tools.attempts import stored_fights
from glassloop.extensions.raids.tools.fight.death_causes import avoidable, killing_mechanic
from glassloop.extensions.raids.tools.fight.falls import deaths_and_spirits, fall_name
from glassloop.extensions.raids.tools.fight.wipes import wipe_course
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names
from glassloop.extensions.raids.tools.player_title import performance_of, seconds
from glassloop.extensions.raids.tools.reader import RaidReader, show_outcome
from glassloop.extensions.raids.tools.result import raid_result, show_length

WIPE_DEATHS: Final = 3
"""The first ones of a wipe: the others follow from them."""


class NightDeath(msgspec.Struct, frozen=True, kw_only=True):
    """A death in a fight of the night. The view has no events."""

    row: FightRow
    view: FightView
    death: Death
    place: int
    """Among those who fell in its fight, from 0."""
    counted: bool = True
    """Not where a priest became a Spirit of Redemption and the fight ended first: that is no death of the log."""

    @property
    def early(self) -> bool:
        """Whether it does not just follow from a wipe."""
        return self.row.kill or self.place < WIPE_DEATHS

    @property
    def avoidable(self) -> str:
        death = self.death
        blow = death.blows[death.cause] if death.cause is not None else None
        return avoidable(self.view, death.actor, blow, killing_mechanic(self.view, death))

    @property
    def cause(self) -> str:
        death = self.death
        return "unknown" if death.cause is None else self.view.spell_name(death.blows[death.cause].spell)


async def night_deaths(
    reader: RaidReader,
    user: str,
    night: NightFights,
    player_name: str,
    in_detail: Callable[[int, str], Awaitable[ToolResult]],
) -> ToolResult:
    """A single death of a single player is told with `in_detail`, of a fight's number and a player's name."""
    fights = await stored_fights(reader, user, night.rows)
    views = [FightView(one.record, FightLog(), one.actors, one.spells, reader.knowledge) for one in fights]
    everybody = {view.full_name(player) for view in views for player in view.players()}
    names = await chosen_names(reader, user, everybody, player_name)
    found = [one for fight, view in zip(fights, views, strict=True) for one in falls_of(fight.row, view, names)]
    if names is not None and len(found) == 1:
        return await in_detail(found[0].row.number, found[0].view.full_name(found[0].death.actor))
    return _answer(reader, night, views, found, names)


def falls_of(row: FightRow, view: FightView, names: Collection[str] | None) -> list[NightDeath]:
    """Who fell in a fight, in order; only these players, where given."""
    alone = spirits_alone(view.record.deaths)
    return [
        NightDeath(row=row, view=view, death=death, place=place, counted=death not in alone)
        for place, death in enumerate(falls(view.record.deaths))
        if names is None or view.full_name(death.actor) in names
    ]


def _answer(
    reader: RaidReader,
    night: NightFights,
    views: Sequence[FightView],
    found: Sequence[NightDeath],
    names: set[str] | None,
) -> ToolResult:
    each = [one for one in found if one.early or names is not None]
    heading = night.heading() | ({"player": ", ".join(sorted(names))} if names is not None else {})
    deaths = [one for one in found if one.counted]
    spirits = len(found) - len(deaths)
    figures: dict[str, Json] = {
        "deaths": len(deaths),
        "fell": deaths_and_spirits(len(deaths), spirits) if spirits else None,
        "on_kills": sum(one.row.kill for one in deaths),
        "avoidable": sum(one.avoidable.startswith("yes") for one in deaths),
        "by_fight": [_fight_row(reader, row, found) for row in night.rows],
        **_by_player(deaths, whole=names is not None),
        "each": [_death_row(reader, one) for one in each],
    }
    missing = list(dict.fromkeys(text for view in views for text in view.fight.missing))
    notes = night.notes()
    if len(each) < len(found):
        notes.append(f"Of a wipe the first {WIPE_DEATHS} deaths are listed: the others follow from them.")
    if not found:
        who = ", ".join(sorted(names)) if names is not None else "Nobody"
        notes.append(f"{who} did not die in this night." if names is not None else "Nobody died in this night.")
    return raid_result(heading, figures, missing=missing, notes=notes)


def _fight_row(reader: RaidReader, row: FightRow, found: Sequence[NightDeath]) -> dict[str, Json]:
    mine = [one for one in found if one.row.number == row.number]
    first = min(mine, key=lambda one: one.death.at, default=None)
    course = wipe_course(first.view, first.view.record.deaths) if first is not None else None
    deaths = [one for one in mine if one.counted]
    return {
        "fight_id": row.number,
        "encounter": reader.encounter_name(row.encounter_id, row.name),
        "result": show_outcome(row.kill, row.boss_health),
        "deaths": len(deaths),
        "spirits_of_redemption": len(mine) - len(deaths) or None,
        "avoidable": sum(one.avoidable.startswith("yes") for one in deaths),
        "first_death": fall_name(first.view.name_of(first.death.actor), first.death) if first is not None else None,
        "first_death_at": show_length(first.death.at) if first is not None else None,
        "first_death_of": first.cause if first is not None else None,
        "half_dead_at": show_length(course.half_at) if course is not None and course.half_at is not None else None,
    }


def _by_player(found: Sequence[NightDeath], *, whole: bool) -> dict[str, Json]:
    """Those who died most of what can be avoided first. Who died once, on a wipe, of nothing avoidable is counted."""
    players = defaultdict[str, list[NightDeath]](list)
    for one in found:
        players[one.view.full_name(one.death.actor)].append(one)
    rows: list[dict[str, Json]] = [
        {
            "player": name,
            "role": performance_of(mine[-1].view, mine[-1].death.actor).role,
            "deaths": len(mine),
            "on_kills": sum(one.row.kill for one in mine),
            "avoidable": sum(one.avoidable.startswith("yes") for one in mine),
            "mostly_of": Counter(one.cause for one in mine).most_common(1)[0][0],
        }
        for name, mine in players.items()
    ]
    told = [row for row in rows if whole or row["avoidable"] or row["on_kills"] or row["deaths"] != 1]
    order = sorted(told, key=lambda row: (-int(str(row["avoidable"])), -int(str(row["deaths"])), str(row["player"])))
    rest = len(rows) - len(told)
    return {
        "other_players": f"{rest} died once, on a wipe, of nothing known as avoidable" if rest else None,
        "by_player": list[Json](order),
    }


def _death_row(reader: RaidReader, one: NightDeath) -> dict[str, Json]:
    view, death = one.view, one.death
    blow = death.blows[death.cause] if death.cause is not None else None
    return {
        "fight_id": one.row.number,
        "encounter": reader.encounter_name(one.row.encounter_id, one.row.name),
        "result": "kill" if one.row.kill else "wipe",
        "player": fall_name(view.name_of(death.actor), death),
        "at": show_length(death.at),
        "at_s": seconds(death.at),
        "killed_by": one.cause,
        "source": view.name_of(blow.source) if blow is not None else None,
        "avoidable": one.avoidable,
    }
