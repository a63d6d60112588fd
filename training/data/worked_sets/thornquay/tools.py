"""Tools of the desk at the Thornquay sailing and rowing school, over `records.json`."""

import json
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

RECORDS: dict[str, Any] = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))

BOATS = {row["id"]: row for row in RECORDS["boats"]}
COURSES = {row["id"]: row for row in RECORDS["courses"]}
INSTRUCTORS = {row["id"]: row for row in RECORDS["instructors"]}
MEMBERS = {row["id"]: row for row in RECORDS["members"]}


def _pick(rows: dict[str, dict[str, str]], given: str, what: str, form: str, where: str) -> dict[str, str]:
    key = given.strip().upper()
    if key not in rows:
        raise ToolError(f"No {what} {given!r}. The id looks like {form}; {where} gives it.")
    return rows[key]


def _boat(given: str) -> dict[str, str]:
    return _pick(BOATS, given, "boat", "BT-07", "fleet_board")


def _course(given: str) -> dict[str, str]:
    return _pick(COURSES, given, "course", "CR-412", "course_calendar")


def _member(given: str) -> dict[str, str]:
    return _pick(MEMBERS, given, "member", "MB-1044", "find_member")


def _day(given: str) -> date:
    try:
        return date.fromisoformat(given.strip())
    except ValueError:
        raise ToolError(f"{given!r} is no day: write it as 2031-06-21.") from None


def _weekday(day: str) -> str:
    return f"{date.fromisoformat(day):%A} {day}"


@tool(effect="read", integrity="trusted")
def fleet_board(
    kind: Literal["dinghy", "keelboat", "rowing", "launch"] | None = None,
    state: Literal["ready", "out", "repair"] | None = None,
) -> str:
    """Lists the school's boats: id, name, kind, class, how many they carry, length, year built, and whether they are ready, out or in repair. No prices.

    Args:
        kind: Only boats of this kind.
        state: Only boats in this state.
    """
    rows = [b for b in BOATS.values() if kind in (None, b["kind"]) and state in (None, b["state"])]
    if not rows:
        raise ToolError("No boat of that kind is in that state. Leave out kind or state to see more.")
    return "id | name | kind | class | carries | length m | built | state\n" + "\n".join(
        " | ".join(b[k] for k in ("id", "name", "kind", "class", "crew", "length_m", "built", "state")) for b in rows
    )


@tool(effect="read", integrity="trusted")
def boat_card(boat: str) -> str:
    """The card of one boat: hire price for half a day and a day, deposit, ticket needed to hire it, where it is berthed, who keeps it (instructor id), last and next inspection.

    Args:
        boat: Id of the boat, such as BT-07. A name does not do; fleet_board has the ids.
    """
    b = _boat(boat)
    if b["half_day"].isdigit():
        hire = f"half day {b['half_day']} EUR, full day {b['day']} EUR; deposit {b['deposit']} EUR"
    else:
        hire = "not hired out"
    return "\n".join(
        (
            f"{b['id']} {b['name']}, {b['kind']}, {b['class']}, sail number {b['sail']}",
            f"Hire: {hire}",
            f"Ticket needed: {b['ticket']}",
            f"Berth: {b['berth']}",
            f"Keeper: {b['keeper']}",
            f"Last inspected {b['inspected']}, next inspection due {b['due']}",
        )
    )


@tool(effect="read", integrity="trusted")
def tide_table(day: str) -> str:
    """Tides at Thornquay quay on one day: times and heights of high and low water, and from when to when boats get over Harrow Bar.

    Args:
        day: The day, such as 2031-06-21.
    """
    wanted = _day(day)
    rows = RECORDS["tides"].get(wanted.isoformat())
    if rows is None:
        first, *_, last = RECORDS["tides"]
        raise ToolError(f"The table has no {wanted.isoformat()}: it runs from {first} to {last}.")
    lines = [f"Thornquay quay, {_weekday(wanted.isoformat())}"]
    lines += [f"{'High water' if kind == 'HW' else 'Low water'} {time}, {height} m" for time, kind, height in rows]
    around = timedelta(hours=2, minutes=10)
    for time, kind, _ in rows:
        if kind == "HW":
            at = datetime.combine(wanted, datetime.strptime(time, "%H:%M").time())
            start = max(at - around, datetime.combine(wanted, datetime.min.time()))
            end = min(at + around, datetime.combine(wanted, datetime.max.time()))
            lines.append(f"Harrow Bar passable {start:%H:%M} to {end:%H:%M}")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def mooring_plan(pontoon: Literal["North", "Creek", "Wall"] | None = None, free_only: bool = False) -> str:
    """Lists the moorings: id (M-12), pontoon, longest boat it takes, depth at low water, fee for a year, and who holds it: a member id, the school, or free.

    Args:
        pontoon: Only moorings of this pontoon.
        free_only: Only moorings that nobody holds.
    """
    rows = [
        m
        for m in RECORDS["moorings"]
        if pontoon in (None, m["pontoon"]) and (not free_only or m["holder"] == "free")
    ]
    return "id | pontoon | longest boat m | depth at low water m | EUR a year | holder\n" + "\n".join(
        " | ".join(m[k] for k in ("id", "pontoon", "max_m", "depth_lw", "fee", "holder")) for m in rows
    )


@tool(effect="read", integrity="trusted")
def course_calendar(
    discipline: Literal["sailing", "rowing", "powerboat"] | None = None, month: str | None = None
) -> str:
    """Lists the coming courses: id, title, discipline, level, first day, number of days, places free. Fee, times and instructor are on the course_sheet.

    Args:
        discipline: Only courses of this discipline.
        month: Only courses that begin in this month, such as 2031-07.
    """
    if month is not None and not re.fullmatch(r"\d{4}-\d{2}", month.strip()):
        raise ToolError(f"{month!r} is no month: write it as 2031-07.")
    rows = [
        c
        for c in COURSES.values()
        if discipline in (None, c["discipline"]) and (month is None or c["start"].startswith(month.strip()))
    ]
    if not rows:
        raise ToolError("No such course. The calendar runs from 2031-06 to 2031-08.")
    return "id | title | discipline | level | first day | days | places free\n" + "\n".join(
        f"{c['id']} | {c['title']} | {c['discipline']} | {c['level']} | {c['start']} | {c['days']} | {c['free']}"
        for c in rows
    )


@tool(effect="read", integrity="trusted")
def course_sheet(course: str) -> str:
    """The sheet of one course: fee, when it begins and ends each day, meeting point, lowest age, what is required before, instructor (id), boats used, what to bring, places free.

    Args:
        course: Id of the course, such as CR-412. course_calendar has the ids.
    """
    c = _course(course)
    return "\n".join(
        (
            f"{c['id']} {c['title']}, {c['discipline']}, level {c['level']}",
            f"First day {_weekday(c['start'])}, days: {c['days']}, each from {c['begins']} to {c['ends']}",
            f"Fee {c['fee']} EUR; places free: {c['free']}",
            f"Lowest age {c['min_age']}; required before: {c['requires']}",
            f"Instructor: {c['instructor']}",
            f"Boats: {c['boats']}",
            f"Meeting point: {c['meet']}",
            f"Bring: {c['bring']}",
        )
    )


@tool(effect="read", integrity="trusted")
def instructor_profile(instructor: str) -> str:
    """One instructor: name, role, phone, working days, what they may teach, languages, first aid certificate, leave.

    Args:
        instructor: Name of the instructor, or the id such as IN-04.
    """
    asked = instructor.strip().casefold()
    found = [i for i in INSTRUCTORS.values() if asked == i["id"].casefold()]
    found = found or [i for i in INSTRUCTORS.values() if asked and asked in i["name"].casefold()]
    if len(found) != 1:
        names = ", ".join(f"{i['id']} {i['name']}" for i in found or INSTRUCTORS.values())
        raise ToolError(f"{instructor!r} is {'several instructors' if found else 'no instructor'}. Take one of: {names}.")
    i = found[0]
    return "\n".join(
        (
            f"{i['id']} {i['name']}, {i['role']}, phone {i['phone']}",
            f"Works {i['days']}; leave: {i['leave']}",
            f"May teach: {i['tickets']}",
            f"Languages: {i['languages']}",
            f"First aid valid until {i['first_aid']}",
        )
    )


@tool(effect="read", integrity="trusted")
def find_member(name: str) -> str:
    """Finds members by name: member number (MB-1044), full name and home. Nothing else; the rest is in member_record.

    Args:
        name: First name, surname or both.
    """
    words = name.casefold().replace(",", " ").split()
    found = [m for m in MEMBERS.values() if words and all(w in m["name"].casefold().split() for w in words)]
    if not found:
        raise ToolError(f"No member is called {name!r}. Try the surname alone, or ask how it is spelled.")
    return "\n".join(f"{m['id']} {m['name']}, {m['home']}" for m in found)


@tool(effect="read", integrity="trusted")
def member_record(member: str) -> str:
    """The record of one member: subscription and until when it is paid, tickets held, phone, emergency contact, mooring, course booked, boat hired, kit on loan, money owed.

    Args:
        member: Member number, such as MB-1044. find_member gives the number for a name.
    """
    m = _member(member)
    return "\n".join(
        (
            f"{m['id']} {m['name']}, {m['home']}, {m['category']} member, paid until {m['paid_until']}",
            f"Tickets: {m['tickets']}",
            f"Phone {m['phone']}; emergency contact {m['emergency']}",
            f"Mooring: {m['mooring']}",
            f"Course booked: {m['booked']}",
            f"Boat hired: {m['hire']}",
            f"Kit on loan: {m['kit']}",
            f"Owes {m['balance']} EUR",
        )
    )


@tool(effect="read", integrity="trusted")
def workshop_board(boat: str | None = None, state: Literal["waiting", "working", "finished"] | None = None) -> str:
    """Lists the repair jobs on the boats: job number, boat id, fault, priority, state, day it is or was ready, cost.

    Args:
        boat: Only jobs on this boat: its id, such as BT-07.
        state: Only jobs in this state.
    """
    wanted = _boat(boat)["id"] if boat is not None else None
    rows = [j for j in RECORDS["jobs"] if wanted in (None, j["boat"]) and state in (None, j["state"])]
    if not rows:
        return "No repair jobs of that kind."
    return "job | boat | fault | priority | state | ready | EUR\n" + "\n".join(
        " | ".join(j[k] for k in ("id", "boat", "fault", "priority", "state", "ready", "cost")) for j in rows
    )


@tool(effect="read", integrity="trusted")
def kit_locker(kind: Literal["wetsuit", "lifejacket", "helmet", "foulweather", "safety"] | None = None) -> str:
    """Lists the kit we lend: code (KT-21), item, size, how many are in and how many we own, hire per day, price of a new one.

    Args:
        kind: Only kit of this kind; buoyancy aids are with the lifejackets, radios and lines with safety.
    """
    rows = [k for k in RECORDS["kit"] if kind in (None, k["kind"])]
    return "code | item | size | in | owned | EUR a day | EUR new\n" + "\n".join(
        " | ".join(k[f] for f in ("code", "item", "size", "inn", "total", "hire", "new")) for k in rows
    )


@tool(effect="write", integrity="trusted")
def book_hire(boat: str, member: str, day: str, start: str, hours: float) -> str:
    """Books a boat for a member and returns the booking number.

    Args:
        boat: Id of the boat, such as BT-07.
        member: Member number, such as MB-1044.
        day: Day of the hire, such as 2031-06-21.
        start: Time it begins, such as 14:30.
        hours: For how many hours.
    """
    b, m, on = _boat(boat), _member(member), _day(day)
    if b["half_day"] == "not hired out":
        raise ToolError(f"{b['id']} {b['name']} is a launch of the school and not hired out. Take another boat.")
    if b["state"] == "repair":
        raise ToolError(f"{b['id']} {b['name']} is in repair. fleet_board lists those that are ready.")
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", start.strip()):
        raise ToolError(f"{start!r} is no time: write it as 14:30.")
    if not 0 < hours <= 12:
        raise ToolError("A hire takes up to 12 hours.")
    return (
        f"Booked, HR-{5300 + int(b['id'][3:])}: {b['id']} {b['name']} for {m['id']} {m['name']}, "
        f"{_weekday(on.isoformat())} from {start.strip()}, {hours:g} h."
    )


@tool(effect="write", integrity="trusted")
def log_damage(boat: str, fault: str, priority: Literal["low", "normal", "high"] = "normal") -> str:
    """Puts damage to a boat on the workshop's board as a new repair job and returns the job number.

    Args:
        boat: Id of the boat, such as BT-07.
        fault: What is broken, in a few words.
        priority: How urgent it is.
    """
    b = _boat(boat)
    if not fault.strip():
        raise ToolError("Say what is broken.")
    return f"Logged, RJ-{230 + int(b['id'][3:])}: {b['id']} {b['name']}, {fault.strip()}, priority {priority}."


@tool(effect="write", integrity="trusted")
def enrol_member(course: str, member: str) -> str:
    """Enrols a member on a course and returns the enrolment number.

    Args:
        course: Id of the course, such as CR-412.
        member: Member number, such as MB-1044.
    """
    c, m = _course(course), _member(member)
    if c["free"] == "0":
        raise ToolError(f"{c['id']} {c['title']} is full. course_calendar shows courses with places free.")
    if m["booked"] == c["id"]:
        raise ToolError(f"{m['name']} is on {c['id']} already.")
    return f"Enrolled, EN-{7000 + int(c['id'][3:])}: {m['id']} {m['name']} on {c['id']} {c['title']}, from {_weekday(c['start'])}."
