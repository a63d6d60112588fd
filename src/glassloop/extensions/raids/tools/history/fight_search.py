"""Tools that find fights: by boss, player, day and outcome, and the user's own newest kills."""

from collections.abc import Sequence
from typing import Annotated

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.parses import rate
from glassloop.extensions.raids.storage.rows import FightRow
from glassloop.extensions.raids.tools.days import Day, Days
from glassloop.extensions.raids.tools.history.player_rows import (
    MAX_ROWS,
    NO_CHARACTERS,
    PlayerChoice,
    choose_players,
    missing_of,
    parse_notes,
    parse_of,
    player_rows,
    specs_of,
    told_performance,
)
from glassloop.extensions.raids.tools.parameters import OptionalEncounterName, OptionalPlayerName
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import NO_REPORTS, RaidReader, show_time
from glassloop.extensions.raids.tools.result import MAX_KEPT, raid_result
from glassloop.tools.tool import Tool, ToolContext

KILLS_ONLY = "Only kills are listed: `search_fights` with kill=false finds wipes."


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tools of this file."""

    @raid_tool
    async def search_fights(
        context: ToolContext,
        encounter_name: OptionalEncounterName = "",
        player_name: OptionalPlayerName = "",
        kill: Annotated[bool | None, "true for kills, false for wipes; leave out for both."] = None,
        since: Day = "",
        until: Day = "",
        limit: Annotated[int, "How many at most, up to 50."] = 20,
    ) -> ToolResult:
        """Find imported fights with their report_code and fight_id, newest first: by boss, player, kill or wipe, dates.
        Use it to look up codes and numbers that other tools need, or to list nights, kills and wipes.
        """
        _check_count("limit", limit)
        encounter = await reader.encounter(encounter_name) if encounter_name.strip() else None
        players = await choose_players(reader, context.user, player_name) if player_name.strip() else []
        days = Days(since=since, until=until)
        begin, end = days.begin, days.end
        rows: list[FightRow] = []
        for player in players or [PlayerChoice("")]:
            rows += await reader.store.search(
                context.user, encounter_id=encounter.id if encounter else None, player=player.label, kill=kill,
                since=begin, until=end, limit=MAX_ROWS,
            )  # fmt: skip
        rows = sorted({(row.code, row.number): row for row in rows}.values(), key=lambda row: -row.started_at)
        heading: dict[str, Json] = {
            "encounter": encounter.name if encounter else "all bosses",
            "player": ", ".join(player.label for player in players) or "everybody",
            "outcome": "all" if kill is None else "kills" if kill else "wipes",
        } | days.heading()
        missing = [] if rows else [await _why_none(reader, context.user)]
        fights: list[Json] = [_told_fight(reader, row) for row in rows[:limit]]
        found = {"found": len(rows), "shown": len(fights), "fights": fights}
        many = f"Only the newest {MAX_ROWS:,} were counted: give a boss, a player or days for older ones."
        notes = [many] if len(rows) >= MAX_ROWS else []
        return raid_result(
            heading, found, missing=missing, notes=notes, totals={"fights": len(rows)}, read_on=_older(rows, limit)
        )

    @raid_tool
    async def resolve_my_fights(
        context: ToolContext,
        encounter_name: OptionalEncounterName = "",
        count: Annotated[int, "How many fights, up to 50."] = 5,
    ) -> ToolResult:
        """The newest kills of the user's own registered characters, with report_code, fight_id, player and when.
        Call it first for "my last fight", "my last kill", "my last raid": the other tools need its codes. It lists
        kills only and names the newest wipe; search_fights with kill=false finds the others.
        """
        _check_count("count", count)
        return await _own_fights(reader, context.user, encounter_name, count)

    return (search_fights, resolve_my_fights)


async def _own_fights(reader: RaidReader, user: str, encounter_name: str, count: int) -> ToolResult:
    encounter = await reader.encounter(encounter_name) if encounter_name.strip() else None
    encounter_id = encounter.id if encounter else None
    characters = await reader.store.characters(user)
    heading: dict[str, Json] = {
        "characters": ", ".join(PlayerChoice(row.name, row.realm).label for row in characters) or "none registered",
        "encounter": encounter.name if encounter else "all bosses",
    }
    if not characters:
        rows = await reader.store.search(user, encounter_id=encounter_id, kill=True, limit=count)
        fights: list[Json] = [_told_fight(reader, row) for row in rows]
        note = (
            f"These are the newest kills of all imported nights; whose character is meant has to be asked. {KILLS_ONLY}"
        )
        return raid_result(heading, {"fights": fights}, missing=[NO_CHARACTERS], notes=[note] if fights else [])
    players = [PlayerChoice(row.name, row.realm) for row in characters]
    every = await player_rows(reader, user, players, encounter_id=encounter_id)
    kills = [row for row in every if row.kill]
    shown = (kills or every)[:count]
    population = await reader.parses(user, {row.encounter_id for row in shown}, specs_of(shown))
    parses = [parse_of(population, row) for row in shown]
    missing = missing_of(reader, shown, parses)
    if not kills:
        what = "kills" if every else "fights"
        missing.append(f"no {what} of {heading['characters']} on {heading['encounter']} were imported")
    notes = [*parse_notes(parses)]
    newer = [row for row in every if not row.kill and (not kills or row.started_at > kills[0].started_at)]
    if kills and newer:
        last = newer[0]
        boss = reader.encounter_name(last.encounter_id)
        notes.append(f"Newer wipes: {len(newer)}, the last of them {boss}, report {last.code}, fight {last.number}.")
    if shown and not kills:
        notes.append("There is no kill: these are the newest wipes.")
    elif shown:
        notes.append(KILLS_ONLY)
    told: list[Json] = [told_performance(reader, row, parse) for row, parse in zip(shown, parses, strict=True)]
    wipes = len(every) - len(kills)
    figures: dict[str, Json] = {"kills": len(kills), "wipes": wipes, "fights": told}
    more = f"give a larger `count`, up to {MAX_KEPT}, or ask `search_fights`"
    totals = {"fights": len(kills) or wipes}
    return raid_result(heading, figures, missing=missing, notes=notes, totals=totals, read_on=more)


def _told_fight(reader: RaidReader, row: FightRow) -> dict[str, Json]:
    heading = reader.fight_heading(row)
    return {
        "report_code": row.code,
        "fight_id": heading.pop("fight"),
        **heading,
        "players": row.players,
        "raid_dps": round(rate(row.damage, row.length_ms), 1),
        "deaths": row.deaths,
        "spirits_of_redemption": row.spirits or None,
    }


async def _why_none(reader: RaidReader, user: str) -> str:
    return "no such fights were imported" if await reader.store.reports(user, limit=1) else NO_REPORTS


def _older(rows: Sequence[FightRow], limit: int) -> str:
    """How to get those that are left out."""
    if len(rows) <= limit:
        return ""
    until = show_time(rows[limit - 1].started_at).replace(" ", "T")
    return f"give `limit` up to {MAX_KEPT}, or `until` {until} for older ones"


def _check_count(name: str, value: int) -> None:
    if not 1 <= value <= MAX_KEPT:
        raise BadArguments(f"`{name}` is {value}: give 1 to {MAX_KEPT}.")
