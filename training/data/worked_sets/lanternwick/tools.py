"""The tools of the Lanternwick Hill Railway (all data invented)."""

import json
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _has(text: str, part: str) -> bool:
    """Whether every word of part occurs in text, in any case."""
    return all(word in text.lower() for word in part.lower().split())


def _asset_id(asset: str) -> str:
    """The id of an asset given by its id or a part of its name."""
    assets: dict[str, str] = _RECORDS["assets"]
    if asset.strip().upper() in assets:
        return asset.strip().upper()
    found = [key for key, name in assets.items() if _has(f"{key} {name}", asset)]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{key} ({name})" for key, name in assets.items() if not found or key in found)
    raise ToolError(f"{'Several assets match' if found else 'No asset'} '{asset}'. Assets: {listed}.")


def _by_id(table: str, key: str, value: str, what: str) -> dict:
    """The row of a table with this id."""
    rows = _RECORDS[table]
    for row in rows:
        if row[key].lower() == value.strip().lower():
            return row
    raise ToolError(f"There is no {what} {value}. Numbers look like {rows[0][key]}.")


@tool
def timetable(
    line: Literal["funicular", "chairlift"], day_type: Literal["weekday", "saturday", "sunday"]
) -> list[dict]:
    """The timetable of a line: every run of the funicular, or the opening hours of the chairlift.

    On each funicular run one car leaves the valley station uphill while the other leaves the top station downhill.

    Args:
        line: The line.
        day_type: Kind of day; weekday is Monday to Friday.
    """
    return _RECORDS["timetable"][line][day_type]


@tool
def car_record(car: str) -> dict:
    """One funicular car: year built, seats, standing and wheelchair places, mileage in km, day of the next overhaul.

    Args:
        car: Id of the car, such as FC-1, or a part of its name, such as Marigold.
    """
    for row in _RECORDS["cars"]:
        if car.strip() and _has(f"{row['car']} {row['name']}", car):
            return row
    raise ToolError(f"No car '{car}'. Cars are FC-1 Marigold, FC-2 Thistle and FC-3 Bramble.")


@tool
def ticket_prices(search: str = "") -> list[dict]:
    """Prices in euros of tickets and season passes for single passengers and families (groups: group_tariff).

    Args:
        search: Part of the ticket's name, such as "return", "combi" or "dog"; empty for all tickets.
    """
    found = [row for row in _RECORDS["tickets"] if _has(row["name"], search)]
    if not found:
        names = ", ".join(row["name"] for row in _RECORDS["tickets"])
        raise ToolError(f"No ticket '{search}'. Tickets are: {names}.")
    return found


@tool
def group_tariff(group: Literal["school", "club", "company"], persons: int) -> dict:
    """What a group pays for the funicular up and down: price per person, total in euros, leaders who ride free.

    Args:
        group: Kind of group; school also for kindergartens.
        persons: Number of paying persons (at least 10).
    """
    if persons < 10:
        raise ToolError("Group tariffs begin at 10 persons; smaller parties buy ordinary tickets.")
    tariff = _RECORDS["groups"][group]
    price = [price for least, price in tariff["steps"] if persons >= least][-1]
    return {
        "group": group,
        "persons": persons,
        "price_per_person": price,
        "total": round(price * persons, 2),
        "free_leaders": persons // tariff["leader_per"],
    }


@tool
def find_pass_holders(name: str) -> list[dict]:
    """Find season-pass holders by name; gives pass number, holder and home town.

    Args:
        name: Part of the holder's first or last name.
    """
    keys = ("pass_no", "holder", "place")
    found = [{key: row[key] for key in keys} for row in _RECORDS["passes"] if _has(row["holder"], name)]
    if not found:
        raise ToolError(f"No season-pass holder with a name like '{name}'.")
    return found


@tool
def pass_record(pass_no: str) -> dict:
    """One season pass: holder, type, valid until, rides this season, price paid in euros, status.

    Args:
        pass_no: Number of the pass, such as SP-2031.
    """
    return _by_id("passes", "pass_no", pass_no, "season pass")


@tool
def find_staff(name: str = "", role: str = "") -> list[dict]:
    """Find staff by name or role; gives staff number, name and role only.

    Args:
        name: Part of the first or last name.
        role: Part of the role: operations manager, funicular driver, chairlift attendant, mechanic, electrician,
            ticket desk clerk, event host.
    """
    rows = [row for row in _RECORDS["staff"] if _has(row["name"], name) and _has(row["role"], role)]
    if not rows:
        raise ToolError(f"No staff found for name '{name}' and role '{role}'.")
    return [{key: row[key] for key in ("staff_no", "name", "role")} for row in rows]


@tool
def staff_record(staff_no: str) -> dict:
    """One member of staff: name, role, phone extension, weekly hours, year of joining, leave days left, licence end.

    Args:
        staff_no: Staff number, such as E-104.
    """
    return _by_id("staff", "staff_no", staff_no, "member of staff")


@tool
def shift_plan(day: str, post: Literal["driver", "ticket desk", "chairlift", "workshop", "all"] = "all") -> list[dict]:
    """Who works on a day: post, shift (early, late or day), hours and staff number.

    Args:
        day: The day as YYYY-MM-DD.
        post: Only this post; "driver" is the funicular's driver.
    """
    plan = _RECORDS["shifts"]
    if day not in plan:
        raise ToolError(f"No shift plan for {day}. Plans run from {min(plan)} to {max(plan)}.")
    return [row for row in plan[day] if post in ("all", row["post"])]


@tool
def maintenance_checks(asset: str, limit: int = 5) -> list[dict]:
    """Maintenance checks done on an asset, newest first: kind, day, staff number of the checker, next due day, result.

    Args:
        asset: Id of the asset or part of its name: FC-1 Marigold, FC-2 Thistle, FC-3 Bramble (cars), WH-1 funicular
            winch, CL-1 chairlift drive, CL-2 chairlift chairs and clamps, GT-1 and GT-2 ticket gates (valley, top).
        limit: At most so many checks.
    """
    key = _asset_id(asset)
    rows = sorted((row for row in _RECORDS["checks"] if row["asset"] == key), key=lambda row: row["done_on"])
    return rows[::-1][: max(limit, 1)]


@tool
def fault_list(status: Literal["open", "closed", "all"] = "all", asset: str = "", limit: int = 10) -> list[dict]:
    """List faults, newest first: number, asset, title, day reported, status (cost and downtime: fault_record).

    Args:
        status: Only open or only closed faults, or all.
        asset: Only this asset: an id such as FC-2, CL-1, WH-1 or GT-2, or part of its name; empty for every asset.
        limit: At most so many faults.
    """
    key = _asset_id(asset) if asset else ""
    keys = ("fault_no", "asset", "title", "reported_on", "status")
    rows = [row for row in _RECORDS["faults"] if status in ("all", row["status"]) and key in ("", row["asset"])]
    rows.sort(key=lambda row: row["reported_on"], reverse=True)
    return [{name: row[name] for name in keys} for row in rows[: max(limit, 1)]]


@tool
def fault_record(fault_no: str) -> str:
    """One fault in full: what, when, reported by whom (staff number), downtime, cost and what was done.

    Args:
        fault_no: Number of the fault, such as F-768.
    """
    row = _by_id("faults", "fault_no", fault_no, "fault")
    return (
        f"Fault {row['fault_no']} ({row['status']}): {row['title']}\n"
        f"Asset: {row['asset']}, {_RECORDS['assets'][row['asset']]}\n"
        f"Reported on {row['reported_on']} by {row['reported_by']}\n"
        f"Downtime: {row['downtime_min']} minutes\n"
        f"Repair cost: {row['cost']:.2f} euros\n"
        f"Action: {row['action']}"
    )


@tool
def find_events(title: str = "", month: str = "") -> list[dict]:
    """Find events at the top station; gives event id, title and day.

    Args:
        title: Part of the title; empty for all.
        month: Only this month, as YYYY-MM; empty for all.
    """
    rows = [row for row in _RECORDS["events"] if _has(row["title"], title) and row["day"].startswith(month)]
    if not rows:
        raise ToolError(f"No event found for title '{title}' and month '{month}'. Events run from May to July 2031.")
    return [{key: row[key] for key in ("event_id", "title", "day")} for row in sorted(rows, key=lambda row: row["day"])]


@tool
def event_record(event_id: str) -> str:
    """One event: day, times, seats and bookings, price per seat, host (staff number), last car down to the valley.

    Args:
        event_id: Id of the event, such as EV-51.
    """
    row = _by_id("events", "event_id", event_id, "event")
    return (
        f"{row['event_id']} {row['title']}\n"
        f"Day: {row['day']}, from {row['start']} to {row['end']}\n"
        f"Seats: {row['seats']}, of which booked: {row['booked']}\n"
        f"Price per seat: {row['price']:.2f} euros (ride not included)\n"
        f"Host: {row['host']}\n"
        f"Last car down that night: {row['last_car_down']}"
    )


@tool
def daily_counts(month: str) -> list[dict]:
    """Passengers carried on each day of a month, for the funicular and the chairlift.

    Args:
        month: The month as YYYY-MM, such as 2031-03.
    """
    counts = _RECORDS["counts"]
    if month not in counts:
        raise ToolError(f"No counts for {month}. There are counts for {', '.join(counts)}.")
    return counts[month]


@tool(effect="write")
def report_fault(asset: str, description: str) -> dict:
    """Enter a new fault, so that the workshop sees it; gives the number of the fault.

    Args:
        asset: Id of the asset or part of its name: FC-1 Marigold, FC-2 Thistle, FC-3 Bramble (cars), WH-1 funicular
            winch, CL-1 chairlift drive, CL-2 chairlift chairs and clamps, GT-1 and GT-2 ticket gates (valley, top).
        description: What is wrong, in a few words.
    """
    return {"fault_no": "F-786", "asset": _asset_id(asset), "description": description, "status": "open"}


@tool(effect="write")
def book_event_seats(event_id: str, seats: int, name: str) -> dict:
    """Book seats for an event at the top station; gives a booking number.

    Args:
        event_id: Id of the event, such as EV-51.
        seats: How many seats.
        name: Name the booking is made under.
    """
    row = _by_id("events", "event_id", event_id, "event")
    free = row["seats"] - row["booked"]
    if not 1 <= seats <= free:
        raise ToolError(f"Cannot book {seats} seats for {row['title']}: {free} seats are free.")
    total = round(seats * row["price"], 2)
    return {"booking_no": "BK-3318", "event": row["title"], "seats": seats, "name": name, "total": total}
