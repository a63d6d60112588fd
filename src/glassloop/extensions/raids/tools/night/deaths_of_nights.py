"""Deaths over the newest nights: who dies most, of what, at which boss, and whether it gets better."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.storage.rows import FightRow
from glassloop.extensions.raids.tools.attempts import distinct_attempts, show_outcomes
from glassloop.extensions.raids.tools.days import Days
from glassloop.extensions.raids.tools.fight.falls import deaths_and_spirits, fall_name
from glassloop.extensions.raids.tools.fight_names import WHOLE_NIGHT, FightName, read_fight_name
from glassloop.extensions.raids.tools.night.deaths import WIPE_DEATHS, NightDeath, falls_of
from glassloop.extensions.raids.tools.night.fights import chosen_names
from glassloop.extensions.raids.tools.reader import NO_REPORTS, RaidReader, show_time
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_count, show_length

MAX_FIGHTS: Final = 60
"""Newest ones that are read."""
_MAX_SEARCHED: Final = 1_000
_MAX_CAUSES: Final = 3
T = TypeVar("T")
K = TypeVar("K")

EARLY: Final = (
    f"Early deaths are those on kills and the first {WIPE_DEATHS} of each wipe: the others of a wipe follow from them. "
    "Players and causes are in the order of early deaths, and name what or who was early.",
    "A priest who became a Spirit of Redemption is no death of the log, and counts among the early ones all the same.",
)


class _Night(msgspec.Struct, frozen=True, kw_only=True):
    """Fights of a report that were chosen, oldest first; `left_out`: how many older ones of them are not read."""

    code: str
    fights: Sequence[tuple[FightRow, FightView]]
    left_out: int = 0


async def deaths_over_nights(
    reader: RaidReader, user: str, fight_id: int | str, player_name: str, days: Days
) -> ToolResult:
    """Of all fights of these days, or of those at the boss or in the zone that `fight_id` names."""
    wanted = _wanted(reader, fight_id)
    encounter = next(iter(wanted.encounters)) if len(wanted.encounters) == 1 else None
    searched = await reader.store.search(
        user, encounter_id=encounter, kill=wanted.kill, since=days.begin, until=days.end, limit=_MAX_SEARCHED
    )
    every = distinct_attempts(row for row in searched if wanted.fits(row))
    if not every:
        raise ToolError(await _why_none(reader, user, fight_id, days))
    older, rows = every[:-MAX_FIGHTS], every[-MAX_FIGHTS:]
    fights = await reader.store.falls(user, rows)
    views = [FightView(one.record, FightLog(), one.actors, one.spells, reader.knowledge) for one in fights]
    everybody = {view.full_name(player) for view in views for player in view.players()}
    names = await chosen_names(reader, user, everybody, player_name)
    read = [
        (fight.row, view)
        for fight, view in zip(fights, views, strict=True)
        if names is None or any(view.full_name(player) in names for player in view.players())
    ]
    left_out = Counter(row.code for row in older)
    nights = [
        _Night(code=code, fights=mine, left_out=left_out[code])
        for code, mine in _grouped(read, lambda one: one[0].code).items()
    ]
    return await asyncio.to_thread(_answer, reader, nights, names, days, older)


async def _why_none(reader: RaidReader, user: str, fight_id: int | str, days: Days) -> str:
    if not await reader.store.reports(user, limit=1):
        return NO_REPORTS
    dates = "".join(f" {name} {text}" for name, text in days.heading().items())
    meant = f" that is meant by {str(fight_id)[:40]!r}" if _wanted(reader, fight_id) != FightName() else ""
    return f"No fight{meant} was imported{dates}: `search_fights` lists those there are."


def _wanted(reader: RaidReader, fight_id: int | str) -> FightName:
    text = str(fight_id).strip()
    if text.casefold() in WHOLE_NIGHT:
        return FightName()
    if text.lstrip("#").isdigit():
        raise BadArguments(f"`fight_id` is {text[:40]!r}, which is of one report: give a boss with report_code 'all'.")
    return read_fight_name(reader.knowledge, text, "fight_id")


def _answer(
    reader: RaidReader, nights: Sequence[_Night], names: set[str] | None, days: Days, older: Sequence[FightRow]
) -> ToolResult:
    fights = [one for night in nights for one in night.fights]
    found = [one for row, view in fights for one in falls_of(row, view, names)]
    rows = [row for row, _ in fights]
    deaths = [one for one in found if one.counted]
    kills = sum(row.kill for row in rows)
    heading: dict[str, Json] = {
        "report": "all nights",
        **({"player": ", ".join(sorted(names))} if names is not None else {}),
        **days.heading(),
        "nights": len(nights),
        "fights": len(rows),
        "result": show_outcomes(kills, len(rows) - kills),
        "length": show_length(sum(row.length_ms for row in rows)),
        "from": show_time(rows[0].started_at)[:10],
        "to": show_time(rows[-1].started_at)[:10],
    }
    by_player = _by_player(reader, [view for _, view in fights], found)
    figures: dict[str, Json] = {
        "left_out": _told_older(older, rows[0]) if older else None,
        "fell": deaths_and_spirits(len(deaths), len(found) - len(deaths)) if len(found) > len(deaths) else None,
        **_counts(found),
        "by_player": list[Json](by_player),
        "by_cause": _by_cause(reader, found),
        "by_night": _by_night(nights, found),
    }
    notes = [*EARLY]
    if names is not None:
        figures["each"] = [_death_row(reader, one) for one in reversed(found)]
        if not found:
            notes.append(f"{', '.join(sorted(names))} did not die in these fights.")
    bars = [(str(row["player"]), float(str(row["early_deaths"]))) for row in by_player if row["early_deaths"]]
    if names is not None:
        causes = Counter(one.cause for one in found)
        bars = [(cause, float(times)) for cause, times in causes.most_common()]
    title = "Deaths by cause over the nights" if names is not None else "Early deaths over the nights"
    missing = list(dict.fromkeys(text for _, view in fights for text in view.fight.missing))
    return raid_result(heading, figures, missing=missing, notes=notes, chart=bar_chart(title, bars, "Deaths"))


def _told_older(older: Sequence[FightRow], first: FightRow) -> str:
    """How many before the first one that was read are not, and how to get them."""
    until = show_time(first.started_at).replace(" ", "T")
    fights = show_count(len(older), "older fight")
    return f"{fights}, as only the newest {MAX_FIGHTS} are read: give `until` {until} or a boss as `fight_id`"


def _counts(found: Sequence[NightDeath]) -> dict[str, Json]:
    return {
        "deaths": sum(one.counted for one in found),
        "spirits_of_redemption": sum(not one.counted for one in found) or None,
        "on_kills": sum(one.row.kill for one in found),
        "early_deaths": sum(one.early for one in found),
        "avoidable": sum(one.avoidable.startswith("yes") for one in found),
    }


def _by_player(reader: RaidReader, views: Sequence[FightView], found: Sequence[NightDeath]) -> list[dict[str, Json]]:
    """Whoever fell, in the role of the newest fight."""
    fights, roles = Counter[str](), dict[str, str]()
    for view in views:
        for one in view.record.performances:
            name = view.full_name(one.actor)
            fights[name] += 1
            roles[name] = one.role
    rows: list[dict[str, Json]] = [
        {
            "player": name,
            "role": roles.get(name),
            "fights": fights[name],
            **_counts(mine),
            "first_to_fall": sum(one.place == 0 for one in mine),
            "last_early": show_time(max(one.row.started_at for one in mine if one.early))[:10] if early else None,
            "early_of": _most(Counter(_where(reader, one) for one in early)) or None,
        }
        for name, mine in _grouped(found, lambda one: one.view.full_name(one.death.actor)).items()
        for early in [[one for one in mine if one.early]]
    ]
    return sorted(rows, key=_order)


def _by_cause(reader: RaidReader, found: Sequence[NightDeath]) -> list[Json]:
    groups = _grouped(found, lambda one: (one.cause, reader.encounter_name(one.row.encounter_id, one.row.name)))
    rows: list[dict[str, Json]] = [
        {
            "cause": cause,
            "encounter": encounter,
            **_counts(mine),
            "early_players": _most(Counter(one.view.name_of(one.death.actor) for one in mine if one.early)) or None,
        }
        for (cause, encounter), mine in groups.items()
    ]
    return list[Json](sorted(rows, key=_order))


def _by_night(nights: Sequence[_Night], found: Sequence[NightDeath]) -> list[Json]:
    """Oldest first. A night whose first fights are left out says so."""
    mine = _grouped(found, lambda one: one.row.code)
    rows = list[Json]()
    for night in nights:
        kills = sum(row.kill for row, _ in night.fights)
        rows.append(
            {
                "when": show_time(night.fights[0][0].started_at)[:10],
                "report_code": night.code,
                "result": show_outcomes(kills, len(night.fights) - kills),
                "first_fights_left_out": night.left_out or None,
                **_counts(mine.get(night.code, ())),
            }
        )
    return rows


def _where(reader: RaidReader, one: NightDeath) -> str:
    return f"{one.cause} at {reader.encounter_name(one.row.encounter_id, one.row.name)}"


def _death_row(reader: RaidReader, one: NightDeath) -> dict[str, Json]:
    return {
        "when": show_time(one.row.started_at)[:10],
        "report_code": one.row.code,
        "fight_id": one.row.number,
        "encounter": reader.encounter_name(one.row.encounter_id, one.row.name),
        "result": "kill" if one.row.kill else "wipe",
        "player": fall_name(one.view.name_of(one.death.actor), one.death),
        "at": show_length(one.death.at),
        "killed_by": one.cause,
        "avoidable": one.avoidable,
        "place": one.place + 1,
    }


def _grouped(items: Sequence[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups = defaultdict[K, list[T]](list)
    for one in items:
        groups[key(one)].append(one)
    return dict(groups)


def _order(row: dict[str, Json]) -> tuple[int, int, str]:
    return -int(str(row["early_deaths"])), -int(str(row["deaths"])), str(row.get("player") or row.get("cause"))


def _most(counts: "Counter[str]") -> str:
    """ "Shadow Nova 3, Melee 2 and 2 of 1 other"."""
    most = counts.most_common(_MAX_CAUSES)
    rest, others = sum(counts.values()) - sum(times for _, times in most), len(counts) - len(most)
    more = f" and {rest} of {others} other{'s' if others > 1 else ''}" if rest else ""
    return ", ".join(f"{name} {times}" for name, times in most) + more
