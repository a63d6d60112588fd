"""The tools of the Brenwath Sands guide office (all data invented)."""

import json
import math
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = date(2034, 6, 14)

ROUTES = _RECORDS["routes"]

# number: name, village, phone, languages, routes, licence until, crossings this season, since
GUIDES = {int(key): tuple(row) for key, row in _RECORDS["guides"].items()}

# number: name, day, route, adults, children, wagon seats, dogs, guide, status, paid, note
BOOKINGS = {int(key): tuple(row) for key, row in _RECORDS["bookings"].items()}

# name, route, km, holds, ladder m, radio channel, last look
REFUGES = {key: tuple(row) for key, row in _RECORDS["refuges"].items()}

INCIDENTS = [tuple(row) for row in _RECORDS["incidents"]]

# crossings, walkers, wagon seats, income
SEASONS = {int(year): {route: tuple(row) for route, row in rows.items()} for year, rows in _RECORDS["seasons"].items()}
SHARES = [tuple(row) for row in _RECORDS["shares"]]

RULES = _RECORDS["rules"]

Route = Literal["S1", "S2", "S3", "S4", "S5"]


def _low_waters() -> list[tuple[datetime, float]]:
    found, at, n = [], datetime(2034, 5, 1, 0, 38), 0
    while at < datetime(2034, 7, 1):
        height = 1.15 + 0.65 * math.cos(2 * math.pi * (n * 12.42 / 24 - 1.5) / 14.77) + (0.07 if n % 2 else -0.07)
        found.append((at.replace(second=0), round(height, 2)))
        at += timedelta(hours=12, minutes=25, seconds=14)
        n += 1
    return found


LOW = _low_waters()


def _markers() -> list[tuple]:
    rows, number = [], 201
    for code, count in (("S1", 13), ("S2", 9), ("S3", 15), ("S4", 5), ("S5", 10)):
        for i in range(count):
            km = round(ROUTES[code]["km"] * (i + 0.6) / count, 1)
            kind = ("laurel", "pole", "laurel", "barrel")[(number * number // 3 + i) % 4]
            state = "leaning" if number in (206, 218, 229, 246) else "missing" if number in (211, 225, 234) else "good"
            checked = date(2034, 5, 20) + timedelta(days=(number * 5) % 23)
            rows.append((number, code, km, kind, state, checked.isoformat()))
            number += 1
    return rows


MARKERS = _markers()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError("Give the day as YYYY-MM-DD.") from None


def _code(route: str) -> str:
    code = str(route).strip().upper()
    if code not in ROUTES:
        raise ToolError("No route has that code. Codes are S1 to S5; route_info finds a route by its name.")
    return code


def _booking_no(text: str) -> int:
    digits = "".join(c for c in str(text) if c.isdigit())
    if not digits or int(digits) not in BOOKINGS:
        raise ToolError(f"There is no booking {text}.")
    return int(digits)


@tool
def duty_board() -> str:
    """What the board in the office says today: the date, the duty guide, the flag, the wind and closed routes."""
    return (
        f"{TODAY:%A}, {TODAY.isoformat()}\n"
        "Duty guide: no. 28\n"
        "Flag: yellow (cross with care)\n"
        "Wind: west-southwest, 19 knots; water 14.5 degrees\n"
        "Closed today: S3, Maiden Gutter has shifted; open again from 2034-06-16\n"
        "Office open 07:30 to 18:15"
    )


@tool
def route_info(route: str) -> dict:
    """Facts about one route across the sands: its code, ends, length, walking time, party size, guides, wagons.

    Args:
        route: Code such as S2, or the route's name or a part of it.
    """
    wanted = str(route).strip().lower().replace("’", "").replace("'", "")
    names = {c: r["name"].lower().replace("'", "") for c, r in ROUTES.items()}
    hits = [c for c, name in names.items() if wanted == c.lower() or (len(wanted) > 2 and wanted in name)]
    if len(hits) != 1:
        known = ", ".join(f"{c} {r['name']}" for c, r in ROUTES.items())
        raise ToolError(f"No route of that code or name. Routes: {known}.")
    r = ROUTES[hits[0]]
    return {
        "code": hits[0],
        "name": r["name"],
        "from": r["start"],
        "to": r["end"],
        "length_km": r["km"],
        "walking_minutes": r["minutes"],
        "largest_party": r["max_party"],
        "guides_needed": r["guides"],
        "wagons_allowed": r["wagons"],
        "deepest_gutter": r["gutter"],
    }


@tool
def tide_table(month: Literal["2034-05", "2034-06"]) -> str:
    """Table of all low waters of a month (May or June 2034) between 03:00 and 23:00, with time and height in metres.

    Args:
        month: Month as YYYY-MM.
    """
    lines = ["day         low water  height m"]
    for at, height in LOW:
        if f"{at:%Y-%m}" == month and 3 <= at.hour < 23:
            lines.append(f"{at:%a %Y-%m-%d}  {at:%H:%M}  {height:.2f}")
    if len(lines) == 1:
        raise ToolError("There are tables for 2034-05 and 2034-06 only.")
    return "\n".join(lines)


@tool
def crossing_window(route: Route, day: str) -> dict:
    """When a route may be crossed on a day of May or June 2034: when the sand opens and closes, and the latest time to set out.

    Args:
        route: Route code, S1 to S5.
        day: Day as YYYY-MM-DD.
    """  # noqa: E501
    code, wanted = _code(route), _day(day)
    lows = [(at, h) for at, h in LOW if at.date() == wanted]
    if not lows:
        raise ToolError("Windows are worked out for May and June 2034 only.")
    r = ROUTES[code]
    one = datetime(wanted.year, wanted.month, wanted.day, 13)
    at, height = min(lows, key=lambda row: abs((row[0] - one).total_seconds()))
    result = {"route": code, "day": wanted.isoformat(), "low_water": f"{at:%H:%M}", "height_m": height}
    if height > r["limit"]:
        return result | {"crossing": "none", "why": f"low water stays above the limit of {r['limit']} m for this route"}
    opens, closes = at - timedelta(minutes=r["half"]), at + timedelta(minutes=r["half"])
    return result | {
        "crossing": "possible",
        "sand_opens": f"{opens:%H:%M}",
        "sand_closes": f"{closes:%H:%M}",
        "latest_start": f"{closes - timedelta(minutes=r['minutes']):%H:%M}",
    }


@tool
def find_guides(
    name: str | None = None,
    language: Literal["English", "French", "German", "Spanish", "Norwegian", "Welsh", "Chinese"] | None = None,
    route: Route | None = None,
) -> list[dict]:
    """Search the sand guides; gives their number, name, village and languages.

    Args:
        name: A part of the name.
        language: Only guides who speak this.
        route: Only guides licensed for this route code.
    """
    rows = [
        {"guide_no": n, "name": g[0], "village": g[1], "languages": ", ".join(g[3])}
        for n, g in GUIDES.items()
        if (not name or name.strip().lower() in g[0].lower())
        and (not language or language.lower() in [x.lower() for x in g[3]])
        and (not route or _code(route) in g[4])
    ]
    if not rows:
        raise ToolError("No guide matches.")
    return rows


@tool
def guide_record(guide_no: int) -> dict:
    """The record of one guide: phone, routes, licence, crossings of this season.

    Args:
        guide_no: Number of the guide, two digits.
    """
    try:
        g = GUIDES[int(guide_no)]
    except (KeyError, ValueError):
        raise ToolError("No guide has that number. find_guides finds a guide by name.") from None
    return {"guide_no": int(guide_no), **dict(zip(_RECORDS["guide_keys"], g, strict=True))}


@tool
def find_bookings(
    name: str | None = None,
    day: str | None = None,
    status: Literal["confirmed", "waiting", "cancelled", "done"] | None = None,
) -> list[dict]:
    """Search the bookings of June 2034; gives booking number, name, day and status. At least one filter.

    Args:
        name: A part of the party's name.
        day: Day of the crossing as YYYY-MM-DD.
        status: Only bookings in this state.
    """
    if not (name or day or status):
        raise ToolError("Give a name, a day or a status.")
    wanted = _day(day).isoformat() if day else None
    rows = [
        {"booking": f"BW-{n}", "name": b[0], "day": b[1], "status": b[8]}
        for n, b in BOOKINGS.items()
        if (not name or name.strip().lower() in b[0].lower())
        and (not wanted or b[1] == wanted)
        and (not status or b[8] == status)
    ]
    if not rows:
        raise ToolError("No booking matches.")
    return rows


@tool
def booking(booking_id: str) -> dict:
    """One booking in full: party, route, guide, wagon seats, what was paid.

    Args:
        booking_id: Booking number such as BW-4101 or 4101.
    """
    n = _booking_no(booking_id)
    return {"booking": f"BW-{n}", **dict(zip(_RECORDS["booking_keys"], BOOKINGS[n], strict=True))}


@tool
def fare(route: Route, adults: int, children: int = 0, wagon_seats: int = 0, dogs: int = 0) -> dict:
    """Works out what a crossing costs for a party.

    Args:
        route: Route code, S1 to S5.
        adults: How many adults cross.
        children: How many children of 4 to 15 years cross.
        wagon_seats: How many of them ride on a wagon.
        dogs: How many dogs come along.
    """
    r = ROUTES[_code(route)]
    adults, children, wagon_seats, dogs = int(adults), int(children), int(wagon_seats), int(dogs)
    if adults < 1:
        raise ToolError("At least one adult must cross.")
    if wagon_seats and not r["wagons"]:
        raise ToolError("No wagons run on this route.")
    if wagon_seats > adults + children:
        raise ToolError("More wagon seats than people.")
    if adults + children > r["max_party"]:
        raise ToolError(f"The largest party on this route is {r['max_party']}.")
    people = adults * r["fare"] + children * r["fare"] / 2
    seats, animals = wagon_seats * 7.5, dogs * 2.0
    off = round((people + seats) * 0.1, 2) if adults + children >= 12 else 0.0
    return {
        "people": round(people, 2),
        "wagon_seats": seats,
        "dogs": animals,
        "group_discount": off,
        "total": round(people + seats + animals - off, 2),
        "currency": "crowns",
    }


@tool
def rule_book(chapter: Literal["equipment", "dogs", "children", "fog", "wagons", "refunds", "drones"]) -> str:
    """A chapter of the rule book of the sands, as prose.

    Args:
        chapter: Which chapter.
    """
    if chapter not in RULES:
        raise ToolError("Chapters: " + ", ".join(RULES) + ".")
    return RULES[chapter]


@tool
def refuges(route: Route) -> str:
    """The refuge boxes on a route, where people can sit out the flood: place, size, ladder, radio channel.

    Args:
        route: Route code, S1 to S5.
    """
    code = _code(route)
    lines = [f"Refuges on {code}"]
    for key, (name, on, km, holds, ladder, channel, seen) in REFUGES.items():
        if on == code:
            lines.append(
                f"- {key} {name}: km {km}, holds {holds} people, ladder {ladder} m, "
                f"radio channel {channel}, inspected {seen}"
            )
    return "\n".join(lines)


@tool
def incident_log(
    year: int, kind: Literal["fog", "cut off", "quicksand", "injury", "wagon"] | None = None, route: Route | None = None
) -> list[dict]:
    """Accidents and rescues on the sands in a year, 2032 to 2034.

    Args:
        year: The year.
        kind: Only this kind.
        route: Only this route code.
    """
    rows = [
        {"incident": i[0], "day": i[1], "route": i[2], "kind": i[3], "people": i[4], "guide_no": i[5], "what": i[6]}
        for i in INCIDENTS
        if i[1].startswith(str(year)) and (not kind or i[3] == kind) and (not route or i[2] == _code(route))
    ]
    if not rows:
        raise ToolError("The log has no such incident (it covers 2032 to 2034).")
    return rows


@tool
def season_report(year: int, by: Literal["route", "month"] = "route") -> str:
    """Totals of a past season: crossings, walkers, wagon seats and income, by route or by month.

    Args:
        year: The year, 2031 to 2033.
        by: How the rows are grouped.
    """
    try:
        data = SEASONS[int(year)]
    except (KeyError, ValueError):
        raise ToolError("There are reports for 2031, 2032 and 2033 only.") from None
    total = [sum(row[i] for row in data.values()) for i in range(4)]
    if by == "route":
        rows = [(f"{c} {ROUTES[c]['name']}", *data[c]) for c in data]
    else:
        rows, left = [], list(total)
        for i, (month, share) in enumerate(SHARES):
            weight = share + 0.004 * ((int(year) + i) % 3 - 1)
            part = list(left) if i == len(SHARES) - 1 else [round(t * weight) for t in total]
            left = [a - b for a, b in zip(left, part, strict=True)]
            rows.append((month, *part))
    lines = [f"Season {year}", f"{by} | crossings | walkers | wagon seats | income in crowns"]
    lines += [" | ".join(str(x) for x in row) for row in [*rows, ("total", *total)]]
    return "\n".join(lines)


@tool
def marker_table(route: Route | None = None, state: Literal["good", "leaning", "missing"] | None = None) -> str:
    """Table of the markers that show the way over the sand: number, route, km from the start, kind, state, last check.

    Args:
        route: Only this route code.
        state: Only markers in this state.
    """
    rows = [m for m in MARKERS if (not route or m[1] == _code(route)) and (not state or m[4] == state)]
    if not rows:
        raise ToolError("No marker matches.")
    return "\n".join(["no  route  km  kind  state  checked", *("  ".join(str(x) for x in m) for m in rows)])


@tool(effect="write")
def cancel_booking(booking_id: str, reason: Literal["illness", "weather", "change of plan", "double booking"]) -> str:
    """Cancels a booking.

    Args:
        booking_id: Booking number such as BW-4101 or 4101.
        reason: Why it is cancelled.
    """
    n = _booking_no(booking_id)
    if BOOKINGS[n][8] in ("cancelled", "done"):
        raise ToolError(f"BW-{n} is {BOOKINGS[n][8]} already.")
    return f"BW-{n} ({BOOKINGS[n][0]}, {BOOKINGS[n][1]}) is cancelled, reason: {reason}. Slip C-{n + 2090}."


@tool(effect="write")
def report_marker(marker_no: int, fault: Literal["leaning", "fallen", "lost", "damaged"]) -> dict:
    """Sends the marker crew a report that a marker is out of order.

    Args:
        marker_no: Number of the marker, three digits.
        fault: What is wrong with it.
    """
    for number, route, km, *_ in MARKERS:
        if number == int(marker_no):
            row = {"job": f"M{number * 3 + 11}", "marker_no": number, "route": route, "km": km}
            return row | {"fault": fault, "crew_goes_out": "2034-06-16"}
    raise ToolError("No marker has that number.")
