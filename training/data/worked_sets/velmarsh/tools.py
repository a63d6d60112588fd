"""The desk of the Velmarsh Municipal Theatre: what its staff look up and note down."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))

Stage = Literal["main house", "studio"]
Series = Literal["Premiere", "Thursday", "Matinee", "Studio"]
Kind = Literal["prop", "costume"]
Space = Literal["main house", "studio", "foyer", "rehearsal room", "roof terrace"]
Block = Literal["front stalls", "rear stalls", "circle", "gallery", "studio"]

PRODUCTIONS = {row["id"]: row for row in DATA["productions"]}
PERFORMANCES = {row["id"]: row for row in DATA["performances"]}
SUBSCRIBERS = {row["id"]: row for row in DATA["subscribers"]}
STAFF = {row["id"]: row for row in DATA["staff"]}
ITEMS = {row["id"]: row for row in DATA["items"]}

_TITLES = {"mr", "mrs", "ms", "miss", "dr", "frau", "herr", "the", "a", "of", "and", "der", "die", "das"}


@tool(effect="read", integrity="trusted")
def season_programme(stage: Stage | None = None, title: str | None = None) -> str:
    """The season's productions: number (PR-201), title, stage, premiere, last performance, running time in minutes.
    All of them, or those of one stage or with these words in the title.

    Args:
        stage: Only the productions of this stage.
        title: Words of the title.
    """
    rows = [row for row in DATA["productions"] if stage is None or row["stage"] == stage]
    if title:
        rows = _matching(rows, "title", title)
        if not rows:
            raise ToolError(f"No production has {title!r} in its title. Leave `title` out to see all of them.")
    return "\n".join(
        f"{row['id']} | {row['title']} | {row['stage']} | premiere {row['premiere']} | last {row['last']} | "
        f"{row['minutes']} min"
        for row in rows
    )


@tool(effect="read", integrity="trusted")
def production_sheet(production_id: str) -> str:
    """One production in detail: director, set designer, stage manager (with staff number), interval, recommended age,
    effects to warn of, surtitles, introduction talk.

    Args:
        production_id: The number of the production, such as PR-201; season_programme has it for a title.
    """
    row = _production(production_id)
    manager = STAFF[row["stage_manager"]]
    return "\n".join(
        [
            f"{row['id']} {row['title']} ({row['stage']}, {row['minutes']} min)",
            f"Director: {row['director']}",
            f"Set designer: {row['designer']}",
            f"Stage manager: {manager['name']} ({manager['id']})",
            f"Interval: {row['interval']}",
            f"Recommended age: from {row['age']}",
            f"Effects: {row['effects']}",
            f"Surtitles: {row['surtitles']}",
            f"Introduction talk: {row['talk']}",
        ]
    )


@tool(effect="read", integrity="trusted")
def playing_dates(production_id: str | None = None, day: str | None = None) -> str:
    """The performances of one production or of one day: performance number (PF-1183), day, time, title, stage, seats
    left or why there are none. Give the production, the day or both.

    Args:
        production_id: The number of the production, such as PR-201.
        day: The day, written as 2031-10-18.
    """
    rows = _planned("performances", production_id, day, "PR-201")
    if not rows:
        raise ToolError("No performance found: not on that day, or the dates are not out yet.")
    return "\n".join(
        f"{row['id']} | {_dated(row['day'])} {row['time']} | {PRODUCTIONS[row['production']]['title']}"
        f" | {PRODUCTIONS[row['production']]['stage']} | {_left(row)}"
        for row in rows
    )


@tool(effect="read", integrity="trusted")
def seating_plan(performance_id: str) -> str:
    """Prices and free seats of one performance: for each block the full and the reduced price and how many seats are
    left, and the free wheelchair spaces.

    Args:
        performance_id: The number of the performance, such as PF-1183; playing_dates has it.
    """
    row = _performance(performance_id)
    production = PRODUCTIONS[row["production"]]
    lines = [f"{row['id']} {production['title']}, {_dated(row['day'])} {row['time']}, {production['stage']}"]
    if row["status"] == "cancelled":
        lines.append("CANCELLED: no tickets are sold.")
    for block, (full, reduced) in DATA["tariffs"][row["tariff"]].items():
        lines.append(f"{block} | full {full:.2f} | reduced {reduced:.2f} | {row['left'][block]} seats left")
    lines.append(f"wheelchair spaces: {row['wheelchair']} left")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def find_subscribers(name: str | None = None, series: Series | None = None) -> str:
    """Subscribers: number (AB-3101), name, series, number of seats, since when. All of them, or those with this name or
    in one series. Phone, payment and exchanges are in subscriber_file.

    Args:
        name: The name, or a part of it.
        series: Only subscribers of this series.
    """
    rows = [row for row in DATA["subscribers"] if series is None or row["series"] == series]
    if name:
        rows = _matching(rows, "name", name)
        if not rows:
            raise ToolError(f"No subscriber is called {name!r}. Try a part of the name, or leave it out to see all.")
    return "\n".join(
        f"{row['id']} | {row['name']} | {row['series']} series | seats: {row['seats']} | since {row['since']}"
        for row in rows
    )


@tool(effect="read", integrity="trusted")
def subscriber_file(subscriber_id: str) -> str:
    """The file of one subscriber: phone, seats, exchanges left this season, amount still to pay, next subscription
    performance with its number.

    Args:
        subscriber_id: The number of the subscriber, such as AB-3101; find_subscribers has it for a name.
    """
    row = SUBSCRIBERS.get(subscriber_id.strip().upper())
    if row is None:
        raise ToolError(f"No subscriber {subscriber_id!r}. It is a number such as AB-3101; find_subscribers has it.")
    show = PERFORMANCES[row["next"]]
    paid = "nothing, all paid" if not row["open"] else f"{row['open']:.2f}"
    return "\n".join(
        [
            f"{row['id']} {row['name']}, {row['series']} series since {row['since']}",
            f"Phone: {row['phone']}",
            f"Seats: {row['place']}",
            f"Exchanges left this season: {row['exchanges']}",
            f"Still to pay: {paid}",
            f"Next performance: {show['id']} {PRODUCTIONS[show['production']]['title']}, "
            f"{_dated(show['day'])} {show['time']}",
        ]
    )


@tool(effect="read", integrity="trusted")
def store_search(kind: Kind, word: str | None = None) -> str:
    """The store of props or of costumes: item number (PP-011, CO-203), what it is, size, its place, where it is now (in
    store, on stage, in workshop, laundry, on loan), the production that has it, value.

    Args:
        kind: Props or costumes.
        word: Words of what is looked for, in English; without it the whole store is listed.
    """
    rows = [row for row in DATA["items"] if row["kind"] == kind]
    if word:
        rows = _matching(rows, "what", word)
        if not rows:
            raise ToolError(f"No {kind} matches {word!r}. Try another word, or leave it out to see every {kind}.")
    return "\n".join(
        f"{row['id']} | {row['what']} | {'size ' + row['size'] + ' | ' if row['size'] else ''}{row['place']} | "
        f"{row['now']} | {'for ' + row['production'] if row['production'] else 'not in use'} | value {row['value']:,}"
        for row in rows
    )


@tool(effect="read", integrity="trusted")
def rehearsal_calls(production_id: str | None = None, day: str | None = None) -> str:
    """The rehearsals of one production or of one day: day, hours, production, what is rehearsed, room, who leads it
    (with staff number). Give the production, the day or both.

    Args:
        production_id: The number of the production, such as PR-208.
        day: The day, written as 2031-10-18.
    """
    rows = _planned("rehearsals", production_id, day, "PR-208")
    if not rows:
        return "No rehearsal is planned."
    return "\n".join(
        f"{_dated(row['day'])} {row['hours']} | {row['production']} "
        f"{PRODUCTIONS[row['production']]['title']} | {row['what']} | {row['room']} | "
        f"{STAFF[row['led_by']]['name']} ({row['led_by']})"
        for row in rows
    )


@tool(effect="read", integrity="trusted")
def duty_rota(day: str) -> str:
    """Who is on duty or on call on one day: duty manager, box office, fire watch, stage technician, lighting, sound,
    first aider, each with name, staff number and hours. Phone numbers are in staff_card.

    Args:
        day: The day, written as 2031-10-18.
    """
    on = _day(day)
    duties = DATA["rota"].get(on)
    if duties is None:
        raise ToolError(f"There is no rota for {on}; it is out for {min(DATA['rota'])} to {max(DATA['rota'])}.")
    lines = [_dated(on)]
    for role, ident in duties.items():
        lines.append(f"{role} | {DATA['duty_hours'][role]} | {STAFF[ident]['name']} ({ident})")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def staff_card(staff: str) -> str:
    """The card of one colleague: post, extension, mobile, room, usual days, languages, licences.

    Args:
        staff: The name, or the staff number such as SF-104.
    """
    row = STAFF.get(staff.strip().upper())
    if row is None:
        found = _matching(DATA["staff"], "name", staff)
        if len(found) != 1:
            known = ", ".join(f"{each['name']} ({each['id']})" for each in found[:6])
            problem = f"{staff!r} could be {known}" if known else f"No colleague is called {staff!r}"
            raise ToolError(f"{problem}. Give the full name or the number (SF-104).")
        row = found[0]
    return "\n".join(
        [
            f"{row['id']} {row['name']}, {row['post']}",
            f"Extension: {row['extension']}",
            f"Mobile: {row['mobile']}",
            f"Room: {row['room']}",
            f"Days: {row['days']}",
            f"Languages: {row['languages']}",
            f"Licences: {row['licences']}",
        ]
    )


@tool(effect="read", integrity="trusted")
def hire_diary(space: Space | None = None, month: str | None = None) -> str:
    """Hires of our rooms by outside people: number (HB-611), day, hours, room, hirer, status (pencilled, confirmed,
    paid), fee, our contact (staff number). All, or those of one room or month.

    Args:
        space: Only hires of this room.
        month: Only hires in this month, written as 2031-11.
    """
    if month and not re.fullmatch(r"\d{4}-\d{2}", month.strip()):
        raise ToolError(f"{month!r} is not a month: write it as 2031-11.")
    rows = [
        row
        for row in DATA["hires"]
        if (space is None or row["space"] == space) and (not month or row["day"].startswith(month.strip()))
    ]
    if not rows:
        return "No hire is in the diary for that."
    return "\n".join(
        f"{row['id']} | {row['day']} {row['hours']} | {row['space']} | {row['hirer']} | {row['status']} | "
        f"fee {row['fee']:,} | contact {row['contact']}"
        for row in rows
    )


@tool(effect="write", integrity="trusted")
def hold_seats(performance_id: str, block: Block, seats: int, name: str) -> str:
    """Puts seats of one performance on hold under a name, for seven days. Returns the number of the hold (HD-512) and
    the full price.

    Args:
        performance_id: The number of the performance, such as PF-1183.
        block: The block; "studio" for performances in the studio, which has one block only.
        seats: How many seats.
        name: For whom they are held.
    """
    row = _performance(performance_id)
    if row["status"] == "cancelled":
        raise ToolError(f"{row['id']} is cancelled. Choose another performance (playing_dates).")
    if block not in row["left"]:
        raise ToolError(f"{row['id']} has no block {block!r}. It has: {', '.join(row['left'])}.")
    if seats < 1:
        raise ToolError("Hold at least one seat.")
    if not name.strip():
        raise ToolError("Say for whom the seats are held.")
    if seats > row["left"][block]:
        others = ", ".join(f"{each} {left}" for each, left in row["left"].items() if left and each != block) or "none"
        raise ToolError(f"Seats left in {block}: {row['left'][block]}. Other blocks: {others}.")
    full = DATA["tariffs"][row["tariff"]][block][0] * seats
    number = _number("HD", row["id"], block, seats, name)
    return (
        f"On hold: {number}, {seats} x {block}, {row['id']} {PRODUCTIONS[row['production']]['title']}, {row['day']} "
        f"{row['time']}, name {name.strip()}, {full:.2f} in all, for seven days."
    )


@tool(effect="write", integrity="trusted")
def open_repair(item_id: str, fault: str) -> str:
    """Opens a repair for a prop (workshop) or a costume (wardrobe). Returns the number of the repair (RP-340).

    Args:
        item_id: The number of the item, such as PP-011 or CO-203; store_search has it.
        fault: What is broken or to be done, in a few words.
    """
    row = ITEMS.get(item_id.strip().upper())
    if row is None:
        raise ToolError(f"No item {item_id!r}. It is a number such as PP-011 or CO-203; store_search has it.")
    if not fault.strip():
        raise ToolError("Say what is broken.")
    number = _number("RP", row["id"], fault)
    where = "workshop" if row["kind"] == "prop" else "wardrobe"
    return f"Repair opened: {number}, {row['id']} {row['what']}, {fault.strip()}; it goes to the {where}."


@tool(effect="write", integrity="trusted")
def pencil_hire(space: Space, day: str, hirer: str) -> str:
    """Pencils one of our rooms for an outside hirer on one day, as an option for 14 days. Returns the number of the
    option (HO-270).

    Args:
        space: The room.
        day: The day, written as 2031-11-27.
        hirer: Who wants to hire it.
    """
    on = _day(day)
    if not hirer.strip():
        raise ToolError("Say who wants to hire it.")
    taken = next((row for row in DATA["hires"] if row["space"] == space and row["day"] == on), None)
    if taken is not None:
        raise ToolError(f"The {space} is taken on {on}: {taken['id']}, {taken['hirer']}. Choose another day or room.")
    return f"Pencilled: {_number('HO', space, on, hirer)}, {space}, {_dated(on)}, {hirer.strip()}, for 14 days."


def _production(ident: str) -> dict[str, Any]:
    row = PRODUCTIONS.get(ident.strip().upper())
    if row is None:
        raise ToolError(f"No production {ident!r}. It is a number such as PR-201; season_programme has it for a title.")
    return row


def _performance(ident: str) -> dict[str, Any]:
    row = PERFORMANCES.get(ident.strip().upper())
    if row is None:
        raise ToolError(f"No performance {ident!r}. It is a number such as PF-1183; playing_dates has it for a day.")
    return row


def _planned(table: str, production_id: str | None, day: str | None, example: str) -> list[dict[str, Any]]:
    if not production_id and not day:
        raise ToolError(f"Give a production's number ({example}) or a day (2031-10-18).")
    wanted = {"production": production_id and _production(production_id)["id"], "day": day and _day(day)}
    return [row for row in DATA[table] if all(row[key] == value for key, value in wanted.items() if value)]


def _left(row: dict[str, Any]) -> str:
    if row["status"] == "cancelled":
        return "cancelled"
    left = sum(row["left"].values())
    return (f"{left} seats left" if left else "sold out") + (" (premiere)" if row["status"] == "premiere" else "")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as 2031-10-18.") from None


def _dated(day: str) -> str:
    return f"{date.fromisoformat(day):%a} {day}"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold().replace("'s", "").replace("’s", ""))) - _TITLES


def _matching(rows: list[dict[str, Any]], field: str, text: str) -> list[dict[str, Any]]:
    """Those that have the most of the words, also as the beginning of longer ones."""
    wanted = _words(text)

    def hits(row: dict[str, Any]) -> int:
        own = _words(row[field])
        return sum(any(each.startswith(word.rstrip("s")) and len(word) > 1 for each in own) for word in wanted)

    most = max(map(hits, rows), default=0)
    return [row for row in rows if most and hits(row) == most]


def _number(prefix: str, *parts: object) -> str:
    return f"{prefix}-{100 + zlib.crc32('|'.join(map(str, parts)).casefold().encode()) % 900}"
