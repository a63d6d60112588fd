"""The tools of the Mossgate Drainage Board (all data invented)."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_GENERIC = {"the", "sluice", "gate", "farm", "pump", "pumps", "pumping", "station", "gauge", "machine", "drain"}


def _plain(text: str) -> str:
    return " ".join(re.sub(r"['’`]", "", text).lower().replace("-", " ").split())


def _matches(rows: list[dict], part: str, *keys: str) -> list[dict]:
    """The rows where one of the fields contains the part, whatever the case; an exact hit wins."""
    wanted = _plain(part)
    exact = [row for row in rows if any(_plain(str(row[key])) == wanted for key in keys)]
    if exact:
        return exact
    found = [row for row in rows if wanted and any(wanted in _plain(str(row[key])) for key in keys)]
    core = " ".join(word for word in wanted.split() if word not in _GENERIC)
    if not found and core:
        found = [row for row in rows if any(core in _plain(str(row[key])) for key in keys)]
    return found


def _one_by_name(kind: str, rows: list[dict], part: str, *keys: str) -> dict:
    found = _matches(rows, part, *keys)
    names = ", ".join(row["name"] for row in found or rows)
    if not found:
        raise ToolError(f"There is no {kind} '{part}'. On record are: {names}.")
    if len(found) > 1:
        raise ToolError(f"Several fit '{part}': {names}. Which one?")
    return found[0]


def _one_by_id(kind: str, rows: list[dict], key: str, wanted: str) -> dict:
    for row in rows:
        if row[key].lower() == wanted.strip().lower():
            return row
    raise ToolError(f"There is no {kind} {wanted}. They run from {rows[0][key]} to {rows[-1][key]}.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write it as YYYY-MM-DD, such as 2029-10-02.") from None


@tool
def sluice(name: str) -> dict:
    """One sluice: its code, drain, warden, how far the gate is open (cm), last and next inspection.

    Args:
        name: Name of the sluice or a part of it, such as "Cuckoo", or its code, such as SL-01.
    """
    return _one_by_name("sluice", _RECORDS["sluices"], name, "name", "sluice_id")


@tool
def find_pumps(station: str) -> list[dict]:
    """The pumps of a pumping station: pump id, station and power (diesel or electric).

    Args:
        station: Name of the pumping station or a part of it, such as "Gannet".
    """
    found = _matches(_RECORDS["pumps"], station, "station")
    if not found:
        stations = ", ".join(sorted({row["station"] for row in _RECORDS["pumps"]}))
        raise ToolError(f"There is no pumping station '{station}'. Stations are: {stations}.")
    return [{key: row[key] for key in ("pump_id", "station", "power")} for row in found]


@tool
def pump_record(pump_id: str) -> dict:
    """One pump: station, power, capacity in litres a second, state, hours run, services, and its keeper (a warden).

    Args:
        pump_id: Id of the pump, such as PU-03.
    """
    return _one_by_id("pump", _RECORDS["pumps"], "pump_id", pump_id)


@tool
def find_gauges(place: str) -> list[dict]:
    """The water level gauges at a place: gauge id, place, drain and alarm level in cm (no readings).

    Args:
        place: Place of the gauge or a part of its name, such as "Priory".
    """
    found = _matches(_RECORDS["gauges"], place, "place", "gauge_id")
    if not found:
        places = ", ".join(row["place"] for row in _RECORDS["gauges"])
        raise ToolError(f"There is no gauge at '{place}'. Gauges stand at: {places}.")
    return found


@tool
def gauge_readings(gauge_id: str, day: str) -> list[dict]:
    """The water levels which a gauge measured on one day, every six hours, in cm.

    Args:
        gauge_id: Id of the gauge, such as G-103.
        day: The day as YYYY-MM-DD.
    """
    gauge = _one_by_id("gauge", _RECORDS["gauges"], "gauge_id", gauge_id)
    days = _RECORDS["readings"][gauge["gauge_id"]]
    wanted = _day(day).isoformat()
    if wanted not in days:
        raise ToolError(f"No readings for {wanted}. Readings are kept from {min(days)} to {max(days)}.")
    return [{"time": time, "level_cm": level} for time, level in days[wanted].items()]


@tool
def find_farm(name: str) -> list[dict]:
    """Farms that pay rates, found by the farm's or the owner's name: account number, farm, owner, village.

    Args:
        name: Name of the farm or of its owner, or a part of it.
    """
    found = _matches(_RECORDS["farms"], name, "farm", "owner")
    if not found:
        raise ToolError(f"No farm or owner '{name}' pays rates to the Board. Try a shorter part of the name.")
    return [{key: row[key] for key in ("account_no", "farm", "owner", "village")} for row in found]


@tool
def rate_account(account_no: str) -> dict:
    """One rate account: hectares, this year's rate, paid and still owed (pounds), due day, numbers of its permits.

    Args:
        account_no: Number of the rate account, such as RP-2045.
    """
    row = _one_by_id("rate account", _RECORDS["farms"], "account_no", account_no)
    return {
        "account_no": row["account_no"],
        "farm": row["farm"],
        "hectares": row["hectares"],
        "rate_2029": row["rate"],
        "paid": row["paid"],
        "owed": round(row["rate"] - row["paid"], 2),
        "due_day": row["due_day"],
        "permits": [one["permit_no"] for one in _RECORDS["permits"] if one["account_no"] == row["account_no"]],
    }


@tool
def permit(permit_no: str) -> dict:
    """One permit: what it allows, the rate account that holds it, the drain, fee in pounds, last day it is valid.

    Args:
        permit_no: Number of the permit, such as PMT-29-008.
    """
    for row in _RECORDS["permits"]:
        if row["permit_no"].lower() == permit_no.strip().lower():
            return row
    raise ToolError(f"There is no permit {permit_no} in the register.")


@tool
def list_work_orders(
    status: Literal["open", "in progress", "done", "any"] = "any",
    drain: str | None = None,
    limit: int = 12,
) -> list[dict]:
    """Work orders, earliest due day first: number, title, drain, status, due day.

    Args:
        status: Only orders of this status.
        drain: Only orders on this drain (its name or a part of it).
        limit: At most this many orders.
    """
    rows = [row for row in _RECORDS["work_orders"] if status in ("any", row["status"])]
    if drain:
        rows = _matches(rows, drain, "drain")
    rows = sorted(rows, key=lambda row: row["due"])[: max(1, limit)]
    return [{key: row[key] for key in ("order_no", "title", "drain", "status", "due")} for row in rows]


@tool
def work_order(order_no: str) -> dict:
    """One work order in full: title, drain, status, due day, warden in charge, machine needed, estimated machine hours.

    Args:
        order_no: Number of the work order, such as WO-5502.
    """
    return _one_by_id("work order", _RECORDS["work_orders"], "order_no", order_no)


@tool
def warden(name: str) -> dict:
    """One warden: district, depot, phone number, radio call sign.

    Args:
        name: Name of the warden or a part of it.
    """
    return _one_by_name("warden", _RECORDS["wardens"], name, "name")


@tool
def duty_rota(day: str) -> str:
    """The wardens on duty on one day: day shift, night shift, and whether the office is open.

    Args:
        day: The day as YYYY-MM-DD.
    """
    wanted = _day(day)
    rota = _RECORDS["rota"]
    if wanted.isoformat() not in rota:
        raise ToolError(f"No rota for {wanted}. The rota is made from {min(rota)} to {max(rota)}.")
    by_day, by_night = rota[wanted.isoformat()]
    office = "closed" if wanted.weekday() > 4 else "open 08:30 to 16:30"
    return (
        f"Duty rota for {wanted:%A} {wanted.day} {wanted:%B %Y}\n"
        f"Day shift (07:00 to 19:00): {by_day}\n"
        f"Night shift (19:00 to 07:00): {by_night}\n"
        f"Office: {office}"
    )


@tool
def machine(name: str) -> dict:
    """One machine: id, name, depot, cost per hour in pounds, state, first day it can be booked.

    Args:
        name: Name of the machine or a part of it, such as "dumper", or its id, such as M-4.
    """
    return _one_by_name("machine", _RECORDS["machines"], name, "name", "machine_id")


@tool
def daily_rainfall(month: str) -> list[dict]:
    """Rain of every day of a month, measured at the office: day, rain in mm, hours the outfall pumps ran.

    Args:
        month: The month as YYYY-MM, such as 2029-08.
    """
    months = _RECORDS["rainfall"]
    if month.strip()[:7] not in months:
        raise ToolError(f"No rainfall for '{month}'. Months on record: {', '.join(months)}. Write YYYY-MM.")
    return months[month.strip()[:7]]


@tool
def drain_table() -> list[dict]:
    """The table of all drains and ditches: number, name, length in m, width in m, day it was last cleaned."""
    return _RECORDS["drains"]


@tool(effect="write")
def report_fault(asset_id: str, fault: str, urgent: bool = False) -> dict:
    """Enter a fault of a sluice, pump, gauge or machine in the fault book.

    Args:
        asset_id: Id of the thing that is faulty, such as SL-02, PU-03, G-101 or M-4.
        fault: What is wrong, in a few words.
        urgent: True if it must be seen to at once.
    """
    wanted = asset_id.strip().upper()
    known = [("sluices", "sluice_id"), ("pumps", "pump_id"), ("gauges", "gauge_id"), ("machines", "machine_id")]
    if not any(row[key] == wanted for table, key in known for row in _RECORDS[table]):
        raise ToolError(f"Nothing has the id {asset_id}. Ids look like SL-02, PU-03, G-101 or M-4.")
    return {"fault_no": "FR-883", "asset_id": wanted, "fault": fault, "urgent": urgent, "entered": True}


@tool(effect="write")
def book_machine(machine_id: str, day: str, hours: float) -> dict:
    """Book a machine for some hours on a day.

    Args:
        machine_id: Id of the machine, such as M-4.
        day: The day as YYYY-MM-DD.
        hours: For how many hours, at most 10.
    """
    row = _one_by_id("machine", _RECORDS["machines"], "machine_id", machine_id)
    wanted = _day(day).isoformat()
    if wanted < row["bookable_from"]:
        raise ToolError(f"{row['machine_id']} cannot be booked before {row['bookable_from']}.")
    if not 0 < hours <= 10:
        raise ToolError("Book more than 0 and at most 10 hours a day.")
    return {"booking_no": "MB-417", "machine": row["name"], "day": wanted, "hours": hours, "booked": True}
