"""The tools of Saltergate Snow and Ice, a municipal winter service (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _plain(text: str) -> str:
    """Lower case, without apostrophes and outer spaces."""
    return text.lower().replace("'", "").replace("’", "").strip()


def _fits(part: str, name: str) -> bool:
    """Whether the part is in the name (or the whole name in the part), in any case."""
    a, b = _plain(part), _plain(name)
    return bool(a) and (a in b or b in a)


def _day(text: str) -> str:
    """The day, checked."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write days as YYYY-MM-DD.") from None


def _one(kind: str, field: str, part: str, what: str) -> dict:
    """The one record whose name fits the part."""
    rows = _RECORDS[kind]
    exact = [row for row in rows if _plain(row[field]) == _plain(part)]
    hits = exact or [row for row in rows if _fits(part, row[field])]
    if len(hits) == 1:
        return hits[0]
    names = ", ".join(row[field] for row in (hits or rows))
    if hits:
        raise ToolError(f"'{part}' fits more than one {what}: {names}.")
    raise ToolError(f"No {what} called '{part}'. There are: {names}.")


def _by_id(kind: str, field: str, number: str, what: str) -> dict:
    """The record with this number."""
    rows = _RECORDS[kind]
    for row in rows:
        if row[field].lower() == number.strip().lower():
            return row
    raise ToolError(f"There is no {what} {number}. Numbers run from {rows[0][field]} to {rows[-1][field]}.")


@tool
def find_routes(text: str, priority: Literal["P1", "P2", "P3"] | None = None) -> list[dict]:
    """Find gritting routes by the route's name or by a street on it; gives route number, name, priority and streets.

    Args:
        text: The name of a route or of a street, or a part of it.
        priority: Only routes of this priority; all if left out.
    """
    hits = [
        {"route_id": r["route_id"], "name": r["name"], "priority": r["priority"], "streets": r["streets"]}
        for r in _RECORDS["routes"]
        if (_fits(text, r["name"]) or any(_plain(text) in _plain(s) for s in r["streets"]))
        and priority in (None, r["priority"])
    ]
    if not hits:
        names = ", ".join(r["name"] for r in _RECORDS["routes"])
        raise ToolError(f"No route or street fits '{text}'. Routes are: {names}.")
    return hits


@tool
def route_details(route_id: str) -> dict:
    """One gritting route: name, priority, length, time for one run, spread rate, its depot and its gritter.

    Args:
        route_id: Number of the route, such as R-05 (find_routes finds it by name).
    """
    row = _by_id("routes", "route_id", route_id, "route")
    return {key: value for key, value in row.items() if key != "streets"}


@tool
def gritter_record(gritter: str) -> dict:
    """One gritter (gritting lorry): nickname, make, hopper capacity, depot, status and next workshop service.

    Args:
        gritter: Number of the gritter, such as G-01, or its nickname or a part of that.
    """
    if gritter.strip().lower().startswith("g-"):
        return _by_id("gritters", "gritter_id", gritter, "gritter")
    return _one("gritters", "nickname", gritter, "gritter")


@tool
def find_staff(name: str) -> list[dict]:
    """Find people of the winter service by name; gives staff number, full name and role.

    Args:
        name: First name, surname or a part of the name.
    """
    hits = [
        {"staff_id": s["staff_id"], "name": s["name"], "role": s["role"]}
        for s in _RECORDS["staff"]
        if _fits(name, s["name"])
    ]
    if not hits:
        raise ToolError(f"Nobody on the staff is called '{name}'.")
    return hits


@tool
def staff_record(staff_id: str) -> dict:
    """One person of the staff: name, role, depot, mobile number, lorry licence expiry and first working day.

    Args:
        staff_id: Staff number, such as S-103 (find_staff finds it by name).
    """
    return _by_id("staff", "staff_id", staff_id, "staff member")


@tool
def duty_rota(day: str, shift: Literal["evening", "early"] | None = None) -> dict:
    """The duty rota of one day: duty manager, and for each planned run its route, shift, start time and driver.

    People are given by staff number. The rota is out for 6 to 19 December 2027.

    Args:
        day: The day, YYYY-MM-DD.
        shift: Only the evening or only the early (morning) runs; both if left out.
    """
    found = _RECORDS["rota"].get(_day(day))
    if found is None:
        raise ToolError(f"No rota for {day}. The rota is out for 2027-12-06 to 2027-12-19.")
    runs = [run for run in found["runs"] if shift in (None, run["shift"])]
    return {"day": _day(day), "duty_manager_id": found["duty_manager_id"], "runs": runs}


@tool
def depot_record(depot: str) -> dict:
    """One depot: address, phone, manager (staff number), and present stock of rock salt, brine and grit sand.

    Args:
        depot: Name of the depot or a part of it, such as Northfold.
    """
    return _one("depots", "name", depot, "depot")


@tool
def road_forecast(station: str) -> list[dict]:
    """Hourly forecast of a weather station from today noon to tomorrow 23:00: road and air temperature, conditions.

    Args:
        station: Name of the station or a part of it, such as Canal Basin.
    """
    return _one("stations", "name", station, "weather station")["hours"]


@tool
def grit_bins(limit: int = 50) -> list[dict]:
    """All roadside grit bins, by bin number: street, how full in per cent, and day of the last refill.

    Args:
        limit: At most this many rows.
    """
    return _RECORDS["bins"][: max(1, limit)]


@tool
def run_history(
    route_id: str, first_day: str | None = None, last_day: str | None = None, limit: int = 20
) -> list[dict]:
    """Gritting runs done on one route, newest first: run number, day, tonnes of salt spread and driver (staff number).

    Args:
        route_id: Number of the route, such as R-05 (find_routes finds it by name).
        first_day: Only runs from this day on, YYYY-MM-DD.
        last_day: Only runs up to this day, YYYY-MM-DD.
        limit: At most this many runs.
    """
    route = _by_id("routes", "route_id", route_id, "route")["route_id"]
    first = _day(first_day) if first_day else "0000"
    last = _day(last_day) if last_day else "9999"
    hits = [r for r in _RECORDS["runs"] if r["route_id"] == route and first <= r["day"] <= last]
    if not hits:
        raise ToolError(f"No runs on {route} in that time.")
    return sorted(hits, key=lambda r: r["day"], reverse=True)[: max(1, limit)]


@tool
def list_complaints(
    status: Literal["open", "closed"] | None = None, street: str | None = None, limit: int = 12
) -> list[dict]:
    """List complaints from residents: number, day, street, subject and status.

    Args:
        status: Only open or only closed complaints; both if left out.
        street: Only complaints about this street (a part of the name is enough).
        limit: At most this many complaints.
    """
    keys = ("complaint_no", "day", "street", "subject", "status")
    hits = [
        {key: c[key] for key in keys}
        for c in _RECORDS["complaints"]
        if status in (None, c["status"]) and (not street or _fits(street, c["street"]))
    ]
    if not hits:
        raise ToolError("No complaint fits that.")
    return hits[: max(1, limit)]


@tool
def complaint_record(complaint_no: str) -> str:
    """One complaint in full: caller and phone, street, route, what was said, status and who handles it (staff number).

    Args:
        complaint_no: Number of the complaint, such as C-2302 (list_complaints finds it by street).
    """
    c = _by_id("complaints", "complaint_no", complaint_no, "complaint")
    return (
        f"Complaint {c['complaint_no']} of {c['day']}: {c['subject']}\n"
        f"Street: {c['street']} (route {c['route_id']})\n"
        f"Caller: {c['caller']}, phone {c['caller_phone']}\n"
        f"Said: {c['said']}\n"
        f"Status: {c['status']}, handled by {c['handler_id']}"
    )


@tool
def supply_contract(supplier: str) -> str:
    """The supply contract with one supplier: contract number, goods, price, smallest order, lead time and last day.

    Args:
        supplier: Name of the supplier or a part of it, such as Hollin.
    """
    c = _one("contracts", "supplier", supplier, "supplier")
    return (
        f"Contract {c['contract_no']} with {c['supplier']}\n"
        f"Goods: {c['goods']}\n"
        f"Price: {c['price']:.2f} pounds per {c['unit']}\n"
        f"Smallest order: {c['smallest']}; lead time {c['lead_days']} days\n"
        f"Runs until: {c['until']}"
    )


@tool
def deliveries(first_day: str, last_day: str, depot: str | None = None) -> list[dict]:
    """Rock salt deliveries in a span of days, done or planned: delivery number, day, depot, supplier and tonnes.

    Args:
        first_day: First day of the span, YYYY-MM-DD.
        last_day: Last day of the span (included), YYYY-MM-DD.
        depot: Only deliveries to this depot (a part of the name is enough).
    """
    first, last = _day(first_day), _day(last_day)
    name = _one("depots", "name", depot, "depot")["name"] if depot else None
    hits = [d for d in _RECORDS["deliveries"] if first <= d["day"] <= last and name in (None, d["depot"])]
    if not hits:
        raise ToolError(f"No deliveries from {first} to {last}.")
    return hits


@tool(effect="write")
def book_callout(route_id: str, day: str, start_time: str, reason: str = "") -> dict:
    """Book an extra gritting run (callout) on a route.

    Args:
        route_id: Number of the route, such as R-05 (find_routes finds it by name).
        day: Day of the callout, YYYY-MM-DD.
        start_time: Start time as HH:MM, 24 hours.
        reason: Reason for the callout, if one was given.
    """
    row = _by_id("routes", "route_id", route_id, "route")
    when = f"{_day(day)} {start_time}"
    return {"booked": "CO-5117", "route_id": row["route_id"], "route": row["name"], "start": when, "reason": reason}


@tool(effect="write")
def order_salt(contract_no: str, depot: str, tonnes: float, day: str) -> dict:
    """Order rock salt under a supply contract, to be delivered to a depot.

    Args:
        contract_no: Number of the contract, such as K-71 (supply_contract gives it).
        depot: Name of the depot that gets the salt.
        tonnes: How many tonnes.
        day: Day of delivery, YYYY-MM-DD.
    """
    contract = _by_id("contracts", "contract_no", contract_no, "contract")
    name = _one("depots", "name", depot, "depot")["name"]
    if tonnes <= 0:
        raise ToolError("The tonnes must be more than 0.")
    return {
        "order_no": "SO-8842",
        "supplier": contract["supplier"],
        "depot": name,
        "tonnes": tonnes,
        "delivery": _day(day),
    }


@tool(effect="write")
def close_complaint(complaint_no: str, outcome: Literal["resolved", "not justified", "passed on"]) -> dict:
    """Close a complaint with an outcome.

    Args:
        complaint_no: Number of the complaint, such as C-2302.
        outcome: How it ended.
    """
    row = _by_id("complaints", "complaint_no", complaint_no, "complaint")
    return {"confirmation": "CL-0964", "complaint_no": row["complaint_no"], "status": "closed", "outcome": outcome}
