"""Deaths over the newest nights: who dies most, of what, at which boss, and whether it gets better."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from glassloop.core.errors import BadArguments, ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog
from glassloop.extensions.raids.storage.rows import FightRow, PerformanceRow
from glassloop.extensions.raids.tools.attempts import distinct_attempts, show_outcomes, stored_fights
from glassloop.extensions.raids.tools.fight.falls import deaths_and_spirits, fall_name
from glassloop.extensions.raids.tools.fight_names import WHOLE_NIGHT, FightName, read_fight_name
from glassloop.extensions.raids.tools.night.deaths import WIPE_DEATHS, NightDeath, falls_of
from glassloop.extensions.raids.tools.night.fights import chosen_names
from glassloop.extensions.raids.tools.reader import NO_REPORTS, RaidReader, show_time
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_length

MAX_FIGHTS: Final = 60
"""Newest ones that are read."""
_MAX_SEARCHED: Final = 1_000
_MAX_PLAYED: Final = 2_000
_MAX_CAUSES: Final = 3
T = TypeVar("T")
K = TypeVar("K")

EARLY: Final = (
    f"Early deaths are those on kills and the first {WIPE_DEATHS} of each wipe: the others of a wipe follow from them. "
    "Players and causes are in the order of early deaths.",
    "A priest who became a Spirit of Redemption is no death of the log, and counts among the early ones all the same.",
)


async def deaths_over_nights(reader: RaidReader, user: str, fight_id: int | str, player_name: str) -> ToolResult:
    """Of all fights, or of those at the boss or in the zone that `fight_id` names."""
    wanted = _wanted(reader, fight_id)
    encounter = next(iter(wanted.encounters)) if len(wanted.encounters) == 1 else None
    searched = await reader.store.search(user, encounter_id=encounter, kill=wanted.kill, limit=_MAX_SEARCHED)
    every = distinct_attempts(row for row in searched if wanted.fits(row))
    if not every:
        none = f"No fight that is meant by {str(fight_id)[:40]!r} was imported: `search_fights` lists those there are."
        raise ToolError(none if searched or await reader.store.reports(user, limit=1) else NO_REPORTS)
    rows = every[-MAX_FIGHTS:]
    played = await reader.store.performances(user, encounter_id=encounter, reference=False, limit=_MAX_PLAYED)
    chosen = {(row.code, row.number) for row in rows}
    played = [one for one in played if (one.code, one.number) in chosen]
    names = await chosen_names(reader, user, {_full_name(one) for one in played}, player_name)
    if names is not None:
        played = [one for one in played if _full_name(one) in names]
        there = {(one.code, one.number) for one in played}
        rows = [row for row in rows if (row.code, row.number) in there]
    notes = [*EARLY]
    if len(every) > MAX_FIGHTS:
        notes.append(f"Of the newest {MAX_FIGHTS} fights of {len(every)}: give a boss as `fight_id` for more of it.")
    fights = await stored_fights(reader, user, [row for row in rows if row.deaths or row.spirits])
    views = [FightView(one.record, FightLog(), one.actors, one.spells, reader.knowledge) for one in fights]
    found = [one for fight, view in zip(fights, views, strict=True) for one in falls_of(fight.row, view, names)]
    missing = list(dict.fromkeys(text for view in views for text in view.fight.missing))
    return _answer(reader, rows, played, found, names, missing, notes)


def _wanted(reader: RaidReader, fight_id: int | str) -> FightName:
    text = str(fight_id).strip()
    if text.casefold() in WHOLE_NIGHT:
        return FightName()
    if text.lstrip("#").isdigit():
        raise BadArguments(f"`fight_id` is {text[:40]!r}, which is of one report: give a boss with report_code 'all'.")
    return read_fight_name(reader.knowledge, text, "fight_id")


def _full_name(row: PerformanceRow) -> str:
    return f"{row.name}-{row.realm}" if row.realm else row.name


def _answer(
    reader: RaidReader,
    rows: Sequence[FightRow],
    played: Sequence[PerformanceRow],
    found: Sequence[NightDeath],
    names: set[str] | None,
    missing: Sequence[str],
    notes: list[str],
) -> ToolResult:
    deaths = [one for one in found if one.counted]
    kills = sum(row.kill for row in rows)
    heading: dict[str, Json] = {
        "report": "all nights",
        **({"player": ", ".join(sorted(names))} if names is not None else {}),
        "nights": len({row.code for row in rows}),
        "fights": len(rows),
        "result": show_outcomes(kills, len(rows) - kills),
        "length": show_length(sum(row.length_ms for row in rows)),
        "from": show_time(rows[0].started_at)[:10],
        "to": show_time(rows[-1].started_at)[:10],
    }
    by_player = _by_player(played, found)
    figures: dict[str, Json] = {
        "fell": deaths_and_spirits(len(deaths), len(found) - len(deaths)) if len(found) > len(deaths) else None,
        **_counts(found),
        "by_player": list[Json](by_player),
        "by_cause": _by_cause(reader, found),
        "by_night": _by_night(rows, found),
    }
    if names is not None:
        figures["each"] = [_death_row(reader, one) for one in reversed(found)]
        if not found:
            notes = [*notes, f"{', '.join(sorted(names))} did not die in these fights."]
    bars = [(str(row["player"]), float(str(row["early_deaths"]))) for row in by_player if row["early_deaths"]]
    if names is not None:
        causes = Counter(one.cause for one in found)
        bars = [(cause, float(times)) for cause, times in causes.most_common()]
    title = "Deaths by cause over the nights" if names is not None else "Early deaths over the nights"
    return raid_result(heading, figures, missing=missing, notes=notes, chart=bar_chart(title, bars, "Deaths"))


def _counts(found: Sequence[NightDeath]) -> dict[str, Json]:
    return {
        "deaths": sum(one.counted for one in found),
        "spirits_of_redemption": sum(not one.counted for one in found) or None,
        "on_kills": sum(one.row.kill for one in found),
        "early_deaths": sum(one.early for one in found),
        "avoidable": sum(one.avoidable.startswith("yes") for one in found),
    }


def _by_player(played: Sequence[PerformanceRow], found: Sequence[NightDeath]) -> list[dict[str, Json]]:
    """Whoever fell."""
    fights, roles = Counter(map(_full_name, played)), {_full_name(one): one.role for one in reversed(played)}
    rows: list[dict[str, Json]] = [
        {
            "player": name,
            "role": roles.get(name),
            "fights": fights[name],
            **_counts(mine),
            "first_to_fall": sum(one.place == 0 for one in mine),
            "of": _most(Counter(one.cause for one in mine)),
        }
        for name, mine in _grouped(found, lambda one: one.view.full_name(one.death.actor)).items()
    ]
    return sorted(rows, key=_order)


def _by_cause(reader: RaidReader, found: Sequence[NightDeath]) -> list[Json]:
    groups = _grouped(found, lambda one: (one.cause, reader.encounter_name(one.row.encounter_id, one.row.name)))
    rows: list[dict[str, Json]] = [
        {
            "cause": cause,
            "encounter": encounter,
            **_counts(mine),
            "players": _most(Counter(one.view.name_of(one.death.actor) for one in mine)),
        }
        for (cause, encounter), mine in groups.items()
    ]
    return list[Json](sorted(rows, key=_order))


def _by_night(rows: Sequence[FightRow], found: Sequence[NightDeath]) -> list[Json]:
    """Oldest first."""
    nights, mine = _grouped(rows, lambda row: row.code), _grouped(found, lambda one: one.row.code)
    return [
        {
            "when": show_time(fights[0].started_at)[:10],
            "report_code": code,
            "result": show_outcomes(sum(row.kill for row in fights), sum(not row.kill for row in fights)),
            **_counts(mine.get(code, ())),
        }
        for code, fights in nights.items()
    ]


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
    """ "Shadow Nova 3, Melee 2 and 1 more"."""
    most = counts.most_common(_MAX_CAUSES)
    rest = sum(counts.values()) - sum(times for _, times in most)
    return ", ".join(f"{name} {times}" for name, times in most) + (f" and {rest} more" if rest else "")
