"""The tools of the Cobblewick pipe organ care service (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _organ(organ_id: str) -> dict:
    """The organ with this identifier, or a helpful error."""
    organ = _RECORDS["organs"].get(organ_id.strip().upper())
    if organ is None:
        raise ToolError(f"There is no organ {organ_id}. Organs are ORG-01 to ORG-12; find_organ finds them by name.")
    return organ


def _technicians(name: str) -> list[dict]:
    """The technicians whose name contains this text."""
    wanted = name.strip().lower()
    if not wanted:
        raise ToolError("Give a name or a part of one.")
    found = [person for person in _RECORDS["technicians"] if wanted in person["name"].lower()]
    if not found:
        names = ", ".join(person["name"] for person in _RECORDS["technicians"])
        raise ToolError(f"No technician is called '{name}'. Technicians: {names}.")
    return found


def _town(name: str) -> str:
    """The full name of the town that contains this text."""
    towns = sorted({town for road in _RECORDS["roads"] for town in road[:2]})
    for town in towns:
        if name.strip() and name.strip().lower() in town.lower():
            return town
    raise ToolError(f"No town '{name}' on our map. Towns: {', '.join(towns)}.")


def _day(text: str) -> str:
    """The day, checked."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write it as YYYY-MM-DD.") from None


@tool
def find_organ(text: str) -> list[dict]:
    """Find organs in our care by building or town. Gives only organ_id, place and town of each match.

    Args:
        text: Part of the building's name or of the town, such as "priory" or "Wexcombe".
    """
    rows = [{key: organ[key] for key in ("organ_id", "place", "town")} for organ in _RECORDS["organs"].values()]
    fillers = {"the", "of", "in", "at", "organ"}
    words = [word for word in text.lower().replace(",", " ").replace(".", " ").split() if word not in fillers]
    found = [row for row in rows if words and all(word in f"{row['place']} {row['town']}".lower() for word in words)]
    if not found:
        towns = ", ".join(sorted({row["town"] for row in rows}))
        raise ToolError(f"No organ in our care matches '{text}'. Our organs are in: {towns}.")
    return found


@tool
def organ_details(organ_id: str) -> dict:
    """One organ: builder, year built, manuals, number of stops and pipes, pitch, temperament, key holder, contract_no.

    Args:
        organ_id: Identifier of the organ, such as ORG-03.
    """
    return _organ(organ_id)


@tool
def stop_list(organ_id: str) -> list[dict]:
    """All stops of one organ: division, name, length in feet, number of pipes and wind pressure in mm water column.

    Args:
        organ_id: Identifier of the organ, such as ORG-03.
    """
    return _RECORDS["stop_lists"][_organ(organ_id)["organ_id"]]


@tool
def climate_log(organ_id: str, month: str) -> list[dict]:
    """Temperature (Celsius) and relative humidity (percent) at one organ for every day of a month.

    Args:
        organ_id: Identifier of the organ, such as ORG-02.
        month: The month as YYYY-MM, such as 2032-08.
    """
    organ = _organ(organ_id)["organ_id"]
    rows = _RECORDS["climate"].get(f"{organ} {month.strip()}")
    if rows is None:
        raise ToolError(
            f"No climate log for {organ} in {month}. Loggers are at ORG-02, ORG-04 and ORG-08, for 2032-08 and 2032-09."
        )
    return rows


@tool
def visits(
    organ_id: str = "",
    technician: str = "",
    from_day: str = "",
    to_day: str = "",
    status: Literal["any", "done", "planned"] = "any",
    limit: int = 8,
) -> list[dict]:
    """Visits to organs in 2032, past and planned, ordered by day: visit_no, day, organ_id, technician, kind, status.

    Args:
        organ_id: Only visits to this organ, such as ORG-03.
        technician: Only visits of this technician (name or part of it).
        from_day: Only visits on or after this day, as YYYY-MM-DD.
        to_day: Only visits on or before this day, as YYYY-MM-DD.
        status: Only visits that are done or still planned.
        limit: At most this many rows, 1 to 10.
    """
    rows = _RECORDS["visits"]
    if organ_id:
        organ = _organ(organ_id)["organ_id"]
        rows = [row for row in rows if row["organ_id"] == organ]
    if technician:
        names = {person["name"] for person in _technicians(technician)}
        rows = [row for row in rows if row["technician"] in names]
    if from_day:
        first = _day(from_day)
        rows = [row for row in rows if row["day"] >= first]
    if to_day:
        last = _day(to_day)
        rows = [row for row in rows if row["day"] <= last]
    if status != "any":
        rows = [row for row in rows if row["status"] == status]
    return rows[: max(1, min(limit, 10))]


@tool
def visit_report(visit_no: str) -> str:
    """The report of one visit that is done: hours worked, work done, what was found, what the technician advises.

    Args:
        visit_no: Number of the visit, such as V-2204.
    """
    number = visit_no.strip().upper()
    visit = next((row for row in _RECORDS["visits"] if row["visit_no"] == number), None)
    if visit is None:
        raise ToolError(f"There is no visit {visit_no}. Visits are V-2201 to V-2230.")
    report = _RECORDS["reports"].get(number)
    if report is None:
        raise ToolError(f"{number} is planned for {visit['day']}; there is no report yet.")
    return (
        f"Report {number}: {visit['kind']} at {visit['organ_id']} on {visit['day']} by {visit['technician']}\n"
        f"Hours: {report['hours']}\nWork: {report['work']}\nFound: {report['found']}\nAdvice: {report['advice']}"
    )


@tool
def find_technician(name: str) -> list[dict]:
    """Technicians by name: staff_no, base town, phone, specialities, hourly rate, with us since which year.

    Args:
        name: Name of the technician or part of it.
    """
    return _technicians(name)


@tool
def technician_absences(staff_no: str) -> str:
    """When a technician is away (holiday, training, leave), one line for each absence.

    Args:
        staff_no: Staff number of the technician, such as TN-01 (find_technician gives it).
    """
    rows = _RECORDS["absences"].get(staff_no.strip().upper())
    if rows is None:
        raise ToolError(f"There is no staff number {staff_no}. Staff numbers are TN-01 to TN-06.")
    return "\n".join(f"{row['from']} to {row['to']}: {row['reason']}" for row in rows)


@tool
def find_part(text: str) -> list[dict]:
    """Spare parts in our store: part_no, description, number in stock, price of one, shelf.

    Args:
        text: Part of the description, such as "felt", or a part number, such as PT-103.
    """
    words = text.lower().replace(",", " ").split()
    found = []
    for part in _RECORDS["parts"]:
        line = f"{part['part_no']} {part['description']}".lower()
        if words and all(word in line or word.removesuffix("s") in line for word in words):
            found.append(part)
    if not found:
        raise ToolError(f"No part matches '{text}'. Try one word of the description, such as 'felt' or 'spring'.")
    return found


@tool
def part_orders(part_no: str) -> list[dict]:
    """Open orders of a spare part at suppliers: order_no, supplier, quantity, day it is expected.

    Args:
        part_no: Number of the part, such as PT-103 (find_part gives it).
    """
    number = part_no.strip().upper()
    if all(part["part_no"] != number for part in _RECORDS["parts"]):
        raise ToolError(f"There is no part {part_no}. Parts are PT-101 to PT-116.")
    return [order for order in _RECORDS["orders"] if order["part_no"] == number]


@tool
def drive_time(start: str, destination: str) -> dict:
    """Distance in km and driving time in minutes between two towns.

    Args:
        start: Town where the drive begins.
        destination: Town where the drive ends.
    """
    begin, end = _town(start), _town(destination)
    if begin == end:
        return {"from": begin, "to": end, "km": 0, "minutes": 0}
    for one, other, km, minutes in _RECORDS["roads"]:
        if {one, other} == {begin, end}:
            return {"from": begin, "to": end, "km": km, "minutes": minutes}
    raise ToolError(f"No road known between {begin} and {end}.")


@tool
def service_contract(contract_no: str) -> dict:
    """One service contract: customer, organ_id, level, tunings a year, yearly fee, notice period, last day.

    Args:
        contract_no: Number of the contract, such as SC-22 (organ_details gives it).
    """
    contract = _RECORDS["contracts"].get(contract_no.strip().upper())
    if contract is None:
        raise ToolError(f"There is no contract {contract_no}. Contracts are SC-21 to SC-31.")
    return contract


@tool
def invoices(organ_id: str, status: Literal["all", "open", "paid"] = "all") -> list[dict]:
    """Invoices of 2032 for work on one organ: invoice_no, day, amount, open or paid.

    Args:
        organ_id: Identifier of the organ, such as ORG-03.
        status: Only open (unpaid) or only paid invoices.
    """
    organ = _organ(organ_id)["organ_id"]
    rows = [row for row in _RECORDS["invoices"] if row["organ_id"] == organ]
    return [row for row in rows if status in ("all", row["status"])]


@tool
def hire_organs(transposing_only: bool = False) -> list[dict]:
    """The chest organs we hire out: chest_no, name, stops, transposing or not, hire for a week, deposit, weight.

    Args:
        transposing_only: Only those that can transpose.
    """
    return [row for row in _RECORDS["hire_organs"] if row["transposing"] or not transposing_only]


@tool
def hire_calendar(chest_no: str) -> str:
    """The coming bookings of one chest organ: from, to, customer; one line for each booking.

    Args:
        chest_no: Number of the chest organ, such as CH-1 (hire_organs gives it).
    """
    number = chest_no.strip().upper()
    rows = _RECORDS["hire_calendar"].get(number)
    if rows is None:
        raise ToolError(f"There is no chest organ {chest_no}. Chest organs are CH-1 to CH-5.")
    if not rows:
        return f"{number} has no bookings."
    return "\n".join(f"{row['from']} to {row['to']}: {row['customer']}" for row in rows)


@tool(effect="write")
def book_visit(
    organ_id: str, day: str, technician: str, kind: Literal["tuning", "repair", "voicing", "inspection"]
) -> dict:
    """Book a new visit of a technician to an organ. Refuses by itself if the technician is away or busy that day.

    Args:
        organ_id: Identifier of the organ, such as ORG-03.
        day: Day of the visit, as YYYY-MM-DD.
        technician: Name of the technician or part of it.
        kind: What the visit is for.
    """
    organ, when = _organ(organ_id), _day(day)
    found = _technicians(technician)
    if len(found) > 1:
        raise ToolError(f"Several technicians match '{technician}': {', '.join(person['name'] for person in found)}.")
    person = found[0]
    for row in _RECORDS["absences"][person["staff_no"]]:
        if row["from"] <= when <= row["to"]:
            raise ToolError(f"{person['name']} is away from {row['from']} to {row['to']} ({row['reason']}).")
    for row in _RECORDS["visits"]:
        if row["day"] == when and row["technician"] == person["name"]:
            raise ToolError(f"{person['name']} is already at {row['organ_id']} on {when} ({row['visit_no']}).")
    return {
        "booked": "V-2231",
        "day": when,
        "organ_id": organ["organ_id"],
        "place": f"{organ['place']}, {organ['town']}",
        "technician": person["name"],
        "kind": kind,
    }


@tool(effect="write")
def reserve_part(part_no: str, quantity: int, visit_no: str) -> dict:
    """Reserve spare parts from our store for a planned visit. Refuses by itself if there are too few in stock.

    Args:
        part_no: Number of the part, such as PT-103 (find_part gives it).
        quantity: How many to reserve.
        visit_no: Number of the visit they are for, such as V-2221.
    """
    number, visit = part_no.strip().upper(), visit_no.strip().upper()
    part = next((row for row in _RECORDS["parts"] if row["part_no"] == number), None)
    if part is None:
        raise ToolError(f"There is no part {part_no}. Parts are PT-101 to PT-116.")
    if all(row["visit_no"] != visit or row["status"] != "planned" for row in _RECORDS["visits"]):
        raise ToolError(f"{visit_no} is not a planned visit. Planned visits are V-2221 to V-2230.")
    if not 1 <= quantity <= part["in_stock"]:
        raise ToolError(f"Cannot reserve {quantity} of {number}: {part['in_stock']} in stock.")
    return {"reservation": "RS-640", "part": part["description"], "quantity": quantity, "visit_no": visit}
