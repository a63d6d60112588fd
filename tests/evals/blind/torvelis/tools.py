"""The tools of the front desk of Torvelis. All data is in records.json; nothing is stored."""

import json
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
Surface = Literal["ice", "hall", "court1", "court2"]


def _one(kind: str, key: str, value: str, example: str, remedy: str) -> dict[str, Any]:
    wanted = value.strip().upper()
    for record in DATA[kind]:
        if record[key] == wanted:
            return dict(record)
    raise ToolError(f"There is no {key} {value!r}. Ids look like {example}; {remedy}")


def _day(text: str) -> str:
    try:
        day = str(date.fromisoformat(text.strip()))
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as YYYY-MM-DD, such as 2033-01-19.") from None
    first, last = DATA["bookings"][0]["day"], DATA["bookings"][-1]["day"]
    if not first <= day <= last:
        raise ToolError(f"The timetable covers {first} to {last}: choose a day in between.")
    return day


def _minutes(text: str) -> int:
    try:
        hours, minutes = text.strip().split(":")
        value = int(hours) * 60 + int(minutes)
    except ValueError:
        raise ToolError(f"{text!r} is not a time: write it as HH:MM, such as 20:15.") from None
    if not 0 <= value < 24 * 60:
        raise ToolError(f"{text!r} is not a time of the day: write it as HH:MM, such as 20:15.")
    return value


@tool(effect="read", integrity="trusted")
def find_contact(name: str) -> list[dict[str, str]]:
    """Finds members, coaches and clubs by name or part of it. Returns the id, the name and the kind of each match; the
    details are in get_member, get_coach and get_club.

    Args:
        name: A name or part of it, such as Brandvik or Comets.
    """
    words = name.lower().replace(",", " ").split()
    kinds = (("members", "member_id", "member"), ("coaches", "coach_id", "coach"), ("clubs", "club_id", "club"))
    found = [
        {"id": record[key], "name": record["name"], "kind": kind}
        for records, key, kind in kinds
        for record in DATA[records]
        if words and all(word in record["name"].lower() for word in words)
    ]
    if not found:
        raise ToolError(f"Nobody is called {name!r}: try the surname alone, or a shorter part of the name.")
    return found[:15]


@tool(effect="read", integrity="trusted")
def get_member(member_id: str) -> dict[str, Any]:
    """The record of a member: name, year of birth, phone, club, locker, pass and until when it is valid, what the member
    still owes (open_balance, in euros), and the tickets of repairs.

    Args:
        member_id: The id of the member, such as M-202.
    """
    return _one("members", "member_id", member_id, "M-202", "find_contact finds one by name.")


@tool(effect="read", integrity="trusted")
def get_coach(coach_id: str) -> dict[str, Any]:
    """The record of a coach: name, sport, price of an hour, languages, phone, working days, and until when the licence is
    valid.

    Args:
        coach_id: The id of the coach, such as K-18.
    """
    return _one("coaches", "coach_id", coach_id, "K-18", "find_contact finds one by name.")


@tool(effect="read", integrity="trusted")
def get_club(club_id: str) -> dict[str, Any]:
    """The record of a club: name, sport, chair, phone, id of the head coach, number of members, annual fee in euros, and
    until when its contract with us runs.

    Args:
        club_id: The id of the club, such as CL-02.
    """
    return _one("clubs", "club_id", club_id, "CL-02", "find_contact finds one by name.")


@tool(effect="read", integrity="trusted")
def list_courses(
    sport: Literal["any", "skating", "hockey", "curling", "badminton", "squash", "gymnastics", "floorball"] = "any",
) -> list[dict[str, Any]]:
    """Lists the courses, of all sports or of one: id, title, first day, price in euros and free places. When a course is
    held, who teaches it and what to bring is in get_course.

    Args:
        sport: Only courses of this sport, or any for all of them.
    """
    keys = ("course_id", "title", "starts", "price", "free")
    return [{key: each[key] for key in keys} for each in DATA["courses"] if sport in ("any", each["sport"])]


@tool(effect="read", integrity="trusted")
def get_course(course_id: str) -> dict[str, Any]:
    """Everything about one course: title, weekday and time, first day, number of lessons, price in euros, places and free
    places, id of the coach, and what to bring.

    Args:
        course_id: The id of the course, such as C-31.
    """
    return _one("courses", "course_id", course_id, "C-31", "list_courses has all of them.")


@tool(effect="write", integrity="trusted")
def enrol_member(course_id: str, member_id: str) -> str:
    """Enrols a member in a course. Returns a confirmation.

    Args:
        course_id: The id of the course, such as C-31.
        member_id: The id of the member, such as M-202.
    """
    course = _one("courses", "course_id", course_id, "C-31", "list_courses has all of them.")
    member = _one("members", "member_id", member_id, "M-202", "find_contact finds one by name.")
    if not course["free"]:
        raise ToolError(f"{course['course_id']} is full: offer another course of list_courses.")
    return (
        f"{member['name']} ({member['member_id']}) is enrolled in {course['course_id']}, {course['title']}. "
        f"First lesson: {course['weekday']} {course['starts']}, {course['time']}. To pay: {course['price']} euros."
    )


@tool(effect="read", integrity="trusted")
def timetable(day: str, surface: Literal["all", "ice", "hall", "court1", "court2"] = "all") -> str:
    """The timetable of a day as a table: time, surface, what is on, and the id of the booking. Includes public skating.
    Who made a booking, its price and its changing room are in get_booking.

    Args:
        day: The day as YYYY-MM-DD, such as 2033-01-19.
        surface: Only this surface: ice, hall, court1 (badminton) or court2 (squash); or all.
    """
    wanted = _day(day)
    rows = [each for each in DATA["bookings"] if each["day"] == wanted and surface in ("all", each["surface"])]
    head = f"{date.fromisoformat(wanted):%A} {wanted}\ntime | surface | what | booking"
    lines = [f"{row['start']}-{row['end']} | {row['surface']} | {row['title']} | {row['booking_id']}" for row in rows]
    return "\n".join([head, *lines])


@tool(effect="read", integrity="trusted")
def get_booking(booking_id: str) -> dict[str, Any]:
    """One booking of the timetable: day, time, surface, the id of the member or club that made it, price in euros, whether
    it is paid, and the number of the changing room.

    Args:
        booking_id: The id of the booking, such as B-7150.
    """
    return _one("bookings", "booking_id", booking_id, "B-7150", "timetable has those of a day.")


@tool(effect="write", integrity="trusted")
def move_booking(booking_id: str, day: str, start: str) -> str:
    """Moves a booking to another day or time, on the same surface and with the same length. Returns a confirmation.

    Args:
        booking_id: The id of the booking, such as B-7150.
        day: The new day as YYYY-MM-DD, such as 2033-01-19.
        start: The new time at which it starts, as HH:MM, such as 20:15.
    """
    booking = _one("bookings", "booking_id", booking_id, "B-7150", "timetable has those of a day.")
    wanted, begin = _day(day), _minutes(start)
    end = begin + _minutes(booking["end"]) - _minutes(booking["start"])
    for other in DATA["bookings"]:
        if other["day"] == wanted and other["surface"] == booking["surface"] and other["booking_id"] != booking["booking_id"]:
            if _minutes(other["start"]) < end and begin < _minutes(other["end"]):
                taken = f"{other['title']} from {other['start']} to {other['end']}"
                raise ToolError(f"{booking['surface']} is taken then ({taken}): choose another time from the timetable.")
    hours = f"{begin // 60:02}:{begin % 60:02} to {end // 60:02}:{end % 60:02}"
    return f"{booking['booking_id']} ({booking['title']}) is moved to {wanted}, {hours}, {booking['surface']}."


@tool(effect="read", integrity="trusted")
def list_repairs(status: Literal["any", "received", "waiting for parts", "in work", "ready"] = "any") -> str:
    """Lists what is in the repair workshop, as a table: ticket, item, status, promised day and cost in euros. What is being
    done and whose it is can be read in repair_status.

    Args:
        status: Only repairs with this status, or any for all of them.
    """
    rows = [each for each in DATA["repairs"] if status in ("any", each["status"])]
    lines = [f"{r['ticket_id']} | {r['item']} | {r['status']} | {r['promised']} | {r['cost']:.2f}" for r in rows]
    return "\n".join(["ticket | item | status | promised | cost", *lines])


@tool(effect="read", integrity="trusted")
def repair_status(ticket_id: str) -> str:
    """How far one repair is: what is being done, its status, the promised day, the cost, who works on it, and the id of the
    owner.

    Args:
        ticket_id: The number of the repair ticket, such as R-504.
    """
    r = _one("repairs", "ticket_id", ticket_id, "R-504", "list_repairs has all of them.")
    owner = "belongs to the house" if r["owner_id"] == "house" else f"belongs to member {r['owner_id']}"
    return (
        f"{r['ticket_id']}: {r['item']} ({r['job']}), status: {r['status']}, promised for {r['promised']}, "
        f"{r['cost']:.2f} euros, with {r['mechanic']} in the workshop; {owner}."
    )


@tool(effect="read", integrity="trusted")
def get_locker(locker_id: str) -> dict[str, Any]:
    """One locker: corridor, size, number of the key, rent per month in euros, the id of the member who rents it, and until
    when. Both are empty if it is free.

    Args:
        locker_id: The id of the locker, such as L-08.
    """
    return _one("lockers", "locker_id", locker_id, "L-08", "the record of a member has its id.")


@tool(effect="read", integrity="trusted")
def price_list(category: Literal["admission", "hire", "courts", "cafe"]) -> str:
    """The prices of one category in euros, as a table.

    Args:
        category: admission (tickets and passes), hire (skates, rackets, helmets and their deposits), courts (an hour of
            a court, the hall or the ice) or cafe (food and drinks).
    """
    return "\n".join(DATA["prices"][category])


@tool(effect="read", integrity="trusted")
def monthly_figures(month: str) -> dict[str, Any]:
    """The figures of one month: visitors, pairs of skates hired, takings of the cafe in euros, and hours of ice sold.

    Args:
        month: The month as YYYY-MM, such as 2032-03.
    """
    found = DATA["figures"].get(month.strip())
    if found is None:
        months = list(DATA["figures"])
        raise ToolError(f"There are no figures for {month!r}: write YYYY-MM, from {months[0]} to {months[-1]}.")
    return dict(found)
