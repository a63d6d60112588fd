"""The tools of the Quillmere Mountain Rescue and Avalanche Warning Association (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_TODAY = "2032-02-12"
_FILLERS = {"the", "hut", "hütte", "team", "sector", "course", "station", "depot"}


def _matches(query: str, name: str) -> bool:
    given = query.lower().replace("-", " ").split()
    words = [word for word in given if word not in _FILLERS]
    return all(word in name.lower().replace("-", " ") for word in words or given)


def _one(rows: list[dict], query: str, what: str) -> dict:
    names = ", ".join(row["name"] for row in rows)
    found = [row for row in rows if query.strip() and _matches(query, row["name"])]
    if not found:
        raise ToolError(f"No {what} called '{query}'. Known: {names}.")
    if len(found) > 1:
        raise ToolError(f"'{query}' fits several: {', '.join(row['name'] for row in found)}. Please say which.")
    return found[0]


def _by_id(table: str, field: str, value: str, what: str) -> dict:
    rows = _RECORDS[table]
    for row in rows:
        if row[field] == value.strip().upper():
            return row
    raise ToolError(f"There is no {what} {value}. Numbers run from {rows[0][field]} to {rows[-1][field]}.")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write it as YYYY-MM-DD, such as 2032-02-14.") from None


def _sector(text: str) -> str:
    return _one([{"name": name} for name in _RECORDS["sectors"]], text, "sector")["name"]


@tool
def avalanche_bulletin(sector: str, day: str = "") -> str:
    """Avalanche bulletin of one sector for one day: danger levels (1 to 5), main problem, slopes concerned.

    Args:
        sector: Name of the sector or part of it: Ostrel, Hane, Vardal, Quill Ridge, Lower Meres or Tamber.
        day: Day as YYYY-MM-DD; today when left out. Bulletins exist from three days ago up to tomorrow.
    """
    name = _sector(sector)
    wanted = _day(day) if day.strip() else _TODAY
    for row in _RECORDS["bulletins"]:
        if row["sector"] == name and row["day"] == wanted:
            return (
                f"Avalanche bulletin {name}, {wanted}\n"
                f"Above the tree line: level {row['above']}\nBelow the tree line: level {row['below']}\n"
                f"Main problem: {row['problem']}\nSlopes most concerned: {row['slopes']}"
            )
    raise ToolError(f"No bulletin for {wanted}. Bulletins exist from 2032-02-09 to 2032-02-13.")


@tool
def snow_stations(sector: str = "") -> list[dict]:
    """This morning's readings of the snow stations: snow depth, new snow in 24 hours, wind, temperature.

    Args:
        sector: Name of a sector or part of it; all sectors when left out.
    """
    if not sector.strip():
        return _RECORDS["stations"]
    name = _sector(sector)
    return [row for row in _RECORDS["stations"] if row["sector"] == name]


@tool
def hut_record(name: str) -> dict:
    """One hut: its hut_id, sector, altitude, number of beds, prices per night, warden and phone.

    Args:
        name: Name of the hut or part of it, such as Larkstone.
    """
    return _one(_RECORDS["huts"], name, "hut")


@tool
def hut_free_beds(hut_id: str, night: str) -> dict:
    """How many beds are still free in a hut on one night.

    Args:
        hut_id: Id of the hut, such as H-03.
        night: Day of arrival as YYYY-MM-DD, from 2032-02-12 to 2032-02-22.
    """
    hut = _by_id("huts", "hut_id", hut_id, "hut")
    nights = _RECORDS["free_beds"][hut["hut_id"]]
    wanted = _day(night)
    if wanted not in nights:
        raise ToolError(f"No occupancy for {wanted}. Nights can be looked up from {min(nights)} to {max(nights)}.")
    return {"hut_id": hut["hut_id"], "night": wanted, "free_beds": nights[wanted]}


@tool(effect="write")
def book_hut_beds(hut_id: str, night: str, beds: int, guest: str) -> dict:
    """Book beds in a hut for one night. Returns the booking number.

    Args:
        hut_id: Id of the hut, such as H-03.
        night: Day of arrival as YYYY-MM-DD, from 2032-02-12 to 2032-02-22.
        beds: Number of beds.
        guest: Name the booking is made under.
    """
    hut = _by_id("huts", "hut_id", hut_id, "hut")
    nights = _RECORDS["free_beds"][hut["hut_id"]]
    wanted = _day(night)
    if wanted not in nights:
        raise ToolError(f"No bookings for {wanted}. Nights can be booked from {min(nights)} to {max(nights)}.")
    if beds < 1 or beds > nights[wanted]:
        raise ToolError(f"{hut['name']} has {nights[wanted]} free beds on {wanted}; {beds} cannot be booked.")
    number = f"B-{7000 + int(hut['hut_id'][2:]) * 100 + int(wanted[-2:])}"
    return {"booking_no": number, "hut": hut["name"], "night": wanted, "beds": beds, "guest": guest}


@tool
def find_members(name: str = "", team: str = "", limit: int = 10) -> list[dict]:
    """Find members of the association and their member ids by name or team.

    Args:
        name: Name or part of it; all names when left out.
        team: Name of a team; all teams when left out.
        limit: How many members at most.
    """
    rows = [row for row in _RECORDS["members"] if _matches(name, row["name"]) and _matches(team, row["team"])]
    if not rows:
        raise ToolError(f"No member found for name '{name}', team '{team}'.")
    return [{key: row[key] for key in ("member_id", "name", "team")} for row in rows[: max(1, limit)]]


@tool
def member_record(member_id: str) -> dict:
    """One member: name, team, function, home village, phone, year of joining, first-aid certificate.

    Args:
        member_id: Id of the member, such as M-104.
    """
    return _by_id("members", "member_id", member_id, "member")


@tool
def team_record(name: str) -> dict:
    """One rescue team: base, number of members, vehicle, year of foundation, member id of its leader.

    Args:
        name: Name of the team: Falcon, Ibex, Marten, Raven or Lynx.
    """
    return _one(_RECORDS["teams"], name, "team")


@tool
def duty_roster(day: str = "") -> dict:
    """Who is on duty on one day: duty officer, doctor, dog handler (names) and the team on call.

    Args:
        day: Day as YYYY-MM-DD, from 2032-02-09 to 2032-02-22; today when left out.
    """
    wanted = _day(day) if day.strip() else _TODAY
    for row in _RECORDS["roster"]:
        if row["day"] == wanted:
            return row
    raise ToolError(f"No roster for {wanted}. The roster runs from 2032-02-09 to 2032-02-22.")


@tool
def dog_record(name: str) -> dict:
    """One rescue dog: breed, year of birth, speciality, day of the next test, member id of its handler.

    Args:
        name: Name of the dog or part of it.
    """
    return _one(_RECORDS["dogs"], name.lower().removeprefix("dog "), "dog")


@tool
def list_callouts(
    sector: str = "",
    kind: Literal["any", "avalanche", "fall", "lost", "illness"] = "any",
    since: str = "",
    until: str = "",
    limit: int = 10,
) -> list[dict]:
    """Call-outs of this winter (since December 2031), newest first: number, day, sector, kind, team.

    Args:
        sector: Name of a sector or part of it; all sectors when left out.
        kind: Kind of call-out.
        since: First day, YYYY-MM-DD.
        until: Last day, YYYY-MM-DD.
        limit: How many call-outs at most, 1 to 12.
    """
    name = _sector(sector) if sector.strip() else ""
    first = _day(since) if since.strip() else "0000"
    last = _day(until) if until.strip() else "9999"
    rows = [
        {key: row[key] for key in ("callout_no", "day", "sector", "kind", "team")}
        for row in reversed(_RECORDS["callouts"])
        if name in ("", row["sector"]) and kind in ("any", row["kind"]) and first <= row["day"] <= last
    ]
    if not rows:
        raise ToolError("No call-outs fit. The list covers 2031-12-03 to 2032-02-11.")
    return rows[: max(1, min(limit, 12))]


@tool
def callout_report(callout_no: str) -> str:
    """The report on one call-out: alarm and end, leader's member id, people brought in, dog, helicopter.

    Args:
        callout_no: Number of the call-out, such as C-2032-004.
    """
    row = _by_id("callouts", "callout_no", callout_no, "call-out")
    return (
        f"Call-out {row['callout_no']}, {row['day']}, {row['sector']}, {row['kind']}\n"
        f"Alarm {row['alarm']}, closed {row['closed']}\n"
        f"{row['team']}, {row['rescuers']} rescuers, leader {row['leader_id']}\n"
        f"People brought in: {row['people']}\nDog: {row['dog'] or 'none'}\n"
        f"Helicopter: {str(row['heli_min']) + ' minutes in the air' if row['heli_min'] else 'not used'}"
    )


@tool
def find_equipment(name: str = "", depot: str = "", limit: int = 10) -> list[dict]:
    """Find pieces of equipment by name: item number, name and the depot where they are kept.

    Args:
        name: Name of the piece or part of it, such as stretcher; all when left out.
        depot: Name of a depot (Ostrel, Hane or Vardal); all depots when left out.
        limit: How many pieces at most.
    """
    rows = [row for row in _RECORDS["equipment"] if _matches(name, row["name"]) and _matches(depot, row["depot"])]
    if not rows:
        raise ToolError(f"No equipment found for '{name}', depot '{depot}'. Depots are Ostrel, Hane and Vardal.")
    return [{key: row[key] for key in ("item_no", "name", "depot")} for row in rows[: max(1, min(limit, 15))]]


@tool
def equipment_record(item_no: str) -> dict:
    """One piece of equipment: depot, year bought, price, weight, last and next inspection.

    Args:
        item_no: Item number, such as E-205.
    """
    return _by_id("equipment", "item_no", item_no, "item")


@tool(effect="write")
def report_defect(item_no: str, note: str) -> dict:
    """Log a defect of a piece of equipment. Returns the number of the defect report.

    Args:
        item_no: Item number, such as E-205.
        note: What is broken, in a few words.
    """
    item = _by_id("equipment", "item_no", item_no, "item")
    return {"report_no": f"R-{item['item_no'][2:]}7", "item": item["name"], "note": note, "status": "logged"}


@tool
def list_courses(title: str = "") -> list[dict]:
    """Courses of the association: code, title, first day, days, place, fee, free places, instructor's member id.

    Args:
        title: Title or part of it; all courses when left out.
    """
    rows = [row for row in _RECORDS["courses"] if _matches(title, row["title"])]
    if not rows:
        titles = ", ".join(row["title"] for row in _RECORDS["courses"])
        raise ToolError(f"No course called '{title}'. Courses are: {titles}.")
    return rows


@tool(effect="write")
def enrol_in_course(course_code: str, member_id: str) -> dict:
    """Enrol a member in a course. Returns the enrolment number.

    Args:
        course_code: Code of the course, such as K-31.
        member_id: Id of the member, such as M-104.
    """
    course = _by_id("courses", "code", course_code, "course")
    member = _by_id("members", "member_id", member_id, "member")
    if not course["places_free"]:
        raise ToolError(f"{course['title']} ({course['code']}) is full.")
    number = f"N-{course['code'][2:]}{member['member_id'][2:]}"
    return {"enrolment_no": number, "course": course["title"], "starts": course["starts"], "member": member["name"]}
